//! `compute-dominance-info`, `compute-loop-info`: make analyses and print nothing.

use crate::context::FunctionContext;
use crate::pass::Pass;
use silkit_analysis::{Dominators, Loops, PostDominators};

pub(crate) const DOMINANCE: Pass<'static> =
    Pass::function("compute-dominance-info", "Makes the trees of dominators and post-dominators", &dominance);

pub(crate) const LOOPS: Pass<'static> =
    Pass::function("compute-loop-info", "Makes the natural loops", &loops);

fn dominance(cx: &mut FunctionContext<'_>) {
    cx.get::<Dominators>();
    cx.get::<PostDominators>();
}

fn loops(cx: &mut FunctionContext<'_>) {
    cx.get::<Loops>();
}
