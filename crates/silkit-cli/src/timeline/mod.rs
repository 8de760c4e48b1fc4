//! `silkit timeline`: what each pass of a compiler did, from a log of the SIL that it printed.

mod json;
mod load;
pub(crate) mod record;
mod show;

use crate::codes::{SYNTAX, USAGE};
use crate::input::name_of;
use crate::output::{self, counted};
use crate::session::{Format, Session};
use silkit::base::Entity as _;
use silkit::diag::Diagnostic;
use silkit::diag::render::printable;
use silkit::ir::FunctionId;
use silkit::names::FunctionNames;
use silkit::text::parse_module;
use silkit::verify::{Renderer, VerifyOptions, verify};
use silkit_timeline::{
    Change, NameId, Occurrence, PageOptions, Step, StepId, Timeline, Version, first_violation, occurrences,
    timeline_page,
};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const EXAMPLES: &str = "\
The log is what the compiler writes to standard error with -Xllvm -sil-print-all (or
-sil-print-before, -after, -around or -function), together with all else that it writes there.
A step's number #N is that of -sil-opt-pass-count: with N, the compiler stops before this run of
the pass, with N+1 after it. Pipelines that always run in full have their own numbers. Steps that
change nothing but comments are hidden.

Exit status: 0; 1 if a step cannot be read or, with --verify, breaks a rule; 2 if the log cannot
be read or has no such step or function.

Examples:
  silkit timeline examples/timeline/list.log
  swiftc -O -Xllvm -sil-print-all list.swift 2>&1 | silkit timeline -
  silkit timeline --function sum examples/timeline/list.log
  silkit timeline --function sum --diff 1503 examples/timeline/list.log
  silkit timeline --find copy_value --last examples/timeline/list.log
  silkit timeline --verify examples/timeline/list.log
  silkit timeline -o list.html --swift examples/timeline/list.swift examples/timeline/list.log";

/// Show what each pass of the compiler did, from its log (swiftc -Xllvm -sil-print-all)
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Log; `-` is standard input
    #[arg(value_name = "LOG", value_hint = clap::ValueHint::FilePath, default_value = "-", hide_default_value = true)]
    log: PathBuf,
    /// List the steps that change these functions, by mangled or demangled name, a unique part, or a pattern with `*`
    #[arg(long, short, value_name = "NAME")]
    function: Vec<String>,
    /// List the steps of these passes, by tag
    #[arg(long, short, value_name = "TAG")]
    pass: Vec<String>,
    /// Show what run N of a pass changed
    #[arg(long, value_name = "N", conflicts_with_all = ["find", "verify", "print"])]
    diff: Option<u32>,
    /// Print the SIL after run N of a pass
    #[arg(long, value_name = "N", conflicts_with_all = ["find", "verify"])]
    print: Option<u32>,
    /// List the steps at which lines of code with TEXT appear or disappear
    #[arg(long, value_name = "TEXT", conflicts_with = "verify")]
    find: Option<String>,
    /// Show only the first step
    #[arg(long, conflicts_with = "last")]
    first: bool,
    /// Show only the last step
    #[arg(long)]
    last: bool,
    /// Find the first step that breaks a rule of the verifier
    #[arg(long)]
    verify: bool,
    /// Also list steps that change nothing
    #[arg(long)]
    all: bool,
    /// Write a page that shows the steps: one HTML file, for a browser
    #[arg(long, short, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    #[arg(conflicts_with_all = ["diff", "print", "find", "verify"])]
    output: Option<PathBuf>,
    /// Show this Swift source in the page
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath, requires = "output")]
    swift: Vec<PathBuf>,
    /// List at most N steps or passes; 0 is all
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    limit: usize,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// A timeline with what the options select.
struct View<'a> {
    args: &'a Args,
    timeline: &'a Timeline,
    /// The selected functions; `None` is all, with what is outside of functions.
    functions: Option<Vec<NameId>>,
}

/// The maximum number of steps that are named because they cannot be read.
const NAMED: usize = 10;

/// Runs the command.
pub(crate) fn run(args: &Args) -> ExitCode {
    let mut session = Session::with_valid_input(args.format.into());
    session.inputs(std::slice::from_ref(&args.log));
    let Some(timeline) = session.load_log(&args.log) else { return session.finish() };
    let timeline = std::mem::ManuallyDrop::new(timeline);
    let Some(view) = View::new(&mut session, args, &timeline) else { return session.finish() };
    if let Some(path) = &args.output {
        view.write_page(&mut session, path);
    } else if args.verify {
        view.verify(&mut session);
    } else if let Some(number) = args.diff.or(args.print) {
        view.one_run(&mut session, number);
    } else if let Some(text) = &args.find {
        let found = view.limited(view.found(text));
        session.answer(&match args.format {
            Format::Text => view.occurrences_as_text(text, &found),
            Format::Json => view.occurrences_as_json(&found),
        });
    } else if view.is_filtered() || args.first || args.last {
        let steps = view.limited(view.steps());
        session.answer(&match args.format {
            Format::Text => view.steps_as_text(&steps),
            Format::Json => view.steps_as_json(&steps),
        });
    } else {
        session.answer(&match args.format {
            Format::Text => view.summary_as_text(),
            Format::Json => view.summary_as_json(),
        });
    }
    view.report_unread(&mut session);
    session.finish()
}

