//! Threads that work for one result.

use std::panic;
use std::thread::ScopedJoinHandle;

/// What a thread gave; its panic goes on here.
pub(crate) fn joined<T>(handle: ScopedJoinHandle<'_, T>) -> T {
    match handle.join() {
        Ok(value) => value,
        Err(panic) => panic::resume_unwind(panic),
    }
}
