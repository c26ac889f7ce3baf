//! Records the method executions of a JUnit run: which methods of the classes under test were called from
//! outside, in which entry state, by which test.
//!
//! A call is recorded where it crosses from a client into a candidate object; what happens until it comes
//! back, on the same thread, is inside, whoever calls whom there. Constructors are methods without a
//! receiver, static initialisers are inside. An execution is kept once for all that one run can tell
//! apart; [`Recording::classes`] says which executions are the same under a technique. Must not know:
//! what is done with redundant tests.

mod candidates;
mod edges;
mod equivalence;
mod history;
mod look;
mod recording;
mod states;
mod timeline;
mod whole_suite;

use std::collections::hash_map::Entry;

use rustc_hash::{FxHashMap, FxHashSet};
use vm::frame::Frame;
use vm::handles::Handle;
use vm::mode::{Mode, Place};
use vm::value::{ClassId, Kind, MethodId, Ref};
use vm::vm::Vm;

pub use equivalence::Classes;
pub use look::{GRAMMAR, Look};
pub use recording::{Exception, Recording, TestRun, Verdict};
pub use states::{LARGEST_ASKED, MOST_BYTES_ASKED};
pub use whole_suite::{
    NotRecorded, Recorded as RecordedSuite, Suite, record_suite, silence_test, stopped_classes,
};

use crate::arguments::places;
use crate::coverage::Wanted;
use crate::junit::{Hear, Report};
use crate::state::canonical_heap::{CanonicalHeap, Root};
use crate::state::fingerprint::{Fingerprint, Mixer, Sink};
use crate::state::kept_walk::KeptWalks;
use crate::state::mask::Mask;
use crate::state::technique::Technique;
use crate::state::{modifying_seq, whole_seq};
use candidates::Candidates;
use edges::Edges;
use history::{Expression, History, Text, TextId};
use states::{StateId, States};
use timeline::Timeline;

/// A technique for receivers and one for arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Techniques {
    /// How the receiver's state is represented.
    pub receiver: Technique,
    /// How the arguments' states are represented.
    pub arguments: Technique,
}

impl Techniques {
    /// One technique for both.
    pub fn both(technique: Technique) -> Techniques {
        Techniques { receiver: technique, arguments: technique }
    }

    fn is_mixed(self) -> bool {
        self.receiver != self.arguments
    }

    fn has(self, wanted: &[Technique]) -> bool {
        wanted.contains(&self.receiver) || wanted.contains(&self.arguments)
    }
}

/// What is recorded.
pub struct Watch {
    /// Whether a class is under test, by internal name.
    pub wanted: Wanted,
    /// The techniques that will be asked for.
    pub techniques: Vec<Techniques>,
    /// What is no part of a state.
    pub mask: Mask,
    /// Whether executions can be printed.
    pub with_texts: bool,
    /// Whether the states that calls leave objects in are counted; all techniques must be asked for.
    pub with_left_states: bool,
}

/// What has to be computed for the techniques that were asked for.
#[derive(Debug, Clone, Copy)]
struct Needs {
    sequences: bool,
    modifying: bool,
    joint: bool,
    components: bool,
    states: bool,
    left_states: bool,
}

impl Needs {
    fn of(watch: &Watch) -> Needs {
        use Technique::{ModifyingSeq, MonitorEquals, PairwiseEquals, WholeSeq, WholeState};
        let any = |wanted: &[Technique]| watch.techniques.iter().any(|all| all.has(wanted));
        let states = any(&[MonitorEquals, PairwiseEquals]) || watch.with_texts;
        Needs {
            sequences: any(&[WholeSeq, ModifyingSeq]) || watch.with_texts,
            modifying: any(&[ModifyingSeq]) || watch.with_texts,
            joint: states || any(&[WholeState]),
            components: watch
                .techniques
                .iter()
                .any(|both| both.is_mixed() && both.has(&[WholeState])),
            states,
            left_states: watch.with_left_states,
        }
    }
}

