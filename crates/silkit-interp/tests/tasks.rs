//! Tasks, groups of tasks and continuations.

mod common;

use common::outcome_as;
use silkit_interp::{RunOptions, RunOutcome, Stop};

/// Declarations, `spawn` to make a task that is ready at once, and `exit`.
const PRELUDE: &str = "
protocol Error { }
enum Optional<T> { case some(T) case none }
sil @exit : $@convention(c) (Int32) -> Never
enum Never { }
sil @swift_task_future_wait : $@convention(thin) @async <T> (@guaranteed Builtin.NativeObject) -> @out T
sil @swift_task_asyncMainDrainQueue : $@convention(thin) () -> Never
sil @swift_taskGroup_wait_next_throwing : $@convention(thin) @async <T> (Builtin.RawPointer) -> (@out Optional<T>, @error any Error)

sil @one : $@convention(thin) @async (Builtin.Int32) -> (@out Builtin.Int32, @error any Error) {
bb0(%0 : $*Builtin.Int32, %1 : $Builtin.Int32):
  store %1 to %0 : $*Builtin.Int32
  %3 = tuple ()
  return %3 : $()
}

sil @leave : $@convention(thin) (Builtin.Int32) -> () {
bb0(%0 : $Builtin.Int32):
  %1 = struct $Int32 (%0 : $Builtin.Int32)
  %2 = function_ref @exit : $@convention(c) (Int32) -> Never
  %3 = apply %2(%1) : $@convention(c) (Int32) -> Never
  unreachable
}
";

/// Returns the instructions that make a task of a closure.
fn spawn(name: &str, flags: u32, group: &str, closure: &str) -> String {
    format!(
        "
  %{name}f = integer_literal $Builtin.Int64, {flags}
  %{name}e = enum $Optional<Builtin.Executor>, #Optional.none!enumelt
  %{name}n = enum $Optional<Builtin.RawPointer>, #Optional.none!enumelt
  %{name}t = builtin \"createAsyncTask\"<Builtin.Int32>(%{name}f : $Builtin.Int64, %{name}e : $Optional<Builtin.Executor>, {group} : $Optional<Builtin.RawPointer>, %{name}e : $Optional<Builtin.Executor>, %{name}n : $Optional<Builtin.RawPointer>, %{name}n : $Optional<Builtin.RawPointer>, {closure} : $@async @callee_guaranteed () -> (@out Builtin.Int32, @error any Error)) : $(Builtin.NativeObject, Builtin.RawPointer)
  %{name} = tuple_extract %{name}t : $(Builtin.NativeObject, Builtin.RawPointer), 0
"
    )
}

/// Runs a program whose first task executes `body`, which calls `leave`.
fn run(functions: &str, body: &str, schedule: Option<u64>) -> Stop {
    outcome(functions, body, RunOptions { schedule, ..RunOptions::default() }).stop
}

/// Runs such a program with options.
fn outcome(functions: &str, body: &str, options: RunOptions) -> RunOutcome {
    let start = spawn("main", 1 << 12, "%g", "%c");
    let text = format!(
        "{PRELUDE}{functions}
sil @first : $@convention(thin) @async () -> (@out Builtin.Int32, @error any Error) {{
bb0(%result : $*Builtin.Int32):
{body}
}}
sil @main : $@convention(c) () -> Int32 {{
bb0:
  %f = function_ref @first : $@convention(thin) @async () -> (@out Builtin.Int32, @error any Error)
  %c = thin_to_thick_function %f : $@convention(thin) @async () -> (@out Builtin.Int32, @error any Error) to $@async @callee_guaranteed () -> (@out Builtin.Int32, @error any Error)
  %g = enum $Optional<Builtin.RawPointer>, #Optional.none!enumelt
{start}
  %d = function_ref @swift_task_asyncMainDrainQueue : $@convention(thin) () -> Never
  %e = apply %d() : $@convention(thin) () -> Never
  unreachable
}}
"
    );
    outcome_as("canonical", &text, options)
}

