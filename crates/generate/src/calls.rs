//! One call whose names are looked up and whose registers are filled: makes the object of a constructor,
//! finds the method that a receiver's class runs, and remembers it for the next call.

use observe::session::{Resolved, Session};
use vm::frame::Stop;
use vm::interp::Outcome;
use vm::mode::Mode;
use vm::travel::Numbering;
use vm::value::{ClassId, MethodId, Ref, Value};

/// The method that ran last, for receivers of which class, and what these numbers meant.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Selected(Option<(ClassId, MethodId, Numbering)>);

/// Why a call was not made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unmade {
    /// The receiver is `null` or has no such method.
    NoReceiver,
    /// There is no room for a new object.
    NoMemory,
}

impl Unmade {
    /// How a sequence ends with it.
    pub(crate) fn outcome(self) -> Outcome {
        match self {
            Unmade::NoReceiver => Outcome::Threw(Ref::NULL),
            Unmade::NoMemory => Outcome::Stopped(Stop::OutOfMemory),
        }
    }
}

/// Makes a call. `words` are its registers; the first of a constructor is filled in here. A constructor
/// gives its object.
pub(crate) fn call<M: Mode>(
    session: &mut Session,
    mode: &mut M,
    resolved: &Resolved,
    selected: &mut Selected,
    words: &mut [u64],
    fuel: u64,
) -> Result<Outcome, Unmade> {
    let vm = &mut session.vm;
    if resolved.method.is_constructor() {
        let class = resolved.class;
        let object = vm.complete(|vm| vm.new_object(class)).map_err(|_| Unmade::NoMemory)?;
        let receiver = words.first_mut().ok_or(Unmade::NoReceiver)?;
        *receiver = object.to_slot();
        return Ok(match vm.call(mode, resolved.id, words, Some(fuel)) {
            Outcome::Returned(_) => Outcome::Returned(Value::Ref(object)),
            other => other,
        });
    }
    let mut target = resolved.id;
    if resolved.method.has_receiver() {
        let receiver = Ref::from_slot(words.first().copied().unwrap_or(0));
        if receiver.is_null() {
            return Err(Unmade::NoReceiver);
        }
        let class = vm.class_of(receiver);
        target = match selected.0 {
            Some((known, method, then)) if known == class && then == vm.numbering() => method,
            _ => {
                let method = vm.complete(|vm| vm.select_method(class, target));
                let method = method.map_err(|_| Unmade::NoReceiver)?;
                *selected = Selected(Some((class, method, vm.numbering())));
                method
            }
        };
    }
    Ok(vm.call(mode, target, words, Some(fuel)))
}
