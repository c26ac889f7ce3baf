//! What a run of a sequence shows that a test can check: results, the exception at the end, and what
//! observers say afterwards.
//!
//! A run is described in the terms of a suite, so that runs in several worlds can be compared; only what
//! is the same in all of them may become an oracle ([`agreed`]).

pub mod confirm;
mod text;

use std::sync::Arc;

use suite::constant::Constant;
use suite::method::{Dispatch, Method};
use suite::sequence::{Sequence, Var};
use suite::test::Expected;
use suite::types::Type;
use vm::class::Shape;
use vm::frame::Stop;
use vm::heap::ELEMENTS_OFFSET;
use vm::interp::Outcome;
use vm::mode::{Mode, Plain};
use vm::value::{Kind, Ref, Value};
use vm::vm::Vm;

use crate::outside::{self, Reach, Start};
use crate::session::{NotFound, Resolved, Session, kind_of};

/// Longest string and array that is written into a check.
const LONGEST_TEXT: usize = 200;
const LONGEST_ARRAY: u32 = 16;

/// Bytecodes that a question may take: what takes more is nothing that a reader would have asked.
const OF_A_QUESTION: u64 = 300_000;

/// Further runs of what asks for the time or for random numbers.
const N_CHANCES: u64 = 6;

/// What one run showed.
#[derive(Debug, Clone, PartialEq)]
pub struct Observation {
    /// What can be said of each statement's result; `None` where nothing can.
    pub results: Vec<Option<Expected>>,
    /// How the last statement ended, where it did not return.
    pub end: Option<End>,
    /// What each observer says after the last statement; `None` where it does not return a value
    /// that can be written down.
    pub observers: Vec<Option<Expected>>,
    /// Whether it asked for what lies outside.
    pub reach: Reach,
}

/// How a sequence ended that did not return.
#[derive(Debug, Clone, PartialEq)]
pub enum End {
    /// By an exception.
    Threw {
        /// Internal name of its class.
        class: Arc<str>,
        /// What it says; `None` where that depends on more than the code under test.
        message: Option<Option<String>>,
    },
    /// Not at all.
    Stopped(Stop),
    /// One way or another: by the clock, or by chance.
    ByChance,
}

/// A sequence, and what is asked when it comes to its end.
#[derive(Debug, Clone, Copy)]
pub struct Run<'a> {
    /// What runs.
    pub sequence: &'a Sequence,
    /// What is asked.
    pub observers: &'a [Arc<Method>],
    /// Of which variable; of none nothing is asked.
    pub receiver: Option<Var>,
    /// The statement that is to show: of objects, only those are told of that say something else than before it.
    /// Without one, all are.
    pub change: Option<Var>,
    /// Bytecodes that each call may take.
    pub fuel: u64,
}

