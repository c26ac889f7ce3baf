//! Natives of the `jdk` packages.
