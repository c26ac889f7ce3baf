//! The abstraction templates, figure 3 of Xie and Notkin (2005), as one table.
//!
//! `f(S, args1)` is the first call, `g(…, args2)` the second. The templates for returns, r1 to r11, are
//! those for states, s1 to s11, with `.retval` for `.state`.

/// One of the two calls of a left-hand side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Call {
    /// `f`, with `args1`.
    First,
    /// `g`, with `args2`.
    Second,
}

/// What the left-hand side looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Left {
    /// `f(S, args1)`.
    Single,
    /// `g(f(S, args1).state, args2)`.
    Pair,
}

/// A right-hand side that is not instantiated yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Right {
    /// `S`.
    Entry,
    /// A constant, or Exception.
    Constant,
    /// One of the arguments of a call.
    Argument(Call),
    /// `m(S, args)`: the method of one call with the arguments of one call.
    Apply(Call, Call),
    /// `m(n(S, args).state, args')`: outer method and arguments, then inner method and arguments.
    Compose([Call; 2], [Call; 2]),
}

/// How the sides compare.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Relation {
    /// `==`
    Equal,
    /// `!=`
    Differs,
}

/// One row of the table.
#[derive(Debug, Clone, Copy)]
pub struct Template {
    /// The name for states; the name for returns has an r for the s.
    pub name: &'static str,
    /// Left-hand side.
    pub left: Left,
    /// How the sides compare.
    pub relation: Relation,
    /// Right-hand side.
    pub right: Right,
    /// Whether there is a template for returns too.
    pub for_returns: bool,
}

const fn row(
    name: &'static str,
    left: Left,
    relation: Relation,
    right: Right,
    for_returns: bool,
) -> Template {
    Template { name, left, relation, right, for_returns }
}

use Call::{First, Second};
use Left::{Pair, Single};
use Relation::{Differs, Equal};
use Right::{Apply, Argument, Compose, Constant, Entry};

/// Figure 3.
pub const TEMPLATES: [Template; 14] = [
    row("s0", Single, Equal, Entry, false),
    row("s0'", Single, Differs, Entry, false),
    row("s1", Single, Equal, Constant, true),
    row("s2", Pair, Equal, Argument(First), true),
    row("s3", Pair, Equal, Argument(Second), true),
    row("s4", Pair, Equal, Apply(First, First), true),
    row("s5", Pair, Equal, Constant, true),
    row("s5'", Pair, Equal, Entry, false),
    row("s6", Pair, Equal, Apply(Second, Second), true),
    row("s7", Pair, Equal, Compose([First, First], [Second, Second]), true),
    row("s8", Pair, Equal, Apply(First, Second), true),
    row("s9", Pair, Equal, Apply(Second, First), true),
    row("s10", Pair, Equal, Compose([Second, First], [First, Second]), true),
    row("s11", Pair, Equal, Compose([First, Second], [Second, First]), true),
];

/// What of a call is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Aspect {
    /// `.state`
    State,
    /// `.retval`
    Return,
}

impl Template {
    /// Its name for an aspect: `s7`, `r7`.
    pub fn name_for(&self, aspect: Aspect) -> String {
        match aspect {
            Aspect::State => self.name.to_owned(),
            Aspect::Return => self.name.replacen('s', "r", 1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Aspect, TEMPLATES};

    #[test]
    fn there_are_fourteen_templates_for_states_and_eleven_for_returns() {
        let returns: Vec<String> = TEMPLATES
            .iter()
            .filter(|template| template.for_returns)
            .map(|template| template.name_for(Aspect::Return))
            .collect();
        let wanted: Vec<String> = (1..=11).map(|number| format!("r{number}")).collect();
        assert_eq!((TEMPLATES.len(), returns), (14, wanted));
    }
}