impl Run<'_> {
    /// What is seen in one of several worlds. The first one tells what depends on time and chance, so that the others
    /// need not.
    pub fn observe_in(&self, world: usize, session: &mut Session) -> Result<Observation, NotFound> {
        if world == 0 { self.observe_often(session) } else { self.observe(session) }
    }

    /// Runs once. Leaves the machine as it was.
    pub fn observe(&self, session: &mut Session) -> Result<Observation, NotFound> {
        self.make_ready(session)?;
        let (seen, met) = self.observe_with(0, session)?;
        // So that it is not done again for the next sequence. Under a mark it would be.
        if session.vm.depth() == 0 {
            for name in &met {
                let _ = session.learn(name);
            }
        }
        // Classes may look around while they are initialised, as those do that a sequence names.
        if seen.reach == Reach::Looked && !met.is_empty() {
            return Ok(self.observe_with(0, session)?.0);
        }
        Ok(seen)
    }

    /// Runs often if it asks for the time or for random numbers: then only what is always the same was seen.
    fn observe_often(&self, session: &mut Session) -> Result<Observation, NotFound> {
        let chances = session.vm.chances;
        let mut seen = self.observe(session)?;
        if seen.reach != Reach::Inside || session.vm.chances == chances {
            return Ok(seen);
        }
        for luck in 1..=N_CHANCES {
            let (other, _) = self.observe_with(luck, session)?;
            match agreed(&[seen.clone(), other]) {
                Some(agreed) => seen = agreed,
                None => {
                    seen.end = Some(End::ByChance);
                    break;
                }
            }
        }
        Ok(seen)
    }

    /// What is seen with some luck, and the classes that it met.
    fn observe_with(
        &self,
        luck: u64,
        session: &mut Session,
    ) -> Result<(Observation, Vec<String>), NotFound> {
        let n_classes = session.vm.classes.len();
        let seed = session.vm.options.seed;
        let mark = session.vm.mark();
        session.vm.try_luck(luck);
        session.taken_back.clear();
        let seen = self.watch(session);
        let vm = &session.vm;
        let met = match seen.as_ref().map(|seen| seen.reach) {
            Ok(Reach::Inside | Reach::Waited) => {
                let mut met = outside::loaded(vm, n_classes);
                met.append(&mut session.taken_back);
                met
            }
            Ok(Reach::Looked) => outside::initialised(vm),
            Ok(Reach::Changed) | Err(_) => Vec::new(),
        };
        session.vm.rollback(mark);
        session.vm.options.seed = seed;
        session.vm.host.forget_files();
        Ok((seen?, met))
    }

    /// Runs once; what the sequence did stays done, as where one test runs after the other.
    pub fn observe_for_good(&self, session: &mut Session) -> Result<Observation, NotFound> {
        self.make_ready(session)?;
        // Under a mark nothing moves while it is looked at.
        let mark = session.vm.mark();
        let seen = self.watch(session);
        session.vm.commit(mark);
        seen
    }

    /// Runs once, with the observers at the end, under an observer of the machine; nothing is told, nor taken back.
    pub(crate) fn follow<M: Mode>(
        &self,
        mode: &mut M,
        session: &mut Session,
    ) -> Result<(), NotFound> {
        let (values, stopped) =
            session.run_stepwise(mode, self.sequence, self.fuel, &mut |_, _| ())?;
        let receiver = self.receiver.and_then(|receiver| values.get(receiver.idx()));
        let (Some(&receiver), None) = (receiver, stopped) else { return Ok(()) };
        for observer in self.observers {
            let resolved = session.resolve(observer)?;
            if is_known_to(session, receiver, &resolved) {
                session.call(mode, &resolved, &[receiver], self.fuel.min(OF_A_QUESTION));
            }
        }
        Ok(())
    }

    /// Finds what the sequence and the observers name, so that running them need not.
    fn make_ready(&self, session: &mut Session) -> Result<(), NotFound> {
        session.prepare(self.sequence)?;
        self.observers.iter().try_for_each(|observer| session.resolve(observer).map(drop))
    }

    fn watch(&self, session: &mut Session) -> Result<Observation, NotFound> {
        let &Run { sequence, fuel, change, .. } = self;
        let start = Start::now(&session.vm);
        let mut results = Vec::new();
        let mut before = Ok(Vec::new());
        let (values, stopped) =
            session.run_stepwise(&mut Plain, sequence, fuel, &mut |session, values| {
                results.push(result(session, sequence, values, fuel));
                if change.is_some_and(|change| change.idx() == values.len()) {
                    before = self.ask(session, values, &|observer| !is_terse(observer));
                }
            })?;
        let reach = start.whole_reach(&mut session.vm, fuel);
        let mut seen = Observation { results, end: None, observers: Vec::new(), reach };
        match stopped {
            Some(Outcome::Threw(exception)) => seen.end = Some(thrown(session, exception, fuel)),
            Some(Outcome::Stopped(stop)) => seen.end = Some(End::Stopped(stop)),
            Some(Outcome::Returned(_)) | None => {
                seen.observers = self.ask(session, &values, &|_| true)?;
                if change.is_some() {
                    leave_out_known(&mut seen.observers, &before?);
                }
            }
        }
        Ok(seen)
    }

    /// What observers say of the object under test now, where it is there. Leaves the machine as it was.
    fn ask(
        &self,
        session: &mut Session,
        values: &[u64],
        is_asked: &dyn Fn(&Method) -> bool,
    ) -> Result<Vec<Option<Expected>>, NotFound> {
        let Some(&receiver) = self.receiver.and_then(|receiver| values.get(receiver.idx())) else {
            return Ok(Vec::new());
        };
        let mut said = Vec::new();
        for observer in self.observers {
            said.push(match is_asked(observer) {
                true => self.ask_one(session, observer, receiver)?,
                false => None,
            });
        }
        Ok(said)
    }

    fn ask_one(
        &self,
        session: &mut Session,
        observer: &Arc<Method>,
        receiver: u64,
    ) -> Result<Option<Expected>, NotFound> {
        let &Run { sequence, .. } = self;
        let fuel = self.fuel.min(OF_A_QUESTION);
        let resolved = session.resolve(observer)?;
        if !is_known_to(session, receiver, &resolved) {
            return Ok(None);
        }
        let n_classes = session.vm.classes.len();
        let mark = session.vm.mark();
        let start = Start::now(&session.vm);
        let outcome = session.call(&mut Plain, &resolved, &[receiver], fuel);
        // What asks for things outside is no observer.
        let is_inside = start.whole_reach(&mut session.vm, fuel) == Reach::Inside;
        let said = match outcome {
            Outcome::Returned(value) if is_inside => {
                let word = value.to_slot();
                let said = describe(&session.vm, &observer.returns, word, sequence, &[]);
                if said == Some(Expected::NotNull) {
                    let objects = [Ref::from_slot(receiver), Ref::from_slot(word)];
                    text::of(session, objects[1], &objects, fuel).map(Expected::Text)
                } else {
                    said
                }
            }
            _ => None,
        };
        // One that changes the object says something else the next time, and what is asked after it does too. Caches
        // may be filled.
        let asked = [Ref::from_slot(receiver)];
        let has_changed = session.vm.changes_since(&mark).next().is_some();
        let after = has_changed.then(|| text::key(session, &asked));
        session.take_back(mark, n_classes);
        let is_pure = after.is_none_or(|after| after == text::key(session, &asked));
        Ok(said.filter(|_| is_pure))
    }
}

