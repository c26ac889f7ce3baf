//! The order of a comparator has no circles, and what is equal in it stands alike to all others
//! (java.util.Comparator). The first of the four objects is the comparator.

use super::compare_to_transitive::composed;
use super::rule::{Contract, Law};
use super::scene::{Judged, Scene, Value, Want};
use super::traits::Traits;

pub(super) const CONTRACT: Contract = Contract::new(
    "comparator-transitive",
    "c.compare(x, z) must follow from c.compare(x, y) and c.compare(y, z)",
    Law::Four { applies, judge: transitive },
);

fn applies(comparator: &Traits) -> bool {
    // What the machine wrote for a lambda may be an argument that somebody made up.
    comparator.is.comparator && !comparator.class.hidden && !comparator.class.is_spun
}

/// Judges three values.
pub(super) fn transitive(scene: &mut Scene<'_>, c: Value, [x, y, z]: [Value; 3]) -> Judged {
    let compare = &scene.known.compare;
    let first = scene.call(compare, &[c, x, y])?;
    let second = scene.call(compare, &[c, y, z])?;
    let both = scene.call(compare, &[c, x, z])?;
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
