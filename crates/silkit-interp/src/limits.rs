//! The limits of a run: the bytes of stacks, code and tasks are counted together with the memory of the program.

use crate::frame::{Frame, Segments, Stack};
use crate::instance::InstanceId;
use crate::interp::Interp;
use crate::op::Op;
use crate::tasks::{Job, Task};
use crate::violation::{Run, Stop};
use silkit_ir::Inst;

/// The number of bytes of a stack that are counted at once.
const STEP: u32 = 1 << 16;

/// The maximum number of bytes of a frame.
pub(crate) const MAX_FRAME: u32 = 1 << 28;

/// The number of bytes after the last frame of a stack that can be accessed: for arguments and results of calls.
const SLACK: u32 = 64;

/// The number of bytes of an operation, its origin, and a usual share of the tables that operations refer to.
const BYTES_OF_OP: u64 = (size_of::<Op>() + size_of::<(InstanceId, Inst)>()) as u64 + 24;

/// The number of bytes of an instance without its values, and a usual share of the types that it names.
const BYTES_OF_INSTANCE: u64 = 1024;

impl Stack {
    /// Creates an empty stack with a maximum number of bytes of frames.
    pub(crate) fn with_limit(limit: u32) -> Self {
        Self { segments: Segments::new(limit + (1 << 20)), limit, ..Self::default() }
    }
}

impl Interp<'_> {
    /// Counts a step of a loop in the runtime as an instruction.
    pub(crate) fn count_step(&mut self) -> Run<()> {
        self.steps += 1;
        if self.steps > self.options.limit { Err(Stop::Limit) } else { Ok(()) }
    }

    /// Counts the bytes of the stack up to an offset at which a frame ends.
    ///
    /// # Errors
    /// Returns an error if the stack or the memory of the run exceeds its limit.
    #[cold]
    pub(crate) fn count_stack(&mut self, end: u32) -> Run<()> {
        let stack = &mut self.stack;
        if end > stack.limit && end < stack.segments.start {
            return Err(self.failure(139, "the stack overflowed".to_owned()));
        }
        if end <= stack.limit {
            stack.counted_to = stack.limit.min(end.saturating_add(end / 8).saturating_add(STEP));
        }
        let frames = stack.frames.capacity() * size_of::<Frame>();
        let now = u64::from(stack.counted_to) + stack.segments.bytes() + frames as u64;
        let before = std::mem::replace(&mut stack.counted, now);
        self.memory.take_elsewhere(before, now).map_err(|_| Stop::OutOfMemory)
    }

    /// Removes the bytes of a stack that does not exist any more.
    pub(crate) fn drop_stack(&mut self) {
        let stack = std::mem::take(&mut self.stack);
        self.memory.elsewhere = self.memory.elsewhere.saturating_sub(stack.counted);
    }

    /// Makes space for the frame of the running function, which translated code has enlarged, and counts the code.
    pub(crate) fn frame_grew(&mut self, id: InstanceId) -> Run<()> {
        let size = self.instances[id.0 as usize].frame_size;
        if size > MAX_FRAME {
            let name = self.instances[id.0 as usize].function.name;
            let what = format!("the function `{name}`, whose values have more than {MAX_FRAME} bytes,");
            return crate::violation::unsupported(what);
        }
        let end = self.base as u32 + size;
        if end > self.stack.counted_to && (end as usize) < self.stack.segments.start as usize {
            self.count_stack(end)?;
        }
        self.reserve(end.saturating_add(SLACK));
        let now = self.code.len() as u64 * BYTES_OF_OP
            + self.instances.len() as u64 * BYTES_OF_INSTANCE
            + self.code_values * 4;
        let before = std::mem::replace(&mut self.code_counted, now);
        self.memory.take_elsewhere(before, now).map_err(|_| Stop::OutOfMemory)
    }

    /// Counts the bytes of tasks and of their queues.
    pub(crate) fn count_tasks(&mut self) -> Run<()> {
        let tasks = &mut self.runtime.tasks;
        let lists = {
            let running = tasks.running();
            running.handlers.capacity() * 24
                + running.children.capacity() * 8
                + running.locals.capacity() * 24
        };
        let now = (tasks.all.capacity() * size_of::<Task>()
            + tasks.ready.capacity() * size_of::<Job>()
            + (tasks.sleeping.capacity() + tasks.jobs.capacity()) * 2 * size_of::<Job>()
            + lists) as u64;
        let before = std::mem::replace(&mut tasks.counted, now);
        self.memory.take_elsewhere(before, now).map_err(|_| Stop::OutOfMemory)
    }
}
