//! Runs a command with a time limit and captures what it did.

use std::io::{self, Read, Write};
use std::process::{Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// Output past this size is cut and the writer is stopped by its closed pipe.
const OUTPUT_LIMIT: u64 = 8 << 20;

/// What a finished command did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finished {
    /// Everything written to standard output.
    pub stdout: Vec<u8>,
    /// Everything written to standard error.
    pub stderr: Vec<u8>,
    /// How it ended.
    pub end: End,
}

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// With an exit code.
    Exit(i32),
    /// By a signal.
    Signal(i32),
    /// It was stopped at the time limit.
    TimeLimit,
}

impl std::fmt::Display for End {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            End::Exit(code) => write!(f, "exit code {code}"),
            End::Signal(signal) => write!(f, "signal {signal}"),
            End::TimeLimit => write!(f, "time limit"),
        }
    }
}

/// Runs the command to its end or to the limit.
pub fn run(command: &mut Command, stdin: &str, limit: Duration) -> io::Result<Finished> {
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let deadline = Instant::now() + limit;
    if let Some(mut pipe) = child.stdin.take() {
        // A program that never reads its input may end first; that is its right.
        let _ = pipe.write_all(stdin.as_bytes());
    }
    let stdout = capture(child.stdout.take());
    let stderr = capture(child.stderr.take());
    let mut pause = Duration::from_micros(500);
    let end = loop {
        if let Some(status) = child.try_wait()? {
            break end_of(status);
        }
        if Instant::now() >= deadline {
            child.kill()?;
            child.wait()?;
            break End::TimeLimit;
        }
        thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(10));
    };
    Ok(Finished { stdout: collected(stdout), stderr: collected(stderr), end })
}

fn capture(pipe: Option<impl Read + Send + 'static>) -> thread::JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(pipe) = pipe {
            // What was read before a failure still counts.
            let _ = pipe.take(OUTPUT_LIMIT).read_to_end(&mut bytes);
        }
        bytes
    })
}

fn collected(reader: thread::JoinHandle<Vec<u8>>) -> Vec<u8> {
    reader.join().unwrap_or_default()
}

#[cfg(unix)]
fn end_of(status: ExitStatus) -> End {
    use std::os::unix::process::ExitStatusExt;
    match (status.code(), status.signal()) {
        (Some(code), _) => End::Exit(code),
        (None, Some(signal)) => End::Signal(signal),
        (None, None) => End::Exit(-1),
    }
}

#[cfg(not(unix))]
fn end_of(status: ExitStatus) -> End {
    End::Exit(status.code().unwrap_or(-1))
}

#[cfg(all(test, unix))]
mod tests {
    use super::{End, run};
    use std::process::Command;
    use std::time::Duration;

    fn shell(script: &str, stdin: &str, millis: u64) -> super::Finished {
        let mut command = Command::new("sh");
        command.arg("-c").arg(script);
        run(&mut command, stdin, Duration::from_millis(millis)).expect("sh starts")
    }

    #[test]
    fn run_captures_both_streams_and_the_exit_code() {
        let finished = shell("cat; echo err >&2; exit 3", "in\n", 10_000);
        assert_eq!(finished.stdout, b"in\n");
        assert_eq!(finished.stderr, b"err\n");
        assert_eq!(finished.end, End::Exit(3));
    }

    #[test]
    fn run_stops_a_command_at_the_time_limit() {
        assert_eq!(shell("exec sleep 30", "", 50).end, End::TimeLimit);
    }

    #[test]
    fn run_reports_the_signal_that_ended_a_command() {
        assert_eq!(shell("kill -6 $$", "", 10_000).end, End::Signal(6));
    }
}
