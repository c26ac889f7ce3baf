//! Runs a reduced test class on the user's real JVM under the user's JUnit, and compares how it fails.

use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

use observe::junit::{Failure, Plan};

use super::failure::Cause;
use super::scope::Scope;
use super::trial::Candidate;
use crate::files;
use crate::verify::{finish, private_temporary};

/// Time that one test class may take.
const LIMIT: Duration = Duration::from_secs(120);

/// Runs a class with the JUnit that its first argument names, and prints what each failed test threw: a line
/// `failed`, the class, the message, the stack trace, and a line with a dot.
const PROGRAM: &str = r#"
import java.io.*;
import java.lang.reflect.*;
import java.util.*;

public final class NonpareilFailures {
    static PrintStream out;

    public static void main(String[] arguments) throws Throwable {
        out = new PrintStream(new FileOutputStream(FileDescriptor.out), false, "UTF-8");
        System.setOut(new PrintStream(OutputStream.nullOutputStream()));
        System.setErr(new PrintStream(OutputStream.nullOutputStream()));
        switch (arguments[0]) {
            case "platform": platform(arguments[1]); break;
            case "junit4": junit4(arguments[1]); break;
            default: junit3(arguments[1]);
        }
        out.println("end");
        out.flush();
        Runtime.getRuntime().halt(0);
    }

