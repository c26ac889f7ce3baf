//! A list equals a plain copy of itself in both directions, and has its hash code (java.util.List).

use super::plain_values::premise_of_content;
use super::rule::{Contract, Law};
use super::scene::{Judged, Scene, Value, Want};
use super::traits::Traits;

pub(super) const CONTRACT: Contract = Contract::new(
    "list-equals-copy",
    "x must equal an ArrayList of the same elements",
    Law::Object { applies, judge },
);

fn applies(traits: &Traits) -> bool {
    traits.is.list
}

fn judge(scene: &mut Scene<'_>, _: &Traits, x: Value) -> Judged {
    scene.unless_excused(|scene| premise_of_content(scene, x), |scene| law(scene, x))
}

fn law(scene: &mut Scene<'_>, x: Value) -> Judged {
    let known = scene.known;
    let copy = scene.call(&known.new_array_list, &[x])?;
    let is_equal = scene.demand_return(&known.equals, &[x, copy])?;
    scene.demand(is_equal, Want::True)?;
    let is_equal = scene.call(&known.equals, &[copy, x])?;
    scene.demand(is_equal, Want::True)?;
    let own = scene.demand_return(&known.hash_code, &[x])?;
    let of_copy = scene.call(&known.hash_code, &[copy])?;
    scene.demand(own, Want::EqualTo(of_copy))
}
