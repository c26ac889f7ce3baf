//! Objects that nobody makes but that collections, maps, streams and the like hold which calls give: the calls that
//! take them out, as in `parser.iterator().next()`.

use std::sync::Arc;

use observe::session::Session;
use suite::method::Method;
use suite::types::Type;

use super::{Action, Catalogue, OpId};
use crate::generics::{self, Wanted};

const ITERABLE: &str = "java/lang/Iterable";
const ITERATOR: &str = "java/util/Iterator";
const COLLECTION: &str = "java/util/Collection";
const MAP: &str = "java/util/Map";
const STREAM: &str = "java/util/stream/Stream";

/// What holds objects of one type, and the call that takes one out.
const HOLDERS: &[(&str, &str)] = &[
    (ITERATOR, "next"),
    ("java/util/Optional", "get"),
    ("java/util/function/Supplier", "get"),
    ("java/util/concurrent/Callable", "call"),
    ("java/util/concurrent/Future", "get"),
];

impl Catalogue {
    /// The calls that take objects of a type out of what calls of the classes under test give.
    pub(super) fn add_taken_out(&mut self, session: &mut Session, wanted: &Wanted) -> Vec<OpId> {
        let mut results: Vec<Wanted> = Vec::new();
        for op in &self.ops {
            let is_call = matches!(op.action, Action::Call(_));
            if is_call && op.target.is_some() && !results.contains(&op.result) {
                results.push(op.result.clone());
            }
        }
        let mut found = Vec::new();
        for held in results {
            self.take_out(session, &held, wanted, &mut found);
        }
        found
    }

    /// Adds the calls that take an object out of a value, if it may hold one.
    fn take_out(
        &mut self,
        session: &mut Session,
        held: &Wanted,
        wanted: &Wanted,
        found: &mut Vec<OpId>,
    ) {
        match &held.erasure {
            Type::Array(element) if **element == wanted.erasure => {
                let list = of_type("java/util/List", &[wanted]);
                let as_list =
                    ("java/util/Arrays", "asList", "([Ljava/lang/Object;)Ljava/util/List;");
                self.add_step(as_list, true, held, &list, found);
                self.take_out(session, &list, wanted, found);
                return;
            }
            // What is asked below looks at loaded classes alone.
            Type::Class(name) if session.load(name).is_ok() => {}
            _ => return,
        }
        for &(holder, take) in HOLDERS {
            let of = of_type(holder, &[wanted]);
            if session.load(holder).is_ok() && generics::gives(session, held, &of) {
                let take = (holder, take, "()Ljava/lang/Object;");
                self.add_step(take, false, &of, wanted, found);
            }
        }
        let iterator = of_type(ITERATOR, &[wanted]);
        for holder in [ITERABLE, STREAM] {
            let of = of_type(holder, &[wanted]);
            if session.load(holder).is_ok() && generics::gives(session, held, &of) {
                let iterate = (holder, "iterator", "()Ljava/util/Iterator;");
                self.add_step(iterate, false, &of, &iterator, found);
                self.take_out(session, &iterator, wanted, found);
            }
        }
        if let [key, value] = &held.arguments[..] {
            let of = of_type(MAP, &[key, value]);
            for (part, name, returns) in
                [(key, "keySet", "java/util/Set"), (value, "values", COLLECTION)]
            {
                if part == wanted && generics::gives(session, held, &of) {
                    let descriptor = format!("()L{returns};");
                    let all = of_type(returns, &[part]);
                    self.add_step((MAP, name, &descriptor), false, &of, &all, found);
                    self.take_out(session, &all, wanted, found);
                }
            }
        }
    }

    /// Adds a call that takes this alone, receiver or argument, and gives that.
    fn add_step(
        &mut self,
        (class, name, descriptor): (&str, &str, &str),
        is_static: bool,
        takes: &Wanted,
        gives: &Wanted,
        found: &mut Vec<OpId>,
    ) {
        let Some(method) = Method::new(class, name, descriptor, is_static) else { return };
        // What holds the objects must come from the classes under test: what we filled holds nothing new.
        let params = vec![self.known_type(takes)];
        let op = self.add_call_on(&Arc::new(method), params, gives.clone(), None);
        if !found.contains(&op) {
            found.push(op);
        }
    }
}

fn of_type(name: &str, arguments: &[&Wanted]) -> Wanted {
    let arguments = arguments.iter().map(|&of| of.clone()).collect();
    Wanted { erasure: Type::class(name), variable: None, arguments }
}
