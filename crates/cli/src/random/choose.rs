//! Which sequences of a campaign become regression tests: short ones, each with something to show that no
//! other test shows.
//!
//! Sequences are looked at by length. One that takes a way of a branch, ends a call in a way or reaches a state
//! that none before it did is shrunk as long as it still does; in the end those go whose things the others show.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use ::generate::random::{Appraiser, Campaign, Merit, Shown, States, Thing, Worthy};
use distill::reduce::{Covered, Order, prioritize, reduce};
use distill::shrink::{shrink, without_end};
use suite::constant::Constant;
use suite::method::Method;
use suite::sequence::{Arg, Sequence, Statement, Var};

use crate::watch::{self, Progress};

/// Runs that shrinking one sequence may take.
const MOST_TRIES: usize = 300;
/// Bytecodes that shrinking all sequences may take, about, each its share and what others left of theirs; and
/// those that one may take at least.
const MOST_COST: u64 = 600_000_000;
const LEAST_COST: u64 = 20_000;
/// A shorter sequence may take a little longer than the long one did.
const MORE_FUEL: u64 = 10_000;

/// A sequence that becomes a test.
pub(super) struct Chosen {
    pub(super) sequence: Sequence,
    /// What it shows.
    pub(super) shown: Shown,
}

/// What becomes tests.
pub(super) struct Choice {
    /// By class under test.
    pub(super) by_class: Vec<Vec<Chosen>>,
    /// Sequences that do not do again what they did.
    pub(super) n_unstable: Vec<usize>,
    /// Sequences that ask for files, programs or the network.
    pub(super) n_outside: Vec<usize>,
}

/// A machine that looks at sequences, and what says which of them Java can only write with raw types.
pub(super) struct Lane<'a> {
    pub(super) appraiser: Appraiser,
    pub(super) is_raw: Box<dyn Fn(&Sequence) -> bool + 'a>,
}

/// How to choose.
#[derive(Clone, Copy)]
pub(super) struct Wish {
    /// Whether tests stay that show nothing new.
    pub(super) keeps_all: bool,
    /// Tests of a class, at most.
    pub(super) most: usize,
}

/// Chooses among the worthy sequences of a campaign.
pub(super) fn choose(
    campaign: &Campaign,
    mut lane: Lane<'_>,
    wish: Wish,
    progress: &Progress,
) -> Choice {
    let keeps_all = wish.keeps_all;
    let candidates = candidates(campaign, keeps_all);
    let mut seen: HashSet<Thing> = HashSet::new();
    let mut wanted: BTreeMap<Thing, u32> = BTreeMap::new();
    let mut known: HashSet<Sequence> = HashSet::new();
    let mut found: Vec<(usize, Chosen)> = Vec::new();
    let mut n_unstable = vec![0; campaign.classes.len()];
    let mut n_outside = n_unstable.clone();
    for (idx, worthy) in candidates.iter().enumerate() {
        if watch::is_interrupted() {
            break;
        }
        progress.show(&format!("{idx} of {} sequences made short", candidates.len()));
        let n_left = u64::try_from(candidates.len() - idx).unwrap_or(1);
        match look(&mut lane, worthy, &seen, n_left, keeps_all) {
            Look::Unstable => n_unstable[worthy.class] += 1,
            Look::Outside => n_outside[worthy.class] += 1,
            Look::Old => {}
            Look::New { needs, chosen } => {
                if !known.insert(chosen.sequence.clone()) {
                    continue;
                }
                seen.extend(things(&chosen.shown));
                for thing in needs {
                    let next = u32::try_from(wanted.len()).unwrap_or(u32::MAX);
                    wanted.entry(thing).or_insert(next);
                }
                found.push((worthy.class, *chosen));
            }
        }
    }
    drop(lane);
    let covered = |chosen: &Chosen| -> Covered {
        let mut covered: Covered =
            things(&chosen.shown).filter_map(|thing| wanted.get(&thing).copied()).collect();
        covered.sort_unstable();
        covered.dedup();
        covered
    };
    let all: Vec<Covered> = found.iter().map(|(_, chosen)| covered(chosen)).collect();
    let mut is_kept = vec![keeps_all; found.len()];
    for kept in reduce(&all, Order::Greedy).kept {
        is_kept[kept] = true;
    }
    // Where there is no room for all, those stay that show most.
    let mut n_kept = vec![0; campaign.classes.len()];
    for idx in prioritize(&all) {
        let class = found[idx].0;
        is_kept[idx] &= n_kept[class] < wish.most;
        n_kept[class] += usize::from(is_kept[idx]);
    }
    let mut by_class: Vec<Vec<Chosen>> = campaign.classes.iter().map(|_| Vec::new()).collect();
    for ((class, chosen), is_kept) in found.into_iter().zip(is_kept) {
        if is_kept {
            by_class[class].push(chosen);
        }
    }
    for chosen in &mut by_class {
        by_method(campaign, chosen);
    }
    Choice { by_class, n_unstable, n_outside }
}

