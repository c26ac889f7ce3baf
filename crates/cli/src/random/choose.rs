//! Which sequences of a campaign become regression tests: short ones, each with something to show that no
//! other test shows.
//!
//! Every sequence is looked at once. A thing that is shown, a way of a branch, an end of a call or a state, belongs
//! to the shortest sequence that shows it; a sequence that owns something is shrunk as long as it still shows that;
//! in the end those go whose things the others show. Only who owns what needs a view of all of them, so the rest is
//! done in pieces side by side; pieces depend on nothing but the sequences, and the result is the same for any
//! number of threads.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::time::{Duration, Instant};

use ::generate::random::{Appraiser, Campaign, Merit, Shown, States, Thing, Worthy};
use distill::reduce::{Covered, Order, prioritize, reduce};
use distill::shrink::{shrink, without_end};
use suite::constant::Constant;
use suite::method::Method;
use suite::sequence::{Arg, Sequence, Statement, Var};

use super::budget;
use crate::counted::counted;
use crate::side_by_side::side_by_side;
use crate::watch::{self, Progress};

/// Sequences that one machine looks at, at least, since it must load their classes first; and pieces, at most.
const LEAST_PIECE: usize = 400;
const MOST_PIECES: usize = 4;
/// Runs that shrinking one sequence may take.
const MOST_TRIES: usize = 300;
/// Bytecodes that shrinking all sequences may take, about, each its share and what others left of theirs; and
/// those that one may take at least.
const MOST_COST: u64 = 600_000_000;
const LEAST_COST: u64 = 20_000;
/// Runs that each may take even where there is no time left: what is easily left out is left out then as well.
const LEAST_TRIES: usize = 40;
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
    pub(super) is_raw: Box<dyn Fn(&Sequence) -> bool + Send + 'a>,
}

/// Makes machines that look at sequences.
pub(super) type Lanes<'a> = dyn Fn() -> Result<Lane<'a>, String> + Sync + 'a;

/// How to choose.
#[derive(Clone, Copy)]
pub(super) struct Wish {
    /// Whether tests stay that show nothing new.
    pub(super) keeps_all: bool,
    /// Tests of a class, at most.
    pub(super) most: usize,
    /// Time that shrinking may take, about. Without it nothing depends on time.
    pub(super) time: Option<Duration>,
    /// Threads.
    pub(super) n_workers: usize,
    /// Whether the machines that look at sequences are there until they make them short. Otherwise, where memory is
    /// little, others are made, which must load the classes again.
    pub(super) keeps_machines: bool,
}

