//! `silkit graph`: control flow, calls or class hierarchy, as DOT, SVG or JSON.

use crate::input::Input;
use crate::session::{Report, Session};
use serde_json::{Value, json};
use silkit::graph::{self, Graph};
use std::process::ExitCode;

const EXAMPLES: &str = "\
Solid edges are calls and superclasses; dashed ones other references and conformances.

Examples:
  silkit graph --function main examples/shapes.raw.sil --format svg -o main.svg
  silkit graph calls examples/shapes.raw.sil | dot -Tpng > calls.png
  silkit graph classes examples/shapes.raw.sil --format json";

/// Draws control flow, calls or the class hierarchy
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// `cfg` (default), `calls` or `classes`; and the file, `-` being standard input
    #[arg(value_name = "[KIND] [FILE]", num_args = 0..=2, value_hint = clap::ValueHint::FilePath)]
    what: Vec<String>,
    /// The function to draw, by its mangled name; for calls, where to begin
    #[arg(long, short, value_name = "NAME")]
    function: Vec<String>,
    /// The form of the answer
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Writes there instead of to standard output
    #[arg(short, value_name = "FILE", default_value = "-", value_hint = clap::ValueHint::FilePath)]
    output: String,
}

#[derive(Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
enum Format {
    #[default]
    Dot,
    Svg,
    Json,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    ControlFlow,
    Calls,
    Classes,
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> ExitCode {
    let mut session = Session::new(if args.format == Format::Json { Report::Json } else { Report::Text });
    let (kind, path) = kind_and_path(&args.what);
    session.inputs(&[path.to_owned()]);
    let Some(input) = session.load(path) else { return session.finish() };
    let Some(graph) = make(&mut session, args, kind, path, &input) else { return session.finish() };
    let text = match args.format {
        Format::Dot => graph.to_dot(),
        Format::Json => as_json(&graph),
        Format::Svg => match graph.to_svg() {
            Ok(svg) => svg,
            Err(error) => {
                let hint = "take a part with `--function NAME`, or `--format dot` for other tools";
                session.refuse(error.to_string(), hint);
                return session.finish();
            }
        },
    };
    session.write(&args.output, text.as_bytes());
    session.finish()
}

/// What to draw, and of which file: the first word may be missing.
fn kind_and_path(what: &[String]) -> (Kind, &str) {
    let words: Vec<&str> = what.iter().map(String::as_str).collect();
    let kind = match words.first() {
        Some(&"cfg") => Some(Kind::ControlFlow),
        Some(&"calls") => Some(Kind::Calls),
        Some(&"classes") => Some(Kind::Classes),
        _ => None,
    };
    let path = if kind.is_some() { words.get(1) } else { words.first() };
    (kind.unwrap_or(Kind::ControlFlow), path.copied().unwrap_or("-"))
}

fn make(session: &mut Session, args: &Args, kind: Kind, path: &str, input: &Input) -> Option<Graph> {
    let module = &input.module;
    let bodies = || module.functions.values().filter(|f| f.body.is_some());
    for name in &args.function {
        session.body_named(module, path, name)?;
    }
    match kind {
        Kind::Classes => Some(graph::classes(&silkit::declarations(module))),
        Kind::Calls => {
            let roots: Vec<&str> = args.function.iter().map(String::as_str).collect();
            Some(graph::calls(module, &roots, &|_| None))
        }
        Kind::ControlFlow => {
            let mut wanted = bodies().filter(|f| args.function.iter().all(|name| f.name == name.as_str()));
            match (wanted.next(), wanted.next()) {
                (Some(function), None) => graph::control_flow(function, &|_| None),
                (None, _) => {
                    session.refuse(
                        format!("`{path}` has no such function with a body"),
                        "name one with `--function`",
                    );
                    None
                }
                (Some(first), Some(_)) => {
                    let hint = format!(
                        "name one, such as `--function '{}'`; `silkit nm {path}` lists all",
                        first.name
                    );
                    session.refuse(format!("`{path}` has several functions"), hint);
                    None
                }
            }
        }
    }
}

fn as_json(graph: &Graph) -> String {
    let nodes: Vec<Value> = graph
        .nodes
        .iter()
        .map(|n| json!({"id": n.id, "lines": n.lines, "external": n.is_external}))
        .collect();
    let edges: Vec<Value> = graph
        .edges
        .iter()
        .map(|e| {
            let (from, to) = (&graph.nodes[e.from].id, &graph.nodes[e.to].id);
            json!({"from": from, "to": to, "label": e.label, "weak": e.is_weak})
        })
        .collect();
    format!("{:#}\n", json!({"title": graph.title, "nodes": nodes, "edges": edges}))
}
