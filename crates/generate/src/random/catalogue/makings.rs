//! How objects are made that calls take and no class under test makes: by constructors and static
//! factories of their class, of a class that implements or extends it, or by a builder; and by stand-ins.

use std::sync::Arc;

use observe::session::Session;
use observe::stand_in::to_implement;
use rustc_hash::FxHashSet;
use suite::method::Method;
use suite::types::Type;
use vm::class::flags;

use super::{Action, Catalogue, Op, OpId};
use crate::api::{self, Api, Choice};
use crate::arguments::{Implementations, default_constants, well_known_calls};
use crate::generics::{self, Usage, Wanted};
use crate::stand_ins;

/// A call that makes an object, and calls that may change the object afterwards.
#[derive(Debug)]
pub(in crate::random) struct Making {
    pub(in crate::random) op: OpId,
    pub(in crate::random) fillers: Vec<OpId>,
}

/// Types whose makers come along as helpers, at most.
const MOST_HELPERS: usize = 400;
/// Types with type arguments of which objects are made, at most.
const MOST_WITH_ARGUMENTS: usize = 400;
/// Calls that change one object, at most.
const MOST_FILLERS: usize = 12;

/// A method that makes an object, and those that may change it.
struct Maker {
    method: Arc<Method>,
    fillers: Vec<Arc<Method>>,
}

impl Catalogue {
    /// Adds ways to make objects that the calls so far take and none of the classes under test makes.
    pub(super) fn add_makings(&mut self, session: &mut Session, all: &Implementations) {
        let mut builders: FxHashSet<Arc<str>> = FxHashSet::default();
        let (mut n_plain, mut n_with_arguments) = (0, 0);
        while let Some(id) = self.waiting.pop_front() {
            let wanted = self.types[id.idx()].clone();
            let Type::Class(name) = &wanted.erasure else { continue };
            let is_plain = wanted.arguments.is_empty();
            let (count, most) = match is_plain {
                true => (&mut n_plain, MOST_HELPERS),
                false => (&mut n_with_arguments, MOST_WITH_ARGUMENTS),
            };
            if *count == most || !default_constants(session, &wanted.erasure).is_empty() {
                continue;
            }
            if is_plain && self.is_made_by_target(name) && !builders.contains(name) {
                continue;
            }
            let makers = makers(session, name, all, &mut builders);
            *count += usize::from(!makers.is_empty());
            if is_plain && makers.is_empty() {
                let ops = self.add_taken_out(session, &wanted);
                self.add_helpers(&ops);
                let gives = |op: &&OpId| self.op(**op).result == wanted;
                let last: Vec<OpId> = ops.iter().filter(gives).copied().collect();
                let making = |op| Making { op, fillers: Vec::new() };
                self.makings[id.idx()].extend(last.into_iter().map(making));
            }
            let are_fillers_drawn = well_known_calls(name).is_some() || builders.contains(name);
            for maker in makers {
                let Some(usage) = generics::to_give(session, &maker.method, &wanted) else {
                    continue;
                };
                let result = usage.result.clone();
                let making = self.add_making(session, &maker, usage, &result);
                if is_plain {
                    self.add_helpers(&[making.op]);
                    if are_fillers_drawn {
                        self.add_helpers(&making.fillers);
                    }
                }
                self.makings[id.idx()].push(making);
            }
        }
    }

    /// Whether calls of the classes under test make objects of a class.
    fn is_made_by_target(&self, name: &Arc<str>) -> bool {
        let Some(target) = self.targets.iter().find(|target| target.name == *name) else {
            return false;
        };
        let own = Type::Class(name.clone());
        target.ops.iter().any(|&op| match &self.op(op).action {
            Action::Call(method) => !method.has_receiver() && method.result() == own,
            _ => false,
        })
    }

