//! Emitted JUnit source: as blessed in `fixtures/emit`, and such that real compilers take it without a
//! warning and real JUnit passes it.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod build;
mod cases;
#[path = "../../../observe/tests/machine/mod.rs"]
mod machine;
mod random;
mod stand_ins;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use emit::junit::facts::Names;
use emit::junit::{Framework, Options, SourceFile, inexpressible, needs_raw_types, path, render};
use observe::session::Session;
use suite::constant::Constant;
use suite::sequence::Arg;
use suite::test::Suite;
use testkit::digest::Digest;
use testkit::jdk::{self, Jdk};
use testkit::root;

const FRAMEWORKS: [(Framework, &str); 4] = [
    (Framework::JUnit5, "junit5"),
    (Framework::JUnit4, "junit4"),
    (Framework::JUnit4Before13, "junit4-old"),
    (Framework::JUnit3, "junit3"),
];

fn render_all(suite: &Suite, framework: Framework, names: &dyn Names) -> Vec<SourceFile> {
    let options = Options { framework, ..Options::usual() };
    let left_out = inexpressible(suite, &options, names);
    assert!(left_out.is_empty(), "{}: {left_out:?}", suite.class);
    render(suite, &options, names)
}

#[test]
fn calls_that_only_raw_types_can_write_are_told_apart() {
    let (names, _) = build::names(&jdk::installed()[0]);
    let number = || build::boxed(Constant::Int(1));
    // A pair of a text and a number is asked whether it is below something.
    let needs = |than: Arg| {
        let mut tests = build::Tests::of(&names, "p/Pair");
        tests.test(["isBelow", "", ""], |test| {
            let made = "(Ljava/lang/Object;Ljava/lang/Comparable;)V";
            let pair = test.call("p/Pair", made, vec![build::text("a"), number()]);
            test.call("p/Pair.isBelow", "(Ljava/lang/Comparable;)Z", vec![build::var(pair), than]);
        });
        let suite = tests.done();
        needs_raw_types(&suite.tests[0].sequence, &Options::usual(), &names)
    };
    assert!(needs(build::text("x")));
    assert!(!needs(number()));
}

#[test]
fn suites_are_written_as_blessed() {
    let jdk = &jdk::installed()[0];
    let (names, _) = build::names(jdk);
    let is_blessing = std::env::var_os("BLESS").is_some();
    let mut differing = Vec::new();
    for (folder, suite) in cases::all(&names) {
        for (framework, below) in FRAMEWORKS {
            let home = root::repository().join("fixtures/emit").join(folder).join(below);
            for file in render_all(&suite, framework, &names) {
                let path = home.join(&file.path);
                if is_blessing {
                    fs::create_dir_all(path.parent().unwrap()).unwrap();
                    fs::write(&path, &file.text).unwrap();
                } else if fs::read_to_string(&path).ok().as_deref() != Some(&file.text) {
                    differing.push(format!("{}:\n{}", path.display(), file.text));
                }
            }
        }
    }
    assert!(differing.is_empty(), "not as blessed:\n{}", differing.join("\n"));
}

#[test]
fn suites_compile_without_a_warning_and_pass_on_real_junit() {
    let jdks = jdk::installed();
    assert_eq!(jdks.len(), 2, "a JDK is missing");
    for jdk in &jdks {
        let (names, subjects) = build::names(jdk);
        let suites = cases::all(&names);
        for (framework, below) in FRAMEWORKS {
            let files: Vec<SourceFile> =
                suites.iter().flat_map(|(_, suite)| render_all(suite, framework, &names)).collect();
            let n_tests: usize = files.iter().map(|file| file.tests.len()).sum();
            let report = run(jdk, &subjects, &format!("golden-{below}"), &files);
            let wanted = format!("{n_tests} tests successful");
            assert!(report.contains(&wanted), "{below} on {}:\n{report}", jdk.release);
        }
    }
}

