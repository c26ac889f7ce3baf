//! `jdk.internal.misc.Signal`: signals that the program sends to itself. No signal of the computer reaches
//! it.

use crate::frame::{Hook, Res, Stop, Trap, Upcall};
use crate::native::{Args, NativeRow};
use crate::vm::Vm;

const SIGNAL: &str = "jdk/internal/misc/Signal";

pub(crate) const NATIVES: &[NativeRow] = &[
    (SIGNAL, "findSignal0", "(Ljava/lang/String;)I", find_signal),
    (SIGNAL, "handle0", "(IJ)J", handle),
    (SIGNAL, "raise0", "(I)V", raise),
];

/// Signals by number, the first is 1.
const NAMES: [&str; 31] = [
    "HUP", "INT", "QUIT", "ILL", "TRAP", "ABRT", "BUS", "FPE", "KILL", "USR1", "SEGV", "USR2",
    "PIPE", "ALRM", "TERM", "STKFLT", "CHLD", "CONT", "STOP", "TSTP", "TTIN", "TTOU", "URG",
    "XCPU", "XFSZ", "VTALRM", "PROF", "WINCH", "IO", "PWR", "SYS",
];

/// What the JDK's machine or the system keeps for itself.
const TAKEN: [&str; 6] = ["QUIT", "ILL", "FPE", "SEGV", "KILL", "STOP"];
/// What does nothing where nobody handles it. For `QUIT` the JDK's machine shows its threads.
const HARMLESS: [&str; 5] = ["QUIT", "CHLD", "CONT", "URG", "WINCH"];

const BY_DEFAULT: i64 = 0;
const IGNORED: i64 = 1;
const CAUGHT: i64 = 2;

/// -1: there is no such signal.
fn find_signal(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let name = args.reference();
    let name = vm.string_text(name);
    let position = NAMES.iter().position(|known| *known == name);
    Ok(position.map_or(u64::from(u32::MAX), |position| position as u64 + 1))
}

fn name_of(number: i32) -> Option<&'static str> {
    let position = usize::try_from(number).ok()?.checked_sub(1)?;
    NAMES.get(position).copied()
}

/// Sets what happens for a signal and gives what did before; -1 where that cannot be set.
fn handle(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let number = args.int();
    let wanted = args.long();
    if name_of(number).is_none_or(|name| TAKEN.contains(&name)) {
        return Ok(u64::MAX);
    }
    let bit = 1 << number;
    let before = handling(vm, number);
    vm.world.caught &= !bit;
    vm.world.ignored &= !bit;
    match wanted {
        CAUGHT => vm.world.caught |= bit,
        IGNORED => vm.world.ignored |= bit,
        _ => {}
    }
    Ok(before.cast_unsigned())
}

fn handling(vm: &Vm, number: i32) -> i64 {
    let is_in = |set: u64| set >> number & 1 != 0;
    if is_in(vm.world.caught) {
        CAUGHT
    } else if is_in(vm.world.ignored) {
        IGNORED
    } else {
        BY_DEFAULT
    }
}

/// Java code starts the handler in a thread of its own.
fn raise(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let number = args.int();
    let Some(name) = name_of(number) else { return Ok(0) };
    if vm.resumed.take().is_some() {
        return Ok(0);
    }
    match handling(vm, number) {
        CAUGHT => {
            let class = vm.boot_class(SIGNAL)?;
            let method = vm.class(class).method(b"dispatch", b"(I)V").map(|method| method.id);
            let Some(method) = method else {
                return Err(vm.throw("java/lang/NoSuchMethodError", "Signal.dispatch"));
            };
            let args = vec![u64::from(number.cast_unsigned())];
            let hook = Hook::Resume { state: 0 };
            Err(Trap::Upcall(Box::new(Upcall { method, args, hook })))
        }
        BY_DEFAULT if !HARMLESS.contains(&name) => {
            Err(Trap::Stop(Box::new(Stop::Exit(128 + number))))
        }
        _ => Ok(0),
    }
}
