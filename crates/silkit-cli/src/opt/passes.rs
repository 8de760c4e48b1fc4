//! The part of `silkit opt` that runs passes.

use super::request::Request;
use crate::color;
use crate::findings::named;
use crate::input::Input;
use crate::output;
use crate::session::{Report, Session};
use crate::shown;
use crate::timeline::record::Recorder;
use crate::wrap;
use serde_json::{Value, json};
use silkit::base::{FxHashMap, Symbol};
use silkit::diag::render::short;
use silkit::diag::{Diagnostic, SourceMap};
use silkit::ir::{FunctionId, Module, Release};
use silkit::library::Library;
use silkit::link::LibrarySource;
use silkit::pass::observers::{ChangePrinter, Printer};
use silkit::pass::{
    Limit, Observer, OpenDecision, Output, Pass, PassOutcome, Pipeline, PipelineError, PipelineStep,
    Printing, Problem, Run, Runner, Stream, reference_pipelines,
};
use silkit::passes;
use silkit::types::decl::Declarations;
use silkit::verify::{Finding, Renderer, VerifyOptions};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A hint on how to list the passes and pipelines.
const PASSES_ADVICE: &str =
    "`silkit opt --list` lists the passes, `silkit pipelines --status` the passes of each pipeline";

/// Returns the message and the hint for an error in the value of `--passes`.
pub(crate) fn refused_pipeline(text: &str, error: &PipelineError) -> (String, String) {
    let unknown = error.message.strip_prefix("unknown pass `").and_then(|rest| rest.strip_suffix('`'));
    let names = passes::all().iter().map(|pass| pass.tag);
    let names = names.chain(reference_pipelines::all().iter().map(|pipeline| pipeline.name));
    let near = unknown.and_then(|name| silkit::diag::nearest(name, names));
    let hint = near.map_or(PASSES_ADVICE.to_owned(), |near| format!("did you mean `{near}`?"));
    (format!("`--passes {text}`: {error}"), hint)
}

/// The requested passes and observers.
#[derive(Default)]
pub(crate) struct Passes {
    pub(crate) pipeline: Pipeline<'static>,
    /// True if a pipeline with unimplemented passes is an error.
    pub(crate) is_strict: bool,
    pub(crate) options: silkit::pass::PassOptions,
    /// The tags of disabled passes.
    pub(crate) disabled: Vec<&'static str>,
    pub(crate) limit: Option<Limit>,
    /// The module files from which passes take declarations and bodies.
    pub(crate) libraries: Vec<PathBuf>,
    pub(crate) prints_last: bool,
    pub(crate) printer: Printer,
    pub(crate) prints_changes: bool,
    /// The file of the page that shows what each run changes.
    pub(crate) timeline: Option<PathBuf>,
    pub(crate) verifies_each: bool,
    pub(crate) tells_times: bool,
    pub(crate) tells_counts: bool,
}

/// What a run of passes found.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum RunResult {
    /// All passes ran without errors.
    Clean,
    /// All passes ran, and one of them found errors in the program.
    FoundErrors,
    /// A pass stopped the run.
    Stopped,
}

impl Passes {
    /// Sets a command-wide switch in the pass options.
    pub(crate) fn set(&mut self, switch: &str, is_on: bool) {
        self.options.set(switch, if is_on { "" } else { "false" });
    }

    /// Returns an error if a pipeline contains unimplemented passes and `is_strict` is set.
    pub(super) fn check_pipeline(&self, dialect: Option<Release>) -> Result<(), (String, String)> {
        match self.pipeline.of_release(dialect.unwrap_or_default()).left_out.first() {
            Some(left_out) if self.is_strict => {
                Err((left_out.as_error().message, format!("leave out `--strict-pipeline`; {PASSES_ADVICE}")))
            }
            _ => Ok(()),
        }
    }

    /// Returns true if no passes are requested.
    pub(crate) fn is_empty(&self) -> bool {
        self.pipeline.steps.is_empty() && self.pipeline.left_out.is_empty()
    }

