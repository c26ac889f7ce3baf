//! Argument lists: a method with the arguments of one call, without a receiver.
//!
//! Where arguments come from, most exact first: what the user gave for a method, what the user gave for
//! a type, what existing tests used, and defaults (as JCrasher's: -1, 0, 1 and the like, constructors
//! of argument classes up to a depth) together with constants of the class's own code.

pub mod collected;
mod constants;
mod defaults;
mod given;
mod implementations;
mod trial;

use std::collections::BTreeMap;
use std::sync::Arc;

use observe::session::Session;
use suite::constant::Constant;
use suite::method::Method;
use suite::sequence::{Operation, Sequence, Var};
use suite::types::Type;

use crate::generics::{self, Wanted};

pub(crate) use constants::{of_class as own_constants, words_of as own_words};
use defaults::Known;
pub(crate) use defaults::{
    constants as default_constants, fits_arguments, place, wanted_constants,
};
pub use given::{Given, GivenError, literal};
pub(crate) use implementations::calls as well_known_calls;
pub use implementations::{Candidate, Implementations, well_known};

/// An argument: a constant, or what a sequence of calls builds anew for every call.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Argument {
    /// Written down in place.
    Constant(Constant),
    /// The value of a variable of a sequence.
    Built(Arc<Sequence>, Var),
}

/// A method with the arguments of one call.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ArgumentList {
    /// The method.
    pub method: Arc<Method>,
    /// The object on which the method is called that makes an object under test: its builder. `None` for static
    /// methods, constructors and calls on the object under test itself.
    pub receiver: Option<Argument>,
    /// One argument per parameter.
    pub arguments: Vec<Argument>,
}

impl ArgumentList {
    /// What the call gives, where it needs no object under test.
    pub(crate) fn made(&self) -> Option<Argument> {
        let mut sequence = Sequence::empty();
        let all = self.receiver.iter().chain(&self.arguments);
        let args = all.map(|argument| place(&mut sequence, argument)).collect();
        let var = sequence.push(Operation::Call(self.method.clone()), args).ok()?;
        Some(Argument::Built(Arc::new(sequence), var))
    }
}

/// Calls on other objects, such as builders, that make objects of a class.
pub fn calls_on_others(session: &mut Session, class: &str, plan: &Plan) -> Vec<ArgumentList> {
    defaults::calls_on_others(session, class, plan)
}

/// How argument lists are made.
#[derive(Debug, Clone)]
pub struct Plan {
    /// What the user gave.
    pub given: Given,
    /// Constructors inside constructors of arguments, at most.
    pub depth: usize,
    /// Argument lists per method, at most; values are thinned out to stay below.
    pub most_per_method: usize,
    /// Whether constants of the classes' own code are used.
    pub own_constants: bool,
    /// Whether defaults are used even where tests gave values.
    pub always_defaults: bool,
    /// What stands in for interfaces and abstract classes.
    pub implementations: Arc<Implementations>,
}

/// Values by type, and whole argument lists by method.
#[derive(Debug, Clone, Default)]
pub struct Pool {
    by_type: BTreeMap<Type, Vec<Argument>>,
    by_method: BTreeMap<Arc<Method>, Vec<Vec<Argument>>>,
}

impl Pool {
    /// Adds a value unless it is there.
    pub fn add(&mut self, of: Type, argument: Argument) {
        let values = self.by_type.entry(of).or_default();
        if !values.contains(&argument) {
            values.push(argument);
        }
    }

    /// Adds the arguments of a call of a method unless they are there.
    pub fn add_list(&mut self, method: &Arc<Method>, arguments: Vec<Argument>) {
        let lists = self.by_method.entry(method.clone()).or_default();
        if !lists.contains(&arguments) {
            lists.push(arguments);
        }
    }

    /// The arguments with which a method was called, in the order in which they were added.
    pub fn lists_of(&self, method: &Arc<Method>) -> &[Vec<Argument>] {
        self.by_method.get(method).map_or(&[], Vec::as_slice)
    }

    /// Number of argument lists, over all methods.
    pub fn n_lists(&self) -> usize {
        self.by_method.values().map(Vec::len).sum()
    }

    /// All values that are written down in place, in the order of types.
    pub fn constants(&self) -> Vec<Constant> {
        let constant = |argument: &Argument| match argument {
            Argument::Constant(constant) => Some(constant.clone()),
            Argument::Built(..) => None,
        };
        self.by_type.values().flatten().filter_map(constant).collect()
    }

    /// The values of a type, in the order in which they were added.
    pub fn of(&self, wanted: &Type) -> &[Argument] {
        self.by_type.get(wanted).map_or(&[], Vec::as_slice)
    }
}

/// A method that cannot be called, and the type of which there is no value.
pub type Uncallable = (Arc<Method>, Type);

