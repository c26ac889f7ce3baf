//! The classes we put before JUnit: its listeners, and for bare engines its requests. All of them only
//! take the arguments apart by JUnit's own getters and hand them to the natives of `record.rs`.

use crate::assemble::{Assembler, Code, Receiver};

use super::record::EVENTS;
use super::steps;

/// Listener of the launcher (`TestExecutionListener`).
pub(super) const LAUNCHER_LISTENER: &str = "nonpareil/junit/LauncherListener";
/// Listener of an engine (`EngineExecutionListener`).
pub(super) const ENGINE_LISTENER: &str = "nonpareil/junit/EngineListener";
/// What an engine is to discover (`EngineDiscoveryRequest`).
pub(super) const ENGINE_REQUEST: &str = "nonpareil/junit/EngineRequest";
/// Configuration of an engine (`ConfigurationParameters`).
pub(super) const PARAMETERS: &str = "nonpareil/junit/Parameters";
/// Removes containers without tests (`TestDescriptor.Visitor`).
pub(super) const PRUNING: &str = "nonpareil/junit/Pruning";
/// Listener of JUnit 4 (`RunListener`).
pub(super) const RUN_LISTENER: &str = "nonpareil/junit/RunListener";
/// Listener of JUnit 3 (`TestListener`).
pub(super) const TEST_LISTENER: &str = "nonpareil/junit/TestListener";

/// Tells of JUnit 5's nodes with their sources.
const SOURCES: &str = "nonpareil/junit/Sources";

const STRING: &str = "java/lang/String";
const OBJECT: &str = "java/lang/Object";
const THROWABLE: &str = "java/lang/Throwable";
const OPTIONAL: &str = "java/util/Optional";
const ITERATOR: &str = "java/util/Iterator";
const PROPERTIES: &str = "java/util/Properties";
const TEST_PLAN: &str = "org/junit/platform/launcher/TestPlan";
const TEST_IDENTIFIER: &str = "org/junit/platform/launcher/TestIdentifier";
const TEST_DESCRIPTOR: &str = "org/junit/platform/engine/TestDescriptor";
const EXECUTION_RESULT: &str = "org/junit/platform/engine/TestExecutionResult";
const REPORT_ENTRY: &str = "org/junit/platform/engine/reporting/ReportEntry";
const METHOD_SOURCE: &str = "org/junit/platform/engine/support/descriptor/MethodSource";
const CLASS_SOURCE: &str = "org/junit/platform/engine/support/descriptor/ClassSource";
const DESCRIPTION: &str = "org/junit/runner/Description";
const FAILURE: &str = "org/junit/runner/notification/Failure";

const RETURNS_STRING: &str = "()Ljava/lang/String;";
const RETURNS_OPTIONAL: &str = "()Ljava/util/Optional;";
const RETURNS_ITERATOR: &str = "()Ljava/util/Iterator;";
/// `String name, String class, String method, Throwable thrown, String message, String trace`.
const FAILED: &str = "(Ljava/lang/String;Ljava/lang/String;Ljava/lang/String;Ljava/lang/Throwable;Ljava/lang/String;\
                      Ljava/lang/String;)V";
const THREE_STRINGS: &str = "(Ljava/lang/String;Ljava/lang/String;Ljava/lang/String;)V";

