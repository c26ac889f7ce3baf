//! What a contract looks at and acts on while it is judged: a machine in the end state of a sequence.
//!
//! Calls run at once and are taken down, so that a broken contract can be written as a test: the sequence,
//! the calls, and the checks. What is taken down lies in buffers that are used again; statements are only
//! made of it where a contract is broken.

use std::sync::Arc;

use suite::constant::Constant;
use suite::method::Method;
use suite::sequence::{Arg, Operation, Statement, Var};
use suite::test::{Check, Expected, Subject, Throws};
use vm::boot::Unfinished;
use vm::frame::{Res, Stop};
use vm::interp::Outcome;
use vm::mode::Plain;
use vm::value::{Kind, Ref};
use vm::vm::Vm;

use super::known::Known;
use crate::session::{Resolved, Session};

/// Most words that the arguments of a recorded call take.
const MOST_WORDS: usize = 16;

/// A value that a contract can name, with its word on the machine.
#[derive(Debug, Clone, Copy)]
pub struct Value {
    origin: Origin,
    word: u64,
}

#[derive(Debug, Clone, Copy)]
enum Origin {
    /// A variable of the sequence, or the result of a recorded call.
    Var(Var),
    Null,
    Int(i32),
    BoxedInt(i32),
    Text(&'static str),
}

impl Value {
    /// `null`.
    pub const NULL: Value = Value { origin: Origin::Null, word: 0 };

    /// A variable of the sequence that holds an object.
    pub fn object(var: Var, object: Ref) -> Value {
        Value { origin: Origin::Var(var), word: object.to_slot() }
    }

    /// A string constant whose word is known.
    pub(super) fn text(text: &'static str, word: u64) -> Value {
        Value { origin: Origin::Text(text), word }
    }

    /// An object that is only asked, and never written down.
    pub(super) fn unnamed(object: Ref) -> Value {
        Value { origin: Origin::Null, word: object.to_slot() }
    }

    /// An `int` constant.
    pub fn int(value: i32) -> Value {
        Value { origin: Origin::Int(value), word: vm::value::Value::Int(value).to_slot() }
    }

    /// The object, for references.
    pub fn reference(self) -> Ref {
        Ref::from_slot(self.word)
    }

    /// The number, for an `int`.
    #[expect(clippy::cast_possible_truncation, reason = "the low bits of a word are the value")]
    pub fn as_int(self) -> i32 {
        self.word as i32
    }

    /// The truth, for a `boolean`.
    pub fn as_bool(self) -> bool {
        self.word & 1 != 0
    }

    fn arg(self) -> Arg {
        let boxed = |constant| Constant::Boxed(Box::new(constant));
        match self.origin {
            Origin::Var(var) => Arg::Var(var),
            Origin::Null => Arg::Constant(Constant::Null),
            Origin::Int(value) => Arg::Constant(Constant::Int(value)),
            Origin::BoxedInt(value) => Arg::Constant(boxed(Constant::Int(value))),
            Origin::Text(text) => Arg::Constant(Constant::text(text)),
        }
    }
}

/// What a contract wants a value to be.
#[derive(Debug, Clone, Copy)]
pub enum Want {
    /// `true`.
    True,
    /// `false`.
    False,
    /// This `int`.
    Int(i32),
    /// `null`.
    Null,
    /// Not `null`.
    NotNull,
    /// This very object.
    Same(Value),
    /// Not this very object.
    NotSame(Value),
    /// The same number, or a string of the same letters.
    EqualTo(Value),
}

impl Want {
    fn truth(is_true: bool) -> Want {
        if is_true { Want::True } else { Want::False }
    }

    /// As a check says it; `None` where it compares with a constant that a check cannot name.
    fn expected(self) -> Option<Expected> {
        let var = |value: Value| match value.origin {
            Origin::Var(var) => Some(var),
            _ => None,
        };
        Some(match self {
            Want::True => Expected::Equals(Constant::Boolean(true)),
            Want::False => Expected::Equals(Constant::Boolean(false)),
            Want::Int(value) => Expected::Equals(Constant::Int(value)),
            Want::Null => Expected::Equals(Constant::Null),
            Want::NotNull => Expected::NotNull,
            Want::Same(other) => Expected::Same(var(other)?),
            Want::NotSame(other) => Expected::NotSame(var(other)?),
            Want::EqualTo(other) => Expected::EqualTo(var(other)?),
        })
    }
}

/// Why a contract is not judged to its end.
#[derive(Debug)]
pub enum Break {
    /// It says nothing of these objects.
    DoesNotApply,
    /// A call threw this exception, which the contract does not judge.
    Threw(Ref),
    /// A call did not come back.
    Stopped(Stop),
    /// It is broken; the scene knows how.
    Violated,
}

/// How a judgement goes on.
pub type Judged<T = ()> = Result<T, Break>;

/// What broke a contract.
#[derive(Debug)]
pub(super) enum Broken {
    /// The last check does not hold; what the value is instead.
    Check(String),
    /// The last call threw this.
    Threw(Ref),
    /// The last call returned and should have thrown this class.
    Returned(&'static str),
}

#[derive(Debug)]
struct Step {
    method: Arc<Method>,
    args: usize,
}

impl Step {
    fn is_of_sign(&self) -> bool {
        matches!(&*self.method.name, "signum" | "negateExact")
    }

