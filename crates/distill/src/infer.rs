//! Algebraic properties of a class out of its method executions, and the tests that show them: Xie and
//! Notkin, "Automatically Identifying Special and Common Unit Tests" (2005).
//!
//! Takes a [`trace::Trace`], knows nothing of machines. Four steps: templates are instantiated for every
//! method and pair of methods (`abstraction`), calls are composed to pairs through equal states
//! (`compose`), instances are counted (`count`), and from the counts come properties (`judge`, definitions
//! 5 and 6), without those that others imply (`implied`), and tests (`select`, definitions 7 and 8).
//!
//! Where the paper leaves it open:
//! - A universal s0 or s0' classifies a method (it preserves or changes the state) and is kept apart from
//!   the properties; only so the paper's counts for its smallest subject come out. Where s0 or s0' holds
//!   mostly, it is a common property like others.
//! - Constructors are first calls of pairs.
//! - A right-hand side that needs a call which nobody made is neither satisfied nor violated.
//! - Where a call on the right-hand side throws, its state afterwards is compared all the same, as the
//!   paper's example of `remove` and `removeLast` shows; its return is nothing and equal to nothing.
//! - Conditional abstractions are judged as universal or not at all.
//! - A constant state says something only where at least two instances give it.

pub mod abstraction;
mod compose;
mod count;
mod implied;
mod judge;
pub mod select;
pub mod template;
pub mod trace;
pub mod wording;

use rustc_hash::{FxHashMap, FxHashSet};

use abstraction::Abstraction;
use trace::{ExecutionIdx, MethodIdx, Trace};

/// One call or two in a row that instantiate a left-hand side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Instance {
    /// How many instances were composed before.
    pub order: u32,
    /// `f(S, args1)`.
    pub first: ExecutionIdx,
    /// `g(…, args2)`.
    pub second: Option<ExecutionIdx>,
}

/// Definitions 5 and 6.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// All instances satisfy it.
    Universal,
    /// All instances with equal arguments satisfy it (sc1).
    ConditionalUniversal,
    /// All instances on states of which an observer says so satisfy it (sc2).
    ObserverConditional,
    /// Most instances satisfy it.
    Common,
}

/// A statistical algebraic abstraction (definition 4) that is worth a word.
#[derive(Debug, Clone)]
pub struct Property {
    /// What it says.
    pub abstraction: Abstraction,
    /// Which kind of property it is.
    pub kind: Kind,
    /// Number of satisfying instances.
    pub satisfying: u32,
    /// Number of violating instances.
    pub violating: u32,
    /// The first instance that satisfies it.
    pub first_satisfying: Instance,
    /// The first instance that violates it.
    pub first_violating: Option<Instance>,
    /// Why it is not worth printing, if it follows from others.
    pub implied: Option<Implied>,
}

/// Why a property follows from others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Implied {
    /// It holds without its condition too.
    Unconditional,
    /// Under its condition both sides are the same expression, or another property says the same.
    Repeated,
    /// The same equation is printed the other way round.
    Mirrored,
    /// It follows from methods that preserve the state.
    Preserved,
    /// Both sides are constants that other properties tell, or the same known state.
    Known,
}

/// How a method treats the state, as far as seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// s0 is universal.
    Preserves,
    /// s0' is universal.
    Changes,
    /// Neither.
    Depends,
    /// It makes an object.
    Makes,
}

/// What came out.
#[derive(Debug, Clone)]
pub struct Inference {
    /// How each method treats the state.
    pub effects: Vec<(MethodIdx, Effect)>,
    /// Universal, conditional and common properties, implied ones included, in the order of methods.
    pub properties: Vec<Property>,
    /// Abstractions that could be instantiated.
    pub potential: usize,
    /// Abstractions with at least one satisfying instance.
    pub considered: usize,
    /// Pairs of calls.
    pub n_pairs: usize,
    /// Whether there were more pairs than are composed.
    pub is_cut: bool,
}

impl Inference {
    /// The properties that follow from no others.
    pub fn printed(&self) -> impl Iterator<Item = &Property> {
        self.properties.iter().filter(|property| property.implied.is_none())
    }

    /// Number of printed properties of a kind.
    pub fn n_printed(&self, kind: Kind) -> usize {
        self.printed().filter(|property| property.kind == kind).count()
    }
}

/// Infers properties. `threshold` is the part of instances that must satisfy a common property, above a
/// half.
pub fn infer(trace: &Trace, threshold: f64) -> Inference {
    let counts = compose::compose(trace);
    let mut inference = judge::judge(trace, &counts, threshold, &FxHashSet::default());
    implied::mark(trace, &mut inference);
    inference
}

/// Confronts properties with more executions: `trace` is the one they were inferred from, and more behind
/// it. A property that was universal and has a violating instance now becomes a common one, however often
/// it is violated, with the first violating instance; gives the positions of those that fell.
pub fn confront(trace: &Trace, inference: &mut Inference) -> Vec<usize> {
    let attacked: FxHashSet<Abstraction> = inference
        .properties
        .iter()
        .filter(|property| property.kind != Kind::Common)
        .map(|property| property.abstraction)
        .collect();
    let counts = compose::compose(trace);
    let more = judge::judge(trace, &counts, 1.0, &attacked);
    let seen: FxHashMap<Abstraction, &Property> =
        more.properties.iter().map(|property| (property.abstraction, property)).collect();
    let mut fallen = Vec::new();
    for (idx, property) in inference.properties.iter_mut().enumerate() {
        let Some(now) = seen.get(&property.abstraction) else { continue };
        if property.kind == Kind::Common || now.violating == 0 {
            continue;
        }
        property.kind = Kind::Common;
        property.satisfying = now.satisfying;
        property.violating = now.violating;
        property.first_violating = now.first_violating;
        fallen.push(idx);
    }
    inference.effects = more.effects;
    implied::mark(trace, inference);
    fallen
}
