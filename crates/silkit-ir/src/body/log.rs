//! The edit log: what the edits of a body touched, for worklists that revisit it.
//!
//! ```text
//! %1 = struct $S (%0)              // %1 is replaced by %2
//! %3 = struct_extract %1, #S.x
//! ---
//! changed:     struct_extract      (an operand)
//! fewer uses:  struct
//! ```

use super::{Body, Inst, Value};

/// The instructions that edits of a body touched, in the order of the edits. An instruction may be listed several times,
/// and may have been removed since.
#[derive(Clone, Debug, Default)]
pub struct EditLog {
    changed: Vec<Inst>,
    fewer_uses: Vec<Inst>,
}

impl EditLog {
    /// Returns the created instructions, and those with changed operands or attributes.
    pub fn changed(&self) -> &[Inst] {
        &self.changed
    }

    /// Returns the instructions with results that lost a use.
    pub fn fewer_uses(&self) -> &[Inst] {
        &self.fewer_uses
    }

    fn clear(&mut self) {
        self.changed.clear();
        self.fewer_uses.clear();
    }
}

/// Appends an instruction unless it is the last one already.
fn append(list: &mut Vec<Inst>, inst: Inst) {
    if list.last() != Some(&inst) {
        list.push(inst);
    }
}

impl Body {
    /// Starts to log edits. Until [`Self::stop_edit_log`], [`Self::take_edits`] returns them.
    pub fn start_edit_log(&mut self) {
        self.log = Some(Box::default());
    }

    /// Stops to log edits, and discards the log.
    pub fn stop_edit_log(&mut self) {
        self.log = None;
    }

    /// Moves the edits since the last call to `log`, whose previous content is discarded. The log is empty if edits are
    /// not logged.
    pub fn take_edits(&mut self, log: &mut EditLog) {
        log.clear();
        if let Some(own) = &mut self.log {
            std::mem::swap(&mut **own, log);
        }
    }

    /// Logs the creation or a change of an instruction.
    #[inline]
    pub(crate) fn log_changed(&mut self, inst: Inst) {
        if let Some(log) = &mut self.log {
            append(&mut log.changed, inst);
        }
    }

    /// Logs that a value loses a use.
    #[inline]
    pub(crate) fn log_lost_use(&mut self, value: Value) {
        if self.log.is_some() {
            self.log_definition(value);
        }
    }

    fn log_definition(&mut self, value: Value) {
        if let (Some(inst), Some(log)) = (self.defining_inst(value), &mut self.log) {
            append(&mut log.fewer_uses, inst);
        }
    }
}
