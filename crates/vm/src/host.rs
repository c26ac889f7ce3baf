//! The outside world as the machine sees it. Everything that is not computed comes through here:
//! clock, environment, standard streams, files. The machine itself touches nothing else.

use std::io;

/// The outside world.
pub trait Host: Send {
    /// Milliseconds since the epoch, before virtual time is added.
    fn epoch_nanos(&mut self) -> i128;
    /// A monotonic clock in nanoseconds, or `None` for purely virtual time.
    fn nano_time(&mut self) -> Option<i64>;
    /// Writes to standard output (1) or standard error (2).
    fn write(&mut self, fd: i32, bytes: &[u8]) -> io::Result<()>;
    /// Reads standard input; zero bytes at its end.
    fn read_stdin(&mut self, buffer: &mut [u8]) -> io::Result<usize>;
}
