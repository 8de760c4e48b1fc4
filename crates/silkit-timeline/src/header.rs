//! The headers in a log: the lines before the SIL that a compiler prints around a pass.

use std::ops::Range;

/// What a header announces.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum StepKind {
    /// The whole module before a pipeline begins; it has no number.
    Pipeline,
    /// The whole module before a pass.
    ModuleBefore,
    /// The whole module after a pass.
    ModuleAfter,
    /// A function before a pass.
    FunctionBefore,
    /// A function after a pass.
    FunctionAfter,
    /// A function before one transformation of a pass (`-sil-print-every-subpass`).
    Transformation,
    /// A function that a pass created, without its body.
    NewFunction,
}

impl StepKind {
    /// Returns the name of the kind in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pipeline => "pipeline",
            Self::ModuleBefore => "module-before",
            Self::ModuleAfter => "module-after",
            Self::FunctionBefore => "function-before",
            Self::FunctionAfter => "function-after",
            Self::Transformation => "transformation",
            Self::NewFunction => "new-function",
        }
    }

    /// Returns true if a whole module follows the header.
    pub fn is_module(self) -> bool {
        matches!(self, Self::Pipeline | Self::ModuleBefore | Self::ModuleAfter)
    }

    /// Returns true if the SIL is the result of the pass.
    pub fn is_result(self) -> bool {
        matches!(self, Self::ModuleAfter | Self::FunctionAfter)
    }
}

/// A parsed header.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Header<'t> {
    pub(crate) kind: StepKind,
    /// The number of the run of the pass.
    pub(crate) number: Option<u32>,
    /// The number of the transformation.
    pub(crate) transformation: Option<u32>,
    /// The name of the pipeline.
    pub(crate) stage: &'t str,
    /// The name of the pass: `Mem2Reg`.
    pub(crate) pass: &'t str,
    /// The tag of the pass: `mem2reg`.
    pub(crate) tag: &'t str,
    /// The function, where the header names it.
    pub(crate) function: Option<&'t str>,
}

impl<'t> Header<'t> {
    /// Parses a line; returns `None` if it is not a header.
    pub(crate) fn parse(line: &'t str) -> Option<Self> {
        let rest = line.trim_start().strip_prefix("*** ")?;
        let rest = rest.strip_suffix("***").unwrap_or(rest).trim_end();
        if let Some(rest) = rest.strip_prefix("sub-pass ") {
            let (number, rest) = number_of(rest)?;
            let header = Self::new(StepKind::Transformation);
            return rest.starts_with(" for ").then_some(Self { transformation: Some(number), ..header });
        }
        if let Some(rest) = rest.strip_prefix("New SIL function in ") {
            return Self::new(StepKind::NewFunction).of_run(rest.trim_start());
        }
        let rest = rest.strip_prefix("SIL ")?;
        for (what, before, after) in [
            ("function ", StepKind::FunctionBefore, StepKind::FunctionAfter),
            ("module ", StepKind::ModuleBefore, StepKind::ModuleAfter),
        ] {
            let Some(rest) = rest.strip_prefix(what) else { continue };
            if let Some(rest) = rest.strip_prefix("before ") {
                let rest = rest.trim_start();
                return match rest.starts_with('#') || !what.starts_with('m') {
                    true => Self::new(before).of_run(rest),
                    false => Some(Self { stage: rest, ..Self::new(StepKind::Pipeline) }),
                };
            }
            return Self::new(after).of_run(rest.strip_prefix("after ")?.trim_start());
        }
        Self::of_our_own(rest)
    }

    fn new(kind: StepKind) -> Self {
        Self { kind, number: None, transformation: None, stage: "", pass: "", tag: "", function: None }
    }

    /// Parses what follows the kind: `#6, stage S, pass 3: Mem2Reg (mem2reg), Function: f`.
    fn of_run(self, text: &'t str) -> Option<Self> {
        let (number, text) = number_of(text.strip_prefix('#')?)?;
        let (text, function) = match text.split_once(", Function: ") {
            Some((text, function)) => (text, Some(function)),
            None => (text, None),
        };
        let pass = pass_in(text)?;
        let stage = text[..pass.start].strip_prefix(", stage ").unwrap_or_default();
        let pass = &text[pass.end..];
        let (pass, tag) = match pass.rsplit_once(" (") {
            Some((pass, tag)) => (pass, tag.strip_suffix(')')?),
            None => (pass, pass),
        };
        Some(Self { number: Some(number), stage, pass, tag, function, ..self })
    }

    /// Parses the headers that `silkit opt --print-all` prints: `after #3: dce on @f`.
    fn of_our_own(text: &'t str) -> Option<Self> {
        let (word, rest) = text.split_once(" #")?;
        let (number, rest) = number_of(rest)?;
        let rest = rest.strip_prefix(": ")?;
        let (tag, function) = match rest.split_once(" on @") {
            Some((tag, function)) => (tag, Some(function)),
            None => (rest, None),
        };
        let kind = match (word, function) {
            ("before", Some(_)) => StepKind::FunctionBefore,
            ("before", None) => StepKind::ModuleBefore,
            ("after", Some(_)) => StepKind::FunctionAfter,
            ("after", None) => StepKind::ModuleAfter,
            _ => return None,
        };
        Some(Self { number: Some(number), pass: tag, tag, function, ..Self::new(kind) })
    }
}

