//! `silkit interface`: shows the declarations in module interfaces, and generates compact facts from them.

use crate::input::with_line_feeds;
use crate::session::{Report, Session};
use silkit::text::decl::{parse_interface, write_facts};
use std::path::PathBuf;
use std::process::ExitCode;

const EXAMPLES: &str = "\
The built-in facts about the standard library are generated with --facts, from the files in the
order in which their first line names the modules.

Examples:
  silkit interface examples/geometry.swiftinterface
  silkit interface --facts Swift.swiftinterface _Concurrency.swiftinterface -o swift.facts";

/// Show what `.swiftinterface` files declare, or make a file of facts from them
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Files; `-` is standard input
    #[arg(value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
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
        let Some(text) = session.read_text(&path).map(with_line_feeds) else { continue };
        let text = text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text);
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
        out += &spaced(&declarations.replace("};extension ", "}\nextension "));
        out.push('\n');
    }
    out
}

/// Returns the compact text of facts with spaces where Swift code has them.
fn spaced(text: &str) -> String {
    let mut out = String::with_capacity(text.len() * 5 / 4);
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        let is_apart = out.ends_with(' ');
        let next = rest.peek().copied();
        match c {
            '{' if next == Some('}') => {
                rest.next();
                out += if is_apart { "{}" } else { " {}" };
            }
            '{' => {
                // A deinitializer comes after a separator even if nothing comes before it.
                rest.next_if_eq(&';');
                out += if is_apart { "{ " } else { " { " };
            }
            '}' => out += " }",
            ':' | ';' if next.is_some_and(|next| next != ' ') => out.extend([c, ' ']),
            '=' if !is_apart && next != Some('=') && !out.ends_with(['=', '!', '<', '>']) => out += " = ",
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::spaced;

    #[test]
    fn compact_facts_become_readable() {
        let facts = "@frozen enum Side:Int{case left;case right;typealias RawValue=Int}";
        assert_eq!(
            spaced(facts),
            "@frozen enum Side: Int { case left; case right; typealias RawValue = Int }"
        );
        assert_eq!(
            spaced("struct Atomic<Value>:~Copyable{;deinit}"),
            "struct Atomic<Value>: ~Copyable { deinit }"
        );
        let facts = "extension Array:Area where Element : Area, Element==Int{}";
        assert_eq!(spaced(facts), "extension Array: Area where Element : Area, Element==Int {}");
    }
}
