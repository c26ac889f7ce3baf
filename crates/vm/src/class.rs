//! The runtime class model: what linking makes of a class file. Immutable once made and shared
//! between machines; what can change (mirror, static fields, initialisation state, compiled code)
//! lives in the heap or in `ClassRt`/`MethodRt` of one machine.

use std::sync::{Arc, OnceLock};

use classfile::{ClassBytes, ClassFile, JImage};
use rustc_hash::FxHashMap;

use crate::code::{Code, Insn, Op};
use crate::intrinsic::Intrinsic;
use crate::native::NativeFn;
use crate::symbol::Symbol;
use crate::value::{ClassId, Kind, LoaderId, MethodId, Ref};

/// Access flags of JVMS tables 4.1-B, 4.5-A and 4.6-A.
pub mod flags {
    #![expect(missing_docs, reason = "names of the JVM specification")]
    pub const PUBLIC: u16 = 0x0001;
    pub const PRIVATE: u16 = 0x0002;
    pub const PROTECTED: u16 = 0x0004;
    pub const STATIC: u16 = 0x0008;
    pub const FINAL: u16 = 0x0010;
    pub const SYNCHRONIZED: u16 = 0x0020;
    pub const VOLATILE: u16 = 0x0040;
    pub const BRIDGE: u16 = 0x0040;
    pub const VARARGS: u16 = 0x0080;
    pub const TRANSIENT: u16 = 0x0080;
    pub const NATIVE: u16 = 0x0100;
    pub const INTERFACE: u16 = 0x0200;
    pub const ABSTRACT: u16 = 0x0400;
    pub const STRICT: u16 = 0x0800;
    pub const SYNTHETIC: u16 = 0x1000;
    pub const ANNOTATION: u16 = 0x2000;
    pub const ENUM: u16 = 0x4000;
}

/// What sort of type a class is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    /// A class or interface from a class file.
    Instance,
    /// An array class. `element` is the kind of what one slot holds.
    Array {
        /// Class of the elements, one dimension less.
        component: ClassId,
        /// Kind of the elements.
        element: Kind,
    },
    /// One of the nine primitive types.
    Primitive(Kind),
}

/// How the collector treats instances of `java.lang.ref.Reference` subclasses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ReferenceKind {
    /// An ordinary object.
    None,
    /// `SoftReference` or a subclass.
    Soft,
    /// `WeakReference` or a subclass.
    Weak,
    /// `PhantomReference` or a subclass.
    Phantom,
    /// `FinalReference` (the finalizer machinery).
    Final,
}

/// A linked class.
#[derive(Debug)]
pub struct Class {
    /// Own identifier.
    pub id: ClassId,
    /// Internal form: `java/lang/Object`, `[I`, `int`. Hidden classes end in `+suffix`.
    pub name: Symbol,
    /// Class-file flags; array and primitive classes have sensible ones.
    pub flags: u16,
    /// Instance, array or primitive.
    pub shape: Shape,
    /// Direct superclass; `None` for Object, interfaces have Object.
    pub super_class: Option<ClassId>,
    /// Direct superinterfaces in class-file order.
    pub interfaces: Box<[ClassId]>,
    /// The chain from Object to this class: `supers[d]` is the ancestor at depth `d`.
    pub supers: Box<[ClassId]>,
    /// All superinterfaces, sorted; for an interface also itself.
    pub all_interfaces: Box<[ClassId]>,
    /// Defining loader.
    pub loader: LoaderId,
    /// The class file; `None` for arrays and primitives.
    pub file: FileSource,
    /// Fields declared here: class-file order, then the ones the machine adds.
    pub fields: Box<[Field]>,
    /// Methods declared here, class-file order.
    pub methods: Box<[Method]>,
    /// Virtual dispatch table; interfaces have none.
    pub vtable: Box<[MethodId]>,
    /// Methods the machine makes for calls that several unrelated defaults would answer; they
    /// fill slots of `vtable`, are abstract, and Java code must not see them.
    pub conflicts: Box<[Method]>,
    /// Size of an instance in bytes, header included, a multiple of 8; for arrays the element size.
    pub instance_size: u32,
    /// First byte behind the last field; subclasses go on here.
    pub fields_end: u32,
    /// Byte offsets of all reference fields of an instance, superclasses included.
    pub ref_offsets: Box<[u32]>,
    /// Bytes of static fields that follow the mirror's own fields.
    pub statics_size: u32,
    /// Byte offsets of static reference fields inside the mirror.
    pub static_ref_offsets: Box<[u32]>,
    /// Soft, weak, phantom or final reference.
    pub reference_kind: ReferenceKind,
    /// Has a non-empty `finalize()` of its own or inherited below Object.
    pub has_finalizer: bool,
    /// Made by `defineClass0` with the hidden flag.
    pub hidden: bool,
    /// Written by the machine itself; see `spin`.
    pub is_spun: bool,
    /// Nest host chosen at definition (hidden nest mates); otherwise from the class file.
    pub nest_host: Option<ClassId>,
    /// The module's package part of the name: `java/lang`; empty for the unnamed package.
    pub package: Symbol,
}

