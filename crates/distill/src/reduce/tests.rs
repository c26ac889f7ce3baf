//! Rules of minimal suites, over all suites of a small domain and random ones of a larger.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::BTreeSet;

use super::{Covered, Order, Reduction, prioritize, reduce, reduce_around, reduce_together};

/// All suites of `n_tests` tests over three things.
fn suites(n_tests: u32) -> impl Iterator<Item = Vec<Covered>> {
    (0..8_u32.pow(n_tests)).map(move |code| {
        let covered = |test: u32| {
            let bits = code / 8_u32.pow(test) % 8;
            (0..3).filter(|bit| bits >> bit & 1 != 0).collect()
        };
        (0..n_tests).map(covered).collect()
    })
}

fn union<'a>(tests: impl Iterator<Item = &'a Covered>) -> BTreeSet<u32> {
    tests.flatten().copied().collect()
}

fn is_covered(test: &Covered, by: &BTreeSet<u32>) -> bool {
    test.iter().all(|thing| by.contains(thing))
}

fn check(tests: &[Covered], reduction: &Reduction) {
    let kept = &reduction.kept;
    let all = union(tests.iter());
    assert_eq!(union(kept.iter().map(|&test| &tests[test])), all, "{tests:?}: all is kept");
    for &test in kept {
        let others = union(kept.iter().filter(|&&other| other != test).map(|&other| &tests[other]));
        assert!(!is_covered(&tests[test], &others), "{tests:?}: {test} is redundant");
    }
    let redundant: Vec<usize> = reduction.redundant.iter().map(|it| it.test).collect();
    let mut positions = [&kept[..], &redundant].concat();
    positions.sort_unstable();
    assert!(positions.into_iter().eq(0..tests.len()), "{tests:?}: every test is kept or not");
    for it in &reduction.redundant {
        assert!(it.covered_by.iter().all(|by| kept.contains(by)), "{tests:?}");
        let by = union(it.covered_by.iter().map(|&by| &tests[by]));
        assert!(is_covered(&tests[it.test], &by), "{tests:?}: why {} is redundant", it.test);
    }
}

#[test]
fn every_small_suite_becomes_minimal_and_loses_nothing() {
    for n_tests in 0..=5 {
        for tests in suites(n_tests) {
            for order in [Order::Suite, Order::Greedy] {
                check(&tests, &reduce(&tests, order));
            }
        }
    }
}

#[test]
fn what_stays_is_kept_and_the_others_are_minimal_beside_it() {
    for tests in suites(4) {
        for (staying, order) in [(0..1, Order::Suite), (3..4, Order::Suite), (1..3, Order::Greedy)]
        {
            let staying: Vec<usize> = staying.collect();
            let kept = reduce_around(&tests, &staying, order).kept;
            assert!(staying.iter().all(|test| kept.contains(test)), "{tests:?}");
            assert_eq!(union(kept.iter().map(|&test| &tests[test])), union(tests.iter()));
            for &test in kept.iter().filter(|test| !staying.contains(test)) {
                let others = kept.iter().filter(|&&other| other != test);
                let others = union(others.map(|&other| &tests[other]));
                assert!(!is_covered(&tests[test], &others), "{tests:?}: {test} is redundant");
            }
        }
    }
}

/// How many numbers have no kept test.
fn n_gone(together: &[Option<usize>], reduction: &Reduction) -> usize {
    let stays: BTreeSet<usize> = reduction.kept.iter().filter_map(|&test| together[test]).collect();
    let all: BTreeSet<usize> = together.iter().flatten().copied().collect();
    all.difference(&stays).count()
}

#[test]
fn tests_that_stay_because_of_others_let_more_go() {
    // The first test and an heir's run of the second do the same; the other heir's run is needed.
    let tests = [vec![0], vec![0], vec![1]];
    let together = [Some(0), Some(1), Some(1)];
    assert_eq!(reduce(&tests, Order::Suite).kept, [0, 2]);
    let reduction = reduce_together(&tests, &[], &together, Order::Suite);
    assert_eq!(reduction.kept, [1, 2]);
    check(&tests, &reduction);
    // Not where the first test must stay as well, or cannot go.
    assert_eq!(reduce_together(&tests, &[0], &together, Order::Suite).kept, [0, 2]);
    let together = [None, Some(1), Some(1)];
    assert_eq!(reduce_together(&tests, &[], &together, Order::Suite).kept, [0, 2]);
}

#[test]
fn never_less_goes_for_going_together_and_nothing_changes_without_need() {
    for tests in suites(5) {
        for order in [Order::Suite, Order::Greedy] {
            let plain = reduce(&tests, order);
            let alone: Vec<Option<usize>> = (0..5).map(Some).collect();
            assert_eq!(reduce_together(&tests, &[], &alone, order), plain, "{tests:?}");
            for together in [[0, 1, 1, 2, 2], [0, 1, 2, 0, 3], [0, 1, 1, 0, 4]] {
                let together = together.map(Some);
                let reduction = reduce_together(&tests, &[], &together, order);
                check(&tests, &reduction);
                let (before, after) = (n_gone(&together, &plain), n_gone(&together, &reduction));
                assert!(after > before || reduction == plain, "{tests:?} {together:?}");
            }
        }
    }
}

#[test]
fn a_minimal_suite_is_left_alone() {
    for tests in suites(4) {
        for order in [Order::Suite, Order::Greedy] {
            let kept = reduce(&tests, order).kept;
            let rest: Vec<Covered> = kept.iter().map(|&test| tests[test].clone()).collect();
            assert!(reduce(&rest, order).redundant.is_empty(), "{rest:?}");
        }
    }
}

