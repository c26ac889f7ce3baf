//! Which states are the same, under the techniques that look at the heap.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod machine;

use observe::session::Session;
use observe::state::canonical_heap::{CanonicalHeap, Root, Whole};
use observe::state::fingerprint::{Exact, Fingerprint};
use observe::state::mask::Mask;
use observe::state::monitor_equals::MonitorEquals;
use observe::state::pairwise_equals::PairwiseEquals;
use testkit::{jdk, root, suite};
use vm::interp::Outcome;
use vm::value::{Ref, Value};

/// A session with `fixtures/states` on it.
struct States {
    session: Session,
    heap: CanonicalHeap,
    shared_below: usize,
}

impl States {
    fn object(&mut self, method: &str, descriptor: &str, args: &[u64]) -> Ref {
        self.object_of("Shapes", method, descriptor, args)
    }

    fn object_of(&mut self, class: &str, method: &str, descriptor: &str, args: &[u64]) -> Ref {
        let class = self.session.class(class).unwrap();
        let vm = &mut self.session.vm;
        let method = vm.lookup_method(class, method.as_bytes(), descriptor.as_bytes()).unwrap();
        match vm.call_plain(method, args) {
            Outcome::Returned(Value::Ref(object)) => object,
            Outcome::Threw(exception) => panic!("{}", vm.describe_throwable(exception)),
            other => panic!("{other:?}"),
        }
    }

    fn whole(&mut self, object: Ref) -> Fingerprint {
        let roots = [Root::Object(object)];
        let key = self.heap.fingerprint(&self.session.vm, &roots);
        // Fingerprints say what the exact words say.
        let mut exact = Exact::default();
        self.heap.write(&self.session.vm, &roots, &Whole, &mut exact);
        assert_eq!(key, observe_words(&exact));
        key
    }

    fn monitored(&mut self, monitor: &mut MonitorEquals, object: Ref) -> Fingerprint {
        let roots = [Root::Object(object)];
        monitor.key(&mut self.heap, &mut self.session.vm, &roots, self.shared_below)
    }
}

fn observe_words(exact: &Exact) -> Fingerprint {
    use observe::state::fingerprint::{Mixer, Sink};
    let mut mixer = Mixer::new(1);
    exact.0.iter().for_each(|&word| mixer.word(word));
    mixer.finish()
}

fn with(mask: &Mask, mut check: impl FnMut(&mut States)) {
    for jdk in jdk::installed() {
        let sources = root::repository().join("fixtures/states");
        let classes = suite::compile(&jdk, "states", &sources, "").unwrap();
        let (vm, _) = machine::boot(&jdk, &classes.display().to_string());
        let mut session = Session::new(vm).unwrap();
        session.class("Shapes").unwrap();
        session.class("Shapes$Colour").unwrap();
        let mark = session.vm.mark();
        let shared_below = session.vm.heap.top;
        let heap = CanonicalHeap::new(mask.clone());
        let mut states = States { session, heap, shared_below };
        check(&mut states);
        states.session.vm.rollback(mark);
    }
}

/// Checks that two objects have the same state, or not, under the default mask.
fn check(same: bool, method: &str, descriptor: &str, one: &[u64], other: &[u64]) {
    check_masked(&Mask::standard(), same, method, descriptor, one, other);
}

fn check_masked(
    mask: &Mask,
    same: bool,
    method: &str,
    descriptor: &str,
    one: &[u64],
    other: &[u64],
) {
    with(mask, |states| {
        let (one, other) =
            (states.object(method, descriptor, one), states.object(method, descriptor, other));
        assert_eq!(states.whole(one) == states.whole(other), same, "{method}");
    });
}

#[test]
fn a_cycle_of_two_is_not_a_cycle_of_three() {
    check(true, "cycle", "(I)Ljava/lang/Object;", &[3], &[3]);
    check(false, "cycle", "(I)Ljava/lang/Object;", &[2], &[3]);
}