/// The natives, and what they need of an exception.
fn events() -> Vec<u8> {
    let mut class = Assembler::new(EVENTS, OBJECT, &[]);
    let natives = [
        (
            "described",
            "(Ljava/lang/String;Ljava/lang/String;Ljava/lang/String;ZLjava/lang/String;Ljava/lang/String;\
             Ljava/lang/String;)V",
        ),
        ("started", "(Ljava/lang/String;)V"),
        ("skipped", "(Ljava/lang/String;Ljava/lang/String;)V"),
        (
            "finished",
            "(Ljava/lang/String;Ljava/lang/String;Ljava/lang/Throwable;Ljava/lang/String;Ljava/lang/String;)V",
        ),
        ("reported", THREE_STRINGS),
        ("entered", "(Ljava/lang/String;Ljava/lang/String;Ljava/lang/String;Z)V"),
        ("left", "()V"),
        ("gate", "()Ljava/lang/Object;"),
        ("wantsTraces", "()Z"),
        ("ended", "(Ljava/lang/Throwable;)V"),
        ("testSuiteStarted", THREE_STRINGS),
        ("testSuiteFinished", THREE_STRINGS),
        ("testStarted", THREE_STRINGS),
        ("testFinished", THREE_STRINGS),
        ("testFailed", FAILED),
        ("testAborted", FAILED),
        (
            "testIgnored",
            "(Ljava/lang/String;Ljava/lang/String;Ljava/lang/String;Ljava/lang/String;)V",
        ),
    ];
    for (name, descriptor) in natives {
        class.native(name, descriptor, Receiver::None);
    }
    // Where a suite runs step by step, it waits here.
    class.method("pause", "()V", Receiver::None, |code| {
        code.invoke_static(EVENTS, "gate", "()Ljava/lang/Object;");
        code.invoke_static(steps::STEPS, "pass", "(Ljava/lang/Object;)V").return_void();
    });
    // Exceptions of the program may fail even here; then the text says so.
    class.method("message", "(Ljava/lang/Throwable;)Ljava/lang/String;", Receiver::None, |code| {
        text_of_throwable(code, "getMessage", |code| {
            code.load(0).invoke_virtual(THROWABLE, "getMessage", RETURNS_STRING).return_object();
        });
    });
    class.method("trace", "(Ljava/lang/Throwable;)Ljava/lang/String;", Receiver::None, |code| {
        let (is_null, wanted) = (code.label(), code.label());
        code.invoke_static(EVENTS, "wantsTraces", "()Z").if_zero(is_null).go_to(wanted);
        code.place(is_null).null().return_object().place(wanted);
        text_of_throwable(code, "printStackTrace", |code| {
            const WRITER: &str = "java/io/StringWriter";
            const PRINTER: &str = "java/io/PrintWriter";
            code.new_dup(WRITER).invoke_special(WRITER, "<init>", "()V").store(1);
            code.load(0).new_dup(PRINTER).load(1).invoke_special(
                PRINTER,
                "<init>",
                "(Ljava/io/Writer;)V",
            );
            code.invoke_virtual(THROWABLE, "printStackTrace", "(Ljava/io/PrintWriter;)V");
            code.load(1).invoke_virtual(OBJECT, "toString", RETURNS_STRING).return_object();
        });
    });
    class.finish()
}

/// Null for a null argument, else what `body` returns, else a text about what `body` threw.
fn text_of_throwable(code: &mut Code<'_>, what: &str, body: impl FnOnce(&mut Code<'_>)) {
    let is_null = code.label();
    code.load(0).if_null(is_null);
    code.catch_all(body);
    code.invoke_virtual(OBJECT, "getClass", "()Ljava/lang/Class;");
    code.invoke_virtual("java/lang/Class", "getName", RETURNS_STRING);
    code.string(&format!("{what}() threw ")).swap();
    code.invoke_virtual(STRING, "concat", "(Ljava/lang/String;)Ljava/lang/String;").return_object();
    code.place(is_null).null().return_object();
}

/// The classes for JUnit 5's launcher, in order of definition.
pub(super) fn launcher() -> Vec<(&'static str, Vec<u8>)> {
    vec![
        (EVENTS, events()),
        (steps::STEPS, steps::steps()),
        (SOURCES, sources()),
        (LAUNCHER_LISTENER, launcher_listener()),
        steps::launcher_call(),
    ]
}

/// The classes for JUnit 5's engines without a launcher.
pub(super) fn engines() -> Vec<(&'static str, Vec<u8>)> {
    vec![
        (EVENTS, events()),
        (steps::STEPS, steps::steps()),
        (SOURCES, sources()),
        (ENGINE_LISTENER, engine_listener()),
        steps::engine_call(),
        (ENGINE_REQUEST, engine_request()),
        (PARAMETERS, parameters()),
        (PRUNING, pruning()),
    ]
}

/// The classes for JUnit 4.
pub(super) fn junit4() -> Vec<(&'static str, Vec<u8>)> {
    vec![
        (EVENTS, events()),
        (steps::STEPS, steps::steps()),
        (RUN_LISTENER, run_listener()),
        steps::core_call(),
    ]
}

