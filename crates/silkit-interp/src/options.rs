//! Options of a run.

use crate::violation::ViolationKind;
use silkit_base::FxHashSet;

/// The calls that are traced while a program runs.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Trace {
    /// No calls.
    #[default]
    Off,
    /// All calls.
    Calls,
    /// The calls of functions whose demangled or mangled names contain this text.
    CallsOf(String),
}

/// The options of a run.
#[derive(Clone, Debug)]
pub struct RunOptions {
    /// The maximum number of executed instructions.
    pub limit: u64,
    /// The maximum number of bytes of memory in use.
    pub memory: u64,
    /// The maximum number of bytes of frames.
    pub stack: u32,
    /// The seed of hashing and random numbers.
    pub seed: u64,
    /// The seed of the order in which tasks continue. Without a seed, the first task of the queue continues.
    pub schedule: Option<u64>,
    /// The calls that are traced.
    pub trace: Trace,
    /// True if leaked memory is reported at the end.
    pub leaks: bool,
    /// True if memory is not reported as leaked if a value of a function that is active when the program exits refers to
    /// it. Passes promote memory, whose contents such functions own, to values.
    pub values_own: bool,
    /// True if the executions of each instruction are counted.
    pub coverage: bool,
    /// True if the costs of functions are recorded.
    pub profile: bool,
    /// True if calls of unknown functions are forwarded to the host instead of being reported as unsupported.
    pub foreign: bool,
    /// True if `consume` of a copyable value in raw SIL copies, as after passes that run before its checker has decided
    /// whether it moves.
    pub consume_copies: bool,
    /// The kinds of violations that are not reported.
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
            values_own: false,
            coverage: false,
            profile: false,
            foreign: false,
            consume_copies: false,
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
