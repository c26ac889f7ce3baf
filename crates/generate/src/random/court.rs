//! Judges what a sequence did: contracts of the objects it ends with, conditions of the user, and
//! exceptions.

use std::collections::HashSet;
use std::sync::Arc;

use observe::contract::exceptions::{Ending, Exceptions, Input, Verdict, crash_location, ending};
use observe::contract::specs::Specs;
use observe::contract::{Contracts, Severity, Slow, Violation};
use observe::session::Session;
use suite::method::{Dispatch, Method};
use suite::sequence::{Arg, Var};
use suite::types::Type;
use vm::interp::Outcome;
use vm::value::{ClassId, Ref};

use super::worker::Met;

use crate::generics;

/// What is judged by, beside the standard contracts.
#[derive(Debug, Clone)]
pub struct Rules {
    /// Static boolean methods of the user by name: `com.acme.Rules.isSorted`.
    pub user: Vec<String>,
    /// Classes whose annotated methods are contracts, by internal name.
    pub annotated: Vec<String>,
    /// Contracts that are not judged, by identifier.
    pub off: Vec<String>,
    /// Pre- and postconditions.
    pub specs: Specs,
    /// Which exceptions are errors.
    pub exceptions: Exceptions,
}

impl Rules {
    /// The standard contracts alone.
    pub fn standard() -> Rules {
        Rules {
            user: Vec::new(),
            annotated: Vec::new(),
            off: Vec::new(),
            specs: Specs::default(),
            exceptions: Exceptions::standard(),
        }
    }
}

/// Something that is broken.
#[derive(Debug, Clone)]
pub struct Broken {
    /// What: `equals-reflexive`, `npe-on-non-null-input`.
    pub contract: Arc<str>,
    /// How bad that is.
    pub severity: Severity,
    /// The class it is about, by internal name.
    pub class: Arc<str>,
    /// The method that fails: `bugs.Money.hashCode`.
    pub method: String,
    /// Where it crashed, if it did.
    pub place: Option<String>,
    /// In a sentence.
    pub message: String,
    /// How the contract was judged; `None` where a call of the sequence itself ended badly.
    pub violation: Option<Violation>,
    /// Whether the last call does not come to an end.
    pub is_endless: bool,
}

impl Broken {
    /// Whether two are the same thing broken in all likelihood.
    pub fn is_like(&self, other: &Broken) -> bool {
        self.contract == other.contract && self.method == other.method && self.place == other.place
    }
}

/// An object that a sequence ends with.
#[derive(Debug, Clone, Copy)]
pub(super) struct Accused {
    pub(super) var: Var,
    pub(super) object: Ref,
    /// Whether it is in a state that was not judged before.
    pub(super) is_new: bool,
}

/// Objects of one sequence that are judged one by one, and together, at most, while sequences are drawn.
const MOST_SINGLE: usize = 4;
const MOST_TOGETHER: usize = 4;

/// Bytecodes that a contract may take, at most, and while sequences are drawn: objects that are so large that it
/// takes longer are judged now and then.
const MOST_FUEL: u64 = 4_000_000;
const SLOW_FUEL: u64 = 400_000;
const HASTY_FUEL: u64 = 30_000;

/// Judges on one machine.
pub(super) struct Court {
    contracts: Contracts,
    specs: Specs,
    exceptions: Exceptions,
    /// Bytecodes that one contract may take, and all that it may ever take.
    fuel: u64,
    most_fuel: u64,
    /// Objects that are judged one by one, and together, at most.
    most: (usize, usize),
}

