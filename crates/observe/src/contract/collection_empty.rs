//! A collection or map is empty exactly where its size is 0 (java.util.Collection, java.util.Map).

use super::rule::{Contract, Law};
use super::scene::{Judged, Scene, Value, Want};
use super::traits::Traits;

pub(super) const CONTRACT: Contract = Contract::new(
    "collection-empty",
    "x.isEmpty() must be true exactly where x.size() is 0",
    Law::Object { applies, judge },
);

fn applies(traits: &Traits) -> bool {
    traits.is.collection || traits.is.map
}

fn judge(scene: &mut Scene<'_>, traits: &Traits, x: Value) -> Judged {
    let known = scene.known;
    let (size, is_empty) = if traits.is.collection {
        (&known.size, &known.is_empty)
    } else {
        (&known.map_size, &known.map_is_empty)
    };
    let size = scene.demand_return(size, &[x])?;
    let is_empty = scene.demand_return(is_empty, &[x])?;
    if is_empty.as_bool() {
        scene.note(is_empty);
        return scene.demand(size, Want::Int(0));
    }
    if size.as_int() != 0 {
        return Ok(());
    }
    scene.premise(size, Want::Int(0))?;
    scene.demand(is_empty, Want::True)
}
