//! Makes the [`Class`] of a class file whose superclasses are linked.

use std::sync::Arc;

use classfile::{ClassFile, MethodDescriptor, MethodInfo};
use rustc_hash::FxHashMap;

use super::{DefineOptions, package_of};
use crate::class::{
    Class, ClassRt, Field, FileSource, Method, MethodRt, ReferenceKind, Shape, flags,
};
use crate::code::Op;
use crate::frame::Res;
use crate::interp::stub;
use crate::layout::{FieldShape, injected_fields, lay_out};
use crate::symbol::Symbol;
use crate::value::{ClassId, Kind, LoaderId, MethodId};
use crate::vm::Vm;

/// A class without its dispatch table.
pub(super) struct Draft {
    pub(super) id: ClassId,
    pub(super) name: Symbol,
    pub(super) loader: LoaderId,
    pub(super) package: Symbol,
    pub(super) super_class: Option<ClassId>,
    pub(super) all_interfaces: Box<[ClassId]>,
    pub(super) is_interface: bool,
    pub(super) first_method: MethodId,
    pub(super) methods: Vec<Method>,
}

impl Vm {
    /// Links a class. All superclasses are linked, everything was checked but overriding.
    pub(super) fn link_class(
        &mut self,
        loader: LoaderId,
        file: Arc<ClassFile>,
        super_class: Option<ClassId>,
        interfaces: Vec<ClassId>,
        nest_host: Option<ClassId>,
        options: &DefineOptions,
    ) -> Res<ClassId> {
        let id = self.next_class_id();
        let hidden = options.hidden_for.is_some();
        let given = options.expected_name.as_deref().unwrap_or(file.name());
        let name = if hidden {
            // The id makes it unique, also after a rollback.
            let suffix = format!("+0x{:016x}", id.0);
            self.symbols.intern(&[given, suffix.as_bytes()].concat())
        } else {
            self.symbols.intern(file.name())
        };
        let package = self.symbols.intern(package_of(given));
        let is_interface = file.access_flags() & flags::INTERFACE != 0;
        let all_interfaces = self.all_interfaces(id, is_interface, super_class, &interfaces);
        let first_method = self.methods.next_id();
        let methods = self.methods_of(&file, id, loader, options);
        let draft = Draft {
            id,
            name,
            loader,
            package,
            super_class,
            all_interfaces,
            is_interface,
            first_method,
            methods,
        };
        let (vtable, draft, conflicts) = self.dispatch_table(draft)?;

        let sup = super_class.map(|sup| Arc::clone(self.class(sup)));
        let super_end = sup.as_ref().map_or(0, |sup| sup.fields_end);
        let (fields, fields_end, statics_size) = self.fields_of(&file, id, super_end);
        let ref_offsets = |is_static: bool| {
            let own =
                fields.iter().filter(move |f| f.kind == Kind::Ref && f.is_static() == is_static);
            own.map(|field| field.offset)
        };
        let inherited = sup.iter().flat_map(|sup| sup.ref_offsets.iter().copied());
        let instance_refs: Box<[u32]> = inherited.chain(ref_offsets(false)).collect();
        let static_refs: Box<[u32]> = ref_offsets(true).collect();
        let mut supers = sup.as_ref().map_or_else(Vec::new, |sup| sup.supers.to_vec());
        supers.push(id);

        let class = Arc::new(Class {
            id,
            name,
            flags: file.access_flags(),
            shape: Shape::Instance,
            super_class,
            interfaces: interfaces.into(),
            supers: supers.into(),
            all_interfaces: draft.all_interfaces,
            loader,
            vtable: vtable.into(),
            methods: draft.methods.into(),
            conflicts: conflicts.into(),
            instance_size: fields_end.next_multiple_of(8),
            fields_end,
            ref_offsets: instance_refs,
            statics_size,
            static_ref_offsets: static_refs,
            reference_kind: reference_kind(name, loader, sup.as_deref()),
            has_finalizer: has_finalizer(&file, sup.as_deref()),
            hidden,
            is_spun: options.is_spun,
            nest_host,
            package,
            fields: fields.into(),
            file: FileSource::parsed(file),
        });
        self.add_class(class, options)?;
        if !hidden {
            self.record_class(loader, name, id);
        }
        Ok(id)
    }

