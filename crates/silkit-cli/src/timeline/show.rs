//! Steps, passes and differences as text.

use super::View;
use crate::color;
use crate::output::counted;
use silkit::diag::grouped;
use silkit::diag::render::printable;
use silkit::diff::compare;
use silkit_timeline::{Change, Counts, Occurrence, Step, StepId, Summary, Version};
use std::fmt::Write;

/// Returns the simplified demangled name of a function, for a terminal.
pub(super) fn readable(symbol: &str) -> String {
    printable(&silkit::comment_name(symbol).unwrap_or_else(|| symbol.to_owned())).into_owned()
}

/// Returns the number of a step as the compiler's options take it: `#1802`, `#1802.3`; nothing if it has none.
pub(super) fn number(step: &Step) -> String {
    let unit = if step.unit > 0 { format!("{}:", step.unit + 1) } else { String::new() };
    match (step.number, step.transformation) {
        (Some(number), Some(transformation)) => format!("{unit}#{number}.{transformation}"),
        (Some(number), None) => format!("{unit}#{number}"),
        (None, _) => unit,
    }
}

/// Returns a difference with its sign; nothing for 0.
fn signed(number: i64) -> String {
    match number {
        0 => String::new(),
        number if number > 0 => format!("+{}", grouped(number as usize)),
        number => format!("-{}", grouped(number.unsigned_abs() as usize)),
    }
}