#[test]
fn a_long_suite_is_split_and_options_choose_the_names() {
    let (names, _) = build::names(&jdk::installed()[0]);
    let mut tests = build::Tests::of(&names, "p/IntStack");
    for _ in 0..5 {
        tests.test(["new", "", ""], |test| {
            test.call("p/IntStack", "()V", vec![]);
        });
    }
    let options = Options {
        package: Some("com.acme".to_owned()),
        suffix: "Spec".to_owned(),
        tests_per_class: 2,
        ..Options::usual()
    };
    let files = render(&tests.done(), &options, &names);
    let paths: Vec<&str> = files.iter().map(|file| file.path.as_str()).collect();
    let expected = ["IntStackSpec", "IntStackSpec2", "IntStackSpec3"];
    assert_eq!(paths, expected.map(|name| format!("com/acme/{name}.java")));
    assert_eq!(path("p/IntStack", 2, &options, &names), paths[2]);
    assert_eq!(files[2].class, "com.acme.IntStackSpec3");
    assert_eq!(files[2].tests.len(), 1);
    assert!(files[0].text.contains("import p.IntStack;"), "{}", files[0].text);
    for file in &files {
        for test in &file.tests {
            let lines: Vec<&str> = file.text.lines().collect();
            let own = &lines[test.lines.start - 1..test.lines.end - 1];
            assert_eq!(own.first(), Some(&"    @Test"), "{own:?}");
            assert_eq!(own[1], format!("    void {}() {{", test.method));
            assert_eq!(own.last(), Some(&"    }"));
        }
    }
    let mut methods: Vec<&str> =
        files.iter().flat_map(|file| &file.tests).map(|test| test.method.as_str()).collect();
    methods.sort_unstable();
    assert_eq!(methods, ["testNew", "testNew_2", "testNew_3", "testNew_4", "testNew_5"]);
}

#[test]
fn what_java_cannot_say_is_left_out_with_a_reason() {
    let (names, _) = build::names(&jdk::installed()[0]);
    let reason = |class: &str, package: Option<&str>, steps: &dyn Fn(&mut build::Steps<'_>)| {
        let mut tests = build::Tests::of(&names, class);
        tests.test(["it", "", ""], steps);
        let suite = tests.done();
        let options = Options { package: package.map(str::to_owned), ..Options::usual() };
        assert!(render(&suite, &options, &names).is_empty());
        let left_out = inexpressible(&suite, &options, &names);
        left_out.iter().map(|(idx, reason)| format!("{idx}: {reason}")).collect::<String>()
    };
    let private = reason("p/Outer", None, &|test| {
        test.call("p/Outer$Private", "()V", vec![]);
    });
    assert_eq!(private, "0: p.Outer$Private() cannot be called from the test's package");
    let elsewhere = reason("p/Outer", Some("other"), &|test| {
        test.call("p/Outer$Guarded", "()V", vec![]);
    });
    assert_eq!(elsewhere, "0: p.Outer$Guarded() cannot be called from the test's package");
    let unnamed = reason("Plain", Some("other"), &|test| {
        test.call("Plain", "()V", vec![]);
    });
    assert_eq!(unnamed, "0: Plain cannot be named in the test's package");
    let long = reason("p/Kinds", None, &|test| {
        let kinds = test.call("p/Kinds", "()V", vec![]);
        let text = build::text(&"x".repeat(70_000));
        test.call(
            "p/Kinds.ofString",
            "(Ljava/lang/String;)Ljava/lang/String;",
            vec![build::var(kinds), text],
        );
    });
    assert_eq!(long, "0: a string is longer than a class file can hold");
    let none = reason("java/lang/Number", None, &|test| {
        test.call("java/lang/Number", "()V", vec![]);
    });
    assert_eq!(none, "0: java.lang.Number() cannot be instantiated");
}

