//! Objects that no constructor makes: an interface or abstract class is stood in for by a class that
//! answers every call in one simple way.
//!
//! What each method answers is decided here, from names and erased types alone, so that whoever makes such
//! an object on a machine and whoever writes it down as Java source agree.

use std::sync::Arc;

use crate::constant::Constant;
use crate::method::Method;
use crate::types::Type;

const OBJECT: &str = "java/lang/Object";

/// An object of a class that nobody wrote.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StandIn {
    /// Internal name of the interface or abstract class.
    pub of: Arc<str>,
    /// What its methods do.
    pub behaviour: Behaviour,
}

/// What the methods of a stand-in do. Those of `Object` keep their laws whatever the behaviour: an object
/// equals itself alone.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Behaviour {
    /// Each gives the default value of its result type: zero, `false`, an empty string, collection, map,
    /// iterator, optional or array of primitives or strings, else `null`; whoever is asked is empty.
    Default,
    /// Each whose result type the constant fits gives it, boxed or not as is wanted; the others give the
    /// default value.
    Constant(Constant),
    /// Each gives its first argument of exactly the result type, else the first that fits it, else the
    /// default value.
    Identity,
    /// Each throws a new `UnsupportedOperationException`.
    Throws,
}

/// What one method of a stand-in does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// Nothing; its result is `void`.
    Nothing,
    /// Gives a constant that fits its result type exactly.
    Constant(Constant),
    /// Gives what this static method of the JDK without parameters gives: something empty.
    Empty(Method),
    /// Gives a new array without elements, of this element type.
    EmptyArray(Type),
    /// Gives the argument at this position.
    Parameter(usize),
    /// Tells whether its only argument is the object itself.
    IsSame,
    /// Throws a new `UnsupportedOperationException`.
    Throws,
}

impl Behaviour {
    /// What a method of this name with these erased parameter and result types does.
    pub fn answer(&self, name: &str, parameters: &[Type], returns: &Type) -> Answer {
        match (name, parameters, returns) {
            ("equals", [Type::Class(other)], Type::Boolean) if **other == *OBJECT => {
                return Answer::IsSame;
            }
            ("hashCode", [], Type::Int) => return Answer::Constant(Constant::Int(0)),
            ("toString", [], Type::Class(text)) if **text == *"java/lang/String" => {
                return Answer::Constant(Constant::text(""));
            }
            _ => {}
        }
        let chosen = match self {
            Behaviour::Throws => return Answer::Throws,
            _ if *returns == Type::Void => return Answer::Nothing,
            Behaviour::Default => None,
            Behaviour::Constant(constant) => fitting(constant, returns).map(Answer::Constant),
            Behaviour::Identity => {
                let exact = parameters.iter().position(|own| own == returns);
                let loose = || parameters.iter().position(|own| passes(own, returns));
                exact.or_else(loose).map(Answer::Parameter)
            }
        };
        chosen.unwrap_or_else(|| default_answer(name, parameters, returns))
    }
}

/// What a method gives by default: nothing in it, as far as that can be said.
fn default_answer(name: &str, parameters: &[Type], returns: &Type) -> Answer {
    if name == "isEmpty" && parameters.is_empty() && *returns == Type::Boolean {
        return Answer::Constant(Constant::Boolean(true));
    }
    match returns {
        Type::Class(class) => {
            if let Some((owner, factory, made)) = empty(class)
                && let Some(method) = Method::new(owner, factory, &format!("()L{made};"), true)
            {
                return Answer::Empty(method);
            }
        }
        // Of other elements, a type variable may have meant more than its bound.
        Type::Array(element)
            if !element.is_reference() || **element == Type::class("java/lang/String") =>
        {
            return Answer::EmptyArray((**element).clone());
        }
        _ => {}
    }
    Answer::Constant(default_value(returns))
}

