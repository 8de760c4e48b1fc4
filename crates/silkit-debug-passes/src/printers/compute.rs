//! `compute-dominance-info`, `compute-loop-info`: compute analyses without printing them.

use silkit_analysis::{Dominators, Loops, PostDominators};
use silkit_pass::FunctionContext;
use silkit_pass::Pass;

pub(crate) const DOMINANCE: Pass<'static> =
    Pass::function("compute-dominance-info", "Computes the dominator and post-dominator trees", &dominance);

pub(crate) const LOOPS: Pass<'static> =
    Pass::function("compute-loop-info", "Computes the natural loops", &loops);

fn dominance(cx: &mut FunctionContext<'_>) {
    cx.get::<Dominators>();
    cx.get::<PostDominators>();
}

fn loops(cx: &mut FunctionContext<'_>) {
    cx.get::<Loops>();
}