/// The classes for JUnit 3.
pub(super) fn junit3() -> Vec<(&'static str, Vec<u8>)> {
    vec![
        (EVENTS, events()),
        (steps::STEPS, steps::steps()),
        (TEST_LISTENER, test_listener()),
        steps::test_call(),
    ]
}

/// What a suite needs to run step by step, whatever its framework.
pub(super) fn stepping() -> Vec<(&'static str, Vec<u8>)> {
    vec![(EVENTS, events()), (steps::STEPS, steps::steps())]
}

const DESCRIBE: &str =
    "(Ljava/lang/String;Ljava/lang/String;Ljava/lang/String;ZLjava/lang/Object;)V";

fn sources() -> Vec<u8> {
    let mut class = Assembler::new(SOURCES, OBJECT, &[]);
    class.method("describe", DESCRIBE, Receiver::None, |code| {
        const SOURCE: u8 = 4;
        let described = |code: &mut Code<'_>, getters: [Option<(&str, &str)>; 3]| {
            code.load(0).load(1).load(2).load_int(3);
            for getter in getters {
                match getter {
                    Some((source, name)) => {
                        code.load(SOURCE).cast(source).invoke_virtual(source, name, RETURNS_STRING)
                    }
                    None => code.null(),
                };
            }
            let descriptor = "(Ljava/lang/String;Ljava/lang/String;Ljava/lang/String;ZLjava/lang/String;\
                              Ljava/lang/String;Ljava/lang/String;)V";
            code.invoke_static(EVENTS, "described", descriptor).return_void();
        };
        let (no_method, no_class) = (code.label(), code.label());
        code.load(SOURCE).instance_of(METHOD_SOURCE).if_zero(no_method);
        let getters = ["getClassName", "getMethodName", "getMethodParameterTypes"];
        described(code, getters.map(|name| Some((METHOD_SOURCE, name))));
        code.place(no_method).load(SOURCE).instance_of(CLASS_SOURCE).if_zero(no_class);
        described(code, [Some((CLASS_SOURCE, "getClassName")), None, None]);
        code.place(no_class);
        described(code, [None, None, None]);
    });
    class.method("result", "(Ljava/lang/String;Lorg/junit/platform/engine/TestExecutionResult;)V", Receiver::None, |code| {
        let thrown = |code: &mut Code<'_>| {
            code.load(1).invoke_virtual(EXECUTION_RESULT, "getThrowable", RETURNS_OPTIONAL);
            or_null(code);
            code.cast(THROWABLE);
        };
        let status = "()Lorg/junit/platform/engine/TestExecutionResult$Status;";
        code.load(0).load(1).invoke_virtual(EXECUTION_RESULT, "getStatus", status);
        code.invoke_virtual("java/lang/Enum", "name", RETURNS_STRING);
        thrown(code);
        for name in ["message", "trace"] {
            thrown(code);
            code.invoke_static(EVENTS, name, "(Ljava/lang/Throwable;)Ljava/lang/String;");
        }
        let descriptor =
            "(Ljava/lang/String;Ljava/lang/String;Ljava/lang/Throwable;Ljava/lang/String;Ljava/lang/String;)V";
        code.invoke_static(EVENTS, "finished", descriptor).return_void();
    });
    let entries = "(Ljava/lang/String;Ljava/util/Iterator;)V";
    class.method("entries", entries, Receiver::None, |code| {
        each(code, 1, |code| {
            code.load(0).load(1).invoke_interface(ITERATOR, "next", "()Ljava/lang/Object;");
            code.cast("java/util/Map$Entry");
            code.invoke_static(SOURCES, "entry", "(Ljava/lang/String;Ljava/util/Map$Entry;)V");
        });
    });
    class.method("entry", "(Ljava/lang/String;Ljava/util/Map$Entry;)V", Receiver::None, |code| {
        code.load(0);
        for name in ["getKey", "getValue"] {
            code.load(1)
                .invoke_interface("java/util/Map$Entry", name, "()Ljava/lang/Object;")
                .cast(STRING);
        }
        code.invoke_static(EVENTS, "reported", THREE_STRINGS).return_void();
    });
    class.method(
        "report",
        "(Ljava/lang/String;Lorg/junit/platform/engine/reporting/ReportEntry;)V",
        Receiver::None,
        |code| {
            code.load(0).load(1).invoke_virtual(
                REPORT_ENTRY,
                "getKeyValuePairs",
                "()Ljava/util/Map;",
            );
            code.invoke_interface("java/util/Map", "entrySet", "()Ljava/util/Set;");
            code.invoke_interface("java/util/Set", "iterator", RETURNS_ITERATOR);
            code.invoke_static(SOURCES, "entries", entries).return_void();
        },
    );
    class.finish()
}

