//! An order has no circles, and what is equal in it stands alike to all others (java.lang.Comparable).

use super::rule::{Contract, Law};
use super::scene::{Judged, Scene, Value, Want};
use super::traits::Traits;

pub(super) const CONTRACT: Contract = Contract::new(
    "compare-to-transitive",
    "x.compareTo(z) must follow from x.compareTo(y) and y.compareTo(z)",
    Law::Triple { applies, judge },
);

fn applies(one: &Traits, other: &Traits, third: &Traits) -> bool {
    one.is.comparable && other.is.comparable && third.is.comparable
}

fn judge(scene: &mut Scene<'_>, x: Value, y: Value, z: Value) -> Judged {
    let compare_to = &scene.known.compare_to;
    let first = scene.call(compare_to, &[x, y])?;
    let second = scene.call(compare_to, &[y, z])?;
    let both = scene.call(compare_to, &[x, z])?;
    let Some(sign) = composed(first.as_int(), second.as_int()) else { return Ok(()) };
    if both.as_int().signum() == sign {
        return Ok(());
    }
    for number in [first, second] {
        let own = scene.sign(number)?;
        scene.premise(own, Want::Int(number.as_int().signum()))?;
    }
    let own = scene.sign(both)?;
    scene.demand(own, Want::Int(sign))
}

/// The sign that follows from two others, where one does.
pub(super) fn composed(first: i32, second: i32) -> Option<i32> {
    match (first.signum(), second.signum()) {
        (0, sign) | (sign, 0) => Some(sign),
        (one, other) if one == other => Some(one),
        _ => None,
    }
}
