//! Takes signs away, and puts them before returned numbers.

use classfile::FieldType;

use super::Change;
use super::body::Body;
use super::opcode::{DNEG, INEG, NOP};

pub(super) fn find(found: &mut Vec<Change>, body: &Body<'_>, idx: usize) {
    let opcode = body.opcode(idx);
    if matches!(opcode, INEG..=DNEG) {
        let text = "removed negation".to_owned();
        found.push(Change { text, code: vec![NOP], extra_stack: 0 });
        return;
    }
    // Of smaller types a negative may not fit.
    let negation = match (opcode, body.returns) {
        (172, Some(FieldType::Int)) => INEG,
        (173..=175, _) => INEG + (opcode - 172),
        _ => return,
    };
    // What is known here, `returns` and `constants` change; a sign that is there is removed above.
    let known = body.before(idx).is_some_and(|before| {
        body.number(before).is_some() || matches!(body.opcode(before), INEG..=DNEG)
    });
    if !known {
        let text = "negated the returned value".to_owned();
        found.push(Change { text, code: vec![negation, opcode], extra_stack: 0 });
    }
}
