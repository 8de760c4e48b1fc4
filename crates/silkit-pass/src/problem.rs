//! Problems that passes report to the author of a program.

use silkit_base::{Symbol, TextRange};
pub use silkit_diag::Severity;
use silkit_ir::{Body, Inst, SourceLoc};

/// A problem in the program that a pass found: an error, a warning or a remark.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The severity. After an error, no further passes run unless the runner goes on.
    pub severity: Severity,
    /// The name of the function, which may be removed later; `None` if it is not in a function.
    pub function: Option<Symbol>,
    /// The location.
    pub place: ProblemLocation,
    /// The message.
    pub message: String,
    /// Related instructions with messages.
    pub notes: Vec<(ProblemLocation, String)>,
}

/// The location of a problem.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProblemLocation {
    /// The name of the function, if it differs from that of the problem.
    pub function: Option<Symbol>,
    /// The instruction. A source map gives its position if it was parsed.
    pub inst: Option<Inst>,
    /// The Swift source position, if known.
    pub source: Option<SourceLoc>,
    /// A range in the Swift declarations of the module, [`Module::swift_text`](silkit_ir::Module::swift_text), if the
    /// location is there instead of at an instruction.
    pub declaration: Option<TextRange>,
}

impl ProblemLocation {
    /// Creates the location of an instruction, which stays valid if the instruction is removed.
    pub fn of(body: &Body, inst: Inst) -> Self {
        Self {
            function: None,
            inst: Some(inst),
            source: body.loc(body.inst(inst).loc).and_then(|loc| loc.source),
            declaration: None,
        }
    }

    /// Creates the location of a range in the Swift declarations of the module.
    pub fn in_declarations(range: TextRange) -> Self {
        Self { declaration: Some(range), ..Self::default() }
    }
}

impl Problem {
    /// Returns true if the severity is error.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }

    /// Adds a note at a location.
    #[must_use]
    pub fn note(mut self, place: ProblemLocation, message: impl Into<String>) -> Self {
        self.notes.push((place, message.into()));
        self
    }
}
