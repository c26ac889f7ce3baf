//! Which properties follow from others, so that nobody has to read them.

use rustc_hash::{FxHashMap, FxHashSet};

use super::abstraction::{Abstraction, Condition, Form, Plus, Shape, Term};
use super::template::{Aspect, Call, Relation};
use super::trace::{ExecutionIdx, Given, Value};
use super::trace::{MethodIdx, Trace, ValueId};
use super::{Implied, Inference, Kind, Property};
use suite::constant::Constant;

/// Marks every property that follows from others.
pub(super) fn mark(trace: &Trace, inference: &mut Inference) {
    let facts = Facts::new(trace, inference);
    let mut reasons: Vec<Option<Implied>> = vec![None; inference.properties.len()];
    let mut said: FxHashSet<Equation> = FxHashSet::default();
    // Of two that say the same, what the second call does alone reads better than s4.
    let mut order: Vec<usize> = (0..reasons.len()).collect();
    order.sort_by_key(|&idx| {
        let of = &inference.properties[idx].abstraction;
        (of.right == Term::Apply(Call::First, Call::First), idx)
    });
    for idx in order {
        let property = &inference.properties[idx];
        let mut reason = facts.reason(trace, property);
        if reason.is_none() && property.kind != Kind::Common {
            let (own, mirrored) = equations(trace, property);
            if said.contains(&own) {
                reason = Some(Implied::Repeated);
            } else if mirrored.is_some_and(|mirrored| said.contains(&mirrored)) {
                reason = Some(Implied::Mirrored);
            } else {
                said.insert(own);
            }
        }
        reasons[idx] = reason;
    }
    for (property, reason) in inference.properties.iter_mut().zip(reasons) {
        property.implied = reason;
    }
}

/// An equation in a form in which equal ones are equal: aspect, sides, what is added, condition.
type Equation = (Aspect, String, Option<Plus>, Option<Condition>);

fn equations(trace: &Trace, property: &Property) -> (Equation, Option<Equation>) {
    let Abstraction { aspect, first, second, right, plus, condition, .. } = property.abstraction;
    let shape = Shape { first, second, condition };
    let left = shape.left(trace);
    let right = shape.form(trace, right);
    let relation = property.abstraction.relation();
    let text = |left: &Form, right: &Form| format!("{relation:?} {left:?} {right:?}");
    let own = (aspect, text(&left, &right), plus, condition);
    // f(g(S, b), a) == g(f(S, a), b) is the other way round what it is with the calls exchanged.
    let mirrored = match (&right, condition, plus) {
        (Form::Compose(..), None, None) => {
            let exchange = |form: &Form| exchanged(form);
            Some((aspect, text(&exchange(&right), &exchange(&left)), plus, condition))
        }
        _ => None,
    };
    (own, mirrored)
}

/// The form with first and second call exchanged in its arguments.
fn exchanged(form: &Form) -> Form {
    let all = |symbols: &[(Call, usize)]| -> Vec<(Call, usize)> {
        symbols
            .iter()
            .map(|&(call, idx)| match call {
                Call::First => (Call::Second, idx),
                Call::Second => (Call::First, idx),
            })
            .collect()
    };
    match form {
        Form::Compose(outer, one, inner, other) => {
            Form::Compose(*outer, all(one), *inner, all(other))
        }
        other => other.clone(),
    }
}

/// What the universal properties tell about single calls and pairs.
struct Facts {
    /// Methods that preserve every state from which they return.
    preserves: Vec<bool>,
    /// States of new objects.
    new_states: FxHashSet<ValueId>,
    /// The universal right-hand sides of pairs.
    rights: FxHashMap<(MethodIdx, MethodIdx, Aspect), Vec<Term>>,
    /// The same, with something added too.
    dependent: FxHashMap<(MethodIdx, MethodIdx, Aspect), Vec<Term>>,
    /// Conditions and the returns of single calls under them.
    constant_where: FxHashMap<(Condition, MethodIdx), ValueId>,
    /// Pairs and conditions under which a return is told by other calls.
    told_where: FxHashSet<(Condition, MethodIdx, MethodIdx)>,
    /// For each condition on a state the conditions that hold wherever it holds.
    wider: FxHashMap<Condition, Vec<Condition>>,
    /// Properties without exceptions, with their conditions.
    universal: FxHashSet<Abstraction>,
    /// The return of a method, whatever the state.
    constant_return: FxHashMap<MethodIdx, ValueId>,
    /// The return of the second method behind the first.
    constant_behind: FxHashMap<(MethodIdx, MethodIdx), ValueId>,
    constant_state: FxHashMap<MethodIdx, ValueId>,
    /// Pairs whose state or return a universal property tells in simpler terms.
    told: FxHashSet<(MethodIdx, MethodIdx, Aspect)>,
    /// Pairs after which the state is as before.
    undone: FxHashSet<(MethodIdx, MethodIdx)>,
}

