//! The `Code` attribute with its own attributes (JVMS §4.7.3): everything but the instructions.

use rustc_hash::FxHashSet;

use super::{Context, Result, attribute, check_table, fail, once};
use crate::Span;
use crate::class_file::{Code, ExceptionEntry};
use crate::constant_pool::Constant;
use crate::descriptor::FieldType;
use crate::names;
use crate::reader::Reader;

pub(super) fn read(context: &Context<'_>, span: Span, arg_slots: usize) -> Result<Code> {
    let mut reader = Reader::over(context.bytes, span);
    let at = reader.pos();
    // Class files of versions 45.0 to 45.2 had smaller fields here.
    let (max_stack, max_locals, code_len) = if context.major == 45 && context.minor <= 2 {
        (u16::from(reader.u1()?), u16::from(reader.u1()?), u32::from(reader.u2()?))
    } else {
        (reader.u2()?, reader.u2()?, reader.u4()?)
    };
    if usize::from(max_locals) < arg_slots {
        return fail(at, "Arguments can't fit into locals");
    }
    if code_len == 0 || 65_535 < code_len {
        return fail(at, format!("Invalid method Code length {code_len}"));
    }
    let code = reader.span(code_len as usize)?;
    let exception_table = exception_table(context, &mut reader, code_len)?;

    let mut line_numbers = Vec::new();
    let mut local_variables = Vec::new();
    let mut variable_types = Vec::new();
    let mut variables = FxHashSet::default();
    let mut stack_map = None;
    for _ in 0..reader.u2()? {
        let (name, span) = attribute(context, &mut reader)?;
        match name {
            b"LineNumberTable" => {
                check_line_numbers(context, span, code_len)?;
                line_numbers.push(span);
            }
            b"LocalVariableTable" => {
                let known = &mut variables;
                check_local_variables(context, known, span, code_len, max_locals)?;
                local_variables.push(span);
            }
            b"LocalVariableTypeTable" if 49 <= context.major => variable_types.push(span),
            b"StackMapTable" if 50 <= context.major => once(&mut stack_map, span, name, span)?,
            _ => {}
        }
    }
    if !reader.is_at_end() {
        return fail(reader.pos(), "Code attribute has wrong length");
    }
    if local_variables.is_empty() {
        // Without variables nobody looks at their generic types.
        variable_types.clear();
    }
    for span in variable_types {
        check_local_variable_types(context, &variables, span, code_len, max_locals)?;
    }
    Ok(Code {
        max_stack,
        max_locals,
        code,
        exception_table,
        line_numbers: line_numbers.into(),
        stack_map,
        local_variables: local_variables.into(),
    })
}

fn exception_table(
    context: &Context<'_>,
    reader: &mut Reader<'_>,
    code_len: u32,
) -> Result<Box<[ExceptionEntry]>> {
    let n_handlers = usize::from(reader.u2()?);
    let mut handlers = Vec::with_capacity(n_handlers.min(reader.remaining() / 8));
    for _ in 0..n_handlers {
        let at = reader.pos();
        let start_pc = reader.u2()?;
        let end_pc = reader.u2()?;
        let handler_pc = reader.u2()?;
        let catch_type = reader.u2()?;
        if end_pc <= start_pc || code_len < u32::from(end_pc) || code_len <= u32::from(handler_pc) {
            return fail(at, "Invalid exception range or handler in exception table");
        }
        if catch_type != 0 && !matches!(context.pool.get(catch_type), Some(Constant::Class { .. }))
        {
            return fail(
                at,
                format!(
                    "Catch type in exception table has bad constant type at index {catch_type}"
                ),
            );
        }
        handlers.push(ExceptionEntry { start_pc, end_pc, handler_pc, catch_type });
    }
    Ok(handlers.into())
}

fn check_line_numbers(context: &Context<'_>, span: Span, code_len: u32) -> Result<()> {
    check_table(context, span, 4, "LineNumberTable")?;
    let entries = context.bytes.get(span.range()).and_then(|content| content.get(2..));
    for entry in entries.unwrap_or_default().chunks_exact(4) {
        let start_pc = u16::from_be_bytes([entry[0], entry[1]]);
        if code_len <= u32::from(start_pc) {
            return fail(span.start as usize, "Invalid pc in LineNumberTable");
        }
    }
    Ok(())
}

/// What tells local variables apart: start, length, name and slot.
type Variable = (u16, u16, u16, u16);

fn check_local_variables(
    context: &Context<'_>,
    known: &mut FxHashSet<Variable>,
    span: Span,
    code_len: u32,
    max_locals: u16,
) -> Result<()> {
    const TABLE: &str = "LocalVariableTable";
    check_table(context, span, 10, TABLE)?;
    let mut reader = Reader::over(context.bytes, span);
    for _ in 0..reader.u2()? {
        let at = reader.pos();
        let (variable, descriptor) = variable(context, &mut reader, code_len, TABLE)?;
        let field_type = context.pool.try_utf8(descriptor).and_then(FieldType::parse);
        let Some(field_type) = field_type else {
            return fail(at, format!("Signature index {descriptor} in {TABLE} is bad"));
        };
        let slot = variable.3;
        if usize::from(max_locals) < usize::from(slot) + field_type.slots() {
            return fail(at, format!("Invalid index {slot} in {TABLE}"));
        }
        if !known.insert(variable) {
            return fail(at, format!("Duplicated {TABLE} attribute entry"));
        }
    }
    Ok(())
}

/// Generic types of variables, each of which must also stand in a `LocalVariableTable`.
fn check_local_variable_types(
    context: &Context<'_>,
    known: &FxHashSet<Variable>,
    span: Span,
    code_len: u32,
    max_locals: u16,
) -> Result<()> {
    const TABLE: &str = "LocalVariableTypeTable";
    check_table(context, span, 10, TABLE)?;
    let mut reader = Reader::over(context.bytes, span);
    for _ in 0..reader.u2()? {
        let at = reader.pos();
        let (variable, signature) = variable(context, &mut reader, code_len, TABLE)?;
        if context.pool.try_utf8(signature).is_none() {
            return fail(at, format!("Signature index {signature} in {TABLE} is bad"));
        }
        if max_locals <= variable.3 {
            return fail(at, format!("Invalid index {} in {TABLE}", variable.3));
        }
        if !known.contains(&variable) {
            return fail(at, format!("{TABLE} entry does not match any LocalVariableTable entry"));
        }
    }
    Ok(())
}

/// One entry of either table, and its descriptor or signature.
fn variable(
    context: &Context<'_>,
    reader: &mut Reader<'_>,
    code_len: u32,
    table: &str,
) -> Result<(Variable, u16)> {
    let at = reader.pos();
    let (start_pc, len, name) = (reader.u2()?, reader.u2()?, reader.u2()?);
    let (signature, slot) = (reader.u2()?, reader.u2()?);
    if code_len <= u32::from(start_pc) {
        return fail(at, format!("Invalid start_pc {start_pc} in {table}"));
    }
    if code_len < u32::from(start_pc) + u32::from(len) {
        return fail(at, format!("Invalid length {len} in {table}"));
    }
    if !context.pool.try_utf8(name).is_some_and(names::is_unqualified_name) {
        return fail(at, format!("Name index {name} in {table} is bad"));
    }
    Ok(((start_pc, len, name, slot), signature))
}
