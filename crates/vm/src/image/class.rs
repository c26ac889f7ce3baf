//! Linked classes as bytes and back.

use classfile::ClassBytes;

use super::portable::{Portable, Reader, Writer, portable};
use crate::class::{Class, Field, FileSource, Method, ReferenceKind, Shape};
use crate::value::{ClassId, Kind, MethodId, Ref};

/// What a machine adds to a class when it has just booted.
#[derive(Debug, Clone)]
pub(super) struct ClassRow {
    pub(super) mirror: Ref,
    pub(super) array_class: Option<ClassId>,
    pub(super) first_method: MethodId,
    pub(super) is_initialised: bool,
}

portable!(ClassRow { mirror, array_class, first_method, is_initialised });

portable!(Field { class, slot, flags, name, descriptor, kind, offset, injected });

portable!(Method {
    id,
    class,
    slot,
    flags,
    name,
    descriptor,
    arg_slots,
    returns,
    vtable_index,
    max_locals,
    max_stack,
    caller_sensitive,
    hidden,
    signature_polymorphic,
});

impl Portable for Shape {
    fn put(&self, writer: &mut Writer<'_>) {
        match self {
            Shape::Instance => 0_u8.put(writer),
            Shape::Array { component, element } => {
                1_u8.put(writer);
                component.put(writer);
                element.put(writer);
            }
            Shape::Primitive(kind) => {
                2_u8.put(writer);
                kind.put(writer);
            }
        }
    }

    fn take(reader: &mut Reader<'_>) -> Option<Shape> {
        Some(match u8::take(reader)? {
            0 => Shape::Instance,
            1 => Shape::Array { component: ClassId::take(reader)?, element: Kind::take(reader)? },
            2 => Shape::Primitive(Kind::take(reader)?),
            _ => return None,
        })
    }
}

const REFERENCE_KINDS: [ReferenceKind; 5] = [
    ReferenceKind::None,
    ReferenceKind::Soft,
    ReferenceKind::Weak,
    ReferenceKind::Phantom,
    ReferenceKind::Final,
];

impl Portable for ReferenceKind {
    fn put(&self, writer: &mut Writer<'_>) {
        (*self as u8).put(writer);
    }

    fn take(reader: &mut Reader<'_>) -> Option<ReferenceKind> {
        REFERENCE_KINDS.get(usize::from(u8::take(reader)?)).copied()
    }
}

impl Portable for Class {
    fn put(&self, writer: &mut Writer<'_>) {
        let Class {
            id,
            name,
            flags,
            shape,
            super_class,
            interfaces,
            supers,
            all_interfaces,
            loader,
            file: _,
            fields,
            methods,
            vtable,
            conflicts,
            instance_size,
            fields_end,
            ref_offsets,
            statics_size,
            static_ref_offsets,
            reference_kind,
            has_finalizer,
            hidden,
            nest_host,
            package,
            is_spun,
        } = self;
        id.put(writer);
        name.put(writer);
        flags.put(writer);
        shape.put(writer);
        super_class.put(writer);
        interfaces.put(writer);
        supers.put(writer);
        all_interfaces.put(writer);
        loader.put(writer);
        put_file(self, writer);
        fields.put(writer);
        methods.put(writer);
        vtable.put(writer);
        conflicts.put(writer);
        instance_size.put(writer);
        fields_end.put(writer);
        ref_offsets.put(writer);
        statics_size.put(writer);
        static_ref_offsets.put(writer);
        reference_kind.put(writer);
        has_finalizer.put(writer);
        hidden.put(writer);
        nest_host.put(writer);
        package.put(writer);
        is_spun.put(writer);
    }

    fn take(reader: &mut Reader<'_>) -> Option<Class> {
        let id = Portable::take(reader)?;
        let name = Portable::take(reader)?;
        Some(Class {
            id,
            name,
            flags: Portable::take(reader)?,
            shape: Portable::take(reader)?,
            super_class: Portable::take(reader)?,
            interfaces: Portable::take(reader)?,
            supers: Portable::take(reader)?,
            all_interfaces: Portable::take(reader)?,
            loader: Portable::take(reader)?,
            file: match u8::take(reader)? {
                0 => FileSource::none(),
                1 => FileSource::library(reader.library.clone(), name),
                2 => FileSource::bytes(ClassBytes::from_vec(reader.raw()?.to_vec())),
                _ => return None,
            },
            fields: Portable::take(reader)?,
            methods: Portable::take(reader)?,
            vtable: Portable::take(reader)?,
            conflicts: Portable::take(reader)?,
            instance_size: Portable::take(reader)?,
            fields_end: Portable::take(reader)?,
            ref_offsets: Portable::take(reader)?,
            statics_size: Portable::take(reader)?,
            static_ref_offsets: Portable::take(reader)?,
            reference_kind: Portable::take(reader)?,
            has_finalizer: Portable::take(reader)?,
            hidden: Portable::take(reader)?,
            nest_host: Portable::take(reader)?,
            package: Portable::take(reader)?,
            is_spun: Portable::take(reader)?,
        })
    }
}

/// Class files of the library are found there again; others are copied.
fn put_file(class: &Class, writer: &mut Writer<'_>) {
    let Some(file) = class.file() else { return 0_u8.put(writer) };
    let bytes: &[u8] = file.bytes();
    let library = writer.library.find_class(class.name.as_bytes());
    if library.is_some_and(|(_, known)| *known == *bytes) {
        return 1_u8.put(writer);
    }
    2_u8.put(writer);
    writer.raw(bytes);
}
