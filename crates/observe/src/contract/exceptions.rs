//! Which ways for a call to end count as an error, as expected, or as a sign of invalid input: a table with
//! one option each, as users of random generators know them.
//!
//! The defaults are those of Randoop (Pacheco and others, ICSE 2007, and its manual), except that running
//! out of stack or memory on small input is an error, and so is a call that does not come to its end.

use std::fmt;
use std::str::FromStr;

use vm::frame::Stop;
use vm::interp::Outcome;
use vm::value::Ref;
use vm::vm::Vm;

/// What the end of a call means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// The class under test is wrong: goes into the error-revealing tests.
    Error,
    /// As it should be: goes into the regression tests.
    Expected,
    /// The input was not legal: says nothing and is not extended.
    Invalid,
}

impl FromStr for Verdict {
    type Err = BadOption;

    fn from_str(text: &str) -> Result<Verdict, BadOption> {
        match text.to_ascii_lowercase().as_str() {
            "error" => Ok(Verdict::Error),
            "expected" => Ok(Verdict::Expected),
            "invalid" => Ok(Verdict::Invalid),
            _ => Err(BadOption(format!("`{text}` is none of error, expected, invalid"))),
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Verdict::Error => "error",
            Verdict::Expected => "expected",
            Verdict::Invalid => "invalid",
        })
    }
}

/// Why an option says nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadOption(pub String);

impl fmt::Display for BadOption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for BadOption {}

/// How calls may end, as far as the table tells them apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Ending {
    /// A checked exception.
    Checked,
    /// An unchecked exception without a row of its own.
    Unchecked,
    /// A `NullPointerException` where `null` was passed in.
    NpeOnNullInput,
    /// A `NullPointerException` where no `null` was passed in.
    NpeOnNonNullInput,
    /// A `ClassCastException`.
    ClassCast,
    /// A `ConcurrentModificationException`.
    ConcurrentModification,
    /// An `AssertionError`.
    Assertion,
    /// Out of memory.
    OutOfMemory,
    /// Out of stack.
    StackOverflow,
    /// Does not come to its end: a loop, or threads that wait for each other.
    Endless,
    /// Waits for what nobody promised to do.
    Waiting,
}

impl Ending {
    /// The name of its option, without dashes in front.
    pub fn option(self) -> &'static str {
        OPTIONS.iter().find(|(own, ..)| *own == self).map_or("", |(_, name, ..)| name)
    }
}

/// The options with their defaults and what they are about.
pub const OPTIONS: &[(Ending, &str, Verdict, &str)] = &[
    (Ending::Checked, "checked-exception", Verdict::Expected, "a call throws a checked exception"),
    (
        Ending::Unchecked,
        "unchecked-exception",
        Verdict::Expected,
        "a call throws an unchecked exception that has no option of its own",
    ),
    (
        Ending::NpeOnNullInput,
        "npe-on-null-input",
        Verdict::Expected,
        "a call throws NullPointerException after null was passed in",
    ),
    (
        Ending::NpeOnNonNullInput,
        "npe-on-non-null-input",
        Verdict::Error,
        "a call throws NullPointerException although no null was passed in",
    ),
    (
        Ending::ClassCast,
        "class-cast-exception",
        Verdict::Expected,
        "a call throws ClassCastException",
    ),
    (
        Ending::ConcurrentModification,
        "cm-exception",
        Verdict::Invalid,
        "a call throws ConcurrentModificationException",
    ),
    (Ending::Assertion, "assertion-error", Verdict::Error, "a call throws AssertionError"),
    (
        Ending::OutOfMemory,
        "oom-exception",
        Verdict::Error,
        "a call runs out of memory on small input",
    ),
    (Ending::StackOverflow, "sof-exception", Verdict::Error, "a call runs out of stack"),
    (
        Ending::Endless,
        "endless-loop",
        Verdict::Error,
        "a call does not come to an end on small input",
    ),
    (
        Ending::Waiting,
        "endless-wait",
        Verdict::Invalid,
        "a call waits for what only another thread could do",
    ),
];

/// What was passed to a call, as far as it matters here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Input {
    /// Whether `null` was among the arguments, here or in the calls that made the arguments.
    pub had_null: bool,
    /// Whether nothing passed in explains a lack of memory or time: no large numbers, no long sequence.
    pub is_small: bool,
    /// Whether something stands in for a type, here or in the calls that made the arguments: it may say for
    /// ever that there is more.
    pub stands_in: bool,
}

/// The table: one verdict for each way to end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exceptions {
    verdicts: [Verdict; OPTIONS.len()],
}

impl Exceptions {
    /// The defaults.
    pub fn standard() -> Exceptions {
        let mut verdicts = [Verdict::Expected; OPTIONS.len()];
        for (place, (_, _, verdict, _)) in verdicts.iter_mut().zip(OPTIONS) {
            *place = *verdict;
        }
        Exceptions { verdicts }
    }

    /// Sets one row by the name of its option, without dashes in front.
    pub fn set(&mut self, option: &str, verdict: Verdict) -> Result<(), BadOption> {
        let Some(idx) = OPTIONS.iter().position(|(_, name, ..)| *name == option) else {
            let names: Vec<&str> = OPTIONS.iter().map(|(_, name, ..)| *name).collect();
            return Err(BadOption(format!("`{option}` is none of {}", names.join(", "))));
        };
        self.verdicts[idx] = verdict;
        Ok(())
    }

