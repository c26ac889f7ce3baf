//! What is broken, as a person wants to see it: one shortest sequence per cause, seen again from scratch.

use std::sync::Arc;

use observe::contract::Severity;
use observe::contract::exceptions::{Ending, Input};
use observe::contract::null_given::NullGiven;
use observe::outside::{self, Reach, Start};
use observe::session::{NotFound, Session};
use suite::constant::Constant;
use suite::sequence::{Arg, Operation, Sequence, Var};
use suite::test::{Test, Title};
use vm::interp::Outcome;
use vm::value::Ref;

use crate::stand_ins;
use crate::words::capitalized;

use super::MOST_MEMORY;
use super::court::{Accused, Broken, Court, Rules};

/// Something broken, and a sequence that shows it.
#[derive(Debug, Clone)]
pub struct Finding {
    /// What.
    pub broken: Broken,
    /// Calls after which it shows.
    pub sequence: Sequence,
    /// How many sequences showed it.
    pub count: u64,
}

/// Runs single sequences from the beginning and judges everything about them. Belongs to one machine.
pub struct Judge {
    session: Session,
    court: Court,
    /// Bytecodes that one call may take.
    pub fuel: u64,
    /// Bytes that a sequence may take, as far as the machine has them.
    pub memory: usize,
    is_judged: Box<dyn Fn(&str) -> bool + Send>,
    /// How far what was judged last reached.
    reach: Reach,
}

/// Numbers beyond this make an input large.
pub(super) const LARGE: i64 = 2000;
/// Calls beyond this make an input large.
pub(super) const LONG: usize = 60;

impl Judge {
    /// A judge of objects of the classes that `is_judged` accepts by internal name.
    pub fn new(
        mut session: Session,
        rules: &Rules,
        fuel: u64,
        is_judged: Box<dyn Fn(&str) -> bool + Send>,
    ) -> Result<Judge, String> {
        let mut court = Court::new(&mut session, rules, fuel)?;
        court.is_thorough();
        Ok(Judge { session, court, fuel, memory: MOST_MEMORY, is_judged, reach: Reach::Inside })
    }

    /// Whether the sequence that was judged last, and what was asked about it to see this broken, asks for files,
    /// programs or the network.
    pub fn is_outside(&mut self, sequence: &Sequence, of: &Broken) -> Result<bool, NotFound> {
        if self.reach != Reach::Inside {
            // The first time classes are initialised, which may look around.
            self.judge_again(sequence, of)?;
        }
        Ok(self.reach != Reach::Inside)
    }

    /// Whether this is broken after a sequence, as it was after another; how. Leaves the machine as it was.
    pub fn judge_again(
        &mut self,
        sequence: &Sequence,
        wanted: &Broken,
    ) -> Result<Option<Broken>, NotFound> {
        self.court.judge_only(Some(&wanted.contract));
        let found = self.judge(sequence);
        self.court.judge_only(None);
        Ok(found?.into_iter().find(|one| one.is_like(wanted)))
    }

    /// Everything that is broken after a sequence. Leaves the machine as it was.
    pub fn judge(&mut self, sequence: &Sequence) -> Result<Vec<Broken>, NotFound> {
        self.session.vm.heap.limit_growth(self.memory);
        self.session.prepare(sequence)?;
        let mut found = self.look_and_forget(sequence, false)?;
        let blames = |broken: &Broken| *broken.contract == *Ending::NpeOnNonNullInput.option();
        if found.iter().any(blames) {
            found = self.look_and_forget(sequence, true)?;
        }
        Ok(found)
    }

    fn look_and_forget(
        &mut self,
        sequence: &Sequence,
        appeals: bool,
    ) -> Result<Vec<Broken>, NotFound> {
        let n_classes = self.session.vm.classes.len();
        let mark = self.session.vm.mark();
        let start = Start::now(&self.session.vm);
        let found = self.look(sequence, appeals);
        self.reach = start.whole_reach(&mut self.session.vm, self.fuel);
        let met = outside::loaded(&self.session.vm, n_classes);
        self.session.vm.rollback(mark);
        self.session.vm.host.forget_files();
        for name in met {
            // So that it is not done again for the next sequence, which is much like this one.
            let _ = self.session.learn(&name);
        }
        self.court.settle(&mut self.session);
        found
    }

