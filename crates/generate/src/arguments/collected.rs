//! Argument lists that existing tests used: what was seen at the border of test code, turned into calls
//! that can be made again (section 5 of Xie, Marinov and Notkin, 2004).
//!
//! An object is built by the calls that the tests built it with. The calls are repeated here once, on a
//! machine without the tests, and only where they lead to the very state that was seen the object is used:
//! so whatever a trace cannot show (fields that a test wrote, mocks, the order of tests) leads to an argument
//! less and never to another one. Objects in the same state are one argument.

use std::collections::BTreeMap;
use std::sync::Arc;

use observe::harvest::{Harvest, ObjectId, Reach, SeenCall, SeenEnd, SeenValue};
use observe::session::Session;
use observe::state::canonical_heap::{CanonicalHeap, Root};
use observe::state::fingerprint::Fingerprint;
use observe::state::mask::Mask;
use rustc_hash::FxHashMap;
use suite::constant::Constant;
use suite::method::Method;
use suite::sequence::{Arg, Operation, Sequence, Var};
use suite::types::Type;
use vm::class::{Class, flags};
use vm::value::{LoaderId, Ref};

use super::{Argument, ArgumentList, Pool, place};
use crate::api;

/// Calls that build one object, at most.
const MOST_CALLS: usize = 24;
/// How often one state is tried to be built, each time as another test did it.
const MOST_TRIES: u32 = 3;

/// What tests did with one object of a class under test.
#[derive(Debug, Clone)]
pub struct Chain {
    /// The call that made it, then the calls on it; each with the object's whole state afterwards.
    pub steps: Vec<(ArgumentList, Fingerprint)>,
}

/// What could be collected from tests.
#[derive(Debug, Clone, Default)]
pub struct Collected {
    /// Argument lists by method, values by type.
    pub pool: Pool,
    /// One per object under test, in the order in which they were made.
    pub chains: Vec<Chain>,
    /// Calls of the methods that were seen.
    pub n_calls: usize,
    /// Of these, calls with an argument that cannot be built again.
    pub n_left_out: usize,
    /// Objects under test that could be followed in part only, or not at all.
    pub n_lost: usize,
}

/// What is collected.
#[derive(Debug)]
pub struct Wanted<'w> {
    /// Internal names of the classes under test; tests will live in the package of the first.
    pub classes: &'w [String],
    /// The methods of which argument lists are wanted, as tests name them.
    pub methods: &'w [Arc<Method>],
    /// What is no part of a state; the same as when the tests were watched.
    pub mask: &'w Mask,
    /// Bytecodes that one call may take.
    pub fuel: u64,
}

/// Turns what was seen into argument lists. The session's machine has the classes under test, not the tests.
pub fn collect(session: &mut Session, harvest: &Harvest, wanted: &Wanted<'_>) -> Collected {
    let mut converter = Converter {
        session,
        harvest,
        wanted,
        heap: CanonicalHeap::new(wanted.mask.clone()),
        built: FxHashMap::default(),
        tries: FxHashMap::default(),
        subtypes: FxHashMap::default(),
    };
    let mut collected = Collected::default();
    let mut converted: Vec<Option<ArgumentList>> = vec![None; harvest.calls.len()];
    for (idx, call) in harvest.calls.iter().enumerate() {
        let Some(method) = converter.matching(call) else { continue };
        collected.n_calls += 1;
        let Some(arguments) = converter.arguments(call, idx) else {
            collected.n_left_out += 1;
            continue;
        };
        for (argument, of) in arguments.iter().zip(&method.parameters) {
            collected.pool.add(of.clone(), argument.clone());
            if let Argument::Built(sequence, var) = argument {
                let own = sequence.statements()[var.idx()].result();
                collected.pool.add(own, argument.clone());
            }
        }
        collected.pool.add_list(&method, arguments.clone());
        converted[idx] = Some(ArgumentList { method, receiver: None, arguments });
    }
    for idx in 0..harvest.objects.len() {
        let object = ObjectId(u32::try_from(idx).unwrap_or(u32::MAX));
        let class = &harvest.objects[idx].class;
        if !wanted.classes.iter().any(|of| converter.is_subtype(class, of)) {
            continue;
        }
        let (chain, is_whole) = chain(harvest, &converted, object);
        collected.n_lost += usize::from(!is_whole);
        collected.chains.extend(chain);
    }
    collected
}

