//! Sums over the steps of a log.

use crate::store::Counts;
use crate::timeline::{Change, PassId, Step, StepId, Timeline};
use silkit::base::{Entity as _, FxHashMap};

/// What a pass did, in the steps of a log that print its results.
#[derive(Clone, Debug)]
pub struct PassSummary {
    /// The pass.
    pub pass: PassId,
    /// The number of runs: those that the log names, or else those whose results it prints.
    pub runs: u64,
    /// The number of runs whose results the log prints.
    pub steps: u64,
    /// The number of these that change code.
    pub changed: u64,
    /// Instructions, operations of reference counting and others that were gained: the sum of the increases.
    pub gained: Counts,
    /// The sum of the decreases, as positive numbers.
    pub lost: Counts,
}

/// Sums over all steps.
#[derive(Clone, Debug)]
pub struct Summary {
    /// The number of steps, which is the number of headers in the log.
    pub steps: u64,
    /// The number of steps that change code.
    pub changed: u64,
    /// The number of steps whose previous text is not known.
    pub unknown: u64,
    /// The number of steps that cannot be read.
    pub unread: u64,
    /// The number of functions.
    pub functions: usize,
    /// The number of distinct texts.
    pub texts: usize,
    /// The passes; those that changed the most steps first.
    pub passes: Vec<PassSummary>,
}

impl Summary {
    /// Sums over the steps for which `is_wanted` is true.
    pub fn of(timeline: &Timeline, is_wanted: impl Fn(StepId, &Step) -> bool) -> Self {
        let mut passes: Vec<PassSummary> = timeline
            .passes()
            .map(|(pass, known)| PassSummary {
                pass,
                runs: known.named_runs,
                steps: 0,
                changed: 0,
                gained: Counts::default(),
                lost: Counts::default(),
            })
            .collect();
        let mut all = Self {
            steps: 0,
            changed: 0,
            unknown: 0,
            unread: 0,
            functions: timeline.functions().len(),
            texts: timeline.bodies().len(),
            passes: Vec::new(),
        };
        // Several steps may print the results of one run.
        let mut last_run: FxHashMap<PassId, (u32, Option<u32>)> = FxHashMap::default();
        for (_, step) in timeline.steps().filter(|(id, step)| is_wanted(*id, step)) {
            all.steps += 1;
            all.unread += u64::from(step.is_cut || timeline.unread_text(step).is_some());
            let Some(pass) = step.pass.filter(|_| step.kind.is_result()) else { continue };
            let change = timeline.step_change(step);
            all.unknown += u64::from(change == Change::Unknown);
            let row = &mut passes[pass.index()];
            let run = (step.unit, step.number);
            if step.number.is_none() || last_run.insert(pass, run) != Some(run) {
                row.steps += 1;
            }
            if change == Change::Changed {
                all.changed += 1;
                row.changed += 1;
            }
            for version in timeline.versions(step) {
                row.add(timeline.gain(version));
            }
        }
        passes.retain(|row| row.steps > 0);
        for row in &mut passes {
            row.runs = row.runs.max(row.steps);
        }
        passes.sort_by(|a, b| b.changed.cmp(&a.changed).then(b.steps.cmp(&a.steps)));
        all.passes = passes;
        all
    }
}

impl PassSummary {
    fn add(&mut self, gain: Counts) {
        let field = |gained: &mut i64, lost: &mut i64, by: i64| {
            *gained += by.max(0);
            *lost += (-by).max(0);
        };
        let (gained, lost) = (&mut self.gained, &mut self.lost);
        field(&mut gained.blocks, &mut lost.blocks, gain.blocks);
        field(&mut gained.insts, &mut lost.insts, gain.insts);
        field(&mut gained.retains, &mut lost.retains, gain.retains);
        field(&mut gained.releases, &mut lost.releases, gain.releases);
        field(&mut gained.allocations, &mut lost.allocations, gain.allocations);
        field(&mut gained.calls, &mut lost.calls, gain.calls);
    }
}
