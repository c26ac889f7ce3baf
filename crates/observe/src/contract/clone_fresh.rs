//! `clone` gives another object of the same class (java.lang.Object).

use super::rule::{Contract, Law};
use super::scene::{Judged, Scene, Value, Want};
use super::traits::Traits;

pub(super) const CONTRACT: Contract = Contract::new(
    "clone-fresh",
    "x.clone() must be another object of the same class",
    Law::Object { applies, judge },
);

fn applies(traits: &Traits) -> bool {
    traits.clone.is_some()
}

fn judge(scene: &mut Scene<'_>, traits: &Traits, x: Value) -> Judged {
    let Some(clone) = &traits.clone else { return Ok(()) };
    let known = scene.known;
    let copy = scene.call(clone, &[x])?;
    scene.demand(copy, Want::NotNull)?;
    scene.demand(copy, Want::NotSame(x))?;
    let own = scene.call(&known.get_class, &[x])?;
    let of_copy = scene.call(&known.get_class, &[copy])?;
    scene.demand(of_copy, Want::Same(own))
}
