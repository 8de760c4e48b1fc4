//! Strongly connected components of a graph whose nodes are dense ids.

use crate::Entity;

/// The state of a node in Tarjan's algorithm.
#[derive(Clone, Copy)]
struct Node {
    index: u32,
    low: u32,
    is_open: bool,
}

/// Calls `found` with each strongly connected component of the nodes reachable from `roots`, in time linear in the
/// number of nodes and edges.
///
/// Components are visited in postorder: a component comes after every component reachable from it. The first node of
/// a component is the one that was reached first. Every node index must be less than `bound`. The algorithm is
/// iterative, so that deep graphs use memory, not stack.
///
/// ```
/// use silkit_base::{entity, strong_components, Entity};
/// entity!(/// A node of some graph.
///     Node, "n");
/// let edges = [vec![1], vec![2], vec![1, 3], vec![]];
/// let node = |n: usize| Node::from_index(n);
/// let mut found = Vec::new();
/// strong_components(
///     edges.len(),
///     [node(0)],
///     |n| edges[n.index()].iter().map(|&n| node(n)).collect::<Vec<_>>().into_iter(),
///     |component| found.push(component.iter().map(|n| n.index()).collect::<Vec<_>>()),
/// );
/// assert_eq!(found, [vec![3], vec![1, 2], vec![0]]);
/// ```
pub fn strong_components<N: Entity, S: Iterator<Item = N>>(
    bound: usize,
    roots: impl IntoIterator<Item = N>,
    mut successors: impl FnMut(N) -> S,
    mut found: impl FnMut(&[N]),
) {
    if bound == 1 {
        // The only node is a component, with or without an edge to itself. Many graphs are of this kind.
        if let Some(root) = roots.into_iter().next() {
            found(&[root]);
        }
        return;
    }
    let unseen = Node { index: u32::MAX, low: 0, is_open: false };
    let mut nodes = vec![unseen; bound];
    // Most graphs are small; deeper ones let the lists grow.
    let depth = bound.min(64);
    let (mut next, mut open) = (0, Vec::with_capacity(depth));
    let mut stack: Vec<(N, S)> = Vec::with_capacity(depth);
    for root in roots {
        let mut enter = Some(root).filter(|root| nodes[root.index()].index == u32::MAX);
        loop {
            if let Some(node) = enter.take() {
                nodes[node.index()] = Node { index: next, low: next, is_open: true };
                next += 1;
                open.push(node);
                stack.push((node, successors(node)));
            }
            let Some((node, rest)) = stack.last_mut() else { break };
            let node = *node;
            if let Some(to) = rest.next() {
                let known = nodes[to.index()];
                if known.index == u32::MAX {
                    enter = Some(to);
                } else if known.is_open {
                    let low = &mut nodes[node.index()].low;
                    *low = (*low).min(known.index);
                }
                continue;
            }
            stack.pop();
            let done = nodes[node.index()];
            if let Some((parent, _)) = stack.last() {
                let low = &mut nodes[parent.index()].low;
                *low = (*low).min(done.low);
            }
            if done.low == done.index {
                let at = open.iter().rposition(|&n| n == node).unwrap_or(0);
                open[at..].iter().for_each(|n| nodes[n.index()].is_open = false);
                found(&open[at..]);
                open.truncate(at);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entity;
    entity!(/// Test entity.
        E, "e");

    /// Returns the components of a graph with these edges that are reachable from these roots.
    fn components(edges: &[&[usize]], roots: &[usize]) -> Vec<Vec<usize>> {
        let mut found = Vec::new();
        strong_components(
            edges.len(),
            roots.iter().map(|&root| E::from_index(root)),
            |node| edges[node.index()].iter().map(|&to| E::from_index(to)),
            |component| found.push(component.iter().map(|node| node.index()).collect()),
        );
        found
    }

    #[test]
    fn graphs_of_at_most_one_node() {
        let none: Vec<Vec<usize>> = Vec::new();
        assert_eq!(components(&[], &[]), none);
        assert_eq!(components(&[&[]], &[]), none);
        assert_eq!(components(&[&[]], &[0]), [[0]]);
        assert_eq!(components(&[&[0]], &[0, 0]), [[0]]);
    }

    #[test]
    fn unreachable_nodes_are_in_no_component() {
        assert_eq!(components(&[&[], &[0]], &[0]), [[0]]);
        assert_eq!(components(&[&[1], &[1], &[0]], &[0, 1]), [[1], [0]]);
    }
}
