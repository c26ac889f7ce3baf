//! Calls as one machine knows them: everything that does not change between calls is done once.

use observe::session::{NotFound, Resolved, Session, kind_of};
use suite::types::Type;
use vm::heap::ELEMENTS_OFFSET;
use vm::interp::Outcome;
use vm::mode::Mode;
use vm::value::{ClassId, Kind, MethodId, Ref, Value};

use super::catalogue::{Action, Op};

/// Something that can be done, ready to be done.
#[derive(Debug)]
pub(super) enum Ready {
    Call {
        resolved: Resolved,
        /// The method that ran last for a receiver of this class.
        selected: Option<(ClassId, MethodId)>,
    },
    Array {
        class: ClassId,
        kind: Kind,
    },
}

/// How a statement ended.
#[derive(Debug)]
pub(super) enum Done {
    /// It was made and ended so.
    Made(Outcome),
    /// The receiver is `null`: there is no such call.
    NoReceiver,
}

impl Ready {
    pub(super) fn new(session: &mut Session, op: &Op) -> Result<Ready, NotFound> {
        Ok(match &op.action {
            Action::Call(method) => {
                Ready::Call { resolved: session.resolve(method)?, selected: None }
            }
            Action::StandIn(of) => Ready::Call { resolved: session.stand_in(of)?, selected: None },
            Action::Array(element) => {
                let array = Type::Array(Box::new(element.clone()));
                Ready::Array { class: session.class_of_type(&array)?, kind: kind_of(element) }
            }
        })
    }

    /// Forgets what it knows of receivers.
    pub(super) fn forget(&mut self) {
        if let Ready::Call { selected, .. } = self {
            *selected = None;
        }
    }

    /// Does it. `args` are values, receiver first; `words` is room to work in.
    pub(super) fn run<M: Mode>(
        &mut self,
        session: &mut Session,
        mode: &mut M,
        args: &[u64],
        words: &mut Vec<u64>,
        fuel: u64,
    ) -> Done {
        let vm = &mut session.vm;
        let (resolved, selected) = match self {
            Ready::Array { class, kind } => return Done::Made(array(session, *class, *kind, args)),
            Ready::Call { resolved, selected } => (resolved, selected),
        };
        words.clear();
        let mut values = args.iter();
        let mut target = resolved.id;
        let mut made = None;
        if resolved.method.is_constructor() {
            let class = resolved.class;
            let Ok(object) = vm.complete(|vm| vm.new_object(class)) else {
                return Done::Made(Outcome::Stopped(vm::frame::Stop::OutOfMemory));
            };
            words.push(object.to_slot());
            made = Some(object);
        } else if resolved.method.has_receiver() {
            let receiver = Ref::from_slot(values.next().copied().unwrap_or(0));
            if receiver.is_null() {
                return Done::NoReceiver;
            }
            let class = vm.class_of(receiver);
            target = match *selected {
                Some((known, method)) if known == class => method,
                _ => match vm.complete(|vm| vm.select_method(class, target)) {
                    Ok(method) => {
                        *selected = Some((class, method));
                        method
                    }
                    Err(_) => return Done::NoReceiver,
                },
            };
            words.push(receiver.to_slot());
        }
        for (&value, &kind) in values.zip(resolved.parameters.iter()) {
            words.push(value);
            if kind.slots() == 2 {
                words.push(0);
            }
        }
        Done::Made(match (vm.call(mode, target, words, Some(fuel)), made) {
            (Outcome::Returned(_), Some(object)) => Outcome::Returned(Value::Ref(object)),
            (outcome, _) => outcome,
        })
    }
}

fn array(session: &mut Session, class: ClassId, kind: Kind, args: &[u64]) -> Outcome {
    let vm = &mut session.vm;
    let length = u32::try_from(args.len()).unwrap_or(u32::MAX);
    let Ok(array) = vm.complete(|vm| vm.new_array(class, length)) else {
        return Outcome::Stopped(vm::frame::Stop::OutOfMemory);
    };
    let mut offset = ELEMENTS_OFFSET;
    for word in args {
        match kind {
            Kind::Ref => vm.heap.store_ref(array, offset, Ref::from_slot(*word)),
            _ => vm.heap.store_bytes(array, offset, &word.to_le_bytes()[..kind.size() as usize]),
        }
        offset += kind.size();
    }
    Outcome::Returned(Value::Ref(array))
}
