//! The state of tasks, groups of tasks and continuations.

use crate::frame::{Access, Stack};
use crate::op::{Pc, Slot};
use crate::types::TypeId;
use silkit_base::FxHashMap;
use std::collections::VecDeque;

/// Something that runs when its turn comes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Job {
    /// The task at an address goes on.
    Task(u64),
    /// A continuation without a value is resumed.
    Resume(u64),
}

/// A task.
#[derive(Debug, Default)]
pub(crate) struct Task {
    /// Its number, which tells stacks apart.
    pub(crate) number: u32,
    /// Its stack while it does not run.
    pub(crate) stack: Stack,
    pub(crate) base: usize,
    /// The position at which it continues; `None` before it starts.
    pub(crate) resume: Option<Pc>,
    pub(crate) accesses: Vec<Access>,
    /// The closure that it runs.
    pub(crate) code: u64,
    pub(crate) context: u64,
    /// True if it gives the closure's context back.
    pub(crate) owns_context: bool,
    /// The destination of its result, and the result type.
    pub(crate) result: u64,
    pub(crate) ty: Option<TypeId>,
    /// True if the memory of the result is its own.
    pub(crate) owns_result: bool,
    pub(crate) is_done: bool,
    /// The error that it ended with; 0 where it did not.
    pub(crate) error: u64,
    /// The event that it waits for.
    pub(crate) wait: Option<Wait>,
    /// The tasks that wait for it.
    pub(crate) waiters: Vec<u64>,
    /// The group that it belongs to; 0 where there is none.
    pub(crate) group: u64,
    /// Tasks that are cancelled with it.
    pub(crate) children: Vec<u64>,
    pub(crate) is_cancelled: bool,
    /// Functions that are called when it is cancelled: a number, the code and the context.
    pub(crate) handlers: Vec<(u64, u64, u64)>,
    /// True if it begins without the task-local values of its maker.
    pub(crate) is_detached: bool,
    /// Values of task-local variables: key, address and type, the newest last.
    pub(crate) locals: Vec<(u64, u64, TypeId)>,
    /// The first word of the executor that it runs on.
    pub(crate) executor: u64,
}

/// The event that a suspended task waits for, and the position at which it continues.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wait {
    pub(crate) next: Pc,
    pub(crate) error_to: Pc,
    pub(crate) error: Slot,
    /// The address or the slot of what it waits for.
    pub(crate) out: u64,
    pub(crate) how: Waiting,
}

/// The action of a task when its event happens.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Waiting {
    /// Copies the result of another task.
    Future,
    /// Leaves the result where the other task wrote it.
    AsyncLet,
    /// Destroys the result.
    Finish,
    /// Takes the result of any task of a group.
    Group,
    /// Waits until all tasks of a group are done.
    All,
    /// Is resumed by a continuation.
    Continuation,
}

/// A group of tasks.
#[derive(Debug, Default)]
pub(crate) struct Group {
    /// The tasks whose results were not taken yet.
    pub(crate) pending: Vec<u64>,
    /// The finished tasks, in the order in which they finished.
    pub(crate) done: VecDeque<u64>,
    pub(crate) waiter: Option<u64>,
    pub(crate) is_cancelled: bool,
    /// True if results are dropped.
    pub(crate) discards: bool,
    /// The first error of a group that drops results.
    pub(crate) error: u64,
}

/// A continuation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Continuation {
    pub(crate) task: u64,
    /// The destination of its value.
    pub(crate) out: u64,
    pub(crate) ty: TypeId,
    /// True if the memory of the value is its own.
    pub(crate) owns: bool,
    pub(crate) is_resumed: bool,
    pub(crate) error: u64,
}

/// All tasks, and what is to be run.
#[derive(Debug, Default)]
pub(crate) struct Tasks {
    pub(crate) all: FxHashMap<u64, Task>,
    pub(crate) made: u32,
    pub(crate) ready: VecDeque<Job>,
    /// The sleeping tasks: the wake-up time, a sequence number for equal times, and the task.
    pub(crate) sleeping: Vec<(u64, u32, Job)>,
    /// The task that runs; 0 outside of tasks.
    pub(crate) current: u64,
    /// The state of code outside of tasks.
    pub(crate) outside: Task,
    pub(crate) groups: FxHashMap<u64, Group>,
    pub(crate) continuations: FxHashMap<u64, Continuation>,
    /// Jobs that are no tasks.
    pub(crate) jobs: FxHashMap<u64, Job>,
    /// The nanoseconds that were slept.
    pub(crate) slept: u64,
    /// The slots for the values of continuations that are waited for.
    pub(crate) continuation_values: FxHashMap<u64, Option<Slot>>,
    pub(crate) handlers_made: u64,
    pub(crate) has_executors: bool,
}

impl Tasks {
    /// Returns the task that runs, or what stands for it outside of tasks.
    pub(crate) fn running(&mut self) -> &mut Task {
        match self.all.get_mut(&self.current) {
            Some(task) => task,
            None => &mut self.outside,
        }
    }
}