/// What was done with an object, as far as it can be done again; and whether that is all.
fn chain(
    harvest: &Harvest,
    converted: &[Option<ArgumentList>],
    object: ObjectId,
) -> (Option<Chain>, bool) {
    let seen = &harvest.objects[object.idx()];
    let Some(maker) = &converted[seen.maker] else { return (None, false) };
    let Some(mut state) = harvest.calls[seen.maker].after else { return (None, false) };
    if maker.method.has_receiver() {
        return (None, false);
    }
    let mut steps = vec![(maker.clone(), state)];
    for &idx in &seen.uses {
        let call = &harvest.calls[idx];
        let is_changed = call.changed.contains(&object);
        let entry = |value: &SeenValue| match value {
            SeenValue::Object(id, state) if *id == object => Some(*state),
            _ => None,
        };
        let as_receiver = call.receiver.as_ref().and_then(|(value, _)| entry(value));
        let as_argument = call.arguments.iter().find_map(entry);
        // Something has changed it that was no call of the test.
        let is_strange = as_receiver.or(as_argument).is_some_and(|entry| entry != state);
        let is_done = match (as_receiver, &converted[idx], call.after) {
            (Some(_), Some(list), Some(after)) if !is_strange && call.end != SeenEnd::Open => {
                steps.push((list.clone(), after));
                state = after;
                true
            }
            _ => !is_changed && !is_strange,
        };
        if !is_done {
            return (Some(Chain { steps }), false);
        }
    }
    (Some(Chain { steps }), true)
}

struct Converter<'c> {
    session: &'c mut Session,
    harvest: &'c Harvest,
    wanted: &'c Wanted<'c>,
    heap: CanonicalHeap,
    /// By state.
    built: FxHashMap<Fingerprint, Argument>,
    tries: FxHashMap<Fingerprint, u32>,
    subtypes: FxHashMap<(Arc<str>, String), bool>,
}

