//! Small programs, each with the exit code that it has where it is executed rightly.

mod common;

use common::run;
use silkit_interp::Stop;

#[test]
fn a_method_is_found_by_the_one_that_it_overrides() {
    let classes = "
class Base { func number() -> Builtin.Int32 }
class Derived : Base { override func number() -> Builtin.Int32 }
sil @base : $@convention(method) (@guaranteed Base) -> Builtin.Int32 {
bb0(%0 : $Base):
  %1 = integer_literal $Builtin.Int32, 1
  return %1 : $Builtin.Int32
}
sil @derived : $@convention(method) (@guaranteed Derived) -> Builtin.Int32 {
bb0(%0 : $Derived):
  %1 = integer_literal $Builtin.Int32, 2
  return %1 : $Builtin.Int32
}
sil @derived_deinit : $@convention(method) (@owned Derived) -> () {
bb0(%0 : $Derived):
  dealloc_ref %0 : $Derived
  %2 = tuple ()
  return %2 : $()
}
sil_vtable Base { #Base.number: (Base) -> () -> Builtin.Int32 : @base }
sil_vtable Derived {
  #Base.number: (Base) -> () -> Builtin.Int32 : @derived [override]
  #Derived.deinit!deallocator: @derived_deinit
}
";
    let value = "
sil @value : $@convention(thin) () -> Builtin.Int32 {
bb0:
  %0 = alloc_ref $Derived
  %1 = class_method %0 : $Derived, #Derived.number : (Derived) -> () -> Builtin.Int32, $@convention(method) (@guaranteed Derived) -> Builtin.Int32
  %2 = apply %1(%0) : $@convention(method) (@guaranteed Derived) -> Builtin.Int32
  strong_release %0 : $Derived
  return %2 : $Builtin.Int32
}
";
    assert_eq!(run(&format!("{classes}{value}")), Stop::Exit(2));
}

#[test]
fn frames_grow_while_coroutines_wait() {
    let coroutines = "
sil @inner : $@yield_once @convention(thin) (Builtin.Int32) -> @yields Builtin.Int32 {
bb0(%0 : $Builtin.Int32):
  yield %0 : $Builtin.Int32, resume bb1, unwind bb2
bb1:
  %2 = tuple ()
  return %2 : $()
bb2:
  unwind
}
sil @outer : $@yield_once @convention(thin) (Builtin.Int32) -> @yields Builtin.Int32 {
bb0(%0 : $Builtin.Int32):
  %1 = function_ref @inner : $@yield_once @convention(thin) (Builtin.Int32) -> @yields Builtin.Int32
  (%2, %3) = begin_apply %1(%0) : $@yield_once @convention(thin) (Builtin.Int32) -> @yields Builtin.Int32
  yield %2 : $Builtin.Int32, resume bb1, unwind bb2
bb1:
  end_apply %3 as $()
  %6 = function_ref @check : $@convention(thin) (Builtin.Int32) -> ()
  %7 = apply %6(%0) : $@convention(thin) (Builtin.Int32) -> ()
  %8 = tuple ()
  return %8 : $()
bb2:
  abort_apply %3
  unwind
}
sil @check : $@convention(thin) (Builtin.Int32) -> () {
bb0(%0 : $Builtin.Int32):
  %1 = integer_literal $Builtin.Int32, 7
  %2 = builtin \"cmp_ne_Int32\"(%0 : $Builtin.Int32, %1 : $Builtin.Int32) : $Builtin.Int1
  cond_fail %2 : $Builtin.Int1, \"the value is another one\"
  %4 = tuple ()
  return %4 : $()
}
";
    // The blocks behind the first take places in the frame when they are reached: after the coroutine began.
    let value = "
sil @value : $@convention(thin) () -> Builtin.Int32 {
bb0:
  %0 = integer_literal $Builtin.Int32, 7
  %1 = function_ref @outer : $@yield_once @convention(thin) (Builtin.Int32) -> @yields Builtin.Int32
  (%2, %3) = begin_apply %1(%0) : $@yield_once @convention(thin) (Builtin.Int32) -> @yields Builtin.Int32
  br bb1
bb1:
  %5 = integer_literal $Builtin.Int64, -1
  %6 = integer_literal $Builtin.Int64, -1
  %7 = tuple (%5 : $Builtin.Int64, %6 : $Builtin.Int64)
  %8 = tuple (%7 : $(Builtin.Int64, Builtin.Int64), %7 : $(Builtin.Int64, Builtin.Int64))
  %9 = tuple (%8 : $((Builtin.Int64, Builtin.Int64), (Builtin.Int64, Builtin.Int64)), %8 : $((Builtin.Int64, Builtin.Int64), (Builtin.Int64, Builtin.Int64)))
  br bb2
bb2:
  end_apply %3 as $()
  return %2 : $Builtin.Int32
}
";
    assert_eq!(run(&format!("{coroutines}{value}")), Stop::Exit(7));
}

#[test]
fn unowned_references_may_be_nil() {
    let value = "
class C {}
enum Maybe { case none
  case some(C) }
sil @value : $@convention(thin) () -> Builtin.Int32 {
bb0:
  %0 = integer_literal $Builtin.Word, 0
  %1 = builtin \"inttoptr_Word\"(%0 : $Builtin.Word) : $Builtin.RawPointer
  %2 = raw_pointer_to_ref %1 : $Builtin.RawPointer to $C
  %3 = ref_to_unowned %2 : $C to $@sil_unowned C
  unowned_retain %3 : $@sil_unowned C
  unowned_release %3 : $@sil_unowned C
  %6 = integer_literal $Builtin.Int32, 3
  return %6 : $Builtin.Int32
}
";
    assert_eq!(run(value), Stop::Exit(3));
}

#[test]
fn observation_has_a_variable_of_the_thread() {
    let value = "
sil @_swift_observation_tls_get : $@convention(thin) () -> Builtin.Int64
sil @_swift_observation_tls_set : $@convention(thin) (Builtin.Int64) -> ()
sil @_swift_observation_lock_size : $@convention(thin) () -> Builtin.Int64
sil @value : $@convention(thin) () -> Builtin.Int32 {
bb0:
  %0 = integer_literal $Builtin.Int64, 34
  %1 = function_ref @_swift_observation_tls_set : $@convention(thin) (Builtin.Int64) -> ()
  %2 = apply %1(%0) : $@convention(thin) (Builtin.Int64) -> ()
  %3 = function_ref @_swift_observation_tls_get : $@convention(thin) () -> Builtin.Int64
  %4 = apply %3() : $@convention(thin) () -> Builtin.Int64
  %5 = function_ref @_swift_observation_lock_size : $@convention(thin) () -> Builtin.Int64
  %6 = apply %5() : $@convention(thin) () -> Builtin.Int64
  %7 = builtin \"add_Int64\"(%4 : $Builtin.Int64, %6 : $Builtin.Int64) : $Builtin.Int64
  %8 = builtin \"truncOrBitCast_Int64_Int32\"(%7 : $Builtin.Int64) : $Builtin.Int32
  return %8 : $Builtin.Int32
}
";
    assert_eq!(run(value), Stop::Exit(42));
}

#[test]
fn integers_are_read_from_c_strings() {
    let value = "
sil @atoi : $@convention(c) (Builtin.RawPointer) -> Int32
sil @value : $@convention(thin) () -> Builtin.Int32 {
bb0:
  %0 = string_literal utf8 \"  +42 apples\"
  %1 = function_ref @atoi : $@convention(c) (Builtin.RawPointer) -> Int32
  %2 = apply %1(%0) : $@convention(c) (Builtin.RawPointer) -> Int32
  %3 = struct_extract %2 : $Int32, #Int32._value
  return %3 : $Builtin.Int32
}
";
    assert_eq!(run(value), Stop::Exit(42));
}

#[test]
fn a_partial_object_keeps_what_its_class_destroyed() {
    // The initializer of `Base` destroys its own part before it gives the object back; `Derived` had stored its part before.
    let value = "
class Part {}
sil @part_deinit : $@convention(method) (@owned Part) -> () {
bb0(%0 : $Part):
  dealloc_ref %0 : $Part
  %2 = tuple ()
  return %2 : $()
}
sil_vtable Part {
  #Part.deinit!deallocator: @part_deinit
}
class Base { @_hasStorage var first: Part { get set } }
class Derived : Base { @_hasStorage var second: Part { get set } }
sil_vtable Base {}
sil_vtable Derived {}
sil @value : $@convention(thin) () -> Builtin.Int32 {
bb0:
  %0 = alloc_ref $Derived
  %1 = alloc_ref $Part
  %2 = ref_element_addr %0 : $Derived, #Derived.second
  store %1 to %2 : $*Part
  %4 = alloc_ref $Part
  %5 = upcast %0 : $Derived to $Base
  %6 = ref_element_addr %5 : $Base, #Base.first
  store %4 to %6 : $*Part
  destroy_addr %6 : $*Part
  %9 = metatype $@thick Base.Type
  dealloc_partial_ref %5 : $Base, %9 : $@thick Base.Type
  %11 = integer_literal $Builtin.Int32, 5
  return %11 : $Builtin.Int32
}
";
    assert_eq!(run(value), Stop::Exit(5));
}

#[test]
fn an_override_is_told_from_an_overload_by_its_parameters() {
    let classes = "
class Base { func number(_ n: Builtin.Int32) -> Builtin.Int32 }
class Derived : Base {
  override func number(_ n: Builtin.Int32) -> Builtin.Int32
  func number(_ n: Builtin.Int64) -> Builtin.Int32
}
sil @by_32 : $@convention(method) (Builtin.Int32, @guaranteed Derived) -> Builtin.Int32 {
bb0(%0 : $Builtin.Int32, %1 : $Derived):
  %2 = integer_literal $Builtin.Int32, 32
  return %2 : $Builtin.Int32
}
sil @by_64 : $@convention(method) (Builtin.Int64, @guaranteed Derived) -> Builtin.Int32 {
bb0(%0 : $Builtin.Int64, %1 : $Derived):
  %2 = integer_literal $Builtin.Int32, 64
  return %2 : $Builtin.Int32
}
sil_vtable Derived {
  #Base.number: (Base) -> (Builtin.Int32) -> Builtin.Int32 : @by_32 [override]
  #Derived.number: (Derived) -> (Builtin.Int64) -> Builtin.Int32 : @by_64
}
sil @value : $@convention(thin) () -> Builtin.Int32 {
bb0:
  %0 = alloc_ref $Derived
  %1 = integer_literal $Builtin.Int32, 0
  %2 = class_method %0 : $Derived, #Derived.number : (Derived) -> (Builtin.Int32) -> Builtin.Int32, $@convention(method) (Builtin.Int32, @guaranteed Derived) -> Builtin.Int32
  %3 = apply %2(%1, %0) : $@convention(method) (Builtin.Int32, @guaranteed Derived) -> Builtin.Int32
  return %3 : $Builtin.Int32
}
";
    assert_eq!(run(classes), Stop::Exit(32));
}

#[test]
fn types_that_are_declared_inside_of_functions_are_laid_out_by_their_uses() {
    let program = "
sil @value : $@convention(thin) () -> Builtin.Int32 {
bb0:
  %0 = alloc_stack $Local
  %1 = struct_element_addr %0, #<abstract function>Local.first
  %2 = struct_element_addr %0, #<abstract function>Local.second
  %3 = integer_literal $Builtin.Int8, 40
  store %3 to %1
  %5 = integer_literal $Builtin.Int32, 2
  store %5 to %2
  %7 = load %1
  %8 = load %2
  %9 = builtin \"zextOrBitCast_Int8_Int32\"(%7) : $Builtin.Int32
  %10 = builtin \"add_Int32\"(%9, %8) : $Builtin.Int32
  %11 = builtin \"sizeof\"<Local>() : $Builtin.Word
  %12 = builtin \"truncOrBitCast_Word_Int32\"(%11) : $Builtin.Int32
  %13 = builtin \"add_Int32\"(%10, %12) : $Builtin.Int32
  dealloc_stack %0
  return %13
}
";
    assert_eq!(run(program), Stop::Exit(50));
}

#[test]
fn the_accessors_of_a_local_type_say_the_order_of_its_properties() {
    let program = "
sil @$s4main1fyyF5LocalL_V1aBi8_vg : $@convention(method) (Local) -> Builtin.Int8
sil @$s4main1fyyF5LocalL_V1bBi32_vg : $@convention(method) (Local) -> Builtin.Int32
sil @value : $@convention(thin) () -> Builtin.Int32 {
bb0:
  %0 = alloc_stack $Local
  %1 = struct_element_addr %0, #<abstract function>Local.b
  %2 = struct_element_addr %0, #<abstract function>Local.a
  %3 = address_to_pointer %0 to $Builtin.RawPointer
  %4 = address_to_pointer %1 to $Builtin.RawPointer
  %5 = builtin \"ptrtoint_Int32\"(%3) : $Builtin.Int32
  %6 = builtin \"ptrtoint_Int32\"(%4) : $Builtin.Int32
  %7 = builtin \"sub_Int32\"(%6, %5) : $Builtin.Int32
  dealloc_stack %0
  return %7
}
";
    assert_eq!(run(program), Stop::Exit(4));
    // A second function with a type of this name: SIL does not tell which one is meant.
    let other = "sil @$s4main1gyyF5LocalL_V1aBi8_vg : $@convention(method) (Local) -> Builtin.Int8\n";
    let stop = run(&format!("{other}{program}"));
    assert!(matches!(&stop, Stop::Missing { what, .. } if what.contains("`Local`")), "{stop:?}");
}

#[test]
fn an_opaque_result_that_can_be_replaced_has_the_type_of_its_replacement() {
    let program = "
protocol P { }
struct Small : P { @_hasStorage var x: Builtin.Int8 { get set } }
struct Large : P { @_hasStorage var x: Builtin.Int64 { get set } }
sil [dynamically_replacable] @$s4main1gQryF : $@convention(thin) @substituted <T> () -> @out T for <@_opaqueReturnTypeOf(\"$s4main1gQryF\", 0) __> {
bb0(%0 : $*@_opaqueReturnTypeOf(\"$s4main1gQryF\", 0) __):
  %1 = unchecked_addr_cast %0 to $*Small
  %2 = tuple ()
  return %2
}
REPLACEMENT
sil @value : $@convention(thin) () -> Builtin.Int32 {
bb0:
  %0 = builtin \"sizeof\"<@_opaqueReturnTypeOf(\"$s4main1gQryF\", 0) __>() : $Builtin.Word
  %1 = builtin \"truncOrBitCast_Word_Int32\"(%0) : $Builtin.Int32
  return %1
}
";
    let replacement = "
sil [dynamic_replacement_for \"$s4main1gQryF\"] @$s4main1hQryF : $@convention(thin) @substituted <T> () -> @out T for <@_opaqueReturnTypeOf(\"$s4main1hQryF\", 0) __> {
bb0(%0 : $*@_opaqueReturnTypeOf(\"$s4main1hQryF\", 0) __):
  %1 = unchecked_addr_cast %0 to $*Large
  %2 = tuple ()
  return %2
}
";
    assert_eq!(run(&program.replace("REPLACEMENT", "")), Stop::Exit(1));
    assert_eq!(run(&program.replace("REPLACEMENT", replacement)), Stop::Exit(8));
}

#[test]
fn an_access_without_nested_conflicts_leaves_no_record() {
    let program = "
sil_global @number : $Builtin.Int32
sil @value : $@convention(thin) () -> Builtin.Int32 {
bb0:
  %0 = global_addr @number : $*Builtin.Int32
  %1 = alloc_stack $Builtin.UnsafeValueBuffer
  begin_unpaired_access [read] [dynamic] [no_nested_conflict] %0 : $*Builtin.Int32, %1 : $*Builtin.UnsafeValueBuffer
  dealloc_stack %1 : $*Builtin.UnsafeValueBuffer
  %4 = begin_access [read] [dynamic] %0 : $*Builtin.Int32
  %5 = begin_access [read] [dynamic] [no_nested_conflict] %0 : $*Builtin.Int32
  end_access %5 : $*Builtin.Int32
  end_access %4 : $*Builtin.Int32
  %8 = begin_access [modify] [dynamic] %0 : $*Builtin.Int32
  %9 = integer_literal $Builtin.Int32, 3
  store %9 to %8 : $*Builtin.Int32
  %11 = load %8 : $*Builtin.Int32
  end_access %8 : $*Builtin.Int32
  return %11 : $Builtin.Int32
}
";
    assert_eq!(run(program), Stop::Exit(3));
}

#[test]
fn a_weak_property_of_a_local_type_is_weak() {
    let program = "
class Object { deinit }
enum Optional<T> { case some(T) case none }
sil @object_deinit : $@convention(method) (@owned Object) -> () {
bb0(%0 : $Object):
  dealloc_ref %0
  %2 = tuple ()
  return %2
}
sil_vtable Object {
  #Object.deinit!deallocator: @object_deinit
}
sil @value : $@convention(thin) () -> Builtin.Int32 {
bb0:
  %0 = alloc_stack $Local
  %1 = struct_element_addr %0, #<abstract function>Local.object
  %2 = alloc_ref $Object
  %3 = enum $Optional<Object>, #Optional.some!enumelt, %2
  store_weak %3 to [init] %1
  strong_release %2
  %6 = load_weak %1
  %7 = integer_literal $Builtin.Int32, 1
  %8 = integer_literal $Builtin.Int32, 2
  switch_enum %6, case #Optional.some!enumelt: bb1, case #Optional.none!enumelt: bb2
bb1(%10 : $Object):
  br bb3(%7)
bb2:
  br bb3(%8)
bb3(%13 : $Builtin.Int32):
  dealloc_stack %0
  return %13
}
";
    assert_eq!(run(program), Stop::Exit(2));
}

#[test]
fn a_variable_without_bytes_has_a_null_address() {
    let program = "
sil_global @nothing : $()
sil @value : $@convention(thin) () -> Builtin.Int32 {
bb0:
  %0 = global_addr @nothing : $*()
  %1 = address_to_pointer %0 : $*() to $Builtin.RawPointer
  %2 = builtin \"ptrtoint_Int32\"(%1 : $Builtin.RawPointer) : $Builtin.Int32
  return %2 : $Builtin.Int32
}
";
    assert_eq!(run(program), Stop::Exit(0));
}

#[test]
fn bodies_are_read_when_they_are_first_called() {
    use silkit_interp::{Interp, Program, ProgramModule, RecordingHost, RunOptions};
    use std::rc::Rc;
    use std::sync::{Arc, Mutex};

    let text = "
sil_stage canonical
import Builtin
struct Int32 { @_hasStorage var _value: Builtin.Int32 { get set } }
sil @unused : $@convention(thin) () -> Int32 {
bb0:
  unreachable
}
sil @used : $@convention(thin) () -> Int32 {
bb0:
  %0 = integer_literal $Builtin.Int32, 9
  %1 = struct $Int32 (%0)
  return %1
}
sil @main : $@convention(c) () -> Int32 {
bb0:
  %0 = function_ref @used : $@convention(thin) () -> Int32
  %1 = apply %0() : $@convention(thin) () -> Int32
  return %1
}
";
    let whole = silkit_text::parse_module(text).module;
    let mut headers = whole.clone();
    for function in headers.functions.values_mut() {
        function.body = Some(silkit_ir::Body::new());
    }
    let asked = Arc::new(Mutex::new(Vec::new()));
    let noted = asked.clone();
    let read = move |id| {
        let function: &silkit_ir::Function = &whole.functions[id];
        noted.lock().expect("one thread").push(function.name.to_string());
        Some(function.clone())
    };
    let library = ProgramModule::with_bodies("main", headers, Box::new(read));
    let program = Program::link(vec![Arc::new(library)]);
    let mut host = RecordingHost::default();
    let stop = Interp::new(Rc::new(program), RunOptions::default(), &mut host).run_program("main").stop;
    assert_eq!(stop, Stop::Exit(9));
    assert_eq!(*asked.lock().expect("one thread"), ["main", "used"]);
}

#[test]
fn a_method_of_an_opened_type_is_called_in_a_later_block() {
    let program = "
protocol P { func number() -> Builtin.Int32 }
struct S : P { }
sil @number : $@convention(witness_method: P) (@in_guaranteed S) -> Builtin.Int32 {
bb0(%0 : $*S):
  %1 = integer_literal $Builtin.Int32, 11
  return %1 : $Builtin.Int32
}
sil_witness_table S: P module Swift {
  method #P.number: <Self where Self : P> (Self) -> () -> Builtin.Int32 : @number
}
sil @value : $@convention(thin) () -> Builtin.Int32 {
bb0:
  %0 = alloc_stack $any P
  %1 = init_existential_addr %0 : $*any P, $S
  %2 = open_existential_addr immutable_access %0 : $*any P to $*@opened(\"00000000-0000-0000-0000-000000000001\", any P) Self
  %3 = witness_method $@opened(\"00000000-0000-0000-0000-000000000001\", any P) Self, #P.number : <Self where Self : P> (Self) -> () -> Builtin.Int32, %2 : $*@opened(\"00000000-0000-0000-0000-000000000001\", any P) Self : $@convention(witness_method: P) <T where T : P> (@in_guaranteed T) -> Builtin.Int32
  br bb1
bb1:
  %5 = unchecked_addr_cast %0 : $*any P to $*S
  %6 = apply %3<S>(%5) : $@convention(witness_method: P) <T where T : P> (@in_guaranteed T) -> Builtin.Int32
  destroy_addr %0 : $*any P
  dealloc_stack %0 : $*any P
  return %6 : $Builtin.Int32
}
";
    assert_eq!(run(program), Stop::Exit(11));
}

#[test]
fn the_name_of_a_module_comes_from_its_own_functions() {
    let text = "
sil_stage canonical
import Builtin
protocol Sequence { associatedtype Element }
sil hidden @$s4main4openyyF : $@convention(thin) () -> () {
bb0:
  %0 = tuple ()
  return %0
}
sil public_external @$s5Other4openyyF : $@convention(thin) () -> () {
bb0:
  %0 = tuple ()
  return %0
}
sil public_external @$s5Other5closeyyF : $@convention(thin) () -> () {
bb0:
  %0 = tuple ()
  return %0
}
sil shared [reabstraction_thunk] @$s7ElementSTQzIegn_ABIeggn_STRzlTR : $@convention(thin) () -> () {
bb0:
  %0 = tuple ()
  return %0
}
";
    let parsed = silkit_text::parse_module(text);
    assert!(parsed.errors.is_empty(), "{:?}", parsed.errors);
    assert_eq!(silkit_interp::ProgramModule::guess_name(&parsed.module).as_deref(), Some("main"));
}

#[test]
fn overloads_of_c_functions_for_float_call_the_c_function() {
    let call = |symbol: &str, args: &str, types: &str| {
        run(&format!(
            "
struct Float {{ @_hasStorage var _value: Builtin.FPIEEE32 {{ get set }} }}
sil @{symbol} : $@convention(thin) ({types}) -> Float
sil @value : $@convention(thin) () -> Builtin.Int32 {{
bb0:
  %0 = float_literal $Builtin.FPIEEE32, 0x40400000
  %1 = struct $Float (%0)
  %2 = float_literal $Builtin.FPIEEE32, 0x40800000
  %3 = struct $Float (%2)
  %4 = function_ref @{symbol} : $@convention(thin) ({types}) -> Float
  %5 = apply %4({args}) : $@convention(thin) ({types}) -> Float
  %6 = struct_extract %5, #Float._value
  %7 = builtin \"fptosi_FPIEEE32_Int32\"(%6) : $Builtin.Int32
  return %7
}}
"
        ))
    };
    assert_eq!(call("$s5Glibc4exp2yS2fF", "%1", "Float"), Stop::Exit(8));
    assert_eq!(call("$s5Glibc5hypotyS2f_SftF", "%1, %3", "Float, Float"), Stop::Exit(5));
}

#[test]
fn the_remainder_of_a_division_by_zero_is_a_negative_nan() {
    let sign = |divisor: &str| {
        run(&format!(
            "
struct Double {{ @_hasStorage var _value: Builtin.FPIEEE64 {{ get set }} }}
sil @_stdlib_remainder : $@convention(c) (Double, Double) -> Double
sil @value : $@convention(thin) () -> Builtin.Int32 {{
bb0:
  %0 = float_literal $Builtin.FPIEEE64, 0x4014000000000000
  %1 = struct $Double (%0)
  %2 = float_literal $Builtin.FPIEEE64, {divisor}
  %3 = struct $Double (%2)
  %4 = function_ref @_stdlib_remainder : $@convention(c) (Double, Double) -> Double
  %5 = apply %4(%1, %3) : $@convention(c) (Double, Double) -> Double
  %6 = struct_extract %5, #Double._value
  %7 = builtin \"bitcast_FPIEEE64_Int64\"(%6) : $Builtin.Int64
  %8 = integer_literal $Builtin.Int64, 63
  %9 = builtin \"lshr_Int64\"(%7, %8) : $Builtin.Int64
  %10 = builtin \"truncOrBitCast_Int64_Int32\"(%9) : $Builtin.Int32
  return %10
}}
"
        ))
    };
    assert_eq!(sign("0x0"), Stop::Exit(1));
    // A NaN keeps its sign.
    assert_eq!(sign("0x7FF8000000000000"), Stop::Exit(0));
}