/// `while (iterator.hasNext()) body; return;` with the iterator in a local.
fn each(code: &mut Code<'_>, iterator: u8, body: impl FnOnce(&mut Code<'_>)) {
    let (top, end) = (code.label(), code.label());
    code.place(top).load(iterator).invoke_interface(ITERATOR, "hasNext", "()Z").if_zero(end);
    body(code);
    code.go_to(top).place(end).return_void();
}

/// `optional.orElse(null)`.
fn or_null(code: &mut Code<'_>) {
    code.null().invoke_virtual(OPTIONAL, "orElse", "(Ljava/lang/Object;)Ljava/lang/Object;");
}

fn launcher_listener() -> Vec<u8> {
    let interface = "org/junit/platform/launcher/TestExecutionListener";
    let mut class = Assembler::new(LAUNCHER_LISTENER, OBJECT, &[interface]);
    class.constructor(OBJECT);
    class.method(
        "describe",
        "(Lorg/junit/platform/launcher/TestIdentifier;)V",
        Receiver::None,
        |code| {
            code.load(0).invoke_virtual(TEST_IDENTIFIER, "getUniqueId", RETURNS_STRING);
            code.load(0).invoke_virtual(TEST_IDENTIFIER, "getParentId", RETURNS_OPTIONAL);
            or_null(code);
            code.cast(STRING);
            code.load(0).invoke_virtual(TEST_IDENTIFIER, "getDisplayName", RETURNS_STRING);
            code.load(0).invoke_virtual(TEST_IDENTIFIER, "isTest", "()Z");
            code.load(0).invoke_virtual(TEST_IDENTIFIER, "getSource", RETURNS_OPTIONAL);
            or_null(code);
            code.invoke_static(SOURCES, "describe", DESCRIBE).return_void();
        },
    );
    let identifier = |code: &mut Code<'_>| {
        code.load(1).invoke_virtual(TEST_IDENTIFIER, "getUniqueId", RETURNS_STRING);
    };
    let describe = |code: &mut Code<'_>| {
        let descriptor = "(Lorg/junit/platform/launcher/TestIdentifier;)V";
        code.load(1).invoke_static(LAUNCHER_LISTENER, "describe", descriptor);
    };
    execution_methods(&mut class, TEST_IDENTIFIER, identifier, describe);
    plan_methods(&mut class);
    class.finish()
}

/// The whole plan is told of before the first test, so that tests which never start are known.
fn plan_methods(class: &mut Assembler) {
    const PLAN_AND_ITERATOR: &str = "(Lorg/junit/platform/launcher/TestPlan;Ljava/util/Iterator;)V";
    const PLAN_AND_NODE: &str =
        "(Lorg/junit/platform/launcher/TestPlan;Lorg/junit/platform/launcher/TestIdentifier;)V";
    let one_node = "(Lorg/junit/platform/launcher/TestIdentifier;)V";
    class.method(
        "testPlanExecutionStarted",
        "(Lorg/junit/platform/launcher/TestPlan;)V",
        Receiver::This,
        |code| {
            code.load(1).load(1).invoke_virtual(TEST_PLAN, "getRoots", "()Ljava/util/Set;");
            code.invoke_interface("java/util/Set", "iterator", RETURNS_ITERATOR);
            code.invoke_static(LAUNCHER_LISTENER, "roots", PLAN_AND_ITERATOR).return_void();
        },
    );
    class.method("roots", PLAN_AND_ITERATOR, Receiver::None, |code| {
        each(code, 1, |code| {
            code.load(0)
                .load(1)
                .invoke_interface(ITERATOR, "next", "()Ljava/lang/Object;")
                .cast(TEST_IDENTIFIER);
            code.invoke_static(LAUNCHER_LISTENER, "root", PLAN_AND_NODE);
        });
    });
    class.method("root", PLAN_AND_NODE, Receiver::None, |code| {
        code.load(1).invoke_static(LAUNCHER_LISTENER, "describe", one_node);
        let descendants = "(Lorg/junit/platform/launcher/TestIdentifier;)Ljava/util/Set;";
        code.load(0).load(1).invoke_virtual(TEST_PLAN, "getDescendants", descendants);
        code.invoke_interface("java/util/Set", "iterator", RETURNS_ITERATOR);
        code.invoke_static(LAUNCHER_LISTENER, "all", "(Ljava/util/Iterator;)V").return_void();
    });
    class.method("all", "(Ljava/util/Iterator;)V", Receiver::None, |code| {
        each(code, 0, |code| {
            code.load(0)
                .invoke_interface(ITERATOR, "next", "()Ljava/lang/Object;")
                .cast(TEST_IDENTIFIER);
            code.invoke_static(LAUNCHER_LISTENER, "describe", one_node);
        });
    });
}

