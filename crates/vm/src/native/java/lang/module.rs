//! `java.lang.Module`: telling the machine about modules. The Java side keeps reads and exports
//! itself and checks them; the machine only needs to know the module of each package.

use crate::frame::Res;
use crate::native::{Args, NativeRow, nothing};
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
    (MODULE, "addReads0", "(Ljava/lang/Module;Ljava/lang/Module;)V", nothing),
    (MODULE, "addExports0", "(Ljava/lang/Module;Ljava/lang/String;Ljava/lang/Module;)V", nothing),
    (MODULE, "addExportsToAll0", "(Ljava/lang/Module;Ljava/lang/String;)V", nothing),
    (MODULE, "addExportsToAllUnnamed0", "(Ljava/lang/Module;Ljava/lang/String;)V", nothing),
];

fn define_module(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let module = args.reference();
    let _is_open = args.boolean();
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
    vm.define_module(loader, module, name, &symbols);
    Ok(0)
}

/// A package's name in internal form.
fn symbol_of(vm: &Vm, package: Ref) -> crate::symbol::Symbol {
    let units = vm.string_utf16(package);
    let slash = |unit| if unit == u16::from(b'.') { u16::from(b'/') } else { unit };
    vm.symbols.intern(&classfile::mutf8::encode(units.into_iter().map(slash)))
}
