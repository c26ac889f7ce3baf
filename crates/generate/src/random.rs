//! Feedback-directed random generation, as Pacheco, Lahiri, Ernst and Ball, "Feedback-directed Random
//! Test Generation" (2007): figure 3 and sections 2.2 to 2.5.
//!
//! Sequences are put together out of kept ones and a further call, run at once, and kept where they end
//! well in a state that is new. Work goes in rounds: all sequences of a round are drawn from the pool as
//! it is at the beginning, by numbers that depend on the seed and their position alone, run by several
//! threads, and taken in one after the other; so the result is the same for any number of threads.

mod catalogue;
mod court;
mod edges;
mod extend;
mod findings;
mod guide;
mod harvest;
mod pool;
mod reach;
mod ready;
mod recipe;
mod rng;
mod settling;
mod worker;
mod world;
mod worth;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use classfile::ClassFile;
use observe::coverage;
use observe::session::{NotFound, Session};
use observe::state::mask::Mask;
use observe::state::technique::Technique;
use suite::method::Method;
use suite::sequence::Sequence;

use crate::api::Choice;
use crate::arguments::Implementations;
use crate::states::{Gathered, Watch};
use crate::threads::joined;
use catalogue::{Action, Catalogue, OpId};
use extend::Extension;
use guide::{Guide, Told};
use harvest::Harvest;
use reach::Reach;
use rng::Rng;
use worker::{Tried, Worker};
use world::World;

pub use catalogue::Literals;
pub use court::{Broken, Rules};
pub use findings::{Finding, Judge};
pub use guide::Choosing;
pub use harvest::{Counts, Merit};
pub use settling::{Worlds, settle_all};
pub use worth::{Appraiser, Shown, States, Thing};

/// How sequences are drawn and kept.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Decides everything that is left to chance.
    pub seed: u64,
    /// How the next call is chosen.
    pub choosing: Choosing,
    /// Whether what ran before decides what is built on; otherwise anything is.
    pub feedback: bool,
    /// Probability that a call is repeated (the seed's N).
    pub repeat: f64,
    /// How often at most (the seed's max).
    pub most_repeats: usize,
    /// Statements in a sequence, at most.
    pub longest: usize,
    /// Probability that `null` is passed although there are values.
    pub nulls: f64,
    /// When two values are the same, so that the second is not built on.
    pub technique: Technique,
    /// What is no part of a state.
    pub mask: Mask,
    /// Bytecodes that one call may take.
    pub fuel: u64,
    /// Threads.
    pub n_workers: usize,
    /// Sequences, at most.
    pub most_sequences: u64,
    /// Bytes for kept sequences, at most, about.
    pub memory: usize,
}

/// Which sequences are offered as tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Offer {
    /// None; it is not found out either which methods only look at objects.
    Nothing,
    /// Those without the spare ones.
    Few,
    /// All.
    All,
}

/// What is to be tested, and how.
#[derive(Debug, Clone)]
pub struct Job {
    /// Internal names of the classes under test.
    pub classes: Vec<String>,
    /// Which of their members.
    pub choice: Choice,
    /// Literals beside the usual ones.
    pub literals: Literals,
    /// What implements interfaces and extends abstract classes.
    pub implementations: Arc<Implementations>,
    /// What is to be made of it.
    pub offer: Offer,
    /// What is judged by.
    pub rules: Rules,
    /// How.
    pub settings: Settings,
}

/// A sequence that is worth a test.
#[derive(Debug, Clone)]
pub struct Worthy {
    /// The calls.
    pub sequence: Sequence,
    /// Why.
    pub merit: Merit,
    /// Position of the class under test that its last call belongs to.
    pub class: usize,
    /// Whether it is long, or others lead to states by the same call already, and it leads to no more than that.
    pub is_spare: bool,
}

/// A call of the classes under test.
#[derive(Debug, Clone)]
pub struct Called {
    /// The method.
    pub method: Arc<Method>,
    /// How often it returned, threw and did not come back.
    pub ended: (u64, u64, u64),
    /// Why it was never called, where it was not.
    pub reason: Option<String>,
}

