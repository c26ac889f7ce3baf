//! Accesses through var handles: of fields, of array elements, and of `byte[]` as wider numbers.
//!
//! A call of a var handle is linked to a guard, which compares the types of the handle and of the call and
//! goes on to a static method of the handle's class. The guard is one intrinsic, the methods behind it
//! are others with the same arguments in front, so that both run without a frame.

use super::memory::{Flag, Word, load, primitive_at, reference_at, store};
use super::{Intrinsic, Row, word};
use crate::class::MethodRt;
use crate::heap::{ELEMENTS_OFFSET, LENGTH_OFFSET};
use crate::value::{ClassId, Kind, Ref};
use crate::vm::Vm;

/// What a class of var handles accesses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// Something else.
    Other,
    /// An instance field.
    Field,
    /// An array element.
    Array,
    /// Some bytes of a `byte[]`.
    Bytes,
}

/// What is known of a class of var handles. Offsets are those of its fields.
#[derive(Debug, Clone, Copy)]
struct Facts {
    class: u32,
    form: Form,
    /// Kind of the value.
    kind: Kind,
    /// `receiverType` or `arrayType`.
    holder: u32,
    /// `fieldOffset` or `be`.
    place: u32,
    /// `fieldType` or `componentType` of references.
    value: u32,
}

/// Field offsets on the way from a handle to its method.
#[derive(Debug, Clone, Copy)]
struct Path {
    exact: u32,
    form: u32,
    types: u32,
    members: u32,
    access_type: u32,
    access_mode: u32,
    erased: u32,
    returns: u32,
}

/// What one machine found out about var handles.
#[derive(Debug, Default)]
pub(crate) struct HandleFacts {
    path: Option<Path>,
    by_class: [Option<Facts>; 16],
}

const TYPE: &str = "Ljava/lang/Class;";

/// The facts about the class of a handle; `None` for a handle that is null.
#[inline(always)]
unsafe fn facts(vm: *mut Vm, heap: *mut u8, handle: u32) -> Option<Facts> {
    // SAFETY: a reference that is not null is valid.
    unsafe {
        if handle == 0 {
            return None;
        }
        let class = word!(heap, handle, 0, u32);
        match (*vm).run.handles.by_class[class as usize % 16] {
            Some(facts) if facts.class == class => Some(facts),
            _ => Some(find_facts(&mut *vm, class)),
        }
    }
}

#[cold]
#[inline(never)]
fn find_facts(vm: &mut Vm, class: u32) -> Facts {
    let facts = facts_of(vm, class).unwrap_or(Facts {
        class,
        form: Form::Other,
        kind: Kind::Void,
        holder: 0,
        place: 0,
        value: 0,
    });
    // A class that a rollback takes back may leave its number to another one.
    if vm.classes[class as usize].made_at == 0 {
        vm.run.handles.by_class[class as usize % 16] = Some(facts);
    }
    facts
}

fn facts_of(vm: &Vm, id: u32) -> Option<Facts> {
    let class = vm.class(ClassId(id));
    let name = std::str::from_utf8(class.name.as_bytes()).ok()?;
    let (kind, form) = name.strip_prefix("java/lang/invoke/VarHandle")?.split_once('$')?;
    let (kind, form) = match (kind.strip_prefix("ByteArrayAs"), form) {
        (Some(kind), "ArrayHandle") => (kind, Form::Bytes),
        (None, "FieldInstanceReadOnly" | "FieldInstanceReadWrite") => (kind, Form::Field),
        (None, "Array") => (kind, Form::Array),
        _ => return None,
    };
    let kind = match kind {
        "Booleans" => Kind::Boolean,
        "Bytes" => Kind::Byte,
        "Chars" => Kind::Char,
        "Shorts" => Kind::Short,
        "Ints" => Kind::Int,
        "Longs" => Kind::Long,
        "Floats" => Kind::Float,
        "Doubles" => Kind::Double,
        "References" => Kind::Ref,
        _ => return None,
    };
    let offset = |name: &str, descriptor: &str| vm.try_field_offset(ClassId(id), name, descriptor);
    let (holder, place) = match form {
        Form::Field => (offset("receiverType", TYPE)?, offset("fieldOffset", "J")?),
        Form::Array if kind == Kind::Ref => (offset("arrayType", TYPE)?, 0),
        Form::Bytes => (0, offset("be", "Z")?),
        Form::Array | Form::Other => (0, 0),
    };
    let value = match form {
        Form::Field if kind == Kind::Ref => offset("fieldType", TYPE)?,
        Form::Array if kind == Kind::Ref => offset("componentType", TYPE)?,
        _ => 0,
    };
    Some(Facts { class: id, form, kind, holder, place, value })
}