#[test]
fn a_type_that_the_test_cannot_name_is_written_as_its_supertype() {
    let (names, _) = build::names(&jdk::installed()[0]);
    let mut tests = build::Tests::of(&names, "s/Users");
    tests.test(["level", "", ""], |test| {
        let level = test.call("s/Users.level", "()Ls/Level;", vec![]);
        let equals = "(Ljava/lang/Object;)Z";
        test.call("java/lang/Object.equals", equals, vec![build::var(level), build::var(level)]);
    });
    let options = Options { package: Some("other".to_owned()), ..Options::usual() };
    let files = render(&tests.done(), &options, &names);
    assert!(files[0].text.contains("Enum<?> enumValue = Users.level();"), "{}", files[0].text);
}

#[test]
fn stand_ins_do_on_a_real_jvm_what_they_do_on_the_machine() {
    for jdk in &jdk::installed() {
        let (names, subjects) = build::names(jdk);
        let mut session =
            Session::new(machine::boot(jdk, &subjects.display().to_string()).0).unwrap();
        let mut types = build::package(jdk, &names, "java/util/function");
        assert_eq!(types.len(), 43);
        types.extend(STAND_INS.iter().map(|&name| name.to_owned()));
        let types: Vec<&str> = types.iter().map(String::as_str).collect();
        let suites =
            [stand_ins::called(&mut session, &types), stand_ins::passed(&mut session, "s/Users")];
        let mut files = Vec::new();
        for suite in &suites {
            for (_, reason) in inexpressible(suite, &Options::usual(), &names) {
                // A supertype's type argument wants another constant.
                assert!(reason.reason.ends_with("cannot give that"), "{reason}");
            }
            files.extend(render(suite, &Options::usual(), &names));
        }
        let n_tests: usize = files.iter().map(|file| file.tests.len()).sum();
        assert!(n_tests > 500, "{n_tests}");
        let report = run(jdk, &subjects, "stand-ins", &files);
        let wanted = format!("{n_tests} tests successful");
        assert!(report.contains(&wanted), "{n_tests} tests on {}:\n{report}", jdk.release);
    }
}

#[test]
fn every_type_of_the_library_that_can_be_stood_in_for_is() {
    let packages = std::env::var("EMIT_PACKAGES").unwrap_or_else(|_| LIBRARY.to_owned());
    for jdk in &jdk::installed() {
        let (names, subjects) = build::names(jdk);
        let class_path = subjects.display().to_string();
        let mut session = Session::new(machine::boot(jdk, &class_path).0).unwrap();
        let types = packages.split(',').flat_map(|name| build::package(jdk, &names, name));
        let suite = stand_ins::chosen(&mut session, &types.collect::<Vec<_>>());
        assert!(suite.tests.len() > 300, "{}", suite.tests.len());
        let files = render_all(&suite, Framework::JUnit5, &names);
        let report = run(jdk, &subjects, "library", &files);
        let wanted = format!("{} tests successful", suite.tests.len());
        assert!(report.contains(&wanted), "{} on {}:\n{report}", wanted, jdk.release);
    }
}

/// Packages with interfaces and abstract classes of all kinds.
const LIBRARY: &str = "java/lang,java/util,java/util/function,java/util/concurrent,java/util/stream,\
                       java/io,java/nio,java/nio/file,java/text,java/time/temporal,java/net";

/// What is stood in for, beside everything in `java.util.function`.
const STAND_INS: &[&str] = &[
    "java/lang/Runnable",
    "java/util/concurrent/Callable",
    "java/util/Comparator",
    "java/lang/Comparable",
    "java/util/Iterator",
    "java/lang/Iterable",
    "java/lang/AutoCloseable",
    "s/Kinds$Mix",
    "s/Kinds$ToByte",
    "s/Kinds$ToChar",
    "s/Kinds$Flags",
    "s/Kinds$Bounded",
    "s/Kinds$Ordered",
    "s/Kinds$Node",
    "s/Kinds$Texts",
    "s/Kinds$Bounds",
    "s/Kinds$WithDefaults",
    "s/Kinds$GenericMethod",
    "s/Kinds$Varargs",
    "s/Kinds$VarargsTwo",
    "s/Kinds$Throwing",
    "s/Kinds$Wide",
    "s/Kinds$Colours",
    "s/Kinds$Exact",
    "s/Kinds$Loose",
    "s/Kinds$Twice",
    "s/Kinds$Other",
    "s/Kinds$Copyable",
    "s/Kinds$Marked",
    "s/Kinds$Several",
    "s/Kinds$Nested",
    "s/Kinds$Nested$Inner",
    "s/Secret",
    "s/Kinds$Shape",
    "s/Kinds$Lawful",
    "s/Kinds$Failing",
    "s/Kinds$Base",
    "s/Kinds$Concrete",
    "s/Hidden",
    "java/util/AbstractList",
    "java/lang/Number",
];

