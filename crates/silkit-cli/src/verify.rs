//! `silkit verify`: reports every violation of the rules of SIL in a module.

use crate::findings::{placed, renderer};
use crate::input::Input;
use crate::output::counted;
use crate::session::{Report, Session, published_rules, tool};
use crate::shown;
use crate::threads;
use crate::wrap::{self, prose};
use serde_json::json;
use silkit::diag::{RuleId, nearest, render};
use silkit::ir::conventions::Addresses;
use silkit::library_table;
use silkit::types::decl::DeclTable;
use silkit::verify::{
    LinkedModule, Place, Renderer, Rule, VerifyOptions, VerifyReport as Findings, find_rule, rules, verify,
    verify_linked,
};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

const EXAMPLES: &str = "\
Findings go to standard output. The exit status is 1 if anything was found. A warning is the
violation of a rule that the reference does not check: `silkit opt` accepts it.

Examples:
  silkit verify docs/mistakes/leak.sil
  silkit verify --only SIL0402 --format sarif docs/mistakes/*.sil
  silkit verify --link App.sil Utils.sil --package-name Utils.sil=tools
  silkit verify --library Utils.sil App.sil
  silkit verify --list
  silkit explain SIL0402";

/// Verify SIL: report every violation of its rules, with the reason
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Files; `-` is standard input
    #[arg(value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    files: Vec<PathBuf>,
    /// Also check that the files agree on the functions and variables that they share
    #[arg(long)]
    link: bool,
    /// Swift module of a file, with --link [default: its name up to the first dot]
    #[arg(long, value_name = "FILE=NAME", requires = "link")]
    module_name: Vec<String>,
    /// Package of a file's Swift module, with --link; without `FILE=` that of all files
    #[arg(long, value_name = "[FILE=]NAME", requires = "link")]
    package_name: Vec<String>,
    /// Take the Swift declarations of an imported module from FILE, text or binary; its name up to the first dot is the
    /// module's; may be repeated
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    library: Vec<PathBuf>,
    /// Check only this rule, by id or name; may be repeated
    #[arg(long, value_name = "RULE")]
    only: Vec<String>,
    /// Ignore violations of this rule; may be repeated
    #[arg(long, value_name = "RULE")]
    allow: Vec<String>,
    /// Show at most N errors, and as many warnings; 0 shows all
    #[arg(long, value_name = "N", default_value_t = 100)]
    limit: usize,
    /// Show only how many violations there are of each rule
    #[arg(long, conflicts_with = "limit")]
    stat: bool,
    /// Also list checks that could not be decided, and why
    #[arg(long)]
    unknown: bool,
    /// Treat address-only values like any other value (-enable-sil-opaque-values)
    #[arg(long)]
    opaque_values: bool,
    /// List all rules, with --format as JSON or SARIF
    #[arg(long)]
    list: bool,
    /// Format of findings
    #[arg(long, value_enum, default_value_t)]
    format: Report,
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> ExitCode {
    if args.list {
        return crate::answer(&match args.format {
            Report::Text => list(),
            Report::Json => json_list(),
            Report::Sarif => render::sarif_rules(tool(&published_rules())),
        });
    }
    if args.stat && args.format == Report::Sarif {
        return crate::refuse("`--stat` has no format `sarif`", "expected `text` or `json`");
    }
    let mut session = Session::of_findings(args.format, if args.stat { 0 } else { args.limit });
    let only = chosen(&mut session, &args.only);
    let allow = chosen(&mut session, &args.allow);
    let (Some(only), Some(allow)) = (only, allow) else { return session.finish() };
    session.reading.opaque_values = args.opaque_values;
    let addresses = if args.opaque_values { Addresses::Opaque } else { Addresses::Lowered };
    let options = VerifyOptions { only, allow, unknown: args.unknown, addresses };
    let mut libraries = Vec::new();
    if !args.library.is_empty() {
        threads::start(&args.library);
    }
    for path in &args.library {
        let Some(input) = session.load(path) else { return session.finish() };
        libraries.push(library_table(&input.module, stem(path).as_str().into()));
    }
    let (mut linked, mut verified) = (Vec::new(), Verified::default());
    let paths = session.inputs(&args.files);
    threads::start(&paths);
    for path in paths {
        if let Some(mut input) = session.load(&path) {
            session.progress.phase("verifying");
            let report = run_rules(&mut input, &options, &libraries);
            verified.count(&input);
            show(&mut session, &path, &input, &report);
            if args.link {
                linked.push((path, input));
            } else {
                // The operating system reclaims the memory at exit faster than running the destructors.
                std::mem::forget(input);
            }
        }
    }
    if args.link {
        link(&mut session, &mut linked, args, &options);
        std::mem::forget(linked);
    }
    if args.stat {
        session.count_findings(|id| find_rule(id).map_or("", |rule| rule.summary));
    }
    session.finish_findings(&verified.as_text())
}

/// What was verified, for the line that says that nothing was found.
#[derive(Default)]
struct Verified {
    files: usize,
    bodies: usize,
}

impl Verified {
    fn count(&mut self, input: &Input) {
        self.files += 1;
        self.bodies += input.module.functions.values().filter(|function| function.body.is_some()).count();
    }

    fn as_text(&self) -> String {
        let bodies = counted(self.bodies, "function");
        match self.files {
            1 => format!("no findings: {bodies} verified"),
            files => format!("no findings: {bodies} in {} verified", counted(files, "file")),
        }
    }
}

/// Verifies that several modules agree on the entities that they share.
fn link(session: &mut Session, inputs: &mut [(PathBuf, Input)], args: &Args, options: &VerifyOptions) {
    let declarations: Vec<_> = inputs.iter_mut().map(|(_, i)| i.declarations(&[])).collect();
    let inputs = &*inputs;
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
                format!("`--module-name {pair}` does not name a verified file"),
                "expected `FILE=NAME`, with the file as on the command line, such as `a.sil=Main`",
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

/// Returns the value that applies to a file in a list of `FILE=NAME` and `NAME` entries.
fn named<'a>(pairs: &'a [String], path: &Path) -> Option<&'a str> {
    let of_file =
        |pair: &'a String| pair.split_once('=').filter(|(file, _)| Path::new(file) == path).map(|(_, n)| n);
    let of_all = || pairs.iter().find(|p| !p.contains('=')).map(String::as_str);
    pairs.iter().find_map(of_file).or_else(of_all)
}

/// Returns the file name up to its first dot.
fn stem(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    name.split('.').next().filter(|n| !n.is_empty()).map(str::to_owned).unwrap_or(name)
}

fn run_rules(input: &mut Input, options: &VerifyOptions, libraries: &[Arc<DeclTable>]) -> Findings {
    let declarations = input.declarations(libraries);
    verify(&input.module, &declarations, input.mapped_text(), options)
}

/// Records the findings as diagnostics.
fn show(session: &mut Session, path: &Path, input: &Input, report: &Findings) {
    if report.findings.is_empty() && report.unknown.is_empty() {
        return;
    }
    let renderer = renderer(session, path, input);
    for finding in &report.findings {
        session.push(placed(path, input, renderer.finding(finding)));
    }
    for unknown in &report.unknown {
        session.push(placed(path, input, renderer.unknown(unknown)));
    }
}

/// Returns the rules with the given names. Records an error and returns `None` if one is unknown.
fn chosen(session: &mut Session, names: &[String]) -> Option<Vec<RuleId>> {
    let mut found = Vec::new();
    for name in names {
        match find_rule(name) {
            Some(rule) => found.push(rule.id),
            None => {
                let part = name.to_ascii_lowercase();
                let has_part =
                    || rules().map(|r| r.name).find(|name| name.to_ascii_lowercase().contains(&part));
                let near = nearest(name, rules().flat_map(|r| [r.id.as_str(), r.name])).or_else(has_part);
                let hint = near.map_or_else(
                    || "`silkit verify --list` lists all".to_owned(),
                    |near| format!("did you mean `{near}`?"),
                );
                session.refuse(format!("unknown rule `{name}`"), hint);
            }
        }
    }
    (found.len() == names.len()).then_some(found)
}

/// Returns all rules as a JSON array of objects.
fn json_list() -> String {
    let all: Vec<_> = rules().map(|rule| {
        json!({"id": rule.id.as_str(), "name": rule.name, "family": rule.family(), "summary": rule.summary})
    }).collect();
    shown::json(&serde_json::Value::from(all))
}

/// Returns the list of all rules, grouped by family.
fn list() -> String {
    let mut out = String::new();
    let mut family = "";
    let width = rules().map(|r| r.name.len()).max().unwrap_or(0);
    // In narrower terminals, summaries stand below the names.
    let is_wide = wrap::has_room_beside(width + 11);
    for rule in rules() {
        if rule.family() != family {
            out += if family.is_empty() { "" } else { "\n" };
            family = rule.family();
            out += &format!("{family}\n");
        }
        let name = if is_wide {
            format!("  {}  {:width$}", rule.id, rule.name)
        } else {
            format!("  {}  {}", rule.id, rule.name)
        };
        out += &wrap::listing(std::iter::once((name.as_str(), rule.summary)));
    }
    out
}

/// Returns the reference page of a rule.
pub(crate) fn page(rule: &Rule, bold: bool) -> String {
    let (on, off) = if bold { ("\x1b[1m", "\x1b[0m") } else { ("", "") };
    let example = |text: &str| format!("  {}\n", text.trim_end().replace('\n', "\n  "));
    let head = prose(&format!("{on}{} {}{off} – {}", rule.id, rule.name, rule.summary));
    format!(
        "{head}\n\n{}\n\n{on}Wrong{off}\n{}\n{on}Right{off}\n{}",
        prose(rule.details),
        example(rule.failing),
        example(rule.corrected)
    )
}
