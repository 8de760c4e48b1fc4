//! `silkit verify`: all that is wrong with a module by the rules of SIL.

use crate::input::{Input, name_of};
use crate::output;
use crate::session::{self, Session};
use silkit::diag::{Diagnostic, RuleId, Span, nearest};
use silkit::ir::conventions::Addresses;
use silkit::reference::{Part, Reference, part};
use silkit::types::decl::Declarations;
use silkit::verify::{
    Finding, LinkedModule, Options, Place, Renderer, Report, Rule, find_rule, rules, verify, verify_linked,
};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const EXAMPLES: &str = "\
Examples:
  silkit verify examples/shapes.raw.sil
  silkit verify --only SIL0106 --format sarif a.sil
  silkit verify --link App.sil Utils.sil --package-name Utils.sil=tools
  silkit verify --list
  silkit explain SIL0106

The exit status is 1 where an error was found; warnings do not count.";

/// Finds what is wrong with SIL, and says why
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The files, or `-` for standard input
    #[arg(value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    files: Vec<PathBuf>,
    /// Verifies also what the files say of the functions and variables that they share
    #[arg(long)]
    link: bool,
    /// The Swift module of a file, with --link; else the file's name up to its first dot
    #[arg(long, value_name = "FILE=NAME", requires = "link")]
    module_name: Vec<String>,
    /// The package of a file's Swift module, with --link; without `FILE=` that of all files
    #[arg(long, value_name = "[FILE=]NAME", requires = "link")]
    package_name: Vec<String>,
    /// Looks for breaches of this rule only; may be repeated
    #[arg(long, value_name = "RULE")]
    only: Vec<String>,
    /// Lets breaches of this rule pass; may be repeated
    #[arg(long, value_name = "RULE")]
    allow: Vec<String>,
    /// Shows at most N errors
    #[arg(long, value_name = "N", default_value_t = 100)]
    max_errors: usize,
    /// Lists also what could not be decided, and why
    #[arg(long)]
    unknown: bool,
    /// Holds address-only values like any other, as `-enable-sil-opaque-values` of the compiler does
    #[arg(long)]
    opaque_values: bool,
    /// Lists all rules
    #[arg(long)]
    list: bool,
    /// How findings are shown
    #[arg(long, value_enum, default_value_t)]
    format: session::Report,
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> ExitCode {
    if args.list {
        return crate::answer(&list());
    }
    let mut session = Session::of_findings(args.format, args.max_errors);
    let only = chosen(&mut session, &args.only);
    let allow = chosen(&mut session, &args.allow);
    let (Some(only), Some(allow)) = (only, allow) else { return session.finish() };
    session.reading.opaque_values = args.opaque_values;
    let addresses = if args.opaque_values { Addresses::Opaque } else { Addresses::Lowered };
    let options = Options { only, allow, unknown: args.unknown, addresses };
    let mut linked = Vec::new();
    for path in session.inputs(&args.files) {
        if let Some(input) = session.load(&path) {
            show(&mut session, &path, &input, &run_rules(&input, &options));
            if args.link {
                linked.push((path, input));
            } else {
                // The system takes the memory back faster than we can give it.
                std::mem::forget(input);
            }
        }
    }
    if args.link {
        link(&mut session, &linked, args, &options);
        std::mem::forget(linked);
    }
    session.finish()
}

