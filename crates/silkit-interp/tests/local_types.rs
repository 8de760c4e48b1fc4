//! Local types of one name in several functions.

mod common;

use common::run;
use silkit_interp::Stop;

const PROTOCOL: &str = "
protocol P { func number() -> Builtin.Int32 }
";

/// Returns two functions with a local type `Local`: one of 8 bytes, one of 1 byte. Each returns the number of its witness
/// and the size of its type.
fn functions() -> String {
    PROTOCOL.to_owned() + &declaring("f", "a", 64, 16) + &declaring("g", "b", 8, 32)
}

/// Returns a function that declares a local type with one property of `bits` bits, and what belongs to the type.
fn declaring(name: &str, property: &str, bits: u32, number: u32) -> String {
    format!(
        "
sil @$s4main1{name}yyF5LocalL_V1{property}Bi{bits}_vg : $@convention(method) (Local) -> Builtin.Int{bits} {{
bb0(%0 : $Local):
  %1 = struct_extract %0, #<abstract function>Local.{property}
  return %1
}}
sil @$s4main1{name}yyF5LocalL_VAA1PA2aEP6numberBi32_yFTW : $@convention(witness_method: P) (@in_guaranteed Local) -> Builtin.Int32 {{
bb0(%0 : $*Local):
  %1 = integer_literal $Builtin.Int32, {number}
  return %1
}}
sil @$s4main1{name}yyF : $@convention(thin) () -> Builtin.Int32 {{
bb0:
  %0 = alloc_stack $Local
  %1 = witness_method $Local, #P.number : <Self where Self : P> (Self) -> () -> Builtin.Int32 : $@convention(witness_method: P) <Self where Self : P> (@in_guaranteed Self) -> Builtin.Int32
  %2 = apply %1<Local>(%0) : $@convention(witness_method: P) <Self where Self : P> (@in_guaranteed Self) -> Builtin.Int32
  dealloc_stack %0
  %4 = builtin \"sizeof\"<Local>() : $Builtin.Word
  %5 = builtin \"truncOrBitCast_Word_Int32\"(%4) : $Builtin.Int32
  %6 = builtin \"add_Int32\"(%2, %5) : $Builtin.Int32
  return %6
}}
sil_witness_table Local: P module main {{
  method #P.number: <Self where Self : P> (Self) -> () -> Builtin.Int32 : @$s4main1{name}yyF5LocalL_VAA1PA2aEP6numberBi32_yFTW
}}
"
    )
}

fn call(name: &str) -> Stop {
    run(&(functions() + &value(name)))
}

/// Returns a function `value` that returns the result of another function.
fn value(name: &str) -> String {
    format!(
        "
sil @value : $@convention(thin) () -> Builtin.Int32 {{
bb0:
  %0 = function_ref @{name} : $@convention(thin) () -> Builtin.Int32
  %1 = apply %0() : $@convention(thin) () -> Builtin.Int32
  return %1
}}
"
    )
}

#[test]
fn each_function_has_its_own_type() {
    assert_eq!(call("$s4main1fyyF"), Stop::Exit(24));
    assert_eq!(call("$s4main1gyyF"), Stop::Exit(33));
}

#[test]
fn a_name_is_refused_where_nothing_tells_which_type_it_means() {
    let other = "
sil @value : $@convention(thin) () -> Builtin.Int32 {
bb0:
  %0 = alloc_stack $Local
  dealloc_stack %0
  %2 = integer_literal $Builtin.Int32, 0
  return %2
}
";
    let stop = run(&(functions() + other));
    assert!(matches!(&stop, Stop::Missing { what, .. } if what.contains("`Local`")), "{stop:?}");
}

#[test]
fn a_name_that_only_one_of_the_functions_declares_has_its_own_members() {
    let class = "
sil @$s4main1fyyF4NodeL_C1aBi32_vg : $@convention(method) (@guaranteed Node) -> Builtin.Int32 {
bb0(%0 : $Node):
  %1 = ref_element_addr %0, #<abstract function>Node.a
  %2 = load %1
  return %2
}
sil @$s4main1fyyF4NodeL_CfD : $@convention(method) (@owned Node) -> () {
bb0(%0 : $Node):
  dealloc_ref %0
  %2 = tuple ()
  return %2
}
sil @$s4main1fyyFBi32_yXEfU_ : $@convention(thin) () -> Builtin.Int32 {
bb0:
  %0 = alloc_ref $Node
  %1 = ref_element_addr %0, #<abstract function>Node.a
  %2 = integer_literal $Builtin.Int32, 7
  store %2 to %1
  %4 = function_ref @$s4main1fyyF4NodeL_C1aBi32_vg : $@convention(method) (@guaranteed Node) -> Builtin.Int32
  %5 = apply %4(%0) : $@convention(method) (@guaranteed Node) -> Builtin.Int32
  strong_release %0
  return %5
}
sil_vtable Node {
  #Node.deinit!deallocator: @$s4main1fyyF4NodeL_CfD
}
";
    let stop = run(&(functions() + class + &value("$s4main1fyyFBi32_yXEfU_")));
    assert_eq!(stop, Stop::Exit(7));
}