#[test]
fn tasks_that_have_not_ended_at_exit_do_not_leak() {
    let options = || RunOptions { leaks: true, ..RunOptions::default() };
    let exit = "
  %zero = integer_literal $Builtin.Int32, 0
  %l = function_ref @leave : $@convention(thin) (Builtin.Int32) -> ()
  %x = apply %l(%zero) : $@convention(thin) (Builtin.Int32) -> ()
  unreachable
";
    // The first task runs at the exit, and this one has not begun.
    let start = "
  %n = integer_literal $Builtin.Int32, 5
  %of = function_ref @one : $@convention(thin) @async (Builtin.Int32) -> (@out Builtin.Int32, @error any Error)
  %oc = partial_apply [callee_guaranteed] %of(%n) : $@convention(thin) @async (Builtin.Int32) -> (@out Builtin.Int32, @error any Error)
  %og = enum $Optional<Builtin.RawPointer>, #Optional.none!enumelt
";
    let start = format!("{start}{}", spawn("one", 1 << 12, "%og", "%oc"));
    let waiting = outcome("", &format!("{start}{exit}"), options());
    assert_eq!((waiting.stop, waiting.leaks), (Stop::Exit(0), Vec::new()));
    let wait = "
  %to = alloc_stack $Builtin.Int32
  %w = function_ref @swift_task_future_wait : $@convention(thin) @async <T> (@guaranteed Builtin.NativeObject) -> @out T
  %done = apply %w<Builtin.Int32>(%to, %one) : $@convention(thin) @async <T> (@guaranteed Builtin.NativeObject) -> @out T
  dealloc_stack %to : $*Builtin.Int32
";
    // So does the result of a task that has ended and that a variable refers to.
    let variable = "
  %variable = alloc_stack $Builtin.NativeObject
  store %one to %variable : $*Builtin.NativeObject
";
    let referred = outcome("", &format!("{start}{wait}{variable}{exit}"), options());
    assert_eq!((referred.stop, referred.leaks), (Stop::Exit(0), Vec::new()));
    // A task that has ended and that nobody refers to is a leak.
    let ended = outcome("", &format!("{start}{wait}{exit}"), options());
    assert_eq!(ended.stop, Stop::Exit(0));
    assert!(ended.leaks.iter().any(|leak| leak.message.starts_with("a task")), "{:?}", ended.leaks);
}

const CLOSURE: &str = "$@convention(thin) @async (Builtin.Int32) -> (@out Builtin.Int32, @error any Error)";

#[test]
fn the_result_of_a_task_is_waited_for() {
    let child = spawn("child", 1 << 12, "%g", "%c");
    let body = format!(
        "
  %i = integer_literal $Builtin.Int32, 42
  %f = function_ref @one : {CLOSURE}
  %c = partial_apply [callee_guaranteed] %f(%i) : {CLOSURE}
  %g = enum $Optional<Builtin.RawPointer>, #Optional.none!enumelt
{child}
  %w = function_ref @swift_task_future_wait : $@convention(thin) @async <T> (@guaranteed Builtin.NativeObject) -> @out T
  %s = alloc_stack $Builtin.Int32
  %a = apply %w<Builtin.Int32>(%s, %child) : $@convention(thin) @async <T> (@guaranteed Builtin.NativeObject) -> @out T
  %v = load %s : $*Builtin.Int32
  strong_release %child : $Builtin.NativeObject
  %l = function_ref @leave : $@convention(thin) (Builtin.Int32) -> ()
  %x = apply %l(%v) : $@convention(thin) (Builtin.Int32) -> ()
  unreachable
"
    );
    assert_eq!(run("", &body, None), Stop::Exit(42));
    for seed in 0..20 {
        assert_eq!(run("", &body, Some(seed)), Stop::Exit(42), "seed {seed}");
    }
}