impl Converter<'_> {
    /// The wanted method that a call is one of.
    fn matching(&mut self, call: &SeenCall) -> Option<Arc<Method>> {
        let wanted = self.wanted;
        let seen = &call.method;
        for method in wanted.methods {
            let is_alike = method.name == seen.name
                && method.dispatch == seen.dispatch
                && method.parameters == seen.parameters;
            if !is_alike {
                continue;
            }
            let is_same = match &call.receiver {
                None => method.class == seen.class,
                Some((_, class)) => self.is_subtype(class, &method.class),
            };
            if is_same {
                return Some(method.clone());
            }
        }
        None
    }

    fn is_subtype(&mut self, name: &Arc<str>, of: &str) -> bool {
        if **name == *of {
            return true;
        }
        let key = (name.clone(), of.to_owned());
        if let Some(&known) = self.subtypes.get(&key) {
            return known;
        }
        let is_below = match (self.session.load(name), self.session.load(of)) {
            (Ok(class), Ok(of)) => {
                let class = self.session.vm.class(class);
                class.supers.contains(&of) || class.all_interfaces.contains(&of)
            }
            // A class of the tests' own.
            _ => false,
        };
        self.subtypes.insert(key, is_below);
        is_below
    }

    fn arguments(&mut self, call: &SeenCall, idx: usize) -> Option<Vec<Argument>> {
        call.arguments.iter().map(|value| self.argument(value, idx)).collect()
    }

    fn argument(&mut self, value: &SeenValue, before: usize) -> Option<Argument> {
        match value {
            SeenValue::Unknown => None,
            SeenValue::Constant(constant) => {
                self.can_write(constant).then(|| Argument::Constant(constant.clone()))
            }
            SeenValue::Object(object, state) => {
                if let Some(known) = self.built.get(state) {
                    return Some(known.clone());
                }
                let tries = self.tries.entry(*state).or_default();
                *tries += 1;
                if *tries > MOST_TRIES {
                    return None;
                }
                let argument = [Reach::Direct, Reach::Derived]
                    .into_iter()
                    .find_map(|reach| self.build(*object, *state, before, reach))?;
                self.built.insert(*state, argument.clone());
                Some(argument)
            }
            SeenValue::Array(of, elements) => {
                let mut sequence = Sequence::empty();
                let mut args = Vec::new();
                for element in elements {
                    let element = self.argument(element, before)?;
                    args.push(place(&mut sequence, &element));
                }
                let var = sequence.push(Operation::Array(of.clone()), args).ok()?;
                Some(Argument::Built(Arc::new(sequence), var))
            }
        }
    }

    /// Builds an object as the test did; `None` where that does not lead to the state it was in.
    fn build(
        &mut self,
        object: ObjectId,
        state: Fingerprint,
        before: usize,
        reach: Reach,
    ) -> Option<Argument> {
        let calls = self.harvest.way(object, before, reach, MOST_CALLS)?;
        let (sequence, var) = self.sequence(&calls, object)?;
        self.session.prepare(&sequence).ok()?;
        let mark = self.session.vm.mark();
        let rebuilt = match self.session.run(&sequence, self.wanted.fuel) {
            Ok((values, None)) => {
                let root = Root::Object(Ref::from_slot(values[var.idx()]));
                Some(self.heap.fingerprint(&self.session.vm, &[root]))
            }
            _ => None,
        };
        self.session.vm.rollback(mark);
        (rebuilt == Some(state)).then(|| Argument::Built(Arc::new(sequence), var))
    }

    /// The calls as a test writes them.
    fn sequence(&mut self, calls: &[usize], object: ObjectId) -> Option<(Sequence, Var)> {
        let mut sequence = Sequence::empty();
        let mut vars: BTreeMap<ObjectId, Var> = BTreeMap::new();
        for &idx in calls {
            let call = &self.harvest.calls[idx];
            let mut args = Vec::new();
            let mut receiver_type = None;
            if let Some((receiver, _)) = &call.receiver {
                let arg = self.arg(&mut sequence, &vars, receiver)?;
                if let Arg::Var(var) = &arg {
                    receiver_type = Some(sequence.statements()[var.idx()].result());
                }
                args.push(arg);
            }
            let method = self.name(call, receiver_type.as_ref())?;
            for value in &call.arguments {
                let arg = self.arg(&mut sequence, &vars, value)?;
                args.push(arg);
            }
            let var = sequence.push(Operation::Call(method), args).ok()?;
            if let SeenEnd::Returned(Some(given)) = call.end
                && self.harvest.objects[given.idx()].maker == idx
            {
                vars.insert(given, var);
            }
        }
        let var = *vars.get(&object)?;
        Some((sequence, var))
    }

    fn arg(
        &mut self,
        sequence: &mut Sequence,
        vars: &BTreeMap<ObjectId, Var>,
        value: &SeenValue,
    ) -> Option<Arg> {
        match value {
            SeenValue::Unknown => None,
            SeenValue::Constant(constant) => {
                self.can_write(constant).then(|| Arg::Constant(constant.clone()))
            }
            SeenValue::Object(object, _) => vars.get(object).copied().map(Arg::Var),
            SeenValue::Array(of, elements) => {
                let mut args = Vec::new();
                for element in elements {
                    args.push(self.arg(sequence, vars, element)?);
                }
                sequence.push(Operation::Array(of.clone()), args).ok().map(Arg::Var)
            }
        }
    }

    /// The method of a call through a class that tests can name: the type of the variable, the receiver's
    /// own class, or one above it.
    fn name(&mut self, call: &SeenCall, receiver_type: Option<&Type>) -> Option<Arc<Method>> {
        let seen = &call.method;
        let mut holders: Vec<Arc<str>> = Vec::new();
        match &call.receiver {
            None => holders.push(seen.class.clone()),
            Some((_, class)) => {
                if let Some(Type::Class(name)) = receiver_type {
                    holders.push(name.clone());
                }
                let id = self.session.load(class).ok()?;
                let vm = &self.session.vm;
                let class = vm.class(id);
                let above = class.supers.iter().rev().chain(class.all_interfaces.iter());
                holders.extend(above.map(|&id| Arc::from(vm.class(id).name.to_string())));
            }
        }
        let package = package(&self.wanted.classes[0]).to_owned();
        for holder in holders {
            let Ok(id) = self.session.load(&holder) else { continue };
            let vm = &self.session.vm;
            if !is_seen_from(&package, vm.class(id)) {
                continue;
            }
            let descriptor = seen.descriptor();
            let found = vm.lookup_method(id, seen.name.as_bytes(), descriptor.as_bytes());
            let Some(found) = found.map(|found| vm.method(found)) else { continue };
            let declared_in = vm.class(found.class).name.to_string();
            let is_near = self::package(&declared_in) == package
                && vm.class(found.class).loader != LoaderId::BOOT;
            let is_seen = found.flags & flags::PUBLIC != 0 || is_near && !found.is_private();
            if !is_seen || found.flags & flags::SYNTHETIC != 0 {
                continue;
            }
            if let Some(named) = api::named(self.session, &holder, found) {
                return Some(Arc::new(named));
            }
        }
        None
    }

    /// Whether a test can write a constant down.
    fn can_write(&mut self, constant: &Constant) -> bool {
        match constant {
            Constant::Enum { class, .. } => self.can_name(class),
            Constant::Class(of) => {
                let mut of = of;
                while let Type::Array(element) = of {
                    of = element;
                }
                match of {
                    Type::Class(name) => self.can_name(name),
                    _ => true,
                }
            }
            _ => true,
        }
    }

    fn can_name(&mut self, name: &str) -> bool {
        let Ok(id) = self.session.load(name) else { return false };
        is_seen_from(package(&self.wanted.classes[0]), self.session.vm.class(id))
    }
}

/// Whether tests in a package can name a class, as far as the class itself tells.
fn is_seen_from(from: &str, class: &Class) -> bool {
    if class.hidden || class.is_spun || class.is_array() {
        return false;
    }
    let name = class.name.to_string();
    let is_public = class.flags & flags::PUBLIC != 0;
    if class.loader == LoaderId::BOOT {
        // The rest of the JDK is not exported.
        return is_public && (name.starts_with("java/") || name.starts_with("javax/"));
    }
    is_public || package(&name) == from
}

fn package(name: &str) -> &str {
    name.rsplit_once('/').map_or("", |(package, _)| package)
}