/// Class, name and result of the method that gives something empty of a type.
fn empty(of: &str) -> Option<(&'static str, &'static str, &'static str)> {
    const COLLECTIONS: &str = "java/util/Collections";
    Some(match of {
        "java/lang/Iterable" | "java/util/Collection" | "java/util/List" => {
            (COLLECTIONS, "emptyList", "java/util/List")
        }
        "java/util/Set" => (COLLECTIONS, "emptySet", "java/util/Set"),
        "java/util/SortedSet" => (COLLECTIONS, "emptySortedSet", "java/util/SortedSet"),
        "java/util/NavigableSet" => (COLLECTIONS, "emptyNavigableSet", "java/util/NavigableSet"),
        "java/util/Map" => (COLLECTIONS, "emptyMap", "java/util/Map"),
        "java/util/SortedMap" => (COLLECTIONS, "emptySortedMap", "java/util/SortedMap"),
        "java/util/NavigableMap" => (COLLECTIONS, "emptyNavigableMap", "java/util/NavigableMap"),
        "java/util/Iterator" => (COLLECTIONS, "emptyIterator", "java/util/Iterator"),
        "java/util/ListIterator" => (COLLECTIONS, "emptyListIterator", "java/util/ListIterator"),
        "java/util/Enumeration" => (COLLECTIONS, "emptyEnumeration", "java/util/Enumeration"),
        "java/util/Optional" => ("java/util/Optional", "empty", "java/util/Optional"),
        "java/util/OptionalInt" => ("java/util/OptionalInt", "empty", "java/util/OptionalInt"),
        "java/util/OptionalLong" => ("java/util/OptionalLong", "empty", "java/util/OptionalLong"),
        "java/util/OptionalDouble" => {
            ("java/util/OptionalDouble", "empty", "java/util/OptionalDouble")
        }
        _ => return None,
    })
}

/// Whether a method says which of two objects comes first, as far as names tell.
pub fn is_order(name: &str, returns: &Type) -> bool {
    *returns == Type::Int && name.starts_with("compare")
}

/// The default constant of a type: zero, also in its box, `false`, the empty string, else `null`.
pub fn default_value(of: &Type) -> Constant {
    if let Some(primitive) = zero(of) {
        return primitive;
    }
    let Type::Class(name) = of else { return Constant::Null };
    let primitive = match &**name {
        "java/lang/String" => return Constant::text(""),
        "java/lang/Boolean" => Constant::Boolean(false),
        "java/lang/Byte" => Constant::Byte(0),
        "java/lang/Character" => Constant::Char(0),
        "java/lang/Short" => Constant::Short(0),
        "java/lang/Integer" => Constant::Int(0),
        "java/lang/Long" => Constant::Long(0),
        "java/lang/Float" => Constant::Float(0),
        "java/lang/Double" => Constant::Double(0),
        _ => return Constant::Null,
    };
    Constant::Boxed(Box::new(primitive))
}

fn zero(of: &Type) -> Option<Constant> {
    Some(match of {
        Type::Boolean => Constant::Boolean(false),
        Type::Byte => Constant::Byte(0),
        Type::Char => Constant::Char(0),
        Type::Short => Constant::Short(0),
        Type::Int => Constant::Int(0),
        Type::Long => Constant::Long(0),
        Type::Float => Constant::Float(0),
        Type::Double => Constant::Double(0),
        Type::Void | Type::Class(_) | Type::Array(_) => return None,
    })
}

/// The constant in the form in which a result type takes it; `None` where it does not fit, as far as names
/// tell.
pub fn fitting(constant: &Constant, wanted: &Type) -> Option<Constant> {
    let plain = match constant {
        Constant::Boxed(inner) => inner,
        other => other,
    };
    match wanted {
        Type::Void => None,
        Type::Class(wanted) => {
            let boxed = match plain.box_class() {
                Some(_) => Constant::Boxed(Box::new(plain.clone())),
                None => plain.clone(),
            };
            let fits = match boxed.natural_type() {
                None => true,
                Some(Type::Class(own)) => {
                    own == *wanted || above(&boxed).iter().any(|&name| *name == **wanted)
                }
                Some(_) => false,
            };
            fits.then_some(boxed)
        }
        Type::Array(_) => (*plain == Constant::Null).then_some(Constant::Null),
        primitive => (plain.natural_type().as_ref() == Some(primitive)).then(|| plain.clone()),
    }
}

/// Supertypes of the classes that constants have.
fn above(constant: &Constant) -> &'static [&'static str] {
    match constant {
        Constant::Text(_) => {
            &[OBJECT, "java/lang/CharSequence", "java/lang/Comparable", "java/io/Serializable"]
        }
        Constant::Enum { .. } => {
            &[OBJECT, "java/lang/Enum", "java/lang/Comparable", "java/io/Serializable"]
        }
        Constant::Boxed(inner) => match **inner {
            Constant::Boolean(_) | Constant::Char(_) => {
                &[OBJECT, "java/lang/Comparable", "java/io/Serializable"]
            }
            _ => &[OBJECT, "java/lang/Number", "java/lang/Comparable", "java/io/Serializable"],
        },
        _ => &[OBJECT, "java/io/Serializable"],
    }
}

