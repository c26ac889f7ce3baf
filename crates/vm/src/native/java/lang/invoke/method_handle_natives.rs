//! `java.lang.invoke.MethodHandleNatives`: resolving member names, field offsets, call-site targets.
//! Linkage of call sites is in `invoke_dynamic`.

mod resolution;

use crate::frame::Res;
use crate::native::java::lang::invoke::member_name::{
    ALL_KINDS, IS_CONSTRUCTOR, IS_FIELD, IS_METHOD, RefKind, is_setter,
};
use crate::native::{Args, NativeRow, nothing, zero};
use crate::reflection::layout::{ConstructorLayout, FieldLayout, MethodLayout};
use crate::value::{Kind, Ref, Value};
use crate::vm::Vm;
use resolution::Wanted;

const NATIVES_CLASS: &str = "java/lang/invoke/MethodHandleNatives";

pub(crate) const NATIVES: &[NativeRow] = &[
    (NATIVES_CLASS, "init", "(Ljava/lang/invoke/MemberName;Ljava/lang/Object;)V", init),
    (NATIVES_CLASS, "expand", "(Ljava/lang/invoke/MemberName;)V", expand),
    (
        NATIVES_CLASS,
        "resolve",
        "(Ljava/lang/invoke/MemberName;Ljava/lang/Class;IZ)Ljava/lang/invoke/MemberName;",
        resolve,
    ),
    (
        NATIVES_CLASS,
        "getMembers",
        "(Ljava/lang/Class;Ljava/lang/String;Ljava/lang/String;ILjava/lang/Class;I[Ljava/lang/invoke/MemberName;)I",
        get_members,
    ),
    (NATIVES_CLASS, "objectFieldOffset", "(Ljava/lang/invoke/MemberName;)J", object_field_offset),
    (NATIVES_CLASS, "staticFieldOffset", "(Ljava/lang/invoke/MemberName;)J", static_field_offset),
    (
        NATIVES_CLASS,
        "staticFieldBase",
        "(Ljava/lang/invoke/MemberName;)Ljava/lang/Object;",
        static_field_base,
    ),
    (
        NATIVES_CLASS,
        "getMemberVMInfo",
        "(Ljava/lang/invoke/MemberName;)Ljava/lang/Object;",
        get_member_vm_info,
    ),
    (
        NATIVES_CLASS,
        "setCallSiteTargetNormal",
        "(Ljava/lang/invoke/CallSite;Ljava/lang/invoke/MethodHandle;)V",
        set_call_site_target,
    ),
    (
        NATIVES_CLASS,
        "setCallSiteTargetVolatile",
        "(Ljava/lang/invoke/CallSite;Ljava/lang/invoke/MethodHandle;)V",
        set_call_site_target,
    ),
    (
        NATIVES_CLASS,
        "clearCallSiteContext",
        "(Ljava/lang/invoke/MethodHandleNatives$CallSiteContext;)V",
        nothing,
    ),
    // The constants of the JDK are taken as they are; there is nothing to compare.
    (NATIVES_CLASS, "getNamedCon", "(I[Ljava/lang/Object;)I", zero),
];

fn internal_error<T>(vm: &mut Vm, message: &str) -> Res<T> {
    Err(vm.throw("java/lang/InternalError", message))
}

/// Fills a `MemberName` from a `Method`, `Constructor` or `Field`. The caller fills name and type.
fn init(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let member = args.reference();
    let target = args.reference();
    if member.is_null() {
        return internal_error(vm, "mname must not be null");
    }
    if target.is_null() {
        return internal_error(vm, "target must not be null");
    }
    let class_name = vm.class(vm.class_of(target)).name.as_bytes();
    if class_name == FieldLayout::CLASS.as_bytes() {
        let field = vm.field_of_reflected(target)?;
        vm.set_member_field(member, &field, false)?;
    } else if class_name == MethodLayout::CLASS.as_bytes()
        || class_name == ConstructorLayout::CLASS.as_bytes()
    {
        let method = vm.method_of_reflected(target)?;
        // A signature-polymorphic method is nothing without a concrete type.
        if !vm.method(method).signature_polymorphic {
            let holder = vm.method(method).class;
            let dispatch = vm.dispatch_of(method, holder);
            vm.set_member_method(member, method, holder, dispatch)?;
        }
    } else {
        return internal_error(vm, "unrecognized target");
    }
    Ok(0)
}

