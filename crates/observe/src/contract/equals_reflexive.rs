//! `x.equals(x)` is true (java.lang.Object). An `equals` that throws belongs to `equals_returns`.

use super::rule::{Contract, Law};
use super::scene::{Judged, Scene, Value, Want};
use super::traits::Traits;

pub(super) const CONTRACT: Contract =
    Contract::new("equals-reflexive", "x.equals(x) must be true", Law::Object { applies, judge })
        .quick();

fn applies(traits: &Traits) -> bool {
    traits.own_equals
}

fn judge(scene: &mut Scene<'_>, _: &Traits, x: Value) -> Judged {
    let equals = &scene.known.equals;
    let is_equal = scene.call(equals, &[x, x])?;
    scene.demand(is_equal, Want::True)
}
