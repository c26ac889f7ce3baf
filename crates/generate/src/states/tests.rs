//! Tests out of an exploration.
//!
//! A test makes its way to a state and exercises calls there that no other test exercises: all calls
//! that preserve the state together in one test, each other call in one of its own. A call that first
//! led to a state which has tests of its own is a part of those, so it gets none. A test that ends in a
//! state asks the observers there; where that is all that a test of calls which preserve the state does,
//! that one is not needed. Both keep the suite minimal: each test has a method execution that no other has.

use std::sync::Arc;

use observe::oracle::{self, Observation, Run};
use observe::outside::Reach;
use observe::session::{NotFound, Session};
use rustc_hash::{FxHashMap, FxHashSet};
use suite::method::Method;
use suite::sequence::{Arg, Operation, Sequence, Var};
use suite::test::{Check, Expected, Subject, Test, Throws, Title};
use suite::types::Type;

use super::table::{ListId, StateId};
use super::{End, Exploration, Job};
use crate::arguments::{ArgumentList, place};
use crate::words::capitalized;

/// A test without its oracles.
#[derive(Debug, Clone)]
pub struct Draft {
    /// The calls.
    pub sequence: Sequence,
    /// The object under test, where there is one.
    pub receiver: Option<Var>,
    /// The state in which the calls are made that the test is for.
    pub state: StateId,
    /// The statements that the test is for.
    pub exercised: Vec<Var>,
    /// The method executions of the calls, where the states are those of an exploration.
    pub executions: Vec<(StateId, ListId)>,
    /// The state that the last call leads to, where it is known and nothing is thrown.
    pub end: Option<StateId>,
}

impl Draft {
    /// How it is run, and what is asked of the object under test.
    pub(crate) fn run<'a>(&'a self, observers: &'a [Arc<Method>], fuel: u64) -> Run<'a> {
        let change = self.change();
        Run { sequence: &self.sequence, observers, receiver: self.receiver, change, fuel }
    }

    /// The call that led to the state in which the test ends, as far as it is known to be one.
    fn change(&self) -> Option<Var> {
        let last = *self.exercised.last()?;
        if self.end != Some(self.state) {
            return Some(last);
        }
        let receiver = Arg::Var(self.receiver?);
        let mut statements = self.sequence.statements()[..self.exercised[0].idx()].iter();
        let at = statements.rposition(|it| it.args.first() == Some(&receiver));
        at.map_or(self.receiver, |at| u32::try_from(at).ok().map(Var))
    }
}

/// The tests of an exploration that kept its calls, without oracles, in the order of states.
pub fn drafts(job: &Job, exploration: &Exploration) -> Vec<Draft> {
    let n_states = exploration.table.len();
    let mut has_tests = vec![false; n_states];
    let mut calls_of: Vec<(usize, usize)> = vec![(0, 0); n_states];
    for (idx, call) in exploration.calls.iter().enumerate() {
        let range = &mut calls_of[call.state.idx()];
        if range.0 == range.1 {
            range.0 = idx;
        }
        range.1 = idx + 1;
    }
    let mut drafts = Vec::new();
    // Children come after their parents, so backwards every child is known before its parent.
    for state in (0..n_states).rev() {
        let (start, end) = calls_of[state];
        let calls = &exploration.calls[start..end];
        let id = StateId(u32::try_from(state).unwrap_or(u32::MAX));
        let mut preserving = Vec::new();
        let mut single = Vec::new();
        for call in calls {
            match call.end {
                End::Stopped => {}
                // Each maker makes an object of its own.
                End::Preserved if id == StateId::WORLD => single.push(call.list),
                End::Preserved => preserving.push(call.list),
                End::Threw => single.push(call.list),
                End::Reached(reached) => {
                    let link = exploration.table.link(reached);
                    let is_first = link.parent == id && link.list == call.list;
                    if is_first && has_tests[reached.idx()] {
                        has_tests[state] = true;
                    } else {
                        single.push(call.list);
                    }
                }
            }
        }
        let before = drafts.len();
        for list in single.iter().rev() {
            let call = calls.iter().find(|call| call.list == *list);
            let end = call.and_then(|call| match call.end {
                End::Reached(reached) => Some(reached),
                End::Preserved | End::Threw | End::Stopped => None,
            });
            drafts.extend(draft(job, exploration, id, &[*list], end));
        }
        if !preserving.is_empty() {
            drafts.extend(draft(job, exploration, id, &preserving, Some(id)));
        }
        has_tests[state] |= drafts.len() > before;
    }
    drafts.reverse();
    drafts
}