impl Court {
    pub(super) fn new(session: &mut Session, rules: &Rules, fuel: u64) -> Result<Court, String> {
        let mut contracts = Contracts::standard(session).map_err(|error| error.to_string())?;
        for name in &rules.user {
            contracts.add_user(session, name).map_err(|error| error.to_string())?;
        }
        for class in &rules.annotated {
            contracts.add_annotated(session, class).map_err(|error| error.to_string())?;
        }
        for id in &rules.off {
            if !contracts.switch_off(id) {
                let mut known: Vec<&str> = Contracts::list().map(|(id, _)| id).collect();
                let mut named = HashSet::new();
                known.retain(|id| named.insert(*id));
                return Err(format!(
                    "there is no contract {id}\nhint: one of {}",
                    known.join(", ")
                ));
            }
        }
        let mut specs = rules.specs.clone();
        specs.bind(session).map_err(|error| error.to_string())?;
        Ok(Court {
            contracts,
            specs,
            exceptions: rules.exceptions.clone(),
            fuel: fuel.min(MOST_FUEL),
            most_fuel: fuel.min(MOST_FUEL),
            most: (MOST_SINGLE, MOST_TOGETHER),
        })
    }

    /// Says whether contracts are judged now that take long.
    pub(super) fn with_slow(&mut self, is_judged: bool) {
        self.contracts.slow = if is_judged { Slow::Always } else { Slow::Never };
        self.fuel = self.most_fuel.min(if is_judged { SLOW_FUEL } else { HASTY_FUEL });
    }

    /// Judges in every state, whatever it costs.
    pub(super) fn is_thorough(&mut self) {
        self.contracts.slow = Slow::Always;
        self.most = (usize::MAX, 2 * MOST_TOGETHER);
    }

    /// Judges objects by this contract alone from now on, or by all again.
    pub(super) fn judge_only(&mut self, contract: Option<&Arc<str>>) {
        self.contracts.judge_only(contract);
    }

    /// Does for good what judging did on its way.
    pub(super) fn settle(&mut self, session: &mut Session) {
        self.contracts.settle(session);
    }

    /// Whether there are conditions of the user.
    pub(super) fn has_conditions(&self) -> bool {
        !self.specs.is_empty()
    }

    /// What judging does anew after every rollback, since this was last asked: classes are initialised,
    /// lambdas and concatenations in them linked.
    pub(super) fn take_met(&mut self) -> Vec<Met> {
        let initialised = self.contracts.take_met().into_iter().flat_map(|name| {
            let linked = Met::Linked(name.clone());
            [Met::Initialised(name), linked]
        });
        initialised.collect()
    }

    /// Whether the user's preconditions let a call happen.
    pub(super) fn lets(&self, session: &mut Session, method: &Method, args: &[u64]) -> bool {
        self.specs.is_empty()
            || self
                .specs
                .pre_of(method)
                .all(|condition| condition.lets(session, args, self.most_fuel))
    }

    /// Judges a call that returned by the user's postconditions.
    pub(super) fn after(
        &self,
        session: &mut Session,
        method: &Method,
        args: &[(Arg, u64)],
        next: Var,
    ) -> Option<Broken> {
        if self.specs.is_empty() {
            return None;
        }
        let mut conditions = self.specs.post_of(method);
        let violation = conditions
            .find_map(|condition| condition.judge(session, args, next, self.most_fuel))?;
        Some(of_violation(violation, method.class.clone(), &method.to_string()))
    }

    /// Judges how a call with these arguments ended that did not return; `None` where that is no error. The
    /// second part says whether the sequence is of no use at all.
    pub(super) fn of_end(
        &mut self,
        session: &mut Session,
        method: &Arc<Method>,
        outcome: &Outcome,
        input: Input,
        args: &[u64],
    ) -> (Option<Broken>, bool) {
        let mut verdict = self.exceptions.classify(&session.vm, outcome, input);
        let mut input = input;
        if verdict == Verdict::Error {
            // Only now, since it costs more than the call.
            if !self.is_legal(session, method, outcome, args, &mut input) {
                return (None, true);
            }
            verdict = self.exceptions.classify(&session.vm, outcome, input);
        }
        let vm = &session.vm;
        match verdict {
            Verdict::Expected => (None, false),
            Verdict::Invalid => (None, true),
            Verdict::Error => {
                let Some(ending) = ending(vm, outcome, input.had_null) else { return (None, true) };
                let is_endless = matches!(outcome, Outcome::Stopped(_));
                let (what, place) = match outcome {
                    Outcome::Threw(exception) => {
                        let name = vm.external_name(vm.class_of(*exception));
                        (format!("throws {name}"), crash_location(vm, *exception))
                    }
                    _ => ("does not come to an end".to_owned(), None),
                };
                let broken = Broken {
                    contract: ending.option().into(),
                    severity: Severity::Error,
                    class: method.class.clone(),
                    method: method.to_string(),
                    message: format!("{method} {what}"),
                    place,
                    violation: None,
                    is_endless,
                };
                (Some(broken), true)
            }
        }
    }

