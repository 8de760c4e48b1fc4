//! Calls, returns and errors.

use crate::frame::{NATIVE_PC, StackOrder};
use crate::instance::InstanceId;
use crate::interp::Interp;
use crate::native::{Call, Effect};
use crate::op::{NO_PC, Pc, Slot};
use crate::options::Trace;
use crate::sites::{Callee, CodeTarget};
use crate::violation::{Run, ViolationKind, demangled};

use super::Next;

impl Interp<'_> {
    /// Calls a statically known function.
    #[inline]
    pub(super) fn call(&mut self, site: u32, pc: Pc) -> Run<Pc> {
        let base = self.next_base();
        let (id, result, error_to, error) = {
            let site = &self.sites.calls[site as usize];
            let Some(Callee::Instance(id)) = site.callee else { return self.not_callable() };
            (id, site.result, site.error_to, site.error)
        };
        self.copy_args(site, base);
        self.trace_call(id);
        self.enter(id, base, pc, result, error_to, error)
    }

    /// Copies the arguments of a call to the location of the callee's frame.
    #[inline]
    pub(super) fn copy_args(&mut self, site: u32, base: u32) {
        let end = base + self.sites.calls[site as usize].args_len + 64;
        self.reserve(end);
        let site = &self.sites.calls[site as usize];
        for m in &site.args {
            let from = self.base + m.from as usize;
            self.stack.bytes.copy_within(from..from + m.len as usize, (base + m.to) as usize);
        }
    }

    #[cold]
    pub(super) fn not_callable<T>(&self) -> Run<T> {
        crate::violation::unsupported("calling a runtime function as a SIL function")
    }

    #[inline]
    fn trace_call(&mut self, id: InstanceId) {
        if self.options.trace != Trace::Off {
            self.show_call(id);
        }
    }

    #[cold]
    fn show_call(&mut self, id: InstanceId) {
        let instance = &self.instances[id.0 as usize];
        let name = demangled(instance.function.name);
        if let Trace::CallsOf(part) = &self.options.trace
            && !name.contains(part.as_str())
            && !instance.function.name.as_str().contains(part.as_str())
        {
            return;
        }
        let depth = self.stack.frames.len();
        let types: Vec<String> = instance.args.iter().map(|t| t.to_string()).collect();
        let types = if types.is_empty() { String::new() } else { format!("<{}>", types.join(", ")) };
        self.host.trace(&format!("{:indent$}{name}{types}", "", indent = depth.min(60)));
    }

    pub(super) fn call_method(&mut self, site: u32, pc: Pc) -> Run<Pc> {
        let id = self.dispatched(|sites| sites.calls.get_mut(site as usize)?.method.as_mut())?;
        let base = self.next_base();
        self.copy_args(site, base);
        let (result, error_to, error) = {
            let site = &self.sites.calls[site as usize];
            (site.result, site.error_to, site.error)
        };
        self.trace_call(id);
        self.enter(id, base, pc, result, error_to, error)
    }

    /// Calls a function value.
    pub(super) fn call_value(&mut self, site: u32, pc: Pc) -> Run<Pc> {
        let (value, is_thick) = {
            let site = &self.sites.calls[site as usize];
            (site.value, site.is_thick)
        };
        let code = self.get(value);
        let context = if is_thick { self.get(value + 8) } else { 0 };
        let target = self.code_at(code)?.clone();
        let base = self.next_base();
        self.copy_args(site, base);
        let (args_len, result, error_to, error) = {
            let site = &self.sites.calls[site as usize];
            (site.args_len, site.result, site.error_to, site.error)
        };
        self.call_target(&target, context, base, args_len, (pc, result, error_to, error))
    }

    /// Calls the target of a code address; the arguments are already in the callee's frame.
    pub(crate) fn call_target(
        &mut self,
        target: &CodeTarget,
        context: u64,
        base: u32,
        args_len: u32,
        (pc, result, error_to, error): (Pc, Slot, Pc, Slot),
    ) -> Run<Pc> {
        match target {
            CodeTarget::Instance(id) => {
                self.trace_call(*id);
                self.enter(*id, base, pc, result, error_to, error)
            }
            CodeTarget::Closure(shape) => {
                let shape = self.sites.shapes[*shape as usize].clone();
                let (len, temporaries) = self.pass_captures(&shape, context, base, args_len)?;
                let (target, inner_context) = match shape.inner {
                    Some(at) => {
                        let code = self.read(context + u64::from(at))?;
                        let inner = self.read(context + u64::from(at) + 8)?;
                        (self.code_at(code)?.clone(), inner)
                    }
                    None => (shape.target.clone(), 0),
                };
                let to =
                    self.call_target(&target, inner_context, base, len, (pc, result, error_to, error))?;
                self.own_temporaries(temporaries);
                Ok(to)
            }
            CodeTarget::Native(function, name, types) => {
                let saved = self.base;
                self.base = base as usize;
                let args = slots_of(args_len);
                let call = Call {
                    args: &args,
                    result: args_len,
                    types: types.clone(),
                    name: *name,
                    next: NO_PC,
                    error_to: NO_PC,
                    error: 0,
                };
                let outcome = function(self, &call);
                self.base = saved;
                if outcome? != Effect::Done {
                    return crate::violation::unsupported(format!("an indirect call of `{name}`"));
                }
                let at = (base + args_len) as usize;
                let to = saved + result as usize;
                self.stack.bytes.copy_within(at..at + 16, to);
                Ok(pc)
            }
            CodeTarget::Captured => self.not_callable(),
        }
    }

    /// Calls a function of the runtime.
    pub(super) fn call_native(&mut self, site: u32, next: Pc) -> Run<Next> {
        let (function, args, result, types, name, error_to, error) = {
            let site = &self.sites.calls[site as usize];
            let Some(Callee::Native(function)) = site.callee else { return self.not_callable() };
            (
                function,
                site.slots.clone(),
                site.result,
                site.types.clone(),
                site.name,
                site.error_to,
                site.error,
            )
        };
        Ok(match function(self, &Call { args: &args, result, types, name, next, error_to, error })? {
            Effect::Done => Next::Continue,
            Effect::Goto(pc) => Next::Goto(pc),
        })
    }

    /// Returns from a function. Returns `None` if the caller is the interpreter itself.
    #[inline]
    pub(super) fn return_from(&mut self, from: Slot, len: u32) -> Run<Option<Pc>> {
        let Some(frame) = self.stack.frames.pop() else { return self.not_callable() };
        if self.stack.memory.last().is_some_and(|m| m.frame == frame.serial) {
            self.leave_memory(frame.serial)?;
        }
        if self.accesses.last().is_some_and(|a| a.frame == frame.serial) {
            self.access_left(frame.serial)?;
        }
        if frame.coroutine > 0 {
            self.require_yield(frame)?;
            return self.finish_coroutine(frame, from, len).map(Some);
        }
        let Some(caller) = self.stack.frames.last() else { return self.finish_task(0).map(Some) };
        let at = self.base + from as usize;
        let base = caller.base as usize;
        if len > 0 {
            self.stack.bytes.copy_within(at..at + len as usize, base + frame.result as usize);
        }
        self.base = base;
        Ok((frame.return_to != NATIVE_PC).then_some(frame.return_to))
    }

    /// Frees the temporary memory of a returning frame; other stack memory must already be deallocated.
    #[cold]
    pub(super) fn leave_memory(&mut self, frame: u64) -> Run<()> {
        while let Some(memory) = self.stack.memory.last().copied().filter(|m| m.frame == frame) {
            self.stack.memory.pop();
            let is_alive = self.memory.size_of(memory.address).is_some();
            if memory.order != StackOrder::Temporary
                && is_alive
                && self.options.checks(ViolationKind::StackDiscipline)
            {
                return Err(self.stack_left(memory.address));
            }
            if is_alive {
                let freed = self.memory.free(memory.address, self.pc);
                freed.map_err(|fault| self.free_fault(fault, memory.address))?;
            }
        }
        Ok(())
    }

    pub(super) fn throw(&mut self, from: Slot, len: u32) -> Run<Next> {
        let Some(frame) = self.stack.frames.pop() else { return self.not_callable() };
        if self.stack.memory.last().is_some_and(|m| m.frame == frame.serial) {
            self.leave_memory(frame.serial)?;
        }
        if self.accesses.last().is_some_and(|a| a.frame == frame.serial) {
            self.access_left(frame.serial)?;
        }
        if frame.coroutine > 0 {
            return self.throw_from_coroutine(frame, from, len);
        }
        let Some(caller) = self.stack.frames.last() else {
            return self.finish_task_with_error(from);
        };
        let at = self.base + from as usize;
        let base = caller.base as usize;
        if frame.error_to == NO_PC {
            let message = "a call marked [nothrow] throws".to_owned();
            return Err(self.violation(ViolationKind::TypeConfusion, message, None));
        }
        if len > 0 {
            self.stack.bytes.copy_within(at..at + len as usize, base + frame.error as usize);
        }
        self.base = base;
        if frame.error_to == NATIVE_PC {
            self.threw = true;
            return Ok(Next::Leave);
        }
        Ok(Next::Goto(frame.error_to))
    }
}

/// Returns the slots of arguments that are stored in consecutive words.
pub(crate) fn slots_of(len: u32) -> Vec<Slot> {
    (0..len / 8).map(|i| i * 8).collect()
}
