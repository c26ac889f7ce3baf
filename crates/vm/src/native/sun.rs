//! Natives of the `sun` packages.
