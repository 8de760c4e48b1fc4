//! `silkit library build`: compiles the standard library from its sources with the compiler of the user.
//!
//! The compiler prints the SIL of each module, which is written to the library directory in binary form. A file beside it
//! records the compiler, the options and the sources, so that a second call skips what has not changed.

mod checkout;
mod compiler;
mod recipe;
mod work;

use super::{Directory, write};
use crate::output;
use crate::session::Session;
use checkout::{Checkouts, STRING_PROCESSING, Sources};
use compiler::Compiler;
use recipe::{RECIPES, Recipe, Repository};
use silkit::binary::Reader;
use silkit::diag::{Diagnostic, Severity, nearest};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::PathBuf;
use std::time::{Duration, Instant, UNIX_EPOCH};
use work::WorkFolder;

pub(super) const EXAMPLES: &str = "\
The sources must be of the compiler's version. `git clone` takes them from GitHub:

  swiftc --version
  git clone --depth 1 --branch swift-6.2.3-RELEASE https://github.com/swiftlang/swift
  git clone --depth 1 --branch swift-6.2.3-RELEASE \\
      https://github.com/swiftlang/swift-experimental-string-processing

The second one has the modules for regular expressions, and is found beside the first. Some
sources are templates, which python3 expands. The build takes about two minutes and 1 GB of memory.

Examples:
  silkit library build                     # print the commands that get the sources
  silkit library build --sources swift
  silkit library build --sources swift --module Swift --swiftc /opt/swift/usr/bin/swiftc";

/// How to build the standard library, as a hint.
pub(crate) const HOW_TO_BUILD: &str = "\
`silkit library build --sources swift` builds it with the installed `swiftc`, from the sources of the same version \
(`swiftc --version`): `git clone --depth 1 --branch swift-6.2.3-RELEASE https://github.com/swiftlang/swift`";

/// Returns true if a module belongs to the standard library, which can be built from its sources.
pub(crate) fn is_buildable(name: &str) -> bool {
    RECIPES.iter().any(|recipe| recipe.name == name)
}

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Checkout of https://github.com/swiftlang/swift, or the directory that contains it; may be repeated
    #[arg(long, value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    sources: Vec<PathBuf>,
    /// Swift compiler of the same version
    #[arg(long, value_name = "PATH", default_value = "swiftc", value_hint = clap::ValueHint::ExecutablePath)]
    swiftc: PathBuf,
    /// Module to build; may be repeated [default: all modules of the standard library]
    #[arg(long, value_name = "NAME")]
    module: Vec<String>,
    /// Build modules again that have not changed
    #[arg(long)]
    force: bool,
}

/// The reason why modules cannot be built, and a hint.
#[derive(Debug)]
pub(super) struct Obstacle {
    message: String,
    hint: String,
}

impl Obstacle {
    fn new(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { message: message.into(), hint: hint.into() }
    }

    fn report(self, session: &mut Session) {
        session.refuse(self.message, self.hint);
    }
}

/// What became of a module.
enum Done {
    Built(Built),
    UpToDate,
    NoSources,
}

/// A module that was built.
struct Built {
    functions: usize,
    bytes: usize,
    time: Duration,
}

/// Runs the command.
pub(super) fn run(session: &mut Session, folder: &Directory, args: &Args) {
    let begin = Instant::now();
    let prepared = recipes(&args.module).and_then(|recipes| Ok((recipes, prepare(args)?)));
    let (recipes, (compiler, checkouts)) = match prepared {
        Ok(prepared) => prepared,
        Err(obstacle) => return obstacle.report(session),
    };
    if !compiler.version.is_same(&checkouts.version) {
        let message = format!(
            "the sources are of Swift {}, the compiler is {}: they may not fit",
            checkouts.version, compiler.version
        );
        let hint = format!("the sources of the compiler are those of `{}`", compiler.version.branch());
        session.push(Diagnostic::new(Severity::Warning, message).note(hint));
    }
    session.progress.expect(recipes.len());
    let (mut built, mut current, mut without_sources) = (0, 0, Vec::new());
    for recipe in recipes {
        session.progress.begin(recipe.name);
        match build(session, folder, recipe, &compiler, &checkouts, args.force) {
            Ok(Done::Built(module)) => {
                built += 1;
                say(session, &line(recipe.name, &module));
            }
            Ok(Done::UpToDate) => {
                current += 1;
                say(session, &format!("{:<18} is up to date\n", recipe.name));
            }
            Ok(Done::NoSources) => without_sources.push(recipe),
            Err(Some(obstacle)) => obstacle.report(session),
            Err(None) => {}
        }
    }
    report_missing(session, &without_sources, &compiler, !args.module.is_empty());
    let modules = output::counted(built, "module");
    let unchanged = if current > 0 { format!(", {current} up to date") } else { String::new() };
    let seconds = begin.elapsed().as_secs_f64();
    say(session, &format!("{modules} built in {seconds:.0} s{unchanged}: {}\n", folder.path().display()));
}

