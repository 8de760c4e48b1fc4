//! Options of a run.

use crate::violation::ViolationKind;
use silkit_base::FxHashSet;

/// Which calls are shown while a program runs.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Trace {
    /// None.
    #[default]
    Off,
    /// All.
    Calls,
    /// The calls of functions whose demangled or mangled names contain this text.
    CallsOf(String),
}

/// The options of a run.
#[derive(Clone, Debug)]
pub struct RunOptions {
    /// The most instructions that may be executed.
    pub limit: u64,
    /// The most bytes of memory that may be in use.
    pub memory: u64,
    /// The most bytes of frames.
    pub stack: u32,
    /// The seed of hashing and random numbers.
    pub seed: u64,
    /// Decides the order in which tasks go on; without it the first one that is ready does.
    pub schedule: Option<u64>,
    /// Which calls are shown.
    pub trace: Trace,
    /// True if memory that is left at the end is reported.
    pub leaks: bool,
    /// True if it is counted how often each instruction runs.
    pub coverage: bool,
    /// True if it is counted what functions cost.
    pub profile: bool,
    /// True if functions that are not known are calls of the host, instead of being refused.
    pub foreign: bool,
    /// The kinds of violations that are not looked for.
    pub unchecked: FxHashSet<ViolationKind>,
}

impl Default for RunOptions {
    fn default() -> Self {
        Self {
            limit: u64::MAX,
            memory: 4 << 30,
            stack: 256 << 20,
            seed: 0,
            schedule: None,
            trace: Trace::Off,
            leaks: false,
            coverage: false,
            profile: false,
            foreign: false,
            unchecked: FxHashSet::default(),
        }
    }
}

impl RunOptions {
    /// Returns true if violations of a kind are reported.
    pub fn checks(&self, kind: ViolationKind) -> bool {
        !self.unchecked.contains(&kind)
    }
}
