//! What a run of a JUnit suite gave, as plain data in a stable order: every node of JUnit's tree after
//! its parent, siblings in the order in which JUnit planned or registered them.

use std::collections::BTreeMap;

use vm::frame::Stop;

/// What a run gave.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Report {
    /// Tests and containers, parents before their children.
    pub nodes: Vec<Node>,
    /// Why the run ended before its time.
    pub stop: Option<Stop>,
}

/// A test, or a container of tests: an engine, a class, a parameterized method.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// JUnit's unique id; for JUnit 3 and 4 one made from the display name.
    pub id: String,
    /// Position of the parent in [`Report::nodes`].
    pub parent: Option<usize>,
    /// Display name.
    pub name: String,
    /// The class, binary name; absent where JUnit does not tell.
    pub class: Option<String>,
    /// The method; absent for classes and where JUnit does not tell.
    pub method: Option<String>,
    /// Parameter types of the method, as JUnit 5 writes them: `int, java.lang.String`.
    pub parameters: Option<String>,
    /// Whether this is a test rather than a container.
    pub is_test: bool,
    /// What came out.
    pub outcome: Outcome,
    /// What the test published through `TestReporter`.
    pub entries: Vec<(String, String)>,
}

/// What came out of a node.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// It passed; for a container: nothing of its own failed.
    Passed,
    /// It failed, with what was thrown; JUnit 4 may collect several failures of one test.
    Failed(Vec<Failure>),
    /// An assumption did not hold.
    Aborted(Failure),
    /// It was disabled or ignored, with the reason, which may be empty.
    Skipped(String),
    /// It was under way when the machine stopped.
    Stopped(Stop),
    /// It was planned, but something before or around it failed or stopped.
    NotRun,
}

/// What a test threw.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// Class of the exception.
    pub class: String,
    /// Its message.
    pub message: Option<String>,
    /// The whole stack trace, as `printStackTrace` writes it.
    pub trace: String,
}

/// Sums over a report.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Tests that passed.
    pub passed: usize,
    /// Tests that failed or were stopped, and containers that failed by themselves.
    pub failed: usize,
    /// Tests that were skipped or aborted.
    pub skipped: usize,
    /// Tests that could not be run.
    pub not_run: usize,
}

impl Counts {
    /// All tests, and the containers that failed by themselves.
    pub fn all(&self) -> usize {
        self.passed + self.failed + self.skipped + self.not_run
    }
}

impl Report {
    /// The tests in order.
    pub fn tests(&self) -> impl Iterator<Item = &Node> {
        self.nodes.iter().filter(|node| node.is_test)
    }

    /// Positions of the children of a node, or of the roots.
    pub fn children(&self, parent: Option<usize>) -> impl Iterator<Item = usize> {
        let is_child = move |node: &Node| node.parent == parent;
        self.nodes.iter().enumerate().filter(move |(_, node)| is_child(node)).map(|(idx, _)| idx)
    }

    /// How many tests came out how. A test below a skipped container counts as skipped, and so does
    /// a skipped container without tests.
    pub fn counts(&self) -> Counts {
        let mut counts = Counts::default();
        let mut is_parent = vec![false; self.nodes.len()];
        for node in &self.nodes {
            if let Some(parent) = node.parent {
                is_parent[parent] = true;
            }
        }
        for (idx, node) in self.nodes.iter().enumerate() {
            match (&node.outcome, node.is_test) {
                (Outcome::Passed, true) => counts.passed += 1,
                (
                    Outcome::Passed | Outcome::NotRun | Outcome::Stopped(_) | Outcome::Aborted(_),
                    false,
                ) => {}
                (Outcome::Failed(_), _) | (Outcome::Stopped(_), true) => counts.failed += 1,
                (Outcome::Aborted(_) | Outcome::Skipped(_), true) => counts.skipped += 1,
                (Outcome::Skipped(_), false) => counts.skipped += usize::from(!is_parent[idx]),
                (Outcome::NotRun, true) if self.is_below_skipped(idx) => counts.skipped += 1,
                (Outcome::NotRun, true) => counts.not_run += 1,
            }
        }
        counts
    }

    /// Whether a container above was skipped or aborted, and so this node with it.
    pub fn is_below_skipped(&self, idx: usize) -> bool {
        let is_off = |idx: usize| {
            matches!(self.nodes[idx].outcome, Outcome::Skipped(_) | Outcome::Aborted(_))
        };
        self.path(idx).skip(1).any(is_off)
    }

    /// The class that a node belongs to: its own or that of the nearest container above.
    pub fn class_of(&self, idx: usize) -> Option<&str> {
        self.classes_above(idx).next()
    }

    /// The classes of a node and of the containers above it, inside out.
    pub fn classes_above(&self, idx: usize) -> impl Iterator<Item = &str> {
        self.path(idx).filter_map(|idx| self.nodes[idx].class.as_deref())
    }

    /// A node and the containers above it, inside out.
    pub fn path(&self, idx: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(Some(idx), |&idx| self.nodes[idx].parent)
    }

    /// Adds what another run of (parts of) the same plan gave; where both know a node, the one that ran
    /// counts.
    pub fn merge(&mut self, other: Report) {
        let mut known: BTreeMap<String, usize> = BTreeMap::new();
        for (idx, node) in self.nodes.iter().enumerate() {
            known.insert(node.id.clone(), idx);
        }
        let mut new_idx = Vec::with_capacity(other.nodes.len());
        for mut node in other.nodes {
            node.parent = node.parent.map(|parent| new_idx[parent]);
            let idx = *known.entry(node.id.clone()).or_insert(self.nodes.len());
            new_idx.push(idx);
            match self.nodes.get_mut(idx) {
                Some(old) if old.outcome == Outcome::NotRun => *old = node,
                Some(_) => {}
                None => self.nodes.push(node),
            }
        }
        self.stop = other.stop.or(self.stop.take());
        self.sort_as_tree();
    }