/// Fills class, name and type of a resolved `MemberName` where they are missing.
fn expand(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let member = args.reference();
    if member.is_null() {
        return internal_error(vm, "mname must not be null");
    }
    let flags = vm.heap.load_u32(member, vm.known.member_name_flags);
    let (clazz, name, descriptor) = match flags & ALL_KINDS {
        IS_METHOD | IS_CONSTRUCTOR => {
            if vm.heap.load_ref(member, vm.known.member_name_method).is_null() {
                return Err(vm.throw("java/lang/IllegalArgumentException", "nothing to expand"));
            }
            let method = vm.method(vm.member_target(member));
            (method.class, method.name, method.descriptor)
        }
        IS_FIELD => {
            let clazz = vm.heap.load_ref(member, vm.known.member_name_clazz);
            if clazz.is_null() {
                return Err(vm.throw("java/lang/IllegalArgumentException", "nothing to expand"));
            }
            let offset = vm.heap.load_u64(member, vm.known.member_name_vmindex);
            let class = std::sync::Arc::clone(vm.class(vm.class_of_mirror(clazz)));
            let is_static =
                matches!(RefKind::of_flags(flags), Some(RefKind::GetStatic | RefKind::PutStatic));
            let found = class
                .fields
                .iter()
                .find(|field| u64::from(field.offset) == offset && field.is_static() == is_static);
            let Some(field) = found else {
                return internal_error(vm, "unrecognized type");
            };
            (field.class, field.name, field.descriptor)
        }
        _ => return internal_error(vm, "unrecognized type"),
    };
    if vm.heap.load_ref(member, vm.known.member_name_clazz).is_null() {
        vm.heap.store_ref(member, vm.known.member_name_clazz, vm.mirror(clazz));
    }
    if vm.heap.load_ref(member, vm.known.member_name_name).is_null() {
        let name = vm.intern_mutf8(name.as_bytes())?;
        vm.heap.store_ref(member, vm.known.member_name_name, name);
    }
    if vm.heap.load_ref(member, vm.known.member_name_type).is_null() {
        let descriptor = vm.new_string_mutf8(descriptor.as_bytes())?;
        vm.heap.store_ref(member, vm.known.member_name_type, descriptor);
    }
    Ok(0)
}

fn resolve(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let member = args.reference();
    let caller = args.reference();
    let _lookup_mode = args.int();
    let speculative = args.boolean();
    if member.is_null() {
        return internal_error(vm, "no member name to resolve");
    }
    if !vm.heap.load_ref(member, vm.known.member_name_method).is_null() {
        return Ok(member.to_slot());
    }
    let flags = vm.heap.load_u32(member, vm.known.member_name_flags);
    let Some(kind) = RefKind::of_flags(flags) else {
        return internal_error(vm, "obsolete MemberName format");
    };
    let resolved = match Wanted::read(vm, member, caller, kind)? {
        Some(wanted) => wanted.resolve(vm, flags, speculative),
        None => Ok(None),
    };
    match resolved? {
        Some(resolution::Found::Method { method, through, dispatch }) => {
            vm.set_member_method(member, method, through, dispatch)?;
            Ok(member.to_slot())
        }
        Some(resolution::Found::Field(field)) => {
            vm.set_member_field(member, &field, is_setter(kind))?;
            Ok(member.to_slot())
        }
        None if speculative => Ok(0),
        None => Err(match flags & ALL_KINDS {
            IS_FIELD => vm.throw("java/lang/NoSuchFieldError", "field resolution failed"),
            IS_METHOD | IS_CONSTRUCTOR => {
                vm.throw("java/lang/NoSuchMethodError", "method resolution failed")
            }
            _ => vm.throw("java/lang/LinkageError", "resolution failed"),
        }),
    }
}