    /// Runs the passes of a request and prints their output. If errors are expected, later passes run after one has found
    /// errors.
    pub(crate) fn run(
        &self,
        session: &mut Session,
        path: &Path,
        input: &mut Input,
        (declarations, library): (&Declarations, &Library<'_>),
        request: &Request,
    ) -> RunResult {
        let release = request.dialect.unwrap_or_else(|| silkit::text::dialect::release_of(&input.module));
        let pipeline = self.pipeline.of_release(release);
        tell_left_out(&pipeline);
        let mut printer = self.printer.clone();
        printer.run = self.limit.map(|limit| limit.runs).filter(|_| self.prints_last);
        let changes = ChangePrinter::new(printer.functions.clone());
        let recorder = self.timeline.as_ref().map(|_| Recorder::new(&input.module, &request.print));
        let verifier = Verifier { declarations, options: request.checking.options() };
        let printing = Printing { demangle: &silkit::comment_name, options: request.print.clone() };
        let source_map = input.text.as_ref().map(|_| &input.source_map);
        let mut options = self.options.clone();
        options.follow(release);
        let runner = Runner::new().options(options).printing(printing);
        let runner = runner.limit(self.limit).continues_after_errors(request.expects);
        let library: Option<&dyn LibrarySource> =
            if self.libraries.is_empty() { None } else { Some(library) };
        let mut runner = runner.source_map(source_map).library(library).observe(&printer);
        if self.prints_changes {
            runner = runner.observe(&changes);
        }
        if self.verifies_each {
            runner = runner.observe(&verifier);
        }
        if let Some(recorder) = &recorder {
            runner = runner.observe(recorder);
        }
        let is_enabled = |step: &&PipelineStep<'static>| !self.disabled.contains(&step.pass.tag);
        let steps: Vec<PipelineStep<'static>> = pipeline.steps.iter().filter(is_enabled).copied().collect();
        let open = OpenDecision::find(&input.module, &steps).filter(|_| !pipeline.left_out.is_empty());
        if let Some(open) = open {
            session.refuse(
                format!("the pipeline leaves out `{}`, which `{}` needs: {open}", open.by, path.display()),
                format!(
                    "Silkit does not have this pass yet, and SIL without it would be wrong; {PASSES_ADVICE}"
                ),
            );
            return RunResult::Stopped;
        }
        // Passes remove functions and move others.
        let names: Vec<Symbol> = input.module.functions.values().map(|function| function.name).collect();
        session.progress.phase("running passes on");
        let outcome = runner.run(&mut input.module, declarations, &steps);
        for (stream, text) in outcome.output.pieces() {
            match stream {
                Stream::Out => session.answer(text),
                // Printed changes are differences.
                Stream::Err if self.prints_changes => {
                    output::complain_styled(&color::difference(text, &std::io::stderr()));
                }
                Stream::Err => output::complain(text),
            }
        }
        for (path, content) in outcome.output.files() {
            session.write(Path::new(path), content.as_bytes());
        }
        if let (Some(recorder), Some(page)) = (recorder, &self.timeline) {
            let title = path.file_name().unwrap_or_default().to_string_lossy();
            session.write(page, recorder.page(&title).as_bytes());
        }
        let functions = match outcome.problems.is_empty() {
            true => FxHashMap::default(),
            false => names.into_iter().zip((0..).map(FunctionId::from_u32)).collect(),
        };
        for problem in &outcome.problems {
            let diagnostic = crate::findings::problem(session, path, input, &functions, problem);
            session.push(diagnostic);
        }
        if self.tells_times {
            output::complain(&times(&outcome));
        }
        if self.tells_counts {
            output::complain(&counts(&outcome));
        }
        // Errors of passes are already recorded as diagnostics, which may be expected.
        let has_errors = outcome.problems.iter().any(Problem::is_error);
        if outcome.was_stopped && !has_errors {
            session.fail();
        }
        match outcome.was_stopped {
            true => RunResult::Stopped,
            false if has_errors => RunResult::FoundErrors,
            false => RunResult::Clean,
        }
    }
}

/// Reports in one line the number of unimplemented passes that pipelines omit.
pub(crate) fn tell_left_out(pipeline: &Pipeline<'_>) {
    let mut tags: Vec<&str> = pipeline.left_out.iter().flat_map(|left_out| left_out.tags.clone()).collect();
    tags.sort_unstable();
    tags.dedup();
    let names: Vec<&str> = pipeline.left_out.iter().map(|left_out| left_out.pipeline).collect();
    if let Some(name) = names.first() {
        let s = if tags.len() == 1 { "" } else { "es" };
        let name = if names.len() == 1 { format!(" {name}") } else { String::new() };
        output::note(&format!(
            "{} unimplemented pass{s} left out (of {}); `silkit pipelines --status{name}` lists them",
            tags.len(),
            names.join(", "),
        ));
    }
}

/// Returns the pass with the given tag, or an error message and a hint.
pub(crate) fn known(tag: &str) -> Result<Pass<'static>, (String, String)> {
    if let Some(pass) = passes::find(tag) {
        return Ok(pass);
    }
    let hint = silkit::diag::nearest(tag, passes::all().iter().map(|p| p.tag))
        .map_or("`silkit opt --list` lists the passes".to_owned(), |near| format!("did you mean `{near}`?"));
    Err((format!("unknown pass `{tag}`"), hint))
}

