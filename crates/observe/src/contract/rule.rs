//! What a standard contract is, and the table of all of them.

use super::scene::{Judged, Scene, Value};
use super::traits::Traits;
use super::{
    Severity, clone_equal, clone_fresh, close_twice, collection_add, collection_contains,
    collection_empty, collection_size, comparator_constants, comparator_signs,
    comparator_transitive, compare_to_antisymmetric, compare_to_equals, compare_to_returns,
    compare_to_transitive, equals_hash_code, equals_null, equals_reflexive, equals_returns,
    equals_symmetric, equals_transitive, hash_code_returns, hash_code_stable, invariant,
    iterator_end, iterator_has_next, iterator_next, list_equals_copy, map_equals_copy, map_keys,
    serial_round_trip, set_equals_copy, to_string_returns, to_string_stable,
};

/// A standard contract.
#[derive(Debug)]
pub struct Contract {
    /// Its name in reports and options.
    pub id: &'static str,
    /// What it demands, as the first half of a sentence.
    pub rule: &'static str,
    /// How bad it is if it is broken.
    pub severity: Severity,
    /// Whether judging takes so long that it is not done in every state.
    pub is_slow: bool,
    /// Whether `quick` tells that it holds.
    pub(super) is_quick: bool,
    pub(super) law: Law,
}

/// Of how many objects a contract speaks, of which classes, and what it says.
#[derive(Debug, Clone, Copy)]
pub(super) enum Law {
    Object {
        applies: fn(&Traits) -> bool,
        judge: fn(&mut Scene<'_>, &Traits, Value) -> Judged,
    },
    Pair {
        applies: fn(&Traits, &Traits) -> bool,
        judge: fn(&mut Scene<'_>, Value, Value) -> Judged,
    },
    Triple {
        applies: fn(&Traits, &Traits, &Traits) -> bool,
        judge: fn(&mut Scene<'_>, Value, Value, Value) -> Judged,
    },
    /// One that decides about three others.
    Four {
        applies: fn(&Traits) -> bool,
        judge: fn(&mut Scene<'_>, Value, [Value; 3]) -> Judged,
    },
}

impl Contract {
    /// A contract that is an error if broken, judged in every state.
    pub(super) const fn new(id: &'static str, rule: &'static str, law: Law) -> Contract {
        Contract { id, rule, severity: Severity::Error, is_slow: false, is_quick: false, law }
    }

    /// The same, one of those that are looked at together first.
    pub(super) const fn quick(self) -> Contract {
        Contract { is_quick: true, ..self }
    }

    /// The same, not judged in every state.
    pub(super) const fn slow(self) -> Contract {
        Contract { is_slow: true, ..self }
    }

    /// The same as a warning.
    pub(super) const fn warning(self) -> Contract {
        Contract { severity: Severity::Warning, ..self }
    }
}

/// All standard contracts, in the order in which they are judged.
pub(super) static STANDARD: &[&Contract] = &[
    &invariant::CONTRACT,
    &equals_returns::CONTRACT,
    &equals_reflexive::CONTRACT,
    &equals_null::CONTRACT,
    &equals_returns::OF_PAIR,
    &equals_symmetric::CONTRACT,
    &equals_transitive::CONTRACT,
    &equals_hash_code::CONTRACT,
    &hash_code_returns::CONTRACT,
    &hash_code_stable::CONTRACT,
    &to_string_returns::CONTRACT,
    &to_string_stable::CONTRACT,
    &compare_to_returns::CONTRACT,
    &compare_to_returns::OF_PAIR,
    &compare_to_antisymmetric::CONTRACT,
    &compare_to_transitive::CONTRACT,
    &compare_to_equals::CONTRACT,
    &comparator_constants::CONTRACT,
    &comparator_signs::CONTRACT,
    &comparator_transitive::CONTRACT,
    &clone_fresh::CONTRACT,
    &clone_equal::CONTRACT,
    &collection_size::CONTRACT,
    &collection_empty::CONTRACT,
    &collection_contains::CONTRACT,
    &collection_add::CONTRACT,
    &list_equals_copy::CONTRACT,
    &set_equals_copy::CONTRACT,
    &map_equals_copy::CONTRACT,
    &map_keys::CONTRACT,
    &iterator_has_next::CONTRACT,
    &iterator_next::CONTRACT,
    &iterator_end::CONTRACT,
    &close_twice::CONTRACT,
    &close_twice::OF_AUTO_CLOSEABLE,
    &serial_round_trip::CONTRACT,
];

#[cfg(test)]
mod tests {
    use super::STANDARD;

    #[test]
    fn contracts_have_names_of_their_own_and_rules_that_begin_a_sentence() {
        let mut names: Vec<&str> = STANDARD.iter().map(|contract| contract.id).collect();
        for contract in STANDARD {
            assert!(contract.rule.contains(" must "), "{}", contract.rule);
            assert!(!contract.rule.ends_with('.'), "{}", contract.rule);
        }
        let n_names = names.len();
        names.sort_unstable();
        names.dedup();
        // A contract of one object and one of pairs may share a name where they are one rule.
        assert!(n_names - names.len() <= 3, "{names:?}");
    }
}
