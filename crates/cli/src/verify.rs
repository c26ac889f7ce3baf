//! Runs emitted tests on the user's real JVM: what does not compile or does not pass there is not
//! shipped.
//!
//! The tests are compiled with the JDK's own `javac` against the JUnit that the user has, and each is run
//! by it through a small program that is compiled along with them.

mod place;
mod runner;

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use emit::junit::{Framework, SourceFile};

use crate::class_path;
use crate::files::{self, TemporaryFolder};
use place::Place;

pub(crate) use place::private_temporary;

/// Time that all tests of one class path may take.
const LIMIT: Duration = Duration::from_secs(600);

/// A test that the real JVM disagrees about.
#[derive(Debug, Clone)]
pub(crate) struct Disagreement {
    /// The class with dots.
    pub(crate) class: String,
    /// The test method.
    pub(crate) method: String,
    /// What happened there.
    pub(crate) reason: String,
}

impl Disagreement {
    /// Whether the compiler refused the test.
    pub(crate) fn is_of_compiler(&self) -> bool {
        self.reason.starts_with(UNCOMPILED)
    }
}

/// In which orders tests run, one after the other on one JVM.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Runs {
    /// As they stand.
    Once,
    /// As they stand, and then backwards; each must pass both times.
    ThereAndBack,
}

/// What the reason begins with where the compiler refused a test.
const UNCOMPILED: &str = "does not compile: ";

/// Where things are on this computer.
pub(crate) struct RealJvm<'a> {
    /// The JDK's folder.
    pub(crate) home: &'a Path,
    /// The user's classes.
    pub(crate) class_path: &'a str,
    /// JUnit.
    pub(crate) junit: &'a str,
    /// Which.
    pub(crate) framework: Framework,
}

impl RealJvm<'_> {
    /// Compiles and runs the tests. What comes back is empty where all pass; where some do not compile, it
    /// is those, and the others have not run. Where one does not come to its end, those behind it have not run:
    /// they are not told of where all are to pass. A compiler's message about no test is an error.
    pub(crate) fn verify(
        &self,
        sources: &[SourceFile],
        runs: Runs,
    ) -> Result<Vec<Disagreement>, String> {
        let folder = TemporaryFolder::new()?;
        let classes = folder.path.join("classes");
        let mut paths: Vec<PathBuf> = Vec::new();
        for source in sources {
            let path = folder.path.join("sources").join(&source.path);
            files::write(&path, &source.text)?;
            paths.push(path);
        }
        let program = folder.path.join(format!("sources/{}.java", runner::CLASS));
        files::write(&program, runner::SOURCE)?;
        paths.push(program);
        std::fs::create_dir_all(&classes).map_err(|error| error.to_string())?;
        let class_path = self.whole_class_path(None)?;
        let list = folder.path.join("sources.txt");
        let quoted: Vec<String> =
            paths.iter().map(|path| format!("\"{}\"", path.display())).collect();
        files::write(&list, &quoted.join("\n"))?;
        let mut javac = Command::new(self.home.join("bin/javac"));
        javac.args(["-g", "-nowarn", "-encoding", "UTF-8", "-proc:none", "-d"]).arg(&classes);
        javac.args(["-cp", &class_path]).arg(format!("@{}", list.display()));
        let output = javac.output().map_err(|error| {
            format!("{}: {error}\nhint: tests are checked with the JDK's compiler; --no-verify leaves that out", self.home.join("bin/javac").display())
        })?;
        if !output.status.success() {
            let messages = String::from_utf8_lossy(&output.stderr);
            if let Some(blamed) = blame(sources, &messages) {
                return Ok(blamed);
            }
            let first: Vec<&str> = messages.lines().take(20).collect();
            return Err(format!("the tests do not compile:\n{}", first.join("\n")));
        }
        self.run(sources, runs, &classes, &folder.path)
    }

    /// Absolute, so that it means the same from another working folder.
    fn whole_class_path(&self, classes: Option<&Path>) -> Result<String, String> {
        let here = std::env::current_dir().map_err(|error| format!("working folder: {error}"))?;
        let mut whole: Vec<String> =
            classes.into_iter().map(|path| path.display().to_string()).collect();
        whole.push(class_path::absolute(self.class_path, &here));
        if !self.junit.is_empty() {
            whole.push(class_path::absolute(self.junit, &here));
        }
        Ok(whole.join(":"))
    }

    /// Runs the tests where they find no file of the user's by chance, and leave none.
    fn run(
        &self,
        sources: &[SourceFile],
        runs: Runs,
        classes: &Path,
        folder: &Path,
    ) -> Result<Vec<Disagreement>, String> {
        let mut names: Vec<String> = Vec::new();
        for source in sources {
            names.extend(
                source.tests.iter().map(|test| format!("{}#{}", source.class, test.method)),
            );
        }
        if runs == Runs::ThereAndBack {
            names.extend(names.clone().into_iter().rev());
        }
        let list = folder.join("tests.txt");
        files::write(&list, &names.join("\n"))?;
        let class_path = self.whole_class_path(Some(classes))?;
        let mut java = Command::new(self.home.join("bin/java"));
        Place::new(&folder.join("place"))?.is_where(&mut java);
        java.args([
            "-XX:TieredStopAtLevel=1",
            "-Xshare:auto",
            "-XX:-UsePerfData",
            "-cp",
            &class_path,
            runner::CLASS,
            runner::framework(self.framework),
        ]);
        java.arg(&list).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let said = finish(&mut java, LIMIT)?;
        Ok(failures(&names, runs, &said))
    }
}

