//! `sun.nio.ch.Net` and its neighbours: what is there and what is not, and constants.

use crate::frame::{Res, Trap};
use crate::host::Right;
use crate::native::{Args, NativeRow, io_failure, one, zero};
use crate::vm::Vm;

const NET: &str = "sun/nio/ch/Net";
const ADDRESS: &str = "sun/nio/ch/NativeSocketAddress";

pub(crate) const NATIVES: &[NativeRow] = &[
    (NET, "pollinValue", "()S", |_, _| Ok(0x01)),
    (NET, "polloutValue", "()S", |_, _| Ok(0x04)),
    (NET, "pollerrValue", "()S", |_, _| Ok(0x08)),
    (NET, "pollhupValue", "()S", |_, _| Ok(0x10)),
    (NET, "pollnvalValue", "()S", |_, _| Ok(0x20)),
    (NET, "pollconnValue", "()S", |_, _| Ok(0x04)),
    (NET, "isIPv6Available0", "()Z", has_ipv6),
    (NET, "isReusePortAvailable0", "()Z", one),
    (NET, "isExclusiveBindAvailable", "()I", |_, _| Ok(u64::from(u32::MAX))),
    (NET, "shouldShutdownWriteBeforeClose0", "()Z", zero),
    (NET, "shouldSetBothIPv4AndIPv6Options0", "()Z", one),
    (NET, "canIPv6SocketJoinIPv4Group0", "()Z", one),
    (NET, "canJoin6WithIPv4Group0", "()Z", zero),
    (NET, "canUseIPv6OptionsWithIPv4LocalAddress0", "()Z", zero),
    (ADDRESS, "AFINET", "()I", |_, _| Ok(2)),
    (ADDRESS, "AFINET6", "()I", |_, _| Ok(10)),
    (ADDRESS, "sizeofSockAddr4", "()I", |_, _| Ok(16)),
    (ADDRESS, "sizeofSockAddr6", "()I", |_, _| Ok(28)),
    (ADDRESS, "sizeofFamily", "()I", |_, _| Ok(2)),
    (ADDRESS, "offsetFamily", "()I", zero),
    (ADDRESS, "offsetSin4Port", "()I", |_, _| Ok(2)),
    (ADDRESS, "offsetSin4Addr", "()I", |_, _| Ok(4)),
    (ADDRESS, "offsetSin6Port", "()I", |_, _| Ok(2)),
    (ADDRESS, "offsetSin6FlowInfo", "()I", |_, _| Ok(4)),
    (ADDRESS, "offsetSin6Addr", "()I", |_, _| Ok(8)),
    (ADDRESS, "offsetSin6ScopeId", "()I", |_, _| Ok(24)),
    ("sun/net/PortConfig", "getLower0", "()I", |_, _| Ok(32_768)),
    ("sun/net/PortConfig", "getUpper0", "()I", |_, _| Ok(60_999)),
];

/// Whether version 6 is there and wanted.
pub(crate) fn has_ipv6(vm: &mut Vm, _: Args<'_>) -> Res<u64> {
    let is_unwanted = |(key, value): &(String, String)| {
        key == "java.net.preferIPv4Stack" && value.eq_ignore_ascii_case("true")
    };
    let is_wanted = !vm.options.properties.iter().any(is_unwanted);
    Ok(u64::from(is_wanted && vm.host.has_ipv6()))
}

/// What a program is told that wants the network.
pub(crate) fn refuse(vm: &mut Vm, _: Args<'_>) -> Res<u64> {
    Err(refusal(vm))
}

/// See `refuse`.
pub(crate) fn refusal(vm: &mut Vm) -> Trap {
    match vm.host.ask(Right::Network) {
        Err(failure) => io_failure(vm, failure),
        Ok(()) => vm.throw("java/io/IOException", "Operation not supported"),
    }
}
