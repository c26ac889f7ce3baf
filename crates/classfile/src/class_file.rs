//! The immutable model of one checked class file.
//!
//! A [`ClassFile`] owns its bytes and copies nothing: names are indices into the constant pool,
//! tables are [`Span`]s into the bytes. The parser has looked at every structure once, so the
//! accessors here only read; annotations alone are taken as they come, since a JVM must load a
//! class whose annotations are broken.

use crate::constant_pool::{Constant, ConstantPool};
use crate::reader::{u16_at, u16s};
use crate::{ClassBytes, ClassFormatError, parser};

mod annotations;

/// A part of the bytes of a class file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// Where it starts.
    pub start: u32,
    /// How many bytes it has.
    pub len: u32,
}

impl Span {
    pub(crate) fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.start as usize + self.len as usize
    }
}

/// A checked class file.
pub struct ClassFile {
    pub(crate) major: u16,
    pub(crate) minor: u16,
    pub(crate) access_flags: u16,
    pub(crate) this_class: u16,
    pub(crate) super_class: u16,
    pub(crate) interfaces: Box<[u16]>,
    pub(crate) constant_pool: ConstantPool,
    pub(crate) fields: Box<[FieldInfo]>,
    pub(crate) methods: Box<[MethodInfo]>,
    pub(crate) attributes: ClassAttributes,
}

/// Where the attributes of the class itself lie; spans hold the attribute's whole content.
#[derive(Default)]
pub(crate) struct ClassAttributes {
    pub(crate) source_file: u16,
    pub(crate) signature: u16,
    pub(crate) inner_classes: Option<Span>,
    pub(crate) enclosing_method: Option<(u16, u16)>,
    pub(crate) nest_host: u16,
    pub(crate) nest_members: Option<Span>,
    pub(crate) permitted_subclasses: Option<Span>,
    pub(crate) record: Option<Box<[RecordComponent]>>,
    pub(crate) bootstrap_methods: Box<[BootstrapMethod]>,
    pub(crate) annotations: Option<Span>,
    pub(crate) invisible_annotations: Option<Span>,
    pub(crate) type_annotations: Option<Span>,
    pub(crate) source_debug_extension: Option<Span>,
    pub(crate) module: Option<Span>,
}

/// A field. Indices are those of the constant pool; 0 stands for absence.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct FieldInfo {
    /// The flags a JVM recognizes, see [`crate::access`].
    pub access_flags: u16,
    /// The name, a `Utf8`.
    pub name: u16,
    /// The descriptor, a `Utf8`.
    pub descriptor: u16,
    /// The `ConstantValue`, of a type that fits the descriptor; only for static fields.
    pub constant_value: u16,
    /// The generic signature, a `Utf8`.
    pub signature: u16,
    /// Content of `RuntimeVisibleAnnotations`.
    pub annotations: Option<Span>,
    /// Content of `RuntimeVisibleTypeAnnotations`.
    pub type_annotations: Option<Span>,
}

/// A method. Indices are those of the constant pool; 0 stands for absence.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct MethodInfo {
    /// The flags a JVM recognizes, see [`crate::access`].
    pub access_flags: u16,
    /// The name, a `Utf8`.
    pub name: u16,
    /// The descriptor, a `Utf8`.
    pub descriptor: u16,
    /// The body; absent exactly when the method is native or abstract.
    pub code: Option<Code>,
    /// The declared exceptions, each a `Class`.
    pub exceptions: Box<[u16]>,
    /// The generic signature, a `Utf8`.
    pub signature: u16,
    /// Content of `RuntimeVisibleAnnotations`.
    pub annotations: Option<Span>,
    /// Content of `RuntimeInvisibleAnnotations`, which no JVM looks at.
    pub invisible_annotations: Option<Span>,
    /// Content of `RuntimeVisibleParameterAnnotations`.
    pub parameter_annotations: Option<Span>,
    /// Content of `AnnotationDefault`.
    pub annotation_default: Option<Span>,
    /// Content of `RuntimeVisibleTypeAnnotations`.
    pub type_annotations: Option<Span>,
    /// Content of `MethodParameters`: a count byte, then name index and flags of each. Its length
    /// fits the count, but the indices may be anything.
    pub method_parameters: Option<Span>,
}

