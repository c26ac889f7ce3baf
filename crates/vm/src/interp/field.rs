//! Field instructions (JVMS §2.11.5). Unresolved forms rewrite themselves; see `slow`.
#![expect(
    clippy::cast_sign_loss,
    clippy::cast_possible_truncation,
    reason = "values are reinterpreted"
)]

use super::{cold, slow};
use crate::value::{Kind, Ref};

handler!(getfield_u, |i, pc, fp, vm, heap, t| {
    follow!(slow::getfield_u::<M>(vm, pc, fp), vm, heap, t)
});

handler!(putfield_u, |i, pc, fp, vm, heap, t| {
    follow!(slow::putfield_u::<M>(vm, pc, fp), vm, heap, t)
});

handler!(getstatic_u, |i, pc, fp, vm, heap, t| {
    follow!(slow::getstatic_u::<M>(vm, pc, fp), vm, heap, t)
});

handler!(putstatic_u, |i, pc, fp, vm, heap, t| {
    follow!(slow::putstatic_u::<M>(vm, pc, fp), vm, heap, t)
});

macro_rules! getfield {
    ($($name:ident: $type:ty, $kind:expr, |$v:ident| $e:expr;)*) => { $(
        handler!($name, |i, pc, fp, vm, heap, t| {
            let object = r32!(fp, i.b);
            if object == 0 {
                return cold::null_pointer(pc, fp, vm, heap, t);
            }
            if M::READS {
                super::mode::<M>(vm).field_read(&mut *vm, Ref(object), u32::from(i.c), $kind);
            }
            let offset = ((object as usize) << 3) + i.c as usize;
            if M::SHADOW {
                super::mode::<M>(vm).shadow_load(fp.add(i.a as usize), offset);
            }
            let $v = heap.add(offset).cast::<$type>().read();
            set!(fp, i.a, $e);
            go!(pc.add(1), fp, vm, heap, t)
        });
    )* };
}

getfield! {
    getfield_i8: i8, Kind::Byte, |v| u64::from(i32::from(v) as u32);
    getfield_i16: i16, Kind::Short, |v| u64::from(i32::from(v) as u32);
    getfield_u16: u16, Kind::Char, |v| u64::from(v);
    getfield_32: u32, Kind::Int, |v| u64::from(v);
    getfield_64: u64, Kind::Long, |v| v;
    getfield_ref: u32, Kind::Ref, |v| u64::from(v);
}

macro_rules! putfield {
    ($($name:ident $logged:ident: $type:ty, $kind:expr;)*) => { $(
        handler!(
            /// The store into an object that is older than the youngest mark.
            $logged, |i, pc, fp, vm, heap, t| {
            let offset = ((r32!(fp, i.b) as usize) << 3) + i.c as usize;
            (*vm).heap.log(offset);
            heap.add(offset).cast::<$type>().write(r64!(fp, i.a) as $type);
            go!(pc.add(1), fp, vm, heap, t)
        });

        handler!($name, |i, pc, fp, vm, heap, t| {
            let object = r32!(fp, i.b);
            if object == 0 {
                return cold::null_pointer(pc, fp, vm, heap, t);
            }
            let value = r64!(fp, i.a);
            if M::WRITES {
                super::mode::<M>(vm).field_write(&mut *vm, Ref(object), u32::from(i.c), $kind, value);
            }
            let offset = ((object as usize) << 3) + i.c as usize;
            if M::SHADOW {
                super::mode::<M>(vm).shadow_store(fp.add(i.a as usize), offset);
            }
            if offset < (*vm).heap.log_limit {
                return $logged::<M>(pc, fp, vm, heap, t);
            }
            heap.add(offset).cast::<$type>().write(value as $type);
            go!(pc.add(1), fp, vm, heap, t)
        });
    )* };
}

putfield! {
    putfield_8 putfield_8_logged: u8, Kind::Byte;
    putfield_16 putfield_16_logged: u16, Kind::Short;
    putfield_32 putfield_32_logged: u32, Kind::Int;
    putfield_64 putfield_64_logged: u64, Kind::Long;
}

handler!(
    /// The reference store that a mark or the collector wants to know of.
    putfield_ref_noted, |i, pc, fp, vm, heap, t| {
    let offset = ((r32!(fp, i.b) as usize) << 3) + i.c as usize;
    (*vm).heap.note_ref_write(offset);
    heap.add(offset).cast::<u32>().write(r32!(fp, i.a));
    go!(pc.add(1), fp, vm, heap, t)
});

