//! What an object says of itself: its `toString`, where that is more than its place in memory, short enough to
//! be read, and said without changing anything that a later call could see.

use suite::constant::Constant;
use vm::interp::Outcome;
use vm::mode::Plain;
use vm::value::{MethodId, Ref, Value};

use crate::outside::{Reach, Start};
use crate::session::Session;
use crate::state::canonical_heap::{CanonicalHeap, Root};
use crate::state::fingerprint::Fingerprint;
use crate::state::mask::Mask;
use crate::state::whole_state;

/// Longest text that a reader should have to read in a check.
const LONGEST: usize = 100;
/// A part of names that a machine gives to classes which have none in the source.
const GENERATED: [u16; 2] = [b'$' as u16; 2];

/// The text of an object beside the other values of a run, among them the object itself. Leaves the machine as it
/// was.
pub(super) fn of(session: &mut Session, object: Ref, all: &[Ref], fuel: u64) -> Option<Constant> {
    let class = session.vm.class_of(object);
    let method = session.vm.lookup_method(class, b"toString", b"()Ljava/lang/String;")?;
    if session.vm.method(method).class == session.vm.known.object {
        return None;
    }
    let n_classes = session.vm.classes.len();
    let mark = session.vm.mark();
    let start = Start::now(&session.vm);
    let text = ask_twice(session, method, object, fuel);
    let is_inside = start.whole_reach(&mut session.vm, fuel) == Reach::Inside;
    let has_changed = session.vm.changes_since(&mark).next().is_some();
    let after = has_changed.then(|| key(session, all));
    session.take_back(mark, n_classes);
    // Caches may be filled.
    let is_pure = after.is_none_or(|after| after == key(session, all));
    text.filter(|_| is_inside && is_pure)
}

/// What it says, if it says so again.
fn ask_twice(session: &mut Session, method: MethodId, object: Ref, fuel: u64) -> Option<Constant> {
    let mut ask = || match session.vm.call(&mut Plain, method, &[object.to_slot()], Some(fuel)) {
        Outcome::Returned(Value::Ref(text)) => {
            text.some().map(|text| session.vm.string_utf16(text))
        }
        _ => None,
    };
    let (first, second) = (ask()?, ask()?);
    let is_generated = |units: &[u16]| units.windows(2).any(|pair| pair == GENERATED);
    let is_fit = first == second && first.len() <= LONGEST && !is_generated(&first);
    is_fit.then(|| Constant::Text(first.into()))
}

/// The state of all that a run could still use.
pub(super) fn key(session: &Session, all: &[Ref]) -> Fingerprint {
    let roots: Vec<Root> = all.iter().map(|&object| Root::Object(object)).collect();
    whole_state::key(&mut CanonicalHeap::new(Mask::standard()), &session.vm, &roots)
}
