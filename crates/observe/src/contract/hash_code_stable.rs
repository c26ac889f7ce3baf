//! `hashCode` gives the same number again (java.lang.Object): at once, and after questions that change
//! nothing.

use super::rule::{Contract, Law};
use super::scene::{Judged, Scene, Value, Want};
use super::traits::Traits;

pub(super) const CONTRACT: Contract = Contract::new(
    "hash-code-stable",
    "x.hashCode() must give the same twice",
    Law::Object { applies, judge },
)
.quick();

fn applies(traits: &Traits) -> bool {
    traits.own_hash_code
}

fn judge(scene: &mut Scene<'_>, traits: &Traits, x: Value) -> Judged {
    let known = scene.known;
    let first = scene.call(&known.hash_code, &[x])?;
    let second = scene.call(&known.hash_code, &[x])?;
    scene.demand(second, Want::EqualTo(first))?;
    if traits.own_equals {
        scene.call(&known.equals, &[x, x])?;
        let third = scene.call(&known.hash_code, &[x])?;
        scene.demand(third, Want::EqualTo(first))?;
    }
    Ok(())
}
