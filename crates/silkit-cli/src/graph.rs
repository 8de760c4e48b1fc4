//! `silkit graph`: draws the control flow graph, call graph or class hierarchy as DOT, SVG or JSON.

use crate::input::Input;
use crate::output;
use crate::session::{Report, Session};
use crate::shown;
use serde_json::{Value, json};
use silkit::diag::nearest;
use silkit::graph::{self, Graph};
use silkit::ir::{FunctionId, Inst};
use silkit::text::{PrintOptions, print_function};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const EXAMPLES: &str = "\
Solid edges are calls and superclasses; dashed ones other references and conformances. Edges
that close a cycle (loops, recursion) are orange. In SVG, hovering shows whole lines and mangled
names, and lines of a control flow graph lead to the file. In drawings of calls and classes
without --around, a function to which 16 or more others refer, or a protocol to which 16 or more
types conform, is named in the boxes of these.

Drawings of calls have at most 200 nodes, those nearest to the first functions, unless --limit
says otherwise, and SVG at most 5,000; they say how many are left out. In a large module, choose
a part: --around NAME shows the callers and callees of a function, --function NAME what it calls,
both up to --depth edges away.

Examples:
  silkit graph --function main examples/shapes.raw.sil --format svg -o main.svg
  silkit graph examples/shapes.raw.sil --format html -o shapes.html
  silkit graph calls examples/shapes.raw.sil | dot -Tpng > calls.png
  silkit graph calls --around 'Canvas.total()' --depth 2 examples/shapes.raw.sil --format svg
  silkit graph classes examples/shapes.raw.sil --format json";

/// Draw control flow, calls or the class hierarchy
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Kind of graph, `cfg` (default), `calls` or `classes`, and the file; `-` is standard input
    #[arg(value_name = "KIND] [FILE", num_args = 0..=2, value_hint = clap::ValueHint::FilePath)]
    what: Vec<OsString>,
    /// Function to draw, by mangled or demangled name or a unique part; for calls, where to begin; not for classes
    #[arg(long, short, value_name = "NAME")]
    function: Vec<String>,
    /// For calls and classes: show what is around this function or type, in both directions
    #[arg(long, value_name = "NAME", conflicts_with = "function")]
    around: Vec<String>,
    /// For calls and classes: follow at most N edges [default: 1 with --around, otherwise all]
    #[arg(long, value_name = "N")]
    depth: Option<usize>,
    /// For calls: draw at most N nodes, 0 for all [default: 200 for DOT and SVG, otherwise all]
    #[arg(long, value_name = "N", conflicts_with = "around")]
    limit: Option<usize>,
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
    /// A page that draws control flow, dominators, loops, live ranges and scopes
    Html,
    Json,
}

/// The number of nodes of a drawing of calls without `--limit`.
const NODES: usize = 200;

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
    session.progress.phase("drawing");
    if args.format == Format::Html {
        write_page(&mut session, args, kind, path, &input);
        return session.finish();
    }
    let Some(mut graph) = make(&mut session, args, kind, path, &input) else { return session.finish() };
    // A binary file has the name of its text, so that both have the same drawing.
    let source = Path::new(&input.source);
    if kind != Kind::ControlFlow && !output::is_standard(source) {
        let name = source.file_name().unwrap_or_default().to_string_lossy();
        graph.title = format!("{} in {name}", graph.title);
    }
    if kind != Kind::ControlFlow && args.format != Format::Json && args.around.is_empty() {
        graph = graph.without_hubs();
    }
    let text = match args.format {
        Format::Dot => graph.to_dot(),
        Format::Json => as_json(&graph),
        Format::Html => String::new(),
        Format::Svg => graph.to_svg(link(path, &args.output).as_deref()),
    };
    session.write(&args.output, text.as_bytes());
    session.finish()
}

/// Writes the page of the functions.
fn write_page(session: &mut Session, args: &Args, kind: Kind, path: &Path, input: &Input) {
    if kind != Kind::ControlFlow {
        return session
            .refuse("`--format html` draws control flow only", "use `--format svg` for calls and classes");
    }
    let functions = match args.function.as_slice() {
        [] => input.module.functions.iter().filter(|(_, f)| f.body.is_some()).map(|(id, _)| id).collect(),
        names => match session.bodies_named(&input.module, path, names) {
            Some(functions) => functions,
            None => return,
        },
    };
    let options = PrintOptions { keep_locations: true, ..PrintOptions::default() };
    let texts: Vec<(String, String)> = functions
        .into_iter()
        .map(|id| {
            let function = &input.module.functions[id];
            let text = print_function(&input.module, function, &options, &silkit::comment_name);
            (function.name.to_string(), text)
        })
        .collect();
    let title = path.file_name().unwrap_or_default().to_string_lossy();
    let page = silkit_timeline::module_page(&title, &texts, Vec::new());
    session.write(&args.output, page.as_bytes());
}

/// Returns how a drawing names the file that its lines lead to. Links are relative to the folder of the drawing.
fn link(path: &Path, drawing: &Path) -> Option<String> {
    match () {
        () if output::is_standard(path) => None,
        () if output::is_standard(drawing) => path.to_str().map(str::to_owned),
        () if path.parent() == drawing.parent() => path.file_name()?.to_str().map(str::to_owned),
        () => Some(format!("file://{}", std::path::absolute(path).ok()?.to_str()?)),
    }
}

