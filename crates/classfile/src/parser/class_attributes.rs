//! The attributes of the class itself (JVMS §4.7).

use rustc_hash::FxHashSet;

use super::{
    Context, Result, attribute, check_table, class_table, fail, flags, once, single_index,
    utf8_index,
};
use crate::Span;
use crate::class_file::{BootstrapMethod, ClassAttributes, RecordComponent};
use crate::constant_pool::Constant;
use crate::descriptor::FieldType;
use crate::names;
use crate::reader::Reader;

pub(super) fn read(
    context: &Context<'_>,
    reader: &mut Reader<'_>,
    this_class: u16,
) -> Result<ClassAttributes> {
    let mut found = ClassAttributes::default();
    let mut source_file = None;
    let mut signature = None;
    let mut nest_host = None;
    let mut bootstrap_methods = None;
    let major = context.major;
    for _ in 0..reader.u2()? {
        let (name, span) = attribute(context, reader)?;
        match name {
            b"SourceFile" => {
                once(&mut source_file, utf8_index(context, span, "SourceFile")?, name, span)?;
            }
            b"SourceDebugExtension" => {
                once(&mut found.source_debug_extension, span, name, span)?;
            }
            b"InnerClasses" => {
                check_inner_classes(context, span)?;
                once(&mut found.inner_classes, span, name, span)?;
            }
            b"Synthetic" => {}
            b"Signature" if 49 <= major => {
                once(&mut signature, utf8_index(context, span, "Signature")?, name, span)?;
            }
            b"EnclosingMethod" if 49 <= major => {
                once(&mut found.enclosing_method, enclosing_method(context, span)?, name, span)?;
            }
            // No JVM looks at it, so that a second one is no mistake either.
            b"RuntimeInvisibleAnnotations" => {
                found.invisible_annotations.get_or_insert(span);
            }
            b"RuntimeVisibleAnnotations" if 49 <= major => {
                once(&mut found.annotations, span, name, span)?;
            }
            b"RuntimeVisibleTypeAnnotations" if 49 <= major => {
                once(&mut found.type_annotations, span, name, span)?;
            }
            b"BootstrapMethods" if 51 <= major => {
                once(&mut bootstrap_methods, self::bootstrap_methods(context, span)?, name, span)?;
            }
            b"NestHost" if 55 <= major => {
                let idx = single_index(context, span, "NestHost")?;
                if !is_class(context, idx) {
                    return fail(
                        span.start as usize,
                        format!("Nest-host class_info_index {idx} has bad constant type"),
                    );
                }
                once(&mut nest_host, idx, name, span)?;
            }
            b"NestMembers" if 55 <= major => {
                class_table(context, span, "NestMembers")?;
                once(&mut found.nest_members, span, name, span)?;
            }
            b"Record" if 60 <= major => {
                once(&mut found.record, record(context, span)?, name, span)?;
            }
            b"PermittedSubclasses" if 61 <= major => {
                class_table(context, span, "PermittedSubclasses")?;
                once(&mut found.permitted_subclasses, span, name, span)?;
            }
            b"Module" if 53 <= major => once(&mut found.module, span, name, span)?,
            _ => {}
        }
    }
    if nest_host.is_some() && found.nest_members.is_some() {
        return fail(reader.pos(), "Conflicting NestHost and NestMembers attributes");
    }
    if nest_host == Some(this_class) {
        // A host that names itself is simply its own host.
        nest_host = None;
    }
    found.source_file = source_file.unwrap_or_default();
    found.signature = signature.unwrap_or_default();
    found.nest_host = nest_host.unwrap_or_default();
    found.bootstrap_methods = bootstrap_methods.unwrap_or_default();
    check_bootstrap_indices(context, found.bootstrap_methods.len())?;
    Ok(found)
}

fn is_class(context: &Context<'_>, idx: u16) -> bool {
    matches!(context.pool.get(idx), Some(Constant::Class { .. }))
}

fn check_inner_classes(context: &Context<'_>, span: Span) -> Result<()> {
    check_table(context, span, 8, "InnerClasses")?;
    let mut reader = Reader::over(context.bytes, span);
    let mut seen = FxHashSet::default();
    for _ in 0..reader.u2()? {
        let at = reader.pos();
        let inner = reader.u2()?;
        let outer = reader.u2()?;
        let name = reader.u2()?;
        let declared = reader.u2()?;
        flags::check_inner_class_flags(declared, context.major, at)?;
        if !is_class(context, inner) {
            return fail(at, format!("inner_class_info_index {inner} has bad constant type"));
        }
        if outer != 0 && !is_class(context, outer) {
            return fail(at, format!("outer_class_info_index {outer} has bad constant type"));
        }
        if context.pool.class_name(outer).starts_with(b"[") {
            return fail(at, "Outer class is an array class");
        }
        if name != 0 && context.pool.try_utf8(name).is_none() {
            return fail(at, format!("inner_name_index {name} has bad constant type"));
        }
        if inner == outer {
            return fail(at, "Class is both outer and inner class");
        }
        if !seen.insert((inner, outer, name, declared)) && 49 <= context.major {
            return fail(at, "Duplicate entry in InnerClasses attribute");
        }
    }
    Ok(())
}

