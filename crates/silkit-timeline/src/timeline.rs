//! The steps of a log, and the texts that they print.

use crate::header::StepKind;
use crate::store::{BodyId, Counts, Store, Unread};
use silkit::base::{FxHashMap, IdVec, entity};

entity!(
    /// A step in a [`Timeline`].
    StepId,
    "step"
);
entity!(
    /// A function in a [`Timeline`], by its name.
    NameId,
    "name"
);
entity!(
    /// A pass in a [`Timeline`].
    PassId,
    "pass"
);
entity!(
    /// A pipeline in a [`Timeline`].
    StageId,
    "stage"
);

/// What a compiler printed at one place of its pipelines: a header and the SIL that follows it.
#[derive(Clone, Debug)]
pub struct Step {
    /// The line of the header in the log, starting at 1.
    pub line: u64,
    /// The number of the compiler process that printed it, starting at 0.
    pub unit: u32,
    /// What is printed.
    pub kind: StepKind,
    /// The number of the run of the pass: with `-sil-opt-pass-count=N` the compiler stops before this run, with N+1 after
    /// it.
    pub number: Option<u32>,
    /// The number M of the transformation that follows, from 0: with `-sil-opt-pass-count=N+1.M` the compiler stops before
    /// it.
    pub transformation: Option<u32>,
    /// True if the run is one of a pipeline that always runs in full: it has a number, but `-sil-opt-pass-count` does not
    /// count it.
    pub is_mandatory: bool,
    /// The pipeline.
    pub stage: Option<StageId>,
    /// The pass.
    pub pass: Option<PassId>,
    /// The number of functions with bodies that are printed.
    pub printed: u32,
    /// True if the text ends within a function.
    pub is_cut: bool,
    pub(crate) first_version: u32,
    pub(crate) version_count: u32,
}

/// A text that a step prints. A step that prints a module has the texts that differ from those before it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Version {
    /// The function; `None` for what is outside of functions.
    pub function: Option<NameId>,
    /// The last text before the step.
    pub before: Option<BodyId>,
    /// The text at the step; `None` if the module no longer has the function.
    pub after: Option<BodyId>,
    /// The line of the log at which the text begins, starting at 1; that of the header if the function is gone.
    pub line: u64,
    /// True if no text before the step is in the log, so that the change is not known.
    pub is_first: bool,
}

/// A pass.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Pass {
    /// The name: `Mem2Reg`.
    pub name: String,
    /// The tag: `mem2reg`.
    pub tag: String,
    /// The number of runs that the log names without SIL (`-sil-print-pass-name`).
    pub named_runs: u64,
    /// The time of the runs that the log gives (`-sil-print-pass-time`), in milliseconds.
    pub milliseconds: f64,
}

/// A run of a pass of the optimizer that the log names (`-sil-print-pass-name`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Run {
    /// The number of the run.
    pub number: u32,
    /// The pass.
    pub pass: PassId,
    /// The function; `None` for a pass of modules.
    pub function: Option<NameId>,
}

/// How a step changes a text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Change {
    /// Not at all, or only comments.
    None,
    /// The text before is not known.
    Unknown,
    /// The code differs.
    Changed,
}

/// A line of the log that is not SIL: a diagnostic of the compiler, for example.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OtherLine {
    /// The line in the log, starting at 1.
    pub line: u64,
    /// The text.
    pub text: String,
}

/// The steps of a log and their texts.
#[derive(Debug, Default)]
pub struct Timeline {
    pub(crate) steps: IdVec<StepId, Step>,
    pub(crate) versions: Vec<Version>,
    pub(crate) functions: IdVec<NameId, String>,
    pub(crate) passes: IdVec<PassId, Pass>,
    pub(crate) stages: IdVec<StageId, String>,
    pub(crate) store: Store,
    pub(crate) runs: Vec<Run>,
    /// The times of runs, by unit and number.
    pub(crate) times: FxHashMap<(u32, u32), f32>,
    /// The first lines that are not SIL.
    pub(crate) others: Vec<OtherLine>,
    pub(crate) other_count: u64,
    pub(crate) lines: u64,
    pub(crate) bytes: u64,
}

impl Timeline {
    /// Returns all steps, in the order of the log.
    pub fn steps(&self) -> impl DoubleEndedIterator<Item = (StepId, &Step)> + ExactSizeIterator {
        self.steps.iter()
    }

    /// Returns a step.
    pub fn step(&self, id: StepId) -> &Step {
        &self.steps[id]
    }

