//! A machine with the user's classes on it, on which calls that are named as in a test are made.
//!
//! Turns names into identifiers once, constants into words, and verdicts into data. Knows how one call
//! or one sequence is run, not which ones are worth running.

mod boxes;

use std::sync::Arc;

use rustc_hash::FxHashMap;
use suite::constant::Constant;
use suite::method::Method;
use suite::sequence::{Arg, Operation, Sequence, Statement};
use suite::stand_in::StandIn;
use suite::types::Type;
use vm::boot::Unfinished;
use vm::frame::{Res, Stop};
use vm::heap::ELEMENTS_OFFSET;
use vm::interp::Outcome;
use vm::mode::{Mode, Plain};
use vm::travel::Mark;
use vm::value::{ClassId, Kind, LoaderId, MethodId, Ref, Value};
use vm::vm::Vm;

use crate::caches;
use crate::java::{Java, Problem};
use crate::outside::{self, Reach, Start};

/// What a cast throws.
const CAST_FAILED: &str = "java/lang/ClassCastException";

/// Why a name means nothing on this machine.
#[derive(Debug, Clone, PartialEq)]
pub enum NotFound {
    /// No such class, or it cannot be linked or initialised.
    Class {
        /// Internal name.
        name: String,
        /// What happened.
        problem: Problem,
    },
    /// The class has no such method.
    Method(String),
    /// The enum type has no such constant.
    Constant(String),
    /// There is no machine on which a name could mean something: why.
    Machine(String),
}

impl std::fmt::Display for NotFound {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            NotFound::Class { name, problem } => {
                write!(f, "class {} cannot be used: {problem}", name.replace('/', "."))
            }
            NotFound::Method(name) => write!(f, "there is no method {name}"),
            NotFound::Constant(name) => write!(f, "there is no constant {name}"),
            NotFound::Machine(reason) => write!(f, "the machine does not start: {reason}"),
        }
    }
}

impl std::error::Error for NotFound {}

/// A method as the machine knows it.
#[derive(Debug, Clone)]
pub struct Resolved {
    /// The method that is named.
    pub id: MethodId,
    /// The class through which it is called, initialised.
    pub class: ClassId,
    /// Kinds of the parameters, without the receiver.
    pub parameters: Arc<[Kind]>,
    /// The method itself.
    pub method: Arc<Method>,
}

/// A machine, and what names mean on it.
pub struct Session {
    /// The machine.
    pub vm: Vm,
    pub(crate) loader: LoaderId,
    resolved: FxHashMap<Arc<Method>, Resolved>,
    pub(crate) stand_ins: FxHashMap<Arc<StandIn>, Resolved>,
    /// Internal names of classes that were loaded and initialised within a run, and taken back before its end.
    pub(crate) taken_back: Vec<String>,
    box_fields: boxes::Known,
}

impl Session {
    /// A session on a machine that has booted.
    pub fn new(mut vm: Vm) -> Result<Session, Problem> {
        let loader = Java::new(&mut vm)?.loader();
        let (resolved, stand_ins) = (FxHashMap::default(), FxHashMap::default());
        let (taken_back, box_fields) = (Vec::new(), FxHashMap::default());
        Ok(Session { vm, loader, resolved, stand_ins, taken_back, box_fields })
    }

    /// Takes back what was done since a mark, when there were so many classes; remembers which came since then.
    pub(crate) fn take_back(&mut self, mark: Mark, n_classes: usize) {
        self.taken_back.extend(outside::loaded(&self.vm, n_classes));
        self.vm.rollback(mark);
    }

    /// The loader of the application's classes.
    pub fn loader(&self) -> LoaderId {
        self.loader
    }

    /// A class by internal name, initialised.
    pub fn class(&mut self, name: &str) -> Result<ClassId, NotFound> {
        let class = self.load(name)?;
        let done = match self.is_harmful(class) {
            true => Err(Problem::ChangesOutside),
            false => self.complete(|vm| vm.ensure_initialised(class)),
        };
        done.map_err(|problem| NotFound::Class { name: name.to_owned(), problem })?;
        Ok(class)
    }

    /// A class that a run met, by internal name: initialised for good, with the caches filled that whoever needs it
    /// needs too, so that the next run finds it all done.
    pub fn learn(&mut self, name: &str) -> Result<ClassId, NotFound> {
        let class = self.class(name)?;
        caches::fill(self, name);
        Ok(class)
    }

