//! Moves boundaries by one: `<` becomes `<=`, `>=` becomes `>`, and the other way round.

use super::Change;
use super::body::Body;
use super::conditionals::{jumps_if_false, symbol};

pub(super) fn find(found: &mut Vec<Change>, body: &Body<'_>, idx: usize) {
    let opcode = body.opcode(idx);
    let Some(moved) = moved(opcode) else { return };
    let (Some(old), Some(new)) = (symbol(opcode), symbol(moved)) else { return };
    let mut code = body.bytes_of(idx).to_vec();
    code[0] = moved;
    let (old, new) =
        if jumps_if_false(body, idx) { (negated(old), negated(new)) } else { (old, new) };
    let text = format!("changed conditional boundary `{old}` to `{new}`");
    found.push(Change { text, code, extra_stack: 0 });
}

/// The jump with the other boundary.
fn moved(opcode: u8) -> Option<u8> {
    Some(match opcode {
        // iflt and ifle, if_icmplt and if_icmple
        155 | 161 => opcode + 3,
        158 | 164 => opcode - 3,
        // ifge and ifgt, if_icmpge and if_icmpgt
        156 | 162 => opcode + 1,
        157 | 163 => opcode - 1,
        _ => return None,
    })
}

fn negated(symbol: &str) -> &'static str {
    match symbol {
        "<" => ">=",
        ">=" => "<",
        ">" => "<=",
        _ => ">",
    }
}