fn enclosing_method(context: &Context<'_>, span: Span) -> Result<(u16, u16)> {
    if span.len != 4 {
        return fail(span.start as usize, "Wrong EnclosingMethod attribute length");
    }
    let mut reader = Reader::over(context.bytes, span);
    let class = reader.u2()?;
    let method = reader.u2()?;
    if !is_class(context, class) {
        return fail(
            span.start as usize,
            format!("Invalid or out-of-bounds class index {class} in EnclosingMethod attribute"),
        );
    }
    if method != 0 && !matches!(context.pool.get(method), Some(Constant::NameAndType { .. })) {
        return fail(
            span.start as usize,
            format!("Invalid or out-of-bounds method index {method} in EnclosingMethod attribute"),
        );
    }
    Ok((class, method))
}

fn bootstrap_methods(context: &Context<'_>, span: Span) -> Result<Box<[BootstrapMethod]>> {
    let mut reader = Reader::over(context.bytes, span);
    let n_methods = usize::from(reader.u2()?);
    let mut methods = Vec::with_capacity(n_methods.min(reader.remaining() / 4));
    for _ in 0..n_methods {
        let at = reader.pos();
        let method_ref = reader.u2()?;
        if !matches!(context.pool.get(method_ref), Some(Constant::MethodHandle { .. })) {
            return fail(at, format!("bootstrap_method_index {method_ref} has bad constant type"));
        }
        let n_arguments = usize::from(reader.u2()?);
        let mut arguments = Vec::with_capacity(n_arguments.min(reader.remaining() / 2));
        for _ in 0..n_arguments {
            let argument = reader.u2()?;
            if !context.pool.get(argument).is_some_and(Constant::is_loadable) {
                return fail(at, format!("argument_index {argument} has bad constant type"));
            }
            arguments.push(argument);
        }
        methods.push(BootstrapMethod { method_ref, arguments: arguments.into() });
    }
    if !reader.is_at_end() {
        return fail(reader.pos(), "Bad length on BootstrapMethods");
    }
    Ok(methods.into())
}

/// Dynamic constants and call sites name a bootstrap method that must exist.
fn check_bootstrap_indices(context: &Context<'_>, n_methods: usize) -> Result<()> {
    for &constant in context.pool.entries() {
        if let Constant::Dynamic { bootstrap, .. } | Constant::InvokeDynamic { bootstrap, .. } =
            constant
            && n_methods <= usize::from(bootstrap)
        {
            return fail(0, format!("Missing BootstrapMethods attribute entry {bootstrap}"));
        }
    }
    Ok(())
}

fn record(context: &Context<'_>, span: Span) -> Result<Box<[RecordComponent]>> {
    let mut reader = Reader::over(context.bytes, span);
    let n_components = usize::from(reader.u2()?);
    let mut components = Vec::with_capacity(n_components.min(reader.remaining() / 6));
    for _ in 0..n_components {
        let at = reader.pos();
        let name = reader.u2()?;
        let descriptor = reader.u2()?;
        if !context.pool.try_utf8(name).is_some_and(names::is_unqualified_name) {
            return fail(at, format!("Invalid name index {name} in Record attribute"));
        }
        if context.pool.try_utf8(descriptor).and_then(FieldType::parse).is_none() {
            return fail(at, format!("Invalid descriptor index {descriptor} in Record attribute"));
        }
        let mut signature = None;
        let mut annotations = None;
        let mut type_annotations = None;
        for _ in 0..reader.u2()? {
            let (name, span) = attribute(context, &mut reader)?;
            match name {
                b"Signature" => {
                    once(&mut signature, utf8_index(context, span, "Signature")?, name, span)?;
                }
                b"RuntimeVisibleAnnotations" => once(&mut annotations, span, name, span)?,
                b"RuntimeVisibleTypeAnnotations" => once(&mut type_annotations, span, name, span)?,
                _ => {}
            }
        }
        let signature = signature.unwrap_or_default();
        components.push(RecordComponent {
            name,
            descriptor,
            signature,
            annotations,
            type_annotations,
        });
    }
    if !reader.is_at_end() {
        return fail(reader.pos(), "Record attribute has wrong length");
    }
    Ok(components.into())
}