    /// Whether a class of the user's would change something outside when it is initialised. That is tried and
    /// taken back: where it is done for good, nobody would notice later that a call leads to it.
    fn is_harmful(&mut self, class: ClassId) -> bool {
        let vm = &self.vm;
        let is_open = self.is_of_user(class) && vm.depth() == 0 && !vm.is_initialised(class);
        if !is_open || !self.runs_initialisers(class) {
            return false;
        }
        let start = Start::now(vm);
        let mark = self.vm.mark();
        let _ = self.complete(|vm| vm.ensure_initialised(class));
        let reach = start.reach(&self.vm);
        self.vm.rollback(mark);
        if reach == Reach::Changed {
            self.vm.host.forget_files();
        }
        reach == Reach::Changed
    }

    /// Whether a class or one above it has code for its initialisation.
    fn runs_initialisers(&self, class: ClassId) -> bool {
        self.vm.class(class).supers.iter().any(|&above| {
            let has_code = self.vm.class(above).method(b"<clinit>", b"()V").is_some();
            has_code && !self.vm.is_initialised(above)
        })
    }

    /// A class by internal name, not initialised.
    pub fn load(&mut self, name: &str) -> Result<ClassId, NotFound> {
        let loader = self.loader;
        let loaded = self.complete(|vm| vm.load_class(loader, name.as_bytes()));
        loaded.map_err(|problem| NotFound::Class { name: name.to_owned(), problem })
    }

    /// Whether a class comes from the user's class path.
    pub fn is_of_user(&self, class: ClassId) -> bool {
        self.vm.class(class).loader == self.loader
    }

    /// Whether objects of a class stand in for a type.
    pub fn is_stand_in(&self, class: ClassId) -> bool {
        self.stand_ins.values().any(|maker| maker.class == class)
    }

    /// Links the lambdas and concatenations in a class's code for good, which is done anew after every
    /// rollback otherwise. Does nothing under a mark.
    pub fn link_ahead(&mut self, class: ClassId) {
        if self.vm.depth() == 0 && self.vm.class(class).has_file() {
            // What cannot be linked says so again where it is run.
            let _ = self.complete(|vm| vm.link_ahead(class));
        }
    }

    /// The class of a type; primitive types have one too.
    pub fn class_of_type(&mut self, wanted: &Type) -> Result<ClassId, NotFound> {
        let loader = self.loader;
        let descriptor = wanted.descriptor();
        let found = self.complete(|vm| vm.class_of_descriptor(loader, descriptor.as_bytes()));
        found.map_err(|problem| NotFound::Class { name: wanted.to_string(), problem })
    }

    /// What a method's name means.
    pub fn resolve(&mut self, method: &Arc<Method>) -> Result<Resolved, NotFound> {
        if let Some(resolved) = self.resolved.get(method) {
            return Ok(resolved.clone());
        }
        let class = self.class(&method.class)?;
        let descriptor = method.descriptor();
        let found = self.vm.lookup_method(class, method.name.as_bytes(), descriptor.as_bytes());
        let id = found.ok_or_else(|| NotFound::Method(method.to_string()))?;
        let parameters = method.parameters.iter().map(kind_of).collect();
        let resolved = Resolved { id, class, parameters, method: method.clone() };
        // What is loaded under a mark is gone after a rollback.
        if self.vm.depth() == 0 {
            self.resolved.insert(method.clone(), resolved.clone());
        }
        Ok(resolved)
    }

    /// The word that stands for a constant. Strings are literals: they outlive rollbacks.
    pub fn constant(&mut self, constant: &Constant) -> Result<u64, NotFound> {
        Ok(match constant {
            Constant::Null => 0,
            Constant::Boolean(value) => u64::from(*value),
            Constant::Byte(value) => Value::Int(i32::from(*value)).to_slot(),
            Constant::Char(value) => u64::from(*value),
            Constant::Short(value) => Value::Int(i32::from(*value)).to_slot(),
            Constant::Int(value) => Value::Int(*value).to_slot(),
            Constant::Long(value) => Value::Long(*value).to_slot(),
            Constant::Float(bits) => u64::from(*bits),
            Constant::Double(bits) => *bits,
            Constant::Text(units) => {
                let mutf8 = classfile::mutf8::encode(units.iter().copied());
                let text = self.complete(|vm| vm.intern_mutf8(&mutf8));
                text.map_err(|problem| class_problem("java/lang/String", problem))?.to_slot()
            }
            Constant::Class(named) => {
                let class = self.class_of_type(named)?;
                self.vm.mirror(class).to_slot()
            }
            Constant::Enum { class, name } => self.enum_constant(class, name)?.to_slot(),
            Constant::Boxed(inner) => {
                let word = self.constant(inner)?;
                let kind = inner.natural_type().as_ref().map_or(Kind::Ref, kind_of);
                if kind == Kind::Ref {
                    word
                } else if let Some(shared) = self.shared_box(inner)? {
                    shared.to_slot()
                } else {
                    let boxed = self.complete(|vm| vm.box_value(kind, word));
                    boxed.map_err(|problem| class_problem("java/lang/Number", problem))?.to_slot()
                }
            }
        })
    }