/// Classes rich in overloads, generics and odd types, beside the subjects.
const CLASSES: &[&str] = &[
    "p/Pair",
    "p/Pair$View",
    "p/Overloads",
    "p/Outer",
    "p/Outer$Inner",
    "p/Kinds",
    "p/Failing",
    "java/util/ArrayList",
    "java/util/TreeMap",
    "java/util/HashMap",
    "java/util/LinkedHashSet",
    "java/util/Map$Entry",
    "java/util/Iterator",
    "java/util/Collection",
    "java/util/List",
    "java/util/Collections",
    "java/util/Arrays",
    "java/util/Optional",
    "java/util/Objects",
    "java/util/EnumMap",
    "java/util/stream/Stream",
    "java/util/stream/Collectors",
    "java/util/Comparator",
    "java/util/concurrent/ConcurrentSkipListMap",
    "java/lang/StringBuilder",
    "java/lang/String",
    "java/lang/Integer",
    "java/lang/Character",
    "java/lang/Class",
    "java/lang/Thread",
    "java/lang/Comparable",
    "java/lang/Object",
    "java/math/BigDecimal",
    "java/util/Date",
];

#[test]
fn values_of_every_kind_come_back_as_they_were_written() {
    let jdk = &jdk::installed()[0];
    let (names, subjects) = build::names(jdk);
    let suite = random::echoes(&names, &mut random::Dice(0x5eed), 300);
    for (framework, below) in FRAMEWORKS {
        let files = render_all(&suite, framework, &names);
        let report = run(jdk, &subjects, &format!("echo-{below}"), &files);
        assert!(report.contains("300 tests successful"), "{below}:\n{report}");
    }
}

#[test]
fn calls_of_anything_with_anything_compile_without_a_warning() {
    for jdk in &jdk::installed() {
        let (names, subjects) = build::names(jdk);
        for (framework, below) in FRAMEWORKS {
            compile_random(jdk, &names, &subjects, CLASSES, (framework, below));
        }
    }
}

#[test]
fn calls_of_a_whole_package_compile_without_a_warning() {
    let packages = std::env::var("EMIT_PACKAGES").unwrap_or_else(|_| "java/util".to_owned());
    for jdk in &jdk::installed() {
        let (names, subjects) = build::names(jdk);
        let found = packages.split(',').flat_map(|name| build::package(jdk, &names, name));
        let found: Vec<String> = found.collect();
        let classes: Vec<&str> = found.iter().map(String::as_str).collect();
        assert!(classes.len() > 50, "{classes:?}");
        compile_random(jdk, &names, &subjects, &classes, (Framework::JUnit5, "package"));
    }
}

fn compile_random(
    jdk: &Jdk,
    names: &dyn Names,
    subjects: &Path,
    classes: &[&str],
    (framework, below): (Framework, &str),
) {
    // More tests and other ones, to look further than the build does.
    let number = |name: &str, usual| {
        std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
    };
    let (seed, n_tests) = (number("EMIT_SEED", 1), number("EMIT_TESTS", 200));
    let n_tests = usize::try_from(n_tests).unwrap();
    let suite = random::calls(names, &mut random::Dice(0x9e37_79b9 ^ seed), classes, n_tests, 12);
    let options = Options { framework, tests_per_class: 100, ..Options::usual() };
    let left_out = inexpressible(&suite, &options, names);
    for (_, reason) in &left_out {
        assert!(reason.reason.contains("cannot be named"), "{reason}");
    }
    assert!(left_out.len() < n_tests / 10, "{left_out:?}");
    let files = render(&suite, &options, names);
    compile(jdk, subjects, &format!("random-{below}"), &files);
}

