//! In what one failure is like another: the exception, where it comes from, the last call before it.

use distill::group::{Found, Severity};
use observe::junit::Failure;

/// Which classes are whose, by binary names.
pub(super) trait Owners {
    /// Whether a class is under test.
    fn is_under_test(&self, class: &str) -> bool;
    /// Whether a class is one of the suite's.
    fn is_test(&self, class: &str) -> bool;
}

/// How a test failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Cause {
    /// Class of the exception, or what stopped the machine.
    pub(super) exception: String,
    /// The topmost frame in a class under test, with its line; otherwise what the test called that failed:
    /// the kind of the assertion.
    pub(super) place: String,
    /// The last call into the classes under test before that.
    pub(super) call: Option<String>,
    /// The message, where the code under test did not crash itself: what was expected, and what was there.
    pub(super) message: Option<String>,
    /// Whether the code under test crashed, rather than that an expectation of the test did not hold.
    pub(super) is_crash: bool,
    /// The line of the suite that failed, with the class it is in.
    pub(super) line: Option<(String, usize)>,
}

/// A frame of a stack trace.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Frame<'a> {
    class: &'a str,
    method: &'a str,
    /// `Cart.java:12`.
    at: &'a str,
}

impl Cause {
    /// The cause of a failure, from what was thrown.
    pub(super) fn of(failure: &Failure, call: Option<String>, owners: &dyn Owners) -> Cause {
        let frames: Vec<Frame<'_>> = failure.trace.lines().filter_map(frame).collect();
        let test = frames.iter().position(|frame| owners.is_test(frame.class));
        let above = &frames[..test.unwrap_or(frames.len())];
        let crashed = above.iter().find(|frame| owners.is_under_test(frame.class));
        let place = match (crashed, above.last()) {
            // Where a stack or the memory was full is chance.
            (Some(frame), _) if is_exhaustion(&failure.class) => frame.class.to_owned(),
            (Some(frame), _) => format!("{}.{}({})", frame.class, frame.method, frame.at),
            (None, Some(callee)) if is_framework(callee.class) => callee.method.to_owned(),
            (None, Some(callee)) => format!("{}.{}", callee.class, callee.method),
            (None, None) => "the test itself".to_owned(),
        };
        let line = test.map(|at| &frames[at]).and_then(|frame| {
            let number = frame.at.rsplit_once(':')?.1.parse().ok()?;
            Some((frame.class.to_owned(), number))
        });
        let is_crash = crashed.is_some();
        let message = failure.message.as_deref().filter(|_| !is_crash).map(without_identities);
        Cause { exception: failure.class.clone(), place, call, message, is_crash, line }
    }

    /// Whether another failure is the same one.
    pub(super) fn is_like(&self, other: &Cause) -> bool {
        self.call == other.call && self.is_like_without_call(other)
    }

    /// The same for a failure on the real JVM, where nobody watches calls.
    pub(super) fn is_like_without_call(&self, other: &Cause) -> bool {
        self.exception == other.exception
            && self.place == other.place
            && self.message == other.message
            && self.is_crash == other.is_crash
    }

    /// What classes of failures are made of.
    pub(super) fn found(&self, length: usize) -> Found {
        // Each JUnit throws its own exception where an assertion fails.
        let exception = if is_assertion(&self.exception) { "assertion" } else { &self.exception };
        Found {
            contract: exception.to_owned(),
            severity: Severity::Error,
            method: self.call.clone().unwrap_or_default(),
            place: Some(self.place.clone()),
            length,
        }
    }
}

/// Judges `\tat loader/module@version/class.method(file)`.
fn frame(line: &str) -> Option<Frame<'_>> {
    let (name, rest) = line.trim_start().strip_prefix("at ")?.split_once('(')?;
    // Behind the loader and the module; the number of a hidden class stands behind a slash too.
    let visible = name.split("/0x").next().unwrap_or(name);
    let start = visible.rfind('/').map_or(0, |at| at + 1);
    let (class, method) = name.get(start..)?.rsplit_once('.')?;
    Some(Frame { class, method, at: rest.trim_end_matches(')') })
}

fn is_framework(class: &str) -> bool {
    const FRAMEWORKS: &[&str] = &[
        "org.junit.",
        "junit.",
        "org.hamcrest.",
        "org.assertj.",
        "org.opentest4j.",
        "com.google.common.truth.",
    ];
    FRAMEWORKS.iter().any(|prefix| class.starts_with(prefix))
}