    /// The verdict in one row.
    pub fn of(&self, ending: Ending) -> Verdict {
        let idx = OPTIONS.iter().position(|(own, ..)| *own == ending);
        idx.map_or(Verdict::Expected, |idx| self.verdicts[idx])
    }

    /// What the end of a call means. What left the machine or is not supported by it says nothing of
    /// the class; memory or time that large input used up, or something that stands in and has no end,
    /// neither. Threads that wait do so on any input.
    pub fn classify(&self, vm: &Vm, outcome: &Outcome, input: Input) -> Verdict {
        match ending(vm, outcome, input.had_null) {
            None => match outcome {
                Outcome::Returned(_) => Verdict::Expected,
                Outcome::Threw(_) | Outcome::Stopped(_) => Verdict::Invalid,
            },
            Some(ending) => {
                let is_waiting = matches!(outcome, Outcome::Stopped(Stop::Deadlocked(_)));
                let is_much =
                    matches!(ending, Ending::OutOfMemory | Ending::Endless) && !is_waiting;
                match is_much && (!input.is_small || input.stands_in) {
                    true => Verdict::Invalid,
                    false => self.of(ending),
                }
            }
        }
    }
}

/// The row of the table that a call belongs to; `None` where it returned, or where what happened says
/// nothing of the class under test: the program asked to end, a class is missing, the machine cannot go on.
pub fn ending(vm: &Vm, outcome: &Outcome, had_null_input: bool) -> Option<Ending> {
    match outcome {
        Outcome::Returned(_) => None,
        Outcome::Stopped(stop) => match stop {
            Stop::Deadlocked(deadlock) if !deadlock.is_circle => Some(Ending::Waiting),
            Stop::OutOfFuel | Stop::Deadlocked(_) => Some(Ending::Endless),
            Stop::OutOfMemory => Some(Ending::OutOfMemory),
            Stop::Exit(_) | Stop::Unsupported(_) => None,
        },
        Outcome::Threw(exception) => {
            let class = vm.class(vm.class_of(exception.some()?));
            let mut is_unchecked = false;
            for &base in class.supers.iter().rev() {
                let found = match vm.class(base).name.as_bytes() {
                    b"java/lang/NullPointerException" if had_null_input => Ending::NpeOnNullInput,
                    b"java/lang/NullPointerException" => Ending::NpeOnNonNullInput,
                    b"java/lang/ClassCastException" => Ending::ClassCast,
                    b"java/util/ConcurrentModificationException" => Ending::ConcurrentModification,
                    b"java/lang/AssertionError" => Ending::Assertion,
                    b"java/lang/OutOfMemoryError" => Ending::OutOfMemory,
                    b"java/lang/StackOverflowError" => Ending::StackOverflow,
                    b"java/lang/ExceptionInInitializerError" => Ending::Unchecked,
                    b"java/lang/LinkageError" => return None,
                    b"java/lang/RuntimeException" | b"java/lang/Error" => {
                        is_unchecked = true;
                        continue;
                    }
                    _ => continue,
                };
                return Some(found);
            }
            Some(if is_unchecked { Ending::Unchecked } else { Ending::Checked })
        }
    }
}

/// Where an exception came from, `com.acme.Cart.total`: the youngest method on its stack that is not of
/// the JDK, else the youngest at all. `None` where it has no stack trace.
pub fn crash_location(vm: &Vm, exception: Ref) -> Option<String> {
    let rows = vm.backtrace_rows(exception.some()?);
    let is_own = |row: &&vm::throwable::BacktraceRow| {
        !vm.is_jdk_loader(vm.class(vm.method(row.method).class).loader)
    };
    let row = rows.iter().find(is_own).or_else(|| rows.first())?;
    let method = vm.method(row.method);
    Some(format!("{}.{}", vm.external_name(method.class), method.name))
}

#[cfg(test)]
mod tests {
    use super::{Ending, Exceptions, OPTIONS, Verdict};

    #[test]
    fn every_row_has_an_option_that_sets_it_alone() {
        for (idx, (ending, option, verdict, _)) in OPTIONS.iter().enumerate() {
            let standard = Exceptions::standard();
            assert_eq!(standard.of(*ending), *verdict, "{option}");
            for wanted in [Verdict::Error, Verdict::Expected, Verdict::Invalid] {
                let mut table = Exceptions::standard();
                table.set(option, wanted.to_string().parse().expect("a verdict")).expect("known");
                assert_eq!(table.of(*ending), wanted);
                for (other, (ending, ..)) in OPTIONS.iter().enumerate() {
                    assert!(other == idx || table.of(*ending) == standard.of(*ending));
                }
            }
        }
    }

    #[test]
    fn the_defaults_are_those_that_users_of_randoop_know() {
        let table = Exceptions::standard();
        assert_eq!(table.of(Ending::Checked), Verdict::Expected);
        assert_eq!(table.of(Ending::NpeOnNullInput), Verdict::Expected);
        assert_eq!(table.of(Ending::NpeOnNonNullInput), Verdict::Error);
        assert_eq!(table.of(Ending::ConcurrentModification), Verdict::Invalid);
    }

    #[test]
    fn a_bad_option_says_what_would_be_good() {
        let mut table = Exceptions::standard();
        let error = table.set("npe", Verdict::Error).expect_err("no such option");
        assert!(error.to_string().contains("npe-on-null-input"), "{error}");
        let error = "fine".parse::<Verdict>().expect_err("no verdict");
        assert_eq!(error.to_string(), "`fine` is none of error, expected, invalid");
    }
}
