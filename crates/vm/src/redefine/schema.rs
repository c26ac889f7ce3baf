//! What a new class file of a class must have in common with the present one.

use classfile::ClassFile;

const SAME_ATTRIBUTES: &str =
    "attempted to change the class NestHost, NestMembers, Record, or PermittedSubclasses attribute";

/// Why the new class file cannot take the place of the old one, in HotSpot's words. Where it can, its
/// methods are put into the order of the old ones.
pub(super) fn difference(old: &ClassFile, new: &mut ClassFile) -> Option<&'static str> {
    if old.super_name() != new.super_name() || !old.interfaces().eq(new.interfaces()) {
        return Some("attempted to change superclass or interfaces");
    }
    if !has_same_attributes(old, new) {
        return Some(SAME_ATTRIBUTES);
    }
    if old.access_flags() != new.access_flags() {
        return Some("attempted to change the class modifiers");
    }
    if !has_same_fields(old, new) {
        return Some("attempted to change the schema (add/remove fields)");
    }
    let (old_pool, new_pool) = (old.constant_pool(), new.constant_pool());
    let mut order = Vec::with_capacity(new.methods().len());
    for method in new.methods() {
        let (name, descriptor) = (new_pool.utf8(method.name), new_pool.utf8(method.descriptor));
        let found = old.methods().iter().position(|other| {
            old_pool.utf8(other.name) == name && old_pool.utf8(other.descriptor) == descriptor
        });
        let Some(at) = found else { return Some("attempted to add a method") };
        if old.methods()[at].access_flags != method.access_flags {
            return Some("attempted to change method modifiers");
        }
        order.push(at);
    }
    if order.len() < old.methods().len() {
        return Some("attempted to delete a method");
    }
    new.order_methods(&order);
    None
}

fn has_same_fields(old: &ClassFile, new: &ClassFile) -> bool {
    let (old_pool, new_pool) = (old.constant_pool(), new.constant_pool());
    old.fields().len() == new.fields().len()
        && old.fields().iter().zip(new.fields()).all(|(old, new)| {
            old.access_flags == new.access_flags
                && old_pool.utf8(old.name) == new_pool.utf8(new.name)
                && old_pool.utf8(old.descriptor) == new_pool.utf8(new.descriptor)
        })
}

fn has_same_attributes(old: &ClassFile, new: &ClassFile) -> bool {
    let sorted = |names: Option<Vec<&[u8]>>| {
        names.map(|names| {
            let mut names: Vec<Vec<u8>> = names.into_iter().map(<[u8]>::to_vec).collect();
            names.sort_unstable();
            names
        })
    };
    let components = |file: &ClassFile| {
        let pool = file.constant_pool();
        file.record_components().map(|components| {
            components
                .iter()
                .map(|part| (pool.utf8(part.name).to_vec(), pool.utf8(part.descriptor).to_vec()))
                .collect::<Vec<_>>()
        })
    };
    old.nest_host() == new.nest_host()
        && sorted(old.nest_members()) == sorted(new.nest_members())
        && sorted(old.permitted_subclasses()) == sorted(new.permitted_subclasses())
        && components(old) == components(new)
}
