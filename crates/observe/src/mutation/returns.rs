//! Returns another value: `true` and `false`, 0 (or 1 where 0 is returned anyway), `null`.

use classfile::FieldType;

use super::Change;
use super::body::{Body, Number};
use super::opcode::{
    ACONST_NULL, ARETURN, DCONST_0, DRETURN, FCONST_0, FRETURN, ICONST_0, IRETURN, LCONST_0,
    LRETURN, POP, POP2,
};

pub(super) fn find(found: &mut Vec<Change>, body: &Body<'_>, idx: usize) {
    let opcode = body.opcode(idx);
    let before = body.before(idx);
    let known = before.and_then(|before| body.number(before));
    let mut replace = |shown: &str, pop: u8, push: u8| {
        let text = format!("replaced the returned value with {shown}");
        found.push(Change { text, code: vec![pop, push, opcode], extra_stack: 0 });
    };
    let is_zero = match known {
        Some(Number::Int(value)) => value == 0,
        Some(Number::Long(value)) => value == 0,
        Some(Number::Float(value)) => value == 0.0,
        Some(Number::Double(value)) => value == 0.0,
        None => false,
    };
    let (shown, one) = if is_zero { ("1", 1) } else { ("0", 0) };
    match (opcode, body.returns) {
        (IRETURN, Some(FieldType::Boolean)) => {
            for (shown, value) in [("false", 0), ("true", 1)] {
                if known != Some(Number::Int(i32::from(value))) {
                    replace(shown, POP, ICONST_0 + value);
                }
            }
        }
        (IRETURN, _) => replace(shown, POP, ICONST_0 + one),
        (LRETURN, _) => replace(shown, POP2, LCONST_0 + one),
        (FRETURN, _) => replace(shown, POP, FCONST_0 + one),
        (DRETURN, _) => replace(shown, POP2, DCONST_0 + one),
        (ARETURN, _) if before.map(|before| body.opcode(before)) != Some(ACONST_NULL) => {
            replace("null", POP, ACONST_NULL);
        }
        _ => {}
    }
}
