//! Runs emitted tests on the user's real JVM: what does not compile or does not pass there is not
//! shipped.
//!
//! The tests are compiled with the JDK's own `javac` against the JUnit that the user has, and each is run
//! by it through a small program that is compiled along with them.

mod compiler;
mod place;
mod runner;
mod verdict;

use std::collections::HashSet;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use classfile::ClassPath;
use emit::junit::{Framework, SourceFile};

use crate::class_path;
use crate::files::{self, TemporaryFolder};
use place::Place;
use verdict::{Verdict, ran, told};

pub(crate) use compiler::Compiler;
pub(crate) use place::private_temporary;

/// Time that all tests of one class path may take.
const LIMIT: Duration = Duration::from_secs(600);
/// Seconds after which a test stands still: one that is to pass, and one that is to fail and may wait for 10
/// seconds until it does.
const LONGEST: u32 = 10;
const LONGEST_WAIT: u32 = 30;
/// How often the JVM is started again behind a test that does not come to its end.
const MOST_STARTS: usize = 20;
/// Bytes of objects that a JVM has at least, and that one has which waits beside others.
const LEAST_MEMORY: usize = 256 << 20;
/// JVMs that wait side by side for tests which fail by taking too long.
const MOST_WAITING: usize = 8;

/// A test that the real JVM disagrees about.
#[derive(Debug, Clone)]
pub(crate) struct Disagreement {
    /// The class with dots.
    pub(crate) class: String,
    /// The test method.
    pub(crate) method: String,
    /// What happened there.
    pub(crate) reason: String,
    /// Whether the test came to an end there.
    pub(crate) has_ended: bool,
}

/// How tests run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Runs {
    /// Once each, as they stand, but those named here, as `class#method`, beside the others: they may wait for
    /// long.
    Once(HashSet<String>),
    /// On one JVM, as they stand and then backwards; each must pass both times.
    ThereAndBack,
}

/// What came of running tests.
#[derive(Default)]
pub(crate) struct Ran {
    /// Those that did not do as they must.
    pub(crate) failed: Vec<Disagreement>,
    /// Those that did not run each time they were to: others took all the time.
    pub(crate) left: Vec<Disagreement>,
}

/// A folder in which tests are compiled and run. What was compiled once stays there.
pub(crate) struct Bench<'a> {
    real: &'a RealJvm<'a>,
    folder: TemporaryFolder,
    has_runner: bool,
    n_runs: usize,
}

/// Errors that the compiler tells of, at most; by itself it would stop at a hundred.
const MOST_ERRORS: &str = "100000";
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
    /// The compiler.
    pub(crate) compiler: Compiler,
    /// Bytes of objects that tests may have.
    pub(crate) memory: usize,
}

impl RealJvm<'_> {
    /// Where tests can be compiled and run.
    pub(crate) fn bench(&self) -> Result<Bench<'_>, String> {
        Ok(Bench { real: self, folder: TemporaryFolder::new()?, has_runner: false, n_runs: 0 })
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
}

