//! Which combinations of access flags are legal (JVMS §4.1, §4.5, §4.6).

use super::{Context, Result, fail};
use crate::access::{
    ABSTRACT, ANNOTATION, BRIDGE, ENUM, FINAL, INTERFACE, MODULE, NATIVE, PRIVATE, PROTECTED,
    PUBLIC, STATIC, STRICT, SUPER, SYNCHRONIZED, SYNTHETIC, TRANSIENT, VARARGS, VOLATILE,
};

const CLASS_FLAGS: u16 =
    PUBLIC | FINAL | SUPER | INTERFACE | ABSTRACT | SYNTHETIC | ANNOTATION | ENUM;
const FIELD_FLAGS: u16 =
    PUBLIC | PRIVATE | PROTECTED | STATIC | FINAL | VOLATILE | TRANSIENT | SYNTHETIC | ENUM;
const METHOD_FLAGS: u16 = PUBLIC
    | PRIVATE
    | PROTECTED
    | STATIC
    | FINAL
    | SYNCHRONIZED
    | BRIDGE
    | VARARGS
    | NATIVE
    | ABSTRACT
    | STRICT
    | SYNTHETIC;

/// Java 5.
const SINCE_5: u16 = 49;

pub(super) fn class_flags(declared: u16, major: u16, at: usize) -> Result<u16> {
    if 53 <= major && declared & MODULE != 0 {
        // A module-info has no other flag but, from some compilers, `SYNTHETIC`.
        return if declared & !(MODULE | SYNTHETIC) == 0 {
            Ok(declared)
        } else {
            illegal("class", "module-info", declared, at)
        };
    }
    check_class_flags(declared, major, at)
}

/// The flags an inner class was declared with, which are checked like its own.
pub(super) fn check_inner_class_flags(declared: u16, major: u16, at: usize) -> Result<()> {
    if 53 <= major && declared & MODULE != 0 {
        return illegal("class", "", declared, at);
    }
    check_class_flags(declared, major, at).map(drop)
}

fn check_class_flags(declared: u16, major: u16, at: usize) -> Result<u16> {
    let mut flags = declared & CLASS_FLAGS;
    let has = |flag| declared & flag != 0;
    if has(INTERFACE) && major < 50 {
        // Old compilers left it out.
        flags |= ABSTRACT;
    }
    let is_interface = has(INTERFACE);
    let since_5 = SINCE_5 <= major;
    if (flags & ABSTRACT != 0 && has(FINAL))
        || (is_interface && flags & ABSTRACT == 0)
        || (is_interface && since_5 && (has(SUPER) || has(ENUM)))
        || (!is_interface && since_5 && has(ANNOTATION))
    {
        return illegal("class", "", declared, at);
    }
    Ok(flags)
}

pub(super) fn field_flags(
    context: &Context<'_>,
    declared: u16,
    name: &[u8],
    at: usize,
) -> Result<u16> {
    let flags = declared & FIELD_FLAGS;
    let has = |flag| flags & flag != 0;
    let is_illegal = if context.is_interface {
        flags & (PUBLIC | STATIC | FINAL) != PUBLIC | STATIC | FINAL
            || has(PRIVATE | PROTECTED | VOLATILE | TRANSIENT)
            || (SINCE_5 <= context.major && has(ENUM))
    } else {
        has_two_visibilities(flags) || flags & (FINAL | VOLATILE) == FINAL | VOLATILE
    };
    if is_illegal {
        return illegal("field", &crate::mutf8::display(name), declared, at);
    }
    Ok(flags)
}

pub(super) fn method_flags(
    context: &Context<'_>,
    declared: u16,
    name: &[u8],
    at: usize,
) -> Result<u16> {
    let flags = declared & METHOD_FLAGS;
    let major = context.major;
    if name == b"<clinit>" {
        // JVMS §4.6: of its flags only STATIC and STRICT count, and before version 51 it is the
        // class initialization method even without STATIC.
        if major < 51 {
            return Ok(STATIC);
        }
        if flags & STATIC == 0 {
            return fail(at, "Method <clinit> is not static");
        }
        return Ok(flags & (STATIC | STRICT));
    }
    let has = |flag| flags & flag != 0;
    let is_strict = has(STRICT) && (46..=60).contains(&major);
    let is_illegal = if context.is_interface {
        if 52 <= major {
            has(PUBLIC) == has(PRIVATE)
                || has(PROTECTED | FINAL | NATIVE | SYNCHRONIZED)
                || (has(ABSTRACT) && (has(PRIVATE | STATIC) || is_strict))
        } else if SINCE_5 <= major {
            !has(PUBLIC)
                || !has(ABSTRACT)
                || has(PRIVATE | PROTECTED | STATIC | FINAL | SYNCHRONIZED | NATIVE | STRICT)
        } else {
            !has(PUBLIC) || !has(ABSTRACT) || has(STATIC | FINAL | NATIVE)
        }
    } else if has_two_visibilities(flags) {
        true
    } else if name == b"<init>" {
        has(STATIC | FINAL | SYNCHRONIZED | NATIVE | ABSTRACT) || (SINCE_5 <= major && has(BRIDGE))
    } else {
        has(ABSTRACT)
            && (has(FINAL | NATIVE | PRIVATE | STATIC)
                || (SINCE_5 <= major && (has(SYNCHRONIZED) || is_strict)))
    };
    if is_illegal {
        return illegal("method", &crate::mutf8::display(name), declared, at);
    }
    Ok(flags)
}

fn has_two_visibilities(flags: u16) -> bool {
    1 < (flags & (PUBLIC | PRIVATE | PROTECTED)).count_ones()
}

fn illegal<T>(what: &str, name: &str, flags: u16, at: usize) -> Result<T> {
    let blank = if name.is_empty() { "" } else { " " };
    fail(at, format!("Illegal {what} modifiers{blank}{name}: 0x{flags:X}"))
}
