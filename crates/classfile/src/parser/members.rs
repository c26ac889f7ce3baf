//! Fields and methods with their attributes (JVMS §4.5, §4.6).

use rustc_hash::FxHashSet;

use super::{Context, Result, attribute, class_table, code, fail, flags, once, utf8_index};
use crate::class_file::{FieldInfo, MethodInfo};
use crate::constant_pool::Constant;
use crate::descriptor::{FieldType, MethodDescriptor};
use crate::reader::Reader;
use crate::{Span, access, mutf8, names};

pub(super) fn fields(context: &Context<'_>, reader: &mut Reader<'_>) -> Result<Box<[FieldInfo]>> {
    let n_fields = usize::from(reader.u2()?);
    let mut fields = Vec::with_capacity(n_fields.min(reader.remaining() / 8));
    let mut seen = FxHashSet::default();
    for _ in 0..n_fields {
        let at = reader.pos();
        let field = field(context, reader)?;
        let key = (context.pool.utf8(field.name), context.pool.utf8(field.descriptor));
        if 1 < n_fields && !seen.insert(key) {
            return fail(at, format!("Duplicate field name \"{}\"", mutf8::display(key.0)));
        }
        fields.push(field);
    }
    Ok(fields.into())
}

pub(super) fn methods(context: &Context<'_>, reader: &mut Reader<'_>) -> Result<Box<[MethodInfo]>> {
    let n_methods = usize::from(reader.u2()?);
    let mut methods = Vec::with_capacity(n_methods.min(reader.remaining() / 8));
    let mut seen = FxHashSet::default();
    for _ in 0..n_methods {
        let at = reader.pos();
        let method = method(context, reader)?;
        let key = (context.pool.utf8(method.name), context.pool.utf8(method.descriptor));
        if 1 < n_methods && !seen.insert(key) {
            return fail(
                at,
                format!(
                    "Duplicate method name \"{}\" with signature \"{}\"",
                    mutf8::display(key.0),
                    mutf8::display(key.1)
                ),
            );
        }
        methods.push(method);
    }
    Ok(methods.into())
}

fn field(context: &Context<'_>, reader: &mut Reader<'_>) -> Result<FieldInfo> {
    let at = reader.pos();
    let declared = reader.u2()?;
    let name_idx = reader.u2()?;
    let name = match context.pool.try_utf8(name_idx) {
        Some(name) if names::is_unqualified_name(name) => name,
        Some(name) => {
            return fail(at, format!("Illegal field name \"{}\"", mutf8::display(name)));
        }
        None => return fail(at, format!("Invalid constant pool index {name_idx} for field name")),
    };
    let descriptor_idx = reader.u2()?;
    let field_type = context.pool.try_utf8(descriptor_idx).and_then(FieldType::parse);
    let Some(field_type) = field_type else {
        return fail(at, format!("Field \"{}\" has illegal signature", mutf8::display(name)));
    };
    let mut access_flags = flags::field_flags(context, declared, name, at)?;

    let mut constant_value = None;
    let mut signature = None;
    let mut annotations = None;
    let mut type_annotations = None;
    for _ in 0..reader.u2()? {
        let (name, span) = attribute(context, reader)?;
        match name {
            b"ConstantValue" if access_flags & access::STATIC != 0 => {
                let idx = super::single_index(context, span, "ConstantValue")?;
                if !is_constant_of(context, idx, field_type) {
                    return fail(span.start as usize, "Inconsistent constant value type");
                }
                once(&mut constant_value, idx, name, span)?;
            }
            b"Synthetic" => access_flags |= access::SYNTHETIC,
            b"Signature" if 49 <= context.major => {
                once(&mut signature, utf8_index(context, span, "Signature")?, name, span)?;
            }
            b"RuntimeVisibleAnnotations" if 49 <= context.major => {
                once(&mut annotations, span, name, span)?;
            }
            b"RuntimeVisibleTypeAnnotations" if 49 <= context.major => {
                once(&mut type_annotations, span, name, span)?;
            }
            _ => {}
        }
    }
    Ok(FieldInfo {
        access_flags,
        name: name_idx,
        descriptor: descriptor_idx,
        constant_value: constant_value.unwrap_or_default(),
        signature: signature.unwrap_or_default(),
        annotations,
        type_annotations,
    })
}

/// JVMS table 4.7.2-A.
fn is_constant_of(context: &Context<'_>, idx: u16, field_type: FieldType<'_>) -> bool {
    let Some(constant) = context.pool.get(idx) else { return false };
    match constant {
        Constant::Integer(_) => matches!(
            field_type,
            FieldType::Int
                | FieldType::Short
                | FieldType::Char
                | FieldType::Byte
                | FieldType::Boolean
        ),
        Constant::Float(_) => field_type == FieldType::Float,
        Constant::Long(_) => field_type == FieldType::Long,
        Constant::Double(_) => field_type == FieldType::Double,
        Constant::String { .. } => field_type == FieldType::Object(b"java/lang/String"),
        _ => false,
    }
}

