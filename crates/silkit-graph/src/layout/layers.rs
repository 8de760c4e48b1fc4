//! Layer assignment: the ends of each edge are in different layers.

use super::shelves::Part;
use super::{GAP, Input};
use silkit_base::FxHashMap;

/// The width of a self-loop beside its node, without its label.
pub(super) const LOOP: f64 = 22.0;
/// The maximum width of a layer; wider layers are split.
const WIDEST: f64 = 2600.0;
/// The maximum number of slots. If there are more, the edges that span the most layers are not drawn.
const MOST_SLOTS: usize = 120_000;

/// A component assigned to layers.
pub(super) struct LayeredGraph {
    /// The contents of the layers.
    pub(super) slots: Vec<Slot>,
    /// The slots of each layer from left to right.
    pub(super) layers: Vec<Vec<usize>>,
    /// The slots in the layer below that each slot is connected to.
    pub(super) below: Vec<Vec<usize>>,
    /// The slots in the layer above that each slot is connected to.
    pub(super) above: Vec<Vec<usize>>,
    /// The slot of each node.
    pub(super) slot_of: FxHashMap<usize, usize>,
    /// The slots of each edge of the component, from above. `None` for self-loops and edges that are not drawn.
    pub(super) chains: Vec<Option<Vec<usize>>>,
    /// The edges of the component.
    edges: Vec<usize>,
}

/// A position in a layer.
pub(super) struct Slot {
    pub(super) kind: SlotKind,
    pub(super) layer: usize,
    pub(super) width: f64,
    pub(super) height: f64,
}

#[derive(Clone, Copy, PartialEq)]
pub(super) enum SlotKind {
    Node(usize),
    /// An edge that passes the layer.
    Passing,
    /// An edge that passes the layer, with its label.
    Label(usize),
}

impl LayeredGraph {
    pub(super) fn new(input: &Input, part: &Part) -> Self {
        let layer_of = assign(input, part);
        let mut layered = Self {
            slots: Vec::new(),
            layers: Vec::new(),
            below: Vec::new(),
            above: Vec::new(),
            slot_of: FxHashMap::default(),
            chains: Vec::with_capacity(part.edges.len()),
            edges: part.edges.clone(),
        };
        let mut beside: FxHashMap<usize, f64> = FxHashMap::default();
        for edge in part.edges.iter().map(|&e| input.edges[e]).filter(|e| e.from == e.to) {
            let needed = beside.entry(edge.from).or_default();
            *needed = needed.max(LOOP + if edge.label > 0.0 { edge.label + 8.0 } else { 0.0 });
        }
        for &node in &part.nodes {
            let (width, height) = input.sizes[node];
            let width = width + beside.get(&node).unwrap_or(&0.0);
            let slot = layered.add(SlotKind::Node(node), layer_of[&node], width, height);
            layered.slot_of.insert(node, slot);
        }
        let drawn = drawn(input, part, &layer_of);
        for (index, &edge) in part.edges.iter().enumerate() {
            let chain = drawn[index].then(|| layered.connect(input, edge));
            layered.chains.push(chain);
        }
        layered
    }

    /// Returns the drawn edges with their slots.
    pub(super) fn chained(&self) -> impl Iterator<Item = (usize, &[usize])> {
        self.edges.iter().zip(&self.chains).filter_map(|(&edge, chain)| Some((edge, chain.as_deref()?)))
    }

    fn add(&mut self, kind: SlotKind, layer: usize, width: f64, height: f64) -> usize {
        let slot = self.slots.len();
        self.slots.push(Slot { kind, layer, width, height });
        if self.layers.len() <= layer {
            self.layers.resize_with(layer + 1, Vec::new);
        }
        self.layers[layer].push(slot);
        self.below.push(Vec::new());
        self.above.push(Vec::new());
        slot
    }

