//! Raw SIL: moves that happen on some ways only, of parts, by `consume`, and what init accessors initialize.

mod common;

use silkit_interp::Stop;

/// A type that cannot be copied, whose deinit adds its value to a global, a class that does so, and functions.
const DECLARED: &str = "
struct Token : ~Copyable {
  @_hasStorage let value: Builtin.Int32 { get }
  deinit
}
struct Both : ~Copyable {
  @_hasStorage var first: Token { get set }
  @_hasStorage var second: Token { get set }
}
class Object { deinit }
sil_global @sum : $Builtin.Int32
sil [ossa] @add : $@convention(thin) (Builtin.Int32) -> () {
bb0(%0 : $Builtin.Int32):
  %1 = global_addr @sum : $*Builtin.Int32
  %2 = load [trivial] %1 : $*Builtin.Int32
  %3 = builtin \"add_Int32\"(%2 : $Builtin.Int32, %0 : $Builtin.Int32) : $Builtin.Int32
  store %3 to [trivial] %1 : $*Builtin.Int32
  %5 = tuple ()
  return %5 : $()
}
sil [ossa] @token_deinit : $@convention(method) (@owned Token) -> () {
bb0(%0 : @owned $Token):
  %1 = drop_deinit %0 : $Token
  %2 = destructure_struct %1 : $Token
  %3 = function_ref @add : $@convention(thin) (Builtin.Int32) -> ()
  %4 = apply %3(%2) : $@convention(thin) (Builtin.Int32) -> ()
  %5 = tuple ()
  return %5 : $()
}
sil_moveonlydeinit Token { @token_deinit }
sil @object_deinit : $@convention(method) (@owned Object) -> () {
bb0(%0 : $Object):
  %1 = integer_literal $Builtin.Int32, 1
  %2 = function_ref @add : $@convention(thin) (Builtin.Int32) -> ()
  %3 = apply %2(%1) : $@convention(thin) (Builtin.Int32) -> ()
  dealloc_ref %0 : $Object
  %5 = tuple ()
  return %5 : $()
}
sil_vtable Object { #Object.deinit!deallocator: @object_deinit }
sil [ossa] @eat : $@convention(thin) (@owned Token) -> () {
bb0(%0 : @owned $Token):
  destroy_value %0 : $Token
  %2 = tuple ()
  return %2 : $()
}
sil [ossa] @times_ten : $@convention(thin) () -> () {
bb0:
  %0 = global_addr @sum : $*Builtin.Int32
  %1 = load [trivial] %0 : $*Builtin.Int32
  %2 = integer_literal $Builtin.Int32, 10
  %3 = builtin \"mul_Int32\"(%1 : $Builtin.Int32, %2 : $Builtin.Int32) : $Builtin.Int32
  store %3 to [trivial] %0 : $*Builtin.Int32
  %5 = tuple ()
  return %5 : $()
}
";

/// Returns the global, 0 at first, after statements on a token `%0` of value 1.
fn sum_after(declared: &str, statements: &str) -> Stop {
    common::sum_after(
        &format!("{DECLARED}{declared}"),
        &format!(
            "\
  %90 = function_ref @times_ten : $@convention(thin) () -> ()
  %91 = function_ref @eat : $@convention(thin) (@owned Token) -> ()
  %92 = integer_literal $Builtin.Int32, 1
{statements}"
        ),
    )
}

#[test]
fn what_one_way_moves_the_other_destroys_before_they_meet() {
    for condition in [0, -1] {
        let statements = format!(
            "
  %0 = struct $Token (%92 : $Builtin.Int32)
  %1 = alloc_box ${{ let Token }}, let, name \"d\"
  %2 = begin_borrow [lexical] [var_decl] %1 : ${{ let Token }}
  %3 = project_box %2 : ${{ let Token }}, 0
  store %0 to [init] %3 : $*Token
  %5 = integer_literal $Builtin.Int1, {condition}
  cond_br %5, bb1, bb2
bb1:
  %7 = mark_unresolved_non_copyable_value [no_consume_or_assign] %3 : $*Token
  %8 = load [copy] %7 : $*Token
  %9 = apply %91(%8) : $@convention(thin) (@owned Token) -> ()
  br bb3
bb2:
  br bb3
bb3:
  %12 = apply %90() : $@convention(thin) () -> ()
  end_borrow %2 : ${{ let Token }}
  destroy_value %1 : ${{ let Token }}
"
        );
        assert_eq!(sum_after("", &statements), Stop::Exit(10), "{condition}");
    }
}

#[test]
fn a_consumed_value_that_is_discarded_is_destroyed_there() {
    let boxed = "
  %0 = struct $Token (%92 : $Builtin.Int32)
  %1 = alloc_box ${ let Token }, let, name \"d\"
  %2 = begin_borrow [lexical] [var_decl] %1 : ${ let Token }
  %3 = project_box %2 : ${ let Token }, 0
  store %0 to [init] %3 : $*Token
  %5 = mark_unresolved_non_copyable_value [no_consume_or_assign] %3 : $*Token
";
    let in_memory = [
        boxed,
        "  %6 = load [copy] %5 : $*Token
  %7 = move_value [allows_diagnostics] %6 : $Token
  %8 = mark_unresolved_non_copyable_value [consumable_and_assignable] %7 : $Token
  destroy_value %8 : $Token
  %10 = apply %90() : $@convention(thin) () -> ()
  end_borrow %2 : ${ let Token }
  destroy_value %1 : ${ let Token }
",
    ]
    .concat();
    let as_value = "
  %0 = struct $Token (%92 : $Builtin.Int32)
  %1 = mark_unresolved_non_copyable_value [consumable_and_assignable] %0 : $Token
  %2 = copy_value %1 : $Token
  %3 = move_value [allows_diagnostics] %2 : $Token
  destroy_value %3 : $Token
  %5 = apply %90() : $@convention(thin) () -> ()
  destroy_value %1 : $Token
";
    let address_only = [
        boxed,
        "  %6 = alloc_stack $Token
  %7 = mark_unresolved_non_copyable_value [consumable_and_assignable] %6 : $*Token
  copy_addr %5 to [init] %7 : $*Token
  destroy_addr %7 : $*Token
  dealloc_stack %6 : $*Token
  %11 = apply %90() : $@convention(thin) () -> ()
  end_borrow %2 : ${ let Token }
  destroy_value %1 : ${ let Token }
",
    ]
    .concat();
    // A copy that is only destroyed is a borrow otherwise.
    let borrowed = as_value.replace("move_value [allows_diagnostics] %2", "move_value %2");
    let borrowed_address =
        address_only.replace("value [consumable_and_assignable] %6", "value [no_consume_or_assign] %6");
    let consumed = [&*in_memory, as_value, &*address_only].map(|statements| (statements, 10));
    for (statements, sum) in consumed.into_iter().chain([(&*borrowed, 1), (&*borrowed_address, 1)]) {
        assert_eq!(sum_after("", statements), Stop::Exit(sum), "{statements}");
    }
}

#[test]
fn consume_ends_a_parameter_that_could_be_copied() {
    for (access, sum) in [("modify", 10), ("read", 1)] {
        for condition in [-1, 0] {
            let statements = format!(
                "
  %0 = alloc_ref $Object
  %1 = alloc_box ${{ var @moveOnly Object }}, var, name \"x\"
  %2 = begin_borrow [var_decl] %1 : ${{ var @moveOnly Object }}
  %3 = project_box %2 : ${{ var @moveOnly Object }}, 0
  %4 = moveonlywrapper_to_copyable_addr %3 : $*@moveOnly Object
  store %0 to [init] %4 : $*Object
  %6 = integer_literal $Builtin.Int1, {condition}
  cond_br %6, bb1, bb2
bb1:
  %8 = begin_access [{access}] [unknown] %3 : $*@moveOnly Object
  %9 = mark_unresolved_non_copyable_value [assignable_but_not_consumable] %8 : $*@moveOnly Object
  %10 = alloc_stack $Object
  %11 = moveonlywrapper_to_copyable_addr %9 : $*@moveOnly Object
  copy_addr %11 to [init] %10 : $*Object
  %13 = load [take] %10 : $*Object
  end_access %8 : $*@moveOnly Object
  destroy_value %13 : $Object
  dealloc_stack %10 : $*Object
  br bb3
bb2:
  br bb3
bb3:
  %19 = apply %90() : $@convention(thin) () -> ()
  end_borrow %2 : ${{ var @moveOnly Object }}
  destroy_value %1 : ${{ var @moveOnly Object }}
"
            );
            assert_eq!(sum_after("", &statements), Stop::Exit(sum), "{access} {condition}");
        }
    }
}

#[test]
fn consume_ends_a_variable_that_could_be_copied() {
    for condition in [0, -1] {
        let statements = format!(
            "
  %0 = alloc_ref $Object
  %1 = move_value [lexical] [var_decl] %0 : $Object
  %5 = integer_literal $Builtin.Int1, {condition}
  cond_br %5, bb1, bb2
bb1:
  %7 = begin_borrow %1 : $Object
  %8 = copy_value %7 : $Object
  %9 = move_value [allows_diagnostics] %8 : $Object
  destroy_value %9 : $Object
  end_borrow %7 : $Object
  br bb3
bb2:
  br bb3
bb3:
  %12 = apply %90() : $@convention(thin) () -> ()
  destroy_value %1 : $Object
"
        );
        assert_eq!(sum_after("", &statements), Stop::Exit(10), "{condition}");
    }
}

#[test]
fn a_part_of_what_is_borrowed_may_be_moved_and_the_rest_looked_at() {
    let statements = "
  %0 = struct $Token (%92 : $Builtin.Int32)
  %1 = integer_literal $Builtin.Int32, 2
  %2 = struct $Token (%1 : $Builtin.Int32)
  %3 = struct $Both (%0 : $Token, %2 : $Token)
  %4 = alloc_box ${ let Both }, let, name \"p\"
  %5 = project_box %4 : ${ let Both }, 0
  store %3 to [init] %5 : $*Both
  %7 = load_borrow %5 : $*Both
  %8 = struct_extract %7 : $Both, #Both.second
  %9 = copy_value %8 : $Token
  %10 = apply %91(%9) : $@convention(thin) (@owned Token) -> ()
  end_borrow %7 : $Both
  %12 = apply %90() : $@convention(thin) () -> ()
  %13 = load_borrow %5 : $*Both
  end_borrow %13 : $Both
  destroy_value %4 : ${ let Both }
";
    assert_eq!(sum_after("", statements), Stop::Exit(21));
}

#[test]
fn the_payload_that_is_taken_out_of_a_copy_is_moved() {
    let declared = "
enum Maybe : ~Copyable {
  case some(Token)
  case none
}
";
    let statements = "
  %0 = struct $Token (%92 : $Builtin.Int32)
  %1 = enum $Maybe, #Maybe.some!enumelt, %0 : $Token
  %2 = alloc_stack $Maybe
  store %1 to [init] %2 : $*Maybe
  %4 = alloc_stack $Maybe
  copy_addr %2 to [init] %4 : $*Maybe
  %6 = unchecked_take_enum_data_addr %4 : $*Maybe, #Maybe.some!enumelt
  %7 = load [take] %6 : $*Token
  %8 = apply %91(%7) : $@convention(thin) (@owned Token) -> ()
  dealloc_stack %4 : $*Maybe
  destroy_addr %2 : $*Maybe
  dealloc_stack %2 : $*Maybe
";
    assert_eq!(sum_after(declared, statements), Stop::Exit(1));
}

#[test]
fn an_init_accessor_runs_until_all_is_initialized_and_the_setter_then() {
    let declared = "
struct Twice {
  @_hasStorage var stored: Builtin.Int32 { get set }
  @_hasStorage var other: Builtin.Int32 { get set }
  var double: Builtin.Int32 {
    @storageRestrictions(initializes: stored, accesses: other) init
    get
    set
  }
}
sil [ossa] @twice_init : $@convention(thin) (Builtin.Int32, @inout Builtin.Int32) -> @out Builtin.Int32 {
bb0(%0 : $*Builtin.Int32, %1 : $Builtin.Int32, %2 : $*Builtin.Int32):
  %3 = load [trivial] %2 : $*Builtin.Int32
  %4 = builtin \"add_Int32\"(%1 : $Builtin.Int32, %3 : $Builtin.Int32) : $Builtin.Int32
  store %4 to [trivial] %0 : $*Builtin.Int32
  %6 = tuple ()
  return %6 : $()
}
sil [ossa] @twice_set : $@convention(method) (Builtin.Int32, @inout Twice) -> () {
bb0(%0 : $Builtin.Int32, %1 : $*Twice):
  %2 = function_ref @add : $@convention(thin) (Builtin.Int32) -> ()
  %3 = apply %2(%0) : $@convention(thin) (Builtin.Int32) -> ()
  %4 = tuple ()
  return %4 : $()
}
";
    let statements = "
  %0 = alloc_stack $Twice
  %1 = mark_uninitialized [rootself] %0 : $*Twice
  %2 = struct_element_addr %1 : $*Twice, #Twice.other
  %3 = integer_literal $Builtin.Int32, 30
  store %3 to [trivial] %2 : $*Builtin.Int32
  %5 = function_ref @twice_init : $@convention(thin) (Builtin.Int32, @inout Builtin.Int32) -> @out Builtin.Int32
  %6 = partial_apply [callee_guaranteed] [on_stack] %5() : $@convention(thin) (Builtin.Int32, @inout Builtin.Int32) -> @out Builtin.Int32
  %7 = function_ref @twice_set : $@convention(method) (Builtin.Int32, @inout Twice) -> ()
  %8 = begin_access [modify] [unknown] %1 : $*Twice
  %9 = partial_apply [callee_guaranteed] [on_stack] %7(%8) : $@convention(method) (Builtin.Int32, @inout Twice) -> ()
  assign_or_init #Twice.double, self %8 : $*Twice, value %92 : $Builtin.Int32, init %6 : $@noescape @callee_guaranteed (Builtin.Int32, @inout Builtin.Int32) -> @out Builtin.Int32, set %9 : $@noescape @callee_guaranteed (Builtin.Int32) -> ()
  %11 = integer_literal $Builtin.Int32, 5
  assign_or_init #Twice.double, self %8 : $*Twice, value %11 : $Builtin.Int32, init %6 : $@noescape @callee_guaranteed (Builtin.Int32, @inout Builtin.Int32) -> @out Builtin.Int32, set %9 : $@noescape @callee_guaranteed (Builtin.Int32) -> ()
  end_access %8 : $*Twice
  destroy_value %9 : $@noescape @callee_guaranteed (Builtin.Int32) -> ()
  destroy_value %6 : $@noescape @callee_guaranteed (Builtin.Int32, @inout Builtin.Int32) -> @out Builtin.Int32
  %16 = struct_element_addr %1 : $*Twice, #Twice.stored
  %17 = load [trivial] %16 : $*Builtin.Int32
  %18 = function_ref @add : $@convention(thin) (Builtin.Int32) -> ()
  %19 = apply %18(%17) : $@convention(thin) (Builtin.Int32) -> ()
  dealloc_stack %0 : $*Twice
";
    assert_eq!(sum_after(declared, statements), Stop::Exit(36));
}

#[test]
fn a_closure_that_does_not_escape_borrows_what_it_captures() {
    let declared = "
sil [ossa] @look_at : $@convention(thin) (@in_guaranteed Token) -> () {
bb0(%0 : $*Token):
  %1 = tuple ()
  return %1 : $()
}
sil [ossa] @look : $@convention(thin) (@guaranteed Token) -> () {
bb0(%0 : @guaranteed $Token):
  %1 = tuple ()
  return %1 : $()
}
sil [ossa] @call : $@convention(thin) (@guaranteed @noescape @callee_guaranteed () -> ()) -> () {
bb0(%0 : @guaranteed $@noescape @callee_guaranteed () -> ()):
  %1 = apply %0() : $@noescape @callee_guaranteed () -> ()
  return %1 : $()
}
";
    let called = "
  %20 = convert_escape_to_noescape [not_guaranteed] %10 : $@callee_guaranteed () -> () to $@noescape @callee_guaranteed () -> ()
  %21 = function_ref @call : $@convention(thin) (@guaranteed @noescape @callee_guaranteed () -> ()) -> ()
  %22 = apply %21(%20) : $@convention(thin) (@guaranteed @noescape @callee_guaranteed () -> ()) -> ()
  destroy_value %20 : $@noescape @callee_guaranteed () -> ()
  destroy_value %10 : $@callee_guaranteed () -> ()";
    let by_address = format!(
        "
  %0 = struct $Token (%92 : $Builtin.Int32)
  %1 = alloc_stack $Token
  store %0 to [init] %1 : $*Token
  %3 = alloc_stack $Token
  copy_addr %1 to [init] %3 : $*Token
  %5 = function_ref @look_at : $@convention(thin) (@in_guaranteed Token) -> ()
  %10 = partial_apply [callee_guaranteed] %5(%3) : $@convention(thin) (@in_guaranteed Token) -> ()
{called}
  dealloc_stack %3 : $*Token
  %24 = apply %90() : $@convention(thin) () -> ()
  destroy_addr %1 : $*Token
  dealloc_stack %1 : $*Token
"
    );
    assert_eq!(sum_after(declared, &by_address), Stop::Exit(1));
    let as_value = format!(
        "
  %0 = struct $Token (%92 : $Builtin.Int32)
  %1 = mark_unresolved_non_copyable_value [consumable_and_assignable] %0 : $Token
  %2 = copy_value %1 : $Token
  %5 = function_ref @look : $@convention(thin) (@guaranteed Token) -> ()
  %10 = partial_apply [callee_guaranteed] %5(%2) : $@convention(thin) (@guaranteed Token) -> ()
{called}
  %24 = apply %90() : $@convention(thin) () -> ()
  destroy_value %1 : $Token
"
    );
    assert_eq!(sum_after(declared, &as_value), Stop::Exit(1));
}

#[test]
fn a_value_without_bytes_is_moved_out_of_memory_too() {
    let declared = "
struct Empty : ~Copyable { deinit }
sil [ossa] @empty_deinit : $@convention(method) (@owned Empty) -> () {
bb0(%0 : @owned $Empty):
  %1 = drop_deinit %0 : $Empty
  destroy_value %1 : $Empty
  %3 = integer_literal $Builtin.Int32, 1
  %4 = function_ref @add : $@convention(thin) (Builtin.Int32) -> ()
  %5 = apply %4(%3) : $@convention(thin) (Builtin.Int32) -> ()
  %6 = tuple ()
  return %6 : $()
}
sil_moveonlydeinit Empty { @empty_deinit }
sil [ossa] @new : $@convention(thin) () -> @owned Empty {
bb0:
  %0 = alloc_box ${ var Empty }
  %1 = mark_uninitialized [rootself] %0 : ${ var Empty }
  %2 = project_box %1 : ${ var Empty }, 0
  %3 = struct $Empty ()
  store %3 to [init] %2 : $*Empty
  %5 = mark_unresolved_non_copyable_value [assignable_but_not_consumable] %2 : $*Empty
  %6 = load [copy] %5 : $*Empty
  destroy_value %1 : ${ var Empty }
  return %6 : $Empty
}
sil [ossa] @eat_empty : $@convention(thin) (@owned Empty) -> () {
bb0(%0 : @owned $Empty):
  destroy_value %0 : $Empty
  %2 = tuple ()
  return %2 : $()
}
";
    let made = "
  %0 = function_ref @new : $@convention(thin) () -> @owned Empty
  %1 = apply %0() : $@convention(thin) () -> @owned Empty
  %2 = alloc_stack $Empty
  %3 = mark_unresolved_non_copyable_value [consumable_and_assignable] %2 : $*Empty
  store %1 to [init] %3 : $*Empty
";
    let end = "
  %10 = apply %90() : $@convention(thin) () -> ()
  destroy_addr %3 : $*Empty
  dealloc_stack %2 : $*Empty
";
    let moved = "
  %5 = load [copy] %3 : $*Empty
  %6 = function_ref @eat_empty : $@convention(thin) (@owned Empty) -> ()
  %7 = apply %6(%5) : $@convention(thin) (@owned Empty) -> ()
";
    let assigned = "
  %8 = apply %0() : $@convention(thin) () -> @owned Empty
  assign %8 to %3 : $*Empty
";
    let after = |between: &str| sum_after(declared, &format!("{made}{between}{end}"));
    assert_eq!(after(""), Stop::Exit(1));
    assert_eq!(after(moved), Stop::Exit(10));
    assert_eq!(after(assigned), Stop::Exit(11));
    assert_eq!(after(&format!("{moved}{assigned}")), Stop::Exit(11));
}

#[test]
fn memory_of_raw_layout_is_initialized_when_it_is_zeroed() {
    let declared = "
@_rawLayout(size: 16, alignment: 16) struct Cell : ~Copyable { deinit }
sil [ossa] @cell_deinit : $@convention(method) (@in Cell) -> () {
bb0(%0 : $*Cell):
  %1 = integer_literal $Builtin.Int32, 1
  %2 = function_ref @add : $@convention(thin) (Builtin.Int32) -> ()
  %3 = apply %2(%1) : $@convention(thin) (Builtin.Int32) -> ()
  %4 = tuple ()
  return %4 : $()
}
sil_moveonlydeinit Cell { @cell_deinit }
";
    let statements = |zeroes: &str| {
        format!(
            "
  %0 = alloc_box ${{ var Cell }}
  %1 = project_box %0 : ${{ var Cell }}, 0
  {zeroes}
  %3 = apply %90() : $@convention(thin) () -> ()
  destroy_value %0 : ${{ var Cell }}
"
        )
    };
    let zeroes = "%2 = builtin \"zeroInitializer\"(%1 : $*Cell) : $()";
    assert_eq!(sum_after(declared, &statements(zeroes)), Stop::Exit(1));
    assert_eq!(sum_after(declared, &statements("")), Stop::Exit(0));
}

#[test]
fn a_temporary_lives_as_long_as_the_result_that_depends_on_it() {
    let declared = "
struct View : ~Escapable { @_hasStorage let bits: Builtin.Int8 { get } }
sil [ossa] @view : $@convention(thin) (@guaranteed Object) -> @lifetime(borrow 0) @owned View
{
bb0(%0 : @guaranteed $Object):
  %1 = integer_literal $Builtin.Int8, 1
  %2 = struct $View (%1 : $Builtin.Int8)
  return %2 : $View
}
sil [ossa] @part : $@convention(thin) (@guaranteed View) -> @lifetime(copy 0) @owned View
{
bb0(%0 : @guaranteed $View):
  %1 = copy_value %0 : $View
  return %1 : $View
}
";
    let made = "
  %0 = alloc_ref $Object
  %1 = begin_borrow %0 : $Object
  %2 = function_ref @view : $@convention(thin) (@guaranteed Object) -> @lifetime(borrow 0) @owned View
  %3 = apply %2(%1) : $@convention(thin) (@guaranteed Object) -> @lifetime(borrow 0) @owned View
  end_borrow %1 : $Object
  destroy_value %0 : $Object";
    let used = "
  %10 = apply %90() : $@convention(thin) () -> ()
  destroy_value %3 : $View
";
    assert_eq!(sum_after(declared, &format!("{made}{used}")), Stop::Exit(1));
    let part_used = "
  %4 = function_ref @part : $@convention(thin) (@guaranteed View) -> @lifetime(copy 0) @owned View
  %5 = apply %4(%3) : $@convention(thin) (@guaranteed View) -> @lifetime(copy 0) @owned View
  destroy_value %3 : $View
  %10 = apply %90() : $@convention(thin) () -> ()
  destroy_value %5 : $View
";
    assert_eq!(sum_after(declared, &format!("{made}{part_used}")), Stop::Exit(1));
}
