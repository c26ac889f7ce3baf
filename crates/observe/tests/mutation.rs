//! Mutants of a known class: each is described, fits into its class, and comes out as on a real JVM.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod machine;

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use classfile::{ClassBytes, ClassFile, ClassPath};
use observe::junit;
use observe::mutation::{self, Fate, Judging, Mutant, SurveyOptions, Verdict};
use testkit::digest::Digest;
use testkit::jdk::{self, Jdk};
use testkit::{root, suite};

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

const CLASSES: &[&str] = &["Leaky", "Subject", "Subject$Level", "Subject$Point"];

/// In the order in which they run.
const TESTS: &[&str] = &["LeakyTest", "SharingTest", "SubjectTest"];

fn classes(jdk: &Jdk) -> PathBuf {
    let sources = root::repository().join("fixtures/mutation/suite");
    suite::compile(jdk, "mutation/suite", &sources, &suite::jars(JARS)).unwrap()
}

fn file(folder: &Path, name: &str) -> ClassFile {
    let bytes = fs::read(folder.join(format!("{name}.class"))).unwrap();
    ClassFile::parse(ClassBytes::from_vec(bytes)).unwrap()
}

/// One line per mutant, below its method.
fn listing(mutants: &[Mutant]) -> String {
    let mut text = String::new();
    let mut last = None;
    for mutant in mutants {
        let method = (&mutant.class, &mutant.method, &mutant.descriptor);
        if last != Some(method) {
            writeln!(text, "{}.{}{}", mutant.class, mutant.method, mutant.descriptor).unwrap();
            last = Some(method);
        }
        writeln!(text, "  {:<12} {}", mutant.operator.name(), mutant.description()).unwrap();
    }
    text
}

#[test]
fn every_mutant_of_the_fixture_is_described() {
    // Both compilers write the same code for it.
    for jdk in jdk::installed() {
        let folder = classes(&jdk);
        let mutants: Vec<Mutant> =
            CLASSES.iter().flat_map(|name| mutation::mutants(&file(&folder, name))).collect();
        let found = listing(&mutants);
        let path = root::repository().join("fixtures/mutation/suite/Subject.expected");
        if std::env::var_os("BLESS").is_some() {
            fs::write(&path, &found).unwrap();
        }
        assert_eq!(found, fs::read_to_string(&path).unwrap());
    }
}

#[test]
fn every_mutated_class_file_is_well_formed_and_differs_in_one_method() {
    for jdk in jdk::installed() {
        let folder = classes(&jdk);
        for name in CLASSES {
            let original = file(&folder, name);
            for mutant in mutation::mutants(&original) {
                let mutated = mutation::apply(&original, &mutant).unwrap();
                let parsed = ClassFile::parse(ClassBytes::from_vec(mutated.class_file)).unwrap();
                for (slot, (old, new)) in
                    original.methods().iter().zip(parsed.methods()).enumerate()
                {
                    let (Some(old), Some(new)) = (&old.code, &new.code) else { continue };
                    let is_same = original.instructions(old) == parsed.instructions(new);
                    assert_eq!(is_same, slot != mutant.slot, "{}", mutant.description());
                }
            }
        }
    }
}

/// Internal names of all classes in a folder.
fn class_names(folder: &Path) -> Vec<String> {
    ClassPath::parse(&folder.display().to_string()).unwrap().class_names()
}

/// The mutants of classes, or every so-manieth of them.
fn mutants_of(folder: &Path, subjects: &[&str], every: usize) -> Vec<Mutant> {
    let all = subjects.iter().flat_map(|name| mutation::mutants(&file(folder, name)));
    all.step_by(every).collect()
}

/// What our machine says of mutants of a folder's classes: the same with and without shortcuts. Also gives
/// the number of tests, and of those that can be called without JUnit around them.
fn judged(
    jdk: &Jdk,
    folder: &Path,
    subjects: &[&str],
    mutants: &[Mutant],
    whole_matrix: bool,
) -> (Vec<Verdict>, usize, usize) {
    let spec = format!("{}:{}", folder.display(), suite::jars(JARS));
    let class_path = ClassPath::parse(&spec).unwrap();
    let plan = junit::plan(&class_path, 17, &[]).unwrap();
    let files: Vec<Arc<ClassFile>> =
        subjects.iter().map(|name| Arc::new(file(folder, name))).collect();
    let options = SurveyOptions { files, user_classes: class_names(folder), is_hermetic: true };
    let (mut vm, _) = machine::boot(jdk, &spec);
    let survey = mutation::survey(&mut vm, &plan, &options, mutants, Box::new(|_| {})).unwrap();
    assert_eq!(survey.report.counts().failed, 0, "{:#?}", survey.report);
    let mine: Vec<usize> = (0..mutants.len()).collect();
    let [quick, slow] = [false, true].map(|only_through_junit| {
        let judging = Judging { whole_matrix, only_through_junit, ..Judging::default() };
        let (mut vm, _) = machine::boot(jdk, &spec);
        mutation::judge(&mut vm, &plan, &options, &survey, mutants, &mine, &judging, &|| true)
            .unwrap()
    });
    for ((mutant, quick), slow) in mutants.iter().zip(&quick).zip(&slow) {
        assert_eq!(quick, slow, "{}.{}: {}", mutant.class, mutant.method, mutant.description());
    }
    (quick, survey.n_tests(), survey.n_direct())
}

