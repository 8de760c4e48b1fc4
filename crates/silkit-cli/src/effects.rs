//! `silkit effects`: shows the side effects of functions, and the call chains that prove them.

use crate::effects_show::EffectsView;
use crate::extent::Extent;
use crate::input::name_of;
use crate::session::{Report, Session};
use crate::shown;
use crate::wrap;
use silkit::analysis::proofs::Fact;
use silkit::ir::{FunctionId, Module};
use silkit::opt::prove;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const EXAMPLES: &str = "\
`yes`: proven, by an instruction of the function or of a callee; FUNCTION shows the shortest path.
`?`: neither proven nor excluded, because unknown code is called. `-`: excluded. Memory that a
function allocates and that does not escape does not count, and recursion alone proves nothing.

Brackets show the effects that the passes compute-escape-effects and compute-side-effects write
after the type, as the compiler does; they may include more. docs/effects.md has the details,
and describes the JSON.

Examples:
  silkit effects examples/shapes.raw.sil
  silkit effects examples/shapes.raw.sil 'Canvas.total()'
  silkit effects examples/shapes.raw.sil '*Canvas*'
  silkit effects examples/shapes.raw.sil --may lock --may allocate
  silkit effects examples/shapes.raw.sil --stat
  silkit effects examples/shapes.raw.sil main --format json";

/// Show what functions may do (allocate, release, lock, trap, read, write), and which calls prove it
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// File; `-` is standard input
    #[arg(value_hint = clap::ValueHint::FilePath, default_value = "-")]
    file: PathBuf,
    /// Functions, by mangled or demangled name, a unique part, or a pattern with `*`; without any, there is a line for
    /// each function of the file
    function: Vec<String>,
    /// Function, as the other commands take it
    #[arg(long = "function", short = 'f', short_alias = 'n', value_name = "NAME")]
    named: Vec<String>,
    /// List only functions that may do this, proven or not; if repeated, functions that may do all of them
    #[arg(long, value_enum, value_name = "EFFECT")]
    may: Vec<Effect>,
    /// Treat the file as the whole module: internal functions have no other callers
    #[arg(long)]
    wmo: bool,
    #[command(flatten)]
    extent: Extent,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

#[derive(Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
enum Format {
    #[default]
    Text,
    Json,
}

/// An effect of a function. Effects on arguments and on other memory are combined.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub(crate) enum Effect {
    /// Allocate memory on the heap
    Allocate,
    /// End lifetimes, which may run deinitializers
    Release,
    /// Count references
    Count,
    /// Take a lock in the runtime
    Lock,
    /// Stop the program
    Trap,
    /// Read memory
    Read,
    /// Write to memory
    Write,
    /// Run code that is not in the file
    Unknown,
}

impl Effect {
    /// All effects, in display order.
    pub(crate) const ALL: [Self; 8] = [
        Self::Allocate,
        Self::Release,
        Self::Count,
        Self::Lock,
        Self::Trap,
        Self::Read,
        Self::Write,
        Self::Unknown,
    ];

    /// Returns the effect category of a fact.
    pub(crate) fn of(fact: Fact) -> Self {
        match fact {
            Fact::Allocate => Self::Allocate,
            Fact::Count => Self::Count,
            Fact::Release => Self::Release,
            Fact::Lock => Self::Lock,
            Fact::Trap => Self::Trap,
            Fact::Read(_) => Self::Read,
            Fact::Write(_) => Self::Write,
            Fact::Unknown => Self::Unknown,
        }
    }
}

/// The width of a terminal that has room for the table, with short names.
const TABLE: usize = 90;

/// Runs the command.
pub(crate) fn run(args: &Args) -> ExitCode {
    let mut session = Session::new(if args.format == Format::Json { Report::Json } else { Report::Text });
    let path = args.file.as_path();
    session.inputs(&[path.to_owned()]);
    let Some(mut input) = session.load(path) else { return session.finish() };
    if let Some(other) = args.function.iter().find(|name| Path::new(name).is_file()) {
        session.refuse(
            format!("`effects` reads one file, and `{other}` is another"),
            "run it for each file; the arguments after the file name functions",
        );
        return session.finish();
    }
    let names: Vec<String> = args.function.iter().chain(&args.named).cloned().collect();
    let Some(chosen) = choose(&mut session, &input.module, path, &names) else {
        return session.finish();
    };
    session.progress.phase("computing the effects of");
    let declarations = input.declarations(&[]);
    let proofs = prove(&mut input.module, &declarations, args.wmo);
    let view = EffectsView::new(&input, &proofs);
    let functions: Vec<FunctionId> = chosen
        .into_iter()
        .filter(|&id| args.may.iter().all(|&effect| view.verdict(id, effect).is_some()))
        .collect();
    let (all, extent) = (functions.len(), &args.extent);
    let functions = if extent.stat { functions } else { functions[..extent.of(all)].to_vec() };
    let text = match (args.format, !names.is_empty()) {
        (Format::Json, _) if extent.stat => shown::json(&view.stat_json(&name_of(path), &functions)),
        (Format::Text, _) if extent.stat => view.as_stat(&functions),
        (Format::Json, _) => {
            let omitted = extent.omitted(all);
            let write =
                |out: &mut (dyn Write + Send)| view.write_json(&name_of(path), &functions, omitted, out);
            session.write_with(Path::new("-"), write);
            return session.finish();
        }
        (Format::Text, true) => {
            let texts: Vec<String> = functions.iter().map(|&id| view.as_text(id)).collect();
            wrap::fitted(&texts.join("\n"), wrap::terminal_width())
        }
        (Format::Text, false) => match wrap::terminal_width().filter(|&width| width < TABLE) {
            Some(width) => view.as_list(&functions, width),
            None => view.as_table(&functions),
        },
    };
    session.answer(&text);
    if !extent.stat {
        extent.note_omitted(all, "function");
    }
    session.finish()
}

/// Returns the functions with the given names, or all functions with bodies if there are none.
fn choose(session: &mut Session, module: &Module, path: &Path, names: &[String]) -> Option<Vec<FunctionId>> {
    if !names.is_empty() {
        return session.bodies_named(module, path, names);
    }
    let bodies = module.functions.iter().filter(|(_, f)| f.body.is_some());
    Some(bodies.map(|(id, _)| id).collect())
}
