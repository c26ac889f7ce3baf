//! Facts about the JVM's own instructions that translation needs: lengths and stack effects.

use classfile::{ClassFile, Constant};

/// Reads big-endian operands out of bytecode.
#[derive(Clone, Copy)]
pub(crate) struct Bytes<'a>(pub(crate) &'a [u8]);

impl Bytes<'_> {
    pub(crate) fn u1(self, at: usize) -> u8 {
        self.0.get(at).copied().unwrap_or(0)
    }

    pub(crate) fn u2(self, at: usize) -> u16 {
        u16::from(self.u1(at)) << 8 | u16::from(self.u1(at + 1))
    }

    #[expect(clippy::cast_possible_wrap, reason = "signed operand")]
    pub(crate) fn i2(self, at: usize) -> i16 {
        self.u2(at) as i16
    }

    #[expect(clippy::cast_possible_wrap, reason = "signed operand")]
    pub(crate) fn i4(self, at: usize) -> i32 {
        (u32::from(self.u2(at)) << 16 | u32::from(self.u2(at + 2))) as i32
    }
}

/// Words popped and pushed by opcodes 0 to 201 whose effect does not depend on a constant; one
/// hexadecimal digit each, `..` where it does.
const EFFECTS: &str = "\
00 01 01 01 01 01 01 01 01 02 02 01 01 01 02 02 \
01 01 01 01 02 01 02 01 02 01 01 01 01 01 02 02 \
02 02 01 01 01 01 02 02 02 02 01 01 01 01 21 22 \
21 22 21 21 21 21 10 20 10 20 10 10 10 10 10 20 \
20 20 20 10 10 10 10 20 20 20 20 10 10 10 10 30 \
40 30 40 30 30 30 30 10 20 12 23 34 24 35 46 22 \
21 42 21 42 21 42 21 42 21 42 21 42 21 42 21 42 \
21 42 21 42 11 22 11 22 21 32 21 32 21 32 21 42 \
21 42 21 42 00 12 11 12 21 21 22 11 12 12 21 22 \
21 11 11 11 41 21 21 41 41 10 10 10 10 10 10 20 \
20 20 20 20 20 20 20 00 01 00 10 10 10 20 10 20 \
10 00 .. .. .. .. .. .. .. .. .. 01 11 11 11 10 \
11 11 10 10 .. .. 10 10 00 01";

/// Length of the instruction at a position; zero where it is none.
pub(crate) fn length(code: Bytes<'_>, at: usize) -> usize {
    match code.u1(at) {
        16 | 18 | 21..=25 | 54..=58 | 169 | 188 => 2,
        17 | 19 | 20 | 132 | 153..=168 | 178..=184 | 187 | 189 | 192 | 193 | 198 | 199 => 3,
        197 => 4,
        185 | 186 | 200 | 201 => 5,
        196 => {
            if code.u1(at + 1) == 132 {
                6
            } else {
                4
            }
        }
        170 => {
            let base = (at + 4) & !3;
            let (low, high) = (i64::from(code.i4(base + 4)), i64::from(code.i4(base + 8)));
            usize::try_from(high - low + 1).map_or(0, |n| base + 12 + 4 * n - at)
        }
        171 => {
            let base = (at + 4) & !3;
            usize::try_from(code.i4(base + 4)).map_or(0, |n| base + 8 + 8 * n - at)
        }
        0..=201 => 1,
        _ => 0,
    }
}

/// `(popped, pushed)` words of the instruction at a position; `None` for malformed code.
pub(crate) fn effect(class: &ClassFile, code: Bytes<'_>, at: usize) -> Option<(u16, u16)> {
    let op = code.u1(at);
    Some(match op {
        178 => (0, field_words(class, code.u2(at + 1))?),
        179 => (field_words(class, code.u2(at + 1))?, 0),
        180 => (1, field_words(class, code.u2(at + 1))?),
        181 => (1 + field_words(class, code.u2(at + 1))?, 0),
        182..=186 => {
            let (args, result) = call_words(class, code.u2(at + 1))?;
            (args + u16::from(op != 184 && op != 186), result)
        }
        196 => return wide_effect(code.u1(at + 1)),
        197 => (u16::from(code.u1(at + 3)), 1),
        _ => {
            let text = EFFECTS.as_bytes().get(usize::from(op) * 3..usize::from(op) * 3 + 2)?;
            let digit = |c: u8| u16::from(c.wrapping_sub(b'0'));
            (digit(text[0]), digit(text[1]))
        }
    })
}

fn wide_effect(op: u8) -> Option<(u16, u16)> {
    Some(match op {
        21 | 23 | 25 => (0, 1),
        22 | 24 => (0, 2),
        54 | 56 | 58 => (1, 0),
        55 | 57 => (2, 0),
        132 | 169 => (0, 0),
        _ => return None,
    })
}

/// Words of a field's value.
pub(crate) fn field_words(class: &ClassFile, cp: u16) -> Option<u16> {
    let descriptor = member_descriptor(class, cp)?;
    Some(if matches!(descriptor.first(), Some(b'J' | b'D')) { 2 } else { 1 })
}

/// Words of arguments (without the receiver) and result of a call.
pub(crate) fn call_words(class: &ClassFile, cp: u16) -> Option<(u16, u16)> {
    let descriptor = member_descriptor(class, cp)?;
    let mut words = 0;
    let mut at = 1;
    while *descriptor.get(at)? != b')' {
        match descriptor[at] {
            b'J' | b'D' => words += 2,
            b'L' => {
                words += 1;
                while *descriptor.get(at)? != b';' {
                    at += 1;
                }
            }
            b'[' => {
                words += 1;
                while *descriptor.get(at)? == b'[' {
                    at += 1;
                }
                if descriptor[at] == b'L' {
                    while *descriptor.get(at)? != b';' {
                        at += 1;
                    }
                }
            }
            _ => words += 1,
        }
        at += 1;
    }
    let result = match descriptor.get(at + 1)? {
        b'V' => 0,
        b'J' | b'D' => 2,
        _ => 1,
    };
    Some((words, result))
}

/// Descriptor of a field, method or call-site constant.
pub(super) fn member_descriptor(class: &ClassFile, cp: u16) -> Option<&[u8]> {
    let pool = class.constant_pool();
    let name_and_type = match pool.get(cp)? {
        Constant::FieldRef { name_and_type, .. }
        | Constant::MethodRef { name_and_type, .. }
        | Constant::InterfaceMethodRef { name_and_type, .. }
        | Constant::Dynamic { name_and_type, .. }
        | Constant::InvokeDynamic { name_and_type, .. } => name_and_type,
        _ => return None,
    };
    Some(pool.name_and_type(name_and_type).1)
}

#[cfg(test)]
mod tests {
    use super::EFFECTS;

    #[test]
    fn every_opcode_has_an_effect() {
        assert_eq!(EFFECTS.split_whitespace().count(), 202);
    }
}
