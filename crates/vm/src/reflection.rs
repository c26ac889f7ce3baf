//! What `java.lang.reflect`, `java.lang.invoke` and the machine agree on: where the fields of
//! their objects lie, how values are boxed, how members become Java objects.
//!
//! Natives use this; it knows nothing of frames or of how calls are made.

pub mod boxing;
pub mod layout;
pub mod members;

pub use layout::Layouts;
