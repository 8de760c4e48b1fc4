//! Demangles every line of the input: `cargo run --example demangle -- -simplified < symbols`.

use silkit_demangle::{Style, demangle};
use std::io::{self, BufWriter, Write};

fn main() -> io::Result<()> {
    let style = if std::env::args().any(|a| a == "-simplified") { Style::Simplified } else { Style::Full };
    let mut out = BufWriter::new(io::stdout().lock());
    for line in io::stdin().lines() {
        let line = line?;
        writeln!(out, "{}", demangle(&line, style).unwrap_or(line))?;
    }
    Ok(())
}
