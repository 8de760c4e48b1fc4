//! Execution of tasks on one thread, with a queue of ready jobs. The jobs run in order or, with `--schedule`, in an
//! order that is determined by a seed.
//!
//! The running task changes only when it waits and, with `--schedule`, when it hops to another executor. A suspended
//! task keeps its stack.

use crate::frame::Stack;
use crate::interp::Interp;
use crate::memory::Kind;
use crate::native::Effect;
use crate::op::{NO_PC, Pc, Slot, Write};
use crate::tasks::{Continuation, Job, Task, Wait, Waiting};
use crate::violation::{Run, ViolationKind, unsupported};
use silkit_layout::{Nominal, Ty};

use super::Next;

/// The maximum size in bytes of the frames of a task.
const TASK_STACK: u32 = 16 << 20;

impl Interp<'_> {
    /// Returns the current time: the host's time plus the time that tasks slept.
    pub(crate) fn now(&mut self) -> u64 {
        self.host.nanoseconds() + self.runtime.tasks.slept
    }

    /// Appends a job to the queue of ready jobs.
    pub(crate) fn enqueue(&mut self, job: Job) {
        self.runtime.tasks.ready.push_back(job);
    }

    /// Creates a task with two references: one is owned by the creator, the other by the task itself until it ends.
    pub(crate) fn new_task(&mut self, mut task: Task) -> Run<u64> {
        let object = self.allocate(Kind::Task, 16, 16, 0)?;
        self.write_header(object, 0)?;
        self.retain_reference(object)?;
        let tasks = &mut self.runtime.tasks;
        tasks.made += 1;
        task.number = tasks.made;
        task.stack = Stack::with_limit(TASK_STACK.min(self.stack.limit.max(1 << 16)));
        let inherited = if task.is_detached { Vec::new() } else { tasks.running().locals.clone() };
        if let Some(ty) = task.ty
            && task.result == 0
        {
            let (size, align) = (self.types.get(ty).size, self.types.get(ty).align);
            task.result = self.allocate(Kind::Heap, u64::from(size), u64::from(align), 0)?;
            task.owns_result = true;
        }
        for (key, from, ty) in inherited {
            let (size, align) = (self.types.get(ty).size, self.types.get(ty).align);
            let to = self.allocate(Kind::Heap, u64::from(size), u64::from(align), 0)?;
            self.copy_value(false, Write::Init, from, to, ty)?;
            task.locals.push((key, to, ty));
        }
        self.runtime.tasks.all.insert(object, task);
        self.count_tasks()?;
        Ok(object)
    }

    /// Frees a task that has no references.
    pub(crate) fn destroy_task(&mut self, object: u64) -> Run<()> {
        if let Some(task) = self.runtime.tasks.all.remove(&object) {
            self.memory.elsewhere = self.memory.elsewhere.saturating_sub(task.stack.counted);
            if task.error != 0 {
                self.release_reference(task.error)?;
            }
            for (_, address, ty) in task.locals {
                self.destroy_addr(address, ty)?;
                self.free_object(address)?;
            }
            if let (true, Some(ty)) = (task.owns_result, task.ty) {
                if task.is_done && task.error == 0 && self.holds_value(task.result, ty)? {
                    self.destroy_addr(task.result, ty)?;
                }
                self.free_object(task.result)?;
            }
        }
        self.free_object(object)
    }

    /// Saves the state of the running task.
    pub(crate) fn leave_task(&mut self) -> Run<()> {
        if self.native_depth != 1 {
            return unsupported("awaiting in a function that the runtime called");
        }
        let (stack, accesses) = (std::mem::take(&mut self.stack), std::mem::take(&mut self.accesses));
        let base = self.base;
        let task = self.runtime.tasks.running();
        task.stack = stack;
        task.accesses = accesses;
        task.base = base;
        self.runtime.tasks.current = 0;
        Ok(())
    }

    /// Chooses the next job, and returns the operation at which it continues.
    pub(crate) fn next_job(&mut self) -> Run<Pc> {
        loop {
            let count = self.runtime.tasks.ready.len() as u64;
            let at = match self.options.schedule {
                Some(_) if count > 1 => (self.runtime.next_choice() % count) as usize,
                _ => 0,
            };
            match self.runtime.tasks.ready.remove(at) {
                Some(Job::Task(task)) => return self.enter_task(task),
                Some(Job::Resume(continuation)) => self.resume_continuation(continuation, None, 0)?,
                None => self.wake_sleeper()?,
            }
        }
    }

    /// Advances the time to the earliest wake-up time, and makes that job ready.
    fn wake_sleeper(&mut self) -> Run<()> {
        let now = self.now();
        let tasks = &mut self.runtime.tasks;
        let next = (0..tasks.sleeping.len()).min_by_key(|&i| (tasks.sleeping[i].0, tasks.sleeping[i].1));
        let Some(next) = next else {
            return unsupported("a program in which every task waits (a deadlock)");
        };
        let (until, _, job) = tasks.sleeping.swap_remove(next);
        tasks.slept += until.saturating_sub(now);
        tasks.ready.push_back(job);
        Ok(())
    }

    fn enter_task(&mut self, object: u64) -> Run<Pc> {
        let Some(task) = self.runtime.tasks.all.get_mut(&object) else {
            return unsupported("a job that is not a task");
        };
        self.stack = std::mem::take(&mut task.stack);
        self.accesses = std::mem::take(&mut task.accesses);
        self.base = task.base;
        let (resume, code, context) = (task.resume, task.code, task.context);
        let result = task.ty.map(|_| task.result);
        self.runtime.current_task = task.number;
        self.runtime.tasks.current = object;
        if let Some(resume) = resume {
            return Ok(resume);
        }
        self.reserve(1 << 12);
        let mut len = 0;
        if let Some(result) = result {
            self.stack.bytes[..8].copy_from_slice(&result.to_le_bytes());
            len = 8;
        }
        let target = self.code_at(code)?.clone();
        self.call_target(&target, context, 0, len, (NO_PC, 0, NO_PC, 0))
    }

    /// Ends the running task, whose last frame is gone, and continues with the next ready job.
    pub(crate) fn finish_task(&mut self, error: u64) -> Run<Pc> {
        let object = self.runtime.tasks.current;
        if object == 0 {
            return unsupported("ending a task outside of any task");
        }
        let task = self.runtime.tasks.running();
        task.is_done = true;
        task.error = error;
        let (waiters, group) = (std::mem::take(&mut task.waiters), task.group);
        if task.owns_context && task.context != 0 {
            let context = task.context;
            self.release_reference(context)?;
        }
        for waiter in waiters {
            self.deliver(waiter, object)?;
        }
        if group != 0 {
            self.finish_in_group(object, group)?;
        }
        // A task that others refer to does not need its stack any more.
        self.drop_stack();
        self.leave_task()?;
        self.release_reference(object)?;
        self.next_job()
    }

    pub(super) fn finish_task_with_error(&mut self, from: Slot) -> Run<Next> {
        let error = self.get(from);
        self.finish_task(error).map(Next::Goto)
    }

    /// Suspends the running task, and continues with the next ready job.
    pub(crate) fn wait(&mut self, wait: Wait) -> Run<Pc> {
        self.runtime.tasks.running().wait = Some(wait);
        self.leave_task()?;
        self.next_job()
    }

    /// Makes a waiting task ready. If `error` is not 0, the task continues on its error path.
    pub(crate) fn wake(&mut self, object: u64, error: u64) -> Run<()> {
        let Some(task) = self.runtime.tasks.all.get_mut(&object) else { return Ok(()) };
        let Some(wait) = task.wait.take() else { return Ok(()) };
        if error != 0 {
            let at = task.base + wait.error as usize;
            task.stack.bytes[at..at + 8].copy_from_slice(&error.to_le_bytes());
        }
        task.resume = Some(if error != 0 { wait.error_to } else { wait.next });
        self.enqueue(Job::Task(object));
        Ok(())
    }

    /// Continues after a wait that completes without suspension.
    fn go_on(&mut self, wait: Wait, error: u64) -> Run<Effect> {
        if error == 0 {
            return Ok(Effect::Done);
        }
        if wait.error_to == NO_PC {
            let message = "a task that cannot throw ended with an error".to_owned();
            return Err(self.violation(ViolationKind::TypeConfusion, message, None));
        }
        self.set(wait.error, error);
        Ok(Effect::Goto(wait.error_to))
    }

    /// Waits for a task.
    pub(crate) fn wait_for(&mut self, object: u64, wait: Wait) -> Run<Effect> {
        let Some(task) = self.runtime.tasks.all.get_mut(&object) else {
            let message = format!("awaiting {object:#x}, which is not a task");
            return Err(self.violation(ViolationKind::TypeConfusion, message, Some(object)));
        };
        if task.is_done {
            let error = self.use_result(object, wait)?;
            return self.go_on(wait, error);
        }
        let waiter = self.runtime.tasks.current;
        if let Some(task) = self.runtime.tasks.all.get_mut(&object) {
            task.waiters.push(waiter);
        }
        self.wait(wait).map(Effect::Goto)
    }

    /// Processes the result of a task as the wait requires. Returns the error of the task, or 0.
    fn use_result(&mut self, object: u64, wait: Wait) -> Run<u64> {
        let Some(task) = self.runtime.tasks.all.get_mut(&object) else { return Ok(0) };
        let (error, result, ty) = (task.error, task.result, task.ty);
        match wait.how {
            Waiting::Finish => {
                if error == 0
                    && let Some(ty) = ty
                {
                    self.destroy_addr(result, ty)?;
                }
                let parent = self.runtime.tasks.running();
                parent.children.retain(|c| *c != object);
                self.release_reference(object)?;
                return Ok(0);
            }
            _ if error != 0 => self.retain_reference(error)?,
            Waiting::Future => {
                if let Some(ty) = ty {
                    self.copy_value(false, Write::Init, result, wait.out, ty)?;
                }
            }
            _ => {}
        }
        Ok(error)
    }

    fn deliver(&mut self, waiter: u64, object: u64) -> Run<()> {
        let wait = self.runtime.tasks.all.get(&waiter).and_then(|t| t.wait);
        let Some(wait) = wait else { return Ok(()) };
        let error = self.use_result(object, wait)?;
        if wait.how == Waiting::Finish
            && let Some(task) = self.runtime.tasks.all.get_mut(&waiter)
        {
            task.children.retain(|c| *c != object);
        }
        self.wake(waiter, error)
    }

    /// Cancels a task and, transitively, its child tasks.
    pub(crate) fn cancel_task(&mut self, object: u64) -> Run<()> {
        let mut work = vec![object];
        while let Some(object) = work.pop() {
            let Some(task) = self.runtime.tasks.all.get_mut(&object) else { continue };
            if task.is_cancelled || task.is_done {
                continue;
            }
            task.is_cancelled = true;
            work.extend(&task.children);
            for (_, code, context) in task.handlers.clone() {
                self.call_closure(code, context, &[], 0)?;
            }
        }
        Ok(())
    }

    // ---- groups ----

    /// Adds a new task to a group, which holds a reference to it.
    pub(crate) fn join_group(&mut self, object: u64, group: u64) -> Run<()> {
        self.retain_reference(object)?;
        let Some(of) = self.runtime.tasks.groups.get_mut(&group) else {
            return unsupported("a task outside of any group");
        };
        of.pending.push(object);
        let is_cancelled = of.is_cancelled;
        self.runtime.tasks.running().children.push(object);
        let is_cancelled = is_cancelled || self.runtime.tasks.running().is_cancelled;
        if let Some(task) = self.runtime.tasks.all.get_mut(&object) {
            task.group = group;
        }
        if is_cancelled { self.cancel_task(object) } else { Ok(()) }
    }

    pub(crate) fn cancel_group(&mut self, group: u64) -> Run<()> {
        let Some(of) = self.runtime.tasks.groups.get_mut(&group) else { return Ok(()) };
        of.is_cancelled = true;
        let pending = of.pending.clone();
        pending.into_iter().try_for_each(|task| self.cancel_task(task))
    }

    fn finish_in_group(&mut self, object: u64, group: u64) -> Run<()> {
        let error = self.runtime.tasks.all.get(&object).map_or(0, |t| t.error);
        let Some(of) = self.runtime.tasks.groups.get_mut(&group) else { return Ok(()) };
        if of.discards {
            let is_first = error != 0 && of.error == 0;
            if is_first {
                of.error = error;
            }
            of.pending.retain(|t| *t != object);
            if is_first {
                self.retain_reference(error)?;
                self.cancel_group(group)?;
            }
            self.release_reference(object)?;
        } else {
            of.done.push_back(object);
        }
        let Some(of) = self.runtime.tasks.groups.get_mut(&group) else { return Ok(()) };
        let Some(waiter) = of.waiter.take() else { return Ok(()) };
        let Some(wait) = self.runtime.tasks.all.get(&waiter).and_then(|t| t.wait) else { return Ok(()) };
        match self.take_from_group(group, wait, None)? {
            Some(error) => self.wake(waiter, error),
            None => {
                if let Some(of) = self.runtime.tasks.groups.get_mut(&group) {
                    of.waiter = Some(waiter);
                }
                Ok(())
            }
        }
    }

    /// Waits for one task of a group, or for all tasks.
    pub(crate) fn wait_in_group(&mut self, group: u64, wait: Wait, ty: Option<Ty>) -> Run<Effect> {
        if let Some(error) = self.take_from_group(group, wait, ty)? {
            return self.go_on(wait, error);
        }
        let waiter = self.runtime.tasks.current;
        if let Some(of) = self.runtime.tasks.groups.get_mut(&group) {
            of.waiter = Some(waiter);
        }
        self.wait(wait).map(Effect::Goto)
    }

    /// Returns the error, or 0, if a wait in a group is complete; returns `None` if the wait must continue.
    fn take_from_group(&mut self, group: u64, wait: Wait, ty: Option<Ty>) -> Run<Option<u64>> {
        loop {
            let Some(of) = self.runtime.tasks.groups.get_mut(&group) else {
                return unsupported("awaiting a value that is not a task group");
            };
            if of.pending.is_empty() {
                let error = std::mem::take(&mut of.error);
                if error == 0
                    && let Some(ty) = ty
                {
                    self.inject_none(wait.out, optional(ty))?;
                }
                return Ok(Some(error));
            }
            let Some(object) = of.done.pop_front() else { return Ok(None) };
            of.pending.retain(|t| *t != object);
            self.runtime.tasks.running().children.retain(|child| *child != object);
            let Some(task) = self.runtime.tasks.all.get_mut(&object) else { return Ok(None) };
            let (error, result, of_task) = (task.error, task.result, task.ty);
            if error != 0 {
                self.retain_reference(error)?;
            }
            if wait.how == Waiting::All {
                if error != 0
                    && let Some(of) = self.runtime.tasks.groups.get_mut(&group)
                {
                    if of.error == 0 {
                        of.error = error;
                    } else {
                        self.release_reference(error)?;
                    }
                }
            } else if error == 0
                && let Some(id) = of_task
            {
                self.copy_value(true, Write::Init, result, wait.out, id)?;
                let ty = self.types.get(id).ty;
                self.inject_some(wait.out, optional(ty))?;
            }
            self.release_reference(object)?;
            if wait.how != Waiting::All {
                return Ok(Some(error));
            }
        }
    }

    // ---- continuations ----

    /// Creates a continuation of the running task.
    pub(super) fn get_continuation(&mut self, site: u32) -> Run<()> {
        let site = self.sites.continuations[site as usize];
        let size = u64::from(self.types.get(site.ty).size);
        let continuation = self.allocate(Kind::Heap, size.max(8), 16, 0)?;
        let out = site.address.map_or(continuation, |slot| self.get(slot));
        let task = self.runtime.tasks.current;
        let made = Continuation {
            task,
            out,
            ty: site.ty,
            owns: site.address.is_none(),
            is_resumed: false,
            error: 0,
        };
        self.runtime.tasks.continuations.insert(continuation, made);
        self.set(site.to, continuation);
        Ok(())
    }

    /// Resumes a continuation with a value, which is consumed, or with an error.
    pub(crate) fn resume_continuation(
        &mut self,
        continuation: u64,
        value: Option<u64>,
        error: u64,
    ) -> Run<()> {
        let Some(found) = self.runtime.tasks.continuations.get_mut(&continuation).filter(|c| !c.is_resumed)
        else {
            let message = "resuming a continuation a second time".to_owned();
            return Err(self.violation(ViolationKind::Ownership, message, Some(continuation)));
        };
        found.is_resumed = true;
        found.error = error;
        let (task, out, ty) = (found.task, found.out, found.ty);
        if let Some(value) = value {
            self.copy_value(true, Write::Init, value, out, ty)?;
        }
        let wait = self.runtime.tasks.all.get(&task).and_then(|t| t.wait);
        if wait.is_some_and(|w| w.how == Waiting::Continuation && w.out == continuation) {
            self.end_continuation(continuation, Some(task))?;
            self.wake(task, error)?;
        }
        Ok(())
    }

    /// Waits until a continuation is resumed.
    pub(super) fn await_continuation(&mut self, site: u32) -> Run<Next> {
        let site = self.sites.awaits[site as usize];
        let continuation = self.get(site.continuation);
        let Some(found) = self.runtime.tasks.continuations.get(&continuation).copied() else {
            let message = "awaiting a continuation a second time".to_owned();
            return Err(self.violation(ViolationKind::Ownership, message, Some(continuation)));
        };
        let wait = Wait {
            next: site.next,
            error_to: site.error_to,
            error: site.error,
            out: continuation,
            how: Waiting::Continuation,
        };
        self.runtime.tasks.continuation_values.insert(continuation, site.value);
        if !found.is_resumed {
            return self.wait(wait).map(Next::Goto);
        }
        self.end_continuation(continuation, None)?;
        match self.go_on(wait, found.error)? {
            Effect::Goto(pc) => Ok(Next::Goto(pc)),
            Effect::Done => Ok(Next::Goto(site.next)),
        }
    }

    /// Removes a resumed continuation; its value is written to the frame of the task.
    fn end_continuation(&mut self, continuation: u64, waiting: Option<u64>) -> Run<()> {
        let Some(found) = self.runtime.tasks.continuations.remove(&continuation) else { return Ok(()) };
        let slot = self.runtime.tasks.continuation_values.remove(&continuation).flatten();
        if let (true, 0, Some(slot)) = (found.owns, found.error, slot) {
            let bytes = self.read_value(found.out, found.ty)?;
            match waiting {
                Some(task) => {
                    if let Some(task) = self.runtime.tasks.all.get_mut(&task) {
                        let at = task.base + slot as usize;
                        task.stack.bytes[at..at + bytes.len()].copy_from_slice(&bytes);
                    }
                }
                None => self.bytes_mut(slot, bytes.len() as u32).copy_from_slice(&bytes),
            }
        }
        self.free_object(continuation)
    }

    /// Hops to another executor. With `--schedule`, other tasks may run first.
    pub(super) fn hop(&mut self, operand: Slot, pc: Pc) -> Run<Next> {
        let executor = self.get(operand);
        let explores = self.options.schedule.is_some();
        let task = self.runtime.tasks.running();
        let is_same = std::mem::replace(&mut task.executor, executor) == executor;
        if is_same || !explores || self.runtime.tasks.current == 0 || self.native_depth != 1 {
            return Ok(Next::Continue);
        }
        let object = self.runtime.tasks.current;
        self.runtime.tasks.running().resume = Some(pc);
        self.leave_task()?;
        self.enqueue(Job::Task(object));
        self.next_job().map(Next::Goto)
    }
}

fn optional(ty: Ty) -> Ty {
    Ty::nominal(Nominal::swift("Optional"), [ty])
}