fn jars() -> String {
    testkit::suite::jars(&[
        "junit-jupiter-api",
        "junit-jupiter-engine",
        "junit-jupiter-params",
        "junit-platform-engine",
        "junit-platform-commons",
        "junit-platform-console",
        "junit-platform-launcher",
        "junit-platform-reporting",
        "junit-vintage-engine",
        "opentest4j",
        "opentest4j-reporting-events",
        "opentest4j-reporting-schema",
        "apiguardian-api",
        "univocity-parsers",
        "picocli",
        "junit4",
        "hamcrest",
    ])
}

/// Where the emitted files of a test lie, and whether these very files were there already and did what
/// they should; compilers and JUnit are asked once.
fn settle(
    jdk: &Jdk,
    subjects: &Path,
    name: &str,
    files: &[SourceFile],
) -> (PathBuf, Option<String>) {
    let home =
        root::target().join("fixtures").join(jdk.release.to_string()).join("emit").join(name);
    let mut digest = Digest::new();
    digest.add(&jdk.version).add(jars()).add_tree(subjects).unwrap();
    for file in files {
        digest.add(&file.path).add(&file.text);
    }
    let digest = digest.hex();
    let known = fs::read_to_string(home.join("digest")).is_ok_and(|known| known == digest);
    let report = fs::read_to_string(home.join("report")).ok().filter(|_| known);
    if report.is_none() {
        let _ = fs::remove_dir_all(&home);
        fs::create_dir_all(&home).unwrap();
        fs::write(home.join("digest"), digest).unwrap();
    }
    (home, report)
}

/// Compiles emitted files, every warning an error.
fn compile(jdk: &Jdk, subjects: &Path, name: &str, files: &[SourceFile]) {
    let (home, known) = settle(jdk, subjects, name, files);
    if known.is_none() {
        javac(jdk, subjects, &home, files);
        fs::write(home.join("report"), "compiled").unwrap();
    }
}

fn javac(jdk: &Jdk, subjects: &Path, home: &Path, files: &[SourceFile]) -> PathBuf {
    let (sources, classes) = (home.join("sources"), home.join("classes"));
    fs::create_dir_all(&classes).unwrap();
    let mut javac = Command::new(jdk.command("javac"));
    // The manifests of the jars name jars that are not there.
    javac.args(["-Xlint:all,-path", "-Werror", "-proc:none", "-J-XX:TieredStopAtLevel=1", "-cp"]);
    javac.arg(format!("{}:{}", subjects.display(), jars())).arg("-d").arg(&classes);
    for file in files {
        let path = sources.join(&file.path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, &file.text).unwrap();
        javac.arg(path);
    }
    let output = javac.output().unwrap();
    let messages = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "javac {} in {}:\n{messages}", jdk.release, home.display());
    classes
}

/// What JUnit says of all tests in emitted files.
fn run(jdk: &Jdk, subjects: &Path, name: &str, files: &[SourceFile]) -> String {
    let (home, known) = settle(jdk, subjects, name, files);
    if let Some(known) = known {
        return known;
    }
    let classes = javac(jdk, subjects, &home, files);
    let mut java = Command::new(jdk.command("java"));
    testkit::oracle::settle(&mut java, jdk);
    java.args(["-XX:TieredStopAtLevel=1", "-cp"]);
    java.arg(format!("{}:{}:{}", classes.display(), subjects.display(), jars()));
    java.arg("org.junit.platform.console.ConsoleLauncher");
    java.args(["--disable-banner", "--disable-ansi-colors", "--include-classname=.*"]);
    java.arg("--details=tree").arg(format!("--scan-classpath={}", classes.display()));
    let output = java.output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let report = format!("{text}{}", String::from_utf8_lossy(&output.stderr));
    if output.status.success() {
        fs::write(home.join("report"), &report).unwrap();
    }
    report
}