/// Returns the recipes of the named modules, or all of them.
fn recipes(names: &[String]) -> Result<Vec<&'static Recipe>, Obstacle> {
    if names.is_empty() {
        return Ok(RECIPES.iter().collect());
    }
    let all = || RECIPES.iter().map(|recipe| recipe.name);
    if let Some(unknown) = names.iter().find(|name| !all().any(|known| known == *name)) {
        let hint = match nearest(unknown, all()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("the modules are {}", all().collect::<Vec<_>>().join(", ")),
        };
        return Err(Obstacle::new(format!("`{unknown}` is not a module of the standard library"), hint));
    }
    Ok(RECIPES.iter().filter(|recipe| names.iter().any(|name| name == recipe.name)).collect())
}

/// Finds the compiler and the sources, and checks that they are of the same version.
fn prepare(args: &Args) -> Result<(Compiler, Checkouts), Obstacle> {
    let compiler = Compiler::ask(&args.swiftc)?;
    let version = &compiler.version;
    let get = version.clone_command("swift");
    if args.sources.is_empty() {
        let message = format!("the sources of Swift {version} are needed to build the standard library");
        let hint = format!("get them with `{get}`, then run `silkit library build --sources swift`");
        return Err(Obstacle::new(message, hint));
    }
    let checkouts = Checkouts::find(&args.sources)
        .map_err(|obstacle| Obstacle { hint: format!("get the sources with `{get}`"), ..obstacle })?;
    if !version.is_compatible(&checkouts.version) {
        let message = format!(
            "the sources in `{}` are of Swift {}, the compiler `{}` is {version}",
            checkouts.swift.display(),
            checkouts.version,
            args.swiftc.display()
        );
        return Err(Obstacle::new(message, format!("get the sources of the compiler with `{get}`")));
    }
    Ok((compiler, checkouts))
}

/// Builds a module. `None` as the error means that it was reported.
fn build(
    session: &mut Session,
    folder: &Directory,
    recipe: &Recipe,
    compiler: &Compiler,
    checkouts: &Checkouts,
    is_forced: bool,
) -> Result<Done, Option<Obstacle>> {
    let begin = Instant::now();
    let Some(sources) = checkouts.sources(recipe, compiler.platform)? else { return Ok(Done::NoSources) };
    let mut options = recipe.options(&sources.folder.display().to_string(), compiler.platform);
    options.extend(sources.features.iter().cloned());
    options.extend(availability(checkouts)?);
    let (Some(to), Some(stamp)) = (folder.file(recipe.name), folder.stamp(recipe.name)) else {
        return Ok(Done::NoSources);
    };
    let inputs = inputs(compiler, &options, &sources);
    let record = |bytes: &[u8]| format!("{} {inputs:016x} {:016x}\n", env!("CARGO_PKG_VERSION"), hash(bytes));
    if !is_forced
        && let Ok(bytes) = std::fs::read(&to)
        && std::fs::read_to_string(&stamp).is_ok_and(|old| old == record(&bytes))
        && Reader::open(&bytes).is_ok()
    {
        return Ok(Done::UpToDate);
    }
    session.progress.phase("compiling");
    let work = WorkFolder::new()?;
    let files = work.expanded(&sources, &checkouts.swift)?;
    let sil = compiler.sil(&options, &files, &work.file(recipe.name)).map_err(|error| {
        let message = format!("the module `{}` cannot be compiled: {error}", recipe.name);
        Obstacle::new(message, "check that the sources are unchanged and of the compiler's version")
    })?;
    session.progress.phase("converting");
    let module = silkit::read(recipe.name, &sil).map_err(|error| {
        let message = format!("the SIL of the module `{}` cannot be read: {error}", recipe.name);
        Obstacle::new(message, "the compiler may be newer than this version of Silkit")
    })?;
    drop(sil);
    let functions = module.functions.values().filter(|function| function.body.is_some()).count();
    if functions == 0 {
        let message = format!("the compiler wrote no functions of the module `{}`", recipe.name);
        return Err(Some(Obstacle::new(
            message,
            "check that `swiftc` is the compiler itself or forwards all arguments",
        )));
    }
    let bytes = session.binary_form(&module, recipe.name).ok_or(None)?;
    write(session, folder, &to, &bytes).ok_or(None)?;
    write(session, folder, &stamp, record(&bytes).as_bytes()).ok_or(None)?;
    Ok(Done::Built(Built { functions, bytes: bytes.len(), time: begin.elapsed() }))
}