pub(super) fn list_of(job: &Job, list: ListId) -> &ArgumentList {
    let n_makers = job.makers.len();
    if list.idx() < n_makers { &job.makers[list.idx()] } else { &job.lists[list.idx() - n_makers] }
}

/// Which of the tests are needed: of those whose method executions the others have, the last ones are not.
pub fn needed(job: &Job, settled: &[(Draft, Test)]) -> Vec<bool> {
    let mut list_ids: FxHashMap<&Arc<Method>, ListId> = FxHashMap::default();
    for (idx, list) in job.lists.iter().enumerate().filter(|(_, list)| list.arguments.is_empty()) {
        let id = ListId(u32::try_from(job.makers.len() + idx).unwrap_or(u32::MAX));
        list_ids.insert(&list.method, id);
    }
    let executions = |(draft, test): &(Draft, Test)| -> FxHashSet<(StateId, ListId)> {
        let observed = test.checks.iter().filter_map(|check| match &check.subject {
            Subject::Observer { method, .. } => Some((draft.end?, *list_ids.get(method)?)),
            _ => None,
        });
        draft.executions.iter().copied().chain(observed).collect()
    };
    let all: Vec<FxHashSet<(StateId, ListId)>> = settled.iter().map(executions).collect();
    let mut n_tests: FxHashMap<(StateId, ListId), u32> = FxHashMap::default();
    for executions in &all {
        #[expect(clippy::iter_over_hash_type, reason = "sums do not depend on the order")]
        for &execution in executions {
            *n_tests.entry(execution).or_default() += 1;
        }
    }
    let mut is_needed = vec![true; settled.len()];
    for (executions, is_needed) in all.iter().zip(&mut is_needed).rev() {
        // What is not known to do nothing new is kept.
        *is_needed = executions.is_empty() || executions.iter().any(|it| n_tests[it] == 1);
        if !*is_needed {
            #[expect(clippy::iter_over_hash_type, reason = "sums do not depend on the order")]
            for execution in executions {
                n_tests.entry(*execution).and_modify(|count| *count -= 1);
            }
        }
    }
    is_needed
}

/// The way to a state and these calls there; `end` is where they lead.
fn draft(
    job: &Job,
    exploration: &Exploration,
    state: StateId,
    lists: &[ListId],
    end: Option<StateId>,
) -> Option<Draft> {
    let mut way = Vec::new();
    exploration.table.path(state, &mut way);
    let mut sequence = Sequence::empty();
    let mut receiver = None;
    let mut executions = Vec::new();
    for step in way {
        let link = exploration.table.link(step);
        let made = append(&mut sequence, receiver, list_of(job, link.list))?;
        receiver = receiver.or(Some(made));
        executions.push((link.parent, link.list));
    }
    executions.extend(lists.iter().map(|&list| (state, list)));
    let mut exercised = Vec::new();
    for &list in lists {
        exercised.push(append(&mut sequence, receiver, list_of(job, list))?);
    }
    if receiver.is_none() {
        let made = exercised.first().copied()?;
        let result = sequence.statements()[made.idx()].result();
        let is_object = job.classes.iter().any(|class| result == Type::class(class));
        receiver = is_object.then_some(made);
    }
    Some(Draft { sequence, receiver, state, exercised, executions, end })
}

/// A test of a maker and calls on what it makes.
pub fn draft_of(job: &Job, lists: &[ListId]) -> Option<Draft> {
    let mut sequence = Sequence::empty();
    let mut receiver = None;
    let mut last = None;
    for &list in lists {
        let made = append(&mut sequence, receiver, list_of(job, list))?;
        receiver = receiver.or(Some(made));
        last = Some(made);
    }
    let result = sequence.statements()[receiver?.idx()].result();
    let is_object = job.classes.iter().any(|class| result == Type::class(class));
    // Any state but the world's will do to say that there is something before the last call.
    let state = if lists.len() > 1 { StateId(1) } else { StateId::WORLD };
    let receiver = receiver.filter(|_| is_object);
    let exercised = last.into_iter().collect();
    Some(Draft { sequence, receiver, state, exercised, executions: Vec::new(), end: None })
}

