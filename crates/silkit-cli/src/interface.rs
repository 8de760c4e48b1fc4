//! `silkit interface`: shows the declarations in module interfaces, and generates compact facts from them.

use crate::session::{Report, Session};
use silkit::text::decl::{parse_interface, write_facts};
use std::path::PathBuf;
use std::process::ExitCode;

const EXAMPLES: &str = "\
The built-in facts about the standard library are generated with --facts, from the files in the
order in which their first line names the modules.

Examples:
  silkit interface Geo.swiftinterface
  silkit interface --facts Swift.swiftinterface _Concurrency.swiftinterface -o swift.facts";

/// Show what `.swiftinterface` files declare, or make a file of facts from them
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Files; `-` is standard input
    #[arg(value_hint = clap::ValueHint::FilePath)]
    files: Vec<PathBuf>,
    /// Combine all files into one file of facts
    #[arg(long)]
    facts: bool,
    /// Write to FILE instead of standard output
    #[arg(short, value_name = "FILE", default_value = "-", value_hint = clap::ValueHint::FilePath)]
    output: PathBuf,
    /// Format of diagnostics
    #[arg(long, value_enum, default_value_t)]
    format: Report,
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> ExitCode {
    let mut session = Session::new(args.format);
    let mut tables = Vec::new();
    for path in session.inputs(&args.files) {
        let Some(text) = session.read_text(&path) else { continue };
        let parsed = parse_interface(&text);
        if parsed.errors.is_empty() {
            tables.push(parsed.table);
        } else {
            session.syntax_errors(&path, text, &parsed.errors);
        }
    }
    if session.has_errors() {
        // Incomplete facts would be silently wrong, so nothing is written after an error.
        return session.finish();
    }
    let text = if args.facts {
        write_facts(&tables)
    } else {
        tables.iter().map(|table| readable(&write_facts(std::slice::from_ref(table)))).collect()
    };
    session.write(&args.output, text.as_bytes());
    session.finish()
}

/// Formats facts with one declaration per line.
fn readable(facts: &str) -> String {
    let mut lines = facts.lines();
    let module = lines.next().and_then(|header| header.split(' ').nth(2)).unwrap_or_default();
    let mut out = format!("// module {module}\n");
    for line in lines {
        let (path, declarations) = line.split_once('\t').unwrap_or(("", line));
        // The declaration of a nested type has its unqualified name.
        if let Some((outer, _)) = path.rsplit_once('.') {
            out += &format!("// in {outer}\n");
        }
        out += &declarations.replace("};extension ", "}\nextension ").replace('{', " { ").replace('}', " }");
        out.push('\n');
    }
    out
}
