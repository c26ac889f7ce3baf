//! Who runs next. Green threads take turns: the next one in order of age that can run. A turn ends
//! when the interpreter's slice of fuel is used up, when the thread waits, or when it lets go of a
//! lock that another wants. Everything depends on the seed and the program alone.
//!
//! A thread that waits for a lock can run as soon as the lock is free; nobody has to wake it. Time
//! stands still while somebody can run (a slice counts for a little of it) and jumps to the next
//! deadline when nobody can. With a host that has a real clock, real time passes instead.
//!
//! Nobody can run and nobody has a deadline: a deadlock. The library's housekeepers wake up now and
//! then for ever; their deadlines do not count.

use std::iter;

use crate::lock::lock_tag;
use crate::seeded::mix;
use crate::thread::{Stacks, State, Thread, ThreadFields, Wake};
use crate::value::{ClassId, Ref};
use crate::vm::Vm;

/// Fuel of the shortest slice; the longest is three times as long.
const SLICE: u64 = 50_000;
/// Virtual nanoseconds that a whole slice counts for.
const SLICE_NANOS: i64 = 100_000;
/// Virtual nanoseconds that a turn counts for that was given up.
const YIELD_NANOS: i64 = 1_000;
/// Threads that gave up so many turns each, with nothing else in between, only wait for time to pass.
const MANY_YIELDS: u64 = 1_000;
/// Real nanoseconds that such threads are left alone for: one of them may have moved another.
const NAP_NANOS: i64 = 1_000_000;
/// Later deadlines are never reached: 100 years.
const NEVER: i64 = 100 * 365 * 86_400 * 1_000_000_000;
/// Stacks of ended threads that are kept for new ones.
const MOST_SPARE: usize = 64;

/// What choosing among threads and locking need beside the threads themselves.
#[derive(Debug, Default)]
pub struct Scheduler {
    /// The thin-lock word of the running thread; see `lock`.
    pub lock_tag: u32,
    /// While set, a thread keeps its turn until it waits. For booting, so that no other thread is
    /// in the middle of anything when the image is made.
    pub patient: bool,
    pub(crate) fields: Option<ThreadFields>,
    /// The turn ends before its slice is used up.
    ends_early: bool,
    /// No deadline is earlier than this; zero where that is not known.
    earliest_deadline: i64,
    /// About how many ended threads are still in the list.
    pub(crate) n_ended: usize,
    spare: Vec<Stacks>,
}

/// What to do next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Choice {
    /// This thread runs.
    Run(usize),
    /// Nobody can run before this time.
    AdvanceTo(i64),
    /// Nobody can ever run.
    Stuck,
}

/// Whether a thread can run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Readiness {
    Ready,
    Until(i64),
    Never,
}

fn readiness(thread: &Thread, is_free: &dyn Fn(Ref) -> bool) -> Readiness {
    let when = |can_run: bool| if can_run { Readiness::Ready } else { Readiness::Never };
    if thread.suspended {
        return Readiness::Never;
    }
    match thread.state {
        State::Runnable => Readiness::Ready,
        State::Blocked(object) => when(is_free(object)),
        State::Ending => when(is_free(thread.java)),
        _ => deadline_of(thread.state).map_or(Readiness::Never, Readiness::Until),
    }
}

fn deadline_of(state: State) -> Option<i64> {
    match state {
        State::Waiting { until, .. } | State::Parked { until } | State::Sleeping { until } => until,
        State::Outside { until } => Some(until),
        _ => None,
    }
}

