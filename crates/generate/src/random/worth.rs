//! What a sequence shows as a test: the ways that branches take, how calls end, and the states that they lead
//! to. Runs single sequences from the beginning, so that shorter ones can be compared with longer ones.

use std::collections::BTreeSet;
use std::sync::Arc;

use observe::known_ways::KnownWays;
use observe::outside::{self, Reach, Start};
use observe::session::{NotFound, Session};
use observe::state::canonical_heap::{CanonicalHeap, Root, Whole};
use observe::state::fingerprint::{Fingerprint, Mixer, Sink, name_key};
use observe::state::mask::Mask;
use rustc_hash::FxHashSet;
use suite::method::Method;
use suite::sequence::{Arg, Sequence, Statement};
use suite::types::Type;
use vm::interp::Outcome;
use vm::mode::{Mode, Place};
use vm::value::{MethodId, Ref};
use vm::vm::Vm;

use super::MOST_MEMORY;

/// How often a sequence runs at most until it initialises no class any more.
const MOST_RUNS: usize = 3;

/// What starting and taking back a run costs, in bytecodes.
const OF_A_RUN: u64 = 500;

/// Something that a test shows, as a number that is the same on every machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Thing(u64);

/// Which states are looked at; walking through all that is reachable after every call costs most.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum States {
    /// None.
    Unseen,
    /// Those after the last call.
    Last,
    /// Those after every call, and that of the receiver before the last one.
    All,
}

/// What a sequence shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown {
    /// Ways that branches of the classes under test took.
    pub branches: BTreeSet<Thing>,
    /// Methods of the classes under test that returned, and the exception of the last one.
    pub ends: BTreeSet<Thing>,
    /// Calls with the states of their objects afterwards, as far as they were looked at.
    pub states: Vec<Thing>,
    /// The class of the exception by which the last call ended, if it did.
    pub threw: Option<Arc<str>>,
    /// What it took to find out: bytecodes that ran, and words of states, which take about as long.
    pub cost: u64,
    /// The state of the object that the last call is made on, or that it makes, before it, if it was there, and
    /// after it; where it returned and all states were looked at.
    pub receiver: Option<(Option<Fingerprint>, Fingerprint)>,
}

/// Runs sequences and says what they show. Belongs to one machine.
pub struct Appraiser {
    /// Bytecodes that one call may take.
    pub fuel: u64,
    session: Session,
    heap: CanonicalHeap,
    taken: Taken,
    cost: u64,
    reach: Reach,
}

impl Appraiser {
    /// An appraiser of tests for these classes, by internal name.
    pub fn new(session: Session, classes: &[Arc<str>], mask: Mask, fuel: u64) -> Appraiser {
        let classes = classes.iter().map(|class| class.to_string()).collect();
        let taken = Taken { classes, ..Taken::default() };
        let heap = CanonicalHeap::new(mask);
        Appraiser { fuel, session, heap, taken, cost: 0, reach: Reach::Inside }
    }

    /// Whether the last sequence asked for files, programs or the network, so that it can be no test.
    pub fn was_outside(&self) -> bool {
        self.reach != Reach::Inside
    }

    /// What all sequences took together.
    pub fn cost(&self) -> u64 {
        self.cost
    }

    /// What a sequence shows; `None` where a call before the last one does not return, or the last one does
    /// not come to an end. Leaves the machine as it was, but for classes that are now initialised.
    pub fn appraise(
        &mut self,
        sequence: &Sequence,
        states: States,
    ) -> Result<Option<Shown>, NotFound> {
        self.session.vm.heap.limit_growth(MOST_MEMORY);
        self.session.prepare(sequence)?;
        let mut shown = None;
        for _ in 0..MOST_RUNS {
            let (seen, met) = self.run(sequence, states)?;
            shown = seen;
            // So that it is not done again for the next sequence, nor counted with this one.
            let n_new = met.iter().filter(|name| self.session.learn(name).is_ok()).count();
            if n_new == 0 {
                break;
            }
        }
        Ok(shown)
    }

    /// What a sequence shows, and the classes that it initialised.
    fn run(
        &mut self,
        sequence: &Sequence,
        states: States,
    ) -> Result<(Option<Shown>, Vec<String>), NotFound> {
        let vm = &mut self.session.vm;
        let (n_classes, n_methods) = (vm.classes.len(), vm.methods.len());
        let mark = vm.mark();
        self.taken.start();
        let start = Start::now(vm);
        let shown = self.watch(sequence, states);
        let vm = &mut self.session.vm;
        self.reach = start.reach(vm);
        let met = outside::loaded(vm, n_classes);
        vm.rollback(mark);
        vm.host.forget_files();
        self.taken.forget_from(n_methods);
        Ok((shown?, met))
    }