fn method(context: &Context<'_>, reader: &mut Reader<'_>) -> Result<MethodInfo> {
    let at = reader.pos();
    let declared = reader.u2()?;
    let name_idx = reader.u2()?;
    let descriptor_idx = reader.u2()?;
    let Some(name) = context.pool.try_utf8(name_idx) else {
        return fail(at, format!("Invalid constant pool index {name_idx} for method name"));
    };
    let Some(descriptor) = context.pool.try_utf8(descriptor_idx) else {
        return fail(
            at,
            format!("Invalid constant pool index {descriptor_idx} for method signature"),
        );
    };
    let mut access_flags = flags::method_flags(context, declared, name, at)?;
    let arg_slots = check_name_and_descriptor(context, name, descriptor, access_flags, at)?;

    let mut attributes = MethodAttributes::default();
    for _ in 0..reader.u2()? {
        let (attribute_name, span) = attribute(context, reader)?;
        match attribute_name {
            b"Code" => {
                if access_flags & (access::NATIVE | access::ABSTRACT) != 0 {
                    return fail(
                        span.start as usize,
                        "Code attribute in native or abstract methods",
                    );
                }
                let body = code::read(context, span, arg_slots)?;
                once(&mut attributes.code, body, attribute_name, span)?;
            }
            b"Synthetic" => access_flags |= access::SYNTHETIC,
            _ => attributes.note(context, attribute_name, span)?,
        }
    }
    if attributes.code.is_none() && access_flags & (access::NATIVE | access::ABSTRACT) == 0 {
        return fail(at, "Absent Code attribute in method that is not native or abstract");
    }
    Ok(MethodInfo {
        access_flags,
        name: name_idx,
        descriptor: descriptor_idx,
        code: attributes.code,
        exceptions: attributes.exceptions.unwrap_or_default(),
        signature: attributes.signature.unwrap_or_default(),
        annotations: attributes.annotations,
        invisible_annotations: attributes.invisible_annotations,
        parameter_annotations: attributes.parameter_annotations,
        annotation_default: attributes.annotation_default,
        type_annotations: attributes.type_annotations,
        method_parameters: attributes.method_parameters,
    })
}

/// Checks a method's name and descriptor; gives the words its arguments take, receiver included.
fn check_name_and_descriptor(
    context: &Context<'_>,
    name: &[u8],
    descriptor: &[u8],
    access_flags: u16,
    at: usize,
) -> Result<usize> {
    if !names::is_method_name(name) {
        return fail(at, format!("Illegal method name \"{}\"", mutf8::display(name)));
    }
    let illegal_signature = || {
        fail(
            at,
            format!(
                "Method \"{}\" has illegal signature \"{}\"",
                mutf8::display(name),
                mutf8::display(descriptor)
            ),
        )
    };
    let Some(parsed) = MethodDescriptor::parse(descriptor) else { return illegal_signature() };
    match name {
        b"<init>" if context.is_interface => {
            return fail(at, "Interface cannot have a constructor");
        }
        b"<init>" if parsed.return_type().is_some() => return illegal_signature(),
        b"<clinit>" if 51 <= context.major && descriptor != b"()V" => return illegal_signature(),
        _ => {}
    }
    let receiver = usize::from(access_flags & access::STATIC == 0);
    let arg_slots = receiver + parsed.arg_slots();
    if 255 < arg_slots {
        return fail(at, "Too many arguments in method signature");
    }
    Ok(arg_slots)
}

#[derive(Default)]
struct MethodAttributes {
    code: Option<crate::Code>,
    exceptions: Option<Box<[u16]>>,
    signature: Option<u16>,
    annotations: Option<Span>,
    invisible_annotations: Option<Span>,
    parameter_annotations: Option<Span>,
    annotation_default: Option<Span>,
    type_annotations: Option<Span>,
    method_parameters: Option<Span>,
}

impl MethodAttributes {
    fn note(&mut self, context: &Context<'_>, name: &[u8], span: Span) -> Result<()> {
        match name {
            b"Exceptions" => {
                once(&mut self.exceptions, class_table(context, span, "Exceptions")?, name, span)
            }
            b"MethodParameters" => {
                check_method_parameters(context, span)?;
                once(&mut self.method_parameters, span, name, span)
            }
            _ if context.major < 49 => Ok(()),
            b"Signature" => {
                once(&mut self.signature, utf8_index(context, span, "Signature")?, name, span)
            }
            b"RuntimeVisibleAnnotations" => once(&mut self.annotations, span, name, span),
            // No JVM looks at it, so that a second one is no mistake either.
            b"RuntimeInvisibleAnnotations" => {
                self.invisible_annotations.get_or_insert(span);
                Ok(())
            }
            b"RuntimeVisibleParameterAnnotations" => {
                once(&mut self.parameter_annotations, span, name, span)
            }
            b"AnnotationDefault" => once(&mut self.annotation_default, span, name, span),
            b"RuntimeVisibleTypeAnnotations" => once(&mut self.type_annotations, span, name, span),
            _ => Ok(()),
        }
    }
}

fn check_method_parameters(context: &Context<'_>, span: Span) -> Result<()> {
    let mut reader = Reader::over(context.bytes, span);
    let n_params = usize::from(reader.u1()?);
    if reader.remaining() != n_params * 4 {
        return fail(span.start as usize, "Invalid MethodParameters method attribute length");
    }
    // Wrong names are reported by reflection, when it is asked for them (JVMS §4.7.24).
    Ok(())
}
