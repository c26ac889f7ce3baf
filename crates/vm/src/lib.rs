//! Runs methods: linking, heap, frames, interpreter, natives, locks, snapshots, probe events.
//!
//! Knows nothing of sequences, goals, files, clocks or terminals; the outside is a [`host::Host`].

pub mod class;
pub mod heap;
pub mod stack;
pub mod symbol;
pub mod value;
#[macro_use]
pub mod code;
pub mod alloc;
pub mod boot;
pub mod clock;
pub mod constraints;
pub mod describe;
pub mod field_access;
pub mod files;
pub mod frame;
pub mod gc;
pub mod handles;
pub mod host;
pub mod image;
pub mod init;
pub mod instrument;
pub mod interp;
pub mod intrinsic;
pub mod invoke_dynamic;
pub mod launch;
pub mod layout;
pub mod link;
pub mod loader;
pub mod lock;
pub mod math;
pub mod mode;
pub mod module;
pub mod native;
mod npe_message;
pub mod redefine;
pub mod reflection;
pub mod resolve;
pub mod schedule;
pub mod seeded;
pub mod spin;
pub mod string;
pub mod substitute;
pub mod thread;
pub mod throwable;
pub mod travel;
mod verify;
pub mod vm;
pub mod walk;
pub mod well_known;
pub mod window;
pub mod zlib;
