//! How time and memory of a campaign are spent: the search ends early enough for what is to be done with what it found.
//!
//! How long that takes is guessed from how long the search takes for a sequence, so that a slow computer, or one
//! that has other things to do, ends in time as well. Nothing here counts where the number of sequences decides.

use std::sync::{Mutex, OnceLock};
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

/// What runs of single sequences may take beside what is kept.
const FOR_RUNS: usize = 48 << 20;
/// What a machine takes before it has loaded classes, about.
const OF_MACHINE: usize = 45 << 20;
/// Sequences, findings and tests, and the machines that look at these, take about so many halves of what classes take.
const HALVES_OF_CLASSES: usize = 3;
/// What any run may take, and what of which the memory is a multiple that is said to be enough. It is more by a part
/// than what is needed, since the same classes do not take the same every time.
const LEAST: usize = 128 << 20;
const STEP: usize = 32 << 20;
const SLACK: usize = 16;
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
    pub(super) memory: usize,
    /// Bytes that it takes once the classes are loaded, where the system tells.
    loaded: OnceLock<usize>,
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
        let loaded = OnceLock::new();
        Budget { progress, limit, n_workers, memory, loaded, now: Mutex::default() }
    }

    /// How many of so many may work side by side after the search, each on machines of its own.
    pub(super) fn n_at_once(&self, most: usize) -> usize {
        let Some(&loaded) = self.loaded.get() else { return most };
        let of_one = loaded.saturating_sub(OF_MACHINE) + FOR_RUNS;
        most.min(self.memory.saturating_sub(needed(loaded)) / of_one + 1)
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

    fn loaded(&self) -> Result<(), String> {
        let Some(loaded) = taken() else { return Ok(()) };
        let loaded = *self.loaded.get_or_init(|| loaded);
        too_little(self.memory, loaded).map_or(Ok(()), Err)
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

/// Bytes that a run needs which takes so many once the classes are loaded.
fn needed(loaded: usize) -> usize {
    let of_classes = loaded.saturating_sub(OF_MACHINE);
    (loaded + of_classes * HALVES_OF_CLASSES / 2 + FOR_RUNS).max(LEAST)
}

/// What is said where so much memory would not hold.
fn too_little(memory: usize, loaded: usize) -> Option<String> {
    let needed = needed(loaded);
    let enough = (needed + (needed - LEAST) / SLACK).next_multiple_of(STEP);
    (memory < needed).then(|| {
        format!(
            "--memory of {} MB is too little: machine and classes alone take {} MB, and what is found needs room beside \
             them\nhint: --memory {}m is enough for these classes",
            memory >> 20,
            loaded >> 20,
            enough >> 20
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

    use super::{
        GRACE, LEAST, MOST_FOR_FINDINGS, MOST_FOR_TESTS, OF_MACHINE, kilobytes, needed, reserve,
        too_little,
    };

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
    fn memory_that_does_not_hold_is_refused_with_what_is_enough() {
        let said = too_little(192 << 20, 104 << 20).unwrap_or_default();
        assert!(said.contains("alone take 104 MB") && said.contains("--memory 256m"), "{said}");
        // The next time the same classes may take a little more.
        assert_eq!(too_little(256 << 20, 109 << 20), None);
        assert_eq!(needed(OF_MACHINE), LEAST);
    }

    #[test]
    fn more_findings_keep_more_back() {
        let of = |findings| {
            reserve(60 * SECOND, SECOND, 10 * SECOND, 1, gathered(50_000, findings, 0)).findings
        };
        assert!(of(10) < of(20) && SECOND < of(10), "{:?} {:?}", of(10), of(20));
    }
}