    fn is_of_length(&self) -> bool {
        &*self.method.name == "getLength" && &*self.method.class == "java/lang/reflect/Array"
    }
}

/// What was taken down; empty buffers that keep their room between judgements.
#[derive(Debug, Default)]
pub(super) struct Record {
    first: u32,
    steps: Vec<Step>,
    args: Vec<Value>,
    checks: Vec<(Var, Var, Want)>,
    broken: Option<Broken>,
}

impl Record {
    fn clear(&mut self, first: Var) {
        self.first = first.0;
        self.steps.clear();
        self.args.clear();
        self.checks.clear();
        self.broken = None;
    }

    pub(super) fn broken(&mut self) -> Option<Broken> {
        self.broken.take()
    }

    /// The name of the method called last; what was only done to its result does not count.
    pub(super) fn last_call(&self) -> &str {
        let last = self.steps.iter().rfind(|step| !step.is_of_sign() && !step.is_of_length());
        last.map_or("", |step| &step.method.name)
    }

    /// Whether the last call only looked at the sign of a result.
    pub(super) fn ends_in_sign(&self) -> bool {
        self.steps.last().is_some_and(Step::is_of_sign)
    }

    /// Whether the last call only counted the elements of a result.
    pub(super) fn ends_in_length(&self) -> bool {
        self.steps.last().is_some_and(Step::is_of_length)
    }

    pub(super) fn statements(&self) -> Vec<Statement> {
        let ends = self.steps.iter().skip(1).map(|step| step.args).chain([self.args.len()]);
        let statement = |(step, end): (&Step, usize)| Statement {
            operation: Operation::Call(step.method.clone()),
            args: self.args[step.args..end].iter().map(|value| value.arg()).collect(),
        };
        self.steps.iter().zip(ends).map(statement).collect()
    }

    pub(super) fn checks(&self) -> Vec<Check> {
        let check = |&(after, subject, want): &(Var, Var, Want)| {
            let expected = want.expected()?;
            Some(Check { after, subject: Subject::Result(subject), expected })
        };
        self.checks.iter().filter_map(check).collect()
    }
}

/// A machine on which one contract is judged.
pub struct Scene<'a> {
    /// The machine and its names.
    pub session: &'a mut Session,
    /// Methods of the class library that contracts call.
    pub(super) known: &'a Known,
    record: &'a mut Record,
    fuel: u64,
}

impl<'a> Scene<'a> {
    /// A scene with nothing taken down yet; results of calls are numbered from `next`.
    pub(super) fn new(
        session: &'a mut Session,
        known: &'a Known,
        record: &'a mut Record,
        next: Var,
        fuel: u64,
    ) -> Scene<'a> {
        record.clear(next);
        Scene { session, known, record, fuel }
    }

    /// The machine.
    pub fn vm(&self) -> &Vm {
        &self.session.vm
    }

    /// A string constant.
    pub fn text(&mut self, text: &'static str) -> Judged<Value> {
        let word = self.session.constant(&Constant::text(text)).map_err(|_| Break::DoesNotApply)?;
        Ok(Value { origin: Origin::Text(text), word })
    }

    /// An `Integer`.
    pub fn boxed(&mut self, value: i32) -> Judged<Value> {
        let constant = Constant::Boxed(Box::new(Constant::Int(value)));
        let word = self.session.constant(&constant).map_err(|_| Break::DoesNotApply)?;
        Ok(Value { origin: Origin::BoxedInt(value), word })
    }

    /// Makes a call and takes it down. What it throws is not judged.
    pub fn call(&mut self, method: &Resolved, args: &[Value]) -> Judged<Value> {
        match self.attempt(method, args)? {
            Ok(value) => Ok(value),
            Err(exception) => Err(Break::Threw(exception)),
        }
    }

