//! Conversion of faults to violations.

use crate::instance::InstanceId;
use crate::interp::Interp;
use crate::memory::{Fault, Kind};
use crate::op::Pc;
use crate::violation::{CodePlace, Stop, Violation, ViolationKind};

/// The maximum number of callers in a report.
const MAX_CALLS: usize = 12;

impl Interp<'_> {
    /// Returns the place of an operation in the program.
    pub(crate) fn place_of(&self, pc: Pc) -> Option<CodePlace> {
        let (instance, inst) = *self.origins.get(pc as usize)?;
        if instance == InstanceId(u32::MAX) || inst == silkit_ir::Inst::NONE {
            return None;
        }
        let function = &self.instances[instance.0 as usize].function;
        let body = self.program.function(function.at).body.as_ref()?;
        let index = body.insts().position(|i| i == inst).unwrap_or_default() as u32;
        let source = body.loc(body.inst(inst).loc).and_then(|l| l.source);
        Some(CodePlace { function: function.name, instruction: body.info(inst).name, index, source })
    }

    /// Returns the call sites of the functions that are running, the innermost first.
    pub(super) fn calls(&self) -> Vec<CodePlace> {
        let frames = self.stack.frames.iter().rev();
        let callers = frames.filter(|f| f.return_to > 0 && (f.return_to as usize) < self.code.len());
        callers.take(MAX_CALLS).filter_map(|f| self.place_of(f.return_to - 1)).collect()
    }

    /// Returns the end of a program with a violation.
    pub(crate) fn violation(&self, kind: ViolationKind, message: String, about: Option<u64>) -> Stop {
        let mut history = Vec::new();
        let allocation = about.and_then(|address| self.memory.allocation(address));
        // Memory that was never allocated, such as that around null, has no history.
        if let Some((entry, base)) = allocation.filter(|(entry, _)| entry.kind != Kind::None) {
            let what = format!("{} of {} bytes at {base:#x} was allocated", entry.kind.name(), entry.bytes());
            history.push((what, self.place_of(entry.born)));
            if entry.kind.is_counted() && entry.counted > 0 {
                history.push(("it was last retained or released".to_owned(), self.place_of(entry.counted)));
            }
            if !entry.alive {
                history.push(("it was freed".to_owned(), self.place_of(entry.died)));
            }
        }
        let place = self.place_of(self.pc);
        Stop::Violation(Box::new(Violation { kind, message, place, history, calls: self.calls() }))
    }

    /// Returns the violation for an invalid memory access.
    #[cold]
    pub(crate) fn fault(&self, fault: Fault, address: u64, doing: &str) -> Stop {
        use ViolationKind as K;
        let (kind, what) = match fault {
            Fault::Wild if address < 1 << 16 => (K::WildPointer, "a null pointer"),
            Fault::Wild => (K::WildPointer, "memory that was never allocated"),
            Fault::Dead => (K::UseAfterFree, "freed memory"),
            Fault::OutOfBounds => (K::OutOfBounds, "memory outside of an allocation"),
            Fault::Uninitialized => (K::UninitializedRead, "uninitialized memory"),
            Fault::Misaligned => (K::Misaligned, "a misaligned address"),
            Fault::Constant => (K::ConstantWrite, "constant memory"),
            Fault::NotABase => (K::TypeConfusion, "an address inside an allocation"),
            Fault::Opaque => {
                return Stop::Unsupported(format!("{doing} the bytes of metadata or code"));
            }
        };
        self.violation(kind, format!("{doing} {what} at {address:#x}"), Some(address))
    }

    /// Returns the violation for an over-release, or for the use of an invalid or destroyed reference.
    #[cold]
    pub(crate) fn count_fault(&self, fault: Fault, reference: u64, is_release: bool) -> Stop {
        let doing = if is_release { "releasing" } else { "retaining" };
        if fault == Fault::Dead && is_release {
            let message = format!("releasing {reference:#x}, whose reference count is zero");
            return self.violation(ViolationKind::OverRelease, message, Some(reference));
        }
        if matches!(fault, Fault::Wild | Fault::NotABase) {
            let message = format!("{doing} {reference:#x}, which is not a reference");
            return self.violation(ViolationKind::TypeConfusion, message, Some(reference));
        }
        self.fault(fault, reference, doing)
    }

    /// Returns the violation for a value that is used as a value of another type.
    #[cold]
    pub(crate) fn confusion(&self, message: String, about: u64) -> Stop {
        self.violation(ViolationKind::TypeConfusion, message, Some(about))
    }

    /// Returns the end of a program with a runtime failure, such as a trap.
    #[cold]
    pub(crate) fn failure(&self, code: i32, message: String) -> Stop {
        let (place, calls) = (self.place_of(self.pc), self.calls());
        Stop::Failure { code, message, place, calls, is_access_conflict: false }
    }

    #[cold]
    pub(super) fn trap(&self, message: u32) -> Stop {
        self.failure(132, self.sites.texts[message as usize].clone())
    }

    /// Reports a write through an address that may only be read, unless such writes are not checked.
    #[cold]
    pub(super) fn write_to_read_only(&self, message: u32, is_access: bool) -> crate::violation::Run<()> {
        let kind = if is_access { ViolationKind::Exclusivity } else { ViolationKind::ConstantWrite };
        if !self.options.checks(kind) {
            return Ok(());
        }
        Err(self.violation(kind, self.sites.texts[message as usize].clone(), None))
    }

    #[cold]
    pub(super) fn unreachable(&self) -> Stop {
        self.violation(ViolationKind::Unreachable, "an unreachable instruction was reached".to_owned(), None)
    }

    #[cold]
    pub(super) fn undef(&self) -> crate::violation::Run<()> {
        if !self.options.checks(ViolationKind::Undef) {
            return Ok(());
        }
        Err(self.violation(ViolationKind::Undef, "an undefined value was used".to_owned(), None))
    }
}