/// What came of looking at a sequence.
enum Look {
    /// It does not do again what it did.
    Unstable,
    /// It asks for files, programs or the network.
    Outside,
    /// It shows nothing new.
    Old,
    /// It shows these things, which were not seen before; and so does a shorter one.
    New { needs: BTreeSet<Thing>, chosen: Box<Chosen> },
}

/// Looks at a sequence, with which there are so many left.
fn look(
    lane: &mut Lane<'_>,
    worthy: &Worthy,
    seen: &HashSet<Thing>,
    n_left: u64,
    keeps_all: bool,
) -> Look {
    let appraiser = &mut lane.appraiser;
    let states = match worthy.merit {
        Merit::State => States::Last,
        _ if keeps_all => States::Last,
        Merit::Branches(_) | Merit::Exception => States::Unseen,
    };
    let Ok(Some(shown)) = appraiser.appraise(&worthy.sequence, states) else {
        return Look::Unstable;
    };
    if appraiser.was_outside() {
        return Look::Outside;
    }
    let mut needs: BTreeSet<Thing> = things(&shown).collect();
    needs.retain(|thing| !seen.contains(thing));
    if needs.is_empty() {
        if !keeps_all {
            return Look::Old;
        }
        needs.extend(&shown.states);
    }
    let share = MOST_COST.saturating_sub(appraiser.cost()) / n_left;
    let most = appraiser.cost() + share.max(LEAST_COST);
    let sequence = shrunk(lane, &worthy.sequence, &shown, &needs, most);
    match lane.appraiser.appraise(&sequence, States::All) {
        Ok(Some(shown)) => Look::New { needs, chosen: Box::new(Chosen { sequence, shown }) },
        _ => Look::Old,
    }
}

/// The sequences that may become tests, the shortest first.
fn candidates(campaign: &Campaign, keeps_all: bool) -> Vec<&Worthy> {
    let mut known: HashSet<&[Statement]> = HashSet::new();
    let wanted = campaign.worthy.iter().filter(|worthy| keeps_all || !worthy.is_spare);
    let mut candidates: Vec<&Worthy> =
        wanted.filter(|worthy| known.insert(worthy.sequence.statements())).collect();
    candidates.sort_by_key(|worthy| worthy.sequence.len());
    candidates
}

fn things(shown: &Shown) -> impl Iterator<Item = Thing> + '_ {
    shown.branches.iter().chain(&shown.ends).chain(&shown.states).copied()
}

/// The sequence without what it does not need to show what it must. The appraiser may have had `most` cost
/// then.
fn shrunk(
    lane: &mut Lane<'_>,
    sequence: &Sequence,
    shown: &Shown,
    needs: &BTreeSet<Thing>,
    most: u64,
) -> Sequence {
    let Lane { appraiser, is_raw } = lane;
    let fuel = appraiser.fuel;
    appraiser.fuel = fuel.min(shown.cost + MORE_FUEL);
    // What ends by an exception because of a null must not become an accusation of the code.
    let needs_null = shown.threw.is_some() && passes_null(sequence);
    let needs_state = shown.states.iter().any(|state| needs.contains(state));
    let states = if needs_state { States::Last } else { States::Unseen };
    let mut still = |shorter: &Sequence| {
        if appraiser.cost() > most {
            return false;
        }
        let Ok(Some(now)) = appraiser.appraise(shorter, states) else { return false };
        let has: BTreeSet<Thing> = things(&now).collect();
        now.threw == shown.threw
            && needs.is_subset(&has)
            && !appraiser.was_outside()
            && (!needs_null || passes_null(shorter))
            && (!is_raw(shorter) || is_raw(sequence))
    };
    let mut best = sequence.clone();
    // What is to be shown need not show at the last call.
    if shown.threw.is_none() {
        let class = |one: &Sequence| called_last(one).map(|method| method.class.clone());
        let own = class(sequence);
        best = without_end(sequence, &mut |shorter| class(shorter) == own && still(shorter));
    }
    let focus = Var(best.next_var().0 - 1);
    let shrunk = shrink(&best, focus, &mut still, MOST_TRIES);
    appraiser.fuel = fuel;
    shrunk
}

fn passes_null(sequence: &Sequence) -> bool {
    let mut args = sequence.statements().iter().flat_map(|statement| &statement.args);
    args.any(|arg| *arg == Arg::Constant(Constant::Null))
}

fn called_last(sequence: &Sequence) -> Option<&Method> {
    sequence.statements().last()?.method().map(AsRef::as_ref)
}

/// Tests of the same method stand together, in the order of the class.
fn by_method(campaign: &Campaign, chosen: &mut [Chosen]) {
    let mut order: BTreeMap<&Method, usize> = BTreeMap::new();
    for (idx, called) in campaign.calls.iter().enumerate() {
        order.entry(&called.method).or_insert(idx);
    }
    chosen.sort_by_key(|one| {
        let method = called_last(&one.sequence);
        let place = method.and_then(|method| order.get(method).copied());
        (place.unwrap_or(usize::MAX), one.sequence.len())
    });
}
