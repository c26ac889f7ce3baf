//! Makes arrays shorter: halves of the elements, quarters, ... single ones, from the back.

use suite::sequence::{Operation, Var};

use super::Search;

pub(super) fn pass(search: &mut Search<'_>) {
    for at in (0..search.best.next_var().0).map(Var) {
        let statement = &search.best.statements()[at.idx()];
        if !matches!(statement.operation, Operation::Array(_)) {
            continue;
        }
        let mut size = statement.args.len();
        while size > 0 {
            let mut end = search.best.statements()[at.idx()].args.len();
            while end > 0 {
                let start = end.saturating_sub(size);
                let mut args = search.best.statements()[at.idx()].args.clone();
                args.drain(start..end);
                if let Ok(shorter) = search.best.with_args(at, args) {
                    search.offer(shorter);
                }
                end = start;
            }
            size /= 2;
        }
    }
}
