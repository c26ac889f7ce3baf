//! Minimal suites: no kept test is redundant for the other kept ones.
//!
//! A test is what it covers: numbers of things (method executions that a technique cannot tell apart).
//! A test is redundant for a suite iff the suite covers all that it covers (definition 7 of Xie, Marinov
//! and Notkin, 2004); a suite is minimal iff no test of it is redundant for the rest (definition 8). The
//! paper's own way (section 4.2) goes through the suite in order and keeps what adds something; that
//! is not always minimal, since a later test may cover all of an earlier one, so a backward pass
//! follows here.

use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

/// What a test covers; numbers ascend and appear once.
pub type Covered = Vec<u32>;

/// In which order tests get a chance to be kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// That of the suite, as in the paper.
    Suite,
    /// The one that adds most comes next; the earlier one among equals.
    Greedy,
}

/// What is left of a suite, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reduction {
    /// Positions of the tests that are kept, ascending.
    pub kept: Vec<usize>,
    /// The others, ascending.
    pub redundant: Vec<Redundant>,
}

/// A test that is redundant for the kept ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redundant {
    /// Its position.
    pub test: usize,
    /// Positions of kept tests that together cover all of it, ascending; few, not always the fewest.
    pub covered_by: Vec<usize>,
}

/// A minimal suite.
pub fn reduce(tests: &[Covered], order: Order) -> Reduction {
    reduce_around(tests, &[], order)
}

/// As [`reduce`], around tests that stay whatever the others do: their positions, each once. The others are minimal
/// beside them.
pub fn reduce_around(tests: &[Covered], staying: &[usize], order: Order) -> Reduction {
    let mut seen = Seen::of(tests);
    for &test in staying {
        seen.add(&tests[test]);
    }
    let mut chosen = match order {
        Order::Suite => suite_order(tests, seen),
        Order::Greedy => greedy_order(tests, seen),
    };
    // What stays adds nothing to itself, so none of it was chosen.
    chosen.extend(staying);
    explained(tests, minimal(tests, chosen, &staying.iter().copied().collect()))
}

/// As [`reduce_around`], where tests of one number in `together` go or stay together, and tests without a number
/// stay, redundant or not. The order decides first. What is redundant then, but stays because of others of its
/// number, can stand for kept ones: these go, the last ones first, where all of their number can. Where nothing
/// more can go, the result is that of [`reduce_around`].
pub fn reduce_together(
    tests: &[Covered],
    staying: &[usize],
    together: &[Option<usize>],
    order: Order,
) -> Reduction {
    let first = reduce_around(tests, staying, order);
    let stays: BTreeSet<Option<usize>> = first.kept.iter().map(|&test| together[test]).collect();
    let does_stay = |&test: &usize| together[test].is_none() || stays.contains(&together[test]);
    let rest: Vec<usize> = (0..tests.len()).filter(does_stay).collect();
    let gone = droppable(tests, &rest, staying, together);
    if gone.is_empty() {
        return first;
    }
    let left: Vec<usize> = rest
        .into_iter()
        .filter(|&test| !together[test].is_some_and(|it| gone.contains(&it)))
        .collect();
    let of_left: Vec<Covered> = left.iter().map(|&test| tests[test].clone()).collect();
    let staying: Vec<usize> =
        staying.iter().filter_map(|test| left.binary_search(test).ok()).collect();
    let second = reduce_around(&of_left, &staying, order);
    explained(tests, second.kept.into_iter().map(|at| left[at]).collect())
}

/// The numbers of which all tests can go from `rest` without a loss, the last ones first.
fn droppable(
    tests: &[Covered],
    rest: &[usize],
    staying: &[usize],
    together: &[Option<usize>],
) -> BTreeSet<usize> {
    let mut n_tests = vec![0_u32; n_things(tests)];
    let mut members: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for &test in rest {
        for &thing in &tests[test] {
            n_tests[thing as usize] += 1;
        }
        if let Some(number) = together[test] {
            members.entry(number).or_default().push(test);
        }
    }
    let fixed: BTreeSet<usize> = staying.iter().filter_map(|&test| together[test]).collect();
    let mut gone = BTreeSet::new();
    let mut seen = fixed;
    for number in rest.iter().rev().filter_map(|&test| together[test]) {
        if !seen.insert(number) {
            continue;
        }
        let things = || members[&number].iter().flat_map(|&test| &tests[test]);
        things().for_each(|&thing| n_tests[thing as usize] -= 1);
        if things().all(|&thing| n_tests[thing as usize] > 0) {
            gone.insert(number);
        } else {
            things().for_each(|&thing| n_tests[thing as usize] += 1);
        }
    }
    gone
}

/// Why all tests but the kept ones are redundant.
fn explained(tests: &[Covered], kept: Vec<usize>) -> Reduction {
    let index = Index::of(tests, &kept);
    // Many redundant tests cover just the same.
    let mut known: BTreeMap<&Covered, Vec<usize>> = BTreeMap::new();
    let mut redundant = Vec::with_capacity(tests.len() - kept.len());
    let mut next_kept = kept.iter().peekable();
    for (test, covered) in tests.iter().enumerate() {
        if next_kept.next_if_eq(&&test).is_none() {
            let by = known.entry(covered).or_insert_with(|| index.cover(covered));
            redundant.push(Redundant { test, covered_by: by.clone() });
        }
    }
    Reduction { kept, redundant }
}