handler!(putfield_ref, |i, pc, fp, vm, heap, t| {
    let object = r32!(fp, i.b);
    if object == 0 {
        return cold::null_pointer(pc, fp, vm, heap, t);
    }
    let value = r32!(fp, i.a);
    if M::WRITES {
        super::mode::<M>(vm).field_write(
            &mut *vm,
            Ref(object),
            u32::from(i.c),
            Kind::Ref,
            u64::from(value),
        );
    }
    let offset = ((object as usize) << 3) + i.c as usize;
    if M::SHADOW {
        super::mode::<M>(vm).shadow_store(fp.add(i.a as usize), offset);
    }
    if offset < (*vm).heap.ref_limit {
        return putfield_ref_noted::<M>(pc, fp, vm, heap, t);
    }
    heap.add(offset).cast::<u32>().write(value);
    go!(pc.add(1), fp, vm, heap, t)
});

macro_rules! getstatic {
    ($($name:ident: $type:ty, $kind:expr, |$v:ident| $e:expr;)*) => { $(
        handler!($name, |i, pc, fp, vm, heap, t| {
            let granule = i.imm();
            if M::READS {
                super::mode::<M>(vm).static_read(&mut *vm, granule, $kind);
            }
            let offset = (granule as usize) << 3;
            if M::SHADOW {
                super::mode::<M>(vm).shadow_load(fp.add(i.a as usize), offset);
            }
            let $v = heap.add(offset).cast::<$type>().read();
            set!(fp, i.a, $e);
            go!(pc.add(1), fp, vm, heap, t)
        });
    )* };
}

getstatic! {
    getstatic_i8: i8, Kind::Byte, |v| u64::from(i32::from(v) as u32);
    getstatic_i16: i16, Kind::Short, |v| u64::from(i32::from(v) as u32);
    getstatic_u16: u16, Kind::Char, |v| u64::from(v);
    getstatic_32: u32, Kind::Int, |v| u64::from(v);
    getstatic_64: u64, Kind::Long, |v| v;
    getstatic_ref: u32, Kind::Ref, |v| u64::from(v);
}

macro_rules! putstatic {
    ($($name:ident $logged:ident: $type:ty, $kind:expr;)*) => { $(
        handler!(
            /// The store into a class that is older than the youngest mark.
            $logged, |i, pc, fp, vm, heap, t| {
            let offset = (i.imm() as usize) << 3;
            (*vm).heap.log(offset);
            heap.add(offset).cast::<$type>().write(r64!(fp, i.a) as $type);
            go!(pc.add(1), fp, vm, heap, t)
        });

        handler!($name, |i, pc, fp, vm, heap, t| {
            let granule = i.imm();
            let value = r64!(fp, i.a);
            if M::WRITES {
                super::mode::<M>(vm).static_write(&mut *vm, granule, $kind, value);
            }
            let offset = (granule as usize) << 3;
            if M::SHADOW {
                super::mode::<M>(vm).shadow_store(fp.add(i.a as usize), offset);
            }
            if offset < (*vm).heap.log_limit {
                return $logged::<M>(pc, fp, vm, heap, t);
            }
            heap.add(offset).cast::<$type>().write(value as $type);
            go!(pc.add(1), fp, vm, heap, t)
        });
    )* };
}

putstatic! {
    putstatic_8 putstatic_8_logged: u8, Kind::Byte;
    putstatic_16 putstatic_16_logged: u16, Kind::Short;
    putstatic_32 putstatic_32_logged: u32, Kind::Int;
    putstatic_64 putstatic_64_logged: u64, Kind::Long;
}

handler!(
    /// The reference store that a mark or the collector wants to know of.
    putstatic_ref_noted, |i, pc, fp, vm, heap, t| {
    let offset = (i.imm() as usize) << 3;
    (*vm).heap.note_ref_write(offset);
    heap.add(offset).cast::<u32>().write(r32!(fp, i.a));
    go!(pc.add(1), fp, vm, heap, t)
});

handler!(putstatic_ref, |i, pc, fp, vm, heap, t| {
    let granule = i.imm();
    let value = r32!(fp, i.a);
    if M::WRITES {
        super::mode::<M>(vm).static_write(&mut *vm, granule, Kind::Ref, u64::from(value));
    }
    let offset = (granule as usize) << 3;
    if M::SHADOW {
        super::mode::<M>(vm).shadow_store(fp.add(i.a as usize), offset);
    }
    if offset < (*vm).heap.ref_limit {
        return putstatic_ref_noted::<M>(pc, fp, vm, heap, t);
    }
    heap.add(offset).cast::<u32>().write(value);
    go!(pc.add(1), fp, vm, heap, t)
});
