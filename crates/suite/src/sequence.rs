//! Sequences of calls: immutable, well typed by construction as far as names alone tell.
//!
//! Variables are positions of statements; each argument is a constant or the result of an earlier
//! statement, so one object may be passed twice (aliasing).

use std::fmt;
use std::sync::Arc;

use crate::constant::Constant;
use crate::method::Method;
use crate::stand_in::StandIn;
use crate::types::Type;

/// The result of the statement at this position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Var(pub u32);

impl Var {
    /// The statement's position.
    pub fn idx(self) -> usize {
        self.0 as usize
    }
}

/// An argument of a statement.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Arg {
    /// Written down in place.
    Constant(Constant),
    /// The result of an earlier statement.
    Var(Var),
}

/// What a statement does.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Operation {
    /// Calls a method; the receiver, if any, is the first argument.
    Call(Arc<Method>),
    /// Makes an array of this element type out of its arguments.
    Array(Type),
    /// Makes an object that stands in for an interface or abstract class; takes no arguments.
    StandIn(Arc<StandIn>),
}

impl Operation {
    /// The types of its arguments, receiver first, where there are so many.
    pub fn wanted(&self, n_args: usize) -> Vec<Type> {
        match self {
            Operation::Call(method) => method.arguments(),
            Operation::Array(element) => vec![element.clone(); n_args],
            Operation::StandIn(_) => Vec::new(),
        }
    }
}

/// One step of a sequence.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Statement {
    /// What is done.
    pub operation: Operation,
    /// With what, receiver first.
    pub args: Vec<Arg>,
}

impl Statement {
    /// The type of the result.
    pub fn result(&self) -> Type {
        match &self.operation {
            Operation::Call(method) => method.result(),
            Operation::Array(element) => Type::Array(Box::new(element.clone())),
            Operation::StandIn(stand_in) => Type::Class(stand_in.of.clone()),
        }
    }

    /// The variables it uses, in order.
    pub fn uses(&self) -> impl Iterator<Item = Var> + '_ {
        self.args.iter().filter_map(|arg| match arg {
            Arg::Var(var) => Some(*var),
            Arg::Constant(_) => None,
        })
    }

    /// The method, if it is a call.
    pub fn method(&self) -> Option<&Arc<Method>> {
        match &self.operation {
            Operation::Call(method) => Some(method),
            Operation::Array(_) | Operation::StandIn(_) => None,
        }
    }
}

/// Why a statement does not fit behind a sequence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IllTyped {
    /// What is wrong.
    pub reason: String,
}

impl fmt::Display for IllTyped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reason)
    }
}

impl std::error::Error for IllTyped {}

/// Calls in order.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Sequence {
    statements: Vec<Statement>,
}

impl Sequence {
    /// No call at all.
    pub fn empty() -> Sequence {
        Sequence::default()
    }

    /// The statements in order.
    pub fn statements(&self) -> &[Statement] {
        &self.statements
    }

    /// Number of statements.
    pub fn len(&self) -> usize {
        self.statements.len()
    }

    /// Whether there is no statement.
    pub fn is_empty(&self) -> bool {
        self.statements.is_empty()
    }

    /// The variable that the next statement will define.
    #[expect(clippy::cast_possible_truncation, reason = "sequences are short")]
    pub fn next_var(&self) -> Var {
        Var(self.statements.len() as u32)
    }

    /// The sequence with one statement more.
    pub fn then(mut self, operation: Operation, args: Vec<Arg>) -> Result<Sequence, IllTyped> {
        self.push(operation, args)?;
        Ok(self)
    }

    /// Appends another sequence; gives the variable that `of` of the other has become.
    #[expect(clippy::cast_possible_truncation, reason = "sequences are short")]
    pub fn append(&mut self, other: &Sequence, of: Var) -> Var {
        let shift = self.statements.len() as u32;
        for statement in &other.statements {
            let mut moved = statement.clone();
            for arg in &mut moved.args {
                if let Arg::Var(var) = arg {
                    var.0 += shift;
                }
            }
            self.statements.push(moved);
        }
        Var(of.0 + shift)
    }

