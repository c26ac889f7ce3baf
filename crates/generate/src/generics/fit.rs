//! Whether a value of one type can be used where another is wanted, type arguments included, and with
//! which type arguments a call must be seen to give what is wanted.
//!
//! Looks at loaded classes alone, so that asking changes nothing on the machine.

use std::sync::Arc;

use observe::session::Session;
use suite::java_type::{ClassType, JavaType, Substitution, TypeArg, TypeParameter, substitute};
use suite::method::Method;
use suite::types::Type;
use vm::value::ClassId;

use super::{
    MOST_DEPTH, MOST_SUPERTYPES, Wanted, add_new, class_of, erase, loaded, see, wanted_of,
};

const OBJECT: &str = "java/lang/Object";
const COMPARABLE: &str = "java/lang/Comparable";
/// What type variables stand for that only want an order.
const ORDERED: &str = "java/lang/Integer";
/// Type arguments within type arguments, at most.
const DEEPEST: usize = 3;

/// What a call takes, receiver first, and gives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Usage {
    pub(crate) arguments: Vec<Wanted>,
    pub(crate) result: Wanted,
}

/// The same with one choice for each type variable, so that all that has its type goes together: its
/// bound, or numbers where only an order is asked for. Type arguments that say nothing are left out.
pub(crate) fn settled(wanted: Wanted) -> Wanted {
    settled_within(wanted, DEEPEST)
}

fn settled_within(mut wanted: Wanted, depth: usize) -> Wanted {
    if wanted.variable.take().is_some() && wanted.erasure == Type::class(COMPARABLE) {
        return Wanted::plain(Type::class(ORDERED));
    }
    if depth == 0 {
        wanted.arguments.clear();
    }
    let arguments = std::mem::take(&mut wanted.arguments);
    wanted.arguments = arguments.into_iter().map(|one| settled_within(one, depth - 1)).collect();
    let says_nothing = match (&wanted.erasure, wanted.arguments.as_slice()) {
        (Type::Array(element), [inner]) => inner.arguments.is_empty() && **element == inner.erasure,
        (_, arguments) => arguments.iter().all(|one| *one == Wanted::plain(Type::class(OBJECT))),
    };
    if says_nothing {
        wanted.arguments.clear();
    }
    wanted
}

/// A call seen with the type arguments by which its result is what is wanted. `None` where none within
/// the bounds of their parameters lead there.
pub(crate) fn to_give(session: &mut Session, method: &Method, wanted: &Wanted) -> Option<Usage> {
    let own = class_of(session, &method.class)?.0;
    let variable =
        |parameter: &TypeParameter| TypeArg::Exact(JavaType::Variable(parameter.name.clone()));
    let itself = JavaType::Class(ClassType {
        name: method.class.clone(),
        args: own.iter().map(variable).collect(),
    });
    let seen = see(session, method)?;
    let mut formals: Vec<JavaType> = method.parameters.iter().map(JavaType::of).collect();
    // The signatures of some constructors leave out parameters that the compiler added.
    if seen.signature.parameters.len() == formals.len() {
        formals = seen.signature.parameters.iter().map(|of| substitute(of, &seen.with)).collect();
    }
    let returns = match method.is_constructor() {
        true => itself.clone(),
        false => substitute(&seen.signature.returns, &seen.with),
    };
    if method.has_receiver() {
        formals.insert(0, itself);
    }
    let mut variables = seen.variables;
    // A constructor gives its own class whoever declares it.
    variables.extend(own);
    let mut with = Substitution::new();
    if !wanted.arguments.is_empty() {
        let (JavaType::Class(returns), Type::Class(name)) = (&returns, &wanted.erasure) else {
            return None;
        };
        let seen_as = as_super(session, returns, name)?;
        let goes = unify(&JavaType::Class(seen_as), wanted, &variables, &mut with);
        if !goes || !is_within_bounds(session, &variables, &with) {
            return None;
        }
    }
    let mut choose = |of: &JavaType| {
        settled(wanted_of(session, &substitute(of, &with), &variables, &mut Vec::new()))
    };
    Some(Usage { arguments: formals.iter().map(&mut choose).collect(), result: choose(&returns) })
}

/// Whether a value can be used where another is wanted. Type arguments must be the same; those that a
/// class fixes for all of its objects may also be subtypes.
pub(crate) fn gives(session: &mut Session, own: &Wanted, wanted: &Wanted) -> bool {
    gives_within(session, own, wanted, DEEPEST)
}

fn gives_within(session: &mut Session, own: &Wanted, wanted: &Wanted, depth: usize) -> bool {
    if own == wanted {
        return true;
    }
    if depth == 0 || !is_subtype(session, &own.erasure, &wanted.erasure) {
        return false;
    }
    if wanted.arguments.is_empty() {
        return true;
    }
    let (JavaType::Class(seen), Type::Class(name)) = (java_type(own), &wanted.erasure) else {
        return false;
    };
    let Some(seen) = as_super(session, &seen, name) else { return false };
    if seen.args.len() != wanted.arguments.len() {
        return false;
    }
    let is_fixed = own.arguments.is_empty();
    seen.args.iter().zip(&wanted.arguments).all(|(arg, wanted)| {
        let TypeArg::Exact(arg) = arg else { return false };
        let Some(arg) = exact(arg) else { return false };
        arg == *wanted || is_fixed && gives_within(session, &arg, wanted, depth - 1)
    })
}