/// Whether an argument may be given back as the result, as far as names tell.
fn passes(own: &Type, returns: &Type) -> bool {
    own.is_reference() && *returns == Type::class(OBJECT)
}

#[cfg(test)]
mod tests {
    use super::{Answer, Behaviour, fitting};
    use crate::constant::Constant;
    use crate::types::{Type, signature};

    fn answer(behaviour: &Behaviour, name: &str, descriptor: &str) -> Answer {
        let (parameters, returns) = signature(descriptor).expect("well formed");
        behaviour.answer(name, &parameters, &returns)
    }

    #[test]
    fn a_default_is_zero_or_empty_or_null() {
        let of = |descriptor: &str| answer(&Behaviour::Default, "get", descriptor);
        assert_eq!(of("()V"), Answer::Nothing);
        assert_eq!(of("()J"), Answer::Constant(Constant::Long(0)));
        assert_eq!(of("()Ljava/lang/String;"), Answer::Constant(Constant::text("")));
        let zero = Constant::Boxed(Box::new(Constant::Int(0)));
        assert_eq!(of("()Ljava/lang/Integer;"), Answer::Constant(zero));
        assert_eq!(of("()Ljava/util/Date;"), Answer::Constant(Constant::Null));
        assert_eq!(of("()[Ljava/lang/Object;"), Answer::Constant(Constant::Null));
        assert_eq!(of("()[I"), Answer::EmptyArray(Type::Int));
        let Answer::Empty(factory) = of("()Ljava/util/Collection;") else {
            panic!("a collection can be empty")
        };
        assert_eq!(factory.to_string(), "java.util.Collections.emptyList()");
        let is_empty = answer(&Behaviour::Default, "isEmpty", "()Z");
        assert_eq!(is_empty, Answer::Constant(Constant::Boolean(true)));
    }

    #[test]
    fn a_constant_is_given_where_it_fits_and_boxed_where_that_is_wanted() {
        let five = Behaviour::Constant(Constant::Int(5));
        let boxed = Constant::Boxed(Box::new(Constant::Int(5)));
        assert_eq!(answer(&five, "get", "()I"), Answer::Constant(Constant::Int(5)));
        assert_eq!(answer(&five, "get", "()Ljava/lang/Object;"), Answer::Constant(boxed.clone()));
        assert_eq!(answer(&five, "get", "()J"), Answer::Constant(Constant::Long(0)));
        assert_eq!(fitting(&boxed, &Type::Int), Some(Constant::Int(5)));
        assert_eq!(fitting(&Constant::text("a"), &Type::class("java/lang/Integer")), None);
        let null = fitting(&Constant::Null, &Type::Array(Box::new(Type::Int)));
        assert_eq!(null, Some(Constant::Null));
    }

    #[test]
    fn identity_gives_the_first_argument_that_fits() {
        let of = |descriptor: &str| answer(&Behaviour::Identity, "apply", descriptor);
        assert_eq!(of("(ILjava/lang/Object;)Ljava/lang/Object;"), Answer::Parameter(1));
        assert_eq!(of("([JLjava/lang/Object;)Ljava/lang/Object;"), Answer::Parameter(1));
        assert_eq!(of("(I[J)Ljava/lang/Object;"), Answer::Parameter(1));
        assert_eq!(of("(JDD)D"), Answer::Parameter(1));
        assert_eq!(of("(Ljava/lang/Object;)I"), Answer::Constant(Constant::Int(0)));
    }

    #[test]
    fn what_throws_keeps_the_laws_of_objects() {
        let of = |name: &str, descriptor: &str| answer(&Behaviour::Throws, name, descriptor);
        assert_eq!(of("run", "()V"), Answer::Throws);
        assert_eq!(of("equals", "(Ljava/lang/Object;)Z"), Answer::IsSame);
        assert_eq!(of("hashCode", "()I"), Answer::Constant(Constant::Int(0)));
        assert_eq!(of("toString", "()Ljava/lang/String;"), Answer::Constant(Constant::text("")));
        assert_eq!(of("equals", "(Lp/A;)Z"), Answer::Throws);
    }
}