/// The guard for calls with this many registers of arguments, if the method is one.
pub(super) fn guard(class: &str, name: &str, n_registers: u16) -> Option<Intrinsic> {
    if class != "java/lang/invoke/VarHandleGuards" || !name.starts_with("guard_") {
        return None;
    }
    let gives_reference = name.ends_with("_L");
    macro_rules! guards {
        ($($n:literal)*) => {
            match (n_registers, gives_reference) {
                $(($n, false) => Some(run_guard::<$n, false>),
                ($n, true) => Some(run_guard::<$n, true>),)*
                _ => None,
            }
        };
    }
    guards! { 2 3 4 5 6 7 8 9 }
}

unsafe fn run_guard<const N: usize, const REFERENCE: bool>(
    vm: *mut Vm,
    heap: *mut u8,
    args: *mut u64,
) -> bool {
    // SAFETY: arguments are registers, the descriptor of the access is the last one.
    unsafe {
        let (handle, access) = (*args as u32, *args.add(N - 1) as u32);
        match behind_guard::<REFERENCE>(vm, heap, handle, access) {
            Some(function) => function(vm, heap, args),
            None => false,
        }
    }
}

/// What runs the access, if it is one that the guard lets through as it is.
#[inline(always)]
unsafe fn behind_guard<const REFERENCE: bool>(
    vm: *mut Vm,
    heap: *mut u8,
    handle: u32,
    access: u32,
) -> Option<Intrinsic> {
    // SAFETY: references that are not null are valid; indices are checked.
    unsafe {
        let facts = facts(vm, heap, handle)?;
        if facts.form == Form::Other || access == 0 {
            return None;
        }
        let path = match (*vm).run.handles.path {
            Some(path) => path,
            None => find_path(&mut *vm, Ref(handle), Ref(access))?,
        };
        if word!(heap, handle, path.exact, u8) != 0 {
            return None;
        }
        let form = word!(heap, handle, path.form, u32);
        if form == 0 {
            return None;
        }
        let element = |array: u32, idx: u32| {
            let fits = array != 0 && idx < word!(heap, array, LENGTH_OFFSET, u32);
            fits.then(|| word!(heap, array, ELEMENTS_OFFSET + idx * 4, u32))
        };
        let types = word!(heap, form, path.types, u32);
        let own = element(types, word!(heap, access, path.access_type, u32))?;
        if own == 0 || own != word!(heap, access, path.erased, u32) {
            return None;
        }
        if REFERENCE {
            // What lies there is of the handle's type, so that the guard's cast to it succeeds.
            let wanted = word!(heap, access, path.returns, u32);
            let object = (*vm).mirror((*vm).known.object).0;
            if facts.value == 0
                || wanted != object && wanted != word!(heap, handle, facts.value, u32)
            {
                return None;
            }
        }
        let members = word!(heap, form, path.members, u32);
        let member = Ref(element(members, word!(heap, access, path.access_mode, u32))?).some()?;
        let target = (*vm).member_target(member);
        let rt: *const MethodRt = (*vm).methods.rt(target);
        if (*rt).is_looked_up {
            (*rt).intrinsic
        } else {
            (*vm).intrinsic_of(target).map(|(function, _)| function)
        }
    }
}

