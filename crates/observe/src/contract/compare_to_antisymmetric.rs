//! `x.compareTo(y)` and `y.compareTo(x)` have opposite signs (java.lang.Comparable).

use super::rule::{Contract, Law};
use super::scene::{Judged, Scene, Value, Want};
use super::traits::Traits;

pub(super) const CONTRACT: Contract = Contract::new(
    "compare-to-antisymmetric",
    "x.compareTo(y) and y.compareTo(x) must have opposite signs",
    Law::Pair { applies, judge },
);

fn applies(one: &Traits, other: &Traits) -> bool {
    one.is.comparable && other.is.comparable
}

fn judge(scene: &mut Scene<'_>, x: Value, y: Value) -> Judged {
    let known = scene.known;
    let there = scene.call(&known.compare_to, &[x, y])?;
    let back = scene.call(&known.compare_to, &[y, x])?;
    if there.as_int().signum() == -back.as_int().signum() {
        return Ok(());
    }
    let there = scene.sign(there)?;
    let back = scene.sign(back)?;
    let opposite = scene.call(&known.negate, &[back])?;
    scene.demand(opposite, Want::EqualTo(there))
}
