//! The canonical form of a rooted heap: two heaps are isomorphic iff their words are equal.
//!
//! Depth first from the roots, nodes numbered in order of first visit, fields in a fixed order (from
//! the topmost class down, then by name), as figure 3 of Xie, Marinov and Notkin, "Improving Generation
//! of Object-Oriented Test Suites by Avoiding Redundant Tests" (2004). Iterative: a list of a million
//! nodes needs no more host stack than one of three. Nothing is allocated per node once the tables
//! have grown.
//!
//! Deviations from the paper: the class of a node and the length of an array are part of it; strings,
//! class objects, enum constants and (unless strict) boxed values are values, so it makes no difference
//! whether two fields hold the same one or equal ones; fields of the [`Mask`] are left out.
//!
//! Words name classes by a key of the name, so they mean the same on every machine.

use std::collections::BTreeSet;

use vm::class::{Class, Shape};
use vm::heap::ELEMENTS_OFFSET;
use vm::travel::Numbering;
use vm::value::{ClassId, Kind, Ref};
use vm::vm::Vm;

use super::fingerprint::{Fingerprint, Mixer, Sink, name_key};
use super::kept_walk::n_pieces;
use super::mask::Mask;
use super::visited::Visited;

pub(super) const NULL: u64 = 0;
/// Low bits of a word that starts a reference: a number follows, a node of this class, a value.
pub(super) const BACK: u64 = 1;
pub(super) const NODE: u64 = 2;
const VALUE: u64 = 3;
/// The number that follows is one of a node that is written down elsewhere.
const ELSEWHERE: u64 = 1 << 63;

/// Where a canonical form starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Root {
    /// An object or `null`.
    Object(Ref),
    /// A primitive value in the form of a register.
    Primitive(Kind, u64),
}

/// Chooses the edges that belong to a heap.
pub trait Edges {
    /// Whether every edge belongs, so that `has` need not be asked.
    const ALL: bool;
    /// Whether the field at this offset (or the element with this index) belongs.
    fn has(&self, object: Ref, slot: u32) -> bool;
    /// Whether the length of this array belongs.
    fn has_length(&self, array: Ref) -> bool;
    /// The number of a node that is written down elsewhere.
    #[inline(always)]
    fn elsewhere(&self, _: Ref) -> Option<u64> {
        None
    }
}

/// The whole heap.
#[derive(Debug, Clone, Copy)]
pub struct Whole;

impl Edges for Whole {
    const ALL: bool = true;
    #[inline(always)]
    fn has(&self, _: Ref, _: u32) -> bool {
        true
    }
    #[inline(always)]
    fn has_length(&self, _: Ref) -> bool {
        true
    }
}

/// How instances of one class are written down.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Form {
    /// Not looked at yet.
    Unknown,
    /// `java.lang.String`.
    Text,
    /// `java.lang.Class`.
    Mirror,
    /// A constant of an enum type: its ordinal, at this offset.
    Constant(u32),
    /// A boxed value: its field.
    Boxed(u32, Kind),
    /// An array.
    Array(Kind),
    /// Any other object: a range of `slots`.
    Fields(u32, u32),
}

/// What is known of a class.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Plan {
    pub(crate) form: Form,
    pub(crate) key: u64,
}

/// A field.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Slot {
    pub(crate) offset: u32,
    pub(crate) kind: Kind,
}

/// A node whose edges are being written down.
#[derive(Debug, Clone, Copy)]
struct Open {
    object: Ref,
    /// Next slot, or next element.
    next: u32,
    end: u32,
    is_array: bool,
}

/// Writes heaps of one machine in canonical form.
#[derive(Debug)]
pub struct CanonicalHeap {
    mask: Mask,
    /// By class, as classes are numbered.
    plans: Vec<Plan>,
    numbering: Numbering,
    slots: Vec<Slot>,
    visited: Visited,
    open: Vec<Open>,
    /// Objects below this byte of the heap are told apart by where they are.
    fixed_below: usize,
    n_first: usize,
    /// Pieces that large arrays of the last heap would be taken apart into.
    n_pieces: usize,
    /// As many of them were behind the first root.
    n_first_pieces: usize,
    /// Fields that were left out, as people name them.
    left_out: BTreeSet<String>,
}

