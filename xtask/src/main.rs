//! Development tasks: `cargo xtask generate` writes the code generated from the instruction table;
//! `cargo xtask generate --check` checks that the generated code is up to date. `cargo xtask pgo FILE...` builds the command
//! with profile-guided optimization ([`pgo`]).

mod editors;
mod form;
mod generate;
mod instructions;
mod pgo;
mod reference;
mod syntax;
mod table;

use std::process::ExitCode;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    let outcome = match words[..] {
        ["generate"] => generate::run(false),
        ["generate", "--check"] => generate::run(true),
        ["pgo", "--features", features, ref files @ ..] => pgo::run(files, Some(features)),
        ["pgo", ref files @ ..] => pgo::run(files, None),
        _ => Err("usage: cargo xtask generate [--check] | pgo [--features LIST] FILE...".into()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}