/// The graph kinds and their names on the command line.
const KINDS: &[(&str, Kind)] =
    &[("cfg", Kind::ControlFlow), ("calls", Kind::Calls), ("classes", Kind::Classes)];

/// Returns the kind of graph and the file from the positional arguments; the kind may be omitted.
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
        Kind::Classes if !args.function.is_empty() => {
            session.refuse(
                "`--function` is for control flow and calls: the nodes of a class hierarchy are types",
                "name a type with `--around`, or leave it out",
            );
            None
        }
        Kind::Calls | Kind::Classes
            if args.depth.is_some() && args.around.is_empty() && args.function.is_empty() =>
        {
            session.refuse(
                "`--depth` counts edges from a function or type, and none is named",
                "name one with `--around` or, for calls, `--function`",
            );
            None
        }
        _ if args.limit.is_some() && kind != Kind::Calls => {
            session.refuse("`--limit` is for calls", "write `silkit graph calls …`, or leave it out");
            None
        }
        Kind::Classes => {
            let graph = graph::classes(&silkit::declarations(module));
            let mut named = Vec::new();
            for name in &args.around {
                let Some(node) = graph.nodes.iter().position(|node| node.id == *name) else {
                    let near = nearest(name, graph.nodes.iter().map(|node| node.id.as_str()));
                    let hint = near.map_or_else(
                        || "`silkit graph classes FILE` draws all types".to_owned(),
                        |near| format!("did you mean `{near}`?"),
                    );
                    session.refuse(format!("unknown type `{name}`"), hint);
                    return None;
                };
                named.push(node);
            }
            Some(part(graph, &named, args))
        }
        Kind::Calls => {
            let roots = session.bodies_named(module, path, &args.function)?;
            let around = session.bodies_named(module, path, &args.around)?;
            let name = |id: &FunctionId| module.functions[*id].name.as_str();
            let roots: Vec<&str> = roots.iter().map(name).collect();
            let graph = graph::calls(module, &roots, &silkit::comment_name);
            let around: Vec<&str> = around.iter().map(name).chain(roots).collect();
            let is_named = |node: &&usize| around.contains(&graph.nodes[**node].id.as_str());
            let numbers: Vec<usize> = (0..graph.nodes.len()).collect();
            let named: Vec<usize> = numbers.iter().filter(is_named).copied().collect();
            Some(limited(part(graph, &named, args), args))
        }
        Kind::ControlFlow if !args.around.is_empty() || args.depth.is_some() => {
            session.refuse(
                "`--around` and `--depth` are for calls and classes",
                "write `silkit graph calls …`, or leave them out",
            );
            None
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
            let file = input.source_file();
            let places = input.source_map.function(id);
            let line = |inst: Inst| Some(file.as_ref()?.line_column(places?.inst(inst)?).line);
            graph::control_flow_at(&module.functions[id], &silkit::comment_name, &line)
        }
    }
}

/// Returns the part of a graph that the options select.
fn part(graph: Graph, named: &[usize], args: &Args) -> Graph {
    let is_around = !args.around.is_empty();
    match (named, args.depth) {
        ([], _) | (_, None) if !is_around => graph,
        (named, depth) => graph.near(named, depth.unwrap_or(1), is_around),
    }
}

/// Returns the part of a call graph that is drawn, and says on standard error how to draw more.
fn limited(graph: Graph, args: &Args) -> Graph {
    let default = if args.format == Format::Json || !args.around.is_empty() { 0 } else { NODES };
    let (limit, all) = (args.limit.unwrap_or(default), graph.nodes.len());
    if limit == 0 || all <= limit {
        return graph;
    }
    if args.limit.is_none() {
        let (limit, all) = (output::grouped(limit), output::grouped(all));
        output::note(&format!(
            "{limit} of {all} nodes are drawn; `--around NAME` draws a part, `--limit N` more, `--limit 0` all"
        ));
    }
    graph.limited(limit)
}

fn as_json(graph: &Graph) -> String {
    let nodes: Vec<Value> = graph
        .nodes
        .iter()
        .map(|n| {
            let lines: Vec<&str> = n.lines.iter().map(|line| line.text.as_str()).collect();
            let number = n.lines.iter().find_map(|line| line.number);
            json!({"id": n.id, "lines": lines, "line": number, "external": n.is_external})
        })
        .collect();
    let edges: Vec<Value> = (graph.edges.iter().zip(graph.back_edges()))
        .map(|(e, is_back)| {
            let (from, to) = (&graph.nodes[e.from].id, &graph.nodes[e.to].id);
            json!({"from": from, "to": to, "label": e.label, "weak": e.is_weak, "back": is_back})
        })
        .collect();
    shown::json(&json!({"title": graph.title, "omitted": graph.omitted, "nodes": nodes, "edges": edges}))
}

#[cfg(test)]
mod tests {
    use super::link;
    use std::path::Path;

    #[test]
    fn links_lead_to_the_file_from_where_the_drawing_is() {
        let link = |path: &str, drawing: &str| link(Path::new(path), Path::new(drawing));
        assert_eq!(link("-", "a.svg"), None);
        assert_eq!(link("in/a.sil", "-").as_deref(), Some("in/a.sil"));
        assert_eq!(link("in/a.sil", "in/a.svg").as_deref(), Some("a.sil"));
        let elsewhere = link("in/a.sil", "out/a.svg").expect("a link");
        assert!(elsewhere.starts_with("file:///") && elsewhere.ends_with("/in/a.sil"), "{elsewhere}");
    }
}
