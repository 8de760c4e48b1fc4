//! `silkit run`: executes a SIL program, and reports undefined behavior.

mod coverage;
pub(crate) mod entry;
mod lines;
pub(crate) mod modules;
mod profile;
mod report;
pub(crate) mod trial;
mod world;

use crate::listing::Listing;
use crate::output;
use crate::session::{Format, Session};
use lines::{ProgramLines, ProgramSources, ProgramText};
use modules::{LibraryArgs, Linker, MissingModules};
use report::Context;
use serde_json::Map;
use silkit::base::Symbol;
use silkit_interp::{
    Coverage, Interp, ProfileNode, Program, ProgramModule, RunOptions, RunOutcome, Trace, ViolationKind,
};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::rc::Rc;
use std::sync::Arc;

const EXAMPLES: &str = "\
The exit status is that of the program: 132 for a trap, 134 for a fatal error or an abort. It is
1 if undefined behavior or a leak was found, and 2 if the program could not run to its end,
because it needs something that is not supported or because a limit was reached.

The modules that the program needs are taken from --library and from the library directory.
`silkit library build` builds the standard library, `silkit library add` adds other modules.
docs/run.md lists what is checked, and what is not supported.

Examples:
  silkit run examples/run/hello.sil
  silkit run --leaks examples/run/hello.sil
  silkit run --trace=greet examples/run/hello.sil
  silkit run --profile=calls.svg --coverage=lines.txt examples/run/hello.sil
  silkit run --library Swift.sib main.sil -- one two";

/// Run a SIL program, and check every memory access, reference and instruction
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Program, as text or in binary form; `-` is standard input
    #[arg(value_hint = clap::ValueHint::FilePath)]
    file: PathBuf,
    #[command(flatten)]
    libraries: LibraryArgs,
    /// Function to start with, by mangled or demangled name, or a unique part
    #[arg(long, value_name = "NAME", default_value = "main")]
    entry: String,
    /// Stop after this many instructions
    #[arg(long, value_name = "STEPS")]
    steps: Option<u64>,
    /// Stop if more memory than this is in use, such as `512M`
    #[arg(long, value_name = "BYTES", default_value = "4G", value_parser = bytes)]
    memory: u64,
    /// Seed of hashing and of random numbers
    #[arg(long, value_name = "SEED", default_value_t = 0)]
    seed: u64,
    /// Schedule tasks in a random order with this seed
    #[arg(long, value_name = "SEED")]
    schedule: Option<u64>,
    /// Report memory that is still allocated and unreachable at the end
    #[arg(long)]
    leaks: bool,
    /// Do not report violations of this kind, such as `misaligned`; may be repeated
    #[arg(long, value_name = "KIND", value_parser = kind)]
    no_check: Vec<ViolationKind>,
    /// Print calls to standard error; with =FUNCTION, only those of functions whose names contain it
    #[arg(long, value_name = "FUNCTION", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    trace: Option<String>,
    /// Profile functions: print a table to standard error, or write FILE, a flame graph if its name ends with .svg,
    /// JSON if it ends with .json, otherwise the table
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, default_missing_value = "-", value_hint = clap::ValueHint::FilePath)]
    profile: Vec<PathBuf>,
    /// Count how often each instruction runs: print the counts beside the lines to standard error, or write FILE, JSON
    /// if its name ends with .json
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, default_missing_value = "-", value_hint = clap::ValueHint::FilePath)]
    coverage: Vec<PathBuf>,
    /// Format of the report
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Arguments of the program
    #[arg(last = true, value_name = "ARGUMENTS")]
    arguments: Vec<String>,
}

/// Parses a size in bytes: `64K`, `512M`, `4G`, or a plain number.
pub(crate) fn bytes(text: &str) -> Result<u64, String> {
    let (digits, shift) = match text.as_bytes().last() {
        Some(b'K' | b'k') => (&text[..text.len() - 1], 10),
        Some(b'M' | b'm') => (&text[..text.len() - 1], 20),
        Some(b'G' | b'g') => (&text[..text.len() - 1], 30),
        _ => (text, 0),
    };
    let number: Option<u64> = digits.parse().ok();
    number
        .and_then(|n| n.checked_mul(1 << shift))
        .ok_or_else(|| "expected a number of bytes, optionally followed by K, M or G".to_owned())
}

pub(crate) fn kind(name: &str) -> Result<ViolationKind, String> {
    ViolationKind::from_name(name).ok_or_else(|| {
        let all: Vec<&str> = ViolationKind::ALL.iter().map(|k| k.name()).collect();
        output::expected_one_of(name, &all)
    })
}

