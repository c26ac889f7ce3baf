//! `x.clone().equals(x)` is true where the class has an `equals` of its own (java.lang.Object).

use super::plain_values::premise_of_content;
use super::rule::{Contract, Law};
use super::scene::{Judged, Scene, Value, Want};
use super::traits::Traits;
use crate::session::Resolved;

pub(super) const CONTRACT: Contract = Contract::new(
    "clone-equal",
    "x.clone().equals(x) must be true",
    Law::Object { applies, judge },
);

fn applies(traits: &Traits) -> bool {
    traits.clone.is_some() && traits.own_equals
}

fn judge(scene: &mut Scene<'_>, traits: &Traits, x: Value) -> Judged {
    let Some(clone) = &traits.clone else { return Ok(()) };
    scene.unless_excused(|scene| premise_of_content(scene, x), |scene| law(scene, clone, x))
}

fn law(scene: &mut Scene<'_>, clone: &Resolved, x: Value) -> Judged {
    let equals = &scene.known.equals;
    // An object that does not equal itself breaks another contract.
    let is_reflexive = scene.call(equals, &[x, x])?;
    scene.premise(is_reflexive, Want::True)?;
    let copy = scene.call(clone, &[x])?;
    scene.premise(copy, Want::NotNull)?;
    let is_equal = scene.call(equals, &[copy, x])?;
    scene.demand(is_equal, Want::True)
}
