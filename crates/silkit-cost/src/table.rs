//! Sums of costs: by Swift line and by function.

use crate::kind::{CostKinds, KIND_NAMES};
use crate::report::{CostReport, Operation};
use silkit::ir::FunctionId;
use std::collections::BTreeMap;
use std::ops::AddAssign;

/// The numbers of places with costs, by kind in the order of [`KIND_NAMES`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// All places.
    pub all: [u32; KIND_NAMES.len()],
    /// The places in loops of their function.
    pub in_loops: [u32; KIND_NAMES.len()],
}

impl Counts {
    /// Returns the counts of one instruction.
    pub fn of(operation: &Operation) -> Self {
        let mut counts = Self::default();
        counts.add(operation);
        counts
    }

    /// Returns the number of places of one of several kinds. A place that has several kinds counts for each.
    pub fn total(&self, kinds: CostKinds) -> u32 {
        kinds.indices().map(|kind| self.all[kind]).sum()
    }

    /// Returns the number of places in loops of one of several kinds.
    pub fn total_in_loops(&self, kinds: CostKinds) -> u32 {
        kinds.indices().map(|kind| self.in_loops[kind]).sum()
    }

    /// Returns true if there are no costs.
    pub fn is_empty(&self) -> bool {
        self.all.iter().all(|&number| number == 0)
    }

    pub(crate) fn add(&mut self, operation: &Operation) {
        for kind in operation.kinds.indices() {
            self.all[kind] += 1;
            self.in_loops[kind] += u32::from(operation.loop_depth > 0);
        }
    }
}

impl AddAssign<&Counts> for Counts {
    fn add_assign(&mut self, other: &Counts) {
        let sums = self.all.iter_mut().zip(other.all).chain(self.in_loops.iter_mut().zip(other.in_loops));
        sums.for_each(|(sum, more)| *sum += more);
    }
}

/// The costs of a Swift line.
#[derive(Clone, PartialEq, Debug)]
pub struct LineCosts {
    /// The path of the file.
    pub file: &'static str,
    /// The line, starting at 1.
    pub line: u32,
    /// The costs.
    pub counts: Counts,
    /// The estimated cost, by which lines are ordered.
    pub score: f64,
    /// The maximum loop depth of a place.
    pub loop_depth: u32,
    /// The functions that contain the code, in the order of the module.
    pub functions: Vec<FunctionId>,
}

/// The costs of a function.
#[derive(Clone, PartialEq, Debug)]
pub struct FunctionCosts {
    /// The function.
    pub function: FunctionId,
    /// The costs.
    pub counts: Counts,
    /// The estimated cost, by which functions are ordered.
    pub score: f64,
    /// The maximum loop depth of a place.
    pub loop_depth: u32,
}

/// The estimated costs of the kinds, relative to a retain.
const WEIGHTS: [f64; KIND_NAMES.len()] =
    [1.0, 1.0, 1.0, 1.0, 8.0, 8.0, 8.0, 8.0, 8.0, 8.0, 0.0, 2.0, 1.0, 1.0, 1.0, 8.0, 1.0, 1.0];

fn score(operation: &Operation) -> f64 {
    operation.kinds.indices().map(|kind| WEIGHTS[kind]).sum::<f64>() * operation.frequency
}

impl CostReport {
    /// Returns the sum of all costs.
    pub fn total(&self) -> Counts {
        let mut counts = Counts::default();
        self.operations.iter().for_each(|operation| counts.add(operation));
        counts
    }

    /// Returns the costs of each Swift line, the highest estimate first.
    pub fn lines(&self) -> Vec<LineCosts> {
        let mut lines: BTreeMap<(&'static str, u32), LineCosts> = BTreeMap::new();
        for operation in &self.operations {
            let Some(position) = operation.place.map(|place| place.position) else { continue };
            let costs = lines.entry((position.file, position.line)).or_insert_with(|| LineCosts {
                file: position.file,
                line: position.line,
                counts: Counts::default(),
                score: 0.0,
                loop_depth: 0,
                functions: Vec::new(),
            });
            costs.counts.add(operation);
            costs.score += score(operation);
            costs.loop_depth = costs.loop_depth.max(operation.loop_depth);
            if costs.functions.last() != Some(&operation.function) {
                costs.functions.push(operation.function);
            }
        }
        let mut lines: Vec<LineCosts> = lines.into_values().collect();
        lines.sort_by(|a, b| b.score.total_cmp(&a.score));
        lines
    }

    /// Returns the costs of each function that has some, the highest estimate first.
    pub fn functions(&self) -> Vec<FunctionCosts> {
        let mut functions: Vec<FunctionCosts> = Vec::new();
        for operation in &self.operations {
            if functions.last().is_none_or(|last| last.function != operation.function) {
                let function = operation.function;
                functions.push(FunctionCosts {
                    function,
                    counts: Counts::default(),
                    score: 0.0,
                    loop_depth: 0,
                });
            }
            let Some(costs) = functions.last_mut() else { continue };
            costs.counts.add(operation);
            costs.score += score(operation);
            costs.loop_depth = costs.loop_depth.max(operation.loop_depth);
        }
        functions.sort_by(|a, b| b.score.total_cmp(&a.score));
        functions
    }
}
