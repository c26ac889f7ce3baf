//! Which properties follow from others, so that nobody has to read them.

use rustc_hash::{FxHashMap, FxHashSet};

use super::abstraction::{Abstraction, Condition, Form, Plus, Shape, Term};
use super::template::{Aspect, Relation};
use super::trace::{MethodIdx, Trace, ValueId};
use super::{Effect, Implied, Inference, Kind, Property};

/// Marks every property that follows from others.
pub(super) fn mark(trace: &Trace, inference: &mut Inference) {
    let facts = Facts::new(inference);
    let mut reasons: Vec<Option<Implied>> = Vec::with_capacity(inference.properties.len());
    let mut said: FxHashSet<Equation> = FxHashSet::default();
    for property in &inference.properties {
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
        reasons.push(reason);
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
    use super::template::Call;
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
    preserves: Vec<bool>,
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
    fn new(inference: &Inference) -> Facts {
        let mut facts = Facts {
            preserves: inference
                .effects
                .iter()
                .map(|(_, effect)| *effect == Effect::Preserves)
                .collect(),
            universal: FxHashSet::default(),
            constant_return: FxHashMap::default(),
            constant_behind: FxHashMap::default(),
            constant_state: FxHashMap::default(),
            told: FxHashSet::default(),
            undone: FxHashSet::default(),
        };
        for property in &inference.properties {
            let abstraction = property.abstraction;
            if property.kind != Kind::Universal {
                continue;
            }
            facts.universal.insert(abstraction);
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
        if condition.is_some() && self.told.contains(&(first, second, aspect)) {
            return Some(Implied::Known);
        }
        match aspect {
            Aspect::State => {
                if self.preserves[second.idx()] {
                    return Some(Implied::Preserved);
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
                (self.constant(&left).is_some() && self.constant(&form).is_some())
                    .then_some(Implied::Known)
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
