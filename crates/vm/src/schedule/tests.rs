//! The choice among hand-made threads.

use super::{Choice, MANY_YIELDS, choose};
use crate::stack::Reserved;
use crate::thread::{Stacks, State, Thread};
use crate::value::{Ref, ThreadId};

const LOCK: Ref = Ref(77);

fn threads(states: &[State]) -> Vec<Thread> {
    let make = |(idx, &state): (usize, &State)| {
        let stacks = Stacks { registers: Reserved::empty(), frames: Reserved::empty() };
        let id = u32::try_from(idx).unwrap_or(0);
        let mut thread = Thread::new(ThreadId(id), Ref(1000 + id), stacks);
        thread.state = state;
        thread.since = u64::from(id);
        thread
    };
    states.iter().enumerate().map(make).collect()
}

fn free(_: Ref) -> bool {
    true
}

fn taken(_: Ref) -> bool {
    false
}

fn waiting(until: Option<i64>) -> State {
    State::Waiting { object: LOCK, until }
}

#[test]
fn choose_goes_round() {
    let threads = threads(&[State::Runnable, State::Runnable, State::Runnable]);
    let mut at = 0;
    let mut order = Vec::new();
    for _ in 0..6 {
        let Choice::Run(idx) = choose(&threads, at, 0, &free) else { panic!("somebody can run") };
        order.push(idx);
        at = idx;
    }
    assert_eq!(order, [1, 2, 0, 1, 2, 0]);
}

#[test]
fn choose_passes_over_those_who_wait_and_those_who_ended() {
    let threads =
        threads(&[State::Runnable, State::Ended, waiting(None), State::Parked { until: None }]);
    assert_eq!(choose(&threads, 0, 0, &free), Choice::Run(0));
}

#[test]
fn choose_takes_the_one_that_wanted_the_free_lock_first() {
    let mut threads = threads(&[State::Runnable, State::Blocked(LOCK), State::Blocked(LOCK)]);
    threads[1].since = 9;
    assert_eq!(choose(&threads, 0, 0, &free), Choice::Run(2));
    assert_eq!(choose(&threads, 0, 0, &taken), Choice::Run(0));
}

#[test]
fn choose_advances_to_the_nearest_deadline_only_where_nobody_can_run() {
    let sleeping = State::Sleeping { until: Some(500) };
    let idle = threads(&[waiting(Some(700)), sleeping, State::Parked { until: None }]);
    assert_eq!(choose(&idle, 0, 0, &free), Choice::AdvanceTo(500));
    let busy = threads(&[State::Runnable, sleeping]);
    assert_eq!(choose(&busy, 0, 0, &free), Choice::Run(0));
}

#[test]
fn choose_lets_time_pass_where_all_others_only_yield() {
    let sleeping = State::Sleeping { until: Some(500) };
    let mut threads = threads(&[State::Runnable, State::Runnable, sleeping]);
    // Each of them may have moved the other.
    assert_eq!(choose(&threads, 0, MANY_YIELDS, &free), Choice::Run(1));
    assert_eq!(choose(&threads, 0, 2 * MANY_YIELDS, &free), Choice::AdvanceTo(500));
    threads[2].state = waiting(None);
    assert_eq!(choose(&threads, 0, 2 * MANY_YIELDS, &free), Choice::Run(1));
}

#[test]
fn choose_sees_a_deadlock_of_two_locks() {
    let threads = threads(&[State::Blocked(LOCK), State::Blocked(Ref(78))]);
    assert_eq!(choose(&threads, 0, 0, &taken), Choice::Stuck);
}

#[test]
fn choose_sees_a_deadlock_although_housekeepers_wake_up_now_and_then() {
    let mut threads =
        threads(&[State::Parked { until: None }, waiting(Some(60)), State::AwaitingReferences]);
    assert_eq!(choose(&threads, 0, 0, &free), Choice::AdvanceTo(60));
    threads[1].housekeeper = true;
    assert_eq!(choose(&threads, 0, 0, &free), Choice::Stuck);
}

#[test]
fn choose_ends_a_thread_once_its_own_lock_is_free() {
    let threads = threads(&[State::Parked { until: None }, State::Ending]);
    assert_eq!(choose(&threads, 0, 0, &taken), Choice::Stuck);
    assert_eq!(choose(&threads, 0, 0, &free), Choice::Run(1));
}