/// Whether an object knows a method. In another world, or behind a shorter sequence, it may be of another class, and
/// nobody has cast it yet.
fn is_known_to(session: &Session, receiver: u64, method: &Resolved) -> bool {
    let object = Ref::from_slot(receiver);
    object.is_null() || session.vm.instance_of(object, method.class)
}

/// Whether a method may be asked what it says of an object, if it changes nothing. Hashes of objects differ from
/// machine to machine.
pub fn is_question(method: &Method) -> bool {
    let is_plain = method.dispatch == Dispatch::Instance && method.parameters.is_empty();
    is_plain && method.returns != Type::Void && &*method.name != "hashCode"
}

/// Whether what it says is short enough to be said after every call.
fn is_terse(observer: &Method) -> bool {
    !observer.returns.is_reference() || observer.returns == Type::class("java/lang/String")
}

/// Leaves out what was so before, and objects that say what others do.
fn leave_out_known(said: &mut [Option<Expected>], before: &[Option<Expected>]) {
    for idx in 0..said.len() {
        let (earlier, later) = said.split_at_mut(idx);
        let is_as_before = before.get(idx) == Some(&later[0]);
        let is_text = matches!(later[0], Some(Expected::Text(_)));
        if is_as_before || is_text && earlier.contains(&later[0]) {
            later[0] = None;
        }
    }
}

/// What all runs show alike; `None` where they do not even end alike.
pub fn agreed(observations: &[Observation]) -> Option<Observation> {
    let (first, others) = observations.split_first()?;
    let mut common = first.clone();
    for other in others {
        match (&mut common.end, &other.end) {
            (None, None) => {}
            (
                Some(End::Threw { class, message }),
                Some(End::Threw { class: other_class, message: other_message }),
            ) if class == other_class => {
                if message != other_message {
                    *message = None;
                }
            }
            (Some(End::Stopped(one)), Some(End::Stopped(two))) if one == two => {}
            _ => return None,
        }
        common.reach = common.reach.max(other.reach);
        if common.results.len() != other.results.len() {
            return None;
        }
        keep_equal(&mut common.results, &other.results);
        keep_equal(&mut common.observers, &other.observers);
        // That there is something is nothing to ask for.
        for said in &mut common.observers {
            said.take_if(|said| *said == Expected::NotNull);
        }
    }
    Some(common)
}

