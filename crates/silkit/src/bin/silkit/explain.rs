//! `silkit explain`: the reference page of an instruction.

use crate::session::{self, Report, Session};
use serde_json::json;
use silkit::diag::nearest;
use silkit::ir::{InstInfo, Opcode};
use std::fmt::Write;
use std::process::ExitCode;

const EXAMPLES: &str = "\
Examples:
  silkit explain struct_extract
  silkit explain --list
  silkit explain --format json begin_borrow";

/// Shows the reference page of an instruction
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The names of instructions
    #[arg(value_name = "INSTRUCTION", required_unless_present = "list")]
    names: Vec<String>,
    /// Lists all instructions, each with a line that says what it does
    #[arg(long)]
    list: bool,
    /// The form of the answer
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

#[derive(Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
enum Format {
    #[default]
    Text,
    Json,
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> ExitCode {
    let mut session = Session::new(if args.format == Format::Json { Report::Json } else { Report::Text });
    let mut found: Vec<&InstInfo> = Vec::new();
    if args.list {
        found.extend(Opcode::ALL.iter().map(|o| o.info()));
    }
    for name in &args.names {
        match Opcode::from_name(name) {
            Some(opcode) => found.push(opcode.info()),
            None => {
                let near = nearest(name, Opcode::ALL.iter().map(|o| o.info().name));
                let hint = near.map_or("`silkit explain --list` names all".to_owned(), |n| {
                    format!("did you mean `{n}`?")
                });
                session.refuse(format!("there is no instruction `{name}`"), hint);
            }
        }
    }
    let text = match args.format {
        Format::Json => as_json(&found),
        Format::Text if args.list => as_list(&found),
        Format::Text => {
            let bold = session::colors(&std::io::stdout());
            found.iter().map(|info| page(info, bold)).collect::<Vec<_>>().join("\n")
        }
    };
    session.write("-", text.as_bytes());
    session.finish()
}

fn as_list(found: &[&InstInfo]) -> String {
    let width = found.iter().map(|i| i.name.len()).max().unwrap_or(0);
    found.iter().map(|i| format!("{:width$}  {}\n", i.name, i.summary)).collect()
}

/// What is known of an instruction besides its text, by the names of the reference page.
fn facts(info: &InstInfo) -> [(&'static str, String); 7] {
    [
        ("results", format!("{:?}", info.results)),
        ("operand ownership", format!("{:?}", info.operand_ownership)),
        ("value ownership", format!("{:?}", info.value_ownership)),
        ("memory", format!("{:?}", info.memory)),
        ("may release", info.may_release.to_string()),
        ("may trap", info.may_trap.to_string()),
        ("stage", format!("{:?}", info.stage)),
    ]
}

fn page(info: &InstInfo, bold: bool) -> String {
    let (on, off) = if bold { ("\x1b[1m", "\x1b[0m") } else { ("", "") };
    let mut out = format!("{on}{}{off} – {}\n\n  {} {}\n\n", info.name, info.summary, info.name, info.syntax);
    if !info.details.is_empty() {
        out += &format!("{}\n\n", info.details);
    }
    for (name, value) in facts(info) {
        // Writing to a string cannot fail.
        let _ = writeln!(out, "{name:<18} {value}");
    }
    if !info.example.is_empty() {
        out += &format!("\n{on}Example{off}\n  {}\n", info.example.trim_end().replace('\n', "\n  "));
    }
    if !info.see.is_empty() {
        out += &format!("\nSee also: {}\n", info.see.join(", "));
    }
    out
}

fn as_json(found: &[&InstInfo]) -> String {
    let pages: Vec<_> = found
        .iter()
        .map(|info| {
            let mut page = json!({
                "name": info.name, "class": info.class, "summary": info.summary, "syntax": info.syntax,
                "details": info.details, "example": info.example, "see": info.see,
            });
            for (name, value) in facts(info) {
                page[name.replace(' ', "_")] = match value.as_str() {
                    "true" => true.into(),
                    "false" => false.into(),
                    _ => value.into(),
                };
            }
            page
        })
        .collect();
    format!("{:#}\n", serde_json::Value::from(pages))
}
