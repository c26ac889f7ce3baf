//! Objects that no constructor and no static method makes, but another object does: a builder that their class offers
//! or has inside, or the object around them.
//!
//! A builder is given everything that it takes, each once and in the order in which its class declares it; what it
//! refuses is left out.

use std::sync::Arc;

use classfile::access;
use observe::session::Session;
use suite::method::Method;
use suite::types::Type;
use vm::class::flags;
use vm::value::ClassId;

use super::{Building, Known, MOST_BUILT, MOST_VARIED, then};
use crate::arguments::trial::{self, Choice};
use crate::arguments::{Argument, ArgumentList, Plan, Pool};
use crate::generics::{self, Wanted};

/// Calls that prepare a builder, at most.
const MOST_SETTINGS: usize = 16;

/// A class whose objects make others.
struct Workshop {
    class: Arc<str>,
    /// Static methods of the class wanted that give one.
    factories: Vec<Method>,
    /// What can be said to one before it makes something.
    settings: Vec<Method>,
    /// What makes something, with the fewest parameters first.
    finishers: Vec<Method>,
}

/// Calls on other objects that make objects of a class, each in a state of its own.
pub(in crate::arguments) fn calls(
    session: &mut Session,
    class: &str,
    plan: &Plan,
) -> Vec<ArgumentList> {
    let wanted = Wanted::plain(Type::class(class));
    let mut known = Known::default();
    let mut building = Building {
        session,
        all: &plan.implementations,
        outer: vec![wanted.clone()],
        own_constants: plan.own_constants,
        known: &mut known,
    };
    building.of_others(&wanted, plan.depth)
}

impl Building<'_> {
    /// Calls on other objects that make what is wanted.
    pub(super) fn of_others(&mut self, wanted: &Wanted, depth: usize) -> Vec<ArgumentList> {
        let Type::Class(name) = &wanted.erasure else { return Vec::new() };
        let mut choice = Choice::default();
        let mut calls: Vec<ArgumentList> = Vec::new();
        for workshop in workshops(self.session, name) {
            for n in 0..MOST_VARIED {
                for is_prepared in [true, false] {
                    if choice.len() == MOST_BUILT {
                        return calls;
                    }
                    let Some(call) = self.call_in(&workshop, is_prepared, depth, n) else {
                        continue;
                    };
                    let before = choice.len();
                    if let Some(made) = call.made() {
                        choice.offer(self.session, made);
                    }
                    if before < choice.len() {
                        calls.push(call);
                    }
                }
            }
        }
        calls
    }

    fn call_in(
        &mut self,
        workshop: &Workshop,
        is_prepared: bool,
        depth: usize,
        n: usize,
    ) -> Option<ArgumentList> {
        let inside = depth.checked_sub(1)?;
        let own = self.own_of(&workshop.class);
        let mut receiver = self.workshop_object(workshop, inside, &own)?;
        if is_prepared {
            for setting in workshop.settings.iter().take(MOST_SETTINGS) {
                let Some(arguments) = self.arguments_of(setting, inside, n, &own) else { continue };
                // Most give themselves back; those that do not give another one that is prepared.
                let said = super::filled(&receiver, &arguments, setting.clone());
                if let Some(said) = said.filter(|said| trial::works(self.session, said)) {
                    receiver = said;
                }
            }
        }
        for finisher in &workshop.finishers {
            let arguments = self.arguments_of(finisher, inside, n, &own);
            let Some(arguments) = arguments else { continue };
            let call = ArgumentList {
                method: Arc::new(finisher.clone()),
                receiver: Some(receiver.clone()),
                arguments,
            };
            if call.made().is_some_and(|made| trial::works(self.session, &made)) {
                return Some(call);
            }
        }
        None
    }

    fn workshop_object(
        &mut self,
        workshop: &Workshop,
        depth: usize,
        own: &Pool,
    ) -> Option<Argument> {
        for factory in &workshop.factories {
            let Some(arguments) = self.arguments_of(factory, depth, 0, own) else { continue };
            let made = then(&arguments, factory.clone());
            if let Some(made) = made.filter(|made| trial::works(self.session, made)) {
                return Some(made);
            }
        }
        let wanted = Wanted::plain(Type::Class(workshop.class.clone()));
        self.built(&wanted, depth.max(1)).into_iter().next()
    }

    fn arguments_of(
        &mut self,
        method: &Method,
        depth: usize,
        n: usize,
        own: &Pool,
    ) -> Option<Vec<Argument>> {
        let wanted = generics::parameters(self.session, method).into_iter().map(generics::settled);
        let wanted: Vec<Wanted> = wanted.collect();
        let positions = wanted.iter().enumerate();
        positions.map(|(at, wanted)| self.nth_of(wanted, depth, (n, at), own)).collect()
    }
}

