//! Cycles: back edges, and the nodes on cycles.

/// Returns for each edge whether it is a back edge of a depth-first walk from the first node and the nodes without
/// incoming edges. Without back edges the graph is acyclic. A self-loop does not count.
pub(crate) fn back_edges(nodes: usize, edges: &[(usize, usize)]) -> Vec<bool> {
    let out = outgoing(nodes, edges);
    let mut has_incoming = vec![false; nodes];
    edges.iter().filter(|(from, to)| from != to).for_each(|&(_, to)| has_incoming[to] = true);
    // The entry of a function comes first even if it is a loop header.
    let roots = (0..nodes.min(1)).chain((0..nodes).filter(|&node| !has_incoming[node])).chain(0..nodes);
    let mut state = vec![State::New; nodes];
    let mut is_back = vec![false; edges.len()];
    for root in roots {
        if state[root] != State::New {
            continue;
        }
        state[root] = State::Open;
        let mut stack = vec![(root, 0)];
        while let Some((node, next)) = stack.last_mut() {
            let Some(&edge) = out[*node].get(*next) else {
                state[*node] = State::Done;
                stack.pop();
                continue;
            };
            *next += 1;
            let to = edges[edge].1;
            match state[to] {
                State::New => {
                    state[to] = State::Open;
                    stack.push((to, 0));
                }
                State::Open => is_back[edge] = edges[edge].0 != to,
                State::Done => {}
            }
        }
    }
    is_back
}

#[derive(Clone, Copy, PartialEq)]
enum State {
    New,
    Open,
    Done,
}

/// Returns for each node whether it is on a cycle.
///
/// Uses Kosaraju's algorithm: the nodes that a backward walk visits, in reverse postorder of a forward walk, form a
/// strongly connected component.
pub(crate) fn cyclic_nodes(nodes: usize, edges: &[(usize, usize)]) -> Vec<bool> {
    let reversed: Vec<(usize, usize)> = edges.iter().map(|&(from, to)| (to, from)).collect();
    let incoming = outgoing(nodes, &reversed);
    let mut is_cyclic = vec![false; nodes];
    let mut is_met = vec![false; nodes];
    for root in postorder(nodes, edges).into_iter().rev() {
        if std::mem::replace(&mut is_met[root], true) {
            continue;
        }
        let mut component = vec![root];
        let mut at = 0;
        while let Some(&node) = component.get(at) {
            at += 1;
            for &edge in &incoming[node] {
                let from = reversed[edge].1;
                if !std::mem::replace(&mut is_met[from], true) {
                    component.push(from);
                }
            }
        }
        if component.len() > 1 {
            component.into_iter().for_each(|node| is_cyclic[node] = true);
        }
    }
    edges.iter().filter(|(from, to)| from == to).for_each(|&(node, _)| is_cyclic[node] = true);
    is_cyclic
}

/// Returns the nodes in postorder of a depth-first walk.
fn postorder(nodes: usize, edges: &[(usize, usize)]) -> Vec<usize> {
    let out = outgoing(nodes, edges);
    let mut is_met = vec![false; nodes];
    let mut order = Vec::with_capacity(nodes);
    for root in 0..nodes {
        if std::mem::replace(&mut is_met[root], true) {
            continue;
        }
        let mut stack = vec![(root, 0)];
        while let Some((node, next)) = stack.last_mut() {
            match out[*node].get(*next) {
                Some(&edge) => {
                    *next += 1;
                    let to = edges[edge].1;
                    if !std::mem::replace(&mut is_met[to], true) {
                        stack.push((to, 0));
                    }
                }
                None => {
                    order.push(*node);
                    stack.pop();
                }
            }
        }
    }
    order
}

/// Returns the indices of the outgoing edges of each node.
pub(super) fn outgoing(nodes: usize, edges: &[(usize, usize)]) -> Vec<Vec<usize>> {
    let mut out = vec![Vec::new(); nodes];
    edges.iter().enumerate().for_each(|(edge, &(from, _))| out[from].push(edge));
    out
}