/// Verifies what several modules say of the objects that they share.
fn link(session: &mut Session, inputs: &[(PathBuf, Input)], args: &Args, options: &Options) {
    let declarations: Vec<_> = inputs.iter().map(|(_, i)| silkit::declarations(&i.module)).collect();
    let modules: Vec<LinkedModule<'_>> = inputs
        .iter()
        .zip(&declarations)
        .map(|((path, input), declarations)| LinkedModule {
            module: &input.module,
            declarations,
            name: named(&args.module_name, path).map_or_else(|| stem(path), str::to_owned).as_str().into(),
            package: named(&args.package_name, path).map(Into::into),
        })
        .collect();
    for pair in &args.module_name {
        if !pair
            .split_once('=')
            .is_some_and(|(file, _)| inputs.iter().any(|(path, _)| path == Path::new(file)))
        {
            session.refuse(
                format!("`--module-name {pair}` names no file that is verified"),
                "write it as `--module-name a.sil=Main`, the file as it is given",
            );
        }
    }
    let renderers: Vec<Renderer<'_>> =
        inputs.iter().map(|(path, input)| renderer(session, path, input)).collect();
    for found in verify_linked(&modules, options) {
        let (other, owner) = found.other;
        let (path, input) = &inputs[found.module];
        let diagnostic = placed(path, input, renderers[found.module].finding(&found.finding));
        session.push(renderers[other].also(diagnostic, owner, Place::Whole, &found.label));
    }
}

/// What is said of a file in a list of `FILE=NAME` and `NAME`.
fn named<'a>(pairs: &'a [String], path: &Path) -> Option<&'a str> {
    let of_file =
        |pair: &'a String| pair.split_once('=').filter(|(file, _)| Path::new(file) == path).map(|(_, n)| n);
    let of_all = || pairs.iter().find(|p| !p.contains('=')).map(String::as_str);
    pairs.iter().find_map(of_file).or_else(of_all)
}

/// The name of a file up to its first dot.
fn stem(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    name.split('.').next().filter(|n| !n.is_empty()).map(str::to_owned).unwrap_or(name)
}

/// What makes diagnostics of the findings in a file.
fn renderer<'a>(session: &mut Session, path: &Path, input: &'a Input) -> Renderer<'a> {
    let name = name_of(path);
    let file = input.text.as_ref().and_then(|text| {
        let known = session.sources.files().find(|(_, f)| f.name() == name).map(|(id, _)| id);
        // Offsets of what was read fit, so the file can be added.
        Some((known.or_else(|| session.sources.add(name, text.clone()).ok())?, text.as_str()))
    });
    Renderer::new(&input.module, file)
}

/// A diagnostic that says which file it is about where it has no place in one.
fn placed(path: &Path, input: &Input, diagnostic: Diagnostic) -> Diagnostic {
    match &input.text {
        Some(_) => diagnostic,
        None => diagnostic.note(format!(
            "in `{}`; `silkit opt` prints its text, which has lines to point to",
            path.display()
        )),
    }
}

/// A diagnostic at an offset in the text that a module was read from, where it is known.
pub(crate) fn at(
    session: &mut Session,
    path: &Path,
    input: &Input,
    pos: u32,
    diagnostic: Diagnostic,
) -> Diagnostic {
    let file = input.text.as_ref().filter(|_| pos != silkit::ir::NONE);
    match file.and_then(|text| session.sources.add(name_of(path), text.clone()).ok()) {
        Some(file) => diagnostic.at(Span::new(file, pos, pos + 1)),
        None => diagnostic,
    }
}

/// How `silkit opt` verifies what it read.
#[derive(Clone, Debug, Default)]
pub(crate) struct Checking {
    pub(crate) addresses: Addresses,
    /// The parts of the reference's verifier whose errors are let pass.
    pub(crate) skipped: Vec<Part>,
    /// Whether errors are told in the reference's words, and what can be printed nevertheless is.
    pub(crate) goes_on: bool,
    /// Whether errors of memory lifetimes are told in the reference's words alone, and nothing is refused for them.
    pub(crate) tells_memory: bool,
}

impl Checking {
    /// Lets errors of a part pass, or not.
    pub(crate) fn skip(&mut self, part: Part, is_skipped: bool) {
        self.skipped.retain(|skipped| *skipped != part);
        if is_skipped {
            self.skipped.push(part);
        }
    }
}

/// The errors that break rules, for `silkit opt`.
pub(crate) fn errors(input: &Input, declarations: &Declarations, addresses: Addresses) -> Vec<Finding> {
    let options = Options { addresses, ..Options::default() };
    let mut report = verify(&input.module, declarations, input.text.as_deref(), &options);
    report.findings.retain(Finding::is_error);
    report.findings
}

