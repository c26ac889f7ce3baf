//! One thread's part: runs sequences on a machine of its own and says what they led to.
//!
//! Parts of a sequence are not run again: their end states are put into the heap as copies. Only where a
//! part touched what all sequences share (static fields, identity hashes, threads) its statements run
//! again, so that this is as it would be in a test; caches of the JDK do not count. Everything is rolled back afterwards, so the next
//! sequence starts from the same world.

mod end_states;
mod judging;
mod observers;
mod own_state;
mod world;

use std::sync::Arc;

use observe::contract::exceptions::Input;
use observe::session::{NotFound, Session};
use observe::snapshot::Room;
use observe::state::canonical_heap::{CanonicalHeap, Root};
use observe::state::fingerprint::{Fingerprint, Mixer};
use observe::state::monitor_equals::MonitorEquals;
use observe::state::pairwise_equals::PairwiseEquals;
use observe::state::technique::Technique;
use observe::state::{whole_seq, whole_state};
use rustc_hash::FxHashMap;
use suite::sequence::Var;
use suite::types::Type;
use vm::interp::Outcome;
use vm::mode::Mode;
use vm::travel::{Mark, Undo};
use vm::value::{ClassId, Ref};

use super::catalogue::{Action, Catalogue, OpId, TypeId};
use super::court::{Accused, Broken, Court, Rules};
use super::edges::{Edge, EdgeWatch};
use super::findings::{LONG, is_large};
use super::pool::{Kept, Pool};
use super::ready::{Done, Ready};
use super::recipe::{Print, Recipe, Source};
use super::{Problem, Settings};
use crate::generics::{self, Wanted};
use end_states::Changed;
use own_state::OwnState;

pub(super) use end_states::LastState;

/// Values of one sequence that are kept, at most.
const MOST_KEPT: usize = 8;
/// Results of repeated calls that are looked at, at most.
const MOST_RESULTS: usize = 4;
/// Objects beyond this size together are not looked at for what they have in common.
const LARGEST_SHARING: usize = 64 << 10;
/// Bytes of new objects that cost as much as a bytecode.
const BYTES_LIKE_BYTECODE: u64 = 16;
/// Looking at an object costs as much as so many bytecodes.
const OF_NODE: u64 = 4;

/// What became of one sequence.
#[derive(Debug)]
pub(super) struct Tried {
    pub(super) recipe: Recipe,
    pub(super) print: Print,
    pub(super) end: End,
    /// Ways of branches that this worker saw for the first time.
    pub(super) edges: Vec<Edge>,
    /// What it needed that is not there when a sequence begins.
    pub(super) met: Vec<Met>,
    pub(super) cost: Cost,
}

/// What a sequence took, in bytecodes, about; the same on every machine.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Cost {
    /// Getting to its end.
    pub(super) run: u32,
    /// That, and judging what it led to.
    pub(super) all: u32,
}

/// Something that a sequence did on its way and that every other would have to do again after the rollback.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Met {
    /// A class was loaded; its internal name.
    Loaded(String),
    /// A class was initialised.
    Initialised(String),
    /// A lambda or the like in the code of a class was linked.
    Linked(String),
}

/// How a sequence ended.
#[derive(Debug)]
pub(super) enum End {
    /// All calls returned; with values in states that were not known when the round began.
    Returned { values: Vec<(Kept, Fingerprint)>, end: LastState, input: Input, broken: Vec<Broken> },
    /// A call threw: which of the new statements, and what.
    Threw { step: usize, class: Arc<str>, broken: Option<Box<Broken>>, is_useless: bool },
    /// A call did not come back.
    Stopped { step: usize, broken: Option<Box<Broken>> },
    /// There is no such call: a receiver is `null`, or a part does not run this time.
    Illegal,
}

/// What became of the calls of one sequence.
enum Made {
    /// All returned: values of the parts, and results.
    All { parts: Vec<Vec<u64>>, results: Vec<u64>, input: Input },
    /// One did not: which of the new statements, with which arguments, and what there was before it.
    Ended {
        step: usize,
        op: OpId,
        outcome: Outcome,
        input: Input,
        args: Vec<u64>,
        parts: Vec<Vec<u64>>,
        results: Vec<u64>,
    },
    /// There is no such call.
    Illegal,
}