/// All tests in the order that covers most soonest; those that add nothing come last, in suite order.
pub fn prioritize(tests: &[Covered]) -> Vec<usize> {
    let mut order = greedy_order(tests, Seen::of(tests));
    let chosen: BTreeSet<usize> = order.iter().copied().collect();
    order.extend((0..tests.len()).filter(|test| !chosen.contains(test)));
    order
}

/// The tests that add something to those before them and to what was seen.
fn suite_order(tests: &[Covered], mut seen: Seen) -> Vec<usize> {
    (0..tests.len()).filter(|&test| seen.add(&tests[test]) > 0).collect()
}

/// Tests that add something to what was seen, the most first.
fn greedy_order(tests: &[Covered], mut seen: Seen) -> Vec<usize> {
    // What a test adds only shrinks, so an old figure is an upper bound.
    let mut heap: BinaryHeap<(usize, std::cmp::Reverse<usize>)> = tests
        .iter()
        .enumerate()
        .map(|(test, covered)| (covered.len(), std::cmp::Reverse(test)))
        .collect();
    let mut order = Vec::new();
    while let Some((bound, test)) = heap.pop() {
        let adds = seen.count_new(&tests[test.0]);
        if adds == 0 {
            continue;
        }
        if adds < bound {
            heap.push((adds, test));
            continue;
        }
        seen.add(&tests[test.0]);
        order.push(test.0);
    }
    order
}

/// Drops tests that the others cover, the last ones first, but none of those that stay; ascending.
fn minimal(tests: &[Covered], mut kept: Vec<usize>, staying: &BTreeSet<usize>) -> Vec<usize> {
    kept.sort_unstable();
    let mut n_tests = vec![0_u32; n_things(tests)];
    for &thing in kept.iter().flat_map(|&test| &tests[test]) {
        n_tests[thing as usize] += 1;
    }
    let mut minimal = Vec::with_capacity(kept.len());
    for &test in kept.iter().rev() {
        let is_covered = || tests[test].iter().all(|&thing| n_tests[thing as usize] > 1);
        if !staying.contains(&test) && is_covered() {
            for &thing in &tests[test] {
                n_tests[thing as usize] -= 1;
            }
        } else {
            minimal.push(test);
        }
    }
    minimal.reverse();
    minimal
}

/// The kept tests by what they cover.
struct Index<'t> {
    tests: &'t [Covered],
    /// By thing: the kept tests that cover it, ascending.
    owners: Vec<Vec<usize>>,
}

impl Index<'_> {
    fn of<'t>(tests: &'t [Covered], kept: &[usize]) -> Index<'t> {
        let mut owners = vec![Vec::new(); n_things(tests)];
        for &test in kept {
            for &thing in &tests[test] {
                owners[thing as usize].push(test);
            }
        }
        Index { tests, owners }
    }

    /// Few of the kept tests that cover all of `wanted`, ascending: the one that adds most comes next, the
    /// earlier one among equals.
    fn cover(&self, wanted: &Covered) -> Vec<usize> {
        let mut left = wanted.clone();
        // What few tests cover comes first, so that what all cover is hardly ever looked up.
        left.sort_by_key(|&thing| (self.owners[thing as usize].len(), thing));
        let mut chosen = Vec::new();
        while let Some(best) = self.best(&left) {
            left.retain(|thing| self.tests[best].binary_search(thing).is_err());
            chosen.push(best);
        }
        chosen.sort_unstable();
        chosen
    }

    /// The kept test that covers most of what is left. A test that covers none of the first `n` things can
    /// cover no more than the others, so most tests need not be looked at.
    fn best(&self, left: &[u32]) -> Option<usize> {
        let mut best: Option<(usize, usize)> = None;
        for (n_passed, &thing) in left.iter().enumerate() {
            let most = left.len() - n_passed;
            for &test in &self.owners[thing as usize] {
                if best.is_some_and(|(adds, first)| adds > most || adds == most && first < test) {
                    break;
                }
                let has = |thing: &&u32| self.tests[test].binary_search(thing).is_ok();
                let adds = left.iter().filter(has).count();
                if best.is_none_or(|(most, first)| adds > most || adds == most && test < first) {
                    best = Some((adds, test));
                }
            }
        }
        best.map(|(_, test)| test)
    }
}

fn n_things(tests: &[Covered]) -> usize {
    tests.iter().flatten().max().map_or(0, |&last| last as usize + 1)
}

/// What was covered so far.
struct Seen(Vec<bool>);

impl Seen {
    fn of(tests: &[Covered]) -> Seen {
        Seen(vec![false; n_things(tests)])
    }

    fn count_new(&self, covered: &Covered) -> usize {
        covered.iter().filter(|&&thing| !self.0[thing as usize]).count()
    }

    /// How many were new.
    fn add(&mut self, covered: &Covered) -> usize {
        let n_new = self.count_new(covered);
        for &thing in covered {
            self.0[thing as usize] = true;
        }
        n_new
    }
}

#[cfg(test)]
mod tests;