/// A method's body.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Code {
    /// Greatest depth of the operand stack in words.
    pub max_stack: u16,
    /// Number of local variables in words; the arguments fit.
    pub max_locals: u16,
    /// The instructions, 1 to 65,535 bytes.
    pub code: Span,
    /// The handlers in order of precedence; ranges lie within the code.
    pub exception_table: Box<[ExceptionEntry]>,
    /// Contents of the `LineNumberTable`s, of which there may be several: a count, then pairs.
    pub line_numbers: Box<[Span]>,
    /// Content of `StackMapTable`, not checked before verification.
    pub stack_map: Option<Span>,
    /// Contents of the `LocalVariableTable`s: a count, then entries of five indices.
    pub local_variables: Box<[Span]>,
}

/// One handler of an exception table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExceptionEntry {
    /// First instruction covered.
    pub start_pc: u16,
    /// First byte no longer covered.
    pub end_pc: u16,
    /// Where the handler starts.
    pub handler_pc: u16,
    /// The `Class` it catches; 0 for any.
    pub catch_type: u16,
}

/// One entry of `InnerClasses`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InnerClass {
    /// The inner class, a `Class`.
    pub inner: u16,
    /// The class it is a member of; 0 if it is none.
    pub outer: u16,
    /// Its simple name, a `Utf8`; 0 if anonymous.
    pub name: u16,
    /// Its flags as declared in the source.
    pub flags: u16,
}

/// One component of a record class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordComponent {
    /// The name, a `Utf8`.
    pub name: u16,
    /// The descriptor, a `Utf8`.
    pub descriptor: u16,
    /// The generic signature, a `Utf8`; 0 if none.
    pub signature: u16,
    /// Content of `RuntimeVisibleAnnotations`.
    pub annotations: Option<Span>,
    /// Content of `RuntimeVisibleTypeAnnotations`.
    pub type_annotations: Option<Span>,
}

/// One entry of `BootstrapMethods`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BootstrapMethod {
    /// The `MethodHandle` to call.
    pub method_ref: u16,
    /// Its static arguments, each a loadable constant.
    pub arguments: Box<[u16]>,
}

impl ClassFile {
    /// Parses and checks a class file (JVMS §4.8); bytecode is left to the verifier.
    pub fn parse(bytes: ClassBytes) -> Result<ClassFile, ClassFormatError> {
        parser::parse(bytes)
    }

    /// All bytes of the class file.
    pub fn bytes(&self) -> &ClassBytes {
        self.constant_pool.bytes()
    }

    /// The bytes of a span; empty if it does not belong to this class file.
    pub fn span(&self, span: Span) -> &[u8] {
        self.bytes().get(span.range()).unwrap_or_default()
    }

    /// Major version, 45 to 69.
    pub fn major(&self) -> u16 {
        self.major
    }

    /// Minor version; 65,535 if the class depends on preview features.
    pub fn minor(&self) -> u16 {
        self.minor
    }

    /// The flags a JVM recognizes, see [`crate::access`].
    pub fn access_flags(&self) -> u16 {
        self.access_flags
    }

    /// Whether this is a `module-info`, which is no class and cannot be loaded as one.
    pub fn is_module(&self) -> bool {
        self.access_flags & crate::access::MODULE != 0
    }

    /// The class's name in internal form.
    pub fn name(&self) -> &[u8] {
        self.constant_pool.class_name(self.this_class)
    }

    /// The superclass's name; `None` for `java/lang/Object` and for modules.
    pub fn super_name(&self) -> Option<&[u8]> {
        self.constant_pool.try_class_name(self.super_class)
    }

    /// The index of the class's own `Class` constant.
    pub fn this_class_index(&self) -> u16 {
        self.this_class
    }

    /// The direct superinterfaces' names, in order.
    pub fn interfaces(&self) -> impl ExactSizeIterator<Item = &[u8]> {
        self.interfaces.iter().map(|&idx| self.constant_pool.class_name(idx))
    }

    /// The constant pool.
    pub fn constant_pool(&self) -> &ConstantPool {
        &self.constant_pool
    }

    /// The fields in order.
    pub fn fields(&self) -> &[FieldInfo] {
        &self.fields
    }

