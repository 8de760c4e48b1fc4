//! Moves values to temporaries on the stack of the function that derives unsafe pointers from their addresses, so that its stack
//! protector finds writes beyond them.
//!
//! ```text
//!   %1 = address_to_pointer [stack_protection] %0 to $Builtin.RawPointer
//!   %2 = tuple ()
//!   return %2
//! ---
//!   %1 = alloc_stack $Builtin.Int64
//!   copy_addr [take] %0 to [init] %1
//!   %3 = address_to_pointer [stack_protection] %1 to $Builtin.RawPointer
//!   %4 = tuple ()
//!   copy_addr [take] %1 to [init] %0
//!   dealloc_stack %1
//!   return %4
//! ```

use super::stack_sources::Movable;
use silkit_ir::instructions::{AllocStack, CopyAddr, DeallocStack};
use silkit_ir::{Body, Inst, Opcode, Point, Value};
use silkit_transform::stack_nesting::fix_stack_nesting;
use silkit_transform::variables;
use silkit_types::{SilType, TypeFacts};

/// Moves values to temporaries, each once. Returns how many.
pub(super) fn move_to_temporaries(
    body: &mut Body,
    facts: &dyn TypeFacts,
    values: &[Movable],
    is_ossa: bool,
) -> u64 {
    let mut moved = 0;
    for (at, &value) in values.iter().enumerate() {
        if !values[..at].contains(&value) {
            moved += u64::from(move_to_temporary(body, facts, value).is_some());
        }
    }
    if moved > 0 {
        // Where allocations were not nested before either, they stay so.
        _ = fix_stack_nesting(body, is_ossa);
    }
    moved
}

fn move_to_temporary(body: &mut Body, facts: &dyn TypeFacts, value: Movable) -> Option<()> {
    let (address, first, ends): (Value, Inst, Vec<Inst>) = match value {
        Movable::Argument(argument) => {
            let first = body.first_inst(body.entry_block()?)?;
            (argument, first, body.insts().filter(|&inst| body.is_function_exit(inst)).collect())
        }
        Movable::Access(begin) => {
            let access = body.first_result(begin)?;
            let is_end = |&user: &Inst| body.inst(user).opcode == Opcode::EndAccess;
            (access, body.next_inst(begin)?, body.users(access).filter(is_end).collect())
        }
    };
    let loc = variables::compiler_generated(body, first);
    let mut builder = body.builder_at(Point::Before(first), facts);
    builder.set_default_loc(loc);
    let ty = SilType::object(builder.value(address).ty.ty());
    let temporary = builder.build(AllocStack::new(ty));
    let keeps = |inst: Inst| matches!(value, Movable::Access(_)) && ends.contains(&inst);
    builder.replace_uses_if(address, temporary, |editor, operand| !keeps(editor.operand(operand).user));
    builder.build(CopyAddr { take: true, init: true, ..CopyAddr::new(address, temporary) });
    for end in ends {
        let loc = variables::compiler_generated(body, end);
        let mut builder = body.builder_at(Point::Before(end), facts);
        builder.set_default_loc(loc);
        builder.build(CopyAddr { take: true, init: true, ..CopyAddr::new(temporary, address) });
        builder.build(DeallocStack::new(temporary));
    }
    Some(())
}
