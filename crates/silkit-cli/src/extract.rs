//! `silkit extract`: extracts functions and their dependencies, like `sil-func-extractor`.

use crate::frontend::FrontEnd;
use crate::session::{Report, Session, is_reference_tool};
use silkit::names::FunctionNames;
use silkit::text::{PrintOptions, print_module};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const EXAMPLES: &str = "\
Functions that the selected ones refer to become declarations. Only the Swift declarations and
globals that the functions need are kept; tables are removed. --whole and --invert keep all of
them, as sil-func-extractor does.

Examples:
  silkit extract -func '$s6shapes6CanvasC5totalSdyF' examples/shapes.raw.sil
  silkit extract -func 'Canvas.total()' examples/shapes.raw.sil -o part.sil
  silkit extract -func '*Canvas*' --whole examples/shapes.raw.sil
  silkit extract -invert -func main examples/shapes.raw.sil";

/// Extract functions from a module, with what they need
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// File; `-` is standard input
    #[arg(value_hint = clap::ValueHint::FilePath)]
    file: Option<PathBuf>,
    /// Function to extract, by mangled or demangled name, a unique part, or a pattern with `*`
    #[arg(long, short, visible_alias = "function", value_name = "NAME")]
    func: Vec<String>,
    /// File with one function name per line
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    func_file: Option<PathBuf>,
    /// Extract all other functions
    #[arg(long)]
    invert: bool,
    /// Keep all tables, visible globals and Swift declarations, as sil-func-extractor does
    #[arg(long, conflicts_with = "minimal")]
    whole: bool,
    /// Keep only what the functions need (default)
    #[arg(long)]
    minimal: bool,
    /// Write to FILE instead of standard output
    #[arg(short, value_name = "FILE", default_value = "-", value_hint = clap::ValueHint::FilePath)]
    output: PathBuf,
    /// Print source locations
    #[arg(long)]
    emit_verbose_sil: bool,
    /// Sort functions, users and predecessors
    #[arg(long)]
    emit_sorted_sil: bool,
    /// Write binary SIL, which every command accepts instead of text
    #[arg(long)]
    emit_sib: bool,
    /// Format of diagnostics
    #[arg(long, value_enum, default_value_t)]
    format: Report,
    #[arg(long, hide = true)]
    sil_disable_ast_dump: bool,
    #[arg(long, hide = true)]
    enable_ossa_modules: bool,
    #[arg(long, hide = true)]
    enable_objc_interop: bool,
    #[command(flatten)]
    front_end: FrontEnd,
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> ExitCode {
    let mut session = Session::new(args.format);
    let mut names: Vec<String> = args.func.clone();
    if let Some(path) = &args.func_file {
        let Some(text) = session.read_text(path) else { return session.finish() };
        names.extend(text.lines().map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()));
    }
    if names.is_empty() && !args.invert {
        session.refuse(
            "no function is selected",
            "select functions with `-func NAME` or `-func-file FILE`; `silkit nm FILE` lists them",
        );
        return session.finish();
    }
    let path = args.file.as_deref().unwrap_or(Path::new("-"));
    session.inputs(&[path.to_owned()]);
    let Some(mut input) = session.load(path) else { return session.finish() };
    let functions = FunctionNames::with_bodies(&input.module);
    let mut selected: BTreeSet<String> = BTreeSet::new();
    for name in &names {
        match functions.find(name) {
            Ok(found) => {
                selected.extend(found.into_iter().map(|id| input.module.functions[id].name.to_string()))
            }
            Err(error) => session.no_function(&error, path),
        }
    }
    drop(functions);
    if session.has_errors() {
        return session.finish();
    }
    let locations = if args.emit_verbose_sil { input.locate_in_file() } else { None };
    let is_selected = |name: &str| selected.contains(name) != args.invert;
    // When invoked by the name of the reference's tool, match its behavior.
    let part = if args.whole || args.invert || is_reference_tool() {
        silkit::extract::extract(input.module, is_selected)
    } else {
        silkit::extract::extract_minimal(input.module, is_selected)
    };
    let output = if args.emit_sib {
        session.binary_form(&part, &input.source)
    } else {
        let options = PrintOptions {
            sorted: args.emit_sorted_sil,
            verbose: args.emit_verbose_sil,
            locations,
            ..PrintOptions::default()
        };
        Some(print_module(&part, &options, &silkit::comment_name).into_bytes())
    };
    if let Some(output) = output {
        session.write(&args.output, &output);
    }
    session.finish()
}
