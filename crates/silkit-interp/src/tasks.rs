//! The state of tasks, groups of tasks and continuations.

use crate::frame::{Access, Stack};
use crate::op::{Pc, Slot};
use crate::types::TypeId;
use silkit_base::FxHashMap;
use std::collections::VecDeque;

/// A job: a unit of work that is scheduled.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Job {
    /// Continues the task at an address.
    Task(u64),
    /// Resumes a continuation without a value.
    Resume(u64),
}

/// A task.
#[derive(Debug, Default)]
pub(crate) struct Task {
    /// The number of the task, which identifies its stack.
    pub(crate) number: u32,
    /// The stack of the task while the task is not running.
    pub(crate) stack: Stack,
    pub(crate) base: usize,
    /// The operation at which the task continues; `None` before the task starts.
    pub(crate) resume: Option<Pc>,
    pub(crate) accesses: Vec<Access>,
    /// The closure that the task runs.
    pub(crate) code: u64,
    pub(crate) context: u64,
    /// True if the task releases the closure's context.
    pub(crate) owns_context: bool,
    /// The destination and the type of the task's result.
    pub(crate) result: u64,
    pub(crate) ty: Option<TypeId>,
    /// True if the task owns the memory of its result.
    pub(crate) owns_result: bool,
    pub(crate) is_done: bool,
    /// The error that the task threw, or 0.
    pub(crate) error: u64,
    /// The event that the task waits for.
    pub(crate) wait: Option<Wait>,
    /// The tasks that wait for this task.
    pub(crate) waiters: Vec<u64>,
    /// The group that the task belongs to, or 0.
    pub(crate) group: u64,
    /// The child tasks, which are cancelled with this task.
    pub(crate) children: Vec<u64>,
    pub(crate) is_cancelled: bool,
    /// The cancellation handlers: a number, the code and the context of each.
    pub(crate) handlers: Vec<(u64, u64, u64)>,
    /// True if the task does not inherit the task-local values of its creator.
    pub(crate) is_detached: bool,
    /// The values of task-local variables: key, address and type, the newest last.
    pub(crate) locals: Vec<(u64, u64, TypeId)>,
    /// The first word of the executor that the task runs on.
    pub(crate) executor: u64,
}

/// The event that a suspended task waits for, and the operation at which the task continues.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wait {
    pub(crate) next: Pc,
    pub(crate) error_to: Pc,
    pub(crate) error: Slot,
    /// The address or the slot that receives the awaited value.
    pub(crate) out: u64,
    pub(crate) how: Waiting,
}

/// The action of a suspended task when its event occurs.
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
    /// Continues when all tasks of a group are done.
    All,
    /// Continues when a continuation is resumed.
    Continuation,
}

/// A group of tasks.
#[derive(Debug, Default)]
pub(crate) struct Group {
    /// The tasks whose results were not consumed yet.
    pub(crate) pending: Vec<u64>,
    /// The finished tasks, in the order in which they finished.
    pub(crate) done: VecDeque<u64>,
    pub(crate) waiter: Option<u64>,
    pub(crate) is_cancelled: bool,
    /// True if the group discards results.
    pub(crate) discards: bool,
    /// The first error of a group that discards results.
    pub(crate) error: u64,
}

/// A continuation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Continuation {
    pub(crate) task: u64,
    /// The destination of the continuation's value.
    pub(crate) out: u64,
    pub(crate) ty: TypeId,
    /// True if the continuation owns the memory of its value.
    pub(crate) owns: bool,
    pub(crate) is_resumed: bool,
    pub(crate) error: u64,
}

/// All tasks and the queue of ready jobs.
#[derive(Debug, Default)]
pub(crate) struct Tasks {
    pub(crate) all: FxHashMap<u64, Task>,
    pub(crate) made: u32,
    pub(crate) ready: VecDeque<Job>,
    /// The sleeping tasks: the wake-up time, a sequence number for equal times, and the task.
    pub(crate) sleeping: Vec<(u64, u32, Job)>,
    /// The current task, or 0 outside of tasks.
    pub(crate) current: u64,
    /// The state of code outside of tasks.
    pub(crate) outside: Task,
    pub(crate) groups: FxHashMap<u64, Group>,
    pub(crate) continuations: FxHashMap<u64, Continuation>,
    /// The jobs that are not tasks.
    pub(crate) jobs: FxHashMap<u64, Job>,
    /// The simulated time of sleeping, in nanoseconds.
    pub(crate) slept: u64,
    /// The slots for the values of awaited continuations.
    pub(crate) continuation_values: FxHashMap<u64, Option<Slot>>,
    pub(crate) handlers_made: u64,
    pub(crate) has_executors: bool,
    /// The number of bytes that are counted for tasks.
    pub(crate) counted: u64,
}

impl Tasks {
    /// Returns the tasks that have not ended. They own themselves, and a process may exit while they run or wait.
    pub(crate) fn unfinished(&self) -> impl Iterator<Item = u64> {
        self.all.iter().filter(|(_, task)| !task.is_done).map(|(&object, _)| object)
    }

    /// Returns the addresses that a task refers to, other than from its stack.
    pub(crate) fn words_of(&self, object: u64) -> impl Iterator<Item = u64> {
        self.all.get(&object).into_iter().flat_map(|task| {
            let locals = task.locals.iter().map(|&(_, address, _)| address);
            [task.context, task.result, task.error].into_iter().chain(locals)
        })
    }

    /// Returns the current task, or the state that represents code outside of tasks.
    pub(crate) fn running(&mut self) -> &mut Task {
        match self.all.get_mut(&self.current) {
            Some(task) => task,
            None => &mut self.outside,
        }
    }
}
