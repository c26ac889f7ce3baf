//! Mutants: small faults put into the bytecode of the classes under test, to see which of them a suite
//! notices. This file finds them, one operator per file; `patch` makes the class file that holds one;
//! `judge` runs a suite against them.
//!
//! A mutant is data: where it is, what it changes, and a sentence for people. Code that a compiler adds
//! by itself has none, nor do changes that cannot change behaviour.

mod arithmetic;
mod body;
mod boundaries;
mod conditionals;
mod constants;
mod direct;
mod generated;
mod increments;
mod judge;
mod negation;
mod noticed;
mod opcode;
mod patch;
mod ready;
mod returns;
mod statics;
mod survey;
mod trial;
mod void_calls;
mod watch;

use classfile::{ClassFile, mutf8};

pub use judge::{Fate, Judging, Verdict, judge};
pub use noticed::{Limits, noticed};
pub use patch::{Mutated, apply};
pub use ready::ready;
pub use survey::{Escaped, Survey, SurveyOptions, survey};

use body::Body;

/// A kind of fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Operator {
    /// A condition holds where it did not, and the other way round.
    Conditionals,
    /// `<` and `<=`, `>` and `>=` change places.
    Boundaries,
    /// Another arithmetic operator.
    Arithmetic,
    /// A sign is taken away or put before a returned value.
    Negation,
    /// Another value is returned.
    Returns,
    /// A call of a method without result does not happen.
    VoidCalls,
    /// Another constant.
    Constants,
    /// A variable is counted the other way.
    Increments,
}

impl Operator {
    /// All, in the order in which the mutants of one instruction are listed.
    pub const ALL: [Operator; 8] = [
        Operator::Conditionals,
        Operator::Boundaries,
        Operator::Arithmetic,
        Operator::Negation,
        Operator::Returns,
        Operator::VoidCalls,
        Operator::Constants,
        Operator::Increments,
    ];

    /// The name in options and reports.
    pub fn name(self) -> &'static str {
        match self {
            Operator::Conditionals => "conditionals",
            Operator::Boundaries => "boundaries",
            Operator::Arithmetic => "arithmetic",
            Operator::Negation => "negation",
            Operator::Returns => "returns",
            Operator::VoidCalls => "void-calls",
            Operator::Constants => "constants",
            Operator::Increments => "increments",
        }
    }

    fn find(self, found: &mut Vec<Change>, body: &Body<'_>, idx: usize) {
        match self {
            Operator::Conditionals => conditionals::find(found, body, idx),
            Operator::Boundaries => boundaries::find(found, body, idx),
            Operator::Arithmetic => arithmetic::find(found, body, idx),
            Operator::Negation => negation::find(found, body, idx),
            Operator::Returns => returns::find(found, body, idx),
            Operator::VoidCalls => void_calls::find(found, body, idx),
            Operator::Constants => constants::find(found, body, idx),
            Operator::Increments => increments::find(found, body, idx),
        }
    }
}

/// What an operator does to one instruction.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Change {
    /// For people: ``replaced `+` with `-` ``.
    text: String,
    /// What stands there instead of the instruction.
    code: Vec<u8>,
    /// Words of operand stack that it needs above what the method needs.
    extra_stack: u16,
}

/// One mutant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mutant {
    /// The class, internal name.
    pub class: String,
    /// Position of the method in the class file.
    pub slot: usize,
    /// The method's name.
    pub method: String,
    /// The method's descriptor.
    pub descriptor: String,
    /// Bytecode index of the changed instruction.
    pub bci: u16,
    /// Its source line, if the class tells.
    pub line: Option<u16>,
    /// The kind of fault.
    pub operator: Operator,
    /// What is changed, for people: ``changed conditional boundary `<` to `<=` ``.
    pub change: String,
    code: Vec<u8>,
    extra_stack: u16,
}

impl Mutant {
    /// One line for people: ``line 17: changed conditional boundary `<` to `<=` ``.
    pub fn description(&self) -> String {
        match self.line {
            Some(line) => format!("line {line}: {}", self.change),
            None => format!("bytecode {}: {}", self.bci, self.change),
        }
    }
}

/// All mutants of a class, in the order of its code.
pub fn mutants(file: &ClassFile) -> Vec<Mutant> {
    let mut mutants = Vec::new();
    // Before 45.3 code attributes were laid out otherwise; nobody has written such classes since 1996.
    if generated::is_whole_class(file) || (file.major() == 45 && file.minor() < 3) {
        return mutants;
    }
    for (slot, info) in file.methods().iter().enumerate() {
        let Some(body) = Body::new(file, info) else { continue };
        if generated::is_whole_method(&body) {
            continue;
        }
        let is_generated = generated::instructions(&body);
        let text = |idx: u16| mutf8::display(file.constant_pool().utf8(idx));
        let mut found = Vec::new();
        for (idx, instruction) in body.instructions.iter().enumerate() {
            if is_generated[idx] {
                continue;
            }
            for operator in Operator::ALL {
                operator.find(&mut found, &body, idx);
                mutants.extend(found.drain(..).map(|change| Mutant {
                    class: mutf8::display(file.name()),
                    slot,
                    method: text(info.name),
                    descriptor: text(info.descriptor),
                    bci: instruction.pc,
                    line: body.code.line_at(file, instruction.pc),
                    operator,
                    change: change.text,
                    code: change.code,
                    extra_stack: change.extra_stack,
                }));
            }
        }
    }
    mutants
}