#[test]
fn the_same_object_twice_is_not_two_equal_ones() {
    check(false, "pair", "(Z)Ljava/lang/Object;", &[0], &[1]);
}

#[test]
fn the_same_string_twice_is_two_equal_ones() {
    check(true, "texts", "(Z)Ljava/lang/Object;", &[0], &[1]);
}

#[test]
fn a_fresh_box_is_a_cached_one_even_when_strict() {
    check(true, "boxed", "(Z)Ljava/lang/Object;", &[0], &[1]);
}

#[test]
fn all_nans_are_one_and_zeros_are_two() {
    let nans = [0x7fc0_0000, 0x7fc0_1234];
    check(true, "floats", "(I)Ljava/lang/Object;", &nans[..1], &nans[1..]);
    check(false, "zero", "(Z)Ljava/lang/Object;", &[0], &[1]);
}

#[test]
fn a_list_of_a_million_nodes_needs_no_host_stack() {
    with(&Mask::standard(), |states| {
        let long = states.object("list", "(I)Ljava/lang/Object;", &[1_000_000]);
        let again = states.object("list", "(I)Ljava/lang/Object;", &[1_000_000]);
        assert_eq!(states.whole(long), states.whole(again));
    });
}

#[test]
fn counters_of_changes_are_part_of_a_state_only_when_strict() {
    let strict = Mask { strict: true, ignored: Vec::new() };
    check(true, "grown", "(I)Ljava/lang/Object;", &[0], &[2]);
    check_masked(&strict, false, "grown", "(I)Ljava/lang/Object;", &[0], &[2]);
}

#[test]
fn enum_constants_and_lambdas_are_told_apart() {
    check(false, "colour", "(I)Ljava/lang/Object;", &[0], &[1]);
    check(true, "lambda", "(II)Ljava/lang/Object;", &[0, 1], &[0, 1]);
    check(false, "lambda", "(II)Ljava/lang/Object;", &[0, 1], &[1, 1]);
    check(false, "lambda", "(II)Ljava/lang/Object;", &[0, 1], &[0, 2]);
}

#[test]
fn monitor_equals_takes_what_equals_reads_although_it_looks_at_identity_first() {
    with(&Mask::standard(), |states| {
        let mut monitor = MonitorEquals::default();
        let mut key = |states: &mut States, name: &str, visits: u64| {
            let text = states.session.constant(&::suite::constant::Constant::text(name)).unwrap();
            let object =
                states.object("named", "(Ljava/lang/String;I)Ljava/lang/Object;", &[text, visits]);
            states.monitored(&mut monitor, object)
        };
        let one = key(states, "one", 1);
        assert_eq!(one, key(states, "one", 2));
        assert_ne!(one, key(states, "two", 1));
        assert!(monitor.fallen_back.is_empty());
    });
}

#[test]
fn monitor_equals_shares_what_is_compared_by_identity() {
    with(&Mask::standard(), |states| {
        let mut monitor = MonitorEquals::default();
        let one = states.object("holder", "(I)Ljava/lang/Object;", &[1]);
        let same = states.object("holder", "(I)Ljava/lang/Object;", &[1]);
        let other = states.object("holder", "(I)Ljava/lang/Object;", &[2]);
        let key = states.monitored(&mut monitor, one);
        assert_eq!(key, states.monitored(&mut monitor, same));
        assert_ne!(key, states.monitored(&mut monitor, other));
        assert!(monitor.fallen_back.is_empty());
    });
}

#[test]
fn monitor_equals_counts_the_length_of_an_array_only_where_equals_asks_for_it() {
    with(&Mask::standard(), |states| {
        let mut monitor = MonitorEquals::default();
        let mut key = |states: &mut States, size: u64, capacity: u64, bounded: u64| {
            let args = [size, capacity, bounded];
            let object = states.object("buffer", "(IIZ)Ljava/lang/Object;", &args);
            states.monitored(&mut monitor, object)
        };
        assert_eq!(key(states, 2, 3, 0), key(states, 2, 30, 0));
        assert_ne!(key(states, 2, 3, 0), key(states, 1, 3, 0));
        assert_ne!(key(states, 2, 3, 1), key(states, 2, 30, 1));
        assert_eq!(key(states, 2, 3, 1), key(states, 2, 3, 1));
        assert!(monitor.fallen_back.is_empty());
    });
}

