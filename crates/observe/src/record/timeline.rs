//! Which test is running when: every stretch of a run gets a bin, and every bin an owner.
//!
//! What runs between the start and the end of a test is the test's, `@BeforeEach` and `setUp`
//! included. What runs outside, but inside a class of tests, is that of the class where it comes before
//! the first test (`@BeforeAll`) or after the last one, and of every test of the class then: to run one of
//! them alone would do it too. Between two tests a new instance is made for the next one, so what runs
//! there is the next test's. What belongs to no class belongs to all tests.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crate::junit::{Event, Hear, Node};

/// Whose a stretch of a run is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Owner {
    /// Not decided yet.
    Open,
    /// The test with this identifier.
    Test(String),
    /// All tests of the class with this binary name.
    Class(String),
    /// All tests.
    Everyone,
}

/// What the run is at.
#[derive(Debug, Default)]
struct Progress {
    /// By bin.
    owners: Vec<Owner>,
    /// Tests that run, with their bins; more than one where tests run side by side.
    running: Vec<(String, u32)>,
    /// Classes that were begun, outermost first.
    classes: Vec<String>,
    /// Classes of which a test has begun.
    begun: BTreeSet<String>,
    has_overlapped: bool,
}

/// The bins of a run, shared with what hears of tests.
#[derive(Debug, Clone)]
pub(super) struct Timeline {
    current: Arc<AtomicU32>,
    progress: Arc<Mutex<Progress>>,
}

impl Timeline {
    pub(super) fn new() -> Timeline {
        let progress = Progress { owners: vec![Owner::Open], ..Progress::default() };
        Timeline { current: Arc::new(AtomicU32::new(0)), progress: Arc::new(Mutex::new(progress)) }
    }

    /// The bin of what happens now.
    #[inline]
    pub(super) fn current(&self) -> u32 {
        self.current.load(Ordering::Relaxed)
    }

    /// What is to be told of tests.
    pub(super) fn hear(&self) -> Hear {
        let timeline = self.clone();
        Box::new(move |event| timeline.take(event))
    }

    /// The owner of every bin, and whether tests ran side by side.
    pub(super) fn finish(&self) -> (Vec<Owner>, bool) {
        let mut progress = self.progress.lock().unwrap_or_else(PoisonError::into_inner);
        progress.decide(&Owner::Everyone);
        (progress.owners.clone(), progress.has_overlapped)
    }

    fn take(&self, event: &Event<'_>) {
        let mut progress = self.progress.lock().unwrap_or_else(PoisonError::into_inner);
        let bin = match event {
            Event::Started(node) if node.is_test => Some(progress.test_started(node)),
            Event::Finished(node) if node.is_test => progress.test_finished(node),
            Event::Started(node) => progress.container_started(node),
            Event::Finished(node) => progress.container_finished(node),
        };
        if let Some(bin) = bin {
            self.current.store(bin, Ordering::Relaxed);
        }
    }
}

impl Progress {
    #[expect(clippy::cast_possible_truncation, reason = "far fewer events than 2^32")]
    fn new_bin(&mut self, owner: Owner) -> u32 {
        self.owners.push(owner);
        self.owners.len() as u32 - 1
    }

    /// Gives everything that has no owner yet to this one.
    fn decide(&mut self, owner: &Owner) {
        for open in self.owners.iter_mut().filter(|open| **open == Owner::Open) {
            *open = owner.clone();
        }
    }

    fn test_started(&mut self, node: &Node) -> u32 {
        let class = node.class.clone().or_else(|| self.classes.last().cloned());
        let is_first = class.as_ref().is_some_and(|class| self.begun.insert(class.clone()));
        let owner = match class {
            Some(class) if is_first => Owner::Class(class),
            _ => Owner::Test(node.id.clone()),
        };
        self.decide(&owner);
        self.has_overlapped |= !self.running.is_empty();
        let bin = self.new_bin(Owner::Test(node.id.clone()));
        self.running.push((node.id.clone(), bin));
        bin
    }

    fn test_finished(&mut self, node: &Node) -> Option<u32> {
        let at = self.running.iter().rposition(|(id, _)| *id == node.id)?;
        self.running.remove(at);
        Some(match self.running.last() {
            Some(&(_, bin)) => bin,
            None => self.new_bin(Owner::Open),
        })
    }

    fn container_started(&mut self, node: &Node) -> Option<u32> {
        let class = class_of(node)?;
        let around = self.classes.last().cloned();
        self.classes.push(class);
        if !self.running.is_empty() {
            return None;
        }
        self.decide(&around.map_or(Owner::Everyone, Owner::Class));
        Some(self.new_bin(Owner::Open))
    }

    fn container_finished(&mut self, node: &Node) -> Option<u32> {
        let class = class_of(node)?;
        let at = self.classes.iter().rposition(|begun| *begun == class)?;
        self.classes.truncate(at);
        if !self.running.is_empty() {
            return None;
        }
        self.decide(&Owner::Class(class));
        Some(self.new_bin(Owner::Open))
    }
}

/// The class that a container stands for.
fn class_of(node: &Node) -> Option<String> {
    if node.method.is_some() { None } else { node.class.clone() }
}

#[cfg(test)]
mod tests {
    use super::{Owner, Timeline};
    use crate::junit::{Event, Node, Outcome};

    fn node(name: &str, class: &str, is_test: bool) -> Node {
        Node {
            id: name.to_owned(),
            parent: None,
            name: name.to_owned(),
            class: Some(class.to_owned()),
            method: is_test.then(|| name.to_owned()),
            parameters: None,
            is_test,
            outcome: Outcome::Passed,
            entries: Vec::new(),
        }
    }

    #[test]
    fn what_runs_around_tests_belongs_to_the_class_and_what_runs_between_to_the_next() {
        let timeline = Timeline::new();
        let (class, one, two) =
            (node("C", "C", false), node("one", "C", true), node("two", "C", true));
        let mut bins = Vec::new();
        for event in [
            Event::Started(&class),
            Event::Started(&one),
            Event::Finished(&one),
            Event::Started(&two),
            Event::Finished(&two),
            Event::Finished(&class),
        ] {
            timeline.take(&event);
            bins.push(timeline.current() as usize);
        }
        let (owners, has_overlapped) = timeline.finish();
        let owner = |name: &str| Owner::Test(name.to_owned());
        let all = Owner::Class("C".to_owned());
        let expected = [&all, &owner("one"), &owner("two"), &owner("two"), &all, &Owner::Everyone];
        for (bin, expected) in bins.iter().zip(expected) {
            assert_eq!(&owners[*bin], expected);
        }
        assert!(!has_overlapped);
    }

    #[test]
    fn tests_side_by_side_are_noticed() {
        let timeline = Timeline::new();
        let (one, two) = (node("one", "C", true), node("two", "C", true));
        timeline.take(&Event::Started(&one));
        timeline.take(&Event::Started(&two));
        assert!(timeline.finish().1);
    }
}