/// The first thread behind `from`, in circular order, that can run.
///
/// Where all who can run gave up very many turns in a row, time passes instead.
fn choose(
    threads: &[Thread],
    from: usize,
    idle_turns: u64,
    is_free: &dyn Fn(Ref) -> bool,
) -> Choice {
    let mut first = None;
    let mut n_ready = 0;
    let mut next = None;
    for step in 1..=threads.len() {
        let idx = (from + step) % threads.len();
        let thread = &threads[idx];
        match readiness(thread, is_free) {
            Readiness::Ready if idle_turns < MANY_YIELDS => {
                return Choice::Run(first_in_line(threads, idx));
            }
            Readiness::Ready => {
                first = first.or(Some(idx));
                n_ready += 1;
            }
            // Something outside can happen whoever waits for it.
            Readiness::Until(deadline)
                if !thread.housekeeper || matches!(thread.state, State::Outside { .. }) =>
            {
                next = Some(next.map_or(deadline, |next: i64| next.min(deadline)));
            }
            Readiness::Until(_) | Readiness::Never => {}
        }
    }
    match (next, first) {
        (Some(_), Some(idx)) if idle_turns < n_ready * MANY_YIELDS => {
            Choice::Run(first_in_line(threads, idx))
        }
        (Some(deadline), _) => Choice::AdvanceTo(deadline),
        (None, Some(idx)) => Choice::Run(first_in_line(threads, idx)),
        (None, None) => Choice::Stuck,
    }
}

/// Of the threads that want the same lock as this one, the one that has waited longest.
fn first_in_line(threads: &[Thread], idx: usize) -> usize {
    let State::Blocked(object) = threads[idx].state else { return idx };
    let waiting = threads.iter().enumerate().filter(|(_, t)| t.state == State::Blocked(object));
    waiting.min_by_key(|(_, t)| t.since).map_or(idx, |(first, _)| first)
}

impl Vm {
    /// Chooses the thread that runs next, letting time pass where all wait. Does not switch.
    /// `None`: no thread can ever run again.
    pub fn schedule(&mut self) -> Option<usize> {
        self.world.turns += 1;
        let ended_early = std::mem::take(&mut self.scheduler.ends_early);
        if self.threads[self.current].state == State::Runnable {
            if self.scheduler.patient {
                return Some(self.current);
            }
            if !ended_early {
                self.world.idle_turns = 0;
            }
            let nanos = if ended_early { YIELD_NANOS } else { SLICE_NANOS };
            if self.host.nano_time().is_none() {
                self.virtual_nanos = self.virtual_nanos.saturating_add(nanos);
            }
        }
        loop {
            self.wake_late();
            let is_free = |object| self.lock_owner(object).is_none();
            match choose(&self.threads, self.current, self.world.idle_turns, &is_free) {
                Choice::Run(idx) if self.threads[idx].state == State::Ending => {
                    self.finish_thread(idx)
                }
                Choice::Run(idx) => {
                    if self.threads[idx].state != State::Runnable {
                        self.set_state(idx, State::Runnable);
                    }
                    return Some(idx);
                }
                Choice::AdvanceTo(deadline) => self.advance_to(deadline),
                Choice::Stuck => return None,
            }
        }
    }

    /// Fuel of the next slice: not always the same, so that no loop of the program keeps step with it.
    #[expect(clippy::cast_possible_wrap, reason = "small")]
    pub(crate) fn slice(&self) -> i64 {
        (SLICE + mix(self.options.seed, self.world.turns) % (2 * SLICE)) as i64
    }

    /// Makes another thread the running one. The interpreter saves and finds its position in the
    /// top frames.
    pub fn switch_to(&mut self, idx: usize) {
        let old = self.current;
        self.threads[old].frame = self.frame;
        if idx != old {
            self.save_thread(idx);
            let counted = self.heap.allocated();
            let left = &mut self.threads[old].allocated;
            *left = left.wrapping_add(counted);
            let entered = &mut self.threads[idx].allocated;
            *entered = entered.wrapping_sub(counted);
            self.enter_thread(idx);
        }
    }

    /// The threads are not what they were: a rollback.
    pub(crate) fn threads_changed(&mut self) {
        self.scheduler.earliest_deadline = 0;
    }

    /// Sets everything that says who runs, from the thread itself.
    pub fn enter_thread(&mut self, idx: usize) {
        let thread = &self.threads[idx];
        self.current = idx;
        self.frame = thread.frame;
        self.frame_limit = thread.frame_limit();
        self.reg_limit = thread.reg_limit();
        self.scheduler.lock_tag = lock_tag(thread.id);
    }

    /// The running thread gives up its turn.
    pub fn yield_turn(&mut self) {
        self.world.idle_turns += 1;
        self.end_turn();
    }