    /// Makes a call that must return: what it throws breaks the contract, unless it excuses itself.
    pub fn demand_return(&mut self, method: &Resolved, args: &[Value]) -> Judged<Value> {
        match self.attempt(method, args)? {
            Ok(value) => Ok(value),
            Err(exception) => {
                // What is closed may refuse everything but to be closed again.
                let is_close = &*method.method.name == "close";
                let receiver = args.first().map(|value| value.reference()).filter(|_| !is_close);
                if self.known.is_excused(&self.session.vm, exception, receiver)
                    || self.is_of_content(exception, args)
                {
                    return Err(Break::Threw(exception));
                }
                self.record.broken = Some(Broken::Threw(exception));
                Err(Break::Violated)
            }
        }
    }

    /// Whether an exception only says that what was put into a collection does not belong there.
    fn is_of_content(&mut self, exception: Ref, args: &[Value]) -> bool {
        if !self.known.may_be_of_content(self.vm(), exception) {
            return false;
        }
        let objects: Vec<Ref> = args
            .iter()
            .filter(|value| self.result_kind(**value) == Kind::Ref)
            .map(|value| value.reference())
            .collect();
        let content = self.content(&objects);
        match self.vm().instance_of(exception, self.known.types.class_cast) {
            true => content.is_mixed,
            false => content.has_itself,
        }
    }

    /// Makes a call that must throw this exception, by internal name; another one is not judged.
    pub fn demand_throw(
        &mut self,
        method: &Resolved,
        args: &[Value],
        class: &'static str,
    ) -> Judged {
        match self.attempt(method, args)? {
            Ok(_) => {
                self.record.broken = Some(Broken::Returned(class));
                Err(Break::Violated)
            }
            Err(_) => Ok(()),
        }
    }

    /// Makes a call and takes it down; gives the result or the exception.
    pub fn attempt(&mut self, method: &Resolved, args: &[Value]) -> Judged<Result<Value, Ref>> {
        let outcome = self.run(method, args)?;
        let start = self.record.args.len();
        self.record.steps.push(Step { method: method.method.clone(), args: start });
        self.record.args.extend_from_slice(args);
        let var = self.last();
        match outcome {
            Outcome::Returned(value) => {
                Ok(Ok(Value { origin: Origin::Var(var), word: value.to_slot() }))
            }
            Outcome::Threw(exception) => Ok(Err(exception)),
            Outcome::Stopped(stop) => Err(Break::Stopped(stop)),
        }
    }

    /// As `demand_return`, but takes down another call than the one it makes: the one that gives the same
    /// if code of the user makes it.
    pub(super) fn demand_return_through(
        &mut self,
        written: &Arc<Method>,
        made: &Resolved,
        args: &[Value],
    ) -> Judged<Value> {
        let value = self.demand_return(made, args);
        if let Some(step) = self.record.steps.last_mut() {
            step.method = written.clone();
        }
        value
    }

    /// The law: what must be so.
    pub fn demand(&mut self, value: Value, want: Want) -> Judged {
        if self.holds(value, want) {
            return Ok(());
        }
        self.check(value, want);
        let actual = self.describe(value, want);
        self.record.broken = Some(Broken::Check(actual));
        Err(Break::Violated)
    }

    /// What must be so for the law to say anything.
    pub fn premise(&mut self, value: Value, want: Want) -> Judged {
        if !self.holds(value, want) {
            return Err(Break::DoesNotApply);
        }
        self.check(value, want);
        Ok(())
    }

    /// Takes down that a truth is what it is, as a premise.
    pub fn note(&mut self, value: Value) {
        self.check(value, Want::truth(value.as_bool()));
    }

    /// Forgets what was taken down so far: it was only looked at to see whether the law says anything.
    /// Results of the calls forgotten must not be used any more.
    pub fn forget(&mut self) {
        let first = Var(self.record.first);
        self.record.clear(first);
    }