#[test]
fn without_a_later_test_that_covers_an_earlier_one_suite_order_is_the_paper_s() {
    for tests in suites(4) {
        let mut seen = BTreeSet::new();
        let mut adds = Vec::new();
        for (idx, test) in tests.iter().enumerate() {
            if !is_covered(test, &seen) {
                adds.push(idx);
            }
            seen.extend(test);
        }
        let is_minimal = adds.iter().all(|&test| {
            let others =
                union(adds.iter().filter(|&&other| other != test).map(|&other| &tests[other]));
            !is_covered(&tests[test], &others)
        });
        if is_minimal {
            assert_eq!(reduce(&tests, Order::Suite).kept, adds, "{tests:?}");
        }
    }
}

#[test]
fn greedy_keeps_the_one_test_that_covers_everything() {
    let tests = vec![vec![0], vec![1], vec![0, 1, 2], vec![2]];
    assert_eq!(reduce(&tests, Order::Greedy).kept, [2]);
    let reduction = reduce(&tests, Order::Suite);
    assert_eq!(reduction.kept, [2], "the earlier ones are redundant for the later one");
    assert!(reduction.redundant.iter().all(|it| it.covered_by == [2]));
}

#[test]
fn a_redundant_test_names_several_kept_ones_where_no_single_one_covers_it() {
    let tests = vec![vec![0, 3], vec![1, 4], vec![0, 1]];
    let reduction = reduce(&tests, Order::Suite);
    assert_eq!(reduction.kept, [0, 1]);
    assert_eq!(reduction.redundant[0].covered_by, [0, 1]);
}

#[test]
fn priorities_are_a_permutation_and_each_step_adds_as_much_as_possible() {
    for tests in suites(4) {
        let order = prioritize(&tests);
        let mut sorted = order.clone();
        sorted.sort_unstable();
        assert!(sorted.into_iter().eq(0..tests.len()));
        let mut seen: BTreeSet<u32> = BTreeSet::new();
        for (place, &test) in order.iter().enumerate() {
            let adds = |test: usize| tests[test].iter().filter(|it| !seen.contains(it)).count();
            let best = order[place..].iter().map(|&other| adds(other)).max();
            assert_eq!(Some(adds(test)), best, "{tests:?}");
            seen.extend(&tests[test]);
        }
    }
}

/// Suites of up to 24 tests over up to 14 things, some of them in nearly every test.
fn random_suites() -> impl Iterator<Item = Vec<Covered>> {
    let mut state = 7_u64;
    let mut next = move |below: u64| {
        // SplitMix64.
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = state;
        word = (word ^ word >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ word >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        (word ^ word >> 31) % below
    };
    (0..2_000).map(move |_| {
        let n_tests = next(25);
        let n_things = 1 + next(14);
        let density = 1 + next(5);
        (0..n_tests)
            .map(|_| {
                let is_in = |thing: &u64| {
                    let one_in = if thing.is_multiple_of(5) { 10 } else { 6 };
                    next(one_in) < density + u64::from(thing.is_multiple_of(5)) * 5
                };
                (0..n_things).filter(is_in).filter_map(|thing| u32::try_from(thing).ok()).collect()
            })
            .collect()
    })
}

/// The definition, word for word: every question goes through all tests again.
fn simple(tests: &[Covered]) -> Reduction {
    let covered_by = |of: &[usize], but: usize| {
        union(of.iter().filter(|&&test| test != but).map(|&test| &tests[test]))
    };
    let mut kept: Vec<usize> = Vec::new();
    for (idx, test) in tests.iter().enumerate() {
        if !is_covered(test, &covered_by(&kept, idx)) {
            kept.push(idx);
        }
    }
    for idx in (0..tests.len()).rev() {
        if is_covered(&tests[idx], &covered_by(&kept, idx)) {
            kept.retain(|&test| test != idx);
        }
    }
    let mut redundant = Vec::new();
    for idx in (0..tests.len()).filter(|idx| !kept.contains(idx)) {
        let mut left: BTreeSet<u32> = tests[idx].iter().copied().collect();
        let mut by = BTreeSet::new();
        while !left.is_empty() {
            let adds = |test: usize| tests[test].iter().filter(|it| left.contains(it)).count();
            let best = *kept.iter().max_by_key(|&&it| (adds(it), std::cmp::Reverse(it))).unwrap();
            left.retain(|thing| !tests[best].contains(thing));
            by.insert(best);
        }
        redundant.push(super::Redundant { test: idx, covered_by: by.into_iter().collect() });
    }
    Reduction { kept, redundant }
}

#[test]
fn what_is_kept_and_why_is_what_the_simple_definition_says() {
    let mut n_redundant = 0;
    for tests in random_suites() {
        let reduction = reduce(&tests, Order::Suite);
        assert_eq!(reduction, simple(&tests), "{tests:?}");
        check(&tests, &reduce(&tests, Order::Greedy));
        n_redundant += reduction.redundant.len();
    }
    assert!(n_redundant > 10_000, "{n_redundant}");
}

#[test]
fn a_large_suite_in_which_every_test_shares_something_takes_no_time() {
    // As all sequences of a class: one constructor, a call, another call; 40,000 tests.
    let n_calls = 200;
    let test = |idx: u32| vec![0, 1 + idx / n_calls, 1_000 + idx];
    let mut tests: Vec<Covered> = (0..n_calls * n_calls).map(test).collect();
    tests.extend((0..n_calls * n_calls).map(|idx| vec![0, 1 + idx % n_calls]));
    let reduction = reduce(&tests, Order::Suite);
    assert_eq!(reduction.kept.len(), 40_000);
    assert_eq!(reduction.redundant[7].covered_by, [7 * 200]);
}
