//! Closing again has no effect (java.io.Closeable); java.lang.AutoCloseable only recommends it.

use super::rule::{Contract, Law};
use super::scene::{Judged, Scene, Value};
use super::traits::Traits;

const ID: &str = "close-twice";
const RULE: &str = "closing a second time must have no effect";

pub(super) const CONTRACT: Contract = Contract::new(ID, RULE, Law::Object { applies, judge });
pub(super) const OF_AUTO_CLOSEABLE: Contract =
    Contract::new(ID, RULE, Law::Object { applies: only_recommended, judge }).warning();

fn applies(traits: &Traits) -> bool {
    traits.is.closeable
}

fn only_recommended(traits: &Traits) -> bool {
    traits.is.auto_closeable && !traits.is.closeable
}

fn judge(scene: &mut Scene<'_>, traits: &Traits, x: Value) -> Judged {
    let known = scene.known;
    let close = if traits.is.closeable { &known.close_closeable } else { &known.close };
    scene.call(close, &[x])?;
    scene.demand_return(close, &[x]).map(drop)
}
