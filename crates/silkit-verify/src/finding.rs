//! Findings of the verifier: plain data that names entities, not text.

use crate::reference_message::{Failure, OwnershipError, ReferenceMessage};
use crate::rule::Rule;
use silkit_diag::Severity;
use silkit_ir::{Block, FunctionId, Inst, Operand, Value};

use crate::context::Owner;
use silkit_base::TextRange;

/// A part of a module that a finding speaks of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// The function, or the global variable, as a whole.
    Whole,
    /// The name of a function, which may be another one.
    Function(FunctionId),
    /// The start of a block.
    Block(Block),
    /// An instruction.
    Inst(Inst),
    /// One operand of an instruction.
    Operand(Operand),
    /// The definition of a value.
    Value(Value),
    /// A range of the text, such as an entry of a table.
    Text(TextRange),
}

/// One violation of a rule.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The rule.
    pub rule: &'static Rule,
    /// The entity.
    pub owner: Owner,
    /// The place there.
    pub place: Place,
    /// The severity: an error, unless the reference accepts the module.
    pub severity: Severity,
    /// The finding in one line.
    pub message: String,
    /// A short label for the place; may be empty.
    pub label: String,
    /// Related places: the other end of the finding.
    pub related: Vec<(Place, String)>,
    /// For properties of paths: the blocks from the start of the path to the violation.
    pub path: Vec<Block>,
    /// Further remarks.
    pub notes: Vec<String>,
    /// The messages of the reference; several if it reports the violation in several places.
    pub reference_messages: Vec<ReferenceMessage>,
}

impl Finding {
    /// Makes the finding a warning: wrong, but no reason to reject the module.
    #[must_use]
    pub fn warning(mut self) -> Self {
        self.severity = Severity::Warning;
        self
    }

    /// Returns true if it is an error.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }

    /// Sets the short label for the place.
    #[must_use]
    pub fn label(mut self, text: impl Into<String>) -> Self {
        self.label = text.into();
        self
    }

    /// Adds a related place.
    #[must_use]
    pub fn also(mut self, place: Place, text: impl Into<String>) -> Self {
        self.related.push((place, text.into()));
        self
    }

    /// Adds the path on which it goes wrong.
    #[must_use]
    pub fn path(mut self, path: Vec<Block>) -> Self {
        self.path = path;
        self
    }

    /// Adds a remark.
    #[must_use]
    pub fn note(mut self, text: impl Into<String>) -> Self {
        self.notes.push(text.into());
        self
    }

    /// Adds what the reference's verifier says, of the finding's own place.
    #[must_use]
    pub fn reference_message(self, message: &'static str) -> Self {
        let at = self.place;
        self.reference_message_at(at, message)
    }

    /// Adds what the reference's verifier says, of some place.
    #[must_use]
    pub fn reference_message_at(self, at: Place, message: &'static str) -> Self {
        self.reference_message_showing(at, message, Vec::new())
    }

    /// Adds what the reference's verifier says, of some place, and the instructions that it shows before.
    #[must_use]
    pub fn reference_message_showing(
        mut self,
        at: Place,
        message: &'static str,
        shown: Vec<(&'static str, Inst)>,
    ) -> Self {
        self.reference_messages.push(ReferenceMessage::Failure(Failure { message, at, shown }));
        self
    }

    /// Adds what the part of the reference's verifier that is written in Swift says, of some place.
    #[must_use]
    pub fn told_in_swift(mut self, at: Place, message: &'static str) -> Self {
        self.reference_messages.push(ReferenceMessage::SwiftFailure(Failure {
            message,
            at,
            shown: Vec::new(),
        }));
        self
    }

    /// Adds what the reference's ownership verifier says of a value.
    #[must_use]
    pub fn told_of_value(mut self, value: Value, error: OwnershipError) -> Self {
        self.reference_messages.push(ReferenceMessage::Ownership(value, error));
        self
    }
}
