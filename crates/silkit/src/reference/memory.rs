//! Memory lifetime errors: the fault, the memory and the instruction.

use super::ReferenceRenderer;
use silkit_ir::Opcode;
use silkit_verify::{Finding, MemoryFault, MemoryFaultKind, Owner, ReferenceMessage};
use std::fmt::Write;

impl ReferenceRenderer<'_> {
    /// Returns only the memory lifetime errors (`-dont-abort-on-memory-lifetime-errors`).
    pub fn memory_errors(&self, findings: &[Finding]) -> String {
        let mut out = String::new();
        for finding in findings {
            for told in &finding.reference_messages {
                if let ReferenceMessage::Memory(fault) = told {
                    self.memory_error(finding, fault, &mut out);
                }
            }
        }
        out
    }

    /// Returns the first line of an error.
    pub(super) fn memory_headline(&self, finding: &Finding, fault: &MemoryFault) -> String {
        let Owner::Function(id) = finding.owner else { return String::new() };
        let function = &self.module.functions[id];
        let opcode = function.body.as_ref().map(|body| body.inst(fault.inst).opcode);
        let is_throw = matches!(opcode, Some(Opcode::Throw | Opcode::ThrowAddr));
        let message = match fault.kind {
            MemoryFaultKind::NotInitialized => "memory is not initialized, but should be",
            MemoryFaultKind::Initialized => "memory is initialized, but shouldn't be",
            MemoryFaultKind::NotAliveAtExit if is_throw => "indirect argument is not alive at throw",
            MemoryFaultKind::NotAliveAtExit => "indirect argument is not alive at function return",
            MemoryFaultKind::InitializedAtExit if is_throw => {
                "memory is initialized at throw but shouldn't be"
            }
            MemoryFaultKind::InitializedAtExit => "memory is initialized at function return but shouldn't be",
            MemoryFaultKind::PathsDisagree => "lifetime mismatch in predecessors",
            MemoryFaultKind::StoredBorrowChanged => "store-borrow location cannot be written",
        };
        format!("SIL memory lifetime failure in @{}: {message}", function.name)
    }

    fn memory_error(&self, finding: &Finding, fault: &MemoryFault, out: &mut String) {
        let Owner::Function(id) = finding.owner else { return };
        let Some(body) = &self.module.functions[id].body else { return };
        let dump = self.dump(body);
        // Writing to a string cannot fail.
        let _ = writeln!(out, "{}", self.memory_headline(finding, fault));
        if let Some(location) = fault.location {
            let _ = write!(out, "memory location: {}", dump.value(location, ""));
        }
        let _ = writeln!(out, "at instruction: {}", dump.inst(fault.inst, ""));
    }
}
