//! `java.lang.Float` and `java.lang.Double`: bit patterns. A register holds the bits already.

use crate::frame::Res;
use crate::native::{Args, NativeRow};
use crate::vm::Vm;

pub(crate) const NATIVES: &[NativeRow] = &[
    ("java/lang/Float", "floatToRawIntBits", "(F)I", same_word),
    ("java/lang/Float", "intBitsToFloat", "(I)F", same_word),
    ("java/lang/Double", "doubleToRawLongBits", "(D)J", same_words),
    ("java/lang/Double", "longBitsToDouble", "(J)D", same_words),
];

fn same_word(_: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    Ok(u64::from(args.int().cast_unsigned()))
}

fn same_words(_: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    Ok(args.long().cast_unsigned())
}
