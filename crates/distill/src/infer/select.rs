//! Special and common tests (definitions 7 and 8), each with all properties that it shows.
//!
//! A test is the calls that lead to the entry state and the instance's own; two instances with the same
//! calls are one test.

use rustc_hash::FxHashMap;

use super::abstraction::Condition;
use super::implied::is_rare;
use super::trace::{ExecutionIdx, ListIdx, Trace, ValueId};
use super::{Inference, Instance, Kind};

/// Ways from nothing to states: for each state the call that left it first.
#[derive(Debug)]
pub struct Ways {
    first: Vec<Option<ExecutionIdx>>,
}

impl Ways {
    /// Finds them.
    #[expect(clippy::cast_possible_truncation, reason = "fewer than 2^32 calls fit the memory")]
    pub fn new(trace: &Trace) -> Ways {
        let mut first = vec![None; trace.n_values()];
        for (idx, execution) in trace.executions().iter().enumerate() {
            // A call from a state that nothing leads to begins no way.
            let is_reached = execution.entry.is_none_or(|entry| first[entry.idx()].is_some());
            if let (Some(exit), false, true) = (execution.exit, execution.threw(), is_reached) {
                first[exit.idx()].get_or_insert(ExecutionIdx(idx as u32));
            }
        }
        Ways { first }
    }

    /// The calls that lead to a state; `None` where none do.
    pub fn to(&self, trace: &Trace, state: Option<ValueId>) -> Option<Vec<ListIdx>> {
        let mut way = Vec::new();
        let mut at = state;
        while let Some(state) = at {
            let execution = trace.execution(self.first[state.idx()]?);
            way.push(execution.list);
            at = execution.entry;
        }
        way.reverse();
        Some(way)
    }

    /// All calls of a test for an instance.
    pub fn calls(&self, trace: &Trace, instance: Instance) -> Option<Vec<ListIdx>> {
        let first = trace.execution(instance.first);
        let mut calls = self.to(trace, first.entry)?;
        calls.push(first.list);
        calls.extend(instance.second.map(|second| trace.execution(second).list));
        Some(calls)
    }
}

/// A test that was selected, with positions of properties in the inference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Selected {
    /// All calls, first the one that makes the object.
    pub calls: Vec<ListIdx>,
    /// How many of them are the instance's own; the others lead to its entry state.
    pub n_own: usize,
    /// The instance that comes first.
    pub instance: Instance,
    /// Properties for which it is special because it violates them.
    pub violates: Vec<usize>,
    /// Conditional properties for which it is special because it satisfies them.
    pub satisfies_special: Vec<usize>,
    /// Properties for which it is common because it satisfies them.
    pub satisfies: Vec<usize>,
}

impl Selected {
    /// Definition 7.
    pub fn is_special(&self) -> bool {
        !self.violates.is_empty() || !self.satisfies_special.is_empty()
    }

    /// Definition 7 in the paper's own extent: without observers as conditions.
    pub fn is_special_by_arguments(&self, inference: &Inference) -> bool {
        let by_arguments =
            |&idx: &usize| inference.properties[idx].kind == Kind::ConditionalUniversal;
        !self.violates.is_empty() || self.satisfies_special.iter().any(by_arguments)
    }

    /// Definition 8.
    pub fn is_common(&self) -> bool {
        !self.satisfies.is_empty()
    }
}

/// How much a violated property tells: the rarer the violation, the more; then the better attested.
fn telling(inference: &Inference, test: &Selected) -> (u64, u64) {
    let of = |idx: &usize| {
        let property = &inference.properties[*idx];
        let (held, failed) = (u64::from(property.satisfying), u64::from(property.violating));
        (held * 1_000_000 / (held + failed).max(1), held)
    };
    test.violates.iter().map(of).max().unwrap_or((0, 0))
}

/// Selects the tests of all printed properties: special ones first, the most telling first of all.
pub fn select(trace: &Trace, inference: &Inference) -> Vec<Selected> {
    let ways = Ways::new(trace);
    let mut tests: Vec<Selected> = Vec::new();
    let mut index: FxHashMap<Vec<ListIdx>, usize> = FxHashMap::default();
    let mut test = |instance: Instance| -> Option<usize> {
        let calls = ways.calls(trace, instance)?;
        let next = tests.len();
        let at = *index.entry(calls.clone()).or_insert(next);
        if at == next {
            let n_own = 1 + usize::from(instance.second.is_some());
            tests.push(Selected {
                calls,
                n_own,
                instance,
                violates: Vec::new(),
                satisfies_special: Vec::new(),
                satisfies: Vec::new(),
            });
        }
        Some(at)
    };
    let mut shown: Vec<(usize, usize, Role)> = Vec::new();
    let mut rare: FxHashMap<Condition, bool> = FxHashMap::default();
    for (idx, property) in inference.properties.iter().enumerate() {
        if property.implied.is_some() {
            continue;
        }
        let satisfying = test(property.first_satisfying);
        let role = match property.kind {
            Kind::Universal | Kind::Common => Role::Satisfies,
            Kind::ConditionalUniversal => Role::SatisfiesSpecial,
            // What holds where an observer says what it mostly says is nothing special.
            Kind::ObserverConditional => match property.abstraction.condition {
                Some(condition)
                    if !*rare.entry(condition).or_insert_with(|| is_rare(trace, condition)) =>
                {
                    Role::Satisfies
                }
                _ => Role::SatisfiesSpecial,
            },
        };
        shown.extend(satisfying.map(|test| (test, idx, role)));
        if let (Kind::Common, Some(violating)) = (property.kind, property.first_violating) {
            shown.extend(test(violating).map(|test| (test, idx, Role::Violates)));
        }
    }
    for (test, property, role) in shown {
        match role {
            Role::Satisfies => tests[test].satisfies.push(property),
            Role::SatisfiesSpecial => tests[test].satisfies_special.push(property),
            Role::Violates => tests[test].violates.push(property),
        }
    }
    tests.sort_by_key(|test| {
        let telling = telling(inference, test);
        (!test.is_special(), std::cmp::Reverse(telling), test.calls.len(), test.instance.order)
    });
    tests
}

#[derive(Clone, Copy)]
enum Role {
    Satisfies,
    SatisfiesSpecial,
    Violates,
}