/// What a campaign found.
#[derive(Debug)]
pub struct Campaign {
    /// Names of the classes under test that could be tested.
    pub classes: Vec<Arc<str>>,
    /// Those that could not, and why.
    pub refused: Vec<(String, String)>,
    /// How often what came out.
    pub counts: Counts,
    /// Sequences that are worth a test, best first within each merit.
    pub worthy: Vec<Worthy>,
    /// What is broken: a few sequences for each, shortest first, in the order of discovery.
    pub findings: Vec<Vec<Finding>>,
    /// All calls.
    pub calls: Vec<Called>,
    /// Ways of branches taken, and all there are.
    pub branches: (usize, usize),
    /// How coverage grew: time and branches taken.
    pub growth: Vec<(Duration, usize)>,
    /// Kept sequences: number and bytes.
    pub kept: (usize, usize),
    /// Bytes of kept sequences and of all that was seen, about.
    pub remembered: usize,
    /// Methods without parameters that were never seen to change anything, per class.
    pub observers: Vec<Vec<Arc<Method>>>,
    /// Internal names of classes whose objects are judged, as far as they were loaded.
    pub judged: Vec<String>,
    /// How many machines worked to the end.
    pub n_workers: usize,
    /// Time of the search itself.
    pub time: Duration,
}

impl Campaign {
    /// Says by internal name which classes' objects are judged: those under test, those nested in them,
    /// and all that are not the JDK's.
    pub fn judged(&self) -> Box<dyn Fn(&str) -> bool + Send> {
        let judged: std::collections::HashSet<String> = self.judged.iter().cloned().collect();
        Box::new(move |name| judged.contains(name))
    }
}

/// Why a search cannot begin.
#[derive(Debug)]
pub enum Problem {
    /// There is no machine.
    Machine(NotFound),
    /// What is to be judged by means nothing.
    Rules(String),
    /// Who watches does not let it begin.
    Refused(String),
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Problem::Machine(reason) => reason.fmt(f),
            Problem::Rules(reason) | Problem::Refused(reason) => f.write_str(reason),
        }
    }
}

impl std::error::Error for Problem {}

impl From<NotFound> for Problem {
    fn from(reason: NotFound) -> Problem {
        Problem::Machine(reason)
    }
}

/// Bytes that one sequence may take, when it is drawn and whenever it runs again.
const MOST_MEMORY: usize = 16 << 20;
/// Sequences in the first round, and in the largest.
const FIRST_ROUND: usize = 32;
const LARGEST_ROUND: usize = 2048;
/// Sequences that a thread takes at a time.
const CHUNK: usize = 32;
/// Rounds after which it is asked whether memory is short.
const ROUNDS_OF_MEMORY: usize = 8;
/// Chunks for which other threads are worth their start.
const LEAST_SHARED: usize = 4;

/// Sequences of the next round: few where each may lead to something that the next ones can build on, many where
/// there is much to build on, or little new since many sequences.
fn round_size(n_kept: usize, drawn: u64) -> usize {
    let drawn = usize::try_from(drawn).unwrap_or(usize::MAX);
    (FIRST_ROUND + (n_kept / 4).max(drawn / 256)).min(LARGEST_ROUND)
}

/// Makes machines.
pub trait Machines: Sync {
    /// A machine with the classes under test on its class path.
    fn fresh(&self) -> Result<Session, NotFound>;
    /// Machines that are what this one is now, so that references mean the same on all of them.
    fn like(&self, session: &Session, number: usize) -> Result<Vec<Session>, NotFound>;
}