    /// Whether nothing about the arguments excuses how a call ended. Says where `null` is inside of one.
    fn is_legal(
        &mut self,
        session: &mut Session,
        method: &Arc<Method>,
        outcome: &Outcome,
        args: &[u64],
        input: &mut Input,
    ) -> bool {
        let resolved = session.resolve(method);
        if resolved.is_ok_and(|found| session.vm.method(found.id).caller_sensitive) {
            // It asks which class called it. In a test there is one; a call that the machine makes has none.
            return false;
        }
        let own = method.arguments();
        let objects: Vec<Ref> = own
            .iter()
            .zip(args)
            .filter(|(of, _)| of.is_reference())
            .map(|(_, &word)| Ref::from_slot(word))
            .collect();
        let content = self.contracts.content(session, &objects, self.most_fuel);
        input.had_null |= content.has_null;
        let is_deep = matches!(
            ending(&session.vm, outcome, input.had_null),
            Some(Ending::StackOverflow | Ending::OutOfMemory | Ending::Endless)
        );
        if is_deep && content.has_itself {
            return false;
        }
        // Where a class object is wanted, generic signatures say of which classes.
        let receiver = usize::from(method.has_receiver());
        let is_class = |of: &Type| matches!(of, Type::Class(name) if **name == *"java/lang/Class");
        if !own.iter().skip(receiver).any(is_class) {
            return true;
        }
        let wanted = generics::parameters(session, method);
        wanted.iter().zip(args.iter().skip(receiver)).all(|(wanted, &word)| {
            let [bound] = &wanted.arguments[..] else { return true };
            if !is_class(&wanted.erasure) || word == 0 {
                return true;
            }
            let Ok(bound) = session.class_of_type(&bound.erasure) else { return true };
            let given = session.vm.class_of_mirror(Ref::from_slot(word));
            session.vm.is_subtype(given, bound)
        })
    }

    /// Judges objects, one by one and together; if they are `related`, also where none of them is new. Where
    /// `null` was passed in, exceptions that only say so are no news.
    pub(super) fn of_objects(
        &mut self,
        session: &mut Session,
        objects: &[Accused],
        related: bool,
        had_null: bool,
        next: Var,
    ) -> Vec<Broken> {
        let mut found = self.of_all(session, objects, related, next);
        if had_null && self.exceptions.of(Ending::NpeOnNullInput) != Verdict::Error {
            found.retain(|broken| !is_of_null(broken));
        }
        found
    }

    /// Judges the comparators among some objects by those of them that are judged together. A comparator is
    /// often the oldest.
    fn of_comparators(
        &mut self,
        session: &mut Session,
        objects: &[Accused],
        together: &[Accused],
        related: bool,
        next: Var,
    ) -> Vec<Broken> {
        let mut found = Vec::new();
        for comparator in objects {
            if !self.contracts.is_comparator(&session.vm, comparator.object) {
                continue;
            }
            let others = together.iter().filter(|other| other.object != comparator.object);
            let others: Vec<Accused> = others.copied().collect();
            let is_any_new = related || together.iter().any(|one| one.is_new);
            for three in triples(&others).into_iter().filter(|_| is_any_new) {
                let class = session.vm.class_of(comparator.object);
                let three = three.map(|one| (one.var, one.object));
                let comparator = (comparator.var, comparator.object);
                for violation in
                    self.contracts.of_comparator(session, comparator, three, next, self.fuel)
                {
                    add(&mut found, session, class, violation);
                }
            }
        }
        found
    }

