//! Values with lexical lifetimes.

use silkit_ir::instructions::{BeginBorrow, MoveValue};
use silkit_ir::{ArgFlags, Body, Function, Value, ValueDef};
use silkit_types::decl::Declarations;

/// Returns true if a value has a lexical lifetime: a function argument, unless its type is `@_eagerMove`, or the
/// result of an instruction with `[lexical]`.
pub fn is_lexical(function: &Function, body: &Body, declarations: &Declarations, value: Value) -> bool {
    let data = body.value(value);
    match body.def(value) {
        ValueDef::Argument(block, _) if body.is_entry_block(block) => {
            let sig = function.ty.ty().as_function().and_then(|ty| ty.sig);
            let flags = data.arg_flags;
            let is_scoped = || declarations.is_lexical(data.ty.ty(), sig) == Some(true);
            flags.contains(ArgFlags::LEXICAL) || (!flags.contains(ArgFlags::EAGER_MOVE) && is_scoped())
        }
        _ => {
            body.def_as::<MoveValue>(value).is_some_and(|m| m.lexical)
                || body.def_as::<BeginBorrow>(value).is_some_and(|b| b.lexical)
        }
    }
}
