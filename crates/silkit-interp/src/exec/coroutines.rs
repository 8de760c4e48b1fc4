//! Coroutines: functions that yield to their caller and are resumed later.

use crate::frame::{Frame, NATIVE_PC, SEGMENT, Suspended};
use crate::interp::Interp;
use crate::op::{NO_PC, Pc, Slot};
use crate::sites::Callee;
use crate::violation::{Run, ViolationKind, unsupported};

use super::Next;

impl Interp<'_> {
    /// Calls a coroutine. When the coroutine yields, execution continues after the call.
    pub(super) fn begin_coroutine(&mut self, site: u32, pc: Pc) -> Run<Pc> {
        let call = self.sites.begins[site as usize].call;
        let number = self.stack.coroutines.len() as u32;
        let token = self.sites.begins[site as usize].token;
        self.set(token, u64::from(number));
        let depth = self.stack.frames.len();
        let top = self.next_base();
        let Some(segment) = self.stack.segments.take() else {
            return Err(self.failure(139, "the stack overflowed".to_owned()));
        };
        self.stack.next = Some(segment);
        let entry = {
            let of = &self.sites.calls[call as usize];
            match (&of.callee, &of.method) {
                (Some(Callee::Instance(_)), _) => self.call(call, pc)?,
                (None, Some(_)) => self.call_method(call, pc)?,
                (None, None) => self.call_value(call, pc)?,
                _ => return unsupported("a coroutine of the runtime"),
            }
        };
        self.stack.next = None;
        self.reserve(segment + SEGMENT);
        if self.stack.frames.len() == depth {
            return unsupported("a coroutine of the runtime");
        }
        let Some(frame) = self.stack.frames.last_mut() else {
            return unsupported("a coroutine without a frame");
        };
        frame.coroutine = number + 1;
        frame.top = top;
        let frame = *frame;
        self.stack.coroutines.push(Suspended { frame, resume: NO_PC, unwind: NO_PC, is_over: false });
        self.runtime.begin_sites.insert((self.stack_key(), number), site);
        Ok(entry)
    }

    /// Returns a number that identifies the stack of the current task.
    pub(crate) fn stack_key(&self) -> u32 {
        self.runtime.current_task
    }

    pub(super) fn yield_values(&mut self, site: u32) -> Run<Next> {
        let Some(frame) = self.stack.frames.pop() else { return unsupported("a yield without a frame") };
        if frame.coroutine == 0 {
            let message = "a yield in a function that was not called by begin_apply".to_owned();
            return Err(self.violation(ViolationKind::TypeConfusion, message, None));
        }
        let number = frame.coroutine - 1;
        let Some(&begin) = self.runtime.begin_sites.get(&(self.stack_key(), number)) else {
            return unsupported("a yield without a caller");
        };
        let (resume, unwind) =
            (self.sites.yields[site as usize].resume, self.sites.yields[site as usize].unwind);
        self.stack.coroutines[number as usize] = Suspended { frame, resume, unwind, is_over: false };
        let Some(caller) = self.stack.frames.last() else { return unsupported("a yield without a caller") };
        let target = caller.base as usize;
        let values = &self.sites.yields[site as usize].values;
        let places = &self.sites.begins[begin as usize].yields;
        for (&(from, len), &(to, _)) in values.iter().zip(places.iter()) {
            let at = self.base + from as usize;
            self.stack.bytes.copy_within(at..at + len as usize, target + to as usize);
        }
        self.base = target;
        Ok(Next::Goto(frame.return_to))
    }

    /// Resumes a coroutine until it returns, or aborts it.
    pub(super) fn end_apply(&mut self, site: u32, abort: bool, pc: Pc) -> Run<Pc> {
        let site = self.sites.ends[site as usize];
        let number = self.get(site.token) as usize;
        let suspended = self.stack.coroutines.get(number).copied();
        let Some(suspended) = suspended.filter(|s| !s.is_over && s.resume != NO_PC) else {
            let message = "ending a coroutine that has ended or never yielded".to_owned();
            return Err(self.violation(ViolationKind::Ownership, message, None));
        };
        let top = self.next_base();
        let frame = Frame {
            top,
            return_to: pc,
            result: site.result,
            error_to: NO_PC,
            coroutine: number as u32 + 1,
            ..suspended.frame
        };
        self.stack.frames.push(frame);
        self.base = frame.base as usize;
        Ok(if abort { suspended.unwind } else { suspended.resume })
    }

    /// Ends a coroutine that returned; its caller continues after the `end_apply`.
    pub(super) fn finish_coroutine(&mut self, frame: Frame, from: Slot, len: u32) -> Run<Pc> {
        let number = frame.coroutine as usize - 1;
        self.stack.coroutines[number].is_over = true;
        self.runtime.begin_sites.remove(&(self.stack_key(), number as u32));
        while self.stack.coroutines.last().is_some_and(|s| s.is_over) {
            self.stack.coroutines.pop();
        }
        let at = self.base + from as usize;
        let Some(caller) = self.stack.frames.last() else {
            return unsupported("a coroutine without a caller");
        };
        self.stack.segments.give_back(frame.base);
        let base = caller.base as usize;
        if len > 0 {
            self.stack.bytes.copy_within(at..at + len as usize, base + frame.result as usize);
        }
        self.base = base;
        Ok(frame.return_to)
    }

    pub(super) fn unwind(&mut self) -> Run<Next> {
        let Some(frame) = self.stack.frames.pop() else { return unsupported("an unwind without a frame") };
        if frame.coroutine == 0 {
            let message = "an unwind in a function that was not called by begin_apply".to_owned();
            return Err(self.violation(ViolationKind::TypeConfusion, message, None));
        }
        self.require_yield(frame)?;
        if self.stack.memory.last().is_some_and(|m| m.frame == frame.serial) {
            self.leave_memory(frame.serial)?;
        }
        if self.accesses.last().is_some_and(|a| a.frame == frame.serial) {
            self.access_left(frame.serial)?;
        }
        self.finish_coroutine(frame, 0, 0).map(Next::Goto)
    }

    /// Returns a violation if a coroutine ends before it yields: its caller would continue without the yielded values.
    pub(super) fn require_yield(&self, frame: Frame) -> Run<()> {
        let number = frame.coroutine as usize - 1;
        if self.stack.coroutines.get(number).is_some_and(|suspended| suspended.resume != NO_PC) {
            return Ok(());
        }
        let message = "a coroutine ends before it yields".to_owned();
        Err(self.violation(ViolationKind::TypeConfusion, message, None))
    }

    /// Propagates an error that a coroutine throws, and ends the coroutine.
    pub(super) fn throw_from_coroutine(&mut self, frame: Frame, from: Slot, len: u32) -> Run<Next> {
        let number = frame.coroutine as usize - 1;
        let yielded = self.stack.coroutines[number].resume != NO_PC;
        let to = if yielded { self.stack.coroutines[number].frame.error_to } else { frame.error_to };
        if to == NO_PC || to == NATIVE_PC {
            return unsupported("an error of a coroutine");
        }
        let error = frame.error;
        self.finish_coroutine(Frame { result: error, ..frame }, from, len)?;
        Ok(Next::Goto(to))
    }
}