    /// Runs and judges. What `appeals` looks for `null` that a function of the sequence was given, which takes longer.
    fn look(&mut self, sequence: &Sequence, appeals: bool) -> Result<Vec<Broken>, NotFound> {
        let mut watch = NullGiven::new(&self.session);
        let (values, stopped) = match appeals {
            true => self.session.run_in(&mut watch, sequence, self.fuel)?,
            false => self.session.run(sequence, self.fuel)?,
        };
        if let Some(outcome) = stopped {
            let at = values.len();
            let is_last = at + 1 == sequence.len();
            let Some(method) = sequence.statements()[at].method().filter(|_| is_last).cloned()
            else {
                return Ok(Vec::new());
            };
            if matches!(outcome, Outcome::Threw(exception) if exception.is_null()) {
                return Ok(Vec::new());
            }
            let args = words(&mut self.session, sequence, at, &values)?;
            if !self.court.lets(&mut self.session, &method, &args) {
                return Ok(Vec::new());
            }
            let mut had_null = passes_null(&mut self.session, sequence, &values);
            if let (true, Outcome::Threw(exception)) = (appeals, &outcome) {
                let statements = sequence.statements().iter().zip(&values);
                let objects = statements.filter(|(made, _)| made.result().is_reference());
                let passed: Vec<Ref> = objects.map(|(_, &word)| Ref::from_slot(word)).collect();
                had_null |= watch.explains(&self.session, *exception, &passed);
            }
            let stands_in = sequence
                .statements()
                .iter()
                .any(|statement| matches!(statement.operation, Operation::StandIn(_)));
            let input = Input { had_null, is_small: is_small(sequence), stands_in };
            let (broken, _) = self.court.of_end(&mut self.session, &method, &outcome, input, &args);
            return Ok(broken.into_iter().collect());
        }
        let mut objects: Vec<Accused> = Vec::new();
        for (idx, (statement, &word)) in sequence.statements().iter().zip(&values).enumerate() {
            let object = Ref::from_slot(word);
            if !statement.result().is_reference() || object.is_null() {
                continue;
            }
            let vm = &self.session.vm;
            let name = vm.class(vm.class_of(object)).name.to_string();
            if (self.is_judged)(&name) && objects.iter().all(|other| other.object != object) {
                let var = Var(u32::try_from(idx).unwrap_or(u32::MAX));
                objects.push(Accused { var, object, is_new: true });
            }
        }
        let next = sequence.next_var();
        let had_null = passes_null(&mut self.session, sequence, &values);
        let mut found = self.court.of_objects(&mut self.session, &objects, true, had_null, next);
        let last = sequence.len().checked_sub(1);
        if let Some((at, method)) =
            last.and_then(|at| Some((at, sequence.statements()[at].method()?.clone())))
        {
            let args = words(&mut self.session, sequence, at, &values)?;
            let statement = &sequence.statements()[at];
            let mut args: Vec<(Arg, u64)> = statement.args.iter().cloned().zip(args).collect();
            if statement.result() != suite::types::Type::Void {
                let var = Var(u32::try_from(at).unwrap_or(u32::MAX));
                args.push((Arg::Var(var), values[at]));
            }
            found.extend(self.court.after(&mut self.session, &method, &args, next));
        }
        Ok(found)
    }
}

fn words(
    session: &mut Session,
    sequence: &Sequence,
    at: usize,
    values: &[u64],
) -> Result<Vec<u64>, NotFound> {
    let args = &sequence.statements()[at].args;
    args.iter()
        .map(|arg| match arg {
            Arg::Constant(constant) => session.constant(constant),
            Arg::Var(var) => Ok(values[var.idx()]),
        })
        .collect()
}

/// Whether `null` is passed anywhere, written down or as a result, or something stands in that may give it.
fn passes_null(session: &mut Session, sequence: &Sequence, values: &[u64]) -> bool {
    sequence.statements().iter().any(|statement| {
        if let Operation::StandIn(stand_in) = &statement.operation {
            return stand_ins::gives_null(session, stand_in);
        }
        statement.args.iter().any(|arg| match arg {
            Arg::Constant(constant) => *constant == Constant::Null,
            Arg::Var(var) => {
                let is_reference = sequence.statements()[var.idx()].result().is_reference();
                is_reference && values.get(var.idx()) == Some(&0)
            }
        })
    })
}

fn is_small(sequence: &Sequence) -> bool {
    sequence.len() <= LONG
        && sequence.statements().iter().flat_map(|statement| &statement.args).all(|arg| match arg {
            Arg::Constant(constant) => !is_large(constant),
            Arg::Var(_) => true,
        })
}

