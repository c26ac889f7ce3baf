//! Natives of `java.util` and its packages.

pub(crate) mod prefs;
pub(crate) mod zip;

use crate::frame::Res;
use crate::native::{Args, NativeRow, one};
use crate::vm::Vm;

pub(crate) const NATIVES: &[NativeRow] = &[
    (
        "java/util/TimeZone",
        "getSystemTimeZoneID",
        "(Ljava/lang/String;)Ljava/lang/String;",
        time_zone,
    ),
    ("java/util/TimeZone", "getSystemGMTOffsetID", "()Ljava/lang/String;", gmt_offset),
    ("java/util/concurrent/atomic/AtomicLong", "VMSupportsCS8", "()Z", one),
];

fn time_zone(vm: &mut Vm, _: Args<'_>) -> Res<u64> {
    let zone = vm.host.platform().time_zone;
    Ok(vm.new_string(&zone)?.to_slot())
}

/// Asked for only where the zone has no name of its own.
fn gmt_offset(vm: &mut Vm, _: Args<'_>) -> Res<u64> {
    Ok(vm.new_string("GMT")?.to_slot())
}
