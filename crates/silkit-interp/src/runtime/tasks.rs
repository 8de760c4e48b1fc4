//! Runtime functions for tasks. The scheduler is in `exec/tasks.rs`.

use super::{BuiltinFn, Call, Effect, NativeFn, no_effect, same};
use crate::interp::Interp;
use crate::sites::BuiltinSite;
use crate::tasks::{Job, Task, Wait, Waiting};
use crate::violation::{Run, unsupported};

pub(super) const FUNCTIONS: &[(&str, NativeFn)] = &[
    ("swift_job_run", job_run),
    ("swift_task_enqueueGlobal", enqueue),
    ("swift_task_enqueueMainExecutor", enqueue),
    ("swift_dispatchEnqueueGlobal", enqueue),
    ("swift_dispatchEnqueueMain", enqueue),
    ("swift_dispatchEnqueueWithDeadline", dispatch_with_deadline),
    ("swift_task_startOnMainActor", enqueue),
    ("swift_task_immediate", enqueue),
    ("swift_task_enqueueGlobalWithDelay", enqueue_with_delay),
    ("swift_task_enqueueGlobalWithDeadline", enqueue_with_deadline),
    ("swift_task_asyncMainDrainQueue", drain),
    ("swift_task_createNullaryContinuationJob", nullary_job),
    ("swift_task_future_wait", future_wait),
    ("swift_task_future_wait_throwing", future_wait),
    ("swift_asyncLet_get", async_let_get),
    ("swift_asyncLet_get_throwing", async_let_get),
    ("swift_asyncLet_finish", async_let_finish),
    ("swift_asyncLet_consume", async_let_finish),
    ("swift_task_cancel", cancel),
    ("swift_task_isCancelled", is_cancelled),
    ("swift_task_getCurrent", current),
    ("swift_task_addCancellationHandler", add_handler),
    ("swift_task_removeCancellationHandler", remove_handler),
    ("swift_task_addPriorityEscalationHandler", ignored_record),
    ("swift_task_removePriorityEscalationHandler", nothing),
    ("swift_task_escalate", priority),
    ("swift_task_currentPriority", priority),
    ("swift_task_basePriority", priority),
    ("swift_job_getPriority", priority),
    ("swift_task_getCurrentThreadPriority", priority),
    ("swift_task_isCurrentExecutor", always),
    ("swift_task_isCurrentExecutorWithFlags", always),
    ("swift_task_hasTaskGroupStatusRecord", never),
    ("swift_task_getCurrentTaskName", null),
    ("swift_task_getJobTaskId", job_id),
    ("swift_task_localValuePush", local_push),
    ("swift_task_localValuePop", local_pop),
    ("swift_task_localValueGet", local_get),
    ("_swift_getActiveExecutor", null_pair),
    ("_swift_getCurrentTaskExecutor", null_pair),
    ("_swift_getPreferredTaskExecutor", null_pair),
    ("swift_createDefaultExecutorsOnce", create_executors),
    ("swift_task_deinitOnExecutor", deinit_on_executor),
    ("swift_get_time", get_time),
    ("swift_get_clock_res", clock_resolution),
    ("_swift_stdlib_gettid", thread_id),
    ("_swift_async_stream_lock_size", lock_size),
    ("_swift_async_stream_lock_init", nothing),
    ("_swift_async_stream_lock_lock", nothing),
    ("_swift_async_stream_lock_unlock", nothing),
];

pub(super) const OVERRIDES: &[(&str, NativeFn)] = &[];

/// The builtins that call a function of the runtime. Up to Swift 6.2, the library called these functions itself.
pub(super) const BUILTIN_CALLS: &[(&str, NativeFn)] = &[
    ("finishAsyncLet", async_let_finish),
    ("taskAddCancellationHandler", add_handler),
    ("taskRemoveCancellationHandler", remove_handler),
    ("taskAddPriorityEscalationHandler", ignored_record),
    ("taskRemovePriorityEscalationHandler", nothing),
    ("addTaskLocalValue", add_local),
    ("removeTaskLocalValue", local_pop),
    ("taskLocalValuePush", local_push),
    ("taskLocalValuePop", local_pop),
];