/// Searches.
pub fn search(job: &Job, machines: &dyn Machines, watch: &dyn Watch) -> Result<Campaign, Problem> {
    let n_workers = match job.settings.technique {
        // Representatives live on one machine.
        Technique::PairwiseEquals => 1,
        _ => job.settings.n_workers.max(1),
    };
    let mut session = machines.fresh()?;
    // Objects that are there before the classes under test are the JDK's.
    let world_end = session.vm.heap.top;
    let catalogue = Catalogue::new(
        &mut session,
        &job.classes,
        &job.choice,
        &job.literals,
        &job.implementations,
    );
    let (mut worker, unready) =
        Worker::new(session, &catalogue, &job.rules, &job.settings, world_end)?;
    worker.load_nested(&catalogue);
    worker.settle(&catalogue);
    watch.loaded().map_err(Problem::Refused)?;
    let mut workers = vec![worker];
    for session in machines.like(workers[0].session(), n_workers - 1)? {
        let (mut worker, _) =
            Worker::new(session, &catalogue, &job.rules, &job.settings, world_end)?;
        worker.settle_like(&workers[0], &catalogue);
        workers.push(worker);
    }
    let mut reasons = vec![String::new(); catalogue.ops().len()];
    for (op, reason) in unready {
        reasons[op.idx()] = reason.to_string();
    }
    let files = files(&mut workers[0], &catalogue);
    let reach = Reach::new(&workers[0].session().vm, &files, &catalogue);
    let guide = Guide::new(&catalogue, job.settings.choosing);
    let mut harvest = Harvest::new(&catalogue, guide, job.settings.feedback, job.settings.memory);
    let start = Instant::now();
    let mut growth = Vec::new();
    let mut drawn = 0_u64;
    let mut n_rounds = 0_usize;
    let mut weighed_at = 0_u64;
    let mut world = World::default();
    let mut grows_at = FIRST_ROUND as u64;
    while drawn < job.settings.most_sequences && !watch.is_enough() {
        if drawn >= weighed_at {
            harvest.guide.uncovered(reach.uncovered(&harvest.covered).into_iter());
            harvest.guide.weigh(&catalogue, &harvest.pool);
            weighed_at = drawn + (drawn / 8).clamp(32, 50_000);
        }
        let left = job.settings.most_sequences - drawn;
        let size = usize::try_from(left).unwrap_or(usize::MAX);
        let size = round_size(harvest.pool.len(), drawn).min(size);
        let before = harvest.n_edges();
        let now = Round { nth: n_rounds, first: drawn, size };
        let is_whole = round(job, &mut workers, &mut harvest, &catalogue, &now, watch);
        drawn += size as u64;
        n_rounds += 1;
        if harvest.n_edges() > before {
            growth.push((start.elapsed(), harvest.n_edges()));
        }
        if drawn >= grows_at {
            world.grow(&mut workers, &mut harvest, &catalogue, machines)?;
            grows_at = drawn + drawn / 2;
        }
        let made = usize::try_from(harvest.counts.sequences).unwrap_or(usize::MAX);
        // Who works on does not matter to what comes out.
        if workers.len() > 1 && n_rounds.is_multiple_of(ROUNDS_OF_MEMORY) && watch.is_memory_short()
        {
            workers.pop();
        }
        watch.progress(made, harvest.pool.n_states());
        let findings = harvest.causes.len();
        watch.gathered(Gathered {
            sequences: made,
            findings,
            tests: n_worthy(&harvest, job.offer),
        });
        if !is_whole {
            break;
        }
    }
    let time = start.elapsed();
    let events = harvest.edges();
    let identified = coverage::identify(&workers[0].session().vm, &files, &events);
    let mut covered: Vec<u32> = identified.of.iter().filter_map(|edge| *edge).collect();
    covered.sort_unstable();
    covered.dedup();
    let observers = match job.offer {
        Offer::Few | Offer::All => workers[0].observers(&harvest.pool, &catalogue),
        Offer::Nothing => vec![Vec::new(); catalogue.targets.len()],
    };
    let calls = calls(&catalogue, &harvest, &reasons);
    Ok(Campaign {
        classes: catalogue.targets.iter().map(|target| target.name.clone()).collect(),
        refused: catalogue.refused.clone(),
        counts: harvest.counts,
        worthy: worthy(&harvest, &catalogue, job.offer),
        findings: findings(&harvest, &catalogue),
        calls,
        branches: (covered.len(), identified.total),
        growth,
        kept: (harvest.pool.len(), harvest.pool.n_bytes()),
        remembered: harvest.n_bytes(),
        observers,
        judged: workers[0].judged_names(),
        n_workers: workers.len(),
        time,
    })
}

