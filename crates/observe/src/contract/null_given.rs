//! Whether a function that a test passes in is given `null`, and whether that is how a `NullPointerException`
//! came about: it was thrown inside the function, or the function gave the `null` back.
//!
//! What a function may be given is said by whoever calls it: `Map.compute` gives `null` where there was no value.
//! That this function cannot take it is the fault of the test, which chose it, as if the test had passed in the
//! `null` itself. Three things are not excused by it: what code gives to its own function; what code of the
//! user gives to a function of the user's own, since both are judged; and `null` that an order is asked about,
//! which only ever means what the test put in.

use rustc_hash::FxHashMap;
use suite::stand_in::is_order;
use suite::types::signature;
use vm::frame::Frame;
use vm::mode::Mode;
use vm::value::{ClassId, LoaderId, MethodId, Ref};
use vm::vm::Vm;

use crate::session::{Session, kind_of};
use crate::stand_in::to_implement;

/// Watches one run.
#[derive(Debug)]
pub struct NullGiven {
    /// The loader of the user's classes.
    user: LoaderId,
    /// By class of a receiver and method: which words of the arguments are references, where the method is the one
    /// of a functional interface.
    references: FxHashMap<(ClassId, MethodId), Option<Vec<usize>>>,
    /// Functions that run and were given `null`.
    open: Vec<Open>,
    /// Exceptions, each with the functions it was first thrown in.
    thrown: FxHashMap<Ref, Vec<Given>>,
    /// Functions that gave `null` back.
    gave_back: Vec<Given>,
}

/// A function that was given `null`.
#[derive(Debug, Clone, Copy)]
struct Given {
    function: Ref,
    /// Whether code of the user gave it.
    by_user: bool,
}

/// A call of a function that has not come back: the first frame of its thread, and its own.
#[derive(Debug)]
struct Open {
    thread: *mut Frame,
    frame: *mut Frame,
    given: Given,
}

impl NullGiven {
    /// A watch for one run on this machine.
    pub fn new(session: &Session) -> NullGiven {
        NullGiven {
            user: session.loader(),
            references: FxHashMap::default(),
            open: Vec::new(),
            thrown: FxHashMap::default(),
            gave_back: Vec::new(),
        }
    }

    /// Whether an exception that ended the run came about so. `passed` are the objects of the test.
    pub fn explains(&self, session: &Session, exception: Ref, passed: &[Ref]) -> bool {
        let inside = self.thrown.get(&exception).into_iter().flatten();
        inside.chain(&self.gave_back).any(|given| {
            let class = session.vm.class_of(given.function);
            let is_judged = session.is_of_user(class) && !session.is_stand_in(class);
            passed.contains(&given.function) && !(given.by_user && is_judged)
        })
    }

    /// Whether a call gives `null` to the method of a functional interface.
    fn is_given(&mut self, vm: &Vm, method: MethodId, args: &[u64]) -> bool {
        let called = vm.method(method);
        if called.is_static() || args.len() < 2 {
            return false;
        }
        let class = vm.class_of(Ref::from_slot(args[0]));
        let references =
            self.references.entry((class, method)).or_insert_with(|| references(vm, class, method));
        references.iter().flatten().any(|&word| args.get(word) == Some(&0))
    }
}

/// Which words of the arguments are references, where a method of this class is the only one that a functional
/// interface has, and no order.
fn references(vm: &Vm, class: ClassId, method: MethodId) -> Option<Vec<usize>> {
    let method = vm.method(method);
    let (parameters, returns) = signature(&method.descriptor.to_string())?;
    if is_order(&method.name.to_string(), &returns) {
        return None;
    }
    let mut of_functions = vm.class(class).all_interfaces.iter().filter_map(|&interface| {
        match to_implement(vm, interface)[..] {
            [only] => Some(only),
            _ => None,
        }
    });
    of_functions.find(|only| only.name == method.name && only.descriptor == method.descriptor)?;
    let mut references = Vec::new();
    let mut word = 1;
    for parameter in parameters {
        if parameter.is_reference() {
            references.push(word);
        }
        word += usize::from(kind_of(&parameter).slots());
    }
    Some(references)
}

impl Mode for NullGiven {
    const CALLS: bool = true;
    const EXCEPTIONS: bool = true;

    fn enter(&mut self, vm: &mut Vm, method: MethodId, args: &[u64]) {
        if !self.is_given(vm, method, args) {
            return;
        }
        let giver = vm.walk().nth(1).map(|caller| vm.class(vm.method(caller.method).class).loader);
        let by_user = giver == Some(self.user);
        let given = Given { function: Ref::from_slot(args[0]), by_user };
        let (thread, frame) = (vm.threads[vm.current].frames.start(), vm.frame);
        // Frames that are not below were dropped without a word.
        self.open.retain(|open| open.thread != thread || open.frame < frame);
        self.open.push(Open { thread, frame, given });
    }

    fn leave(&mut self, vm: &mut Vm, method: MethodId, result: Option<u64>) {
        let frame = vm.frame;
        let Some(at) = self.open.iter().position(|open| open.frame == frame) else { return };
        let open = self.open.swap_remove(at);
        if result == Some(0) && vm.method(method).returns == vm::value::Kind::Ref {
            self.gave_back.push(open.given);
        }
    }

    fn thrown(&mut self, vm: &mut Vm, exception: Ref) {
        let thread = vm.threads[vm.current].frames.start();
        let frame = vm.frame;
        let open = self.open.iter().filter(|open| open.thread == thread && open.frame <= frame);
        self.thrown.entry(exception).or_insert_with(|| open.map(|open| open.given).collect());
    }
}
