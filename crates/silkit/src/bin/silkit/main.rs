//! The command `silkit`.

mod explain;
mod opt;
mod output;
mod stats;

use std::process::ExitCode;

const HELP: &str = "\
silkit: read, hold, write and inspect Swift Intermediate Language

USAGE: silkit COMMAND [ARGUMENTS]

COMMANDS:
  opt       reads SIL and prints it again, as sil-opt does
  explain   the reference page of an instruction
  stats     counts functions, blocks and instructions, by kind

`silkit COMMAND --help` says more. Example: silkit opt examples/hello.sil";

fn main() -> ExitCode {
    let mut args = std::env::args();
    let program = args.next().unwrap_or_default();
    let args: Vec<String> = args.collect();
    let name = std::path::Path::new(&program).file_name().and_then(|n| n.to_str()).unwrap_or_default();
    if name == "sil-opt" {
        return opt::run(&args);
    }
    match args.split_first() {
        Some((command, rest)) if command == "opt" => opt::run(rest),
        Some((command, rest)) if command == "explain" => explain::run(rest),
        Some((command, rest)) if command == "stats" => stats::run(rest),
        Some((command, _)) if command == "--version" || command == "-V" => {
            println!("silkit {}", env!("CARGO_PKG_VERSION"));
            ExitCode::SUCCESS
        }
        Some((command, _)) if command == "--help" || command == "-h" || command == "help" => {
            println!("{HELP}");
            ExitCode::SUCCESS
        }
        Some((command, _)) => {
            eprintln!("error: there is no command `{command}`\n\n{HELP}");
            ExitCode::FAILURE
        }
        None => {
            eprintln!("{HELP}");
            ExitCode::FAILURE
        }
    }
}
