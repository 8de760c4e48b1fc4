//! Raw SIL: what later passes decide is decided when the program runs.

mod common;

use common::run_raw;
use silkit_interp::{RunOptions, Stop};

/// A type that cannot be copied, whose deinit adds its value to a global, and functions that borrow and consume it.
const TOKEN: &str = "
struct Token : ~Copyable {
  @_hasStorage let value: Builtin.Int32 { get }
  deinit
}
sil_global @sum : $Builtin.Int32
sil [ossa] @token_deinit : $@convention(method) (@owned Token) -> () {
bb0(%0 : @owned $Token):
  %1 = drop_deinit %0 : $Token
  %2 = destructure_struct %1 : $Token
  %3 = global_addr @sum : $*Builtin.Int32
  %4 = load [trivial] %3 : $*Builtin.Int32
  %5 = builtin \"add_Int32\"(%4 : $Builtin.Int32, %2 : $Builtin.Int32) : $Builtin.Int32
  store %5 to [trivial] %3 : $*Builtin.Int32
  %7 = tuple ()
  return %7 : $()
}
sil_moveonlydeinit Token { @token_deinit }
sil [ossa] @make : $@convention(thin) () -> @owned Token {
bb0:
  %0 = integer_literal $Builtin.Int32, 1
  %1 = struct $Token (%0 : $Builtin.Int32)
  return %1 : $Token
}
sil [ossa] @look : $@convention(thin) (@guaranteed Token) -> () {
bb0(%0 : @guaranteed $Token):
  %1 = copy_value %0 : $Token
  %2 = mark_unresolved_non_copyable_value [no_consume_or_assign] %1 : $Token
  destroy_value %2 : $Token
  %4 = tuple ()
  return %4 : $()
}
sil [ossa] @eat : $@convention(thin) (@owned Token) -> () {
bb0(%0 : @owned $Token):
  %1 = mark_unresolved_non_copyable_value [consumable_and_assignable] %0 : $Token
  destroy_value %1 : $Token
  %3 = tuple ()
  return %3 : $()
}
sil [ossa] @reset : $@convention(thin) () -> Builtin.Int32 {
bb0:
  %0 = global_addr @sum : $*Builtin.Int32
  %1 = load [trivial] %0 : $*Builtin.Int32
  return %1 : $Builtin.Int32
}
";

/// Runs statements on a token `%1` that has the global set to 0 before and to the number of deinits after.
fn deinits(statements: &str) -> Stop {
    deinits_with("", statements)
}

fn deinits_with(declared: &str, statements: &str) -> Stop {
    common::sum_after(
        &format!("{TOKEN}{declared}"),
        &format!(
            "\
  %90 = function_ref @make : $@convention(thin) () -> @owned Token
  %91 = function_ref @look : $@convention(thin) (@guaranteed Token) -> ()
  %92 = function_ref @eat : $@convention(thin) (@owned Token) -> ()
  %0 = apply %90() : $@convention(thin) () -> @owned Token
{statements}"
        ),
    )
}

#[test]
fn a_copy_that_is_looked_at_is_a_borrow() {
    let statements = "
  %1 = mark_unresolved_non_copyable_value [consumable_and_assignable] %0 : $Token
  %2 = copy_value %1 : $Token
  %3 = apply %91(%2) : $@convention(thin) (@guaranteed Token) -> ()
  destroy_value %2 : $Token
  destroy_value %1 : $Token
";
    assert_eq!(deinits(statements), Stop::Exit(1));
}

#[test]
fn a_copy_that_is_consumed_is_a_move() {
    let statements = "
  %1 = mark_unresolved_non_copyable_value [consumable_and_assignable] %0 : $Token
  %2 = begin_borrow %1 : $Token
  %3 = copy_value %2 : $Token
  end_borrow %2 : $Token
  %4 = apply %92(%3) : $@convention(thin) (@owned Token) -> ()
  destroy_value %1 : $Token
";
    assert_eq!(deinits(statements), Stop::Exit(1));
}

