//! `jdk.internal.misc.Unsafe`: reading, writing and comparing at a base and an offset.
//!
//! Offsets come from Java code and are not trusted: an access must lie inside the object (or in raw
//! memory where the base is null), and reference slots are only reached as references, so that no
//! offset can forge one. Green threads switch only between instructions; plain and volatile access
//! are therefore the same.

use crate::class::{Class, Shape};
use crate::frame::{Res, Trap};
use crate::heap::{ELEMENTS_OFFSET, FIELDS_OFFSET};
use crate::native::{Args, NativeRow, nothing};
use crate::value::{ClassId, Kind, Ref};
use crate::vm::Vm;

const UNSAFE: &str = "jdk/internal/misc/Unsafe";

macro_rules! rows {
    ($($get:literal $put:literal $letter:literal $getter:ident $putter:ident,)*) => {
        pub(crate) const NATIVES: &[NativeRow] = &[
            $(
                (UNSAFE, $get, concat!("(Ljava/lang/Object;J)", $letter), $getter),
                (UNSAFE, concat!($get, "Volatile"), concat!("(Ljava/lang/Object;J)", $letter), $getter),
                (UNSAFE, $put, concat!("(Ljava/lang/Object;J", $letter, ")V"), $putter),
                (UNSAFE, concat!($put, "Volatile"), concat!("(Ljava/lang/Object;J", $letter, ")V"), $putter),
            )*
            (UNSAFE, "compareAndSetInt", "(Ljava/lang/Object;JII)Z", compare_and_set_int),
            (UNSAFE, "compareAndSetLong", "(Ljava/lang/Object;JJJ)Z", compare_and_set_long),
            (
                UNSAFE,
                "compareAndSetReference",
                "(Ljava/lang/Object;JLjava/lang/Object;Ljava/lang/Object;)Z",
                compare_and_set_reference,
            ),
            (UNSAFE, "compareAndExchangeInt", "(Ljava/lang/Object;JII)I", compare_and_exchange_int),
            (UNSAFE, "compareAndExchangeLong", "(Ljava/lang/Object;JJJ)J", compare_and_exchange_long),
            (
                UNSAFE,
                "compareAndExchangeReference",
                "(Ljava/lang/Object;JLjava/lang/Object;Ljava/lang/Object;)Ljava/lang/Object;",
                compare_and_exchange_reference,
            ),
            (UNSAFE, "fullFence", "()V", nothing),
            (UNSAFE, "loadFence", "()V", nothing),
            (UNSAFE, "storeFence", "()V", nothing),
        ];
    };
}

rows! {
    "getBoolean" "putBoolean" "Z" get_boolean put_byte,
    "getByte" "putByte" "B" get_byte put_byte,
    "getChar" "putChar" "C" get_char put_short,
    "getShort" "putShort" "S" get_short put_short,
    "getInt" "putInt" "I" get_int put_int,
    "getFloat" "putFloat" "F" get_int put_int,
    "getLong" "putLong" "J" get_long put_long,
    "getDouble" "putDouble" "D" get_long put_long,
    "getReference" "putReference" "Ljava/lang/Object;" get_reference put_reference,
}

/// Reads the common arguments: the `Unsafe` itself, base and offset.
fn base_and_offset(args: &mut Args<'_>) -> (Ref, i64) {
    args.reference();
    let base = args.reference();
    (base, args.long())
}

fn wild(vm: &mut Vm, base: Ref, offset: i64) -> Trap {
    let text = if base.is_null() {
        format!("unsafe access outside of raw memory, at {offset:#x}")
    } else {
        let class = vm.class(vm.class_of(base)).external_name();
        format!("unsafe access outside of an instance of {class}, at offset {offset}")
    };
    vm.throw("java/lang/InternalError", &text)
}

/// Where `size` bytes of a primitive lie: an object (or the raw region) and an offset in it.
fn primitive_place(vm: &mut Vm, base: Ref, offset: i64, size: u32) -> Res<(Ref, u32)> {
    let place = if base.is_null() {
        vm.heap.raw_place(offset.cast_unsigned(), size as usize)
    } else {
        u32::try_from(offset)
            .ok()
            .filter(|&at| is_primitive(vm, base, at, size))
            .map(|at| (base, at))
    };
    place.ok_or_else(|| wild(vm, base, offset))
}

