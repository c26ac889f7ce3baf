//! Tests out of many drafts: each runs in every world, and what all agree on stays.
//!
//! The drafts are taken in pieces, each from fresh machines, so that no machine grows with the number of tests;
//! pieces depend on nothing but the drafts, so the result is the same for any number of threads.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use observe::oracle::{self, Observation};
use observe::outside::Reach;
use observe::session::{NotFound, Session};
use suite::method::Method;

use super::MOST_MEMORY;
use crate::states::tests::{Draft, Settled, settled};
use crate::threads::joined;

/// Drafts that the same machines run, at least: machines must load the classes first.
const LEAST_PIECE: usize = 400;
/// Pieces, at most.
const MOST_PIECES: usize = 4;

/// Worlds that differ in everything that a test must not depend on.
pub trait Worlds: Sync {
    /// How many there are.
    fn number(&self) -> usize;
    /// A machine in one of them.
    fn machine(&self, world: usize) -> Result<Session, NotFound>;
}

/// What is known of a draft so far.
enum Known {
    Nothing,
    Agreed(Box<Observation>),
    Settled(Settled),
}

/// What came of a piece.
type Piece = Result<Vec<Settled>, NotFound>;

/// A test from each draft, with the observers to ask, as far as the worlds agree; `tell` is told how many are
/// done and says whether to go on. What was begun is finished; what was not come to is missing at the end.
pub fn settle_all(
    worlds: &dyn Worlds,
    drafts: &[(Draft, &[Arc<Method>])],
    fuel: u64,
    n_workers: usize,
    tell: &(dyn Fn(usize) -> bool + Sync),
) -> Result<Vec<Settled>, NotFound> {
    let size = drafts.len().div_ceil(MOST_PIECES).max(LEAST_PIECE);
    let pieces: Vec<_> = drafts.chunks(size).collect();
    let next = AtomicUsize::new(0);
    let n_done = AtomicUsize::new(0);
    let n_worlds = worlds.number();
    let tell = || tell(n_done.fetch_add(1, Ordering::Relaxed) / n_worlds.max(1));
    let done: Mutex<Vec<Option<Piece>>> = Mutex::new(pieces.iter().map(|_| None).collect());
    let work = || {
        loop {
            let idx = next.fetch_add(1, Ordering::Relaxed);
            let Some(piece) = pieces.get(idx) else { break };
            let mut is_on = true;
            let settled = settle_piece(worlds, piece, fuel, &mut || is_on = tell());
            done.lock().unwrap_or_else(PoisonError::into_inner)[idx] = Some(settled);
            if !is_on {
                break;
            }
        }
    };
    match n_workers.min(pieces.len()) {
        0 | 1 => work(),
        n_workers => thread::scope(|scope| {
            let running: Vec<_> = (0..n_workers).map(|_| scope.spawn(work)).collect();
            running.into_iter().for_each(joined);
        }),
    }
    let mut all = Vec::with_capacity(drafts.len());
    let done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    for settled in done {
        let Some(settled) = settled else { break };
        all.extend(settled?);
    }
    Ok(all)
}

fn settle_piece(
    worlds: &dyn Worlds,
    drafts: &[(Draft, &[Arc<Method>])],
    fuel: u64,
    tell: &mut dyn FnMut(),
) -> Result<Vec<Settled>, NotFound> {
    let mut known: Vec<Known> = drafts.iter().map(|_| Known::Nothing).collect();
    for world in 0..worlds.number() {
        let mut session = worlds.machine(world)?;
        for ((draft, observers), known) in drafts.iter().zip(&mut known) {
            tell();
            if !matches!(known, Known::Settled(_)) {
                session.vm.heap.limit_growth(MOST_MEMORY);
                let seen = draft.run(observers, fuel).observe_in(world, &mut session);
                *known = known.with(seen);
            }
        }
    }
    let settled = drafts.iter().zip(known).map(|((draft, observers), known)| match known {
        Known::Settled(settled) => settled,
        Known::Agreed(agreed) => settled(draft, &agreed, observers),
        Known::Nothing => Settled::Unstable,
    });
    Ok(settled.collect())
}

impl Known {
    /// What is known after a further world.
    fn with(&self, seen: Result<Observation, NotFound>) -> Known {
        let Ok(seen) = seen else { return Known::Settled(Settled::Unstable) };
        if seen.reach != Reach::Inside {
            return Known::Settled(Settled::Outside);
        }
        let agreed = match self {
            Known::Agreed(before) => oracle::agreed(&[Observation::clone(before), seen]),
            Known::Nothing | Known::Settled(_) => Some(seen),
        };
        match agreed {
            Some(agreed) => Known::Agreed(Box::new(agreed)),
            None => Known::Settled(Settled::Unstable),
        }
    }
}