/// What a thread did at a time.
#[derive(Default)]
struct Chunk {
    tried: Vec<Tried>,
    /// The last calls of sequences that were there before.
    known: Vec<OpId>,
}

/// Sequences that are drawn from the same pool.
struct Round {
    nth: usize,
    /// The number of its first sequence, which with the seed decides how it is drawn.
    first: u64,
    /// How many there are.
    size: usize,
}

/// Draws, runs and takes in some sequences; whether all of them were run.
fn round(
    job: &Job,
    workers: &mut [Worker],
    harvest: &mut Harvest,
    catalogue: &Catalogue,
    round: &Round,
    watch: &dyn Watch,
) -> bool {
    let &Round { first, size, .. } = round;
    let n_chunks = size.div_ceil(CHUNK);
    let next_chunk = AtomicUsize::new(0);
    let is_enough = AtomicBool::new(false);
    let chunks: Mutex<Vec<Option<Chunk>>> = Mutex::new((0..n_chunks).map(|_| None).collect());
    let known: &Harvest = harvest;
    let work = |worker: &mut Worker| {
        loop {
            let chunk = next_chunk.fetch_add(1, Ordering::Relaxed);
            if chunk >= n_chunks || is_enough.load(Ordering::Relaxed) {
                break;
            }
            let mut done = Chunk::default();
            for nth in chunk * CHUNK..size.min((chunk + 1) * CHUNK) {
                if watch.is_enough() {
                    is_enough.store(true, Ordering::Relaxed);
                    return;
                }
                let rng = Rng::of(job.settings.seed, first + nth as u64);
                let settings = &job.settings;
                let extension = Extension::new(rng, &known.pool, catalogue, &known.guide, settings);
                let Some(recipe) = extension.draw() else { continue };
                let print = recipe::print(&recipe, &known.pool);
                if known.knows(print.hash()) {
                    done.known.extend(recipe.steps.last().map(|step| step.op));
                    continue;
                }
                done.tried.push(worker.run(&known.pool, recipe, print));
            }
            chunks.lock().unwrap_or_else(PoisonError::into_inner)[chunk] = Some(done);
        }
    };
    match workers {
        [worker] => work(worker),
        // In turns, and first on a machine that is not the one the world grows on: should what one machine kept mean
        // something else on another, that comes to light in a small campaign, and again when it is repeated.
        workers if n_chunks < LEAST_SHARED => {
            let turn = (round.nth + 1) % workers.len();
            work(&mut workers[turn]);
        }
        workers => thread::scope(|scope| {
            let work = &work;
            let running: Vec<_> =
                workers.iter_mut().map(|worker| scope.spawn(move || work(worker))).collect();
            running.into_iter().for_each(joined);
        }),
    }
    for chunk in chunks.into_inner().unwrap_or_else(PoisonError::into_inner) {
        let Some(chunk) = chunk else { return false };
        for one in chunk.tried {
            harvest.take(one);
        }
        // A call of which only old sequences are drawn leads nowhere.
        for op in chunk.known {
            harvest.guide.tell(op, Told::OLD);
        }
    }
    true
}

/// The class files of the classes under test and of what is nested in them.
fn files(worker: &mut Worker, catalogue: &Catalogue) -> Vec<Arc<ClassFile>> {
    let vm = &worker.session().vm;
    let mut files = Vec::new();
    for entry in &vm.classes {
        if catalogue.is_under_test(&entry.class.name.to_string()) {
            files.extend(entry.class.file().cloned());
        }
    }
    files
}

/// Sequences that only led to a new state and are offered as tests, at most.
const MOST_STATES: usize = 20_000;
/// Of these, sequences per call that are not spare, and how long they are, at most. A longer sequence is no test
/// for a person unless it takes a branch that no other does.
const STATES_PER_CALL: usize = 2;
const LONG: usize = 30;