impl<'a> View<'a> {
    /// Resolves the names of functions and passes. Records errors, and returns `None` for them.
    fn new(session: &mut Session, args: &'a Args, timeline: &'a Timeline) -> Option<Self> {
        let mut functions = None;
        if !args.function.is_empty() {
            let ids = timeline.functions().map(|(id, name)| (FunctionId::from_index(id.index()), name));
            let names = FunctionNames::of(ids);
            let mut all = Vec::new();
            for name in &args.function {
                match names.find(name) {
                    Ok(found) => all.extend(found.into_iter().map(|id| NameId::from_index(id.index()))),
                    Err(error) => {
                        session.no_function(&error, &args.log);
                        return None;
                    }
                }
            }
            functions = Some(all);
        }
        for tag in &args.pass {
            let tags: Vec<&str> = timeline.passes().map(|(_, pass)| pass.tag.as_str()).collect();
            if !tags.contains(&tag.as_str()) {
                let near = silkit::diag::nearest(tag, tags.iter().copied());
                let hint = near
                    .map_or("without options, the passes of the log are listed".to_owned(), |near| {
                        format!("did you mean `{near}`?")
                    });
                session.refuse(format!("the log has no pass `{tag}`"), hint);
                return None;
            }
        }
        Some(Self { args, timeline, functions })
    }

    fn is_filtered(&self) -> bool {
        self.functions.is_some() || !self.args.pass.is_empty()
    }

    /// Returns true if the options select the pass of a step.
    fn has_pass(&self, step: &Step) -> bool {
        self.args.pass.is_empty() || self.args.pass.iter().any(|tag| tag == self.timeline.tag(step))
    }

