//! PairwiseEquals: two states are the same iff `equals` says so.
//!
//! Keeps one representative of each class of states, as a copy outside the machine, and asks the new
//! state whether it equals each of them. A state that was met before in every detail is not asked
//! again. Where a class overrides both `equals` and `hashCode`, only representatives with the same
//! hash are asked. Merges two sets that hold the same in another order; keeps apart what `equals`
//! keeps apart. The cost of a new state grows with the number of representatives with its hash, and
//! with all of them where there is no `hashCode`.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use vm::class::Class;
use vm::interp::Outcome;
use vm::mode::Plain;
use vm::symbol::Symbol;
use vm::value::{ClassId, MethodId, Ref, Value};
use vm::vm::Vm;

use super::fingerprint::Fingerprint;
use super::monitor_equals::MonitorEquals;
use crate::snapshot::{Room, Snapshot};

/// Bytecodes that one run of `equals` or `hashCode` may take.
const FUEL: u64 = 10_000_000;

/// The classes of states met so far.
#[derive(Debug, Default)]
pub struct PairwiseEquals {
    own_equals: MonitorEquals,
    /// By everything reachable: states that were asked before.
    known: FxHashMap<Fingerprint, u32>,
    /// Representatives by the name of the object's class and hash.
    by_hash: FxHashMap<(Symbol, i32), Vec<Representative>>,
    n_classes: u32,
    room: Room,
}

#[derive(Debug)]
struct Representative {
    number: u32,
    copy: Kept,
}

/// A state outside the machine.
#[derive(Debug)]
enum Kept {
    Here(Copied),
    /// The caller has it under this number.
    Elsewhere(u32),
}

/// A state that we keep.
#[derive(Debug)]
struct Copied {
    snapshot: Snapshot,
    /// The classes of its objects, as they were last found under their numbers.
    classes: Vec<Arc<Class>>,
}

impl Copied {
    fn take(room: &mut Room, vm: &Vm, object: Ref, is_kept: &dyn Fn(Ref) -> bool) -> Copied {
        let snapshot = Snapshot::take_with(room, vm, &[object], is_kept);
        let classes = snapshot.classes().map(|id| vm.class(id).clone()).collect();
        Copied { snapshot, classes }
    }

    /// Puts the state into the heap and gives the object. A rollback may have taken classes back: they are loaded
    /// anew, if that can be done.
    fn put(&mut self, vm: &mut Vm) -> Option<Ref> {
        for (idx, class) in self.classes.iter_mut().enumerate() {
            if vm.classes.get(class.id.idx()).is_some_and(|it| Arc::ptr_eq(&it.class, class)) {
                continue;
            }
            if class.hidden {
                return None;
            }
            let (loader, name) = (class.loader, class.name);
            let id = vm.complete(|vm| vm.load_class(loader, name.as_bytes())).ok()?;
            *class = vm.class(id).clone();
            self.snapshot.set_class(idx, id);
        }
        vm.complete(|vm| self.snapshot.put(vm)).ok()?.first().copied()
    }
}

/// States that the caller keeps anyway, so that no second copy is needed.
pub struct Elsewhere<'a> {
    /// The number of the state that is asked for, where it is one object and what is behind it.
    pub number: Option<u32>,
    /// Puts such a state into the heap and gives the object.
    pub put: &'a mut dyn FnMut(&mut Vm, u32) -> Option<Ref>,
}

impl PairwiseEquals {
    /// The number of the class of states that the object is in; new ones are numbered in order.
    /// `whole` is the fingerprint of everything reachable from it. Leaves the machine as it was.
    pub fn class_of(
        &mut self,
        vm: &mut Vm,
        object: Ref,
        whole: Fingerprint,
        is_shared: &dyn Fn(Ref) -> bool,
    ) -> u32 {
        self.class_of_kept(vm, object, whole, is_shared, None)
    }

    /// As `class_of`; the caller may have kept the state itself.
    pub fn class_of_kept(
        &mut self,
        vm: &mut Vm,
        object: Ref,
        whole: Fingerprint,
        is_shared: &dyn Fn(Ref) -> bool,
        elsewhere: Option<Elsewhere<'_>>,
    ) -> u32 {
        if let Some(&number) = self.known.get(&whole) {
            return number;
        }
        let number = self.ask(vm, object, is_shared, elsewhere);
        self.known.insert(whole, number);
        number
    }

    /// Number of classes of states.
    pub fn n_classes(&self) -> u32 {
        self.n_classes
    }

    fn ask(
        &mut self,
        vm: &mut Vm,
        object: Ref,
        is_shared: &dyn Fn(Ref) -> bool,
        mut elsewhere: Option<Elsewhere<'_>>,
    ) -> u32 {
        let new = self.n_classes;
        if object.is_null() {
            self.n_classes += 1;
            return new;
        }
        let class = vm.class_of(object);
        let Some(equals) = self.own_equals.equals_of(vm, class) else {
            self.n_classes += 1;
            return new;
        };
        let hash = own_hash(vm, class).map_or(0, |method| hash(vm, object, method));
        let name = vm.class(class).name;
        let candidates = self.by_hash.entry((name, hash)).or_default();
        for candidate in candidates.iter_mut() {
            let mark = vm.mark();
            let there = match &mut candidate.copy {
                Kept::Here(copy) => copy.put(vm),
                Kept::Elsewhere(state) => {
                    elsewhere.as_mut().and_then(|elsewhere| (elsewhere.put)(vm, *state))
                }
            };
            let is_equal = there.is_some_and(|there| {
                let args = [object.to_slot(), there.to_slot()];
                let outcome = vm.call(&mut Plain, equals, &args, Some(FUEL));
                outcome == Outcome::Returned(Value::Int(1))
            });
            vm.rollback(mark);
            if is_equal {
                return candidate.number;
            }
        }
        let copy = match elsewhere.and_then(|elsewhere| elsewhere.number) {
            Some(number) => Kept::Elsewhere(number),
            None => {
                let is_kept = |other: Ref| other != object && is_shared(other);
                Kept::Here(Copied::take(&mut self.room, vm, object, &is_kept))
            }
        };
        candidates.push(Representative { number: new, copy });
        self.n_classes += 1;
        new
    }
}

/// The class's own `hashCode`, where it overrides it.
fn own_hash(vm: &Vm, class: ClassId) -> Option<MethodId> {
    let method = vm.lookup_method(class, b"hashCode", b"()I")?;
    (vm.method(method).class != vm.known.object).then_some(method)
}

fn hash(vm: &mut Vm, object: Ref, method: MethodId) -> i32 {
    let mark = vm.mark();
    let outcome = vm.call(&mut Plain, method, &[object.to_slot()], Some(FUEL));
    vm.rollback(mark);
    match outcome {
        Outcome::Returned(Value::Int(hash)) => hash,
        _ => 0,
    }
}
