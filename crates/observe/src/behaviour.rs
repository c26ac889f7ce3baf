//! What a call does, told by what it reads.
//!
//! A method that reads the same values, one after the other, does the same: takes the same branches, writes and
//! throws the same, whatever the rest of the state is. So a call is followed by an observer of reads, and the values
//! are its behaviour: primitive values as they are, objects by their class and by a number in the order in which the
//! call met them, which tells aliases from copies without telling one heap from another that looks alike. Where a
//! value was read from need not be written down, since that follows from what was read before it.
//!
//! Of a call that finds nothing where an object should be and ends in a `NullPointerException` less counts: the way
//! it took through the code of its class, and where it ended. What else it was given does not matter to anybody.
//!
//! Two calls in different states may do the same; two calls in the same state always do. The text of a string counts
//! from when it is looked at, so what is only passed on makes no difference, but for what the call gives back, which
//! tests check. What the call itself made is not old and does not count. Natives read unseen: they may have read all of
//! what they are given, but not what is behind it.

use rustc_hash::{FxHashMap, FxHashSet};
use vm::interp::Outcome;
use vm::mode::{Mode, Place};
use vm::travel::Numbering;
use vm::value::{ClassId, Kind, MethodId, Ref, Value};
use vm::vm::Vm;

use crate::arguments::{places, references};
use crate::state::canonical_heap::{CanonicalHeap, Form, canonical_word, load, write_elements};
use crate::state::fingerprint::{Fingerprint, Mixer, Sink};
use crate::state::mask::Mask;

/// What a followed call did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Followed {
    /// The same for calls that do the same.
    pub behaviour: Fingerprint,
    /// The same for calls of a method that take the same branches, in the code of their class, and end alike.
    pub way: Fingerprint,
}

/// Low bits of a word that stands for a reference: one that is known, one that is met for the first time.
const KNOWN: u64 = 1;
const MET: u64 = 2;

/// Follows one call after the other.
#[derive(Debug)]
pub struct Behaviour {
    heap: CanonicalHeap,
    mixer: Mixer,
    /// Numbers of the objects that the call met.
    names: FxHashMap<Ref, u32>,
    /// Strings whose text is known to the call, and the arrays behind them.
    texts: FxHashSet<Ref>,
    /// The branches that the call took in the code of its class.
    way: Mixer,
    /// The class of the object that is called, or of the method.
    own: Option<ClassId>,
    /// Whether the code of a class belongs to that class.
    belongs: FxHashMap<ClassId, bool>,
    numbering: Numbering,
    /// Objects from this byte of the heap on were made by the call; `None` before it was entered.
    fresh_from: Option<usize>,
}

impl Behaviour {
    /// Fields of the mask are not looked at.
    pub fn new(mask: Mask) -> Behaviour {
        Behaviour {
            heap: CanonicalHeap::new(mask),
            mixer: Mixer::new(PURPOSE),
            names: FxHashMap::default(),
            texts: FxHashSet::default(),
            way: Mixer::new(WAY),
            own: None,
            belongs: FxHashMap::default(),
            numbering: Numbering::default(),
            fresh_from: None,
        }
    }

    /// What the call did that was just followed; ready for the next one. Nothing may have been collected since it
    /// began.
    pub fn finish(&mut self, vm: &Vm, outcome: &Outcome) -> Followed {
        match outcome {
            Outcome::Returned(Value::Ref(object)) => {
                self.reference(vm, *object);
                if !object.is_null() {
                    let plan = self.heap.plan_of(vm, vm.class_of(*object));
                    self.heap.write_value(vm, plan, *object, &mut self.mixer);
                }
            }
            Outcome::Returned(value) => self.mixer.word(value.to_slot()),
            Outcome::Threw(exception) => self.reference(vm, *exception),
            Outcome::Stopped(stop) => self.mixer.text(format!("{stop:?}").as_bytes()),
        }
        self.names.clear();
        self.texts.clear();
        self.fresh_from = None;
        let read = std::mem::replace(&mut self.mixer, Mixer::new(PURPOSE));
        let mut way = std::mem::replace(&mut self.way, Mixer::new(WAY));
        let mut behaviour = read.finish();
        match outcome {
            Outcome::Returned(_) => {}
            Outcome::Threw(exception) => {
                if let Some(exception) = exception.some() {
                    way.word(self.heap.class_key(vm, vm.class_of(exception)));
                }
                if self.end_for_want_of_an_object(vm, *exception, &mut way) {
                    behaviour = way.finish();
                }
            }
            Outcome::Stopped(stop) => way.text(format!("{stop:?}").as_bytes()),
        }
        Followed { behaviour, way: way.finish() }
    }

