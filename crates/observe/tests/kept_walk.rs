//! Walks that are kept give the fingerprints of fresh ones, whatever happens to the heap in between.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod machine;

use observe::session::Session;
use observe::state::canonical_heap::{CanonicalHeap, Root};
use observe::state::kept_walk::KeptWalks;
use observe::state::mask::Mask;
use testkit::{jdk, root, suite};
use vm::interp::Outcome;
use vm::value::{Kind, Ref, Value};

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

#[test]
fn a_kept_walk_gives_what_a_fresh_one_gives() {
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
    for kind in 0..6 {
        let Outcome::Returned(Value::Ref(object)) = vm.call_plain(make, &[kind]) else { panic!() };
        held.push(vm.handles.hold(object));
    }
    let mut heap = CanonicalHeap::new(Mask::standard());
    let mut fresh = CanonicalHeap::new(Mask::standard());
    let mut walks = KeptWalks::default();
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut seen = std::collections::HashSet::new();
    for round in 0..3000 {
        let objects: Vec<Ref> = held.iter().map(|handle| vm.handles.get(handle)).collect();
        let at = usize::try_from(random.below(6)).unwrap();
        let (other, number) = (objects[(at + 1) % 6], random.below(200));
        let roots = match random.below(4) {
            0 => {
                vec![Root::Object(objects[at]), Root::Object(other), Root::Primitive(Kind::Int, 3)]
            }
            1 => vec![Root::Object(objects[at]), Root::Primitive(Kind::Int, number)],
            _ => vec![Root::Object(objects[at])],
        };
        let kept = walks.fingerprints(&mut heap, vm, &roots);
        assert_eq!(kept, fresh.fingerprints(vm, &roots), "object {at} in round {round}");
        seen.insert(kept.0);
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
    // The same change again and again, which may leave nothing of a walk, and then none.
    for (at, handle) in held.iter().enumerate() {
        for how in 0..6 {
            for round in 0..12 {
                let object = vm.handles.get(handle);
                if round < 9 {
                    vm.call_plain(change, &[object.to_slot(), how, round]);
                }
                let roots = [Root::Object(object), Root::Primitive(Kind::Int, round)];
                let kept = walks.fingerprints(&mut heap, vm, &roots);
                assert_eq!(kept, fresh.fingerprints(vm, &roots), "object {at}, change {how}");
            }
        }
    }
    // Something did change, and something did not.
    assert!((600..2900).contains(&seen.len()), "{} states", seen.len());
    walks.end(vm);
    assert!(vm.heap.changed_granules().is_none());
}