    /// Connects the ends of an edge through a slot in each layer between them.
    fn connect(&mut self, input: &Input, edge: usize) -> Vec<usize> {
        let found = input.edges[edge];
        let (upper, lower) = if found.leads_up { (found.to, found.from) } else { (found.from, found.to) };
        let (first, last) = (self.slot_of[&upper], self.slot_of[&lower]);
        let mut chain = Vec::new();
        let mut previous = first;
        let layers = self.slots[first].layer + 1..self.slots[last].layer;
        // A label is placed next to the start of the edge.
        let labelled = if found.leads_up { layers.end.wrapping_sub(1) } else { layers.start };
        for layer in layers {
            let slot = if found.label > 0.0 && layer == labelled {
                self.add(SlotKind::Label(edge), layer, found.label + 10.0, super::super::svg::LINE)
            } else {
                self.add(SlotKind::Passing, layer, 4.0, 0.0)
            };
            self.below[previous].push(slot);
            self.above[slot].push(previous);
            chain.push(slot);
            previous = slot;
        }
        self.below[previous].push(last);
        self.above[last].push(previous);
        chain
    }
}

/// Returns which edges of a component are drawn: as many as there is room for, short ones first.
fn drawn(input: &Input, part: &Part, layer_of: &FxHashMap<usize, usize>) -> Vec<bool> {
    let span = |edge: usize| layer_of[&input.edges[edge].from].abs_diff(layer_of[&input.edges[edge].to]);
    let mut by_span: Vec<usize> = (0..part.edges.len()).collect();
    by_span.sort_by_key(|&index| span(part.edges[index]));
    let mut is_drawn = vec![false; part.edges.len()];
    let mut slots = 0;
    for index in by_span {
        let span = span(part.edges[index]);
        slots += span;
        if slots > MOST_SLOTS {
            break;
        }
        is_drawn[index] = span > 0;
    }
    is_drawn
}

/// Assigns a layer to each node of a component.
fn assign(input: &Input, part: &Part) -> FxHashMap<usize, usize> {
    let index: FxHashMap<usize, usize> = part.nodes.iter().enumerate().map(|(i, &node)| (node, i)).collect();
    let mut below = vec![Vec::new(); part.nodes.len()];
    let mut waiting = vec![0usize; part.nodes.len()];
    for edge in part.edges.iter().map(|&edge| input.edges[edge]).filter(|edge| edge.from != edge.to) {
        let (upper, lower) = if edge.leads_up { (edge.to, edge.from) } else { (edge.from, edge.to) };
        below[index[&upper]].push(index[&lower]);
        waiting[index[&lower]] += 1;
    }
    // Depth-first topological order, which keeps connected nodes together.
    let mut layer = vec![0usize; part.nodes.len()];
    let mut order = Vec::with_capacity(part.nodes.len());
    let mut is_source = vec![false; part.nodes.len()];
    let mut ready: Vec<usize> = (0..part.nodes.len()).rev().filter(|&node| waiting[node] == 0).collect();
    ready.iter().for_each(|&node| is_source[node] = true);
    while let Some(node) = ready.pop() {
        order.push(node);
        for &to in below[node].iter().rev() {
            layer[to] = layer[to].max(layer[node] + 1);
            waiting[to] -= 1;
            if waiting[to] == 0 {
                ready.push(to);
            }
        }
    }
    // A node without predecessors is placed directly above its successors.
    for &node in order.iter().filter(|&&node| is_source[node]) {
        if let Some(lowest) = below[node].iter().map(|&to| layer[to]).min() {
            layer[node] = lowest - 1;
        }
    }
    let layer = broken(input, part, &layer, &order);
    // Insert a layer between each two layers if labels need it.
    let has_labels = part.edges.iter().any(|&edge| input.edges[edge].label > 0.0);
    let step = if has_labels { 2 } else { 1 };
    part.nodes.iter().enumerate().map(|(i, &node)| (node, layer[i] * step)).collect()
}

/// Splits layers that are too wide, and returns the new layer of each node.
fn broken(input: &Input, part: &Part, layer: &[usize], order: &[usize]) -> Vec<usize> {
    let count = layer.iter().max().map_or(0, |last| last + 1);
    let mut members = vec![Vec::new(); count];
    order.iter().for_each(|&node| members[layer[node]].push(node));
    let mut new = vec![0; layer.len()];
    let mut next = 0;
    for members in members {
        let width = |&node: &usize| input.sizes[part.nodes[node]].0 + GAP;
        let total: f64 = members.iter().map(width).sum();
        let limit = (total / (total / WIDEST).ceil()).max(1.0);
        let mut used = 0.0;
        for node in &members {
            if used > 0.0 && used + width(node) > limit * 1.02 {
                next += 1;
                used = 0.0;
            }
            used += width(node);
            new[*node] = next;
        }
        next += 1;
    }
    new
}
