//! Reading the constant pool and checking that its entries fit each other (JVMS §4.4).

use super::{Result, fail};
use crate::constant_pool::{Constant, ConstantPool};
use crate::descriptor::{FieldType, MethodDescriptor, is_class_or_array_name};
use crate::reader::Reader;
use crate::{mutf8, names};

/// Reads the entries; only their own form is checked, not what they point at.
pub(super) fn read(reader: &mut Reader<'_>, major: u16) -> Result<Box<[Constant]>> {
    let at = reader.pos();
    let n_entries = usize::from(reader.u2()?);
    if n_entries == 0 {
        return fail(at, "Illegal constant pool size 0");
    }
    // The smallest entry has three bytes, so a lying count cannot make us allocate much.
    let mut entries = Vec::with_capacity(n_entries.min(reader.remaining() + 1));
    entries.push(Constant::Unusable);
    while entries.len() < n_entries {
        let at = reader.pos();
        let constant = read_one(reader, major, at)?;
        entries.push(constant);
        if matches!(constant, Constant::Long(_) | Constant::Double(_)) {
            if entries.len() == n_entries {
                return fail(
                    at,
                    "Invalid constant pool index for the second half of a long or double",
                );
            }
            entries.push(Constant::Unusable);
        }
    }
    Ok(entries.into())
}

fn read_one(reader: &mut Reader<'_>, major: u16, at: usize) -> Result<Constant> {
    let tag = reader.u1()?;
    let since = match tag {
        15 | 16 | 18 => 51,
        17 => 55,
        19 | 20 => 53,
        _ => 0,
    };
    if major < since {
        return fail(at, format!("Class file version does not support constant tag {tag}"));
    }
    Ok(match tag {
        1 => {
            let len = usize::from(reader.u2()?);
            let start = reader.pos();
            let text = reader.take(len)?;
            let valid = if major < 48 { mutf8::validate_old(text) } else { mutf8::validate(text) };
            if let Err(fault) = valid {
                return fail(start + fault, "Illegal UTF8 string in constant pool");
            }
            Constant::Utf8(crate::Span { start: start as u32, len: len as u32 })
        }
        3 => Constant::Integer(reader.u4()? as i32),
        4 => Constant::Float(reader.u4()?),
        5 => Constant::Long(read_u8(reader)? as i64),
        6 => Constant::Double(read_u8(reader)?),
        7 => Constant::Class { name: reader.u2()? },
        8 => Constant::String { utf8: reader.u2()? },
        9 => Constant::FieldRef { class: reader.u2()?, name_and_type: reader.u2()? },
        10 => Constant::MethodRef { class: reader.u2()?, name_and_type: reader.u2()? },
        11 => Constant::InterfaceMethodRef { class: reader.u2()?, name_and_type: reader.u2()? },
        12 => Constant::NameAndType { name: reader.u2()?, descriptor: reader.u2()? },
        15 => Constant::MethodHandle { kind: reader.u1()?, reference: reader.u2()? },
        16 => Constant::MethodType { descriptor: reader.u2()? },
        17 => Constant::Dynamic { bootstrap: reader.u2()?, name_and_type: reader.u2()? },
        18 => Constant::InvokeDynamic { bootstrap: reader.u2()?, name_and_type: reader.u2()? },
        19 => Constant::Module { name: reader.u2()? },
        20 => Constant::Package { name: reader.u2()? },
        _ => return fail(at, format!("Unknown constant tag {tag}")),
    })
}

fn read_u8(reader: &mut Reader<'_>) -> Result<u64> {
    Ok(u64::from(reader.u4()?) << 32 | u64::from(reader.u4()?))
}

/// What a `NameAndType` can be used for.
#[derive(Clone, Copy, PartialEq)]
enum MemberKind {
    /// Not a `NameAndType`, or one whose name or descriptor is illegal.
    Neither,
    Field,
    Method,
    /// `<init>` that returns nothing.
    Initializer,
    /// `<clinit>`, or `<init>` that returns something: no class method may be called so.
    Unreferable,
}

