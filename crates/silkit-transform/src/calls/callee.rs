//! Replacement of the callee of a call.
//!
//! ```text
//!   %3 = apply %2<C>(%0) : $@convention(thin) <T> (@in_guaranteed T) -> Builtin.Int1
//! ---
//!   %3 = apply %1() : $@convention(thin) () -> Builtin.Int1
//! ```

use silkit_ir::instructions::Apply;
use silkit_ir::{Builder, Editor, Inst, Value};
use silkit_types::{SilType, Type};

/// A callee with its arguments.
#[derive(Clone, Copy, Debug)]
pub struct NewCallee<'a> {
    /// The function value.
    pub callee: Value,
    /// The type of the callee, without substitution.
    pub ty: SilType,
    /// The replacement types of its generic parameters.
    pub substitutions: &'a [Type],
    /// The arguments.
    pub arguments: &'a [Value],
}

/// Changes the callee and the arguments of an apply site. The results are kept.
///
/// # Panics
/// Panics if the instruction is not an apply site.
pub fn change(editor: &mut Editor<'_>, call: Inst, new: &NewCallee<'_>) {
    let info = editor.info(call);
    let attr = |name| info.attr(name).expect("invariant: apply sites have a callee's type and substitutions");
    let (subs, ty) = (attr("subs"), attr("type"));
    editor.set_operands(call, &[&[new.callee], new.arguments]);
    let list = match new.substitutions {
        [] => silkit_ir::NONE,
        types => {
            let words: Vec<u32> = types.iter().map(|ty| ty.as_u32()).collect();
            editor.new_list(&words)
        }
    };
    editor.set_word(call, subs, list);
    editor.set_word(call, ty, new.ty.as_u32());
}

/// Replaces an `apply` by a new one with another callee, at the builder's insertion point. Type-dependent operands
/// are recomputed, so that the new callee may refer to other opened types. Returns the new call, or `None` if it
/// cannot be built.
pub fn replace_apply(builder: &mut Builder<'_>, call: Inst, new: &NewCallee<'_>) -> Option<Inst> {
    let Apply { nothrow, noasync, .. } = builder.view_as(call)?;
    let old = builder.first_result(call)?;
    let ty = builder.value(old).ty;
    let apply =
        Apply { nothrow, noasync, ..Apply::new(new.callee, new.substitutions, new.arguments, new.ty) };
    let value = builder.build_typed(apply, &[ty]).ok()?;
    let made = builder.defining_inst(value)?;
    builder.replace_all_uses(old, value);
    builder.remove(call);
    Some(made)
}
