//! Leaves calls of methods without a result out; receiver and arguments are still computed.

use classfile::{MethodDescriptor, mutf8};

use super::Change;
use super::body::Body;
use super::opcode::{INVOKEINTERFACE, INVOKESTATIC, INVOKEVIRTUAL, NOP, POP, POP2};

pub(super) fn find(found: &mut Vec<Change>, body: &Body<'_>, idx: usize) {
    let opcode = body.opcode(idx);
    if !matches!(opcode, INVOKEVIRTUAL..=INVOKEINTERFACE) {
        return;
    }
    let Some((class, name, descriptor)) = body.member(idx) else { return };
    if name == b"<init>" || !descriptor.ends_with(b")V") {
        return;
    }
    let Some(descriptor) = MethodDescriptor::parse(descriptor) else { return };
    let slots: Vec<usize> = descriptor.params().map(|param| param.slots()).collect();
    let mut code: Vec<u8> =
        slots.iter().rev().map(|&n_slots| if n_slots == 2 { POP2 } else { POP }).collect();
    if opcode != INVOKESTATIC {
        code.push(POP);
    }
    while code.len() < body.bytes_of(idx).len() {
        code.push(NOP);
    }
    let class = mutf8::display(class).replace('/', ".");
    let simple = class.rsplit('.').next().unwrap_or(&class);
    let text = format!("removed call to `{simple}.{}`", mutf8::display(name));
    found.push(Change { text, code, extra_stack: 0 });
}
