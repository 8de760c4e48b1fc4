//! Types that are known when the program runs: `Self` of a class, and elements of packs.

mod common;

use common::run;
use silkit_interp::Stop;

#[test]
fn self_is_the_type_of_the_instance_where_it_is_an_argument() {
    let program = "
class Base { class func number() -> Builtin.Int32 }
class Derived : Base { override class func number() -> Builtin.Int32 }
sil @base : $@convention(method) (@thick Base.Type) -> Builtin.Int32 {
bb0(%0 : $@thick Base.Type):
  %1 = integer_literal $Builtin.Int32, 1
  return %1 : $Builtin.Int32
}
sil @derived : $@convention(method) (@thick Derived.Type) -> Builtin.Int32 {
bb0(%0 : $@thick Derived.Type):
  %1 = integer_literal $Builtin.Int32, 2
  return %1 : $Builtin.Int32
}
sil @dealloc : $@convention(method) (@owned Base) -> () {
bb0(%0 : $Base):
  dealloc_ref %0 : $Base
  %2 = tuple ()
  return %2 : $()
}
sil_vtable Base {
  #Base.number: (Base.Type) -> () -> Builtin.Int32 : @base
  #Base.deinit!deallocator: @dealloc
}
sil_vtable Derived {
  #Base.number: (Base.Type) -> () -> Builtin.Int32 : @derived [override]
  #Derived.deinit!deallocator: @dealloc
}
sil @of_type : $@convention(thin) <T where T : Base> () -> Builtin.Int32 {
bb0:
  %0 = metatype $@thick T.Type
  %1 = upcast %0 : $@thick T.Type to $@thick Base.Type
  %2 = class_method %1 : $@thick Base.Type, #Base.number : (Base.Type) -> () -> Builtin.Int32, $@convention(method) (@thick Base.Type) -> Builtin.Int32
  %3 = apply %2(%1) : $@convention(method) (@thick Base.Type) -> Builtin.Int32
  return %3 : $Builtin.Int32
}
sil @of_self : $@convention(method) (@guaranteed Base) -> Builtin.Int32 {
bb0(%0 : $Base):
  %1 = function_ref @of_type : $@convention(thin) <τ_0_0 where τ_0_0 : Base> () -> Builtin.Int32
  br bb1
bb1:
  %3 = apply %1<@dynamic_self Base>() : $@convention(thin) <τ_0_0 where τ_0_0 : Base> () -> Builtin.Int32
  return %3 : $Builtin.Int32
}
sil @value : $@convention(thin) () -> Builtin.Int32 {
bb0:
  %0 = alloc_ref $Derived
  %1 = upcast %0 : $Derived to $Base
  %2 = function_ref @of_self : $@convention(method) (@guaranteed Base) -> Builtin.Int32
  %3 = apply %2(%1) : $@convention(method) (@guaranteed Base) -> Builtin.Int32
  strong_release %0 : $Derived
  %5 = alloc_ref $Base
  %6 = apply %2(%5) : $@convention(method) (@guaranteed Base) -> Builtin.Int32
  strong_release %5 : $Base
  %8 = integer_literal $Builtin.Int32, 10
  %9 = builtin \"mul_Int32\"(%3 : $Builtin.Int32, %8 : $Builtin.Int32) : $Builtin.Int32
  %10 = builtin \"add_Int32\"(%9 : $Builtin.Int32, %6 : $Builtin.Int32) : $Builtin.Int32
  return %10 : $Builtin.Int32
}
";
    assert_eq!(run(program), Stop::Exit(21));
}

