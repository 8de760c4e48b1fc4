//! Reports of failed checks, with the input around the position.

use std::fmt::Write;
use std::ops::Range;

use super::pattern::{Mismatch, Values};
use super::program::Check;
use super::{CheckFailure, FailureKind};

/// An error in a check.
pub(crate) enum Problem {
    Missing { mismatch: Mismatch, count: Option<(u32, u32)> },
    Excluded,
    SameLine,
    NotNextLine,
    NotSameLine,
}

/// The problems found so far, as text.
pub(crate) struct Report<'a> {
    check_file: &'a str,
    input_file: &'a str,
    input: &'a [u8],
    text: String,
}

/// The number of input lines shown before and after the position.
const CONTEXT: usize = 5;
/// The maximum number of lines to compare for a suggestion.
const MAX_COMPARED: usize = 2000;
/// The maximum length of a shown line.
const MAX_WIDTH: usize = 240;

impl<'a> Report<'a> {
    pub(crate) fn new((check_file, input_file): (&'a str, &'a str), input: &'a [u8]) -> Self {
        Report { check_file, input_file, input, text: String::new() }
    }

    pub(crate) fn failure(self) -> CheckFailure {
        CheckFailure { kind: FailureKind::Mismatch, message: self.text }
    }

    /// Adds a problem of `check`, which was searched for in `region`; `at` is the position to show.
    pub(crate) fn add(
        &mut self,
        check: &Check,
        problem: Problem,
        region: Range<usize>,
        at: usize,
        values: &Values,
    ) {
        let what = match &problem {
            Problem::Missing { mismatch: Mismatch::Problem(text), .. } => text.clone(),
            Problem::Missing { count: Some((time, times)), .. } => {
                format!("expected string not found in input ({} of {times} found)", time - 1)
            }
            Problem::Missing { .. } => "expected string not found in input".to_owned(),
            Problem::Excluded => "excluded string found in input".to_owned(),
            Problem::SameLine => "is on the same line as previous match".to_owned(),
            Problem::NotNextLine => "is not on the line after the previous match".to_owned(),
            Problem::NotSameLine => "is not on the same line as the previous match".to_owned(),
        };
        let place = match check.line {
            0 => "command line".to_owned(),
            line => format!("{}:{line}:{}", self.check_file, check.column),
        };
        // Writing to a string cannot fail.
        let _ = writeln!(self.text, "{place}: error: {}: {what}", check.name);
        let _ = writeln!(self.text, "    {}: {}", check.name, check.text);
        for (name, value) in check.pattern.substitutions(values) {
            let _ = writeln!(self.text, "    with {name} = {value}");
        }
        let line = self.line_of(at);
        let verb =
            if matches!(problem, Problem::Missing { .. }) { "searched from here" } else { "found here" };
        let _ = writeln!(self.text, "{}:{line}: note: {verb}", self.input_file);
        self.excerpt(line);
        if matches!(problem, Problem::Missing { .. })
            && let Some(line) = self.similar(&check.text, at..region.end)
        {
            let _ = writeln!(self.text, "{}:{line}: note: possibly intended match here", self.input_file);
            let _ = writeln!(self.text, "{line:>6} | {}", self.line(line));
        }
    }

    fn line_of(&self, at: usize) -> usize {
        self.input[..at].iter().filter(|&&c| c == b'\n').count() + 1
    }

    fn line(&self, number: usize) -> String {
        let line = self.input.split(|&c| c == b'\n').nth(number - 1).unwrap_or_default();
        let cut = String::from_utf8_lossy(&line[..line.len().min(MAX_WIDTH)]).into_owned();
        if line.len() > MAX_WIDTH { cut + "..." } else { cut }
    }

    fn excerpt(&mut self, number: usize) {
        let first = number.saturating_sub(CONTEXT).max(1);
        let last = self.line_of(self.input.len()).min(number + CONTEXT);
        for n in first..=last {
            let mark = if n == number { '>' } else { ' ' };
            let line = self.line(n);
            let _ = writeln!(self.text, "{mark}{n:>5} | {line}");
        }
    }

    /// Returns the line that is most similar to the pattern.
    fn similar(&self, pattern: &str, region: Range<usize>) -> Option<usize> {
        let first = self.line_of(region.start);
        let lines = self.input[region].split(|&c| c == b'\n').take(MAX_COMPARED);
        let wanted: String = plain_text(pattern).chars().take(MAX_WIDTH).collect();
        let scored = lines.enumerate().map(|(index, line)| {
            let line = String::from_utf8_lossy(&line[..line.len().min(MAX_WIDTH)]);
            (strsim::sorensen_dice(&wanted, &line), first + index)
        });
        // The first of equally similar lines is used, since checks run from the top.
        let best = scored.fold((0.0, 0), |best, next| if next.0 > best.0 { next } else { best });
        (best.0 > 0.55).then_some(best.1)
    }
}

/// Returns a pattern without its regular expressions and variables.
fn plain_text(pattern: &str) -> String {
    let mut out = String::new();
    let mut rest = pattern;
    while let Some(at) = rest.find("{{").into_iter().chain(rest.find("[[")).min() {
        out.push_str(&rest[..at]);
        let end = if rest[at..].starts_with("{{") { "}}" } else { "]]" };
        rest = rest[at + 2..].split_once(end).map_or("", |(_, after)| after);
    }
    out + rest
}
