//! Array instructions (JVMS §2.11.5).
#![expect(
    clippy::cast_sign_loss,
    clippy::cast_possible_truncation,
    reason = "elements are reinterpreted"
)]

use super::{cold, slow};
use crate::heap::{ELEMENTS_OFFSET, LENGTH_OFFSET};
use crate::value::{Kind, Ref};

/// Address of the element, or the slow path for null and bad indices.
macro_rules! element {
    ($array:expr, $idx:expr, $size:expr, $pc:expr, $fp:expr, $vm:expr, $heap:expr, $t:expr) => {{
        let (array, idx): (u32, u32) = ($array, $idx);
        if array == 0 {
            return cold::array_fault($pc, $fp, $vm, $heap, $t);
        }
        let object = $heap.add((array as usize) << 3);
        if idx >= object.add(LENGTH_OFFSET as usize).cast::<u32>().read() {
            return cold::array_fault($pc, $fp, $vm, $heap, $t);
        }
        object.add(ELEMENTS_OFFSET as usize + idx as usize * $size)
    }};
}

macro_rules! array_load {
    ($($name:ident: $type:ty, |$v:ident| $e:expr;)*) => { $(
        handler!($name, |i, pc, fp, vm, heap, t| {
            let (array, idx) = (r32!(fp, i.b), r32!(fp, i.c));
            let at = element!(array, idx, size_of::<$type>(), pc, fp, vm, heap, t);
            if M::READS {
                super::mode::<M>(vm).array_read(&mut *vm, Ref(array), idx);
            }
            if M::SHADOW {
                super::mode::<M>(vm).shadow_load(fp.add(i.a as usize), at.offset_from(heap) as usize);
            }
            let $v = at.cast::<$type>().read();
            set!(fp, i.a, $e);
            go!(pc.add(1), fp, vm, heap, t)
        });
    )* };
}

array_load! {
    baload: i8, |v| u64::from(i32::from(v) as u32);
    caload: u16, |v| u64::from(v);
    saload: i16, |v| u64::from(i32::from(v) as u32);
    iaload: u32, |v| u64::from(v);
    laload: u64, |v| v;
    aaload: u32, |v| u64::from(v);
}

macro_rules! array_store {
    ($($name:ident $logged:ident: $type:ty, $kind:expr;)*) => { $(
        handler!(
            /// The store into an array that is older than the youngest mark.
            $logged, |i, pc, fp, vm, heap, t| {
            let (array, idx) = (r32!(fp, i.b), r32!(fp, i.c));
            let offset = ((array as usize) << 3) + ELEMENTS_OFFSET as usize + idx as usize * size_of::<$type>();
            (*vm).heap.log(offset);
            heap.add(offset).cast::<$type>().write(r64!(fp, i.a) as $type);
            go!(pc.add(1), fp, vm, heap, t)
        });

        handler!($name, |i, pc, fp, vm, heap, t| {
            let (array, idx) = (r32!(fp, i.b), r32!(fp, i.c));
            let at = element!(array, idx, size_of::<$type>(), pc, fp, vm, heap, t);
            let value = r64!(fp, i.a);
            if M::WRITES {
                super::mode::<M>(vm).array_write(&mut *vm, Ref(array), idx, $kind, value);
            }
            let offset = at.offset_from(heap) as usize;
            if M::SHADOW {
                super::mode::<M>(vm).shadow_store(fp.add(i.a as usize), offset);
            }
            if offset < (*vm).heap.log_limit {
                return $logged::<M>(pc, fp, vm, heap, t);
            }
            at.cast::<$type>().write(value as $type);
            go!(pc.add(1), fp, vm, heap, t)
        });
    )* };
}

array_store! {
    castore castore_logged: u16, Kind::Char;
    iastore iastore_logged: u32, Kind::Int;
    lastore lastore_logged: u64, Kind::Long;
}

handler!(bastore, |i, pc, fp, vm, heap, t| {
    let (array, idx) = (r32!(fp, i.b), r32!(fp, i.c));
    let at = element!(array, idx, 1, pc, fp, vm, heap, t);
    let mut value = r64!(fp, i.a) as u8;
    // JVMS §6.5 bastore: a boolean array keeps the lowest bit alone.
    if heap.add((array as usize) << 3).cast::<u32>().read()
        == (*vm).known.arrays[Kind::Boolean as usize].0
    {
        value &= 1;
    }
    if M::WRITES {
        super::mode::<M>(vm).array_write(&mut *vm, Ref(array), idx, Kind::Byte, u64::from(value));
    }
    let offset = at.offset_from(heap) as usize;
    if M::SHADOW {
        super::mode::<M>(vm).shadow_store(fp.add(i.a as usize), offset);
    }
    if offset < (*vm).heap.log_limit {
        (*vm).heap.log(offset);
    }
    at.write(value);
    go!(pc.add(1), fp, vm, heap, t)
});

handler!(aastore, |i, pc, fp, vm, heap, t| {
    let (array, idx) = (r32!(fp, i.b), r32!(fp, i.c));
    let at = element!(array, idx, 4, pc, fp, vm, heap, t);
    let value = r32!(fp, i.a);
    let array_class = heap.add((array as usize) << 3).cast::<u32>().read();
    let offset = at.offset_from(heap) as usize;
    if array_class != (*vm).known.arrays[Kind::Ref as usize].0 || offset < (*vm).heap.ref_limit {
        return cold::aastore_checked::<M>(pc, fp, vm, heap, t);
    }
    if M::WRITES {
        super::mode::<M>(vm).array_write(&mut *vm, Ref(array), idx, Kind::Ref, u64::from(value));
    }
    if M::SHADOW {
        super::mode::<M>(vm).shadow_store(fp.add(i.a as usize), offset);
    }
    at.cast::<u32>().write(value);
    go!(pc.add(1), fp, vm, heap, t)
});

handler!(arraylength, |i, pc, fp, vm, heap, t| {
    let array = r32!(fp, i.b);
    if array == 0 {
        return cold::null_pointer(pc, fp, vm, heap, t);
    }
    if M::READS {
        super::mode::<M>(vm).length_read(&mut *vm, Ref(array));
    }
    if M::SHADOW {
        super::mode::<M>(vm)
            .shadow_load(fp.add(i.a as usize), ((array as usize) << 3) + LENGTH_OFFSET as usize);
    }
    let length = heap.add(((array as usize) << 3) + LENGTH_OFFSET as usize).cast::<u32>().read();
    set!(fp, i.a, u64::from(length));
    go!(pc.add(1), fp, vm, heap, t)
});

handler!(newarray, |i, pc, fp, vm, heap, t| {
    follow!(slow::newarray::<M>(vm, pc, fp), vm, heap, t)
});

handler!(anewarray_u, |i, pc, fp, vm, heap, t| {
    follow!(slow::anewarray_u(vm, pc, fp), vm, heap, t)
});

handler!(anewarray_q, |i, pc, fp, vm, heap, t| {
    follow!(slow::anewarray_q::<M>(vm, pc, fp), vm, heap, t)
});

handler!(multianewarray_u, |i, pc, fp, vm, heap, t| {
    follow!(slow::multianewarray_u(vm, pc, fp), vm, heap, t)
});

handler!(multianewarray_q, |i, pc, fp, vm, heap, t| {
    follow!(slow::multianewarray_q::<M>(vm, pc, fp), vm, heap, t)
});
