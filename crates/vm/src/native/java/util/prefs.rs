//! `java.util.prefs.FileSystemPreferences`: files that are locked while they are read or written.

use crate::frame::Res;
use crate::heap::ELEMENTS_OFFSET;
use crate::host::{Change, Failure, OpenHow};
use crate::native::{Args, NativeRow, denied};
use crate::value::{Kind, Ref};
use crate::vm::Vm;

const PREFERENCES: &str = "java/util/prefs/FileSystemPreferences";

pub(crate) const NATIVES: &[NativeRow] = &[
    (PREFERENCES, "lockFile0", "(Ljava/lang/String;IZ)[I", lock_file),
    (PREFERENCES, "unlockFile0", "(I)I", unlock_file),
    (PREFERENCES, "chmod", "(Ljava/lang/String;I)I", change_mode),
];

/// Zero, or the number of the system's error; what the user did not grant is thrown.
fn number_of(vm: &mut Vm, result: Result<(), Failure>) -> Res<i32> {
    match result {
        Ok(()) => Ok(0),
        Err(Failure::Os(number)) => Ok(number),
        Err(Failure::Denied(denial)) => Err(denied(vm, denial)),
    }
}

fn path(vm: &mut Vm, name: Ref) -> Res<Vec<u8>> {
    if name.is_null() {
        return Err(vm.throw_plain("java/lang/NullPointerException"));
    }
    Ok(vm.string_text(name).into_bytes())
}

/// Opens a lock file: descriptor and error number. No other program competes for the files of
/// this one, so an open file is a locked one.
fn lock_file(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let name = args.reference();
    let mode = args.int().cast_unsigned();
    let is_shared = args.boolean();
    let name = path(vm, name)?;
    let read = OpenHow { read: true, ..OpenHow::default() };
    let how = if is_shared { read } else { OpenHow { write: true, create: true, mode, ..read } };
    let (descriptor, error) = match vm.open_file(&name, how) {
        Ok(descriptor) => (descriptor, 0),
        Err(failure) => (0, number_of(vm, Err(failure))?),
    };
    let pair = vm.new_primitive_array(Kind::Int, 2)?;
    vm.heap.store_u32(pair, ELEMENTS_OFFSET, descriptor.cast_unsigned());
    vm.heap.store_u32(pair, ELEMENTS_OFFSET + 4, error.cast_unsigned());
    Ok(pair.to_slot())
}

fn unlock_file(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let result = vm.close_file(args.int());
    Ok(u64::from(number_of(vm, result)?.cast_unsigned()))
}

fn change_mode(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let name = args.reference();
    let mode = args.int().cast_unsigned();
    let name = path(vm, name)?;
    let result = vm.host.change(Change::SetMode { path: &name, mode });
    Ok(u64::from(number_of(vm, result)?.cast_unsigned()))
}