/// A value at the end of a sequence.
#[derive(Debug, Clone)]
struct Seen {
    statement: u32,
    object: Ref,
    /// The wanted types with type arguments that it is of, whatever its class says.
    given: Arc<[TypeId]>,
}

/// A machine that runs sequences.
pub(super) struct Worker {
    session: Session,
    ready: Vec<Option<Ready>>,
    literals: Vec<u64>,
    types: Vec<Option<ClassId>>,
    /// By class: the wanted types that its objects are of.
    fitting: FxHashMap<ClassId, Arc<[TypeId]>>,
    /// By call: the wanted types that its result is of by declaration.
    declared: Vec<Arc<[TypeId]>>,
    heap: CanonicalHeap,
    monitor: MonitorEquals,
    pairwise: PairwiseEquals,
    watch: EdgeWatch,
    court: Court,
    /// By class: whether its objects are judged.
    judged: Vec<bool>,
    /// By call: the wanted types with type arguments that its result is of.
    gives: Vec<Arc<[TypeId]>>,
    /// By call: whether its receiver may then hold what its type arguments do not allow.
    spoils: Vec<bool>,
    /// The wanted types with their type arguments.
    wanted: Vec<Wanted>,
    /// By call: whether it compares objects.
    relations: Vec<bool>,
    /// By call: whether it is one of a class under test.
    is_target: Vec<bool>,
    /// By call: whether it makes an object that may give `null`.
    gives_null: Vec<bool>,
    /// By call: whether it makes something that stands in.
    stands_in: Vec<bool>,
    /// By literal: whether it alone makes an input large.
    is_large: Vec<bool>,
    technique: Technique,
    fuel: u64,
    has_feedback: bool,
    /// Objects below this byte of the heap belong to the world, classes below this number too.
    shared_below: usize,
    /// Literals below this byte of the heap belong to the world. Later ones stay where a machine made them, whatever
    /// is rolled back, so each machine has others there.
    literals_below: usize,
    n_classes: usize,
    /// Objects below this byte were there before the classes under test.
    world_end: usize,
    own_state: OwnState,
    room: Room,
    words: Vec<u64>,
    /// What looking at objects has cost so far, in bytecodes.
    walked: u64,
    /// What was done when the last call of a sequence came back.
    cost_of_run: Option<u64>,
}

impl Worker {
    /// Prepares a machine. Calls that mean nothing on it are never made; they are named.
    pub(super) fn new(
        mut session: Session,
        catalogue: &Catalogue,
        rules: &Rules,
        settings: &Settings,
        world_end: usize,
    ) -> Result<(Worker, Vec<(OpId, NotFound)>), Problem> {
        let mut unready = Vec::new();
        let mut ready = Vec::new();
        for (idx, op) in catalogue.ops().iter().enumerate() {
            match Ready::new(&mut session, op) {
                Ok(one) => ready.push(Some(one)),
                Err(reason) => {
                    ready.push(None);
                    unready.push((OpId(u32::try_from(idx).unwrap_or(u32::MAX)), reason));
                }
            }
        }
        let types: Vec<Option<ClassId>> =
            catalogue.types().iter().map(|of| session.class_of_type(&of.erasure).ok()).collect();
        let court = Court::new(&mut session, rules, settings.fuel).map_err(Problem::Rules)?;
        let mut worker = Worker {
            court,
            judged: Vec::new(),
            gives: catalogue.ops().iter().map(|op| op.gives.clone()).collect(),
            spoils: catalogue.ops().iter().map(|op| op.spoils).collect(),
            wanted: catalogue.types().to_vec(),
            relations: catalogue.ops().iter().map(|op| op.compares).collect(),
            gives_null: catalogue.ops().iter().map(|op| op.gives_null).collect(),
            stands_in: catalogue
                .ops()
                .iter()
                .map(|op| matches!(op.action, Action::StandIn(_)))
                .collect(),
            is_target: catalogue.ops().iter().map(|op| op.target.is_some()).collect(),
            is_large: catalogue.literals().iter().map(is_large).collect(),
            ready,
            literals: Vec::new(),
            types,
            fitting: FxHashMap::default(),
            declared: Vec::new(),
            heap: CanonicalHeap::new(settings.mask.clone()),
            monitor: MonitorEquals::default(),
            pairwise: PairwiseEquals::default(),
            watch: EdgeWatch::default(),
            technique: settings.technique,
            fuel: settings.fuel,
            has_feedback: settings.feedback,
            shared_below: 0,
            literals_below: 0,
            n_classes: 0,
            world_end,
            own_state: OwnState::default(),
            room: Room::default(),
            words: Vec::new(),
            walked: 0,
            cost_of_run: None,
            session,
        };
        worker.declare(catalogue);
        Ok((worker, unready))
    }

