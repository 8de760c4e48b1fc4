//! `always-inline`: inlines calls of `[always_inline]` functions.
//!
//! ```text
//! sil [always_inline] [ossa] @twice : $@convention(thin) () -> () {
//! bb0:
//!   %0 = function_ref @once : $@convention(thin) () -> ()
//!   %1 = apply %0() : $@convention(thin) () -> ()
//!   %2 = apply %0() : $@convention(thin) () -> ()
//!   return %2
//! }
//! ```
//!
//! ```text
//!   %0 = function_ref @twice : $@convention(thin) () -> ()
//!   %1 = apply %0() : $@convention(thin) () -> ()
//!   return %1
//! ---
//!   %0 = function_ref @once : $@convention(thin) () -> ()
//!   %1 = apply %0() : $@convention(thin) () -> ()
//!   %2 = apply %0() : $@convention(thin) () -> ()
//!   return %2
//! ```
//!
//! Callees are processed before callers. Recursive functions are not inlined, and a function that uses `@dynamic_self` only
//! into a function with the same `self` argument.

use silkit_ir::conventions::ApplySite;
use silkit_ir::{FunctionId, InlineStrategy, Inst, Serialized};
use silkit_pass::{FunctionContext, Pass};
use silkit_transform::devirtualize::without_casts;
use silkit_transform::inliner;

pub(super) const PASS: Pass<'static> =
    Pass::function("always-inline", "Inlines calls of `[always_inline]` functions", &run);

fn run(cx: &mut FunctionContext<'_>) {
    let calls: Vec<Inst> = cx.body().insts().filter(|&inst| cx.body().info(inst).apply.is_some()).collect();
    for call in calls {
        // The call of a function that does not return makes calls after it unreachable.
        if cx.body().is_removed(call) {
            continue;
        }
        let Some(callee) = callee(cx, call) else { continue };
        if !cx.may_change() {
            return;
        }
        if inliner::inline(cx, call, callee).is_ok() {
            cx.count("calls inlined", 1);
        }
    }
}

/// Returns the callee of a call if it must be inlined.
fn callee(cx: &FunctionContext<'_>, call: Inst) -> Option<FunctionId> {
    let site = cx.view().apply_site(call).filter(ApplySite::is_full)?;
    let name = cx.body().called_function(call)?;
    let id = cx.program().function_id(name)?;
    let callee = &cx.program().module.functions[id];
    let may_see = callee.attributes.serialized != Serialized::No
        || cx.function().attributes.serialized == Serialized::No;
    let body = cx.program().definition(id).body()?;
    let is_recursive = body.insts().any(|inst| body.called_function(inst) == Some(name));
    let is_always_inline = callee.attributes.inline.is_some_and(InlineStrategy::is_always);
    let passed = site.arguments().last();
    let own = cx.body().entry_arguments().last().copied();
    let keeps_self = || passed.is_some_and(|passed| own == Some(without_casts(cx.body(), passed)));
    (is_always_inline && may_see && !is_recursive && (!body.binds_self() || keeps_self())).then_some(id)
}
