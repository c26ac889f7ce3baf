//! Judges what a sequence led to: the objects that it ends with, its last call, and how it ended.

use observe::contract::exceptions::{Ending, Input};
use observe::contract::null_given::NullGiven;
use suite::sequence::{Arg, Var};
use suite::types::Type;
use vm::interp::Outcome;
use vm::value::{ClassId, Kind, Ref};

use super::super::catalogue::OpId;
use super::super::court::{Accused, Broken};
use super::super::pool::Pool;
use super::super::ready::Ready;
use super::super::recipe::{Print, Recipe, Source};
use super::{End, Made, Worker};

/// One sequence out of so many is also judged by contracts that take long; the fewer the more components there
/// are.
const SLOW: usize = 64;

impl Worker {
    /// Judges the objects that a sequence ends with, and its last call.
    pub(super) fn judge(
        &mut self,
        pool: &Pool,
        recipe: &Recipe,
        (parts, results): (&[Vec<u64>], &[u64]),
        accused: &[Accused],
        print: Print,
        input: Input,
    ) -> Vec<Broken> {
        let Some(last) = recipe.steps.last() else { return Vec::new() };
        let related = self.relations[last.op.idx()];
        let next = Var(print.len());
        let Worker { court, session, .. } = self;
        // By the sequence and not by turns, so that it does not matter who judges.
        let one_in = SLOW + pool.len() / SLOW;
        court.with_slow(print.hash().is_multiple_of(one_in as u128));
        let mut broken = court.of_objects(session, accused, related, input.had_null, next);
        if let (true, Some(Ready::Call { resolved, .. })) =
            (court.has_conditions(), &self.ready[last.op.idx()])
        {
            // The variables do not matter here: what is found is judged again from the beginning.
            let method = resolved.method.clone();
            let mut args: Vec<(Arg, u64)> = Vec::new();
            for source in last.args {
                let word = match *source {
                    Source::Literal(literal) => self.literals[literal.0 as usize],
                    Source::Part(part, value) => parts[usize::from(part)][usize::from(value)],
                    Source::Step(step) => results[usize::from(step)],
                };
                args.push((Arg::Var(Var(0)), word));
            }
            if method.result() != Type::Void {
                args.extend(results.last().map(|&word| (Arg::Var(Var(0)), word)));
            }
            broken.extend(self.court.after(&mut self.session, &method, &args, next));
        }
        broken
    }

    /// Internal names of the classes whose objects are judged.
    pub(in crate::random) fn judged_names(&self) -> Vec<String> {
        let classes = self.session.vm.classes.iter().zip(&self.judged);
        let judged = classes.filter(|(_, is_judged)| **is_judged);
        judged.map(|(entry, _)| entry.class.name.to_string()).collect()
    }

    pub(super) fn is_judged(&self, class: ClassId) -> bool {
        self.judged.get(class.idx()).copied().unwrap_or(false)
    }

    pub(super) fn ended(
        &mut self,
        step: usize,
        op: OpId,
        outcome: &Outcome,
        input: Input,
        args: &[u64],
    ) -> End {
        let (broken, is_useless) = match &self.ready[op.idx()] {
            Some(Ready::Call { resolved, .. }) if self.is_target[op.idx()] => {
                self.court.of_end(&mut self.session, &resolved.method, outcome, input, args)
            }
            _ => (None, true),
        };
        let broken = broken.map(Box::new);
        match outcome {
            Outcome::Threw(exception) if !exception.is_null() => {
                let vm = &self.session.vm;
                let class = vm.class(vm.class_of(*exception)).name.to_string().into();
                End::Threw { step, class, broken, is_useless }
            }
            Outcome::Threw(_) | Outcome::Returned(_) => End::Illegal,
            Outcome::Stopped(_) => End::Stopped { step, broken },
        }
    }

    /// Looks once more at a sequence whose last call is blamed for a `NullPointerException`, on a machine that is
    /// rolled back: a function of the sequence may have been given the `null`. That counts as `null` passed in.
    pub(super) fn appeal(&mut self, pool: &Pool, recipe: &Recipe, print: Print, end: End) -> End {
        let is_blamed = matches!(&end, End::Threw { broken: Some(broken), .. }
            if *broken.contract == *Ending::NpeOnNonNullInput.option());
        if !is_blamed {
            return end;
        }
        let mark = self.session.vm.mark();
        let mut watch = NullGiven::new(&self.session);
        let made = self.make(&mut watch, pool, recipe, print);
        let judged = match made {
            Made::Ended { step, op, outcome, mut input, args, parts, results } => {
                let results = recipe.steps.iter().zip(&results);
                let made = results.filter(|(step, _)| self.gives_object(step.op));
                let made = made.map(|(_, word)| word);
                let passed = parts.iter().flatten().chain(made).chain(self.objects(op, &args));
                let passed: Vec<Ref> = passed.map(|&word| Ref::from_slot(word)).collect();
                let is_explained = matches!(&outcome, Outcome::Threw(exception)
                    if watch.explains(&self.session, *exception, &passed));
                input.had_null = true;
                is_explained.then(|| self.ended(step, op, &outcome, input, &args))
            }
            Made::All { .. } | Made::Illegal => None,
        };
        self.roll_back(mark);
        judged.unwrap_or(end)
    }

    /// Whether `null` is passed, or something is made that may give it.
    pub(super) fn has_null(&self, op: OpId, args: &[u64]) -> bool {
        self.gives_null[op.idx()] || self.objects(op, args).any(|&word| word == 0)
    }

    /// The objects among some arguments, `null` included, without a receiver.
    fn objects<'a>(&'a self, op: OpId, args: &'a [u64]) -> impl Iterator<Item = &'a u64> {
        let (receiver, kinds): (usize, &[Kind]) = match &self.ready[op.idx()] {
            Some(Ready::Call { resolved, .. }) => {
                (usize::from(resolved.method.has_receiver()), &resolved.parameters)
            }
            Some(Ready::Array { kind, .. }) => (0, std::slice::from_ref(kind)),
            None => (0, &[]),
        };
        let kind_of = move |idx: usize| kinds.get(idx).or(kinds.last());
        let args = args.iter().skip(receiver).enumerate();
        args.filter(move |(idx, _)| kind_of(*idx) == Some(&Kind::Ref)).map(|(_, word)| word)
    }
}
