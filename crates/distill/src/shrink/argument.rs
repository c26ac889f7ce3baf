//! Puts a constant or an earlier variable in the place of a single argument that is a variable.

use suite::constant::Constant;
use suite::sequence::{Arg, Operation, Sequence, Statement, Var};
use suite::types::Type;

use super::constant::plain;
use super::{Nulls, Search};

/// How many earlier variables are tried for one argument.
const MOST_VARIABLES: usize = 4;

pub(super) fn pass(search: &mut Search<'_>) {
    let mut at = search.best.next_var();
    while 0 < at.0 {
        at = Var(at.0 - 1);
        let n_args = search.best.statements()[at.idx()].args.len();
        for arg in 0..n_args {
            let len = search.best.len();
            simplify(search, at, arg);
            // A producer in front has gone, so that this statement stands one further in front.
            if search.best.len() < len {
                at = Var(at.0.saturating_sub(1));
            }
        }
    }
}

fn simplify(search: &mut Search<'_>, at: Var, arg: usize) {
    let statement = &search.best.statements()[at.idx()];
    let Arg::Var(old) = statement.args[arg] else { return };
    for other in others(&search.best, statement, arg, old, search.nulls) {
        let mut args = search.best.statements()[at.idx()].args.clone();
        args[arg] = other;
        let Ok(changed) = search.best.with_args(at, args) else { continue };
        if search.offer_with_or_without(changed, old) {
            return;
        }
    }
}

/// What may stand for a variable as an argument, the simplest first.
fn others(
    sequence: &Sequence,
    statement: &Statement,
    arg: usize,
    old: Var,
    nulls: Nulls,
) -> Vec<Arg> {
    let statements = sequence.statements();
    let own = statements[old.idx()].result();
    let wanted = wanted(statement, arg).unwrap_or_else(|| own.clone());
    let is_receiver = arg == 0 && statement.method().is_some_and(|method| method.has_receiver());
    let mut others = Vec::new();
    if !is_receiver {
        others.extend(plain(&wanted));
        if own != wanted {
            others.extend(plain(&own));
        }
        if nulls == Nulls::Allowed && wanted.is_reference() {
            others.push(Constant::Null);
        }
    }
    let mut others: Vec<Arg> = others.into_iter().map(Arg::Constant).collect();
    let earlier = (0..old.0).map(Var).filter(|var| {
        let result = statements[var.idx()].result();
        result != Type::Void && (result == own || result == wanted)
    });
    others.extend(earlier.take(MOST_VARIABLES).map(Arg::Var));
    others
}

/// The type that a statement wants of an argument.
fn wanted(statement: &Statement, arg: usize) -> Option<Type> {
    match &statement.operation {
        Operation::Call(method) => method.arguments().get(arg).cloned(),
        Operation::Array(element) => Some(element.clone()),
        Operation::StandIn(_) => None,
    }
}
