//! `java.security.AccessController` of JDK 17: everything is privileged, the sandbox is the host.

use crate::frame::Res;
use crate::native::{Args, NativeRow, nothing, zero};
use crate::vm::Vm;

const CONTROLLER: &str = "java/security/AccessController";

pub(crate) const NATIVES: &[NativeRow] = &[
    (CONTROLLER, "getStackAccessControlContext", "()Ljava/security/AccessControlContext;", zero),
    (
        CONTROLLER,
        "getInheritedAccessControlContext",
        "()Ljava/security/AccessControlContext;",
        zero,
    ),
    (
        CONTROLLER,
        "getProtectionDomain",
        "(Ljava/lang/Class;)Ljava/security/ProtectionDomain;",
        protection_domain,
    ),
    (CONTROLLER, "ensureMaterializedForStackWalk", "(Ljava/lang/Object;)V", nothing),
];

fn protection_domain(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let mirror = args.reference();
    if mirror.is_null() {
        return Ok(0);
    }
    Ok(vm.heap.load_ref(mirror, vm.known.class_protection_domain).to_slot())
}
