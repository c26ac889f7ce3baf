//! A comparator compares two objects with opposite signs when they are exchanged, and an object with
//! itself as 0 (java.util.Comparator). The first object of the triple is the comparator.

use super::rule::{Contract, Law};
use super::scene::{Judged, Scene, Value, Want};
use super::traits::Traits;

pub(super) const CONTRACT: Contract = Contract::new(
    "comparator-signs",
    "c.compare(x, y) and c.compare(y, x) must have opposite signs",
    Law::Triple { applies, judge },
);

fn applies(comparator: &Traits, _: &Traits, _: &Traits) -> bool {
    // What the machine wrote for a lambda may be an argument that somebody made up.
    comparator.is.comparator && !comparator.class.hidden && !comparator.class.is_spun
}

fn judge(scene: &mut Scene<'_>, c: Value, x: Value, y: Value) -> Judged {
    antisymmetric(scene, c, x, y)
}

/// Judges one pair.
pub(super) fn antisymmetric(scene: &mut Scene<'_>, c: Value, x: Value, y: Value) -> Judged {
    let known = scene.known;
    let there = scene.call(&known.compare, &[c, x, y])?;
    let back = scene.call(&known.compare, &[c, y, x])?;
    if there.as_int().signum() == -back.as_int().signum() {
        return Ok(());
    }
    let there = scene.sign(there)?;
    let back = scene.sign(back)?;
    let opposite = scene.call(&known.negate, &[back])?;
    scene.demand(opposite, Want::EqualTo(there))
}
