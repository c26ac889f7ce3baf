//! A method of the class that says whether the object is well formed says yes: `repOk`, `checkRep`,
//! `invariant`, `classInvariant`.

use super::rule::{Contract, Law};
use super::scene::{Judged, Scene, Value, Want};
use super::traits::Traits;

pub(super) const CONTRACT: Contract =
    Contract::new("invariant", "its invariant must hold", Law::Object { applies, judge });

fn applies(traits: &Traits) -> bool {
    !traits.invariants.is_empty()
}

fn judge(scene: &mut Scene<'_>, traits: &Traits, x: Value) -> Judged {
    for invariant in &traits.invariants {
        let holds = scene.demand_return(invariant, &[x])?;
        scene.demand(holds, Want::True)?;
    }
    Ok(())
}