impl CanonicalHeap {
    /// A writer with empty tables.
    pub fn new(mask: Mask) -> CanonicalHeap {
        CanonicalHeap {
            mask,
            plans: Vec::new(),
            numbering: Numbering::default(),
            slots: Vec::new(),
            visited: Visited::default(),
            open: Vec::new(),
            fixed_below: 0,
            n_first: 0,
            n_pieces: 0,
            n_first_pieces: 0,
            left_out: BTreeSet::new(),
        }
    }

    /// From now on objects below this byte of the heap, unless they are roots, are told apart by where they are,
    /// and what is behind them is not looked at. For whoever knows that none of it has changed.
    pub fn take_as_fixed(&mut self, below: usize) {
        self.fixed_below = below;
    }

    /// Forgets classes that a rollback took back, since the next ones loaded get their numbers. Everything that is
    /// asked from outside begins with it.
    #[inline]
    pub(super) fn catch_up(&mut self, vm: &Vm) {
        if let Some(left) = vm.renumbered(&mut self.numbering) {
            self.forget_from(left.n_classes);
        }
    }

    #[cold]
    fn forget_from(&mut self, n_classes: usize) {
        self.plans.truncate(n_classes);
        let ends = self.plans.iter().map(|plan| match plan.form {
            Form::Fields(_, end) => end,
            _ => 0,
        });
        self.slots.truncate(ends.max().unwrap_or(0) as usize);
    }

    /// The fingerprint of the whole heap behind these roots.
    #[inline]
    pub fn fingerprint(&mut self, vm: &Vm, roots: &[Root]) -> Fingerprint {
        let mut mixer = Mixer::new(1);
        self.write(vm, roots, &Whole, &mut mixer);
        mixer.finish()
    }

    /// As `fingerprint`, and before it that of the heap behind the first root alone.
    pub fn fingerprints(&mut self, vm: &Vm, roots: &[Root]) -> (Fingerprint, Fingerprint) {
        let mut mixer = Mixer::new(1);
        let (first, rest) = roots.split_at(roots.len().min(1));
        self.write(vm, first, &Whole, &mut mixer);
        (self.n_first, self.n_first_pieces) = (self.visited.len(), self.n_pieces);
        let first = mixer.finish();
        self.go_on(vm, rest, &Whole, &mut mixer);
        (first, mixer.finish())
    }

    /// How many nodes were behind the first of the last roots whose `fingerprints` were asked for.
    pub(super) fn n_first(&self) -> usize {
        self.n_first
    }

    /// As many nodes and pieces of large arrays as there were behind it.
    pub(super) fn size_of_first(&self) -> usize {
        self.n_first + self.n_first_pieces
    }

    /// Whether a root holds nothing but a value that `equals` compares by its content.
    pub fn is_plain(&mut self, vm: &Vm, root: Root) -> bool {
        match root {
            Root::Object(object) if !object.is_null() => {
                let form = self.plan_of(vm, vm.class_of(object)).form;
                matches!(form, Form::Text | Form::Boxed(..))
            }
            _ => true,
        }
    }

    /// Whether instances of an object's class are values: no two with the same content are told apart.
    pub fn is_value(&mut self, vm: &Vm, object: Ref) -> bool {
        let plan = self.plan_of(vm, vm.class_of(object));
        matches!(plan.form, Form::Text | Form::Mirror | Form::Constant(_) | Form::Boxed(..))
    }

    /// A number that stands for a class, the same on every machine.
    pub fn class_key(&mut self, vm: &Vm, class: ClassId) -> u64 {
        self.plan_of(vm, class).key
    }

    /// Writes the chosen part of the heap behind these roots.
    pub fn write<E: Edges, S: Sink>(&mut self, vm: &Vm, roots: &[Root], edges: &E, sink: &mut S) {
        self.visited.clear();
        self.n_pieces = 0;
        self.go_on(vm, roots, edges, sink);
    }

