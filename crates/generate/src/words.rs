//! Words that become parts of names of tests.

/// A word with a capital letter in front.
pub(crate) fn capitalized(word: &str) -> String {
    let mut letters = word.chars();
    match letters.next() {
        Some(first) => first.to_uppercase().chain(letters).collect(),
        None => String::new(),
    }
}
