//! The matching engine: applies the checks of a program to an input.
//!
//! Labels first split the input into blocks; a failure in one block does not affect the others. The checks of a block
//! run in order, each in the text after the previous match.

use super::directive::Kind;
use super::pattern::{Mismatch, Values};
use super::program::{Check, Program};
use super::report::{Problem, Report};
use super::{CheckFailure, FileCheckOptions};

/// Checks `input`, which must already be canonical.
pub(crate) fn run(
    program: &Program,
    options: &FileCheckOptions,
    files: (&str, &str),
    input: &[u8],
) -> Result<(), CheckFailure> {
    let values = program.values.clone();
    let mut engine = Engine { input, values, report: Report::new(files, input) };
    let checks = &program.checks;
    let (mut next, mut block_start) = (0, 0);
    let mut has_failed = false;
    loop {
        let label = (next..checks.len()).find(|&i| checks[i].kind == Kind::Label);
        // The label after the block, with its match, belongs to the block.
        let (count, end) = match label {
            None => (checks.len(), input.len()),
            Some(index) => match engine.search(&checks[index], block_start, input.len()) {
                Some(found) => (index + 1, found.end),
                // Without the label, the position of the following text is unknown.
                None => {
                    has_failed = true;
                    break;
                }
            },
        };
        if next > 0 && options.enable_var_scope {
            engine.values.forget_local();
        }
        let mut at = block_start;
        for check in &checks[next..count] {
            let Some(end) = engine.check(check, at, end) else {
                has_failed = true;
                break;
            };
            at = end;
        }
        (next, block_start) = (count, end);
        if label.is_none() {
            break;
        }
    }
    if has_failed { Err(engine.report.failure()) } else { Ok(()) }
}

/// A range of the input.
type MatchRange = std::ops::Range<usize>;

struct Engine<'a> {
    input: &'a [u8],
    values: Values,
    report: Report<'a>,
}

impl Engine<'_> {
    /// Searches for the pattern of one check, and reports if it is not found.
    fn search(&mut self, check: &Check, start: usize, end: usize) -> Option<MatchRange> {
        let times = match check.kind {
            Kind::End => return Some(end..end),
            Kind::Plain(times) => times,
            _ => 1,
        };
        let mut whole: Option<MatchRange> = None;
        for time in 1..=times {
            let from = whole.as_ref().map_or(start, |found| found.end);
            match self.find(check, from, end) {
                Ok(found) => {
                    let start = whole.map_or(found.start, |first| first.start);
                    whole = Some(start..found.end);
                }
                Err(mismatch) => {
                    let count = (times > 1).then_some((time, times));
                    self.report.add(
                        check,
                        Problem::Missing { mismatch, count },
                        start..end,
                        from,
                        &self.values,
                    );
                    return None;
                }
            }
        }
        whole
    }

    fn find(&mut self, check: &Check, start: usize, end: usize) -> Result<MatchRange, Mismatch> {
        let found = check.pattern.find(&self.input[start..end], &mut self.values)?;
        // The pattern for an empty line begins with the preceding line end.
        let skip = usize::from(check.kind == Kind::Empty);
        Ok(start + found.start + skip..start + found.end)
    }

    /// Runs a check with the pending checks before it. Returns the end of its match.
    fn check(&mut self, check: &Check, start: usize, end: usize) -> Option<usize> {
        let mut absent = Vec::new();
        let from = self.unordered(&check.before, start, end, &mut absent)?;
        let found = self.search(check, from, end)?;
        let lines = self.input[from..found.start].iter().filter(|&&c| c == b'\n').count();
        let problem = match check.kind {
            Kind::Next | Kind::Empty if lines == 0 => Some(Problem::SameLine),
            Kind::Next | Kind::Empty if lines > 1 => Some(Problem::NotNextLine),
            Kind::Same if lines > 0 => Some(Problem::NotSameLine),
            _ => None,
        };
        if let Some(problem) = problem {
            self.report.add(check, problem, from..end, found.start, &self.values);
            return None;
        }
        self.absent(&absent, from, found.start)?;
        Some(found.end)
    }

    /// Checks that patterns do not occur. All of them are checked, to report all occurrences.
    fn absent(&mut self, checks: &[&Check], start: usize, end: usize) -> Option<()> {
        let mut is_fine = true;
        for check in checks {
            let problem = match self.find(check, start, end) {
                Err(Mismatch::NotFound) => continue,
                Err(mismatch) => (Problem::Missing { mismatch, count: None }, start),
                Ok(found) => (Problem::Excluded, found.start),
            };
            is_fine = false;
            self.report.add(check, problem.0, start..end, problem.1, &self.values);
        }
        is_fine.then_some(())
    }

    /// Runs groups of `-DAG` checks, with the `-NOT` checks between them. Returns the end of the last group. `absent`
    /// receives the checks after the last group, which apply up to the next match.
    fn unordered<'c>(
        &mut self,
        checks: &'c [Check],
        start: usize,
        end: usize,
        absent: &mut Vec<&'c Check>,
    ) -> Option<usize> {
        let mut from = start;
        for run in checks.chunk_by(|a, b| a.kind == b.kind) {
            if run.first().is_some_and(|check| check.kind == Kind::Not) {
                absent.extend(run);
                continue;
            }
            let taken = self.group(run, from, end)?;
            let (first, last) = (taken.first()?.start, taken.last()?.end);
            if !absent.is_empty() {
                self.absent(absent, from, first)?;
                absent.clear();
            }
            from = last;
        }
        Some(from)
    }

    /// Matches all checks of a group without overlap. Returns the sorted matches.
    fn group(&mut self, checks: &[Check], start: usize, end: usize) -> Option<Vec<MatchRange>> {
        let mut taken: Vec<MatchRange> = Vec::new();
        for check in checks {
            let mut from = start;
            // Matches are sorted by end, so that passed ones need not be visited again.
            let mut passed = 0;
            loop {
                let found = match self.find(check, from, end) {
                    Ok(found) => found,
                    Err(mismatch) => {
                        let problem = Problem::Missing { mismatch, count: None };
                        self.report.add(check, problem, start..end, from, &self.values);
                        return None;
                    }
                };
                passed += taken[passed..].iter().take_while(|t| found.start >= t.end).count();
                match taken.get(passed) {
                    Some(other) if other.start < found.end => from = other.end,
                    _ => {
                        taken.insert(passed, found);
                        break;
                    }
                }
            }
        }
        Some(taken)
    }
}
