//! What is written with `ObjectOutputStream` and read again equals what it was (java.io.Serializable), where
//! the class has an `equals` of its own. Not judged where part of the object is written too and is compared
//! by identity, as nothing read can be equal then.

use vm::value::{ClassId, Ref};

use super::parts::all_pass;
use super::plain_values::premise_of_content;
use super::rule::{Contract, Law};
use super::scene::{Break, Judged, Scene, Value, Want};
use super::traits::{Traits, has_own_equals};

pub(super) const CONTRACT: Contract = Contract::new(
    "serial-round-trip",
    "what is written and read again must equal x",
    Law::Object { applies, judge },
)
.slow();

fn applies(traits: &Traits) -> bool {
    traits.is.serializable && traits.own_equals && !traits.is.enumeration
}

fn judge(scene: &mut Scene<'_>, _: &Traits, x: Value) -> Judged {
    scene.unless_excused(
        |scene| {
            premise_of_parts(scene, x.reference())?;
            premise_of_content(scene, x)
        },
        |scene| law(scene, x),
    )
}

fn law(scene: &mut Scene<'_>, x: Value) -> Judged {
    let known = scene.known;
    let is_equal = scene.call(&known.equals, &[x, x])?;
    scene.premise(is_equal, Want::True)?;
    let bytes = scene.call(&known.serial.new_bytes, &[])?;
    let output = scene.call(&known.serial.new_output, &[bytes])?;
    scene.call(&known.serial.write, &[output, x])?;
    scene.call(&known.serial.flush, &[output])?;
    let array = scene.call(&known.serial.to_byte_array, &[bytes])?;
    let input = scene.call(&known.serial.new_input_bytes, &[array])?;
    let input = scene.call(&known.serial.new_input, &[input])?;
    let read = &known.serial.read;
    let copy = scene.demand_return_through(&read.method, &known.serial.read_here, &[input])?;
    scene.demand(copy, Want::NotNull)?;
    let is_equal = scene.call(&known.equals, &[copy, x])?;
    scene.demand(is_equal, Want::True)
}

/// Demands, as a premise, that no part of the object that can be written is compared by identity.
fn premise_of_parts(scene: &Scene<'_>, root: Ref) -> Judged {
    let vm = scene.vm();
    let types = &scene.known.types;
    let passes = |part: Ref, class: ClassId| {
        part == root
            || vm.class(class).is_array()
            || !vm.is_subtype(class, types.serializable)
            || vm.is_subtype(class, types.enumeration)
            || has_own_equals(vm, class)
    };
    if all_pass(vm, root, &passes) { Ok(()) } else { Err(Break::DoesNotApply) }
}
