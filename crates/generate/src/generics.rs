//! What a parameter wants beyond its erased type: the bound of a type variable, what a collection should
//! hold. Read from the generic signatures of class files (JVMS §4.7.9.1), which no verifier checks: good
//! advice, not a promise.

mod fit;

use std::sync::Arc;

use classfile::mutf8;
use observe::session::Session;
use suite::java_type::{
    ClassType, JavaType, MethodSignature, Substitution, TypeArg, TypeParameter, class_signature,
    method_signature, substitute, substitution,
};
use suite::method::Method;
use suite::types::Type;
use vm::value::{ClassId, LoaderId};

pub(crate) use fit::{Usage, gives, settled, to_give};

const OBJECT: &str = "java/lang/Object";
/// Deeper nesting of type arguments than a value is chosen by.
const MOST_DEPTH: usize = 6;
/// More supertypes than programs have; a cycle in broken classes ends here.
const MOST_SUPERTYPES: usize = 200;

/// What a value should be to be used without surprise.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Wanted {
    /// The erased type that it should have; for a type variable its most telling bound.
    pub erasure: Type,
    /// The type variable it stands for; all of one name in a method should have the same type.
    pub variable: Option<Arc<str>>,
    /// What its type arguments should be, for an array its elements; none where nothing is known.
    pub arguments: Vec<Wanted>,
}

impl Wanted {
    /// A type of which no more is known.
    pub fn plain(erasure: Type) -> Wanted {
        Wanted { erasure, variable: None, arguments: Vec::new() }
    }
}

/// What the parameters of a method want, without the receiver.
pub fn parameters(session: &mut Session, method: &Method) -> Vec<Wanted> {
    types(session, method).0
}

/// What the result of a method is.
pub fn result(session: &mut Session, method: &Method) -> Wanted {
    types(session, method).1
}

/// Parameters and result of a method of a type, as seen through its type arguments.
pub(crate) fn through(
    session: &mut Session,
    of: &Wanted,
    method: &Method,
) -> (Vec<Wanted>, Wanted) {
    let (mut parameters, mut result) = types(session, method);
    let class = class_of(session, &method.class).map_or_else(Vec::new, |class| class.0);
    for one in parameters.iter_mut().chain([&mut result]) {
        put_in(one, &class, &of.arguments);
    }
    (parameters, result)
}

/// Names of the type parameters of a class.
pub(crate) fn type_parameters(session: &mut Session, class: &str) -> Vec<Arc<str>> {
    let parameters = class_of(session, class).map_or_else(Vec::new, |class| class.0);
    parameters.into_iter().map(|parameter| parameter.name).collect()
}

fn put_in(wanted: &mut Wanted, parameters: &[TypeParameter], arguments: &[Wanted]) {
    let position =
        parameters.iter().position(|parameter| wanted.variable.as_ref() == Some(&parameter.name));
    match position.and_then(|position| arguments.get(position)) {
        Some(argument) => *wanted = argument.clone(),
        None => {
            for inner in &mut wanted.arguments {
                put_in(inner, parameters, arguments);
            }
        }
    }
}

fn types(session: &mut Session, method: &Method) -> (Vec<Wanted>, Wanted) {
    let mut parameters: Vec<Wanted> =
        method.parameters.iter().cloned().map(Wanted::plain).collect();
    let mut result = Wanted::plain(method.result());
    let Some(seen) = see(session, method) else { return (parameters, result) };
    // The signatures of some constructors leave out parameters that the compiler added.
    if seen.signature.parameters.len() == parameters.len() {
        for (wanted, own) in parameters.iter_mut().zip(&seen.signature.parameters) {
            let own = substitute(own, &seen.with);
            *wanted = wanted_of(session, &own, &seen.variables, &mut Vec::new());
        }
    }
    if !method.is_constructor() {
        let own = substitute(&seen.signature.returns, &seen.with);
        result = wanted_of(session, &own, &seen.variables, &mut Vec::new());
    }
    (parameters, result)
}

/// A method's signature, seen through the class by which it is named.
struct Seen {
    signature: MethodSignature,
    /// What stands for the variables of the class that declares it.
    with: Substitution,
    /// All that may occur in it then.
    variables: Vec<TypeParameter>,
}

fn see(session: &mut Session, method: &Method) -> Option<Seen> {
    let descriptor = method.descriptor();
    let (root, _) = class_of(session, &method.class)?;
    let mut waiting = vec![ClassType { name: method.class.clone(), args: Vec::new() }];
    let mut idx = 0;
    while let Some(holder) = waiting.get(idx).cloned() {
        let is_root = idx == 0;
        idx += 1;
        let Some((own, supertypes)) = class_of(session, &holder.name) else { continue };
        let mut with = substitution(&own, &holder.args);
        if let Some(signature) = declared(session, &holder.name, &method.name, &descriptor) {
            for shadowing in &signature.type_parameters {
                with.remove(&shadowing.name);
            }
            let is_open = !is_root && holder.args.is_empty();
            let of_class = if is_open { &own } else { &root };
            let variables = [&signature.type_parameters[..], of_class].concat();
            return Some(Seen { signature, with, variables });
        }
        if method.is_constructor() || MOST_SUPERTYPES < waiting.len() {
            return None;
        }
        let is_raw = !is_root && holder.args.is_empty() && !own.is_empty();
        add_new(&mut waiting, supertypes, &with, is_raw);
    }
    None
}