/// Makes argument lists for methods, in their order: those with which tests called it, or else all
/// combinations of values of its parameters' types; with `always_defaults` both. A method for which there is no value of some
/// parameter gets none; it is named in the second part with the type that is missing.
pub fn lists(
    session: &mut Session,
    methods: &[Arc<Method>],
    collected: &Pool,
    plan: &Plan,
) -> (Vec<ArgumentList>, Vec<Uncallable>) {
    let mut pool = Pool::default();
    if plan.own_constants {
        let mut classes: Vec<&str> = methods.iter().map(|method| &*method.class).collect();
        classes.dedup();
        for class in classes {
            constants::collect(session, class, &mut pool);
        }
    }
    let mut lists = Vec::new();
    let mut missing = Vec::new();
    let mut known = Known::default();
    for method in methods {
        let seen = collected.lists_of(method);
        let is_given = plan.given.is_for(method);
        if !seen.is_empty() && !is_given {
            let of = |arguments: &Vec<Argument>| ArgumentList {
                method: method.clone(),
                receiver: None,
                arguments: arguments.clone(),
            };
            lists.extend(seen.iter().take(plan.most_per_method.max(1)).map(of));
            if !plan.always_defaults {
                continue;
            }
        }
        let mut choices: Vec<Vec<Argument>> = Vec::new();
        let mut lacking = None;
        let wanted = generics::parameters(session, method).into_iter().map(generics::settled);
        let wanted: Vec<Wanted> = wanted.collect();
        for (position, parameter) in method.parameters.iter().enumerate() {
            let wanted = &wanted[position];
            let from = Sources { collected, own: &pool, plan };
            let values = values(session, method, position, wanted, from, &mut known);
            if values.is_empty() {
                lacking = Some(parameter.clone());
                break;
            }
            choices.push(values);
        }
        match lacking {
            Some(_) if !seen.is_empty() && !is_given => {}
            Some(parameter) => missing.push((method.clone(), parameter)),
            None => {
                let n_seen = if is_given { 0 } else { seen.len().min(plan.most_per_method) };
                let start = lists.len() - n_seen;
                let mut more = Vec::new();
                combine(method, choices, plan.most_per_method, &mut more);
                more.retain(|list| !lists[start..].contains(list));
                more.truncate(plan.most_per_method.max(1) - n_seen);
                lists.append(&mut more);
            }
        }
    }
    (lists, missing)
}

/// Where values come from.
#[derive(Clone, Copy)]
struct Sources<'a> {
    /// From tests.
    collected: &'a Pool,
    /// From the class's own code.
    own: &'a Pool,
    plan: &'a Plan,
}

/// The values that one parameter takes.
fn values(
    session: &mut Session,
    method: &Method,
    position: usize,
    wanted: &Wanted,
    from: Sources<'_>,
    known: &mut Known,
) -> Vec<Argument> {
    let Sources { collected, own, plan } = from;
    let parameter = &method.parameters[position];
    if let Some(values) = plan.given.for_parameter(method, position, parameter) {
        return values.to_vec();
    }
    let mut tested = collected.of(parameter).to_vec();
    if !tested.is_empty() && !plan.always_defaults {
        return tested;
    }
    for value in defaults(session, (method, parameter), wanted, own, plan, known) {
        if !tested.contains(&value) {
            tested.push(value);
        }
    }
    tested
}

/// The values that a parameter takes where nobody knows better.
fn defaults(
    session: &mut Session,
    (method, parameter): (&Method, &Type),
    wanted: &Wanted,
    own: &Pool,
    plan: &Plan,
    known: &mut Known,
) -> Vec<Argument> {
    if &*method.name == "equals" && *parameter == Type::class("java/lang/Object") {
        // Objects of its own class, one of another and none.
        let mut values = defaults::of_type(
            session,
            &Wanted::plain(Type::Class(method.class.clone())),
            plan,
            known,
        );
        let other = Constant::Boxed(Box::new(Constant::Int(1)));
        values.push(Argument::Constant(other));
        return values;
    }
    let mut values = defaults::of_type(session, wanted, plan, known);
    for constant in own.of(&read_as(parameter)) {
        if !values.contains(constant) {
            values.push(constant.clone());
        }
    }
    values
}

/// The type of the constants that a parameter takes: texts where it takes any sequence of letters.
fn read_as(parameter: &Type) -> Type {
    let is_any = *parameter == Type::class("java/lang/CharSequence");
    if is_any { Type::class("java/lang/String") } else { parameter.clone() }
}

/// All combinations; where there are too many, later values of the longest choices go first.
fn combine(
    method: &Arc<Method>,
    mut choices: Vec<Vec<Argument>>,
    most: usize,
    lists: &mut Vec<ArgumentList>,
) {
    while choices.iter().map(Vec::len).product::<usize>() > most.max(1) {
        let Some(longest) = choices.iter_mut().rev().max_by_key(|values| values.len()) else {
            break;
        };
        if longest.len() == 1 {
            break;
        }
        longest.pop();
    }
    let mut at = vec![0; choices.len()];
    loop {
        let arguments = at.iter().zip(&choices).map(|(&idx, values)| values[idx].clone()).collect();
        lists.push(ArgumentList { method: method.clone(), receiver: None, arguments });
        let mut position = choices.len();
        loop {
            if position == 0 {
                return;
            }
            position -= 1;
            at[position] += 1;
            if at[position] < choices[position].len() {
                break;
            }
            at[position] = 0;
        }
    }
}