#[test]
fn a_load_of_what_is_consumed_takes_it() {
    let statements = "
  %1 = alloc_stack $Token
  store %0 to [init] %1 : $*Token
  %3 = mark_unresolved_non_copyable_value [consumable_and_assignable] %1 : $*Token
  %4 = load [copy] %3 : $*Token
  %5 = apply %92(%4) : $@convention(thin) (@owned Token) -> ()
  destroy_addr %1 : $*Token
  dealloc_stack %1 : $*Token
";
    assert_eq!(deinits(statements), Stop::Exit(1));
}

#[test]
fn a_load_of_what_is_looked_at_borrows_it() {
    let statements = "
  %1 = alloc_stack $Token
  store %0 to [init] %1 : $*Token
  %3 = mark_unresolved_non_copyable_value [no_consume_or_assign] %1 : $*Token
  %4 = load [copy] %3 : $*Token
  %5 = apply %91(%4) : $@convention(thin) (@guaranteed Token) -> ()
  destroy_value %4 : $Token
  destroy_addr %1 : $*Token
  dealloc_stack %1 : $*Token
";
    assert_eq!(deinits(statements), Stop::Exit(1));
}

#[test]
fn a_copy_in_memory_is_a_borrow_or_a_move() {
    let statements = |use_of_copy: &str| {
        format!(
            "
  %1 = alloc_stack $Token
  store %0 to [init] %1 : $*Token
  %3 = alloc_stack $Token
  copy_addr %1 to [init] %3 : $*Token
{use_of_copy}
  dealloc_stack %3 : $*Token
  destroy_addr %1 : $*Token
  dealloc_stack %1 : $*Token
"
        )
    };
    let taken = "
  %5 = load [take] %3 : $*Token
  %6 = apply %92(%5) : $@convention(thin) (@owned Token) -> ()";
    assert_eq!(deinits(&statements(taken)), Stop::Exit(1));
    assert_eq!(deinits(&statements("  destroy_addr %3 : $*Token")), Stop::Exit(1));
}

#[test]
fn the_first_assignment_by_a_wrapper_initializes_and_the_second_sets() {
    let program = "
struct Wrapper {
  @_hasStorage var value: Builtin.Int32 { get set }
  @_hasStorage var sets: Builtin.Int32 { get set }
}
sil [ossa] @initial : $@convention(thin) (Builtin.Int32) -> Wrapper {
bb0(%0 : $Builtin.Int32):
  %1 = integer_literal $Builtin.Int32, 0
  %2 = struct $Wrapper (%0 : $Builtin.Int32, %1 : $Builtin.Int32)
  return %2 : $Wrapper
}
sil [ossa] @set : $@convention(method) (Builtin.Int32, @inout Wrapper) -> () {
bb0(%0 : $Builtin.Int32, %1 : $*Wrapper):
  %2 = struct_element_addr %1 : $*Wrapper, #Wrapper.value
  store %0 to [trivial] %2 : $*Builtin.Int32
  %4 = struct_element_addr %1 : $*Wrapper, #Wrapper.sets
  %5 = integer_literal $Builtin.Int32, 40
  store %5 to [trivial] %4 : $*Builtin.Int32
  %7 = tuple ()
  return %7 : $()
}
sil [ossa] @value : $@convention(thin) () -> Builtin.Int32 {
bb0:
  %0 = alloc_stack $Wrapper
  %1 = function_ref @initial : $@convention(thin) (Builtin.Int32) -> Wrapper
  %2 = function_ref @set : $@convention(method) (Builtin.Int32, @inout Wrapper) -> ()
  %3 = partial_apply [callee_guaranteed] [on_stack] %2(%0) : $@convention(method) (Builtin.Int32, @inout Wrapper) -> ()
  %4 = integer_literal $Builtin.Int32, 1
  assign_by_wrapper %4 : $Builtin.Int32 to %0 : $*Wrapper, init %1 : $@convention(thin) (Builtin.Int32) -> Wrapper, set %3 : $@noescape @callee_guaranteed (Builtin.Int32) -> ()
  %6 = integer_literal $Builtin.Int32, 2
  assign_by_wrapper %6 : $Builtin.Int32 to %0 : $*Wrapper, init %1 : $@convention(thin) (Builtin.Int32) -> Wrapper, set %3 : $@noescape @callee_guaranteed (Builtin.Int32) -> ()
  destroy_value %3 : $@noescape @callee_guaranteed (Builtin.Int32) -> ()
  %9 = struct_element_addr %0 : $*Wrapper, #Wrapper.value
  %10 = load [trivial] %9 : $*Builtin.Int32
  %11 = struct_element_addr %0 : $*Wrapper, #Wrapper.sets
  %12 = load [trivial] %11 : $*Builtin.Int32
  %13 = builtin \"add_Int32\"(%10 : $Builtin.Int32, %12 : $Builtin.Int32) : $Builtin.Int32
  dealloc_stack %0 : $*Wrapper
  return %13 : $Builtin.Int32
}
";
    assert_eq!(run_raw(program), Stop::Exit(42));
}