fn is_assertion(class: &str) -> bool {
    matches!(
        class,
        "java.lang.AssertionError"
            | "junit.framework.AssertionFailedError"
            | "junit.framework.ComparisonFailure"
            | "org.junit.ComparisonFailure"
            | "org.opentest4j.AssertionFailedError"
    )
}

fn is_exhaustion(class: &str) -> bool {
    matches!(class, "java.lang.StackOverflowError" | "java.lang.OutOfMemoryError")
}

/// A message without the numbers by which objects are told apart: `Cart@1b2c3d` becomes `Cart@`.
fn without_identities(message: &str) -> String {
    let mut parts = message.split('@');
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        text.push('@');
        text.push_str(part.trim_start_matches(|c: char| c.is_ascii_hexdigit()));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{Cause, Owners, frame};
    use observe::junit::Failure;

    struct Shop;

    impl Owners for Shop {
        fn is_under_test(&self, class: &str) -> bool {
            class.starts_with("shop.Cart") && !self.is_test(class)
        }
        fn is_test(&self, class: &str) -> bool {
            class.starts_with("shop.CartTest")
        }
    }

    fn cause(class: &str, message: &str, frames: &[&str]) -> Cause {
        let trace: String = frames.iter().map(|frame| format!("\tat {frame}\n")).collect();
        let trace =
            format!("{class}: {message}\n{trace}Caused by: x\n\tat shop.Cart.other(Cart.java:1)\n");
        let failure = Failure { class: class.to_owned(), message: Some(message.to_owned()), trace };
        Cause::of(&failure, Some("shop.Cart.add(int)".to_owned()), &Shop)
    }

    #[test]
    fn a_crash_is_where_the_topmost_frame_under_test_is() {
        let crash = cause(
            "java.lang.IndexOutOfBoundsException",
            "Index 5 out of bounds",
            &[
                "java.base/java.util.ArrayList.get(ArrayList.java:427)",
                "app//shop.Cart.at(Cart.java:12)",
                "shop.Cart.first(Cart.java:30)",
                "shop.CartTest.fails(CartTest.java:7)",
            ],
        );
        assert_eq!(crash.place, "shop.Cart.at(Cart.java:12)");
        assert!(crash.is_crash);
        assert_eq!(crash.line, Some(("shop.CartTest".to_owned(), 7)));
        assert_eq!(crash.message, None, "other arguments may give another message");
    }

    #[test]
    fn a_failed_assertion_is_told_by_its_kind_and_message() {
        let frames = [
            "org.junit.Assert.fail(Assert.java:89)",
            "org.junit.Assert.assertEquals(Assert.java:118)",
            "shop.CartTest.fails(CartTest.java:7)",
        ];
        let one = cause("java.lang.AssertionError", "expected:<1> but was:<2>", &frames);
        assert_eq!((one.place.as_str(), one.is_crash), ("assertEquals", false));
        let other = cause("java.lang.AssertionError", "expected:<1> but was:<3>", &frames);
        assert!(one.is_like(&one.clone()) && !one.is_like(&other));
        assert_eq!(one.found(1), other.found(1), "but of one class");
        let objects = |number: &str| {
            cause("java.lang.AssertionError", &format!("was:<shop.Cart@{number}>"), &frames)
        };
        assert!(objects("12ab").is_like(&objects("ff")), "identities are chance");
    }

    #[test]
    fn what_the_jdk_throws_at_the_test_is_told_by_what_was_called() {
        let frames = [
            "java.base/java.util.ArrayList.get(ArrayList.java:427)",
            "shop.CartTest.fails(CartTest.java:7)",
        ];
        let one = cause("java.lang.IndexOutOfBoundsException", "Index 5", &frames);
        assert_eq!((one.place.as_str(), one.is_crash), ("java.util.ArrayList.get", false));
        let own = cause("java.lang.IllegalStateException", "x", &frames[1..]);
        assert_eq!(own.place, "the test itself");
    }

    #[test]
    fn frames_come_without_loaders_and_modules() {
        let read =
            |line: &'static str| frame(line).map(|frame| (frame.class, frame.method, frame.at));
        assert_eq!(
            read("\tat java.base@17.0.1/java.util.List.of(List.java:3)"),
            Some(("java.util.List", "of", "List.java:3"))
        );
        assert_eq!(
            read("\tat shop.Cart$$Lambda/0x0001.run(Unknown Source)"),
            Some(("shop.Cart$$Lambda/0x0001", "run", "Unknown Source"))
        );
        assert_eq!(read("\t... 3 more"), None);
        assert_eq!(read("Caused by: at home (really)"), None);
    }
}
