//! Which of the tests of a class tell something: take a way of a branch, end a call in a way, or notice a small fault
//! (a mutant) that no other test does.

use std::collections::BTreeMap;
use std::sync::Arc;

use ::generate::random::{Shown, Thing};
use classfile::ClassFile;
use distill::reduce::{Covered, Order, prioritize, reduce};
use observe::mutation::{self, Limits, Mutant, noticed};
use suite::constant::Constant;
use suite::sequence::Arg;
use suite::test::Test;

use crate::machines::Machines;
use crate::side_by_side::side_by_side;

/// Mutants that one machine tries, at least, since it must run all tests first; and parts of them, at most.
const LEAST_PART: usize = 250;
const MOST_PARTS: usize = 4;
/// Bytecodes that the mutants of all classes take, about, and those of one class at least.
const MOST_COST: u64 = 2_000_000_000;
const LEAST_COST: u64 = 40_000_000;

/// Mutants of a class: how many there are, and how many of them its tests notice.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Faults {
    pub(super) noticed: usize,
    pub(super) all: usize,
}

/// The tests of one class, with what they show.
pub(super) type Tests = Vec<(Test, Shown)>;

/// Leaves the tests that tell something, at most so many of each class, with the class files of each.
pub(super) fn keep_telling(
    machines: &Machines,
    files: &[Vec<Arc<ClassFile>>],
    by_class: &mut [Tests],
    (fuel, most_tests): (u64, usize),
    n_workers: usize,
) -> Result<Vec<Faults>, String> {
    let mutants: Vec<Vec<Mutant>> = files
        .iter()
        .map(|files| files.iter().flat_map(|file| mutation::mutants(file)).collect())
        .collect();
    let of_class = MOST_COST / u64::try_from(by_class.len().max(1)).unwrap_or(1);
    // Parts depend on nothing but the mutants, so the result is the same for any number of threads.
    let n_parts = |class: usize| (mutants[class].len() / LEAST_PART).clamp(1, MOST_PARTS);
    let parts: Vec<(usize, usize)> = (0..by_class.len())
        .filter(|&class| !by_class[class].is_empty() && !mutants[class].is_empty())
        .flat_map(|class| (0..n_parts(class)).map(move |part| (class, part)))
        .collect();
    let tests: Vec<Vec<Test>> =
        by_class.iter().map(|tests| tests.iter().map(|(test, _)| test.clone()).collect()).collect();
    let judge = |(class, part): (usize, usize)| -> Result<_, String> {
        let n_parts = n_parts(class);
        let most_cost = of_class.max(LEAST_COST) / u64::try_from(n_parts).unwrap_or(1);
        let limits =
            Limits { fuel, fuel_factor: 10, fuel_extra: 20_000, most_tests: 40, most_cost };
        let positions: Vec<usize> = (part..mutants[class].len()).step_by(n_parts).collect();
        let own: Vec<Mutant> = positions.iter().map(|&idx| mutants[class][idx].clone()).collect();
        let mut session = machines.session().map_err(|error| error.to_string())?;
        let found = noticed(&mut session, &files[class], &own, &tests[class], limits);
        let found = found.map_err(|error| error.to_string())?;
        let global = |of: Vec<u32>| of.into_iter().map(|idx| positions[idx as usize]).collect();
        Ok((class, found.into_iter().map(global).collect::<Vec<Vec<usize>>>()))
    };
    let mut noticed: Vec<Vec<Vec<usize>>> =
        by_class.iter().map(|tests| vec![Vec::new(); tests.len()]).collect();
    for found in side_by_side(parts, n_workers, &judge) {
        let (class, by_test) = found?;
        for (known, more) in noticed[class].iter_mut().zip(by_test) {
            known.extend(more);
        }
    }
    let mut faults = Vec::with_capacity(by_class.len());
    for ((tests, noticed), mutants) in by_class.iter_mut().zip(noticed).zip(&mutants) {
        let mut all: Vec<usize> = noticed.iter().flatten().copied().collect();
        all.sort_unstable();
        all.dedup();
        faults.push(Faults { noticed: all.len(), all: mutants.len() });
        keep(tests, &noticed, most_tests);
    }
    Ok(faults)
}

/// Leaves the tests that show or notice something that others do not; the short ones where there is a choice.
fn keep(tests: &mut Tests, noticed: &[Vec<usize>], most: usize) {
    let mut order: Vec<usize> = (0..tests.len()).collect();
    order.sort_by_key(|&idx| tests[idx].0.sequence.len());
    let mut numbers: BTreeMap<Thing, u32> = BTreeMap::new();
    let n_mutants = noticed.iter().flatten().max().map_or(0, |&most| most + 1);
    let offset = u32::try_from(n_mutants).unwrap_or(u32::MAX);
    let covered: Vec<Covered> = order
        .iter()
        .map(|&idx| {
            let (test, shown) = &tests[idx];
            let ends = shown.ends.iter().filter(|_| !is_only_null(test));
            let mut covered: Covered =
                noticed[idx].iter().filter_map(|&mutant| u32::try_from(mutant).ok()).collect();
            for &thing in shown.branches.iter().chain(ends) {
                let next = offset + u32::try_from(numbers.len()).unwrap_or(u32::MAX);
                covered.push(*numbers.entry(thing).or_insert(next));
            }
            covered.sort_unstable();
            covered.dedup();
            covered
        })
        .collect();
    let kept = reduce(&covered, Order::Greedy).kept;
    let mut is_kept = vec![false; tests.len()];
    let mut n_kept = 0;
    for at in prioritize(&covered) {
        if n_kept < most && kept.binary_search(&at).is_ok() {
            is_kept[order[at]] = true;
            n_kept += 1;
        }
    }
    let mut is_kept = is_kept.into_iter();
    tests.retain(|_| is_kept.next().unwrap_or(false));
}

/// Whether a test shows no more than that `null` does not go: what nobody wrote down in a branch.
fn is_only_null(test: &Test) -> bool {
    let is_null_pointer =
        test.throws.as_ref().is_some_and(|it| &*it.class == "java/lang/NullPointerException");
    let mut last = test.sequence.statements().last().into_iter().flat_map(|it| &it.args);
    is_null_pointer && last.any(|arg| *arg == Arg::Constant(Constant::Null))
}
