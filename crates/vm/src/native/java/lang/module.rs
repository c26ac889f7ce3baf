//! `java.lang.Module`: telling the machine about modules, what they read and what they export.

use crate::frame::Res;
use crate::module::{ExportTo, ModuleKey};
use crate::native::{Args, NativeRow};
use crate::value::Ref;
use crate::vm::Vm;

const MODULE: &str = "java/lang/Module";

pub(crate) const NATIVES: &[NativeRow] = &[
    (
        MODULE,
        "defineModule0",
        "(Ljava/lang/Module;ZLjava/lang/String;Ljava/lang/String;[Ljava/lang/Object;)V",
        define_module,
    ),
    (MODULE, "addReads0", "(Ljava/lang/Module;Ljava/lang/Module;)V", add_reads),
    (
        MODULE,
        "addExports0",
        "(Ljava/lang/Module;Ljava/lang/String;Ljava/lang/Module;)V",
        add_exports,
    ),
    (MODULE, "addExportsToAll0", "(Ljava/lang/Module;Ljava/lang/String;)V", add_exports_to_all),
    (
        MODULE,
        "addExportsToAllUnnamed0",
        "(Ljava/lang/Module;Ljava/lang/String;)V",
        add_exports_to_all_unnamed,
    ),
];

fn define_module(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let module = args.reference();
    let is_open = args.boolean();
    let _version = args.reference();
    let _location = args.reference();
    let packages = args.reference();
    if module.is_null() {
        return Err(vm.throw("java/lang/NullPointerException", "Null module object"));
    }
    let name = vm.heap.load_ref(module, vm.known.module_name);
    if name.is_null() {
        return Err(vm.throw("java/lang/IllegalArgumentException", "Module name cannot be null"));
    }
    let loader = vm.heap.load_ref(module, vm.known.module_loader);
    let loader = vm.loader_of(loader);
    let mut symbols = Vec::new();
    if !packages.is_null() {
        for idx in 0..vm.heap.array_length(packages) {
            let package = vm.heap.element_ref(packages, idx);
            if package.is_null() {
                return Err(vm.throw("java/lang/IllegalArgumentException", "Bad package name"));
            }
            symbols.push(symbol_of(vm, package));
        }
    }
    let name = vm.string_text(name);
    let name = vm.symbols.intern(name.as_bytes());
    vm.define_module(loader, module, name, is_open, &symbols);
    Ok(0)
}

fn add_reads(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let from = module(vm, args.reference(), "from_module is null")?;
    // Reading nobody in particular means all unnamed modules, which every module may see.
    if let Some(to) = args.reference().some() {
        let to = vm.module_key(to);
        vm.add_reads(from, to);
    }
    Ok(0)
}

fn add_exports(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let (from, package) = (args.reference(), args.reference());
    let to = module(vm, args.reference(), "to_module is null")?;
    export(vm, from, package, ExportTo::One(to))
}

fn add_exports_to_all(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let (from, package) = (args.reference(), args.reference());
    export(vm, from, package, ExportTo::All)
}

fn add_exports_to_all_unnamed(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let (from, package) = (args.reference(), args.reference());
    export(vm, from, package, ExportTo::AllUnnamed)
}

fn export(vm: &mut Vm, from: Ref, package: Ref, to: ExportTo) -> Res<u64> {
    let from = module(vm, from, "from_module is null")?;
    if package.is_null() {
        return Err(vm.throw("java/lang/NullPointerException", "package is null"));
    }
    let package = symbol_of(vm, package);
    vm.add_exports(from, package, to);
    Ok(0)
}

fn module(vm: &mut Vm, java: Ref, complaint: &str) -> Res<ModuleKey> {
    if java.is_null() {
        return Err(vm.throw("java/lang/NullPointerException", complaint));
    }
    Ok(vm.module_key(java))
}

/// A package's name in internal form.
fn symbol_of(vm: &Vm, package: Ref) -> crate::symbol::Symbol {
    let units = vm.string_utf16(package);
    let slash = |unit| if unit == u16::from(b'.') { u16::from(b'/') } else { unit };
    vm.symbols.intern(&classfile::mutf8::encode(units.into_iter().map(slash)))
}
