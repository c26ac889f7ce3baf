//! Runs methods: linking, heap, frames, interpreter, natives, locks, snapshots, probe events.
