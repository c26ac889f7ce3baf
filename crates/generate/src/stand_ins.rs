//! Which stand-ins make sense for a type: constants, identity and exceptions for functional interfaces;
//! defaults and exceptions for other interfaces and abstract classes.
//!
//! Only for types of which a test could write a subclass: nothing final or sealed, nothing that a module
//! keeps to itself, nothing with more methods than a reader would look through.

use std::sync::Arc;

use classfile::access;
use observe::session::Session;
use observe::stand_in::to_implement;
use suite::constant::Constant;
use suite::method::Method;
use suite::stand_in::{Answer, Behaviour, StandIn, is_order};
use suite::types::{Type, signature};
use vm::class::{self, flags};
use vm::value::ClassId;

use crate::generics::{self, Wanted};

/// More methods than a reader would look through.
const MOST_METHODS: usize = 40;
/// Deeper nesting of classes than programs have.
const MOST_NESTING: usize = 50;
/// What compilers refuse unless asked for it.
const PREVIEW: &[u8] = b"Ljdk/internal/javac/PreviewFeature;";
const OBJECT: &str = "java/lang/Object";

/// The stand-ins for a type, best first; none where it cannot be stood in for.
pub fn for_type(session: &mut Session, of: &Type) -> Vec<StandIn> {
    for_wanted(session, &Wanted::plain(of.clone()))
}

/// The stand-ins for a type whose type arguments are known, best first: constants and identity only where
/// they fit those.
pub fn for_wanted(session: &mut Session, wanted: &Wanted) -> Vec<StandIn> {
    let Type::Class(name) = &wanted.erasure else { return Vec::new() };
    let Some(methods) = implementable(session, name) else { return Vec::new() };
    let is_functional = match session.load(name) {
        Ok(id) => session.vm.class(id).is_interface() && methods.len() == 1,
        Err(_) => false,
    };
    let mut behaviours = Vec::new();
    if let ([only], true) = (methods.as_slice(), is_functional) {
        behaviours = special(session, wanted, only);
    }
    behaviours.push(Behaviour::Default);
    if !methods.is_empty() {
        behaviours.push(Behaviour::Throws);
    }
    let stand_in = |behaviour| StandIn { of: name.clone(), behaviour };
    behaviours.into_iter().map(stand_in).collect()
}

/// Whether some method of a stand-in gives `null`, so that whoever calls it has been handed one.
pub fn gives_null(session: &mut Session, stand_in: &StandIn) -> bool {
    let Ok(id) = session.load(&stand_in.of) else { return false };
    to_implement(&session.vm, id).into_iter().any(|method| {
        signature(&method.descriptor.to_string()).is_some_and(|(parameters, returns)| {
            let name = method.name.to_string();
            stand_in.behaviour.answer(&name, &parameters, &returns)
                == Answer::Constant(Constant::Null)
        })
    })
}

/// What the method of a functional interface can do beside giving a default and throwing.
fn special(session: &mut Session, wanted: &Wanted, method: &Method) -> Vec<Behaviour> {
    let (parameters, result) = generics::through(session, wanted, method);
    let answer =
        |behaviour: &Behaviour| behaviour.answer(&method.name, &method.parameters, &method.returns);
    let mut behaviours = Vec::new();
    // An order that always says "greater" is none.
    let orders = is_order(&method.name, &method.returns);
    if let (Some(constant), false) = (constant(session, &result.erasure), orders) {
        let behaviour = Behaviour::Constant(constant);
        if answer(&behaviour) != answer(&Behaviour::Default) {
            behaviours.push(behaviour);
        }
    }
    if let Answer::Parameter(position) = answer(&Behaviour::Identity)
        && passes(session, &parameters[position].erasure, &result.erasure)
    {
        behaviours.push(Behaviour::Identity);
    }
    behaviours
}

fn passes(session: &mut Session, own: &Type, wanted: &Type) -> bool {
    if own == wanted || *wanted == Type::class(OBJECT) {
        return true;
    }
    if !own.is_reference() || !wanted.is_reference() {
        return false;
    }
    match (session.class_of_type(own), session.class_of_type(wanted)) {
        (Ok(own), Ok(wanted)) => session.vm.is_subtype(own, wanted),
        _ => false,
    }
}

