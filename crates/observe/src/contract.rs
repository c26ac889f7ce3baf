//! Contracts: rules that objects must obey after every call, and what is known where one is broken.
//!
//! A contract is a small script on a [`Scene`]: it makes calls in the end state of a sequence and demands
//! something of their results. What it did is taken down, so that a broken contract can be written as a
//! test: the sequence, the calls, the checks. Each standard contract is a file below this one; the table of
//! all of them is in `rule`. Which of them speak of a class is found out once per class. Knows nothing of
//! how sequences are chosen.

mod clone_equal;
mod clone_fresh;
mod close_twice;
mod collection_add;
mod collection_contains;
mod collection_empty;
mod collection_size;
mod comparator_constants;
mod comparator_signs;
mod comparator_transitive;
mod compare_to_antisymmetric;
mod compare_to_equals;
mod compare_to_returns;
mod compare_to_transitive;
mod content;
mod equals_hash_code;
mod equals_null;
mod equals_reflexive;
mod equals_returns;
mod equals_symmetric;
mod equals_transitive;
pub mod exceptions;
mod hash_code_returns;
mod hash_code_stable;
mod invariant;
mod iteration;
mod iterator_end;
mod iterator_has_next;
mod iterator_next;
mod known;
mod list_equals_copy;
mod map_equals_copy;
mod map_keys;
pub mod null_given;
mod parts;
mod plain_values;
mod quick;
mod rule;
mod scene;
mod serial;
mod serial_round_trip;
mod set_equals_copy;
pub mod specs;
mod to_string_returns;
mod to_string_stable;
mod traits;
mod user;

use std::collections::BTreeSet;
use std::sync::Arc;

use suite::constant::Constant;
use suite::method::Method;
use suite::sequence::{Arg, Operation, Sequence, Statement, Var};
use suite::test::{Check, Throws};
use vm::frame::Stop;
use vm::travel::Mark;
use vm::value::{ClassId, Ref};
use vm::vm::Vm;

use crate::session::{NotFound, Resolved, Session};
use known::Known;
use rule::{Law, STANDARD};
use scene::{Broken, Record};
use user::UserContract;

pub use content::Content;
pub use rule::Contract;
pub use scene::{Break, Judged, Scene, Value, Want};
pub use traits::Traits;
pub use user::NotAContract;

/// Bytecodes that a call may take while classes are met for the first time.
const FUEL_OF_TRIAL: u64 = 10_000_000;

/// How bad it is that a contract is broken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Severity {
    /// The class is wrong.
    Error,
    /// The class does what its documentation should mention.
    Warning,
}

/// A contract that does not hold. The statements go behind the sequence in whose end state it was judged.
#[derive(Debug, Clone, PartialEq)]
pub struct Violation {
    /// The contract: `equals-reflexive`, or `com.acme.Rules.isSorted` for one of the user.
    pub contract: Arc<str>,
    /// How bad it is.
    pub severity: Severity,
    /// What was called to find it out; numbered on from the sequence.
    pub statements: Vec<Statement>,
    /// What must hold of the results: premises first, the one that does not hold last.
    pub checks: Vec<Check>,
    /// The exception with which the last statement must end, and does not.
    pub must_throw: Option<Throws>,
    /// What is wrong, in a sentence.
    pub message: String,
    /// The exception with which the last statement ended instead of returning.
    pub threw: Option<Thrown>,
}

/// An exception that a call threw.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Thrown {
    /// Internal name of its class.
    pub class: Arc<str>,
    /// Its message.
    pub message: Option<String>,
    /// Where it came from: see [`exceptions::crash_location`].
    pub location: Option<String>,
}

/// When contracts are judged that take long, such as serialisation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Slow {
    /// In every state.
    Always,
    /// In one state out of so many of each class; more often in the first ones: in the first, the second,
    /// the fourth, the eighth and so on.
    OneIn(u32),
    /// Never.
    Never,
}

