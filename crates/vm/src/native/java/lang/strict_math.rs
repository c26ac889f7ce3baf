//! `java.lang.StrictMath`: the functions that JDK 17 leaves to native code.

use crate::frame::Res;
use crate::math::strict;
use crate::native::{Args, NativeRow};
use crate::vm::Vm;

const STRICT_MATH: &str = "java/lang/StrictMath";

macro_rules! unary {
    ($function:path) => {
        |_: &mut Vm, mut args: Args<'_>| -> Res<u64> { Ok($function(args.double()).to_bits()) }
    };
}

macro_rules! binary {
    ($function:path) => {
        |_: &mut Vm, mut args: Args<'_>| -> Res<u64> {
            let first = args.double();
            Ok($function(first, args.double()).to_bits())
        }
    };
}

pub(crate) const NATIVES: &[NativeRow] = &[
    (STRICT_MATH, "sin", "(D)D", unary!(strict::sin)),
    (STRICT_MATH, "cos", "(D)D", unary!(strict::cos)),
    (STRICT_MATH, "tan", "(D)D", unary!(strict::tan)),
    (STRICT_MATH, "asin", "(D)D", unary!(strict::asin)),
    (STRICT_MATH, "acos", "(D)D", unary!(strict::acos)),
    (STRICT_MATH, "atan", "(D)D", unary!(strict::atan)),
    (STRICT_MATH, "log", "(D)D", unary!(strict::log)),
    (STRICT_MATH, "log10", "(D)D", unary!(strict::log10)),
    (STRICT_MATH, "log1p", "(D)D", unary!(strict::log1p)),
    (STRICT_MATH, "expm1", "(D)D", unary!(strict::expm1)),
    (STRICT_MATH, "sinh", "(D)D", unary!(strict::sinh)),
    (STRICT_MATH, "cosh", "(D)D", unary!(strict::cosh)),
    (STRICT_MATH, "tanh", "(D)D", unary!(strict::tanh)),
    (STRICT_MATH, "sqrt", "(D)D", unary!(strict::sqrt)),
    (STRICT_MATH, "IEEEremainder", "(DD)D", binary!(strict::ieee_remainder)),
    (STRICT_MATH, "atan2", "(DD)D", binary!(strict::atan2)),
];