    /// Adds one statement at the end and gives its variable.
    pub fn push(&mut self, operation: Operation, args: Vec<Arg>) -> Result<Var, IllTyped> {
        let wanted = operation.wanted(args.len());
        if wanted.len() != args.len() {
            let reason = format!("{} arguments where {} are wanted", args.len(), wanted.len());
            return Err(IllTyped { reason });
        }
        for (arg, wanted) in args.iter().zip(&wanted) {
            if !self.fits(arg, wanted) {
                return Err(IllTyped { reason: format!("{arg:?} where {wanted} is wanted") });
            }
        }
        let var = self.next_var();
        self.statements.push(Statement { operation, args });
        Ok(var)
    }

    /// The sequence without these statements and without all that depend on their results; and the
    /// variable that each old one has become, `None` where it went.
    pub fn without(&self, removed: &[bool]) -> (Sequence, Vec<Option<Var>>) {
        let mut kept = Sequence::empty();
        let mut became: Vec<Option<Var>> = Vec::with_capacity(self.len());
        for (idx, statement) in self.statements.iter().enumerate() {
            let goes = removed.get(idx).copied().unwrap_or(false);
            let args: Option<Vec<Arg>> = statement
                .args
                .iter()
                .map(|arg| match arg {
                    Arg::Constant(_) => Some(arg.clone()),
                    Arg::Var(var) => became[var.idx()].map(Arg::Var),
                })
                .collect();
            let Some(args) = args.filter(|_| !goes) else {
                became.push(None);
                continue;
            };
            became.push(Some(kept.next_var()));
            kept.statements.push(Statement { operation: statement.operation.clone(), args });
        }
        (kept, became)
    }

    /// The sequence up to this statement, which is then the last one.
    pub fn up_to(&self, last: Var) -> Sequence {
        Sequence { statements: self.statements.iter().take(last.idx() + 1).cloned().collect() }
    }

    /// The sequence with other arguments for one statement.
    pub fn with_args(&self, at: Var, args: Vec<Arg>) -> Result<Sequence, IllTyped> {
        let Some(statement) = self.statements.get(at.idx()) else {
            return Err(IllTyped { reason: format!("no statement {}", at.0) });
        };
        let mut front = Sequence { statements: self.statements[..at.idx()].to_vec() };
        front.push(statement.operation.clone(), args)?;
        front.statements.extend_from_slice(&self.statements[at.idx() + 1..]);
        Ok(front)
    }

    /// The sequence with `by` wherever the result of `var` was used.
    pub fn substituted(&self, var: Var, by: &Arg) -> Result<Sequence, IllTyped> {
        let mut changed = Sequence { statements: Vec::with_capacity(self.len()) };
        for statement in &self.statements {
            if !statement.uses().any(|used| used == var) {
                changed.statements.push(statement.clone());
                continue;
            }
            let args = statement
                .args
                .iter()
                .map(|arg| if *arg == Arg::Var(var) { by.clone() } else { arg.clone() });
            changed.push(statement.operation.clone(), args.collect())?;
        }
        Ok(changed)
    }

