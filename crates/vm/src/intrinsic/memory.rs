//! Reading, writing and comparing at a base and an offset: `Unsafe`, and the scoped access of buffers on
//! top of it. Offsets are checked as the natives check them; what is not plainly inside an object or raw
//! memory is left to those.

use super::{Intrinsic, Row, word};
use crate::class::{Class, Shape};
use crate::heap::{ELEMENTS_OFFSET, FIELDS_OFFSET, LENGTH_OFFSET};
use crate::value::{Kind, Ref};
use crate::vm::Vm;

/// A value as it lies in memory.
pub(super) trait Word: Copy {
    /// Bytes that it takes.
    const SIZE: usize;
    /// Registers that it takes.
    const REGISTERS: usize;
    /// What a register holds.
    fn to_slot(self) -> u64;
    /// What a register holds, cut to size.
    fn of_slot(slot: u64) -> Self;
    /// In the other byte order.
    fn swapped(self) -> Self;
}

/// A `boolean`: anything but zero reads as true.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(super) struct Flag(u8);

macro_rules! words {
    ($($type:ty, $registers:literal, |$v:ident| $slot:expr;)*) => { $(
        impl Word for $type {
            const SIZE: usize = size_of::<$type>();
            const REGISTERS: usize = $registers;
            #[inline(always)]
            fn to_slot(self) -> u64 {
                let $v = self;
                $slot
            }
            #[inline(always)]
            fn of_slot(slot: u64) -> $type {
                slot as $type
            }
            #[inline(always)]
            fn swapped(self) -> $type {
                self.swap_bytes()
            }
        }
    )* };
}

words! {
    i8, 1, |v| u64::from(i32::from(v).cast_unsigned());
    i16, 1, |v| u64::from(i32::from(v).cast_unsigned());
    u16, 1, |v| u64::from(v);
    u32, 1, |v| u64::from(v);
    u64, 2, |v| v;
}

impl Word for Flag {
    const SIZE: usize = 1;
    const REGISTERS: usize = 1;
    #[inline(always)]
    fn to_slot(self) -> u64 {
        u64::from(self.0 != 0)
    }
    #[inline(always)]
    #[expect(clippy::cast_possible_truncation, reason = "cut to size")]
    fn of_slot(slot: u64) -> Flag {
        Flag(slot as u8)
    }
    #[inline(always)]
    fn swapped(self) -> Flag {
        self
    }
}

/// Whether the machine itself keeps something in instances of a class.
#[inline(always)]
unsafe fn is_special(vm: *mut Vm, class: &Class) -> bool {
    // SAFETY: the machine is valid.
    let known = unsafe { &(*vm).known };
    let special = [known.class, known.class_loader, known.member_name, known.resolved_method_name];
    class.supers.get(1).is_none_or(|class| special.contains(class))
}

/// Where `size` bytes of primitive data lie in the heap.
#[inline(always)]
pub(super) unsafe fn primitive_at(
    vm: *mut Vm,
    heap: *mut u8,
    base: u32,
    offset: u64,
    size: usize,
) -> Option<usize> {
    // SAFETY: a reference that is not null is valid.
    unsafe {
        if base == 0 {
            let (region, at) = (*vm).heap.raw_place(offset, size)?;
            return Some(region.byte_offset() + at as usize);
        }
        let class: &Class = &(&(*vm).classes)[word!(heap, base, 0, u32) as usize].class;
        let (at, end) = (u32::try_from(offset).ok()?, offset + size as u64);
        let fits = if let Shape::Array { element, .. } = class.shape {
            let len = u64::from(word!(heap, base, LENGTH_OFFSET, u32)) * u64::from(element.size());
            element != Kind::Ref && ELEMENTS_OFFSET <= at && end <= u64::from(ELEMENTS_OFFSET) + len
        } else {
            FIELDS_OFFSET <= at
                && end <= u64::from(class.instance_size)
                && !class.ref_offsets.iter().any(|&r| u64::from(r) < end && at < r + 4)
                && !is_special(vm, class)
        };
        fits.then_some(((base as usize) << 3) + at as usize)
    }
}