/// A rule of the standard set or of the user.
#[derive(Debug, Clone)]
pub(crate) enum Rule {
    Standard(&'static Contract),
    User(Arc<UserContract>),
}

/// The contracts to judge by, with what is known of the classes met so far. Belongs to one machine.
pub struct Contracts {
    /// When contracts are judged that take long. Set it to [`Slow::Always`] to judge a state again.
    pub slow: Slow,
    known: Known,
    users: Vec<Arc<UserContract>>,
    off: Vec<Arc<str>>,
    only: Option<Arc<str>>,
    classes: Vec<Option<Entry>>,
    record: Record,
    /// Classes that were initialised while something was judged, and taken back.
    met: BTreeSet<String>,
}

struct Entry {
    traits: Arc<Traits>,
    n_states: u32,
    /// Whether its call sites are linked for good.
    is_settled: bool,
}

impl Contracts {
    /// The standard contracts. Best made before any mark is opened, so that what they load stays.
    pub fn standard(session: &mut Session) -> Result<Contracts, NotFound> {
        let mut contracts = Contracts {
            slow: Slow::OneIn(512),
            known: Known::new(session)?,
            users: Vec::new(),
            off: Vec::new(),
            only: None,
            classes: Vec::new(),
            record: Record::default(),
            met: BTreeSet::new(),
        };
        if session.vm.depth() == 0 {
            contracts.try_on_library(session)?;
            contracts.settle(session);
        }
        Ok(contracts)
    }

    /// The classes that were initialised while something was judged, by internal name, since this was
    /// last asked. They are taken back with all else, and loaded again the next time: whoever judges much
    /// should initialise them for good, as [`Contracts::settle`] does.
    pub fn take_met(&mut self) -> BTreeSet<String> {
        std::mem::take(&mut self.met)
    }

    /// Initialises for good what was initialised while something was judged, and links the lambdas and
    /// concatenations of all classes that were judged; whether there was anything to do. Does nothing
    /// under a mark.
    pub fn settle(&mut self, session: &mut Session) -> bool {
        if session.vm.depth() > 0 {
            return false;
        }
        let mut has_changed = false;
        for name in self.take_met() {
            has_changed = true;
            // A class that cannot be initialised says so again when it is used.
            if let Ok(class) = session.class(&name) {
                session.link_ahead(class);
            }
        }
        for entry in self.classes.iter_mut().flatten().filter(|entry| !entry.is_settled) {
            let (id, class) = (entry.traits.id, &entry.traits.class);
            let current = session.vm.classes.get(id.idx()).map(|current| &current.class);
            if current.is_some_and(|current| Arc::ptr_eq(current, class)) {
                has_changed = true;
                entry.is_settled = true;
                session.link_ahead(id);
            }
        }
        has_changed
    }

    /// Judges the copies that contracts make of collections, to meet the classes behind them.
    fn try_on_library(&mut self, session: &mut Session) -> Result<(), NotFound> {
        let boxed = |value| Arg::Constant(Constant::Boxed(Box::new(Constant::Int(value))));
        let make = |resolved: &Resolved| Operation::Call(resolved.method.clone());
        let mut sequence = Sequence::empty();
        let mut make_all = || {
            let map = Method::new("java/util/HashMap", "<init>", "()V", false);
            let list = Method::new("java/util/ArrayList", "<init>", "()V", false);
            let (map, list) = (Arc::new(map?), Arc::new(list?));
            let list = sequence.push(Operation::Call(list), vec![]).ok()?;
            let add = vec![Arg::Var(list), boxed(1)];
            sequence.push(make(&self.known.add), add).ok()?;
            sequence.push(make(&self.known.new_hash_set), vec![Arg::Var(list)]).ok()?;
            let map = sequence.push(Operation::Call(map), vec![]).ok()?;
            let put = vec![Arg::Var(map), boxed(1), boxed(2)];
            sequence.push(make(&self.known.put), put).ok()
        };
        if make_all().is_none() {
            return Ok(());
        }
        session.prepare(&sequence)?;
        let mark = session.vm.mark();
        let (values, _) = session.run(&sequence, FUEL_OF_TRIAL)?;
        for (idx, &word) in (0..).zip(&values) {
            let statement = &sequence.statements()[idx as usize];
            if statement.method().is_some_and(|method| method.is_constructor()) {
                let object = (Var(idx), Ref::from_slot(word));
                self.of_object(session, object, sequence.next_var(), FUEL_OF_TRIAL);
            }
        }
        session.vm.rollback(mark);
        Ok(())
    }

