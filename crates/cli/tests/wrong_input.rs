//! Input that cannot be used, the same for all commands: what is said names the file and what to do, and nothing
//! is written.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use testkit::{jdk, root, suite};

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

/// Classes, their tests and a folder of this process.
struct Place {
    home: PathBuf,
    classes: PathBuf,
    tests: PathBuf,
    folder: PathBuf,
}

impl Place {
    fn new(name: &str) -> Place {
        let jdk = jdk::installed().into_iter().next().unwrap();
        let jars = suite::jars(JARS);
        let fixtures = root::repository().join("fixtures/subjects");
        let classes = suite::compile(&jdk, "subjects/src", &fixtures.join("src"), "").unwrap();
        let class_path = format!("{}:{jars}", classes.display());
        let tests = fixtures.join("tests");
        let tests = suite::compile(&jdk, "wrong-input/tests", &tests, &class_path).unwrap();
        let folder = std::env::temp_dir().join(format!("nonpareil-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        Place { home: jdk.home, classes, tests, folder }
    }

    /// Exit code, standard output and standard error of a command on these classes.
    fn run(
        &self,
        command: &str,
        classes: &Path,
        options: &[&str],
    ) -> (Option<i32>, String, String) {
        let mut line = Command::new(env!("CARGO_BIN_EXE_nonpareil"));
        line.arg(command).arg("--jdk").arg(&self.home).arg("--classpath");
        let class_path = format!("{}:{}", classes.display(), suite::jars(JARS));
        let output = line.arg(class_path).args(options).output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (output.status.code(), text(output.stdout), text(output.stderr))
    }

    fn path(&self, name: &str) -> String {
        self.folder.join(name).display().to_string()
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

#[test]
fn a_file_where_a_folder_is_wanted_is_named_before_anything_runs() {
    let place = Place::new("no-folder");
    let sources = root::repository().join("fixtures/subjects/tests").display().to_string();
    let tests = place.tests.display().to_string();
    fs::write(place.folder.join("file"), "text").unwrap();
    symlink("nowhere", place.folder.join("link")).unwrap();
    let commands: [(&str, &str, &[&str]); 6] = [
        ("generate", "--output", &["--class", "IntStack"]),
        ("inspect", "--output", &["--class", "IntStack"]),
        ("minimize", "--output", &["--tests", &tests, "--sources", &sources, "--apply", "delete"]),
        ("reduce", "--output", &["--tests", &tests, "--sources", &sources]),
        ("assess", "--lcov", &["--tests", &tests]),
        ("assess", "--jacoco-xml", &["--tests", &tests]),
    ];
    for (command, option, options) in commands {
        for (name, which) in [
            ("file", "is a file".to_owned()),
            ("file/inner", format!("lies in {}, which is a file", place.path("file"))),
            ("link", "is a link to nowhere".to_owned()),
        ] {
            let folder = place.path(name);
            let given = if command == "assess" { format!("{folder}/all") } else { folder.clone() };
            let options = [options, &[option, &given]].concat();
            let expected = format!(
                "error: {option} {folder} {which}, not a folder\nhint: name a folder; one that is not there is made\n"
            );
            let said = place.run(command, &place.classes, &options);
            assert_eq!(said, (Some(2), String::new(), expected), "{command} {options:?}");
        }
    }
    assert_eq!(fs::read_to_string(place.folder.join("file")).unwrap(), "text");
    for (command, option, options) in
        [("inspect", "--html", ["--class", "IntStack"]), ("assess", "--lcov", ["--tests", &tests])]
    {
        let folder = place.path("");
        let options = [&options[..], &[option, &folder]].concat();
        let expected = format!("error: {option} {folder} is a folder\nhint: name a file in it\n");
        let said = place.run(command, &place.classes, &options);
        assert_eq!(said, (Some(2), String::new(), expected), "{command} {options:?}");
    }
}

#[test]
fn a_damaged_class_file_is_named() {
    let place = Place::new("damaged");
    let classes = place.folder.join("classes");
    fs::create_dir_all(classes.join("subjects")).unwrap();
    let bytes = fs::read(place.classes.join("subjects/IntStack.class")).unwrap();
    fs::write(classes.join("subjects/IntStack.class"), &bytes[..100]).unwrap();
    let tests = place.folder.join("tests");
    fs::create_dir_all(tests.join("subjects")).unwrap();
    let test = "subjects/IntStackTest.class";
    fs::copy(place.tests.join(test), tests.join(test)).unwrap();
    let file = place.path("classes/subjects/IntStack.class");
    let expected =
        format!("error: {file} cannot be read as a class file: Truncated class file (at byte ");
    let shown = tests.display().to_string();
    let output = place.path("out");
    let commands: [(&str, &[&str]); 6] = [
        ("generate", &["--class", "subjects.IntStack", "--output", &output]),
        ("generate", &["--class", "IntStack", "--strategy", "random", "--output", &output]),
        ("generate", &["--class", "IntStack", "--strategy", "states", "--output", &output]),
        ("inspect", &["--class", "IntStack"]),
        ("minimize", &["--tests", &shown]),
        ("assess", &["--tests", &shown]),
    ];
    for (command, options) in commands {
        let (code, out, said) = place.run(command, &classes, options);
        assert!(
            said.starts_with(&expected) && said.ends_with(")\nhint: compile it again\n"),
            "{said}"
        );
        assert_eq!((code, out), (Some(2), String::new()), "{command}");
    }
    assert!(!Path::new(&output).exists());
}

#[test]
fn a_damaged_jar_is_named_with_what_to_do() {
    let place = Place::new("damaged-jar");
    let jar = place.folder.join("half.jar");
    fs::write(&jar, b"PK\x03\x04 and no more").unwrap();
    let shown = place.path("half.jar");
    let expected = format!(
        "error: cannot read {shown} as a jar: no zip end record\nhint: get the jar once more, or leave it off the \
         class path\n"
    );
    let tests = place.tests.display().to_string();
    let output = place.path("out");
    let commands: [(&str, &[&str]); 5] = [
        ("generate", &["--class", "IntStack", "--output", &output]),
        ("inspect", &["--class", "IntStack"]),
        ("minimize", &["--tests", &tests]),
        ("assess", &["--tests", &tests]),
        ("run", &["--junit"]),
    ];
    for (command, options) in commands {
        let said = place.run(command, &jar, options);
        assert_eq!(said, (Some(2), String::new(), expected.clone()), "{command}");
    }
}

#[test]
fn a_damaged_test_class_is_said_to_be_left_out() {
    let place = Place::new("damaged-test");
    let tests = place.folder.join("tests");
    fs::create_dir_all(tests.join("subjects")).unwrap();
    let test = "subjects/IntStackTest.class";
    let bytes = fs::read(place.tests.join(test)).unwrap();
    fs::copy(place.tests.join(test), tests.join(test)).unwrap();
    fs::write(tests.join("subjects/OtherTest.class"), &bytes[..bytes.len() / 2]).unwrap();
    let file = place.path("tests/subjects/OtherTest.class");
    let left_out = format!("left out: {file} cannot be read as a class file: ");
    let shown = tests.display().to_string();
    for command in ["minimize", "assess"] {
        let options = ["--class", "subjects.IntStack", "--tests", &shown];
        let (_, out, said) = place.run(command, &place.classes, &options);
        assert!(said.starts_with(&left_out) && said.lines().count() == 1, "{said}");
        assert!(out.contains('3'), "{out}");
        fs::write(tests.join(test), b"no class file").unwrap();
        let (code, out, said) = place.run(command, &place.classes, &options);
        assert!(said.contains(&format!("error: no tests found in {shown}\n")), "{said}");
        assert_eq!((code, out), (Some(2), String::new()));
        fs::write(tests.join(test), &bytes).unwrap();
    }
}

#[test]
fn a_test_with_which_junit_gives_up_leaves_out_no_other() {
    let place = Place::new("memory");
    let source = place.folder.join("GreedyTest.java");
    let text = "package subjects; import org.junit.jupiter.api.Test; class GreedyTest {
        @Test void asks() { new IntStack().isEmpty(); }
        @Test void greedy() { new IntStack(); throw new OutOfMemoryError(\"Java heap space\"); } }";
    fs::write(&source, text).unwrap();
    let tests = place.path("tests");
    let mut javac = Command::new(place.home.join("bin/javac"));
    let class_path = format!("{}:{}", place.classes.display(), suite::jars(JARS));
    javac.args(["-g", "-proc:none", "-d", &tests, "-cp", &class_path]).arg(&source);
    assert!(javac.status().unwrap().success());
    fs::create_dir_all(place.path("tests/subjects")).unwrap();
    let other = "subjects/IntStackTest.class";
    fs::copy(place.tests.join(other), Path::new(&tests).join(other)).unwrap();
    let (folder, output) = (place.path(""), place.path("out"));
    let target = ["--class", "subjects.IntStack"];
    let commands: [(&str, &[&str], &str); 4] = [
        (
            "minimize",
            &["--tests", &tests],
            "\n  subjects.GreedyTest.greedy: it takes all memory; --memory gives more\n",
        ),
        (
            "assess",
            &["--tests", &tests],
            "\n  FAILED   subjects.GreedyTest: greedy(): out of memory; --memory gives more\n",
        ),
        (
            "reduce",
            &["--tests", &tests, "--sources", &folder],
            "\n   shown by subjects.GreedyTest.greedy as it is: it stops the machine\n",
        ),
        (
            "generate",
            &["--from-tests", &tests, "--strategy", "states", "--output", &output],
            "\n  subjects.GreedyTest stops the machine and was left out\n",
        ),
    ];
    for (command, options, expected) in commands {
        let options = [&target[..], options].concat();
        let (code, out, said) = place.run(command, &place.classes, &options);
        assert!(out.contains(expected), "{command}: {out}{said}");
        assert!(matches!(code, Some(0 | 1)), "{command}: {out}{said}");
        let why =
            "left out: subjects.GreedyTest stops the machine: out of memory; --memory gives more\n";
        assert_eq!(said, if command == "generate" { why } else { "" }, "{command}");
    }
    let all = format!("{tests}:{}", place.classes.display());
    let (code, out, _) = place.run("run", Path::new(&all), &["--junit"]);
    let expected = "  FAILED   greedy()\n      out of memory; --memory gives more\n";
    assert!(out.contains(expected) && out.contains("5 tests: "), "{out}");
    assert_eq!(code, Some(1));
}

#[test]
fn a_program_that_cannot_be_found_says_what_is_wrong_with_the_class_path() {
    let place = Place::new("program");
    fs::create_dir_all(place.path("cut")).unwrap();
    fs::write(place.path("cut/Main.class"), b"\xca\xfe\xba\xbe\0\0\0\x3d\0").unwrap();
    fs::write(place.path("junk.jar"), "no jar").unwrap();
    for (class_path, named) in [
        ("cut", "cut/Main.class cannot be read as a class file"),
        ("junk.jar", "junk.jar as a jar"),
        ("no-such.jar", "no-such.jar"),
        (".:no/such/classes", "no/such/classes"),
    ] {
        let done = Command::new(env!("CARGO_BIN_EXE_nonpareil"))
            .current_dir(place.path(""))
            .args(["run", "--classpath", class_path, "Main"])
            .output()
            .unwrap();
        let said = String::from_utf8(done.stderr).unwrap();
        assert_eq!(done.status.code(), Some(2), "{class_path}: {said}");
        assert!(said.contains(named) && said.contains("\nhint: "), "{class_path}: {said}");
    }
    let done = Command::new(env!("CARGO_BIN_EXE_nonpareil"))
        .args(["run", "--jdk", "/no/such/jdk", "Main"])
        .output()
        .unwrap();
    let said = String::from_utf8(done.stderr).unwrap();
    assert_eq!(done.status.code(), Some(2), "{said}");
    assert!(said.contains("/no/such/jdk") && said.contains("\nhint: "), "{said}");
}
