//! Changes numbers that the code holds, each to the next greater one; 1 and 0 change places.

use classfile::FieldType;

use super::Change;
use super::body::{Body, Number};
use super::opcode::{
    BIPUSH, DADD, DCONST_0, DCONST_1, FADD, FCONST_0, FCONST_1, FCONST_2, IADD, ICONST_0, ICONST_1,
    IRETURN, LADD, LCONST_0, LCONST_1, NOP, POP, POP2, SIPUSH,
};

pub(super) fn find(found: &mut Vec<Change>, body: &Body<'_>, idx: usize) {
    let Some(number) = body.number(idx) else { return };
    if is_left_to_returns(body, idx, number) {
        return;
    }
    let original = body.bytes_of(idx);
    // Computes the new value from the old one.
    let with = |push: u8, operation: u8| [original, &[push, operation]].concat();
    let (old, new, code, extra_stack) = match number {
        Number::Int(old) => {
            let new = if old == 1 { 0 } else { old.wrapping_add(1) };
            let (code, extra) = match int(new) {
                Some(code) => (code, 0),
                None => (with(ICONST_1, IADD), 1),
            };
            (old.to_string(), new.to_string(), code, extra)
        }
        Number::Long(old) => {
            let new = if old == 1 { 0 } else { old.wrapping_add(1) };
            let (code, extra) = match old {
                0 => (vec![LCONST_1], 0),
                1 => (vec![LCONST_0], 0),
                _ => (with(LCONST_1, LADD), 2),
            };
            (old.to_string(), new.to_string(), code, extra)
        }
        Number::Float(old) => {
            let (new, code, extra) = if old == 0.0 {
                (1.0, vec![FCONST_1], 0)
            } else if old == 1.0 {
                (0.0, vec![FCONST_0], 0)
            } else if old + 1.0 == old || old.is_nan() {
                (2.0, [original, &[POP, FCONST_2]].concat(), 0)
            } else {
                (old + 1.0, with(FCONST_1, FADD), 1)
            };
            (shown(f64::from(old)), shown(f64::from(new)), code, extra)
        }
        Number::Double(old) => {
            let (new, code, extra) = if old == 0.0 {
                (1.0, vec![DCONST_1], 0)
            } else if old == 1.0 {
                (0.0, vec![DCONST_0], 0)
            } else if old + 1.0 == old || old.is_nan() {
                (1.0, [original, &[POP2, DCONST_1]].concat(), 0)
            } else {
                (old + 1.0, with(DCONST_1, DADD), 2)
            };
            (shown(old), shown(new), code, extra)
        }
    };
    let mut code = code;
    while code.len() < original.len() {
        code.push(NOP);
    }
    found.push(Change { text: format!("changed constant {old} to {new}"), code, extra_stack });
}

/// The shortest instruction for an `int`, if there is one without a constant.
fn int(value: i32) -> Option<Vec<u8>> {
    if (-1..=5).contains(&value) {
        return u8::try_from(value + i32::from(ICONST_0)).ok().map(|opcode| vec![opcode]);
    }
    if let Ok(value) = i8::try_from(value) {
        return Some([[BIPUSH], value.to_be_bytes()].concat());
    }
    let [high, low] = i16::try_from(value).ok()?.to_be_bytes();
    Some(vec![SIPUSH, high, low])
}

/// Whether returning another value already is the same mutant: `return true`, `return 0`.
fn is_left_to_returns(body: &Body<'_>, idx: usize, number: Number) -> bool {
    let is_returned =
        matches!(body.opcode(idx + 1), IRETURN..=175) && body.before(idx + 1) == Some(idx);
    let is_zero = match number {
        Number::Int(value) => value == 0,
        Number::Long(value) => value == 0,
        Number::Float(value) => value == 0.0,
        Number::Double(value) => value == 0.0,
    };
    let is_one = matches!(number, Number::Int(1) | Number::Long(1))
        || matches!(number, Number::Float(value) if value == 1.0)
        || matches!(number, Number::Double(value) if value == 1.0);
    is_returned && (is_zero || is_one || body.returns == Some(FieldType::Boolean))
}

/// As Java writes a floating-point number, more or less.
fn shown(value: f64) -> String {
    format!("{value:?}")
}
