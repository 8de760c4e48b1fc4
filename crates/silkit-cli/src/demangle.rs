//! `silkit demangle`: replaces mangled names with demangled names.

use crate::input::announce_standard_input;
use crate::session::{Format, Session};
use crate::shown::standard_output;
use serde_json::json;
use silkit::demangle::{Style, demangle, demangle_text};
use silkit::diag::render::printable_json;
use std::io::{self, BufRead, Write};
use std::process::ExitCode;

const EXAMPLES: &str = "\
Examples:
  silkit demangle '$s4main5greet4nameS2S_tF'
  silkit demangle --simplified '$s4main5greet4nameS2S_tF'
  silkit nm examples/shapes.raw.sil | silkit demangle

Without symbols, standard input is copied with every mangled name in it replaced.
A name that is not mangled stays as it is.";

/// Demangle Swift symbols
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Symbols, with or without the `$` before them; without any, standard input is copied with its symbols demangled
    symbols: Vec<String>,
    /// Leave out modules and types, as the comments of SIL do
    #[arg(long)]
    simplified: bool,
    /// Print only the demangled name, without the symbol before it
    #[arg(long)]
    compact: bool,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> ExitCode {
    let style = if args.simplified { Style::Simplified } else { Style::Full };
    let outcome = if args.symbols.is_empty() {
        filter(style, args)
    } else {
        answer(style, args).map_err(Failure::Write)
    };
    let mut session = Session::new(args.format.into());
    match outcome {
        Ok(()) => {}
        // A closed pipe is not an error: the reader may stop before the end of the output.
        Err(Failure::Write(error)) if error.kind() == io::ErrorKind::BrokenPipe => {}
        Err(Failure::Read(error)) => session.cannot_read(&error),
        Err(Failure::Write(error)) => session.cannot_write(&error),
    }
    session.finish()
}

/// The reason why standard input was not copied to its end.
enum Failure {
    Read(io::Error),
    Write(io::Error),
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Write(error)
    }
}

fn answer(style: Style, args: &Args) -> io::Result<()> {
    let mut out = standard_output();
    for symbol in &args.symbols {
        let symbol = &spelled(symbol);
        if args.format == Format::Json {
            writeln!(out, "{}", printable_json(&object(symbol).to_string()))?;
            continue;
        }
        let name = demangle(symbol, style);
        let name = name.as_deref().unwrap_or(symbol);
        if args.compact { writeln!(out, "{name}")? } else { writeln!(out, "{symbol} ---> {name}")? }
    }
    Ok(())
}

/// Returns a symbol with its `$`, which one easily loses in a shell.
fn spelled(symbol: &str) -> String {
    let with_dollar = format!("${symbol}");
    let is_symbol = symbol.starts_with('s') && demangle(&with_dollar, Style::Full).is_some();
    if is_symbol { with_dollar } else { symbol.to_owned() }
}

/// Returns a JSON object with a symbol and its demangled names, which are `null` if the symbol is not mangled.
fn object(symbol: &str) -> serde_json::Value {
    json!({
        "symbol": symbol,
        "demangled": demangle(symbol, Style::Full),
        "simplified": demangle(symbol, Style::Simplified),
    })
}

/// Filters standard input line by line, so that it works in a pipe with an endless stream.
fn filter(style: Style, args: &Args) -> Result<(), Failure> {
    announce_standard_input();
    let (mut input, mut out) = (io::stdin().lock(), standard_output());
    let mut line = Vec::new();
    loop {
        line.clear();
        if input.read_until(b'\n', &mut line).map_err(Failure::Read)? == 0 {
            return Ok(out.flush()?);
        }
        // Lines that are not valid UTF-8 are copied unchanged.
        match std::str::from_utf8(&line) {
            Ok(text) if args.format == Format::Json => {
                let symbol = text.trim();
                if !symbol.is_empty() {
                    writeln!(out, "{}", printable_json(&object(symbol).to_string()))?;
                }
            }
            Ok(text) => out.write_all(demangle_text(text, style).as_bytes())?,
            Err(_) => out.write_all(&line)?,
        }
    }
}
