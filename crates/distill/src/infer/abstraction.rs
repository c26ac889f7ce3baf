//! Algebraic abstractions: templates instantiated by methods, and when two of them say the same.

use super::template::{Aspect, Call, Left, Relation, Right, TEMPLATES, Template};
use super::trace::{MethodIdx, Trace, ValueId};
use suite::method::Method;
use suite::types::Type;

/// A number as differences need it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Number {
    /// Of an integral type.
    Whole(i128),
    /// The bits of a floating-point number.
    Real(u64),
}

/// What is added on a right-hand side: the difference extension.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Plus {
    /// A constant.
    Number(Number),
    /// An argument.
    Argument(Call, usize),
}

/// A right-hand side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Term {
    /// `S`.
    Entry,
    /// A value.
    Constant(ValueId),
    /// An exception instead of a value.
    Exception,
    /// An argument of a call.
    Argument(Call, usize),
    /// `m(S, args)`.
    Apply(Call, Call),
    /// `m(n(S, args).state, args')`, outer first.
    Compose([Call; 2], [Call; 2]),
}

/// Where an abstraction is said to hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Condition {
    /// `args1.i == args2.j` (sc1).
    SameArguments(usize, usize),
    /// A boolean observer says this of `S` (sc2).
    Observer(MethodIdx, bool),
}

/// An instantiated template.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Abstraction {
    /// Position in [`TEMPLATES`].
    pub template: usize,
    /// State or return.
    pub aspect: Aspect,
    /// `f`.
    pub first: MethodIdx,
    /// `g`, where the left-hand side is a pair.
    pub second: Option<MethodIdx>,
    /// The right-hand side.
    pub right: Term,
    /// What is added to it.
    pub plus: Option<Plus>,
    /// Where it holds.
    pub condition: Option<Condition>,
}

impl Abstraction {
    /// Its template.
    pub fn row(&self) -> &'static Template {
        &TEMPLATES[self.template]
    }

    /// The template's name with its extensions: `s7`, `r6+rd1`, `s6+sc1`.
    pub fn template_name(&self) -> String {
        let mut name = self.row().name_for(self.aspect);
        if self.plus.is_some() {
            name.push_str("+rd1");
        }
        match self.condition {
            None => {}
            Some(Condition::SameArguments(..)) => name.push_str("+sc1"),
            Some(Condition::Observer(..)) => name.push_str("+sc2"),
        }
        name
    }

    /// `==` or `!=`.
    pub fn relation(&self) -> Relation {
        self.row().relation
    }

    /// The method whose state or return is looked at.
    pub fn outermost(&self) -> MethodIdx {
        self.second.unwrap_or(self.first)
    }
}

/// A right-hand side that needs no constant, to be judged for every pair of calls.
#[derive(Debug, Clone, Copy)]
pub(super) struct Slot {
    pub(super) template: usize,
    pub(super) aspect: Aspect,
    pub(super) right: Term,
    pub(super) plus: Option<(Call, usize)>,
    /// Whether the sides are numbers, so that their difference is looked at.
    pub(super) is_numeric: bool,
}

/// At most so many right-hand sides are judged for one pair of methods.
const MOST_SLOTS: usize = 128;

/// The right-hand sides for one method, or for two.
pub(super) fn slots(trace: &Trace, first: MethodIdx, second: Option<MethodIdx>) -> Vec<Slot> {
    let f = &trace.methods()[first.idx()];
    let g = second.map(|second| &trace.methods()[second.idx()]);
    let mut slots: Vec<Slot> = Vec::new();
    let mut known: Vec<(Aspect, Form)> = Vec::new();
    for (template, row) in TEMPLATES.iter().enumerate() {
        if (row.left == Left::Pair) != second.is_some() {
            continue;
        }
        for aspect in [Aspect::State, Aspect::Return] {
            if aspect == Aspect::Return && !row.for_returns {
                continue;
            }
            let outermost = g.unwrap_or(f);
            for right in rights(row.right, aspect, f, g) {
                if !fits(aspect, outermost, right, f, g) {
                    continue;
                }
                let shape = Shape { first, second, condition: None };
                let form = (aspect, shape.form(trace, right));
                if second.is_some()
                    && (form.1 == shape.left(trace) && row.relation == Relation::Equal
                        || known.contains(&form))
                {
                    continue;
                }
                known.push(form);
                let is_numeric = aspect == Aspect::Return && is_number(&outermost.returns);
                slots.push(Slot { template, aspect, right, plus: None, is_numeric });
            }
        }
    }
    add_sums(&mut slots, f, g);
    slots
}

/// The numeric right-hand sides again with each numeric argument added.
fn add_sums(slots: &mut Vec<Slot>, f: &Method, g: Option<&std::sync::Arc<Method>>) {
    let Some(g) = g else { return };
    let mut arguments: Vec<(Call, usize)> = Vec::new();
    for (call, method) in [(Call::First, f), (Call::Second, &**g)] {
        for (idx, parameter) in method.parameters.iter().enumerate() {
            if *parameter == g.returns {
                arguments.push((call, idx));
            }
        }
    }
    for at in 0..slots.len() {
        if !slots[at].is_numeric {
            continue;
        }
        for &(call, idx) in &arguments {
            // A sum of two arguments is the same either way round.
            let is_twice =
                matches!(slots[at].right, Term::Argument(of, other) if (of, other) > (call, idx));
            if slots.len() < MOST_SLOTS && !is_twice {
                slots.push(Slot { plus: Some((call, idx)), is_numeric: false, ..slots[at] });
            }
        }
    }
}

