//! `toString` does not throw.

use super::rule::{Contract, Law};
use super::scene::{Judged, Scene, Value};
use super::traits::Traits;

pub(super) const CONTRACT: Contract =
    Contract::new("to-string-returns", "x.toString() must return", Law::Object { applies, judge })
        .quick();

fn applies(traits: &Traits) -> bool {
    traits.own_to_string
}

fn judge(scene: &mut Scene<'_>, _: &Traits, x: Value) -> Judged {
    let to_string = &scene.known.to_string;
    scene.demand_return(to_string, &[x]).map(drop)
}