    /// Adds a made class to the machine's tables, with its mirror.
    pub(super) fn add_class(&mut self, class: Arc<Class>, options: &DefineOptions) -> Res<()> {
        let mirror = self.make_mirror(&class, options)?;
        let first_method = self.methods.next_id();
        for method in class.methods.iter().chain(&class.conflicts) {
            self.methods.push(new_method(method));
        }
        let made_at = self.depth();
        let needs_no_code = !matches!(class.shape, Shape::Instance);
        self.classes.push(ClassRt {
            class,
            mirror,
            array_class: None,
            first_method,
            initialised_at: needs_no_code.then_some(made_at),
            made_at,
            selected: FxHashMap::default(),
            sites: None,
            versions: None,
        });
        Ok(())
    }

    /// The identifier the next class gets.
    #[expect(clippy::cast_possible_truncation, reason = "class ids are 32 bits wide")]
    pub(crate) fn next_class_id(&self) -> ClassId {
        ClassId(self.classes.len() as u32)
    }

    fn all_interfaces(
        &self,
        id: ClassId,
        is_interface: bool,
        super_class: Option<ClassId>,
        interfaces: &[ClassId],
    ) -> Box<[ClassId]> {
        let mut all: Vec<ClassId> = is_interface.then_some(id).into_iter().collect();
        for &sup in super_class.iter().chain(interfaces) {
            all.extend(self.class(sup).all_interfaces.iter());
        }
        all.sort_unstable();
        all.dedup();
        all.into()
    }

    fn fields_of(&self, file: &ClassFile, id: ClassId, super_end: u32) -> (Vec<Field>, u32, u32) {
        let pool = file.constant_pool();
        let mut fields: Vec<Field> = Vec::with_capacity(file.fields().len());
        let field = |fields: &mut Vec<Field>,
                     name: &[u8],
                     descriptor: &[u8],
                     flags: u16,
                     injected: bool| {
            fields.push(Field {
                class: id,
                slot: u16::try_from(fields.len()).unwrap_or(u16::MAX),
                flags,
                name: self.symbols.intern(name),
                descriptor: self.symbols.intern(descriptor),
                kind: Kind::of_descriptor(descriptor).unwrap_or(Kind::Ref),
                offset: 0,
                injected,
            });
        };
        for info in file.fields() {
            field(
                &mut fields,
                pool.utf8(info.name),
                pool.utf8(info.descriptor),
                info.access_flags,
                false,
            );
        }
        for &(name, descriptor) in injected_fields(file.name()) {
            if !fields.iter().any(|field| field.name.as_bytes() == name.as_bytes()) {
                field(&mut fields, name.as_bytes(), descriptor.as_bytes(), 0, true);
            }
        }
        let shapes: Vec<FieldShape> =
            fields.iter().map(|f| FieldShape { kind: f.kind, is_static: f.is_static() }).collect();
        let layout = lay_out(&shapes, super_end, self.known.mirror_size);
        for (field, &offset) in fields.iter_mut().zip(&layout.offsets) {
            field.offset = offset;
        }
        (fields, layout.fields_end, layout.statics_size)
    }

