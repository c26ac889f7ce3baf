//! placeholder
pub use super::strict::*;
