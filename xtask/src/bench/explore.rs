//! Exploring states: ours beside the same exploration written by hand in Rust, and rates of calls.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::native_stack;

pub(super) const CLASSES: &str = "target/bench-subjects";
/// Arguments of the unique stack, and iterations that expand every state.
const STACK: u32 = 10;
const JOBS: usize = 2;

/// Prints and gives the table.
pub(super) fn run(binary: &str, java_home: &Path) -> Result<String, String> {
    compile(java_home)?;
    let mut text = String::from("## Exploring states\n\n");
    super::line(&mut text, "| what | states | calls | seconds | MB | per second and core |");
    super::line(&mut text, "|---|---|---|---|---|---|");
    let numbers = |n: u32| (1..=n).map(|k| k.to_string()).collect::<Vec<_>>().join(",");
    let push = format!("push={}", numbers(STACK));
    let iterations = (STACK + 1).to_string();
    let stack = explore(
        binary,
        java_home,
        &["--class", "subjects.UniqueIntStack", "--methods", "push", "--arguments", &push],
        &iterations,
        JOBS,
    )?;
    super::line(&mut text, &stack.row("unique stack of 10, two threads", JOBS));
    let start = Instant::now();
    let native = native_stack::explore(STACK, JOBS);
    let seconds = start.elapsed().as_secs_f64();
    if native != stack.states {
        return Err(format!("{native} states by hand, {} by nonpareil", stack.states));
    }
    let row = format!("| the same by hand in Rust, two threads | {native} | | {seconds:.2} | | |");
    super::line(&mut text, &row);
    let put = format!("put={};v", numbers(8));
    let remove = format!("remove={}", numbers(8));
    let map = ["--class", "java.util.TreeMap", "--methods", "new(),put,remove(Object)"];
    let map = [&map[..], &["--arguments", &put, "--arguments", &remove]].concat();
    let tree = explore(binary, java_home, &map, "8", 1)?;
    super::line(&mut text, &tree.row("java.util.TreeMap, 8 keys, with start of the process", 1));
    let int = ["--class", "subjects.IntStack", "--methods", "push,pop,isEmpty"];
    let int = [&int[..], &["--arguments", "push=1,2,3,4,5,6"]].concat();
    super::line(&mut text, &explore(binary, java_home, &int, "7", 1)?.row("IntStack", 1));
    let tree = explore(binary, java_home, &map, "10", 1)?;
    super::line(&mut text, &tree.row("java.util.TreeMap", 1));
    let list = ["--class", "java.util.LinkedList", "--methods"];
    let methods =
        "new(),addFirst,addLast,removeFirst,removeLast,getFirst,getLast,size,indexOf,contains";
    let list = [&list[..], &[methods, "--arguments", "Object=1,2,3"]].concat();
    super::line(
        &mut text,
        &explore(binary, java_home, &list, "9", 1)?.row("java.util.LinkedList", 1),
    );
    let ratio = format!(
        "\nThe unique stack takes {:.1}x the time of the exploration by hand.\n",
        stack.seconds / seconds
    );
    super::line(&mut text, &ratio);
    Ok(text)
}

struct Explored {
    states: usize,
    calls: usize,
    /// Of the whole process.
    seconds: f64,
    /// Of the exploration alone.
    exploring: f64,
    megabytes: f64,
}

impl Explored {
    #[expect(clippy::cast_precision_loss, reason = "a rate for people")]
    fn row(&self, what: &str, jobs: usize) -> String {
        let rate = self.calls as f64 / self.exploring / jobs as f64;
        format!(
            "| {what} | {} | {} | {:.2} | {:.0} | {rate:.0} |",
            self.states, self.calls, self.seconds, self.megabytes
        )
    }
}

pub(super) fn compile(java_home: &Path) -> Result<(), String> {
    fs::create_dir_all(CLASSES).map_err(|error| format!("{CLASSES}: {error}"))?;
    let sources: Vec<_> = super::sources("fixtures/subjects/src/subjects")?;
    let javac = Command::new(java_home.join("bin/javac"))
        .args(["-g", "-nowarn", "-d", CLASSES])
        .args(sources)
        .output()
        .map_err(|error| format!("javac: {error}"))?;
    if javac.status.success() {
        return Ok(());
    }
    Err(format!("javac failed:\n{}", String::from_utf8_lossy(&javac.stderr)))
}

fn explore(
    binary: &str,
    java_home: &Path,
    options: &[&str],
    iterations: &str,
    jobs: usize,
) -> Result<Explored, String> {
    let start = Instant::now();
    let mut child = Command::new(binary)
        .args(["generate", "--count", "--format", "json", "--classpath", CLASSES, "--jdk"])
        .arg(java_home)
        .args(["--max-states", "1000000000", "--iterations", iterations])
        .args(["--jobs", &jobs.to_string()])
        .args(options)
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| format!("{binary}: {error}"))?;
    let status = format!("/proc/{}/status", child.id());
    let mut kilobytes = 0.0_f64;
    while child.try_wait().map_err(|error| error.to_string())?.is_none() {
        kilobytes = kilobytes.max(peak(&status));
        std::thread::sleep(Duration::from_millis(5));
    }
    let seconds = start.elapsed().as_secs_f64();
    let output = child.wait_with_output().map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let figure = |name: &str| -> Result<f64, String> {
        let start = format!("\"{name}\": ");
        let line = text.lines().find_map(|line| line.trim().strip_prefix(&start));
        let figure = line.and_then(|figure| figure.trim_end_matches(',').parse().ok());
        figure.ok_or_else(|| format!("no {name} in what {binary} said:\n{text}"))
    };
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "counts are whole and small"
    )]
    Ok(Explored {
        states: figure("states")? as usize,
        calls: figure("calls")? as usize,
        seconds,
        exploring: figure("seconds")?,
        megabytes: kilobytes / 1024.0,
    })
}

/// The most memory that a process has had so far.
fn peak(status: &str) -> f64 {
    let text = fs::read_to_string(status).unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|rest| rest.trim().trim_end_matches(" kB").parse().ok()).unwrap_or(0.0)
}
