//! `x.compareTo(y) == 0` exactly where `x.equals(y)`: strongly recommended by java.lang.Comparable, not
//! demanded, so that it is a warning.

use super::rule::{Contract, Law};
use super::scene::{Judged, Scene, Value, Want};
use super::traits::Traits;

pub(super) const CONTRACT: Contract = Contract::new(
    "compare-to-equals",
    "x.compareTo(y) must be 0 exactly where x.equals(y) is true",
    Law::Pair { applies, judge },
)
.warning();

fn applies(one: &Traits, other: &Traits) -> bool {
    one.is.comparable && one.own_equals && one.id == other.id
}

fn judge(scene: &mut Scene<'_>, x: Value, y: Value) -> Judged {
    let known = scene.known;
    let order = scene.call(&known.compare_to, &[x, y])?;
    let is_equal = scene.call(&known.equals, &[x, y])?;
    if is_equal.as_bool() {
        scene.note(is_equal);
        return scene.demand(order, Want::Int(0));
    }
    if order.as_int() != 0 {
        return Ok(());
    }
    scene.premise(order, Want::Int(0))?;
    scene.demand(is_equal, Want::True)
}