const NOTHING: Fingerprint = Fingerprint(0);

/// A method execution, by everything that some technique can tell apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Execution {
    method: u32,
    /// Receiver and arguments together.
    joint: Fingerprint,
    /// Receiver and arguments apart, where techniques differ or the state is too large to be kept.
    whole: [Fingerprint; 2],
    whole_seq: [Fingerprint; 2],
    modifying_seq: [Fingerprint; 2],
    /// The entry state, or the receiver's part of it where `values` says the rest; none where it is too large.
    state: StateId,
    /// The arguments, where all of them are primitive values, strings, boxed values or `null` and the receiver is
    /// kept without them, so that many calls on one state share it.
    values: Option<Fingerprint>,
}

impl Execution {
    /// A fingerprint of all of it: takes less room than itself.
    fn key(&self) -> Fingerprint {
        let mut mixer = Mixer::new(14);
        mixer.word(u64::from(self.method) << 32 | u64::from(self.state.0));
        mixer.fingerprint(self.joint);
        for pair in [self.whole, self.whole_seq, self.modifying_seq] {
            pair.into_iter().for_each(|part| mixer.fingerprint(part));
        }
        mixer.word(u64::from(self.values.is_some()));
        mixer.fingerprint(self.values.unwrap_or(NOTHING));
        mixer.finish()
    }
}

/// A state that a call left a candidate in, by everything that some technique can tell apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct LeftState {
    whole: Fingerprint,
    whole_seq: Fingerprint,
    modifying_seq: Fingerprint,
    state: StateId,
}

/// A method of which an execution was recorded.
#[derive(Debug)]
struct Recorded {
    /// As people name it.
    name: String,
    /// Its class, as people name it.
    class: String,
    short_name: String,
    key: u64,
    places: Vec<(usize, Kind)>,
    returns: Kind,
    is_constructor: bool,
    is_initialiser: bool,
    /// Whether the first part of the entry state is a receiver.
    has_receiver: bool,
}

/// A call into a candidate that has not come back.
#[derive(Debug)]
struct Crossing {
    /// Addresses of the frame and of the thread's first one.
    frame: *mut Frame,
    thread: *mut Frame,
    method: u32,
    call: Option<OpenCall>,
}

/// What is needed when the call comes back, where sequences are followed.
#[derive(Debug)]
struct OpenCall {
    receiver: Option<Handle>,
    /// What was reachable from the receiver.
    before: Fingerprint,
    expression: Option<Expression>,
    parts: Vec<Expression>,
}

/// Records while a suite runs; with `COVERAGE` also which ways branches went.
pub struct Recorder<const COVERAGE: bool> {
    needs: Needs,
    candidates: Candidates,
    heap: CanonicalHeap,
    walks: KeptWalks,
    timeline: Timeline,
    history: History,
    states: States,
    edges: Edges,
    open: Vec<Crossing>,
    /// With the key of the class of the object that a constructor makes, where that is a subclass.
    by_method: FxHashMap<(MethodId, Option<u64>), u32>,
    methods: Vec<Recorded>,
    by_content: FxHashMap<Fingerprint, u32>,
    executions: Vec<Execution>,
    /// By execution: its parts, with all calls and with those that changed something.
    texts: Vec<[Vec<TextId>; 2]>,
    /// By execution: one more than the bin that had it last.
    last: Vec<u32>,
    /// Bin and execution, without immediate repetitions.
    log: Vec<(u32, u32)>,
    /// By bin.
    n_executions: Vec<u64>,
    thrown: Option<ClassId>,
    by_exception: FxHashMap<(ClassId, u32), u32>,
    exceptions: Vec<Exception>,
    /// Bin and exception.
    raised: Vec<(u32, u32)>,
    left: Vec<LeftState>,
    is_left: FxHashSet<LeftState>,
    roots: Vec<Root>,
}