impl Bench<'_> {
    /// Compiles tests, again where their sources are other ones now; gives those that the compiler refuses, and
    /// then none is compiled. A compiler's message about no test is an error.
    pub(crate) fn compile(&mut self, sources: &[SourceFile]) -> Result<Vec<Disagreement>, String> {
        let folder = &self.folder.path;
        let classes = folder.join("classes");
        let mut paths: Vec<PathBuf> = Vec::new();
        for source in sources {
            let path = folder.join("sources").join(&source.path);
            files::write(&path, &source.text)?;
            paths.push(path);
        }
        let class_path = self.real.whole_class_path(None)?;
        if !self.has_runner {
            let known = ClassPath::parse(&class_path).map_err(|error| error.to_string())?;
            for (name, source) in runner::sources(&known) {
                let path = folder.join("sources").join(name);
                files::write(&path, source)?;
                paths.push(path);
            }
        }
        std::fs::create_dir_all(&classes).map_err(|error| error.to_string())?;
        let list = folder.join("sources.txt");
        let quoted: Vec<String> =
            paths.iter().map(|path| format!("\"{}\"", path.display())).collect();
        files::write(&list, &quoted.join("\n"))?;
        let options =
            ["-g", "-nowarn", "-encoding", "UTF-8", "-proc:none", "-Xmaxerrs", MOST_ERRORS, "-d"];
        let mut options: Vec<String> = options.map(str::to_owned).into();
        options.push(classes.display().to_string());
        options.extend(["-cp".to_owned(), class_path, format!("@{}", list.display())]);
        if let Some(messages) = self.real.compiler.compile(self.real.home, &options, folder)? {
            return blame(sources, &messages).ok_or_else(|| {
                let first: Vec<&str> = messages.lines().take(20).collect();
                format!("the tests do not compile:\n{}", first.join("\n"))
            });
        }
        self.has_runner = true;
        Ok(Vec::new())
    }

    /// Runs tests that were compiled.
    pub(crate) fn run(&mut self, sources: &[SourceFile], runs: &Runs) -> Result<Ran, String> {
        self.n_runs += 1;
        let mut names: Vec<String> = Vec::new();
        for source in sources {
            names.extend(
                source.tests.iter().map(|test| format!("{}#{}", source.class, test.method)),
            );
        }
        let waiting = match runs {
            Runs::Once(waiting) => waiting,
            Runs::ThereAndBack => {
                names.extend(names.clone().into_iter().rev());
                let verdicts = self.verdicts(&names, LONGEST, self.real.memory, "all")?;
                return Ok(ran(&names, &verdicts));
            }
        };
        let (slow, quick): (Vec<String>, Vec<String>) =
            names.into_iter().partition(|name| waiting.contains(name));
        let n_slow = slow.len().min(MOST_WAITING);
        let mut parts: Vec<Vec<String>> = vec![Vec::new(); n_slow];
        for (idx, name) in slow.into_iter().enumerate() {
            parts[idx % n_slow].push(name);
        }
        parts.push(quick);
        let parts = &parts;
        let run = |idx: usize, part: &[String]| {
            let memory = if idx < n_slow { LEAST_MEMORY } else { self.real.memory };
            self.verdicts(part, LONGEST_WAIT, memory, &format!("part{idx}"))
        };
        let run = &run;
        let verdicts: Result<Vec<_>, String> = thread::scope(|scope| {
            let parts = parts.iter().enumerate();
            let running: Vec<_> =
                parts.map(|(idx, part)| scope.spawn(move || run(idx, part))).collect();
            let joined = running.into_iter().map(|one| match one.join() {
                Ok(verdicts) => verdicts,
                Err(panic) => std::panic::resume_unwind(panic),
            });
            joined.collect()
        });
        let mut all = Ran::default();
        for (names, verdicts) in parts.iter().zip(verdicts?) {
            let Ran { failed, left } = ran(names, &verdicts);
            all.failed.extend(failed);
            all.left.extend(left);
        }
        Ok(all)
    }

    /// How tests end that run one after the other. Where one does not come to its end, a JVM is started anew
    /// behind it; the last ones may be missing.
    fn verdicts(
        &self,
        names: &[String],
        longest: u32,
        memory: usize,
        folder: &str,
    ) -> Result<Vec<Option<Verdict>>, String> {
        let mut verdicts: Vec<Option<Verdict>> = vec![None; names.len()];
        let start = Instant::now();
        for number in 0..MOST_STARTS {
            let endless = names.iter().zip(&verdicts).filter_map(|(name, verdict)| {
                matches!(verdict, Some(Verdict::NoEnd(_))).then_some(name.as_str())
            });
            let endless: HashSet<&str> = endless.collect();
            let is_next =
                |idx: &usize| verdicts[*idx].is_none() && !endless.contains(names[*idx].as_str());
            let next: Vec<usize> = (0..names.len()).filter(is_next).collect();
            let left = LIMIT.saturating_sub(start.elapsed());
            if next.is_empty() || left.is_zero() {
                break;
            }
            let list: Vec<&str> = next.iter().map(|&idx| names[idx].as_str()).collect();
            let place = format!("{}-{folder}-{number}", self.n_runs);
            let place = self.folder.path.join(place);
            let said = self.run_in(&place, &list, (longest, memory), left)?;
            for (idx, verdict) in next.into_iter().zip(told(&list, &said)) {
                verdicts[idx] = verdict;
            }
        }
        Ok(verdicts)
    }

    /// Runs the tests where they find no file of the user's by chance, and leave none.
    fn run_in(
        &self,
        place: &Path,
        names: &[&str],
        (longest, memory): (u32, usize),
        limit: Duration,
    ) -> Result<String, String> {
        let list = place.join("tests.txt");
        files::write(&list, &names.join("\n"))?;
        let class_path = self.real.whole_class_path(Some(&self.folder.path.join("classes")))?;
        let mut java = Command::new(self.real.home.join("bin/java"));
        Place::new(place)?.is_where(&mut java);
        java.arg(format!("-Xmx{}m", memory.max(LEAST_MEMORY) >> 20));
        java.args([
            "-XX:TieredStopAtLevel=1",
            "-Xshare:auto",
            "-XX:-UsePerfData",
            "-cp",
            &class_path,
            runner::CLASS,
            runner::framework(self.real.framework),
        ]);
        java.arg(&list).arg(longest.to_string());
        java.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        finish(&mut java, limit)
    }
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
            blamed.push(Disagreement { class, method, reason, has_ended: false });
        }
    }
    (!blamed.is_empty()).then_some(blamed)
}