#[test]
fn a_group_gives_the_results_of_its_tasks_in_the_order_in_which_they_end() {
    let first = spawn("p", 1 << 12, "%g", "%c");
    let second = spawn("q", 1 << 12, "%g", "%d");
    let body = format!(
        "
  %i = integer_literal $Builtin.Int32, 1
  %j = integer_literal $Builtin.Int32, 2
  %f = function_ref @one : {CLOSURE}
  %c = partial_apply [callee_guaranteed] %f(%i) : {CLOSURE}
  %d = partial_apply [callee_guaranteed] %f(%j) : {CLOSURE}
  %group = builtin \"createTaskGroup\"<Builtin.Int32>() : $Builtin.RawPointer
  %g = enum $Optional<Builtin.RawPointer>, #Optional.some!enumelt, %group : $Builtin.RawPointer
{first}
  strong_release %p : $Builtin.NativeObject
{second}
  strong_release %q : $Builtin.NativeObject
  %w = function_ref @swift_taskGroup_wait_next_throwing : $@convention(thin) @async <T> (Builtin.RawPointer) -> (@out Optional<T>, @error any Error)
  %s = alloc_stack $Optional<Builtin.Int32>
  try_apply %w<Builtin.Int32>(%s, %group) : $@convention(thin) @async <T> (Builtin.RawPointer) -> (@out Optional<T>, @error any Error), normal bb1, error bb9
bb1(%r1 : $()):
  %v1 = load %s : $*Optional<Builtin.Int32>
  %o1 = unchecked_enum_data %v1 : $Optional<Builtin.Int32>, #Optional.some!enumelt
  try_apply %w<Builtin.Int32>(%s, %group) : $@convention(thin) @async <T> (Builtin.RawPointer) -> (@out Optional<T>, @error any Error), normal bb2, error bb9
bb2(%r2 : $()):
  %v2 = load %s : $*Optional<Builtin.Int32>
  %o2 = unchecked_enum_data %v2 : $Optional<Builtin.Int32>, #Optional.some!enumelt
  try_apply %w<Builtin.Int32>(%s, %group) : $@convention(thin) @async <T> (Builtin.RawPointer) -> (@out Optional<T>, @error any Error), normal bb3, error bb9
bb3(%r3 : $()):
  %v3 = load %s : $*Optional<Builtin.Int32>
  switch_enum %v3 : $Optional<Builtin.Int32>, case #Optional.some!enumelt: bb9x, case #Optional.none!enumelt: bb4
bb4:
  %e = builtin \"destroyTaskGroup\"(%group : $Builtin.RawPointer) : $()
  %ten = integer_literal $Builtin.Int32, 10
  %m = builtin \"mul_Int32\"(%o1 : $Builtin.Int32, %ten : $Builtin.Int32) : $Builtin.Int32
  %sum = builtin \"add_Int32\"(%m : $Builtin.Int32, %o2 : $Builtin.Int32) : $Builtin.Int32
  %l = function_ref @leave : $@convention(thin) (Builtin.Int32) -> ()
  %x = apply %l(%sum) : $@convention(thin) (Builtin.Int32) -> ()
  unreachable
bb9(%error : $any Error):
  unreachable
bb9x(%other : $Builtin.Int32):
  unreachable
"
    );
    assert_eq!(run("", &body, None), Stop::Exit(12));
    let stops: Vec<Stop> = (0..20).map(|seed| run("", &body, Some(seed))).collect();
    assert!(stops.iter().all(|s| matches!(s, Stop::Exit(12 | 21))), "{stops:?}");
    assert!(stops.contains(&Stop::Exit(12)) && stops.contains(&Stop::Exit(21)), "no other order: {stops:?}");
}

#[test]
fn a_continuation_that_is_resumed_before_it_is_waited_for_gives_its_value() {
    let body = "
  %k = get_async_continuation Builtin.Int32
  %s = alloc_stack $Builtin.Int32
  %i = integer_literal $Builtin.Int32, 7
  store %i to %s : $*Builtin.Int32
  %r = builtin \"resumeNonThrowingContinuationReturning\"<Builtin.Int32>(%k : $Builtin.RawUnsafeContinuation, %s : $*Builtin.Int32) : $()
  dealloc_stack %s : $*Builtin.Int32
  await_async_continuation %k : $Builtin.RawUnsafeContinuation, resume bb1
bb1(%v : $Builtin.Int32):
  %l = function_ref @leave : $@convention(thin) (Builtin.Int32) -> ()
  %x = apply %l(%v) : $@convention(thin) (Builtin.Int32) -> ()
  unreachable
";
    assert_eq!(run("", body, None), Stop::Exit(7));
}

#[test]
fn a_continuation_is_resumed_once() {
    let body = "
  %k = get_async_continuation Builtin.Int32
  %s = alloc_stack $Builtin.Int32
  %i = integer_literal $Builtin.Int32, 7
  store %i to %s : $*Builtin.Int32
  %r = builtin \"resumeNonThrowingContinuationReturning\"<Builtin.Int32>(%k : $Builtin.RawUnsafeContinuation, %s : $*Builtin.Int32) : $()
  %q = builtin \"resumeNonThrowingContinuationReturning\"<Builtin.Int32>(%k : $Builtin.RawUnsafeContinuation, %s : $*Builtin.Int32) : $()
  unreachable
";
    let stop = run("", body, None);
    assert!(
        matches!(&stop, Stop::Violation(v) if v.message.contains("resuming a continuation a second time")),
        "{stop:?}"
    );
}

#[test]
fn a_program_in_which_everything_waits_is_refused() {
    let body = "
  %k = get_async_continuation Builtin.Int32
  await_async_continuation %k : $Builtin.RawUnsafeContinuation, resume bb1
bb1(%v : $Builtin.Int32):
  unreachable
";
    let stop = run("", body, None);
    assert!(matches!(&stop, Stop::Unsupported(what) if what.contains("every task waits")), "{stop:?}");
}