impl Class {
    /// Whether this is an interface (annotations included).
    #[inline]
    pub fn is_interface(&self) -> bool {
        self.flags & flags::INTERFACE != 0
    }

    /// Whether this is an array class.
    #[inline]
    pub fn is_array(&self) -> bool {
        matches!(self.shape, Shape::Array { .. })
    }

    /// The class file, parsed now if it was not needed before; `None` for arrays and primitives.
    #[inline]
    pub fn file(&self) -> Option<&Arc<ClassFile>> {
        self.file.get()
    }

    /// Whether there is a class file.
    #[inline]
    pub fn has_file(&self) -> bool {
        matches!(self.shape, Shape::Instance)
    }

    /// The class file. Panics for arrays and primitives, which no constant pool refers to.
    #[inline]
    pub fn class_file(&self) -> &Arc<ClassFile> {
        self.file().expect("internal: only instance classes have a class file")
    }

    /// The name as `Class.getName` and exception texts spell it: `java.lang.Object`, `[I`.
    pub fn external_name(&self) -> String {
        let dotted = |part: &[u8]| classfile::mutf8::display(part).replace('/', ".");
        let name = self.name.as_bytes();
        match name.iter().rposition(|&byte| byte == b'+') {
            Some(at) if self.hidden => {
                format!("{}/{}", dotted(&name[..at]), dotted(&name[at + 1..]))
            }
            _ => dotted(name),
        }
    }

    /// Depth below Object.
    #[inline]
    pub fn depth(&self) -> usize {
        self.supers.len() - 1
    }

    /// The same class under an identifier, with other methods and another class file.
    pub(crate) fn version(&self, id: ClassId, methods: Vec<Method>, file: Arc<ClassFile>) -> Class {
        Class {
            id,
            name: self.name,
            flags: self.flags,
            shape: self.shape,
            super_class: self.super_class,
            interfaces: self.interfaces.clone(),
            supers: self.supers.clone(),
            all_interfaces: self.all_interfaces.clone(),
            loader: self.loader,
            file: FileSource::parsed(file),
            fields: self.fields.clone(),
            methods: methods.into(),
            vtable: self.vtable.clone(),
            conflicts: self.conflicts.clone(),
            instance_size: self.instance_size,
            fields_end: self.fields_end,
            ref_offsets: self.ref_offsets.clone(),
            statics_size: self.statics_size,
            static_ref_offsets: self.static_ref_offsets.clone(),
            reference_kind: self.reference_kind,
            has_finalizer: self.has_finalizer,
            hidden: self.hidden,
            is_spun: self.is_spun,
            nest_host: self.nest_host,
            package: self.package,
        }
    }

    /// A field declared here.
    pub fn field(&self, name: &[u8], descriptor: &[u8]) -> Option<&Field> {
        self.fields
            .iter()
            .find(|f| f.name.as_bytes() == name && f.descriptor.as_bytes() == descriptor)
    }

