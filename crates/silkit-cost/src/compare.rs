//! Comparison of two snapshots: which functions have more or fewer costs, and which places are new or gone.

use crate::kind::KIND_NAMES;
use crate::snapshot::{FunctionSnapshot, Snapshot, SnapshotPlace};
use similar::{Algorithm, DiffOp, capture_diff_slices};

/// A change of the number of places of one kind in a function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Change {
    /// The symbol of the function.
    pub symbol: String,
    /// Its readable name.
    pub name: String,
    /// The index of the kind in [`KIND_NAMES`].
    pub kind: usize,
    /// The numbers of places before and after.
    pub all: (u32, u32),
    /// The numbers of places in loops before and after.
    pub in_loops: (u32, u32),
    /// The places that are new.
    pub new: Vec<SnapshotPlace>,
    /// The places that are gone.
    pub gone: Vec<SnapshotPlace>,
}

impl Change {
    /// Returns true if there are more places, or more in loops.
    pub fn is_regression(&self) -> bool {
        self.all.1 > self.all.0 || self.in_loops.1 > self.in_loops.0
    }

    /// Returns the name of the kind.
    pub fn kind_name(&self) -> &'static str {
        KIND_NAMES.get(self.kind).copied().unwrap_or_default()
    }
}

/// The differences between two snapshots.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Comparison {
    /// The changes in functions that both have, by symbol and kind.
    pub changes: Vec<Change>,
    /// The symbols of functions that only the newer one has.
    pub added: Vec<String>,
    /// The symbols of functions that only the older one has.
    pub removed: Vec<String>,
}

/// Compares two snapshots.
pub fn compare(old: &Snapshot, new: &Snapshot) -> Comparison {
    let mut comparison = Comparison::default();
    for (symbol, before) in &old.functions {
        match new.functions.get(symbol) {
            Some(after) => comparison.changes.extend(changes(symbol, before, after)),
            None => comparison.removed.push(symbol.clone()),
        }
    }
    let is_added = |symbol: &&String| !old.functions.contains_key(*symbol);
    comparison.added = new.functions.keys().filter(is_added).cloned().collect();
    comparison
}

fn changes(symbol: &str, before: &FunctionSnapshot, after: &FunctionSnapshot) -> Vec<Change> {
    let kinds = 0..KIND_NAMES.len();
    let changed = kinds.filter(|&kind| {
        before.counts.all[kind] != after.counts.all[kind]
            || before.counts.in_loops[kind] != after.counts.in_loops[kind]
    });
    changed
        .map(|kind| {
            let (gone, new) = differences(before, after, kind);
            Change {
                symbol: symbol.to_owned(),
                name: after.name.clone(),
                kind,
                all: (before.counts.all[kind], after.counts.all[kind]),
                in_loops: (before.counts.in_loops[kind], after.counts.in_loops[kind]),
                new,
                gone,
            }
        })
        .collect()
}

/// Returns the places of one kind that only the older and only the newer function has: those that a longest common sequence of
/// reasons leaves out, so that equal reasons are told apart by their order.
fn differences(
    before: &FunctionSnapshot,
    after: &FunctionSnapshot,
    kind: usize,
) -> (Vec<SnapshotPlace>, Vec<SnapshotPlace>) {
    let of_kind = |function: &FunctionSnapshot| -> Vec<SnapshotPlace> {
        function.places.iter().filter(|place| place.kind == kind).cloned().collect()
    };
    let (before, after) = (of_kind(before), of_kind(after));
    let reasons =
        |places: &[SnapshotPlace]| -> Vec<String> { places.iter().map(|p| p.reason.clone()).collect() };
    let operations = capture_diff_slices(Algorithm::Myers, &reasons(&before), &reasons(&after));
    let (mut gone, mut new) = (Vec::new(), Vec::new());
    for operation in operations {
        if !matches!(operation, DiffOp::Equal { .. }) {
            gone.extend_from_slice(&before[operation.old_range()]);
            new.extend_from_slice(&after[operation.new_range()]);
        }
    }
    (gone, new)
}