/// Whether a range of an object holds primitive data only.
pub(super) fn is_primitive(vm: &Vm, base: Ref, offset: u32, size: u32) -> bool {
    let class = vm.class(vm.class_of(base));
    let Some(end) = offset.checked_add(size) else { return false };
    if let Shape::Array { element, .. } = class.shape {
        let length = u64::from(vm.heap.array_length(base)) * u64::from(element.size());
        return element != Kind::Ref
            && ELEMENTS_OFFSET <= offset
            && u64::from(end) <= u64::from(ELEMENTS_OFFSET) + length;
    }
    let overlaps = |&at: &u32| at < end && offset < at + 4;
    if let Some(statics) = statics_behind(vm, base, class.id)
        && offset >= vm.known.mirror_size
    {
        let statics = vm.class(statics);
        return end <= vm.known.mirror_size + statics.statics_size
            && !statics.static_ref_offsets.iter().any(overlaps);
    }
    FIELDS_OFFSET <= offset
        && end <= class.instance_size
        && !class.ref_offsets.iter().any(overlaps)
        && !is_ours(vm, class, offset, end)
}

/// Whether a range touches a field that the machine added to a class for itself, such as the
/// class behind a mirror.
fn is_ours(vm: &Vm, class: &Class, offset: u32, end: u32) -> bool {
    let known = &vm.known;
    [known.class, known.class_loader, known.member_name, known.resolved_method_name]
        .into_iter()
        .filter(|holder| class.supers.contains(holder))
        .flat_map(|holder| vm.class(holder).fields.iter())
        .any(|field| {
            field.injected && field.offset < end && offset < field.offset + field.kind.size()
        })
}

/// Whether an offset of an object is a slot for a reference.
fn is_reference(vm: &Vm, base: Ref, offset: u32) -> bool {
    let class = vm.class(vm.class_of(base));
    if let Shape::Array { element, .. } = class.shape {
        let length = u64::from(vm.heap.array_length(base)) * 4;
        return element == Kind::Ref
            && ELEMENTS_OFFSET <= offset
            && offset.is_multiple_of(4)
            && u64::from(offset) < u64::from(ELEMENTS_OFFSET) + length;
    }
    if let Some(statics) = statics_behind(vm, base, class.id)
        && vm.class(statics).static_ref_offsets.contains(&offset)
    {
        return true;
    }
    class.ref_offsets.contains(&offset) && !is_ours(vm, class, offset, offset + 4)
}

/// The class whose static fields lie behind an object, if it is a mirror.
fn statics_behind(vm: &Vm, base: Ref, class: ClassId) -> Option<ClassId> {
    (class == vm.known.class).then(|| vm.class_of_mirror(base))
}

fn reference_place(vm: &mut Vm, base: Ref, offset: i64) -> Res<(Ref, u32)> {
    let place = match u32::try_from(offset) {
        Ok(at) if !base.is_null() && is_reference(vm, base, at) => Some((base, at)),
        _ => None,
    };
    place.ok_or_else(|| wild(vm, base, offset))
}

/// What a program that looks at an object's header sees: the word that HotSpot keeps there for an
/// object that nobody has locked, with the identity hash where it was asked for.
#[inline]
fn header_bytes(vm: &Vm, base: Ref, offset: i64, size: usize) -> Option<Vec<u8>> {
    const UNLOCKED: u64 = 1;
    if offset >= i64::from(FIELDS_OFFSET) {
        return None;
    }
    let at = usize::try_from(offset).ok()?;
    let shift = if vm.jdk < 24 { 8 } else { 11 };
    let word = u64::from(vm.given_hash(base)) << shift | UNLOCKED;
    word.to_le_bytes().get(at..at + size).map(<[u8]>::to_vec)
}

/// Reads `N` bytes of primitive data; the read-only windows on raw addresses included.
#[inline]
fn load<const N: usize>(vm: &mut Vm, mut args: Args<'_>) -> Res<[u8; N]> {
    let (base, offset) = base_and_offset(&mut args);
    if base.is_null() {
        let bytes = vm.raw_bytes(offset, N).and_then(|bytes| bytes.try_into().ok());
        return bytes.ok_or_else(|| wild(vm, base, offset));
    }
    let mut bytes = [0; N];
    if let Some(header) = header_bytes(vm, base, offset, N) {
        bytes.copy_from_slice(&header);
        return Ok(bytes);
    }
    #[expect(clippy::cast_possible_truncation, reason = "N is at most eight")]
    let (object, at) = primitive_place(vm, base, offset, N as u32)?;
    bytes.copy_from_slice(vm.heap.bytes(object, at, N));
    Ok(bytes)
}

fn get_boolean(vm: &mut Vm, args: Args<'_>) -> Res<u64> {
    Ok(u64::from(load::<1>(vm, args)?[0] != 0))
}

fn get_byte(vm: &mut Vm, args: Args<'_>) -> Res<u64> {
    Ok(int_word(i32::from(i8::from_le_bytes(load(vm, args)?))))
}

fn get_char(vm: &mut Vm, args: Args<'_>) -> Res<u64> {
    Ok(u64::from(u16::from_le_bytes(load(vm, args)?)))
}