#[test]
fn a_detached_task_begins_without_the_task_local_values_of_its_maker() {
    let functions = "
sil @swift_task_localValuePush : $@convention(c) <T> (Builtin.RawPointer, @in T) -> ()
sil @swift_task_localValueGet : $@convention(c) (Builtin.RawPointer) -> Builtin.RawPointer
sil_global @key : $Builtin.Int32
sil @peek : $@convention(thin) @async (Builtin.Int32) -> (@out Builtin.Int32, @error any Error) {
bb0(%0 : $*Builtin.Int32, %1 : $Builtin.Int32):
  %2 = global_addr @key : $*Builtin.Int32
  %3 = address_to_pointer %2 : $*Builtin.Int32 to $Builtin.RawPointer
  %4 = function_ref @swift_task_localValueGet : $@convention(c) (Builtin.RawPointer) -> Builtin.RawPointer
  %5 = apply %4(%3) : $@convention(c) (Builtin.RawPointer) -> Builtin.RawPointer
  %6 = integer_literal $Builtin.Word, 0
  %7 = builtin \"inttoptr_Word\"(%6 : $Builtin.Word) : $Builtin.RawPointer
  %8 = builtin \"cmp_eq_RawPointer\"(%5 : $Builtin.RawPointer, %7 : $Builtin.RawPointer) : $Builtin.Int1
  %9 = builtin \"zext_Int1_Int32\"(%8 : $Builtin.Int1) : $Builtin.Int32
  store %9 to %0 : $*Builtin.Int32
  %11 = function_ref @leave : $@convention(thin) (Builtin.Int32) -> ()
  %12 = apply %11(%9) : $@convention(thin) (Builtin.Int32) -> ()
  unreachable
}
";
    for (flags, is_detached) in [(1 << 12, 1), (1 << 12 | 1 << 10, 0)] {
        let child = spawn("child", flags, "%g", "%c");
        let body = format!(
            "
  %k = global_addr @key : $*Builtin.Int32
  %p = address_to_pointer %k : $*Builtin.Int32 to $Builtin.RawPointer
  %i = integer_literal $Builtin.Int32, 42
  %v = alloc_stack $Builtin.Int32
  store %i to %v : $*Builtin.Int32
  %u = function_ref @swift_task_localValuePush : $@convention(c) <T> (Builtin.RawPointer, @in T) -> ()
  %q = apply %u<Builtin.Int32>(%p, %v) : $@convention(c) <T> (Builtin.RawPointer, @in T) -> ()
  %f = function_ref @peek : {CLOSURE}
  %c = partial_apply [callee_guaranteed] %f(%i) : {CLOSURE}
  %g = enum $Optional<Builtin.RawPointer>, #Optional.none!enumelt
{child}
  %w = function_ref @swift_task_future_wait : $@convention(thin) @async <T> (@guaranteed Builtin.NativeObject) -> @out T
  %s = alloc_stack $Builtin.Int32
  %a = apply %w<Builtin.Int32>(%s, %child) : $@convention(thin) @async <T> (@guaranteed Builtin.NativeObject) -> @out T
  unreachable
"
        );
        assert_eq!(run(functions, &body, None), Stop::Exit(is_detached), "{flags}");
    }
}

/// A type whose conformance is isolated to the main actor, and a function that casts it to the protocol.
const ISOLATED: &str = "
class MainActor { init() }
protocol P { }
struct X : @MainActor P { }
sil_witness_table X: P module main { }
sil @conforms : $@convention(thin) () -> Builtin.Int32 {
bb0:
  %0 = alloc_stack $X
  %1 = struct $X ()
  store %1 to %0 : $*X
  %3 = alloc_stack $any P
  checked_cast_addr_br take_always X in %0 : $*X to any P in %3 : $*any P, bb1, bb2
bb1:
  destroy_addr %3 : $*any P
  %6 = integer_literal $Builtin.Int32, 1
  br bb3(%6 : $Builtin.Int32)
bb2:
  %8 = integer_literal $Builtin.Int32, 0
  br bb3(%8 : $Builtin.Int32)
bb3(%10 : $Builtin.Int32):
  dealloc_stack %3 : $*any P
  dealloc_stack %0 : $*X
  return %10 : $Builtin.Int32
}
";

