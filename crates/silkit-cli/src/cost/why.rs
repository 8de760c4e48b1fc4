//! Explanations of the costs of a Swift line.

use super::{Args, Costs, Format, demangled, json, limit};
use crate::excerpt;
use crate::findings::readable;
use crate::input::name_of;
use crate::output::counted;
use crate::session::Session;
use crate::swift;
use crate::wrap;
use serde_json::{Value, json};
use silkit::diag::render::one_line;
use silkit::diag::{OriginFrame, SourceFile};
use silkit::ir::InlineStacks;
use silkit_cost::{Cause, KIND_NAMES, Operation, explain};
use std::path::Path;

/// Explains the costs of a line, as the command line names it.
pub(super) fn run(session: &mut Session, args: &Args, costs: &Costs, line: &str) {
    let Some((file, number)) = parse(line) else {
        session.refuse(
            format!("`{}` is not a line", line.escape_debug()),
            "expected a file and a line, such as `main.swift:12`, or a line if there is one file",
        );
        return;
    };
    let report = &costs.report;
    let is_named = |path: &str| {
        file.is_none_or(|file| {
            path == file || path.strip_suffix(file).is_some_and(|folder| folder.ends_with(['/', '\\']))
        })
    };
    let mut files: Vec<&str> = Vec::new();
    for operation in &report.operations {
        let Some(place) = operation.place.filter(|place| is_named(place.position.file)) else { continue };
        if !files.contains(&place.position.file) {
            files.push(place.position.file);
        }
    }
    files.sort_unstable();
    let chosen = match files.as_slice() {
        [only] => *only,
        [] => {
            let hint = "`silkit cost FILE --limit 0` lists the lines with costs";
            let what = file.map_or("the file has no Swift lines".to_owned(), |file| {
                format!("no code with costs comes from `{}`", file.escape_debug())
            });
            session.refuse(what, hint);
            return;
        }
        several => {
            let names: Vec<&str> = several.iter().take(5).copied().collect();
            let message = format!("line {number} could be in {}", counted(several.len(), "file"));
            session.refuse(message, format!("name one: {}", names.join(", ")));
            return;
        }
    };
    let of_line: Vec<Operation> = report
        .operations
        .iter()
        .filter(|o| {
            o.place.is_some_and(|place| place.position.file == chosen && place.position.line == number)
        })
        .copied()
        .collect();
    let causes = explain(&costs.input.module, &costs.declarations, &of_line, &demangled);
    let view = View {
        costs,
        stacks: InlineStacks::new(&costs.input.module.scopes),
        text: costs.input.source_file(),
    };
    let all = of_line.iter().zip(&causes);
    if args.format == Format::Json {
        let places: Value = all.map(|(operation, causes)| view.json(operation, causes)).collect();
        let value = json!({"file": name_of(&args.file), "source": chosen, "line": number, "places": places});
        session.write_with(Path::new("-"), |out| json::write(&value, out));
        return;
    }
    let name = one_line(chosen).into_owned();
    if of_line.is_empty() {
        session.answer(&format!("{name}:{number}: no costs\n"));
        return;
    }
    let mut text = String::new();
    if !args.quiet {
        text += &format!("{name}:{number}: {} with costs\n", counted(of_line.len(), "instruction"));
    }
    all.clone().take(limit(args)).for_each(|(operation, causes)| text += &view.text(operation, causes));
    if let Some(left) = of_line.len().checked_sub(limit(args)).filter(|left| *left > 0 && !args.quiet) {
        text += &format!("{}: `--limit 0` shows all\n", counted(left, "more instruction"));
    }
    session.answer(&wrap::fitted(&text, wrap::terminal_width()));
}

/// Returns the file and the line that a word names.
fn parse(word: &str) -> Option<(Option<&str>, u32)> {
    let line = |text: &str| text.parse().ok().filter(|&line| line > 0);
    match word.rsplit_once(':') {
        None => Some((None, line(word)?)),
        // With a column, which compilers print too.
        Some((rest, column)) => match rest.rsplit_once(':') {
            Some((file, number)) if line(number).is_some() && column.parse::<u32>().is_ok() => {
                Some((Some(file), line(number)?))
            }
            _ => Some((Some(rest), line(column)?)),
        },
    }
}

struct View<'a> {
    costs: &'a Costs,
    stacks: InlineStacks<'a>,
    text: Option<SourceFile<'static>>,
}

impl View<'_> {
    fn sil_line(&self, operation: &Operation) -> Option<u32> {
        let at = self.costs.input.source_map.function(operation.function)?.inst(operation.inst)?;
        Some(self.text.as_ref()?.line_column(at).line)
    }

    fn instruction(&self, operation: &Operation) -> String {
        let module = &self.costs.input.module;
        let body = module.functions[operation.function].body.as_ref();
        body.map_or_else(String::new, |body| excerpt::instruction(module, body, operation.inst))
    }

    fn frames(&self, operation: &Operation) -> Vec<OriginFrame> {
        let body = self.costs.input.module.functions[operation.function].body.as_ref();
        body.map_or_else(Vec::new, |body| swift::origin(&self.stacks, body, operation.inst))
    }

    fn function(&self, operation: &Operation) -> &'static str {
        self.costs.input.module.functions[operation.function].name.as_str()
    }

    fn text(&self, operation: &Operation, causes: &[Cause]) -> String {
        let line = self
            .sil_line(operation)
            .map_or(String::new(), |line| format!("{}:{line}: ", self.costs.input.source));
        let place = operation.place.map_or(String::new(), |place| {
            format!(", column {}, found by {}", place.position.column, place.way.name())
        });
        let loops = match operation.loop_depth {
            0 => String::new(),
            1 => ", in a loop".to_owned(),
            depth => format!(", in {depth} nested loops"),
        };
        let function = readable(self.function(operation));
        let mut text = format!("\n{line}{}\n  in {function}{place}{loops}\n", self.instruction(operation));
        for cause in causes {
            let kinds: Vec<&str> = cause.kinds.indices().map(|kind| KIND_NAMES[kind]).collect();
            let at = cause.position.map_or(String::new(), |position| format!(" ({})", position.short()));
            text += &format!("  {}: {}{at}\n", kinds.join(", ").replace('_', " "), cause.text);
        }
        let frames = self.frames(operation);
        if frames.len() > 1 {
            text += &format!("  inlined: {}\n", OriginFrame::describe(&frames));
        }
        text.split_inclusive('\n')
            .map(|line| one_line(line.trim_end_matches('\n')).into_owned() + "\n")
            .collect()
    }

    fn json(&self, operation: &Operation, causes: &[Cause]) -> Value {
        let frames = self.frames(operation);
        let causes = causes.iter().map(|cause| {
            json!({
                "costs": Value::from_iter(cause.kinds.indices().map(|kind| KIND_NAMES[kind])),
                "reason": cause.reason.name(),
                "text": cause.text,
                "source": cause.position.map(|p| json!({"file": p.file, "line": p.line, "column": p.column})),
            })
        });
        json!({
            "function": self.function(operation),
            "demangled": readable(self.function(operation)),
            "instruction": self.instruction(operation),
            "sil_line": self.sil_line(operation),
            "column": operation.place.map(|place| place.position.column),
            "found_by": operation.place.map(|place| place.way.name()),
            "loop_depth": operation.loop_depth,
            "costs": Value::from_iter(operation.kinds.indices().map(|kind| KIND_NAMES[kind])),
            "causes": Value::from_iter(causes),
            "stack": swift::stack_json(&frames),
        })
    }
}
