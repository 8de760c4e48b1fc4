//! Layered layout: edges lead downwards, except for back edges; or upwards, if the graph points up.
//!
//! The steps are those of Sugiyama, Tagawa and Toda (1981): break cycles, assign layers, order the nodes of each
//! layer to reduce crossings, place them. Edges that span layers pass between the boxes of those layers, and labels
//! have their own slots, so that no edge crosses text. Components are laid out separately and packed on shelves.

mod cycles;
mod layers;
mod order;
mod place;
mod shelves;

pub(super) use cycles::{back_edges, cyclic_nodes};

use layers::{LayeredGraph, SlotKind};

/// The distance between neighbours in a layer, in pixels.
const GAP: f64 = 18.0;
/// The distance between layers.
const LAYER_GAP: f64 = 34.0;
/// The maximum additional distance for edges with a large horizontal extent.
const MOST_EXTRA: f64 = 80.0;
/// The length of the straight piece at the ends of an edge, where the arrow head is.
const STEM: f64 = 8.0;

/// The graph to lay out.
pub(super) struct Input {
    /// The width and height of each node.
    pub(super) sizes: Vec<(f64, f64)>,
    /// The edges.
    pub(super) edges: Vec<InputEdge>,
}

/// An edge to draw.
#[derive(Clone, Copy)]
pub(super) struct InputEdge {
    pub(super) from: usize,
    pub(super) to: usize,
    /// The width of its label; 0 without one.
    pub(super) label: f64,
    /// True if its target is above its source: a back edge, or any other if the graph points up.
    pub(super) leads_up: bool,
}

/// The positions of all elements.
#[derive(Default)]
pub(super) struct Drawing {
    pub(super) width: f64,
    pub(super) height: f64,
    /// The upper left corner of each node.
    pub(super) corners: Vec<(f64, f64)>,
    /// The route of each edge; `None` for an edge that is not drawn because it spans too many layers.
    pub(super) routes: Vec<Option<Route>>,
}

/// The route of an edge.
#[derive(Clone, Default)]
pub(super) struct Route {
    /// Points in the direction of the edge, in pairs: straight between the points of a pair, and a curve with
    /// vertical ends between pairs.
    pub(super) points: Vec<(f64, f64)>,
    /// The left end of the label, at half its height.
    pub(super) label: Option<(f64, f64)>,
}

/// Computes the layout of a graph.
pub(super) fn lay_out(input: &Input) -> Drawing {
    let mut drawing = Drawing {
        corners: vec![(0.0, 0.0); input.sizes.len()],
        routes: vec![None; input.edges.len()],
        ..Drawing::default()
    };
    let parts = shelves::components(input);
    let mut sizes = Vec::with_capacity(parts.len());
    for part in &parts {
        sizes.push(lay_out_part(input, part, &mut drawing));
    }
    let (corners, (width, height)) = shelves::pack(&sizes);
    for (part, (dx, dy)) in parts.iter().zip(corners) {
        for &node in &part.nodes {
            let (x, y) = &mut drawing.corners[node];
            (*x, *y) = (*x + dx, *y + dy);
        }
        for &edge in &part.edges {
            if let Some(route) = &mut drawing.routes[edge] {
                let points = route.points.iter_mut().chain(&mut route.label);
                points.for_each(|(x, y)| (*x, *y) = (*x + dx, *y + dy));
            }
        }
    }
    (drawing.width, drawing.height) = (width, height);
    drawing
}

/// Lays out one component at the origin and returns its size.
fn lay_out_part(input: &Input, part: &shelves::Part, drawing: &mut Drawing) -> (f64, f64) {
    let mut layered = LayeredGraph::new(input, part);
    order::order(&mut layered);
    let lefts = place::place(&layered);
    let mut top = 0.0;
    let mut bands = Vec::with_capacity(layered.layers.len());
    for layer in &layered.layers {
        let height = layer.iter().map(|&slot| layered.slots[slot].height).fold(0.0, f64::max);
        bands.push((top, top + height));
        top += height + gap_below(&layered, layer, &lefts);
    }
    for (slot, &left) in layered.slots.iter().zip(&lefts) {
        if let SlotKind::Node(node) = slot.kind {
            drawing.corners[node] = (left, bands[slot.layer].0);
        }
    }
    let mut width =
        layered.slots.iter().zip(&lefts).map(|(slot, left)| left + slot.width).fold(0.0, f64::max);
    let ports = place::Ports::new(input, &layered, &lefts);
    for (index, &edge) in part.edges.iter().enumerate() {
        drawing.routes[edge] = match layered.chains[index].as_deref() {
            Some(chain) => Some(route(input, &layered, &lefts, &bands, &ports, edge, chain)),
            None if input.edges[edge].from == input.edges[edge].to => {
                let (points, right) = loop_beside(drawing.corners[input.edges[edge].from], input, edge);
                width = width.max(right);
                Some(points)
            }
            None => None,
        };
    }
    (width, bands.last().map_or(0.0, |band| band.1))
}

/// Returns the distance between a layer and the next one, which is larger for edges with a large horizontal extent.
fn gap_below(layered: &LayeredGraph, layer: &[usize], lefts: &[f64]) -> f64 {
    let ways = layer.iter().flat_map(|&slot| layered.below[slot].iter().map(move |&below| (slot, below)));
    let farthest = ways.map(|(slot, below)| (lefts[slot] - lefts[below]).abs()).fold(0.0, f64::max);
    LAYER_GAP + (farthest * 0.05).min(MOST_EXTRA)
}

/// Returns the route of a self-loop, and its extent to the right.
fn loop_beside((x, y): (f64, f64), input: &Input, edge: usize) -> (Route, f64) {
    let (width, height) = input.sizes[input.edges[edge].from];
    let right = x + width;
    let middle = y + height / 2.0;
    let far = right + layers::LOOP;
    let points = vec![(right, middle + 6.0), (far, middle + 6.0), (far, middle - 6.0), (right, middle - 6.0)];
    let label = (input.edges[edge].label > 0.0).then_some((far + 4.0, middle));
    (Route { points, label }, far + input.edges[edge].label + 8.0)
}

/// Returns the route of an edge through the slots between its ends.
fn route(
    input: &Input,
    layered: &LayeredGraph,
    lefts: &[f64],
    bands: &[(f64, f64)],
    ports: &place::Ports,
    edge: usize,
    chain: &[usize],
) -> Route {
    let InputEdge { from, to, leads_up, .. } = input.edges[edge];
    let (upper, lower) = if leads_up { (to, from) } else { (from, to) };
    let (upper_slot, lower_slot) = (layered.slot_of[&upper], layered.slot_of[&lower]);
    let (top, end) = bands[layered.slots[upper_slot].layer];
    let x = ports.bottom[&edge];
    // The edge is straight beside taller neighbours of the node.
    let mut points = vec![(x, top + input.sizes[upper].1), (x, end + STEM)];
    let mut label = None;
    for &slot in chain {
        let (top, end) = bands[layered.slots[slot].layer];
        let x = lefts[slot] + 2.0;
        points.extend([(x, top), (x, end)]);
        if let SlotKind::Label(_) = layered.slots[slot].kind {
            label = Some((x + 5.0, (top + end) / 2.0));
        }
    }
    let (x, top) = (ports.top[&edge], bands[layered.slots[lower_slot].layer].0);
    points.extend([(x, top - STEM), (x, top)]);
    if leads_up {
        points.reverse();
    }
    Route { points, label }
}
