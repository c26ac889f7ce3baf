//! Why: what a kept test alone does and what comes nearest to it, and why a kept test does what a redundant
//! one does.

use std::collections::BTreeMap;

use observe::record::{Classes, Look, RecordedSuite, Techniques, TestRun};

use super::judge::{Judged, Status};

/// Most executions that are explained of one test.
const MOST_EXECUTIONS: usize = 12;
/// Most executions that one is compared with to find the nearest.
const MOST_COMPARED: usize = 200;
/// Most edges of a state that are shown.
const MOST_EDGES: usize = 24;

/// What is explained.
pub(super) struct Explained<'a> {
    pub(super) runs: &'a [TestRun],
    /// By test: the classes of its executions.
    pub(super) covered: &'a [Vec<u32>],
    pub(super) classes: &'a Classes,
    pub(super) techniques: Techniques,
}

/// Executions as they look, each looked at once.
struct Looks<'r> {
    recorded: &'r mut RecordedSuite,
    known: BTreeMap<u32, Option<Look>>,
}

impl Looks<'_> {
    fn get(&mut self, execution: u32) -> Option<Look> {
        let recorded = &mut self.recorded;
        self.known.entry(execution).or_insert_with(|| recorded.look(execution)).clone()
    }
}

/// Writes down what a kept test alone does, and which kept test does what a redundant one does, and why.
pub(super) fn explain(tests: &mut [Judged], what: &Explained<'_>, recorded: &mut RecordedSuite) {
    let mut owners: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (idx, test) in tests.iter().enumerate() {
        if test.status == Status::Kept {
            for &class in &what.covered[idx] {
                owners.entry(class).or_default().push(idx);
            }
        }
    }
    let mut looks = Looks { recorded, known: BTreeMap::new() };
    let mut all = Vec::with_capacity(tests.len());
    for (idx, test) in tests.iter().enumerate() {
        let mut lines = Vec::new();
        let mut n_explained = 0;
        for (class, execution) in representatives(what, idx) {
            let by = owners.get(&class).map_or(&[][..], Vec::as_slice);
            let is_told = match &test.status {
                Status::Kept => by.len() == 1,
                Status::Redundant(_) => true,
                _ => false,
            };
            if !is_told {
                continue;
            }
            n_explained += 1;
            if n_explained > MOST_EXECUTIONS {
                continue;
            }
            match &test.status {
                Status::Redundant(chosen) => {
                    let by = by.iter().find(|by| chosen.contains(by)).or(by.first()).copied();
                    lines.extend(redundant(tests, what, &mut looks, execution, by));
                }
                _ => lines.extend(alone(tests, what, &mut looks, idx, execution)),
            }
        }
        if n_explained > MOST_EXECUTIONS {
            lines.push(format!("and {} more", n_explained - MOST_EXECUTIONS));
        }
        all.push(lines);
    }
    for (test, lines) in tests.iter_mut().zip(all) {
        test.explanation = lines;
    }
}

/// One execution of each class that a test has: it stands for all that are the same.
fn representatives(what: &Explained<'_>, test: usize) -> BTreeMap<u32, u32> {
    let mut shown = BTreeMap::new();
    for &execution in &what.runs[test].executions {
        shown.entry(what.classes.of[execution as usize]).or_insert(execution);
    }
    shown
}

/// An execution that a kept test alone has, its state, and the nearest that another test has.
fn alone(
    tests: &[Judged],
    what: &Explained<'_>,
    looks: &mut Looks<'_>,
    test: usize,
    execution: u32,
) -> Vec<String> {
    let technique = what.techniques.receiver;
    let Some(look) = looks.get(execution) else { return Vec::new() };
    let mut lines = vec![format!("alone: {}", look.text(technique))];
    if let Some(state) = look.state(technique, MOST_EDGES) {
        lines.push(format!("    entry state: {state}"));
    }
    let method = looks.recorded.method(execution).to_owned();
    let mut nearest: Option<(usize, usize, Look)> = None;
    let mut n_compared = 0;
    for other in (0..tests.len()).filter(|&other| other != test) {
        for &candidate in &what.runs[other].executions {
            let is_same =
                what.classes.of[candidate as usize] == what.classes.of[execution as usize];
            if is_same || looks.recorded.method(candidate) != method || n_compared >= MOST_COMPARED
            {
                continue;
            }
            n_compared += 1;
            let Some(near) = looks.get(candidate) else { continue };
            let nearness = look.nearness(&near, what.techniques);
            if nearest.as_ref().is_none_or(|(best, ..)| nearness > *best) {
                nearest = Some((nearness, other, near));
            }
        }
    }
    lines.push(match nearest {
        Some((_, other, near)) => format!(
            "    unlike {} in {}: {}",
            near.text(technique),
            tests[other].name(),
            look.unlike(&near, what.techniques)
        ),
        None => "    no other test calls this method in another state".to_owned(),
    });
    lines
}

/// An execution of a redundant test, who has it too, and why it is the same.
fn redundant(
    tests: &[Judged],
    what: &Explained<'_>,
    looks: &mut Looks<'_>,
    execution: u32,
    by: Option<usize>,
) -> Vec<String> {
    let technique = what.techniques.receiver;
    let (Some(look), Some(by)) = (looks.get(execution), by) else { return Vec::new() };
    let class = what.classes.of[execution as usize];
    let of_class = |other: &&u32| what.classes.of[**other as usize] == class;
    let others = &what.runs[by].executions;
    // Its own where the kept test has just that one.
    let other = others.iter().find(|&&other| other == execution);
    let other = other.or_else(|| others.iter().find(of_class)).copied();
    let mut lines = vec![format!("{}: as in {}", look.text(technique), tests[by].name())];
    if let Some(near) = other.and_then(|other| looks.get(other)) {
        if near.text(technique) != look.text(technique) {
            lines.push(format!("    there {}", near.text(technique)));
        }
        lines.push(format!("    {}", look.alike(&near, what.techniques)));
    }
    lines
}
