//! From counts to properties: definitions 5 and 6.

use rustc_hash::FxHashSet;

use super::abstraction::{Abstraction, Condition, Number, Plus, Term};
use super::compose::Counts;
use super::count::{Bar, Block, Measure, Seen, Tally};
use super::template::{Aspect, Left, Right, TEMPLATES};
use super::trace::{Trace, Value, ValueId};
use super::{Effect, Inference, Instance, Kind, Property};
use suite::types::Type;

/// Judges everything that was counted. Abstractions in `kept` are told as common ones even below the
/// threshold.
pub(super) fn judge(
    trace: &Trace,
    counts: &Counts,
    threshold: f64,
    kept: &FxHashSet<Abstraction>,
) -> Inference {
    let mut inference = Inference {
        effects: counts.effects.clone(),
        properties: Vec::new(),
        potential: 0,
        considered: 0,
        n_pairs: counts.n_pairs,
        is_cut: counts.is_cut,
    };
    for block in &counts.blocks {
        let mut judge = Judge { block, threshold, kept, inference: &mut inference };
        judge.slots(&counts.effects);
        judge.constants(trace);
        judge.differences();
    }
    inference
}

struct Judge<'b> {
    block: &'b Block,
    threshold: f64,
    kept: &'b FxHashSet<Abstraction>,
    inference: &'b mut Inference,
}