    fn watch(&mut self, sequence: &Sequence, wanted: States) -> Result<Option<Shown>, NotFound> {
        let Appraiser { session, heap, taken, fuel, cost, .. } = self;
        let mut heap = Walker { heap, n_words: 0 };
        let used_before = session.vm.fuel_used;
        let statements = sequence.statements();
        let Some(last) = statements.last() else { return Ok(None) };
        let mut states = Vec::new();
        let mut before = None;
        let mut after = |session: &mut Session, values: &[u64]| {
            let vm = &session.vm;
            let n_left = statements.len() - values.len();
            if wanted == States::All || wanted == States::Last && n_left == 0 {
                states.push(state(&mut heap, vm, &statements[values.len() - 1], values));
            }
            if wanted == States::All && n_left == 1 {
                before = receiver(last, values).map(|root| heap.key(vm, &[root]));
            }
        };
        let (values, outcome) = session.run_stepwise(taken, sequence, *fuel, &mut after)?;
        let vm = &session.vm;
        let n_bytecodes = OF_A_RUN + (vm.fuel_used - used_before);
        let threw: Option<Arc<str>> = match outcome {
            None | Some(Outcome::Returned(_)) => None,
            Some(Outcome::Threw(exception))
                if !exception.is_null() && values.len() + 1 == statements.len() =>
            {
                Some(vm.class(vm.class_of(exception)).name.to_string().into())
            }
            Some(_) => {
                *cost += n_bytecodes + heap.n_words;
                return Ok(None);
            }
        };
        let ends = statements.iter().enumerate().filter_map(|(idx, statement)| {
            let method = statement.method()?;
            let is_last = idx + 1 == statements.len();
            let is_wanted = is_last || taken.is_under_test(&method.class);
            let how = threw.as_deref().filter(|_| is_last).unwrap_or_default();
            is_wanted.then(|| end(method, how))
        });
        let ends = ends.collect();
        let is_wanted = wanted == States::All && threw.is_none();
        let receiver = receiver(last, &values).or_else(|| made(last, &values));
        let receiver = receiver.filter(|_| is_wanted).map(|root| (before, heap.key(vm, &[root])));
        let branches = taken.things(vm);
        let own = n_bytecodes + heap.n_words;
        *cost += own;
        Ok(Some(Shown { branches, ends, states, threw, cost: own, receiver }))
    }
}

/// Walks through heaps and counts.
struct Walker<'h> {
    heap: &'h mut CanonicalHeap,
    n_words: u64,
}

impl Walker<'_> {
    fn key(&mut self, vm: &Vm, roots: &[Root]) -> Fingerprint {
        let mut words = Counted { mixer: Mixer::new(6), n_words: 0 };
        self.heap.write(vm, roots, &Whole, &mut words);
        self.n_words += words.n_words;
        words.mixer.finish()
    }
}

struct Counted {
    mixer: Mixer,
    n_words: u64,
}

impl Sink for Counted {
    fn word(&mut self, word: u64) {
        self.mixer.word(word);
        self.n_words += 1;
    }
}

/// The receiver of a call.
fn receiver(statement: &Statement, values: &[u64]) -> Option<Root> {
    match statement.args.first() {
        Some(Arg::Var(var)) if statement.method()?.has_receiver() => {
            values.get(var.idx()).map(|&word| Root::Object(Ref::from_slot(word)))
        }
        _ => None,
    }
}

/// What a constructor makes.
fn made(statement: &Statement, values: &[u64]) -> Option<Root> {
    statement.method().filter(|method| method.is_constructor())?;
    values.last().map(|&word| Root::Object(Ref::from_slot(word)))
}

/// A call with the state of its receiver and of what it gives.
fn state(heap: &mut Walker<'_>, vm: &Vm, statement: &Statement, values: &[u64]) -> Thing {
    let mut roots: Vec<Root> = receiver(statement, values).into_iter().collect();
    let result = statement.result();
    if let Some(&word) = values.last().filter(|_| result.is_reference()) {
        roots.push(Root::Object(Ref::from_slot(word)));
    }
    let mut mixer = Mixer::new(3);
    if let Some(method) = statement.method() {
        mixer.word(method_key(method));
    }
    if !result.is_reference() && result != Type::Void {
        mixer.word(values.last().copied().unwrap_or_default());
    }
    mixer.text(&heap.key(vm, &roots).0.to_le_bytes());
    Thing(mixer.half())
}

