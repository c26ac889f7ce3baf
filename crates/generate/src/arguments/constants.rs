//! Constants of a class's own code: numbers and strings that its branches may turn on.

use classfile::Constant as Entry;
use observe::session::Session;
use suite::constant::Constant;
use suite::types::Type;

use super::{Argument, Pool};

/// Constants of one type that are taken from one class, at most.
const MOST: usize = 4;

/// Marks in the texts by which compilers describe concatenations (`StringConcatFactory`); no code sees them.
const CONCATENATION: [u16; 2] = [1, 2];

/// Adds the constants of a class.
pub(super) fn collect(session: &mut Session, class: &str, pool: &mut Pool) {
    let Ok(id) = session.load(class) else { return };
    let Some(file) = session.vm.class(id).file().cloned() else { return };
    let constants = file.constant_pool();
    let mut add = |of: Type, constant: Constant| {
        if pool.of(&of).len() < MOST {
            pool.add(of, Argument::Constant(constant));
        }
    };
    for (idx, entry) in constants.entries().iter().enumerate() {
        match *entry {
            Entry::Integer(value) => add(Type::Int, Constant::Int(value)),
            Entry::Long(value) => add(Type::Long, Constant::Long(value)),
            Entry::Float(value) => add(Type::Float, Constant::Float(value)),
            Entry::Double(value) => add(Type::Double, Constant::Double(value)),
            Entry::String { .. } => {
                let text = u16::try_from(idx).ok().and_then(|idx| constants.try_string(idx));
                if let Some(text) = text.filter(|text| text.len() <= 40) {
                    let units: Vec<u16> = classfile::mutf8::decode(text).collect();
                    if !units.iter().any(|unit| CONCATENATION.contains(unit)) {
                        add(Type::class("java/lang/String"), Constant::Text(units.into()));
                    }
                }
            }
            _ => {}
        }
    }
}

/// The constants of a class, few of each type.
pub(crate) fn of_class(session: &mut Session, class: &str) -> Vec<Constant> {
    let mut pool = Pool::default();
    collect(session, class, &mut pool);
    pool.constants()
}