    /// Notes which classes are there from this number on.
    fn note_met(&mut self, vm: &Vm, n_classes: usize) {
        for entry in vm.classes.iter().skip(n_classes) {
            let class = &entry.class;
            if !class.hidden && class.has_file() && vm.is_initialised(class.id) {
                self.met.insert(class.name.to_string());
            }
        }
    }

    /// The identifiers of the standard contracts with the rule that each demands.
    pub fn list() -> impl Iterator<Item = (&'static str, &'static str)> {
        STANDARD.iter().map(|contract| (contract.id, contract.rule))
    }

    /// Switches a contract off; whether there is one of this name.
    pub fn switch_off(&mut self, id: &str) -> bool {
        self.off.push(id.into());
        STANDARD.iter().any(|contract| contract.id == id)
            || self.users.iter().any(|user| *user.id == *id)
    }

    /// Judges by this contract alone from now on, or by all again.
    pub fn judge_only(&mut self, id: Option<&Arc<str>>) {
        self.only = id.cloned();
    }

    /// Adds the static boolean methods of a class with this name, `com.acme.Rules.isSorted`.
    pub fn add_user(&mut self, session: &mut Session, name: &str) -> Result<(), NotAContract> {
        let found = user::named(session, name)?;
        self.add(found);
        Ok(())
    }

    /// Adds the static boolean methods of a class that carry an annotation called `Contract`, of
    /// whatever package; gives their number.
    pub fn add_annotated(
        &mut self,
        session: &mut Session,
        class: &str,
    ) -> Result<usize, NotAContract> {
        let found = user::annotated(session, class)?;
        let n_found = found.len();
        self.add(found);
        Ok(n_found)
    }

    fn add(&mut self, found: Vec<UserContract>) {
        for contract in found {
            if !self.users.iter().any(|known| known.is_same(&contract)) {
                self.users.push(Arc::new(contract));
            }
        }
        self.classes.clear();
    }

    /// What is inside the collections, maps and arrays among these objects. Leaves the machine as it was.
    pub fn content(&mut self, session: &mut Session, objects: &[Ref], fuel: u64) -> Content {
        let n_classes = session.vm.classes.len();
        let mark = session.vm.mark();
        let content = self.scene(session, Var(0), fuel).content(objects);
        if session.vm.classes.len() > n_classes {
            self.note_met(&session.vm, n_classes);
        }
        session.vm.rollback(mark);
        content
    }

    /// Judges one object, in a state that is new. Leaves the machine as it was. `next` is the number of
    /// statements of the sequence that made the state.
    pub fn of_object(
        &mut self,
        session: &mut Session,
        (var, object): (Var, Ref),
        next: Var,
        fuel: u64,
    ) -> Vec<Violation> {
        let mut found = Vec::new();
        if object.is_null() {
            return found;
        }
        let id = session.vm.class_of(object);
        let traits = self.traits(&session.vm, id);
        if traits.rules.is_empty() {
            return found;
        }
        let with_slow = self.is_turn_of_slow(id);
        let value = Value::object(var, object);
        let n_classes = session.vm.classes.len();
        let mark = session.vm.mark();
        let mut is_well = false;
        if self.only.is_none() {
            let asked = quick::ask(&mut self.scene(session, next, fuel), &traits, value);
            is_well = asked.is_ok();
            self.take_back(session, &mark, n_classes);
            if !with_slow && matches!(asked, Err(Break::Stopped(Stop::OutOfFuel))) {
                // So large that nothing is quick about it.
                session.vm.rollback(mark);
                return found;
            }
        }
        for rule in &traits.rules {
            let judged = match rule {
                Rule::Standard(contract) => {
                    let Law::Object { judge, .. } = contract.law else { continue };
                    let is_known = contract.is_quick && is_well;
                    let is_left = contract.is_slow && !with_slow;
                    if is_known || is_left || self.is_off(contract.id) {
                        continue;
                    }
                    let mut scene = self.scene(session, next, fuel);
                    judge(&mut scene, &traits, value)
                }
                Rule::User(user) => {
                    if self.is_off(&user.id) {
                        continue;
                    }
                    let mut scene = self.scene(session, next, fuel);
                    user.judge(&mut scene, &[value])
                }
            };
            if let Err(Break::Violated) = judged {
                found.extend(self.violation(&session.vm, rule, &[&traits]));
            }
            self.take_back(session, &mark, n_classes);
        }
        session.vm.rollback(mark);
        found
    }

