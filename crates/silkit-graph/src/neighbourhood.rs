//! Subgraphs: the neighbourhood of some nodes.

use super::{Edge, Graph};
use std::collections::VecDeque;

impl Graph {
    /// Returns the subgraph of the nodes that are reachable from one of `of` by at most `depth` edges; with
    /// `both_ways` also those from which `of` is reachable. The other nodes count as omitted.
    pub fn near(&self, of: &[usize], depth: usize, both_ways: bool) -> Graph {
        let mut neighbours = vec![Vec::new(); self.nodes.len()];
        for edge in &self.edges {
            neighbours[edge.from].push(edge.to);
            if both_ways {
                neighbours[edge.to].push(edge.from);
            }
        }
        let mut distance = vec![usize::MAX; self.nodes.len()];
        let mut queue: VecDeque<usize> = of.iter().copied().collect();
        of.iter().for_each(|&node| distance[node] = 0);
        while let Some(node) = queue.pop_front() {
            if distance[node] == depth {
                continue;
            }
            for &next in &neighbours[node] {
                if distance[next] == usize::MAX {
                    distance[next] = distance[node] + 1;
                    queue.push_back(next);
                }
            }
        }
        self.only(|node| distance[node] != usize::MAX)
    }

    /// Returns the subgraph of at most `limit` nodes: those nearest to the first ones.
    pub fn limited(&self, limit: usize) -> Graph {
        let mut neighbours = vec![Vec::new(); self.nodes.len()];
        self.edges.iter().for_each(|edge| neighbours[edge.from].push(edge.to));
        let mut is_kept = vec![false; self.nodes.len()];
        let mut left = limit;
        let mut queue = VecDeque::new();
        for root in 0..self.nodes.len() {
            queue.push_back(root);
            while let Some(node) = queue.pop_front() {
                if left > 0 && !std::mem::replace(&mut is_kept[node], true) {
                    left -= 1;
                    queue.extend(&neighbours[node]);
                }
            }
        }
        self.only(|node| is_kept[node])
    }

    fn only(&self, is_kept: impl Fn(usize) -> bool) -> Graph {
        let mut number = vec![None; self.nodes.len()];
        let mut part = Graph { title: self.title.clone(), kind: self.kind, ..Graph::default() };
        for (node, found) in self.nodes.iter().enumerate().filter(|(node, _)| is_kept(*node)) {
            number[node] = Some(part.nodes.len());
            part.nodes.push(found.clone());
        }
        for edge in &self.edges {
            if let (Some(from), Some(to)) = (number[edge.from], number[edge.to]) {
                part.edges.push(Edge { from, to, ..edge.clone() });
            }
        }
        part.omitted = self.omitted + self.nodes.len() - part.nodes.len();
        part
    }
}
