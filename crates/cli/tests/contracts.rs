//! Broken contracts as tests: what was called to find one out becomes JUnit source that a real compiler takes
//! without a warning and that fails on a real JVM.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

#[path = "../../observe/tests/machine/mod.rs"]
mod machine;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use ::suite::constant::Constant;
use ::suite::method::Method;
use ::suite::sequence::{Arg, Operation, Sequence, Var};
use ::suite::test::{Suite, Test, Title};
use classfile::{ClassBytes, JImage};
use emit::junit::facts::ClassFiles;
use emit::junit::{Framework, Options, SourceFile, inexpressible, render};
use observe::contract::{Contracts, Slow, Violation};
use observe::session::Session;
use testkit::jdk::Jdk;
use testkit::{jdk, root, suite};
use vm::value::Ref;

const FUEL: u64 = 10_000_000;

/// `X.objects()`, and each of its elements.
fn sequence(class: &str, n_objects: usize) -> Sequence {
    let call = |class: &str, name: &str, descriptor: &str| {
        Operation::Call(Arc::new(Method::new(class, name, descriptor, true).unwrap()))
    };
    let mut sequence = Sequence::empty();
    let array = sequence.push(call(class, "objects", "()[Ljava/lang/Object;"), vec![]).unwrap();
    for idx in 0..n_objects {
        let get = call("java/lang/reflect/Array", "get", "(Ljava/lang/Object;I)Ljava/lang/Object;");
        let idx = Arg::Constant(Constant::Int(i32::try_from(idx).unwrap()));
        sequence.push(get, vec![Arg::Var(array), idx]).unwrap();
    }
    sequence
}

/// A test for each contract that the class breaks.
fn suite_of(session: &mut Session, contracts: &mut Contracts, class: &str) -> Suite {
    session.class(class).unwrap();
    let mark = session.vm.mark();
    let (values, _) = session.run(&sequence(class, 0), FUEL).unwrap();
    let array = Ref::from_slot(values[0]);
    let n_objects = session.vm.heap.array_length(array);
    let of = |session: &Session, idx: u32| (Var(1 + idx), session.vm.heap.element_ref(array, idx));
    let next = Var(1 + n_objects);
    let mut found: Vec<Violation> = Vec::new();
    for a in 0..n_objects {
        let one = of(session, a);
        found.extend(contracts.of_object(session, one, next, FUEL));
        for b in 0..n_objects {
            let other = of(session, b);
            found.extend(contracts.of_pair(session, one, other, next, FUEL));
            for c in 0..n_objects {
                let third = of(session, c);
                found.extend(contracts.of_triple(session, one, other, third, next, FUEL));
                for d in 0..n_objects {
                    let others = [other, third, of(session, d)];
                    found.extend(contracts.of_comparator(session, one, others, next, FUEL));
                }
            }
        }
    }
    session.vm.rollback(mark);
    let mut seen = BTreeSet::new();
    found.retain(|violation| seen.insert(violation.contract.clone()));
    assert!(!found.is_empty(), "{class}");
    let tests = found.into_iter().map(|violation| {
        let mut sequence = sequence(class, n_objects as usize);
        for statement in violation.statements {
            sequence.push(statement.operation, statement.args).unwrap();
        }
        let title = Title { method: "contract".to_owned(), ..Title::default() };
        let (checks, throws) = (violation.checks, violation.must_throw);
        Test { sequence, checks, throws, must_end: false, notes: vec![violation.message], title }
    });
    Suite { class: class.into(), tests: tests.collect() }
}

fn javac(jdk: &Jdk, home: &Path, class_path: &str, files: &[SourceFile]) {
    let mut javac = Command::new(jdk.command("javac"));
    javac.args(["-Xlint:all,-path", "-Werror", "-proc:none", "-J-XX:TieredStopAtLevel=1", "-cp"]);
    javac.arg(class_path).arg("-d").arg(home.join("classes"));
    for file in files {
        let path = home.join("sources").join(&file.path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, &file.text).unwrap();
        javac.arg(path);
    }
    let output = javac.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn a_test_of_a_broken_contract_compiles_and_fails_on_a_real_jvm() {
    let jdk = &jdk::installed()[0];
    let sources = root::repository().join("fixtures/contracts");
    let subjects = suite::compile(jdk, "contracts", &sources, "").unwrap();
    let (vm, _) = machine::boot(jdk, &subjects.display().to_string());
    let mut session = Session::new(vm).unwrap();
    let mut contracts = Contracts::standard(&mut session).unwrap();
    contracts.slow = Slow::Always;
    contracts.add_user(&mut session, "lawful.Rules.isPositive").unwrap();
    let image = JImage::open(&jdk.home.join("lib/modules")).unwrap();
    let folder = subjects.clone();
    let names = ClassFiles::new(move |name: &str| {
        if let Ok(bytes) = fs::read(folder.join(format!("{name}.class"))) {
            return Some((ClassBytes::from(bytes), false));
        }
        image.find_class(name).map(|(_, bytes)| (bytes, true))
    });
    let mut classes: Vec<String> = fs::read_dir(sources.join("broken"))
        .unwrap()
        .map(|entry| entry.unwrap().path().file_stem().unwrap().to_string_lossy().into_owned())
        .collect();
    classes.sort();
    let suites: Vec<Suite> = classes
        .iter()
        .map(|class| suite_of(&mut session, &mut contracts, &format!("broken/{class}")))
        .collect();
    let jars = suite::jars(&[
        "junit-jupiter-api",
        "junit-jupiter-engine",
        "junit-platform-engine",
        "junit-platform-commons",
        "junit-platform-console",
        "junit-platform-launcher",
        "junit-platform-reporting",
        "opentest4j",
        "opentest4j-reporting-events",
        "opentest4j-reporting-schema",
        "apiguardian-api",
        "picocli",
    ]);
    let home = root::target().join("contract-tests");
    let _ = fs::remove_dir_all(&home);
    let options = Options { framework: Framework::JUnit5, ..Options::usual() };
    let mut files = Vec::new();
    for suite in &suites {
        assert_eq!(inexpressible(suite, &options, &names), [], "{}", suite.class);
        files.extend(render(suite, &options, &names));
    }
    let class_path = format!("{}:{jars}", subjects.display());
    javac(jdk, &home, &class_path, &files);
    let mut java = Command::new(jdk.command("java"));
    testkit::oracle::settle(&mut java, jdk);
    let own = home.join("classes");
    java.args(["-XX:TieredStopAtLevel=1", "-cp"]).arg(format!("{}:{class_path}", own.display()));
    java.arg("org.junit.platform.console.ConsoleLauncher");
    java.args(["--disable-banner", "--disable-ansi-colors", "--include-classname=.*"]);
    java.arg("--details=tree").arg(format!("--scan-classpath={}", own.display()));
    let output = java.output().unwrap();
    let report = String::from_utf8_lossy(&output.stdout);
    let n_tests: usize = suites.iter().map(|suite| suite.tests.len()).sum();
    assert!(report.contains(&format!("{n_tests} tests failed")), "{report}");
    assert!(report.contains(" 0 tests successful"), "{report}");
}