/// What a program writes until it ends or its time is up.
pub(crate) fn finish(command: &mut Command, limit: Duration) -> Result<String, String> {
    let program = command.get_program().to_string_lossy().into_owned();
    let mut child = command.spawn().map_err(|error| format!("{program}: {error}"))?;
    let mut stdout = child.stdout.take();
    let reader = thread::spawn(move || {
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
            Ok(None) if start.elapsed() < limit => thread::sleep(Duration::from_millis(2)),
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
pub(crate) fn junit_jars(framework: Framework, class_path: &ClassPath) -> Result<String, String> {
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
    use emit::junit::{Framework, Placed, SourceFile};

    use super::verdict::{Verdict, ran};
    use super::{Compiler, RealJvm, blame};

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
    fn a_test_that_stands_still_is_left_out_and_the_others_run() {
        let jdk = testkit::jdk::installed().into_iter().next().expect("a JDK");
        let text = "class WaitTest {
            void first() {}
            void waits() throws Exception { new java.util.concurrent.Semaphore(0).acquire(); }
            void ends() { Runtime.getRuntime().halt(1); }
            void last() {}
            void fails() { throw new IllegalStateException(\"no\"); }
        }";
        let methods = ["first", "waits", "ends", "last", "fails"];
        let placed = |method: &str| Placed { idx: 0, method: method.to_owned(), lines: 1..2 };
        let sources = [SourceFile {
            path: "WaitTest.java".to_owned(),
            text: text.to_owned(),
            class: "WaitTest".to_owned(),
            tests: methods.map(placed).into(),
        }];
        let real = RealJvm {
            home: &jdk.home,
            class_path: "",
            junit: "",
            framework: Framework::JUnit5,
            compiler: Compiler::default(),
            memory: 256 << 20,
        };
        let mut tests = real.bench().expect("there is room");
        // The second time by the compiler that stays.
        for _ in 0..2 {
            let refused = tests.compile(&sources).expect("there is a compiler");
            assert!(refused.is_empty());
        }
        let mut names: Vec<String> =
            methods.iter().map(|name| format!("WaitTest#{name}")).collect();
        names.extend(names.clone().into_iter().rev());
        let verdicts = tests.verdicts(&names, 1, real.memory, "all").expect("there is a JVM");
        assert_eq!(verdicts[0], Some(Verdict::Passed));
        assert_eq!(verdicts[3], Some(Verdict::Passed));
        let ran = ran(&names, &verdicts);
        let failed: Vec<(&str, &str)> =
            ran.failed.iter().map(|one| (one.method.as_str(), one.reason.as_str())).collect();
        let expected = [
            ("waits", "stands still on the real JVM"),
            ("ends", "did not come to its end"),
            ("fails", "java.lang.IllegalStateException: no"),
        ];
        assert_eq!(failed, expected);
    }

    #[test]
    fn a_test_that_takes_all_memory_has_failed_and_the_others_run() {
        let jdk = testkit::jdk::installed().into_iter().next().expect("a JDK");
        let class_path = classfile::ClassPath::parse("").expect("nothing is wrong with it");
        let junit = super::junit_jars(Framework::JUnit5, &class_path).expect("JUnit");
        let methods = ["first", "takes", "last"];
        let mut text = "class MemoryTest {".to_owned();
        for method in methods {
            let body = if method == "takes" { "throw new OutOfMemoryError(\"no\");" } else { "" };
            text += &format!("@org.junit.jupiter.api.Test void {method}() {{ {body} }}");
        }
        let placed = |method: &str| Placed { idx: 0, method: method.to_owned(), lines: 1..2 };
        let sources = [SourceFile {
            path: "MemoryTest.java".to_owned(),
            text: text + "}",
            class: "MemoryTest".to_owned(),
            tests: methods.map(placed).into(),
        }];
        let real = RealJvm {
            home: &jdk.home,
            class_path: "",
            junit: &junit,
            framework: Framework::JUnit5,
            compiler: Compiler::default(),
            memory: 256 << 20,
        };
        let mut tests = real.bench().expect("there is room");
        assert!(tests.compile(&sources).expect("there is a compiler").is_empty());
        let names: Vec<String> = methods.iter().map(|name| format!("MemoryTest#{name}")).collect();
        let verdicts = tests.verdicts(&names, 10, real.memory, "all").expect("there is a JVM");
        let failed = Verdict::Failed("java.lang.OutOfMemoryError: no".to_owned());
        assert_eq!(verdicts, [Verdict::Passed, failed, Verdict::Passed].map(Some));
    }

    #[test]
    fn tests_of_a_class_run_as_they_stand_and_then_backwards() {
        let jdk = testkit::jdk::installed().into_iter().next().expect("a JDK");
        let class_path = classfile::ClassPath::parse("").expect("nothing is wrong with it");
        for (framework, test) in [
            (Framework::JUnit5, "@org.junit.jupiter.api.Test"),
            (Framework::JUnit4, "@org.junit.Test"),
        ] {
            // Another order than that of their names, or of their hashes.
            let methods = ["third", "first", "fifth", "second", "fourth"];
            let mut text = "public class OrderTest { static String ran = \"\";".to_owned();
            for method in methods {
                text += &format!("{test} public void {method}() {{ ran += \"{method} \"; }}");
            }
            // It tells what ran before it.
            text += &format!(
                "{test} public void tells() {{ throw new IllegalStateException(ran); }} }}"
            );
            let placed = |method: &str| Placed { idx: 0, method: method.to_owned(), lines: 1..2 };
            let mut tests: Vec<Placed> = methods.map(placed).into();
            tests.insert(0, placed("tells"));
            let sources = [SourceFile {
                path: "OrderTest.java".to_owned(),
                text,
                class: "OrderTest".to_owned(),
                tests,
            }];
            let junit = super::junit_jars(framework, &class_path).expect("JUnit");
            let real = RealJvm {
                home: &jdk.home,
                class_path: "",
                junit: &junit,
                framework,
                compiler: Compiler::default(),
                memory: 256 << 20,
            };
            let mut tests = real.bench().expect("there is room");
            assert!(tests.compile(&sources).expect("there is a compiler").is_empty());
            let names: Vec<String> =
                sources[0].tests.iter().map(|test| format!("OrderTest#{}", test.method)).collect();
            let both: Vec<String> = names.iter().chain(names.iter().rev()).cloned().collect();
            let verdicts = tests.verdicts(&both, 10, real.memory, "all").expect("there is a JVM");
            let failed = |ran: &str| {
                Some(Verdict::Failed(format!("java.lang.IllegalStateException: {ran}")))
            };
            assert_eq!(verdicts[0], failed(""), "{framework:?}");
            let there = "third first fifth second fourth";
            let back = "fourth second fifth first third";
            assert_eq!(verdicts[11], failed(&format!("{there} {back} ")), "{framework:?}");
            assert!(verdicts[1..11].iter().all(|one| *one == Some(Verdict::Passed)));
        }
    }
}