impl Facts {
    fn new(trace: &Trace, inference: &Inference) -> Facts {
        let mut facts = Facts {
            preserves: preserving(trace, inference),
            new_states: trace
                .executions()
                .iter()
                .filter(|execution| execution.entry.is_none())
                .filter_map(|execution| execution.exit)
                .collect(),
            rights: FxHashMap::default(),
            dependent: FxHashMap::default(),
            constant_where: FxHashMap::default(),
            told_where: FxHashSet::default(),
            wider: wider(trace, inference),
            universal: FxHashSet::default(),
            constant_return: FxHashMap::default(),
            constant_behind: FxHashMap::default(),
            constant_state: FxHashMap::default(),
            told: FxHashSet::default(),
            undone: FxHashSet::default(),
        };
        for property in &inference.properties {
            let abstraction = property.abstraction;
            if property.kind == Kind::Common {
                continue;
            }
            facts.universal.insert(abstraction);
            if let Some(condition) = abstraction.condition {
                if abstraction.aspect == Aspect::Return {
                    match (abstraction.second, abstraction.right) {
                        (None, Term::Constant(value)) => {
                            facts.constant_where.insert((condition, abstraction.first), value);
                        }
                        (Some(second), Term::Apply(..)) => {
                            facts.told_where.insert((condition, abstraction.first, second));
                        }
                        _ => {}
                    }
                }
                continue;
            }
            if let Some(second) = abstraction.second {
                let key = (abstraction.first, second, abstraction.aspect);
                facts.dependent.entry(key).or_default().push(abstraction.right);
                if abstraction.plus.is_none() {
                    facts.rights.entry(key).or_default().push(abstraction.right);
                }
            }
            let is_simpler = !matches!(abstraction.right, Term::Compose(..) | Term::Exception);
            if let (true, Some(second)) = (is_simpler, abstraction.second) {
                facts.told.insert((abstraction.first, second, abstraction.aspect));
            }
            match (abstraction.aspect, abstraction.second, abstraction.right) {
                (Aspect::Return, None, Term::Constant(value)) => {
                    facts.constant_return.insert(abstraction.first, value);
                }
                (Aspect::Return, Some(second), Term::Constant(value)) => {
                    facts.constant_behind.insert((abstraction.first, second), value);
                }
                (Aspect::State, None, Term::Constant(value)) => {
                    facts.constant_state.insert(abstraction.first, value);
                }
                (Aspect::State, Some(second), Term::Entry) => {
                    facts.undone.insert((abstraction.first, second));
                }
                _ => {}
            }
        }
        facts
    }

    fn reason(&self, trace: &Trace, property: &Property) -> Option<Implied> {
        let Abstraction { aspect, first, second, right, condition, plus, .. } =
            property.abstraction;
        if condition.is_some() {
            let without = Abstraction { condition: None, ..property.abstraction };
            if self.universal.contains(&without) {
                return Some(Implied::Unconditional);
            }
        }
        let is_wider = |wider: &Condition| {
            let other = Abstraction { condition: Some(*wider), ..property.abstraction };
            self.universal.contains(&other)
        };
        if let Some(condition) = condition
            && self.wider.get(&condition).is_some_and(|wider| wider.iter().any(is_wider))
        {
            return Some(Implied::Unconditional);
        }
        let shape = Shape { first, second, condition };
        let left = shape.left(trace);
        let form = shape.form(trace, right);
        if condition.is_some() && left == form && plus.is_none() {
            return Some(Implied::Repeated);
        }
        // What the observer says under its own condition is no news.
        if let Some(Condition::Observer(observer, _)) = condition {
            let asks = |form: &Form| matches!(form, Form::Apply(method, _) if *method == observer);
            if aspect == Aspect::Return && (asks(&left) || asks(&form)) {
                return Some(Implied::Known);
            }
        }
        let second = second?;
        // What follows a call that always makes the same as a constructor is told of the constructor.
        let has_receiver = trace.methods()[first.idx()].has_receiver();
        if has_receiver
            && self.constant_state.get(&first).is_some_and(|state| self.new_states.contains(state))
        {
            return Some(Implied::Known);
        }
        if let Term::Constant(value) = right
            && aspect == Aspect::State
            && !has_receiver
            && self.new_states.contains(&value)
        {
            return Some(Implied::Repeated);
        }
        if condition.is_some()
            && plus.is_none()
            && let Some(rights) = self.rights.get(&(first, second, aspect))
            && rights.iter().any(|right| shape.form(trace, *right) == form)
        {
            return Some(Implied::Unconditional);
        }
        if condition.is_some() && self.told.contains(&(first, second, aspect)) {
            return Some(Implied::Known);
        }
        // Where a universal property makes it depend on something, a constant only tells what was tried.
        let depends = |right: &Term| matches!(right, Term::Apply(..) | Term::Argument(..));
        if property.kind == Kind::Common
            && matches!(right, Term::Constant(_))
            && let Some(rights) = self.dependent.get(&(first, second, aspect))
            && rights.iter().any(depends)
        {
            return Some(Implied::Known);
        }
        match aspect {
            Aspect::State => {
                if self.preserves[second.idx()] {
                    return Some(Implied::Preserved);
                }
                if self.constant_state.contains_key(&second) {
                    return Some(Implied::Known);
                }
                let is_own_fact = right == Term::Entry && condition.is_none();
                if is_own_fact || property.kind == Kind::Common {
                    return None;
                }
                let known = self.state(left);
                (known.is_some() && known == self.state(form)).then_some(Implied::Known)
            }
            Aspect::Return => {
                let is_constant = matches!(right, Term::Constant(_));
                if let (true, Some(known)) = (is_constant, self.constant_return.get(&second)) {
                    return (Form::Constant(*known) == form).then_some(Implied::Known);
                }
                if let (true, Some(condition)) = (is_constant, condition)
                    && self.constant_where.contains_key(&(condition, second))
                    && self.told_where.contains(&(condition, first, second))
                {
                    return Some(Implied::Known);
                }
                if is_constant || right == Term::Exception {
                    return None;
                }
                if let Form::Compose(_, _, inner, _) = form
                    && self.preserves[inner.idx()]
                    && property.abstraction.relation() == Relation::Equal
                {
                    // The same is said without the inner call.
                    return Some(Implied::Preserved);
                }
                // A constant on the right is told by r5.
                self.constant(&form).map(|_| Implied::Known)
            }
        }
    }

