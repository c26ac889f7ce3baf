//! The method being verified, with what is often asked of it, and the reading of operands.

use crate::access;
use crate::class_file::{ClassFile, Code, MethodInfo};
use crate::constant_pool::ConstantPool;
use crate::descriptor::MethodDescriptor;
use crate::reader::u16_at;

pub(super) struct Method<'c> {
    pub(super) class: &'c ClassFile,
    pub(super) pool: &'c ConstantPool,
    pub(super) body: &'c Code,
    /// The instructions.
    pub(super) code: &'c [u8],
    /// `None` only if the method is not of this class, which the caller must not do.
    pub(super) descriptor: Option<MethodDescriptor<'c>>,
    pub(super) is_static: bool,
    /// A constructor, which starts with an object not yet initialized; that of `Object` does not.
    pub(super) is_constructor: bool,
}

impl<'c> Method<'c> {
    pub(super) fn new(class: &'c ClassFile, method: &'c MethodInfo, body: &'c Code) -> Self {
        let pool = class.constant_pool();
        Method {
            class,
            pool,
            body,
            code: class.instructions(body),
            descriptor: MethodDescriptor::parse(pool.utf8(method.descriptor)),
            is_static: method.access_flags & access::STATIC != 0,
            is_constructor: pool.utf8(method.name) == b"<init>" && class.super_name().is_some(),
        }
    }

    pub(super) fn u1(&self, pc: usize) -> u8 {
        self.code.get(pc).copied().unwrap_or_default()
    }

    pub(super) fn u2(&self, pc: usize) -> u16 {
        u16_at(self.code, pc).unwrap_or_default()
    }

    pub(super) fn i2(&self, pc: usize) -> i32 {
        i32::from(self.u2(pc) as i16)
    }

    pub(super) fn i4(&self, pc: usize) -> i32 {
        (u32::from(self.u2(pc)) << 16 | u32::from(self.u2(pc + 2))) as i32
    }
}

/// What is wrong with a method, and where.
pub(super) struct Fault {
    pub(super) message: String,
    pub(super) bci: u16,
}

/// A switch, with its targets as positions; they may still lie outside the code.
pub(super) struct Switch {
    pub(super) default: i64,
    pub(super) len: usize,
    /// Where the first offset stands, and how far it is to the next.
    first_offset: usize,
    stride: usize,
    n_offsets: usize,
    pc: usize,
}

impl Switch {
    /// The targets beside the default.
    pub(super) fn targets<'m>(&'m self, method: &'m Method<'_>) -> impl Iterator<Item = i64> + 'm {
        (0..self.n_offsets)
            .map(|idx| self.pc as i64 + i64::from(method.i4(self.first_offset + idx * self.stride)))
    }
}

/// Reads the `tableswitch` at `pc`.
pub(super) fn tableswitch(method: &Method<'_>, pc: usize) -> Result<Switch, String> {
    let operands = aligned(method, pc)?;
    let remaining = method.code.len().saturating_sub(operands);
    if remaining < 12 {
        return Err("Bad tableswitch instruction".to_owned());
    }
    let low = i64::from(method.i4(operands + 4));
    let high = i64::from(method.i4(operands + 8));
    if high < low {
        return Err("low must be less than or equal to high in tableswitch".to_owned());
    }
    let n_offsets = high - low + 1;
    if (remaining as i64 - 12) / 4 < n_offsets {
        return Err("too many keys in tableswitch".to_owned());
    }
    let n_offsets = n_offsets as usize;
    Ok(Switch {
        default: pc as i64 + i64::from(method.i4(operands)),
        len: operands + 12 + n_offsets * 4 - pc,
        first_offset: operands + 12,
        stride: 4,
        n_offsets,
        pc,
    })
}

/// Reads the `lookupswitch` at `pc`.
pub(super) fn lookupswitch(method: &Method<'_>, pc: usize) -> Result<Switch, String> {
    let operands = aligned(method, pc)?;
    let remaining = method.code.len().saturating_sub(operands);
    if remaining < 8 {
        return Err("Bad lookupswitch instruction".to_owned());
    }
    let n_pairs = i64::from(method.i4(operands + 4));
    if n_pairs < 0 {
        return Err("number of keys in lookupswitch less than 0".to_owned());
    }
    if (remaining as i64 - 8) / 8 < n_pairs {
        return Err("Bad lookupswitch instruction".to_owned());
    }
    let n_offsets = n_pairs as usize;
    let key = |idx: usize| method.i4(operands + 8 + idx * 8);
    if (1..n_offsets).any(|idx| key(idx) <= key(idx - 1)) {
        return Err("Bad lookupswitch instruction".to_owned());
    }
    Ok(Switch {
        default: pc as i64 + i64::from(method.i4(operands)),
        len: operands + 8 + n_offsets * 8 - pc,
        first_offset: operands + 12,
        stride: 8,
        n_offsets,
        pc,
    })
}

/// The operands of a switch start at the next multiple of four; old class files must have zeros
/// in between.
fn aligned(method: &Method<'_>, pc: usize) -> Result<usize, String> {
    let operands = (pc & !3) + 4;
    if method.class.major() < 51 && (pc + 1..operands).any(|padding| method.u1(padding) != 0) {
        return Err("Nonzero padding byte in switch".to_owned());
    }
    Ok(operands)
}