/// Whether a literal alone explains that much is made.
pub(super) fn is_large(constant: &Constant) -> bool {
    match constant {
        Constant::Int(number) => i64::from(*number).abs() > LARGE,
        Constant::Long(number) => number.saturating_abs() > LARGE,
        Constant::Short(number) => i64::from(*number).abs() > LARGE,
        Constant::Float(bits) => f32::from_bits(*bits).abs() > 2000.0,
        Constant::Double(bits) => f64::from_bits(*bits).abs() > 2000.0,
        Constant::Boxed(inner) => is_large(inner),
        // A format such as `%900000d` asks for much.
        Constant::Text(text) => {
            String::from_utf16_lossy(text).split(|letter: char| !letter.is_ascii_digit()).any(
                |digits| digits.len() > 4 || digits.parse().is_ok_and(|number: i64| number > LARGE),
            )
        }
        _ => false,
    }
}

/// Contracts about how the parts of an object fit together, judged by asking it alone. None of the methods that were
/// asked need be wrong.
const OF_STATES: &[&str] = &["collection-size", "collection-empty", "map-keys", "invariant"];

impl Finding {
    /// A finding whose sequence is as short as it can be. Where an object's state is broken, the last call left it so,
    /// and is named instead of what was asked.
    pub fn shrunk(broken: Broken, sequence: Sequence, count: u64) -> Finding {
        let mut finding = Finding { broken, sequence, count };
        let last = finding.sequence.statements().last().and_then(|statement| statement.method());
        if let Some(method) = last.filter(|method| method.has_receiver())
            && OF_STATES.contains(&&*finding.broken.contract)
        {
            finding.broken.method = format!("{}.{}", method.class.replace('/', "."), method.name);
        }
        finding
    }

    /// The test that fails as long as it is broken.
    pub fn test(&self) -> Option<Test> {
        let mut sequence = self.sequence.clone();
        let mut checks = Vec::new();
        let mut throws = None;
        if let Some(violation) = &self.broken.violation {
            for statement in &violation.statements {
                sequence.push(statement.operation.clone(), statement.args.clone()).ok()?;
            }
            checks.clone_from(&violation.checks);
            throws.clone_from(&violation.must_throw);
        }
        let method = self.broken.method.split('(').next().unwrap_or_default();
        let method = method.rsplit('.').next().unwrap_or_default().to_owned();
        let rule: String = self
            .broken
            .contract
            .rsplit('.')
            .next()
            .unwrap_or_default()
            .split('-')
            .map(capitalized)
            .collect();
        let severity = match self.broken.severity {
            Severity::Error => "breaks",
            Severity::Warning => "doubtful",
        };
        Some(Test {
            sequence,
            checks,
            throws,
            must_end: self.broken.is_endless,
            notes: vec![self.broken.message.clone()],
            title: Title { method, state: String::new(), outcome: format!("{severity}{rule}") },
        })
    }

    /// The class that the test belongs to.
    pub fn class(&self) -> &Arc<str> {
        &self.broken.class
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use observe::contract::Severity;
    use suite::method::Method;
    use suite::sequence::{Arg, Operation, Sequence};

    use super::super::court::Broken;
    use super::Finding;

    fn method(name: &str) -> Arc<Method> {
        Arc::new(Method::new("acme/Bag", name, "()V", false).expect("well formed"))
    }

    /// Who is named where a contract is broken after `new Bag()` and perhaps a call on it.
    fn named(contract: &str, called: Option<&str>) -> String {
        let mut sequence = Sequence::empty();
        let made = sequence.push(Operation::Call(method("<init>")), vec![]).expect("fits");
        if let Some(name) = called {
            sequence.push(Operation::Call(method(name)), vec![Arg::Var(made)]).expect("fits");
        }
        let broken = Broken {
            contract: contract.into(),
            severity: Severity::Error,
            class: "acme/Bag".into(),
            method: "acme.Bag.toArray".to_owned(),
            place: None,
            message: String::new(),
            violation: None,
            is_endless: false,
        };
        Finding::shrunk(broken, sequence, 1).broken.method
    }

    #[test]
    fn who_left_an_object_broken_is_named_and_not_who_was_asked_about_it() {
        assert_eq!(named("collection-size", Some("clear")), "acme.Bag.clear");
        assert_eq!(named("collection-size", None), "acme.Bag.toArray");
        assert_eq!(named("equals-symmetric", Some("clear")), "acme.Bag.toArray");
    }
}
