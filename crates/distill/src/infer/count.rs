//! Counting (section 3.4): how often each abstraction was satisfied and violated, and first by what.
//!
//! A pair of calls is judged once, for all right-hand sides together: which could be judged and which
//! held are two sets of bits. Pairs with the same bits are counted together, so the time per pair does
//! not grow with the number of abstractions that are kept, and the whole is linear in pairs.

use rustc_hash::FxHashMap;

use super::abstraction::{Condition, Number, Slot, slots};
use super::template::{Aspect, Call};
use super::trace::{Given, ListIdx, MethodIdx, Trace, Value, ValueId};
use super::{Instance, abstraction::Term};
use suite::constant::Constant;

/// Conditions at most for one pair of methods.
const MOST_CONDITIONS: usize = 32;

/// How many instances, and the first.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tally {
    pub(super) count: u32,
    pub(super) first: Instance,
}

/// Instances that were judged alike.
#[derive(Debug, Clone, Copy)]
pub(super) struct Alike {
    /// Right-hand sides that could be judged.
    pub(super) judged: u128,
    /// Of these, those that held.
    pub(super) held: u128,
    /// Conditions that held.
    pub(super) conditions: u32,
    pub(super) tally: Tally,
}

/// What is counted by value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Measure {
    /// The state or return of the left-hand side.
    Left(Aspect),
    /// The difference to the right-hand side of a slot.
    Difference(usize),
}

/// A value that was seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Seen {
    Value(ValueId),
    Exception,
    Number(Number),
    /// No value to speak of.
    None,
}

/// How often a value was seen where a condition held; condition 0 is none.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bar {
    pub(super) condition: usize,
    pub(super) measure: Measure,
    pub(super) seen: Seen,
    pub(super) tally: Tally,
}

/// What was counted for one method, or for two.
#[derive(Debug)]
pub(super) struct Block {
    pub(super) first: MethodIdx,
    pub(super) second: Option<MethodIdx>,
    pub(super) slots: Vec<Slot>,
    pub(super) conditions: Vec<Condition>,
    pub(super) alike: Vec<Alike>,
    pub(super) bars: Vec<Bar>,
    alike_index: FxHashMap<(u128, u128, u32), usize>,
    bar_index: FxHashMap<(usize, Measure, Seen), usize>,
}

/// Everything that does not change while pairs are counted.
pub(super) struct Counter<'t> {
    trace: &'t Trace,
    /// For each list and method: the list of that method with the same arguments.
    same_arguments: Vec<Vec<Option<ListIdx>>>,
    numbers: Vec<Option<Number>>,
    observers: Vec<MethodIdx>,
    /// For each value that is a state: two bits per observer, "says true" and "says false".
    said: Vec<u32>,
}