/// Notes errors of a module. Whether there is none that keeps it from being used.
pub(crate) fn check(
    session: &mut Session,
    path: &Path,
    input: &Input,
    findings: &[Finding],
    how: &Checking,
) -> bool {
    let is_told = |f: &&Finding| how.tells_memory && part(f) == Part::Memory;
    let found = findings.iter().filter(|f| !how.skipped.contains(&part(f)) && !is_told(f));
    let told: Vec<Finding> = findings.iter().filter(is_told).cloned().collect();
    let findings: Vec<Finding> = found.cloned().collect();
    let reference = Reference::new(&input.module);
    output::complain(&reference.memory_errors(&told));
    if how.goes_on {
        output::complain(&reference.failures(&findings));
        output::complain(&reference.memory_errors(&findings));
        // The reference goes on after failures, and stops at these all the same.
        if findings.iter().any(|f| matches!(part(f), Part::Ownership | Part::Memory)) {
            session.fail();
            return false;
        }
        return true;
    }
    if findings.is_empty() {
        return true;
    }
    let renderer = renderer(session, path, input);
    for finding in &findings {
        let diagnostic = placed(path, input, renderer.finding(finding));
        session.push(match reference.headline(finding) {
            Some(words) => diagnostic.note(format!("in the words of sil-opt: {words}")),
            None => diagnostic,
        });
    }
    false
}

fn run_rules(input: &Input, options: &Options) -> Report {
    verify(&input.module, &silkit::declarations(&input.module), input.text.as_deref(), options)
}

/// Notes what was found.
fn show(session: &mut Session, path: &Path, input: &Input, report: &Report) {
    if report.findings.is_empty() && report.unknown.is_empty() {
        return;
    }
    let renderer = renderer(session, path, input);
    report.findings.iter().for_each(|f| session.push(placed(path, input, renderer.finding(f))));
    report.unknown.iter().for_each(|u| session.push(placed(path, input, renderer.unknown(u))));
}

/// The rules with these names; `None` where one is unknown, which is noted.
fn chosen(session: &mut Session, names: &[String]) -> Option<Vec<RuleId>> {
    let mut found = Vec::new();
    for name in names {
        match find_rule(name) {
            Some(rule) => found.push(rule.id),
            None => session.push(no_rule(name)),
        }
    }
    (found.len() == names.len()).then_some(found)
}

fn no_rule(name: &str) -> Diagnostic {
    let near = nearest(name, rules().flat_map(|r| [r.id.as_str(), r.name]));
    let hint = near.map_or("`silkit verify --list` names all".to_owned(), |n| format!("did you mean `{n}`?"));
    Diagnostic::new(silkit::diag::Severity::Error, format!("there is no rule `{name}`")).note(hint)
}

/// All rules, by family.
fn list() -> String {
    let mut out = String::new();
    let mut family = "";
    let width = rules().map(|r| r.name.len()).max().unwrap_or(0);
    for rule in rules() {
        if rule.family() != family {
            out += if family.is_empty() { "" } else { "\n" };
            family = rule.family();
            out += &format!("{family}\n");
        }
        out += &format!("  {}  {:width$}  {}\n", rule.id, rule.name, rule.summary);
    }
    out
}

/// The page of a rule.
pub(crate) fn page(rule: &Rule, bold: bool) -> String {
    let (on, off) = if bold { ("\x1b[1m", "\x1b[0m") } else { ("", "") };
    let example = |text: &str| format!("  {}\n", text.trim_end().replace('\n', "\n  "));
    format!(
        "{on}{} {}{off} – {}\n\n{}\n\n{on}Wrong{off}\n{}\n{on}Right{off}\n{}",
        rule.id,
        rule.name,
        rule.summary,
        rule.details,
        example(rule.failing),
        example(rule.corrected)
    )
}