#[cold]
#[inline(never)]
fn find_path(vm: &mut Vm, handle: Ref, access: Ref) -> Option<Path> {
    let handle_class = vm.class_of(handle);
    let form = vm.try_field_offset(handle_class, "vform", "Ljava/lang/invoke/VarForm;")?;
    let form_class = vm.class_of(vm.heap.load_ref(handle, form).some()?);
    let access_class = vm.class_of(access);
    let method_type = "Ljava/lang/invoke/MethodType;";
    let path = Path {
        exact: vm.try_field_offset(handle_class, "exact", "Z")?,
        form,
        types: vm.try_field_offset(
            form_class,
            "methodType_table",
            "[Ljava/lang/invoke/MethodType;",
        )?,
        members: vm.try_field_offset(
            form_class,
            "memberName_table",
            "[Ljava/lang/invoke/MemberName;",
        )?,
        access_type: vm.try_field_offset(access_class, "type", "I")?,
        access_mode: vm.try_field_offset(access_class, "mode", "I")?,
        erased: vm.try_field_offset(access_class, "symbolicMethodTypeErased", method_type)?,
        returns: vm.try_field_offset(access_class, "returnType", TYPE)?,
    };
    vm.run.handles.path = Some(path);
    Some(path)
}

/// The class behind a mirror in a field.
#[inline(always)]
unsafe fn class_in(vm: *mut Vm, heap: *mut u8, object: u32, offset: u32) -> Option<ClassId> {
    // SAFETY: the object is valid and has the field.
    unsafe { Some((*vm).class_of_mirror(Ref(word!(heap, object, offset, u32)).some()?)) }
}

/// Whether a reference may stand where a class is wanted.
#[inline(always)]
unsafe fn is_of(vm: *mut Vm, heap: *mut u8, value: u32, class: ClassId) -> bool {
    // SAFETY: a reference that is not null is valid.
    unsafe {
        value == 0 || {
            let own = word!(heap, value, 0, u32);
            own == class.0 || (*vm).is_subtype(ClassId(own), class)
        }
    }
}

/// Numbers of the forms, as parameters.
const FIELD: u8 = 0;
const ARRAY: u8 = 1;

/// A value of some kind.
trait Valued {
    type Memory: Word;
    const KIND: Kind;
}

macro_rules! kinds {
    ($($name:ident: $memory:ty;)*) => { $(
        struct $name;
        impl Valued for $name {
            type Memory = $memory;
            const KIND: Kind = Kind::$name;
        }
    )* };
}

kinds! {
    Boolean: Flag;
    Byte: i8;
    Char: u16;
    Short: i16;
    Int: u32;
    Long: u64;
    Float: u32;
    Double: u64;
}

/// Where the value lies in the heap, and the register of the argument behind the coordinates.
#[inline(always)]
unsafe fn place<V: Valued, const FORM: u8>(
    vm: *mut Vm,
    heap: *mut u8,
    args: *mut u64,
) -> Option<(usize, usize)> {
    // SAFETY: arguments are registers; references are valid; the place is checked.
    unsafe {
        let handle = *args as u32;
        let facts = facts(vm, heap, handle)?;
        let holder = *args.add(1) as u32;
        let form = if FORM == FIELD { Form::Field } else { Form::Array };
        if facts.kind != V::KIND || facts.form != form || holder == 0 {
            return None;
        }
        if FORM == FIELD {
            if !is_of(vm, heap, holder, class_in(vm, heap, handle, facts.holder)?) {
                return None;
            }
            let offset = word!(heap, handle, facts.place, u64);
            return Some((primitive_at(vm, heap, holder, offset, V::Memory::SIZE)?, 2));
        }
        let idx = *args.add(2) as u32;
        let is_array = word!(heap, holder, 0, u32) == (*vm).known.arrays[V::KIND as usize].0;
        if !is_array || idx >= word!(heap, holder, LENGTH_OFFSET, u32) {
            return None;
        }
        let at = ELEMENTS_OFFSET as usize + idx as usize * V::Memory::SIZE;
        Some((((holder as usize) << 3) + at, 3))
    }
}

unsafe fn get<V: Valued, const FORM: u8>(vm: *mut Vm, heap: *mut u8, args: *mut u64) -> bool {
    // SAFETY: the place is checked.
    unsafe {
        let Some((at, _)) = place::<V, FORM>(vm, heap, args) else { return false };
        *args = load::<V::Memory>(heap, at).to_slot();
    }
    true
}

unsafe fn set<V: Valued, const FORM: u8>(vm: *mut Vm, heap: *mut u8, args: *mut u64) -> bool {
    // SAFETY: as above.
    unsafe {
        let Some((at, next)) = place::<V, FORM>(vm, heap, args) else { return false };
        store(vm, heap, at, V::Memory::of_slot(*args.add(next)));
    }
    true
}