pub(super) const BUILTINS: &[(&str, BuiltinFn)] = &[
    ("createAsyncTask", create_task),
    ("startAsyncLetWithLocalBuffer", start_async_let),
    ("endAsyncLetLifetime", no_effect),
    ("convertTaskToJob", same),
    ("cancelAsyncTask", cancel_builtin),
    ("getCurrentAsyncTask", current_builtin),
    ("buildMainActorExecutorRef", no_executor),
    ("buildDefaultActorExecutorRef", executor),
    ("buildOrdinarySerialExecutorRef", executor),
    ("buildComplexEqualitySerialExecutorRef", executor),
    ("buildOrdinaryTaskExecutorRef", executor),
    ("initializeDefaultActor", initialize_actor),
    ("destroyDefaultActor", no_effect),
    ("resumeNonThrowingContinuationReturning", resume_returning),
    ("resumeThrowingContinuationReturning", resume_returning),
    ("resumeThrowingContinuationThrowing", resume_throwing),
];

/// The priority of all tasks. A single thread runs the tasks in the order in which they become ready.
const PRIORITY: u64 = 25;

/// The flag bit of a task that copies the task-local values of its creator.
const COPIES_LOCALS: u64 = 1 << 10;

/// The flag bit of a task that is enqueued immediately.
const ENQUEUE: u64 = 1 << 12;

/// Returns the number of the only thread, by which a mutex knows its owner.
fn thread_id(it: &mut Interp<'_>, call: &Call<'_>) -> Run<Effect> {
    it.set_int(call.result, 4, 1);
    Ok(Effect::Done)
}

fn nothing(_: &mut Interp<'_>, _: &Call<'_>) -> Run<Effect> {
    Ok(Effect::Done)
}

/// Runs the isolated deinit of an object immediately. There is only one thread, so the executor of the object is free.
fn deinit_on_executor(it: &mut Interp<'_>, call: &Call<'_>) -> Run<Effect> {
    let (object, work) = (it.arg(call, 0), it.arg(call, 1));
    it.call_code(work, &[&object.to_le_bytes()], 0)?;
    Ok(Effect::Done)
}

/// Initializes the default actor storage, which precedes the stored properties of an actor.
fn initialize_actor(it: &mut Interp<'_>, site: &BuiltinSite) -> Run<()> {
    let actor = it.get(site.args[0]);
    it.c_write(actor + 16, &[0; 96])
}

fn always(it: &mut Interp<'_>, call: &Call<'_>) -> Run<Effect> {
    it.set_byte(call.result, 1);
    Ok(Effect::Done)
}

fn never(it: &mut Interp<'_>, call: &Call<'_>) -> Run<Effect> {
    it.set_byte(call.result, 0);
    Ok(Effect::Done)
}

fn null(it: &mut Interp<'_>, call: &Call<'_>) -> Run<Effect> {
    it.set(call.result, 0);
    Ok(Effect::Done)
}

fn null_pair(it: &mut Interp<'_>, call: &Call<'_>) -> Run<Effect> {
    it.set(call.result, 0);
    it.set(call.result + 8, 0);
    Ok(Effect::Done)
}

fn priority(it: &mut Interp<'_>, call: &Call<'_>) -> Run<Effect> {
    let len = if call.name == "swift_task_getCurrentThreadPriority" { 8 } else { 1 };
    it.set_int(call.result, len, PRIORITY);
    Ok(Effect::Done)
}

fn lock_size(it: &mut Interp<'_>, call: &Call<'_>) -> Run<Effect> {
    it.set(call.result, 8);
    Ok(Effect::Done)
}

fn ignored_record(it: &mut Interp<'_>, call: &Call<'_>) -> Run<Effect> {
    it.set(call.result, 1);
    Ok(Effect::Done)
}

