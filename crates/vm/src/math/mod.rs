//! The floating-point functions of the Java library and instruction set, as pure functions of numbers.
//!
//! Interpreter and natives call these; nothing here knows of frames, values or classes.
//! Three kinds of exactness stand side by side:
//! [`strict`] is `StrictMath`, fixed to the bit by the Java specification;
//! [`convert`] and [`arithmetic`] are exact by definition;
//! [`hotspot`] gives what `java.lang.Math` answers on HotSpot for x86-64, where the specification leaves room.

pub mod arithmetic;
pub mod convert;
pub mod hotspot;
pub mod strict;
mod words;
