//! `Deflater`.

use crate::frame::Res;
use crate::native::{Args, NativeRow};
use crate::vm::Vm;
use crate::zlib::deflate::{Deflater, Flush, Status, Strategy};
use crate::zlib::streams::Stream;

use super::Span;

const DEFLATER: &str = "java/util/zip/Deflater";

pub(crate) const NATIVES: &[NativeRow] = &[
    (DEFLATER, "init", "(IIZ)J", init),
    (DEFLATER, "setDictionary", "(J[BII)V", |vm, args| set_dictionary(vm, args, Span::array)),
    (DEFLATER, "setDictionaryBuffer", "(JJI)V", |vm, args| set_dictionary(vm, args, Span::raw)),
    (DEFLATER, "deflateBytesBytes", "(J[BII[BIIII)J", |vm, args| {
        deflate(vm, args, Span::array, Span::array)
    }),
    (DEFLATER, "deflateBytesBuffer", "(J[BIIJIII)J", |vm, args| {
        deflate(vm, args, Span::array, Span::raw)
    }),
    (DEFLATER, "deflateBufferBytes", "(JJI[BIIII)J", |vm, args| {
        deflate(vm, args, Span::raw, Span::array)
    }),
    (DEFLATER, "deflateBufferBuffer", "(JJIJIII)J", |vm, args| {
        deflate(vm, args, Span::raw, Span::raw)
    }),
    (DEFLATER, "getAdler", "(J)I", adler),
    (DEFLATER, "reset", "(J)V", reset),
    (DEFLATER, "end", "(J)V", end),
];

type ReadSpan = fn(&mut Args<'_>) -> Span;

fn strategy_of(number: i32) -> Strategy {
    match number {
        1 => Strategy::Filtered,
        2 => Strategy::HuffmanOnly,
        _ => Strategy::Default,
    }
}

fn flush_of(number: i32) -> Flush {
    match number {
        2 => Flush::Sync,
        3 => Flush::Full,
        4 => Flush::Finish,
        _ => Flush::None,
    }
}

fn init(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let level = args.int();
    let strategy = strategy_of(args.int());
    let raw = args.boolean();
    Ok(vm.add_stream(Stream::Deflate(Deflater::new(level, strategy, raw))).cast_unsigned())
}

/// The stream behind a handle.
fn with<T>(vm: &mut Vm, handle: i64, work: impl FnOnce(&mut Deflater) -> T) -> Res<T> {
    match vm.stream(handle) {
        Some(Stream::Deflate(deflater)) => Ok(work(deflater)),
        _ => Err(vm.throw("java/lang/NullPointerException", "Deflater has been closed")),
    }
}

fn set_dictionary(vm: &mut Vm, mut args: Args<'_>, span: ReadSpan) -> Res<u64> {
    let handle = args.long();
    let dictionary = span(&mut args).read(vm)?;
    if !with(vm, handle, |deflater| deflater.set_dictionary(&dictionary))? {
        return Err(vm.throw_plain("java/lang/IllegalArgumentException"));
    }
    Ok(0)
}

/// Consumed bytes in bits 0 to 30, produced bytes in bits 31 to 61, then whether the stream is
/// finished, and whether new parameters must be set again.
fn deflate(vm: &mut Vm, mut args: Args<'_>, input: ReadSpan, output: ReadSpan) -> Res<u64> {
    const FINISHED: u64 = 1 << 62;
    const SET_AGAIN: u64 = 1 << 63;
    let _receiver = args.reference();
    let handle = args.long();
    let input = input(&mut args).read(vm)?;
    let output = output(&mut args);
    let flush = flush_of(args.int());
    let parameters = args.int();
    let sets_parameters = parameters & 1 != 0;
    let mut buffer = vec![0; output.room(vm)?];
    let progress = with(vm, handle, |deflater| {
        if sets_parameters {
            let strategy = strategy_of(parameters >> 1 & 3);
            deflater.set_parameters(parameters >> 3, strategy, &input, &mut buffer)
        } else {
            deflater.deflate(&input, &mut buffer, flush)
        }
    })?;
    output.write(vm, &buffer[..progress.produced])?;
    let flags = match progress.status {
        Status::Stuck if sets_parameters => SET_AGAIN,
        Status::Stuck => return Ok(0),
        Status::Finished => FINISHED,
        Status::Done => 0,
    };
    Ok(progress.consumed as u64 | (progress.produced as u64) << 31 | flags)
}

fn adler(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let handle = args.long();
    Ok(u64::from(with(vm, handle, |deflater| deflater.adler)?))
}

fn reset(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let handle = args.long();
    with(vm, handle, Deflater::reset)?;
    Ok(0)
}

fn end(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let handle = args.long();
    vm.drop_stream(handle);
    Ok(0)
}
