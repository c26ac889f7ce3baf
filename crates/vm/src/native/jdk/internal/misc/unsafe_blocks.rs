//! `jdk.internal.misc.Unsafe`: raw memory, and copies between it and primitive arrays.

use crate::frame::{Res, Trap};
use crate::native::{Args, NativeRow, nothing, zero};
use crate::value::Ref;
use crate::vm::Vm;

use super::unsafe_access::is_primitive;

/// Bytes that take as long to fill as a bytecode takes to run, about.
const BYTES_PER_BYTECODE: usize = 16;

const UNSAFE: &str = "jdk/internal/misc/Unsafe";

pub(crate) const NATIVES: &[NativeRow] = &[
    (UNSAFE, "allocateMemory0", "(J)J", allocate_memory),
    (UNSAFE, "reallocateMemory0", "(JJ)J", reallocate_memory),
    (UNSAFE, "freeMemory0", "(J)V", free_memory),
    (UNSAFE, "setMemory0", "(Ljava/lang/Object;JJB)V", set_memory),
    (UNSAFE, "copyMemory0", "(Ljava/lang/Object;JLjava/lang/Object;JJ)V", copy_memory),
    (UNSAFE, "copySwapMemory0", "(Ljava/lang/Object;JLjava/lang/Object;JJJ)V", copy_swap_memory),
    // Nothing is cached behind raw memory.
    (UNSAFE, "writeback0", "(J)V", nothing),
    (UNSAFE, "writebackPreSync0", "()V", nothing),
    (UNSAFE, "writebackPostSync0", "()V", nothing),
    (UNSAFE, "isBigEndian0", "()Z", zero),
];

/// Zero tells the Java side to throw `OutOfMemoryError`.
fn allocate_memory(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    args.reference();
    let size = args.long();
    Ok(vm.heap.raw_allocate(size.cast_unsigned()).unwrap_or(0))
}

fn reallocate_memory(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    args.reference();
    let old = args.long().cast_unsigned();
    let size = args.long().cast_unsigned();
    let Some(new) = vm.heap.raw_allocate(size) else { return Ok(0) };
    if let Some(old_size) = vm.heap.raw_size(old) {
        let kept = usize::try_from(old_size.min(size)).unwrap_or(0);
        let content = vm.heap.raw_bytes(old, kept).map(<[u8]>::to_vec).unwrap_or_default();
        if !vm.heap.raw_store(new, &content) {
            unreachable!("internal: a new block has room for what it was made for");
        }
        vm.heap.raw_free(old);
    }
    Ok(new)
}

fn free_memory(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    args.reference();
    let address = args.long();
    vm.heap.raw_free(address.cast_unsigned());
    Ok(0)
}

fn set_memory(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    args.reference();
    let base = args.reference();
    let offset = args.long();
    let size = args.long();
    let [value, ..] = args.int().to_le_bytes();
    let size = usize::try_from(size).unwrap_or(usize::MAX);
    let (object, at) = writable(vm, base, offset, size)?;
    vm.heap.store_bytes(object, at, &vec![value; size]);
    vm.fuel -= i64::try_from(size / BYTES_PER_BYTECODE).unwrap_or(0);
    Ok(0)
}

fn copy_memory(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    args.reference();
    let content = readable(vm, &mut args)?;
    let to = args.reference();
    let offset = args.long();
    let size = usize::try_from(args.long()).unwrap_or(usize::MAX);
    let content = content.take(vm, size)?;
    let (object, at) = writable(vm, to, offset, size)?;
    vm.heap.store_bytes(object, at, &content);
    Ok(0)
}

fn copy_swap_memory(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    args.reference();
    let content = readable(vm, &mut args)?;
    let to = args.reference();
    let offset = args.long();
    let size = usize::try_from(args.long()).unwrap_or(usize::MAX);
    let unit = usize::try_from(args.long()).unwrap_or(1).max(1);
    let mut content = content.take(vm, size)?;
    for element in content.chunks_mut(unit) {
        element.reverse();
    }
    let (object, at) = writable(vm, to, offset, size)?;
    vm.heap.store_bytes(object, at, &content);
    Ok(0)
}

/// A place to copy from, its length not known yet.
struct Source {
    base: Ref,
    offset: i64,
}

fn readable(_: &mut Vm, args: &mut Args<'_>) -> Res<Source> {
    let base = args.reference();
    Ok(Source { base, offset: args.long() })
}

impl Source {
    /// The bytes there. A copy, since source and destination may overlap.
    fn take(&self, vm: &mut Vm, size: usize) -> Res<Vec<u8>> {
        let bytes = if self.base.is_null() {
            vm.raw_bytes(self.offset, size)
        } else {
            inside(vm, self.base, self.offset, size).map(|at| vm.heap.bytes(self.base, at, size))
        };
        let bytes = bytes.map(<[u8]>::to_vec);
        bytes.ok_or_else(|| wild(vm, self.offset, size))
    }
}

fn writable(vm: &mut Vm, base: Ref, offset: i64, size: usize) -> Res<(Ref, u32)> {
    let place = if base.is_null() {
        vm.heap.raw_place(offset.cast_unsigned(), size)
    } else {
        inside(vm, base, offset, size).map(|at| (base, at))
    };
    place.ok_or_else(|| wild(vm, offset, size))
}

fn inside(vm: &Vm, base: Ref, offset: i64, size: usize) -> Option<u32> {
    let at = u32::try_from(offset).ok()?;
    let size = u32::try_from(size).ok()?;
    is_primitive(vm, base, at, size).then_some(at)
}

fn wild(vm: &mut Vm, offset: i64, size: usize) -> Trap {
    let text = format!("unsafe access to {size} bytes at {offset:#x}, which is not memory in use");
    vm.throw("java/lang/InternalError", &text)
}
