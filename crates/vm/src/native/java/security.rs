//! `java.security.AccessController` of JDK 17: the contexts of the frames that run, which a security manager
//! and `Subject.doAs` ask for. Where there is neither, everything counts as privileged: the sandbox is the host.

use crate::frame::Res;
use crate::native::{Args, NativeRow, nothing};
use crate::value::Ref;
use crate::vm::Vm;

const CONTROLLER: &str = "java/security/AccessController";
const CONTEXT: &str = "java/security/AccessControlContext";
const CONTEXT_TYPE: &str = "Ljava/security/AccessControlContext;";

pub(crate) const NATIVES: &[NativeRow] = &[
    (
        CONTROLLER,
        "getStackAccessControlContext",
        "()Ljava/security/AccessControlContext;",
        of_stack,
    ),
    (
        CONTROLLER,
        "getInheritedAccessControlContext",
        "()Ljava/security/AccessControlContext;",
        of_thread,
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

/// The context that the running thread took over from the one that made it.
fn inherited(vm: &mut Vm) -> Ref {
    let thread = vm.thread().current;
    vm.get_field_ref(thread, "inheritedAccessControlContext", CONTEXT_TYPE)
}

fn of_thread(vm: &mut Vm, _: Args<'_>) -> Res<u64> {
    Ok(inherited(vm).to_slot())
}

/// The protection domains of the frames down to the youngest `doPrivileged`, that of its caller included,
/// and the context that it was given. Null stands for a context that has every permission.
fn of_stack(vm: &mut Vm, _: Args<'_>) -> Res<u64> {
    let controller = vm.boot_class(CONTROLLER)?;
    let mut domains = Vec::new();
    let mut privileged = None;
    for activation in vm.walk() {
        let method = vm.method(activation.method);
        let mut mirror = vm.mirror(method.class);
        if method.class == controller && method.name.as_bytes() == b"executePrivileged" {
            // The action is the first parameter.
            privileged = Some(activation.parameter(1));
            mirror = activation.parameter(2);
        }
        let domain = match mirror.some() {
            Some(mirror) => vm.heap.load_ref(mirror, vm.known.class_protection_domain),
            None => Ref::NULL,
        };
        if !domain.is_null() && domains.last() != Some(&domain) {
            domains.push(domain);
        }
        if privileged.is_some() {
            break;
        }
    }
    let given = privileged.unwrap_or(Ref::NULL);
    let before = if privileged.is_some() { given } else { inherited(vm) };
    if before.is_null()
        && (!has_security_manager(vm)? || (privileged.is_some() && domains.is_empty()))
    {
        return Ok(0);
    }
    let class = vm.boot_class(CONTEXT)?;
    vm.ensure_initialised(class)?;
    let context = vm.new_object(class)?;
    if !domains.is_empty() {
        let component = vm.boot_class("java/security/ProtectionDomain")?;
        let domains = vm.new_ref_array(component, &domains)?;
        vm.set_field_ref(context, "context", "[Ljava/security/ProtectionDomain;", domains);
    }
    vm.set_field_ref(context, "privilegedContext", CONTEXT_TYPE, given);
    for (name, value) in [("isPrivileged", privileged.is_some()), ("isAuthorized", true)] {
        let offset = vm.field_offset(class, name, "Z");
        vm.heap.store_u8(context, offset, u8::from(value));
    }
    Ok(context.to_slot())
}

fn has_security_manager(vm: &mut Vm) -> Res<bool> {
    let system = vm.boot_class("java/lang/System")?;
    let (mirror, offset) = vm.static_slot(system, "security", "Ljava/lang/SecurityManager;");
    Ok(!vm.heap.load_ref(mirror, offset).is_null())
}