fn job_id(it: &mut Interp<'_>, call: &Call<'_>) -> Run<Effect> {
    let job = it.arg(call, 0);
    let number = it.runtime.tasks.all.get(&job).map_or(0, |t| t.number);
    it.set(call.result, u64::from(number));
    Ok(Effect::Done)
}

/// Returns the job that a word identifies: a task, or the resumption of a continuation. The latter exists once.
fn job(it: &mut Interp<'_>, word: u64) -> Run<Job> {
    let Some(job) = it.runtime.tasks.jobs.remove(&word) else { return Ok(Job::Task(word)) };
    it.free_object(word)?;
    Ok(job)
}

fn job_run(it: &mut Interp<'_>, call: &Call<'_>) -> Run<Effect> {
    let word = it.arg(call, 0);
    let job = job(it, word)?;
    it.runtime.tasks.ready.push_front(job);
    it.count_tasks()?;
    Ok(Effect::Done)
}

fn enqueue(it: &mut Interp<'_>, call: &Call<'_>) -> Run<Effect> {
    let word = it.arg(call, 0);
    let job = job(it, word)?;
    it.enqueue(job);
    it.count_tasks()?;
    Ok(Effect::Done)
}

fn sleep(it: &mut Interp<'_>, until: u64, word: u64) -> Run<()> {
    let job = job(it, word)?;
    let tasks = &mut it.runtime.tasks;
    tasks.made += 1;
    let number = tasks.made;
    tasks.sleeping.push((until, number, job));
    it.count_tasks()
}

fn enqueue_with_delay(it: &mut Interp<'_>, call: &Call<'_>) -> Run<Effect> {
    let (delay, word) = (it.arg(call, 0), it.arg(call, 1));
    let now = it.now();
    sleep(it, now.saturating_add(delay), word)?;
    Ok(Effect::Done)
}

fn enqueue_with_deadline(it: &mut Interp<'_>, call: &Call<'_>) -> Run<Effect> {
    let (seconds, nanoseconds, word) = (it.arg(call, 0), it.arg(call, 1), it.arg(call, 5));
    sleep(it, seconds.saturating_mul(1_000_000_000).saturating_add(nanoseconds), word)?;
    Ok(Effect::Done)
}

/// Schedules a job after a delay. The arguments are `(isGlobal, seconds, nanoseconds, …, job)`.
fn dispatch_with_deadline(it: &mut Interp<'_>, call: &Call<'_>) -> Run<Effect> {
    let (seconds, nanoseconds, word) = (it.arg(call, 1), it.arg(call, 2), it.arg(call, 6));
    sleep(it, seconds.saturating_mul(1_000_000_000).saturating_add(nanoseconds), word)?;
    Ok(Effect::Done)
}

/// Calls the library function that creates the default executors, at the first request.
fn create_executors(it: &mut Interp<'_>, _: &Call<'_>) -> Run<Effect> {
    if !std::mem::replace(&mut it.runtime.tasks.has_executors, true) {
        it.call_library("swift_createDefaultExecutors", vec![], &[], 0)?;
    }
    Ok(Effect::Done)
}

fn drain(it: &mut Interp<'_>, _: &Call<'_>) -> Run<Effect> {
    it.leave_task()?;
    it.next_job().map(Effect::Goto)
}

fn nullary_job(it: &mut Interp<'_>, call: &Call<'_>) -> Run<Effect> {
    let continuation = it.arg(call, 1);
    let word = it.allocate(crate::memory::Kind::Code, 0, 16, u32::MAX)?;
    it.runtime.tasks.jobs.insert(word, Job::Resume(continuation));
    it.set(call.result, word);
    Ok(Effect::Done)
}

/// Returns the wait state of a call that suspends its task.
pub(super) fn wait(call: &Call<'_>, out: u64, how: Waiting) -> Wait {
    Wait { next: call.next, error_to: call.error_to, error: call.error, out, how }
}

fn future_wait(it: &mut Interp<'_>, call: &Call<'_>) -> Run<Effect> {
    let (out, task) = (it.arg(call, 0), it.arg(call, 1));
    it.wait_for(task, wait(call, out, Waiting::Future))
}

