//! What a run asks of the outside is noticed, also where code goes on as if nothing had been.

mod machine;

use std::sync::Arc;

use observe::oracle::Run;
use observe::outside::Reach;
use observe::session::Session;
use suite::constant::Constant;
use suite::method::Method;
use suite::sequence::{Arg, Operation, Sequence};
use testkit::{jdk, root, suite as compiled};

const FUEL: u64 = 10_000_000;

fn session(jdk: &jdk::Jdk) -> Session {
    let sources = root::repository().join("fixtures/outside/src");
    let classes = compiled::compile(jdk, "outside/src", &sources, "").expect("it compiles");
    let vm = machine::boot(jdk, &classes.display().to_string()).0;
    Session::new(vm).expect("it starts")
}

fn call(class: &str, name: &str, descriptor: &str) -> Operation {
    let method = Method::new(class, name, descriptor, false).expect("well formed");
    Operation::Call(Arc::new(method))
}

/// `new Janitor()` and a call, with a path where it takes one.
fn janitor(name: &str, descriptor: &str, path: Option<&str>) -> Sequence {
    let mut sequence = Sequence::empty();
    let made = call("outside/Janitor", "<init>", "()V");
    let made = sequence.push(made, vec![]).expect("fits");
    let mut args = vec![Arg::Var(made)];
    args.extend(path.map(|path| Arg::Constant(Constant::text(path))));
    let called = call("outside/Janitor", name, descriptor);
    sequence.push(called, args).expect("fits");
    sequence
}

#[test]
fn whoever_asks_for_files_is_noticed_and_whoever_does_not_is_not() {
    let path = Some("/somewhere/precious.txt");
    let expected = [
        ("nameOf", "(Ljava/lang/String;)Ljava/lang/String;", path, Reach::Inside),
        ("hasPlan", "()Z", None, Reach::Inside),
        ("digest", "()I", None, Reach::Inside),
        ("nap", "()I", None, Reach::Waited),
        ("isThere", "(Ljava/lang/String;)Z", path, Reach::Looked),
        ("remove", "(Ljava/lang/String;)Z", path, Reach::Changed),
        ("removeLater", "(Ljava/lang/String;)I", path, Reach::Changed),
        ("removeAtExit", "(Ljava/lang/String;)I", path, Reach::Changed),
        ("draft", "()I", None, Reach::Changed),
        ("run", "()I", None, Reach::Changed),
        ("mark", "()I", None, Reach::Changed),
    ];
    for jdk in jdk::installed() {
        let mut session = session(&jdk);
        // What one run does is not held against the next.
        for round in 0..2 {
            for (name, descriptor, path, reach) in expected {
                let sequence = janitor(name, descriptor, path);
                let run = Run {
                    sequence: &sequence,
                    observers: &[],
                    receiver: None,
                    change: None,
                    fuel: FUEL,
                };
                let seen = run.observe(&mut session).expect("it is there");
                assert_eq!(seen.reach, reach, "{name} in round {round} on {}", jdk.release);
                assert_eq!(seen.end, None, "{name} goes on whatever comes of it");
            }
        }
        // A class that makes a file when it is initialised is not initialised for good.
        let refused = session.class("outside/Marker").expect_err("it makes a file");
        let said = "class outside.Marker cannot be used: its initialisation touches files, programs or the network";
        assert_eq!(refused.to_string(), said);
        assert!(session.class("outside/Janitor").is_ok());
    }
}
