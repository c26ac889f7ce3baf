//! The classes that let a suite run step by step: JUnit runs on a thread of its own, which waits after
//! every test until it is told to go on. So the caller stands outside of Java code between two tests,
//! where marks can be opened, and JUnit stands in the middle of its own work.
//!
//! A call that starts a framework is a `Runnable` with its receiver and arguments in fields.

use crate::assemble::{Assembler, Code, Receiver};

use super::record::EVENTS;

/// Runs the frameworks one after the other, and waits when it is told to.
pub(super) const STEPS: &str = "nonpareil/junit/Steps";
/// `launcher.execute(request, listeners)`.
pub(super) const LAUNCHER_CALL: &str = "nonpareil/junit/LauncherCall";
/// `engine.execute(request)`.
pub(super) const ENGINE_CALL: &str = "nonpareil/junit/EngineCall";
/// `core.run(classes)`.
pub(super) const CORE_CALL: &str = "nonpareil/junit/CoreCall";
/// `test.run(result)`.
pub(super) const TEST_CALL: &str = "nonpareil/junit/TestCall";

/// Type of the fields of a call.
pub(super) const FIELD: &str = "Ljava/lang/Object;";
/// The fields of a call.
pub(super) const FIELDS: [&str; 3] = ["receiver", "first", "second"];

const OBJECT: &str = "java/lang/Object";
const RUNNABLE: &str = "java/lang/Runnable";
const ITERATOR: &str = "java/util/Iterator";
/// A semaphore; the machine's threads take turns, so nothing heavier is needed.
pub(super) const SEMAPHORE: &str = "java/util/concurrent/Semaphore";
pub(super) const SEMAPHORE_FIELD: &str = "Ljava/util/concurrent/Semaphore;";
pub(super) const CALLS_FIELD: &str = "Ljava/util/Iterator;";

/// A class of calls: what the receiver is, and the method's name and descriptor.
fn call(name: &str, receiver: &str, method: &str, descriptor: &str, args: &[&str]) -> Vec<u8> {
    let mut class = Assembler::new(name, OBJECT, &[RUNNABLE]);
    class.constructor(OBJECT);
    for field in FIELDS {
        class.field(field, FIELD);
    }
    class.method("run", "()V", Receiver::This, |code| {
        for (field, type_name) in FIELDS.iter().zip([receiver].iter().chain(args)) {
            code.load(0).get_field(name, field, FIELD).cast(type_name);
        }
        match receiver {
            "org/junit/runner/JUnitCore" => {
                code.invoke_virtual(receiver, method, descriptor).pop();
            }
            _ => {
                code.invoke_interface(receiver, method, descriptor);
            }
        }
        code.return_void();
    });
    class.finish()
}

/// The class of calls of the launcher.
pub(super) fn launcher_call() -> (&'static str, Vec<u8>) {
    let descriptor = "(Lorg/junit/platform/launcher/LauncherDiscoveryRequest;\
                      [Lorg/junit/platform/launcher/TestExecutionListener;)V";
    let args = [
        "org/junit/platform/launcher/LauncherDiscoveryRequest",
        "[Lorg/junit/platform/launcher/TestExecutionListener;",
    ];
    let receiver = "org/junit/platform/launcher/Launcher";
    (LAUNCHER_CALL, call(LAUNCHER_CALL, receiver, "execute", descriptor, &args))
}

/// The class of calls of an engine.
pub(super) fn engine_call() -> (&'static str, Vec<u8>) {
    let descriptor = "(Lorg/junit/platform/engine/ExecutionRequest;)V";
    let args = ["org/junit/platform/engine/ExecutionRequest"];
    let receiver = "org/junit/platform/engine/TestEngine";
    (ENGINE_CALL, call(ENGINE_CALL, receiver, "execute", descriptor, &args))
}

/// The class of calls of JUnit 4.
pub(super) fn core_call() -> (&'static str, Vec<u8>) {
    let descriptor = "([Ljava/lang/Class;)Lorg/junit/runner/Result;";
    let receiver = "org/junit/runner/JUnitCore";
    (CORE_CALL, call(CORE_CALL, receiver, "run", descriptor, &["[Ljava/lang/Class;"]))
}

/// The class of calls of JUnit 3.
pub(super) fn test_call() -> (&'static str, Vec<u8>) {
    let descriptor = "(Ljunit/framework/TestResult;)V";
    let receiver = "junit/framework/Test";
    (TEST_CALL, call(TEST_CALL, receiver, "run", descriptor, &["junit/framework/TestResult"]))
}

/// The class that runs calls step by step.
pub(super) fn steps() -> Vec<u8> {
    let mut class = Assembler::new(STEPS, OBJECT, &[RUNNABLE]);
    class.constructor(OBJECT);
    class.field("calls", CALLS_FIELD);
    class.field("go", SEMAPHORE_FIELD);
    class.field("paused", SEMAPHORE_FIELD);
    let semaphore = |code: &mut Code<'_>, field: &str, method: &str| {
        code.load(0).cast(STEPS).get_field(STEPS, field, SEMAPHORE_FIELD);
        code.invoke_virtual(SEMAPHORE, method, "()V");
    };
    class.method("run", "()V", Receiver::This, |code| {
        let ended = "(Ljava/lang/Throwable;)V";
        code.catch_all(|code| {
            semaphore(code, "go", "acquireUninterruptibly");
            let (top, end) = (code.label(), code.label());
            code.place(top).load(0).get_field(STEPS, "calls", CALLS_FIELD);
            code.invoke_interface(ITERATOR, "hasNext", "()Z").if_zero(end);
            code.load(0).get_field(STEPS, "calls", CALLS_FIELD);
            code.invoke_interface(ITERATOR, "next", "()Ljava/lang/Object;").cast(RUNNABLE);
            code.invoke_interface(RUNNABLE, "run", "()V").go_to(top).place(end);
            code.null().invoke_static(EVENTS, "ended", ended);
            semaphore(code, "paused", "release");
            code.return_void();
        });
        code.invoke_static(EVENTS, "ended", ended);
        semaphore(code, "paused", "release");
        code.return_void();
    });
    // Called by the caller's thread.
    class.method("step", "()V", Receiver::This, |code| {
        semaphore(code, "go", "release");
        semaphore(code, "paused", "acquireUninterruptibly");
        code.return_void();
    });
    // Called by the thread that runs the tests, with what `Events.gate` gave.
    class.method("pass", "(Ljava/lang/Object;)V", Receiver::None, |code| {
        let none = code.label();
        code.load(0).if_null(none);
        semaphore(code, "paused", "release");
        semaphore(code, "go", "acquireUninterruptibly");
        code.place(none).return_void();
    });
    class.finish()
}
