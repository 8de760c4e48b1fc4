//! Findings of the verifier: plain data that refers to entities, not text.

use crate::reference_message::{OwnershipError, ReferenceFailure, ReferenceMessage};
use crate::rule::Rule;
use silkit_diag::Severity;
use silkit_ir::{Block, FunctionId, Inst, Operand, Value};

use crate::context::Owner;
use silkit_base::TextRange;

/// A part of a module that a finding refers to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// The whole function or global variable.
    Whole,
    /// The name of a function, possibly another one.
    Function(FunctionId),
    /// The start of a block.
    Block(Block),
    /// An instruction.
    Inst(Inst),
    /// One operand of an instruction.
    Operand(Operand),
    /// The definition of a value.
    Value(Value),
    /// A range of the text, such as a table entry.
    Text(TextRange),
}

/// A violation of a rule.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The rule.
    pub rule: &'static Rule,
    /// The entity.
    pub owner: Owner,
    /// The place in the entity.
    pub place: Place,
    /// The severity: that of the rule, or a warning where the reference accepts the module.
    pub severity: Severity,
    /// A one-line message.
    pub message: String,
    /// A short label for the place; may be empty.
    pub label: String,
    /// Related places with their labels.
    pub related: Vec<(Place, String)>,
    /// For path rules: the blocks from the start of the path to the violation.
    pub path: Vec<Block>,
    /// Notes.
    pub notes: Vec<String>,
    /// The messages of the reference; several if it reports the violation at several places.
    pub reference_messages: Vec<ReferenceMessage>,
}

impl Finding {
    /// Downgrades the finding to a warning, which does not reject the module.
    #[must_use]
    pub fn warning(mut self) -> Self {
        self.severity = Severity::Warning;
        self
    }

    /// Returns true if the severity is error.
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

    /// Sets the path of the violation.
    #[must_use]
    pub fn path(mut self, path: Vec<Block>) -> Self {
        self.path = path;
        self
    }

    /// Adds a note.
    #[must_use]
    pub fn note(mut self, text: impl Into<String>) -> Self {
        self.notes.push(text.into());
        self
    }

    /// Adds a message of the reference's verifier, at the place of the finding.
    #[must_use]
    pub fn reference_message(self, message: &'static str) -> Self {
        let at = self.place;
        self.reference_message_at(at, message)
    }

    /// Adds a message of the reference's verifier at a place.
    #[must_use]
    pub fn reference_message_at(self, at: Place, message: &'static str) -> Self {
        self.reference_message_showing(at, message, Vec::new())
    }

    /// Adds a message of the reference's verifier at a place, with the instructions that it prints before.
    #[must_use]
    pub fn reference_message_showing(
        mut self,
        at: Place,
        message: &'static str,
        shown: Vec<(&'static str, Inst)>,
    ) -> Self {
        self.reference_messages.push(ReferenceMessage::Failure(ReferenceFailure { message, at, shown }));
        self
    }

    /// Adds a message of the Swift part of the reference's verifier at a place.
    #[must_use]
    pub fn swift_reference_message_at(mut self, at: Place, message: &'static str) -> Self {
        self.reference_messages.push(ReferenceMessage::SwiftFailure(ReferenceFailure {
            message,
            at,
            shown: Vec::new(),
        }));
        self
    }

    /// Adds an error of the reference's ownership verifier about a value.
    #[must_use]
    pub fn ownership_reference_message(mut self, value: Value, error: OwnershipError) -> Self {
        self.reference_messages.push(ReferenceMessage::Ownership(value, error));
        self
    }
}
