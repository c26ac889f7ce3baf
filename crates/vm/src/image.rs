//! The boot image: a booted machine as one piece of data, so that later machines start from it
//! instead of running the class library's start-up again.
//!
//! An image holds the objects of a freshly booted machine (mirrors, literals and all others, side by
//! side as the booted base of later heaps), what linking made of the classes, and the tables beside
//! the heap. Class files stay in the JDK and are parsed when first needed; code is translated anew.
//! What differs from run to run (class path, working folder, user) is left open and filled in when a
//! machine starts (`boot/personal.rs`).
//!
//! This module knows no files: an [`ImageStore`] keeps images between runs, under a key that says
//! all that an image depends on. An image that is damaged or made by another build is not used.
//! A [`Base`] is an opened image, shared by all machines of a process; each maps the objects
//! privately, so that only what it writes costs memory. A machine that has run can be frozen into a
//! base too (`frozen.rs`); such a base lives as long as the process.

mod base;
mod booted;
mod class;
mod format;
mod frozen;
mod frozen_thread;
mod portable;
mod relocate;
mod write;

use std::fs::File;

pub use base::Base;
pub use format::{ImageError, name_of};
pub use frozen::FreezeError;

/// Keeps images between runs. The machine itself touches no files.
pub trait ImageStore {
    /// The image kept under this key, if there is one. It may be damaged; the machine checks.
    fn open(&self, key: &str) -> Option<File>;
    /// Keeps an image under this key, whole or not at all, even if another process does the same
    /// at the same time. Failures are the store's own business.
    fn save(&self, key: &str, image: &[u8]);
}