    /// The machine.
    pub(super) fn session(&mut self) -> &mut Session {
        &mut self.session
    }

    fn declare(&mut self, catalogue: &Catalogue) {
        for op in catalogue.ops() {
            let result = match &op.action {
                Action::Call(method) => method.result(),
                Action::Array(element) => Type::Array(Box::new(element.clone())),
                Action::StandIn(of) => Type::Class(of.of.clone()),
            };
            let class =
                result.is_reference().then(|| self.session.class_of_type(&result).ok()).flatten();
            let types = class.map_or_else(|| Arc::from([]), |class| self.types_of(class));
            self.declared.push(with_given(types, &op.gives));
        }
    }

    /// The wanted types that objects of a class are of.
    fn types_of(&mut self, class: ClassId) -> Arc<[TypeId]> {
        if let Some(types) = self.fitting.get(&class) {
            return types.clone();
        }
        let session = &mut self.session;
        let own = Wanted::plain(Type::class(&session.vm.class(class).name.to_string()));
        let mut fits = |sup: Option<ClassId>, wanted: &Wanted| {
            sup.is_some_and(|sup| session.vm.is_subtype(class, sup))
                && (wanted.arguments.is_empty() || generics::gives(session, &own, wanted))
        };
        let types: Arc<[TypeId]> = (0..)
            .zip(self.types.iter().zip(&self.wanted))
            .filter(|(_, (sup, wanted))| fits(**sup, wanted))
            .map(|(idx, _)| TypeId(idx))
            .collect();
        // Classes that a rollback takes back give their numbers to others.
        if self.n_classes == 0 || class.idx() < self.n_classes {
            self.fitting.insert(class, types.clone());
        }
        types
    }

    /// Runs a sequence and leaves the machine as it was.
    pub(super) fn run(&mut self, pool: &Pool, recipe: Recipe, print: Print) -> Tried {
        let mark = self.session.vm.mark();
        let start = self.effort();
        self.cost_of_run = None;
        let end = self.attempt(pool, &recipe, print, &mark);
        // Where the sequence began, in the heap too, makes no difference.
        let of =
            |effort: u64| u32::try_from((effort - start) / BYTES_LIKE_BYTECODE).unwrap_or(u32::MAX);
        let all = of(self.effort());
        let cost = Cost { run: self.cost_of_run.map_or(all, of), all };
        let met = self.met();
        self.roll_back(mark);
        let end = self.appeal(pool, &recipe, print, end);
        let edges = std::mem::take(&mut self.watch.new);
        Tried { recipe, print, end, edges, met, cost }
    }

    /// What was done so far, as bytes: bytecodes, memory that was taken, which must be cleared, and objects looked at.
    fn effort(&self) -> u64 {
        let vm = &self.session.vm;
        (vm.fuel_used + self.walked) * BYTES_LIKE_BYTECODE + vm.heap.top as u64
    }