    fn add_making(
        &mut self,
        session: &mut Session,
        maker: &Maker,
        usage: Usage,
        result: &Wanted,
    ) -> Making {
        let op = self.add_call(&maker.method, usage, None);
        let mut fillers = Vec::new();
        for filler in &maker.fillers {
            let (parameters, gives) = generics::through(session, result, filler);
            let parameters = parameters.into_iter().map(generics::settled);
            let usage = Usage {
                arguments: [result.clone()].into_iter().chain(parameters).collect(),
                result: generics::settled(gives),
            };
            fillers.push(self.add_call(filler, usage, None));
        }
        Making { op, fillers }
    }

    /// Calls that are also drawn for themselves, so that more and more objects are there.
    fn add_helpers(&mut self, ops: &[OpId]) {
        for &op in ops {
            if self.op(op).target.is_none() && !self.helpers.contains(&op) {
                self.helpers.push(op);
            }
        }
    }

    pub(super) fn add_stand_ins(&mut self, session: &mut Session) {
        for idx in 0..self.types.len() {
            let wanted = self.types[idx].clone();
            let has_constants = !default_constants(session, &wanted.erasure).is_empty();
            if has_constants || !may_be_stood_in_for(session, &wanted.erasure) {
                continue;
            }
            for stand_in in stand_ins::for_wanted(session, &wanted) {
                let gives_null = stand_ins::gives_null(session, &stand_in);
                let action = Action::StandIn(Arc::new(stand_in));
                let op = Op::plain(action, Vec::new(), wanted.clone());
                let op = self.add(Op { gives_null, ..op });
                self.stand_ins[idx].push(op);
            }
        }
    }

    /// Whether a call gives back an object of the class it was made on, to go on with.
    pub(in crate::random) fn goes_on(&self, op: OpId) -> bool {
        match &self.op(op).action {
            Action::Call(method) => method.has_receiver() && is_chained(method),
            _ => false,
        }
    }
}

/// Everything that makes objects of a class.
fn makers(
    session: &mut Session,
    name: &Arc<str>,
    all: &Implementations,
    builders: &mut FxHashSet<Arc<str>>,
) -> Vec<Maker> {
    if let Some(calls) = well_known_calls(name) {
        return match calls.last {
            Some(last) => vec![Maker { method: Arc::new(last), fillers: Vec::new() }],
            None => {
                let fillers = calls.filler.into_iter().map(Arc::new).collect();
                vec![Maker { method: Arc::new(calls.maker), fillers }]
            }
        };
    }
    let mut makers = Vec::new();
    let is_abstract = session
        .load(name)
        .is_ok_and(|id| session.vm.class(id).flags & (flags::ABSTRACT | flags::INTERFACE) != 0);
    if is_abstract {
        for implementation in all.of(name) {
            makers.extend(own_makers(session, &implementation, builders));
        }
    }
    makers.extend(own_makers(session, name, builders));
    if makers.is_empty() {
        makers = foreign_makers(session, name, builders);
    }
    makers
}

/// Constructors and static factories of a class.
fn own_makers(
    session: &mut Session,
    name: &Arc<str>,
    builders: &FxHashSet<Arc<str>>,
) -> Vec<Maker> {
    let Some(api) = public(session, name) else { return Vec::new() };
    let own = Type::Class(name.clone());
    let fillers = fillers(session, &api, builders.contains(name));
    let factories = api.statics.iter().filter(|method| method.result() == own);
    let methods = api.constructors.iter().chain(factories);
    methods.map(|method| Maker { method: method.clone(), fillers: fillers.clone() }).collect()
}

/// The methods that fill an object of a class: of a builder those that give it back, of a generic class
/// those that take objects of its type arguments.
fn fillers(session: &mut Session, api: &Api, is_builder: bool) -> Vec<Arc<Method>> {
    let mut fillers: Vec<Arc<Method>> = Vec::new();
    let parameters = generics::type_parameters(session, &api.class);
    for method in &api.methods {
        let takes_own = !parameters.is_empty()
            && generics::parameters(session, method)
                .iter()
                .any(|one| one.variable.as_ref().is_some_and(|name| parameters.contains(name)));
        if is_builder && is_chained(method) || takes_own {
            fillers.push(method.clone());
        }
    }
    fillers.truncate(MOST_FILLERS);
    fillers
}

