//! Numbers with their nouns, as people write them: `1 test`, `2 classes`.

use std::fmt::Display;

/// A number and what there are so many of, which is given in the singular. Its last word must have a regular
/// plural.
pub(crate) fn counted<N: Display + PartialEq + From<u8>>(number: N, one: &str) -> String {
    if number == N::from(1) {
        return format!("1 {one}");
    }
    let ends_with = |ends: &[&str]| ends.iter().any(|end| one.ends_with(end));
    match one.strip_suffix('y') {
        Some(stem) if !ends_with(&["ay", "ey", "oy", "uy"]) => format!("{number} {stem}ies"),
        _ if ends_with(&["s", "x", "ch", "sh"]) => format!("{number} {one}es"),
        _ => format!("{number} {one}s"),
    }
}

/// What so many do: the first form for one, the second for any other number.
pub(crate) fn verb<N: PartialEq + From<u8>>(
    number: N,
    of_one: &'static str,
    of_many: &'static str,
) -> &'static str {
    if number == N::from(1) { of_one } else { of_many }
}

#[cfg(test)]
mod tests {
    use super::{counted, verb};

    #[test]
    fn one_has_a_noun_in_the_singular_and_all_else_has_the_plural() {
        let all = |one: &str| [0_usize, 1, 2].map(|number| counted(number, one)).join(", ");
        assert_eq!(all("test"), "0 tests, 1 test, 2 tests");
        assert_eq!(all("test class"), "0 test classes, 1 test class, 2 test classes");
        assert_eq!(all("branch"), "0 branches, 1 branch, 2 branches");
        assert_eq!(all("property"), "0 properties, 1 property, 2 properties");
        assert_eq!(all("way"), "0 ways, 1 way, 2 ways");
        let passes = |number: u64| verb(number, "passes", "pass");
        assert_eq!([0, 1, 2].map(passes), ["pass", "passes", "pass"]);
    }
}
