//! `hashCode` does not throw.

use super::rule::{Contract, Law};
use super::scene::{Judged, Scene, Value};
use super::traits::Traits;

pub(super) const CONTRACT: Contract =
    Contract::new("hash-code-returns", "x.hashCode() must return", Law::Object { applies, judge })
        .quick();

fn applies(traits: &Traits) -> bool {
    traits.own_hash_code
}

fn judge(scene: &mut Scene<'_>, _: &Traits, x: Value) -> Judged {
    let hash_code = &scene.known.hash_code;
    scene.demand_return(hash_code, &[x]).map(drop)
}
