//! Parallel work on files, with results in the order of the command line.

use std::collections::BTreeMap;
use std::sync::mpsc;

use rayon::iter::{ParallelBridge as _, ParallelIterator as _};

use crate::STACK_BYTES;
use crate::internal::{InternalError, catch};

/// Runs `work` on every item and passes each result to `done` in the order of the items. A panic in `work` is the result of
/// that item. Uses the current thread for a single item or job.
pub(crate) fn for_each<I: Sync, T: Send>(
    items: &[I],
    jobs: usize,
    work: impl Fn(&I) -> T + Sync,
    mut done: impl FnMut(&I, Result<T, InternalError>),
) {
    let pool = if items.len() > 1 && jobs != 1 {
        rayon::ThreadPoolBuilder::new().num_threads(jobs).stack_size(STACK_BYTES).build().ok()
    } else {
        None
    };
    let Some(pool) = pool else {
        for item in items {
            done(item, catch(|| work(item)));
        }
        return;
    };
    let (send, answers) = mpsc::channel();
    std::thread::scope(|scope| {
        let work = &work;
        scope.spawn(move || {
            pool.install(|| {
                // `par_bridge` takes items in order, so few results have to wait.
                items.iter().enumerate().par_bridge().for_each_with(send, |send, (index, item)| {
                    // The receiver is gone only if `done` panicked.
                    let _ = send.send((index, catch(|| work(item))));
                });
            });
        });
        let mut waiting = BTreeMap::new();
        let mut next = 0;
        for (index, answer) in answers {
            waiting.insert(index, answer);
            while let Some(answer) = waiting.remove(&next) {
                done(&items[next], answer);
                next += 1;
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use super::for_each;

    #[test]
    fn answers_come_in_order_and_a_panic_is_one_of_them() {
        std::panic::set_hook(Box::new(|_| {}));
        let items: Vec<usize> = (0..200).collect();
        let mut seen = Vec::new();
        for_each(
            &items,
            4,
            |i| {
                assert!(*i != 77, "no");
                i * 2
            },
            |i, answer| seen.push((*i, answer.ok())),
        );
        let expected: Vec<_> = items.iter().map(|i| (*i, (*i != 77).then_some(i * 2))).collect();
        assert_eq!(seen, expected);
    }
}