/// Returns the number that a text begins with, and the rest.
fn number_of(text: &str) -> Option<(u32, &str)> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    Some((text[..digits].parse().ok()?, &text[digits..]))
}

/// Returns the range of `, pass 3: ` or `, pass: `. The name of a stage may contain commas.
fn pass_in(text: &str) -> Option<Range<usize>> {
    text.match_indices(", pass").find_map(|(start, word)| {
        let rest = &text[start + word.len()..];
        let number =
            rest.strip_prefix(' ').map_or(rest, |rest| rest.trim_start_matches(|c: char| c.is_ascii_digit()));
        let end = text.len() - number.strip_prefix(": ")?.len();
        Some(start..end)
    })
}

/// A line about a run of a pass that prints no SIL.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum RunLine<'t> {
    /// `-sil-print-pass-name`: a run begins.
    Begins(Header<'t>),
    /// `-sil-print-pass-time`: the tag, the number of the run, and the time in milliseconds.
    Took(&'t str, u32, f32),
}

impl<'t> RunLine<'t> {
    /// Parses a line; returns `None` for any other line.
    pub(crate) fn parse(line: &'t str) -> Option<Self> {
        let text = line.trim_start();
        for prefix in ["Run #", "Run module pass #"] {
            if let Some(text) = text.strip_prefix(prefix) {
                let header =
                    Header::new(StepKind::FunctionAfter).of_run(&line[line.len() - text.len() - 1..])?;
                return Some(Self::Begins(header));
            }
        }
        let (time, rest) = text.split_once(" ms: ")?;
        let (tag, rest) = rest.split_once(" #")?;
        Some(Self::Took(tag, number_of(rest)?.0, time.parse().ok()?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Header<'_> {
        Header::parse(line).unwrap_or_else(|| panic!("no header: {line}"))
    }

    #[test]
    fn headers_of_all_releases() {
        let after = parsed(
            "  *** SIL function after  #1802, stage HighLevel,Function+EarlyLoopOpt, pass 9: Mem2Reg (mem2reg)",
        );
        assert_eq!((after.kind, after.number), (StepKind::FunctionAfter, Some(1802)));
        assert_eq!(
            (after.stage, after.pass, after.tag),
            ("HighLevel,Function+EarlyLoopOpt", "Mem2Reg", "mem2reg")
        );
        let module =
            parsed("  *** SIL module after #0, stage SILGen Passes, pass 0: SILGenCleanup (silgen-cleanup)");
        assert_eq!((module.kind, module.tag), (StepKind::ModuleAfter, "silgen-cleanup"));
        let start =
            parsed("*** SIL module before Mandatory Diagnostic Passes + Enabling Optimization Passes ***");
        assert_eq!((start.kind, start.number), (StepKind::Pipeline, None));
        assert_eq!(start.stage, "Mandatory Diagnostic Passes + Enabling Optimization Passes");
        let new = parsed(
            "  *** New SIL function in  #7, stage S, pass: GenericSpecializer (generic-specializer), Function: $s1a1fyyF",
        );
        assert_eq!(
            (new.kind, new.tag, new.function),
            (StepKind::NewFunction, "generic-specializer", Some("$s1a1fyyF"))
        );
        let sub = parsed("  *** sub-pass 3 for   %2 = alloc_stack $Int");
        assert_eq!((sub.kind, sub.transformation), (StepKind::Transformation, Some(3)));
        let ours = parsed("  *** SIL after #3: dce on @f ***");
        assert_eq!(
            (ours.kind, ours.number, ours.tag, ours.function),
            (StepKind::FunctionAfter, Some(3), "dce", Some("f"))
        );
        assert_eq!(parsed("*** SIL module before #2, stage S, pass 1: X (x)").kind, StepKind::ModuleBefore);
    }

    #[test]
    fn other_lines() {
        for line in [
            "",
            "*** ",
            "*** SIL function",
            "  *** SIL function after #x, pass 1: A (a)",
            "*** sub-pass x for",
            "// *** SIL",
        ] {
            assert_eq!(Header::parse(line), None, "{line}");
        }
        let name = "  Run #1, stage SILGen Passes, pass 1: Mem2Reg (mem2reg), Function: $s1a6TracerCfd";
        let Some(RunLine::Begins(run)) = RunLine::parse(name) else { panic!("no run: {name}") };
        assert_eq!((run.tag, run.number, run.function), ("mem2reg", Some(1), Some("$s1a6TracerCfd")));
        let time = "    0.359 ms: mem2reg #1 @$s1a6TracerCfd";
        assert_eq!(RunLine::parse(time), Some(RunLine::Took("mem2reg", 1, 0.359)));
        assert_eq!(RunLine::parse("a.swift:1:1: error: 3 ms: x"), None);
    }
}
