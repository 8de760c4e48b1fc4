//! Undefined behaviour that is planted in small programs, and found at the right instruction.

use silkit_interp::{
    Interp, Program, ProgramModule, RecordingHost, RunOptions, RunOutcome, Stop, Violation,
    ViolationKind as K,
};
use std::rc::Rc;
use std::sync::Arc;

const PRELUDE: &str = "
sil_stage canonical
import Builtin
struct Int32 { @_hasStorage var _value: Builtin.Int32 { get set } }
class C { @_hasStorage var x: Builtin.Int64 { get set } }
enum E { case a
  case b
  case c }
sil @C_deinit : $@convention(method) (@owned C) -> () {
bb0(%0 : $C):
  dealloc_ref %0 : $C
  %1 = tuple ()
  return %1 : $()
}
sil_vtable C {
  #C.deinit!deallocator: @C_deinit
}
sil @look : $@convention(thin) (Builtin.Int64) -> () {
bb0(%0 : $Builtin.Int64):
  %1 = tuple ()
  return %1 : $()
}
enum Never { }
sil @exit : $@convention(c) (Int32) -> Never
";

fn run_with(body: &str, options: RunOptions) -> RunOutcome {
    let text = format!("{PRELUDE}sil @main : $@convention(c) () -> Int32 {{\n{body}\n}}\n");
    let parsed = silkit_text::parse_module(&text);
    assert!(parsed.errors.is_empty(), "{:?}", parsed.errors);
    let program = Program::link(vec![Arc::new(ProgramModule::new("main", parsed.module))]);
    let mut host = RecordingHost::default();
    Interp::new(Rc::new(program), options, &mut host).run_program("main")
}

/// Runs a body that is followed by the return of zero.
fn run(body: &str) -> RunOutcome {
    let end = "  %90 = integer_literal $Builtin.Int32, 0\n  %91 = struct $Int32 (%90 : $Builtin.Int32)\n  return %91 : $Int32";
    run_with(&format!("bb0:\n{body}\n{end}"), RunOptions { leaks: true, ..RunOptions::default() })
}

#[track_caller]
fn finds(kind: K, instruction: &str, body: &str) -> Violation {
    match run(body).stop {
        Stop::Violation(v) => {
            assert_eq!(v.kind, kind, "{v}");
            assert_eq!(v.place.expect("a place").instruction, instruction, "{v}");
            *v
        }
        other => panic!("{other}"),
    }
}