fn async_let_get(it: &mut Interp<'_>, call: &Call<'_>) -> Run<Effect> {
    let (task, out) = (it.arg(call, 0), it.arg(call, 1));
    it.wait_for(task, wait(call, out, Waiting::AsyncLet))
}

fn async_let_finish(it: &mut Interp<'_>, call: &Call<'_>) -> Run<Effect> {
    let (task, out) = (it.arg(call, 0), it.arg(call, 1));
    it.cancel_task(task)?;
    it.wait_for(task, wait(call, out, Waiting::Finish))
}

fn cancel(it: &mut Interp<'_>, call: &Call<'_>) -> Run<Effect> {
    let task = it.arg(call, 0);
    it.cancel_task(task)?;
    Ok(Effect::Done)
}

fn cancel_builtin(it: &mut Interp<'_>, site: &BuiltinSite) -> Run<()> {
    let task = it.get(site.args[0]);
    it.cancel_task(task)
}

fn is_cancelled(it: &mut Interp<'_>, call: &Call<'_>) -> Run<Effect> {
    let task = it.arg(call, 0);
    let answer = it.runtime.tasks.all.get(&task).is_some_and(|t| t.is_cancelled);
    it.set_byte(call.result, u8::from(answer));
    Ok(Effect::Done)
}

fn current(it: &mut Interp<'_>, call: &Call<'_>) -> Run<Effect> {
    let current = it.runtime.tasks.current;
    if current != 0 {
        it.retain_reference(current)?;
    }
    it.set(call.result, current);
    Ok(Effect::Done)
}

fn current_builtin(it: &mut Interp<'_>, site: &BuiltinSite) -> Run<()> {
    let current = it.runtime.tasks.current;
    if current != 0 {
        it.retain_reference(current)?;
    }
    it.set(site.to, current);
    Ok(())
}

fn add_handler(it: &mut Interp<'_>, call: &Call<'_>) -> Run<Effect> {
    let (code, context) = (it.get(call.args[0]), it.get(call.args[0] + 8));
    it.runtime.tasks.handlers_made += 1;
    let number = it.runtime.tasks.handlers_made;
    let task = it.runtime.tasks.running();
    task.handlers.push((number, code, context));
    let is_cancelled = task.is_cancelled;
    it.count_tasks()?;
    it.set(call.result, number);
    if is_cancelled {
        it.call_closure(code, context, &[], 0)?;
    }
    Ok(Effect::Done)
}

fn remove_handler(it: &mut Interp<'_>, call: &Call<'_>) -> Run<Effect> {
    let number = it.arg(call, 0);
    it.runtime.tasks.running().handlers.retain(|h| h.0 != number);
    Ok(Effect::Done)
}

/// Executes `createAsyncTask(flags, executor?, group?, executor?, executor?, name?, closure)`, which returns the task
/// and its context.
fn create_task(it: &mut Interp<'_>, site: &BuiltinSite) -> Run<()> {
    let [flags, _, group, .., closure] = site.args[..] else {
        return unsupported("`createAsyncTask` with other operands");
    };
    let ty = match site.types.first() {
        Some(&ty) => Some(it.type_id(ty)?),
        None => None,
    };
    let (flags, group) = (it.get(flags), it.get(group));
    let (code, context) = (it.get(closure), it.get(closure + 8));
    let is_detached = flags & COPIES_LOCALS == 0 && group == 0;
    let task = it.new_task(Task { code, context, owns_context: true, ty, is_detached, ..Task::default() })?;
    if group != 0 {
        it.join_group(task, group)?;
    }
    if flags & ENQUEUE != 0 {
        it.enqueue(Job::Task(task));
    }
    it.set(site.to, task);
    it.set(site.to + 8, task);
    Ok(())
}

