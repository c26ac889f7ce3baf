//! From what a campaign broke to what a person reads: seen again in every world, shrunk, ranked.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use ::generate::random::{Broken, Campaign, Finding, Job, Judge, Worlds as _};
use distill::group::{self, Found};
use distill::shrink::{shrink, without_end};
use observe::contract::Severity;
use observe::contract::exceptions::Ending;
use suite::sequence::{Sequence, Var};

use super::SHARE_OF_PLENTY;
use super::budget::{self, Budget};
use crate::counted::counted;
use crate::machines::Machines;
use crate::side_by_side::side_by_side;
use crate::watch;

/// Runs that shrinking one finding may take, and those that it may take even where there is no time left: what is
/// easily left out is left out then as well.
const MOST_TRIES: usize = 400;
const LEAST_TRIES: usize = 30;
/// What does not come to an end is shrunk with this part of the bytecodes, since that takes as many at every try, and
/// seen with it in other worlds.
const OF_ENDLESS: u64 = 16;
/// In the end it gets so many times the bytecodes that calls may take.
const PATIENCE: u64 = 16;

/// What is left of the findings.
pub(super) struct Settled {
    /// Ranked: those to look at first in front.
    pub(super) findings: Vec<Finding>,
    /// How many did not show again from the beginning, or not in every world.
    pub(super) n_unstable: usize,
    /// By finding: whether its calls ask for files, programs or the network, so that it can have no test.
    pub(super) is_outside: Vec<bool>,
}

/// Causes that the same machines look at, at least, since each must load the classes first; and pieces, at most.
const LEAST_PIECE: usize = 60;
const MOST_PIECES: usize = 4;

/// Sees every finding again from the beginning in all worlds, and shrinks it, as long as the budget lets. `is_raw` says
/// which sequences Java can only write with raw types. Pieces depend on nothing but the findings, so the result is the
/// same for any number of threads.
pub(super) fn settle(
    campaign: &Campaign,
    job: &Job,
    machines: &Machines,
    is_raw: &(dyn Fn(&Sequence) -> bool + Sync),
    budget: &Budget<'_>,
) -> Result<Settled, String> {
    let (until, progress) = (budget.until_for_findings(), budget.progress);
    let plenty = budget.memory / SHARE_OF_PLENTY;
    let mut settled = Settled { findings: Vec::new(), n_unstable: 0, is_outside: Vec::new() };
    if campaign.findings.is_empty() {
        return Ok(settled);
    }
    let worlds = machines.several()?;
    let n_causes = campaign.findings.len();
    let n_done = AtomicUsize::new(0);
    let confirm_all = |piece: &[Vec<Finding>]| -> Result<Vec<Option<Confirmed>>, String> {
        let mut judges = Vec::new();
        for world in 0..worlds.number() {
            let world = worlds.machine(world).map_err(|error| error.to_string())?;
            judges.push(Judge::new(world, &job.rules, job.settings.fuel, campaign.judged())?);
        }
        let mut confirmed = Vec::with_capacity(piece.len());
        for (nth, shown) in piece.iter().enumerate() {
            if watch::is_interrupted() {
                break;
            }
            let n_done = n_done.fetch_add(1, Ordering::Relaxed);
            progress.show(&format!("{n_done} of {} seen again", counted(n_causes, "finding")));
            let until = until.map(|until| budget::share(until, piece.len() - nth));
            let mut seen_again = |finding| confirm(&mut judges, is_raw, (until, plenty), finding);
            let found = shown.iter().find_map(&mut seen_again);
            confirmed.push(found);
        }
        Ok(confirmed)
    };
    let size = n_causes.div_ceil(MOST_PIECES).max(LEAST_PIECE);
    let pieces: Vec<&[Vec<Finding>]> = campaign.findings.chunks(size).collect();
    let mut all: Vec<Confirmed> = Vec::new();
    for piece in side_by_side(pieces, budget.n_at_once(campaign.n_workers), &confirm_all) {
        for confirmed in piece? {
            match confirmed {
                // Shrinking may have led two to the same place.
                Some(one) if all.iter().any(|known| same(&known.finding, &one.finding)) => {}
                Some(one) => all.push(one),
                None => settled.n_unstable += 1,
            }
        }
    }
    let found: Vec<Found> = all
        .iter()
        .map(|Confirmed { finding, .. }| Found {
            contract: finding.broken.contract.to_string(),
            severity: match finding.broken.severity {
                Severity::Error => group::Severity::Error,
                Severity::Warning => group::Severity::Warning,
            },
            method: finding.broken.method.clone(),
            place: finding.broken.place.clone(),
            length: finding.sequence.len(),
        })
        .collect();
    for group in group::group(&found) {
        let Confirmed { finding, is_outside } = &all[group.representative];
        settled.findings.push(finding.clone());
        settled.is_outside.push(*is_outside);
    }
    Ok(settled)
}