/// The tests that did not pass each time, as the runner tells it line by line.
fn failures(names: &[String], runs: Runs, said: &str) -> Vec<Disagreement> {
    let mut verdicts = said.lines().filter_map(|line| line.split_once('\t'));
    let mut failed: Vec<Disagreement> = Vec::new();
    for name in names {
        let verdict = verdicts.find(|(test, _)| test == name).map(|(_, verdict)| verdict);
        let reason = match verdict {
            Some("passed") => continue,
            Some(verdict) => verdict.trim_start_matches("failed ").to_owned(),
            None => "did not come to its end".to_owned(),
        };
        let (class, method) = name.split_once('#').unwrap_or((name, ""));
        if !failed.iter().any(|one| one.class == class && one.method == method) {
            let (class, method) = (class.to_owned(), method.to_owned());
            failed.push(Disagreement { class, method, reason });
        }
        if verdict.is_none() && runs == Runs::ThereAndBack {
            break;
        }
    }
    failed
}

/// The tests that a compiler's messages are about; `None` where one of them is about something else.
fn blame(sources: &[SourceFile], messages: &str) -> Option<Vec<Disagreement>> {
    let mut blamed: Vec<Disagreement> = Vec::new();
    for message in messages.lines() {
        let Some((place, reason)) = message.split_once(": error: ") else { continue };
        let (path, line) = place.rsplit_once(':')?;
        let line: usize = line.parse().ok()?;
        let source = sources.iter().find(|source| path.ends_with(&format!("/{}", source.path)))?;
        let test = source.tests.iter().find(|test| test.lines.contains(&line))?;
        let is_known = |one: &Disagreement| one.class == source.class && one.method == test.method;
        if !blamed.iter().any(is_known) {
            let (class, method) = (source.class.clone(), test.method.clone());
            let reason = format!("{UNCOMPILED}{reason}");
            blamed.push(Disagreement { class, method, reason });
        }
    }
    (!blamed.is_empty()).then_some(blamed)
}

/// What a program writes until it ends or its time is up.
pub(crate) fn finish(command: &mut Command, limit: Duration) -> Result<String, String> {
    let program = command.get_program().to_string_lossy().into_owned();
    let mut child = command.spawn().map_err(|error| format!("{program}: {error}"))?;
    let mut stdout = child.stdout.take();
    let reader = std::thread::spawn(move || {
        let mut text = Vec::new();
        if let Some(stdout) = &mut stdout {
            let _ = stdout.read_to_end(&mut text);
        }
        text
    });
    let start = Instant::now();
    loop {
        match child.try_wait() {
            Ok(Some(_)) => break,
            Ok(None) if start.elapsed() < limit => std::thread::sleep(Duration::from_millis(2)),
            _ => {
                let _ = child.kill();
                let _ = child.wait();
                break;
            }
        }
    }
    let text = reader.join().unwrap_or_default();
    Ok(String::from_utf8_lossy(&text).into_owned())
}

