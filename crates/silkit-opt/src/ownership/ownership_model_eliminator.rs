//! `ownership-model-eliminator`: lowers OSSA to non-OSSA (SIL.md, "Ownership SSA").
//!
//! Copies become retains, destroys become releases, and borrows and moves are replaced by their operands. On-stack
//! closures, which end with their values in OSSA, get a deallocation and dependences on their captures.
//!
//! ```text
//! sil [ossa] @f : $@convention(thin) (@owned Builtin.NativeObject) -> () {
//! bb0(%0 : @owned $Builtin.NativeObject):
//!   %1 = copy_value %0
//!   destroy_value %1
//!   destroy_value %0
//!   %4 = tuple ()
//!   return %4
//! }
//! ---
//! sil @f : $@convention(thin) (@owned Builtin.NativeObject) -> () {
//! bb0(%0 : $Builtin.NativeObject):
//!   strong_retain %0
//!   strong_release %0
//!   strong_release %0
//!   %4 = tuple ()
//!   return %4
//! }
//! ```

use silkit_ir::FunctionFlags;
use silkit_pass::{FunctionContext, Pass};
use silkit_transform::lower_ownership::{self, Destroys};

pub(super) const PASS: Pass<'static> =
    Pass::function("ownership-model-eliminator", "Lowers ownership SSA to plain SSA", &run).mandatory();

pub(super) const NON_TRANSPARENT: Pass<'static> = Pass::function(
    "non-transparent-func-ownership-model-eliminator",
    "Lowers ownership SSA to plain SSA in functions that are not transparent",
    &run_non_transparent,
)
.mandatory();

fn run_non_transparent(cx: &mut FunctionContext<'_>) {
    if !cx.function().has(FunctionFlags::TRANSPARENT) {
        run(cx);
    }
}

fn run(cx: &mut FunctionContext<'_>) {
    if !cx.function().has_ossa() {
        return;
    }
    let (context, declarations) = (cx.ownership_context(), cx.declarations());
    let lowered = lower_ownership::lower(cx.body_mut(), context, declarations, Destroys::ByType);
    cx.function_mut().attributes.flags.remove(FunctionFlags::OSSA);
    if lowered.is_err() {
        cx.report(None, "a closure on the stack is not destroyed on every path");
    }
}
