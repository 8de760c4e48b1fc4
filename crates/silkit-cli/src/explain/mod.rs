//! `silkit explain`: prints the reference page of an instruction, a pass, a verifier rule, an error code, or a concept, and
//! finds the page for a sentence of the compiler.

mod concepts;
mod passes;

use crate::codes::{self, Code};
use crate::color;
use crate::complete::Candidate;
use crate::output;
use crate::session::{Format, Session};
use crate::shown;
use crate::wrap::{self, prose};
use concepts::Concept;
use serde_json::{Value, json};
use silkit::diag::nearest;
use silkit::ir::{InstInfo, Opcode};
use silkit::pass::Pass;
use silkit::verify::{Rule, find_rule, rules};
use std::process::ExitCode;

const EXAMPLES: &str = "\
Examples:
  silkit explain struct_extract
  silkit explain SIL0402
  silkit explain mem2reg
  silkit explain CLI0004
  silkit explain ossa
  silkit explain 'Found over consume?!'
  silkit explain --list | grep borrow
  silkit explain --format json begin_borrow";

/// Explain an instruction, a pass, a concept, a rule of the verifier, an error code, or a message of the compiler
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Names of instructions or concepts, tags of passes, ids or names of rules, codes of errors, and messages of the
    /// compiler, in quotes
    #[arg(value_name = "NAME", required_unless_present = "list")]
    names: Vec<String>,
    /// List all instructions, passes, rules, codes and concepts with a summary of each
    #[arg(long)]
    list: bool,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// An entity with a reference page.