    /// Returns the selected texts of a step.
    fn versions(&self, step: &Step) -> impl Iterator<Item = &'a Version> {
        let wanted = self.functions.clone();
        let versions = self.timeline.versions(step).iter();
        versions.filter(move |version| match &wanted {
            Some(functions) => version.function.is_some_and(|function| functions.contains(&function)),
            None => true,
        })
    }

    /// Returns the selected texts, each with its step: those that change and, with `--all`, others.
    fn steps(&self) -> Vec<(StepId, &'a Version)> {
        let steps = self.timeline.steps().filter(|(_, step)| self.has_pass(step));
        let versions = steps.flat_map(|(id, step)| self.versions(step).map(move |version| (id, version)));
        versions
            .filter(|(_, version)| self.args.all || self.timeline.change(version) != Change::None)
            .collect()
    }

    /// Returns the selected steps at which the number of lines with a text changes.
    fn found(&self, text: &str) -> Vec<Occurrence> {
        let mut found = occurrences(self.timeline, text);
        found.retain(|found| {
            let step = self.timeline.step(found.step);
            self.has_pass(step) && self.versions(step).any(|version| *version == found.version)
        });
        found
    }

    /// Returns the first, the last or the first few items, as the options want.
    fn limited<T>(&self, mut items: Vec<T>) -> Vec<T> {
        if self.args.last {
            let start = items.len().saturating_sub(1);
            items.drain(..start);
        } else if self.args.first {
            items.truncate(1);
        }
        if self.args.limit > 0 {
            items.truncate(self.args.limit);
        }
        items
    }

    /// Shows the difference or the text of a run of a pass.
    fn one_run(&self, session: &mut Session, number: u32) {
        let steps =
            self.timeline.steps().filter(|(_, step)| step.number == Some(number) && self.has_pass(step));
        let steps: Vec<StepId> = steps.map(|(id, _)| id).collect();
        if steps.is_empty() {
            let (before, after) = self.around(number);
            let mut near: Vec<String> =
                [before, after].into_iter().flatten().map(|n| format!("#{n}")).collect();
            near.dedup();
            let hint = match near.as_slice() {
                [] => "the log numbers no step".to_owned(),
                near => format!(
                    "a run that changes nothing is not printed; the nearest with these options: {}",
                    near.join(" and ")
                ),
            };
            return session.refuse(format!("the log has no step of run #{number}"), hint);
        }
        let steps: Vec<(StepId, &Version)> = steps
            .into_iter()
            .flat_map(|id| self.versions(self.timeline.step(id)).map(move |version| (id, version)))
            .collect();
        if steps.is_empty() {
            let hint = "without --function, all that the step prints is shown".to_owned();
            return session.refuse(format!("run #{number} is not one on this function"), hint);
        }
        if self.args.print.is_some() {
            return session.answer(&self.texts(&steps));
        }
        let text = match self.args.format {
            Format::Text => self.differences_as_text(&steps),
            Format::Json => self.differences_as_json(&steps),
        };
        session.answer(&text);
    }

    /// Returns the numbers of the selected steps before and after a number.
    fn around(&self, number: u32) -> (Option<u32>, Option<u32>) {
        let numbers = || {
            let steps = self.timeline.steps().filter(|(_, step)| self.has_pass(step));
            steps.filter(|(_, s)| self.versions(s).next().is_some()).filter_map(|(_, step)| step.number)
        };
        (numbers().filter(|&n| n < number).max(), numbers().filter(|&n| n > number).min())
    }

    /// Writes the page.
    fn write_page(&self, session: &mut Session, path: &Path) {
        let mut sources = Vec::new();
        for source in &self.args.swift {
            let Some(text) = session.read_text(source) else { return };
            sources.push((name_of(source), text));
        }
        let title = match output::is_standard(&self.args.log) {
            true => "timeline".to_owned(),
            false => self.args.log.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        };
        let functions = self.functions.clone().unwrap_or_default();
        let first = functions.first().copied();
        let page = timeline_page(self.timeline, &PageOptions { title, functions, sources, first });
        session.write(path, page.as_bytes());
    }

    /// Reports the first step that breaks a rule.
    fn verify(&self, session: &mut Session) {
        session.progress.phase("verifying");
        let Some(found) = first_violation(self.timeline, &VerifyOptions::default()) else {
            let text = format!("{} break no rule\n", counted(self.timeline.steps().len(), "step"));
            return session.answer(&if self.args.format == Format::Text {
                text
            } else {
                "null\n".to_owned()
            });
        };
        let step = self.timeline.step(found.step);
        let mut parsed = parse_module(&found.module);
        let declarations = silkit::declarations_of(&parsed.module, parsed.declared.take(), &[]);
        let source = parsed.source(&found.module);
        let report = verify(&parsed.module, &declarations, Some(source), &VerifyOptions::default());
        let function = found.version.function.map(|id| self.timeline.function(id)).unwrap_or_default();
        let finding = report.findings.iter().find(|finding| {
            let owner = match finding.owner {
                silkit::verify::Owner::Function(id) => parsed.module.functions[id].name.as_str(),
                _ => "",
            };
            finding.rule.id == found.rule && owner == function
        });
        let name = format!("{} ({})", name_of(&self.args.log), show::number(step));
        let file = session.sources.add(name, found.module.clone()).ok();
        let renderer = Renderer::new(&parsed.module, file.map(|file| (file, source)));
        let diagnostic = match finding {
            Some(finding) => crate::findings::named(renderer.finding(finding)),
            None => Diagnostic::error(found.rule, found.message.as_str()),
        };
        let diff = step.number.map_or(String::new(), |n| format!(": `--diff {n}` shows what changed"));
        session.push(diagnostic.note(format!(
            "the first step that breaks a rule is {}, line {} of the log{diff}",
            self.title(found.step, Some(&found.version)),
            step.line
        )));
    }

    /// Reports the steps that cannot be read.
    fn report_unread(&self, session: &mut Session) {
        let unread: Vec<StepId> = self.timeline.unread_steps().map(|(id, _)| id).collect();
        for &id in unread.iter().take(NAMED) {
            let step = self.timeline.step(id);
            let (version, place) = match self.timeline.unread_text(step) {
                Some((version, unread)) => {
                    (Some(version), format!("line {}: {}", version.line + unread.line, unread.message))
                }
                None => (None, format!("line {}: the text ends within a function", step.line)),
            };
            let title = self.title(id, version);
            session.push(Diagnostic::error(
                SYNTAX,
                format!("cannot read {title}: {}, {place}", name_of(&self.args.log)),
            ));
        }
        if unread.len() > NAMED {
            let more = counted(unread.len() - NAMED, "more step");
            session.push(Diagnostic::error(SYNTAX, format!("cannot read {more}")));
        }
    }

    /// Returns a step in words: `#1802 mem2reg on holders()`.
    fn title(&self, id: StepId, version: Option<&Version>) -> String {
        let step = self.timeline.step(id);
        let on = version.and_then(|version| version.function).map_or(String::new(), |function| {
            format!(" on {}", show::readable(self.timeline.function(function)))
        });
        let what = match step.pass {
            Some(_) if step.is_mandatory => format!("{} (mandatory)", self.timeline.tag(step)),
            Some(_) => self.timeline.tag(step).to_owned(),
            None => {
                format!("the module before {}", step.stage.map_or("", |stage| self.timeline.stage(stage)))
            }
        };
        printable(format!("{} {what}{on}", show::number(step)).trim_start()).into_owned()
    }
}

/// Refuses a log without steps.
fn no_steps(session: &mut Session, path: &Path) {
    let name =
        if output::is_standard(path) { "standard input".to_owned() } else { format!("`{}`", name_of(path)) };
    session.push(
        Diagnostic::error(USAGE, format!("{name} has no step of a pass"))
            .note("expected what the compiler writes to standard error with `-Xllvm -sil-print-all`"),
    );
}