impl<const COVERAGE: bool> Recorder<COVERAGE> {
    /// A recorder for one run on one machine.
    pub fn new(watch: Watch) -> Recorder<COVERAGE> {
        Recorder {
            needs: Needs::of(&watch),
            heap: CanonicalHeap::new(watch.mask),
            walks: KeptWalks::default(),
            candidates: Candidates::new(watch.wanted),
            timeline: Timeline::new(),
            history: History::new(watch.with_texts),
            states: States::default(),
            edges: Edges::default(),
            open: Vec::new(),
            by_method: FxHashMap::default(),
            methods: Vec::new(),
            by_content: FxHashMap::default(),
            executions: Vec::new(),
            texts: Vec::new(),
            last: Vec::new(),
            log: Vec::new(),
            n_executions: Vec::new(),
            thrown: None,
            by_exception: FxHashMap::default(),
            exceptions: Vec::new(),
            raised: Vec::new(),
            left: Vec::new(),
            is_left: FxHashSet::default(),
            roots: Vec::new(),
        }
    }

    /// What the run must be told to report to, so that executions find their tests.
    pub fn hear(&self) -> Hear {
        self.timeline.hear()
    }

    /// What was recorded, by test. The run is over.
    pub fn finish(mut self, vm: &mut Vm, report: &Report) -> Recording {
        for crossing in std::mem::take(&mut self.open) {
            drop_call(vm, crossing.call);
        }
        self.history.forget(vm);
        self.walks.end(vm);
        recording::make(self, vm, report)
    }

    /// Whether a frame of the running thread stands inside a call into a candidate.
    #[inline(never)]
    fn is_inside(&mut self, vm: &mut Vm, thread: *mut Frame, frame: *mut Frame) -> bool {
        let mut is_inside = false;
        let mut idx = 0;
        while idx < self.open.len() {
            let crossing = &self.open[idx];
            if crossing.thread == thread {
                if crossing.frame < frame {
                    is_inside = true;
                } else {
                    // Its frame was dropped without a word: the call was abandoned.
                    drop_call(vm, self.open.swap_remove(idx).call);
                    continue;
                }
            }
            idx += 1;
        }
        is_inside
    }

    /// The method that is called. A constructor that a subclass calls for its own objects may do something else for
    /// each of them (it sees their class, and calls what they override), so it counts as one for each.
    fn method(&mut self, vm: &Vm, id: MethodId, this: Ref) -> u32 {
        let method = vm.method(id);
        let is_constructor = method.name.as_bytes() == b"<init>";
        let subclass = is_constructor.then(|| vm.class_of(this)).filter(|&of| of != method.class);
        let subclass = subclass.map(|class| self.heap.class_key(vm, class));
        if let Some(&idx) = self.by_method.get(&(id, subclass)) {
            return idx;
        }
        let class = vm.class(method.class);
        let mut key = Mixer::new(4);
        for name in [class.name, method.name, method.descriptor] {
            key.text(name.as_bytes());
        }
        subclass.into_iter().for_each(|class| key.word(class));
        let name = method.name.to_string();
        let signature = suite::method::Method::new(
            &class.name.to_string(),
            &name,
            &method.descriptor.to_string(),
            method.is_static(),
        );
        let mut places = places(method);
        if is_constructor {
            places.remove(0);
        }
        let recorded = Recorded {
            name: signature.map_or_else(|| name.clone(), |signature| signature.to_string()),
            class: vm.external_name(method.class),
            is_initialiser: name == "<clinit>",
            short_name: name,
            key: key.half(),
            places,
            returns: method.returns,
            is_constructor,
            has_receiver: !is_constructor && !method.is_static(),
        };
        #[expect(clippy::cast_possible_truncation, reason = "far fewer methods than 2^32")]
        let idx = self.methods.len() as u32;
        self.methods.push(recorded);
        self.by_method.insert((id, subclass), idx);
        idx
    }

