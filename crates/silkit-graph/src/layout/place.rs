//! Placement within layers: near the neighbours above and below, without overlap.

use super::layers::{LayeredGraph, SlotKind};
use super::{GAP, Input};
use silkit_base::FxHashMap;

/// The number of passes over the layers.
const PASSES: usize = 10;

/// Returns the left end of each slot. The order in the layers is unchanged.
pub(super) fn place(layered: &LayeredGraph) -> Vec<f64> {
    let width = |slot: usize| layered.slots[slot].width;
    let mut centre = vec![0.0; layered.slots.len()];
    for layer in &layered.layers {
        let mut x = 0.0;
        for &slot in layer {
            centre[slot] = x + width(slot) / 2.0;
            x += width(slot) + GAP;
        }
    }
    for pass in 0..PASSES {
        let count = layered.layers.len();
        for step in 0..count {
            let at = if pass % 2 == 0 { step } else { count - 1 - step };
            settle(layered, &layered.layers[at], &mut centre, pass);
        }
    }
    let left = |slot: usize, centre: &[f64]| centre[slot] - width(slot) / 2.0;
    let least = (0..centre.len()).map(|slot| left(slot, &centre)).fold(f64::INFINITY, f64::min);
    (0..centre.len()).map(|slot| left(slot, &centre) - least).collect()
}

/// Returns the position at which an edge passes a slot: near its left end, so that a label fits beside it.
fn anchor(layered: &LayeredGraph, slot: usize, centre: &[f64]) -> f64 {
    match layered.slots[slot].kind {
        SlotKind::Node(_) => centre[slot],
        SlotKind::Passing | SlotKind::Label(_) => centre[slot] - layered.slots[slot].width / 2.0 + 2.0,
    }
}

/// Moves the slots of a layer as close to their neighbours as their order and widths allow.
///
/// Minimizes the weighted sum of squared distances. Without the widths, this is an isotonic regression, which the
/// pool adjacent violators algorithm solves exactly in one walk.
fn settle(layered: &LayeredGraph, layer: &[usize], centre: &mut [f64], pass: usize) {
    let mut offset = 0.0;
    let mut offsets = Vec::with_capacity(layer.len());
    // Pools: weighted sum of preferred positions, sum of weights, number of slots.
    let mut pools: Vec<(f64, f64, usize)> = Vec::new();
    let mut previous: Option<usize> = None;
    for &slot in layer {
        if let Some(previous) = previous {
            offset += (layered.slots[previous].width + layered.slots[slot].width) / 2.0 + GAP;
        }
        previous = Some(slot);
        offsets.push(offset);
        let (wish, weight) = wish(layered, slot, centre, pass);
        pools.push(((wish - offset) * weight, weight, 1));
        while let [.., left, right] = pools.as_slice() {
            if left.0 / left.1 <= right.0 / right.1 {
                break;
            }
            let merged = (left.0 + right.0, left.1 + right.1, left.2 + right.2);
            pools.truncate(pools.len() - 2);
            pools.push(merged);
        }
    }
    let mut at = 0;
    for (sum, weight, count) in pools {
        for _ in 0..count {
            centre[layer[at]] = sum / weight + offsets[at];
            at += 1;
        }
    }
}

/// Returns the preferred center of a slot, and its weight. The segments of an edge are kept straight.
fn wish(layered: &LayeredGraph, slot: usize, centre: &[f64], pass: usize) -> (f64, f64) {
    let is_node = |slot: usize| matches!(layered.slots[slot].kind, SlotKind::Node(_));
    let (above, below) = (&layered.above[slot], &layered.below[slot]);
    // In the first passes, only the neighbours on the side of the previous layer have been placed.
    let sides: [&[usize]; 2] = match pass {
        0 => [above, &[]],
        1 => [&[], below],
        _ => [above, below],
    };
    let (mut sum, mut weight) = (0.0, 0.0);
    for &other in sides.into_iter().flatten() {
        let strength = match (is_node(slot), is_node(other)) {
            (true, true) => 1.0,
            (false, false) => 8.0,
            _ => 2.0,
        };
        sum += anchor(layered, other, centre) * strength;
        weight += strength;
    }
    if weight == 0.0 {
        return (centre[slot], 0.01);
    }
    let own = centre[slot] - anchor(layered, slot, centre);
    (sum / weight + own, weight)
}

/// The points at which edges leave and reach nodes.
pub(super) struct Ports {
    /// The position at the bottom of the upper node, by edge.
    pub(super) bottom: FxHashMap<usize, f64>,
    /// The position at the top of the lower node, by edge.
    pub(super) top: FxHashMap<usize, f64>,
}

impl Ports {
    /// Distributes the edges of each node over its width, in the order of their other ends.
    pub(super) fn new(input: &Input, layered: &LayeredGraph, lefts: &[f64]) -> Self {
        let mut bottoms: FxHashMap<usize, Vec<(f64, usize)>> = FxHashMap::default();
        let mut tops: FxHashMap<usize, Vec<(f64, usize)>> = FxHashMap::default();
        let middle = |slot: usize| match layered.slots[slot].kind {
            SlotKind::Node(_) => lefts[slot] + layered.slots[slot].width / 2.0,
            _ => lefts[slot] + 2.0,
        };
        for (edge, chain) in layered.chained() {
            let found = input.edges[edge];
            let (upper, lower) = if found.leads_up { (found.to, found.from) } else { (found.from, found.to) };
            let (first, last) = (layered.slot_of[&upper], layered.slot_of[&lower]);
            bottoms.entry(upper).or_default().push((middle(chain.first().copied().unwrap_or(last)), edge));
            tops.entry(lower).or_default().push((middle(chain.last().copied().unwrap_or(first)), edge));
        }
        let spread = |of: FxHashMap<usize, Vec<(f64, usize)>>| {
            let mut places = FxHashMap::default();
            for (node, mut edges) in of {
                edges.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
                let (left, width) = (lefts[layered.slot_of[&node]], input.sizes[node].0);
                let step = width / (edges.len() + 1) as f64;
                for (place, (_, edge)) in edges.into_iter().enumerate() {
                    places.insert(edge, left + step * (place + 1) as f64);
                }
            }
            places
        };
        Self { bottom: spread(bottoms), top: spread(tops) }
    }
}
