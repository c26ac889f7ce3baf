//! Which literals fit where: the usual ones, those of the classes' own code, and those that were given.

use observe::session::Session;
use suite::constant::Constant;
use suite::types::Type;

use super::{Catalogue, LiteralId, TypeId};
use crate::arguments::{default_constants, own_constants};
use crate::generics::{self, Wanted};

/// Which literals are used beside the usual ones.
#[derive(Debug, Clone, Default)]
pub struct Literals {
    /// Given by the user or seen in tests, for all classes.
    pub given: Vec<Constant>,
    /// Whether constants of the classes' own code are used.
    pub own: bool,
}

/// The numbers by which repeated calls may differ go up to here.
const MOST_COUNTERS: i32 = 100;

impl Catalogue {
    pub(super) fn add_literals(&mut self, session: &mut Session, literals: &Literals) {
        let mut given: Vec<Constant> = literals.given.clone();
        if literals.own {
            for target in &self.targets {
                given.extend(own_constants(session, &target.name));
            }
        }
        for idx in 0..self.types.len() {
            let wanted = self.types[idx].clone();
            let erasure = &wanted.erasure;
            let mut constants = usual(session, &wanted);
            constants.extend(given.iter().filter_map(|constant| fitting(constant, erasure)));
            constants.retain(|constant| {
                *constant != Constant::Null && has_arguments(session, constant, &wanted)
            });
            for constant in constants {
                let id = self.intern(constant);
                if !self.choices[idx].contains(&id) {
                    self.choices[idx].push(id);
                }
            }
            let mut counters: Vec<Constant> = (0..=MOST_COUNTERS)
                .filter_map(|number| fitting(&Constant::Int(number), erasure))
                .collect();
            // All are of one class.
            if counters.first().is_some_and(|first| !has_arguments(session, first, &wanted)) {
                counters.clear();
            }
            let counters: Vec<LiteralId> =
                counters.into_iter().map(|constant| self.intern(constant)).collect();
            if !counters.is_empty() {
                let id = TypeId(u32::try_from(idx).unwrap_or(u32::MAX));
                self.counters.insert(id, counters);
            }
        }
    }
}

/// The usual literals of a type, and where it has type arguments of those, since `Comparable<Money>` is
/// mostly a `Money` itself.
fn usual(session: &mut Session, wanted: &Wanted) -> Vec<Constant> {
    if let (true, [of]) = (wanted.erasure == Type::class("java/lang/Class"), &*wanted.arguments) {
        return vec![Constant::Class(some_enum(&of.erasure))];
    }
    let mut constants = default_constants(session, &some_enum(&wanted.erasure));
    if !constants.is_empty() {
        for argument in &wanted.arguments {
            constants.extend(default_constants(session, &argument.erasure));
        }
    }
    constants
}

/// For "any enum" one that all JDKs have: `Enum` itself has no constants.
fn some_enum(of: &Type) -> Type {
    let is_any = matches!(of, Type::Class(name) if **name == *"java/lang/Enum");
    if is_any { Type::class("java/lang/Thread$State") } else { of.clone() }
}

/// Whether the type arguments of a type, if it has any, are those of a constant.
fn has_arguments(session: &mut Session, constant: &Constant, wanted: &Wanted) -> bool {
    if wanted.arguments.is_empty() || matches!(constant, Constant::Class(_)) {
        return true;
    }
    constant.natural_type().is_some_and(|own| generics::gives(session, &Wanted::plain(own), wanted))
}

/// A constant as a literal of a type, if it can be one.
fn fitting(constant: &Constant, wanted: &Type) -> Option<Constant> {
    if constant.natural_type().as_ref() == Some(wanted) {
        return Some(constant.clone());
    }
    let Constant::Int(number) = *constant else {
        let is_text = matches!(constant, Constant::Text(_));
        let takes_text = matches!(wanted, Type::Class(name)
            if matches!(&**name, "java/lang/CharSequence" | "java/lang/Object" | "java/lang/Comparable"));
        return (is_text && takes_text).then(|| constant.clone());
    };
    Some(match wanted {
        Type::Long => Constant::Long(i64::from(number)),
        Type::Short => Constant::Short(i16::try_from(number).ok()?),
        Type::Byte => Constant::Byte(i8::try_from(number).ok()?),
        Type::Double => Constant::Double(f64::from(number).to_bits()),
        Type::Class(name)
            if matches!(
                &**name,
                "java/lang/Object"
                    | "java/lang/Comparable"
                    | "java/lang/Integer"
                    | "java/lang/Number"
            ) =>
        {
            Constant::Boxed(Box::new(Constant::Int(number)))
        }
        _ => return None,
    })
}