    /// Judges by a law that is often lawful to break: only where it is broken, the premise is looked at,
    /// which costs more than the law, and the law is judged again.
    pub(super) fn unless_excused(
        &mut self,
        premise: impl Fn(&mut Scene<'a>) -> Judged,
        law: impl Fn(&mut Scene<'a>) -> Judged,
    ) -> Judged {
        match law(self) {
            Err(Break::Violated) => {
                self.forget();
                premise(self)?;
                self.forget();
                law(self)
            }
            judged => judged,
        }
    }

    /// The sign of a number, as a call that a test can check.
    pub fn sign(&mut self, number: Value) -> Judged<Value> {
        let signum = self.known.signum.clone();
        self.call(&signum, &[number])
    }

    fn check(&mut self, value: Value, want: Want) {
        if let Origin::Var(subject) = value.origin {
            self.record.checks.push((self.last(), subject, want));
        }
    }

    fn holds(&self, value: Value, want: Want) -> bool {
        match want {
            Want::True => value.as_bool(),
            Want::False => !value.as_bool(),
            Want::Int(number) => value.as_int() == number,
            Want::Null => value.reference().is_null(),
            Want::NotNull => !value.reference().is_null(),
            Want::Same(other) => value.reference() == other.reference(),
            Want::NotSame(other) => value.reference() != other.reference(),
            Want::EqualTo(other) => self.is_equal(value, other),
        }
    }

    fn is_equal(&self, one: Value, other: Value) -> bool {
        match (self.result_kind(one), self.result_kind(other)) {
            (Kind::Ref, Kind::Ref) => {
                let (one, other) = (one.reference(), other.reference());
                let vm = self.vm();
                let is_text =
                    |object: Ref| !object.is_null() && vm.class_of(object) == vm.known.string;
                one == other
                    || is_text(one)
                        && is_text(other)
                        && vm.string_bytes(one) == vm.string_bytes(other)
            }
            (Kind::Long | Kind::Double, _) => one.word == other.word,
            _ => one.as_int() == other.as_int(),
        }
    }

    fn result_kind(&self, value: Value) -> Kind {
        match value.origin {
            Origin::Var(var) => match var.0.checked_sub(self.record.first) {
                Some(idx) => {
                    let method = &self.record.steps[idx as usize].method;
                    crate::session::kind_of(&method.result())
                }
                None => Kind::Ref,
            },
            Origin::Int(_) => Kind::Int,
            Origin::Null | Origin::BoxedInt(_) | Origin::Text(_) => Kind::Ref,
        }
    }

    fn describe(&self, value: Value, want: Want) -> String {
        match want {
            Want::True | Want::False => value.as_bool().to_string(),
            Want::Int(_) => value.as_int().to_string(),
            _ if self.result_kind(value) == Kind::Boolean => value.as_bool().to_string(),
            _ if self.result_kind(value) != Kind::Ref => value.as_int().to_string(),
            _ => match value.reference().some() {
                None => "null".to_owned(),
                Some(object) => {
                    let vm = self.vm();
                    let class = vm.class_of(object);
                    if class == vm.known.string {
                        let text: String = vm.string_text(object).chars().take(60).collect();
                        format!("\"{text}\"")
                    } else {
                        format!("a {}", super::simple_name(&vm.class(class).external_name()))
                    }
                }
            },
        }
    }

    #[expect(clippy::cast_possible_truncation, reason = "contracts make few calls")]
    fn last(&self) -> Var {
        Var(self.record.first + self.record.steps.len().saturating_sub(1) as u32)
    }

    /// Makes a call without taking it down.
    pub(super) fn run(&mut self, method: &Resolved, args: &[Value]) -> Judged<Outcome> {
        let mut words = [0; MOST_WORDS];
        let mut len = 0;
        let mut push = |word: u64, slots: usize| {
            if let Some(place) = words.get_mut(len) {
                *place = word;
            }
            len += slots;
        };
        let mut target = method.id;
        let mut made = None;
        let mut passed = args;
        if method.method.is_constructor() {
            let class = method.class;
            let object = match self.finish(|vm| vm.new_object(class)) {
                Ok(object) => object,
                Err(outcome) => return Ok(outcome),
            };
            push(object.to_slot(), 1);
            made = Some(object);
        } else if method.method.has_receiver() {
            let Some((receiver, others)) = args.split_first() else {
                return Err(Break::DoesNotApply);
            };
            let object = receiver.reference();
            if object.is_null() {
                return Err(Break::DoesNotApply);
            }
            let class = self.session.vm.class_of(object);
            target = match self.finish(|vm| vm.select_method(class, method.id)) {
                Ok(selected) => selected,
                Err(outcome) => return Ok(outcome),
            };
            push(receiver.word, 1);
            passed = others;
        }
        for (value, kind) in passed.iter().zip(method.parameters.iter()) {
            push(value.word, kind.slots() as usize);
        }
        let Some(words) = words.get(..len) else { return Err(Break::DoesNotApply) };
        let outcome = self.session.vm.call(&mut Plain, target, words, Some(self.fuel));
        Ok(match (outcome, made) {
            (Outcome::Returned(_), Some(object)) => {
                Outcome::Returned(vm::value::Value::Ref(object))
            }
            (outcome, _) => outcome,
        })
    }

    fn finish<T>(&mut self, work: impl Fn(&mut Vm) -> Res<T>) -> Result<T, Outcome> {
        self.session.vm.complete(work).map_err(|unfinished| match unfinished {
            Unfinished::Threw(exception) => Outcome::Threw(exception),
            Unfinished::Stopped(stop) => Outcome::Stopped(stop),
        })
    }
}

/// What a test must say of a call that returned and should have thrown.
pub(super) fn must_throw(class: &'static str) -> Throws {
    Throws { class: class.into(), message: None }
}
