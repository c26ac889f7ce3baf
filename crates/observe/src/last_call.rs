//! Which method of the classes under test a test called last before it failed: two tests that fail after the
//! same call fail for one reason in all likelihood (Pacheco, Lahiri, Ernst and Ball, 2007, section 3.2).
//!
//! A call counts where it crosses from a client into a class under test, as in `record`; what counts for a
//! failure is when its exception was first thrown, so that what runs behind the test (`@After`) does not.
//!
//! Must not know: what is done with failures.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use rustc_hash::FxHashMap;
use vm::frame::Frame;
use vm::mode::Mode;
use vm::value::{MethodId, Ref};
use vm::vm::Vm;

use crate::coverage::Wanted;
use crate::junit::{Event, Hear, Outcome};

/// So many exceptions of one test are remembered.
const MOST_THROWN: usize = 4096;

/// Watches one run.
pub struct LastCalls {
    wanted: Wanted,
    /// By method of a class under test its name; `None` for other methods.
    names: FxHashMap<MethodId, Option<Arc<str>>>,
    /// Calls into classes under test that have not come back: the first frame of their thread and their own.
    open: Vec<(*mut Frame, *mut Frame)>,
    notes: Arc<Mutex<Notes>>,
}

/// What is shared with what hears of tests.
#[derive(Debug, Default)]
struct Notes {
    last: Option<Arc<str>>,
    /// Exceptions of the test that runs, each with its class and the last call before it was first thrown.
    thrown: Vec<(Ref, String, Option<Arc<str>>)>,
    /// By the id of a failed test.
    by_test: BTreeMap<String, Arc<str>>,
}

impl LastCalls {
    /// A watch for one run; `wanted` says whether a class is under test, by internal name.
    pub fn new(wanted: Wanted) -> LastCalls {
        LastCalls { wanted, names: FxHashMap::default(), open: Vec::new(), notes: Arc::default() }
    }

    /// What the run must be told to report to.
    pub fn hear(&self) -> Hear {
        let notes = Arc::clone(&self.notes);
        Box::new(move |event| {
            let mut notes = notes.lock().unwrap_or_else(PoisonError::into_inner);
            match event {
                Event::Started(node) if node.is_test => {
                    notes.last = None;
                    notes.thrown.clear();
                }
                Event::Finished(node) if node.is_test => {
                    let class = match &node.outcome {
                        Outcome::Failed(failures) => failures.first().map(|it| it.class.as_str()),
                        _ => None,
                    };
                    let known = |(_, name, _): &&(Ref, String, _)| Some(name.as_str()) == class;
                    let call = match notes.thrown.iter().rev().find(known) {
                        Some((_, _, call)) => call.clone(),
                        None => notes.last.clone(),
                    };
                    if let Some(call) = call {
                        notes.by_test.insert(node.id.clone(), call);
                    }
                }
                _ => {}
            }
        })
    }

    /// The last call of each test that made one, by the test's id: `com.acme.Cart.add(int)`. Of a test under
    /// way when the machine stopped, the last one so far under the empty id.
    pub fn finish(self) -> BTreeMap<String, String> {
        let notes = self.notes.lock().unwrap_or_else(PoisonError::into_inner);
        let under_way = notes.last.iter().map(|call| (String::new(), call.to_string()));
        let ended = notes.by_test.iter().map(|(id, call)| (id.clone(), call.to_string()));
        ended.chain(under_way).collect()
    }

    fn name(&mut self, vm: &Vm, id: MethodId) -> Option<Arc<str>> {
        if let Some(known) = self.names.get(&id) {
            return known.clone();
        }
        let method = vm.method(id);
        let class = vm.class(method.class).name.to_string();
        let name = method.name.to_string();
        let is_wanted = name != "<clinit>" && (self.wanted)(&class);
        let named = is_wanted.then(|| {
            let descriptor = method.descriptor.to_string();
            let named = suite::method::Method::new(&class, &name, &descriptor, method.is_static());
            named.map_or(name, |method| method.to_string()).into()
        });
        self.names.insert(id, named.clone());
        named
    }
}

impl Mode for LastCalls {
    const CALLS: bool = true;
    const EXCEPTIONS: bool = true;

    fn enter(&mut self, vm: &mut Vm, method: MethodId, _: &[u64]) {
        let Some(name) = self.name(vm, method) else { return };
        let (thread, frame) = (vm.threads[vm.current].frames.start(), vm.frame);
        // Frames that are not below were dropped without a word.
        self.open.retain(|&(of, at)| of != thread || at < frame);
        if self.open.iter().any(|&(of, _)| of == thread) {
            return;
        }
        self.open.push((thread, frame));
        self.notes.lock().unwrap_or_else(PoisonError::into_inner).last = Some(name);
    }

    fn leave(&mut self, vm: &mut Vm, _: MethodId, _: Option<u64>) {
        let frame = vm.frame;
        self.open.retain(|&(_, at)| at != frame);
    }

    fn thrown(&mut self, vm: &mut Vm, exception: Ref) {
        let class = vm.external_name(vm.class_of(exception));
        let mut notes = self.notes.lock().unwrap_or_else(PoisonError::into_inner);
        if notes.thrown.iter().any(|(known, of, _)| *known == exception && *of == class) {
            return;
        }
        if notes.thrown.len() == MOST_THROWN {
            notes.thrown.clear();
        }
        let last = notes.last.clone();
        notes.thrown.push((exception, class, last));
    }
}
