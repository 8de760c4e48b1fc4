//! `silkit graph`: control flow, calls or class hierarchy, as DOT, SVG or JSON.

use crate::input::Input;
use crate::output;
use crate::session::{Report, Session};
use serde_json::{Value, json};
use silkit::diag::nearest;
use silkit::graph::{self, Graph};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const EXAMPLES: &str = "\
Solid edges are calls and superclasses; dashed ones other references and conformances.

Examples:
  silkit graph --function main examples/shapes.raw.sil --format svg -o main.svg
  silkit graph calls examples/shapes.raw.sil | dot -Tpng > calls.png
  silkit graph classes examples/shapes.raw.sil --format json";

/// Draw control flow, calls or the class hierarchy
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Kind of graph, `cfg` (default), `calls` or `classes`, and the file; `-` is standard input
    #[arg(value_name = "[KIND] [FILE]", num_args = 0..=2, value_hint = clap::ValueHint::FilePath)]
    what: Vec<OsString>,
    /// Function to draw, by mangled or demangled name or a unique part; for calls, where to begin
    #[arg(long, short, value_name = "NAME")]
    function: Vec<String>,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Write to FILE instead of standard output
    #[arg(short, value_name = "FILE", default_value = "-", value_hint = clap::ValueHint::FilePath)]
    output: PathBuf,
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
    let (kind, path) = match kind_and_path(&args.what) {
        Ok(found) => found,
        Err((message, hint)) => {
            session.refuse(message, hint);
            return session.finish();
        }
    };
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

/// The words for the kinds.
const KINDS: &[(&str, Kind)] =
    &[("cfg", Kind::ControlFlow), ("calls", Kind::Calls), ("classes", Kind::Classes)];

/// Returns what to draw, and of which file: the first word may be missing.
fn kind_and_path(what: &[OsString]) -> Result<(Kind, &Path), (String, String)> {
    let words: Vec<&str> = KINDS.iter().map(|(word, _)| *word).collect();
    let kind = |word: &OsString| KINDS.iter().find(|(name, _)| word == name).map(|(_, kind)| *kind);
    match what {
        [] => Ok((Kind::ControlFlow, Path::new("-"))),
        [first, rest @ ..] => match (kind(first), rest) {
            (Some(kind), rest) => Ok((kind, rest.first().map_or(Path::new("-"), Path::new))),
            (None, []) if Path::new(first).exists() || first == "-" => {
                Ok((Kind::ControlFlow, Path::new(first)))
            }
            (None, rest) => {
                let word = first.to_string_lossy();
                let near = nearest(&word, words.iter().copied());
                if rest.is_empty() && near.is_none() {
                    return Ok((Kind::ControlFlow, Path::new(first)));
                }
                let hint = near.map_or_else(
                    || format!("expected {}", output::either(&words)),
                    |near| format!("did you mean `{near}`?"),
                );
                Err((format!("unknown kind of graph `{word}`"), hint))
            }
        },
    }
}

fn make(session: &mut Session, args: &Args, kind: Kind, path: &Path, input: &Input) -> Option<Graph> {
    let module = &input.module;
    match kind {
        Kind::Classes => Some(graph::classes(&silkit::declarations(module))),
        Kind::Calls => {
            let roots = session.bodies_named(module, path, &args.function)?;
            let roots: Vec<&str> = roots.into_iter().map(|id| module.functions[id].name.as_str()).collect();
            Some(graph::calls(module, &roots, &|_| None))
        }
        Kind::ControlFlow => {
            let id = match args.function.as_slice() {
                [] => session.only_body(module, path)?,
                [name] => session.body_named(module, path, name)?,
                [..] => {
                    session.refuse(
                        "a control-flow graph needs exactly one function",
                        "name one with `--function`",
                    );
                    return None;
                }
            };
            graph::control_flow(&module.functions[id], &|_| None)
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