    /// Writes what is behind further roots and was not behind the ones before.
    #[inline]
    fn go_on<E: Edges, S: Sink>(&mut self, vm: &Vm, roots: &[Root], edges: &E, sink: &mut S) {
        self.catch_up(vm);
        for &root in roots {
            match root {
                Root::Primitive(kind, word) => sink.word(canonical_word(kind, word)),
                Root::Object(object) => {
                    self.content(vm, object, edges, sink);
                    self.drain(vm, edges, sink);
                }
            }
        }
    }

    /// Writes down all open nodes.
    #[inline]
    fn drain<E: Edges, S: Sink>(&mut self, vm: &Vm, edges: &E, sink: &mut S) {
        while let Some(open) = self.open.last_mut() {
            if open.next == open.end {
                self.open.pop();
                if !E::ALL {
                    sink.word(u64::MAX);
                }
                continue;
            }
            let (object, next) = (open.object, open.next);
            // The same on every machine, in whatever order it met its classes.
            let place = open.end - next;
            open.next += 1;
            if open.is_array {
                if E::ALL {
                    self.reference(vm, vm.heap.element_ref(object, next), edges, sink);
                } else if edges.has(object, next) {
                    sink.word(u64::from(next));
                    self.reference(vm, vm.heap.element_ref(object, next), edges, sink);
                }
                continue;
            }
            let slot = self.slots[next as usize];
            if !E::ALL {
                if !edges.has(object, slot.offset) {
                    continue;
                }
                sink.word(u64::from(place));
            }
            if slot.kind == Kind::Ref {
                self.reference(vm, vm.heap.load_ref(object, slot.offset), edges, sink);
            } else {
                sink.word(load(vm, object, slot.offset, slot.kind));
            }
        }
    }

    /// Writes one reference.
    #[inline]
    fn reference<E: Edges, S: Sink>(&mut self, vm: &Vm, object: Ref, edges: &E, sink: &mut S) {
        if object.byte_offset() < self.fixed_below && !object.is_null() {
            let plan = self.known_plan(vm, vm.class_of(object));
            if matches!(plan.form, Form::Array(_) | Form::Fields(..)) {
                // Nodes are never written as values.
                sink.word(plan.key << 2 | VALUE);
                sink.word(u64::from(object.0));
                return;
            }
        }
        self.content(vm, object, edges, sink);
    }

    /// Writes what a reference leads to; a node met for the first time is left open.
    #[inline]
    fn content<E: Edges, S: Sink>(&mut self, vm: &Vm, object: Ref, edges: &E, sink: &mut S) {
        if object.is_null() {
            sink.word(NULL);
            return;
        }
        let plan = self.known_plan(vm, vm.class_of(object));
        match plan.form {
            Form::Array(kind) => {
                if !self.is_new(object, edges, sink) {
                    return;
                }
                sink.word(plan.key << 2 | NODE);
                let length = vm.heap.array_length(object);
                self.n_pieces += n_pieces(kind, length) as usize;
                if E::ALL {
                    sink.word(u64::from(length));
                } else if edges.has_length(object) {
                    // No index is as large, so a length is never taken for one.
                    sink.word(1 << 32 | u64::from(length));
                }
                if kind == Kind::Ref {
                    self.open.push(Open { object, next: 0, end: length, is_array: true });
                } else if E::ALL {
                    write_elements(vm, object, kind, (0, length), sink);
                } else {
                    for idx in (0..length).filter(|&idx| edges.has(object, idx)) {
                        sink.word(u64::from(idx));
                        sink.word(load(vm, object, ELEMENTS_OFFSET + idx * kind.size(), kind));
                    }
                    sink.word(u64::MAX);
                }
            }
            Form::Fields(next, end) => {
                if self.is_new(object, edges, sink) {
                    sink.word(plan.key << 2 | NODE);
                    self.open.push(Open { object, next, end, is_array: false });
                }
            }
            _ => self.write_value(vm, plan, object, sink),
        }
    }