/// Executes `startAsyncLetWithLocalBuffer(options, closure, buffer)`.
fn start_async_let(it: &mut Interp<'_>, site: &BuiltinSite) -> Run<()> {
    let [_, closure, buffer] = site.args[..] else {
        return unsupported("`startAsyncLetWithLocalBuffer` with other operands");
    };
    let Some(&ty) = site.types.first() else { return unsupported("an `async let` without a type") };
    let ty = Some(it.type_id(ty)?);
    let (code, context, result) = (it.get(closure), it.get(closure + 8), it.get(buffer));
    let task = it.new_task(Task { code, context, ty, result, ..Task::default() })?;
    let parent = it.runtime.tasks.running();
    parent.children.push(task);
    if parent.is_cancelled {
        it.cancel_task(task)?;
    }
    it.enqueue(Job::Task(task));
    it.set(site.to, task);
    Ok(())
}

fn no_executor(it: &mut Interp<'_>, site: &BuiltinSite) -> Run<()> {
    it.set(site.to, 0);
    it.set(site.to + 8, 0);
    Ok(())
}

fn executor(it: &mut Interp<'_>, site: &BuiltinSite) -> Run<()> {
    let actor = it.get(site.args[0]);
    it.set(site.to, actor);
    it.set(site.to + 8, 0);
    Ok(())
}

fn resume_returning(it: &mut Interp<'_>, site: &BuiltinSite) -> Run<()> {
    let (continuation, value) = (it.get(site.args[0]), it.get(site.args[1]));
    it.resume_continuation(continuation, Some(value), 0)
}

fn resume_throwing(it: &mut Interp<'_>, site: &BuiltinSite) -> Run<()> {
    let (continuation, error) = (it.get(site.args[0]), it.get(site.args[1]));
    it.resume_continuation(continuation, None, error)
}

fn local_push(it: &mut Interp<'_>, call: &Call<'_>) -> Run<Effect> {
    let (key, value) = (it.arg(call, 0), it.arg(call, 1));
    let Some(&ty) = call.types.first() else { return unsupported("a task-local value without a type") };
    let id = it.type_id(ty)?;
    let (size, align) = (it.types.get(id).size, it.types.get(id).align);
    let address = it.allocate(crate::memory::Kind::Heap, u64::from(size), u64::from(align), ty.as_u32())?;
    it.copy_value(true, crate::op::Write::Init, value, address, id)?;
    it.runtime.tasks.running().locals.push((key, address, id));
    Ok(Effect::Done)
}

/// Executes `addTaskLocalValue<T>(key, value)`, which returns the record to remove.
fn add_local(it: &mut Interp<'_>, call: &Call<'_>) -> Run<Effect> {
    let done = local_push(it, call)?;
    it.set(call.result, 1);
    Ok(done)
}

fn local_pop(it: &mut Interp<'_>, _: &Call<'_>) -> Run<Effect> {
    if let Some((_, address, ty)) = it.runtime.tasks.running().locals.pop() {
        it.destroy_addr(address, ty)?;
        it.free_object(address)?;
    }
    Ok(Effect::Done)
}

fn local_get(it: &mut Interp<'_>, call: &Call<'_>) -> Run<Effect> {
    let key = it.arg(call, 0);
    let found = it.runtime.tasks.running().locals.iter().rev().find(|l| l.0 == key).map_or(0, |l| l.1);
    it.set(call.result, found);
    Ok(Effect::Done)
}

fn get_time(it: &mut Interp<'_>, call: &Call<'_>) -> Run<Effect> {
    let (seconds, nanoseconds) = (it.arg(call, 0), it.arg(call, 1));
    let now = it.now();
    it.write(seconds, now / 1_000_000_000)?;
    it.write(nanoseconds, now % 1_000_000_000)?;
    Ok(Effect::Done)
}

fn clock_resolution(it: &mut Interp<'_>, call: &Call<'_>) -> Run<Effect> {
    let (seconds, nanoseconds) = (it.arg(call, 0), it.arg(call, 1));
    it.write(seconds, 0)?;
    it.write(nanoseconds, 1)?;
    Ok(Effect::Done)
}
