//! One thread's part: goes to a state and tries every argument list on it.
//!
//! The way from the world to the current state is a stack of marks, one per call. The next state on the
//! frontier mostly shares all but the last call with this one, so going there undoes one call and makes
//! one. Nothing is collected meanwhile: memory comes back by rolling back.

use observe::behaviour::{Behaviour, Followed};
use observe::oracle;
use observe::session::{NotFound, Session};
use observe::state::canonical_heap::{CanonicalHeap, Root};
use observe::state::fingerprint::{Fingerprint, Mixer};
use observe::state::monitor_equals::MonitorEquals;
use observe::state::pairwise_equals::PairwiseEquals;
use observe::state::technique::Technique;
use observe::state::{modifying_seq, whole_seq, whole_state};
use suite::method::Method;
use suite::types::Type;
use vm::frame::Stop;
use vm::interp::Outcome;
use vm::mode::{Mode, Plain};
use vm::substitute::Substitute;
use vm::travel::Mark;
use vm::value::{ClassId, Ref, Value};
use vm::vm::Vm;

use super::follow::{Stride, Way};
use super::prepared::Prepared;
use super::recorded::{Described, GivenBack, RecordedCall};
use super::table::{Link, ListId, StateId, StateTable};
use super::{Call, End, Iteration, Job};
use crate::arguments::{Argument, ArgumentList};

/// What expanding some states found.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) counts: Iteration,
    /// States that were not in the table, in the order of parents and lists.
    pub(super) candidates: Vec<Candidate>,
    pub(super) stopped: Vec<(StateId, ListId, Stop)>,
    /// How every call ended, if the job keeps them.
    pub(super) calls: Vec<(StateId, ListId, Ended)>,
}

/// How a call ended, as the worker knows it.
#[derive(Debug)]
pub(super) enum Ended {
    At(Fingerprint),
    Nowhere,
    Threw,
    Stopped,
}

/// A state that may be new.
#[derive(Debug)]
pub(super) struct Candidate {
    pub(super) key: Fingerprint,
    pub(super) parent: StateId,
    pub(super) list: ListId,
}

/// A state that the machine is in, or was in on the way.
struct Step {
    state: StateId,
    mark: Mark,
    receiver: Ref,
}

/// A machine that goes from state to state.
pub(crate) struct Worker<'j> {
    job: &'j Job,
    session: Session,
    /// Makers first, then the other lists: `ListId` counts through both.
    prepared: Vec<Prepared>,
    /// For sequences: what a call's method and arguments contribute to an expression.
    list_keys: Vec<u64>,
    classes: Vec<ClassId>,
    /// The classes through which methods are called.
    through: Vec<ClassId>,
    path: Vec<Step>,
    way: Vec<StateId>,
    heap: CanonicalHeap,
    monitor: MonitorEquals,
    pairwise: PairwiseEquals,
    shared_below: usize,
}

