//! Local types of one name in several functions.

mod common;

use common::run;
use silkit_interp::Stop;

/// Two functions with a local type `Local`: one of 8 bytes, one of 1 byte.
const FUNCTIONS: &str = "
protocol P { func number() -> Builtin.Int32 }
sil @$s4main1fyyF5LocalL_V1aBi64_vg : $@convention(method) (Local) -> Builtin.Int64 {
bb0(%0 : $Local):
  %1 = struct_extract %0, #<abstract function>Local.a
  return %1
}
sil @$s4main1gyyF5LocalL_V1bBi8_vg : $@convention(method) (Local) -> Builtin.Int8 {
bb0(%0 : $Local):
  %1 = struct_extract %0, #<anonymous function>Local.b
  return %1
}
sil @$s4main1fyyF5LocalL_VAA1PA2aEP6numberBi32_yFTW : $@convention(witness_method: P) (@in_guaranteed Local) -> Builtin.Int32 {
bb0(%0 : $*Local):
  %1 = integer_literal $Builtin.Int32, 16
  return %1
}
sil @$s4main1gyyF5LocalL_VAA1PA2aEP6numberBi32_yFTW : $@convention(witness_method: P) (@in_guaranteed Local) -> Builtin.Int32 {
bb0(%0 : $*Local):
  %1 = integer_literal $Builtin.Int32, 32
  return %1
}
sil @$s4main1fyyF : $@convention(thin) () -> Builtin.Int32 {
bb0:
  %0 = alloc_stack $Local
  %1 = witness_method $Local, #P.number : <Self where Self : P> (Self) -> () -> Builtin.Int32 : $@convention(witness_method: P) <Self where Self : P> (@in_guaranteed Self) -> Builtin.Int32
  %2 = apply %1<Local>(%0) : $@convention(witness_method: P) <Self where Self : P> (@in_guaranteed Self) -> Builtin.Int32
  dealloc_stack %0
  %4 = builtin \"sizeof\"<Local>() : $Builtin.Word
  %5 = builtin \"truncOrBitCast_Word_Int32\"(%4) : $Builtin.Int32
  %6 = builtin \"add_Int32\"(%2, %5) : $Builtin.Int32
  return %6
}
sil @$s4main1gyyF : $@convention(thin) () -> Builtin.Int32 {
bb0:
  %0 = alloc_stack $Local
  %1 = witness_method $Local, #P.number : <Self where Self : P> (Self) -> () -> Builtin.Int32 : $@convention(witness_method: P) <Self where Self : P> (@in_guaranteed Self) -> Builtin.Int32
  %2 = apply %1<Local>(%0) : $@convention(witness_method: P) <Self where Self : P> (@in_guaranteed Self) -> Builtin.Int32
  dealloc_stack %0
  %4 = builtin \"sizeof\"<Local>() : $Builtin.Word
  %5 = builtin \"truncOrBitCast_Word_Int32\"(%4) : $Builtin.Int32
  %6 = builtin \"add_Int32\"(%2, %5) : $Builtin.Int32
  return %6
}
sil_witness_table Local: P module main {
  method #P.number: <Self where Self : P> (Self) -> () -> Builtin.Int32 : @$s4main1fyyF5LocalL_VAA1PA2aEP6numberBi32_yFTW
}
sil_witness_table Local: P module main {
  method #P.number: <Self where Self : P> (Self) -> () -> Builtin.Int32 : @$s4main1gyyF5LocalL_VAA1PA2aEP6numberBi32_yFTW
}
";

fn call(name: &str) -> Stop {
    run(&format!(
        "{FUNCTIONS}
sil @value : $@convention(thin) () -> Builtin.Int32 {{
bb0:
  %0 = function_ref @{name} : $@convention(thin) () -> Builtin.Int32
  %1 = apply %0() : $@convention(thin) () -> Builtin.Int32
  return %1
}}
"
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
    let stop = run(&format!("{FUNCTIONS}{other}"));
    assert!(matches!(&stop, Stop::Unsupported(what) if what.contains("`Local`")), "{stop:?}");
}