    /// A call crosses from a client into a candidate. Out of line: most calls do not.
    #[inline(never)]
    fn cross(&mut self, vm: &mut Vm, id: MethodId, args: &[u64], place: (*mut Frame, *mut Frame)) {
        let this = Ref::from_slot(args.first().copied().unwrap_or(0));
        let idx = self.method(vm, id, this);
        let (thread, frame) = place;
        let mut crossing = Crossing { frame, thread, method: idx, call: None };
        let method = &self.methods[idx as usize];
        if method.is_initialiser {
            self.open.push(crossing);
            return;
        }
        let mut roots = std::mem::take(&mut self.roots);
        roots.clear();
        roots.extend(method.places.iter().map(|&(register, kind)| {
            let word = args.get(register).copied().unwrap_or(0);
            match kind {
                Kind::Ref => Root::Object(Ref::from_slot(word)),
                kind => Root::Primitive(kind, word),
            }
        }));
        let n_receivers = usize::from(method.has_receiver);
        let mut execution = Execution {
            method: idx,
            joint: NOTHING,
            whole: [NOTHING; 2],
            whole_seq: [NOTHING; 2],
            modifying_seq: [NOTHING; 2],
            state: StateId::NONE,
            values: None,
        };
        let (receiver, arguments) = roots.split_at(n_receivers);
        let mut receiver_alone = NOTHING;
        if self.needs.joint {
            (receiver_alone, execution.joint) = self.walks.fingerprints(&mut self.heap, vm, &roots);
        }
        let is_small = self.walks.n_first() <= LARGEST_ASKED;
        if self.needs.components {
            execution.whole = [
                self.walks.fingerprints(&mut self.heap, vm, receiver).1,
                self.heap.fingerprint(vm, arguments),
            ];
        }
        if self.needs.states {
            // Who wants to look at executions wants all of their entry states.
            let is_apart = !receiver.is_empty()
                && self.history.texts.is_none()
                && arguments.iter().all(|&argument| self.heap.is_plain(vm, argument));
            if is_apart && !self.states.has_equals(vm, this) {
                execution.state = StateId::WHOLE;
            } else if is_apart && is_small {
                execution.state = self.states.keep(vm, receiver_alone, receiver);
                execution.values = Some(self.heap.fingerprint(vm, arguments));
            } else if is_small {
                execution.state = self.states.keep(vm, execution.joint, &roots);
            }
        }
        if self.needs.states && !execution.state.is_kept() && !self.needs.components {
            execution.whole = [
                if receiver.is_empty() { NOTHING } else { receiver_alone },
                self.heap.fingerprint(vm, arguments),
            ];
        }
        let mut text_parts = [Vec::new(), Vec::new()];
        if self.needs.sequences {
            let (open, parts) = self.open_call(vm, idx, &roots, this);
            let (receiver, arguments) = parts.split_at(n_receivers);
            let mix = |parts: &[Expression], get: fn(&Expression) -> Fingerprint| {
                let mut mixer = Mixer::new(5);
                parts.iter().for_each(|part| mixer.fingerprint(get(part)));
                mixer.finish()
            };
            execution.whole_seq = [receiver, arguments].map(|all| mix(all, |part| part.whole));
            if self.needs.modifying {
                execution.modifying_seq =
                    [receiver, arguments].map(|all| mix(all, |part| part.modifying));
            }
            if self.history.texts.is_some() {
                text_parts = [
                    parts.iter().map(|part| part.whole_text).collect(),
                    parts.iter().map(|part| part.modifying_text).collect(),
                ];
            }
            crossing.call = Some(OpenCall { parts, ..open });
        }
        self.roots = roots;
        self.open.push(crossing);
        self.note(execution, text_parts);
    }

