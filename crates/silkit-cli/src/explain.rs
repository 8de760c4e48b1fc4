//! `silkit explain`: the reference page of an instruction or of a rule.

use crate::color;
use crate::complete::Candidate;
use crate::session::{Format, Session};
use serde_json::json;
use silkit::diag::nearest;
use silkit::ir::{InstInfo, Opcode};
use silkit::verify::{Rule, find_rule};
use std::fmt::Write;
use std::process::ExitCode;

const EXAMPLES: &str = "\
Examples:
  silkit explain struct_extract
  silkit explain SIL0106
  silkit explain --list
  silkit explain --format json begin_borrow";

/// Shows the reference page of an instruction, or of a rule of the verifier
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The names of instructions, and ids of rules
    #[arg(value_name = "NAME", required_unless_present = "list")]
    names: Vec<String>,
    /// Lists all instructions, each with a line that says what it does
    #[arg(long)]
    list: bool,
    /// The form of the answer
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> ExitCode {
    let mut session = Session::new(args.format.into());
    let mut found: Vec<&InstInfo> = Vec::new();
    let mut rules: Vec<&Rule> = Vec::new();
    if args.list {
        found.extend(Opcode::ALL.iter().map(|o| o.info()));
    }
    for name in &args.names {
        if let Some(rule) = find_rule(name) {
            rules.push(rule);
            continue;
        }
        match Opcode::from_name(name) {
            Some(opcode) => found.push(opcode.info()),
            None => {
                let near = nearest(name, Opcode::ALL.iter().map(|o| o.info().name));
                let hint = near.map_or("`silkit explain --list` names all".to_owned(), |n| {
                    format!("did you mean `{n}`?")
                });
                session.refuse(format!("there is no instruction or rule `{name}`"), hint);
            }
        }
    }
    let text = match args.format {
        Format::Json => as_json(&found, &rules),
        Format::Text if args.list => as_list(&found),
        Format::Text => {
            let bold = color::is_on(&std::io::stdout());
            let instructions = found.iter().map(|info| page(info, bold));
            let rules = rules.iter().map(|rule| crate::verify::page(rule, bold));
            instructions.chain(rules).collect::<Vec<_>>().join("\n")
        }
    };
    session.answer(&text);
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
        ("operand ownership", operand_ownership(info)),
        ("value ownership", format!("{:?}", info.value_ownership)),
        ("memory", format!("{:?}", info.memory)),
        ("may release", info.may_release.to_string()),
        ("may trap", info.may_trap.to_string()),
        ("stage", format!("{:?}", info.stage)),
    ]
}

fn operand_ownership(info: &InstInfo) -> String {
    let uses: Vec<String> = info.operands.iter().map(|o| format!("{}: {:?}", o.name, o.ownership)).collect();
    uses.join(", ")
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

fn as_json(found: &[&InstInfo], rules: &[&Rule]) -> String {
    let mut pages: Vec<_> = found
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
    pages.extend(rules.iter().map(|rule| {
        json!({
            "id": rule.id.as_str(), "name": rule.name, "summary": rule.summary, "details": rule.details,
            "failing": rule.failing, "corrected": rule.corrected,
        })
    }));
    format!("{:#}\n", serde_json::Value::from(pages))
}

/// The codes of errors that are no rules of the verifier, for completion.
pub(crate) fn codes() -> Vec<Candidate> {
    Vec::new()
}
