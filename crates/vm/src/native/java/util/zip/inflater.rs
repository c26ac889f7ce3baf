//! `Inflater`.

use crate::frame::Res;
use crate::native::{Args, NativeRow};
use crate::value::Ref;
use crate::vm::Vm;
use crate::zlib::inflate::{Inflater, Status};
use crate::zlib::streams::Stream;

use super::Span;

const INFLATER: &str = "java/util/zip/Inflater";

pub(crate) const NATIVES: &[NativeRow] = &[
    (INFLATER, "init", "(Z)J", init),
    (INFLATER, "setDictionary", "(J[BII)V", |vm, args| set_dictionary(vm, args, Span::array)),
    (INFLATER, "setDictionaryBuffer", "(JJI)V", |vm, args| set_dictionary(vm, args, Span::raw)),
    (INFLATER, "inflateBytesBytes", "(J[BII[BII)J", |vm, args| {
        inflate(vm, args, Span::array, Span::array)
    }),
    (INFLATER, "inflateBytesBuffer", "(J[BIIJI)J", |vm, args| {
        inflate(vm, args, Span::array, Span::raw)
    }),
    (INFLATER, "inflateBufferBytes", "(JJI[BII)J", |vm, args| {
        inflate(vm, args, Span::raw, Span::array)
    }),
    (INFLATER, "inflateBufferBuffer", "(JJIJI)J", |vm, args| {
        inflate(vm, args, Span::raw, Span::raw)
    }),
    (INFLATER, "getAdler", "(J)I", adler),
    (INFLATER, "reset", "(J)V", reset),
    (INFLATER, "end", "(J)V", end),
];

type ReadSpan = fn(&mut Args<'_>) -> Span;

fn init(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let raw = args.boolean();
    Ok(vm.add_stream(Stream::Inflate(Inflater::new(raw))).cast_unsigned())
}

/// The stream behind a handle.
fn with<T>(vm: &mut Vm, handle: i64, work: impl FnOnce(&mut Inflater) -> T) -> Res<T> {
    match vm.stream(handle) {
        Some(Stream::Inflate(inflater)) => Ok(work(inflater)),
        _ => Err(vm.throw("java/lang/NullPointerException", "Inflater has been closed")),
    }
}

fn set_dictionary(vm: &mut Vm, mut args: Args<'_>, span: ReadSpan) -> Res<u64> {
    let handle = args.long();
    let dictionary = span(&mut args).read(vm)?;
    if !with(vm, handle, |inflater| inflater.set_dictionary(&dictionary))? {
        return Err(vm.throw_plain("java/lang/IllegalArgumentException"));
    }
    Ok(0)
}

/// Consumed bytes in bits 0 to 30, produced bytes in bits 31 to 61, then the two flags.
fn inflate(vm: &mut Vm, mut args: Args<'_>, input: ReadSpan, output: ReadSpan) -> Res<u64> {
    let receiver = args.reference();
    let handle = args.long();
    let input = input(&mut args).read(vm)?;
    let output = output(&mut args);
    let mut buffer = vec![0; output.room(vm)?];
    let progress = with(vm, handle, |inflater| inflater.inflate(&input, &mut buffer))?;
    output.write(vm, &buffer[..progress.produced])?;
    let (consumed, produced) = (progress.consumed as u64, progress.produced as u64);
    let flags = match progress.status {
        Status::Hungry => 0,
        Status::Finished => 1 << 62,
        Status::NeedsDictionary => 1 << 63,
        Status::Broken(reason) => {
            tell(vm, receiver, "inputConsumed", progress.consumed);
            tell(vm, receiver, "outputConsumed", progress.produced);
            return Err(vm.throw("java/util/zip/DataFormatException", reason));
        }
    };
    Ok(consumed | produced << 31 | flags)
}

fn tell(vm: &mut Vm, receiver: Ref, field: &str, value: usize) {
    let offset = vm.field_offset(vm.class_of(receiver), field, "I");
    vm.heap.store_u32(receiver, offset, u32::try_from(value).unwrap_or(u32::MAX));
}

fn adler(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let handle = args.long();
    Ok(u64::from(with(vm, handle, |inflater| inflater.adler)?))
}

fn reset(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let handle = args.long();
    with(vm, handle, Inflater::reset)?;
    Ok(0)
}

fn end(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let handle = args.long();
    vm.drop_stream(handle);
    Ok(0)
}
