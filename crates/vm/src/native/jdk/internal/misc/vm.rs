//! `jdk.internal.misc.VM`.

use crate::frame::Res;
use crate::native::{Args, NativeRow, nothing};
use crate::value::{LoaderId, Ref};
use crate::vm::Vm;

const VM: &str = "jdk/internal/misc/VM";

pub(crate) const NATIVES: &[NativeRow] = &[
    (VM, "initialize", "()V", nothing),
    (VM, "initializeFromArchive", "(Ljava/lang/Class;)V", nothing),
    (VM, "latestUserDefinedLoader0", "()Ljava/lang/ClassLoader;", latest_user_defined_loader),
    (VM, "getuid", "()J", user_id),
    (VM, "geteuid", "()J", user_id),
    (VM, "getgid", "()J", group_id),
    (VM, "getegid", "()J", group_id),
    (VM, "getNanoTimeAdjustment", "(J)J", nano_time_adjustment),
    (VM, "getRuntimeArguments", "()[Ljava/lang/String;", runtime_arguments),
];

/// The loader of the youngest frame that neither the boot nor the platform loader defined. Accessors
/// that reflection wrote have a loader of their own, which does not count.
fn latest_user_defined_loader(vm: &mut Vm, _: Args<'_>) -> Res<u64> {
    const ACCESSOR: &[u8] = b"jdk/internal/reflect/MagicAccessorImpl";
    const PLATFORM: &[u8] = b"jdk/internal/loader/ClassLoaders$PlatformClassLoader";
    for activation in vm.walk() {
        let class = vm.class(vm.method(activation.method).class);
        if class.supers.iter().any(|&ancestor| vm.class(ancestor).name.as_bytes() == ACCESSOR) {
            continue;
        }
        let loader = class.loader;
        if loader == LoaderId::BOOT {
            continue;
        }
        let java = vm.loaders[loader.idx()].java;
        if vm.class(vm.class_of(java)).name.as_bytes() != PLATFORM {
            return Ok(java.to_slot());
        }
    }
    Ok(Ref::NULL.to_slot())
}

fn user_id(vm: &mut Vm, _: Args<'_>) -> Res<u64> {
    Ok(u64::from(vm.host.platform().ids.0))
}

fn group_id(vm: &mut Vm, _: Args<'_>) -> Res<u64> {
    Ok(u64::from(vm.host.platform().ids.1))
}

/// Nanoseconds between now and an epoch second; -1 where that does not fit.
fn nano_time_adjustment(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    const MOST_SECONDS: i128 = 0x1_0000_0000;
    let from = i128::from(args.long()) * 1_000_000_000;
    let difference = vm.epoch_nanos() - from;
    if difference.abs() > MOST_SECONDS * 1_000_000_000 {
        return Ok(u64::MAX);
    }
    Ok(i64::try_from(difference).unwrap_or(-1).cast_unsigned())
}

fn runtime_arguments(vm: &mut Vm, _: Args<'_>) -> Res<u64> {
    let string = vm.known.string;
    Ok(vm.new_ref_array(string, &[])?.to_slot())
}