#[test]
fn a_clean_program_has_no_violation() {
    let outcome = run("
  %0 = alloc_ref $C
  %1 = ref_element_addr %0 : $C, #C.x
  %2 = integer_literal $Builtin.Int64, 7
  store %2 to %1 : $*Builtin.Int64
  strong_release %0 : $C");
    assert_eq!(outcome.stop, Stop::Exit(0));
    assert!(outcome.leaks.is_empty(), "{:?}", outcome.leaks);
}

#[test]
fn use_after_free_is_found_with_its_history() {
    let found = finds(
        K::UseAfterFree,
        "load",
        "
  %0 = alloc_ref $C
  %1 = ref_element_addr %0 : $C, #C.x
  %2 = integer_literal $Builtin.Int64, 7
  store %2 to %1 : $*Builtin.Int64
  strong_release %0 : $C
  %3 = load %1 : $*Builtin.Int64",
    );
    let places: Vec<_> = found.history.iter().filter_map(|(_, p)| p.map(|p| p.instruction)).collect();
    assert_eq!(places, ["alloc_ref", "strong_release", "dealloc_ref"]);
}

#[test]
fn use_of_dead_stack_memory_is_found() {
    finds(
        K::UseAfterFree,
        "load",
        "
  %0 = alloc_stack $Builtin.Int64
  dealloc_stack %0 : $*Builtin.Int64
  %1 = load %0 : $*Builtin.Int64",
    );
}

#[test]
fn an_access_beyond_an_allocation_is_found() {
    finds(
        K::OutOfBounds,
        "load",
        "
  %0 = alloc_stack $Builtin.Int64
  %1 = integer_literal $Builtin.Word, 1
  %2 = index_addr %0 : $*Builtin.Int64, %1 : $Builtin.Word
  %3 = load %2 : $*Builtin.Int64
  dealloc_stack %0 : $*Builtin.Int64",
    );
}

#[test]
fn a_read_of_uninitialized_memory_is_found() {
    finds(
        K::UninitializedRead,
        "load",
        "
  %0 = alloc_stack $Builtin.Int64
  %1 = load %0 : $*Builtin.Int64
  dealloc_stack %0 : $*Builtin.Int64",
    );
}

#[test]
fn the_destruction_of_a_value_without_one_of_its_parts_is_found() {
    // There are 7 bytes of padding, so that not all bytes of the value can be initialized.
    let body = |stores: &str| {
        format!(
            "
  %0 = alloc_stack $(Builtin.Int8, C)
  %1 = tuple_element_addr %0 : $*(Builtin.Int8, C), 0
  %2 = tuple_element_addr %0 : $*(Builtin.Int8, C), 1
  %3 = integer_literal $Builtin.Int8, 1
  {stores}
  destroy_addr %0 : $*(Builtin.Int8, C)
  dealloc_stack %0 : $*(Builtin.Int8, C)"
        )
    };
    let number = "store %3 to %1 : $*Builtin.Int8";
    finds(K::UninitializedRead, "destroy_addr", &body(number));
    // The number is not read.
    let object = "%4 = alloc_ref $C\n  store %4 to %2 : $*C";
    assert_eq!(run(&body(object)).stop, Stop::Exit(0));
    assert_eq!(run(&body(&format!("{number}\n  {object}"))).stop, Stop::Exit(0));
}

#[test]
fn an_access_through_null_is_found() {
    let found = finds(
        K::WildPointer,
        "load",
        "
  %0 = integer_literal $Builtin.Word, 0
  %1 = builtin \"inttoptr_Word\"(%0 : $Builtin.Word) : $Builtin.RawPointer
  %2 = pointer_to_address %1 : $Builtin.RawPointer to [strict] $*Builtin.Int64
  %3 = load %2 : $*Builtin.Int64",
    );
    assert_eq!(found.history, []);
}

#[test]
fn a_release_too_many_is_found() {
    finds(
        K::OverRelease,
        "strong_release",
        "
  %0 = alloc_ref $C
  strong_release %0 : $C
  strong_release %0 : $C",
    );
}

#[test]
fn memory_given_back_twice_is_found() {
    finds(
        K::DoubleFree,
        "builtin",
        "
  %0 = integer_literal $Builtin.Word, 16
  %1 = builtin \"allocRaw\"(%0 : $Builtin.Word, %0 : $Builtin.Word) : $Builtin.RawPointer
  %2 = builtin \"deallocRaw\"(%1 : $Builtin.RawPointer, %0 : $Builtin.Word, %0 : $Builtin.Word) : $()
  %3 = builtin \"deallocRaw\"(%1 : $Builtin.RawPointer, %0 : $Builtin.Word, %0 : $Builtin.Word) : $()",
    );
}

#[test]
fn a_leak_is_found_where_it_was_allocated() {
    let outcome = run("  %0 = alloc_ref $C");
    assert_eq!(outcome.stop, Stop::Exit(0));
    let [leak] = &outcome.leaks[..] else { panic!("{:?}", outcome.leaks) };
    assert_eq!((leak.kind, leak.place.expect("a place").instruction), (K::Leak, "alloc_ref"));
}

#[test]
fn functions_that_are_active_at_exit_own_their_stack_memory() {
    let leaks = |values_own: bool, end: &str| {
        let body = format!(
            "
bb0:
  %0 = alloc_ref $C
  %1 = alloc_stack $C
  store %0 to %1 : $*C
{end}
  %3 = integer_literal $Builtin.Int32, 0
  %4 = struct $Int32 (%3 : $Builtin.Int32)
  %5 = function_ref @exit : $@convention(c) (Int32) -> Never
  %6 = apply %5(%4) : $@convention(c) (Int32) -> Never
  unreachable"
        );
        let outcome = run_with(&body, RunOptions { leaks: true, values_own, ..RunOptions::default() });
        assert_eq!(outcome.stop, Stop::Exit(0));
        outcome.leaks.len()
    };
    assert_eq!(leaks(false, ""), 0);
    assert_eq!(leaks(false, "  dealloc_stack %1 : $*C"), 1);
    assert_eq!(leaks(false, "  %2 = alloc_ref $C"), 1);
    assert_eq!(leaks(true, "  dealloc_stack %1 : $*C"), 0);
    assert_eq!(leaks(true, "  %2 = alloc_ref $C"), 0);
}

#[test]
fn a_misaligned_access_is_found() {
    finds(
        K::Misaligned,
        "load",
        "
  %0 = alloc_stack $(Builtin.Int64, Builtin.Int64)
  %1 = integer_literal $Builtin.Int64, 1
  %2 = tuple (%1 : $Builtin.Int64, %1 : $Builtin.Int64)
  store %2 to %0 : $*(Builtin.Int64, Builtin.Int64)
  %3 = address_to_pointer %0 : $*(Builtin.Int64, Builtin.Int64) to $Builtin.RawPointer
  %4 = integer_literal $Builtin.Word, 4
  %5 = index_raw_pointer %3 : $Builtin.RawPointer, %4 : $Builtin.Word
  %6 = pointer_to_address %5 : $Builtin.RawPointer to [strict] $*Builtin.Int64
  %7 = load %6 : $*Builtin.Int64
  dealloc_stack %0 : $*(Builtin.Int64, Builtin.Int64)",
    );
}

#[test]
fn a_write_to_a_literal_is_found() {
    finds(
        K::ConstantWrite,
        "store",
        "
  %0 = string_literal utf8 \"abc\"
  %1 = pointer_to_address %0 : $Builtin.RawPointer to [strict] $*Builtin.Int8
  %2 = integer_literal $Builtin.Int8, 1
  store %2 to %1 : $*Builtin.Int8",
    );
}

#[test]
fn bits_that_are_no_case_are_found() {
    let outcome = run_with(
        "
bb0:
  %0 = integer_literal $Builtin.Int8, 9
  %1 = unchecked_trivial_bit_cast %0 : $Builtin.Int8 to $E
  switch_enum %1 : $E, case #E.a!enumelt: bb1, case #E.b!enumelt: bb1, case #E.c!enumelt: bb1
bb1:
  %2 = integer_literal $Builtin.Int32, 0
  %3 = struct $Int32 (%2 : $Builtin.Int32)
  return %3 : $Int32",
        RunOptions::default(),
    );
    assert!(matches!(outcome.stop, Stop::Violation(v) if v.kind == K::InvalidEnum));
}

#[test]
fn stack_memory_in_the_wrong_order_is_found() {
    finds(
        K::StackDiscipline,
        "dealloc_stack",
        "
  %0 = alloc_stack $Builtin.Int64
  %1 = alloc_stack $Builtin.Int64
  dealloc_stack %0 : $*Builtin.Int64
  dealloc_stack %1 : $*Builtin.Int64",
    );
}

// In OSSA, the destroy of a closure is no stack deallocation: the reference nests other memory only.
#[test]
fn closures_and_stack_memory_end_in_any_order_in_ossa() {
    let (alloc, close) = (
        "  %3 = alloc_stack $Builtin.Int64\n",
        "  %2 = partial_apply [callee_guaranteed] [on_stack] %1(%0) : $@convention(thin) (Builtin.Int64) -> ()\n",
    );
    let (dealloc, destroy) = (
        "  dealloc_stack %3 : $*Builtin.Int64\n",
        "  destroy_value %2 : $@noescape @callee_guaranteed () -> ()\n",
    );
    let function = "  %0 = integer_literal $Builtin.Int64, 1\n  \
                    %1 = function_ref @look : $@convention(thin) (Builtin.Int64) -> ()\n";
    for order in [[close, alloc, destroy, dealloc], [alloc, close, dealloc, destroy]] {
        let outcome = run(&(function.to_owned() + &order.concat()));
        assert!(matches!(outcome.stop, Stop::Exit(0)), "{}", outcome.stop);
    }
    finds(
        K::StackDiscipline,
        "dealloc_stack",
        &format!(
            "{function}{close}{alloc}  dealloc_stack %2 : $@noescape @callee_guaranteed () -> ()\n{dealloc}"
        ),
    );
}

#[test]
fn the_use_of_undef_is_found() {
    finds(
        K::Undef,
        "builtin",
        "
  %0 = integer_literal $Builtin.Int64, 1
  %1 = builtin \"add_Int64\"(%0 : $Builtin.Int64, undef : $Builtin.Int64) : $Builtin.Int64",
    );
}

#[test]
fn a_part_of_undef_is_no_use() {
    let outcome = run("
  %0 = tuple_extract undef : $(Builtin.Int64, Builtin.Int64), 1
  br bb1(%0 : $Builtin.Int64)

bb1(%2 : $Builtin.Int64):");
    assert_eq!(outcome.stop, Stop::Exit(0));
}

#[test]
fn unreachable_code_that_is_reached_is_found() {
    let outcome = run_with("bb0:\n  unreachable", RunOptions::default());
    assert!(matches!(outcome.stop, Stop::Violation(v) if v.kind == K::Unreachable));
}

#[test]
fn a_call_of_what_is_no_function_is_found() {
    finds(
        K::TypeConfusion,
        "apply",
        "
  %0 = alloc_stack $Builtin.Int64
  %1 = address_to_pointer %0 : $*Builtin.Int64 to $Builtin.RawPointer
  %2 = unchecked_trivial_bit_cast %1 : $Builtin.RawPointer to $@convention(thin) () -> ()
  %3 = apply %2() : $@convention(thin) () -> ()
  dealloc_stack %0 : $*Builtin.Int64",
    );
}

#[test]
fn overlapping_accesses_end_the_program_as_native_ones_do() {
    let outcome = run("
  %0 = alloc_stack $Builtin.Int64
  %1 = begin_access [modify] [dynamic] %0 : $*Builtin.Int64
  %2 = begin_access [read] [dynamic] %0 : $*Builtin.Int64
  end_access %2 : $*Builtin.Int64
  end_access %1 : $*Builtin.Int64
  dealloc_stack %0 : $*Builtin.Int64");
    assert_eq!(outcome.exit_code, Some(134));
}

#[test]
fn a_condition_that_fails_is_a_trap() {
    let outcome = run("
  %0 = integer_literal $Builtin.Int1, -1
  cond_fail %0 : $Builtin.Int1, \"arithmetic overflow\"");
    assert_eq!(outcome.exit_code, Some(132));
}

#[test]
fn a_loop_without_end_meets_the_limit() {
    let outcome =
        run_with("bb0:\n  br bb1\nbb1:\n  br bb1", RunOptions { limit: 1000, ..RunOptions::default() });
    assert_eq!(outcome.stop, Stop::Limit);
}

#[test]
fn an_access_that_is_not_ended_is_found() {
    let found = finds(
        K::Exclusivity,
        "return",
        "
  %0 = alloc_stack $Builtin.Int64
  %1 = begin_access [modify] [static] %0
  dealloc_stack %0",
    );
    assert!(found.message.contains("which began at `begin_access` in main"), "{found}");
}

#[test]
fn an_access_that_is_ended_twice_is_found() {
    for enforcement in ["static", "dynamic"] {
        finds(
            K::Exclusivity,
            "end_access",
            &format!(
                "
  %0 = alloc_stack $Builtin.Int64
  %1 = begin_access [read] [{enforcement}] %0
  end_access %1
  end_access %1
  dealloc_stack %0"
            ),
        );
    }
}
