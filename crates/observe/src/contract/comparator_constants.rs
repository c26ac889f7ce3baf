//! A comparator of numbers or strings is an order on a few of them: opposite signs, no circles
//! (java.util.Comparator). One that compares something else refuses them with a failed cast.

use super::comparator_signs::antisymmetric;
use super::comparator_transitive::transitive;
use super::compare_to_transitive::composed;
use super::rule::{Contract, Law};
use super::scene::{Break, Judged, Scene, Value};
use super::traits::Traits;

pub(super) const CONTRACT: Contract =
    Contract::new("comparator-order", "c.compare must be an order", Law::Object { applies, judge });

const NUMBERS: [i32; 6] = [0, 1, -1, 2, i32::MAX, i32::MIN];
const TEXTS: [&str; 6] = ["", "a", "b", "B", "ab", "10"];

fn applies(traits: &Traits) -> bool {
    traits.is.comparator
}

fn judge(scene: &mut Scene<'_>, _: &Traits, c: Value) -> Judged {
    let mut numbers = [Value::NULL; NUMBERS.len()];
    for (place, number) in numbers.iter_mut().zip(NUMBERS) {
        *place = scene.boxed(number)?;
    }
    orders(scene, c, &numbers)?;
    let mut texts = [Value::NULL; TEXTS.len()];
    for (place, text) in texts.iter_mut().zip(TEXTS) {
        *place = scene.text(text)?;
    }
    orders(scene, c, &texts)
}

fn orders(scene: &mut Scene<'_>, c: Value, values: &[Value]) -> Judged {
    let compare = &scene.known.compare;
    // Most comparators refuse most values: one call tells.
    let (Some(&first), Some(&second)) = (values.first(), values.get(1)) else { return Ok(()) };
    match scene.call(compare, &[c, first, second]) {
        Ok(_) => {}
        Err(Break::Threw(_)) => {
            scene.forget();
            return Ok(());
        }
        Err(other) => return Err(other),
    }
    let mut orders = Vec::with_capacity(values.len() * values.len());
    for &x in values {
        for &y in values {
            scene.forget();
            orders.push(scene.call(compare, &[c, x, y])?.as_int());
        }
    }
    scene.forget();
    let n = values.len();
    let order = |x: usize, y: usize| orders[x * n + y];
    for x in 0..n {
        for y in x..n {
            if order(x, y).signum() != -order(y, x).signum() {
                antisymmetric(scene, c, values[x], values[y])?;
                scene.forget();
            }
        }
    }
    for x in 0..n {
        for y in 0..n {
            for z in 0..n {
                let wrong = composed(order(x, y), order(y, z)) != Some(order(x, z).signum());
                if wrong && composed(order(x, y), order(y, z)).is_some() {
                    transitive(scene, c, [values[x], values[y], values[z]])?;
                    scene.forget();
                }
            }
        }
    }
    Ok(())
}
