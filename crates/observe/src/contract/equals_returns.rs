//! `equals` does not throw: not for the object itself, not for an object of another class, not for any
//! other object.

use super::rule::{Contract, Law};
use super::scene::{Judged, Scene, Value};
use super::traits::Traits;

const ID: &str = "equals-returns";
const RULE: &str = "x.equals(y) must return";

pub(super) const CONTRACT: Contract =
    Contract::new(ID, RULE, Law::Object { applies, judge }).quick();
pub(super) const OF_PAIR: Contract =
    Contract::new(ID, RULE, Law::Pair { applies: applies_to_pair, judge: judge_pair });

fn applies(traits: &Traits) -> bool {
    traits.own_equals
}

fn judge(scene: &mut Scene<'_>, _: &Traits, x: Value) -> Judged {
    let equals = &scene.known.equals;
    scene.demand_return(equals, &[x, x])?;
    let text = Value::text("", scene.known.empty_text);
    scene.demand_return(equals, &[x, text]).map(drop)
}

fn applies_to_pair(one: &Traits, _: &Traits) -> bool {
    one.own_equals
}

fn judge_pair(scene: &mut Scene<'_>, x: Value, y: Value) -> Judged {
    let equals = &scene.known.equals;
    scene.demand_return(equals, &[x, y]).map(drop)
}
