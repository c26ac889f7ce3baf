//! Argument lists and states of existing tests: what can be built again is, as the tests built it, and what
//! cannot is left out and counted.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

#[path = "../../observe/tests/machine/mod.rs"]
mod machine;

use std::collections::BTreeSet;
use std::sync::Arc;

use classfile::ClassPath;
use generate::api::{self, Choice};
use generate::arguments::collected::{Collected, Wanted, collect};
use generate::arguments::{self, Argument, ArgumentList, Given, Implementations, Plan};
use generate::states::follow::{follow, lists_of};
use generate::states::{End, Job};
use observe::harvest::{Harvest, Harvester};
use observe::junit;
use observe::session::Session;
use observe::state::mask::Mask;
use observe::state::technique::Technique;
use suite::constant::Constant;
use suite::method::Method;
use suite::sequence::{Arg, Operation};
use testkit::jdk::Jdk;
use testkit::{jdk, root, suite as sources};

const JARS: &[&str] = &[
    "junit-jupiter-api",
    "junit-jupiter-engine",
    "junit-jupiter-params",
    "junit-platform-engine",
    "junit-platform-commons",
    "junit-platform-launcher",
    "opentest4j",
    "apiguardian-api",
    "univocity-parsers",
];

struct Orders {
    classes: String,
    harvest: Harvest,
}

/// Runs the tests of `fixtures/collected`.
fn run(jdk: &Jdk) -> Orders {
    let folder = root::repository().join("fixtures/collected");
    let jars = sources::jars(JARS);
    let classes = sources::compile(jdk, "collected-src", &folder.join("src"), "").unwrap();
    let classes = classes.display().to_string();
    let with_jars = format!("{classes}:{jars}");
    let tests = sources::compile(jdk, "collected-test", &folder.join("test"), &with_jars).unwrap();
    let spec = format!("{}:{with_jars}", tests.display());
    let class_path = ClassPath::parse(&spec).unwrap();
    let names = ClassPath::parse(&tests.display().to_string()).unwrap().class_names();
    let names: BTreeSet<String> = names.into_iter().collect();
    let release = u16::try_from(jdk.release).unwrap();
    let plan = junit::plan(&class_path, release, &["orders.ShopTest".to_owned()]).unwrap();
    let (mut vm, _) = machine::boot(jdk, &spec);
    let is_test = move |name: &str| {
        names.contains(name.split(['+']).next().unwrap().split("$$").next().unwrap())
    };
    let mut harvester = Harvester::new(Box::new(is_test), Mask::standard());
    let report = junit::run(&mut vm, &mut harvester, &plan, None, Box::new(|_| {})).unwrap();
    assert_eq!((report.counts().failed, report.counts().all()), (0, 8), "{report:?}");
    Orders { classes, harvest: harvester.finish(&mut vm) }
}

fn session(jdk: &Jdk, orders: &Orders) -> Session {
    Session::new(machine::boot(jdk, &orders.classes).0).unwrap()
}

/// What was collected for the methods of a shop, the methods, and the machine on which it was built.
fn collect_shop(jdk: &Jdk, orders: &Orders) -> (Collected, Vec<Arc<Method>>, Session) {
    let mut session = session(jdk, orders);
    let choice = Choice { package_private: false, methods: Vec::new() };
    let api = api::of_class(&mut session, "orders/Shop", &choice).unwrap();
    let methods: Vec<Arc<Method>> = api.constructors.iter().chain(&api.methods).cloned().collect();
    let mask = Mask::standard();
    let classes = ["orders/Shop".to_owned()];
    let wanted = Wanted { classes: &classes, methods: &methods, mask: &mask, fuel: 1_000_000 };
    let collected = collect(&mut session, &orders.harvest, &wanted);
    (collected, api.methods, session)
}

fn constant(constant: &Constant) -> String {
    match constant {
        Constant::Text(units) => format!("{:?}", String::from_utf16_lossy(units)),
        Constant::Boxed(inner) => self::constant(inner),
        Constant::Int(value) => value.to_string(),
        Constant::Long(value) => format!("{value}L"),
        Constant::Enum { name, .. } => name.to_string(),
        Constant::Class(of) => format!("{of}.class"),
        Constant::Null => "null".to_owned(),
        other => format!("{other:?}"),
    }
}

/// A list as calls in a row, variables numbered.
fn text(method: &str, arguments: &[Argument]) -> String {
    let mut calls = String::new();
    let mut shown = Vec::new();
    for argument in arguments {
        match argument {
            Argument::Constant(value) => shown.push(constant(value)),
            Argument::Built(sequence, var) => {
                for (idx, statement) in sequence.statements().iter().enumerate() {
                    let args: Vec<String> = statement
                        .args
                        .iter()
                        .map(|arg| match arg {
                            Arg::Constant(value) => constant(value),
                            Arg::Var(var) => format!("v{}", var.0),
                        })
                        .collect();
                    let name = match &statement.operation {
                        Operation::Array(of) => format!("{of}[]"),
                        Operation::Call(method) => {
                            let class = method.class.rsplit(['/', '$']).next().unwrap();
                            format!("{class}.{}", method.name)
                        }
                        other => format!("{other:?}"),
                    };
                    calls.push_str(&format!("v{idx}={name}({}); ", args.join(", ")));
                }
                shown.push(format!("v{}", var.0));
            }
        }
    }
    format!("{calls}{method}({})", shown.join(", "))
}

