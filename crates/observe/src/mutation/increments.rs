//! Counts the other way: `i++` becomes `i--`, `i += 2` becomes `i -= 2`.

use super::Change;
use super::body::Body;
use super::opcode::{IINC, WIDE};

pub(super) fn find(found: &mut Vec<Change>, body: &Body<'_>, idx: usize) {
    if body.opcode(idx) != IINC {
        return;
    }
    let (old, new, code) = match *body.bytes_of(idx) {
        [IINC, local, by] => {
            let old = i8::from_be_bytes([by]);
            let Some(new) = old.checked_neg() else { return };
            let [by] = new.to_be_bytes();
            (i16::from(old), i16::from(new), vec![IINC, local, by])
        }
        [WIDE, IINC, local_high, local_low, high, low] => {
            let old = i16::from_be_bytes([high, low]);
            let Some(new) = old.checked_neg() else { return };
            let [high, low] = new.to_be_bytes();
            (old, new, vec![WIDE, IINC, local_high, local_low, high, low])
        }
        _ => return,
    };
    // Adding nothing is adding nothing either way.
    if old != 0 {
        let text = format!("changed increment {old} to {new}");
        found.push(Change { text, code, extra_stack: 0 });
    }
}
