//! `jdk.internal.loader.BootLoader`: packages of the boot loader and its unnamed module.

use std::collections::BTreeSet;

use crate::frame::Res;
use crate::link::package_of;
use crate::native::{Args, NativeRow};
use crate::symbol::Symbol;
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

/// The packages of which the boot loader has found classes itself, internal form.
fn get_system_package_names(vm: &mut Vm, _: Args<'_>) -> Res<u64> {
    let mut packages = BTreeSet::new();
    for idx in 0..vm.classes.len() {
        let class = &vm.classes[idx].class;
        let (name, package) = (class.name, class.package.as_bytes());
        if class.loader == LoaderId::BOOT
            && class.has_file()
            && !packages.contains(package)
            && location_of(vm, name).is_some()
        {
            packages.insert(package);
        }
    }
    let mut names = Vec::with_capacity(packages.len());
    for package in packages {
        names.push(vm.new_string_mutf8(package)?);
    }
    Ok(vm.new_ref_array(vm.known.string, &names)?.to_slot())
}

/// The location of a package's module, or the jar behind the boot loader's own classes that it is
/// from; null for packages of which the boot loader has found no class itself.
fn get_system_package_location(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let package = args.reference();
    if package.is_null() {
        return Ok(0);
    }
    let package = vm.string_text(package);
    for idx in 0..vm.classes.len() {
        let class = &vm.classes[idx].class;
        let name = class.name;
        if class.loader == LoaderId::BOOT
            && class.has_file()
            && class.package.as_bytes() == package.as_bytes()
            && let Some(location) = location_of(vm, name)
        {
            return Ok(vm.new_string(&location)?.to_slot());
        }
    }
    Ok(0)
}

/// Where the boot loader finds a class; `None` for one that was handed to it, such as a proxy.
fn location_of(vm: &mut Vm, name: Symbol) -> Option<String> {
    let package = vm.symbols.intern(package_of(name.as_bytes()));
    let Some(module) = vm.boot_module_of_package(package) else {
        return vm.find_in_boot_path(name).map(|(jar, _)| jar);
    };
    vm.image.find(&module.to_string(), &format!("{name}.class")).map(|_| format!("jrt:/{module}"))
}