/// Lists declared members, for the part of `MemberName.Factory` that 17 still has.
fn get_members(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let mirror = args.reference();
    let name = args.reference();
    let descriptor = args.reference();
    let wanted_flags = args.int().cast_unsigned();
    let _caller = args.reference();
    let skip = args.int();
    let results = args.reference();
    if mirror.is_null() || results.is_null() {
        return Ok(Value::Int(-1).to_slot());
    }
    let class = std::sync::Arc::clone(vm.class(vm.class_of_mirror(mirror)));
    let name = name.some().map(|name| classfile::mutf8::encode(vm.string_utf16(name)));
    let descriptor = descriptor.some().map(|text| classfile::mutf8::encode(vm.string_utf16(text)));
    let fits = |one_name: &[u8], one_descriptor: &[u8]| {
        name.as_deref().is_none_or(|name| name == one_name)
            && descriptor.as_deref().is_none_or(|descriptor| descriptor == one_descriptor)
    };
    let room = vm.heap.array_length(results);
    let mut n_found = 0_i32;
    let mut filled = 0;
    if wanted_flags & IS_FIELD != 0 {
        for field in class.fields.iter().filter(|field| !field.injected) {
            if fits(field.name.as_bytes(), field.descriptor.as_bytes()) {
                if n_found >= skip && filled < room {
                    let member = vm.heap.element_ref(results, filled);
                    if !member.is_null() {
                        vm.set_member_field(member, field, false)?;
                    }
                    filled += 1;
                }
                n_found += 1;
            }
        }
    }
    for method in &class.methods {
        let kind = if method.is_constructor() { IS_CONSTRUCTOR } else { IS_METHOD };
        if wanted_flags & kind != 0
            && !method.is_static_initialiser()
            && fits(method.name.as_bytes(), method.descriptor.as_bytes())
        {
            if n_found >= skip && filled < room {
                let member = vm.heap.element_ref(results, filled);
                if !member.is_null() {
                    let dispatch = vm.dispatch_of(method.id, class.id);
                    vm.set_member_method(member, method.id, class.id, dispatch)?;
                }
                filled += 1;
            }
            n_found += 1;
        }
    }
    Ok(Value::Int(n_found - skip.max(0)).to_slot())
}

fn object_field_offset(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let member = args.reference();
    field_index(vm, member, false)
}

fn static_field_offset(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let member = args.reference();
    field_index(vm, member, true)
}

fn field_index(vm: &mut Vm, member: Ref, is_static: bool) -> Res<u64> {
    if !member.is_null() {
        let flags = vm.heap.load_u32(member, vm.known.member_name_flags);
        let field_is_static = flags & u32::from(crate::class::flags::STATIC) != 0;
        if flags & IS_FIELD != 0 && field_is_static == is_static {
            return Ok(vm.heap.load_u64(member, vm.known.member_name_vmindex));
        }
    }
    internal_error(
        vm,
        if is_static { "static field required" } else { "non-static field required" },
    )
}

fn static_field_base(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let member = args.reference();
    field_index(vm, member, true)?;
    Ok(vm.heap.load_ref(member, vm.known.member_name_clazz).to_slot())
}

/// Index and target: the class for a field, the member itself for a method.
fn get_member_vm_info(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let member = args.reference();
    if member.is_null() {
        return Ok(0);
    }
    let class = vm.box_class(Kind::Long);
    vm.ensure_initialised(class)?;
    let vmindex = vm.heap.load_u64(member, vm.known.member_name_vmindex);
    let vmindex = vm.box_value(Kind::Long, vmindex)?;
    let flags = vm.heap.load_u32(member, vm.known.member_name_flags);
    let target = if flags & IS_FIELD != 0 {
        vm.heap.load_ref(member, vm.known.member_name_clazz)
    } else {
        member
    };
    Ok(vm.new_ref_array(vm.known.object, &[vmindex, target])?.to_slot())
}

fn set_call_site_target(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let site = args.reference();
    let target = args.reference();
    vm.heap.store_ref(site, vm.known.call_site_target, target);
    Ok(0)
}