impl View<'_> {
    pub(super) fn summary_as_text(&self) -> String {
        let summary = Summary::of(self.timeline, |_, _| true);
        let count = |n: u64| grouped(n as usize);
        let mut out = format!(
            "{} of {}, {}; {} change code",
            counted(summary.steps as usize, "step"),
            counted(summary.functions, "function"),
            counted(summary.texts, "distinct text"),
            count(summary.changed),
        );
        // Writing to a string cannot fail.
        if summary.unknown > 0 {
            let _ = write!(out, ", {} print a function for the first time", count(summary.unknown));
        }
        let units = self.timeline.units();
        if units > 1 {
            let _ = write!(out, "; {units} compiler processes");
        }
        out.push('\n');
        let widths = summary.passes.iter().map(|row| self.timeline.pass(row.pass).tag.chars().count());
        let width = widths.max().unwrap_or(4).max(4);
        let has_time = summary.passes.iter().any(|row| self.timeline.pass(row.pass).milliseconds > 0.0);
        let time = if has_time { "        ms" } else { "" };
        let _ = writeln!(
            out,
            "\n{:width$} {:>7} {:>7} {:>15} {:>13} {:>11}{time}",
            "pass", "runs", "changed", "instructions", "ARC", "allocations"
        );
        let mut hidden = 0;
        for (at, row) in summary.passes.iter().enumerate() {
            let is_over = self.args.limit > 0 && at >= self.args.limit;
            if is_over || row.changed == 0 && !self.args.all {
                hidden += 1;
                continue;
            }
            let pair = |of: fn(&Counts) -> i64| match (of(&row.gained), of(&row.lost)) {
                (0, 0) => String::new(),
                (gained, lost) => format!("{} {}", signed(gained), signed(-lost)).trim().to_owned(),
            };
            let pass = self.timeline.pass(row.pass);
            let time = if has_time { format!(" {:>9.1}", pass.milliseconds) } else { String::new() };
            let line = format!(
                "{:width$} {:>7} {:>7} {:>15} {:>13} {:>11}{time}",
                printable(&pass.tag),
                count(row.runs),
                count(row.changed),
                pair(|c| c.insts),
                pair(Counts::arc),
                pair(|c| c.allocations),
            );
            let _ = writeln!(out, "{}", line.trim_end());
        }
        if hidden > 0 {
            let es = if hidden == 1 { "" } else { "es" };
            let hidden = grouped(hidden);
            let _ = writeln!(out, "and {hidden} pass{es} not listed (--all lists passes without change)");
        }
        self.add_other_lines(&mut out);
        out
    }

    /// Adds the diagnostics that stand in the log.
    fn add_other_lines(&self, out: &mut String) {
        let is_diagnostic = |text: &&str| {
            [": error: ", ": warning: ", "Assertion failed", "Stack dump:"]
                .iter()
                .any(|word| text.contains(word))
        };
        let lines = self.timeline.other_lines().iter().filter(|line| is_diagnostic(&line.text.as_str()));
        let lines: Vec<_> = lines.collect();
        if lines.is_empty() {
            return;
        }
        const SHOWN: usize = 10;
        // Writing to a string cannot fail.
        let _ = writeln!(out, "\n{} in the log:", counted(lines.len(), "diagnostic"));
        for line in lines.iter().take(SHOWN) {
            let _ = writeln!(out, "  line {}: {}", grouped(line.line as usize), printable(&line.text));
        }
    }

    pub(super) fn steps_as_text(&self, steps: &[(StepId, &Version)]) -> String {
        let mut out = String::new();
        let names_function = self.functions.as_ref().is_none_or(|functions| functions.len() > 1);
        if let Some([only]) = self.functions.as_deref() {
            let name = self.timeline.function(*only);
            // Writing to a string cannot fail.
            let _ = writeln!(out, "{} (@{})", readable(name), printable(name));
        }
        let tags = steps.iter().map(|(id, _)| self.timeline.tag(self.timeline.step(*id)).chars().count());
        let width = tags.max().unwrap_or(4).max(4);
        let number_width =
            steps.iter().map(|(id, _)| number(self.timeline.step(*id)).len()).max().unwrap_or(3).max(3);
        if steps.is_empty() {
            out += "no step changes anything\n";
            return out;
        }
        let _ = writeln!(
            out,
            "{:>number_width$} {:width$} {:>6} {:>7} {:>6} {:>6} {:>6}",
            "run", "pass", "insts", "", "ARC", "", "blocks"
        );
        let mut stage = None;
        for &(id, version) in steps {
            let step = self.timeline.step(id);
            if step.stage != stage {
                stage = step.stage;
                if let Some(stage) = stage {
                    let _ = writeln!(out, "{}", printable(self.timeline.stage(stage)));
                }
            }
            let counts = version.after.map(|body| self.timeline.counts(body)).unwrap_or_default();
            let gain = self.timeline.gain(version);
            let what = match (version.after, self.timeline.change(version), step.kind.is_result()) {
                (None, ..) => "  removed",
                (_, Change::Unknown, _) => "  first printed",
                (_, Change::None, _) => "  no change",
                (_, _, false) => "  changed before this",
                (_, Change::Changed, true) => "",
            };
            let on = match version.function {
                Some(function) if names_function => {
                    format!("  {}", readable(self.timeline.function(function)))
                }
                None => "  outside of functions".to_owned(),
                _ => String::new(),
            };
            let line = format!(
                "{:>number_width$} {:width$} {:>6} {:>7} {:>6} {:>6} {:>6}{what}{on}",
                number(step),
                if step.pass.is_some() { printable(self.timeline.tag(step)) } else { "–".into() },
                counts.insts,
                signed(gain.insts),
                counts.arc(),
                signed(gain.arc()),
                counts.blocks,
            );
            let _ = writeln!(out, "{}", line.trim_end());
        }
        out
    }

    pub(super) fn occurrences_as_text(&self, text: &str, found: &[Occurrence]) -> String {
        if found.is_empty() {
            return format!("no step has code with `{}`\n", printable(text));
        }
        let mut out = String::new();
        for one in found {
            let step = self.timeline.step(one.step);
            let (before, after) = (one.before, one.after);
            let what = match (one.version.is_first, before, after) {
                (true, ..) => format!("first printed with {}", counted(after, "line")),
                (_, 0, after) => format!("appears in {}", counted(after, "line")),
                (_, before, 0) => format!("disappears from {}", counted(before, "line")),
                (_, before, after) => format!("from {before} to {}", counted(after, "line")),
            };
            // Writing to a string cannot fail.
            let _ =
                writeln!(out, "{}: {what} (line {})", self.title(one.step, Some(&one.version)), step.line);
        }
        out
    }

    pub(super) fn differences_as_text(&self, steps: &[(StepId, &Version)]) -> String {
        let mut out = String::new();
        for &(id, version) in steps {
            let text = |body: Option<_>| body.map(|body| self.timeline.text(body)).unwrap_or_default();
            let step = self.timeline.step(id);
            let title = self.title(id, Some(version));
            let gain = self.timeline.gain(version);
            // Writing to a string cannot fail.
            let _ = write!(out, "{title}, line {}", step.line);
            if version.is_first {
                let _ = writeln!(
                    out,
                    ": printed for the first time, so that its change is not known (--print {} prints it)",
                    step.number.unwrap_or_default()
                );
                continue;
            }
            let comparison = compare(&text(version.before), &text(version.after));
            if comparison.is_same() {
                out += ": no change\n";
                continue;
            }
            for (gained, noun) in [(gain.insts, "instructions"), (gain.arc(), "ARC"), (gain.blocks, "blocks")]
            {
                if gained != 0 {
                    let _ = write!(out, ", {} {noun}", signed(gained));
                }
            }
            out.push('\n');
            let unified = comparison.unified_with("before", "after", &silkit::comment_name);
            out += &color::difference(&printable(&unified), &std::io::stdout());
        }
        out
    }

    /// Returns the texts after steps.
    pub(super) fn texts(&self, steps: &[(StepId, &Version)]) -> String {
        let texts = steps.iter().filter_map(|(_, version)| Some(self.timeline.text(version.after?)));
        printable(&texts.collect::<Vec<_>>().join("\n")).into_owned()
    }
}
