//! Coverage of a known class by a known test, line by line.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod machine;

use std::fmt::Write;
use std::fs;
use std::sync::Arc;

use classfile::{ClassFile, ClassPath};
use observe::coverage::{self, Coverage, Probe, Ratio};
use observe::junit;
use observe::session::Session;
use testkit::{jdk, root, suite};
use vm::mode::{Place, Plain};

const JARS: &[&str] = &[
    "junit-jupiter-api",
    "junit-jupiter-engine",
    "junit-platform-engine",
    "junit-platform-commons",
    "junit-platform-launcher",
    "opentest4j",
    "apiguardian-api",
];

fn file(class_path: &ClassPath, name: &str) -> Arc<ClassFile> {
    let bytes = class_path.find(&format!("{name}.class"), 17).unwrap().unwrap();
    Arc::new(ClassFile::parse(bytes).unwrap())
}

/// Coverage of `fixtures/coverage` by its test, on each JDK.
fn check(check: impl Fn(&Coverage)) {
    for jdk in jdk::installed() {
        let sources = root::repository().join("fixtures/coverage");
        let jars = suite::jars(JARS);
        let classes = suite::compile(&jdk, "coverage", &sources, &jars).unwrap();
        let spec = format!("{}:{jars}", classes.display());
        let class_path = ClassPath::parse(&spec).unwrap();
        let plan = junit::plan(&class_path, 17, &[]).unwrap();
        let (mut vm, _) = machine::boot(&jdk, &spec);
        let mut probe = Probe::new(Box::new(|name| name.starts_with("Subject")));
        let report = junit::run(&mut vm, &mut probe, &plan, None, Box::new(|_| {})).unwrap();
        assert_eq!((report.counts().passed, report.counts().failed), (6, 0));
        let files =
            ["Subject", "Subject$NeverLoaded", "Subject$Kind"].map(|name| file(&class_path, name));
        check(&coverage::measure(&vm, &probe, &files));
    }
}

/// The source with `+` before lines that ran, `-` before those that did not, and the edges of branches.
fn listing(coverage: &Coverage) -> String {
    let source =
        fs::read_to_string(root::repository().join("fixtures/coverage/Subject.java")).unwrap();
    let mut text = String::new();
    for (idx, line) in source.lines().enumerate() {
        let number = u16::try_from(idx + 1).unwrap();
        let methods = || coverage.classes.iter().flat_map(|class| &class.methods);
        let hits: Vec<bool> =
            methods().filter_map(|method| method.lines.get(&number)).copied().collect();
        let mark = match hits.iter().any(|&hit| hit) {
            true => '+',
            false if hits.is_empty() => ' ',
            false => '-',
        };
        let edges: Vec<String> = methods()
            .flat_map(|method| &method.branches)
            .filter(|branch| branch.line == Some(number))
            .map(|branch| branch.edges.iter().map(|&edge| if edge { '1' } else { '0' }).collect())
            .collect();
        writeln!(text, "{mark} {:<12} {line}", edges.join(" ")).unwrap();
    }
    text
}

#[test]
fn every_line_and_edge_is_told_apart() {
    check(|coverage| {
        let path = root::repository().join("fixtures/coverage/Subject.expected");
        let found = listing(coverage);
        if std::env::var_os("BLESS").is_some() {
            fs::write(&path, &found).unwrap();
        }
        assert_eq!(found, fs::read_to_string(&path).unwrap());
    });
}

#[test]
fn totals_count_classes_that_were_never_loaded() {
    check(|coverage| {
        let [subject, never_loaded, kind] = &coverage.classes[..] else { panic!("three classes") };
        assert_eq!(never_loaded.lines(), Ratio { covered: 0, total: 3 });
        assert_eq!(never_loaded.branches(), Ratio { covered: 0, total: 2 });
        assert_eq!(kind.lines().covered, 0);
        let sign = subject.methods.iter().find(|method| method.name == "sign").unwrap();
        assert_eq!(sign.covered_lines(), Ratio { covered: 4, total: 5 });
        assert_eq!(sign.branches(), Ratio { covered: 3, total: 4 });
        let mut sum = subject.lines();
        sum += never_loaded.lines();
        sum += kind.lines();
        assert_eq!(coverage.lines(), sum);
    });
}

#[test]
fn branches_are_known_on_a_machine_that_never_ran_them() {
    // Of several machines another may have run the method.
    let jdk = jdk::installed().into_iter().next().unwrap();
    let sources = root::repository().join("fixtures/coverage");
    let jars = suite::jars(JARS);
    let classes = suite::compile(&jdk, "coverage", &sources, &jars).unwrap();
    let spec = classes.display().to_string();
    let files = [file(&ClassPath::parse(&spec).unwrap(), "Subject")];
    let mut session = Session::new(machine::boot(&jdk, &spec).0).unwrap();
    let id = session.class("Subject").unwrap();
    let method = session.vm.lookup_method(id, b"sign", b"()I").unwrap();
    let places = (0..100).map(|bci| Place { method, bci });
    let events: Vec<(Place, u32)> =
        places.flat_map(|place| [0, 1].map(|edge| (place, edge))).collect();
    let unrun = coverage::identify(&session.vm, &files, &events);
    assert_eq!(unrun.of.iter().flatten().count(), 4, "both ways of two branches");
    let object = session.complete(|vm| vm.new_object(id)).unwrap();
    let _ = session.vm.call(&mut Plain, method, &[object.to_slot()], None);
    assert_eq!(coverage::identify(&session.vm, &files, &events), unrun);
}
