//! Replaces arithmetic operators: `+` by `-`, `*` by `/`, `%` by `*`, shifts by shifts the other way,
//! `&` by `|`, `^` by `&`.

use super::Change;
use super::body::{Body, Number};
use super::opcode::IADD;

/// By group of four opcodes from `iadd` on: the operator, the one that replaces it, and its group.
const REPLACEMENTS: [(&str, &str, u8); 5] =
    [("+", "-", 1), ("-", "+", 0), ("*", "/", 3), ("/", "*", 2), ("%", "*", 2)];

/// By pair of opcodes from `ishl` on, likewise.
const BIT_REPLACEMENTS: [(&str, &str, u8); 6] = [
    ("<<", ">>", 1),
    (">>", "<<", 0),
    (">>>", "<<", 0),
    ("&", "|", 4),
    ("|", "&", 3),
    ("^", "&", 3),
];

const INEG: u8 = 116;
const ISHL: u8 = 120;

pub(super) fn find(found: &mut Vec<Change>, body: &Body<'_>, idx: usize) {
    let opcode = body.opcode(idx);
    let (old, new, replacement) = match opcode {
        IADD..INEG => {
            let (old, new, group) = REPLACEMENTS[usize::from((opcode - IADD) / 4)];
            (old, new, IADD + group * 4 + (opcode - IADD) % 4)
        }
        ISHL..=131 => {
            let (old, new, pair) = BIT_REPLACEMENTS[usize::from((opcode - ISHL) / 2)];
            (old, new, ISHL + pair * 2 + (opcode - ISHL) % 2)
        }
        _ => return,
    };
    let operand = body.before(idx).and_then(|before| body.number(before));
    if operand.is_some_and(|operand| is_neutral(old, new, operand)) {
        return;
    }
    let text = format!("replaced `{old}` with `{new}`");
    found.push(Change { text, code: vec![replacement], extra_stack: 0 });
}

/// Whether both operators do the same with this second operand.
fn is_neutral(old: &str, new: &str, operand: Number) -> bool {
    let value = match operand {
        Number::Int(value) => f64::from(value),
        Number::Float(value) => f64::from(value),
        Number::Double(value) => value,
        Number::Long(0) => 0.0,
        Number::Long(1) => 1.0,
        Number::Long(-1) => -1.0,
        Number::Long(_) => return false,
    };
    match (old, new) {
        ("+" | "-" | "<<" | ">>" | ">>>", _) => value == 0.0,
        ("*" | "/", "*" | "/") => value == 1.0 || value == -1.0,
        _ => false,
    }
}
