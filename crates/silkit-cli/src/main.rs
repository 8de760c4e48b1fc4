//! The `silkit` command line tool, which acts as `sil-opt` when it is invoked through a link of that name.

mod alias;
mod bisect;
mod check;
mod check_passes;
mod codes;
mod color;
mod complete;
mod cost;
mod demangle;
mod diff;
mod dump;
mod effects;
mod effects_show;
mod excerpt;
mod explain;
mod extent;
mod extract;
mod findings;
mod fmt;
mod foreign;
mod frontend;
mod graph;
mod input;
mod interface;
mod library;
mod listing;
mod lsp;
mod man;
mod mutate;
mod nm;
mod opt;
mod output;
mod pipelines;
mod progress;
mod reduce;
mod run;
mod session;
mod shown;
mod stats;
mod swift;
mod threads;
mod timeline;
mod verify;
mod version;
mod wrap;

use clap::{Arg, ArgMatches, Command, FromArgMatches};
use session::{Report, Session};
use silkit::diag::render::printable;
use std::borrow::Cow;
use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

/// The global allocator with the feature `mimalloc`.
#[cfg(feature = "mimalloc")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const AFTER_HELP: &str = concat!(
    "\
Examples:
  silkit verify docs/mistakes/leak.sil
  silkit opt -mem2reg examples/shapes.raw.sil
  silkit run examples/run/hello.sil
  silkit stats --format json examples/shapes.raw.sil
  silkit explain struct_extract

Commands read files, or standard input if no file or `-` is given. `silkit help COMMAND` and
`silkit COMMAND --help` describe a command.

",
    codes::exit_statuses!(),
    "

When invoked through a link named sil-opt, sil-nm or sil-func-extractor, it acts as that tool."
);

/// The options of all commands.
#[derive(clap::Args)]
#[command(about = None, long_about = None)]
struct Common {
    /// Use N threads [default: all cores]
    #[arg(
        short = 'j',
        long,
        value_name = "N",
        global = true,
        display_order = 900,
        default_value_t = 0,
        hide_default_value = true
    )]
    threads: usize,
    /// When to use colors
    #[arg(long, value_name = "WHEN", global = true, display_order = 901, value_enum, default_value_t)]
    color: color::Color,
    /// Show results and errors only: no notes, summaries and progress
    #[arg(short, long, global = true, display_order = 902)]
    quiet: bool,
}

/// Read SIL, run passes on it, and print it, with the options of sil-opt
#[derive(clap::Args)]
#[command(disable_help_flag = true)]
struct OptArgs {
    /// The options of sil-opt, and the files
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_hint = clap::ValueHint::FilePath)]
    arguments: Vec<OsString>,
}

/// Declares the commands. Building the options of all commands takes longer than many runs, so if the first argument is
/// a command name, only the options of that command are built.
macro_rules! tasks {
    ($($name:literal $variant:ident($args:ty),)*) => {
        enum Task {
            $($variant($args),)*
        }

        impl Task {
            const NAMES: &[&str] = &[$($name),*];

            /// Adds all commands, or only the one named by `only`.
            fn add_to(mut command: Command, only: Option<&str>) -> Command {
                $(if only.is_none_or(|only| only == $name) {
                    command = command.subcommand(<$args as clap::Args>::augment_args(Command::new($name)));
                })*
                command
            }

            /// Returns the selected command with its parsed options.
            fn of(matches: &ArgMatches) -> Result<Self, clap::Error> {
                match matches.subcommand() {
                    $(Some(($name, matches)) => <$args>::from_arg_matches(matches).map(Self::$variant),)*
                    _ => Err(clap::Error::new(clap::error::ErrorKind::MissingSubcommand)),
                }
            }
        }
    };
}