    /// What was loaded, initialised and linked since the sequence began.
    fn met(&self) -> Vec<Met> {
        let vm = &self.session.vm;
        let mut met = Vec::new();
        let is_known = |class: &vm::class::Class| {
            vm.is_jdk_loader(class.loader) || class.loader == self.session.loader()
        };
        for entry in &vm.classes[self.n_classes..] {
            let (class, name) = (&entry.class, entry.class.name.to_string());
            if class.hidden {
                met.extend(name.split_once("$$").map(|(of, _)| Met::Linked(of.to_owned())));
            } else if is_known(class) {
                met.push(Met::Loaded(name));
            }
        }
        for undo in vm.marks.undo() {
            if let Undo::Initialised(class) = undo {
                let class = vm.class(*class);
                if !class.hidden && is_known(class) {
                    met.push(Met::Initialised(class.name.to_string()));
                }
            }
        }
        met
    }

    /// Rolls back; what is remembered of classes by their numbers is forgotten with the classes.
    fn roll_back(&mut self, mark: Mark) {
        let has_loaded = self.session.vm.classes.len() > self.n_classes;
        self.session.vm.rollback(mark);
        self.session.vm.host.forget_files();
        if has_loaded {
            self.watch.forget_addresses();
        }
    }

    fn attempt(&mut self, pool: &Pool, recipe: &Recipe, print: Print, mark: &Mark) -> End {
        let mut watch = std::mem::take(&mut self.watch);
        let made = self.make(&mut watch, pool, recipe, print);
        self.watch = watch;
        let (parts, results, input) = match made {
            Made::All { parts, results, input } => (parts, results, input),
            Made::Ended { step, op, outcome, input, args, .. } => {
                return self.ended(step, op, &outcome, input, &args);
            }
            Made::Illegal => return End::Illegal,
        };
        self.cost_of_run = Some(self.effort());
        if !self.has_feedback {
            return self.undirected(pool, recipe, &parts, &results, print, input);
        }
        let seen = self.values(pool, recipe, &parts, &results, print);
        let mut values = Vec::with_capacity(seen.len());
        let mut accused = Vec::new();
        let mut is_any_new = false;
        // Objects that share static state can be wrong although nothing changed in them.
        let Changed { own: has_changed_world, old } = self.changed(mark);
        // What was there before the classes under test says where it is who it is, as long as nobody changed it.
        self.heap.take_as_fixed(if old { 0 } else { self.world_end });
        for one in &seen {
            let key = self.key(one, print);
            let is_new = !pool.knows(key, print.len());
            is_any_new |= is_new;
            let class = self.session.vm.class_of(one.object);
            let types = with_given(self.types_of(class), &one.given);
            if self.is_judged(class) {
                let is_new = is_new || has_changed_world;
                accused.push(Accused { var: Var(one.statement), object: one.object, is_new });
            }
            let is_value = self.heap.is_value(&self.session.vm, one.object);
            if is_new || !is_value {
                let kept = Kept { statement: one.statement, is_extensible: is_new, types };
                values.push((kept, key, one.object));
            }
        }
        let broken = self.judge(pool, recipe, (&parts, &results), &accused, print, input);
        // New ones first where there are too many, otherwise in their order.
        if values.len() > MOST_KEPT {
            values.sort_by_key(|(kept, _, _)| (!kept.is_extensible, u32::MAX - kept.statement));
            values.truncate(MOST_KEPT);
            values.sort_by_key(|(kept, _, _)| kept.statement);
        }
        let may_share = values.len() > 1 && (is_any_new || self.gave_object(recipe));
        if !is_any_new && !may_share {
            let end = LastState::Unknown;
            return End::Returned { values: Vec::new(), end, input, broken };
        }
        let objects: Vec<Ref> = values.iter().map(|(_, _, object)| *object).collect();
        let end = self.copy(&objects, LARGEST_SHARING);
        if let (true, Some(end)) = (may_share, &end) {
            is_any_new |= self.spread(pool, &mut values, end, has_changed_world, print.len());
        }
        if !is_any_new {
            let end = LastState::Unknown;
            return End::Returned { values: Vec::new(), end, input, broken };
        }
        let end = self.last_state(end, has_changed_world, mark);
        let values = values.into_iter().map(|(kept, key, _)| (kept, key)).collect();
        End::Returned { values, end, input, broken }
    }