/// Chooses among the worthy sequences of a campaign.
pub(super) fn choose(
    campaign: &Campaign,
    lanes: &Lanes<'_>,
    wish: Wish,
    progress: &Progress,
) -> Result<Choice, String> {
    let keeps_all = wish.keeps_all;
    let candidates = candidates(campaign, keeps_all);
    let n_workers = wish.n_workers;
    let first = |piece: Vec<usize>| -> Result<Looked<'_>, String> {
        let mut lane = lanes()?;
        let mut looks = Vec::with_capacity(piece.len());
        for idx in piece {
            if watch::is_interrupted() {
                break;
            }
            progress.show(&format!(
                "{idx} of {} looked at again",
                counted(candidates.len(), "sequence")
            ));
            looks.push((idx, look(&mut lane, candidates[idx], keeps_all)));
        }
        Ok((wish.keeps_machines.then_some(lane), looks))
    };
    let mut ready = Vec::new();
    let mut looks: Vec<Option<Look>> = candidates.iter().map(|_| None).collect();
    let mut piece_of = vec![0; candidates.len()];
    for looked in side_by_side(pieces(&candidates), n_workers, &first) {
        let (lane, own) = looked?;
        for (idx, look) in own {
            piece_of[idx] = ready.len();
            looks[idx] = Some(look);
        }
        ready.push((lane, Vec::new()));
    }
    let mut n_unstable = vec![0; campaign.classes.len()];
    let mut n_outside = n_unstable.clone();
    let mut wanted: BTreeMap<Thing, u32> = BTreeMap::new();
    for (idx, look) in looks.into_iter().enumerate() {
        match look {
            None => {}
            Some(Look::Unstable) => n_unstable[candidates[idx].class] += 1,
            Some(Look::Outside) => n_outside[candidates[idx].class] += 1,
            Some(Look::Shows(shown)) => {
                let Some(needs) = needs(&shown, &mut wanted, keeps_all) else { continue };
                let sequence = &candidates[idx].sequence;
                ready[piece_of[idx]].1.push(Owner { idx, sequence, shown: *shown, needs });
            }
        }
    }
    let n_pieces = ready.len().max(1);
    let share = MOST_COST / u64::try_from(n_pieces).unwrap_or(1);
    let n_at_a_time = u32::try_from(n_workers.clamp(1, n_pieces)).unwrap_or(1);
    let time = wish.time.map(|time| time * n_at_a_time / u32::try_from(n_pieces).unwrap_or(1));
    let second = |(lane, owners): (Option<Lane<'_>>, Vec<Owner<'_>>)| -> Result<_, String> {
        let mut lane = match lane {
            Some(lane) => lane,
            None => lanes()?,
        };
        let allowance = Allowance { most: share, until: time.map(|time| Instant::now() + time) };
        let mut found = Vec::new();
        let n_owners = owners.len();
        for (nth, owner) in owners.into_iter().enumerate() {
            if watch::is_interrupted() {
                break;
            }
            progress.show(&format!("{nth} of {} made short", counted(n_owners, "sequence")));
            let limits = allowance.share(lane.appraiser.cost(), n_owners - nth);
            let sequence = shrunk(&mut lane, &owner, limits);
            if let Ok(Some(shown)) = lane.appraiser.appraise(&sequence, States::All) {
                found.push((owner.idx, Chosen { sequence, shown }));
            }
        }
        Ok(found)
    };
    let mut found: Vec<(usize, Chosen)> = Vec::new();
    for own in side_by_side(ready, n_workers, &second) {
        found.extend(own?);
    }
    found.sort_by_key(|(idx, _)| *idx);
    let mut known: HashSet<Sequence> = HashSet::new();
    found.retain(|(_, chosen)| known.insert(chosen.sequence.clone()));
    drop(known);
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
        let class = candidates[found[idx].0].class;
        is_kept[idx] &= n_kept[class] < wish.most;
        n_kept[class] += usize::from(is_kept[idx]);
    }
    let mut by_class: Vec<Vec<Chosen>> = campaign.classes.iter().map(|_| Vec::new()).collect();
    for ((idx, chosen), is_kept) in found.into_iter().zip(is_kept) {
        if is_kept {
            by_class[candidates[idx].class].push(chosen);
        }
    }
    for chosen in &mut by_class {
        by_method(campaign, chosen);
    }
    Ok(Choice { by_class, n_unstable, n_outside })
}

/// What came of looking at a piece, and the machine that did, if it stays.
type Looked<'a> = (Option<Lane<'a>>, Vec<(usize, Look)>);

/// What came of looking at a sequence.
enum Look {
    /// It does not do again what it did.
    Unstable,
    /// It asks for files, programs or the network.
    Outside,
    /// It shows something.
    Shows(Box<Shown>),
}

/// A sequence that shows what no shorter one does.
struct Owner<'a> {
    /// Its position among the candidates.
    idx: usize,
    sequence: &'a Sequence,
    shown: Shown,
    /// What it must go on to show.
    needs: BTreeSet<Thing>,
}

/// What shrinking the sequences of a piece may take in all.
struct Allowance {
    most: u64,
    until: Option<Instant>,
}

/// What shrinking one sequence may take.
#[derive(Clone, Copy)]
struct Limits {
    cost: u64,
    until: Option<Instant>,
}

impl Allowance {
    /// What the next one may take, with which there are so many left, where so much is spent.
    fn share(&self, spent: u64, n_left: usize) -> Limits {
        let n_left = n_left.max(1);
        let cost = self.most.saturating_sub(spent) / u64::try_from(n_left).unwrap_or(u64::MAX);
        let until = self.until.map(|until| budget::share(until, n_left));
        Limits { cost: cost.max(LEAST_COST), until }
    }
}