    fn enum_constant(&mut self, class: &str, name: &str) -> Result<Ref, NotFound> {
        let id = self.class(class)?;
        let descriptor = format!("L{class};");
        let field = self.vm.class(id).field(name.as_bytes(), descriptor.as_bytes()).copied();
        let field = field.filter(vm::class::Field::is_static);
        let field = field.ok_or_else(|| NotFound::Constant(format!("{class}.{name}")))?;
        Ok(self.vm.heap.load_ref(self.vm.mirror(id), field.offset))
    }

    /// Makes one call. `args` are values, receiver first; the method that runs is chosen by the
    /// receiver's class. A constructor makes its object first and gives it.
    pub fn call<M: Mode>(
        &mut self,
        mode: &mut M,
        resolved: &Resolved,
        args: &[u64],
        fuel: u64,
    ) -> Outcome {
        let mut words = Vec::with_capacity(args.len() + 4);
        let mut made = None;
        let mut values = args.iter();
        let mut target = resolved.id;
        if resolved.method.is_constructor() {
            let class = resolved.class;
            match self.finish(|vm| vm.new_object(class)) {
                Ok(object) => {
                    words.push(object.to_slot());
                    made = Some(object);
                }
                Err(outcome) => return outcome,
            }
        } else if resolved.method.has_receiver() {
            let receiver = Ref::from_slot(values.next().copied().unwrap_or(0));
            if receiver.is_null() {
                let thrown =
                    self.finish::<Ref>(|vm| Err(vm.throw_plain("java/lang/NullPointerException")));
                return thrown.err().unwrap_or(Outcome::Stopped(Stop::OutOfMemory));
            }
            let class = self.vm.class_of(receiver);
            match self.finish(|vm| vm.select_method(class, target)) {
                Ok(selected) => target = selected,
                Err(outcome) => return outcome,
            }
            words.push(receiver.to_slot());
        }
        for (&value, &kind) in values.zip(resolved.parameters.iter()) {
            words.push(value);
            if kind.slots() == 2 {
                words.push(0);
            }
        }
        match (self.vm.call(mode, target, &words, Some(fuel)), made) {
            (Outcome::Returned(_), Some(object)) => Outcome::Returned(Value::Ref(object)),
            (outcome, _) => outcome,
        }
    }

    /// Loads and initialises the classes that a sequence names, so that running it under a mark need not.
    pub fn prepare(&mut self, sequence: &Sequence) -> Result<(), NotFound> {
        for statement in sequence.statements() {
            match &statement.operation {
                Operation::Call(method) => drop(self.resolve(method)?),
                Operation::StandIn(stand_in) => drop(self.stand_in(stand_in)?),
                Operation::Array(_) => {}
            }
            for arg in &statement.args {
                if let Arg::Constant(
                    constant @ (Constant::Enum { .. } | Constant::Class(_) | Constant::Boxed(_)),
                ) = arg
                {
                    self.constant(constant)?;
                }
            }
        }
        Ok(())
    }

    /// Runs a sequence from its start; gives the values of its statements up to the first that does
    /// not return, and how that one ended.
    pub fn run(
        &mut self,
        sequence: &Sequence,
        fuel: u64,
    ) -> Result<(Vec<u64>, Option<Outcome>), NotFound> {
        self.run_in(&mut Plain, sequence, fuel)
    }

    /// As `run`, under an observer.
    pub fn run_in<M: Mode>(
        &mut self,
        mode: &mut M,
        sequence: &Sequence,
        fuel: u64,
    ) -> Result<(Vec<u64>, Option<Outcome>), NotFound> {
        self.run_stepwise(mode, sequence, fuel, &mut |_, _| ())
    }

