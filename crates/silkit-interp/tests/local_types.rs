//! Local types of one name in several functions.

mod common;

use common::run;
use silkit_interp::Stop;

/// Returns two functions with a local type `Local`: one of 8 bytes, one of 1 byte. Each returns the number of its witness
/// and the size of its type.
fn functions() -> String {
    "\nprotocol P { func number() -> Builtin.Int32 }\n".to_owned()
        + &declaring("f", "a", 64, 16)
        + &declaring("g", "b", 8, 32)
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
    run(&format!(
        "{}
sil @value : $@convention(thin) () -> Builtin.Int32 {{
bb0:
  %0 = function_ref @{name} : $@convention(thin) () -> Builtin.Int32
  %1 = apply %0() : $@convention(thin) () -> Builtin.Int32
  return %1
}}
",
        functions()
    ))
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
    assert!(matches!(&stop, Stop::Unsupported(what) if what.contains("`Local`")), "{stop:?}");
}