    /// Judges what must hold between two objects, in this order. Leaves the machine as it was.
    pub fn of_pair(
        &mut self,
        session: &mut Session,
        one: (Var, Ref),
        other: (Var, Ref),
        next: Var,
        fuel: u64,
    ) -> Vec<Violation> {
        self.of_several(session, [one, other], next, fuel)
    }

    /// Judges what must hold between three objects, in this order. Leaves the machine as it was.
    pub fn of_triple(
        &mut self,
        session: &mut Session,
        one: (Var, Ref),
        other: (Var, Ref),
        third: (Var, Ref),
        next: Var,
        fuel: u64,
    ) -> Vec<Violation> {
        self.of_several(session, [one, other, third], next, fuel)
    }

    /// Judges whether the first object, a comparator, orders three others. Leaves the machine as it was.
    pub fn of_comparator(
        &mut self,
        session: &mut Session,
        comparator: (Var, Ref),
        [one, other, third]: [(Var, Ref); 3],
        next: Var,
        fuel: u64,
    ) -> Vec<Violation> {
        self.of_several(session, [comparator, one, other, third], next, fuel)
    }

    /// Whether an object is a comparator that somebody wrote, not a lambda.
    pub fn is_comparator(&self, vm: &Vm, object: Ref) -> bool {
        let class = vm.class_of(object);
        let is_written = !vm.class(class).hidden && !vm.class(class).is_spun;
        is_written && vm.is_subtype(class, self.known.types.comparator)
    }

    fn of_several<const N: usize>(
        &mut self,
        session: &mut Session,
        objects: [(Var, Ref); N],
        next: Var,
        fuel: u64,
    ) -> Vec<Violation> {
        let mut found = Vec::new();
        if objects.iter().any(|(_, object)| object.is_null()) {
            return found;
        }
        let traits = objects.map(|(_, object)| {
            let id = session.vm.class_of(object);
            self.traits(&session.vm, id)
        });
        let has_relations = traits.iter().any(|traits| traits.has_relations);
        if !has_relations && self.users.is_empty() {
            return found;
        }
        let of: [&Traits; N] = std::array::from_fn(|idx| &*traits[idx]);
        let values = objects.map(|(var, object)| Value::object(var, object));
        let n_classes = session.vm.classes.len();
        let mark = session.vm.mark();
        for contract in STANDARD {
            let judged = match (contract.law, &of[..], &values[..]) {
                (Law::Pair { applies, judge }, &[a, b], &[x, y])
                    if applies(a, b) && !self.is_off(contract.id) =>
                {
                    judge(&mut self.scene(session, next, fuel), x, y)
                }
                (Law::Triple { applies, judge }, &[a, b, c], &[x, y, z])
                    if applies(a, b, c) && !self.is_off(contract.id) =>
                {
                    judge(&mut self.scene(session, next, fuel), x, y, z)
                }
                (Law::Four { applies, judge }, &[a, ..], &[c, x, y, z])
                    if applies(a) && !self.is_off(contract.id) =>
                {
                    judge(&mut self.scene(session, next, fuel), c, [x, y, z])
                }
                _ => continue,
            };
            if let Err(Break::Violated) = judged {
                found.extend(self.violation(&session.vm, &Rule::Standard(contract), &of));
            }
            self.take_back(session, &mark, n_classes);
        }
        for idx in 0..self.users.len() {
            let user = self.users[idx].clone();
            if user.takes(&session.vm, &of.map(|traits| traits.id)) && !self.is_off(&user.id) {
                let judged = user.judge(&mut self.scene(session, next, fuel), &values);
                if let Err(Break::Violated) = judged {
                    found.extend(self.violation(&session.vm, &Rule::User(user), &of));
                }
                self.take_back(session, &mark, n_classes);
            }
        }
        session.vm.rollback(mark);
        found
    }