/// `compareAndSet` and its like, or `compareAndExchange` (`HELD`).
unsafe fn exchange<V: Valued, const FORM: u8, const HELD: bool>(
    vm: *mut Vm,
    heap: *mut u8,
    args: *mut u64,
) -> bool {
    // SAFETY: as above.
    unsafe {
        let Some((at, next)) = place::<V, FORM>(vm, heap, args) else { return false };
        let held = load::<V::Memory>(heap, at).to_slot();
        let is_equal = held == V::Memory::of_slot(*args.add(next)).to_slot();
        if is_equal {
            let new = *args.add(next + V::Memory::REGISTERS);
            store(vm, heap, at, V::Memory::of_slot(new));
        }
        *args = if HELD { held } else { u64::from(is_equal) };
    }
    true
}

/// `getAndSet`, or `getAndAdd` (`ADD`).
unsafe fn get_and<V: Valued, const FORM: u8, const ADD: bool>(
    vm: *mut Vm,
    heap: *mut u8,
    args: *mut u64,
) -> bool {
    // SAFETY: as above.
    unsafe {
        let Some((at, next)) = place::<V, FORM>(vm, heap, args) else { return false };
        let (held, value) = (load::<V::Memory>(heap, at).to_slot(), *args.add(next));
        store(vm, heap, at, V::Memory::of_slot(if ADD { held.wrapping_add(value) } else { value }));
        *args = held;
    }
    true
}

/// A slot for a reference: object, offset, what may stand there, and the register of the argument
/// behind the coordinates.
#[inline(always)]
unsafe fn reference_place<const FORM: u8>(
    vm: *mut Vm,
    heap: *mut u8,
    args: *mut u64,
) -> Option<(Ref, u32, ClassId, usize)> {
    // SAFETY: arguments are registers; references are valid; the place is checked.
    unsafe {
        let handle = *args as u32;
        let facts = facts(vm, heap, handle)?;
        let object = *args.add(1) as u32;
        let form = if FORM == FIELD { Form::Field } else { Form::Array };
        if facts.kind != Kind::Ref || facts.form != form || object == 0 {
            return None;
        }
        let holder = class_in(vm, heap, handle, facts.holder)?;
        let value = class_in(vm, heap, handle, facts.value)?;
        if FORM == FIELD {
            if !is_of(vm, heap, object, holder) {
                return None;
            }
            let offset = word!(heap, handle, facts.place, u64);
            return Some((Ref(object), reference_at(vm, heap, object, offset)?, value, 2));
        }
        let idx = *args.add(2) as u32;
        let is_array = word!(heap, object, 0, u32) == holder.0;
        if !is_array || idx >= word!(heap, object, LENGTH_OFFSET, u32) {
            return None;
        }
        Some((Ref(object), ELEMENTS_OFFSET + idx * 4, value, 3))
    }
}

unsafe fn get_reference<const FORM: u8>(vm: *mut Vm, heap: *mut u8, args: *mut u64) -> bool {
    // SAFETY: the place is checked.
    unsafe {
        let Some((object, at, ..)) = reference_place::<FORM>(vm, heap, args) else { return false };
        *args = (*vm).heap.load_ref(object, at).to_slot();
    }
    true
}

/// `set` and its like, or `getAndSet` (`HELD`).
unsafe fn set_reference<const FORM: u8, const HELD: bool>(
    vm: *mut Vm,
    heap: *mut u8,
    args: *mut u64,
) -> bool {
    // SAFETY: as above.
    unsafe {
        let Some((object, at, class, next)) = reference_place::<FORM>(vm, heap, args) else {
            return false;
        };
        let value = Ref::from_slot(*args.add(next));
        if !is_of(vm, heap, value.0, class) {
            return false;
        }
        let held = (*vm).heap.load_ref(object, at);
        (*vm).heap.store_ref(object, at, value);
        if HELD {
            *args = held.to_slot();
        }
    }
    true
}