/// The methods that launcher and engines share but for the class of the node: `describe` tells of the
/// node in local 1, `id` puts its id on the stack.
fn execution_methods(
    class: &mut Assembler,
    node: &str,
    id: impl Fn(&mut Code<'_>),
    describe: impl Fn(&mut Code<'_>),
) {
    class.method("executionStarted", &format!("(L{node};)V"), Receiver::This, |code| {
        describe(code);
        id(code);
        code.invoke_static(EVENTS, "started", "(Ljava/lang/String;)V");
        code.invoke_static(EVENTS, "pause", "()V").return_void();
    });
    class.method("dynamicTestRegistered", &format!("(L{node};)V"), Receiver::This, |code| {
        describe(code);
        code.return_void();
    });
    class.method(
        "executionSkipped",
        &format!("(L{node};Ljava/lang/String;)V"),
        Receiver::This,
        |code| {
            describe(code);
            id(code);
            code.load(2)
                .invoke_static(EVENTS, "skipped", "(Ljava/lang/String;Ljava/lang/String;)V")
                .return_void();
        },
    );
    class.method(
        "executionFinished",
        &format!("(L{node};L{EXECUTION_RESULT};)V"),
        Receiver::This,
        |code| {
            id(code);
            let descriptor = "(Ljava/lang/String;Lorg/junit/platform/engine/TestExecutionResult;)V";
            code.load(2).invoke_static(SOURCES, "result", descriptor);
            code.invoke_static(EVENTS, "pause", "()V").return_void();
        },
    );
    class.method(
        "reportingEntryPublished",
        &format!("(L{node};L{REPORT_ENTRY};)V"),
        Receiver::This,
        |code| {
            id(code);
            let descriptor =
                "(Ljava/lang/String;Lorg/junit/platform/engine/reporting/ReportEntry;)V";
            code.load(2).invoke_static(SOURCES, "report", descriptor).return_void();
        },
    );
}

fn engine_listener() -> Vec<u8> {
    let interface = "org/junit/platform/engine/EngineExecutionListener";
    let mut class = Assembler::new(ENGINE_LISTENER, OBJECT, &[interface]);
    class.constructor(OBJECT);
    let unique_id = |code: &mut Code<'_>| {
        let returns_id = "()Lorg/junit/platform/engine/UniqueId;";
        code.invoke_interface(TEST_DESCRIPTOR, "getUniqueId", returns_id);
        code.invoke_virtual(OBJECT, "toString", RETURNS_STRING);
    };
    class.method("idOf", "(Ljava/lang/Object;)Ljava/lang/String;", Receiver::None, |code| {
        let is_null = code.label();
        code.load(0).if_null(is_null).load(0).cast(TEST_DESCRIPTOR);
        unique_id(code);
        code.return_object().place(is_null).null().return_object();
    });
    class.method(
        "describe",
        "(Lorg/junit/platform/engine/TestDescriptor;)V",
        Receiver::None,
        |code| {
            code.load(0);
            unique_id(code);
            code.load(0).invoke_interface(TEST_DESCRIPTOR, "getParent", RETURNS_OPTIONAL);
            or_null(code);
            code.invoke_static(ENGINE_LISTENER, "idOf", "(Ljava/lang/Object;)Ljava/lang/String;");
            code.load(0).invoke_interface(TEST_DESCRIPTOR, "getDisplayName", RETURNS_STRING);
            code.load(0).invoke_interface(TEST_DESCRIPTOR, "isTest", "()Z");
            code.load(0).invoke_interface(TEST_DESCRIPTOR, "getSource", RETURNS_OPTIONAL);
            or_null(code);
            code.invoke_static(SOURCES, "describe", DESCRIBE).return_void();
        },
    );
    // A service is looked up for its caller, so the outside cannot.
    class.method("engines", RETURNS_ITERATOR, Receiver::None, |code| {
        const SERVICES: &str = "java/util/ServiceLoader";
        let load = "(Ljava/lang/Class;)Ljava/util/ServiceLoader;";
        code.class("org/junit/platform/engine/TestEngine").invoke_static(SERVICES, "load", load);
        code.invoke_virtual(SERVICES, "iterator", RETURNS_ITERATOR).return_object();
    });
    // Called from outside with the descendants of an engine's root.
    class.method("all", "(Ljava/util/Iterator;)V", Receiver::None, |code| {
        each(code, 0, |code| {
            code.load(0)
                .invoke_interface(ITERATOR, "next", "()Ljava/lang/Object;")
                .cast(TEST_DESCRIPTOR);
            let descriptor = "(Lorg/junit/platform/engine/TestDescriptor;)V";
            code.invoke_static(ENGINE_LISTENER, "describe", descriptor);
        });
    });
    let id = |code: &mut Code<'_>| {
        code.load(1);
        unique_id(code);
    };
    let describe = |code: &mut Code<'_>| {
        code.load(1).invoke_static(
            ENGINE_LISTENER,
            "describe",
            "(Lorg/junit/platform/engine/TestDescriptor;)V",
        );
    };
    execution_methods(&mut class, TEST_DESCRIPTOR, id, describe);
    class.finish()
}

