//! Work on several things at a time, with the results in the order of the things.

use std::panic;
use std::sync::{Mutex, PoisonError};
use std::thread;

/// What `work` makes of each item. So many threads take items one after the other.
pub(crate) fn side_by_side<T: Send, R: Send>(
    items: Vec<T>,
    n_threads: usize,
    work: &(dyn Fn(T) -> R + Sync),
) -> Vec<R> {
    let n_threads = n_threads.min(items.len());
    if n_threads < 2 {
        return items.into_iter().map(work).collect();
    }
    let results: Mutex<Vec<Option<R>>> = Mutex::new(items.iter().map(|_| None).collect());
    let waiting = Mutex::new(items.into_iter().enumerate());
    let run = || {
        loop {
            let next = waiting.lock().unwrap_or_else(PoisonError::into_inner).next();
            let Some((idx, item)) = next else { break };
            let result = work(item);
            results.lock().unwrap_or_else(PoisonError::into_inner)[idx] = Some(result);
        }
    };
    thread::scope(|scope| {
        let running: Vec<_> = (0..n_threads).map(|_| scope.spawn(run)).collect();
        for thread in running {
            if let Err(panic) = thread.join() {
                panic::resume_unwind(panic);
            }
        }
    });
    let results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
    results.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::side_by_side;

    #[test]
    fn results_stand_in_the_order_of_the_items_for_any_number_of_threads() {
        for n_threads in [0, 1, 2, 7] {
            let squares = side_by_side((0..50).collect(), n_threads, &|n: u64| n * n);
            assert_eq!(squares, (0..50).map(|n| n * n).collect::<Vec<u64>>());
        }
    }
}
