//! How time and memory of a campaign are spent: the search ends early enough for what is to be done with what it found.
//!
//! How long that takes is guessed from how long the search takes for a sequence, so that a slow computer, or one
//! that has other things to do, ends in time as well. Nothing here counts where the number of sequences decides.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use ::generate::states::{Gathered, Watch};

use crate::watch::Progress;

/// A finding is run about so often as it is seen again and shrunk, in terms of sequences that are drawn; what
/// becomes a test so often.
const RUNS_OF_FINDING: f64 = 500.0;
const RUNS_OF_TEST: f64 = 20.0;
/// The shares of the time that findings and tests may take at most, and what may be overdrawn.
const MOST_FOR_FINDINGS: f64 = 0.3;
const MOST_FOR_TESTS: f64 = 0.2;
const GRACE: Duration = Duration::from_millis(500);
/// One of several may take so many times its equal share of the time that is left.
const MOST_SHARES: u32 = 8;

/// What runs of single sequences may take beside what is kept, and the megabytes of whose multiples enough is one.
const FOR_RUNS: usize = 32 << 20;
const STEP: usize = 32;
/// Beyond this part of the memory it is short: what comes after the search needs some too.
const MOST_OF_MEMORY: f64 = 0.7;

/// What is kept back of the time.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Reserve {
    findings: Duration,
    tests: Duration,
}

/// Watches a search and what comes after it.
pub(super) struct Budget<'a> {
    pub(super) progress: &'a Progress,
    /// Time in all, where time decides.
    limit: Option<Duration>,
    n_workers: usize,
    /// Bytes that the process may take.
    memory: usize,
    /// When the search itself began, and what is kept back now.
    now: Mutex<(Option<Duration>, Reserve)>,
}

impl<'a> Budget<'a> {
    /// A budget that began with the progress. Where the number of sequences decides, time does not.
    pub(super) fn new(
        progress: &'a Progress,
        by_number: bool,
        n_workers: usize,
        memory: usize,
    ) -> Budget<'a> {
        let limit = progress.limit().filter(|_| !by_number);
        Budget { progress, limit, n_workers, memory, now: Mutex::default() }
    }

    /// Until when findings may be shrunk.
    pub(super) fn until_for_findings(&self) -> Option<Instant> {
        let reserve = self.now.lock().map_or(Reserve::default(), |now| now.1);
        Some(self.end()? - reserve.tests)
    }

    /// Time that making tests short may take.
    pub(super) fn left_for_tests(&self) -> Option<Duration> {
        Some(self.end()?.saturating_duration_since(Instant::now()))
    }

    fn end(&self) -> Option<Instant> {
        Some(self.progress.start() + self.limit? + GRACE)
    }
}

impl Watch for Budget<'_> {
    fn is_enough(&self) -> bool {
        if self.progress.is_enough() {
            return true;
        }
        let Some(limit) = self.limit else { return false };
        let Ok(mut now) = self.now.lock() else { return true };
        let elapsed = self.progress.elapsed();
        now.0.get_or_insert(elapsed);
        elapsed + now.1.findings + now.1.tests >= limit
    }

    fn progress(&self, calls: usize, states: usize) {
        self.progress.progress(calls, states);
    }

    fn loaded(&self) {
        if let Some(note) = taken().and_then(|loaded| too_little(self.memory, loaded)) {
            self.progress.note(&note);
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "a share")]
    fn is_memory_short(&self) -> bool {
        taken().is_some_and(|bytes| bytes as f64 > self.memory as f64 * MOST_OF_MEMORY)
    }

    fn gathered(&self, gathered: Gathered) {
        let (Some(limit), Ok(mut now)) = (self.limit, self.now.lock()) else { return };
        let before = now.0.unwrap_or_default();
        let searching = self.progress.elapsed().saturating_sub(before);
        now.1 = reserve(limit, before, searching, self.n_workers, gathered);
    }
}

/// What is said where so much memory may not hold, of which so much is taken once the classes are loaded. Sequences,
/// findings and tests may take as much again, and the memory of what they run.
fn too_little(memory: usize, loaded: usize) -> Option<String> {
    let enough = loaded * 2 + FOR_RUNS;
    (memory < enough).then(|| {
        format!(
            "machine and classes alone take {} MB, so the run may take more than the {} MB of --memory; about {}m is \
             enough",
            loaded >> 20,
            memory >> 20,
            (enough >> 20).next_multiple_of(STEP)
        )
    })
}

