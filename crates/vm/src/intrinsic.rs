//! JDK methods that the machine runs itself for speed, without a frame.
//!
//! An intrinsic must be invisible: same result, same effect on the heap. Whatever it does not handle
//! (null, a bad index, an exception to throw, memory to collect) it declines by returning `false`
//! without having changed anything; then the method's own code runs and behaves as Java says.
//! Modes with a shadow domain always run the method's own code; so do modes that observe reads,
//! and those that observe writes where an intrinsic writes what Java code would have written. Intrinsics
//! of collections, and those that were found behind a virtual call or a method handle, run only where
//! nobody watches calls, steps or branches. A method with a substitute has no intrinsic meanwhile.
#![expect(unsafe_code, reason = "works on registers and heap words like the interpreter")]

mod array_loops;
mod arrays;
mod bignum;
mod boxes;
mod characters;
mod ciphers;
mod decimals;
mod digests;
mod digits;
mod encodings;
mod memory;
mod method_handles;
mod numbers;
mod objects;
mod strings;
mod utf8;
mod var_handles;

pub(crate) use boxes::Offsets;
pub(crate) use var_handles::HandleFacts;

use rustc_hash::FxHashMap;

use crate::class::MethodRt;
use crate::code::Op;
use crate::value::{LoaderId, MethodId};
use crate::vm::Vm;

/// An intrinsic: arguments are registers; the result replaces the first one. `false` declines.
pub(crate) type Intrinsic = unsafe fn(vm: *mut Vm, heap: *mut u8, args: *mut u64) -> bool;

type Row = (&'static str, &'static str, &'static str, Intrinsic);

/// Intrinsics by class, name and descriptor.
#[derive(Debug)]
pub struct IntrinsicTable {
    rows: FxHashMap<(&'static str, &'static str, &'static str), (Intrinsic, Op)>,
}

impl IntrinsicTable {
    /// The table for a JDK release.
    pub fn new(jdk: u16) -> IntrinsicTable {
        let is_new = jdk >= 25;
        let plain: [&[Row]; 13] = [
            array_loops::READS,
            arrays::ROWS,
            boxes::ROWS,
            characters::ROWS,
            decimals::ROWS,
            digits::SIZES,
            encodings::READS,
            memory::READS,
            method_handles::ROWS,
            numbers::ROWS,
            objects::ROWS,
            strings::ROWS,
            utf8::READS,
        ];
        let newer: &[Row] = if is_new { numbers::ROWS_25 } else { memory::READS_17 };
        let plain = plain.into_iter().chain([newer]).flatten().map(|row| (row, Op::intrinsic_q));
        let writing: [&[Row]; 12] = [
            array_loops::WRITES,
            bignum::ROWS,
            ciphers::ROWS,
            digests::ROWS,
            digits::ROWS,
            encodings::WRITES,
            if is_new { encodings::WRITES_25 } else { encodings::WRITES_17 },
            memory::WRITES,
            utf8::WRITES,
            if is_new { &[] } else { memory::WRITES_17 },
            var_handles::READS,
            var_handles::WRITES,
        ];
        let writing = writing.into_iter().flatten().map(|row| (row, Op::intrinsic_writes_q));
        let rows = plain.chain(writing);
        IntrinsicTable {
            rows: rows
                .map(|(&(class, name, descriptor, f), op)| ((class, name, descriptor), (f, op)))
                .collect(),
        }
    }
}

impl Vm {
    /// The intrinsic behind a method of the boot loader's classes, and the instruction that runs it.
    /// The method knows it afterwards.
    pub(crate) fn intrinsic_of(&mut self, method: MethodId) -> Option<(Intrinsic, Op)> {
        let rt: *mut MethodRt = self.methods.rt(method);
        // SAFETY: entries of the method table never move.
        unsafe {
            if !(*rt).is_looked_up {
                let found = self.find_intrinsic(method);
                (*rt).is_looked_up = true;
                (*rt).intrinsic = found.map(|(function, _)| function);
                (*rt).intrinsic_op = found.map_or(Op::intrinsic_q, |(_, op)| op);
            }
            (*rt).intrinsic.map(|function| (function, (*rt).intrinsic_op))
        }
    }

    fn find_intrinsic(&self, method: MethodId) -> Option<(Intrinsic, Op)> {
        let method = self.method(method);
        let class = self.class(method.class);
        if class.loader != LoaderId::BOOT {
            return None;
        }
        if !method.is_native() && self.is_redefined(class.id) {
            return None;
        }
        let text = |bytes: &'static [u8]| std::str::from_utf8(bytes).ok();
        let (class, name, descriptor) = (
            text(class.name.as_bytes())?,
            text(method.name.as_bytes())?,
            text(method.descriptor.as_bytes())?,
        );
        if let Some(guard) = var_handles::guard(class, name, method.arg_slots) {
            return Some((guard, Op::intrinsic_writes_q));
        }
        let (function, op) = self.intrinsics.rows.get(&(class, name, descriptor)).copied()?;
        // Collections are code under test themselves: whoever watches calls or branches sees theirs.
        let is_watched = class.starts_with("java/util/") && class != "java/util/Objects";
        Some((function, if is_watched { Op::intrinsic_unseen_q } else { op }))
    }
}

/// Reads a word of an object.
macro_rules! word {
    ($heap:expr, $object:expr, $offset:expr, $type:ty) => {
        $heap.add((($object as usize) << 3) + $offset as usize).cast::<$type>().read_unaligned()
    };
}
use word;
