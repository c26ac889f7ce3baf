//! `toString` says the same again. No documentation demands it; a watch may well say the time, so that it
//! is a warning.

use super::rule::{Contract, Law};
use super::scene::{Judged, Scene, Value, Want};
use super::traits::Traits;

pub(super) const CONTRACT: Contract = Contract::new(
    "to-string-stable",
    "x.toString() must give the same twice",
    Law::Object { applies, judge },
)
.warning()
.quick();

fn applies(traits: &Traits) -> bool {
    traits.own_to_string
}

fn judge(scene: &mut Scene<'_>, _: &Traits, x: Value) -> Judged {
    let to_string = &scene.known.to_string;
    let first = scene.call(to_string, &[x])?;
    let second = scene.call(to_string, &[x])?;
    scene.demand(second, Want::EqualTo(first))
}