/// What to keep back of a time. Before the search came so much, and it has gone on for so long.
fn reserve(
    limit: Duration,
    before: Duration,
    searching: Duration,
    n_workers: usize,
    gathered: Gathered,
) -> Reserve {
    #[expect(clippy::cast_precision_loss, reason = "an estimate")]
    let [sequences, findings, tests, workers] =
        [gathered.sequences, gathered.findings, gathered.tests, n_workers].map(|it| it as f64);
    let of_one = searching.as_secs_f64() / sequences.max(1.0);
    let of_findings = match gathered.findings {
        0 => 0.0,
        // Machines must be prepared again, as before the search; few findings are looked at by one of them.
        _ => before.as_secs_f64() + findings * RUNS_OF_FINDING * of_one * workers,
    };
    let of_tests = tests * RUNS_OF_TEST * of_one;
    // What is short is made up for by what may be overdrawn.
    let kept_back = |seconds: f64, most: f64| {
        let seconds = seconds.min(limit.as_secs_f64() * most);
        Duration::from_secs_f64(seconds).saturating_sub(GRACE / 2)
    };
    Reserve {
        findings: kept_back(of_findings, MOST_FOR_FINDINGS),
        tests: kept_back(of_tests, MOST_FOR_TESTS),
    }
}

/// Bytes of memory that the process takes now, where the system tells.
fn taken() -> Option<usize> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    kilobytes(&text, "VmRSS:").map(|number| number << 10)
}

/// The most bytes of memory that the process took so far, where the system tells.
pub(super) fn most_taken() -> Option<usize> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    kilobytes(&text, "VmHWM:").map(|number| number << 10)
}

/// A number in the description of a process.
fn kilobytes(text: &str, name: &str) -> Option<usize> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.trim().strip_suffix("kB")?.trim().parse().ok()
}

/// Until when the next of so many may go on, where all must end at some time.
pub(super) fn share(until: Instant, n_left: usize) -> Instant {
    let now = Instant::now();
    let left = until.saturating_duration_since(now);
    let share = left / u32::try_from(n_left.max(1)).unwrap_or(u32::MAX);
    now + (share * MOST_SHARES).min(left)
}

/// What the time of a campaign went into.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Spent {
    /// Getting machines and calls ready, and drawing sequences.
    pub(super) search: Duration,
    /// Seeing findings again and making them short.
    pub(super) findings: Duration,
    /// Choosing tests, making them short and seeing them in all worlds; comparing versions.
    pub(super) tests: Duration,
    /// Writing tests, compiling them and running them on the real JVM.
    pub(super) real: Duration,
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use ::generate::states::Gathered;

    use super::{GRACE, MOST_FOR_FINDINGS, MOST_FOR_TESTS, kilobytes, reserve, too_little};

    const SECOND: Duration = Duration::from_secs(1);

    fn gathered(sequences: usize, findings: usize, tests: usize) -> Gathered {
        Gathered { sequences, findings, tests }
    }

    #[test]
    fn a_fast_search_keeps_nothing_back_and_a_slow_one_no_more_than_its_share() {
        let fast = reserve(5 * SECOND, SECOND / 10, 4 * SECOND, 1, gathered(600_000, 1, 40));
        assert_eq!((fast.findings, fast.tests), (Duration::ZERO, Duration::ZERO));
        let slow = reserve(15 * SECOND, 2 * SECOND, 10 * SECOND, 1, gathered(14_000, 44, 3000));
        let most = |share: f64| (15 * SECOND).mul_f64(share) - GRACE / 2;
        let shares = (most(MOST_FOR_FINDINGS), most(MOST_FOR_TESTS));
        assert_eq!((slow.findings, slow.tests), shares);
        let nothing = reserve(15 * SECOND, 2 * SECOND, 10 * SECOND, 1, gathered(14_000, 0, 0));
        assert_eq!((nothing.findings, nothing.tests), (Duration::ZERO, Duration::ZERO));
    }

    #[test]
    fn the_memory_of_a_process_is_read_as_linux_writes_it() {
        let text = "Name:\tnonpareil\nVmHWM:\t  350608 kB\nVmRSS:\t  4 kB\n";
        assert_eq!(kilobytes(text, "VmHWM:"), Some(350_608));
        assert_eq!((kilobytes(text, "VmRSS:"), kilobytes(text, "VmSwap:")), (Some(4), None));
    }

    #[test]
    fn memory_that_may_not_hold_is_told_with_what_is_enough() {
        assert_eq!(too_little(256 << 20, 107 << 20), None);
        let note = too_little(64 << 20, 107 << 20).unwrap_or_default();
        assert!(note.contains("alone take 107 MB") && note.contains("about 256m"), "{note}");
    }

    #[test]
    fn more_findings_keep_more_back() {
        let of = |findings| {
            reserve(60 * SECOND, SECOND, 10 * SECOND, 1, gathered(50_000, findings, 0)).findings
        };
        assert!(of(10) < of(20) && SECOND < of(10), "{:?} {:?}", of(10), of(20));
    }
}