    fn of_all(
        &mut self,
        session: &mut Session,
        objects: &[Accused],
        related: bool,
        next: Var,
    ) -> Vec<Broken> {
        let mut found: Vec<Broken> = Vec::new();
        for one in objects.iter().rev().filter(|one| one.is_new).take(self.most.0) {
            let class = session.vm.class_of(one.object);
            for violation in
                self.contracts.of_object(session, (one.var, one.object), next, self.fuel)
            {
                add(&mut found, session, class, violation);
            }
        }
        // The youngest first: they are what the last call was about.
        let together: Vec<Accused> = objects.iter().rev().take(self.most.1).copied().collect();
        for (idx, &one) in together.iter().enumerate() {
            for &other in &together[idx + 1..] {
                if !(related || one.is_new || other.is_new) {
                    continue;
                }
                for (a, b) in [(one, other), (other, one)] {
                    let class = session.vm.class_of(a.object);
                    let (a, b) = ((a.var, a.object), (b.var, b.object));
                    for violation in self.contracts.of_pair(session, a, b, next, self.fuel) {
                        add(&mut found, session, class, violation);
                    }
                }
            }
        }
        found.extend(self.of_comparators(session, objects, &together, related, next));
        if related {
            for [a, b, c] in triples(&together) {
                let class = session.vm.class_of(a.object);
                let of = |one: Accused| (one.var, one.object);
                for violation in
                    self.contracts.of_triple(session, of(a), of(b), of(c), next, self.fuel)
                {
                    add(&mut found, session, class, violation);
                }
            }
        }
        found
    }
}

/// Whether an exception that a contract met may only say that there is a `null`.
fn is_of_null(broken: &Broken) -> bool {
    let threw = broken.violation.as_ref().and_then(|violation| violation.threw.as_ref());
    let refusals = ["java/lang/NullPointerException", "java/lang/IllegalArgumentException"];
    threw.is_some_and(|threw| refusals.contains(&&*threw.class))
}

/// All ways to take three of these, in any order.
fn triples(of: &[Accused]) -> Vec<[Accused; 3]> {
    let mut triples = Vec::new();
    for (i, &a) in of.iter().enumerate() {
        for (j, &b) in of.iter().enumerate().filter(|(j, _)| *j != i) {
            let others = of.iter().enumerate().filter(|(k, _)| *k != i && *k != j);
            triples.extend(others.map(|(_, &c)| [a, b, c]));
        }
    }
    triples
}

/// Adds what is not known yet.
fn add(found: &mut Vec<Broken>, session: &Session, class: ClassId, violation: Violation) {
    let name: Arc<str> = session.vm.class(class).name.to_string().into();
    // What was only done to a result, such as counting the elements of an array, is nobody's fault.
    let is_asked = |method: &&Arc<Method>| {
        method.dispatch != Dispatch::Static || !method.class.starts_with("java/lang/")
    };
    let mut last = violation.statements.iter().filter_map(|statement| statement.method());
    let method = match last.rfind(is_asked) {
        Some(method) if method.class.starts_with("java/") => {
            format!("{}.{}", session.vm.external_name(class), method.name)
        }
        Some(method) => format!("{}.{}", method.class.replace('/', "."), method.name),
        None => session.vm.external_name(class),
    };
    let broken = of_violation(violation, name, &method);
    if !found.iter().any(|known| known.is_like(&broken)) {
        found.push(broken);
    }
}

fn of_violation(violation: Violation, class: Arc<str>, method: &str) -> Broken {
    Broken {
        contract: violation.contract.clone(),
        severity: violation.severity,
        class,
        method: method.to_owned(),
        place: violation.threw.as_ref().and_then(|thrown| thrown.location.clone()),
        message: violation.message.clone(),
        violation: Some(violation),
        is_endless: false,
    }
}