impl Judge<'_> {
    /// Right-hand sides without constants.
    fn slots(&mut self, effects: &[(super::MethodIdx, Effect)]) {
        for (bit, slot) in self.block.slots.iter().enumerate() {
            self.inference.potential += 1;
            for at in 0..=self.block.conditions.len() {
                let mut held: Option<Tally> = None;
                let mut failed: Option<Tally> = None;
                for alike in &self.block.alike {
                    let applies = at == 0 || alike.conditions >> (at - 1) & 1 != 0;
                    if !applies || alike.judged >> bit & 1 == 0 {
                        continue;
                    }
                    let side = if alike.held >> bit & 1 != 0 { &mut held } else { &mut failed };
                    join(side, alike.tally);
                }
                let Some(held) = held else { continue };
                // What a method does to the state in all its calls is told as its effect.
                let is_effect = self.block.second.is_none()
                    && matches!(
                        effects[self.block.first.idx()].1,
                        Effect::Preserves | Effect::Changes
                    );
                if is_effect {
                    self.inference.considered += usize::from(at == 0);
                    continue;
                }
                let abstraction = Abstraction {
                    template: slot.template,
                    aspect: slot.aspect,
                    first: self.block.first,
                    second: self.block.second,
                    right: slot.right,
                    plus: slot.plus.map(|(call, idx)| Plus::Argument(call, idx)),
                    condition: self.condition(at),
                };
                self.add(abstraction, held, failed);
            }
        }
    }

    fn condition(&self, at: usize) -> Option<Condition> {
        at.checked_sub(1).map(|idx| self.block.conditions[idx])
    }

    /// s1, s5, r1 and r5: every value that came out is a constant that may be it.
    fn constants(&mut self, trace: &Trace) {
        let methods = trace.methods();
        let outermost = &methods[self.block.second.unwrap_or(self.block.first).idx()];
        let left = if self.block.second.is_some() { Left::Pair } else { Left::Single };
        let template = TEMPLATES
            .iter()
            .position(|template| template.left == left && template.right == Right::Constant);
        let Some(template) = template else { return };
        // A state after calls without any input is what it is.
        let has_input = |idx: super::MethodIdx| {
            methods[idx.idx()].has_receiver() || !methods[idx.idx()].parameters.is_empty()
        };
        let varies = has_input(self.block.first)
            || self.block.second.is_some_and(|g| !methods[g.idx()].parameters.is_empty());
        let returns = outermost.returns != Type::Void && !outermost.is_constructor();
        for aspect in [Aspect::State, Aspect::Return] {
            if aspect == Aspect::Return && !returns {
                continue;
            }
            self.inference.potential += 1;
            let measure = Measure::Left(aspect);
            for (bar, failed) in self.bars(measure) {
                let right = match bar.seen {
                    // Said once: of the return where there is one.
                    Seen::Exception if aspect == Aspect::State && returns => continue,
                    Seen::Exception => Term::Exception,
                    Seen::Value(_)
                        if aspect == Aspect::State && (!varies || bar.tally.count < 2) =>
                    {
                        continue;
                    }
                    Seen::Value(value) if !is_told(trace, value) => continue,
                    Seen::Value(value) => Term::Constant(value),
                    Seen::Number(_) | Seen::None => continue,
                };
                let abstraction = Abstraction {
                    template,
                    aspect,
                    first: self.block.first,
                    second: self.block.second,
                    right,
                    plus: None,
                    condition: self.condition(bar.condition),
                };
                self.add(abstraction, bar.tally, failed);
            }
        }
    }

    /// rd1: every difference that came out is a constant that may be it.
    fn differences(&mut self) {
        for (bit, slot) in self.block.slots.iter().enumerate() {
            if !slot.is_numeric {
                continue;
            }
            self.inference.potential += 1;
            for (bar, failed) in self.bars(Measure::Difference(bit)) {
                let Seen::Number(number) = bar.seen else { continue };
                if number == Number::Whole(0) || number == Number::Real(0) {
                    continue;
                }
                let abstraction = Abstraction {
                    template: slot.template,
                    aspect: slot.aspect,
                    first: self.block.first,
                    second: self.block.second,
                    right: slot.right,
                    plus: Some(Plus::Number(number)),
                    condition: self.condition(bar.condition),
                };
                self.add(abstraction, bar.tally, failed);
            }
        }
    }

    /// The values of a measure, each with what stands against it.
    fn bars(&self, measure: Measure) -> Vec<(Bar, Option<Tally>)> {
        let n = self.block.conditions.len() + 1;
        // Per condition: all together, the earliest, and the earliest of another value than that.
        let mut totals: Vec<u32> = vec![0; n];
        let mut earliest: Vec<Option<&Bar>> = vec![None; n];
        let mut next: Vec<Option<&Bar>> = vec![None; n];
        let bars: Vec<&Bar> = self.block.bars.iter().filter(|bar| bar.measure == measure).collect();
        for bar in &bars {
            // Bars stand in the order of their first instances.
            totals[bar.condition] += bar.tally.count;
            if earliest[bar.condition].is_none() {
                earliest[bar.condition] = Some(bar);
            } else if next[bar.condition].is_none() {
                next[bar.condition] = Some(bar);
            }
        }
        let against = |bar: &Bar| {
            let first = match earliest[bar.condition] {
                Some(other) if other.seen != bar.seen => Some(other),
                _ => next[bar.condition],
            };
            let count = totals[bar.condition] - bar.tally.count;
            first.map(|first| Tally { count, first: first.tally.first })
        };
        bars.into_iter().map(|bar| (*bar, against(bar))).collect()
    }

    fn add(&mut self, abstraction: Abstraction, held: Tally, failed: Option<Tally>) {
        if abstraction.condition.is_none() {
            self.inference.considered += 1;
        }
        let violating = failed.map_or(0, |failed| failed.count);
        let all = f64::from(held.count) + f64::from(violating);
        let kind = match (abstraction.condition, violating) {
            (None, 0) => Kind::Universal,
            (Some(Condition::SameArguments(..)), 0) => Kind::ConditionalUniversal,
            (Some(Condition::Observer(..)), 0) => Kind::ObserverConditional,
            (None, _) if f64::from(held.count) >= self.threshold * all => Kind::Common,
            _ if self.kept.contains(&abstraction) => Kind::Common,
            _ => return,
        };
        self.inference.properties.push(Property {
            abstraction,
            kind,
            satisfying: held.count,
            violating,
            first_satisfying: held.first,
            first_violating: failed.map(|failed| failed.first),
            implied: None,
        });
    }
}

fn join(side: &mut Option<Tally>, tally: Tally) {
    match side {
        None => *side = Some(tally),
        Some(own) => {
            own.count += tally.count;
            if is_before(tally.first, own.first) {
                own.first = tally.first;
            }
        }
    }
}

/// Whether there are words for a value: a constant, or an object in a state that calls lead to.
fn is_told(trace: &Trace, value: ValueId) -> bool {
    matches!(trace.meaning(value), Value::Constant(_)) || trace.is_state(value)
}

fn is_before(one: Instance, other: Instance) -> bool {
    one.order < other.order
}