#[test]
fn an_isolated_conformance_is_found_only_on_its_actor() {
    let hops = |on_actor: bool| {
        let executor = if on_actor { "some!enumelt, %m : $MainActor" } else { "none!enumelt" };
        format!(
            "
  %m = alloc_ref $MainActor
  %h = enum $Optional<MainActor>, #Optional.{executor}
  hop_to_executor %h : $Optional<MainActor>
  %f = function_ref @conforms : $@convention(thin) () -> Builtin.Int32
  %a = apply %f() : $@convention(thin) () -> Builtin.Int32
  %l = function_ref @leave : $@convention(thin) (Builtin.Int32) -> ()
  %x = apply %l(%a) : $@convention(thin) (Builtin.Int32) -> ()
  unreachable
"
        )
    };
    assert_eq!(run(ISOLATED, &hops(true), None), Stop::Exit(1));
    assert_eq!(run(ISOLATED, &hops(false), None), Stop::Exit(0));
    // An unrestricted conformance is found everywhere.
    let everywhere = ISOLATED.replace("@MainActor P", "P");
    assert_eq!(run(&everywhere, &hops(false), None), Stop::Exit(1));
}

#[test]
fn builtins_of_swift_6_3_call_the_runtime() {
    // A task-local value that is pushed and popped by builtins, and an `async let` that is awaited by one.
    let functions = "
sil [asmname \"swift_task_localValueGet\"] @$sSo3getFTo : $@convention(thin) (Builtin.RawPointer) -> Builtin.RawPointer
sil @child : $@convention(thin) @async (@inout_aliasable Builtin.Int32) -> (@out Builtin.Int32, @error any Error) {
bb0(%0 : $*Builtin.Int32, %1 : $*Builtin.Int32):
  %2 = integer_literal $Builtin.Int32, 30
  store %2 to %1 : $*Builtin.Int32
  store %2 to %0 : $*Builtin.Int32
  %5 = tuple ()
  return %5 : $()
}
";
    let body = "
  %k = integer_literal $Builtin.Int64, 64
  %key = builtin \"inttoptr_Int64\"(%k : $Builtin.Int64) : $Builtin.RawPointer
  %v = alloc_stack $Builtin.Int32
  %twelve = integer_literal $Builtin.Int32, 12
  store %twelve to %v : $*Builtin.Int32
  %record = builtin \"addTaskLocalValue\"<Builtin.Int32>(%key : $Builtin.RawPointer, %v : $*Builtin.Int32) : $Builtin.RawPointer
  %g = function_ref @$sSo3getFTo : $@convention(thin) (Builtin.RawPointer) -> Builtin.RawPointer
  %found = apply %g(%key) : $@convention(thin) (Builtin.RawPointer) -> Builtin.RawPointer
  %at = pointer_to_address %found : $Builtin.RawPointer to [strict] $*Builtin.Int32
  %local = load %at : $*Builtin.Int32
  %popped = builtin \"removeTaskLocalValue\"(%record : $Builtin.RawPointer) : $()
  %sum = alloc_stack $Builtin.Int32
  store %local to %sum : $*Builtin.Int32
  %buffer = alloc_stack $Builtin.Int32
  %b = address_to_pointer %buffer : $*Builtin.Int32 to $Builtin.RawPointer
  %options = enum $Optional<Builtin.RawPointer>, #Optional.none!enumelt
  %cf = function_ref @child : $@convention(thin) @async (@inout_aliasable Builtin.Int32) -> (@out Builtin.Int32, @error any Error)
  %closure = partial_apply [callee_guaranteed] %cf(%sum) : $@convention(thin) @async (@inout_aliasable Builtin.Int32) -> (@out Builtin.Int32, @error any Error)
  %let = builtin \"startAsyncLetWithLocalBuffer\"<Builtin.Int32>(%options : $Optional<Builtin.RawPointer>, %closure : $@async @callee_guaranteed () -> (@out Builtin.Int32, @error any Error), %b : $Builtin.RawPointer) : $Builtin.RawPointer
  %done = builtin \"finishAsyncLet\"(%let : $Builtin.RawPointer, %b : $Builtin.RawPointer) : $()
  %after = load %sum : $*Builtin.Int32
  %total = builtin \"add_Int32\"(%after : $Builtin.Int32, %local : $Builtin.Int32) : $Builtin.Int32
  %l = function_ref @leave : $@convention(thin) (Builtin.Int32) -> ()
  %x = apply %l(%total) : $@convention(thin) (Builtin.Int32) -> ()
  unreachable
";
    assert_eq!(run(functions, body, None), Stop::Exit(42));
}
