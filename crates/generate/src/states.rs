//! Breadth first over states: every state that is not the same as an earlier one is tried with every
//! argument list, iteration by iteration, as figure 4 of Xie, Marinov and Notkin (2004).
//!
//! A state is stored as its key and the call that reached it first; it is made again by repeating the
//! calls, of which neighbours on the frontier share most (`worker.rs`). The frontier is worked off in
//! rounds: within a round any number of threads look up states and none adds one, after it new states
//! are added in the order of parents and argument lists. So the result is the same for any number of
//! threads.
//!
//! The first state is the world in which nothing is made yet; what is tried there are constructors
//! and static methods.

pub mod behaviours;
pub mod focus;
pub mod follow;
pub mod objects;
pub mod prepared;
pub mod recorded;
pub mod table;
pub mod tests;
pub(crate) mod worker;

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use observe::session::{NotFound, Session};
use observe::state::mask::Mask;
use observe::state::technique::Technique;
use vm::frame::Stop;

use crate::arguments::ArgumentList;
use crate::threads::joined;
use table::{Link, ListId, StateId, StateTable};
use worker::{Ended, Found, Worker};

/// Calls of one round, about.
const ROUND: usize = 400_000;
/// Parents that a thread takes at once.
const CHUNK: usize = 64;

/// What is explored, and how far.
#[derive(Debug, Clone)]
pub struct Job {
    /// Internal names of the classes under test.
    pub classes: Vec<String>,
    /// Constructors and static methods, tried on the world.
    pub makers: Vec<ArgumentList>,
    /// Instance methods, tried on every state whose object has them.
    pub lists: Vec<ArgumentList>,
    /// When two states are the same.
    pub technique: Technique,
    /// What is no part of a state.
    pub mask: Mask,
    /// Iterations after the one that makes the first objects; `None`: until nothing is new.
    pub iterations: Option<u32>,
    /// States at most, the world not counted.
    pub most_states: usize,
    /// Calls after which no further state is tried; `None`: no matter how many.
    pub most_calls: Option<usize>,
    /// Bytecodes that one call may take.
    pub fuel: u64,
    /// Threads.
    pub n_workers: usize,
    /// Whether every call is kept, to make tests of them.
    pub keep_calls: bool,
}

/// What an exploration found out.
#[derive(Debug)]
pub struct Exploration {
    /// All states.
    pub table: StateTable,
    /// One entry per iteration; the first is the one that makes the first objects.
    pub iterations: Vec<Iteration>,
    /// How every call ended, in the order of states and lists, if the job asked for it.
    pub calls: Vec<Call>,
    /// Calls that did not come back: an endless loop, no memory, something not supported.
    pub stopped: Vec<(StateId, ListId, Stop)>,
    /// Whether everything was tried that the job asked for.
    pub is_complete: bool,
    /// Internal names of classes for which `equals` did not help, so the whole state stood in.
    pub fallen_back: Vec<String>,
}

/// A call that was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Call {
    /// On this state.
    pub state: StateId,
    /// With this argument list.
    pub list: ListId,
    /// How it ended.
    pub end: End,
}

/// How a call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// It returned and the state was the same, or it made no object.
    Preserved,
    /// It returned and led to this state.
    Reached(StateId),
    /// It threw.
    Threw,
    /// It did not come back.
    Stopped,
}

/// What one iteration did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Iteration {
    /// States that were tried with every argument list.
    pub expanded: usize,
    /// Calls made: the tests of this iteration, before any are merged.
    pub calls: usize,
    /// Of these, calls that threw.
    pub threw: usize,
    /// Of these, calls after which the state was the same.
    pub preserved: usize,
    /// States met for the first time.
    pub new_states: usize,
}

impl Exploration {
    /// Number of states, without the world.
    pub fn n_states(&self) -> usize {
        self.table.len() - 1
    }

    /// Number of calls over all iterations.
    pub fn n_calls(&self) -> usize {
        self.iterations.iter().map(|iteration| iteration.calls).sum()
    }

    /// States below this one were tried with every argument list.
    pub fn first_unexpanded(&self) -> StateId {
        let expanded: usize = self.iterations.iter().map(|iteration| iteration.expanded).sum();
        StateId(u32::try_from(expanded).unwrap_or(u32::MAX))
    }
}

/// Looks in from time to time.
pub trait Watch: Sync {
    /// Whether to stop here and keep what was found.
    fn is_enough(&self) -> bool;
    /// Whether this share of the time is over, for what comes before the work itself.
    fn is_spent(&self, share: f64) -> bool {
        let _ = share;
        self.is_enough()
    }
    /// So many calls were made and so many states are known.
    fn progress(&self, calls: usize, states: usize);
    /// The classes are loaded, and nothing was tried yet; why it cannot go on, if so.
    fn loaded(&self) -> Result<(), String> {
        Ok(())
    }
    /// What there is to look at when it ends here.
    fn gathered(&self, gathered: Gathered) {
        let _ = gathered;
    }
    /// Whether fewer machines should go on, since memory is short.
    fn is_memory_short(&self) -> bool {
        false
    }
}

/// What a search came to so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Gathered {
    /// Sequences that were tried.
    pub sequences: usize,
    /// What was found to be broken, by cause.
    pub findings: usize,
    /// Sequences that may become tests, about.
    pub tests: usize,
}

/// Watches nothing.
#[derive(Debug)]
pub struct Unwatched;

impl Watch for Unwatched {
    fn is_enough(&self) -> bool {
        false
    }
    fn progress(&self, _: usize, _: usize) {}
}

/// Explores. `session` makes a machine for each thread.
pub fn explore(
    job: &Job,
    session: &(dyn Fn() -> Result<Session, NotFound> + Sync),
    watch: &dyn Watch,
) -> Result<Exploration, NotFound> {
    explore_from(job, StateTable::default(), session, watch)
}

