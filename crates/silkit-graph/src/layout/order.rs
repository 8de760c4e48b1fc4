//! Ordering of the slots in each layer, with few edge crossings.

use super::layers::LayeredGraph;

/// The maximum number of sweeps over the layers.
const SWEEPS: usize = 12;
/// The amount of work for all sweeps: larger graphs get fewer sweeps.
const WORK: usize = 400_000;

/// Orders each layer by the barycentres of neighbours, sweeping down and up, and keeps the order with the fewest
/// crossings.
pub(super) fn order(layered: &mut LayeredGraph) {
    let sweeps = (WORK / layered.slots.len().max(1)).clamp(2, SWEEPS);
    let mut position = vec![0usize; layered.slots.len()];
    number(&layered.layers, &mut position);
    let mut best = (crossings(layered, &position), layered.layers.clone());
    for sweep in 0..sweeps {
        if best.0 == 0 {
            break;
        }
        let count = layered.layers.len();
        for step in 0..count {
            let (at, neighbours) =
                if sweep % 2 == 0 { (step, &layered.above) } else { (count - 1 - step, &layered.below) };
            let layer = &mut layered.layers[at];
            let mut keyed: Vec<(f64, usize)> = layer
                .iter()
                .map(|&slot| {
                    let found = &neighbours[slot];
                    let own = position[slot] as f64;
                    let sum: usize = found.iter().map(|&other| position[other]).sum();
                    (if found.is_empty() { own } else { sum as f64 / found.len() as f64 }, slot)
                })
                .collect();
            keyed.sort_by(|a, b| a.0.total_cmp(&b.0));
            layer.clear();
            layer.extend(keyed.into_iter().map(|(_, slot)| slot));
            layer.iter().enumerate().for_each(|(place, &slot)| position[slot] = place);
        }
        let found = crossings(layered, &position);
        if found < best.0 {
            best = (found, layered.layers.clone());
        }
    }
    layered.layers = best.1;
}

fn number(layers: &[Vec<usize>], position: &mut [usize]) {
    for layer in layers {
        layer.iter().enumerate().for_each(|(place, &slot)| position[slot] = place);
    }
}

/// Returns the number of edge crossings between neighbouring layers: the inversions of their lower ends, counted with
/// a Fenwick tree.
fn crossings(layered: &LayeredGraph, position: &[usize]) -> usize {
    let mut count = 0;
    for (above, layer) in layered.layers.iter().zip(layered.layers.iter().skip(1)) {
        let mut tree = vec![0usize; layer.len() + 1];
        let mut seen = 0;
        for &slot in above {
            let mut ends: Vec<usize> = layered.below[slot].iter().map(|&to| position[to]).collect();
            ends.sort_unstable();
            for &end in &ends {
                // Count the preceding edges that end further right.
                let mut at = end + 1;
                let mut left = 0;
                while at > 0 {
                    left += tree[at];
                    at &= at - 1;
                }
                count += seen - left;
            }
            for end in ends {
                seen += 1;
                let mut at = end + 1;
                while at < tree.len() {
                    tree[at] += 1;
                    at += at & at.wrapping_neg();
                }
            }
        }
    }
    count
}
