//! Hubs of a class hierarchy: protocols to which so many types conform that their edges would cover the drawing. The
//! conforming types name them in their boxes instead.

use super::{Graph, grouped};
use silkit_base::FxHashMap;

/// The number of weak edges into a node from which on they are text.
const MANY: usize = 16;

impl Graph {
    /// Returns the graph with the weak edges into hubs as text: a line `: Equatable, Sendable` in the node where they
    /// begin, and the number of edges in the hub. Tooltips show lines in full.
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
                node.lines.push(format!(": {}", hubs.join(", ")).into());
            }
            if counts[index] >= MANY {
                node.lines.push(format!("{} types conform", grouped(counts[index])).into());
            }
        }
        self
    }
}