tasks! {
    "opt" Opt(OptArgs),
    "verify" Verify(verify::Args),
    "fmt" Fmt(fmt::Args),
    "nm" Nm(nm::Args),
    "demangle" Demangle(demangle::Args),
    "extract" Extract(extract::Args),
    "graph" Graph(graph::Args),
    "alias" Alias(alias::Args),
    "effects" Effects(effects::Args),
    "cost" Cost(cost::Args),
    "stats" Stats(stats::Args),
    "dump" Dump(dump::Args),
    "diff" Diff(diff::Args),
    "timeline" Timeline(timeline::Args),
    "bisect" Bisect(bisect::Args),
    "reduce" Reduce(reduce::Args),
    "pipelines" Pipelines(pipelines::Args),
    "explain" Explain(explain::Args),
    "lsp" Lsp(lsp::Args),
    "run" Run(run::Args),
    "check-passes" CheckPasses(check_passes::Args),
    "mutate" Mutate(mutate::Args),
    "library" Library(library::Args),
    "interface" Interface(interface::Args),
    "completions" Completions(complete::Args),
    "man" Man(man::Args),
}

/// Returns the declaration of the command line, with all commands or only the one named by `only`.
fn command(only: Option<&str>) -> Command {
    let command = Command::new("silkit")
        .about("Read, verify, optimize, compare and draw Swift Intermediate Language")
        .version(version::short())
        .long_version(version::long().trim_start_matches("silkit ").trim_end().to_owned())
        .max_term_width(100)
        .after_help(AFTER_HELP)
        .subcommand_required(true)
        .arg_required_else_help(true);
    Task::add_to(<Common as clap::Args>::augment_args(command), only)
}

/// The link names through which `silkit` may be invoked, and the command for each.
const LINKS: &[(&str, &str)] = &[("sil-opt", "opt"), ("sil-nm", "nm"), ("sil-func-extractor", "extract")];

fn main() -> ExitCode {
    let mut args = std::env::args_os();
    let program = args.next().unwrap_or_default();
    let mut args: Vec<OsString> = args.collect();
    let name = Path::new(&program).file_stem().and_then(|name| name.to_str()).unwrap_or_default();
    if let Some((link, command)) = LINKS.iter().find(|(link, _)| *link == name) {
        session::called_as_reference_tool(link);
        args.insert(0, command.into());
    }
    if let Some(color) = color::of_arguments(&args) {
        color::choose(color);
    }
    let words: Vec<&str> = args.iter().map_while(|arg| arg.to_str()).take(2).collect();
    match words.as_slice() {
        ["opt", ..] => return opt::run(&args[1..]),
        ["complete", ..] => return complete::run_hidden(&args[1..]),
        ["help", "opt"] => return opt::run(&["-help".into()]),
        ["help", name] if !Task::NAMES.contains(name) && *name != "help" => {
            let near = silkit::diag::nearest(name, Task::NAMES.iter().copied());
            let hint = near.map_or("`silkit --help` lists the commands".to_owned(), |near| {
                format!("did you mean `{near}`?")
            });
            return refuse(&format!("unknown command `{name}`"), &hint);
        }
        ["--version"] => return answer(&version::long()),
        _ => {}
    }
    let command = command(words.first().copied().filter(|name| Task::NAMES.contains(name)));
    let args = with_two_dashes(&command, args);
    let parsed = command
        .try_get_matches_from(std::iter::once("silkit".into()).chain(args))
        .and_then(|matches| Ok((Common::from_arg_matches(&matches)?, Task::of(&matches)?)));
    match parsed {
        Ok((common, task)) => run(&common, task),
        Err(error) if error.use_stderr() => {
            output::complain_styled(&rendered(&error, color::is_on(&std::io::stderr()), wrap::error_width()));
            session::trouble()
        }
        Err(error) => answer(&rendered(&error, color::is_on(&std::io::stdout()), wrap::terminal_width())),
    }
}

/// The messages of the standard library about numbers that cannot be parsed, and what to say instead.
const NUMBERS: &[(&str, &str)] = &[
    ("invalid digit found in string", "expected a whole number"),
    ("cannot parse integer from empty string", "expected a whole number"),
    ("number too large to fit in target type", "the number is too large"),
];

/// Returns a help or a usage error as text, wrapped to the width of the terminal.
fn rendered(error: &clap::Error, colored: bool, width: Option<usize>) -> String {
    // Control characters of arguments look like colors in the text with colors.
    let has_plain_arguments =
        std::env::args_os().all(|arg| matches!(printable(&arg.to_string_lossy()), Cow::Borrowed(_)));
    let mut text = match colored && has_plain_arguments {
        true => error.render().ansi().to_string(),
        false => printable(&error.render().to_string()).into_owned(),
    };
    for (theirs, ours) in NUMBERS {
        text = text.replace(theirs, ours);
    }
    // Through a link, the usage names the link.
    if let Some((link, command)) =
        session::reference_tool().and_then(|link| LINKS.iter().find(|(name, _)| *name == link))
    {
        text = text.replacen(&format!("silkit {command}"), link, 1);
    }
    wrap::fitted(&text, width)
}