/// A test of calls in a row, the first of which makes the object; it is for the last `n_exercised`.
pub fn draft_in_a_row(lists: &[&ArgumentList], n_exercised: usize) -> Option<Draft> {
    let mut sequence = Sequence::empty();
    let mut receiver = None;
    let mut exercised = Vec::new();
    for (idx, list) in lists.iter().enumerate() {
        let made = append(&mut sequence, receiver, list)?;
        receiver = receiver.or(Some(made));
        if idx + n_exercised >= lists.len() {
            exercised.push(made);
        }
    }
    // Any state but the world has a receiver from the start.
    let state = if lists.len() > 1 { StateId(1) } else { StateId::WORLD };
    Some(Draft { sequence, receiver, state, exercised, executions: Vec::new(), end: None })
}

/// Adds a call; gives its variable.
pub(super) fn append(
    sequence: &mut Sequence,
    receiver: Option<Var>,
    list: &ArgumentList,
) -> Option<Var> {
    let mut args: Vec<Arg> = Vec::new();
    match &list.receiver {
        Some(own) => args.push(place(sequence, own)),
        None if list.method.has_receiver() => args.push(Arg::Var(receiver?)),
        None => {}
    }
    for argument in &list.arguments {
        let arg = place(sequence, argument);
        args.push(arg);
    }
    sequence.push(Operation::Call(list.method.clone()), args).ok()
}

/// Methods that say something of an object without changing it, by their names (as Randoop's rule) or
/// because no call of them was seen to change a state.
pub fn observers(job: &Job, exploration: &Exploration) -> Vec<Arc<Method>> {
    let mut observers: Vec<Arc<Method>> = Vec::new();
    for (idx, list) in job.lists.iter().enumerate() {
        let method = &list.method;
        if !oracle::is_question(method) || observers.contains(method) {
            continue;
        }
        let id = ListId(u32::try_from(job.makers.len() + idx).unwrap_or(u32::MAX));
        let mut calls = exploration.calls.iter().filter(|call| call.list == id);
        if calls.all(|call| call.end == End::Preserved) {
            observers.push(method.clone());
        }
    }
    observers
}

/// What comes of a draft.
#[derive(Debug, Clone)]
pub enum Settled {
    /// A test.
    Test(Box<Test>),
    /// It does not end alike in all worlds, or does not come back.
    Unstable,
    /// It asks for files, programs or the network.
    Outside,
}

/// A test from a draft: runs it in each world and keeps what all agree on. The error is a name that means
/// nothing.
pub fn settle(
    worlds: &mut [Session],
    draft: &Draft,
    observers: &[Arc<Method>],
    fuel: u64,
) -> Result<Settled, NotFound> {
    let mut seen = Vec::new();
    let run = draft.run(observers, fuel);
    for (idx, world) in worlds.iter_mut().enumerate() {
        let one = run.observe_in(idx, world)?;
        if one.reach != Reach::Inside {
            return Ok(Settled::Outside);
        }
        seen.push(one);
    }
    let agreed = oracle::agreed(&seen);
    Ok(agreed.map_or(Settled::Unstable, |agreed| settled(draft, &agreed, observers)))
}

/// A test from a draft and what all worlds agree on.
pub(crate) fn settled(draft: &Draft, agreed: &Observation, observers: &[Arc<Method>]) -> Settled {
    test(draft, agreed, observers).map_or(Settled::Unstable, |test| Settled::Test(Box::new(test)))
}

