//! Hubs: protocols to which so many types conform, and functions that so many others call, that their edges would cover
//! the drawing. The other nodes name them in their boxes instead.

use super::{Edge, Graph, GraphKind, Node};
use silkit_base::FxHashMap;
use silkit_diag::grouped;

/// The number of edges into a node from which on they are text.
const MANY: usize = 16;

/// The length of a line of names, in characters, from which on another one is begun.
const LONG: usize = 40;

/// Returns names as the lines of an inheritance clause, `: A, B,`, `  C`, or of another list with this mark.
fn in_lines(mark: char, names: &[String]) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for name in names {
        match lines.last_mut() {
            None => lines.push(format!("{mark} {name}")),
            Some(line) if line.chars().count() + name.chars().count() < LONG => *line += &format!(", {name}"),
            Some(line) => {
                line.push(',');
                lines.push(format!("  {name}"));
            }
        }
    }
    lines
}

impl Graph {
    /// Returns the graph with the edges into hubs as text in the node where they begin, `: Equatable, Sendable` for
    /// conformances and `→ print(_:)` for calls and other references, and the number of edges in the hub. Superclasses
    /// keep their edges.
    ///
    /// ```
    /// let types: String = (0..20).map(|n| format!("struct S{n} : P {{}}\n")).collect();
    /// let module = silkit_text::parse_module(&format!("protocol P {{}}\n{types}")).module;
    /// let graph = silkit_graph::classes(&silkit_text::decl::declarations(&module)).without_hubs();
    /// assert!(graph.edges.is_empty());
    /// assert_eq!(graph.nodes[0].lines[1].text, "20 types conform");
    /// assert_eq!(graph.nodes[1].lines[1].text, ": P");
    /// ```
    #[must_use]
    pub fn without_hubs(mut self) -> Self {
        let is_class = self.kind == GraphKind::Classes;
        let is_counted = |edge: &Edge| edge.is_weak || !is_class;
        let mut counts = vec![0; self.nodes.len()];
        self.edges.iter().filter(|edge| is_counted(edge)).for_each(|edge| counts[edge.to] += 1);
        let mut named: FxHashMap<usize, Vec<String>> = FxHashMap::default();
        let name = |node: &Node| match node.lines.first() {
            Some(line) if !is_class => line.text.clone(),
            _ => node.id.clone(),
        };
        let names: Vec<String> = self.nodes.iter().map(name).collect();
        self.edges.retain(|edge| {
            let is_text = is_counted(edge) && counts[edge.to] >= MANY;
            if is_text {
                named.entry(edge.from).or_default().push(names[edge.to].clone());
            }
            !is_text
        });
        for (index, node) in self.nodes.iter_mut().enumerate() {
            if let Some(hubs) = named.get_mut(&index) {
                hubs.sort_unstable();
                hubs.dedup();
                let mark = if is_class { ':' } else { '→' };
                node.lines.extend(in_lines(mark, hubs).into_iter().map(Into::into));
            }
            if counts[index] >= MANY {
                let what = if is_class { "types conform" } else { "functions refer to it" };
                node.lines.push(format!("{} {what}", grouped(counts[index])).into());
            }
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::in_lines;

    #[test]
    fn names_are_spread_over_lines() {
        let names = ["CustomStringConvertible", "Equatable", "ExpressibleByStringLiteral", "Sendable"];
        let lines = [": CustomStringConvertible, Equatable,", "  ExpressibleByStringLiteral, Sendable"];
        assert_eq!(in_lines(':', &names.map(str::to_owned)), lines);
    }
}
