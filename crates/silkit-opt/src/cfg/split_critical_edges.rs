//! `split-critical-edges`: splits edges from a block with several successors to one with several predecessors.
//!
//! ```text
//! sil @f : $@convention(thin) (Builtin.Int1) -> () {
//! bb0(%0 : $Builtin.Int1):
//!   cond_br %0, bb1, bb2
//!
//! bb1:
//!   br bb2
//!
//! bb2:
//!   %3 = tuple ()
//!   return %3
//! }
//! ---
//! sil @f : $@convention(thin) (Builtin.Int1) -> () {
//! bb0(%0 : $Builtin.Int1):
//!   cond_br %0, bb2, bb1
//!
//! bb1:
//!   br bb3
//!
//! bb2:
//!   br bb3
//!
//! bb3:
//!   %4 = tuple ()
//!   return %4
//! }
//! ```

use silkit_pass::FunctionContext;
use silkit_pass::Pass;
use silkit_transform::critical_edges;

pub(super) const PASS: Pass<'static> = Pass::function("split-critical-edges", "Splits critical edges", &run);

/// The reference has a separate tag for the edges from terminators other than `cond_br`. It does the same, since
/// critical edges are valid only from `cond_br`.
pub(super) const NON_COND_BR: Pass<'static> =
    Pass::function("split-non-cond_br-critical-edges", "Splits critical edges", &run);

fn run(cx: &mut FunctionContext<'_>) {
    let split = cx.changing(critical_edges::split_all);
    cx.count("edges split", split as u64);
}