    #[expect(
        clippy::cast_possible_truncation,
        reason = "a class file has at most 65,535 methods of 255 words"
    )]
    fn methods_of(
        &self,
        file: &ClassFile,
        id: ClassId,
        loader: LoaderId,
        options: &DefineOptions,
    ) -> Vec<Method> {
        let pool = file.constant_pool();
        let first = self.methods.next_id();
        let is_invoker = loader == LoaderId::BOOT
            && matches!(
                file.name(),
                b"java/lang/invoke/MethodHandle" | b"java/lang/invoke/VarHandle"
            );
        let is_trusted = options.vm_annotations || self.is_jdk_loader(loader);
        let mut methods = Vec::with_capacity(file.methods().len());
        for (slot, info) in file.methods().iter().enumerate() {
            let descriptor = pool.utf8(info.descriptor);
            let shape = MethodDescriptor::parse(descriptor)
                .expect("internal: the parser checks descriptors");
            let is_static = info.access_flags & flags::STATIC != 0;
            let returns = match descriptor.iter().rposition(|&byte| byte == b')') {
                Some(end) => Kind::of_descriptor(&descriptor[end + 1..]).unwrap_or(Kind::Void),
                None => Kind::Void,
            };
            let marked = |descriptor: &str| {
                is_trusted && file.has_annotation(info.annotations, descriptor.as_bytes())
            };
            methods.push(Method {
                id: MethodId(first.0 + slot as u32),
                class: id,
                slot: slot as u16,
                flags: info.access_flags,
                name: self.symbols.intern(pool.utf8(info.name)),
                descriptor: self.symbols.intern(descriptor),
                arg_slots: shape.arg_slots() as u16 + u16::from(!is_static),
                returns,
                vtable_index: None,
                max_locals: info.code.as_ref().map_or(0, |code| code.max_locals),
                max_stack: info.code.as_ref().map_or(0, |code| code.max_stack),
                caller_sensitive: marked("Ljdk/internal/reflect/CallerSensitive;"),
                hidden: options.hidden_for.is_some()
                    || marked("Ljdk/internal/vm/annotation/Hidden;"),
                signature_polymorphic: is_invoker && is_signature_polymorphic(info, descriptor),
            });
        }
        methods
    }
}

/// JVMS §2.9.3: native, varargs, and one parameter of type `Object[]`.
fn is_signature_polymorphic(info: &MethodInfo, descriptor: &[u8]) -> bool {
    const FLAGS: u16 = flags::NATIVE | flags::VARARGS;
    info.access_flags & FLAGS == FLAGS && descriptor.starts_with(b"([Ljava/lang/Object;)")
}

fn reference_kind(name: Symbol, loader: LoaderId, sup: Option<&Class>) -> ReferenceKind {
    let inherited = sup.map_or(ReferenceKind::None, |sup| sup.reference_kind);
    if inherited != ReferenceKind::None || loader != LoaderId::BOOT {
        return inherited;
    }
    match name.as_bytes() {
        b"java/lang/ref/SoftReference" => ReferenceKind::Soft,
        b"java/lang/ref/WeakReference" => ReferenceKind::Weak,
        b"java/lang/ref/PhantomReference" => ReferenceKind::Phantom,
        b"java/lang/ref/FinalReference" => ReferenceKind::Final,
        _ => ReferenceKind::None,
    }
}

/// A body that is just `return` counts as none and ends what was inherited.
fn has_finalizer(file: &ClassFile, sup: Option<&Class>) -> bool {
    let Some(sup) = sup else { return false };
    if file.access_flags() & flags::INTERFACE != 0 {
        return false;
    }
    const RETURN: u8 = 0xB1;
    match file.method(b"finalize", b"()V") {
        Some(method) if method.access_flags & flags::STATIC == 0 => {
            let body = method.code.as_ref().map(|code| file.instructions(code));
            body != Some(&[RETURN])
        }
        _ => sup.has_finalizer,
    }
}

/// What a machine adds to a method that was never called.
pub(crate) fn new_method(method: &Method) -> MethodRt {
    let op = if method.is_native() {
        Op::native
    } else if method.is_abstract() {
        Op::abstract_method
    } else {
        Op::compile
    };
    let n_regs = (u32::from(method.max_locals) + u32::from(method.max_stack))
        .max(u32::from(method.arg_slots));
    MethodRt {
        entry: stub(op),
        n_regs,
        arg_slots: method.arg_slots,
        careful: u16::from(method.flags & flags::SYNCHRONIZED != 0),
        method,
        code: std::ptr::null(),
        native: None,
        intrinsic: None,
        is_looked_up: false,
        intrinsic_op: Op::intrinsic_q,
        is_substituted: false,
        getter: 0,
        is_empty: false,
    }
}