/// Adds the direct supertypes of a class that are not there yet, as its type arguments make them. What a raw
/// type forgets, its supertypes do not know either.
fn add_new(
    known: &mut Vec<ClassType>,
    supertypes: Vec<ClassType>,
    with: &Substitution,
    is_raw: bool,
) {
    for supertype in supertypes {
        let JavaType::Class(mut seen) = substitute(&JavaType::Class(supertype), with) else {
            continue;
        };
        if is_raw {
            seen.args.clear();
        }
        if known.iter().all(|known| known.name != seen.name) {
            known.push(seen);
        }
    }
}

/// The type parameters and direct supertypes of a class.
fn class_of(session: &mut Session, name: &str) -> Option<(Vec<TypeParameter>, Vec<ClassType>)> {
    let known = loaded(session, name);
    let id = known.or_else(|| session.load(name).ok())?;
    let file = session.vm.class(id).file()?;
    let signature = file.signature().and_then(|text| class_signature(&mutf8::display(text)));
    Some(match signature {
        Some(signature) => (signature.parameters, signature.supertypes),
        None => {
            let plain =
                |name: &[u8]| ClassType { name: mutf8::display(name).into(), args: Vec::new() };
            let supertypes = file.super_name().into_iter().chain(file.interfaces());
            (Vec::new(), supertypes.map(plain).collect())
        }
    })
}

/// A class that the user's code or the JDK has loaded already.
fn loaded(session: &mut Session, name: &str) -> Option<ClassId> {
    let loader = session.loader();
    let of_user = session.vm.find_loaded_class(loader, name.as_bytes());
    of_user.or_else(|| session.vm.find_loaded_class(LoaderId::BOOT, name.as_bytes()))
}

/// The generic signature of a method that a class declares; made of its descriptor where it has none.
fn declared(
    session: &mut Session,
    class: &str,
    name: &str,
    descriptor: &str,
) -> Option<MethodSignature> {
    let id = session.load(class).ok()?;
    let file = session.vm.class(id).file()?;
    let method = file.method(name.as_bytes(), descriptor.as_bytes())?;
    let text = file.constant_pool().try_utf8(method.signature).map(mutf8::display);
    method_signature(text.as_deref().unwrap_or(descriptor))
}

fn wanted_of(
    session: &mut Session,
    of: &JavaType,
    variables: &[TypeParameter],
    open: &mut Vec<Arc<str>>,
) -> Wanted {
    match of {
        JavaType::Null => Wanted::plain(Type::class(OBJECT)),
        JavaType::Primitive(primitive) => Wanted::plain(primitive.clone()),
        JavaType::Array(element) => {
            let element = wanted_of(session, element, variables, open);
            let erasure = Type::Array(Box::new(element.erasure.clone()));
            Wanted { erasure, variable: None, arguments: vec![element] }
        }
        JavaType::Variable(name) => {
            let Some(variable) = variables.iter().find(|variable| variable.name == *name) else {
                return Wanted::plain(Type::class(OBJECT));
            };
            if open.contains(name) || MOST_DEPTH < open.len() {
                return Wanted::plain(erase(telling(variable), variables, MOST_DEPTH));
            }
            open.push(name.clone());
            let mut wanted = wanted_of(session, telling(variable), variables, open);
            open.pop();
            wanted.variable = Some(name.clone());
            wanted
        }
        JavaType::Class(class) => {
            let mut wanted = Wanted::plain(Type::Class(class.name.clone()));
            for (idx, arg) in class.args.iter().enumerate() {
                wanted.arguments.push(match arg {
                    TypeArg::Exact(inner) | TypeArg::Extends(inner) | TypeArg::Super(inner) => {
                        wanted_of(session, inner, variables, open)
                    }
                    TypeArg::Any => {
                        let own = class_of(session, &class.name).map_or_else(Vec::new, |own| own.0);
                        let bound = own.get(idx).map(telling);
                        let bound = bound.map(|bound| erase(bound, &own, MOST_DEPTH));
                        Wanted::plain(bound.unwrap_or_else(|| Type::class(OBJECT)))
                    }
                });
            }
            wanted
        }
    }
}

/// The first bound that says more than `Object` does.
fn telling(variable: &TypeParameter) -> &JavaType {
    let object = JavaType::object();
    let telling = variable.bounds.iter().find(|bound| **bound != object);
    telling.or(variable.bounds.first()).unwrap_or(&JavaType::Null)
}

fn erase(of: &JavaType, variables: &[TypeParameter], depth: usize) -> Type {
    match of {
        JavaType::Primitive(primitive) => primitive.clone(),
        JavaType::Class(class) => Type::Class(class.name.clone()),
        JavaType::Array(element) => Type::Array(Box::new(erase(element, variables, depth))),
        JavaType::Variable(name) if 0 < depth => {
            match variables.iter().find(|variable| variable.name == *name) {
                Some(variable) => erase(telling(variable), variables, depth - 1),
                None => Type::class(OBJECT),
            }
        }
        JavaType::Variable(_) | JavaType::Null => Type::class(OBJECT),
    }
}