    /// The methods in order.
    pub fn methods(&self) -> &[MethodInfo] {
        &self.methods
    }

    /// Puts the methods into another order: `places[i]` is where the method at `i` goes.
    ///
    /// Panics where that is no order of all methods.
    pub fn order_methods(&mut self, places: &[usize]) {
        assert!(places.len() == self.methods.len(), "internal: an order of other methods");
        let mut ordered: Vec<(usize, MethodInfo)> =
            places.iter().copied().zip(std::mem::take(&mut self.methods)).collect();
        ordered.sort_by_key(|&(place, _)| place);
        self.methods = ordered.into_iter().map(|(_, method)| method).collect();
    }

    /// The method with a name and descriptor.
    pub fn method(&self, name: &[u8], descriptor: &[u8]) -> Option<&MethodInfo> {
        let pool = &self.constant_pool;
        self.methods.iter().find(|method| {
            pool.utf8(method.name) == name && pool.utf8(method.descriptor) == descriptor
        })
    }

    /// The `SourceFile`.
    pub fn source_file(&self) -> Option<&[u8]> {
        self.constant_pool.try_utf8(self.attributes.source_file)
    }

    /// Content of `SourceDebugExtension`.
    pub fn source_debug_extension(&self) -> Option<&[u8]> {
        self.attributes.source_debug_extension.map(|span| self.span(span))
    }

    /// The generic signature.
    pub fn signature(&self) -> Option<&[u8]> {
        self.constant_pool.try_utf8(self.attributes.signature)
    }

    /// The constant pool index of the generic signature; 0 if none.
    pub fn signature_index(&self) -> u16 {
        self.attributes.signature
    }

    /// The entries of `InnerClasses`.
    pub fn inner_classes(&self) -> Vec<InnerClass> {
        let Some(table) = self.table(self.attributes.inner_classes) else { return Vec::new() };
        table
            .chunks_exact(8)
            .map(|entry| {
                let at = |at| u16_at(entry, at).unwrap_or_default();
                InnerClass { inner: at(0), outer: at(2), name: at(4), flags: at(6) }
            })
            .collect()
    }

    /// The enclosing `Class`, and the enclosing method's `NameAndType` or 0.
    pub fn enclosing_method(&self) -> Option<(u16, u16)> {
        self.attributes.enclosing_method
    }

    /// The name of the nest host, if it is another class.
    pub fn nest_host(&self) -> Option<&[u8]> {
        self.constant_pool.try_class_name(self.attributes.nest_host)
    }

    /// The names of the other classes of the nest this class hosts.
    pub fn nest_members(&self) -> Option<Vec<&[u8]>> {
        self.class_names(self.attributes.nest_members)
    }

    /// The names of the permitted direct subclasses, for a sealed class.
    pub fn permitted_subclasses(&self) -> Option<Vec<&[u8]>> {
        self.class_names(self.attributes.permitted_subclasses)
    }

    /// The components, for a record class.
    pub fn record_components(&self) -> Option<Vec<RecordComponent>> {
        self.attributes.record.as_deref().map(<[RecordComponent]>::to_vec)
    }

    /// The bootstrap methods.
    pub fn bootstrap_methods(&self) -> &[BootstrapMethod] {
        &self.attributes.bootstrap_methods
    }

    /// Content of `RuntimeVisibleAnnotations`.
    pub fn raw_annotations(&self) -> Option<&[u8]> {
        self.attributes.annotations.map(|span| self.span(span))
    }

    /// Where the class's `RuntimeVisibleAnnotations` lie, for [`ClassFile::has_annotation`].
    pub fn annotations(&self) -> Option<Span> {
        self.attributes.annotations
    }

    /// Where the content of `RuntimeInvisibleAnnotations` is, which no JVM looks at.
    pub fn invisible_annotations(&self) -> Option<Span> {
        self.attributes.invisible_annotations
    }

    /// Content of `RuntimeVisibleTypeAnnotations`.
    pub fn raw_type_annotations(&self) -> Option<&[u8]> {
        self.attributes.type_annotations.map(|span| self.span(span))
    }