impl Args {
    fn options(&self) -> RunOptions {
        RunOptions {
            limit: self.steps.unwrap_or(u64::MAX),
            memory: self.memory,
            seed: self.seed,
            schedule: self.schedule,
            leaks: self.leaks,
            unchecked: self.no_check.iter().copied().collect(),
            trace: match self.trace.as_deref() {
                None => Trace::Off,
                Some("") => Trace::Calls,
                Some(name) => Trace::CallsOf(name.to_owned()),
            },
            profile: !self.profile.is_empty(),
            coverage: !self.coverage.is_empty(),
            ..RunOptions::default()
        }
    }
}

/// The results of a program run.
struct Observed {
    outcome: RunOutcome,
    profile: Vec<ProfileNode>,
    coverage: Coverage,
    /// The reason why output of the program could not be written.
    unwritten: Option<std::io::Error>,
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> ExitCode {
    let mut session = Session::with_valid_input(args.format.into());
    let Some(program) = linked(&mut session, args) else { return session.finish() };
    let LinkedProgram { modules, missing, text, listing } = program;
    let sources = ProgramSources { modules: modules.clone(), text };
    let Some(entry) = entry(&mut session, args, &modules) else { return session.finish() };
    session.progress.stop();
    let Some(observed) = interpreted(args, entry, modules) else {
        session.refuse("the interpreter could not start", "free some memory, and try again");
        return session.finish();
    };
    // What goes to standard error as JSON is one document.
    let is_part = |to: &Path| args.format == Format::Json && output::is_standard(to);
    let mut parts = Map::new();
    for to in &args.profile {
        match is_part(to) {
            true => drop(parts.insert("profile".to_owned(), profile::json(&observed.profile))),
            false => profile::write(&mut session, to, &observed.profile),
        }
    }
    for (to, listing) in args.coverage.iter().filter_map(|to| Some((to, listing.as_ref()?))) {
        match is_part(to) {
            true => drop(parts.insert("coverage".to_owned(), coverage::json(listing, &observed.coverage))),
            false => coverage::write(&mut session, to, listing, &observed.coverage),
        }
    }
    if let Some(error) = &observed.unwritten {
        session.cannot_write(error);
    }
    report::finish(
        session,
        args.format,
        &observed.outcome,
        &Context { lines: ProgramLines::new(&sources), missing },
        parts,
    )
}

/// A program with its modules.
struct LinkedProgram {
    modules: Vec<Arc<ProgramModule>>,
    missing: MissingModules,
    /// The text of the program's file.
    text: Option<ProgramText>,
    /// The listing of the program, if runs of lines are counted.
    listing: Option<Listing>,
}

/// Returns the program with the modules that it imports.
fn linked(session: &mut Session, args: &Args) -> Option<LinkedProgram> {
    let mut input = session.load(&args.file)?;
    let (text, map) = match args.coverage.is_empty() {
        true => (input.text.take(), std::mem::take(&mut input.source_map)),
        false => (input.text.clone(), input.source_map.clone()),
    };
    let file = input.source.clone();
    let (main, listing) = if args.coverage.is_empty() {
        (input.module, None)
    } else {
        let listing = Listing::new(input);
        (listing.module.clone(), Some(listing))
    };
    let main = Arc::new(modules::program(main, &args.file));
    let mut linker = Linker::new(session, &args.libraries)?;
    let libraries = linker.libraries_of(session, &main)?;
    let missing = linker.missing();
    let text = text.map(|text| ProgramText { file, text, map });
    let modules = std::iter::once(main).chain(libraries).collect();
    Some(LinkedProgram { modules, missing, text, listing })
}

/// Returns the symbol of the function to start with, which `--entry` may name as other commands name functions. A
/// function of a library is named by its symbol.
fn entry(session: &mut Session, args: &Args, modules: &[Arc<ProgramModule>]) -> Option<String> {
    let symbol = Symbol::new(&args.entry);
    let main = &modules.first()?.info.sil;
    let is_in = |module: &Arc<ProgramModule>| module.info.sil.functions.by_key(&symbol).is_some();
    if main.functions.by_key(&symbol).is_none() && modules.iter().any(is_in) {
        return Some(args.entry.clone());
    }
    let found = entry::find(main, &args.entry).and_then(|id| {
        entry::check_parameters(main, id, false).map(|()| main.functions[id].name.to_string())
    });
    found.map_err(|refusal| session.no_entry(&args.file, refusal)).ok()
}

fn interpreted(args: &Args, entry: String, modules: Vec<Arc<ProgramModule>>) -> Option<Observed> {
    let options = args.options();
    let mut world = world::World::new(&args.file, &args.arguments);
    let work = move || {
        let program = Rc::new(Program::link(modules));
        let mut interp = Interp::new(program, options, &mut world);
        let outcome = interp.run_program(&entry);
        let (profile, coverage) = (interp.profile(), interp.coverage());
        drop(interp);
        world.flush();
        Observed { outcome, profile, coverage, unwritten: world.unwritten() }
    };
    silkit_exec::on_large_stack(work)
}