    /// The return that a form is known to have.
    fn constant(&self, form: &Form) -> Option<ValueId> {
        match form {
            Form::Apply(method, _) => self.constant_return.get(method).copied(),
            Form::Compose(outer, _, inner, _) => {
                let always = self.constant_return.get(outer);
                always.or_else(|| self.constant_behind.get(&(*inner, *outer))).copied()
            }
            Form::Constant(value) => Some(*value),
            Form::Entry | Form::Exception | Form::Argument(_) => None,
        }
    }

    /// The state that a form is known to have, in simpler words.
    fn state(&self, form: Form) -> Option<Form> {
        match form {
            Form::Apply(method, _) if self.preserves[method.idx()] => Some(Form::Entry),
            Form::Apply(method, _) => self.constant_state.get(&method).copied().map(Form::Constant),
            Form::Compose(outer, _, inner, _) => {
                if self.undone.contains(&(inner, outer)) {
                    return Some(Form::Entry);
                }
                self.constant_state.get(&outer).copied().map(Form::Constant)
            }
            Form::Entry | Form::Constant(_) => Some(form),
            Form::Exception | Form::Argument(_) => None,
        }
    }
}

/// Methods that preserve every state from which they return, and do return.
#[expect(clippy::cast_possible_truncation, reason = "fewer than 2^32 calls fit the memory")]
fn preserving(trace: &Trace, inference: &Inference) -> Vec<bool> {
    let mut preserves = vec![true; inference.effects.len()];
    let mut returns = vec![false; inference.effects.len()];
    for (idx, execution) in trace.executions().iter().enumerate() {
        let method = trace.method_of(ExecutionIdx(idx as u32)).idx();
        if !execution.threw() {
            preserves[method] &= execution.exit == execution.entry;
            returns[method] = true;
        }
    }
    preserves.iter().zip(returns).map(|(preserves, returns)| *preserves && returns).collect()
}

/// For each condition on a state the other conditions that hold wherever it holds.
fn wider(trace: &Trace, inference: &Inference) -> FxHashMap<Condition, Vec<Condition>> {
    let mut conditions: Vec<Condition> = inference
        .properties
        .iter()
        .filter_map(|property| property.abstraction.condition)
        .filter(|condition| matches!(condition, Condition::Observer(..)))
        .collect();
    conditions.sort_unstable();
    conditions.dedup();
    let states: Vec<FxHashSet<ValueId>> =
        conditions.iter().map(|condition| states_where(trace, *condition)).collect();
    let mut wider: FxHashMap<Condition, Vec<Condition>> = FxHashMap::default();
    for (one, own) in conditions.iter().zip(&states) {
        for (other, its) in conditions.iter().zip(&states) {
            if one != other && own.len() < its.len() && own.is_subset(its) {
                wider.entry(*one).or_default().push(*other);
            }
        }
    }
    wider
}

/// The states of which an observer says so.
fn states_where(trace: &Trace, condition: Condition) -> FxHashSet<ValueId> {
    let Condition::Observer(observer, wanted) = condition else { return FxHashSet::default() };
    let mut states = FxHashSet::default();
    for execution in trace.executions() {
        if trace.lists()[execution.list.idx()].method == observer
            && let (Some(entry), Given::Value(value)) = (execution.entry, &execution.given)
            && *trace.meaning(*value) == Value::Constant(Constant::Boolean(wanted))
        {
            states.insert(entry);
        }
    }
    states
}

/// Whether an observer says so of fewer than half of the states.
pub(super) fn is_rare(trace: &Trace, condition: Condition) -> bool {
    let Condition::Observer(observer, says) = condition else { return true };
    let own = states_where(trace, condition).len();
    own <= states_where(trace, Condition::Observer(observer, !says)).len()
}