    /// Writes down an object that is a value.
    #[inline]
    pub(crate) fn write_value<S: Sink>(&self, vm: &Vm, plan: Plan, object: Ref, sink: &mut S) {
        match plan.form {
            Form::Text => {
                let (coder, bytes) = vm.string_bytes(object);
                sink.word(plan.key << 2 | VALUE);
                sink.word((bytes.len() as u64) << 1 | u64::from(coder));
                sink.bytes(bytes);
            }
            Form::Boxed(offset, kind) => {
                sink.word(plan.key << 2 | VALUE);
                sink.word(load(vm, object, offset, kind));
            }
            Form::Constant(offset) => {
                sink.word(plan.key << 2 | VALUE);
                sink.word(u64::from(vm.heap.load_u32(object, offset)));
            }
            Form::Mirror => {
                sink.word(plan.key << 2 | VALUE);
                sink.word(class_key(vm, vm.class_of_mirror(object)));
            }
            Form::Unknown | Form::Array(_) | Form::Fields(..) => {}
        }
    }

    #[inline]
    fn is_new<E: Edges, S: Sink>(&mut self, object: Ref, edges: &E, sink: &mut S) -> bool {
        if let Some(number) = edges.elsewhere(object) {
            sink.word(ELSEWHERE | number << 2 | BACK);
            return false;
        }
        match self.visited.visit(object) {
            Some(number) => {
                sink.word(u64::from(number) << 2 | BACK);
                false
            }
            None => true,
        }
    }

    /// How many nodes the last heap had.
    pub fn n_nodes(&self) -> usize {
        self.visited.len()
    }

    /// A field, by its place in the order of all.
    #[inline]
    pub(crate) fn slot(&self, at: u32) -> Slot {
        self.slots[at as usize]
    }

    /// The first field of a class, in the order in which they are written, that has a part in the granule at
    /// this offset.
    pub(super) fn first_slot(&self, class: ClassId, granule: u32) -> Option<u32> {
        let Form::Fields(first, last) = self.plans.get(class.idx())?.form else { return None };
        (first..last).find(|&at| {
            let slot = self.slots[at as usize];
            slot.offset < granule + 8 && slot.offset + slot.kind.size() > granule
        })
    }

    /// How instances of a class are written down.
    #[inline]
    pub(crate) fn plan_of(&mut self, vm: &Vm, class: ClassId) -> Plan {
        self.catch_up(vm);
        self.known_plan(vm, class)
    }

    /// As `plan_of`, where nothing was taken back since the last question.
    #[inline]
    fn known_plan(&mut self, vm: &Vm, class: ClassId) -> Plan {
        match self.plans.get(class.idx()) {
            Some(plan) if !matches!(plan.form, Form::Unknown) => *plan,
            _ => self.plan(vm, class),
        }
    }

    #[cold]
    fn plan(&mut self, vm: &Vm, id: ClassId) -> Plan {
        if self.plans.len() <= id.idx() {
            let unknown = Plan { form: Form::Unknown, key: 0 };
            self.plans.resize(id.idx() + 1, unknown);
        }
        let class = vm.class(id).clone();
        let plan = Plan { form: self.form(vm, &class), key: class_key(vm, id) };
        self.plans[id.idx()] = plan;
        plan
    }

    #[expect(clippy::cast_possible_truncation, reason = "fewer fields than 2^32")]
    fn form(&mut self, vm: &Vm, class: &Class) -> Form {
        if let Shape::Array { element, .. } = class.shape {
            return Form::Array(element);
        }
        if class.id == vm.known.string {
            return Form::Text;
        }
        if class.id == vm.known.class {
            return Form::Mirror;
        }
        if let Some(offset) = ordinal_offset(vm, class) {
            return Form::Constant(offset);
        }
        let is_box = vm.known.boxes.contains(&class.id);
        if is_box && !self.mask.strict {
            let value = class.fields.iter().find(|field| !field.is_static());
            if let Some(value) = value {
                return Form::Boxed(value.offset, value.kind);
            }
        }
        let start = self.slots.len() as u32;
        let fields = self.fields(vm, class);
        self.note_left_out(vm, class);
        self.slots.extend(fields.iter().map(|&(_, offset, kind)| Slot { offset, kind }));
        Form::Fields(start, self.slots.len() as u32)
    }

    /// Fields that objects had and that were left out, as people name them.
    pub fn left_out(&self) -> &BTreeSet<String> {
        &self.left_out
    }