    /// Makes the interpreter look for another thread at the next call or backward branch.
    pub(crate) fn end_turn(&mut self) {
        self.scheduler.ends_early = true;
        self.poll_soon();
    }

    /// The time that deadlines are compared with; looking at it costs no time.
    pub(crate) fn now(&mut self) -> i64 {
        self.host.nano_time().unwrap_or(self.virtual_nanos)
    }

    /// The deadline that many nanoseconds from now; `None` where nobody lives to see it.
    pub(crate) fn deadline(&mut self, nanos: i64) -> Option<i64> {
        let now = self.now();
        if nanos >= NEVER { None } else { now.checked_add(nanos) }
    }

    fn advance_to(&mut self, deadline: i64) {
        // Whoever spins looks again when somebody else has moved, or, with a real clock, now and then.
        let is_idle = std::mem::take(&mut self.world.idle_turns) >= MANY_YIELDS;
        match self.host.nano_time() {
            Some(now) => {
                let nanos = deadline.saturating_sub(now).max(1);
                self.host.sleep(if is_idle { nanos.min(NAP_NANOS) } else { nanos });
            }
            None => self.virtual_nanos = self.virtual_nanos.max(deadline),
        }
    }

    /// Wakes the threads whose deadline has passed.
    fn wake_late(&mut self) {
        let now = self.now();
        if now < self.scheduler.earliest_deadline {
            return;
        }
        let mut earliest = i64::MAX;
        for idx in 0..self.threads.len() {
            match deadline_of(self.threads[idx].state) {
                Some(deadline) if deadline <= now => self.wake(idx, Wake::TimedOut),
                Some(deadline) => earliest = earliest.min(deadline),
                None => {}
            }
        }
        self.scheduler.earliest_deadline = earliest;
    }

    /// Ends a thread's waiting, sleeping or parking; other threads are left alone.
    pub(crate) fn wake(&mut self, idx: usize, why: Wake) {
        let state = match self.threads[idx].state {
            // It needs the lock again before it can go on.
            State::Waiting { object, .. } => State::Blocked(object),
            State::Parked { .. } | State::Sleeping { .. } => State::Runnable,
            // It looks for itself why.
            State::Outside { .. } => return self.set_state(idx, State::Runnable),
            _ => return,
        };
        self.set_state(idx, state);
        self.threads[idx].woken = Some(why);
    }

    /// Wakes the threads that wait for a class to be initialised.
    pub fn wake_initialising(&mut self, class: ClassId) {
        self.wake_all(State::Initialising(class));
    }

    /// Wakes the threads that wait for the collector to find references.
    pub fn wake_for_references(&mut self) {
        self.wake_all(State::AwaitingReferences);
    }

    fn wake_all(&mut self, state: State) {
        for idx in 0..self.threads.len() {
            if self.threads[idx].state == state {
                self.set_state(idx, State::Runnable);
            }
        }
    }

    /// Puts the running thread to sleep; for code that then returns `Trap::Blocked`.
    pub fn block(&mut self, state: State) {
        let arrival = self.world.arrivals;
        self.world.arrivals += 1;
        self.set_state(self.current, state);
        self.world.idle_turns = 0;
        self.threads[self.current].since = arrival;
    }

    /// Changes a thread's state, for Java code too.
    pub(crate) fn set_state(&mut self, idx: usize, state: State) {
        if idx != self.current {
            self.save_thread(idx);
        }
        self.threads[idx].state = state;
        if let Some(deadline) = deadline_of(state) {
            self.scheduler.earliest_deadline = self.scheduler.earliest_deadline.min(deadline);
        }
        self.set_thread_status(self.threads[idx].java, state);
    }

    /// Stacks for a new thread.
    pub(crate) fn new_stacks(&mut self, stack_size: usize) -> std::io::Result<Stacks> {
        if stack_size == 0
            && let Some(stacks) = self.scheduler.spare.pop()
        {
            return Ok(stacks);
        }
        Stacks::for_size(stack_size)
    }

