//! Long work as the user sees it: a line of progress on a terminal, a time limit, Ctrl-C.
//!
//! The first Ctrl-C asks for an end and what was found is kept; where that takes a while the next one cuts it short,
//! and one more ends the program. A polite kill, such as that of `timeout`, is taken for Ctrl-C.

use std::io::{IsTerminal, Write};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use generate::states::Watch;

use crate::counted::counted;

/// Time between two lines.
const PAUSE: Duration = Duration::from_millis(200);

/// A signal handler can only reach what is global.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);
/// Whether an interrupt has ended a search already.
static ENDED: AtomicBool = AtomicBool::new(false);

extern "C" fn interrupted(_: libc::c_int) {
    if INTERRUPTED.swap(true, Ordering::Relaxed) {
        // SAFETY: `_exit` may be called in a signal handler. 130 is what shells give for Ctrl-C.
        #[expect(unsafe_code, reason = "the standard library cannot leave a signal handler")]
        unsafe {
            libc::_exit(130)
        }
    }
}

/// Asks to be told of Ctrl-C and of SIGTERM instead of being ended by them.
pub(crate) fn catch_interrupts() {
    let handler: extern "C" fn(libc::c_int) = interrupted;
    // SAFETY: the handler only touches an atomic, and may end the process.
    #[expect(unsafe_code, reason = "the standard library has no signals")]
    unsafe {
        libc::signal(libc::SIGINT, handler as libc::sighandler_t);
        libc::signal(libc::SIGTERM, handler as libc::sighandler_t);
    }
}

/// Whether the user pressed Ctrl-C.
pub(crate) fn is_interrupted() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}

/// A search has ended. If an interrupt ended it, what follows goes on, so that what was found is kept, until the next
/// one.
pub(crate) fn end_search() {
    if INTERRUPTED.swap(false, Ordering::Relaxed) {
        ENDED.store(true, Ordering::Relaxed);
    }
}

/// Whether the user ever pressed Ctrl-C.
pub(crate) fn was_interrupted() -> bool {
    is_interrupted() || ENDED.load(Ordering::Relaxed)
}

/// Watches one piece of work.
pub(crate) struct Progress {
    what: String,
    start: Instant,
    limit: Option<Duration>,
    last: Mutex<Option<Instant>>,
    is_shown: bool,
}

impl Progress {
    /// Starts the clock.
    pub(crate) fn new(what: &str, limit: Option<Duration>) -> Progress {
        let is_shown = std::io::stderr().is_terminal();
        let what = what.to_owned();
        Progress { what, start: Instant::now(), limit, last: Mutex::new(None), is_shown }
    }

    /// When it started.
    pub(crate) fn start(&self) -> Instant {
        self.start
    }

    /// Time since the start.
    pub(crate) fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    /// The time that the work may take.
    pub(crate) fn limit(&self) -> Option<Duration> {
        self.limit
    }

    /// Shows a line, if it is time for one and somebody looks.
    pub(crate) fn show(&self, line: &str) {
        if !self.is_shown {
            return;
        }
        let Ok(mut last) = self.last.lock() else { return };
        if last.is_some_and(|last| last.elapsed() < PAUSE) {
            return;
        }
        *last = Some(Instant::now());
        let _ = write!(std::io::stderr(), "\r\x1b[K{}: {line}", self.what);
    }

    /// Takes the line away.
    pub(crate) fn done(&self) {
        if self.is_shown && self.last.lock().is_ok_and(|last| last.is_some()) {
            let _ = write!(std::io::stderr(), "\r\x1b[K");
        }
    }
}

impl Watch for Progress {
    fn is_enough(&self) -> bool {
        is_interrupted() || self.limit.is_some_and(|limit| self.start.elapsed() >= limit)
    }

    fn is_spent(&self, share: f64) -> bool {
        let is_over = |limit: Duration| self.start.elapsed() >= limit.mul_f64(share);
        is_interrupted() || self.limit.is_some_and(is_over)
    }

    #[expect(clippy::cast_precision_loss, reason = "a rate for people")]
    fn progress(&self, calls: usize, states: usize) {
        let rate = calls as f64 / self.start.elapsed().as_secs_f64().max(0.001);
        let left = match self.limit {
            Some(limit) => {
                let left = limit.saturating_sub(self.start.elapsed());
                format!(", {:.0} s left", left.as_secs_f64())
            }
            None => String::new(),
        };
        self.show(&format!(
            "{}, {}, {rate:.0} calls/s{left}",
            counted(states, "state"),
            counted(calls, "call")
        ));
    }
}