fn run(common: &Common, task: Task) -> ExitCode {
    output::set_quiet(common.quiet);
    threads::choose(common.threads);
    color::choose(common.color);
    if !matches!(task, Task::Opt(_) | Task::Verify(_) | Task::Fmt(_) | Task::Nm(_) | Task::Stats(_)) {
        threads::start_apart();
    }
    match task {
        Task::Opt(args) => opt::run(&args.arguments),
        Task::Verify(args) => verify::run(&args),
        Task::Fmt(args) => fmt::run(&args),
        Task::Nm(args) => nm::run(&args),
        Task::Demangle(args) => demangle::run(&args),
        Task::Extract(args) => extract::run(&args),
        Task::Graph(args) => graph::run(&args),
        Task::Alias(args) => alias::run(&args),
        Task::Effects(args) => effects::run(&args),
        Task::Cost(args) => cost::run(&args),
        Task::Dump(args) => dump::run(&args),
        Task::Stats(args) => stats::run(&args),
        Task::Diff(args) => diff::run(&args),
        Task::Timeline(args) => timeline::run(&args),
        Task::Bisect(args) => bisect::run(&args),
        Task::Reduce(args) => reduce::run(&args, common.threads),
        Task::Pipelines(args) => pipelines::run(&args),
        Task::Run(args) => run::run(&args),
        Task::CheckPasses(args) => check_passes::run(&args),
        Task::Mutate(args) => mutate::run(&args),
        Task::Library(args) => library::run(&args),
        Task::Interface(args) => interface::run(&args),
        Task::Lsp(args) => lsp::run(&args),
        Task::Explain(args) => explain::run(&args),
        Task::Completions(args) => complete::run(&args),
        Task::Man(args) => man::run(&args),
    }
}

/// Reports a usage error with a hint, and returns the exit status.
fn refuse(message: &str, hint: &str) -> ExitCode {
    let mut session = Session::new(Report::Text);
    session.refuse(message, hint);
    session.finish()
}

/// Prints a text that does not depend on an input, and returns the exit status.
fn answer(text: &str) -> ExitCode {
    let mut session = Session::new(Report::Text);
    session.answer_styled(text);
    session.finish()
}

/// Adds the second dash to long options in the single-dash spelling of LLVM's tools (`-demangle`).
fn with_two_dashes(command: &Command, args: Vec<OsString>) -> Vec<OsString> {
    let known = args.first().and_then(|name| command.find_subcommand(name));
    let long: Vec<&str> =
        known.into_iter().flat_map(|c| c.get_arguments().filter_map(Arg::get_long)).chain(["help"]).collect();
    let mut is_option = true;
    let spelled = args.into_iter().map(|arg| {
        is_option &= arg != "--";
        let name = arg.to_str().and_then(|arg| arg.strip_prefix('-'));
        let name = name.map(|rest| rest.split('=').next().unwrap_or_default());
        match name {
            Some(name) if is_option && name.len() > 1 && long.contains(&name) => {
                let mut spelled = OsString::from("-");
                spelled.push(&arg);
                spelled
            }
            _ => arg,
        }
    });
    spelled.collect()
}

#[cfg(test)]
mod tests {
    use super::{Task, command};

    #[test]
    fn no_line_of_the_notes_is_broken_by_clap() {
        for command in command(None).get_subcommands() {
            let notes = command.get_after_help().map(|notes| notes.to_string()).unwrap_or_default();
            let long = notes.lines().find(|line| line.chars().count() > 98);
            assert_eq!(long, None, "{}", command.get_name());
        }
    }

    #[test]
    fn one_command_alone_is_declared_as_among_all() {
        for name in Task::NAMES {
            let help = |mut command: clap::Command| {
                command.build();
                let found = command.find_subcommand_mut(name).expect("the command");
                found.render_long_help().to_string()
            };
            assert_eq!(help(command(Some(name))), help(command(None)), "{name}");
        }
    }
}