/// A finding that was seen again in every world.
struct Confirmed {
    finding: Finding,
    /// Whether its calls ask for files, programs or the network.
    is_outside: bool,
}

fn same(one: &Finding, other: &Finding) -> bool {
    one.broken.is_like(&other.broken)
}

/// Shrinks a finding on the first machine, until some time; it must then show there with so many bytes of memory, if
/// memory or time may be all that it lacked, and on all machines.
fn confirm(
    judges: &mut [Judge],
    is_raw: &dyn Fn(&Sequence) -> bool,
    (until, plenty): (Option<Instant>, usize),
    finding: &Finding,
) -> Option<Confirmed> {
    let (first, others) = judges.split_first_mut()?;
    let wanted = &finding.broken;
    let show = |judge: &mut Judge, sequence: &Sequence| -> Option<Broken> {
        judge.judge_again(sequence, wanted).ok()?
    };
    let may_be_raw = is_raw(&finding.sequence);
    let fuel = first.fuel;
    let mut shortest = |of_a_try: u64| -> Option<(Sequence, Broken)> {
        first.fuel = of_a_try;
        // What needs more to come as far as that is shrunk with more.
        show(first, &finding.sequence)?;
        let mut n_tries = 0;
        let mut still = |sequence: &Sequence| {
            n_tries += 1;
            let is_late = || until.is_some_and(|until| Instant::now() > until);
            !(n_tries > LEAST_TRIES && is_late())
                && show(first, sequence).is_some()
                && (may_be_raw || !is_raw(sequence))
        };
        let mut sequence = finding.sequence.clone();
        loop {
            // Laws of objects need not show right behind the last call.
            sequence = without_end(&sequence, &mut still);
            let focus = Var(sequence.next_var().0.checked_sub(1)?);
            let shrunk = shrink(&sequence, focus, &mut still, MOST_TRIES);
            if shrunk == sequence {
                break;
            }
            sequence = shrunk;
        }
        // What only takes long or much comes to its end now.
        let usual = first.memory;
        if wanted.is_endless || *wanted.contract == *Ending::OutOfMemory.option() {
            first.fuel = fuel.saturating_mul(PATIENCE);
            first.memory = usual.max(plenty);
        }
        let broken = show(first, &sequence);
        (first.fuel, first.memory) = (fuel, usual);
        Some((sequence, broken?))
    };
    let hasty = if wanted.is_endless { shortest(fuel / OF_ENDLESS) } else { None };
    let enough = if hasty.is_some() { fuel / OF_ENDLESS } else { fuel };
    let (sequence, broken) = match hasty {
        Some(found) => found,
        None => shortest(fuel)?,
    };
    let is_everywhere = others.iter_mut().all(|other| {
        other.fuel = enough;
        let is_seen = show(other, &sequence).is_some();
        other.fuel = fuel;
        // There classes are initialised now, which may take more.
        is_seen || enough < fuel && show(other, &sequence).is_some()
    });
    if !is_everywhere {
        return None;
    }
    let is_outside = |judge: &mut Judge| judge.is_outside(&sequence, wanted).unwrap_or(true);
    let is_outside = judges.iter_mut().any(is_outside);
    let finding = Finding::shrunk(broken, sequence, finding.count);
    Some(Confirmed { finding, is_outside })
}