    /// A method declared here.
    pub fn method(&self, name: &[u8], descriptor: &[u8]) -> Option<&Method> {
        self.methods
            .iter()
            .find(|m| m.name.as_bytes() == name && m.descriptor.as_bytes() == descriptor)
    }
}

/// Where a class file comes from.
pub struct FileSource {
    parsed: OnceLock<Arc<ClassFile>>,
    origin: Origin,
}

enum Origin {
    /// Arrays and primitives.
    None,
    /// Parsed from the start.
    Parsed,
    /// In the JDK's class library, under this name.
    Library(Arc<JImage>, Symbol),
    /// These bytes.
    Bytes(ClassBytes),
}

impl FileSource {
    /// No class file.
    pub fn none() -> FileSource {
        FileSource { parsed: OnceLock::new(), origin: Origin::None }
    }

    /// A class file that is parsed already.
    pub fn parsed(file: Arc<ClassFile>) -> FileSource {
        FileSource { parsed: OnceLock::from(file), origin: Origin::Parsed }
    }

    /// A class file of the JDK's class library.
    pub fn library(library: Arc<JImage>, name: Symbol) -> FileSource {
        FileSource { parsed: OnceLock::new(), origin: Origin::Library(library, name) }
    }

    /// A class file in memory.
    pub fn bytes(bytes: ClassBytes) -> FileSource {
        FileSource { parsed: OnceLock::new(), origin: Origin::Bytes(bytes) }
    }

    fn get(&self) -> Option<&Arc<ClassFile>> {
        if let Some(file) = self.parsed.get() {
            return Some(file);
        }
        let bytes = match &self.origin {
            Origin::None | Origin::Parsed => return None,
            Origin::Library(library, name) => library.find_class(name.as_bytes())?.1,
            Origin::Bytes(bytes) => bytes.clone(),
        };
        Some(self.parsed.get_or_init(|| {
            let file = ClassFile::parse(bytes);
            Arc::new(file.expect("internal: a class file that was parsed before"))
        }))
    }
}

impl std::fmt::Debug for FileSource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(if self.parsed.get().is_some() { "parsed" } else { "not parsed" })
    }
}

/// A field of a linked class.
#[derive(Debug, Clone, Copy)]
pub struct Field {
    /// Declaring class.
    pub class: ClassId,
    /// Position in `Class::fields`.
    pub slot: u16,
    /// Class-file flags.
    pub flags: u16,
    /// Name.
    pub name: Symbol,
    /// Descriptor.
    pub descriptor: Symbol,
    /// Kind behind the descriptor.
    pub kind: Kind,
    /// Byte offset in the instance, or in the mirror for static fields.
    pub offset: u32,
    /// Added by the machine; Java code must not see it.
    pub injected: bool,
}

impl Field {
    /// Whether the field is static.
    #[inline]
    pub fn is_static(&self) -> bool {
        self.flags & flags::STATIC != 0
    }
}

/// A method of a linked class.
#[derive(Debug, Clone)]
pub struct Method {
    /// Own identifier.
    pub id: MethodId,
    /// Declaring class.
    pub class: ClassId,
    /// Position in `Class::methods` and in the class file.
    pub slot: u16,
    /// Class-file flags.
    pub flags: u16,
    /// Name.
    pub name: Symbol,
    /// Descriptor.
    pub descriptor: Symbol,
    /// Words that the arguments take, receiver included.
    pub arg_slots: u16,
    /// Kind of the result.
    pub returns: Kind,
    /// Index in the virtual dispatch table, if dispatched virtually.
    pub vtable_index: Option<u32>,
    /// `max_locals` and `max_stack` of the code, zero without code.
    pub max_locals: u16,
    /// See `max_locals`.
    pub max_stack: u16,
    /// `@CallerSensitive` of the JDK.
    pub caller_sensitive: bool,
    /// `@Hidden` of the JDK, or a method of a hidden class: left out of stack traces.
    pub hidden: bool,
    /// `MethodHandle.invokeExact` and its like (JVMS §2.9.3).
    pub signature_polymorphic: bool,
}