#[test]
fn the_initializer_of_a_global_variable_declares_the_type_of_its_parts() {
    let global = "
struct Int64 { @_hasStorage var _value: Builtin.Int64 { get set } }
sil_global private [let] @item : $Item = {
  %0 = integer_literal $Builtin.Int64, 9
  %1 = struct $Int64 (%0)
  %initval = struct $Item (%1)
}
sil @value : $@convention(thin) () -> Builtin.Int32 {
bb0:
  %0 = global_addr @item : $*Item
  %1 = struct_element_addr %0, #<abstract function>Item.k
  %2 = struct_element_addr %1, #Int64._value
  %3 = load %2
  %4 = builtin \"truncOrBitCast_Int64_Int32\"(%3) : $Builtin.Int32
  return %4
}
";
    assert_eq!(run(global), Stop::Exit(9));
}

#[test]
fn a_generic_local_type_has_the_parameters_of_its_accessors() {
    let pair = "
sil @$s4main1fyyF4PairL_V1axvg : $@convention(method) <T, U> (@in_guaranteed Pair<T, U>) -> @out T {
bb0(%0 : $*T, %1 : $*Pair<T, U>):
  %2 = struct_element_addr %1, #<abstract function>Pair.a
  copy_addr %2 to [init] %0
  %4 = tuple ()
  return %4
}
sil @$s4main1fyyF4PairL_V1bq_vg : $@convention(method) <T, U> (@in_guaranteed Pair<T, U>) -> @out U {
bb0(%0 : $*U, %1 : $*Pair<T, U>):
  %2 = struct_element_addr %1, #<abstract function>Pair.b
  copy_addr %2 to [init] %0
  %4 = tuple ()
  return %4
}
sil @value : $@convention(thin) () -> Builtin.Int32 {
bb0:
  %0 = alloc_stack $Pair<Builtin.Int8, Builtin.Int64>
  %1 = struct_element_addr %0, #<abstract function>Pair.b
  %2 = integer_literal $Builtin.Int64, 4
  store %2 to %1
  %4 = alloc_stack $Builtin.Int64
  %5 = function_ref @$s4main1fyyF4PairL_V1bq_vg : $@convention(method) <T, U> (@in_guaranteed Pair<T, U>) -> @out U
  %6 = apply %5<Builtin.Int8, Builtin.Int64>(%4, %0) : $@convention(method) <T, U> (@in_guaranteed Pair<T, U>) -> @out U
  %7 = load %4
  dealloc_stack %4
  dealloc_stack %0
  %10 = builtin \"truncOrBitCast_Int64_Int32\"(%7) : $Builtin.Int32
  %11 = builtin \"sizeof\"<Pair<Builtin.Int8, Builtin.Int16>>() : $Builtin.Word
  %12 = builtin \"truncOrBitCast_Word_Int32\"(%11) : $Builtin.Int32
  %13 = builtin \"add_Int32\"(%10, %12) : $Builtin.Int32
  return %13
}
";
    assert_eq!(run(pair), Stop::Exit(8));
}

#[test]
fn a_local_type_can_have_the_name_of_a_type_outside_of_functions() {
    let global = "
struct Local { @_hasStorage var a: Builtin.Int16 { get set } }
sil @value : $@convention(thin) () -> Builtin.Int32 {
bb0:
  %0 = function_ref @$s4main1fyyF : $@convention(thin) () -> Builtin.Int32
  %1 = apply %0() : $@convention(thin) () -> Builtin.Int32
  %2 = builtin \"sizeof\"<Local>() : $Builtin.Word
  %3 = builtin \"truncOrBitCast_Word_Int32\"(%2) : $Builtin.Int32
  %4 = builtin \"add_Int32\"(%1, %3) : $Builtin.Int32
  return %4
}
";
    assert_eq!(run(&(PROTOCOL.to_owned() + &declaring("f", "a", 64, 16) + global)), Stop::Exit(26));
}

#[test]
fn the_payloads_of_a_generic_local_enum_are_those_of_its_functions() {
    let either = "
sil @$s4main1fyyF6EitherL_O4textyyF : $@convention(method) <T, U> (@in_guaranteed Either<T, U>) -> () {
bb0(%0 : $*Either<T, U>):
  %1 = alloc_stack $Either<T, U>
  copy_addr %0 to [init] %1
  switch_enum_addr %1, case #Either.left!enumelt: bb1, case #Either.right!enumelt: bb2
bb1:
  %4 = unchecked_take_enum_data_addr %1, #Either.left!enumelt
  %5 = alloc_stack $T
  copy_addr [take] %4 to [init] %5
  unreachable
bb2:
  %8 = unchecked_take_enum_data_addr %1, #Either.right!enumelt
  %9 = alloc_stack $U
  copy_addr [take] %8 to [init] %9
  unreachable
}
sil @value : $@convention(thin) () -> Builtin.Int32 {
bb0:
  %0 = alloc_stack $Either<Builtin.Int8, Builtin.Int64>
  %1 = init_enum_data_addr %0, #Either.left!enumelt
  %2 = integer_literal $Builtin.Int8, 4
  store %2 to %1
  inject_enum_addr %0, #Either.left!enumelt
  dealloc_stack %0
  %10 = builtin \"sizeof\"<Either<Builtin.Int8, Builtin.Int64>>() : $Builtin.Word
  %11 = builtin \"truncOrBitCast_Word_Int32\"(%10) : $Builtin.Int32
  return %11
}
";
    assert_eq!(run(either), Stop::Exit(9));
}