/// `compareAndSet` and its like, or `compareAndExchange` (`HELD`).
unsafe fn exchange_reference<const FORM: u8, const HELD: bool>(
    vm: *mut Vm,
    heap: *mut u8,
    args: *mut u64,
) -> bool {
    // SAFETY: as above.
    unsafe {
        let Some((object, at, class, next)) = reference_place::<FORM>(vm, heap, args) else {
            return false;
        };
        let (expected, new) =
            (Ref::from_slot(*args.add(next)), Ref::from_slot(*args.add(next + 1)));
        if !is_of(vm, heap, expected.0, class) || !is_of(vm, heap, new.0, class) {
            return false;
        }
        let held = (*vm).heap.load_ref(object, at);
        if held == expected {
            (*vm).heap.store_ref(object, at, new);
        }
        *args = if HELD { held.to_slot() } else { u64::from(held == expected) };
    }
    true
}

/// Where a number lies in a `byte[]`, and whether its most significant byte comes first.
#[inline(always)]
unsafe fn bytes_place<V: Valued>(
    vm: *mut Vm,
    heap: *mut u8,
    args: *mut u64,
) -> Option<(usize, bool)> {
    // SAFETY: arguments are registers; references are valid; the place is checked.
    unsafe {
        let (handle, array, idx) = (*args as u32, *args.add(1) as u32, *args.add(2) as u32);
        let facts = facts(vm, heap, handle)?;
        let is_view = facts.kind == V::KIND && facts.form == Form::Bytes;
        if !is_view
            || array == 0
            || word!(heap, array, 0, u32) != (*vm).known.arrays[Kind::Byte as usize].0
            || idx as usize + V::Memory::SIZE > word!(heap, array, LENGTH_OFFSET, u32) as usize
        {
            return None;
        }
        let at = ((array as usize) << 3) + (ELEMENTS_OFFSET as usize) + idx as usize;
        Some((at, word!(heap, handle, facts.place, u8) != 0))
    }
}

unsafe fn get_bytes<V: Valued>(vm: *mut Vm, heap: *mut u8, args: *mut u64) -> bool {
    // SAFETY: the place is checked.
    unsafe {
        let Some((at, is_big)) = bytes_place::<V>(vm, heap, args) else { return false };
        let value = load::<V::Memory>(heap, at);
        *args = if is_big { value.swapped() } else { value }.to_slot();
    }
    true
}

unsafe fn set_bytes<V: Valued>(vm: *mut Vm, heap: *mut u8, args: *mut u64) -> bool {
    // SAFETY: as above.
    unsafe {
        let Some((at, is_big)) = bytes_place::<V>(vm, heap, args) else { return false };
        let value = V::Memory::of_slot(*args.add(3));
        store(vm, heap, at, if is_big { value.swapped() } else { value });
    }
    true
}

/// The handle and the object or array, as the descriptors of all methods begin.
macro_rules! handle {
    () => {
        "Ljava/lang/invoke/VarHandle;Ljava/lang/Object;"
    };
}

macro_rules! field {
    ($class:literal, $form:literal) => {
        concat!("java/lang/invoke/VarHandle", $class, "$FieldInstance", $form)
    };
}

macro_rules! array {
    ($class:literal) => {
        concat!("java/lang/invoke/VarHandle", $class, "$Array")
    };
}