    /// Keeps the stacks of an ended thread for a new one.
    pub(crate) fn keep_stacks(&mut self, stacks: Stacks) {
        if stacks.is_ordinary() && self.scheduler.spare.len() < MOST_SPARE {
            self.scheduler.spare.push(stacks);
        }
    }

    /// What each living thread waits for, oldest thread first. For `Stop::Deadlocked`.
    pub fn describe_waiting(&self) -> Vec<String> {
        let alive = self.threads.iter().enumerate().filter(|(_, thread)| thread.is_alive());
        alive.filter_map(|(idx, thread)| self.describe_wait(idx, thread)).collect()
    }

    fn describe_wait(&self, idx: usize, thread: &Thread) -> Option<String> {
        let name = |thread: &Thread| format!("thread \"{}\"", self.thread_name(thread.current));
        let what = match thread.state {
            State::Blocked(object) => {
                let class = self.class_name(object);
                let owner = self.lock_owner(object);
                let owner = self.threads.iter().find(|thread| Some(thread.id) == owner);
                let held = owner.map_or(String::new(), |owner| format!(" held by {}", name(owner)));
                format!("waits for the lock of a {class}{held}")
            }
            State::Waiting { object, .. } => {
                format!("waits to be notified on a {}", self.class_name(object))
            }
            State::Parked { .. } => "is parked".into(),
            State::Sleeping { .. } => "sleeps".into(),
            State::Outside { .. } => "waits for something outside".into(),
            State::Initialising(class) => {
                let name =
                    String::from_utf8_lossy(self.class(class).name.as_bytes()).replace('/', ".");
                format!("waits for the initialisation of {name}")
            }
            State::AwaitingReferences | State::Ended => return None,
            State::Ending => "waits for the lock of its own Thread to end".into(),
            State::Runnable if thread.suspended => "is suspended".into(),
            State::Runnable => "can run".into(),
        };
        let place = self.walk_thread(idx).next().map_or(String::new(), |top| {
            let method = self.method(top.method);
            let class =
                String::from_utf8_lossy(self.class(method.class).name.as_bytes()).replace('/', ".");
            format!(" in {class}.{}", method.name)
        });
        Some(format!("{} {what}{place}", name(thread)))
    }

    /// The threads, by position, that wait for each other: for locks of objects, and where wanted for synchronizers
    /// that one thread owns.
    pub(crate) fn threads_in_circles(&self, with_synchronizers: bool) -> Vec<usize> {
        let is_in_circle = |start: &usize| {
            let next = |at: &usize| self.waits_for(*at, with_synchronizers);
            let mut way = iter::successors(next(start), next).take(self.threads.len());
            way.any(|at| at == *start)
        };
        (0..self.threads.len()).filter(is_in_circle).collect()
    }

    /// The thread, by position, that holds what a thread waits for.
    pub(crate) fn waits_for(&self, idx: usize, with_synchronizers: bool) -> Option<usize> {
        let thread = &self.threads[idx];
        match thread.state {
            State::Blocked(object) => {
                let owner = self.lock_owner(object)?;
                self.threads.iter().position(|thread| thread.id == owner)
            }
            State::Parked { .. } if with_synchronizers => {
                let object = "Ljava/lang/Object;";
                let blocker = self.get_field_ref(thread.java, "parkBlocker", object).some()?;
                let class = self.class(self.class_of(blocker));
                let is_synchronizer = |&base: &ClassId| {
                    let name: &[u8] = self.class(base).name.as_bytes();
                    name == b"java/util/concurrent/locks/AbstractOwnableSynchronizer"
                };
                if !class.supers.iter().any(is_synchronizer) {
                    return None;
                }
                let owner = "exclusiveOwnerThread";
                let owner = self.get_field_ref(blocker, owner, "Ljava/lang/Thread;").some()?;
                self.threads.iter().position(|thread| thread.java == owner && thread.is_alive())
            }
            _ => None,
        }
    }

    fn class_name(&self, object: Ref) -> String {
        String::from_utf8_lossy(self.class(self.class_of(object)).name.as_bytes()).replace('/', ".")
    }
}

#[cfg(test)]
mod tests;
