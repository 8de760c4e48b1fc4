//! Hubs of a class hierarchy: protocols to which so many types conform that their edges would cover the drawing. The
//! conforming types name them in their boxes instead.

use super::Graph;
use silkit_base::FxHashMap;
use silkit_diag::grouped;

/// The number of weak edges into a node from which on they are text.
const MANY: usize = 16;

/// The length of a line of names, in characters, from which on another one is begun.
const LONG: usize = 40;

/// Returns names as the lines of an inheritance clause: `: A, B,`, `  C`.
fn in_lines(names: &[String]) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for name in names {
        match lines.last_mut() {
            None => lines.push(format!(": {name}")),
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
    /// Returns the graph with the weak edges into hubs as text: `: Equatable, Sendable` in the node where they begin, and
    /// the number of edges in the hub.
    ///
    /// ```
    /// let types: String = (0..20).map(|n| format!("struct S{n} : P {{}}\n")).collect();
    /// let module = silkit::text::parse_module(&format!("protocol P {{}}\n{types}")).module;
    /// let graph = silkit::graph::classes(&silkit::declarations(&module)).without_hubs();
    /// assert!(graph.edges.is_empty());
    /// assert_eq!(graph.nodes[0].lines[1].text, "20 types conform");
    /// assert_eq!(graph.nodes[1].lines[1].text, ": P");
    /// ```
    #[must_use]
    pub fn without_hubs(mut self) -> Self {
        let mut counts = vec![0; self.nodes.len()];
        self.edges.iter().filter(|edge| edge.is_weak).for_each(|edge| counts[edge.to] += 1);
        let mut named: FxHashMap<usize, Vec<String>> = FxHashMap::default();
        let names: Vec<String> = self.nodes.iter().map(|node| node.id.clone()).collect();
        self.edges.retain(|edge| {
            let is_text = edge.is_weak && counts[edge.to] >= MANY;
            if is_text {
                named.entry(edge.from).or_default().push(names[edge.to].clone());
            }
            !is_text
        });
        for (index, node) in self.nodes.iter_mut().enumerate() {
            if let Some(hubs) = named.get_mut(&index) {
                hubs.sort_unstable();
                hubs.dedup();
                node.lines.extend(in_lines(hubs).into_iter().map(Into::into));
            }
            if counts[index] >= MANY {
                node.lines.push(format!("{} types conform", grouped(counts[index])).into());
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
        assert_eq!(in_lines(&names.map(str::to_owned)), lines);
    }
}
