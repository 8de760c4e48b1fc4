//! Graphs of a module: control flow, calls, class hierarchy; as DOT, and laid out as SVG.
//!
//! ```
//! let text = "sil @f : $@convention(thin) (Builtin.Int1) -> () {\nbb0(%0 : $Builtin.Int1):\n  cond_br %0, bb1, bb1\nbb1:\n  unreachable\n}\n";
//! let module = silkit_text::parse_module(text).module;
//! let function = module.functions.values().next().unwrap();
//! let graph = silkit_graph::control_flow(function, &|_| None).unwrap();
//! assert_eq!((graph.nodes.len(), graph.edges.len()), (2, 2));
//! assert!(graph.to_dot().contains("\"bb0\" -> \"bb1\" [label=\"true\"]"));
//! ```

mod calls;
mod classes;
mod control_flow;
mod hubs;
mod layout;
mod neighbourhood;
mod svg;

pub use calls::calls;
pub use classes::classes;
pub use control_flow::{control_flow, control_flow_at};

use silkit_diag::grouped;
use silkit_text::Demangle;
use std::fmt::Write;

/// What a graph shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum GraphKind {
    /// The blocks of a function.
    #[default]
    ControlFlow,
    /// Functions and what they call.
    Calls,
    /// Types, their superclasses and protocols. Targets of edges are drawn above their sources.
    Classes,
}

/// A graph with text in its nodes.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Graph {
    /// The title.
    pub title: String,
    /// The nodes.
    pub nodes: Vec<Node>,
    /// The edges.
    pub edges: Vec<Edge>,
    /// The number of omitted nodes.
    pub omitted: usize,
    /// What it shows.
    pub kind: GraphKind,
}

/// A node.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Node {
    /// The identifier of the graph.
    pub id: String,
    /// The lines of text; the first is the title.
    pub lines: Vec<NodeLine>,
    /// True if it is only declared.
    pub is_external: bool,
}

/// A line of a node.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NodeLine {
    /// The text, which drawings abbreviate.
    pub text: String,
    /// The line number in the file, starting at 1.
    pub number: Option<u32>,
}

impl From<String> for NodeLine {
    fn from(text: String) -> Self {
        Self { text, number: None }
    }
}

/// An edge.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Edge {
    /// The index of the source node.
    pub from: usize,
    /// The index of the target node.
    pub to: usize,
    /// Its label, which may be empty.
    pub label: String,
    /// True for a weaker relation: a reference, a conformance.
    pub is_weak: bool,
}

/// The maximum length of a line in a node, in characters.
const MAX_COLUMNS: usize = 64;
/// The maximum number of lines in a node.
const MAX_LINES: usize = 14;

impl Node {
    /// Returns the abbreviated lines that are drawn, each with its line; the last line is always shown.
    fn shown(&self) -> Vec<(String, Option<&NodeLine>)> {
        let short = |line: &NodeLine| abbreviated(&line.text);
        let all: Vec<_> = self.lines.iter().map(|line| (short(line), Some(line))).collect();
        if all.len() <= MAX_LINES {
            return all;
        }
        let hidden = all.len() - MAX_LINES + 1;
        let (head, last) = (&all[..MAX_LINES - 2], &all[all.len() - 1]);
        let more = (format!("… {hidden} more"), None);
        head.iter().cloned().chain([more, last.clone()]).collect()
    }
}

impl Graph {
    /// Returns the graph in the DOT language. Back edges are colored.
    pub fn to_dot(&self) -> String {
        let mut out = String::from("digraph {\n");
        // Writing to a string cannot fail.
        let _ = writeln!(out, "  label={};", quoted(&self.caption()));
        if self.kind == GraphKind::Classes {
            out += "  rankdir=BT;\n";
        }
        out += "  node [shape=box, style=rounded, fontname=monospace, fontsize=10];\n";
        out += "  edge [fontname=monospace, fontsize=9];\n";
        for node in &self.nodes {
            // `\l` ends a left-aligned line.
            let shown = node.shown();
            let lines: String = shown.iter().map(|(text, _)| escaped(text) + "\\l").collect();
            let label = match shown.as_slice() {
                [] => escaped(&node.id),
                [(text, _)] => escaped(text),
                _ => lines,
            };
            let style = if node.is_external { ", style=dashed" } else { "" };
            let _ = writeln!(out, "  {} [label=\"{label}\"{style}];", quoted(&node.id));
        }
        for (edge, is_back) in self.edges.iter().zip(self.back_edges()) {
            let (from, to) = (&self.nodes[edge.from].id, &self.nodes[edge.to].id);
            let mut attributes = Vec::new();
            if !edge.label.is_empty() {
                attributes.push(format!("label={}", quoted(&edge.label)));
            }
            if edge.is_weak {
                attributes.push("style=dashed".to_owned());
            }
            if is_back {
                attributes.push("color=\"#bc4c00\"".to_owned());
            }
            let list =
                if attributes.is_empty() { String::new() } else { format!(" [{}]", attributes.join(", ")) };
            let _ = writeln!(out, "  {} -> {}{list};", quoted(from), quoted(to));
        }
        out + "}\n"
    }

    /// Returns for each edge whether it is a back edge of a loop or recursion.
    pub fn back_edges(&self) -> Vec<bool> {
        let mut is_back = layout::back_edges(self.nodes.len(), &self.ends());
        for (edge, is_back) in self.edges.iter().zip(&mut is_back) {
            *is_back |= edge.from == edge.to;
        }
        is_back
    }

    /// Returns the ends of the edges.
    fn ends(&self) -> Vec<(usize, usize)> {
        self.edges.iter().map(|edge| (edge.from, edge.to)).collect()
    }

    /// Returns what the dashes and colors of a drawing mean, as far as it has them.
    fn legend(&self, has_cycles: bool) -> String {
        let (external, weak, cycle) = match self.kind {
            GraphKind::ControlFlow => ("", "", "orange: loops"),
            GraphKind::Calls => (
                "dashed boxes: no body in the file",
                "dashed edges: references other than direct calls",
                "orange: recursion",
            ),
            GraphKind::Classes => {
                ("dashed boxes: declared elsewhere", "dashed edges: conformances", "orange: cycles")
            }
        };
        let parts = [
            (external, self.nodes.iter().any(|node| node.is_external)),
            (weak, self.edges.iter().any(|edge| edge.is_weak)),
            (cycle, has_cycles),
        ];
        let parts: Vec<&str> = parts
            .iter()
            .filter(|(text, is_used)| *is_used && !text.is_empty())
            .map(|(text, _)| *text)
            .collect();
        parts.join(" · ")
    }

    /// Returns the title with the number of omitted nodes.
    fn caption(&self) -> String {
        match self.omitted {
            0 => self.title.clone(),
            1 => format!("{} (1 node is left out)", self.title),
            omitted => format!("{} ({} nodes are left out)", self.title, grouped(omitted)),
        }
    }
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", escaped(text))
}

/// Returns a line, shortened if it is too long to be drawn.
fn abbreviated(line: &str) -> String {
    if line.chars().count() <= MAX_COLUMNS {
        return line.to_owned();
    }
    line.chars().take(MAX_COLUMNS - 1).chain(['…']).collect()
}

/// Returns the demangled name of a function.
fn readable(name: &str, demangle: &Demangle) -> String {
    demangle(name).unwrap_or_else(|| name.to_owned())
}
