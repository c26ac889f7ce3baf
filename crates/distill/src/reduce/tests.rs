//! Rules of minimal suites, over all suites of a small domain.

use std::collections::BTreeSet;

use super::{Covered, Order, Reduction, prioritize, reduce};

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
