//! Tests with stand-ins: what they do on the machine must be what the emitted source does on a real JVM.

use std::sync::Arc;

use observe::oracle::{End, Observation, Run};
use observe::session::Session;
use suite::constant::Constant;
use suite::method::Method;
use suite::sequence::{Arg, Operation, Sequence, Var};
use suite::stand_in::{Behaviour, StandIn};
use suite::test::{Check, Subject, Suite, Test, Throws, Title};
use suite::types::Type;
use vm::class::flags;

const FUEL: u64 = 100_000_000;

/// The behaviours that each type is tried with.
fn run(sequence: &Sequence) -> Run<'_> {
    Run { sequence, observers: &[], receiver: None, change: None, fuel: FUEL }
}

fn behaviours() -> Vec<Behaviour> {
    vec![
        Behaviour::Default,
        Behaviour::Constant(Constant::Int(5)),
        Behaviour::Constant(Constant::text("a\"b\u{e9}\n")),
        Behaviour::Constant(Constant::Double(2.5_f64.to_bits())),
        Behaviour::Constant(Constant::Enum {
            class: "s/Kinds$Colour".into(),
            name: "GREEN".into(),
        }),
        Behaviour::Identity,
        Behaviour::Throws,
    ]
}

/// A test for each method of each type, called on each stand-in for it.
pub(crate) fn called(session: &mut Session, types: &[&str]) -> Suite {
    let mut tests = Vec::new();
    for of in types {
        for method in methods(session, of, Members::Inherited) {
            for behaviour in behaviours() {
                let mut sequence = Sequence::empty();
                let made = stand_in(&mut sequence, of, &behaviour);
                tests.push(test(session, sequence, Some(made), &method, &behaviour));
            }
        }
    }
    Suite { class: "s/Kinds".into(), tests }
}

/// A test for each method of a class, called with stand-ins.
pub(crate) fn passed(session: &mut Session, class: &str) -> Suite {
    let mut tests = Vec::new();
    for method in methods(session, class, Members::Own) {
        for behaviour in behaviours() {
            for value in [Constant::text("v"), Constant::Boxed(Box::new(Constant::Int(9)))] {
                let mut sequence = Sequence::empty();
                let mut receiver = None;
                if method.has_receiver() {
                    let maker = Method::new(class, "<init>", "()V", false).unwrap();
                    let made = sequence.push(Operation::Call(Arc::new(maker)), vec![]).unwrap();
                    let with = "(Ljava/lang/Object;)Ls/Users;";
                    let with = Method::new(class, "with", with, false).unwrap();
                    let args = vec![Arg::Var(made), Arg::Constant(value)];
                    sequence.push(Operation::Call(Arc::new(with)), args).unwrap();
                    receiver = Some(made);
                }
                tests.push(test(session, sequence, receiver, &method, &behaviour));
                if receiver.is_none() {
                    break;
                }
            }
        }
    }
    Suite { class: class.into(), tests }
}

/// A test for each stand-in that a generator would choose for these types.
pub(crate) fn chosen(session: &mut Session, types: &[String]) -> Suite {
    let mut tests = Vec::new();
    for of in types {
        for stand_in in generate::stand_ins::for_type(session, &Type::class(of)) {
            let title = Title {
                method: of.replace('/', "-"),
                state: String::new(),
                outcome: format!("{:?}", stand_in.behaviour),
            };
            let mut sequence = Sequence::empty();
            let made = Operation::StandIn(Arc::new(stand_in));
            let made = sequence.push(made, vec![]).unwrap();
            let equals = Method::new(of, "equals", "(Ljava/lang/Object;)Z", false).unwrap();
            let args = vec![Arg::Var(made), Arg::Var(made)];
            sequence.push(Operation::Call(Arc::new(equals)), args).unwrap();
            let seen = run(&sequence).observe(session);
            let seen = seen.unwrap_or_else(|problem| panic!("{of}: {problem}"));
            tests.push(checked(sequence, seen, title));
        }
    }
    Suite { class: "s/Users".into(), tests }
}

fn stand_in(sequence: &mut Sequence, of: &str, behaviour: &Behaviour) -> Var {
    let made = StandIn { of: of.into(), behaviour: behaviour.clone() };
    sequence.push(Operation::StandIn(Arc::new(made)), vec![]).unwrap()
}

#[derive(PartialEq, Eq)]
enum Members {
    Own,
    Inherited,
}