fn keep_equal(kept: &mut [Option<Expected>], others: &[Option<Expected>]) {
    for (mine, other) in kept.iter_mut().zip(others) {
        *mine = mine.as_ref().zip(other.as_ref()).and_then(|(mine, other)| mine.common(other));
    }
}

/// What can be said of the last value as soon as it is there.
fn result(
    session: &mut Session,
    sequence: &Sequence,
    values: &[u64],
    fuel: u64,
) -> Option<Expected> {
    let (&value, earlier) = values.split_last()?;
    let statement = &sequence.statements()[earlier.len()];
    // A new object says nothing new, nor does an array that was written down.
    if statement.method()?.is_constructor() {
        return None;
    }
    let said = describe(&session.vm, &statement.result(), value, sequence, earlier)?;
    if said != Expected::NotNull {
        return Some(said);
    }
    let types = sequence.statements().iter().map(|statement| statement.result());
    let objects = types.zip(values).filter(|(of, _)| of.is_reference());
    let objects: Vec<Ref> = objects.map(|(_, &value)| Ref::from_slot(value)).collect();
    let text = text::of(session, Ref::from_slot(value), &objects, fuel.min(OF_A_QUESTION));
    Some(text.map_or(Expected::NotNull, Expected::Text))
}

fn thrown(session: &mut Session, exception: Ref, fuel: u64) -> End {
    if exception.is_null() {
        return End::Stopped(Stop::Unsupported("an argument could not be built".to_owned()));
    }
    let class_id = session.vm.class_of(exception);
    let class: Arc<str> = session.vm.class(class_id).name.to_string().into();
    // What the JVM itself says here depends on how the classes were compiled and loaded.
    let is_of_machine = matches!(
        &*class,
        "java/lang/NullPointerException"
            | "java/lang/ClassCastException"
            | "java/lang/StackOverflowError"
            | "java/lang/OutOfMemoryError"
    );
    let message = match session.vm.lookup_method(class_id, b"getMessage", b"()Ljava/lang/String;") {
        Some(method) if !is_of_machine => {
            match session.vm.call(&mut Plain, method, &[exception.to_slot()], Some(fuel)) {
                Outcome::Returned(Value::Ref(text)) => {
                    Some(text.some().map(|text| session.vm.string_text(text)))
                }
                _ => None,
            }
        }
        _ => None,
    };
    End::Threw {
        class,
        message: message.filter(|text| text.as_ref().is_none_or(|text| text.len() <= LONGEST_TEXT)),
    }
}

/// The constant that a value is: a primitive, `null`, a string, a boxed value, an enum constant. `None`
/// for all else, and for what is too long to be written down.
pub fn constant(vm: &Vm, of: &Type, word: u64) -> Option<Constant> {
    if !of.is_reference() {
        return primitive(kind_of(of), word);
    }
    match Ref::from_slot(word).some() {
        None => Some(Constant::Null),
        Some(object) => constant_of(vm, object)?,
    }
}

/// What can be said of a value.
fn describe(
    vm: &Vm,
    of: &Type,
    word: u64,
    sequence: &Sequence,
    earlier: &[u64],
) -> Option<Expected> {
    if *of == Type::Void {
        return None;
    }
    if !of.is_reference() {
        return primitive(kind_of(of), word).map(Expected::Equals);
    }
    let object = Ref::from_slot(word);
    if object.is_null() {
        return Some(Expected::Equals(Constant::Null));
    }
    if let Some(constant) = constant_of(vm, object) {
        return constant.map(Expected::Equals);
    }
    let is_same = |(idx, &value): (usize, &u64)| {
        value == word && sequence.statements()[idx].result().is_reference()
    };
    if let Some(idx) = earlier.iter().enumerate().position(is_same) {
        return u32::try_from(idx).ok().map(|idx| Expected::Same(Var(idx)));
    }
    // Who runs a test is on the stack below it.
    if *of == Type::Array(Box::new(Type::class("java/lang/StackTraceElement"))) {
        return Some(Expected::NotNull);
    }
    if let Shape::Array { element, .. } = vm.class(vm.class_of(object)).shape
        && let Some(elements) = elements(vm, object, element)
    {
        return Some(Expected::ArrayEquals(elements));
    }
    Some(Expected::NotNull)
}