#[test]
fn a_wrapper_takes_a_tuple_apart_and_its_setter_accesses_the_property_itself() {
    let program = "
sil_global @total : $Builtin.Int32
sil [ossa] @sum : $@convention(thin) (Builtin.Int32, Builtin.Int32) -> Builtin.Int32 {
bb0(%0 : $Builtin.Int32, %1 : $Builtin.Int32):
  %2 = builtin \"add_Int32\"(%0 : $Builtin.Int32, %1 : $Builtin.Int32) : $Builtin.Int32
  return %2 : $Builtin.Int32
}
sil [ossa] @set : $@convention(thin) (Builtin.Int32, Builtin.Int32, Builtin.RawPointer) -> () {
bb0(%0 : $Builtin.Int32, %1 : $Builtin.Int32, %2 : $Builtin.RawPointer):
  %3 = pointer_to_address %2 : $Builtin.RawPointer to [strict] $*Builtin.Int32
  %4 = begin_access [modify] [dynamic] %3 : $*Builtin.Int32
  %5 = builtin \"mul_Int32\"(%0 : $Builtin.Int32, %1 : $Builtin.Int32) : $Builtin.Int32
  store %5 to [trivial] %4 : $*Builtin.Int32
  end_access %4 : $*Builtin.Int32
  %8 = tuple ()
  return %8 : $()
}
sil [ossa] @value : $@convention(thin) () -> Builtin.Int32 {
bb0:
  %0 = alloc_stack $Builtin.Int32
  %1 = function_ref @sum : $@convention(thin) (Builtin.Int32, Builtin.Int32) -> Builtin.Int32
  %2 = function_ref @set : $@convention(thin) (Builtin.Int32, Builtin.Int32, Builtin.RawPointer) -> ()
  %3 = address_to_pointer %0 : $*Builtin.Int32 to $Builtin.RawPointer
  %4 = partial_apply [callee_guaranteed] [on_stack] %2(%3) : $@convention(thin) (Builtin.Int32, Builtin.Int32, Builtin.RawPointer) -> ()
  %5 = integer_literal $Builtin.Int32, 6
  %6 = integer_literal $Builtin.Int32, 7
  %7 = tuple (%5 : $Builtin.Int32, %6 : $Builtin.Int32)
  %8 = begin_access [modify] [dynamic] %0 : $*Builtin.Int32
  assign_by_wrapper %7 : $(Builtin.Int32, Builtin.Int32) to %8 : $*Builtin.Int32, init %1 : $@convention(thin) (Builtin.Int32, Builtin.Int32) -> Builtin.Int32, set %4 : $@noescape @callee_guaranteed (Builtin.Int32, Builtin.Int32) -> ()
  end_access %8 : $*Builtin.Int32
  %11 = load [trivial] %0 : $*Builtin.Int32
  %12 = begin_access [modify] [dynamic] %0 : $*Builtin.Int32
  assign_by_wrapper %7 : $(Builtin.Int32, Builtin.Int32) to %12 : $*Builtin.Int32, init %1 : $@convention(thin) (Builtin.Int32, Builtin.Int32) -> Builtin.Int32, set %4 : $@noescape @callee_guaranteed (Builtin.Int32, Builtin.Int32) -> ()
  end_access %12 : $*Builtin.Int32
  destroy_value %4 : $@noescape @callee_guaranteed (Builtin.Int32, Builtin.Int32) -> ()
  %16 = load [trivial] %0 : $*Builtin.Int32
  dealloc_stack %0 : $*Builtin.Int32
  %18 = builtin \"add_Int32\"(%11 : $Builtin.Int32, %16 : $Builtin.Int32) : $Builtin.Int32
  return %18 : $Builtin.Int32
}
";
    assert_eq!(run_raw(program), Stop::Exit(13 + 42));
    // The modes that definite initialization chooses.
    let decided =
        program.replace(" to %8 ", " to [init] %8 ").replace(" to %12 ", " to [assign_wrapped_value] %12 ");
    assert_eq!(run_raw(&decided), Stop::Exit(13 + 42));
}