/// Selects classes, filters nothing.
fn engine_request() -> Vec<u8> {
    let interface = "org/junit/platform/engine/EngineDiscoveryRequest";
    let parameters = "Lorg/junit/platform/engine/ConfigurationParameters;";
    let mut class = Assembler::new(ENGINE_REQUEST, OBJECT, &[interface]);
    class.constructor(OBJECT);
    class.field("selectors", "Ljava/util/List;");
    class.field("parameters", parameters);
    let empty = |code: &mut Code<'_>| {
        code.invoke_static("java/util/Collections", "emptyList", "()Ljava/util/List;")
            .return_object();
    };
    class.method(
        "getSelectorsByType",
        "(Ljava/lang/Class;)Ljava/util/List;",
        Receiver::This,
        |code| {
            let other = code.label();
            code.load(1).class("org/junit/platform/engine/discovery/ClassSelector");
            code.invoke_virtual("java/lang/Class", "isAssignableFrom", "(Ljava/lang/Class;)Z")
                .if_zero(other);
            code.load(0).get_field(ENGINE_REQUEST, "selectors", "Ljava/util/List;").return_object();
            code.place(other);
            empty(code);
        },
    );
    class.method("getFiltersByType", "(Ljava/lang/Class;)Ljava/util/List;", Receiver::This, empty);
    class.method(
        "getConfigurationParameters",
        &format!("(){parameters}"),
        Receiver::This,
        |code| {
            code.load(0).get_field(ENGINE_REQUEST, "parameters", parameters).return_object();
        },
    );
    class.finish()
}

