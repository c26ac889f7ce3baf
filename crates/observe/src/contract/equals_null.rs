//! `x.equals(null)` is false (java.lang.Object), and does not throw.

use super::rule::{Contract, Law};
use super::scene::{Judged, Scene, Value, Want};
use super::traits::Traits;

pub(super) const CONTRACT: Contract =
    Contract::new("equals-null", "x.equals(null) must be false", Law::Object { applies, judge })
        .quick();

fn applies(traits: &Traits) -> bool {
    traits.own_equals
}

fn judge(scene: &mut Scene<'_>, _: &Traits, x: Value) -> Judged {
    let equals = &scene.known.equals;
    let is_equal = scene.demand_return(equals, &[x, Value::NULL])?;
    scene.demand(is_equal, Want::False)
}
