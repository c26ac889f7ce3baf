//! The contracts of `equals`, `hashCode`, `toString` and `compareTo` on one object, looked at together: the
//! calls that several of them need are made once. In nearly every state this is all there is to do; only
//! where something is not as it should be, each contract is judged by itself.

use super::scene::{Judged, Scene, Value, Want};
use super::traits::Traits;

/// Asks for all of them; fails where one does not hold or cannot be judged.
pub(super) fn ask(scene: &mut Scene<'_>, traits: &Traits, x: Value) -> Judged {
    let known = scene.known;
    let mut hash = None;
    if traits.own_hash_code {
        let first = scene.call(&known.hash_code, &[x])?;
        let second = scene.call(&known.hash_code, &[x])?;
        scene.premise(second, Want::EqualTo(first))?;
        hash = Some(first);
    }
    if traits.own_equals {
        let text = Value::text("", known.empty_text);
        scene.call(&known.equals, &[x, text])?;
        let is_null = scene.call(&known.equals, &[x, Value::NULL])?;
        scene.premise(is_null, Want::False)?;
        let is_equal = scene.call(&known.equals, &[x, x])?;
        scene.premise(is_equal, Want::True)?;
        if let Some(first) = hash {
            let third = scene.call(&known.hash_code, &[x])?;
            scene.premise(third, Want::EqualTo(first))?;
        }
    }
    if traits.own_to_string {
        let first = scene.call(&known.to_string, &[x])?;
        let second = scene.call(&known.to_string, &[x])?;
        scene.premise(second, Want::EqualTo(first))?;
    }
    if traits.is.comparable && !traits.is_generic {
        let order = scene.call(&known.compare_to, &[x, x])?;
        scene.premise(order, Want::Int(0))?;
    }
    Ok(())
}