#[test]
fn monitor_equals_falls_back_to_the_whole_state_without_an_equals() {
    with(&Mask::standard(), |states| {
        let mut monitor = MonitorEquals::default();
        let list = states.object("list", "(I)Ljava/lang/Object;", &[3]);
        assert_eq!(states.monitored(&mut monitor, list), states.whole(list));
        assert_eq!(monitor.fallen_back.len(), 1);
    });
}

#[test]
fn pairwise_equals_merges_a_set_that_was_filled_in_another_order() {
    with(&Mask::standard(), |states| {
        let mut pairwise = PairwiseEquals::default();
        let mut monitor = MonitorEquals::default();
        let one = states.object("set", "(Z)Ljava/lang/Object;", &[0]);
        let turned = states.object("set", "(Z)Ljava/lang/Object;", &[1]);
        assert_ne!(states.monitored(&mut monitor, one), states.monitored(&mut monitor, turned));
        let limit = states.shared_below;
        let mut class = |states: &mut States, object: Ref| {
            let whole = states.whole(object);
            let is_shared = |other: Ref| other.byte_offset() < limit;
            pairwise.class_of(&mut states.session.vm, object, whole, &is_shared)
        };
        assert_eq!((class(states, one), class(states, turned)), (0, 0));
        let list = states.object("numbers", "(II)Ljava/lang/Object;", &[3, 3]);
        assert_eq!(class(states, list), 1);
    });
}

#[test]
fn a_class_that_has_the_number_of_one_that_was_taken_back_is_not_taken_for_it() {
    with(&Mask::standard(), |states| {
        states.session.class("Late").unwrap();
        let mut monitor = MonitorEquals::default();
        let mut pairwise = PairwiseEquals::default();
        let mut looks = Vec::new();
        for method in ["counted", "chained", "counted", "chained"] {
            let mark = states.session.vm.mark();
            let object = states.object_of("Late", method, "()Ljava/lang/Object;", &[]);
            let class = states.session.vm.class_of(object);
            let whole = states.whole(object);
            let monitored = states.monitored(&mut monitor, object);
            let is_shared = |_: Ref| false;
            let equal = pairwise.class_of(&mut states.session.vm, object, whole, &is_shared);
            looks.push((class, whole, monitored, equal));
            states.session.vm.rollback(mark);
        }
        assert_eq!(looks[0].0, looks[1].0, "both classes must have had the same number");
        assert_eq!(looks[..2], looks[2..]);
        assert_ne!(looks[0].1, looks[1].1);
        assert_ne!(looks[0].2, looks[1].2);
        assert_ne!(looks[0].3, looks[1].3);
    });
}

#[test]
fn who_moves_to_another_machine_takes_no_numbers_along() {
    with(&Mask::standard(), |states| {
        states.session.class("Late").unwrap();
        let first = states.object_of("Late", "counted", "()Ljava/lang/Object;", &[]);
        let number = states.session.vm.class_of(first);
        let counted = states.whole(first);
        with(&Mask::standard(), |other| {
            other.session.class("Late").unwrap();
            let object = other.object_of("Late", "chained", "()Ljava/lang/Object;", &[]);
            if other.session.vm.class_of(object) != number {
                // Another JDK.
                return;
            }
            let chained = other.whole(object);
            let mut moved = CanonicalHeap::new(Mask::standard());
            moved.fingerprint(&states.session.vm, &[Root::Object(first)]);
            assert_eq!(moved.fingerprint(&other.session.vm, &[Root::Object(object)]), chained);
            assert_ne!(chained, counted);
        });
    });
}