/// The offset, if it is one of a reference inside the object.
#[inline(always)]
pub(super) unsafe fn reference_at(
    vm: *mut Vm,
    heap: *mut u8,
    base: u32,
    offset: u64,
) -> Option<u32> {
    // SAFETY: a reference that is not null is valid.
    unsafe {
        if base == 0 {
            return None;
        }
        let class: &Class = &(&(*vm).classes)[word!(heap, base, 0, u32) as usize].class;
        let at = u32::try_from(offset).ok()?;
        let fits = if let Shape::Array { element, .. } = class.shape {
            let len = u64::from(word!(heap, base, LENGTH_OFFSET, u32)) * 4;
            element == Kind::Ref
                && ELEMENTS_OFFSET <= at
                && at.is_multiple_of(4)
                && offset < u64::from(ELEMENTS_OFFSET) + len
        } else {
            class.ref_offsets.contains(&at) && !is_special(vm, class)
        };
        fits.then_some(at)
    }
}

/// Reads at a place that was checked.
#[inline(always)]
pub(super) unsafe fn load<T: Word>(heap: *mut u8, at: usize) -> T {
    // SAFETY: see above.
    unsafe { heap.add(at).cast::<T>().read_unaligned() }
}

/// Writes at a place that was checked.
#[inline(always)]
pub(super) unsafe fn store<T: Word>(vm: *mut Vm, heap: *mut u8, at: usize, value: T) {
    // SAFETY: see above.
    unsafe {
        (*vm).heap.before_bulk_write(at, T::SIZE);
        heap.add(at).cast::<T>().write_unaligned(value);
    }
}

/// Base and offset of an access with the base in register `BASE`: 1 for `Unsafe`, 2 for scoped access, whose
/// scope must be null, 0 for an address alone.
#[inline(always)]
unsafe fn base_and_offset<const BASE: usize>(args: *mut u64) -> Option<(u32, u64)> {
    // SAFETY: arguments are registers.
    unsafe {
        if *args as u32 == 0 || BASE == 2 && *args.add(1) as u32 != 0 {
            return None;
        }
        Some(if BASE == 0 {
            (0, *args.add(1))
        } else {
            (*args.add(BASE) as u32, *args.add(BASE + 1))
        })
    }
}

#[inline(always)]
unsafe fn place<T: Word, const BASE: usize>(
    vm: *mut Vm,
    heap: *mut u8,
    args: *mut u64,
) -> Option<usize> {
    // SAFETY: arguments are registers.
    unsafe {
        let (base, offset) = base_and_offset::<BASE>(args)?;
        primitive_at(vm, heap, base, offset, T::SIZE)
    }
}

/// The register behind the offset.
const fn value_of<const BASE: usize>() -> usize {
    BASE + 3
}

unsafe fn get<T: Word, const BASE: usize>(vm: *mut Vm, heap: *mut u8, args: *mut u64) -> bool {
    // SAFETY: arguments are registers; the place is checked.
    unsafe {
        let Some(at) = place::<T, BASE>(vm, heap, args) else { return false };
        *args = load::<T>(heap, at).to_slot();
    }
    true
}

unsafe fn put<T: Word, const BASE: usize>(vm: *mut Vm, heap: *mut u8, args: *mut u64) -> bool {
    // SAFETY: as above.
    unsafe {
        let Some(at) = place::<T, BASE>(vm, heap, args) else { return false };
        store(vm, heap, at, T::of_slot(*args.add(value_of::<BASE>())));
    }
    true
}

/// With a last argument that says whether the most significant byte comes first.
unsafe fn get_ordered<T: Word, const BASE: usize>(
    vm: *mut Vm,
    heap: *mut u8,
    args: *mut u64,
) -> bool {
    // SAFETY: as above.
    unsafe {
        let Some(at) = place::<T, BASE>(vm, heap, args) else { return false };
        let value = load::<T>(heap, at);
        let is_big = *args.add(value_of::<BASE>()) as u32 != 0;
        *args = if is_big { value.swapped() } else { value }.to_slot();
    }
    true
}