/// Looks at a sequence.
fn look(lane: &mut Lane<'_>, worthy: &Worthy, keeps_all: bool) -> Look {
    let appraiser = &mut lane.appraiser;
    let states = match worthy.merit {
        Merit::State => States::Last,
        _ if keeps_all => States::Last,
        Merit::Branches(_) | Merit::Exception | Merit::Call => States::Unseen,
    };
    match appraiser.appraise(&worthy.sequence, states) {
        Ok(Some(_)) if appraiser.was_outside() => Look::Outside,
        Ok(Some(shown)) => Look::Shows(Box::new(shown)),
        _ => Look::Unstable,
    }
}

/// What of the things that a sequence shows none before it did, which is wanted from now on; `None` where it need
/// not be looked at any further.
fn needs(
    shown: &Shown,
    wanted: &mut BTreeMap<Thing, u32>,
    keeps_all: bool,
) -> Option<BTreeSet<Thing>> {
    let mut needs: BTreeSet<Thing> = things(shown).collect();
    needs.retain(|thing| !wanted.contains_key(thing));
    if needs.is_empty() {
        if !keeps_all {
            return None;
        }
        needs.extend(&shown.states);
    }
    for &thing in &needs {
        let next = u32::try_from(wanted.len()).unwrap_or(u32::MAX);
        wanted.entry(thing).or_insert(next);
    }
    Some(needs)
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

/// The candidates in pieces, by position, which ascends in each. Those of a class stand together, so that few
/// machines load it.
fn pieces(candidates: &[&Worthy]) -> Vec<Vec<usize>> {
    let mut order: Vec<usize> = (0..candidates.len()).collect();
    order.sort_by_key(|&idx| candidates[idx].class);
    let size = candidates.len().div_ceil(MOST_PIECES).max(LEAST_PIECE);
    let mut pieces: Vec<Vec<usize>> = order.chunks(size).map(<[usize]>::to_vec).collect();
    pieces.iter_mut().for_each(|piece| piece.sort_unstable());
    pieces
}

fn things(shown: &Shown) -> impl Iterator<Item = Thing> + '_ {
    shown.branches.iter().chain(&shown.ends).chain(&shown.states).copied()
}

/// The sequence without what it does not need to show what it must.
fn shrunk(lane: &mut Lane<'_>, owner: &Owner<'_>, limits: Limits) -> Sequence {
    let shorter = shrunk_with(lane, owner, limits, RawTypes::Allowed);
    // Asking this of every shorter sequence would take longer than running it; and it is seldom so.
    let is_raw = &lane.is_raw;
    if shorter == *owner.sequence || !is_raw(&shorter) || is_raw(owner.sequence) {
        return shorter;
    }
    shrunk_with(lane, owner, limits, RawTypes::Never)
}

/// Whether a shorter sequence may be one that Java can only write with raw types.
#[derive(Clone, Copy, PartialEq)]
enum RawTypes {
    Allowed,
    Never,
}

fn shrunk_with(
    lane: &mut Lane<'_>,
    owner: &Owner<'_>,
    limits: Limits,
    raw_types: RawTypes,
) -> Sequence {
    let Lane { appraiser, is_raw } = lane;
    let Owner { sequence, shown, needs, .. } = owner;
    let fuel = appraiser.fuel;
    let most = appraiser.cost() + limits.cost;
    appraiser.fuel = fuel.min(shown.cost + MORE_FUEL);
    // What ends by an exception because of a null must not become an accusation of the code.
    let needs_null = shown.threw.is_some() && passes_null(sequence);
    let needs_state = shown.states.iter().any(|state| needs.contains(state));
    let states = if needs_state { States::Last } else { States::Unseen };
    let mut n_tries = 0;
    let mut still = |shorter: &Sequence| {
        n_tries += 1;
        let is_late = || limits.until.is_some_and(|until| Instant::now() > until);
        if n_tries > LEAST_TRIES && is_late() || appraiser.cost() > most {
            return false;
        }
        let Ok(Some(now)) = appraiser.appraise(shorter, states) else { return false };
        let shows = |need: &Thing| {
            now.branches.contains(need) || now.ends.contains(need) || now.states.contains(need)
        };
        now.threw == shown.threw
            && needs.iter().all(shows)
            && !appraiser.was_outside()
            && (!needs_null || passes_null(shorter))
            && (raw_types == RawTypes::Allowed || !is_raw(shorter))
    };
    let mut best = (*sequence).clone();
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