fn get_short(vm: &mut Vm, args: Args<'_>) -> Res<u64> {
    Ok(int_word(i32::from(i16::from_le_bytes(load(vm, args)?))))
}

fn get_int(vm: &mut Vm, args: Args<'_>) -> Res<u64> {
    Ok(u64::from(u32::from_le_bytes(load(vm, args)?)))
}

fn get_long(vm: &mut Vm, args: Args<'_>) -> Res<u64> {
    Ok(u64::from_le_bytes(load(vm, args)?))
}

fn int_word(value: i32) -> u64 {
    u64::from(value.cast_unsigned())
}

#[expect(clippy::cast_possible_truncation, reason = "only the low byte is stored")]
fn put_byte(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let (base, offset) = base_and_offset(&mut args);
    let value = args.int() as u8;
    let (object, at) = primitive_place(vm, base, offset, 1)?;
    vm.heap.store_u8(object, at, value);
    Ok(0)
}

#[expect(clippy::cast_possible_truncation, reason = "only the low half is stored")]
fn put_short(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let (base, offset) = base_and_offset(&mut args);
    let value = args.int() as u16;
    let (object, at) = primitive_place(vm, base, offset, 2)?;
    vm.heap.store_u16(object, at, value);
    Ok(0)
}

fn put_int(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let (base, offset) = base_and_offset(&mut args);
    let value = args.int().cast_unsigned();
    let (object, at) = primitive_place(vm, base, offset, 4)?;
    vm.heap.store_u32(object, at, value);
    Ok(0)
}

fn put_long(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let (base, offset) = base_and_offset(&mut args);
    let value = args.long().cast_unsigned();
    let (object, at) = primitive_place(vm, base, offset, 8)?;
    vm.heap.store_u64(object, at, value);
    Ok(0)
}

fn get_reference(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let (base, offset) = base_and_offset(&mut args);
    let (object, at) = reference_place(vm, base, offset)?;
    Ok(vm.heap.load_ref(object, at).to_slot())
}

fn put_reference(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let (base, offset) = base_and_offset(&mut args);
    let value = args.reference();
    let (object, at) = reference_place(vm, base, offset)?;
    vm.heap.store_ref(object, at, value);
    Ok(0)
}

/// Stores `new` if the slot holds `expected`; gives what it held.
fn exchange_int(vm: &mut Vm, mut args: Args<'_>) -> Res<(u32, bool)> {
    let (base, offset) = base_and_offset(&mut args);
    let expected = args.int().cast_unsigned();
    let new = args.int().cast_unsigned();
    let (object, at) = primitive_place(vm, base, offset, 4)?;
    let held = vm.heap.load_u32(object, at);
    if held == expected {
        vm.heap.store_u32(object, at, new);
    }
    Ok((held, held == expected))
}

fn exchange_long(vm: &mut Vm, mut args: Args<'_>) -> Res<(u64, bool)> {
    let (base, offset) = base_and_offset(&mut args);
    let expected = args.long().cast_unsigned();
    let new = args.long().cast_unsigned();
    let (object, at) = primitive_place(vm, base, offset, 8)?;
    let held = vm.heap.load_u64(object, at);
    if held == expected {
        vm.heap.store_u64(object, at, new);
    }
    Ok((held, held == expected))
}

fn exchange_reference(vm: &mut Vm, mut args: Args<'_>) -> Res<(Ref, bool)> {
    let (base, offset) = base_and_offset(&mut args);
    let expected = args.reference();
    let new = args.reference();
    let (object, at) = reference_place(vm, base, offset)?;
    let held = vm.heap.load_ref(object, at);
    if held == expected {
        vm.heap.store_ref(object, at, new);
    }
    Ok((held, held == expected))
}

fn compare_and_set_int(vm: &mut Vm, args: Args<'_>) -> Res<u64> {
    Ok(u64::from(exchange_int(vm, args)?.1))
}

fn compare_and_set_long(vm: &mut Vm, args: Args<'_>) -> Res<u64> {
    Ok(u64::from(exchange_long(vm, args)?.1))
}

fn compare_and_set_reference(vm: &mut Vm, args: Args<'_>) -> Res<u64> {
    Ok(u64::from(exchange_reference(vm, args)?.1))
}

fn compare_and_exchange_int(vm: &mut Vm, args: Args<'_>) -> Res<u64> {
    Ok(u64::from(exchange_int(vm, args)?.0))
}

fn compare_and_exchange_long(vm: &mut Vm, args: Args<'_>) -> Res<u64> {
    Ok(exchange_long(vm, args)?.0)
}

fn compare_and_exchange_reference(vm: &mut Vm, args: Args<'_>) -> Res<u64> {
    Ok(exchange_reference(vm, args)?.0.to_slot())
}
