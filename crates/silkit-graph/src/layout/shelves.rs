//! Connected components, and packing of their drawings on shelves.

use super::{GAP, Input};

/// A connected component: nodes, with the edges between them.
pub(super) struct Part {
    pub(super) nodes: Vec<usize>,
    pub(super) edges: Vec<usize>,
}

/// Returns the connected components, in the order of their first nodes.
pub(super) fn components(input: &Input) -> Vec<Part> {
    let mut parent: Vec<usize> = (0..input.sizes.len()).collect();
    fn find(parent: &mut [usize], mut node: usize) -> usize {
        while parent[node] != node {
            parent[node] = parent[parent[node]];
            node = parent[node];
        }
        node
    }
    for edge in &input.edges {
        let (a, b) = (find(&mut parent, edge.from), find(&mut parent, edge.to));
        parent[a.max(b)] = a.min(b);
    }
    let mut parts: Vec<Part> = Vec::new();
    let mut part_of = vec![usize::MAX; input.sizes.len()];
    for node in 0..input.sizes.len() {
        let root = find(&mut parent, node);
        if part_of[root] == usize::MAX {
            part_of[root] = parts.len();
            parts.push(Part { nodes: Vec::new(), edges: Vec::new() });
        }
        parts[part_of[root]].nodes.push(node);
    }
    for (index, edge) in input.edges.iter().enumerate() {
        let root = find(&mut parent, edge.from);
        parts[part_of[root]].edges.push(index);
    }
    parts
}

/// The space around components.
const MARGIN: f64 = GAP * 1.5;
/// The preferred ratio of width to height of a drawing.
const ASPECT: f64 = 1.5;

/// Packs boxes side by side on shelves, tall ones first. Returns the upper left corner of each, and the total size.
pub(super) fn pack(sizes: &[(f64, f64)]) -> (Vec<(f64, f64)>, (f64, f64)) {
    let area: f64 = sizes.iter().map(|(width, height)| (width + MARGIN) * (height + MARGIN)).sum();
    let widest = sizes.iter().map(|size| size.0).fold(0.0, f64::max);
    let limit = widest.max((area * ASPECT).sqrt());
    let mut by_height: Vec<usize> = (0..sizes.len()).collect();
    by_height.sort_by(|&a, &b| sizes[b].1.total_cmp(&sizes[a].1));
    let mut corners = vec![(0.0, 0.0); sizes.len()];
    let (mut x, mut y, mut shelf, mut reach) = (0.0, 0.0, 0.0f64, 0.0f64);
    for index in by_height {
        let (width, height) = sizes[index];
        if x > 0.0 && x + width > limit {
            (x, y, shelf) = (0.0, y + shelf + MARGIN, 0.0);
        }
        corners[index] = (x, y);
        x += width + MARGIN;
        shelf = shelf.max(height);
        reach = reach.max(x - MARGIN);
    }
    (corners, (reach, y + shelf))
}