    fn fits(&self, arg: &Arg, wanted: &Type) -> bool {
        match arg {
            Arg::Constant(constant) => constant.fits(wanted),
            Arg::Var(var) => self.statements.get(var.idx()).is_some_and(|statement| {
                let own = statement.result();
                own != Type::Void && (own == *wanted || own.is_reference() && wanted.is_reference())
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::{Arg, Operation, Sequence, Var};
    use crate::constant::Constant;
    use crate::method::Method;

    fn call(name: &str, descriptor: &str) -> Operation {
        let method = Method::new("IntStack", name, descriptor, false).expect("well formed");
        Operation::Call(Arc::new(method))
    }

    #[test]
    fn a_call_must_fit_its_parameters() {
        let stack = Sequence::empty().then(call("<init>", "()V"), vec![]).expect("fits");
        let three = Arg::Constant(Constant::Int(3));
        let push = call("push", "(I)V");
        let pushed = stack.clone().then(push.clone(), vec![Arg::Var(Var(0)), three.clone()]);
        assert_eq!(pushed.expect("fits").len(), 2);
        assert!(stack.clone().then(push.clone(), vec![three.clone()]).is_err(), "no receiver");
        let text = Arg::Constant(Constant::text("x"));
        assert!(stack.clone().then(push.clone(), vec![Arg::Var(Var(0)), text]).is_err());
        assert!(stack.then(push, vec![Arg::Var(Var(7)), three]).is_err(), "no such variable");
    }

    #[test]
    fn a_void_result_is_no_argument() {
        let mut stack = Sequence::empty().then(call("<init>", "()V"), vec![]).expect("fits");
        let done = stack.push(call("clear", "()V"), vec![Arg::Var(Var(0))]).expect("fits");
        assert!(
            stack
                .push(
                    call("equals", "(Ljava/lang/Object;)Z"),
                    vec![Arg::Var(Var(0)), Arg::Var(done)]
                )
                .is_err()
        );
    }

    /// `a = new; b = new; a.push(1); n = b.size(); a.push(n)`.
    fn two_stacks() -> Sequence {
        let mut sequence = Sequence::empty();
        let a = sequence.push(call("<init>", "()V"), vec![]).expect("fits");
        let b = sequence.push(call("<init>", "()V"), vec![]).expect("fits");
        let one = Arg::Constant(Constant::Int(1));
        sequence.push(call("push", "(I)V"), vec![Arg::Var(a), one]).expect("fits");
        let size = sequence.push(call("size", "()I"), vec![Arg::Var(b)]).expect("fits");
        sequence.push(call("push", "(I)V"), vec![Arg::Var(a), Arg::Var(size)]).expect("fits");
        sequence
    }

    #[test]
    fn what_depends_on_a_removed_statement_goes_with_it() {
        let (left, became) = two_stacks().without(&[false, true]);
        assert_eq!(left.len(), 2, "only the stack and its first push do without the other stack");
        assert_eq!(became, [Some(Var(0)), None, Some(Var(1)), None, None]);
        let (left, became) = two_stacks().without(&[false, false, true]);
        assert_eq!(became, [Some(Var(0)), Some(Var(1)), None, Some(Var(2)), Some(Var(3))]);
        assert_eq!(left.statements()[3].args, [Arg::Var(Var(0)), Arg::Var(Var(2))]);
    }

    #[test]
    fn other_arguments_must_fit_too() {
        let zero = Arg::Constant(Constant::Int(0));
        let changed = two_stacks().with_args(Var(4), vec![Arg::Var(Var(1)), zero.clone()]);
        assert_eq!(changed.expect("fits").statements()[4].args, [Arg::Var(Var(1)), zero]);
        let later = two_stacks().with_args(Var(2), vec![Arg::Var(Var(0)), Arg::Var(Var(3))]);
        assert!(later.is_err(), "a result of a later statement");
        assert!(two_stacks().with_args(Var(9), vec![]).is_err(), "no such statement");
    }

    #[test]
    fn a_variable_can_be_taken_for_another_everywhere() {
        let changed = two_stacks().substituted(Var(0), &Arg::Var(Var(1)));
        assert!(changed.as_ref().is_ok_and(|changed| {
            changed.statements()[2].args[0] == Arg::Var(Var(1))
                && changed.statements()[4].args[0] == Arg::Var(Var(1))
        }));
        let text = Arg::Constant(Constant::text(""));
        assert!(two_stacks().substituted(Var(3), &text).is_err(), "no int");
        assert!(two_stacks().substituted(Var(0), &Arg::Var(Var(3))).is_err(), "not yet there");
    }

    #[test]
    fn appending_moves_the_variables() {
        let stack = Sequence::empty().then(call("<init>", "()V"), vec![]).expect("fits");
        let mut two = stack.clone();
        let other = two.append(&stack, Var(0));
        assert_eq!((two.len(), other), (2, Var(1)));
    }
}