    /// Leaves out engines that found nothing to do.
    pub(crate) fn drop_idle_engines(&mut self) {
        let idle = self.nodes.iter().enumerate().position(|(idx, node)| {
            let is_engine = node.parent.is_none() && node.class.is_none() && !node.is_test;
            let has_children = self.nodes.iter().any(|other| other.parent == Some(idx));
            is_engine && !has_children && node.outcome == Outcome::Passed
        });
        let Some(idle) = idle else { return };
        self.nodes.remove(idle);
        for node in &mut self.nodes {
            node.parent = node.parent.map(|parent| if parent > idle { parent - 1 } else { parent });
        }
        self.drop_idle_engines();
    }

    /// Puts parents before children and siblings together, keeping the order among siblings.
    pub(crate) fn sort_as_tree(&mut self) {
        let mut children: Vec<Vec<usize>> = vec![Vec::new(); self.nodes.len()];
        let mut rest = Vec::new();
        for (idx, node) in self.nodes.iter().enumerate().rev() {
            match node.parent {
                Some(parent) => children[parent].push(idx),
                None => rest.push(idx),
            }
        }
        let mut order = Vec::with_capacity(self.nodes.len());
        while let Some(idx) = rest.pop() {
            order.push(idx);
            rest.extend_from_slice(&children[idx]);
        }
        let mut new_idx = vec![0; self.nodes.len()];
        for (new, &old) in order.iter().enumerate() {
            new_idx[old] = new;
        }
        let mut old: Vec<Option<Node>> =
            std::mem::take(&mut self.nodes).into_iter().map(Some).collect();
        for idx in order {
            if let Some(mut node) = old[idx].take() {
                node.parent = node.parent.map(|parent| new_idx[parent]);
                self.nodes.push(node);
            }
        }
    }
}

/// Packages whose frames say nothing about a failure: JUnit itself, reflection and streams between.
const NOISE: &[&str] = &[
    "org.junit.",
    "junit.",
    "nonpareil.junit.",
    "jdk.internal.reflect.",
    "java.lang.reflect.",
    "sun.reflect.",
    "java.util.ArrayList.forEach",
    "java.util.stream.",
    "java.util.Optional.",
    "java.util.concurrent.FutureTask.run",
    "java.util.concurrent.ThreadPoolExecutor",
    "java.lang.Thread.run",
];

impl Failure {
    /// The stack trace without frames of JUnit and of reflection.
    pub fn trimmed_trace(&self) -> String {
        let mut text = String::new();
        for line in self.trace.lines() {
            if !line.trim_start().strip_prefix("at ").is_some_and(is_noise) {
                text.push_str(line);
                text.push('\n');
            }
        }
        text
    }
}

/// Judges `loader/module@version/class.method(file)`.
fn is_noise(frame: &str) -> bool {
    let frame = frame.split('(').next().unwrap_or(frame);
    let method = match frame.rsplit_once('/') {
        // The number of a hidden class.
        Some((_, behind)) if behind.starts_with("0x") => frame,
        Some((_, method)) => method,
        None => frame,
    };
    NOISE.iter().any(|prefix| method.starts_with(prefix)) || method.contains("pliterator")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(id: &str, parent: Option<usize>, is_test: bool, outcome: Outcome) -> Node {
        Node {
            id: id.to_owned(),
            parent,
            name: id.to_owned(),
            class: None,
            method: None,
            parameters: None,
            is_test,
            outcome,
            entries: Vec::new(),
        }
    }

    #[test]
    fn sorting_puts_every_node_behind_its_parent_and_keeps_siblings_in_order() {
        let names = [
            ("a", None),
            ("b", None),
            ("b1", Some(1)),
            ("a1", Some(0)),
            ("a2", Some(0)),
            ("a11", Some(3)),
        ];
        let nodes =
            names.iter().map(|&(id, parent)| node(id, parent, true, Outcome::Passed)).collect();
        let mut report = Report { nodes, stop: None };
        report.sort_as_tree();
        let sorted: Vec<(&str, Option<usize>)> =
            report.nodes.iter().map(|node| (node.id.as_str(), node.parent)).collect();
        let expected = [
            ("a", None),
            ("a1", Some(0)),
            ("a11", Some(1)),
            ("a2", Some(0)),
            ("b", None),
            ("b1", Some(4)),
        ];
        assert_eq!(sorted, expected);
    }

    #[test]
    fn tests_of_a_skipped_class_count_as_skipped_and_those_of_a_failed_one_as_not_run() {
        let nodes = vec![
            node("off", None, false, Outcome::Skipped(String::new())),
            node("off1", Some(0), true, Outcome::NotRun),
            node("off2", Some(0), true, Outcome::NotRun),
            node("bad", None, false, Outcome::Failed(Vec::new())),
            node("bad1", Some(3), true, Outcome::NotRun),
            node("empty", None, false, Outcome::Skipped(String::new())),
        ];
        let counts = Report { nodes, stop: None }.counts();
        assert_eq!(counts, Counts { passed: 0, failed: 1, skipped: 3, not_run: 1 });
    }

    #[test]
    fn a_trimmed_trace_keeps_the_test_and_drops_junit() {
        let trace = "java.lang.AssertionError: x\n\tat org.junit.Assert.fail(Assert.java:89)\n\tat \
                     A.test(A.java:5)\n\tat java.base/java.lang.reflect.Method.invoke(Method.java:1)\n";
        let failure = Failure { class: String::new(), message: None, trace: trace.to_owned() };
        assert_eq!(failure.trimmed_trace(), "java.lang.AssertionError: x\n\tat A.test(A.java:5)\n");
    }
}