fn test(draft: &Draft, seen: &Observation, observers: &[Arc<Method>]) -> Option<Test> {
    let throws = match &seen.end {
        Some(oracle::End::Stopped(_) | oracle::End::ByChance) => return None,
        Some(oracle::End::Threw { class, message }) => {
            Some(Throws { class: class.clone(), message: message.clone() })
        }
        None => None,
    };
    let mut checks = Vec::new();
    // What calls give that only build arguments is not what the test is for.
    let is_own = |var: Var| {
        let statement = &draft.sequence.statements()[var.idx()];
        let receiver = draft.receiver.map(Arg::Var);
        draft.receiver == Some(var)
            || draft.exercised.contains(&var)
            || receiver.is_some() && statement.args.first() == receiver.as_ref()
    };
    for (idx, expected) in seen.results.iter().enumerate() {
        let after = Var(u32::try_from(idx).ok()?);
        // The calls on an object say that there is one.
        let is_said = |expected: &Expected| {
            *expected == Expected::NotNull
                && draft.receiver == Some(after)
                && !draft.exercised.contains(&after)
        };
        let expected = expected.as_ref().filter(|expected| is_own(after) && !is_said(expected));
        if let Some(expected) = expected {
            let expected = expected.clone();
            checks.push(Check { after, subject: Subject::Result(after), expected });
        }
    }
    let last = Var(u32::try_from(draft.sequence.len()).ok()?.checked_sub(1)?);
    let exercised = draft.exercised.last().copied().unwrap_or(last);
    let statements = draft.sequence.statements();
    let method_of = |var: Var| statements[var.idx()].method();
    if let Some(receiver) = draft.receiver {
        for (method, said) in observers.iter().zip(&seen.observers) {
            let was_called = draft.exercised.iter().any(|&var| method_of(var) == Some(method));
            if let (Some(expected), false) = (said, was_called) {
                let subject = Subject::Observer { receiver, method: method.clone() };
                checks.push(Check { after: last, subject, expected: expected.clone() });
            }
        }
    }
    let title = title(draft, seen, exercised, throws.as_ref());
    Some(Test {
        sequence: draft.sequence.clone(),
        checks,
        throws,
        must_end: false,
        notes: Vec::new(),
        title,
    })
}

/// What the test's name says: method, the calls before it, what came out.
fn title(draft: &Draft, seen: &Observation, exercised: Var, throws: Option<&Throws>) -> Title {
    let statements = draft.sequence.statements();
    let name = |var: Var| match statements[var.idx()].method() {
        Some(method) => method.word().to_owned(),
        None => "array".to_owned(),
    };
    let method = if draft.exercised.len() > 1 {
        let mut names: Vec<String> = Vec::new();
        for &var in &draft.exercised {
            let own = name(var);
            if !names.contains(&own) {
                names.push(own);
            }
        }
        match names.as_slice() {
            [first, rest @ ..] if rest.len() < 3 => {
                let rest = rest.iter().map(|name| format!("And{}", capitalized(name)));
                std::iter::once(first.clone()).chain(rest).collect()
            }
            _ => "observers".to_owned(),
        }
    } else {
        name(exercised)
    };
    let Some(receiver) = draft.receiver.filter(|_| draft.state != StateId::WORLD) else {
        let outcome = outcome(seen, exercised, throws);
        return Title { method, state: String::new(), outcome };
    };
    let first_exercised = draft.exercised.first().map_or(0, |var| var.idx());
    let on_receiver = statements[..first_exercised].iter().filter(|statement| {
        let is_call = statement.method().is_some_and(|method| method.has_receiver());
        is_call && statement.args.first() == Some(&Arg::Var(receiver))
    });
    let before: Vec<String> = on_receiver
        .filter_map(|statement| statement.method().map(|method| capitalized(&method.name)))
        .collect();
    let state = match before.as_slice() {
        [] => "onNew".to_owned(),
        [only] => format!("after{only}"),
        [.., second, last] if before.len() == 2 => format!("after{second}And{last}"),
        [.., last] => format!("after{}CallsAnd{last}", before.len() - 1),
    };
    let outcome =
        if draft.exercised.len() > 1 { String::new() } else { outcome(seen, exercised, throws) };
    Title { method, state, outcome }
}

fn outcome(seen: &Observation, exercised: Var, throws: Option<&Throws>) -> String {
    if let Some(throws) = throws {
        let simple = throws.class.rsplit(['/', '$']).next().unwrap_or_default();
        return format!("throws{}", simple.trim_end_matches("Exception"));
    }
    use suite::constant::Constant;
    match seen.results.get(exercised.idx()) {
        Some(Some(Expected::Equals(constant))) => match constant {
            Constant::Boolean(true) => "returnsTrue".to_owned(),
            Constant::Boolean(false) => "returnsFalse".to_owned(),
            Constant::Null => "returnsNull".to_owned(),
            Constant::Int(value) if (0..1000).contains(value) => format!("returns{value}"),
            Constant::Int(value) if (-1000..0).contains(value) => {
                format!("returnsMinus{}", value.unsigned_abs())
            }
            _ => String::new(),
        },
        _ => String::new(),
    }
}
