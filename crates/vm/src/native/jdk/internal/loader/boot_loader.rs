//! `jdk.internal.loader.BootLoader`: packages of the boot loader and its unnamed module.

use std::collections::BTreeSet;

use crate::frame::Res;
use crate::native::{Args, NativeRow};
use crate::value::LoaderId;
use crate::vm::Vm;

const BOOT_LOADER: &str = "jdk/internal/loader/BootLoader";

pub(crate) const NATIVES: &[NativeRow] = &[
    (BOOT_LOADER, "setBootLoaderUnnamedModule0", "(Ljava/lang/Module;)V", set_unnamed_module),
    (BOOT_LOADER, "getSystemPackageNames", "()[Ljava/lang/String;", get_system_package_names),
    (
        BOOT_LOADER,
        "getSystemPackageLocation",
        "(Ljava/lang/String;)Ljava/lang/String;",
        get_system_package_location,
    ),
];

fn set_unnamed_module(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let module = args.reference();
    if module.is_null() {
        return Err(vm.throw("java/lang/NullPointerException", "Null module object"));
    }
    vm.set_boot_unnamed_module(module);
    Ok(0)
}

/// The packages of which the boot loader has classes, internal form.
fn get_system_package_names(vm: &mut Vm, _: Args<'_>) -> Res<u64> {
    let packages: BTreeSet<&'static [u8]> = vm
        .classes
        .iter()
        .filter(|rt| rt.class.loader == LoaderId::BOOT && rt.class.has_file())
        .map(|rt| rt.class.package.as_bytes())
        .collect();
    let mut names = Vec::with_capacity(packages.len());
    for package in packages {
        names.push(vm.new_string_mutf8(package)?);
    }
    Ok(vm.new_ref_array(vm.known.string, &names)?.to_slot())
}

/// The location of a package's module, for packages of which the boot loader has classes.
fn get_system_package_location(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let package = args.reference();
    if package.is_null() {
        return Ok(0);
    }
    let package = vm.string_text(package);
    let of_package = vm
        .classes
        .iter()
        .find(|rt| {
            rt.class.loader == LoaderId::BOOT
                && rt.class.has_file()
                && rt.class.package.as_bytes() == package.as_bytes()
        })
        .map(|rt| rt.class.id);
    let Some(module) = of_package.and_then(|class| vm.module_name_of(class)) else { return Ok(0) };
    Ok(vm.new_string(&format!("jrt:/{module}"))?.to_slot())
}