/// Checks that every entry points at entries of the kind it must, with legal names.
pub(super) fn check(pool: &ConstantPool, major: u16, is_module: bool) -> Result<()> {
    let members: Vec<MemberKind> =
        pool.entries().iter().map(|&entry| member_kind(pool, entry)).collect();
    let member = |idx: u16| members.get(usize::from(idx)).copied().unwrap_or(MemberKind::Neither);

    for (idx, &constant) in pool.entries().iter().enumerate() {
        let fits = match constant {
            Constant::Unusable
            | Constant::Utf8(_)
            | Constant::Integer(_)
            | Constant::Float(_)
            | Constant::Long(_)
            | Constant::Double(_) => true,
            Constant::Class { name } => pool.try_utf8(name).is_some_and(is_class_or_array_name),
            Constant::String { utf8 } => pool.try_utf8(utf8).is_some(),
            Constant::FieldRef { class, name_and_type } => {
                is_class(pool, class) && member(name_and_type) == MemberKind::Field
            }
            Constant::MethodRef { class, name_and_type } => {
                is_class(pool, class)
                    && matches!(member(name_and_type), MemberKind::Method | MemberKind::Initializer)
            }
            Constant::InterfaceMethodRef { class, name_and_type } => {
                // A reference to an initializer is refused where an instruction uses it.
                let kind = member(name_and_type);
                is_class(pool, class) && !matches!(kind, MemberKind::Neither | MemberKind::Field)
            }
            Constant::NameAndType { name, descriptor } => {
                // Files before version 51 may hold illegal pairs that nothing refers to.
                member(idx as u16) != MemberKind::Neither
                    || (major < 51
                        && pool.try_utf8(name).is_some()
                        && pool.try_utf8(descriptor).is_some())
            }
            Constant::MethodHandle { kind, reference } => {
                is_method_handle(pool, kind, reference, major, &member)
            }
            Constant::MethodType { descriptor } => pool
                .try_utf8(descriptor)
                .is_some_and(|text| MethodDescriptor::parse(text).is_some()),
            Constant::Dynamic { name_and_type, .. } => member(name_and_type) == MemberKind::Field,
            Constant::InvokeDynamic { name_and_type, .. } => {
                member(name_and_type) == MemberKind::Method
            }
            Constant::Module { name } => {
                is_module && pool.try_utf8(name).is_some_and(names::is_module_name)
            }
            Constant::Package { name } => {
                is_module && pool.try_utf8(name).is_some_and(names::is_class_name)
            }
        };
        if !fits {
            return fail(
                0,
                format!("Invalid constant pool entry {idx}: {}", describe(pool, constant)),
            );
        }
    }
    Ok(())
}

fn is_class(pool: &ConstantPool, idx: u16) -> bool {
    matches!(pool.get(idx), Some(Constant::Class { .. }))
}

fn member_kind(pool: &ConstantPool, constant: Constant) -> MemberKind {
    let Constant::NameAndType { name, descriptor } = constant else { return MemberKind::Neither };
    let (Some(name), Some(descriptor)) = (pool.try_utf8(name), pool.try_utf8(descriptor)) else {
        return MemberKind::Neither;
    };
    if descriptor.first() != Some(&b'(') {
        let legal = names::is_unqualified_name(name) && FieldType::parse(descriptor).is_some();
        return if legal { MemberKind::Field } else { MemberKind::Neither };
    }
    let Some(parsed) = MethodDescriptor::parse(descriptor) else { return MemberKind::Neither };
    if 255 < parsed.arg_slots() || !names::is_method_name(name) {
        return MemberKind::Neither;
    }
    match name {
        b"<init>" if parsed.return_type().is_none() => MemberKind::Initializer,
        b"<init>" | b"<clinit>" => MemberKind::Unreferable,
        _ => MemberKind::Method,
    }
}

/// JVMS §4.4.8.
fn is_method_handle(
    pool: &ConstantPool,
    kind: u8,
    reference: u16,
    major: u16,
    member: &impl Fn(u16) -> MemberKind,
) -> bool {
    match (kind, pool.get(reference)) {
        (1..=4, Some(Constant::FieldRef { .. })) => true,
        (5..=7, Some(Constant::MethodRef { name_and_type, .. })) => {
            member(name_and_type) == MemberKind::Method
        }
        (6 | 7, Some(Constant::InterfaceMethodRef { name_and_type, .. })) => {
            52 <= major && member(name_and_type) == MemberKind::Method
        }
        (8, Some(Constant::MethodRef { name_and_type, .. })) => {
            member(name_and_type) == MemberKind::Initializer
        }
        (9, Some(Constant::InterfaceMethodRef { name_and_type, .. })) => {
            member(name_and_type) == MemberKind::Method
        }
        _ => false,
    }
}

fn describe(pool: &ConstantPool, constant: Constant) -> String {
    let text = |idx: u16| match pool.try_utf8(idx) {
        Some(text) => format!("\"{}\"", mutf8::display(text)),
        None => format!("#{idx}"),
    };
    match constant {
        Constant::Class { name } => format!("Illegal class name {}", text(name)),
        Constant::NameAndType { name, descriptor } => {
            format!("Illegal name {} or signature {}", text(name), text(descriptor))
        }
        other => format!("{other:?} does not fit the entries it refers to"),
    }
}