enum Page {
    Instruction(&'static InstInfo),
    Pass(&'static Pass<'static>),
    Rule(&'static Rule),
    Code(&'static Code),
    Concept(&'static Concept),
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> ExitCode {
    let mut session = Session::new(args.format.into());
    let mut pages: Vec<Page> = Vec::new();
    if args.list {
        pages.extend(Opcode::ALL.iter().map(|opcode| Page::Instruction(opcode.info())));
        pages.extend(silkit::passes::all().iter().map(Page::Pass));
        pages.extend(rules().map(Page::Rule));
        pages.extend(codes::ALL.iter().map(Page::Code));
        pages.extend(concepts::all().iter().map(Page::Concept));
    }
    for name in &args.names {
        if let Some(page) = find(name) {
            pages.push(page);
            continue;
        }
        let explaining = concepts::pages_of_sentence(name);
        let Some(page) = explaining.first().and_then(|page| find(page)) else {
            let what =
                if name.contains(' ') { "message" } else { "instruction, pass, concept, rule or error code" };
            session.refuse(format!("unknown {what} `{name}`"), hint(name));
            continue;
        };
        if let [_, others @ ..] = explaining.as_slice()
            && !others.is_empty()
        {
            output::note(&format!("{} explain this message too", output::listed(others)));
        }
        pages.push(page);
    }
    let text = match args.format {
        Format::Json => shown::json(&Value::from_iter(pages.iter().map(Page::as_json))),
        Format::Text if args.list => as_list(&pages),
        Format::Text => {
            let bold = color::is_on(&std::io::stdout());
            pages.iter().map(|page| page.as_text(bold)).collect::<Vec<_>>().join("\n")
        }
    };
    session.answer_styled(&text);
    session.finish()
}

/// Returns what to try for a name without a page.
fn hint(name: &str) -> String {
    // The number of a rule without its letters.
    let rule = find_rule(&format!("SIL0{name}")).or_else(|| find_rule(&format!("SIL{name}")));
    let names = Opcode::ALL.iter().map(|opcode| opcode.info().name);
    let names = names.chain(silkit::passes::all().iter().map(|pass| pass.tag));
    let names = names.chain(rules().flat_map(|rule| [rule.id.as_str(), rule.name]));
    let names = names.chain(codes::ALL.iter().map(|code| code.id.as_str())).chain(concepts::names());
    match rule.map(|rule| rule.id.as_str()).or_else(|| nearest(name, names)) {
        Some(near) => format!("did you mean `{near}`?"),
        None => passes::unimplemented(name).unwrap_or_else(|| "`silkit explain --list` lists all".to_owned()),
    }
}

fn find(name: &str) -> Option<Page> {
    let rule = || find_rule(name).map(Page::Rule);
    let code = || codes::find(name).map(Page::Code);
    let instruction = || Opcode::from_name(name).map(|opcode| Page::Instruction(opcode.info()));
    let pass = || silkit::passes::all().iter().find(|pass| pass.tag == name).map(Page::Pass);
    let concept = || concepts::find(name).map(Page::Concept);
    rule().or_else(code).or_else(instruction).or_else(pass).or_else(concept)
}

fn as_list(pages: &[Page]) -> String {
    wrap::listing(pages.iter().map(|page| (page.name(), page.summary())))
}

impl Page {
    fn name(&self) -> &'static str {
        match self {
            Self::Instruction(info) => info.name,
            Self::Pass(pass) => pass.tag,
            Self::Rule(rule) => rule.id.as_str(),
            Self::Code(code) => code.id.as_str(),
            Self::Concept(concept) => concept.name,
        }
    }

    fn summary(&self) -> &'static str {
        match self {
            Self::Instruction(info) => info.summary,
            Self::Pass(pass) => pass.summary,
            Self::Rule(rule) => rule.summary,
            Self::Code(code) => code.summary,
            Self::Concept(concept) => concept.summary,
        }
    }

    fn as_text(&self, bold: bool) -> String {
        match self {
            Self::Instruction(info) => instruction(info, bold),
            Self::Pass(pass) => passes::page(pass, bold),
            Self::Rule(rule) => crate::verify::page(rule, bold),
            Self::Code(code) => codes::page(code, bold),
            Self::Concept(concept) => concept.page(bold),
        }
    }

    fn as_json(&self) -> Value {
        match self {
            Self::Instruction(info) => {
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
            }
            Self::Pass(pass) => passes::as_json(pass),
            Self::Concept(concept) => concept.as_json(),
            Self::Rule(rule) => json!({
                "id": rule.id.as_str(), "name": rule.name, "summary": rule.summary, "details": rule.details,
                "failing": rule.failing, "corrected": rule.corrected,
            }),
            Self::Code(code) => json!({
                "id": code.id.as_str(), "summary": code.summary, "details": code.details, "example": code.example,
            }),
        }
    }
}

/// Returns the properties of an instruction, with their labels on the reference page.
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

fn instruction(info: &InstInfo, bold: bool) -> String {
    let (on, off) = if bold { ("\x1b[1m", "\x1b[0m") } else { ("", "") };
    let head = prose(&format!("{on}{}{off} – {}", info.name, info.summary));
    let width = wrap::terminal_width();
    let syntax = wrap::fitted(&format!("  {} {}\n", info.name, info.syntax), width);
    let mut out = format!("{head}\n\n{syntax}\n");
    if !info.details.is_empty() {
        out += &format!("{}\n\n", prose(info.details));
    }
    for (name, value) in facts(info) {
        out += &wrap::fitted(&format!("{name:<18} {value}\n"), width);
    }
    if !info.example.is_empty() {
        out += &format!("\n{on}Example{off}\n  {}\n", info.example.trim_end().replace('\n', "\n  "));
    }
    if !info.see.is_empty() {
        out += &wrap::fitted(&format!("\nSee also: {}\n", info.see.join(", ")), width);
    }
    out
}

/// Returns the concepts, and the error codes other than verifier rules, for shell completion.
pub(crate) fn codes() -> impl Iterator<Item = Candidate> {
    let codes = codes::ALL.iter().map(|code| (code.id.as_str(), code.summary));
    let concepts = concepts::all().iter().map(|concept| (concept.name, concept.summary));
    codes.chain(concepts).map(|(text, help)| Candidate { text: text.to_owned(), help: help.to_owned() })
}