/// Returns the tags of the passes that contain one of the comma-separated substrings, which is how the reference's
/// options select passes.
pub(crate) fn tags_with(parts: &str) -> Result<impl Iterator<Item = &'static str>, (String, String)> {
    let parts: Vec<String> = parts.split(',').map(str::to_ascii_lowercase).collect();
    let has = |part: &String| passes::all().iter().any(|pass| pass.tag.contains(part.as_str()));
    if let Some(part) = parts.iter().find(|part| part.is_empty() || !has(part)) {
        known(part)?;
    }
    let tags = passes::all().iter().map(|pass| pass.tag);
    Ok(tags.filter(move |tag| parts.iter().any(|part| tag.contains(part.as_str()))))
}

/// Returns the list of all passes: one per line, or a JSON array.
pub(crate) fn list(format: Report) -> String {
    if format == Report::Text {
        return wrap::listing(passes::all().iter().map(|pass| (pass.tag, pass.summary)));
    }
    let object = |pass: &Pass<'_>| json!({"tag": pass.tag, "kind": kind(pass), "summary": pass.summary});
    shown::json(&Value::from_iter(passes::all().iter().map(object)))
}

/// Returns what a pass runs on, as `--passes` spells it.
pub(crate) fn kind(pass: &Pass<'_>) -> &'static str {
    match pass.run {
        Run::Module(_) => "module",
        Run::Function(_) => "function",
    }
}

/// The observer for `--verify-each`, which stops after the first pass that leaves invalid SIL.
struct Verifier<'a> {
    declarations: &'a Declarations,
    options: VerifyOptions,
}

impl Observer for Verifier<'_> {
    fn needs_module(&self) -> bool {
        true
    }

    fn after_pass(&self, pass: &Pass<'_>, module: &Module, output: &mut Output) -> bool {
        let report = silkit::verify::verify(module, self.declarations, None, &self.options);
        let errors: Vec<&Finding> = report.findings.iter().filter(|finding| finding.is_error()).collect();
        if errors.is_empty() {
            return true;
        }
        let renderer = Renderer::new(module, None);
        let errors: Vec<Diagnostic> = errors.iter().map(|finding| named(renderer.finding(finding))).collect();
        output.print(Stream::Err, &format!("after `{}`:\n{}", pass.tag, short(&errors, &SourceMap::new())));
        false
    }
}

/// Returns a table of the time of each pass, the longest first.
fn times(outcome: &PassOutcome) -> String {
    let mut sums: Vec<(&str, usize, Duration)> = Vec::new();
    for run in &outcome.runs {
        match sums.iter_mut().find(|(tag, ..)| *tag == run.tag) {
            Some((_, count, sum)) => (*count, *sum) = (*count + 1, *sum + run.time),
            None => sums.push((&run.tag, 1, run.time)),
        }
    }
    sums.sort_by_key(|&(_, _, time)| std::cmp::Reverse(time));
    let mut text = "   seconds    runs  pass\n".to_owned();
    for (tag, count, time) in sums {
        let _ = writeln!(text, "{:10.6} {count:7}  {tag}", time.as_secs_f64());
    }
    text
}

fn counts(outcome: &PassOutcome) -> String {
    outcome.counts.iter().fold(String::new(), |mut text, ((tag, what), number)| {
        let _ = writeln!(text, "{number:8}  {tag}: {what}");
        text
    })
}