fn methods(session: &mut Session, of: &str, members: Members) -> Vec<Arc<Method>> {
    let id = session.class(of).unwrap();
    let class = session.vm.class(id);
    let mut holders = vec![id];
    if members == Members::Inherited {
        holders.extend(class.supers.iter().rev().chain(class.all_interfaces.iter()).copied());
    }
    holders.retain(|&holder| holder != session.vm.known.object);
    let mut found: Vec<Arc<Method>> = Vec::new();
    for method in holders.iter().flat_map(|&holder| &session.vm.class(holder).methods) {
        let is_left = method.is_static() && members == Members::Inherited
            || method.is_constructor()
            || method.is_private()
            || method.flags & flags::SYNTHETIC != 0
            || method.flags & flags::PUBLIC == 0 && !of.starts_with("s/")
            || method.is_static_initialiser();
        if is_left {
            continue;
        }
        let descriptor = method.descriptor.to_string();
        let named = Method::new(of, &method.name.to_string(), &descriptor, method.is_static());
        let mut named = named.unwrap();
        named.is_varargs = method.flags & flags::VARARGS != 0;
        named.declares_exceptions = true;
        if found
            .iter()
            .all(|known| known.name != named.name || known.parameters != named.parameters)
        {
            found.push(Arc::new(named));
        }
    }
    found
}

/// The test that calls a method and checks what the machine shows.
fn test(
    session: &mut Session,
    mut sequence: Sequence,
    receiver: Option<Var>,
    method: &Arc<Method>,
    behaviour: &Behaviour,
) -> Test {
    let mut args: Vec<Arg> = receiver.into_iter().map(Arg::Var).collect();
    for parameter in &method.parameters {
        args.push(match parameter {
            // What a supertype leaves open, a type without type parameters may have fixed.
            Type::Class(name) if is_fixed(session, method, name) => Arg::Constant(Constant::Null),
            _ => argument(session, &mut sequence, parameter, behaviour),
        });
    }
    sequence.push(Operation::Call(method.clone()), args).unwrap();
    let seen = run(&sequence).observe(session).unwrap();
    let what = match behaviour {
        Behaviour::Constant(constant) => format!("{:?}", constant.natural_type()),
        other => format!("{other:?}"),
    };
    let title =
        Title { method: method.name.to_string(), state: "standIn".to_owned(), outcome: what };
    checked(sequence, seen, title)
}

fn is_fixed(session: &mut Session, method: &Method, parameter: &str) -> bool {
    let id = session.class(&method.class).unwrap();
    let class = session.vm.class(id);
    let descriptor = method.descriptor();
    class.class_file().signature().is_none_or(|text| !text.starts_with(b"<"))
        && parameter == "java/lang/Object"
        && class.method(method.name.as_bytes(), descriptor.as_bytes()).is_none()
}

fn checked(sequence: Sequence, seen: Observation, title: Title) -> Test {
    let mut checks = Vec::new();
    for (idx, expected) in seen.results.into_iter().enumerate() {
        if let Some(expected) = expected {
            let var = Var(u32::try_from(idx).unwrap());
            checks.push(Check { after: var, subject: Subject::Result(var), expected });
        }
    }
    let throws = seen.end.map(|end| match end {
        End::Threw { class, message } => Throws { class, message },
        End::ByChance => panic!("{title:?} {sequence:?} ends by chance"),
        End::Stopped(stop) => panic!("{title:?} {sequence:?} stopped: {stop:?}"),
    });
    Test { sequence, checks, throws, must_end: false, notes: Vec::new(), title }
}

fn argument(
    session: &mut Session,
    sequence: &mut Sequence,
    wanted: &Type,
    behaviour: &Behaviour,
) -> Arg {
    Arg::Constant(match wanted {
        Type::Boolean => Constant::Boolean(true),
        Type::Byte => Constant::Byte(1),
        Type::Char => Constant::Char(99),
        Type::Short => Constant::Short(2),
        Type::Int => Constant::Int(3),
        Type::Long => Constant::Long(4),
        Type::Float => Constant::Float(1.5_f32.to_bits()),
        Type::Double => Constant::Double(3.5_f64.to_bits()),
        Type::Void => Constant::Null,
        Type::Array(element) => {
            let first = argument(session, sequence, element, behaviour);
            let array = Operation::Array((**element).clone());
            return Arg::Var(sequence.push(array, vec![first]).unwrap());
        }
        Type::Class(name) => match &**name {
            "java/lang/Object" | "java/lang/Number" | "java/lang/Integer" => {
                Constant::Boxed(Box::new(Constant::Int(7)))
            }
            "java/lang/String" | "java/lang/Comparable" => Constant::text("t"),
            "s/Kinds$Colour" => {
                Constant::Enum { class: "s/Kinds$Colour".into(), name: "RED".into() }
            }
            _ => {
                let id = session.load(name).unwrap();
                if session.vm.class(id).flags & (flags::ABSTRACT | flags::INTERFACE) == 0 {
                    Constant::Null
                } else {
                    return Arg::Var(stand_in(sequence, name, behaviour));
                }
            }
        },
    })
}