    /// Adds where a `NullPointerException` was thrown; `false` if it is none or does not say.
    fn end_for_want_of_an_object(&mut self, vm: &Vm, exception: Ref, way: &mut Mixer) -> bool {
        let Some(exception) = exception.some() else { return false };
        if vm.class(vm.class_of(exception)).name.as_bytes() != b"java/lang/NullPointerException" {
            return false;
        }
        let rows = vm.backtrace_rows(exception);
        for row in &rows {
            self.place(vm, Place { method: row.method, bci: row.bci }, way);
        }
        !rows.is_empty()
    }

    /// Adds a place in code, by names that mean the same on every machine.
    fn place(&mut self, vm: &Vm, place: Place, way: &mut Mixer) {
        let method = vm.method(place.method);
        way.word(self.heap.class_key(vm, method.class));
        way.word(u64::from(method.slot) << 16 | u64::from(place.bci));
    }

    fn is_fresh(&self, object: Ref) -> bool {
        self.fresh_from.is_none_or(|start| object.byte_offset() >= start)
    }

    fn value(&mut self, vm: &Vm, kind: Kind, word: u64) {
        match kind {
            Kind::Ref => self.reference(vm, Ref::from_slot(word)),
            _ => self.mixer.word(canonical_word(kind, word)),
        }
    }

    fn reference(&mut self, vm: &Vm, object: Ref) {
        if object.is_null() {
            return self.mixer.word(0);
        }
        let number = u32::try_from(self.names.len()).unwrap_or(u32::MAX);
        match self.names.entry(object) {
            std::collections::hash_map::Entry::Occupied(known) => {
                self.mixer.word(u64::from(*known.get()) << 2 | KNOWN);
            }
            std::collections::hash_map::Entry::Vacant(free) => {
                free.insert(number);
                let plan = self.heap.plan_of(vm, vm.class_of(object));
                self.mixer.word(plan.key << 2 | MET);
                // Code that compares them by identity means the value.
                if matches!(plan.form, Form::Constant(_) | Form::Mirror) {
                    self.heap.write_value(vm, plan, object, &mut self.mixer);
                }
            }
        }
    }

    /// A string is looked at.
    fn text(&mut self, vm: &Vm, string: Ref) {
        if self.texts.insert(string) {
            let plan = self.heap.plan_of(vm, vm.class_of(string));
            self.heap.write_value(vm, plan, string, &mut self.mixer);
            self.texts.insert(vm.heap.load_ref(string, vm.known.string_value));
        }
    }

    /// All that an object itself holds was read.
    fn whole(&mut self, vm: &Vm, object: Ref) {
        self.reference(vm, object);
        if self.is_fresh(object) || self.texts.contains(&object) {
            return;
        }
        let plan = self.heap.plan_of(vm, vm.class_of(object));
        match plan.form {
            Form::Text => self.text(vm, object),
            Form::Array(kind) => {
                let length = vm.heap.array_length(object);
                self.mixer.word(u64::from(length));
                if kind == Kind::Ref {
                    for idx in 0..length {
                        self.reference(vm, vm.heap.element_ref(object, idx));
                    }
                } else {
                    write_elements(vm, object, kind, (0, length), &mut self.mixer);
                }
            }
            Form::Fields(first, last) => {
                for slot in (first..last).map(|at| self.heap.slot(at)).collect::<Vec<_>>() {
                    self.value(vm, slot.kind, load(vm, object, slot.offset, slot.kind));
                }
            }
            _ => self.heap.write_value(vm, plan, object, &mut self.mixer),
        }
    }
}

/// The name of the class that a class is nested in, at last.
fn outermost(name: &[u8]) -> &[u8] {
    name.split(|&byte| byte == b'$').next().unwrap_or(name)
}

/// Keeps behaviours apart from fingerprints of states.
const PURPOSE: u64 = 9;
/// The same for the ways that calls took.
const WAY: u64 = 10;