    /// Makes the calls of a sequence.
    fn make<M: Mode>(&mut self, mode: &mut M, pool: &Pool, recipe: &Recipe, print: Print) -> Made {
        let mut parts: Vec<Vec<u64>> = Vec::with_capacity(recipe.parts.len());
        let mut input =
            Input { had_null: false, is_small: print.len() as usize <= LONG, stands_in: false };
        for &part in &recipe.parts {
            let of_part = pool.component(part).input;
            input.had_null |= of_part.had_null;
            input.is_small &= of_part.is_small;
            input.stands_in |= of_part.stands_in;
            match self.materialise(pool, part) {
                Some(words) => parts.push(words),
                None => return Made::Illegal,
            }
        }
        let mut results: Vec<u64> = Vec::with_capacity(recipe.steps.len());
        let mut args: Vec<u64> = Vec::new();
        for (idx, step) in recipe.steps.iter().enumerate() {
            args.clear();
            for source in step.args {
                args.push(self.word(source, &parts, &results));
            }
            input.had_null |= self.has_null(step.op, &args);
            input.stands_in |= self.stands_in[step.op.idx()];
            input.is_small &= step.args.iter().all(|source| {
                !matches!(source, Source::Literal(literal) if self.is_large[literal.0 as usize])
            });
            let Some(ready) = &mut self.ready[step.op.idx()] else { return Made::Illegal };
            let Worker { session, words, fuel, court, .. } = self;
            if let Ready::Call { resolved, .. } = ready
                && !court.lets(session, &resolved.method, &args)
            {
                return Made::Illegal;
            }
            match ready.run(session, mode, &args, words, *fuel) {
                Done::Impossible => return Made::Illegal,
                Done::Made(Outcome::Returned(value)) => results.push(value.to_slot()),
                Done::Made(outcome) => {
                    return Made::Ended {
                        step: idx,
                        op: step.op,
                        outcome,
                        input,
                        args,
                        parts,
                        results,
                    };
                }
            }
        }
        Made::All { parts, results, input }
    }

    fn gave_object(&self, recipe: &Recipe) -> bool {
        recipe.steps.last().is_some_and(|step| self.gives_object(step.op))
    }

    /// Without feedback every result counts, whatever it is; contracts are judged all the same.
    fn undirected(
        &mut self,
        pool: &Pool,
        recipe: &Recipe,
        parts: &[Vec<u64>],
        results: &[u64],
        print: Print,
        input: Input,
    ) -> End {
        let mut accused = Vec::new();
        for one in self.values(pool, recipe, parts, results, print) {
            if self.is_judged(self.session.vm.class_of(one.object)) {
                let var = Var(one.statement);
                accused.push(Accused { var, object: one.object, is_new: true });
            }
        }
        let broken = self.judge(pool, recipe, (parts, results), &accused, print, input);
        let first = print.len() - u32::try_from(recipe.steps.len()).unwrap_or(0);
        let steps = (first..).zip(recipe.steps.iter());
        let values = steps.filter(|(_, step)| !self.declared[step.op.idx()].is_empty()).map(
            |(statement, step)| {
                let types = self.declared[step.op.idx()].clone();
                let key = whole_seq::value(&[u64::from(statement)]);
                (Kept { statement, is_extensible: true, types }, key)
            },
        );
        let mut values: Vec<(Kept, Fingerprint)> = values.collect();
        // What calls were made on counts as well.
        let mut start = 0;
        for &part in &recipe.parts {
            let component = pool.component(part);
            for kept in &component.values {
                let statement = start + kept.statement;
                let key = whole_seq::value(&[u64::from(statement)]);
                let types = kept.types.clone();
                values.push((Kept { statement, is_extensible: true, types }, key));
            }
            start += component.print.len();
        }
        values.truncate(MOST_KEPT);
        End::Returned { values, end: LastState::Unknown, input, broken }
    }

