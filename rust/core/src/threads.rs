//! Work shared out to threads that end with the call.
//!
//! There is no pool: one would not survive a fork, and nothing here is called often enough to want
//! one. Results come back in the order of the tasks, so an answer does not depend on how many
//! threads there are. Proof: the tests below and `tests/unit/test_corpus_large.py`.

use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// How many threads a call may use: one per core when `worth_it`, else the caller's alone.
pub(crate) fn count(worth_it: bool) -> usize {
    if worth_it {
        thread::available_parallelism().map_or(1, NonZero::get)
    } else {
        1
    }
}

/// What `work` answers for each of `0..tasks`, in order, `None` left out.
///
/// The caller's thread takes part. Where the system refuses a thread the others do its work.
pub(crate) fn map<T: Send>(
    threads: usize,
    tasks: usize,
    work: impl Fn(usize) -> Option<T> + Sync,
) -> Vec<T> {
    map_with(threads, tasks, || (), |(), task| work(task))
}

/// The same, with a `space` that each thread keeps between its tasks.
pub(crate) fn map_with<T: Send, S>(
    threads: usize,
    tasks: usize,
    space: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, usize) -> Option<T> + Sync,
) -> Vec<T> {
    let next = AtomicUsize::new(0);
    let take = || {
        let mut space = space();
        let mut done = Vec::new();
        loop {
            let task = next.fetch_add(1, Ordering::Relaxed);
            if task >= tasks {
                return done;
            }
            if let Some(result) = work(&mut space, task) {
                done.push((task, result));
            }
        }
    };
    let mut done = thread::scope(|scope| {
        let others: Vec<_> = (1..threads.min(tasks))
            .map_while(|_| thread::Builder::new().spawn_scoped(scope, take).ok())
            .collect();
        let mut done = take();
        for other in others {
            match other.join() {
                Ok(more) => done.extend(more),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        done
    });
    done.sort_unstable_by_key(|&(task, _)| task);
    done.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::map;

    #[test]
    fn results_come_in_the_order_of_the_tasks() {
        let odd = |task: usize| (task % 2 == 1).then_some(task);
        let expected: Vec<usize> = (0..999).filter_map(odd).collect();
        for threads in [0, 1, 2, 7] {
            assert_eq!(map(threads, 999, odd), expected);
            assert_eq!(map(threads, 0, odd), []);
        }
    }

    #[test]
    #[should_panic(expected = "task 40")]
    fn a_panic_reaches_the_caller() {
        map(3, 50, |task| {
            assert!(task != 40, "task {task}");
            Some(task)
        });
    }
}
