//! Values with lexical lifetimes.

use silkit_ir::instructions::{BeginBorrow, MoveValue};
use silkit_ir::{ArgFlags, Body, Function, Value, ValueDef};
use silkit_types::decl::Declarations;

/// Returns true if the lifetime of a value is that of a variable: an argument of the function whose type does not say otherwise,
/// or what `[lexical]` stands at.
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