/// A constant of a type that is not its default.
fn constant(session: &mut Session, of: &Type) -> Option<Constant> {
    Some(match of {
        Type::Boolean => Constant::Boolean(true),
        Type::Byte => Constant::Byte(1),
        Type::Char => Constant::Char(u16::from(b'a')),
        Type::Short => Constant::Short(1),
        Type::Int => Constant::Int(1),
        Type::Long => Constant::Long(1),
        Type::Float => Constant::Float(1.0_f32.to_bits()),
        Type::Double => Constant::Double(1.0_f64.to_bits()),
        Type::Void | Type::Array(_) => return None,
        Type::Class(name) => {
            let boxed = match &**name {
                "java/lang/String" | "java/lang/CharSequence" => return Some(Constant::text("a")),
                "java/lang/Boolean" => Constant::Boolean(true),
                "java/lang/Byte" => Constant::Byte(1),
                "java/lang/Character" => Constant::Char(u16::from(b'a')),
                "java/lang/Short" => Constant::Short(1),
                "java/lang/Long" => Constant::Long(1),
                "java/lang/Float" => Constant::Float(1.0_f32.to_bits()),
                "java/lang/Double" => Constant::Double(1.0_f64.to_bits()),
                "java/lang/Integer"
                | OBJECT
                | "java/lang/Number"
                | "java/lang/Comparable"
                | "java/io/Serializable" => Constant::Int(1),
                _ => return enum_constant(session, name),
            };
            Constant::Boxed(Box::new(boxed))
        }
    })
}

fn enum_constant(session: &mut Session, name: &Arc<str>) -> Option<Constant> {
    let id = session.load(name).ok()?;
    let fields = &session.vm.class(id).fields;
    let first = fields.iter().find(|field| field.flags & flags::ENUM != 0)?;
    Some(Constant::Enum { class: name.clone(), name: first.name.to_string().into() })
}

/// The methods that a subclass in a test must implement, each named through the type; `None` where there
/// can be no such subclass.
fn implementable(session: &mut Session, name: &Arc<str>) -> Option<Vec<Method>> {
    let id = session.load(name).ok()?;
    let class = session.vm.class(id);
    let is_open = class.flags & (flags::INTERFACE | flags::ABSTRACT) != 0
        && class.flags & (flags::FINAL | flags::ANNOTATION | flags::ENUM) == 0
        && class.file()?.permitted_subclasses().is_none()
        // Only the compiler extends these.
        && !matches!(&**name, "java/lang/Enum" | "java/lang/Record");
    if !is_open || !is_nameable(session, name) {
        return None;
    }
    let class = session.vm.class(id);
    if !class.is_interface() {
        let constructor = class.method(b"<init>", b"()V")?;
        if !is_seen(session, id, constructor) {
            return None;
        }
    }
    let needed = to_implement(&session.vm, id);
    if MOST_METHODS < needed.len() || !needed.iter().all(|method| is_seen(session, id, method)) {
        return None;
    }
    let mut methods: Vec<Method> = Vec::new();
    for method in needed {
        let method =
            Method::new(name, &method.name.to_string(), &method.descriptor.to_string(), false)?;
        let is_known = methods
            .iter()
            .any(|known| known.name == method.name && known.parameters == method.parameters);
        if !is_known {
            methods.push(method);
        }
    }
    Some(methods)
}

/// Whether a subclass sees a member: in the user's package if it must.
fn is_seen(session: &Session, of: ClassId, method: &class::Method) -> bool {
    method.flags & (flags::PUBLIC | flags::PROTECTED) != 0
        || !method.is_private()
            && session.is_of_user(of)
            && session.vm.same_package(of, method.class)
}

/// Whether a test beside the class can name it, and make one without an object around it.
fn is_nameable(session: &mut Session, name: &Arc<str>) -> bool {
    let mut name = name.clone();
    for depth in 0..MOST_NESTING {
        let Ok(id) = session.load(&name) else { return false };
        let is_of_user = session.is_of_user(id);
        let Some(file) = session.vm.class(id).file() else { return false };
        let pool = file.constant_pool();
        let inner = file.inner_classes();
        let own = inner.iter().find(|inner| pool.try_class_name(inner.inner) == Some(file.name()));
        let flags = own.map_or(file.access_flags(), |own| own.flags);
        let is_visible = flags & access::PUBLIC != 0 || is_of_user && flags & access::PRIVATE == 0;
        let is_preview = file.has_annotation(file.invisible_annotations(), PREVIEW);
        if !is_visible || is_preview || !is_of_user && !session.vm.is_exported(id) {
            return false;
        }
        let Some(own) = own else { return true };
        let Some(outer) = pool.try_class_name(own.outer) else { return false };
        if depth == 0 && flags & (access::STATIC | access::INTERFACE) == 0 {
            return false;
        }
        name = classfile::mutf8::display(outer).into();
    }
    false
}
