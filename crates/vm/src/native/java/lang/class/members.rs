//! `java.lang.Class`: declared fields, methods, constructors and record components, in the order
//! of the class file.

use crate::class::flags;
use crate::frame::Res;
use crate::native::java::lang::class::this_class;
use crate::native::{Args, NativeRow};
use crate::reflection::layout::{ConstructorLayout, FieldLayout, MethodLayout};
use crate::spin::is_adapter;
use crate::vm::Vm;

const CLASS: &str = "java/lang/Class";

pub(crate) const NATIVES: &[NativeRow] = &[
    (CLASS, "getDeclaredFields0", "(Z)[Ljava/lang/reflect/Field;", get_declared_fields),
    (CLASS, "getDeclaredMethods0", "(Z)[Ljava/lang/reflect/Method;", get_declared_methods),
    (
        CLASS,
        "getDeclaredConstructors0",
        "(Z)[Ljava/lang/reflect/Constructor;",
        get_declared_constructors,
    ),
    (
        CLASS,
        "getRecordComponents0",
        "()[Ljava/lang/reflect/RecordComponent;",
        get_record_components,
    ),
];

fn get_declared_fields(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let class = this_class(vm, &mut args);
    vm.ensure_verified(class.id)?;
    let public_only = args.boolean();
    let mut objects = Vec::new();
    for field in &class.fields {
        if !field.injected && is_wanted(field.flags, public_only) {
            objects.push(vm.new_reflected_field(field)?);
        }
    }
    let component = vm.boot_class(FieldLayout::CLASS)?;
    Ok(vm.new_ref_array(component, &objects)?.to_slot())
}

fn get_declared_methods(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let class = this_class(vm, &mut args);
    vm.ensure_verified(class.id)?;
    let public_only = args.boolean();
    let mut objects = Vec::new();
    for method in &class.methods {
        let is_hidden = class.is_spun && is_adapter(method);
        if !method.is_constructor()
            && !method.is_static_initialiser()
            && !is_hidden
            && is_wanted(method.flags, public_only)
        {
            objects.push(vm.new_reflected_method(method.id)?);
        }
    }
    let component = vm.boot_class(MethodLayout::CLASS)?;
    Ok(vm.new_ref_array(component, &objects)?.to_slot())
}

fn get_declared_constructors(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let class = this_class(vm, &mut args);
    vm.ensure_verified(class.id)?;
    let public_only = args.boolean();
    let mut objects = Vec::new();
    for method in &class.methods {
        if method.is_constructor() && is_wanted(method.flags, public_only) {
            objects.push(vm.new_reflected_method(method.id)?);
        }
    }
    let component = vm.boot_class(ConstructorLayout::CLASS)?;
    Ok(vm.new_ref_array(component, &objects)?.to_slot())
}

fn get_record_components(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let class = this_class(vm, &mut args);
    Ok(vm.new_record_components(class.id)?.to_slot())
}

fn is_wanted(member_flags: u16, public_only: bool) -> bool {
    !public_only || member_flags & flags::PUBLIC != 0
}