/// Returns the options that define the availability of releases of the standard library.
fn availability(checkouts: &Checkouts) -> Result<Vec<String>, Obstacle> {
    let path = checkouts.swift.join("utils/availability-macros.def");
    let text = std::fs::read_to_string(&path).map_err(|error| {
        let message = format!("cannot read `{}`: {}", path.display(), output::reason(&error));
        Obstacle::new(message, "check that the checkout is complete")
    })?;
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    let definitions = lines.flat_map(|line| {
        let deployment = line.strip_prefix("SwiftStdlib").map(|rest| format!("StdlibDeploymentTarget{rest}"));
        std::iter::once(line.to_owned()).chain(deployment)
    });
    let options = definitions.flat_map(|definition| {
        ["-Xfrontend".to_owned(), "-define-availability".to_owned(), "-Xfrontend".to_owned(), definition]
    });
    Ok(options.collect())
}

/// Returns a hash of all that determines the SIL of a module.
fn inputs(compiler: &Compiler, options: &[String], sources: &Sources) -> u64 {
    let state = |file: &String| {
        let metadata = std::fs::metadata(sources.folder.join(file)).ok()?;
        let modified = metadata.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
        Some((metadata.len(), modified.as_nanos()))
    };
    let files: Vec<_> = sources.files.iter().map(|file| (file, state(file))).collect();
    hash(&(&compiler.description, options, files))
}

fn hash(value: &(impl Hash + ?Sized)) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// Returns the first error in the output of a tool, or its first line.
pub(super) fn first_error(said: &str) -> Option<String> {
    let lines = || said.lines().map(str::trim).filter(|line| !line.is_empty());
    lines().find(|line| line.contains("error:")).or_else(|| lines().next()).map(str::to_owned)
}

/// Returns the line that reports a module.
fn line(name: &str, built: &Built) -> String {
    let kilobytes = output::grouped(built.bytes.div_ceil(1000));
    let functions = output::grouped(built.functions);
    let seconds = built.time.as_secs_f64();
    format!("{name:<18} {functions:>7} functions {kilobytes:>7} kB {seconds:>6.1} s\n")
}

/// Writes a line of the answer at once: the next one may take a minute.
fn say(session: &mut Session, text: &str) {
    let mut written = Ok(());
    crate::progress::suspended(|| written = output::write(std::path::Path::new("-"), text.as_bytes()));
    if let Err(error) = written {
        session.cannot_write(&error);
    }
}

/// Reports the modules whose sources are not in the checkouts: an error if they were asked for.
fn report_missing(session: &mut Session, missing: &[&Recipe], compiler: &Compiler, is_error: bool) {
    let of = |repository: Repository| missing.iter().filter(move |recipe| recipe.repository == repository);
    for (repository, name) in
        [(Repository::Swift, "swift"), (Repository::StringProcessing, STRING_PROCESSING)]
    {
        let names: Vec<String> = of(repository).map(|recipe| format!("`{}`", recipe.name)).collect();
        if names.is_empty() {
            continue;
        }
        let message = format!("the sources of {} are not there", names.join(", "));
        let hint = match repository {
            Repository::Swift => {
                "this version of Swift does not have them, or the checkout is not complete".to_owned()
            }
            Repository::StringProcessing => {
                format!("get them beside the checkout: {}", compiler.version.clone_command(name))
            }
        };
        match is_error {
            true => session.refuse(message, hint),
            false => session.push(Diagnostic::new(Severity::Note, message).note(hint)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::first_error;

    #[test]
    fn the_first_error_is_shown() {
        assert_eq!(
            first_error("warning: w\n\n a.swift:1:2: error: e\n").as_deref(),
            Some("a.swift:1:2: error: e")
        );
        assert_eq!(first_error("\n it failed\n").as_deref(), Some("it failed"));
        assert_eq!(first_error("\n"), None);
    }
}
