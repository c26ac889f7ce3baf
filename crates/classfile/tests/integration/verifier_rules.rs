//! One small hand-made class for each rule of the verifier, with the verdict it must get; a real
//! JVM is asked about all of them too.

use crate::assembler::{Assembler, Body};
use crate::hierarchy::ImageHierarchy;
use crate::jdk;
use crate::verdict::{self, Verdict};

mod bounds;
mod constructors;
mod control_flow;
mod instructions;
mod old_class_files;
mod stack_maps;

/// A class and what must be said of it.
pub(crate) struct Case {
    name: &'static str,
    class: Vec<u8>,
    /// Part of the reason it is refused for; `None` if it is right.
    refused_for: Option<&'static str>,
    /// Whether real JVMs are known to judge otherwise, and why that is no fault.
    differs: Option<&'static str>,
}

impl Case {
    /// Notes that real JVMs judge otherwise.
    fn differing(mut self, reason: &'static str) -> Self {
        self.differs = Some(reason);
        self
    }
}

/// The version of class files that need a stack map.
const NEW: u16 = 52;
/// The version of class files whose types are inferred.
const OLD: u16 = 49;

const NAME: &str = "Case";

fn body(max_stack: u16, max_locals: u16, code: &[u8]) -> Body {
    Body { max_stack, max_locals, code: code.to_vec(), ..Body::default() }
}

fn case(
    name: &'static str,
    refused_for: impl Into<Option<&'static str>>,
    class: Assembler,
) -> Case {
    Case { name, class: class.finish(), refused_for: refused_for.into(), differs: None }
}

/// A static method `m` in a class of its own; `build` may add constants.
fn method(
    name: &'static str,
    refused_for: impl Into<Option<&'static str>>,
    descriptor: &str,
    build: impl FnOnce(&mut Assembler) -> Body,
) -> Case {
    method_of_version(NEW, name, refused_for, descriptor, build)
}

fn method_of_version(
    major: u16,
    name: &'static str,
    refused_for: impl Into<Option<&'static str>>,
    descriptor: &str,
    build: impl FnOnce(&mut Assembler) -> Body,
) -> Case {
    let mut class = Assembler::new(major, NAME);
    let body = build(&mut class);
    class.method(0x0009, "m", descriptor, Some(body));
    case(name, refused_for, class)
}

/// The two bytes of an index.
fn hi(idx: u16) -> u8 {
    (idx >> 8) as u8
}

fn lo(idx: u16) -> u8 {
    idx as u8
}

fn all_cases() -> Vec<Case> {
    let mut cases = instructions::cases();
    cases.extend(control_flow::cases());
    cases.extend(constructors::cases());
    cases.extend(stack_maps::cases());
    cases.extend(old_class_files::cases());
    cases
}

#[test]
fn each_hand_made_class_gets_its_verdict() {
    let home = jdk::homes().pop().unwrap();
    let image = jdk::image(&home);
    let mut hierarchy = ImageHierarchy::new(&image);
    let mut wrong = Vec::new();
    for case in all_cases() {
        let verdict = verdict::ours(&mut hierarchy, &case.class);
        let is_right = match (&verdict, case.refused_for) {
            (Verdict::Accepted, None) => true,
            (Verdict::Malformed(reason) | Verdict::Invalid(reason), Some(part)) => {
                reason.contains(part)
            }
            _ => false,
        };
        if !is_right {
            wrong.push(format!("{}: {verdict:?} instead of {:?}", case.name, case.refused_for));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn hotspot_agrees_about_the_hand_made_classes() {
    let home = jdk::homes().pop().unwrap();
    let cases = all_cases();
    let files: Vec<Vec<u8>> = cases.iter().map(|case| case.class.clone()).collect();
    let verdicts = verdict::of_hotspot(&home, std::path::Path::new("."), "hand-made", &files);
    let mut wrong = Vec::new();
    for (case, verdict) in cases.iter().zip(verdicts) {
        let agrees = verdict.is_refused() == case.refused_for.is_some();
        match case.differs {
            None if !agrees => wrong.push(format!("{}: {verdict:?}", case.name)),
            Some(_) if agrees => wrong.push(format!("{}: no difference any more", case.name)),
            _ => {}
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