/// Accesses of all strengths are alike, since threads switch between instructions only.
macro_rules! rows {
    (
        values { $($class:literal $letter:literal $get:expr, $set:expr, $get_at:expr, $set_at:expr;)* }
        atomic { $($atom:literal $one:literal $cas:expr, $cax:expr, $gas:expr, $cas_at:expr, $cax_at:expr, $gas_at:expr;)* }
        adding { $($sum:literal $digit:literal $add:expr, $add_at:expr;)* }
        bytes { $($view:literal $wide:literal $get_wide:expr, $set_wide:expr;)* }
    ) => {
        pub(super) const READS: &[Row] = &[
            $(
                (field!($class, "ReadOnly"), "get", concat!("(", handle!(), ")", $letter), $get),
                (field!($class, "ReadOnly"), "getVolatile", concat!("(", handle!(), ")", $letter), $get),
                (field!($class, "ReadOnly"), "getOpaque", concat!("(", handle!(), ")", $letter), $get),
                (field!($class, "ReadOnly"), "getAcquire", concat!("(", handle!(), ")", $letter), $get),
                (array!($class), "get", concat!("(", handle!(), "I)", $letter), $get_at),
                (array!($class), "getVolatile", concat!("(", handle!(), "I)", $letter), $get_at),
                (array!($class), "getOpaque", concat!("(", handle!(), "I)", $letter), $get_at),
                (array!($class), "getAcquire", concat!("(", handle!(), "I)", $letter), $get_at),
            )*
            $(
                (concat!("java/lang/invoke/VarHandleByteArrayAs", $view, "$ArrayHandle"), "get", concat!("(", handle!(), "I)", $wide), $get_wide),
            )*
        ];

        pub(super) const WRITES: &[Row] = &[
            $(
                (field!($class, "ReadWrite"), "set", concat!("(", handle!(), $letter, ")V"), $set),
                (field!($class, "ReadWrite"), "setVolatile", concat!("(", handle!(), $letter, ")V"), $set),
                (field!($class, "ReadWrite"), "setOpaque", concat!("(", handle!(), $letter, ")V"), $set),
                (field!($class, "ReadWrite"), "setRelease", concat!("(", handle!(), $letter, ")V"), $set),
                (array!($class), "set", concat!("(", handle!(), "I", $letter, ")V"), $set_at),
                (array!($class), "setVolatile", concat!("(", handle!(), "I", $letter, ")V"), $set_at),
                (array!($class), "setOpaque", concat!("(", handle!(), "I", $letter, ")V"), $set_at),
                (array!($class), "setRelease", concat!("(", handle!(), "I", $letter, ")V"), $set_at),
            )*
            $(
                (field!($atom, "ReadWrite"), "compareAndSet", concat!("(", handle!(), $one, $one, ")Z"), $cas),
                (field!($atom, "ReadWrite"), "weakCompareAndSet", concat!("(", handle!(), $one, $one, ")Z"), $cas),
                (field!($atom, "ReadWrite"), "weakCompareAndSetPlain", concat!("(", handle!(), $one, $one, ")Z"), $cas),
                (field!($atom, "ReadWrite"), "weakCompareAndSetAcquire", concat!("(", handle!(), $one, $one, ")Z"), $cas),
                (field!($atom, "ReadWrite"), "weakCompareAndSetRelease", concat!("(", handle!(), $one, $one, ")Z"), $cas),
                (field!($atom, "ReadWrite"), "compareAndExchange", concat!("(", handle!(), $one, $one, ")", $one), $cax),
                (field!($atom, "ReadWrite"), "compareAndExchangeAcquire", concat!("(", handle!(), $one, $one, ")", $one), $cax),
                (field!($atom, "ReadWrite"), "compareAndExchangeRelease", concat!("(", handle!(), $one, $one, ")", $one), $cax),
                (field!($atom, "ReadWrite"), "getAndSet", concat!("(", handle!(), $one, ")", $one), $gas),
                (field!($atom, "ReadWrite"), "getAndSetAcquire", concat!("(", handle!(), $one, ")", $one), $gas),
                (field!($atom, "ReadWrite"), "getAndSetRelease", concat!("(", handle!(), $one, ")", $one), $gas),
                (array!($atom), "compareAndSet", concat!("(", handle!(), "I", $one, $one, ")Z"), $cas_at),
                (array!($atom), "weakCompareAndSet", concat!("(", handle!(), "I", $one, $one, ")Z"), $cas_at),
                (array!($atom), "weakCompareAndSetPlain", concat!("(", handle!(), "I", $one, $one, ")Z"), $cas_at),
                (array!($atom), "weakCompareAndSetAcquire", concat!("(", handle!(), "I", $one, $one, ")Z"), $cas_at),
                (array!($atom), "weakCompareAndSetRelease", concat!("(", handle!(), "I", $one, $one, ")Z"), $cas_at),
                (array!($atom), "compareAndExchange", concat!("(", handle!(), "I", $one, $one, ")", $one), $cax_at),
                (array!($atom), "compareAndExchangeAcquire", concat!("(", handle!(), "I", $one, $one, ")", $one), $cax_at),
                (array!($atom), "compareAndExchangeRelease", concat!("(", handle!(), "I", $one, $one, ")", $one), $cax_at),
                (array!($atom), "getAndSet", concat!("(", handle!(), "I", $one, ")", $one), $gas_at),
                (array!($atom), "getAndSetAcquire", concat!("(", handle!(), "I", $one, ")", $one), $gas_at),
                (array!($atom), "getAndSetRelease", concat!("(", handle!(), "I", $one, ")", $one), $gas_at),
            )*
            $(
                (field!($sum, "ReadWrite"), "getAndAdd", concat!("(", handle!(), $digit, ")", $digit), $add),
                (field!($sum, "ReadWrite"), "getAndAddAcquire", concat!("(", handle!(), $digit, ")", $digit), $add),
                (field!($sum, "ReadWrite"), "getAndAddRelease", concat!("(", handle!(), $digit, ")", $digit), $add),
                (array!($sum), "getAndAdd", concat!("(", handle!(), "I", $digit, ")", $digit), $add_at),
                (array!($sum), "getAndAddAcquire", concat!("(", handle!(), "I", $digit, ")", $digit), $add_at),
                (array!($sum), "getAndAddRelease", concat!("(", handle!(), "I", $digit, ")", $digit), $add_at),
            )*
            $(
                (concat!("java/lang/invoke/VarHandleByteArrayAs", $view, "$ArrayHandle"), "set", concat!("(", handle!(), "I", $wide, ")V"), $set_wide),
            )*
        ];
    };
}