    fn take_back(&mut self, session: &mut Session, mark: &Mark, n_classes: usize) {
        if session.vm.classes.len() > n_classes {
            self.note_met(&session.vm, n_classes);
        }
        session.vm.rollback_to(mark);
    }

    fn scene<'a>(&'a mut self, session: &'a mut Session, next: Var, fuel: u64) -> Scene<'a> {
        Scene::new(session, &self.known, &mut self.record, next, fuel)
    }

    fn is_off(&self, id: &str) -> bool {
        self.only.as_ref().is_some_and(|only| **only != *id)
            || self.off.iter().any(|off| **off == *id)
    }

    /// What contracts ask of a class.
    fn traits(&mut self, vm: &Vm, id: ClassId) -> Arc<Traits> {
        let idx = id.idx();
        if self.classes.len() <= idx {
            self.classes.resize_with(idx + 1, || None);
        }
        let slot = &mut self.classes[idx];
        match slot {
            // A class that was loaded under a mark goes with it, and another may get its identifier.
            Some(entry) if Arc::ptr_eq(&entry.traits.class, vm.class(id)) => entry.traits.clone(),
            _ => {
                let traits = Arc::new(Traits::of(vm, &self.known, &self.users, id));
                *slot = Some(Entry { traits: traits.clone(), n_states: 0, is_settled: false });
                traits
            }
        }
    }

    fn is_turn_of_slow(&mut self, id: ClassId) -> bool {
        match self.slow {
            Slow::Always => true,
            Slow::Never => false,
            Slow::OneIn(many) => {
                let Some(Some(entry)) = self.classes.get_mut(id.idx()) else { return false };
                entry.n_states = entry.n_states.saturating_add(1);
                entry.n_states.is_power_of_two() || entry.n_states.is_multiple_of(many.max(1))
            }
        }
    }

    fn violation(&mut self, vm: &Vm, rule: &Rule, of: &[&Traits]) -> Option<Violation> {
        let broken = self.record.broken()?;
        let statements = self.record.statements();
        let mut must_throw = None;
        let mut threw = None;
        let call = self.record.last_call();
        let how = match broken {
            Broken::Check(_) if self.record.ends_in_sign() => format!("but {call} breaks that"),
            Broken::Check(actual) if self.record.ends_in_length() => {
                format!("but {call} gives {actual} of them")
            }
            Broken::Check(actual) => format!("but {call} gives {actual}"),
            Broken::Threw(exception) => {
                let thrown = thrown(vm, exception);
                let class = thrown.class.replace('/', ".");
                threw = Some(thrown);
                format!("but {call} throws {}", simple_name(&class))
            }
            Broken::Returned(class) => {
                must_throw = Some(scene::must_throw(class));
                format!("but {call} returns")
            }
        };
        let mut classes: Vec<String> =
            of.iter().map(|traits| simple_name(&traits.class.external_name())).collect();
        classes.dedup();
        let classes = classes.join(", ");
        let (contract, severity, rule): (Arc<str>, _, _) = match rule {
            Rule::Standard(contract) => {
                (contract.id.into(), contract.severity, contract.rule.to_owned())
            }
            Rule::User(user) => {
                (user.id.clone(), Severity::Error, format!("{} must return true", user.id))
            }
        };
        Some(Violation {
            contract,
            severity,
            statements,
            checks: self.record.checks(),
            must_throw,
            message: format!("{classes}: {rule}, {how}"),
            threw,
        })
    }
}

/// What can be said of an exception without running anything.
pub fn thrown(vm: &Vm, exception: Ref) -> Thrown {
    let class = vm.class_of(exception);
    let message = vm
        .lookup_field(class, b"detailMessage", b"Ljava/lang/String;")
        .and_then(|field| vm.heap.load_ref(exception, field.offset).some())
        .map(|text| vm.string_text(text));
    Thrown {
        class: vm.class(class).name.to_string().into(),
        message,
        location: exceptions::crash_location(vm, exception),
    }
}

/// The name of a class without its package, nested classes with dots.
fn simple_name(name: &str) -> String {
    let simple = name.rsplit('.').next().unwrap_or(name);
    simple.replace('$', ".")
}