/// Explores from states that are known already, such as those of existing tests: they are tried in the
/// first iteration. Their keys must mean the same on every machine.
pub fn explore_from(
    job: &Job,
    start: StateTable,
    session: &(dyn Fn() -> Result<Session, NotFound> + Sync),
    watch: &dyn Watch,
) -> Result<Exploration, NotFound> {
    let n_workers = match job.technique {
        // Representatives live on one machine.
        Technique::PairwiseEquals => 1,
        _ => job.n_workers.max(1),
    };
    let made: Vec<Result<Worker<'_>, NotFound>> = thread::scope(|scope| {
        let starts: Vec<_> =
            (0..n_workers).map(|_| scope.spawn(|| Worker::new(job, session()?))).collect();
        starts.into_iter().map(joined).collect()
    });
    let mut workers = made.into_iter().collect::<Result<Vec<Worker<'_>>, NotFound>>()?;
    let mut exploration = Exploration {
        table: start,
        iterations: Vec::new(),
        calls: Vec::new(),
        stopped: Vec::new(),
        is_complete: true,
        fallen_back: Vec::new(),
    };
    let mut frontier = 0..1;
    while !frontier.is_empty()
        && job.iterations.is_none_or(|most| exploration.iterations.len() <= most as usize)
    {
        exploration.iterations.push(Iteration::default());
        // States from which the exploration starts are no part of its first frontier, the world.
        let next = if frontier.start == 0 { 1 } else { exploration.table.len() };
        let n_lists = (job.lists.len() + job.makers.len()).max(1);
        let mut start = frontier.start;
        while start < frontier.end {
            let left =
                job.most_calls.map_or(ROUND, |most| most.saturating_sub(exploration.n_calls()));
            if watch.is_enough() || exploration.n_states() >= job.most_states || left == 0 {
                exploration.is_complete = false;
                break;
            }
            let per_round = (ROUND.min(left) / n_lists).max(1);
            let end = frontier.end.min(start + per_round);
            round(job, &mut workers, &mut exploration, start..end, watch);
            watch.progress(exploration.n_calls(), exploration.n_states());
            start = end;
        }
        if !exploration.is_complete {
            break;
        }
        frontier = next..exploration.table.len();
    }
    for worker in &workers {
        exploration.fallen_back.extend(worker.fallen_back());
    }
    exploration.fallen_back.sort();
    exploration.fallen_back.dedup();
    Ok(exploration)
}

/// Expands a part of the frontier and adds what is new.
fn round(
    job: &Job,
    workers: &mut [Worker<'_>],
    exploration: &mut Exploration,
    parents: std::ops::Range<usize>,
    watch: &dyn Watch,
) {
    let n_chunks = parents.len().div_ceil(CHUNK);
    let next_chunk = AtomicUsize::new(0);
    let is_enough = AtomicBool::new(false);
    let chunks: Mutex<Vec<Option<Found>>> = Mutex::new((0..n_chunks).map(|_| None).collect());
    let table = &exploration.table;
    let work = |worker: &mut Worker<'_>| {
        loop {
            let chunk = next_chunk.fetch_add(1, Ordering::Relaxed);
            if chunk >= n_chunks || is_enough.load(Ordering::Relaxed) {
                break;
            }
            if watch.is_enough() {
                is_enough.store(true, Ordering::Relaxed);
                break;
            }
            let start = parents.start + chunk * CHUNK;
            let end = parents.end.min(start + CHUNK);
            let mut found = Found::default();
            for parent in start..end {
                worker.expand(
                    table,
                    StateId(u32::try_from(parent).unwrap_or(u32::MAX)),
                    &mut found,
                );
            }
            chunks.lock().unwrap_or_else(PoisonError::into_inner)[chunk] = Some(found);
        }
    };
    match workers {
        [worker] => work(worker),
        workers if n_chunks == 1 => work(&mut workers[0]),
        workers => thread::scope(|scope| {
            let work = &work;
            let running: Vec<_> =
                workers.iter_mut().map(|worker| scope.spawn(move || work(worker))).collect();
            running.into_iter().for_each(joined);
        }),
    }
    let chunks = chunks.into_inner().unwrap_or_else(PoisonError::into_inner);
    for found in chunks {
        // What lies behind the first chunk that nobody came to is dropped, so that the expanded
        // states are always the first ones.
        let Some(found) = found else {
            exploration.is_complete = false;
            return;
        };
        merge(job, exploration, found);
    }
}

fn merge(job: &Job, exploration: &mut Exploration, found: Found) {
    let Some(iteration) = exploration.iterations.last_mut() else { return };
    iteration.expanded += found.counts.expanded;
    iteration.calls += found.counts.calls;
    iteration.threw += found.counts.threw;
    iteration.preserved += found.counts.preserved;
    for candidate in found.candidates {
        if exploration.table.len() > job.most_states {
            break;
        }
        let link = Link { parent: candidate.parent, list: candidate.list };
        let (_, is_new) = exploration.table.add(candidate.key, link);
        iteration.new_states += usize::from(is_new);
    }
    exploration.calls.extend(found.calls.iter().map(|(state, list, ended)| {
        let end = match ended {
            Ended::At(key) => match exploration.table.find(*key) {
                Some(reached) if reached == *state => End::Preserved,
                Some(reached) => End::Reached(reached),
                // Cut off by the limit on states.
                None => End::Stopped,
            },
            Ended::Nowhere => End::Preserved,
            Ended::Threw => End::Threw,
            Ended::Stopped => End::Stopped,
        };
        Call { state: *state, list: *list, end }
    }));
    exploration.stopped.extend(found.stopped);
}
