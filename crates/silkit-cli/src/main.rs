//! The command `silkit`, which is `sil-opt` when it is called through a link of that name.

mod alias;
mod bisect;
mod completions;
mod demangle;
mod effects;
mod effects_show;
mod explain;
mod extract;
mod fmt;
mod frontend;
mod graph;
mod input;
mod interface;
mod nm;
mod opt;
mod opt_options;
mod output;
mod passes;
mod pipelines;
mod printers;
mod progress;
mod session;
mod stats;
mod verify;

use clap::{Arg, Command, CommandFactory, FromArgMatches, Parser, Subcommand};
use session::{Report, Session};
use std::path::Path;
use std::process::ExitCode;

const AFTER_HELP: &str = "\
Examples:
  silkit opt examples/shapes.raw.sil
  silkit verify examples/shapes.raw.sil
  silkit stats --format json examples/shapes.raw.sil
  silkit explain struct_extract

Every command reads several files, and standard input where none or `-` is named.
Called through a link named sil-opt, sil-nm or sil-func-extractor, it does as they do.";

/// Read, hold, write and inspect Swift Intermediate Language
#[derive(Parser)]
#[command(name = "silkit", version, max_term_width = 100, after_help = AFTER_HELP, disable_help_subcommand = true)]
struct Cli {
    #[command(subcommand)]
    command: Task,
    /// Uses N threads [default: all cores]
    #[arg(
        short = 'j',
        long,
        value_name = "N",
        global = true,
        default_value_t = 0,
        hide_default_value = true
    )]
    threads: usize,
}

#[derive(Subcommand)]
enum Task {
    /// Reads SIL and prints it again, with the options of sil-opt
    #[command(disable_help_flag = true)]
    Opt {
        /// The options of sil-opt, and the files
        #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_hint = clap::ValueHint::FilePath)]
        arguments: Vec<String>,
    },
    Verify(verify::Args),
    Fmt(fmt::Args),
    Nm(nm::Args),
    Demangle(demangle::Args),
    Extract(extract::Args),
    Graph(graph::Args),
    Alias(alias::Args),
    Effects(effects::Args),
    Stats(stats::Args),
    Bisect(bisect::Args),
    Pipelines(pipelines::Args),
    Explain(explain::Args),
    Interface(interface::Args),
    Completions(completions::Args),
}

/// The names of links, and what they stand for.
const LINKS: &[(&str, &str)] = &[("sil-opt", "opt"), ("sil-nm", "nm"), ("sil-func-extractor", "extract")];

fn main() -> ExitCode {
    let mut args = Vec::new();
    for arg in std::env::args_os() {
        match arg.into_string() {
            Ok(arg) => args.push(arg),
            Err(arg) => {
                let message = format!("the argument `{}` is not UTF-8", arg.display());
                return refuse(&message, "rename the file, or send it through standard input");
            }
        }
    }
    let program = if args.is_empty() { String::new() } else { args.remove(0) };
    let name = Path::new(&program).file_stem().and_then(|n| n.to_str()).unwrap_or_default();
    if let Some((_, command)) = LINKS.iter().find(|(link, _)| *link == name) {
        args.insert(0, (*command).to_owned());
    }
    if args.first().is_some_and(|command| command == "opt") {
        return opt::run(&args[1..]);
    }
    let command = Cli::command();
    let args = with_two_dashes(&command, args);
    let parsed = command
        .try_get_matches_from(std::iter::once("silkit".to_owned()).chain(args))
        .and_then(|matches| Cli::from_arg_matches(&matches));
    match parsed {
        Ok(cli) => run(cli),
        Err(error) => {
            let shown = if session::colors(&std::io::stdout()) && session::colors(&std::io::stderr()) {
                error.render().ansi().to_string()
            } else {
                error.render().to_string()
            };
            if error.use_stderr() {
                output::complain(&shown);
                return ExitCode::FAILURE;
            }
            output::say(&shown);
            ExitCode::SUCCESS
        }
    }
}

fn run(cli: Cli) -> ExitCode {
    use_threads(cli.threads);
    match cli.command {
        Task::Opt { arguments } => opt::run(&arguments),
        Task::Verify(args) => verify::run(&args),
        Task::Fmt(args) => fmt::run(&args),
        Task::Nm(args) => nm::run(&args),
        Task::Demangle(args) => demangle::run(&args),
        Task::Extract(args) => extract::run(&args),
        Task::Graph(args) => graph::run(&args),
        Task::Alias(args) => alias::run(&args),
        Task::Effects(args) => effects::run(&args),
        Task::Stats(args) => stats::run(&args),
        Task::Bisect(args) => bisect::run(&args),
        Task::Pipelines(args) => pipelines::run(&args),
        Task::Interface(args) => interface::run(&args),
        Task::Explain(args) => explain::run(&args),
        Task::Completions(args) => completions::run(&args),
    }
}

/// Sets the number of threads; 0 stands for all cores.
fn use_threads(number: usize) {
    if number > 0 {
        // Only the first call in a process can set it, and this is the first.
        let _ = rayon::ThreadPoolBuilder::new().num_threads(number).build_global();
    }
}

/// Says that something cannot be done.
fn refuse(message: &str, hint: &str) -> ExitCode {
    let mut session = Session::new(Report::Text);
    session.refuse(message, hint);
    session.finish()
}

/// Gives options that are spelled as LLVM's tools do, `-demangle`, their second dash.
fn with_two_dashes(command: &Command, args: Vec<String>) -> Vec<String> {
    let known = args.first().and_then(|name| command.find_subcommand(name));
    let long: Vec<&str> =
        known.into_iter().flat_map(|c| c.get_arguments().filter_map(Arg::get_long)).chain(["help"]).collect();
    let mut is_option = true;
    let spelled = args.into_iter().map(|arg| {
        is_option &= arg != "--";
        let name = arg.strip_prefix('-').map(|rest| rest.split('=').next().unwrap_or_default());
        match name {
            Some(name) if is_option && name.len() > 1 && long.contains(&name) => format!("-{arg}"),
            _ => arg,
        }
    });
    spelled.collect()
}