    /// Content of `Module`, for a `module-info`.
    pub fn raw_module(&self) -> Option<&[u8]> {
        self.attributes.module.map(|span| self.span(span))
    }

    /// Whether annotations, given by the span of a `RuntimeVisibleAnnotations`, have one of the
    /// type with this descriptor at their top level. Broken annotations have none.
    pub fn has_annotation(&self, span: Option<Span>, descriptor: &[u8]) -> bool {
        let Some(span) = span else { return false };
        annotations::contains(self.span(span), &self.constant_pool, descriptor)
    }

    /// The descriptors of the top-level annotations in a `RuntimeVisibleAnnotations`.
    pub fn annotation_types(&self, span: Option<Span>) -> impl Iterator<Item = &[u8]> {
        let content = span.map(|span| self.span(span)).unwrap_or_default();
        annotations::types(content, &self.constant_pool)
    }

    /// The descriptors of the classes that an element of one of the annotations in a
    /// `RuntimeVisibleAnnotations` holds, alone or in an array.
    pub fn annotation_classes(
        &self,
        span: Option<Span>,
        descriptor: &[u8],
        element: &[u8],
    ) -> Vec<&[u8]> {
        let content = span.map(|span| self.span(span)).unwrap_or_default();
        annotations::classes(content, &self.constant_pool, descriptor, element)
    }

    /// The value of a `boolean` element of one of the annotations in a `RuntimeVisibleAnnotations`;
    /// `None` where it is left to its default.
    pub fn annotation_flag(
        &self,
        span: Option<Span>,
        descriptor: &[u8],
        element: &[u8],
    ) -> Option<bool> {
        annotations::flag(self.span(span?), &self.constant_pool, descriptor, element)
    }

    /// The instructions of a body.
    pub fn instructions(&self, code: &Code) -> &[u8] {
        self.span(code.code)
    }

    /// A table without its two bytes of count.
    fn table(&self, span: Option<Span>) -> Option<&[u8]> {
        self.span(span?).get(2..)
    }

    fn class_names(&self, span: Option<Span>) -> Option<Vec<&[u8]>> {
        let table = self.table(span)?;
        Some(u16s(table).map(|idx| self.constant_pool.class_name(idx)).collect())
    }
}

impl Code {
    /// The source line of the instruction at `bci`; `None` if unknown.
    pub fn line_at(&self, class: &ClassFile, bci: u16) -> Option<u16> {
        let mut best: Option<(u16, u16)> = None;
        for &span in &self.line_numbers {
            for entry in class.table(Some(span))?.chunks_exact(4) {
                let start_pc = u16_at(entry, 0)?;
                let line = u16_at(entry, 2)?;
                if start_pc == bci {
                    return Some(line);
                }
                if start_pc < bci && best.is_none_or(|(best_pc, _)| best_pc <= start_pc) {
                    best = Some((start_pc, line));
                }
            }
        }
        best.map(|(_, line)| line)
    }

    /// The name of the variable that local `slot` holds at `bci`, if the class tells.
    pub fn local_name_at<'c>(&self, class: &'c ClassFile, bci: u16, slot: u16) -> Option<&'c [u8]> {
        for &span in &self.local_variables {
            for entry in class.table(Some(span))?.chunks_exact(10) {
                let at = |at| u16_at(entry, at);
                let (start_pc, len) = (u32::from(at(0)?), u32::from(at(2)?));
                let pc = u32::from(bci);
                if at(8)? == slot && start_pc <= pc && pc < start_pc + len {
                    return class.constant_pool.try_utf8(at(4)?);
                }
            }
        }
        None
    }
}

impl std::fmt::Debug for ClassFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ClassFile({})", crate::mutf8::display(self.name()))
    }
}

impl Constant {
    /// Whether a constant may be a static argument of a bootstrap method or be loaded by `ldc`
    /// or `ldc2_w` (JVMS table 4.4-C).
    pub fn is_loadable(self) -> bool {
        matches!(
            self,
            Constant::Integer(_)
                | Constant::Float(_)
                | Constant::Long(_)
                | Constant::Double(_)
                | Constant::Class { .. }
                | Constant::String { .. }
                | Constant::MethodHandle { .. }
                | Constant::MethodType { .. }
                | Constant::Dynamic { .. }
        )
    }
}
