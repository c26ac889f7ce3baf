//! `java.lang.Class`: member, local and nest-mate relations and sealed hierarchies.

use std::sync::Arc;

use classfile::InnerClass;

use crate::class::Class;
use crate::frame::Res;
use crate::native::java::lang::class::{new_class_array, this_class};
use crate::native::{Args, NativeRow};
use crate::value::{ClassId, Ref};
use crate::vm::Vm;

const CLASS: &str = "java/lang/Class";

pub(crate) const NATIVES: &[NativeRow] = &[
    (CLASS, "getDeclaredClasses0", "()[Ljava/lang/Class;", get_declared_classes),
    (CLASS, "getDeclaringClass0", "()Ljava/lang/Class;", get_declaring_class),
    (CLASS, "getSimpleBinaryName0", "()Ljava/lang/String;", get_simple_binary_name),
    (CLASS, "getEnclosingMethod0", "()[Ljava/lang/Object;", get_enclosing_method),
    (CLASS, "getNestHost0", "()Ljava/lang/Class;", get_nest_host),
    (CLASS, "getNestMembers0", "()[Ljava/lang/Class;", get_nest_members),
    (CLASS, "getPermittedSubclasses0", "()[Ljava/lang/Class;", get_permitted_subclasses),
];

/// The class's own entry in its `InnerClasses`; a hidden class's is found by its class-file name.
fn own_entry(class: &Class) -> Option<InnerClass> {
    let file = class.file()?;
    let pool = file.constant_pool();
    file.inner_classes().into_iter().find(|entry| pool.class_name(entry.inner) == file.name())
}

fn get_declared_classes(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let class = this_class(vm, &mut args);
    let mut members = Vec::new();
    if let Some(file) = class.file().cloned() {
        let pool = file.constant_pool();
        for entry in file.inner_classes() {
            if entry.outer == 0 || entry.inner == 0 || pool.class_name(entry.outer) != file.name() {
                continue;
            }
            let member = vm.resolve_class(class.id, entry.inner)?;
            // The entry itself proves the relation, unless one of both is hidden. A search for
            // each member, each time that a member had to be loaded first, would be cubic.
            let proves_itself = pool.class_name(entry.inner) == vm.class(member).name.as_bytes()
                && file.name() == class.name.as_bytes();
            if !proves_itself {
                check_inner_class(vm, class.id, member)?;
            }
            members.push(member);
        }
    }
    new_class_array(vm, &members)
}

fn get_declaring_class(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let class = this_class(vm, &mut args);
    let Some(entry) = own_entry(&class).filter(|entry| entry.outer != 0) else { return Ok(0) };
    let outer = vm.resolve_class(class.id, entry.outer)?;
    check_inner_class(vm, outer, class.id)?;
    Ok(vm.mirror(outer).to_slot())
}

/// Both classes must say that one is a member of the other.
fn check_inner_class(vm: &mut Vm, outer: ClassId, inner: ClassId) -> Res<()> {
    let (outer, inner) = (Arc::clone(vm.class(outer)), Arc::clone(vm.class(inner)));
    let Some(file) = outer.file() else { return Ok(()) };
    let pool = file.constant_pool();
    for entry in file.inner_classes() {
        // By run-time names: no attribute knows of a hidden class.
        let is_named = pool.class_name(entry.inner) == inner.name.as_bytes()
            && (entry.outer == 0 || pool.class_name(entry.outer) == outer.name.as_bytes());
        if is_named && vm.resolve_class(outer.id, entry.inner)? == inner.id {
            return Ok(());
        }
    }
    let (outer, inner) = (outer.external_name(), inner.external_name());
    let message = format!("{outer} and {inner} disagree on InnerClasses attribute");
    Err(vm.throw("java/lang/IncompatibleClassChangeError", &message))
}

fn get_simple_binary_name(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let class = this_class(vm, &mut args);
    let Some(entry) = own_entry(&class).filter(|entry| entry.name != 0) else { return Ok(0) };
    let file = Arc::clone(class.class_file());
    Ok(vm.optional_string(&file, entry.name)?.to_slot())
}

fn get_enclosing_method(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let class = this_class(vm, &mut args);
    let Some(file) = class.file().cloned() else { return Ok(0) };
    let Some((enclosing, method)) = file.enclosing_method() else { return Ok(0) };
    let enclosing = vm.resolve_class(class.id, enclosing)?;
    let mut parts = [vm.mirror(enclosing), Ref::NULL, Ref::NULL];
    if let Some((name, descriptor)) = file.constant_pool().try_name_and_type(method) {
        parts[1] = vm.new_string_mutf8(name)?;
        parts[2] = vm.new_string_mutf8(descriptor)?;
    }
    Ok(vm.new_ref_array(vm.known.object, &parts)?.to_slot())
}

fn get_nest_host(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let class = this_class(vm, &mut args);
    let host = if class.has_file() { vm.nest_host(class.id)? } else { class.id };
    Ok(vm.mirror(host).to_slot())
}

fn get_nest_members(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let class = this_class(vm, &mut args);
    if !class.has_file() {
        return new_class_array(vm, &[class.id]);
    }
    let host = vm.nest_host(class.id)?;
    let mut members = vec![host];
    let file = Arc::clone(vm.class(host).class_file());
    let loader = vm.class(host).loader;
    for name in file.nest_members().unwrap_or_default() {
        let member = vm.load_class(loader, name)?;
        if vm.nest_host(member)? == host {
            members.push(member);
        }
    }
    new_class_array(vm, &members)
}

fn get_permitted_subclasses(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let class = this_class(vm, &mut args);
    let Some(file) = class.file().cloned() else { return Ok(0) };
    let Some(names) = file.permitted_subclasses() else { return Ok(0) };
    let mut subclasses = Vec::with_capacity(names.len());
    for name in names {
        subclasses.push(vm.load_class(class.loader, name)?);
    }
    new_class_array(vm, &subclasses)
}
