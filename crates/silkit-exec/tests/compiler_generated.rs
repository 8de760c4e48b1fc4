//! Recognition of constants that the compiler made, by their use.

use silkit::ir::{InlineStacks, Inst, Opcode};
use silkit_exec::mutate::is_compiler_generated;

const CONSTANTS: &str = "sil_stage canonical
import Builtin
import Swift

sil @make : $@convention(thin) (Builtin.RawPointer, Builtin.Word, Builtin.Int1) -> ()

sil @f : $@convention(thin) (Builtin.Int64) -> Bool {
bb0(%0 : $Builtin.Int64):
  %1 = string_literal utf8 \"abc\"
  %2 = integer_literal $Builtin.Word, 3
  %3 = integer_literal $Builtin.Int1, -1
  %4 = function_ref @make : $@convention(thin) (Builtin.RawPointer, Builtin.Word, Builtin.Int1) -> ()
  %5 = apply %4(%1, %2, %3) : $@convention(thin) (Builtin.RawPointer, Builtin.Word, Builtin.Int1) -> ()
  %6 = integer_literal $Builtin.Int64, 4
  %7 = integer_literal $Builtin.Int1, 0
  %8 = builtin \"sadd_with_overflow_Int64\"(%0, %6, %7) : $(Builtin.Int64, Builtin.Int1)
  %9 = builtin \"ptrtoint_Word\"(%1) : $Builtin.Word
  %10 = integer_literal $Builtin.Int8, 2
  %11 = struct $StaticString (%9, %2, %10)
  %12 = integer_literal $Builtin.Int8, 5
  %13 = struct $Int8 (%12)
  %14 = integer_literal $Builtin.Int1, -1
  %15 = struct $Bool (%14)
  return %15
}
";

#[test]
fn lengths_and_flags_are_not_in_the_source() {
    let parsed = silkit::text::parse_module(CONSTANTS);
    assert!(parsed.errors.is_empty(), "{:?}", parsed.errors);
    let stacks = InlineStacks::new(&parsed.module.scopes);
    let body = parsed.module.functions.iter().find_map(|(_, f)| f.body.as_ref()).expect("a body");
    let constants = body.insts().filter(|&inst| body.inst(inst).opcode == Opcode::IntegerLiteral);
    let generated = |inst: Inst| is_compiler_generated(body, &stacks, inst);
    // The length, the flag of the call, 4, the flag of the builtin, the flags of a static string, `5 as Int8`, `true`.
    assert_eq!(constants.map(generated).collect::<Vec<_>>(), [true, true, false, true, true, false, false]);
}
