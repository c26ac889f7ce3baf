//! Assignability of types (JVMS §4.10.1.2) and, for inference, their merging (§4.10.2.2).

use super::Hierarchy;
use super::machine::{Machine, Outcome};
use super::vtype::{NameId, OBJECT, VType};

/// The interfaces every array implements (JLS §4.10.3).
const ARRAY_INTERFACES: [&[u8]; 2] = [b"java/lang/Cloneable", b"java/io/Serializable"];

impl<H: Hierarchy> Machine<'_, '_, H> {
    /// Whether a word of type `from` may stand where `to` is wanted.
    pub(super) fn is_assignable(&mut self, from: VType, to: VType) -> Outcome<bool, H> {
        match (from, to) {
            (_, VType::Top) | (VType::Null, VType::Object(_)) => Ok(true),
            (VType::Object(from), VType::Object(to)) => self.is_class_assignable(from, to),
            _ => Ok(from == to),
        }
    }

    fn is_class_assignable(&mut self, from: NameId, to: NameId) -> Outcome<bool, H> {
        if from == to || to == OBJECT {
            return Ok(true);
        }
        if let Some(&known) = self.assignable.get(&(from, to)) {
            return Ok(known);
        }
        let answer = is_name_assignable(self.hierarchy, self.names.get(from), self.names.get(to))
            .map_err(super::VerifyFailure::Suspend)?;
        self.assignable.insert((from, to), answer);
        Ok(answer)
    }

    /// The most special type both words may be used as; [`VType::Top`] if there is none.
    pub(super) fn merge(&mut self, a: VType, b: VType) -> Outcome<VType, H> {
        Ok(match (a, b) {
            _ if a == b => a,
            (VType::Null, VType::Object(_)) => b,
            (VType::Object(_), VType::Null) => a,
            (VType::Object(a), VType::Object(b)) => VType::Object(self.merge_classes(a, b)?),
            _ => VType::Top,
        })
    }

    fn merge_classes(&mut self, a: NameId, b: NameId) -> Outcome<NameId, H> {
        if a == OBJECT || b == OBJECT {
            return Ok(OBJECT);
        }
        let key = if a < b { (a, b) } else { (b, a) };
        if let Some(&known) = self.merged.get(&key) {
            return Ok(known);
        }
        let name = merge_names(self.hierarchy, self.names.get(a), self.names.get(b))
            .map_err(super::VerifyFailure::Suspend)?;
        let merged = self.names.id_of_owned(name);
        self.merged.insert(key, merged);
        Ok(merged)
    }
}

/// Names are internal names or array descriptors.
fn is_name_assignable<H: Hierarchy>(
    hierarchy: &mut H,
    from: &[u8],
    to: &[u8],
) -> Result<bool, H::Suspend> {
    if !from.starts_with(b"[") {
        return if to.starts_with(b"[") { Ok(false) } else { hierarchy.is_assignable(from, to) };
    }
    if !to.starts_with(b"[") {
        return Ok(ARRAY_INTERFACES.contains(&to));
    }
    // Strip the brackets they share; what is left are descriptors of component types.
    let (mut from, mut to) = (from, to);
    while let ([b'[', from_component @ ..], [b'[', to_component @ ..]) = (from, to) {
        (from, to) = (from_component, to_component);
    }
    match (class_of(from), class_of(to)) {
        _ if from == to => Ok(true),
        (Some(_), Some(b"java/lang/Object")) => Ok(true),
        (Some(from), Some(to)) => hierarchy.is_assignable(from, to),
        (None, Some(to)) if from.starts_with(b"[") => {
            Ok(to == b"java/lang/Object" || ARRAY_INTERFACES.contains(&to))
        }
        _ => Ok(false),
    }
}

/// Names are different, neither is `java/lang/Object`.
fn merge_names<H: Hierarchy>(hierarchy: &mut H, a: &[u8], b: &[u8]) -> Result<Vec<u8>, H::Suspend> {
    let dimensions = |name: &[u8]| name.iter().take_while(|&&byte| byte == b'[').count();
    let (a_dimensions, b_dimensions) = (dimensions(a), dimensions(b));
    if a_dimensions == 0 && b_dimensions == 0 {
        return Ok(hierarchy.common_superclass(a, b)?.into_vec());
    }
    if a_dimensions == 0 || b_dimensions == 0 {
        return Ok(b"java/lang/Object".to_vec());
    }
    let elements = (class_of(&a[a_dimensions..]), class_of(&b[b_dimensions..]));
    if a_dimensions == b_dimensions
        && let (Some(a), Some(b)) = elements
    {
        let common = match (a, b) {
            (b"java/lang/Object", _) | (_, b"java/lang/Object") => {
                b"java/lang/Object".as_slice().into()
            }
            _ => hierarchy.common_superclass(a, b)?,
        };
        return Ok(array_of(a_dimensions, &common));
    }
    // Where one runs out of dimensions the other still has an array, so it must hold objects; an
    // array of primitive values takes part only as the object it is itself.
    let shallow_holds_objects = match a_dimensions.cmp(&b_dimensions) {
        std::cmp::Ordering::Less => elements.0.is_some(),
        std::cmp::Ordering::Greater => elements.1.is_some(),
        std::cmp::Ordering::Equal => false,
    };
    let shared = a_dimensions.min(b_dimensions) - usize::from(!shallow_holds_objects);
    Ok(array_of(shared, b"java/lang/Object"))
}

fn array_of(n_dimensions: usize, class: &[u8]) -> Vec<u8> {
    if n_dimensions == 0 {
        return class.to_vec();
    }
    let mut name = vec![b'['; n_dimensions];
    name.push(b'L');
    name.extend_from_slice(class);
    name.push(b';');
    name
}

/// The class name in a descriptor `Lname;`.
fn class_of(descriptor: &[u8]) -> Option<&[u8]> {
    descriptor.strip_prefix(b"L")?.strip_suffix(b";")
}