/// System properties first, then those of `junit-platform.properties`, which the launcher would read.
fn parameters() -> Vec<u8> {
    let interface = "org/junit/platform/engine/ConfigurationParameters";
    let mut class = Assembler::new(PARAMETERS, OBJECT, &[interface]);
    class.constructor(OBJECT);
    class.field("file", "Ljava/util/Properties;");
    let get = "(Ljava/lang/String;)Ljava/lang/String;";
    let value = |code: &mut Code<'_>| {
        code.load(1).load(0).get_field(PARAMETERS, "file", "Ljava/util/Properties;");
        code.load(1).invoke_virtual(PROPERTIES, "getProperty", get);
        let with_default = "(Ljava/lang/String;Ljava/lang/String;)Ljava/lang/String;";
        code.invoke_static("java/lang/System", "getProperty", with_default);
    };
    class.method("get", "(Ljava/lang/String;)Ljava/util/Optional;", Receiver::This, |code| {
        value(code);
        let descriptor = "(Ljava/lang/Object;)Ljava/util/Optional;";
        code.invoke_static(OPTIONAL, "ofNullable", descriptor).return_object();
    });
    class.method(
        "getBoolean",
        "(Ljava/lang/String;)Ljava/util/Optional;",
        Receiver::This,
        |code| {
            let absent = code.label();
            value(code);
            code.if_null(absent);
            value(code);
            code.invoke_static(
                "java/lang/Boolean",
                "valueOf",
                "(Ljava/lang/String;)Ljava/lang/Boolean;",
            );
            code.invoke_static(OPTIONAL, "of", "(Ljava/lang/Object;)Ljava/util/Optional;")
                .return_object();
            code.place(absent).invoke_static(OPTIONAL, "empty", RETURNS_OPTIONAL).return_object();
        },
    );
    let keys = |code: &mut Code<'_>| {
        code.load(0).get_field(PARAMETERS, "file", "Ljava/util/Properties;");
        code.invoke_virtual(PROPERTIES, "stringPropertyNames", "()Ljava/util/Set;");
    };
    class.method("keySet", "()Ljava/util/Set;", Receiver::This, |code| {
        keys(code);
        code.return_object();
    });
    class.method("size", "()I", Receiver::This, |code| {
        keys(code);
        code.invoke_interface("java/util/Set", "size", "()I").return_int();
    });
    class.finish()
}

fn pruning() -> Vec<u8> {
    let mut class =
        Assembler::new(PRUNING, OBJECT, &["org/junit/platform/engine/TestDescriptor$Visitor"]);
    class.constructor(OBJECT);
    class.method(
        "visit",
        "(Lorg/junit/platform/engine/TestDescriptor;)V",
        Receiver::This,
        |code| {
            code.load(1).invoke_interface(TEST_DESCRIPTOR, "prune", "()V").return_void();
        },
    );
    class.finish()
}