    /// Expressions of receiver and arguments, and what the end of the call needs.
    fn open_call(
        &mut self,
        vm: &mut Vm,
        idx: u32,
        roots: &[Root],
        this: Ref,
    ) -> (OpenCall, Vec<Expression>) {
        self.history.sync(vm);
        let parts: Vec<Expression> =
            roots.iter().map(|&root| self.history.expression(&mut self.heap, vm, root)).collect();
        let method = &self.methods[idx as usize];
        let mut open =
            OpenCall { receiver: None, before: NOTHING, expression: None, parts: vec![] };
        if method.has_receiver || method.is_constructor {
            open.receiver = Some(vm.handles.hold(this));
        }
        if method.has_receiver {
            open.expression = parts.first().copied();
            if self.needs.modifying {
                open.before = self.walks.fingerprint(&mut self.heap, vm, this);
            }
        }
        (open, parts)
    }

    /// Takes an execution down for the test that runs.
    #[expect(clippy::cast_possible_truncation, reason = "far fewer executions than 2^32")]
    fn note(&mut self, execution: Execution, texts: [Vec<TextId>; 2]) {
        let number = match self.by_content.entry(execution.key()) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(place) => {
                let number = *place.insert(self.executions.len() as u32);
                self.executions.push(execution);
                self.last.push(0);
                if self.history.texts.is_some() {
                    self.texts.push(texts);
                }
                number
            }
        };
        let bin = self.timeline.current();
        if self.n_executions.len() <= bin as usize {
            self.n_executions.resize(bin as usize + 1, 0);
        }
        self.n_executions[bin as usize] += 1;
        let last = &mut self.last[number as usize];
        if *last != bin + 1 {
            *last = bin + 1;
            self.log.push((bin, number));
        }
    }

    /// A call into a candidate came back.
    #[inline(never)]
    fn come_back(&mut self, vm: &mut Vm, at: usize, result: Option<u64>) {
        let crossing = self.open.swap_remove(at);
        if result.is_none() {
            self.note_exception(vm, crossing.method);
        }
        let Some(call) = crossing.call else { return };
        self.history.sync(vm);
        let receiver = call.receiver.map(|handle| vm.handles.release(handle));
        let method = &self.methods[crossing.method as usize];
        let whole: Vec<Fingerprint> = call.parts.iter().map(|part| part.whole).collect();
        let modifying: Vec<Fingerprint> = call.parts.iter().map(|part| part.modifying).collect();
        let mut texts = [TextId::NONE; 2];
        let mut text = |history: &mut History, suffix: &'static str| {
            if let Some(all) = &mut history.texts {
                let parts = call.parts.iter();
                texts = [
                    parts.clone().map(|part| part.whole_text).collect(),
                    parts.map(|part| part.modifying_text).collect(),
                ]
                .map(|parts| all.add(Text::Call { method: crossing.method, parts, suffix }));
            }
            texts
        };
        if let Some(receiver) = receiver
            && (result.is_some() || !method.is_constructor)
        {
            let [whole_text, modifying_text] = text(&mut self.history, ".state");
            let mut after = Expression {
                whole: whole_seq::state_after(method.key, &whole),
                modifying: whole_seq::state_after(method.key, &modifying),
                whole_text,
                modifying_text,
            };
            if let Some(before) = call.expression
                && self.needs.modifying
            {
                let heap = self.walks.fingerprint(&mut self.heap, vm, receiver);
                after.modifying = modifying_seq::state_after(
                    method.key,
                    &modifying,
                    (before.modifying, call.before),
                    heap,
                );
                if after.modifying == before.modifying {
                    after.modifying_text = before.modifying_text;
                }
            }
            self.history.set(vm, receiver, after);
            if self.needs.left_states {
                self.note_left(vm, receiver, after);
            }
        }
        let method = &self.methods[crossing.method as usize];
        if method.returns != Kind::Ref {
            return;
        }
        let Some(object) = result.and_then(|word| Ref::from_slot(word).some()) else { return };
        // An object that has a history of its own keeps it, such as the receiver of `return this`.
        if !self.history.knows(object) && !self.heap.is_value(vm, object) {
            let [whole_text, modifying_text] = text(&mut self.history, ".retval");
            let expression = Expression {
                whole: whole_seq::result_of(method.key, &whole),
                modifying: whole_seq::result_of(method.key, &modifying),
                whole_text,
                modifying_text,
            };
            self.history.set(vm, object, expression);
        }
    }

    /// Takes down the state that a call left its receiver in.
    fn note_left(&mut self, vm: &mut Vm, receiver: Ref, after: Expression) {
        let whole = self.walks.fingerprint(&mut self.heap, vm, receiver);
        let is_small = self.walks.n_first() <= LARGEST_ASKED;
        let state = if self.needs.states && !self.states.has_equals(vm, receiver) {
            StateId::WHOLE
        } else if self.needs.states && is_small {
            self.states.keep(vm, whole, &[Root::Object(receiver)])
        } else {
            StateId::NONE
        };
        let (whole_seq, modifying_seq) = (after.whole, after.modifying);
        let left = LeftState { whole, whole_seq, modifying_seq, state };
        if self.is_left.insert(left) {
            self.left.push(left);
        }
    }

    #[expect(clippy::cast_possible_truncation, reason = "far fewer exceptions than 2^32")]
    fn note_exception(&mut self, vm: &Vm, method: u32) {
        let Some(class) = self.thrown else { return };
        if self.methods[method as usize].is_initialiser {
            return;
        }
        let number = *self.by_exception.entry((class, method)).or_insert_with(|| {
            let method = self.methods[method as usize].name.clone();
            let exception = Exception { class: vm.external_name(class), method };
            let known = self.exceptions.iter().position(|known| *known == exception);
            let number = known.unwrap_or(self.exceptions.len());
            if known.is_none() {
                self.exceptions.push(exception);
            }
            number as u32
        });
        self.raised.push((self.timeline.current(), number));
    }
}

