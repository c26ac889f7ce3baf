//! What is kept of large heaps gives the fingerprints of fresh walks, whatever happens to the heap in between.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod machine;

use std::collections::HashMap;

use observe::session::Session;
use observe::state::canonical_heap::{CanonicalHeap, Root};
use observe::state::fingerprint::Fingerprint;
use observe::state::kept_walk::KeptWalks;
use observe::state::mask::Mask;
use testkit::{jdk, root, suite};
use vm::handles::Handle;
use vm::interp::Outcome;
use vm::value::{Kind, MethodId, Ref, Value};

/// Kinds of objects in the fixture.
const KINDS: u64 = 14;

/// A small generator with a fixed sequence.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }
}

/// Two makings of fingerprints tell the same heaps apart.
#[derive(Default)]
struct Pairs {
    there: HashMap<Fingerprint, Fingerprint>,
    back: HashMap<Fingerprint, Fingerprint>,
}

impl Pairs {
    fn add(&mut self, one: Fingerprint, other: Fingerprint) {
        assert_eq!(*self.there.entry(one).or_insert(other), other);
        assert_eq!(*self.back.entry(other).or_insert(one), one);
    }
}

/// A machine with an object of every kind, and the method that changes them.
fn objects() -> (Session, Vec<Handle>, MethodId) {
    let jdk = jdk::installed().remove(0);
    let sources = root::repository().join("fixtures/states");
    let classes = suite::compile(&jdk, "states", &sources, "").unwrap();
    let (vm, _) = machine::boot(&jdk, &classes.display().to_string());
    let mut session = Session::new(vm).unwrap();
    let class = session.class("Changing").unwrap();
    let vm = &mut session.vm;
    let method = |vm: &vm::vm::Vm, name: &str, descriptor: &str| {
        vm.lookup_method(class, name.as_bytes(), descriptor.as_bytes()).unwrap()
    };
    let make = method(vm, "make", "(I)Ljava/lang/Object;");
    let change = method(vm, "change", "(Ljava/lang/Object;II)V");
    let mut held = Vec::new();
    for kind in 0..KINDS {
        let Outcome::Returned(Value::Ref(object)) = vm.call_plain(make, &[kind]) else { panic!() };
        held.push(vm.handles.hold(object));
    }
    (session, held, change)
}

#[test]
fn many_values_in_few_objects_are_read_as_a_whole_once() {
    let (mut session, held, change) = objects();
    let vm = &mut session.vm;
    let mut heap = CanonicalHeap::new(Mask::standard());
    // An array of references and one of numbers.
    for kind in [11, 12] {
        let mut walks = KeptWalks::default();
        for number in 0..50 {
            let object = vm.handles.get(&held[kind]);
            walks.fingerprint(&mut heap, vm, object);
            assert_eq!(walks.n_made(), 1, "kind {kind}, {number} changes");
            vm.call_plain(change, &[object.to_slot(), 0, number]);
        }
        walks.end(vm);
    }
}

#[test]
fn what_is_kept_gives_what_a_fresh_walk_gives() {
    let (mut session, held, change) = objects();
    let vm = &mut session.vm;
    let mut heap = CanonicalHeap::new(Mask::standard());
    let mut fresh = CanonicalHeap::new(Mask::standard());
    let mut walks = KeptWalks::default();
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let (mut alone, mut joint) = (Pairs::default(), Pairs::default());
    let mut check = |vm: &mut vm::vm::Vm, walks: &mut KeptWalks, roots: &[Root]| {
        let kept = walks.fingerprints(&mut heap, vm, roots);
        let walked = fresh.fingerprints(vm, roots);
        alone.add(kept.0, walked.0);
        // What is behind two roots is told apart from what is behind one by who asks.
        if roots.len() > 1 {
            joint.add(kept.1, walked.1);
        }
        alone.there.len()
    };
    let mut n_states = 0;
    // By object.
    let (mut n_asked, mut n_made) = (vec![0; held.len()], vec![0; held.len()]);
    for round in 0..8000 {
        let objects: Vec<Ref> = held.iter().map(|handle| vm.handles.get(handle)).collect();
        // Some in a row on the same object, so that what is kept is used.
        let at = usize::try_from(if round % 60 < 50 { round / 60 } else { random.below(KINDS) });
        let at = at.unwrap() % held.len();
        let (other, number) = (objects[(at + 1) % held.len()], random.below(200));
        let roots = match random.below(4) {
            0 => {
                vec![Root::Object(objects[at]), Root::Object(other), Root::Primitive(Kind::Int, 3)]
            }
            1 => vec![Root::Object(objects[at]), Root::Primitive(Kind::Int, number)],
            _ => vec![Root::Object(objects[at])],
        };
        let n_before = walks.n_made();
        n_states = check(vm, &mut walks, &roots);
        n_asked[at] += 1;
        n_made[at] += walks.n_made() - n_before;
        match random.below(100) {
            0 => vm.collect_outside(),
            1 => {
                let mark = vm.mark();
                vm.call_plain(change, &[objects[at].to_slot(), 0, number]);
                vm.rollback(mark);
            }
            _ => {
                let args = [objects[at].to_slot(), random.below(6), number];
                assert_eq!(vm.call_plain(change, &args), Outcome::Returned(Value::Void));
            }
        }
    }
    for (at, (&asked, &made)) in n_asked.iter().zip(&n_made).enumerate() {
        assert!(made * 3 < asked, "object {at}: {made} of {asked} read as a whole");
    }
    // The same change again and again.
    for handle in &held {
        for how in 0..6 {
            for round in 0..12 {
                let object = vm.handles.get(handle);
                if round < 9 {
                    vm.call_plain(change, &[object.to_slot(), how, round]);
                }
                check(vm, &mut walks, &[Root::Object(object), Root::Primitive(Kind::Int, round)]);
            }
        }
    }
    // Something did change, and something did not.
    assert!((1500..5000).contains(&n_states), "{n_states} states");
    walks.end(vm);
    assert!(vm.heap.changed_granules().is_none());
}
