//! Development tasks: `cargo xtask generate` writes the code generated from the instruction table;
//! `cargo xtask generate --check` checks that the generated code is up to date.

mod form;
mod generate;
mod instructions;
mod reference;
mod table;

use std::process::ExitCode;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    let outcome = match words[..] {
        ["generate"] => generate::run(false),
        ["generate", "--check"] => generate::run(true),
        _ => Err("usage: cargo xtask generate [--check]".into()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}