/// See `get_ordered`.
unsafe fn put_ordered<T: Word, const BASE: usize>(
    vm: *mut Vm,
    heap: *mut u8,
    args: *mut u64,
) -> bool {
    // SAFETY: as above.
    unsafe {
        let Some(at) = place::<T, BASE>(vm, heap, args) else { return false };
        let value = T::of_slot(*args.add(value_of::<BASE>()));
        let is_big = *args.add(value_of::<BASE>() + T::REGISTERS) as u32 != 0;
        store(vm, heap, at, if is_big { value.swapped() } else { value });
    }
    true
}

/// Stores the second value where the first one is found; gives what was found.
#[inline(always)]
unsafe fn exchange<T: Word>(vm: *mut Vm, heap: *mut u8, args: *mut u64) -> Option<(u64, bool)> {
    // SAFETY: as above.
    unsafe {
        let at = place::<T, 1>(vm, heap, args)?;
        let held = load::<T>(heap, at).to_slot();
        let is_equal = held == T::of_slot(*args.add(4)).to_slot();
        if is_equal {
            store(vm, heap, at, T::of_slot(*args.add(4 + T::REGISTERS)));
        }
        Some((held, is_equal))
    }
}

unsafe fn compare_and_set<T: Word>(vm: *mut Vm, heap: *mut u8, args: *mut u64) -> bool {
    // SAFETY: as above.
    unsafe {
        let Some((_, is_equal)) = exchange::<T>(vm, heap, args) else { return false };
        *args = u64::from(is_equal);
    }
    true
}

unsafe fn compare_and_exchange<T: Word>(vm: *mut Vm, heap: *mut u8, args: *mut u64) -> bool {
    // SAFETY: as above.
    unsafe {
        let Some((held, _)) = exchange::<T>(vm, heap, args) else { return false };
        *args = held;
    }
    true
}

/// Stores the value, or the sum with it; gives what was there.
unsafe fn get_and<T: Word, const ADD: bool>(vm: *mut Vm, heap: *mut u8, args: *mut u64) -> bool {
    // SAFETY: as above.
    unsafe {
        let Some(at) = place::<T, 1>(vm, heap, args) else { return false };
        let (held, value) = (load::<T>(heap, at).to_slot(), *args.add(4));
        store(vm, heap, at, T::of_slot(if ADD { held.wrapping_add(value) } else { value }));
        *args = held;
    }
    true
}

#[inline(always)]
unsafe fn reference_place(vm: *mut Vm, heap: *mut u8, args: *mut u64) -> Option<(Ref, u32)> {
    // SAFETY: as above.
    unsafe {
        let (base, offset) = base_and_offset::<1>(args)?;
        Some((Ref(base), reference_at(vm, heap, base, offset)?))
    }
}

unsafe fn get_reference(vm: *mut Vm, heap: *mut u8, args: *mut u64) -> bool {
    // SAFETY: as above.
    unsafe {
        let Some((object, at)) = reference_place(vm, heap, args) else { return false };
        *args = (*vm).heap.load_ref(object, at).to_slot();
    }
    true
}

unsafe fn put_reference(vm: *mut Vm, heap: *mut u8, args: *mut u64) -> bool {
    // SAFETY: as above.
    unsafe {
        let Some((object, at)) = reference_place(vm, heap, args) else { return false };
        (*vm).heap.store_ref(object, at, Ref::from_slot(*args.add(4)));
    }
    true
}

unsafe fn get_and_set_reference(vm: *mut Vm, heap: *mut u8, args: *mut u64) -> bool {
    // SAFETY: as above.
    unsafe {
        let Some((object, at)) = reference_place(vm, heap, args) else { return false };
        let held = (*vm).heap.load_ref(object, at);
        (*vm).heap.store_ref(object, at, Ref::from_slot(*args.add(4)));
        *args = held.to_slot();
    }
    true
}

#[inline(always)]
unsafe fn exchange_reference(vm: *mut Vm, heap: *mut u8, args: *mut u64) -> Option<(u64, bool)> {
    // SAFETY: as above.
    unsafe {
        let (object, at) = reference_place(vm, heap, args)?;
        let held = (*vm).heap.load_ref(object, at);
        let is_equal = held == Ref::from_slot(*args.add(4));
        if is_equal {
            (*vm).heap.store_ref(object, at, Ref::from_slot(*args.add(5)));
        }
        Some((held.to_slot(), is_equal))
    }
}