fn end(method: &Method, how: &str) -> Thing {
    let mut mixer = Mixer::new(2);
    mixer.word(method_key(method));
    mixer.text(how.as_bytes());
    Thing(mixer.half())
}

fn method_key(method: &Method) -> u64 {
    let mut mixer = Mixer::new(4);
    for part in [&*method.class, &*method.name, &*method.descriptor()] {
        mixer.text(part.as_bytes());
    }
    mixer.half()
}

/// What is known of a method: nothing yet, that it is not watched, or its key.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Known {
    #[default]
    Nothing,
    Unwatched,
    Watched(u64),
}

/// Takes down each way of each branch once in the classes under test.
#[derive(Debug, Default)]
struct Taken {
    classes: FxHashSet<String>,
    known: Vec<Known>,
    /// By method: two bits per position of its code.
    seen: Vec<Vec<u64>>,
    /// Methods with a bit set.
    touched: Vec<MethodId>,
    /// Ways that are taken down already, or of no interest.
    settled: KnownWays,
    edges: FxHashSet<(Place, u32)>,
}

impl Taken {
    /// Forgets what was taken.
    fn start(&mut self) {
        for method in self.touched.drain(..) {
            if let Some(bits) = self.seen.get_mut(method.idx()) {
                bits.clear();
            }
        }
        self.edges.clear();
        // Code that was taken back may have had the addresses of other code.
        self.settled.forget();
    }

    /// Forgets methods from this number on.
    fn forget_from(&mut self, n_methods: usize) {
        self.known.truncate(n_methods);
        self.seen.truncate(n_methods);
    }

    fn is_under_test(&self, class: &str) -> bool {
        let outer = class.split('$').next().unwrap_or_default();
        self.classes.contains(class) || self.classes.contains(outer)
    }

    fn known(&mut self, vm: &Vm, id: MethodId) -> Known {
        if self.known.len() <= id.idx() {
            self.known.resize(id.idx() + 1, Known::Nothing);
            self.seen.resize_with(id.idx() + 1, Vec::new);
        }
        if self.known[id.idx()] == Known::Nothing {
            let method = vm.method(id);
            let class = vm.class(method.class).name.to_string();
            self.known[id.idx()] = if self.is_under_test(&class) {
                let mut mixer = Mixer::new(5);
                mixer.word(name_key(class.as_bytes()));
                mixer.text(method.name.as_bytes());
                mixer.text(method.descriptor.as_bytes());
                Known::Watched(mixer.half())
            } else {
                Known::Unwatched
            };
        }
        self.known[id.idx()]
    }

    fn things(&mut self, vm: &Vm) -> BTreeSet<Thing> {
        let mut things = BTreeSet::new();
        let mut edges: Vec<(Place, u32)> = self.edges.iter().copied().collect();
        edges.sort_unstable();
        for (place, edge) in edges {
            if let Known::Watched(key) = self.known(vm, place.method) {
                let mut mixer = Mixer::new(1);
                mixer.word(key);
                mixer.word(u64::from(place.bci));
                mixer.word(u64::from(edge));
                things.insert(Thing(mixer.half()));
            }
        }
        things
    }
}

impl Mode for Taken {
    const BRANCHES: bool = true;

    fn wants_branches(&mut self, vm: &mut Vm, method: MethodId) -> bool {
        matches!(self.known(vm, method), Known::Watched(_))
    }

    #[inline(always)]
    fn knows_branch(&mut self, address: usize, edge: u32) -> bool {
        self.settled.knows(address, edge)
    }

    fn wants_branch(&mut self, vm: &mut Vm, method: MethodId, position: u32, edge: u32) -> bool {
        if !self.wants_branches(vm, method) {
            return false;
        }
        if edge > 1 {
            return true;
        }
        let bits = &mut self.seen[method.idx()];
        if bits.is_empty() {
            self.touched.push(method);
        }
        let at = position as usize * 2 + edge as usize;
        if bits.len() <= at / 64 {
            bits.resize(at / 64 + 1, 0);
        }
        let is_new = bits[at / 64] >> (at % 64) & 1 == 0;
        bits[at / 64] |= 1 << (at % 64);
        is_new
    }

    fn branch(&mut self, _: &mut Vm, place: Place, edge: u32) {
        self.edges.insert((place, edge));
    }
}