fn drop_call(vm: &mut Vm, call: Option<OpenCall>) {
    if let Some(receiver) = call.and_then(|call| call.receiver) {
        vm.handles.release(receiver);
    }
}

impl<const COVERAGE: bool> Mode for Recorder<COVERAGE> {
    const CALLS: bool = true;
    const EXCEPTIONS: bool = true;
    const BRANCHES: bool = COVERAGE;

    #[inline]
    fn enter(&mut self, vm: &mut Vm, method: MethodId, args: &[u64]) {
        if !self.candidates.reaches(vm, method, args) {
            return;
        }
        let thread = vm.threads[vm.current].frames.start();
        let frame = vm.frame;
        if self.open.is_empty() || !self.is_inside(vm, thread, frame) {
            self.cross(vm, method, args, (thread, frame));
        }
    }

    #[inline]
    fn leave(&mut self, vm: &mut Vm, _: MethodId, result: Option<u64>) {
        if self.open.is_empty() {
            return;
        }
        let frame = vm.frame;
        if let Some(at) = self.open.iter().position(|crossing| crossing.frame == frame) {
            self.come_back(vm, at, result);
        }
    }

    fn thrown(&mut self, vm: &mut Vm, exception: Ref) {
        self.thrown = Some(vm.class_of(exception));
    }

    #[inline(always)]
    fn knows_branch(&mut self, address: usize, edge: u32) -> bool {
        self.edges.knows(address, edge, self.timeline.current())
    }

    #[inline]
    fn wants_branches(&mut self, vm: &mut Vm, method: MethodId) -> bool {
        let candidates = &mut self.candidates;
        self.edges.watches(method, || candidates.is_candidate(vm, vm.method(method).class))
    }

    #[inline]
    fn branch(&mut self, _: &mut Vm, place: Place, edge: u32) {
        self.edges.take(place, edge, self.timeline.current());
    }
}