unsafe fn compare_and_set_reference(vm: *mut Vm, heap: *mut u8, args: *mut u64) -> bool {
    // SAFETY: as above.
    unsafe {
        let Some((_, is_equal)) = exchange_reference(vm, heap, args) else { return false };
        *args = u64::from(is_equal);
    }
    true
}

unsafe fn compare_and_exchange_reference(vm: *mut Vm, heap: *mut u8, args: *mut u64) -> bool {
    // SAFETY: as above.
    unsafe {
        let Some((held, _)) = exchange_reference(vm, heap, args) else { return false };
        *args = held;
    }
    true
}

const UNSAFE: &str = "jdk/internal/misc/Unsafe";
/// On 25 it warns before it does anything.
const OPEN: &str = "sun/misc/Unsafe";
const SCOPED: &str = "jdk/internal/misc/ScopedMemoryAccess";

/// Accesses of all strengths are alike, since threads switch between instructions only.
macro_rules! rows {
    (
        plain { $($name:literal $letter:literal $type:ty,)* }
        unaligned { $($wide:literal $wide_letter:literal $wide_type:ty,)* }
        atomic { $($atom:literal $atom_letter:literal $set:expr, $exchange:expr, $get_set:expr;)* }
        adding { $($sum:literal $sum_letter:literal $add:expr;)* }
    ) => {
        pub(super) const READS: &[Row] = &[
            $(
                (UNSAFE, concat!("get", $name), concat!("(J)", $letter), get::<$type, 0> as Intrinsic),
                (UNSAFE, concat!("get", $name), concat!("(Ljava/lang/Object;J)", $letter), get::<$type, 1>),
                (UNSAFE, concat!("get", $name, "Volatile"), concat!("(Ljava/lang/Object;J)", $letter), get::<$type, 1>),
                (UNSAFE, concat!("get", $name, "Acquire"), concat!("(Ljava/lang/Object;J)", $letter), get::<$type, 1>),
                (UNSAFE, concat!("get", $name, "Opaque"), concat!("(Ljava/lang/Object;J)", $letter), get::<$type, 1>),
                (SCOPED, concat!("get", $name), concat!("(Ljdk/internal/misc/ScopedMemoryAccess$Scope;Ljava/lang/Object;J)", $letter), get::<$type, 2>),
                (SCOPED, concat!("get", $name), concat!("(Ljdk/internal/foreign/MemorySessionImpl;Ljava/lang/Object;J)", $letter), get::<$type, 2>),
            )*
            $(
                (UNSAFE, concat!("get", $wide, "Unaligned"), concat!("(Ljava/lang/Object;J)", $wide_letter), get::<$wide_type, 1>),
                (UNSAFE, concat!("get", $wide, "Unaligned"), concat!("(Ljava/lang/Object;JZ)", $wide_letter), get_ordered::<$wide_type, 1>),
                (SCOPED, concat!("get", $wide, "Unaligned"), concat!("(Ljdk/internal/misc/ScopedMemoryAccess$Scope;Ljava/lang/Object;JZ)", $wide_letter), get_ordered::<$wide_type, 2>),
                (SCOPED, concat!("get", $wide, "Unaligned"), concat!("(Ljdk/internal/foreign/MemorySessionImpl;Ljava/lang/Object;JZ)", $wide_letter), get_ordered::<$wide_type, 2>),
            )*
            (UNSAFE, "getReference", "(Ljava/lang/Object;J)Ljava/lang/Object;", get_reference),
            (UNSAFE, "getReferenceVolatile", "(Ljava/lang/Object;J)Ljava/lang/Object;", get_reference),
            (UNSAFE, "getReferenceAcquire", "(Ljava/lang/Object;J)Ljava/lang/Object;", get_reference),
            (UNSAFE, "getReferenceOpaque", "(Ljava/lang/Object;J)Ljava/lang/Object;", get_reference),
        ];

        pub(super) const WRITES: &[Row] = &[
            $(
                (UNSAFE, concat!("put", $name), concat!("(J", $letter, ")V"), put::<$type, 0> as Intrinsic),
                (UNSAFE, concat!("put", $name), concat!("(Ljava/lang/Object;J", $letter, ")V"), put::<$type, 1>),
                (UNSAFE, concat!("put", $name, "Volatile"), concat!("(Ljava/lang/Object;J", $letter, ")V"), put::<$type, 1>),
                (UNSAFE, concat!("put", $name, "Release"), concat!("(Ljava/lang/Object;J", $letter, ")V"), put::<$type, 1>),
                (UNSAFE, concat!("put", $name, "Opaque"), concat!("(Ljava/lang/Object;J", $letter, ")V"), put::<$type, 1>),
                (SCOPED, concat!("put", $name), concat!("(Ljdk/internal/misc/ScopedMemoryAccess$Scope;Ljava/lang/Object;J", $letter, ")V"), put::<$type, 2>),
                (SCOPED, concat!("put", $name), concat!("(Ljdk/internal/foreign/MemorySessionImpl;Ljava/lang/Object;J", $letter, ")V"), put::<$type, 2>),
            )*
            $(
                (UNSAFE, concat!("put", $wide, "Unaligned"), concat!("(Ljava/lang/Object;J", $wide_letter, ")V"), put::<$wide_type, 1>),
                (UNSAFE, concat!("put", $wide, "Unaligned"), concat!("(Ljava/lang/Object;J", $wide_letter, "Z)V"), put_ordered::<$wide_type, 1>),
                (SCOPED, concat!("put", $wide, "Unaligned"), concat!("(Ljdk/internal/misc/ScopedMemoryAccess$Scope;Ljava/lang/Object;J", $wide_letter, "Z)V"), put_ordered::<$wide_type, 2>),
                (SCOPED, concat!("put", $wide, "Unaligned"), concat!("(Ljdk/internal/foreign/MemorySessionImpl;Ljava/lang/Object;J", $wide_letter, "Z)V"), put_ordered::<$wide_type, 2>),
            )*
            (UNSAFE, "putReference", "(Ljava/lang/Object;JLjava/lang/Object;)V", put_reference),
            (UNSAFE, "putReferenceVolatile", "(Ljava/lang/Object;JLjava/lang/Object;)V", put_reference),
            (UNSAFE, "putReferenceRelease", "(Ljava/lang/Object;JLjava/lang/Object;)V", put_reference),
            (UNSAFE, "putReferenceOpaque", "(Ljava/lang/Object;JLjava/lang/Object;)V", put_reference),
            $(
                (UNSAFE, concat!("compareAndSet", $atom), concat!("(Ljava/lang/Object;J", $atom_letter, $atom_letter, ")Z"), $set),
                (UNSAFE, concat!("weakCompareAndSet", $atom), concat!("(Ljava/lang/Object;J", $atom_letter, $atom_letter, ")Z"), $set),
                (UNSAFE, concat!("weakCompareAndSet", $atom, "Plain"), concat!("(Ljava/lang/Object;J", $atom_letter, $atom_letter, ")Z"), $set),
                (UNSAFE, concat!("weakCompareAndSet", $atom, "Acquire"), concat!("(Ljava/lang/Object;J", $atom_letter, $atom_letter, ")Z"), $set),
                (UNSAFE, concat!("weakCompareAndSet", $atom, "Release"), concat!("(Ljava/lang/Object;J", $atom_letter, $atom_letter, ")Z"), $set),
                (UNSAFE, concat!("compareAndExchange", $atom), concat!("(Ljava/lang/Object;J", $atom_letter, $atom_letter, ")", $atom_letter), $exchange),
                (UNSAFE, concat!("compareAndExchange", $atom, "Acquire"), concat!("(Ljava/lang/Object;J", $atom_letter, $atom_letter, ")", $atom_letter), $exchange),
                (UNSAFE, concat!("compareAndExchange", $atom, "Release"), concat!("(Ljava/lang/Object;J", $atom_letter, $atom_letter, ")", $atom_letter), $exchange),
                (UNSAFE, concat!("getAndSet", $atom), concat!("(Ljava/lang/Object;J", $atom_letter, ")", $atom_letter), $get_set),
                (UNSAFE, concat!("getAndSet", $atom, "Acquire"), concat!("(Ljava/lang/Object;J", $atom_letter, ")", $atom_letter), $get_set),
                (UNSAFE, concat!("getAndSet", $atom, "Release"), concat!("(Ljava/lang/Object;J", $atom_letter, ")", $atom_letter), $get_set),
            )*
            $(
                (UNSAFE, concat!("getAndAdd", $sum), concat!("(Ljava/lang/Object;J", $sum_letter, ")", $sum_letter), $add),
                (UNSAFE, concat!("getAndAdd", $sum, "Acquire"), concat!("(Ljava/lang/Object;J", $sum_letter, ")", $sum_letter), $add),
                (UNSAFE, concat!("getAndAdd", $sum, "Release"), concat!("(Ljava/lang/Object;J", $sum_letter, ")", $sum_letter), $add),
            )*
        ];

        pub(super) const READS_17: &[Row] = &[
            $(
                (OPEN, concat!("get", $name), concat!("(Ljava/lang/Object;J)", $letter), get::<$type, 1> as Intrinsic),
                (OPEN, concat!("get", $name, "Volatile"), concat!("(Ljava/lang/Object;J)", $letter), get::<$type, 1>),
                (OPEN, concat!("get", $name), concat!("(J)", $letter), get::<$type, 0>),
            )*
            (OPEN, "getObject", "(Ljava/lang/Object;J)Ljava/lang/Object;", get_reference),
            (OPEN, "getObjectVolatile", "(Ljava/lang/Object;J)Ljava/lang/Object;", get_reference),
        ];

        pub(super) const WRITES_17: &[Row] = &[
            $(
                (OPEN, concat!("put", $name), concat!("(Ljava/lang/Object;J", $letter, ")V"), put::<$type, 1> as Intrinsic),
                (OPEN, concat!("put", $name, "Volatile"), concat!("(Ljava/lang/Object;J", $letter, ")V"), put::<$type, 1>),
                (OPEN, concat!("put", $name), concat!("(J", $letter, ")V"), put::<$type, 0>),
            )*
            (OPEN, "putObject", "(Ljava/lang/Object;JLjava/lang/Object;)V", put_reference),
            (OPEN, "putObjectVolatile", "(Ljava/lang/Object;JLjava/lang/Object;)V", put_reference),
            (OPEN, "putOrderedObject", "(Ljava/lang/Object;JLjava/lang/Object;)V", put_reference),
            (OPEN, "putOrderedInt", "(Ljava/lang/Object;JI)V", put::<u32, 1>),
            (OPEN, "putOrderedLong", "(Ljava/lang/Object;JJ)V", put::<u64, 1>),
            (OPEN, "compareAndSwapInt", "(Ljava/lang/Object;JII)Z", compare_and_set::<u32>),
            (OPEN, "compareAndSwapLong", "(Ljava/lang/Object;JJJ)Z", compare_and_set::<u64>),
            (OPEN, "compareAndSwapObject", "(Ljava/lang/Object;JLjava/lang/Object;Ljava/lang/Object;)Z", compare_and_set_reference),
            $(
                (OPEN, concat!("getAndAdd", $sum), concat!("(Ljava/lang/Object;J", $sum_letter, ")", $sum_letter), $add),
            )*
        ];
    };
}

rows! {
    plain {
        "Byte" "B" i8,
        "Short" "S" i16,
        "Char" "C" u16,
        "Int" "I" u32,
        "Long" "J" u64,
        "Float" "F" u32,
        "Double" "D" u64,
        "Boolean" "Z" Flag,
    }
    unaligned {
        "Short" "S" i16,
        "Char" "C" u16,
        "Int" "I" u32,
        "Long" "J" u64,
    }
    atomic {
        "Int" "I" compare_and_set::<u32>, compare_and_exchange::<u32>, get_and::<u32, false>;
        "Long" "J" compare_and_set::<u64>, compare_and_exchange::<u64>, get_and::<u64, false>;
        "Reference" "Ljava/lang/Object;" compare_and_set_reference, compare_and_exchange_reference, get_and_set_reference;
    }
    adding {
        "Int" "I" get_and::<u32, true>;
        "Long" "J" get_and::<u64, true>;
    }
}
