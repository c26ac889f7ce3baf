//! What the registers of a call mean: the kinds and places of its arguments.

use vm::class::Method;
use vm::value::{Kind, Ref};

/// The kinds of a call's arguments with the register each is in, receiver first.
pub fn places(method: &Method) -> Vec<(usize, Kind)> {
    let mut places = Vec::new();
    let mut register = 0;
    if !method.is_static() {
        places.push((0, Kind::Ref));
        register = 1;
    }
    let descriptor = method.descriptor.as_bytes();
    let mut rest = descriptor.strip_prefix(b"(").unwrap_or_default();
    while let Some(kind) = Kind::of_descriptor(rest) {
        places.push((register, kind));
        register += usize::from(kind.slots());
        let dimensions = rest.iter().take_while(|&&byte| byte == b'[').count();
        let element = &rest[dimensions..];
        let len = match element.first() {
            Some(b'L') => element.iter().position(|&byte| byte == b';').unwrap_or(0) + 1,
            _ => 1,
        };
        rest = &element[len..];
    }
    places
}

/// The objects among a call's arguments, without `null`.
pub fn references(method: &Method, args: &[u64]) -> Vec<Ref> {
    places(method)
        .into_iter()
        .filter(|&(_, kind)| kind == Kind::Ref)
        .filter_map(|(register, _)| {
            args.get(register).and_then(|&word| Ref::from_slot(word).some())
        })
        .collect()
}
