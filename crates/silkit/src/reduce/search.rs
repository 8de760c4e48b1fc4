//! The search for a reduction: removes many items at once, then fewer.

use super::candidate::{CandidateChecker, CandidateCounts};
use super::module::Item;
use super::{CannotReduce, Progress, Reducer, Shrink};
use silkit_ir::Module;
use std::ops::Range;

impl Reducer {
    /// Removes as many items of one kind as possible: first all of them, then halves, quarters, …, single items.
    ///
    /// Returns the smaller module and its text; `None` if no item can be removed. If k of n items are needed, it
    /// takes O(k log n) checks.
    pub(super) fn shrink<E: Send, F: Fn(&str) -> Result<bool, E> + Sync>(
        &self,
        module: &Module,
        shrink: &Shrink,
        checker: &CandidateChecker<'_, F>,
        progress: &impl Fn(Progress),
    ) -> Result<Option<(Module, String)>, CannotReduce<E>> {
        let mut best: Option<(Module, String)> = None;
        let mut items = (shrink.list)(module);
        let mut size = items.len();
        while size > 0 && !self.is_late() {
            let mut at = 0;
            while at < items.len() && !self.is_late() {
                let CandidateCounts { checks, invalid } = checker.counts();
                progress(Progress { items: shrink.items, left: items.len(), checks, invalid });
                let current = best.as_ref().map_or(module, |(module, _)| module);
                let chunks: Vec<Range<usize>> = (0..self.threads.max(1))
                    .map(|k| at + k * size..(at + (k + 1) * size).min(items.len()))
                    .filter(|chunk| !chunk.is_empty())
                    .collect();
                let answers =
                    each(&chunks, |chunk| try_without(current, shrink, &items[chunk.clone()], checker));
                at += chunks.iter().map(Range::len).sum::<usize>();
                for (chunk, answer) in chunks.into_iter().zip(answers) {
                    // Results found beside a success refer to an outdated module and are checked again.
                    if let Some(smaller) = answer.map_err(CannotReduce::Unanswered)? {
                        best = Some(smaller);
                        at = chunk.start;
                        items.drain(chunk);
                        break;
                    }
                }
            }
            size = if size == 1 { 0 } else { size.div_ceil(2).min(items.len()) };
        }
        Ok(best)
    }
}

/// Returns the module without some items and its text, if it still fails.
fn try_without<E, F: Fn(&str) -> Result<bool, E>>(
    module: &Module,
    shrink: &Shrink,
    items: &[Item],
    checker: &CandidateChecker<'_, F>,
) -> Result<Option<(Module, String)>, E> {
    let mut candidate = module.clone();
    if !(shrink.drop)(&mut candidate, items) {
        return Ok(None);
    }
    Ok(checker.accept(&candidate)?.map(|text| (candidate, text)))
}

/// Calls a function for each item, in parallel.
fn each<T: Sync, R: Send>(items: &[T], check: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let [first, rest @ ..] = items else { return Vec::new() };
    std::thread::scope(|scope| {
        let check = &check;
        let threads: Vec<_> = rest.iter().map(|item| scope.spawn(move || check(item))).collect();
        let mut answers = vec![check(first)];
        for thread in threads {
            match thread.join() {
                Ok(answer) => answers.push(answer),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        answers
    })
}
