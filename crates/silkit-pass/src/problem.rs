//! Problems that passes report to the author of a program.

pub use silkit_diag::Severity;
use silkit_ir::{Body, FunctionId, Inst, SourceLoc};

/// A problem that a pass found in the program: an error, a warning or a remark.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The severity. Errors stop the passes.
    pub severity: Severity,
    /// The function; `None` if it is in none.
    pub function: Option<FunctionId>,
    /// The location.
    pub place: Spot,
    /// The message.
    pub message: String,
    /// Other places that have to do with it, and why.
    pub notes: Vec<(Spot, String)>,
}

/// An instruction that a problem speaks of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spot {
    /// The function, where it is another one than that of the problem.
    pub function: Option<FunctionId>,
    /// The instruction. A source map says where it stands, if it was read.
    pub inst: Option<Inst>,
    /// The place in the Swift source that it was compiled from, where that is known.
    pub source: Option<SourceLoc>,
}

impl Spot {
    /// Creates the place of an instruction, which may be removed later.
    pub fn of(body: &Body, inst: Inst) -> Self {
        Self {
            function: None,
            inst: Some(inst),
            source: body.loc(body.inst(inst).loc).and_then(|loc| loc.source),
        }
    }
}

impl Problem {
    /// Returns true if it stops the passes.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }

    /// Returns the problem with a note about an instruction.
    #[must_use]
    pub fn note(mut self, place: Spot, message: impl Into<String>) -> Self {
        self.notes.push((place, message.into()));
        self
    }
}