    fn word(&self, source: &Source, parts: &[Vec<u64>], results: &[u64]) -> u64 {
        match *source {
            Source::Literal(literal) => self.literals[literal.0 as usize],
            Source::Part(part, value) => parts[usize::from(part)][usize::from(value)],
            Source::Step(step) => results[usize::from(step)],
        }
    }

    /// The objects that a sequence ends with, each once.
    fn values(
        &mut self,
        pool: &Pool,
        recipe: &Recipe,
        parts: &[Vec<u64>],
        results: &[u64],
        print: Print,
    ) -> Vec<Seen> {
        let mut seen: Vec<Seen> = Vec::new();
        let add = |statement: u32, word: u64, given: &Arc<[TypeId]>, seen: &mut Vec<Seen>| {
            let object = Ref::from_slot(word);
            if !object.is_null() && seen.iter().all(|other| other.object != object) {
                seen.push(Seen { statement, object, given: given.clone() });
            }
        };
        let nothing: Arc<[TypeId]> = Arc::from([]);
        let mut start = 0;
        // Where one is changed in a way that its type arguments do not allow, others may hold it.
        let is_spoiled = recipe.steps.iter().any(|step| self.spoils[step.op.idx()]);
        for (&part, words) in recipe.parts.iter().zip(parts) {
            let component = pool.component(part);
            for (kept, &word) in component.values.iter().zip(words) {
                let given = if is_spoiled { &nothing } else { &kept.types };
                add(start + kept.statement, word, given, &mut seen);
            }
            start += component.print.len();
        }
        debug_assert_eq!(start as usize + recipe.steps.len(), print.len() as usize);
        let skipped = recipe.steps.len().saturating_sub(MOST_RESULTS);
        for (idx, (step, &word)) in recipe.steps.iter().zip(results).enumerate().skip(skipped) {
            let is_reference =
                !self.declared[step.op.idx()].is_empty() || self.gives_object(step.op);
            if is_reference {
                let given = &self.gives[step.op.idx()];
                add(start + u32::try_from(idx).unwrap_or(0), word, given, &mut seen);
            }
        }
        seen
    }

    fn gives_object(&self, op: OpId) -> bool {
        match &self.ready[op.idx()] {
            Some(Ready::Call { resolved, .. }) => resolved.method.result().is_reference(),
            Some(Ready::Array { .. }) => true,
            None => false,
        }
    }

    fn key(&mut self, seen: &Seen, print: Print) -> Fingerprint {
        let object = seen.object;
        let roots = [Root::Object(object)];
        match self.technique {
            Technique::WholeSeq => {
                let mut mixer = Mixer::new(9);
                mixer.text(&print.hash().to_le_bytes());
                mixer.text(&seen.statement.to_le_bytes());
                mixer.finish()
            }
            // A random sequence has no one object whose changes it is about; what changed shows in the
            // state of its values.
            Technique::WholeState | Technique::ModifyingSeq => {
                let key = whole_state::key(&mut self.heap, &self.session.vm, &roots);
                self.walked += self.heap.n_nodes() as u64 * OF_NODE;
                key
            }
            Technique::MonitorEquals => {
                let Worker { monitor, heap, session, shared_below, .. } = self;
                monitor.key(heap, &mut session.vm, &roots, *shared_below)
            }
            Technique::PairwiseEquals => {
                let whole = whole_state::key(&mut self.heap, &self.session.vm, &roots);
                let Worker { pairwise, session, shared_below, .. } = self;
                let is_shared = |other: Ref| other.byte_offset() < *shared_below;
                let class = pairwise.class_of(&mut session.vm, object, whole, &is_shared);
                whole_seq::value(&[u64::from(class)])
            }
        }
    }
}

/// Types by class, and those that were given beside them.
fn with_given(types: Arc<[TypeId]>, given: &Arc<[TypeId]>) -> Arc<[TypeId]> {
    if given.iter().all(|of| types.contains(of)) {
        return types;
    }
    let mut all: Vec<TypeId> = types.iter().chain(&**given).copied().collect();
    all.sort_unstable();
    all.dedup();
    all.into()
}
