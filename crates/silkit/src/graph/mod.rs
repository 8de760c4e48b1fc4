//! Graphs of a module: control flow, calls, class hierarchy; as DOT, and laid out as SVG.
//!
//! ```
//! let text = "sil @f : $@convention(thin) (Builtin.Int1) -> () {\nbb0(%0 : $Builtin.Int1):\n  cond_br %0, bb1, bb1\nbb1:\n  unreachable\n}\n";
//! let module = silkit::text::parse_module(text).module;
//! let function = module.functions.values().next().unwrap();
//! let graph = silkit::graph::control_flow(function, &|_| None).unwrap();
//! assert_eq!((graph.nodes.len(), graph.edges.len()), (2, 2));
//! assert!(graph.to_dot().contains("\"bb0\" -> \"bb1\" [label=\"true\"]"));
//! ```

mod calls;
mod classes;
mod control_flow;
mod svg;

pub use calls::calls;
pub use classes::classes;
pub use control_flow::control_flow;
pub use svg::TooLarge;

use silkit_text::Demangle;
use std::fmt::Write;

/// A graph with texts for people.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Graph {
    /// The title.
    pub title: String,
    /// The nodes.
    pub nodes: Vec<Node>,
    /// The edges.
    pub edges: Vec<Edge>,
}

/// A node.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Node {
    /// The identifier of the graph.
    pub id: String,
    /// Its lines; the first is its title.
    pub lines: Vec<String>,
    /// True if it is only known by name.
    pub is_external: bool,
}

/// An edge.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Edge {
    /// The number of the node that it leaves.
    pub from: usize,
    /// The number of the node that it leads to.
    pub to: usize,
    /// Its label, which may be empty.
    pub label: String,
    /// True if it is a weaker relation than the others: a reference, a conformance.
    pub is_weak: bool,
}

/// The maximum length of a line in a node, in characters.
const MAX_COLUMNS: usize = 64;
/// The maximum number of lines in a node.
const MAX_LINES: usize = 14;

impl Graph {
    /// Returns the graph in Graphviz' language.
    pub fn to_dot(&self) -> String {
        let mut out = String::from("digraph {\n");
        // Writing to a string cannot fail.
        let _ = writeln!(out, "  label={};", quoted(&self.title));
        out += "  node [shape=box, style=rounded, fontname=monospace, fontsize=10];\n";
        out += "  edge [fontname=monospace, fontsize=9];\n";
        for node in &self.nodes {
            // `\l` ends a line that is aligned to the left.
            let lines: String = node.lines.iter().map(|l| escaped(l) + "\\l").collect();
            let label =
                if node.lines.len() > 1 { lines } else { escaped(node.lines.first().unwrap_or(&node.id)) };
            let style = if node.is_external { ", style=dashed" } else { "" };
            let _ = writeln!(out, "  {} [label=\"{label}\"{style}];", quoted(&node.id));
        }
        for edge in &self.edges {
            let (from, to) = (&self.nodes[edge.from].id, &self.nodes[edge.to].id);
            let mut attributes = Vec::new();
            if !edge.label.is_empty() {
                attributes.push(format!("label={}", quoted(&edge.label)));
            }
            if edge.is_weak {
                attributes.push("style=dashed".to_owned());
            }
            let list =
                if attributes.is_empty() { String::new() } else { format!(" [{}]", attributes.join(", ")) };
            let _ = writeln!(out, "  {} -> {}{list};", quoted(from), quoted(to));
        }
        out + "}\n"
    }

    /// Returns the number of the node with this id, which is made where it is missing.
    fn node(&mut self, id: &str, make: impl FnOnce() -> Node) -> usize {
        // Graphs are built in order of their texts; the last nodes are asked for most.
        match self.nodes.iter().rposition(|n| n.id == id) {
            Some(index) => index,
            None => {
                self.nodes.push(make());
                self.nodes.len() - 1
            }
        }
    }
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", escaped(text))
}

/// Returns a line that is not too long to be drawn.
fn abbreviated(line: &str) -> String {
    if line.chars().count() <= MAX_COLUMNS {
        return line.to_owned();
    }
    line.chars().take(MAX_COLUMNS - 1).chain(['…']).collect()
}

/// Returns the name of a function for people.
fn readable(name: &str, demangle: &Demangle) -> String {
    abbreviated(demangle(name).as_deref().unwrap_or(name))
}