    /// Returns the texts of a step. A step that prints a module has the texts that differ from those before it.
    pub fn versions(&self, step: &Step) -> &[Version] {
        let start = step.first_version as usize;
        &self.versions[start..start + step.version_count as usize]
    }

    /// Returns the mangled name of a function.
    pub fn function(&self, id: NameId) -> &str {
        &self.functions[id]
    }

    /// Returns the names of all functions.
    pub fn functions(&self) -> impl ExactSizeIterator<Item = (NameId, &str)> {
        self.functions.iter().map(|(id, name)| (id, name.as_str()))
    }

    /// Returns a pass.
    pub fn pass(&self, id: PassId) -> &Pass {
        &self.passes[id]
    }

    /// Returns all passes.
    pub fn passes(&self) -> impl ExactSizeIterator<Item = (PassId, &Pass)> {
        self.passes.iter()
    }

    /// Returns the runs of the optimizer that the log names.
    pub fn runs(&self) -> &[Run] {
        &self.runs
    }

    /// Returns the name of a pipeline.
    pub fn stage(&self, id: StageId) -> &str {
        &self.stages[id]
    }

    /// Returns the tag of the pass of a step; the empty string if it has none.
    pub fn tag(&self, step: &Step) -> &str {
        step.pass.map_or("", |pass| &self.passes[pass].tag)
    }

    /// Returns the ids of the distinct texts.
    pub fn bodies(&self) -> impl ExactSizeIterator<Item = BodyId> + use<> {
        self.store.ids()
    }

    /// Returns a text as it was printed.
    pub fn text(&self, id: BodyId) -> String {
        self.store.text(id)
    }

    /// Returns the counts of a text.
    pub fn counts(&self, id: BodyId) -> Counts {
        self.store.counts(id)
    }

    /// Returns the first error of a text that is not valid SIL.
    pub fn unread(&self, id: BodyId) -> Option<&Unread> {
        self.store.unread(id)
    }

    /// Returns the first lines that are not SIL, such as diagnostics.
    pub fn other_lines(&self) -> &[OtherLine] {
        &self.others
    }

    /// Returns the number of lines that are not SIL.
    pub fn other_line_count(&self) -> u64 {
        self.other_count
    }

    /// Returns the numbers of lines and bytes of the log.
    pub fn size(&self) -> (u64, u64) {
        (self.lines, self.bytes)
    }

    /// Returns the size of the distinct texts in bytes, and their size as stored.
    pub fn stored_sizes(&self) -> (u64, u64) {
        self.store.sizes()
    }

    /// Returns the number of compiler processes whose output the log has.
    pub fn units(&self) -> u32 {
        self.steps.values().map(|step| step.unit + 1).max().unwrap_or_default()
    }

    /// Returns the time of the run of a step in milliseconds.
    pub fn milliseconds(&self, step: &Step) -> Option<f32> {
        self.times.get(&(step.unit, step.number?)).copied()
    }

    /// Returns how a step changes a text.
    pub fn change(&self, version: &Version) -> Change {
        let code = |body: Option<BodyId>| body.map(|id| self.store.code(id));
        match version {
            version if version.is_first => Change::Unknown,
            version if code(version.before) == code(version.after) => Change::None,
            _ => Change::Changed,
        }
    }

    /// Returns how a step changes its texts.
    pub fn step_change(&self, step: &Step) -> Change {
        let mut all = Change::None;
        for version in self.versions(step) {
            match self.change(version) {
                Change::None => {}
                Change::Unknown => all = Change::Unknown,
                Change::Changed => return Change::Changed,
            }
        }
        all
    }

    /// Returns what a step adds and removes, as the difference of the counts; nothing if the text before is not known.
    pub fn gain(&self, version: &Version) -> Counts {
        if version.is_first {
            return Counts::default();
        }
        let counts = |body: Option<BodyId>| body.map(|id| self.store.counts(id)).unwrap_or_default();
        counts(version.after) - counts(version.before)
    }

    /// Returns the first text of a step that is not valid SIL.
    pub fn unread_text(&self, step: &Step) -> Option<(&Version, &Unread)> {
        self.versions(step).iter().find_map(|version| Some((version, self.unread(version.after?)?)))
    }

    /// Returns the steps that cannot be read: those with a text that is not valid SIL or is cut.
    pub fn unread_steps(&self) -> impl Iterator<Item = (StepId, &Step)> {
        self.steps().filter(|(_, step)| step.is_cut || self.unread_text(step).is_some())
    }
}