/// What makes objects of a class that has no constructor and no factory for others: static methods of the
/// class around it, and builders and factories: nested in it, given by its static methods, or named
/// after it.
fn foreign_makers(
    session: &mut Session,
    name: &Arc<str>,
    builders: &mut FxHashSet<Arc<str>>,
) -> Vec<Maker> {
    let own = Type::Class(name.clone());
    let mut places: Vec<Arc<str>> = Vec::new();
    places.extend(name.rsplit_once('$').map(|(outer, _)| outer.into()));
    places.extend(nested(session, name));
    if let Some(api) = public(session, name) {
        places.extend(api.statics.iter().filter_map(|method| match method.result() {
            Type::Class(result) => Some(result),
            _ => None,
        }));
    }
    places.extend(["Builder", "Factory", "s"].map(|ending| format!("{name}{ending}").into()));
    let mut makers = Vec::new();
    let mut seen: FxHashSet<Arc<str>> = FxHashSet::default();
    for place in places {
        if place == *name || !seen.insert(place.clone()) || is_of_jdk(session, &place) {
            continue;
        }
        let Some(api) = public(session, &place) else { continue };
        let is_around = name.strip_prefix(&*place).is_some_and(|rest| rest.starts_with('$'));
        let by_objects: &[Arc<Method>] = if is_around { &[] } else { &api.methods };
        for method in api.statics.iter().chain(by_objects) {
            if method.result() == own {
                if method.has_receiver() {
                    builders.insert(place.clone());
                }
                makers.push(Maker { method: method.clone(), fillers: Vec::new() });
            }
        }
    }
    // A builder that is made by others is filled like one that is not.
    if builders.contains(name)
        && let Some(api) = public(session, name)
    {
        let fillers = fillers(session, &api, true);
        makers.iter_mut().for_each(|maker| maker.fillers.clone_from(&fillers));
    }
    makers
}

/// Whether a method gives back its receiver or another object of its class.
fn is_chained(method: &Method) -> bool {
    method.result() == Type::Class(method.class.clone())
}

fn nested(session: &mut Session, name: &str) -> Vec<Arc<str>> {
    let Ok(id) = session.load(name) else { return Vec::new() };
    let Some(file) = session.vm.class(id).file() else { return Vec::new() };
    let pool = file.constant_pool();
    let inner = file.inner_classes();
    let own = inner.iter().filter(|one| pool.try_class_name(one.outer) == Some(file.name()));
    let names = own.filter_map(|one| pool.try_class_name(one.inner));
    names.map(|name| classfile::mutf8::display(name).into()).collect()
}

fn is_of_jdk(session: &mut Session, name: &str) -> bool {
    let Ok(id) = session.load(name) else { return false };
    session.vm.is_jdk_loader(session.vm.class(id).loader)
}

/// What a public class offers to everybody.
fn public(session: &mut Session, name: &str) -> Option<Api> {
    let id = session.load(name).ok()?;
    if session.vm.class(id).flags & flags::PUBLIC == 0 {
        return None;
    }
    let choice = Choice { package_private: false, methods: Vec::new() };
    api::of_class(session, name, &choice).ok()
}

/// Stand-ins keep few of the promises of the JDK's own interfaces, which have real implementations; only
/// those with a single method promise nothing, unless they are for collections.
fn may_be_stood_in_for(session: &mut Session, wanted: &Type) -> bool {
    let Type::Class(name) = wanted else { return false };
    let Ok(id) = session.load(name) else { return false };
    let vm = &session.vm;
    let has_elements = well_known_calls(name).is_some_and(|calls| calls.filler.is_some());
    !vm.is_jdk_loader(vm.class(id).loader) || to_implement(vm, id).len() == 1 && !has_elements
}