    /// As `run_in`; `after` is told of each statement that returned, with all values so far. It leaves the machine as it
    /// is.
    pub fn run_stepwise<M: Mode>(
        &mut self,
        mode: &mut M,
        sequence: &Sequence,
        fuel: u64,
        after: &mut dyn FnMut(&mut Session, &[u64]),
    ) -> Result<(Vec<u64>, Option<Outcome>), NotFound> {
        let mut values: Vec<u64> = Vec::with_capacity(sequence.len());
        for statement in sequence.statements() {
            let mut words = Vec::with_capacity(statement.args.len());
            for arg in &statement.args {
                words.push(match arg {
                    Arg::Constant(constant) => self.constant(constant)?,
                    Arg::Var(var) => values[var.idx()],
                });
            }
            let outcome = match &statement.operation {
                _ if !self.casts_hold(sequence, statement, &words)? => {
                    let thrown = self.finish::<Ref>(|vm| Err(vm.throw_plain(CAST_FAILED)));
                    thrown.err().unwrap_or(Outcome::Stopped(Stop::OutOfMemory))
                }
                Operation::Call(method) => {
                    let resolved = self.resolve(method)?;
                    self.call(mode, &resolved, &words, fuel)
                }
                Operation::Array(element) => self.array(element, &words)?,
                Operation::StandIn(stand_in) => {
                    let maker = self.stand_in(stand_in)?;
                    self.call(&mut Plain, &maker, &[], fuel)
                }
            };
            match outcome {
                Outcome::Returned(value) => values.push(value.to_slot()),
                stopped => return Ok((values, Some(stopped))),
            }
            after(self, &values);
        }
        Ok((values, None))
    }

    /// Whether every value is of the type that it is used as, where the types do not say so: sequences are well
    /// typed as far as names tell, and what a call gives may be of another class than the last time, in another
    /// world or behind a shorter sequence. Java would have a cast there; bytecode relies on it.
    fn casts_hold(
        &mut self,
        sequence: &Sequence,
        statement: &Statement,
        words: &[u64],
    ) -> Result<bool, NotFound> {
        let wanted = statement.operation.wanted(words.len());
        for ((arg, &word), wanted) in statement.args.iter().zip(words).zip(wanted) {
            let object = Ref::from_slot(word);
            if !wanted.is_reference() || wanted == Type::class("java/lang/Object") {
                continue;
            }
            let own = match arg {
                Arg::Constant(constant) => constant.natural_type(),
                Arg::Var(var) => Some(sequence.statements()[var.idx()].result()),
            };
            if own.is_none_or(|own| own == wanted) || object.is_null() {
                continue;
            }
            let class = self.class_of_type(&wanted)?;
            if !self.vm.is_subtype(self.vm.class_of(object), class) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn array(&mut self, element: &Type, words: &[u64]) -> Result<Outcome, NotFound> {
        let class = self.class_of_type(&Type::Array(Box::new(element.clone())))?;
        Ok(self.array_of(class, kind_of(element), words))
    }

    /// Makes an array of a class with elements of this kind.
    pub fn array_of(&mut self, class: ClassId, kind: Kind, words: &[u64]) -> Outcome {
        let length = u32::try_from(words.len()).unwrap_or(u32::MAX);
        let array = match self.finish(|vm| vm.new_array(class, length)) {
            Ok(array) => array,
            Err(outcome) => return outcome,
        };
        let heap = &mut self.vm.heap;
        let mut offset = ELEMENTS_OFFSET;
        for word in words {
            let bytes = word.to_le_bytes();
            match kind {
                Kind::Ref => heap.store_ref(array, offset, Ref::from_slot(*word)),
                _ => heap.store_bytes(array, offset, &bytes[..kind.size() as usize]),
            }
            offset += kind.size();
        }
        Outcome::Returned(Value::Ref(array))
    }

    /// Does something that may need Java code to run first.
    pub fn complete<T>(&mut self, work: impl Fn(&mut Vm) -> Res<T>) -> Result<T, Problem> {
        self.vm.complete(work).map_err(|unfinished| match unfinished {
            Unfinished::Threw(exception) => Problem::Threw(self.vm.describe_throwable(exception)),
            Unfinished::Stopped(stop) => Problem::Stopped(stop),
        })
    }

    fn finish<T>(&mut self, work: impl Fn(&mut Vm) -> Res<T>) -> Result<T, Outcome> {
        self.vm.complete(work).map_err(|unfinished| match unfinished {
            Unfinished::Threw(exception) => Outcome::Threw(exception),
            Unfinished::Stopped(stop) => Outcome::Stopped(stop),
        })
    }
}

fn class_problem(name: &str, problem: Problem) -> NotFound {
    NotFound::Class { name: name.to_owned(), problem }
}

/// The kind of values of a type.
pub fn kind_of(of: &Type) -> Kind {
    match of {
        Type::Boolean => Kind::Boolean,
        Type::Byte => Kind::Byte,
        Type::Char => Kind::Char,
        Type::Short => Kind::Short,
        Type::Int => Kind::Int,
        Type::Long => Kind::Long,
        Type::Float => Kind::Float,
        Type::Double => Kind::Double,
        Type::Void => Kind::Void,
        Type::Class(_) | Type::Array(_) => Kind::Ref,
    }
}