/// A type without variables and wildcards, as what is wanted.
fn exact(of: &JavaType) -> Option<Wanted> {
    Some(match of {
        JavaType::Null | JavaType::Variable(_) => return None,
        JavaType::Primitive(primitive) => Wanted::plain(primitive.clone()),
        JavaType::Array(element) => {
            let element = exact(element)?;
            let erasure = Type::Array(Box::new(element.erasure.clone()));
            settled(Wanted { erasure, variable: None, arguments: vec![element] })
        }
        JavaType::Class(class) => {
            let mut wanted = Wanted::plain(Type::Class(class.name.clone()));
            for arg in &class.args {
                let TypeArg::Exact(inner) = arg else { return None };
                wanted.arguments.push(exact(inner)?);
            }
            settled(wanted)
        }
    })
}

fn java_type(of: &Wanted) -> JavaType {
    match (&of.erasure, of.arguments.as_slice()) {
        (Type::Class(name), arguments) => JavaType::Class(ClassType {
            name: name.clone(),
            args: arguments.iter().map(|one| TypeArg::Exact(java_type(one))).collect(),
        }),
        (Type::Array(_), [element]) => JavaType::Array(Box::new(java_type(element))),
        (erasure, _) => JavaType::of(erasure),
    }
}

/// A class type as its supertype of this name; without type arguments where it is raw.
fn as_super(session: &mut Session, class: &ClassType, name: &str) -> Option<ClassType> {
    let mut waiting = vec![class.clone()];
    let mut idx = 0;
    while let Some(next) = waiting.get(idx).cloned() {
        if *next.name == *name {
            return Some(next);
        }
        idx += 1;
        if MOST_SUPERTYPES < waiting.len() {
            return None;
        }
        let Some((own, supertypes)) = class_of(session, &next.name) else { continue };
        let is_raw = next.args.is_empty() && !own.is_empty();
        let with = suite::java_type::substitution(&own, &next.args);
        add_new(&mut waiting, supertypes, &with, is_raw);
    }
    None
}

/// Notes what type variables must be for a type to be what is wanted; whether that is possible.
fn unify(
    formal: &JavaType,
    wanted: &Wanted,
    variables: &[TypeParameter],
    with: &mut Substitution,
) -> bool {
    match (formal, &wanted.erasure) {
        (JavaType::Variable(name), _)
            if variables.iter().any(|variable| variable.name == *name) =>
        {
            let own = TypeArg::Exact(java_type(wanted));
            *with.entry(name.clone()).or_insert_with(|| own.clone()) == own
        }
        (JavaType::Primitive(own), erasure) => own == erasure,
        (JavaType::Array(own), Type::Array(erasure)) => {
            let element = wanted.arguments.first().cloned();
            let element = element.unwrap_or_else(|| Wanted::plain((**erasure).clone()));
            unify(own, &element, variables, with)
        }
        (JavaType::Class(own), Type::Class(name)) => {
            own.name == *name
                && (wanted.arguments.is_empty() || own.args.len() == wanted.arguments.len())
                && own.args.iter().zip(&wanted.arguments).all(|(arg, wanted)| match arg {
                    TypeArg::Exact(inner) | TypeArg::Extends(inner) | TypeArg::Super(inner) => {
                        unify(inner, wanted, variables, with)
                    }
                    TypeArg::Any => true,
                })
        }
        _ => false,
    }
}

fn is_within_bounds(
    session: &mut Session,
    variables: &[TypeParameter],
    with: &Substitution,
) -> bool {
    with.iter().all(|(name, own)| {
        let TypeArg::Exact(own) = own else { return true };
        let own = erase(own, variables, MOST_DEPTH);
        let bounds = variables.iter().filter(|variable| variable.name == *name);
        let bounds: Vec<Type> = bounds
            .flat_map(|variable| &variable.bounds)
            .map(|bound| erase(&substitute(bound, with), variables, MOST_DEPTH))
            .collect();
        bounds.iter().all(|bound| is_subtype(session, &own, bound))
    })
}

fn is_subtype(session: &mut Session, own: &Type, wanted: &Type) -> bool {
    if own == wanted || own.is_reference() && *wanted == Type::class(OBJECT) {
        return true;
    }
    match (id_of(session, own), id_of(session, wanted)) {
        (Some(own), Some(wanted)) => session.vm.is_subtype(own, wanted),
        _ => false,
    }
}

fn id_of(session: &mut Session, of: &Type) -> Option<ClassId> {
    match of {
        Type::Class(name) => loaded(session, name),
        Type::Array(_) => {
            let name: Arc<str> = of.descriptor().into();
            loaded(session, &name)
        }
        _ => None,
    }
}
