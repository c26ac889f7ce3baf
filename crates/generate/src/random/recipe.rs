//! How a sequence was put together: other sequences one behind the other, then some statements of its own.
//!
//! Kept instead of the statements, so that a hundred thousand sequences fit into memory; the
//! statements come back by writing the recipe out.

use std::sync::Arc;

use suite::sequence::{Arg, Sequence, Var};

use super::catalogue::{Action, Catalogue, LiteralId, OpId};
use super::pool::{ComponentId, Pool};
use super::rng::mix;

/// An argument of a new statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Source {
    /// Written down in place.
    Literal(LiteralId),
    /// A kept value of a part: which part, and which of its kept values.
    Part(u16, u16),
    /// The result of an earlier new statement.
    Step(u16),
}

/// A new statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Step<'a> {
    pub(super) op: OpId,
    pub(super) args: &'a [Source],
}

/// New statements, their arguments one behind the other: many sequences are drawn and kept.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Steps {
    /// Calls, and where the arguments of each end.
    ops: Vec<(OpId, u32)>,
    args: Vec<Source>,
}

impl Steps {
    #[expect(clippy::cast_possible_truncation, reason = "sequences are short")]
    pub(super) fn push(&mut self, op: OpId, args: &[Source]) {
        self.args.extend_from_slice(args);
        self.ops.push((op, self.args.len() as u32));
    }

    pub(super) fn len(&self) -> usize {
        self.ops.len()
    }

    pub(super) fn get(&self, idx: usize) -> Step<'_> {
        let start = idx.checked_sub(1).map_or(0, |before| self.ops[before].1 as usize);
        let (op, end) = self.ops[idx];
        Step { op, args: &self.args[start..end as usize] }
    }

    pub(super) fn iter(&self) -> impl ExactSizeIterator<Item = Step<'_>> {
        (0..self.len()).map(|idx| self.get(idx))
    }

    pub(super) fn last(&self) -> Option<Step<'_>> {
        self.len().checked_sub(1).map(|idx| self.get(idx))
    }

    /// Drops all but the first ones.
    pub(super) fn truncate(&mut self, len: usize) {
        self.ops.truncate(len);
        self.args.truncate(self.ops.last().map_or(0, |last| last.1 as usize));
    }

    /// Memory in bytes.
    pub(super) fn n_bytes(&self) -> usize {
        size_of_val(&self.ops[..]) + size_of_val(&self.args[..])
    }

    /// Gives back room that is not needed.
    fn trim(&mut self) {
        self.ops.shrink_to_fit();
        self.args.shrink_to_fit();
    }
}

/// A sequence by its parts.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Recipe {
    pub(super) parts: Vec<ComponentId>,
    pub(super) steps: Steps,
}

/// A statement written out: arguments are literals or positions of earlier statements.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Flat {
    pub(super) op: OpId,
    pub(super) args: Vec<FlatArg>,
}

/// An argument written out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FlatArg {
    Literal(LiteralId),
    Statement(u32),
}

impl Recipe {
    /// The statements.
    pub(super) fn flatten(&self, pool: &Pool) -> Vec<Flat> {
        let mut statements = Vec::new();
        self.flatten_into(pool, &mut statements);
        statements
    }

    #[expect(clippy::cast_possible_truncation, reason = "sequences are short")]
    fn flatten_into(&self, pool: &Pool, statements: &mut Vec<Flat>) {
        let mut starts = Vec::with_capacity(self.parts.len());
        for &part in &self.parts {
            starts.push(statements.len() as u32);
            pool.component(part).recipe().flatten_into(pool, statements);
        }
        let first = statements.len() as u32;
        for step in self.steps.iter() {
            let args = step.args.iter().map(|source| match *source {
                Source::Literal(literal) => FlatArg::Literal(literal),
                Source::Part(part, value) => {
                    let component = pool.component(self.parts[usize::from(part)]);
                    let at = component.values[usize::from(value)].statement;
                    FlatArg::Statement(starts[usize::from(part)] + at)
                }
                Source::Step(step) => FlatArg::Statement(first + u32::from(step)),
            });
            statements.push(Flat { op: step.op, args: args.collect() });
        }
    }

    /// What a statement of the sequence gave, if it is one of the kept values of the parts or one of the new
    /// statements, whose results these are.
    pub(super) fn result(
        &self,
        pool: &Pool,
        statement: u32,
        parts: &[Vec<u64>],
        results: &[u64],
    ) -> Option<u64> {
        let mut start = 0;
        for (&part, words) in self.parts.iter().zip(parts) {
            let component = pool.component(part);
            if statement < start + component.print.len() {
                let kept = component.values.iter();
                let mut kept = kept.map(|kept| start + kept.statement).zip(words);
                return kept.find(|(at, _)| *at == statement).map(|(_, word)| *word);
            }
            start += component.print.len();
        }
        results.get((statement - start) as usize).copied()
    }