#[test]
fn argument_lists_of_tests_are_built_again_as_the_tests_built_them() {
    for jdk in jdk::installed() {
        let orders = run(&jdk);
        let (collected, methods, _) = collect_shop(&jdk, &orders);
        let mut found = Vec::new();
        for method in &methods {
            let lists = collected.pool.lists_of(method);
            found.extend(lists.iter().map(|arguments| text(&method.name, arguments)));
        }
        // JUnit has its own order of tests.
        found.sort();
        let mut expected = [
            "v0=Line.<init>(\"pen\", 5); v1=Line.discount(v0, 2); add(v0)",
            "v0=Line.builder(); v1=Builder.name(v0, \"ink\"); v2=Builder.price(v0, 7); \
             v3=Builder.build(v0); add(v3)",
            "v0=Line.<init>(\"cup\", 4); add(v0)",
            "create(\"hat\", 9)",
            "v0=Line.<init>(\"a\", 1); v1=Line.<init>(\"b\", 2); v2=orders.Line[](v0, v1); addAll(v2)",
            "first()",
            "total()",
            "tag(FAST, java.lang.String.class, 8L)",
            "v0=ArrayList.<init>(); v1=ArrayList.add(v0, 42); count(v0)",
            "v0=List.of(1, 2); count(v0)",
            "count(null)",
            "v0=Shop.<init>(); v1=Line.<init>(\"cup\", 4); v2=Shop.add(v0, v1); \
             v3=Line.discount(v1, 1); merge(v0)",
            "v0=Shop.<init>(); v1=Shop.create(v0, \"hat\", 9); v2=Shop.first(v0); \
             v3=Line.discount(v2, 4); merge(v0)",
        ];
        expected.sort_unstable();
        assert_eq!(found, expected, "{}", found.join("\n"));
        // A lambda, an object of the tests' own class, and a field that a test wrote.
        assert_eq!(collected.n_left_out, 3);
    }
}

#[test]
fn states_of_tests_are_reached_by_the_calls_of_tests_alone() {
    let jdk = &jdk::installed()[0];
    let orders = run(jdk);
    let (collected, _, session) = collect_shop(jdk, &orders);
    let (makers, lists) = lists_of(&collected.chains);
    let job = Job {
        classes: vec!["orders/Shop".to_owned()],
        makers,
        lists,
        technique: Technique::WholeState,
        mask: Mask::standard(),
        iterations: Some(1),
        most_states: 1000,
        most_calls: None,
        fuel: 1_000_000,
        n_workers: 1,
        keep_calls: true,
    };
    let followed = follow(&job, &collected.chains, session).unwrap();
    let exploration = &followed.exploration;
    // A shop whose line is changed from outside is followed up to there.
    let thrown = exploration.calls.iter().filter(|call| call.end == End::Threw).count();
    assert_eq!(thrown, 2);
    assert_eq!(exploration.n_calls(), followed.recorded.calls.len());
    for call in &exploration.calls {
        if let End::Reached(reached) = call.end {
            assert!(exploration.table.link(reached).parent < reached);
        }
    }
    // Empty; with a pen, ink, a cup, a hat, two lines; with a tag, with a tag and two lines; merged ones.
    assert_eq!(exploration.n_states(), 9, "{:?}", exploration.calls);
}

#[test]
fn methods_get_what_tests_gave_and_defaults_only_where_asked() {
    let jdk = &jdk::installed()[0];
    let orders = run(jdk);
    let (collected, methods, mut session) = collect_shop(jdk, &orders);
    let mut lists = |always_defaults, given: &[&str]| -> Vec<ArgumentList> {
        let texts: Vec<String> = given.iter().map(|&text| text.to_owned()).collect();
        let mut given = Given::parse(&texts).unwrap();
        given.settle(&methods.iter().map(|method| &**method).collect::<Vec<_>>()).unwrap();
        let plan = Plan {
            given,
            depth: 2,
            most_per_method: 50,
            own_constants: false,
            always_defaults,
            implementations: Arc::new(Implementations::none()),
        };
        arguments::lists(&mut session, &methods, &collected.pool, &plan).0
    };
    let count = |lists: &[ArgumentList], name: &str| {
        lists.iter().filter(|list| &*list.method.name == name).count()
    };
    let seen = lists(false, &[]);
    assert_eq!((count(&seen, "tag"), count(&seen, "count")), (1, 3));
    // No test gave anything that can be built again, so there are defaults: `identity()` and null.
    assert_eq!(count(&seen, "apply"), 2);
    let both = lists(true, &[]);
    assert!(count(&both, "tag") > 10 && count(&both, "tag") <= 50);
    assert_eq!(both.iter().collect::<BTreeSet<_>>().len(), both.len(), "none twice");
    // What the user gives goes before what tests gave.
    let given = lists(false, &["java.lang.Long=1,2,3"]);
    assert_eq!(count(&given, "tag"), 3);
    // A method that the compiler made for a generic one is none that source code can call.
    let choice = Choice { package_private: false, methods: vec!["compareTo".to_owned()] };
    let line = api::of_class(&mut session, "orders/Line", &choice).unwrap();
    let names: Vec<String> = line.methods.iter().map(ToString::to_string).collect();
    assert_eq!(names, ["orders.Line.compareTo(orders.Line)"]);
}