fn elements(vm: &Vm, array: Ref, kind: Kind) -> Option<Vec<Constant>> {
    let length = vm.heap.array_length(array);
    if length > LONGEST_ARRAY {
        return None;
    }
    let constant = |word: u64| match kind {
        Kind::Ref => Ref::from_slot(word)
            .some()
            .map_or(Some(Constant::Null), |object| constant_of(vm, object)?),
        _ => primitive(kind, word),
    };
    (0..length).map(|idx| constant(element(vm, array, kind, idx))).collect()
}

/// An element of an array as a word.
pub(crate) fn element(vm: &Vm, array: Ref, kind: Kind, idx: u32) -> u64 {
    if kind == Kind::Ref {
        return vm.heap.element_ref(array, idx).to_slot();
    }
    let mut word = [0; 8];
    let size = kind.size() as usize;
    let offset = ELEMENTS_OFFSET + idx * kind.size();
    word[..size].copy_from_slice(vm.heap.bytes(array, offset, size));
    u64::from_le_bytes(word)
}

/// The primitive type of a kind; `None` for references.
pub(crate) fn type_of_kind(kind: Kind) -> Option<Type> {
    Some(match kind {
        Kind::Boolean => Type::Boolean,
        Kind::Byte => Type::Byte,
        Kind::Char => Type::Char,
        Kind::Short => Type::Short,
        Kind::Int => Type::Int,
        Kind::Long => Type::Long,
        Kind::Float => Type::Float,
        Kind::Double => Type::Double,
        Kind::Void => Type::Void,
        Kind::Ref => return None,
    })
}

/// The constant that stands for an object: `None` where there is none, `Some(None)` where it is too
/// long to be written down.
fn constant_of(vm: &Vm, object: Ref) -> Option<Option<Constant>> {
    let id = vm.class_of(object);
    let class = vm.class(id);
    if id == vm.known.string {
        let units = vm.string_utf16(object);
        return Some((units.len() <= LONGEST_TEXT).then(|| Constant::Text(units.into())));
    }
    if vm.known.boxes.contains(&id) {
        let field = class.fields.iter().find(|field| !field.is_static())?;
        let mut word = [0; 8];
        let size = field.kind.size() as usize;
        word[..size].copy_from_slice(vm.heap.bytes(object, field.offset, size));
        let constant = primitive(field.kind, u64::from_le_bytes(word))?;
        return Some(Some(Constant::Boxed(Box::new(constant))));
    }
    let base = vm.class(*class.supers.get(1)?);
    if base.name.as_bytes() != b"java/lang/Enum" {
        return None;
    }
    let name = base.field(b"name", b"Ljava/lang/String;")?;
    let name = vm.heap.load_ref(object, name.offset).some()?;
    let declaring = vm.class(*class.supers.get(2)?).name.to_string();
    Some(Some(Constant::Enum { class: declaring.into(), name: vm.string_text(name).into() }))
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    reason = "the low bits of a word are the value"
)]
fn primitive(kind: Kind, word: u64) -> Option<Constant> {
    Some(match kind {
        Kind::Boolean => Constant::Boolean(word & 1 != 0),
        Kind::Byte => Constant::Byte(word as i8),
        Kind::Char => Constant::Char(word as u16),
        Kind::Short => Constant::Short(word as i16),
        Kind::Int => Constant::Int(word as i32),
        Kind::Long => Constant::Long(word as i64),
        Kind::Float => Constant::Float(word as u32),
        Kind::Double => Constant::Double(word),
        Kind::Ref | Kind::Void => return None,
    })
}