fn rights(
    right: Right,
    aspect: Aspect,
    f: &Method,
    g: Option<&std::sync::Arc<Method>>,
) -> Vec<Term> {
    match right {
        Right::Entry => vec![Term::Entry],
        // Constants are counted, not guessed.
        Right::Constant => Vec::new(),
        Right::Argument(call) => {
            let method = match (call, g) {
                (Call::First, _) => f,
                (Call::Second, Some(g)) => g,
                (Call::Second, None) => return Vec::new(),
            };
            let wanted = |parameter: &Type| aspect == Aspect::Return || parameter.is_reference();
            let positions = method.parameters.iter().enumerate();
            positions
                .filter(|(_, parameter)| wanted(parameter))
                .map(|(idx, _)| Term::Argument(call, idx))
                .collect()
        }
        Right::Apply(method, arguments) => vec![Term::Apply(method, arguments)],
        Right::Compose(outer, inner) => vec![Term::Compose(outer, inner)],
    }
}

/// Whether a right-hand side can be formed from these methods, and compared.
fn fits(
    aspect: Aspect,
    outermost: &Method,
    right: Term,
    f: &Method,
    g: Option<&std::sync::Arc<Method>>,
) -> bool {
    let method = |call: Call| match (call, g) {
        (Call::Second, Some(g)) => &**g,
        _ => f,
    };
    let takes = |applied: Call, arguments: Call| {
        applied == arguments || method(applied).parameters == method(arguments).parameters
    };
    let is_alike = |other: &Type| {
        let own = &outermost.returns;
        *own != Type::Void && (own == other || own.is_reference() && other.is_reference())
    };
    let needs_entry = !matches!(right, Term::Argument(..) | Term::Apply(Call::First, Call::First));
    if !f.has_receiver() && needs_entry {
        return false;
    }
    if aspect == Aspect::Return && outermost.returns == Type::Void {
        return false;
    }
    match right {
        Term::Entry => f.has_receiver(),
        Term::Constant(_) | Term::Exception => true,
        Term::Argument(call, idx) => {
            aspect == Aspect::State || is_alike(&method(call).parameters[idx])
        }
        Term::Apply(applied, arguments) => {
            takes(applied, arguments)
                && (aspect == Aspect::State || is_alike(&method(applied).returns))
        }
        Term::Compose(outer, inner) => {
            takes(outer[0], outer[1])
                && takes(inner[0], inner[1])
                && (aspect == Aspect::State || is_alike(&method(outer[0]).returns))
        }
    }
}

/// Whether values of a type can be subtracted.
pub(super) fn is_number(of: &Type) -> bool {
    matches!(
        of,
        Type::Byte | Type::Short | Type::Int | Type::Long | Type::Float | Type::Double | Type::Char
    )
}

/// An argument in a form: which call's, and which.
type Symbol = (Call, usize);

/// A term with methods and arguments spelled out, so that equal forms mean the same.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Form {
    Entry,
    Constant(ValueId),
    Exception,
    Argument(Symbol),
    Apply(MethodIdx, Vec<Symbol>),
    Compose(MethodIdx, Vec<Symbol>, MethodIdx, Vec<Symbol>),
}

/// The methods of an abstraction and its condition.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shape {
    pub(super) first: MethodIdx,
    pub(super) second: Option<MethodIdx>,
    pub(super) condition: Option<Condition>,
}

impl Shape {
    fn method(&self, call: Call) -> MethodIdx {
        match call {
            Call::First => self.first,
            Call::Second => self.second.unwrap_or(self.first),
        }
    }

    /// An argument, where two are the same by condition always the first.
    fn symbol(&self, symbol: Symbol) -> Symbol {
        match self.condition {
            Some(Condition::SameArguments(i, j)) if symbol == (Call::Second, j) => (Call::First, i),
            _ => symbol,
        }
    }

    fn symbols(&self, trace: &Trace, of: Call) -> Vec<Symbol> {
        let n = trace.methods()[self.method(of).idx()].parameters.len();
        (0..n).map(|idx| self.symbol((of, idx))).collect()
    }

    /// The left-hand side.
    pub(super) fn left(&self, trace: &Trace) -> Form {
        match self.second {
            None => Form::Apply(self.first, self.symbols(trace, Call::First)),
            Some(_) => self.form(
                trace,
                Term::Compose([Call::Second, Call::Second], [Call::First, Call::First]),
            ),
        }
    }

    /// A right-hand side.
    pub(super) fn form(&self, trace: &Trace, term: Term) -> Form {
        match term {
            Term::Entry => Form::Entry,
            Term::Constant(value) => Form::Constant(value),
            Term::Exception => Form::Exception,
            Term::Argument(call, idx) => Form::Argument(self.symbol((call, idx))),
            Term::Apply(method, arguments) => {
                Form::Apply(self.method(method), self.symbols(trace, arguments))
            }
            Term::Compose(outer, inner) => Form::Compose(
                self.method(outer[0]),
                self.symbols(trace, outer[1]),
                self.method(inner[0]),
                self.symbols(trace, inner[1]),
            ),
        }
    }
}
