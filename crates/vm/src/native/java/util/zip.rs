//! Natives of `java.util.zip`.

pub(crate) mod checksums;
pub(crate) mod deflater;
pub(crate) mod inflater;

use crate::frame::Res;
use crate::native::{Args, byte_range, check_range};
use crate::value::Ref;
use crate::vm::Vm;

/// Where bytes come from or go to: part of an array, or raw memory.
#[derive(Debug, Clone, Copy)]
enum Span {
    Array { array: Ref, offset: i32, length: i32 },
    Raw { address: i64, length: i32 },
}

impl Span {
    fn array(args: &mut Args<'_>) -> Span {
        let array = args.reference();
        let offset = args.int();
        Span::Array { array, offset, length: args.int() }
    }

    fn raw(args: &mut Args<'_>) -> Span {
        let address = args.long();
        Span::Raw { address, length: args.int() }
    }

    fn read(self, vm: &mut Vm) -> Res<Vec<u8>> {
        match self {
            Span::Array { array, offset, length } => {
                Ok(byte_range(vm, array, offset, length)?.to_vec())
            }
            Span::Raw { address, length } => {
                let bytes =
                    usize::try_from(length).ok().and_then(|length| vm.raw_bytes(address, length));
                match bytes.map(<[u8]>::to_vec) {
                    Some(bytes) => Ok(bytes),
                    None => Err(vm.throw_plain("java/lang/IndexOutOfBoundsException")),
                }
            }
        }
    }

    /// Bytes there is room for.
    fn room(self, vm: &mut Vm) -> Res<usize> {
        match self {
            Span::Array { array, offset, length } => Ok(check_range(vm, array, offset, length)?.1),
            Span::Raw { address, length } => {
                let room = usize::try_from(length).unwrap_or(usize::MAX);
                match vm.heap.raw_place(address.cast_unsigned(), room) {
                    Some(_) => Ok(room),
                    None => Err(vm.throw_plain("java/lang/IndexOutOfBoundsException")),
                }
            }
        }
    }

    /// Writes what was checked to have room.
    fn write(self, vm: &mut Vm, bytes: &[u8]) -> Res<()> {
        match self {
            Span::Array { array, offset, length } => {
                let (at, _) = check_range(vm, array, offset, length)?;
                vm.heap.store_bytes(array, at, bytes);
                Ok(())
            }
            Span::Raw { address, .. } => {
                if vm.heap.raw_store(address.cast_unsigned(), bytes) {
                    return Ok(());
                }
                Err(vm.throw_plain("java/lang/IndexOutOfBoundsException"))
            }
        }
    }
}