/// About how many sequences are worth a test.
fn n_worthy(harvest: &Harvest, offer: Offer) -> usize {
    match offer {
        Offer::Nothing => 0,
        Offer::Few => {
            let for_states = harvest.calls.len() * STATES_PER_CALL;
            harvest.candidates.len() + harvest.states.len().min(for_states)
        }
        Offer::All => harvest.candidates.len() + harvest.states.len().min(MOST_STATES),
    }
}

fn worthy(harvest: &Harvest, catalogue: &Catalogue, offer: Offer) -> Vec<Worthy> {
    let mut worthy = Vec::new();
    if offer == Offer::Nothing {
        return worthy;
    }
    let made = |recipe: &recipe::Recipe| {
        let op = recipe.steps.last().map(|step| step.op)?;
        let class = catalogue.op(op).target? as usize;
        let sequence = recipe.without_idle_parts().sequence(&harvest.pool, catalogue)?;
        Some((class, sequence))
    };
    for candidate in &harvest.candidates {
        if let Some((class, sequence)) = made(&candidate.recipe) {
            let merit = candidate.merit.clone();
            worthy.push(Worthy { sequence, merit, class, is_spare: false });
        }
    }
    let mut per_call: BTreeMap<&Method, usize> = BTreeMap::new();
    for &id in harvest.states.iter().take(MOST_STATES) {
        let recipe = harvest.pool.component(id).recipe();
        let method = recipe.steps.last().and_then(|step| match &catalogue.op(step.op).action {
            Action::Call(method) => Some(&**method),
            _ => None,
        });
        let mut is_spare = method.is_none_or(|method| {
            let n_known = per_call.entry(method).or_default();
            *n_known += 1;
            *n_known > STATES_PER_CALL
        });
        if is_spare && offer == Offer::Few {
            continue;
        }
        let Some((class, sequence)) = made(recipe) else { continue };
        is_spare |= sequence.len() > LONG;
        if !is_spare || offer == Offer::All {
            worthy.push(Worthy { sequence, merit: Merit::State, class, is_spare });
        }
    }
    worthy
}

fn findings(harvest: &Harvest, catalogue: &Catalogue) -> Vec<Vec<Finding>> {
    let mut findings = Vec::new();
    for cause in &harvest.causes {
        let shown = cause.shown.iter().filter_map(|(broken, recipe)| {
            let sequence = recipe.sequence(&harvest.pool, catalogue)?;
            Some(Finding { broken: broken.clone(), sequence, count: cause.count })
        });
        let mut shown: Vec<Finding> = shown.collect();
        shown.sort_by_key(|finding| finding.sequence.len());
        findings.push(shown);
    }
    findings
}

fn calls(catalogue: &Catalogue, harvest: &Harvest, reasons: &[String]) -> Vec<Called> {
    let mut all = Vec::new();
    for target in &catalogue.targets {
        for &op in &target.ops {
            let Action::Call(method) = &catalogue.op(op).action else { continue };
            let calls = &harvest.calls[op.idx()];
            let ended = (calls.returned, calls.threw, calls.stopped);
            let lacking = || {
                let params = &catalogue.op(op).params;
                let lacks =
                    params.iter().find(|&&of| !Extension::has(&harvest.pool, catalogue, of));
                match lacks {
                    Some(&of) => format!("nothing makes a {}", catalogue.wanted(of)),
                    None => "there was no time for it".to_owned(),
                }
            };
            let reason = match (ended, &reasons[op.idx()]) {
                ((0, 0, 0), reason) if !reason.is_empty() => Some(reason.clone()),
                ((0, 0, 0), _) => Some(lacking()),
                _ => None,
            };
            all.push(Called { method: method.clone(), ended, reason });
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::{FIRST_ROUND, LARGEST_ROUND, round_size};

    #[test]
    fn rounds_grow_with_what_there_is_to_build_on_and_where_nothing_is_new() {
        assert_eq!(round_size(0, 0), FIRST_ROUND);
        assert_eq!(round_size(400, 1000), FIRST_ROUND + 100);
        assert_eq!(round_size(40, 100_000), FIRST_ROUND + 390);
        assert_eq!(round_size(1_000_000, 0), LARGEST_ROUND);
        assert_eq!(round_size(40, u64::MAX), LARGEST_ROUND);
    }
}