/// What a real JVM says of the same mutants: killed or not.
fn oracle(jdk: &Jdk, folder: &Path, mutants: &[Mutant], tests: &[&str]) -> Vec<bool> {
    let sources = root::repository().join("fixtures/mutation/oracle");
    let jars = suite::jars(JARS);
    let program = suite::compile(jdk, "mutation/oracle", &sources, &jars).unwrap();
    let mut mutated = Vec::new();
    for mutant in mutants {
        let original = file(folder, &mutant.class);
        let bytes = mutation::apply(&original, mutant).unwrap().class_file;
        mutated.push((format!("{}.class", mutant.class), bytes));
    }
    // Answers are remembered by what is asked, so the folder's name tells its content.
    let mut digest = Digest::new();
    for name in class_names(folder) {
        digest.add(fs::read(folder.join(format!("{name}.class"))).unwrap());
    }
    for (_, bytes) in &mutated {
        digest.add(bytes);
    }
    let dump = root::target().join(format!("mutants/{}", digest.hex()));
    for (idx, (name, bytes)) in mutated.iter().enumerate() {
        let place = dump.join(format!("{idx:05}"));
        let path = place.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
    let (folder, dump) = (folder.display().to_string(), dump.display().to_string());
    let mut line = vec!["Oracle", &folder, &dump];
    line.extend(tests);
    let answer = suite::ask(jdk, &[&program], &jars, &line);
    let answer = answer.unwrap();
    assert_eq!(answer.lines().count(), mutated.len(), "{answer}");
    assert!(!answer.contains("broken"), "{answer}");
    answer.lines().map(|line| line.contains("killed")).collect()
}

/// Compares verdicts with those of a real JVM; gives the number of killed mutants and of all.
fn check(
    jdk: &Jdk,
    folder: &Path,
    subjects: &[&str],
    tests: &[&str],
    every: usize,
) -> (usize, usize) {
    let mutants = mutants_of(folder, subjects, every);
    let (verdicts, n_tests, n_direct) = judged(jdk, folder, subjects, &mutants, false);
    // Both kinds are there.
    assert!(0 < n_direct && n_direct < n_tests, "{n_direct} of {n_tests}");
    let real = oracle(jdk, folder, &mutants, tests);
    let mut n_killed = 0;
    for ((mutant, verdict), killed) in mutants.iter().zip(&verdicts).zip(real) {
        let ours = verdict.fate == Fate::Killed;
        let place = format!("{}.{}", mutant.class, mutant.method);
        assert_eq!(ours, killed, "{place}: {} {verdict:?}", mutant.description());
        n_killed += usize::from(ours);
    }
    (n_killed, mutants.len())
}

#[test]
fn verdicts_are_those_of_a_real_jvm() {
    for jdk in jdk::installed() {
        let folder = classes(&jdk);
        assert_eq!(check(&jdk, &folder, CLASSES, TESTS, 1), (88, 103));
    }
}

#[test]
fn all_that_notice_a_mutant_are_the_same_without_junit_around_tests() {
    let jdk = jdk::installed().remove(0);
    let folder = classes(&jdk);
    let mutants = mutants_of(&folder, CLASSES, 3);
    let (verdicts, _, _) = judged(&jdk, &folder, CLASSES, &mutants, true);
    assert!(verdicts.iter().any(|verdict| verdict.killers.len() > 1));
}

#[test]
fn verdicts_on_larger_classes_are_those_of_a_real_jvm() {
    let jdk = jdk::installed().remove(0);
    let sources = root::repository().join("fixtures/subjects");
    let folder = suite::compile(&jdk, "mutation/subjects", &sources, &suite::jars(JARS)).unwrap();
    let names = class_names(&folder);
    let is_test = |name: &&str| name.split('$').next().is_some_and(|top| top.ends_with("Test"));
    let subjects: Vec<&str> =
        names.iter().map(String::as_str).filter(|name| !is_test(name)).collect();
    let tests: Vec<String> = names
        .iter()
        .filter(|name| name.ends_with("Test"))
        .map(|name| name.replace('/', "."))
        .collect();
    let tests: Vec<&str> = tests.iter().map(String::as_str).collect();
    // A sample: a real JVM needs its time.
    let (n_killed, n_all) = check(&jdk, &folder, &subjects, &tests, 12);
    assert!(n_killed > 50 && n_killed < n_all, "{n_killed} of {n_all}");
}
