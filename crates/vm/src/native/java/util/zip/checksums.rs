//! `CRC32` and `Adler32`.

use crate::frame::Res;
use crate::native::{Args, NativeRow};
use crate::vm::Vm;
use crate::zlib::checksum::{adler32, crc32};

use super::Span;

const CRC: &str = "java/util/zip/CRC32";
const ADLER: &str = "java/util/zip/Adler32";

pub(crate) const NATIVES: &[NativeRow] = &[
    (CRC, "update", "(II)I", |vm, args| one_byte(vm, args, crc32)),
    (CRC, "updateBytes0", "(I[BII)I", |vm, args| bytes(vm, args, crc32)),
    (CRC, "updateByteBuffer0", "(IJII)I", |vm, args| buffer(vm, args, crc32)),
    (ADLER, "update", "(II)I", |vm, args| one_byte(vm, args, adler32)),
    (ADLER, "updateBytes", "(I[BII)I", |vm, args| bytes(vm, args, adler32)),
    (ADLER, "updateByteBuffer", "(IJII)I", |vm, args| buffer(vm, args, adler32)),
];

type Sum = fn(u32, &[u8]) -> u32;

fn one_byte(_: &mut Vm, mut args: Args<'_>, sum: Sum) -> Res<u64> {
    let before = args.int().cast_unsigned();
    let [byte, ..] = args.int().to_le_bytes();
    Ok(u64::from(sum(before, &[byte])))
}

fn bytes(vm: &mut Vm, mut args: Args<'_>, sum: Sum) -> Res<u64> {
    let before = args.int().cast_unsigned();
    let bytes = Span::array(&mut args).read(vm)?;
    Ok(u64::from(sum(before, &bytes)))
}

fn buffer(vm: &mut Vm, mut args: Args<'_>, sum: Sum) -> Res<u64> {
    let before = args.int().cast_unsigned();
    let address = args.long();
    let offset = args.int();
    let length = args.int();
    let bytes = Span::Raw { address: address.wrapping_add(i64::from(offset)), length }.read(vm)?;
    Ok(u64::from(sum(before, &bytes)))
}