    /// Without the parts of which no statement uses anything.
    pub(super) fn without_idle_parts(&self) -> Recipe {
        let is_used = |idx: usize| {
            let mut sources = self.steps.args.iter();
            sources
                .any(|source| matches!(source, Source::Part(part, _) if usize::from(*part) == idx))
        };
        let mut moved: Vec<u16> = Vec::with_capacity(self.parts.len());
        let mut recipe = Recipe::default();
        for (idx, &part) in self.parts.iter().enumerate() {
            moved.push(u16::try_from(recipe.parts.len()).unwrap_or(u16::MAX));
            if is_used(idx) {
                recipe.parts.push(part);
            }
        }
        recipe.steps.clone_from(&self.steps);
        for source in &mut recipe.steps.args {
            if let Source::Part(part, _) = source {
                *part = moved[usize::from(*part)];
            }
        }
        recipe
    }

    /// Gives back room that is not needed.
    pub(super) fn trim(&mut self) {
        self.parts.shrink_to_fit();
        self.steps.trim();
    }

    /// The sequence as a test has it.
    pub(super) fn sequence(&self, pool: &Pool, catalogue: &Catalogue) -> Option<Sequence> {
        let mut sequence = Sequence::empty();
        for statement in self.flatten(pool) {
            let args = statement.args.iter().map(|arg| match *arg {
                FlatArg::Literal(literal) => Arg::Constant(catalogue.literal(literal).clone()),
                FlatArg::Statement(at) => Arg::Var(Var(at)),
            });
            let operation = match &catalogue.op(statement.op).action {
                Action::Call(method) => suite::sequence::Operation::Call(Arc::clone(method)),
                Action::Array(element) => suite::sequence::Operation::Array(element.clone()),
                Action::StandIn(of) => suite::sequence::Operation::StandIn(Arc::clone(of)),
            };
            sequence.push(operation, args.collect()).ok()?;
        }
        Some(sequence)
    }
}

/// What tells sequences apart whatever their variables are called: a hash to which a sequence behind
/// another can be added.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(super) struct Print {
    hash: u128,
    len: u32,
}

/// Odd, so that multiplying loses nothing.
const FACTOR: u128 = 0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835;

impl Print {
    /// Of this sequence and another behind it.
    pub(super) fn then(self, other: Print) -> Print {
        let mut power: u128 = 1;
        let mut base = FACTOR;
        let mut exponent = other.len;
        while exponent > 0 {
            if exponent & 1 == 1 {
                power = power.wrapping_mul(base);
            }
            base = base.wrapping_mul(base);
            exponent >>= 1;
        }
        let hash = self.hash.wrapping_mul(power).wrapping_add(other.hash);
        Print { hash, len: self.len + other.len }
    }

    /// Of this sequence and one statement more.
    pub(super) fn then_statement(self, statement: u64) -> Print {
        let high = u128::from(mix(statement ^ 0x5851_f42d_4c95_7f2d));
        let word = high << 64 | u128::from(statement);
        let hash = self.hash.wrapping_mul(FACTOR).wrapping_add(word | 1);
        Print { hash, len: self.len + 1 }
    }

    /// Number of statements.
    pub(super) fn len(self) -> u32 {
        self.len
    }

    /// As a number.
    pub(super) fn hash(self) -> u128 {
        self.hash ^ u128::from(self.len)
    }
}

/// What a recipe adds up to.
#[expect(clippy::cast_possible_truncation, reason = "sequences are short")]
pub(super) fn print(recipe: &Recipe, pool: &Pool) -> Print {
    let mut print = Print::default();
    let mut starts = Vec::with_capacity(recipe.parts.len());
    for &part in &recipe.parts {
        starts.push(print.len);
        print = print.then(pool.component(part).print);
    }
    let first = print.len;
    for (idx, step) in recipe.steps.iter().enumerate() {
        let own = first + idx as u32;
        let mut word = mix(u64::from(step.op.0) + 1);
        for source in step.args {
            // Earlier statements by their distance, which stays the same behind other sequences.
            let arg = match *source {
                Source::Literal(literal) => u64::from(literal.0) << 2 | 1,
                Source::Part(part, value) => {
                    let component = pool.component(recipe.parts[usize::from(part)]);
                    let at =
                        starts[usize::from(part)] + component.values[usize::from(value)].statement;
                    u64::from(own - at) << 2 | 2
                }
                Source::Step(step) => u64::from(own - first - u32::from(step)) << 2 | 2,
            };
            word = mix(word ^ arg).wrapping_mul(0x2545_f491_4f6c_dd1d);
        }
        print = print.then_statement(mix(word));
    }
    print
}

#[cfg(test)]
mod tests {
    use super::Print;

    fn of(statements: &[u64]) -> Print {
        statements.iter().fold(Print::default(), |print, &one| print.then_statement(one))
    }

    #[test]
    fn adding_a_sequence_is_adding_its_statements() {
        for split in 0..5 {
            let all = [5, 3, 9, 9, 1];
            assert_eq!(of(&all[..split]).then(of(&all[split..])), of(&all));
        }
    }

    #[test]
    fn order_and_number_of_statements_matter() {
        assert_ne!(of(&[1, 2]), of(&[2, 1]));
        assert_ne!(of(&[1]), of(&[1, 1]));
        assert_ne!(of(&[]).hash(), of(&[0]).hash());
    }
}