    fn note_left_out(&mut self, vm: &Vm, class: &Class) {
        for &id in &class.supers {
            let class = vm.class(id);
            let name = class.name.to_string();
            for field in class.fields.iter().filter(|field| !field.is_static() && !field.injected) {
                let mut field = field.name.to_string();
                if self.mask.hides(&name, &field) {
                    if self.mask.hides_all(&name) {
                        "*".clone_into(&mut field);
                    }
                    self.left_out.insert(format!("{}.{field}", name.replace('/', ".")));
                }
            }
        }
    }

    /// Name, offset and kind of the fields that belong to instances of a class, in their order.
    pub(super) fn fields(&self, vm: &Vm, class: &Class) -> Vec<(String, u32, Kind)> {
        let mut all = Vec::new();
        for &id in &class.supers {
            let class = vm.class(id);
            let name = class.name.to_string();
            let mut fields: Vec<_> = class
                .fields
                .iter()
                .filter(|field| !field.is_static() && !field.injected)
                .map(|field| (field.name.to_string(), field.offset, field.kind))
                .filter(|(field, ..)| !self.mask.hides(&name, field))
                .collect();
            fields.sort_by(|a, b| (&a.0, a.1).cmp(&(&b.0, b.1)));
            all.append(&mut fields);
        }
        all
    }
}

/// The offset of the ordinal in constants of an enum type; `None` for other classes.
fn ordinal_offset(vm: &Vm, class: &Class) -> Option<u32> {
    let base = vm.class(*class.supers.get(1)?);
    if base.name.as_bytes() != b"java/lang/Enum" {
        return None;
    }
    base.field(b"ordinal", b"I").map(|field| field.offset)
}

/// A key of the class's name. Hidden classes are named by a counter, so what their constants say
/// stands for them.
fn class_key(vm: &Vm, id: ClassId) -> u64 {
    let class = vm.class(id);
    let name = class.name.as_bytes();
    let Some(file) = class.file().filter(|_| class.hidden) else { return name_key(name) };
    let pool = file.constant_pool();
    let mut mixer = Mixer::new(3);
    for idx in 1..u16::try_from(pool.len()).unwrap_or(u16::MAX) {
        if let Some(text) = pool.try_utf8(idx)
            && !name.starts_with(text)
        {
            mixer.text(text);
        }
    }
    mixer.half()
}

/// The word in a field or element.
#[inline]
pub(crate) fn load(vm: &Vm, object: Ref, offset: u32, kind: Kind) -> u64 {
    let heap = &vm.heap;
    match kind {
        Kind::Boolean | Kind::Byte => u64::from(heap.load_u8(object, offset)),
        Kind::Char | Kind::Short => u64::from(heap.load_u16(object, offset)),
        Kind::Int | Kind::Ref => u64::from(heap.load_u32(object, offset)),
        Kind::Float => canonical_word(kind, u64::from(heap.load_u32(object, offset))),
        Kind::Long => heap.load_u64(object, offset),
        Kind::Double => canonical_word(kind, heap.load_u64(object, offset)),
        Kind::Void => 0,
    }
}

/// One NaN stands for all.
#[expect(clippy::cast_possible_truncation, reason = "a float fills the low half of a word")]
pub(crate) fn canonical_word(kind: Kind, word: u64) -> u64 {
    match kind {
        Kind::Float if f32::from_bits(word as u32).is_nan() => u64::from(f32::NAN.to_bits()),
        Kind::Double if f64::from_bits(word).is_nan() => f64::NAN.to_bits(),
        _ => word,
    }
}

/// Writes a range of the elements of an array of primitive values.
pub(crate) fn write_elements<S: Sink>(
    vm: &Vm,
    array: Ref,
    kind: Kind,
    (first, last): (u32, u32),
    sink: &mut S,
) {
    let offset = ELEMENTS_OFFSET + first * kind.size();
    if matches!(kind, Kind::Float | Kind::Double) {
        for idx in first..last {
            sink.word(load(vm, array, ELEMENTS_OFFSET + idx * kind.size(), kind));
        }
        return;
    }
    let len = (last - first) as usize * kind.size() as usize;
    sink.bytes(vm.heap.bytes(array, offset, len));
}