impl Mode for Behaviour {
    const READS: bool = true;
    const CALLS: bool = true;
    const EXCEPTIONS: bool = true;
    const BRANCHES: bool = true;

    fn wants_branches(&mut self, vm: &mut Vm, method: MethodId) -> bool {
        let Some(own) = self.own else { return false };
        let class = vm.method(method).class;
        *self.belongs.entry(class).or_insert_with(|| {
            let whole = vm.class(own);
            class == own
                || whole.supers.contains(&class)
                || outermost(whole.name.as_bytes()) == outermost(vm.class(class).name.as_bytes())
        })
    }

    fn branch(&mut self, vm: &mut Vm, place: Place, edge: u32) {
        let mut way = std::mem::replace(&mut self.way, Mixer::new(WAY));
        self.place(vm, place, &mut way);
        way.word(u64::from(edge));
        self.way = way;
    }

    fn field_read(&mut self, vm: &mut Vm, object: Ref, offset: u32, kind: Kind) {
        if self.is_fresh(object) {
            return;
        }
        let plan = self.heap.plan_of(vm, vm.class_of(object));
        let counts = match plan.form {
            Form::Text => return self.text(vm, object),
            Form::Fields(first, last) => {
                (first..last).any(|at| self.heap.slot(at).offset == offset)
            }
            _ => true,
        };
        if counts {
            self.value(vm, kind, load(vm, object, offset, kind));
        }
    }

    fn array_read(&mut self, vm: &mut Vm, array: Ref, idx: u32) {
        if self.is_fresh(array) || self.texts.contains(&array) {
            return;
        }
        let plan = self.heap.plan_of(vm, vm.class_of(array));
        if let Form::Array(kind) = plan.form {
            let offset = vm::heap::ELEMENTS_OFFSET + idx * kind.size();
            self.value(vm, kind, load(vm, array, offset, kind));
        }
    }

    fn length_read(&mut self, vm: &mut Vm, array: Ref) {
        if !self.is_fresh(array) && !self.texts.contains(&array) {
            self.mixer.word(u64::from(vm.heap.array_length(array)));
        }
    }

    fn static_read(&mut self, vm: &mut Vm, granule: u32, kind: Kind) {
        self.value(vm, kind, load(vm, Ref(granule), 0, kind));
    }

    fn enter(&mut self, vm: &mut Vm, id: MethodId, args: &[u64]) {
        let method = vm.method(id);
        if self.fresh_from.is_none() {
            if vm.renumbered(&mut self.numbering).is_some() {
                self.own = None;
            }
            let (class, is_native) = (method.class, method.is_native());
            let words: Vec<(Kind, u64)> = places(method)
                .into_iter()
                .filter_map(|(register, kind)| Some((kind, *args.get(register)?)))
                .collect();
            self.fresh_from = Some(vm.heap.top);
            let receiver = if method.is_static() { None } else { args.first() };
            let receiver = receiver.and_then(|&word| Ref::from_slot(word).some());
            let own = receiver.map_or(class, |receiver| vm.class_of(receiver));
            if self.own.replace(own) != Some(own) {
                self.belongs.clear();
            }
            let class = self.heap.class_key(vm, class);
            self.mixer.word(class);
            self.way.word(class);
            self.way.text(vm.method(id).name.as_bytes());
            self.way.text(vm.method(id).descriptor.as_bytes());
            self.mixer.text(vm.method(id).name.as_bytes());
            self.mixer.text(vm.method(id).descriptor.as_bytes());
            for (kind, word) in words {
                self.value(vm, kind, word);
            }
            if !is_native {
                return;
            }
        }
        let native = vm.method(id);
        if !native.is_native() {
            return;
        }
        // What other natives of `Object` say of one is its class or its identity, not what it holds.
        let is_of_object = native.class == vm.known.object && native.name.as_bytes() != b"clone";
        for object in references(native, args) {
            match is_of_object {
                true => self.reference(vm, object),
                false => self.whole(vm, object),
            }
        }
    }

    fn leave(&mut self, vm: &mut Vm, id: MethodId, result: Option<u64>) {
        let method = vm.method(id);
        if let (true, Some(word)) = (method.is_native(), result) {
            let kind = method.returns;
            if kind != Kind::Void {
                self.value(vm, kind, word);
            }
        }
    }

    fn thrown(&mut self, vm: &mut Vm, exception: Ref) {
        self.reference(vm, exception);
    }
}