#[test]
fn an_object_that_its_initializer_gives_up_is_given_back_without_its_deinit() {
    let program = "
class Pair {
  @_hasStorage var a: Builtin.Int32 { get set }
  @_hasStorage var b: Builtin.Int32 { get set }
  deinit
}
sil_global @sum : $Builtin.Int32
sil [ossa] @pair_deinit : $@convention(method) (@owned Pair) -> () {
bb0(%0 : @owned $Pair):
  %1 = global_addr @sum : $*Builtin.Int32
  %2 = integer_literal $Builtin.Int32, 5
  store %2 to [trivial] %1 : $*Builtin.Int32
  dealloc_ref %0 : $Pair
  %5 = tuple ()
  return %5 : $()
}
sil_vtable Pair {
  #Pair.deinit!deallocator: @pair_deinit
}
sil [ossa] @value : $@convention(thin) () -> Builtin.Int32 {
bb0:
  %0 = global_addr @sum : $*Builtin.Int32
  %1 = integer_literal $Builtin.Int32, 0
  store %1 to [trivial] %0 : $*Builtin.Int32
  %3 = alloc_ref $Pair
  %4 = begin_borrow %3 : $Pair
  %5 = ref_element_addr %4 : $Pair, #Pair.a
  store %1 to [trivial] %5 : $*Builtin.Int32
SECOND
  end_borrow %4 : $Pair
  destroy_value %3 : $Pair
  %9 = load [trivial] %0 : $*Builtin.Int32
  return %9 : $Builtin.Int32
}
";
    let second = "  %8 = ref_element_addr %4 : $Pair, #Pair.b\n  store %1 to [trivial] %8 : $*Builtin.Int32";
    assert_eq!(run_raw(&program.replace("SECOND", "")), Stop::Exit(0));
    assert_eq!(run_raw(&program.replace("SECOND", second)), Stop::Exit(5));
}

#[test]
fn a_box_destroys_what_is_left_in_it() {
    let statements = "
  %1 = apply %90() : $@convention(thin) () -> @owned Token
  %2 = alloc_box ${ var Both }
  %3 = project_box %2 : ${ var Both }, 0
  %4 = struct $Both (%0 : $Token, %1 : $Token)
  store %4 to [init] %3 : $*Both
  %6 = struct_element_addr %3 : $*Both, #Both.first
  %7 = load [copy] %6 : $*Token
  %8 = apply %92(%7) : $@convention(thin) (@owned Token) -> ()
  destroy_value %2 : ${ var Both }
";
    let declared = "
struct Both : ~Copyable {
  @_hasStorage var first: Token { get set }
  @_hasStorage var second: Token { get set }
}
";
    assert_eq!(deinits_with(declared, statements), Stop::Exit(2));
}

