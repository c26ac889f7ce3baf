//! Runs methods: linking, heap, frames, interpreter, natives, locks, snapshots, probe events.
//!
//! Knows nothing of sequences, goals, files, clocks or terminals; the outside is a [`host::Host`].

pub mod value;
pub mod symbol;
pub mod heap;
pub mod stack;
pub mod class;
#[macro_use]
pub mod code;
pub mod frame;
pub mod mode;
pub mod thread;
pub mod schedule;
pub mod lock;
pub mod seeded;
pub mod travel;
pub mod gc;
pub mod handles;
pub mod alloc;
pub mod string;
pub mod throwable;
mod npe_message;
pub mod layout;
pub mod link;
pub mod module;
pub mod loader;
pub mod init;
mod verify;
pub mod resolve;
pub mod describe;
pub mod field_access;
pub mod well_known;
pub mod host;
pub mod clock;
pub mod files;
pub mod math;
pub mod reflection;
pub mod invoke_dynamic;
pub mod window;
pub mod zlib;
pub mod native;
pub mod interp;
pub mod intrinsic;
pub mod walk;
pub mod boot;
pub mod launch;
pub mod vm;
