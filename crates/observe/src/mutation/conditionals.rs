//! Negates conditions: `if (a < b)` becomes `if (a >= b)`.

use classfile::instructions::Flow;

use super::Change;
use super::body::Body;
use super::opcode::{
    ARRAYLENGTH, DCMPG, DNEG, IADD, IF_ACMPNE, IF_ICMPEQ, IFEQ, IFNE, IFNONNULL, IFNULL, INEG,
    LCMP, LXOR,
};

pub(super) fn find(found: &mut Vec<Change>, body: &Body<'_>, idx: usize) {
    let Some(opposite) = opposite(body.opcode(idx)) else { return };
    let mut code = body.bytes_of(idx).to_vec();
    code[0] = opposite;
    let text = match symbols(body, idx) {
        Some((old, _)) if is_truth(body, idx) => {
            debug_assert!(matches!(old, "==" | "!="));
            "negated conditional".to_owned()
        }
        Some((old, new)) => format!("negated conditional `{old}` to `{new}`"),
        None => "negated conditional".to_owned(),
    };
    found.push(Change { text, code, extra_stack: 0 });
}

/// The conditional jump that jumps where the other does not.
fn opposite(opcode: u8) -> Option<u8> {
    match opcode {
        // Pairs lie side by side, beginning at an odd number and at an even one.
        IFEQ..=IF_ACMPNE => Some(((opcode - 1) ^ 1) + 1),
        IFNULL | IFNONNULL => Some(opcode ^ 1),
        _ => None,
    }
}

/// The comparison that the source has, as far as code tells, and its opposite.
fn symbols(body: &Body<'_>, idx: usize) -> Option<(&'static str, &'static str)> {
    let jump = symbol(body.opcode(idx))?;
    let stay = symbol(opposite(body.opcode(idx))?)?;
    Some(if jumps_if_false(body, idx) { (stay, jump) } else { (jump, stay) })
}

/// How the comparison is written that makes a conditional jump jump.
pub(super) fn symbol(opcode: u8) -> Option<&'static str> {
    const COMPARISONS: [&str; 6] = ["==", "!=", "<", ">=", ">", "<="];
    match opcode {
        IFEQ..IF_ICMPEQ => Some(COMPARISONS[usize::from(opcode - IFEQ)]),
        IF_ICMPEQ..=IF_ACMPNE => Some(COMPARISONS[usize::from(opcode - IF_ICMPEQ) % 6]),
        IFNULL => Some("== null"),
        IFNONNULL => Some("!= null"),
        _ => None,
    }
}

/// Whether a conditional jump skips what is to be done if the source's condition holds. Compilers jump
/// if it does not hold, but for all operands of `||` but the last, and at the end of a loop.
///
/// Where the instruction before the target is a conditional jump too, the target is where that one
/// goes on: the same outcome of the whole condition, or of a part of it, as that one's staying.
pub(super) fn jumps_if_false(body: &Body<'_>, idx: usize) -> bool {
    let instruction = &body.instructions[idx];
    let Flow::Branch(target) = instruction.flow else { return true };
    if target <= instruction.pc {
        return false;
    }
    let before_target = body.at(target).and_then(|at| at.checked_sub(1));
    match before_target {
        Some(before)
            if idx < before && matches!(body.instructions[before].flow, Flow::Branch(_)) =>
        {
            !jumps_if_false(body, before)
        }
        _ => true,
    }
}

/// Whether a comparison with zero seems to ask for the truth of a boolean.
fn is_truth(body: &Body<'_>, idx: usize) -> bool {
    if !matches!(body.opcode(idx), IFEQ | IFNE) {
        return false;
    }
    let Some(before) = body.before(idx) else { return true };
    if let Some((_, _, descriptor)) = body.member(before) {
        return descriptor.ends_with(b"Z");
    }
    !matches!(body.opcode(before), IADD..INEG | INEG..=DNEG | 120..=LXOR | LCMP..=DCMPG | ARRAYLENGTH)
}