/// The classes whose objects may make those of a class.
fn workshops(session: &mut Session, name: &Arc<str>) -> Vec<Workshop> {
    let Ok(id) = session.class(name) else { return Vec::new() };
    if session.vm.is_jdk_loader(session.vm.class(id).loader) {
        return Vec::new();
    }
    let mut names: Vec<(Arc<str>, Vec<Method>)> = Vec::new();
    let of_class = Type::Class(name.clone());
    for factory in public_methods(session, name, id) {
        if let (false, Type::Class(given)) = (factory.has_receiver(), &factory.returns)
            && factory.returns != of_class
        {
            match names.iter_mut().find(|(known, _)| *known == *given) {
                Some((_, factories)) => factories.push(factory),
                None => names.push((given.clone(), vec![factory])),
            }
        }
    }
    if let Some(file) = session.vm.class(id).file() {
        let pool = file.constant_pool();
        let text =
            |idx| pool.try_class_name(idx).map(|name| String::from_utf8_lossy(name).into_owned());
        for entry in file.inner_classes() {
            let (inner, outer) = (text(entry.inner), text(entry.outer));
            let near = if outer.as_deref() == Some(&**name) && entry.flags & access::PUBLIC != 0 {
                inner
            } else if inner.as_deref() == Some(&**name) {
                outer
            } else {
                None
            };
            if let Some(near) =
                near.filter(|near| !names.iter().any(|(known, _)| **known == **near))
            {
                names.push((near.into(), Vec::new()));
            }
        }
    }
    names
        .into_iter()
        .filter_map(|(class, factories)| workshop(session, class, factories, &of_class))
        .collect()
}

fn workshop(
    session: &mut Session,
    class: Arc<str>,
    factories: Vec<Method>,
    wanted: &Type,
) -> Option<Workshop> {
    let id = session.class(&class).ok()?;
    let vm = &session.vm;
    if vm.class(id).flags & flags::PUBLIC == 0 || vm.is_jdk_loader(vm.class(id).loader) {
        return None;
    }
    let own = Type::Class(class.clone());
    let (mut settings, mut finishers) = (Vec::new(), Vec::new());
    for method in public_methods(session, &class, id) {
        if !method.has_receiver() {
            continue;
        }
        if method.returns == *wanted {
            finishers.push(method);
        } else if (method.returns == own || method.returns == Type::Void)
            && !method.parameters.is_empty()
        {
            settings.push(method);
        }
    }
    finishers.sort_by_key(|method| method.parameters.len());
    (!finishers.is_empty()).then_some(Workshop { class, factories, settings, finishers })
}

/// The public methods of a class, constructors left out.
fn public_methods(session: &Session, name: &Arc<str>, id: ClassId) -> Vec<Method> {
    let class = session.vm.class(id);
    let offered = class.methods.iter().filter(|method| {
        method.flags & flags::PUBLIC != 0
            && method.flags & flags::SYNTHETIC == 0
            && !method.is_constructor()
            && !method.is_static_initialiser()
    });
    offered.filter_map(|method| crate::api::named(session, name, method)).collect()
}