impl<'t> Counter<'t> {
    pub(super) fn new(trace: &'t Trace, observers: Vec<MethodIdx>) -> Counter<'t> {
        let n_methods = u32::try_from(trace.methods().len()).unwrap_or(u32::MAX);
        let n_lists = u32::try_from(trace.lists().len()).unwrap_or(u32::MAX);
        let same_arguments = (0..n_lists)
            .map(|list| {
                let of = |method| trace.same_arguments(ListIdx(list), MethodIdx(method));
                (0..n_methods).map(of).collect()
            })
            .collect();
        let n_values = u32::try_from(trace.n_values()).unwrap_or(u32::MAX);
        let numbers = (0..n_values).map(|value| number(trace.meaning(ValueId(value)))).collect();
        let mut counter = Counter { trace, same_arguments, numbers, observers, said: Vec::new() };
        counter.ask_observers();
        counter
    }

    /// Asks the observers, and drops those that always say the same as an earlier one, or its opposite.
    fn ask_observers(&mut self) {
        let n_values = self.trace.n_values();
        let mut kept: Vec<(MethodIdx, Vec<Option<bool>>)> = Vec::new();
        for &observer in &self.observers {
            let mut says: Vec<Option<bool>> = vec![None; n_values];
            for execution in self.trace.executions() {
                if self.trace.lists()[execution.list.idx()].method == observer
                    && let (Some(entry), Given::Value(value)) = (execution.entry, &execution.given)
                    && let Value::Constant(Constant::Boolean(flag)) = self.trace.meaning(*value)
                {
                    says[entry.idx()] = Some(*flag);
                }
            }
            let opposite: Vec<Option<bool>> =
                says.iter().map(|says| says.map(|flag| !flag)).collect();
            if !kept.iter().any(|(_, other)| *other == says || *other == opposite) {
                kept.push((observer, says));
            }
        }
        kept.truncate(MOST_CONDITIONS / 4);
        self.said = vec![0; n_values];
        for (idx, (_, says)) in kept.iter().enumerate() {
            for (bits, flag) in self.said.iter_mut().zip(says) {
                match flag {
                    Some(true) => *bits |= 1 << (2 * idx),
                    Some(false) => *bits |= 2 << (2 * idx),
                    None => {}
                }
            }
        }
        self.observers = kept.into_iter().map(|(observer, _)| observer).collect();
    }

    /// An empty count for one method, or for two.
    pub(super) fn block(&self, first: MethodIdx, second: Option<MethodIdx>) -> Block {
        let methods = self.trace.methods();
        let mut conditions = Vec::new();
        if methods[first.idx()].has_receiver() {
            for &observer in &self.observers {
                conditions.push(Condition::Observer(observer, true));
                conditions.push(Condition::Observer(observer, false));
            }
        }
        if let Some(second) = second {
            for (i, one) in methods[first.idx()].parameters.iter().enumerate() {
                for (j, other) in methods[second.idx()].parameters.iter().enumerate() {
                    if one == other && conditions.len() < MOST_CONDITIONS {
                        conditions.push(Condition::SameArguments(i, j));
                    }
                }
            }
        }
        Block {
            first,
            second,
            slots: slots(self.trace, first, second),
            conditions,
            alike: Vec::new(),
            bars: Vec::new(),
            alike_index: FxHashMap::default(),
            bar_index: FxHashMap::default(),
        }
    }

    /// Counts one call, or two in a row.
    pub(super) fn count(&self, block: &mut Block, instance: Instance) {
        let trace = self.trace;
        let last = trace.execution(instance.second.unwrap_or(instance.first));
        let entry = trace.execution(instance.first).entry;
        let mut holding: u32 = entry.map_or(0, |entry| self.said[entry.idx()]);
        if let Some(second) = instance.second {
            let (one, other) = (trace.arguments_of(instance.first), trace.arguments_of(second));
            for (bit, condition) in block.conditions.iter().enumerate() {
                if let Condition::SameArguments(i, j) = condition
                    && one[*i] == other[*j]
                {
                    holding |= 1 << bit;
                }
            }
        }
        let threw = last.threw();
        let left_return = match &last.given {
            Given::Value(value) => Some(*value),
            Given::Nothing | Given::Exception(_) => None,
        };
        let mut judged: u128 = 0;
        let mut held: u128 = 0;
        let mut differences: [(usize, Seen); 16] = [(0, Seen::None); 16];
        let mut n_differences = 0;
        for (bit, slot) in block.slots.iter().enumerate() {
            let right = if threw { Right::Nothing } else { self.right(instance, slot) };
            let value = match right {
                Right::Unknown => continue,
                Right::Nothing => None,
                Right::Value(value) => Some(value),
            };
            judged |= 1 << bit;
            if threw {
                if slot.is_numeric && n_differences < differences.len() {
                    differences[n_differences] = (bit, Seen::None);
                    n_differences += 1;
                }
                continue;
            }
            let left = match slot.aspect {
                Aspect::State => last.exit,
                Aspect::Return => left_return,
            };
            if slot.is_numeric || slot.plus.is_some() {
                let difference = left.zip(value).and_then(|(left, right)| {
                    minus(self.numbers[left.idx()]?, self.numbers[right.idx()]?)
                });
                if let Some((call, idx)) = slot.plus {
                    let argument = self.argument(instance, call, idx);
                    if argument.is_some_and(|argument| {
                        difference.is_some() && self.numbers[argument.idx()] == difference
                    }) {
                        held |= 1 << bit;
                    }
                    continue;
                }
                if n_differences < differences.len() {
                    differences[n_differences] = (bit, difference.map_or(Seen::None, Seen::Number));
                    n_differences += 1;
                }
            }
            let is_equal = left.is_some() && left == value;
            let differs = block.slots[bit].template == DIFFERS;
            if is_equal != differs {
                held |= 1 << bit;
            }
        }
        add_alike(block, judged, held, holding, instance);
        let left_state = match (threw, last.exit) {
            (true, _) => Seen::Exception,
            (false, Some(exit)) => Seen::Value(exit),
            (false, None) => Seen::None,
        };
        let left_return = match (threw, left_return) {
            (true, _) => Seen::Exception,
            (false, Some(value)) => Seen::Value(value),
            (false, None) => Seen::None,
        };
        let mut condition = 0;
        let mut rest = u64::from(holding) << 1 | 1;
        while rest != 0 {
            if rest & 1 != 0 {
                add_bar(block, (condition, Measure::Left(Aspect::State), left_state), instance);
                add_bar(block, (condition, Measure::Left(Aspect::Return), left_return), instance);
                for &(bit, seen) in &differences[..n_differences] {
                    add_bar(block, (condition, Measure::Difference(bit), seen), instance);
                }
            }
            rest >>= 1;
            condition += 1;
        }
    }

    #[inline]
    fn argument(&self, instance: Instance, call: Call, idx: usize) -> Option<ValueId> {
        let of = match call {
            Call::First => instance.first,
            Call::Second => instance.second?,
        };
        self.trace.arguments_of(of).get(idx).copied()
    }

    /// The argument list: the method of one call with the arguments of one call.
    #[inline]
    fn list(&self, instance: Instance, method: Call, arguments: Call) -> Option<ListIdx> {
        let of = |call| match call {
            Call::First => Some(instance.first),
            Call::Second => instance.second,
        };
        let list = self.trace.execution(of(arguments)?).list;
        if method == arguments {
            return Some(list);
        }
        self.same_arguments[list.idx()][self.trace.method_of(of(method)?).idx()]
    }

    /// What the right-hand side is for these calls.
    fn right(&self, instance: Instance, slot: &Slot) -> Right {
        let trace = self.trace;
        let entry = trace.execution(instance.first).entry;
        let found = match slot.right {
            Term::Entry => return entry.map_or(Right::Unknown, Right::Value),
            Term::Constant(value) => return Right::Value(value),
            Term::Exception => return Right::Nothing,
            Term::Argument(call, idx) => {
                return self.argument(instance, call, idx).map_or(Right::Unknown, Right::Value);
            }
            Term::Apply(Call::First, Call::First) => Some(instance.first),
            Term::Apply(method, arguments) => {
                let list = self.list(instance, method, arguments);
                list.and_then(|list| trace.find(entry, list))
            }
            Term::Compose(outer, inner) => {
                let list = self.list(instance, inner[0], inner[1]);
                let Some(inner) = list.and_then(|list| trace.find(entry, list)) else {
                    return Right::Unknown;
                };
                let inner = trace.execution(inner);
                // A call that threw is never the first of a pair, so there is no right-hand side.
                if inner.threw() {
                    return Right::Nothing;
                }
                let list = self.list(instance, outer[0], outer[1]);
                inner.exit.zip(list).and_then(|(exit, list)| trace.find(Some(exit), list))
            }
        };
        let Some(found) = found else { return Right::Unknown };
        let found = trace.execution(found);
        match slot.aspect {
            Aspect::State => match (found.exit, found.threw()) {
                (Some(exit), _) => Right::Value(exit),
                (None, true) => Right::Nothing,
                (None, false) => Right::Unknown,
            },
            Aspect::Return => match found.given {
                Given::Value(value) => Right::Value(value),
                Given::Nothing | Given::Exception(_) => Right::Nothing,
            },
        }
    }
}

/// Position of s0' in the table.
const DIFFERS: usize = 1;

enum Right {
    /// It would need a call that nobody made.
    Unknown,
    /// There is none: a call on the way throws.
    Nothing,
    Value(ValueId),
}

fn add_alike(block: &mut Block, judged: u128, held: u128, conditions: u32, instance: Instance) {
    let next = block.alike.len();
    let at = *block.alike_index.entry((judged, held, conditions)).or_insert(next);
    if at == next {
        let tally = Tally { count: 0, first: instance };
        block.alike.push(Alike { judged, held, conditions, tally });
    }
    block.alike[at].tally.count += 1;
}

fn add_bar(block: &mut Block, key: (usize, Measure, Seen), instance: Instance) {
    let next = block.bars.len();
    let at = *block.bar_index.entry(key).or_insert(next);
    if at == next {
        let (condition, measure, seen) = key;
        let tally = Tally { count: 0, first: instance };
        block.bars.push(Bar { condition, measure, seen, tally });
    }
    block.bars[at].tally.count += 1;
}

fn number(value: &Value) -> Option<Number> {
    let Value::Constant(constant) = value else { return None };
    Some(match constant {
        Constant::Byte(value) => Number::Whole(i128::from(*value)),
        Constant::Char(value) => Number::Whole(i128::from(*value)),
        Constant::Short(value) => Number::Whole(i128::from(*value)),
        Constant::Int(value) => Number::Whole(i128::from(*value)),
        Constant::Long(value) => Number::Whole(i128::from(*value)),
        Constant::Float(bits) => Number::Real(f64::from(f32::from_bits(*bits)).to_bits()),
        Constant::Double(bits) => Number::Real(*bits),
        _ => return None,
    })
}

fn minus(left: Number, right: Number) -> Option<Number> {
    match (left, right) {
        (Number::Whole(left), Number::Whole(right)) => Some(Number::Whole(left - right)),
        (Number::Real(left), Number::Real(right)) => {
            let difference = f64::from_bits(left) - f64::from_bits(right);
            difference.is_finite().then(|| Number::Real(difference.to_bits()))
        }
        _ => None,
    }
}
