//! `nonpareil minimize --apply` on sources as people have them: in other encodings, behind links, in a part of a
//! checkout, with tests that other sources need.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use testkit::{jdk, suite};

const JARS: &[&str] = &[
    "junit-jupiter-api",
    "junit-jupiter-engine",
    "junit-jupiter-params",
    "junit-platform-engine",
    "junit-platform-commons",
    "junit-platform-launcher",
    "junit-vintage-engine",
    "junit4",
    "hamcrest",
    "opentest4j",
    "apiguardian-api",
    "univocity-parsers",
];

/// The class under test.
const COUNTER: &str =
    "package shop; public class Counter { private int count; public int count() { return count; }
    public void up() { count++; } public void down() { count--; } }";

/// A test that makes tests of the same calls in other classes redundant.
const FIRST: &str = "package shop; import org.junit.jupiter.api.Test;
    class AFirstTest { @Test void first() { Counter c = new Counter(); c.up(); c.count(); c.down(); } }";

/// A small project outside of every checkout; gone when dropped.
struct Project {
    folder: PathBuf,
    home: PathBuf,
    jars: String,
}

impl Project {
    /// Writes the sources of the tests and compiles them, read in this encoding.
    fn new(name: &str, encoding: &str, tests: &[(&str, &[u8])]) -> Project {
        let folder = std::env::temp_dir().join(format!("nonpareil-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        let home = jdk::installed().into_iter().next().unwrap().home;
        let project = Project { folder, home, jars: suite::jars(JARS) };
        project.write("main/shop/Counter.java", COUNTER.as_bytes());
        project.write("java/shop/AFirstTest.java", FIRST.as_bytes());
        for (path, text) in tests {
            project.write(&format!("java/{path}"), text);
        }
        project.compile("main", "classes", encoding, "");
        project.compile("java", "tests", encoding, &project.path("classes"));
        project
    }

    fn path(&self, name: &str) -> String {
        self.folder.join(name).display().to_string()
    }

    fn write(&self, name: &str, text: &[u8]) {
        let path = self.folder.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.folder.join(name)).unwrap()
    }

    fn text(&self, name: &str) -> String {
        String::from_utf8(self.read(name)).unwrap()
    }

    /// Compiles all sources of a folder into another.
    fn compile(&self, from: &str, to: &str, encoding: &str, class_path: &str) {
        let mut files = Vec::new();
        java_files(&self.folder.join(from), &mut files);
        let mut command = Command::new(self.home.join("bin/javac"));
        command.args(["-g", "-encoding", encoding, "-proc:none", "-d"]).arg(self.path(to));
        command.arg("-cp").arg(format!("{class_path}:{}", self.jars)).args(files);
        let output = command.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }

    fn minimize(&self, sources: &str, apply: &str, to: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_nonpareil"));
        command.arg("minimize").arg("--jdk").arg(&self.home).arg("--classpath");
        command.arg(format!("{}:{}", self.path("classes"), self.jars));
        command.args(["--class", "shop.Counter", "--tests", &self.path("tests")]);
        command.args(["--sources", &self.path(sources), "--apply", apply]).args(to);
        command.output().unwrap()
    }

    /// Minimises into another folder and gives what was said.
    fn minimized(&self, apply: &str) -> String {
        let output = self.minimize("java", apply, &["--output", &self.path(apply)]);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(matches!(output.status.code(), Some(0 | 1)), "{said}");
        String::from_utf8(output.stdout).unwrap()
    }

    fn git(&self, line: &[&str]) -> String {
        let mut command = Command::new("git");
        command.arg("-C").arg(&self.folder);
        command.args(["-c", "user.name=x", "-c", "user.email=x@localhost"]);
        let output = command.args(line).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    fn commit_all(&self) {
        self.git(&["init", "-q"]);
        self.git(&["add", "."]);
        self.git(&["commit", "-qm", "x"]);
    }

    /// What is said where sources are not changed in place.
    fn refused(&self, sources: &str) -> String {
        let output = self.minimize(sources, "delete", &["--in-place"]);
        assert_eq!(output.status.code(), Some(2), "{}", String::from_utf8_lossy(&output.stdout));
        let said = String::from_utf8(output.stderr).unwrap();
        let hint = "\nhint: commit first, or --output FOLDER, or --force\n";
        let why = said.strip_prefix("error: the sources are not changed in place: ").unwrap();
        why.strip_suffix(hint).unwrap().to_owned()
    }
}

impl Drop for Project {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

fn java_files(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            java_files(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "java") {
            files.push(path);
        }
    }
}

/// A class of tests that are all redundant.
const SECOND: &str = "package shop;

import org.junit.jupiter.api.Test;

class SecondTest {
    @Test
    void up() {
        new Counter().up();
    }
}
";

#[test]
fn a_test_that_another_source_needs_is_left_alone() {
    let base = "package shop; import org.junit.jupiter.api.Test;
        class BaseTest {
            @Test void overridden() { new Counter().up(); }
            @Test void called() { new Counter().up(); }
            @Test void calledByOneThatGoes() { new Counter().up(); }
            @Test void referred() { new Counter().up(); }
            @Test void free() { new Counter().up(); }
        }";
    let derived = "package shop; import org.junit.jupiter.api.Test;
        class DerivedTest extends BaseTest { @Override @Test void overridden() { new Counter().up(); } }";
    let other = "package shop; import org.junit.jupiter.api.Test;
        class OtherTest {
            final BaseTest base = new BaseTest();
            @Test void calls() { base.called(); }
            @Test void goes() { base.calledByOneThatGoes(); }
            Runnable refers() { return base::referred; }
            void helps() { calls(); }
        }";
    let project = Project::new(
        "needed",
        "UTF-8",
        &[
            ("shop/BaseTest.java", base.as_bytes()),
            ("shop/DerivedTest.java", derived.as_bytes()),
            ("shop/OtherTest.java", other.as_bytes()),
        ],
    );
    for apply in ["delete", "comment"] {
        let said = project.minimized(apply);
        for left in [
            "shop.BaseTest.overridden: shop.DerivedTest overrides it",
            "shop.DerivedTest.overridden: it overrides the method of shop.BaseTest",
            "shop.BaseTest.called: shop.OtherTest.calls calls it",
            "shop.BaseTest.referred: shop.OtherTest refers to it",
            "shop.OtherTest.calls: shop.OtherTest.helps calls it",
        ] {
            assert!(said.contains(&format!("left alone: {left}\n")), "{left}\n{said}");
        }
        assert_eq!(said.matches("left alone").count(), 5, "{said}");
        assert!(said.contains("\n5 tests "), "{said}");
        project.compile(apply, &format!("{apply}-classes"), "UTF-8", &project.path("classes"));
    }
    // An annotation more hurts nobody.
    let said = project.minimized("disable");
    assert!(!said.contains("left alone"), "{said}");
    project.compile("disable", "disable-classes", "UTF-8", &project.path("classes"));
}

#[test]
fn a_test_of_junit_3_that_another_suite_names_is_left_alone() {
    let old = "package shop;
        public class OldTest extends junit.framework.TestCase {
            public OldTest(String name) { super(name); }
            public void testNamed() { new Counter().up(); }
            public void testFree() { new Counter().up(); }
        }";
    let all = "package shop; import junit.framework.*;
        public class AllTests { public static Test suite() {
            TestSuite all = new TestSuite(); all.addTest(new OldTest(\"testNamed\")); return all; } }";
    let project = Project::new(
        "named",
        "UTF-8",
        &[("shop/OldTest.java", old.as_bytes()), ("shop/AllTests.java", all.as_bytes())],
    );
    for apply in ["comment", "disable", "delete"] {
        let said = project.minimized(apply);
        let left = "left alone: shop.OldTest.testNamed: shop.AllTests names it in a text\n";
        assert!(said.contains(left), "{said}");
        assert_eq!(said.matches("left alone").count(), 1, "{said}");
        assert!(project.text(&format!("{apply}/shop/OldTest.java")).contains("void testNamed()"));
    }
}

#[test]
fn a_class_that_fails_in_junit_without_tests_keeps_its_last_one() {
    let old = "package shop;
        public class OldTest extends junit.framework.TestCase {
            public void testUp() { new Counter().up(); }
            public void testUpAgain() { new Counter().up(); }
        }";
    let rows = "package shop; import org.junit.*; import org.junit.runner.RunWith; import org.junit.runners.*;
        @RunWith(Parameterized.class) public class RowsTest {
            @Parameterized.Parameters public static Object[] rows() { return new Object[] {1, 2}; }
            @Parameterized.Parameter public int row;
            @Test public void up() { new Counter().up(); }
        }";
    let parts = "package shop; import org.junit.*; import org.junit.runner.RunWith;
        import org.junit.experimental.runners.Enclosed;
        @RunWith(Enclosed.class) public class PartsTest {
            public static class Part { @Test public void up() { new Counter().up(); } } }";
    let plain = "package shop; public class PlainTest { @org.junit.Test public void up() { new Counter().up(); } }";
    let project = Project::new(
        "last",
        "UTF-8",
        &[
            ("shop/OldTest.java", old.as_bytes()),
            ("shop/RowsTest.java", rows.as_bytes()),
            ("shop/PartsTest.java", parts.as_bytes()),
            ("shop/PlainTest.java", plain.as_bytes()),
        ],
    );
    for apply in ["comment", "disable", "delete"] {
        let said = project.minimized(apply);
        let left = ["OldTest.testUp", "RowsTest.up", "PartsTest$Part.up"];
        let left = if apply == "disable" { &left[..1] } else { &left };
        for test in left {
            let class = test.split('.').next().unwrap();
            let why = format!(
                "left alone: shop.{test}: shop.{class} would be left without a test, which fails in JUnit\n"
            );
            assert!(said.contains(&why), "{said}");
        }
        assert_eq!(said.matches("left alone").count(), left.len(), "{said}");
        assert!(said.contains("\n  no test is left in shop.PlainTest\n"), "{said}");
        let classes = format!("{apply}-classes");
        project.compile(apply, &classes, "UTF-8", &project.path("classes"));
        let mut command = Command::new(project.home.join("bin/java"));
        let class_path =
            format!("{}:{}:{}", project.path(&classes), project.path("classes"), project.jars);
        command.args(["-cp", &class_path, "org.junit.runner.JUnitCore"]);
        let output = command.args(["shop.OldTest", "shop.RowsTest", "shop.PartsTest"]).output();
        let output = output.unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    }
}

#[test]
fn classes_are_told_that_have_no_test_left_and_no_others() {
    let base =
        "package shop; class Base { @org.junit.Test public void up() { new Counter().up(); } }";
    let heir = "package shop; public class HeirTest extends Base { }";
    let rich = "package shop; public class RichTest extends Base {
        @org.junit.Test public void upToo() { new Counter().up(); }
        @org.junit.Test public void twice() { Counter c = new Counter(); c.up(); c.up(); } }";
    let upper = "package shop; class Upper {
        @org.junit.Test public void down() { Counter c = new Counter(); c.down(); c.down(); } }";
    let lower = "package shop; public class LowerTest extends Upper {
        @org.junit.Test public void up() { new Counter().up(); } }";
    let project = Project::new(
        "emptied",
        "UTF-8",
        &[
            ("shop/Base.java", base.as_bytes()),
            ("shop/HeirTest.java", heir.as_bytes()),
            ("shop/RichTest.java", rich.as_bytes()),
            ("shop/Upper.java", upper.as_bytes()),
            ("shop/LowerTest.java", lower.as_bytes()),
        ],
    );
    let said = project.minimized("delete");
    let (_, end) = said.split_once(" tests deleted in 3 files\n").unwrap();
    let told: Vec<&str> = end.lines().skip(3).collect();
    // The compiler makes methods of a hidden class visible in its heirs; that overrides nothing.
    let expected = ["  no test is left in shop.Base", "  no test is left in shop.HeirTest"];
    assert_eq!(told, expected, "{said}");
}

#[test]
fn a_test_that_runs_in_several_suites_is_one_test() {
    let old = |name: &str, suite: &str| {
        let text = format!(
            "package shop; import junit.framework.*; public class {name} extends TestCase {{
                {suite} public void testUp() {{ new Counter().up(); }} }}"
        );
        (format!("shop/{name}.java"), text.into_bytes())
    };
    let suite = "public static Test suite() { return new TestSuite(ZTest.class); }";
    // So many classes are recorded in several parts.
    let mut all = vec![old("BTest", suite), old("ZTest", "")];
    all.extend(["C", "D", "E", "F", "G", "H"].map(|name| old(&format!("{name}Test"), "")));
    let all: Vec<(&str, &[u8])> = all.iter().map(|(path, text)| (&**path, &**text)).collect();
    let project = Project::new("twice", "UTF-8", &all);
    let said = project.minimized("disable");
    let row = said.lines().find(|line| line.starts_with("shop.ZTest ")).unwrap();
    let figures: Vec<&str> = row.split_whitespace().take(3).collect();
    assert_eq!(figures, ["shop.ZTest", "1", "1"], "{said}");
    assert!(said.contains("\n  shop.ZTest.testUp: because of shop.AFirstTest.first\n"), "{said}");
    assert!(!said.contains("is not redundant"), "{said}");
}

#[test]
fn every_other_byte_stays_in_any_encoding() {
    let before = "\tString größe = \"Größe\"; // für\r\n\r\n";
    let test =
        "\t/* größer */\r\n\t@Test\r\n\tvoid größer() {\r\n\r\n\t\tnew Counter().up();\r\n\t}\r\n";
    let kept = "\t@Test\r\n\tvoid ändert() {\r\n\t\tnew Counter().down();\r\n\t}\r\n";
    let ahead =
        "package shop;\r\n\r\nimport org.junit.jupiter.api.Test;\r\n\r\nclass GrößeTest {\r\n";
    let latin =
        |text: &str| -> Vec<u8> { text.chars().map(|c| u8::try_from(c).unwrap()).collect() };
    let all = format!("{ahead}{before}{test}\r\n{kept}}}");
    for (encoding, of, mark) in [
        ("ISO-8859-1", latin(&all), ""),
        ("UTF-8", all.clone().into_bytes(), ""),
        ("UTF-8", format!("// \u{20ac}\r\n{all}").into_bytes(), "// \u{20ac}\r\n"),
    ] {
        let project = Project::new("latin", encoding, &[("shop/GrößeTest.java", &of)]);
        let bytes = |text: String| match encoding {
            "UTF-8" => text.into_bytes(),
            _ => latin(&text),
        };
        let said = project.minimized("delete");
        assert!(said.contains("\n1 test deleted in 1 file\n"), "{said}");
        let expected = format!("{mark}{ahead}{before}{kept}}}");
        assert_eq!(project.read("delete/shop/GrößeTest.java"), bytes(expected));
        project.minimized("comment");
        let commented = "\t// nonpareil: redundant (whole-state) because of shop.AFirstTest.first\r\n\
             \t// /* größer */\r\n\t// @Test\r\n\t// void größer() {\r\n\t//\r\n\t// \tnew Counter().up();\r\n\
             \t// }\r\n";
        let expected = format!("{mark}{ahead}{before}{commented}\r\n{kept}}}");
        assert_eq!(project.read("comment/shop/GrößeTest.java"), bytes(expected));
        project.minimized("disable");
        for apply in ["delete", "comment", "disable"] {
            project.compile(apply, &format!("{apply}-classes"), encoding, &project.path("classes"));
        }
    }
}

#[test]
fn a_source_of_two_bytes_for_each_character_is_refused() {
    let wide: Vec<u8> =
        [0xfeff].into_iter().chain(SECOND.encode_utf16()).flat_map(u16::to_be_bytes).collect();
    let project = Project::new("wide", "UTF-8", &[("shop/SecondTest.java", SECOND.as_bytes())]);
    project.write("java/shop/SecondTest.java", &wide);
    let output = project.minimize("java", "delete", &["--output", &project.path("out")]);
    let said = String::from_utf8(output.stderr).unwrap();
    let path = project.path("java/shop/SecondTest.java");
    assert!(
        said.starts_with(&format!("error: {path}: the source is neither in UTF-8 nor")),
        "{said}"
    );
    assert_eq!(output.status.code(), Some(2));
    assert!(!project.folder.join("out").exists());
}

#[test]
fn sources_that_git_cannot_give_back_are_not_changed_in_place() {
    let project = Project::new("git", "UTF-8", &[("shop/SecondTest.java", SECOND.as_bytes())]);
    let sources = project.path("java");
    let real = fs::canonicalize(&sources).unwrap().display().to_string();
    assert_eq!(project.refused("java"), format!("{sources} is in no git checkout"));
    project.write(".gitignore", b"SecondTest.java\nclasses\ntests\n");
    project.commit_all();
    // Nothing has changed as far as git tells, and yet it does not have the source.
    assert_eq!(project.git(&["status", "--porcelain"]), "");
    assert_eq!(project.refused("java"), format!("git does not know {real}/shop/SecondTest.java"));
    project.git(&["add", "-f", "java"]);
    let said = project.refused("java");
    assert_eq!(said, format!("{sources} has uncommitted changes: java/shop/SecondTest.java"));
    project.git(&["commit", "-qm", "x"]);
    // What lies behind a link is asked for where it is.
    let behind = project.path("behind");
    fs::create_dir(&behind).unwrap();
    symlink(project.folder.join("java/shop"), Path::new(&behind).join("shop")).unwrap();
    project.git(&["add", "behind"]);
    project.git(&["commit", "-qm", "x"]);
    project.write("java/shop/SecondTest.java", SECOND.replace("class", "/**/ class").as_bytes());
    let said = project.refused("behind");
    assert_eq!(said, format!("{real}/shop has uncommitted changes: java/shop/SecondTest.java"));
    project.git(&["checkout", "-q", "java"]);
    let output = project.minimize("behind", "delete", &["--in-place"]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(project.git(&["status", "--porcelain"]), " M java/shop/SecondTest.java\n");
    assert!(!project.text("java/shop/SecondTest.java").contains("up()"));
}

#[test]
fn a_source_that_is_a_link_stays_one() {
    let project = Project::new("link", "UTF-8", &[("shop/SecondTest.java", SECOND.as_bytes())]);
    let link = project.folder.join("java/shop/SecondTest.java");
    let real = project.folder.join("elsewhere.java");
    fs::rename(&link, &real).unwrap();
    symlink(&real, &link).unwrap();
    let output = project.minimize("java", "delete", &["--in-place", "--force"]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert!(!project.text("elsewhere.java").contains("up()"));
    assert_eq!(fs::read_dir(project.folder.join("java")).unwrap().count(), 1, "nothing is left");
}

#[test]
fn links_in_circles_and_to_nowhere_do_not_keep_sources_from_being_copied() {
    let project = Project::new("circle", "UTF-8", &[("shop/SecondTest.java", SECOND.as_bytes())]);
    project.write("java/shop/data.txt", b"data");
    symlink(project.folder.join("java"), project.folder.join("java/shop/around")).unwrap();
    symlink("nobody@nowhere", project.folder.join("java/shop/.#SecondTest.java")).unwrap();
    project.minimized("delete");
    assert!(!project.text("delete/shop/SecondTest.java").contains("up()"));
    assert_eq!(project.text("delete/shop/data.txt"), "data");
    assert_eq!(fs::read_dir(project.folder.join("delete/shop")).unwrap().count(), 3);
}
