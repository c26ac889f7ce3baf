//! `x.equals(y)` and `y.equals(x)` say the same (java.lang.Object).

use super::plain_values::premise_of_content;
use super::rule::{Contract, Law};
use super::scene::{Judged, Scene, Value, Want};
use super::traits::Traits;

pub(super) const CONTRACT: Contract = Contract::new(
    "equals-symmetric",
    "x.equals(y) and y.equals(x) must say the same",
    Law::Pair { applies, judge },
);

fn applies(one: &Traits, other: &Traits) -> bool {
    one.own_equals || other.own_equals
}

fn judge(scene: &mut Scene<'_>, x: Value, y: Value) -> Judged {
    scene.unless_excused(
        |scene| premise_of_content(scene, x).and_then(|()| premise_of_content(scene, y)),
        |scene| law(scene, x, y),
    )
}

fn law(scene: &mut Scene<'_>, x: Value, y: Value) -> Judged {
    let equals = &scene.known.equals;
    let there = scene.call(equals, &[x, y])?;
    let back = scene.call(equals, &[y, x])?;
    scene.demand(back, Want::EqualTo(there))
}
