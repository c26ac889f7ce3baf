//! A map has as many keys as its size says, has each of them, and finds by it what the entry holds
//! (java.util.Map).

use super::plain_values::{MOST, premise_of_keys};
use super::rule::{Contract, Law};
use super::scene::{Judged, Scene, Value, Want};
use super::traits::Traits;

pub(super) const CONTRACT: Contract = Contract::new(
    "map-keys",
    "x must find the value of each of its keys",
    Law::Object { applies, judge },
);

fn applies(traits: &Traits) -> bool {
    traits.is.map
}

fn judge(scene: &mut Scene<'_>, _: &Traits, x: Value) -> Judged {
    scene.unless_excused(|scene| premise_of_keys(scene, x), |scene| law(scene, x))
}

fn law(scene: &mut Scene<'_>, x: Value) -> Judged {
    let known = scene.known;
    let size = scene.demand_return(&known.map_size, &[x])?;
    let keys = scene.call(&known.key_set, &[x])?;
    scene.demand(keys, Want::NotNull)?;
    let n_keys = scene.call(&known.size, &[keys])?;
    scene.demand(n_keys, Want::EqualTo(size))?;
    // What holds needs not be shown with what may not.
    scene.forget();
    let entries = scene.call(&known.entry_set, &[x])?;
    scene.demand(entries, Want::NotNull)?;
    let iterator = scene.call(&known.iterator, &[entries])?;
    for _ in 0..MOST {
        let has_next = scene.call(&known.has_next, &[iterator])?;
        if !has_next.as_bool() {
            return Ok(());
        }
        let entry = scene.call(&known.next, &[iterator])?;
        let key = scene.call(&known.entry_key, &[entry])?;
        let value = scene.call(&known.entry_value, &[entry])?;
        let has_key = scene.demand_return(&known.contains_key, &[x, key])?;
        scene.demand(has_key, Want::True)?;
        let found = scene.demand_return(&known.get, &[x, key])?;
        scene.demand(found, Want::Same(value))?;
    }
    Ok(())
}