#[test]
fn a_closure_that_a_branch_passes_on_lives_to_the_end_of_the_function() {
    let declared = "
sil [ossa] @body : $@convention(thin) (@guaranteed { var Builtin.Int32 }) -> Builtin.Int32 {
bb0(%0 : @guaranteed ${ var Builtin.Int32 }):
  %1 = project_box %0 : ${ var Builtin.Int32 }, 0
  %2 = load [trivial] %1 : $*Builtin.Int32
  return %2 : $Builtin.Int32
}
sil [ossa] @call : $@convention(thin) (@guaranteed @noescape @callee_guaranteed () -> Builtin.Int32) -> Builtin.Int32 {
bb0(%0 : @guaranteed $@noescape @callee_guaranteed () -> Builtin.Int32):
  %1 = apply %0() : $@noescape @callee_guaranteed () -> Builtin.Int32
  return %1 : $Builtin.Int32
}
sil [ossa] @value : $@convention(thin) () -> Builtin.Int32 {
bb0:
  %0 = integer_literal $Builtin.Int1, -1
  cond_br %0, bb1, bb2
bb1:
  %2 = alloc_box ${ var Builtin.Int32 }
  %3 = project_box %2 : ${ var Builtin.Int32 }, 0
  %4 = integer_literal $Builtin.Int32, 5
  store %4 to [trivial] %3 : $*Builtin.Int32
  %6 = function_ref @body : $@convention(thin) (@guaranteed { var Builtin.Int32 }) -> Builtin.Int32
  %7 = partial_apply [callee_guaranteed] %6(%2) : $@convention(thin) (@guaranteed { var Builtin.Int32 }) -> Builtin.Int32
  %8 = convert_escape_to_noescape [not_guaranteed] %7 : $@callee_guaranteed () -> Builtin.Int32 to $@noescape @callee_guaranteed () -> Builtin.Int32
  destroy_value %7 : $@callee_guaranteed () -> Builtin.Int32
  br bb3(%8 : $@noescape @callee_guaranteed () -> Builtin.Int32)
bb2:
  unreachable
bb3(%11 : @owned $@noescape @callee_guaranteed () -> Builtin.Int32):
  %12 = function_ref @call : $@convention(thin) (@guaranteed @noescape @callee_guaranteed () -> Builtin.Int32) -> Builtin.Int32
  %13 = apply %12(%11) : $@convention(thin) (@guaranteed @noescape @callee_guaranteed () -> Builtin.Int32) -> Builtin.Int32
  destroy_value %11 : $@noescape @callee_guaranteed () -> Builtin.Int32
  return %13 : $Builtin.Int32
}
";
    let options = RunOptions { leaks: true, ..RunOptions::default() };
    let outcome = common::outcome_of_raw(declared, options);
    assert_eq!(outcome.stop, Stop::Exit(5));
    assert!(outcome.leaks.is_empty(), "{:?}", outcome.leaks);
}

#[test]
fn the_default_of_a_switch_takes_the_payload_of_its_only_case() {
    let declared = "
class C {}
struct P {
  @_hasStorage var a: C { get }
  @_hasStorage var b: C { get }
}
enum E {
  case none
  case one(C)
  case two(P)
}
sil [ossa] @value : $@convention(thin) () -> Builtin.Int32 {
bb0:
  %0 = alloc_ref $C
  %1 = alloc_ref $C
  %2 = struct $P (%0 : $C, %1 : $C)
  %3 = enum $E, #E.two!enumelt, %2 : $P
  switch_enum %3 : $E, case #E.none!enumelt: bb1, case #E.one!enumelt: bb2, default bb3
bb1:
  unreachable
bb2(%6 : @owned $C):
  unreachable
bb3(%8 : @owned $P):
  destroy_value %8 : $P
  %10 = integer_literal $Builtin.Int32, 5
  return %10 : $Builtin.Int32
}
";
    let options = RunOptions { leaks: true, ..RunOptions::default() };
    let outcome = common::outcome_of_raw(declared, options);
    assert_eq!(outcome.stop, Stop::Exit(5));
    assert!(outcome.leaks.is_empty(), "{:?}", outcome.leaks);
}
