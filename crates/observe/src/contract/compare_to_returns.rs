//! `compareTo` does not throw for objects of the class itself (java.lang.Comparable). A cast that fails is
//! not held against a class with type parameters, whose type arguments no machine knows.

use super::rule::{Contract, Law};
use super::scene::{Judged, Scene, Value, Want};
use super::traits::Traits;

const ID: &str = "compare-to-returns";

pub(super) const CONTRACT: Contract =
    Contract::new(ID, "x.compareTo(x) must be 0", Law::Object { applies, judge }).quick();
pub(super) const OF_PAIR: Contract = Contract::new(
    ID,
    "x.compareTo(y) must return for objects of one class",
    Law::Pair { applies: applies_to_pair, judge: judge_pair },
);

fn applies(traits: &Traits) -> bool {
    traits.is.comparable && !traits.is_generic
}

fn judge(scene: &mut Scene<'_>, _: &Traits, x: Value) -> Judged {
    let compare_to = &scene.known.compare_to;
    let order = scene.demand_return(compare_to, &[x, x])?;
    scene.demand(order, Want::Int(0))
}

fn applies_to_pair(one: &Traits, other: &Traits) -> bool {
    applies(one) && one.id == other.id
}

fn judge_pair(scene: &mut Scene<'_>, x: Value, y: Value) -> Judged {
    let compare_to = &scene.known.compare_to;
    scene.demand_return(compare_to, &[x, y]).map(drop)
}
