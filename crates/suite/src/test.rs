//! Tests: a sequence, and what is checked about it.

use std::sync::Arc;

use crate::constant::Constant;
use crate::method::Method;
use crate::sequence::{Sequence, Var};

/// What a check looks at.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Subject {
    /// The result of a statement.
    Result(Var),
    /// What a method without parameters says of an object.
    Observer {
        /// The object.
        receiver: Var,
        /// The method.
        method: Arc<Method>,
    },
}

/// What a check demands of its subject.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Expected {
    /// This value; strings, boxed values and enum constants by `equals`.
    Equals(Constant),
    /// An array of these values.
    ArrayEquals(Vec<Constant>),
    /// An object whose `toString` says this.
    Text(Constant),
    /// Not `null`.
    NotNull,
    /// The very object that an earlier statement gave.
    Same(Var),
    /// Another object than the one that an earlier statement gave.
    NotSame(Var),
    /// Equal to what an earlier statement gave: objects by `equals`, primitives by value.
    EqualTo(Var),
}

impl Expected {
    /// What is true where the one or the other is; `None` where that is nothing.
    pub fn common(&self, other: &Expected) -> Option<Expected> {
        let is_object = |it: &Expected| {
            matches!(it, Expected::Text(_) | Expected::ArrayEquals(_) | Expected::NotNull)
        };
        if self == other {
            return Some(self.clone());
        }
        (is_object(self) && is_object(other)).then_some(Expected::NotNull)
    }
}

/// A demand that is checked after a statement.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Check {
    /// The statement after which it is checked.
    pub after: Var,
    /// What is looked at.
    pub subject: Subject,
    /// What it must be.
    pub expected: Expected,
}

/// How the last statement of a test must end where it does not return.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Throws {
    /// Internal name of the exception's class.
    pub class: Arc<str>,
    /// Its message, where it is the same in every world; `Some(None)` is a `null` message.
    pub message: Option<Option<String>>,
}

/// A sequence with its oracles.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Test {
    /// The calls.
    pub sequence: Sequence,
    /// Checks, in the order of the statements they follow.
    pub checks: Vec<Check>,
    /// The exception with which the last statement ends, if it throws.
    pub throws: Option<Throws>,
    /// Whether the test is about the last statement coming to its end, which it does not.
    pub must_end: bool,
    /// What a reader should know of the test, a line each.
    pub notes: Vec<String>,
    /// What the name of the test should say; the emitter makes it unique.
    pub title: Title,
}

/// What a test is about, in parts that a name is made of.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Title {
    /// The method that the test exercises: `pop`; the class for constructors.
    pub method: String,
    /// What is special about the state: `onEmptyStack`, `afterPush`; may be empty.
    pub state: String,
    /// What happens: `throwsArrayIndexOutOfBounds`, `returnsTrue`; may be empty.
    pub outcome: String,
}

/// Tests for one class.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suite {
    /// Internal name of the class under test.
    pub class: Arc<str>,
    /// The tests.
    pub tests: Vec<Test>,
}
