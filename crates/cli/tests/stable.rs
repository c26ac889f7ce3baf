//! Regression tests hold wherever and in whatever order they run: ten times in a row,
//! shuffled, in two time zones and languages, on the real JVM; also where the classes have static state.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use testkit::jdk::Jdk;
use testkit::{jdk, root, suite};

/// Calls the tests of the named classes ten times, each time in another order.
const RUNNER: &str = r#"
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

public class Shuffled {
    public static void main(String[] names) throws Exception {
        List<Method> tests = new ArrayList<>();
        for (String name : names) {
            for (Method method : Class.forName(name).getDeclaredMethods()) {
                if (method.isAnnotationPresent(org.junit.jupiter.api.Test.class)) {
                    method.setAccessible(true);
                    tests.add(method);
                }
            }
        }
        for (int round = 0; round < 10; round++) {
            Collections.shuffle(tests, new Random(round));
            for (Method test : tests) {
                var constructor = test.getDeclaringClass().getDeclaredConstructor();
                constructor.setAccessible(true);
                test.invoke(constructor.newInstance());
            }
        }
        System.out.println(tests.size() + " tests hold");
    }
}
"#;

const JARS: &str = "/usr/share/java/junit-jupiter-api.jar:/usr/share/java/junit-platform-commons.jar:/usr/share/java/opentest4j.jar:/usr/share/java/apiguardian-api.jar";

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.to_string_lossy().ends_with("Test.java")
            && !path.to_string_lossy().ends_with("ErrorTest.java")
        {
            found.push(path);
        }
    }
}

fn run(jdk: &Jdk, class_path: &str, names: &[String], options: &[&str]) -> String {
    let mut java = Command::new(jdk.home.join("bin/java"));
    let done = java.args(options).args(["-cp", class_path, "Shuffled"]).args(names).output();
    let done = done.unwrap();
    let errors = String::from_utf8_lossy(&done.stderr).into_owned();
    assert!(done.status.success(), "{options:?}: {errors}");
    String::from_utf8_lossy(&done.stdout).trim().to_owned()
}

/// Generates regression tests for classes with and without static state, and runs them: what was said, and where the
/// sources are.
fn check(strategy: &str) -> (String, PathBuf) {
    let jdk = jdk::installed().into_iter().next().unwrap();
    let folder = root::target().join("stable-tests").join(strategy);
    let _ = fs::remove_dir_all(&folder);
    let (written, classes) = (folder.join("java"), folder.join("classes"));
    fs::create_dir_all(&classes).unwrap();
    let compiled = |name: &str| {
        let sources = root::repository().join("fixtures").join(name);
        suite::compile(&jdk, name, &sources, "").unwrap().display().to_string()
    };
    let under_test = format!("{}:{}", compiled("bugs/src"), compiled("order/src"));
    let mut tool = Command::new(env!("CARGO_BIN_EXE_nonpareil"));
    tool.args(["generate", "--strategy", strategy, "--max-sequences", "6000", "--jdk"]);
    tool.arg(&jdk.home).arg("--classpath").arg(&under_test).arg("--output").arg(&written);
    for class in ["Money", "Schedule", "Version", "RingBuffer", "Playlist", "Visitor"] {
        tool.args(["--class", &format!("bugs.{class}")]);
    }
    tool.args(["--class", "order.Ticket", "--class", "order.Registry"]);
    let done = tool.output().unwrap();
    let said = String::from_utf8_lossy(&done.stdout).into_owned();
    assert!(!said.contains("disagreement"), "{said}{}", String::from_utf8_lossy(&done.stderr));
    let mut files = Vec::new();
    sources(&written, &mut files);
    assert!(files.len() >= 7, "{said}");
    files.sort();
    let name = |path: &PathBuf| {
        let own = path.strip_prefix(&written).unwrap().with_extension("");
        own.display().to_string().replace('/', ".")
    };
    let names: Vec<String> = files.iter().map(name).collect();
    let runner = folder.join("Shuffled.java");
    fs::write(&runner, RUNNER).unwrap();
    let class_path = format!("{}:{under_test}:{JARS}", classes.display());
    let javac = Command::new(jdk.home.join("bin/javac"))
        .args(["-nowarn", "-cp", &class_path, "-d"])
        .arg(&classes)
        .args(&files)
        .arg(&runner)
        .output()
        .unwrap();
    assert!(javac.status.success(), "{}", String::from_utf8_lossy(&javac.stderr));
    let here = ["-Duser.timezone=America/St_Johns", "-Duser.language=en", "-Duser.country=US"];
    let there = ["-Duser.timezone=Asia/Kolkata", "-Duser.language=tr", "-Duser.country=TR"];
    let one = run(&jdk, &class_path, &names, &here);
    assert!(one.ends_with(" tests hold"), "{one}");
    assert_eq!(run(&jdk, &class_path, &names, &there), one);
    (said, written)
}

#[test]
fn random_regression_tests_pass_in_any_order_time_zone_and_language() {
    let (said, written) = check("random");
    // What depends on which tests ran before is gone, and only that.
    assert!(said.contains("left out for depending on which tests ran before"), "{said}");
    let ticket = fs::read_to_string(written.join("order/TicketTest.java")).unwrap();
    assert!(ticket.contains("price())") && ticket.contains("IllegalArgument"), "{ticket}");
    let asserted = ticket.lines().filter(|line| line.trim_start().starts_with("assert"));
    for line in asserted {
        for part in ["number()", "sold()", "getMessage()"] {
            assert!(!line.contains(part), "{line} in {ticket}");
        }
    }
    let registry = fs::read_to_string(written.join("order/RegistryTest.java")).unwrap();
    assert!(registry.contains("assertTrue(Registry.isName("), "{registry}");
}

#[test]
fn tests_of_states_and_sequences_pass_in_any_order_time_zone_and_language() {
    check("all");
}
