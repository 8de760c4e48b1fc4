//! Recognition of what the compiler made: no test of a program is about it, so its mutants would survive or mean nothing.
//!
//! ```text
//! %1 = integer_literal $Builtin.Word, 3                  // the length of "abc"
//! %2 = integer_literal $Builtin.Int1, -1                 // `sadd_with_overflow` reports an overflow
//! return %3, loc * "<compiler-generated>":0:0, scope 4   // a thunk
//! ```

use silkit::ir::instructions::Builtin;
use silkit::ir::{Body, InlineStacks, Inst, Opcode, Value};

/// Returns true if the compiler made an instruction: with debug info, if no source line belongs to it or to the calls that
/// it was inlined through; constants also by their use.
pub fn is_compiler_generated(body: &Body, stacks: &InlineStacks<'_>, inst: Inst) -> bool {
    let has_location = body.loc(body.inst(inst).loc).is_some();
    has_location && stacks.position(body, inst).is_none() || is_generated_constant(body, inst)
}

/// Returns true if a constant is not in the source: a length or a capacity, or a flag of a builtin or a call.
fn is_generated_constant(body: &Body, inst: Inst) -> bool {
    let data = body.inst(inst);
    let Some(value) = body.first_result(inst).filter(|_| data.opcode == Opcode::IntegerLiteral) else {
        return false;
    };
    match body.value(value).ty.ty().to_string().as_str() {
        // No type of Swift's source has a stored `Builtin.Word`.
        "Builtin.Word" => true,
        "Builtin.Int1" => all_users(body, value, |user| is_flag_of(body, user)),
        "Builtin.Int8" | "Builtin.Int32" => all_users(body, value, |user| is_static_string(body, user)),
        _ => false,
    }
}

fn all_users(body: &Body, value: Value, test: impl Fn(Inst) -> bool) -> bool {
    body.is_used(value) && body.uses(value).all(|operand| test(body.operand(operand).user))
}

/// Returns true if a user takes a bit as a flag: whether to report an overflow, what is expected, or an argument of a
/// call, which gets a `Bool` otherwise.
fn is_flag_of(body: &Body, user: Inst) -> bool {
    match body.inst(user).opcode {
        Opcode::Apply | Opcode::TryApply => true,
        _ => body.view_as::<Builtin>(user).is_some_and(|Builtin { name, .. }| {
            name.as_str().contains("_with_overflow") || name.as_str().starts_with("int_expect")
        }),
    }
}

/// Returns true if a user makes a `StaticString`, one of whose fields has the flags of its literal.
fn is_static_string(body: &Body, user: Inst) -> bool {
    let makes = body.inst(user).opcode == Opcode::Struct;
    let result = body.first_result(user).filter(|_| makes);
    result.is_some_and(|result| body.value(result).ty.ty().to_string() == "StaticString")
}