impl<'j> Worker<'j> {
    pub(crate) fn new(job: &'j Job, mut session: Session) -> Result<Worker<'j>, NotFound> {
        let mut classes = Vec::new();
        for class in &job.classes {
            classes.push(session.class(class)?);
        }
        let mut worker = Worker {
            job,
            session,
            prepared: Vec::new(),
            list_keys: Vec::new(),
            classes,
            through: Vec::new(),
            path: Vec::new(),
            way: Vec::new(),
            heap: CanonicalHeap::new(job.mask.clone()),
            monitor: MonitorEquals::default(),
            pairwise: PairwiseEquals::default(),
            shared_below: 0,
        };
        worker.prepare()?;
        worker.warm_up();
        // Constants may have moved while classes were initialised.
        worker.prepare()?;
        worker.shared_below = worker.session.vm.heap.top;
        Ok(worker)
    }

    fn prepare(&mut self) -> Result<(), NotFound> {
        self.prepared.clear();
        self.list_keys.clear();
        for list in self.job.makers.iter().chain(&self.job.lists) {
            self.prepared.push(Prepared::new(&mut self.session, list)?);
            let mut mixer = Mixer::new(4);
            mixer.text(format!("{list:?}").as_bytes());
            self.list_keys.push(mixer.half());
        }
        let lists = &self.prepared[self.job.makers.len()..];
        self.through = lists.iter().map(Prepared::class).collect();
        self.through.sort_unstable();
        self.through.dedup();
        Ok(())
    }

    /// Tries everything once to see which classes are initialised on the way, takes it all back and
    /// initialises these classes for good, so that it is not done again for every call.
    fn warm_up(&mut self) {
        let before = self.session.vm.classes.len();
        let mark = self.session.vm.mark();
        let mut receivers: Vec<Ref> = Vec::new();
        for idx in 0..self.prepared.len() {
            let tried: Vec<Ref> =
                if idx < self.job.makers.len() { vec![Ref::NULL] } else { receivers.clone() };
            for receiver in tried {
                if !receiver.is_null() && !self.fits(idx, receiver) {
                    continue;
                }
                let outcome = self.call(idx, receiver).0;
                if let Some(object) = self.object_under_test(&outcome)
                    && receivers.len() < 3
                {
                    receivers.push(object);
                }
            }
        }
        let vm = &self.session.vm;
        let names: Vec<String> = (before..vm.classes.len())
            .map(|idx| vm.classes[idx].class.clone())
            .filter(|class| !class.hidden && class.has_file())
            .filter(|class| vm.is_initialised(class.id))
            .map(|class| class.name.to_string())
            .collect();
        self.session.vm.rollback(mark);
        for name in names {
            // A class that cannot be initialised says so again when it is used.
            let _ = self.session.learn(&name);
        }
    }

    /// Internal names of the classes for which `equals` did not help.
    pub(super) fn fallen_back(&self) -> Vec<String> {
        if self.job.technique != Technique::MonitorEquals {
            return Vec::new();
        }
        let mut names: Vec<String> = self
            .classes
            .iter()
            .filter(|class| self.monitor.fallen_back.contains(class))
            .map(|&class| self.session.vm.class(class).name.to_string())
            .collect();
        names.sort();
        names
    }

    /// Tries every argument list on a state.
    pub(super) fn expand(&mut self, table: &StateTable, state: StateId, found: &mut Found) {
        found.counts.expanded += 1;
        let receiver = self.go_to(table, state);
        let n_makers = self.job.makers.len();
        let lists =
            if state == StateId::WORLD { 0..n_makers } else { n_makers..self.prepared.len() };
        let parent_key = table.key(state);
        let whole_before = self.before(receiver);
        let mark = self.session.vm.mark();
        for idx in lists {
            if !receiver.is_null() && !self.fits(idx, receiver) {
                continue;
            }
            let list = ListId(u32::try_from(idx).unwrap_or(u32::MAX));
            let (outcome, was_called) = self.call(idx, receiver);
            if was_called {
                found.counts.calls += 1;
            }
            let mut ended = Ended::Nowhere;
            match &outcome {
                Outcome::Returned(_) => {
                    let after = if receiver.is_null() {
                        self.object_under_test(&outcome)
                    } else {
                        Some(receiver)
                    };
                    if let Some(object) = after {
                        let key = self.key(object, parent_key, whole_before, idx);
                        ended = Ended::At(key);
                        if key == parent_key {
                            found.counts.preserved += 1;
                        } else if table.find(key).is_none() {
                            found.candidates.push(Candidate { key, parent: state, list });
                        }
                    }
                }
                Outcome::Threw(_) => {
                    found.counts.threw += usize::from(was_called);
                    ended = Ended::Threw;
                }
                Outcome::Stopped(stop) => {
                    found.stopped.push((state, list, stop.clone()));
                    ended = Ended::Stopped;
                }
            }
            if self.job.keep_calls && was_called {
                found.calls.push((state, list, ended));
            }
            self.session.vm.rollback_to(&mark);
        }
        self.session.vm.rollback(mark);
    }

    /// Makes every call on a state again and describes it in full.
    pub(super) fn record(
        &mut self,
        table: &StateTable,
        state: StateId,
        recorded: &mut Vec<RecordedCall>,
    ) {
        let receiver = self.go_to(table, state);
        let n_makers = self.job.makers.len();
        let lists =
            if state == StateId::WORLD { 0..n_makers } else { n_makers..self.prepared.len() };
        let parent_key = table.key(state);
        let whole_before = self.before(receiver);
        // Numbers of representatives must be given in the order of the exploration.
        let is_numbered = self.job.technique == Technique::PairwiseEquals;
        let mark = self.session.vm.mark();
        for idx in lists {
            if !receiver.is_null() && !self.fits(idx, receiver) {
                continue;
            }
            let (outcome, was_called) = self.call(idx, receiver);
            let list = ListId(u32::try_from(idx).unwrap_or(u32::MAX));
            let is_end = matches!(outcome, Outcome::Stopped(_));
            let threw = matches!(outcome, Outcome::Threw(_));
            if was_called && !is_end {
                let after = match receiver.some() {
                    Some(receiver) => Some(receiver),
                    None => self.object_under_test(&outcome),
                };
                let exit = match after {
                    Some(_) if threw && is_numbered => None,
                    Some(object) => Some(self.key(object, parent_key, whole_before, idx)),
                    None => None,
                };
                let given = self.given(idx, &outcome);
                recorded.push(RecordedCall { state, list, exit, given });
            }
            self.session.vm.rollback_to(&mark);
        }
        self.session.vm.rollback(mark);
    }

    /// Makes every call on a state again and follows what it reads.
    pub(super) fn follow_calls(
        &mut self,
        table: &StateTable,
        state: StateId,
        behaviour: &mut Behaviour,
        followed: &mut Vec<(StateId, ListId, Followed)>,
    ) {
        let receiver = self.go_to(table, state);
        let mark = self.session.vm.mark();
        for idx in self.lists_for(receiver) {
            let (outcome, was_called) = self.call_in(behaviour, idx, receiver);
            let done = behaviour.finish(&self.session.vm, &outcome);
            if was_called {
                followed.push((state, ListId(u32::try_from(idx).unwrap_or(u32::MAX)), done));
            }
            self.session.vm.rollback_to(&mark);
        }
        self.session.vm.rollback(mark);
    }

    /// Makes the calls of a chain, from the world on, as long as they lead where they led before; adds
    /// states and calls that are new. Says whether it came to the end.
    pub(super) fn follow(
        &mut self,
        table: &mut StateTable,
        way: &mut Way,
        steps: &[Stride],
    ) -> bool {
        let mark = self.session.vm.mark();
        let is_whole = self.go_along(table, way, steps);
        self.session.vm.rollback(mark);
        is_whole
    }

    fn go_along(&mut self, table: &mut StateTable, way: &mut Way, steps: &[Stride]) -> bool {
        let mut state = StateId::WORLD;
        let mut receiver = Ref::NULL;
        for &(list, expected) in steps {
            let idx = list.idx();
            let before = self.before(receiver);
            let (outcome, was_called) = self.call(idx, receiver);
            if let Outcome::Stopped(stop) = &outcome {
                way.stopped.push((state, list, stop.clone()));
                return false;
            }
            if !was_called {
                return false;
            }
            let object = match receiver.some() {
                Some(receiver) => receiver,
                None => match self.object_under_test(&outcome) {
                    Some(object) => object,
                    None => return false,
                },
            };
            if self.whole(object) != expected {
                return false;
            }
            let key = self.key(object, table.key(state), before, idx);
            let given = self.given(idx, &outcome);
            let has_thrown = matches!(outcome, Outcome::Threw(_));
            let mut reached = state;
            let mut end = End::Preserved;
            if has_thrown {
                end = End::Threw;
            } else if key != table.key(state) {
                reached = table.add(key, Link { parent: state, list }).0;
                end = End::Reached(reached);
            }
            if way.seen.insert((state, list)) {
                way.calls.push(Call { state, list, end });
                way.recorded.push(RecordedCall { state, list, exit: Some(key), given });
            }
            // No state is reached through an exception.
            if has_thrown && key != table.key(state) {
                return false;
            }
            state = reached;
            receiver = object;
        }
        true
    }

    /// What a call gave back.
    fn given(&mut self, idx: usize, outcome: &Outcome) -> GivenBack {
        match outcome {
            Outcome::Returned(value) => {
                let method = self.prepared[idx].method();
                if method.is_constructor() || method.returns == Type::Void {
                    return GivenBack::Nothing;
                }
                let of = method.returns.clone();
                GivenBack::Value(self.described(&of, value.to_slot()))
            }
            Outcome::Threw(exception) => GivenBack::Exception(match exception.some() {
                Some(exception) => {
                    let vm = &self.session.vm;
                    vm.class(vm.class_of(exception)).name.to_string().into()
                }
                None => "java/lang/Throwable".into(),
            }),
            Outcome::Stopped(_) => GivenBack::Nothing,
        }
    }

    /// A value as a constant or by its state.
    pub(super) fn described(&mut self, of: &Type, word: u64) -> Described {
        if let Some(constant) = oracle::constant(&self.session.vm, of, word) {
            return Described::Constant(constant);
        }
        let Some(object) = Ref::from_slot(word).some().filter(|_| of.is_reference()) else {
            return Described::State(Fingerprint(0));
        };
        let vm = &self.session.vm;
        let is_candidate = self.classes.iter().any(|&class| vm.instance_of(object, class));
        if is_candidate && self.job.technique == Technique::MonitorEquals {
            let Worker { monitor, heap, session, shared_below, .. } = self;
            let roots = [Root::Object(object)];
            return Described::State(monitor.key(heap, &mut session.vm, &roots, *shared_below));
        }
        Described::State(self.whole(object))
    }

    /// The arguments of a list, described; `None` where one of them cannot be built.
    pub(super) fn arguments(&mut self, list: &ArgumentList) -> Option<Vec<Described>> {
        let mark = self.session.vm.mark();
        let mut described = Vec::new();
        for (argument, of) in list.arguments.iter().zip(&list.method.parameters) {
            described.push(match argument {
                Argument::Constant(constant) => Described::Constant(constant.clone()),
                Argument::Built(sequence, var) => {
                    let built = self.session.run(sequence, self.job.fuel);
                    let Ok((values, None)) = built else { break };
                    self.described(of, values[var.idx()])
                }
            });
        }
        self.session.vm.rollback(mark);
        (described.len() == list.arguments.len()).then_some(described)
    }

    #[inline]
    fn call(&mut self, idx: usize, receiver: Ref) -> (Outcome, bool) {
        self.call_in(&mut Plain, idx, receiver)
    }

    /// Makes a call under an observer.
    #[inline]
    pub(crate) fn call_in<M: Mode>(
        &mut self,
        mode: &mut M,
        idx: usize,
        receiver: Ref,
    ) -> (Outcome, bool) {
        self.prepared[idx].call(&mut self.session, mode, receiver, self.job.fuel)
    }

    /// Positions of the lists that can be called on an object, or, without one, on the world.
    pub(crate) fn lists_for(&self, receiver: Ref) -> Vec<usize> {
        let n_makers = self.job.makers.len();
        if receiver.is_null() {
            return (0..n_makers).collect();
        }
        (n_makers..self.prepared.len()).filter(|&idx| self.fits(idx, receiver)).collect()
    }

    /// What `key` needs to know of a state before a call.
    pub(crate) fn before(&mut self, receiver: Ref) -> Option<Fingerprint> {
        match self.job.technique {
            Technique::ModifyingSeq if !receiver.is_null() => Some(self.whole(receiver)),
            _ => None,
        }
    }

    /// Opens a mark.
    pub(crate) fn mark(&mut self) -> Mark {
        self.session.vm.mark()
    }

    /// Goes back to a mark, which stays open.
    pub(crate) fn back_to(&mut self, mark: &Mark) {
        self.session.vm.rollback_to(mark);
    }

    /// Goes back to a mark and closes it.
    pub(crate) fn back(&mut self, mark: Mark) {
        self.session.vm.rollback(mark);
    }

    /// Puts a mutant in place until the youngest mark is rolled back; whether that was possible.
    pub(crate) fn substitute(&mut self, substitute: Substitute) -> bool {
        self.session.vm.substitute(substitute)
    }

    /// The method of a list.
    pub(crate) fn method(&self, idx: usize) -> &Method {
        self.prepared[idx].method()
    }

    /// The machine as it stands.
    pub(crate) fn vm(&self) -> &Vm {
        &self.session.vm
    }

    /// The machine.
    pub(crate) fn into_session(self) -> Session {
        self.session
    }

    /// The class of an exception, and the method that was called.
    pub(crate) fn describe_exception(&self, idx: usize, exception: Ref) -> (String, String) {
        let n_makers = self.job.makers.len();
        let list =
            if idx < n_makers { &self.job.makers[idx] } else { &self.job.lists[idx - n_makers] };
        let vm = &self.session.vm;
        let class = match exception.some() {
            Some(exception) => vm.external_name(vm.class_of(exception)),
            None => String::new(),
        };
        (class, list.method.to_string())
    }

    /// Whether a list can be called on this receiver. Where it can be called through several classes
    /// under test, it is through the lowest.
    #[inline]
    fn fits(&self, idx: usize, receiver: Ref) -> bool {
        self.classes.len() == 1 || {
            let vm = &self.session.vm;
            let own = self.prepared[idx].class();
            let is_below = |class: ClassId| {
                let class = vm.class(class);
                class.id != own
                    && (class.supers.contains(&own) || class.all_interfaces.contains(&own))
            };
            vm.instance_of(receiver, own)
                && !self
                    .through
                    .iter()
                    .any(|&class| is_below(class) && vm.instance_of(receiver, class))
        }
    }

    /// The object that a maker gave, if it is one of a class under test.
    pub(crate) fn object_under_test(&self, outcome: &Outcome) -> Option<Ref> {
        let Outcome::Returned(Value::Ref(object)) = *outcome else { return None };
        let object = object.some()?;
        let vm = &self.session.vm;
        self.classes.iter().any(|&class| vm.instance_of(object, class)).then_some(object)
    }

    /// Brings the machine into a state; gives the object.
    fn go_to(&mut self, table: &StateTable, state: StateId) -> Ref {
        let mut way = std::mem::take(&mut self.way);
        table.path(state, &mut way);
        let shared = self.path.iter().zip(&way).take_while(|(step, at)| step.state == **at).count();
        if let Some(step) = self.path.drain(shared..).next() {
            self.session.vm.rollback(step.mark);
        }
        for &state in &way[shared..] {
            let receiver = self.path.last().map_or(Ref::NULL, |step| step.receiver);
            let mark = self.session.vm.mark();
            let (outcome, _) = self.call(table.link(state).list.idx(), receiver);
            let receiver = if receiver.is_null() {
                self.object_under_test(&outcome).expect("internal: a maker made nothing this time")
            } else {
                receiver
            };
            self.path.push(Step { state, mark, receiver });
        }
        self.way = way;
        self.path.last().map_or(Ref::NULL, |step| step.receiver)
    }

    /// The key of everything reachable from an object.
    #[inline]
    pub(crate) fn whole(&mut self, object: Ref) -> Fingerprint {
        whole_state::key(&mut self.heap, &self.session.vm, &[Root::Object(object)])
    }

    /// The key of the state that a call led to.
    #[inline]
    pub(crate) fn key(
        &mut self,
        object: Ref,
        parent: Fingerprint,
        whole_before: Option<Fingerprint>,
        idx: usize,
    ) -> Fingerprint {
        match self.job.technique {
            Technique::WholeState => self.whole(object),
            Technique::WholeSeq => whole_seq::state_after(self.list_keys[idx], &[parent]),
            Technique::ModifyingSeq => match whole_before {
                None => whole_seq::state_after(self.list_keys[idx], &[parent]),
                Some(before) => {
                    let after = self.whole(object);
                    let method = self.list_keys[idx];
                    modifying_seq::state_after(method, &[parent], (parent, before), after)
                }
            },
            Technique::MonitorEquals => {
                let Worker { monitor, heap, session, shared_below, .. } = self;
                monitor.key(heap, &mut session.vm, &[Root::Object(object)], *shared_below)
            }
            Technique::PairwiseEquals => {
                let whole = self.whole(object);
                let Worker { pairwise, session, shared_below, .. } = self;
                let is_shared = |other: Ref| other.byte_offset() < *shared_below;
                let class = pairwise.class_of(&mut session.vm, object, whole, &is_shared);
                whole_seq::value(&[u64::from(class)])
            }
        }
    }
}
