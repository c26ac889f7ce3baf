//! `com.sun.security.auth.module.UnixSystem`: the user that the program runs for, as the host tells it.

use crate::frame::Res;
use crate::heap::ELEMENTS_OFFSET;
use crate::native::{Args, NativeRow};
use crate::value::Kind;
use crate::vm::Vm;

const SYSTEM: &str = "com/sun/security/auth/module/UnixSystem";

pub(crate) const NATIVES: &[NativeRow] = &[(SYSTEM, "getUnixInfo", "()V", fill)];

/// The user's own group is the only one that is told.
fn fill(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let object = args.reference();
    let class = vm.class_of(object);
    let platform = vm.host.platform();
    let (user, group) = platform.ids;
    let name = vm.new_string(&platform.user_name)?;
    let groups = vm.new_primitive_array(Kind::Long, 1)?;
    vm.heap.store_u64(groups, ELEMENTS_OFFSET, u64::from(group));
    vm.set_field_ref(object, "username", "Ljava/lang/String;", name);
    vm.set_field_ref(object, "groups", "[J", groups);
    for (field, number) in [("uid", user), ("gid", group)] {
        let offset = vm.field_offset(class, field, "J");
        vm.heap.store_u64(object, offset, u64::from(number));
    }
    Ok(0)
}