    static void failed(Throwable thrown) {
        StringWriter trace = new StringWriter();
        thrown.printStackTrace(new PrintWriter(trace));
        String message = thrown.getMessage();
        out.println("failed\n" + thrown.getClass().getName());
        out.println(message == null ? "-" : "+" + message.replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r"));
        out.println(trace.toString().replace("\r", "") + ".");
    }

    static void platform(String name) throws Throwable {
        String api = "org.junit.platform.launcher.";
        Class<?> builderClass = Class.forName(api + "core.LauncherDiscoveryRequestBuilder");
        Object builder = builderClass.getMethod("request").invoke(null);
        Object selector = Class.forName("org.junit.platform.engine.discovery.DiscoverySelectors")
            .getMethod("selectClass", String.class).invoke(null, name);
        builderClass.getMethod("selectors", List.class).invoke(builder, List.of(selector));
        Object request = builderClass.getMethod("build").invoke(builder);
        Class<?> listenerClass = Class.forName(api + "TestExecutionListener");
        Object listener = Proxy.newProxyInstance(listenerClass.getClassLoader(), new Class<?>[] {listenerClass},
            (proxy, method, values) -> {
                switch (method.getName()) {
                    case "hashCode": return 1;
                    case "equals": return proxy == values[0];
                    case "toString": return "listener";
                    case "executionFinished":
                        Object thrown = ((Optional<?>) values[1].getClass().getMethod("getThrowable").invoke(values[1]))
                            .orElse(null);
                        if (thrown != null) failed((Throwable) thrown);
                        return null;
                    default: return null;
                }
            });
        Object listeners = Array.newInstance(listenerClass, 1);
        Array.set(listeners, 0, listener);
        Object launcher = Class.forName(api + "core.LauncherFactory").getMethod("create").invoke(null);
        Class.forName(api + "Launcher").getMethod("execute", Class.forName(api + "LauncherDiscoveryRequest"),
            listeners.getClass()).invoke(launcher, request, listeners);
    }

    static void junit4(String name) throws Throwable {
        Object result = Class.forName("org.junit.runner.JUnitCore").getMethod("runClasses", Class[].class)
            .invoke(null, (Object) new Class<?>[] {Class.forName(name)});
        for (Object failure : (List<?>) result.getClass().getMethod("getFailures").invoke(result)) {
            failed((Throwable) failure.getClass().getMethod("getException").invoke(failure));
        }
    }

    static void junit3(String name) throws Throwable {
        Class<?> resultClass = Class.forName("junit.framework.TestResult");
        Object result = resultClass.getConstructor().newInstance();
        Class<?> suiteClass = Class.forName("junit.framework.TestSuite");
        Object suite = suiteClass.getConstructor(Class.class).newInstance(Class.forName(name));
        suiteClass.getMethod("run", resultClass).invoke(suite, result);
        for (String kind : new String[] {"errors", "failures"}) {
            for (Object failure : Collections.list((Enumeration<?>) resultClass.getMethod(kind).invoke(result))) {
                failed((Throwable) failure.getClass().getMethod("thrownException").invoke(failure));
            }
        }
    }
}
"#;

/// The real JVM.
pub(super) struct RealJvm {
    pub(super) home: PathBuf,
    /// Compiled candidate, suite, classes under test, JUnit.
    pub(super) class_path: String,
    /// For what is needed for a moment.
    pub(super) folder: PathBuf,
    /// System properties, as the machine has them.
    pub(super) properties: Vec<(String, String)>,
    /// Whether `assert` is on, as on the machine.
    pub(super) enable_assertions: bool,
}

impl RealJvm {
    /// Whether the class, compiled before, fails there for the same cause; if not, how else.
    pub(super) fn confirm(
        &self,
        scope: &Scope,
        candidate: &Candidate,
        plan: &Plan,
        wanted: &Cause,
    ) -> Result<Result<(), String>, String> {
        let framework = match plan {
            Plan { platform, available, .. } if !platform.is_empty() => {
                if !available.launcher {
                    let missing = "junit-platform-launcher is not on the class path, so the real JVM was not asked";
                    return Ok(Err(missing.to_owned()));
                }
                "platform"
            }
            Plan { junit4, .. } if !junit4.is_empty() => "junit4",
            _ => "junit3",
        };
        let program = self.folder.join("NonpareilFailures.java");
        files::write(&program, PROGRAM)?;
        let mut java = Command::new(self.home.join("bin/java"));
        java.args(["-XX:TieredStopAtLevel=1", "-Xshare:auto", "-cp", &self.class_path]);
        // The tests are the user's own and find their files where they always do, but leave nothing behind.
        java.arg(private_temporary(&self.folder)?);
        java.args(self.properties.iter().map(|(name, value)| format!("-D{name}={value}")));
        if self.enable_assertions {
            java.arg("-ea");
        }
        java.arg(&program).args([framework, &candidate.class]);
        java.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        java.process_group(0);
        let said = finish(&mut java, LIMIT)?;
        if !said.lines().any(|line| line == "end") {
            return Ok(Err("it did not come to its end on the real JVM".to_owned()));
        }
        let failures = failures(&said);
        let causes: Vec<Cause> =
            failures.iter().map(|failure| candidate.cause(scope, failure, None)).collect();
        if causes.iter().any(|cause| cause.is_like_without_call(wanted)) {
            return Ok(Ok(()));
        }
        Ok(Err(match causes.first() {
            None => "it passes on the real JVM".to_owned(),
            Some(cause) => {
                format!("on the real JVM it fails with {} at {}", cause.exception, cause.place)
            }
        }))
    }
}

/// What the program said.
fn failures(said: &str) -> Vec<Failure> {
    let mut failures = Vec::new();
    let mut lines = said.lines();
    while let Some(line) = lines.next() {
        if line != "failed" {
            continue;
        }
        let class = lines.next().unwrap_or_default().to_owned();
        let message = lines.next().and_then(|line| line.strip_prefix('+')).map(unescaped);
        let trace: Vec<&str> = lines.by_ref().take_while(|line| *line != ".").collect();
        failures.push(Failure { class, message, trace: trace.join("\n") });
    }
    failures
}

fn unescaped(line: &str) -> String {
    let mut text = String::new();
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some('n') => text.push('\n'),
                Some('r') => text.push('\r'),
                Some(other) => text.push(other),
                None => {}
            },
            other => text.push(other),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::failures;

    #[test]
    fn failures_come_out_of_what_the_program_says() {
        let said = "failed\na.B\n+one\\ntwo\\\\\na.B: one\n\ttwo\n\tat x.Y.z(Y.java:1)\n.\nfailed\nc.D\n-\nc.D\n.\nend\n";
        let found = failures(said);
        assert_eq!(found.len(), 2);
        assert_eq!(found[0].message.as_deref(), Some("one\ntwo\\"));
        assert!(found[0].trace.ends_with("at x.Y.z(Y.java:1)"));
        assert_eq!((found[1].class.as_str(), &found[1].message), ("c.D", &None));
    }
}
