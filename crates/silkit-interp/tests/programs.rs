//! Small programs, each with the exit code that it has where it is executed rightly.

use silkit_interp::{Interp, LinkedModule, Options, Program, Recorder, Stop};
use std::rc::Rc;
use std::sync::Arc;

const PRELUDE: &str = "
sil_stage canonical
import Builtin
struct Int32 { @_hasStorage var _value: Builtin.Int32 { get set } }
";

/// Runs a program whose `main` returns a value of `Builtin.Int32` from `value`.
fn run(text: &str) -> Stop {
    let main = "
sil @main : $@convention(c) () -> Int32 {
bb0:
  %0 = function_ref @value : $@convention(thin) () -> Builtin.Int32
  %1 = apply %0() : $@convention(thin) () -> Builtin.Int32
  %2 = struct $Int32 (%1 : $Builtin.Int32)
  return %2 : $Int32
}
";
    let parsed = silkit_text::parse_module(&format!("{PRELUDE}{text}{main}"));
    assert!(parsed.errors.is_empty(), "{:?}", parsed.errors);
    let program = Program::link(vec![Arc::new(LinkedModule::new("main", parsed.module))]);
    let mut host = Recorder::default();
    Interp::new(Rc::new(program), Options::default(), &mut host).run_program("main").stop
}

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