/// The jars of a framework: none are needed where the user's own class path has it, else those that
/// the system has.
pub(crate) fn junit_jars(
    framework: Framework,
    class_path: &classfile::ClassPath,
) -> Result<String, String> {
    let (marker, jars): (&str, &[&str]) = match framework {
        Framework::JUnit5 => (
            "org/junit/jupiter/api/Test.class",
            &[
                "junit-jupiter-api.jar",
                "junit-platform-commons.jar",
                "opentest4j.jar",
                "apiguardian-api.jar",
                "junit-jupiter-engine.jar",
                "junit-platform-engine.jar",
                "junit-platform-launcher.jar",
            ],
        ),
        Framework::JUnit4 | Framework::JUnit4Before13 => {
            ("org/junit/Test.class", &["junit4.jar", "hamcrest.jar"])
        }
        Framework::JUnit3 => ("junit/framework/TestCase.class", &["junit4.jar", "hamcrest.jar"]),
    };
    if class_path.find(marker, 17).is_some() {
        return Ok(String::new());
    }
    let folder = Path::new("/usr/share/java");
    let found: Vec<String> = jars
        .iter()
        .map(|jar| folder.join(jar))
        .filter(|jar| jar.is_file())
        .map(|jar| jar.display().to_string())
        .collect();
    match found.first() {
        Some(_) => Ok(found.join(":")),
        None => Err(format!(
            "tests cannot be checked: {} is not on the class path\nhint: name JUnit's jars with --test-classpath, or leave the check out with --no-verify",
            marker.trim_end_matches(".class").replace('/', ".")
        )),
    }
}

#[cfg(test)]
mod tests {
    use emit::junit::{Placed, SourceFile};

    use super::{Runs, blame, failures};

    fn sources() -> Vec<SourceFile> {
        let placed = |idx, lines| Placed { idx, method: format!("test{idx}"), lines };
        vec![SourceFile {
            path: "p/CartTest.java".to_owned(),
            text: String::new(),
            class: "p.CartTest".to_owned(),
            tests: vec![placed(0, 8..12), placed(1, 13..20)],
        }]
    }

    #[test]
    fn a_compilers_message_is_about_the_test_in_whose_lines_it_falls() {
        let messages = "/tmp/x/p/CartTest.java:14: error: no\n  code();\n  ^\n/tmp/x/p/CartTest.java:15: error: nor this\n2 errors\n";
        let blamed = blame(&sources(), messages).expect("all are about tests");
        assert_eq!(blamed.len(), 1);
        assert_eq!(blamed[0].method, "test1");
        assert_eq!(blamed[0].reason, "does not compile: no");
    }

    #[test]
    fn a_message_about_no_test_blames_none() {
        assert!(blame(&sources(), "/tmp/x/p/CartTest.java:3: error: import\n").is_none());
        assert!(blame(&sources(), "/tmp/x/p/Other.java:9: error: no\n").is_none());
        assert!(blame(&sources(), "error: invalid flag\n").is_none());
        assert!(blame(&sources(), "").is_none());
    }

    #[test]
    fn a_test_must_pass_each_time_and_those_behind_an_endless_one_are_not_blamed() {
        let names: Vec<String> =
            ["A#x", "A#y", "A#z", "A#z", "A#y", "A#x"].map(str::to_owned).into();
        let failed = failures(
            &names,
            Runs::ThereAndBack,
            "A#x\tpassed\nA#y\tpassed\nA#z\tpassed\nA#z\tpassed\nA#y\tfailed no\nA#x\tpassed\n",
        );
        assert_eq!(failed.len(), 1);
        assert_eq!((failed[0].method.as_str(), failed[0].reason.as_str()), ("y", "no"));
        let failed = failures(&names, Runs::ThereAndBack, "A#x\tpassed\n");
        assert_eq!(failed.len(), 1);
        assert_eq!((failed[0].class.as_str(), failed[0].method.as_str()), ("A", "y"));
    }
}