#[rustfmt::skip]
rows! {
    values {
        "Booleans" "Z" get::<Boolean, FIELD>, set::<Boolean, FIELD>, get::<Boolean, ARRAY>, set::<Boolean, ARRAY>;
        "Bytes" "B" get::<Byte, FIELD>, set::<Byte, FIELD>, get::<Byte, ARRAY>, set::<Byte, ARRAY>;
        "Chars" "C" get::<Char, FIELD>, set::<Char, FIELD>, get::<Char, ARRAY>, set::<Char, ARRAY>;
        "Shorts" "S" get::<Short, FIELD>, set::<Short, FIELD>, get::<Short, ARRAY>, set::<Short, ARRAY>;
        "Ints" "I" get::<Int, FIELD>, set::<Int, FIELD>, get::<Int, ARRAY>, set::<Int, ARRAY>;
        "Longs" "J" get::<Long, FIELD>, set::<Long, FIELD>, get::<Long, ARRAY>, set::<Long, ARRAY>;
        "Floats" "F" get::<Float, FIELD>, set::<Float, FIELD>, get::<Float, ARRAY>, set::<Float, ARRAY>;
        "Doubles" "D" get::<Double, FIELD>, set::<Double, FIELD>, get::<Double, ARRAY>, set::<Double, ARRAY>;
        "References" "Ljava/lang/Object;" get_reference::<FIELD>, set_reference::<FIELD, false>, get_reference::<ARRAY>, set_reference::<ARRAY, false>;
    }
    atomic {
        "Ints" "I" exchange::<Int, FIELD, false>, exchange::<Int, FIELD, true>, get_and::<Int, FIELD, false>, exchange::<Int, ARRAY, false>, exchange::<Int, ARRAY, true>, get_and::<Int, ARRAY, false>;
        "Longs" "J" exchange::<Long, FIELD, false>, exchange::<Long, FIELD, true>, get_and::<Long, FIELD, false>, exchange::<Long, ARRAY, false>, exchange::<Long, ARRAY, true>, get_and::<Long, ARRAY, false>;
        "References" "Ljava/lang/Object;" exchange_reference::<FIELD, false>, exchange_reference::<FIELD, true>, set_reference::<FIELD, true>, exchange_reference::<ARRAY, false>, exchange_reference::<ARRAY, true>, set_reference::<ARRAY, true>;
    }
    adding {
        "Ints" "I" get_and::<Int, FIELD, true>, get_and::<Int, ARRAY, true>;
        "Longs" "J" get_and::<Long, FIELD, true>, get_and::<Long, ARRAY, true>;
    }
    bytes {
        "Chars" "C" get_bytes::<Char>, set_bytes::<Char>;
        "Shorts" "S" get_bytes::<Short>, set_bytes::<Short>;
        "Ints" "I" get_bytes::<Int>, set_bytes::<Int>;
        "Longs" "J" get_bytes::<Long>, set_bytes::<Long>;
        "Floats" "F" get_bytes::<Float>, set_bytes::<Float>;
        "Doubles" "D" get_bytes::<Double>, set_bytes::<Double>;
    }
}