#[test]
fn elements_are_opened_by_the_names_of_the_signature_that_opens_them() {
    let program = "
sil @value : $@convention(thin) () -> Builtin.Int32 {
bb0:
  %0 = alloc_pack $Pack{Builtin.Int32}
  %1 = alloc_stack $Builtin.Int32
  %2 = integer_literal $Builtin.Int32, 7
  store %2 to %1 : $*Builtin.Int32
  %4 = scalar_pack_index 0 of $Pack{Builtin.Int32}
  pack_element_set %1 : $*Builtin.Int32 into %4 of %0 : $*Pack{Builtin.Int32}
  %6 = integer_literal $Builtin.Word, 0
  %7 = dynamic_pack_index %6 of $Pack{Builtin.Int32}
  %8 = open_pack_element %7 of <each A, each B where (repeat (each A, each B)) : Any> at <Pack{Builtin.Int64}, Pack{Builtin.Int32}>, shape $each A, uuid \"4E16CBD6-9FEA-11ED-9F5A-0A35B4AA5DE1\"
  %9 = pack_element_get %7 of %0 : $*Pack{Builtin.Int32} as $*@pack_element(\"4E16CBD6-9FEA-11ED-9F5A-0A35B4AA5DE1\") each B
  %10 = alloc_stack $@pack_element(\"4E16CBD6-9FEA-11ED-9F5A-0A35B4AA5DE1\") each B
  copy_addr %9 to [init] %10 : $*@pack_element(\"4E16CBD6-9FEA-11ED-9F5A-0A35B4AA5DE1\") each B
  %12 = unchecked_addr_cast %10 : $*@pack_element(\"4E16CBD6-9FEA-11ED-9F5A-0A35B4AA5DE1\") each B to $*Builtin.Int32
  %13 = load %12 : $*Builtin.Int32
  dealloc_stack %10 : $*@pack_element(\"4E16CBD6-9FEA-11ED-9F5A-0A35B4AA5DE1\") each B
  dealloc_stack %1 : $*Builtin.Int32
  dealloc_pack %0 : $*Pack{Builtin.Int32}
  return %13 : $Builtin.Int32
}
";
    assert_eq!(run(program), Stop::Exit(7));
}

/// Runs a function with two different types in an existential. What follows the opening is translated for each of them; the
/// block after it, once.
fn with_two_types(declared: &str, statements: &str, next: &str) -> Stop {
    run(&format!(
        "
protocol P {{}}
struct A : P {{ @_hasStorage var x: Builtin.Int32 {{ get set }} }}
struct B : P {{ @_hasStorage var x: Builtin.Int64 {{ get set }} }}
sil_witness_table A: P module Swift {{
}}
sil_witness_table B: P module Swift {{
}}
{declared}
sil @overwrite_frame : $@convention(thin) () -> Builtin.Int64 {{
bb0:
  %0 = integer_literal $Builtin.Int64, -1
  %1 = integer_literal $Builtin.Int64, -1
  %2 = integer_literal $Builtin.Int64, -1
  %3 = integer_literal $Builtin.Int64, -1
  %4 = integer_literal $Builtin.Int64, -1
  %5 = integer_literal $Builtin.Int64, -1
  %6 = builtin \"add_Int64\"(%0, %1) : $Builtin.Int64
  %7 = builtin \"add_Int64\"(%6, %2) : $Builtin.Int64
  %8 = builtin \"add_Int64\"(%7, %3) : $Builtin.Int64
  %9 = builtin \"add_Int64\"(%8, %4) : $Builtin.Int64
  %10 = builtin \"add_Int64\"(%9, %5) : $Builtin.Int64
  return %10
}}
sil @opens : $@convention(thin) (@in_guaranteed any P) -> Builtin.Int32 {{
bb0(%0 : $*any P):
  %1 = open_existential_addr immutable_access %0 : $*any P to $*@opened(\"00000000-0000-0000-0000-000000000001\", any P) Self
  %2 = metatype $@thick (@opened(\"00000000-0000-0000-0000-000000000001\", any P) Self).Type
{statements}
  br bb1
bb1:
{next}
}}
sil @value : $@convention(thin) () -> Builtin.Int32 {{
bb0:
  %0 = alloc_stack $any P
  %1 = init_existential_addr %0 : $*any P, $A
  %2 = function_ref @opens : $@convention(thin) (@in_guaranteed any P) -> Builtin.Int32
  %3 = apply %2(%0) : $@convention(thin) (@in_guaranteed any P) -> Builtin.Int32
  destroy_addr %0 : $*any P
  dealloc_stack %0 : $*any P
  %20 = function_ref @overwrite_frame : $@convention(thin) () -> Builtin.Int64
  %21 = apply %20() : $@convention(thin) () -> Builtin.Int64
  %6 = alloc_stack $any P
  %7 = init_existential_addr %6 : $*any P, $B
  %8 = apply %2(%6) : $@convention(thin) (@in_guaranteed any P) -> Builtin.Int32
  destroy_addr %6 : $*any P
  dealloc_stack %6 : $*any P
  %11 = builtin \"add_Int32\"(%3 : $Builtin.Int32, %8 : $Builtin.Int32) : $Builtin.Int32
  return %11 : $Builtin.Int32
}}
"
    ))
}

#[test]
fn a_coroutine_that_begins_where_a_type_is_opened_ends_in_the_next_block() {
    let lend = "
sil @lend : $@yield_once @convention(thin) () -> @yields Builtin.Int32 {
bb0:
  %0 = integer_literal $Builtin.Int32, 21
  yield %0 : $Builtin.Int32, resume bb1, unwind bb2
bb1:
  %2 = tuple ()
  return %2 : $()
bb2:
  unwind
}
";
    let begin = "
  %3 = function_ref @lend : $@yield_once @convention(thin) () -> @yields Builtin.Int32
  (%4, %5) = begin_apply %3() : $@yield_once @convention(thin) () -> @yields Builtin.Int32";
    for end in ["%7 = end_apply %5 as $()", "abort_apply %5"] {
        let next = format!("  {end}\n  return %4 : $Builtin.Int32");
        assert_eq!(with_two_types(lend, begin, &next), Stop::Exit(42), "{end}");
    }
}

#[test]
fn a_function_that_is_converted_where_a_type_is_opened_is_called_in_the_next_block() {
    let declared = "
sil @seven : $@convention(thin) () -> Builtin.Int32 {
bb0:
  %0 = integer_literal $Builtin.Int32, 7
  return %0 : $Builtin.Int32
}
sil @call : $@convention(thin) (@convention(thin) @noescape () -> Builtin.Int32) -> Builtin.Int32 {
bb0(%0 : $@convention(thin) @noescape () -> Builtin.Int32):
  %1 = apply %0() : $@convention(thin) @noescape () -> Builtin.Int32
  return %1 : $Builtin.Int32
}
";
    let convert = "
  %3 = function_ref @seven : $@convention(thin) () -> Builtin.Int32
  %4 = convert_function %3 : $@convention(thin) () -> Builtin.Int32 to $@convention(thin) @noescape () -> Builtin.Int32";
    let call = "
  %6 = function_ref @call : $@convention(thin) (@convention(thin) @noescape () -> Builtin.Int32) -> Builtin.Int32
  %7 = apply %6(%4) : $@convention(thin) (@convention(thin) @noescape () -> Builtin.Int32) -> Builtin.Int32
  return %7 : $Builtin.Int32";
    assert_eq!(with_two_types(declared, convert, call), Stop::Exit(14));
}
