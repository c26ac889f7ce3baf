//! Values that no later call can change and that no faulty `equals` is behind: a collection of them can be
//! blamed for what it says of them. An order or an idea of equality that was given to the collection from
//! outside cannot be blamed on it either.

use vm::value::{ClassId, Ref};

use super::parts::all_pass;
use super::scene::{Break, Judged, Scene, Value};

/// Most elements that are looked at.
pub(super) const MOST: i32 = 20;

/// Demands, as a premise, that what a collection or map holds can be trusted; says nothing of others.
pub(super) fn premise_of_content(scene: &mut Scene<'_>, x: Value) -> Judged {
    let known = scene.known;
    let vm = scene.vm();
    let (is_collection, is_map) = (
        vm.instance_of(x.reference(), known.types.collection),
        vm.instance_of(x.reference(), known.types.map),
    );
    if is_collection {
        premise_of_equality(scene, x)?;
        return all_plain(scene, x);
    }
    if is_map {
        premise_of_keys(scene, x)?;
        let values = scene.call(&known.values, &[x])?;
        return all_plain(scene, values);
    }
    Ok(())
}

/// Demands, as a premise, that the keys of a map can be trusted.
pub(super) fn premise_of_keys(scene: &mut Scene<'_>, map: Value) -> Judged {
    let known = scene.known;
    premise_of_equality(scene, map)?;
    let keys = scene.call(&known.key_set, &[map])?;
    all_plain(scene, keys)
}

/// Demands, as a premise, that neither an order given from outside nor identity decides what is equal.
pub(super) fn premise_of_equality(scene: &Scene<'_>, x: Value) -> Judged {
    let vm = scene.vm();
    let types = &scene.known.types;
    let passes = |_: Ref, class: ClassId| {
        !vm.is_subtype(class, types.comparator) && !vm.is_subtype(class, types.identity_map)
    };
    if all_pass(vm, x.reference(), &passes) { Ok(()) } else { Err(Break::DoesNotApply) }
}

/// Demands, as a premise, that a collection is small and of such values alone.
fn all_plain(scene: &mut Scene<'_>, collection: Value) -> Judged {
    let known = scene.known;
    let iterator = scene.call(&known.iterator, &[collection])?;
    for _ in 0..=MOST {
        let has_next = scene.call(&known.has_next, &[iterator])?;
        if !has_next.as_bool() {
            return Ok(());
        }
        let element = scene.call(&known.next, &[iterator])?;
        if !is_plain(scene, element.reference()) {
            return Err(Break::DoesNotApply);
        }
    }
    Err(Break::DoesNotApply)
}

fn is_plain(scene: &Scene<'_>, object: Ref) -> bool {
    let vm = scene.vm();
    let types = &scene.known.types;
    let Some(object) = object.some() else { return true };
    let class = vm.class_of(object);
    class == vm.known.string
        || vm.known.boxes.contains(&class)
        || class == vm.known.object
        || vm.is_subtype(class, types.enumeration)
}
