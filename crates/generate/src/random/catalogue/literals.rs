//! Which literals fit where: the usual ones, those of the classes' own code, and those that were given.

use observe::session::Session;
use suite::constant::Constant;
use suite::types::Type;

use super::{Catalogue, LiteralId, TypeId};
use crate::arguments::{fits_arguments, own_constants, own_words, wanted_constants};

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
                given.extend(own_words(session, &target.name));
            }
        }
        for idx in 0..self.types.len() {
            let wanted = self.types[idx].clone();
            let erasure = &wanted.erasure;
            let mut constants = wanted_constants(session, &wanted);
            constants.extend(given.iter().filter_map(|constant| fitting(constant, erasure)));
            constants.retain(|constant| {
                *constant != Constant::Null && fits_arguments(session, constant, &wanted)
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
            if counters.first().is_some_and(|first| !fits_arguments(session, first, &wanted)) {
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