fn run_listener() -> Vec<u8> {
    let super_class = "org/junit/runner/notification/RunListener";
    let one_description = "(Lorg/junit/runner/Description;)V";
    let mut class = Assembler::new(RUN_LISTENER, super_class, &[]);
    class.constructor(super_class);
    let names = |code: &mut Code<'_>, get: &dyn Fn(&mut Code<'_>)| {
        for name in ["getDisplayName", "getClassName", "getMethodName"] {
            get(code);
            code.invoke_virtual(DESCRIPTION, name, RETURNS_STRING);
        }
    };
    class.method("tree", one_description, Receiver::None, |code| {
        names(code, &|code| {
            code.load(0);
        });
        code.load(0).invoke_virtual(DESCRIPTION, "isTest", "()Z");
        code.invoke_static(
            EVENTS,
            "entered",
            "(Ljava/lang/String;Ljava/lang/String;Ljava/lang/String;Z)V",
        );
        code.load(0).invoke_virtual(DESCRIPTION, "getChildren", "()Ljava/util/ArrayList;");
        code.invoke_virtual("java/util/ArrayList", "iterator", RETURNS_ITERATOR);
        code.invoke_static(RUN_LISTENER, "children", "(Ljava/util/Iterator;)V");
        code.invoke_static(EVENTS, "left", "()V").return_void();
    });
    class.method("children", "(Ljava/util/Iterator;)V", Receiver::None, |code| {
        each(code, 0, |code| {
            code.load(0)
                .invoke_interface(ITERATOR, "next", "()Ljava/lang/Object;")
                .cast(DESCRIPTION);
            code.invoke_static(RUN_LISTENER, "tree", one_description);
        });
    });
    class.method("testRunStarted", one_description, Receiver::This, |code| {
        code.load(1).invoke_static(RUN_LISTENER, "tree", one_description).return_void();
    });
    let first = |code: &mut Code<'_>| {
        code.load(1);
    };
    for name in ["testStarted", "testFinished"] {
        class.method(name, one_description, Receiver::This, |code| {
            names(code, &first);
            code.invoke_static(EVENTS, name, THREE_STRINGS);
            code.invoke_static(EVENTS, "pause", "()V").return_void();
        });
    }
    // Only JUnit 4.13 and later tell of classes.
    for name in ["testSuiteStarted", "testSuiteFinished"] {
        class.method(name, one_description, Receiver::This, |code| {
            names(code, &first);
            code.invoke_static(EVENTS, name, THREE_STRINGS).return_void();
        });
    }
    for (name, native) in [("testFailure", "testFailed"), ("testAssumptionFailure", "testAborted")]
    {
        class.method(name, "(Lorg/junit/runner/notification/Failure;)V", Receiver::This, |code| {
            names(code, &|code| {
                code.load(1).invoke_virtual(
                    FAILURE,
                    "getDescription",
                    "()Lorg/junit/runner/Description;",
                );
            });
            thrown(code, |code| {
                code.load(1).invoke_virtual(FAILURE, "getException", "()Ljava/lang/Throwable;");
            });
            code.invoke_static(EVENTS, native, FAILED).return_void();
        });
    }
    const IGNORE: &str = "org/junit/Ignore";
    let reason = "(Lorg/junit/runner/Description;)Ljava/lang/String;";
    class.method("reason", reason, Receiver::None, |code| {
        let get = "(Ljava/lang/Class;)Ljava/lang/annotation/Annotation;";
        let absent = code.label();
        code.load(0)
            .class(IGNORE)
            .invoke_virtual(DESCRIPTION, "getAnnotation", get)
            .if_null(absent);
        code.load(0).class(IGNORE).invoke_virtual(DESCRIPTION, "getAnnotation", get).cast(IGNORE);
        code.invoke_interface(IGNORE, "value", RETURNS_STRING).return_object();
        code.place(absent).null().return_object();
    });
    class.method("testIgnored", one_description, Receiver::This, |code| {
        names(code, &first);
        code.load(1).invoke_static(RUN_LISTENER, "reason", reason);
        let descriptor =
            "(Ljava/lang/String;Ljava/lang/String;Ljava/lang/String;Ljava/lang/String;)V";
        code.invoke_static(EVENTS, "testIgnored", descriptor).return_void();
    });
    class.finish()
}

/// The exception, its message and its trace.
fn thrown(code: &mut Code<'_>, get: impl Fn(&mut Code<'_>)) {
    get(code);
    for name in ["message", "trace"] {
        get(code);
        code.invoke_static(EVENTS, name, "(Ljava/lang/Throwable;)Ljava/lang/String;");
    }
}

fn test_listener() -> Vec<u8> {
    let mut class = Assembler::new(TEST_LISTENER, OBJECT, &["junit/framework/TestListener"]);
    class.constructor(OBJECT);
    // A test of JUnit 3 has no name of its own, but it says who it is: method(class).
    let names = |code: &mut Code<'_>| {
        code.load(1)
            .invoke_static(STRING, "valueOf", "(Ljava/lang/Object;)Ljava/lang/String;")
            .null()
            .null();
    };
    for (name, native) in [("startTest", "testStarted"), ("endTest", "testFinished")] {
        class.method(name, "(Ljunit/framework/Test;)V", Receiver::This, |code| {
            names(code);
            code.invoke_static(EVENTS, native, THREE_STRINGS);
            code.invoke_static(EVENTS, "pause", "()V").return_void();
        });
    }
    let errors = [
        ("addError", "(Ljunit/framework/Test;Ljava/lang/Throwable;)V"),
        ("addFailure", "(Ljunit/framework/Test;Ljunit/framework/AssertionFailedError;)V"),
    ];
    for (name, descriptor) in errors {
        class.method(name, descriptor, Receiver::This, |code| {
            names(code);
            thrown(code, |code| {
                code.load(2);
            });
            code.invoke_static(EVENTS, "testFailed", FAILED).return_void();
        });
    }
    class.finish()
}