impl Method {
    /// Whether the method is static.
    #[inline]
    pub fn is_static(&self) -> bool {
        self.flags & flags::STATIC != 0
    }

    /// Whether the method has no body.
    #[inline]
    pub fn is_abstract(&self) -> bool {
        self.flags & flags::ABSTRACT != 0
    }

    /// Whether the method is native.
    #[inline]
    pub fn is_native(&self) -> bool {
        self.flags & flags::NATIVE != 0
    }

    /// Whether the method is private.
    #[inline]
    pub fn is_private(&self) -> bool {
        self.flags & flags::PRIVATE != 0
    }

    /// Whether this is `<init>`.
    #[inline]
    pub fn is_constructor(&self) -> bool {
        self.name.as_bytes() == b"<init>"
    }

    /// Whether this is `<clinit>`.
    #[inline]
    pub fn is_static_initialiser(&self) -> bool {
        self.name.as_bytes() == b"<clinit>"
    }
}

/// What one machine adds to a class.
#[derive(Debug, Clone)]
pub struct ClassRt {
    /// The shared part.
    pub class: Arc<Class>,
    /// The `java.lang.Class` object, in the permanent region; static fields live behind it.
    pub mirror: Ref,
    /// The array class of this component class, once somebody asked for it.
    pub array_class: Option<ClassId>,
    /// Identifier of the first method of the class.
    pub first_method: MethodId,
    /// Number of open marks when initialisation ended; `None` while not initialised for good.
    /// Code may be quickened past the initialisation check only relative to this depth.
    pub initialised_at: Option<u32>,
    /// Number of open marks when the class was made.
    pub made_at: u32,
    /// What calls of superinterfaces' methods run in instances of this class, as far as asked for.
    pub selected: FxHashMap<MethodId, MethodId>,
    /// Call sites in all its code, once asked for: method slots and bytecode indices, ascending.
    /// Their positions number them; see `invoke_dynamic`.
    pub sites: Option<Arc<[(u16, u16)]>>,
    /// What is kept of a class whose class file transformers changed or replaced; see `redefine`.
    pub versions: Option<Box<Versions>>,
}

/// What one machine remembers of a class whose class file was changed.
#[derive(Debug, Clone)]
pub struct Versions {
    /// Where the part of the mirror's `sites` array begins that belongs to the present code.
    pub sites_start: u32,
    /// What transformers that can transform again were first given, once they changed it: what they begin
    /// with from then on, as in HotSpot.
    pub original: Option<ClassBytes>,
    /// Whether the code was replaced after the class was made.
    pub is_redefined: bool,
}

/// What one machine adds to a method; instructions point at these, so they never move.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct MethodRt {
    /// Where calls enter: compiled code, or a one-instruction stub that compiles, runs a native
    /// or complains.
    pub entry: *const Insn,
    /// Registers that a frame needs.
    pub n_regs: u32,
    /// Words of arguments, receiver included.
    pub arg_slots: u16,
    /// Non-zero where a call must take the careful path (synchronized).
    pub careful: u16,
    /// The shared part.
    pub method: *const Method,
    /// Compiled code, null until the first call.
    pub code: *const Code,
    /// The native behind the method, once looked up.
    pub native: Option<NativeFn>,
    /// What runs instead of the method; see `intrinsic`. Valid where `is_looked_up`.
    pub(crate) intrinsic: Option<Intrinsic>,
    /// Whether `intrinsic` was looked for.
    pub(crate) is_looked_up: bool,
    /// The instruction that runs the intrinsic.
    pub(crate) intrinsic_op: Op,
    /// Whether the body is another one than that in the class file; see `substitute`.
    pub(crate) is_substituted: bool,
    /// Offset of the field, where the method does nothing but give it back and a call site has found
    /// that out; zero otherwise.
    pub(crate) getter: u16,
    /// Whether a call site has found out that the method does nothing, except for calling the
    /// constructor of `Object`.
    pub(crate) is_empty: bool,
}
