//! `compute-escape-effects` and `compute-side-effects`: what functions do, found callees first and written behind their
//! types.

use super::effects::{Found, Work, write};
use silkit_pass::ModuleContext;
use silkit_pass::Pass;

pub(super) const ESCAPES: Pass<'static> = Pass::module(
    "compute-escape-effects",
    "Finds out which arguments of functions escape, and where to",
    &compute_escapes,
)
.with_options(&["wmo"]);

pub(super) const SIDES: Pass<'static> = Pass::module(
    "compute-side-effects",
    "Finds out what functions read, write, copy, destroy and allocate",
    &compute_sides,
)
.with_options(&["wmo"]);

fn compute_escapes(cx: &mut ModuleContext<'_>) {
    let found = Work::new(cx.module, cx.declarations, cx.options.is_on("wmo")).escapes();
    finish(cx, &found);
}

fn compute_sides(cx: &mut ModuleContext<'_>) {
    let is_opaque = cx.options.is_on("enable-sil-opaque-values");
    let work = Work::new(cx.module, cx.declarations, cx.options.is_on("wmo"));
    let found = work.with_opaque_values(is_opaque).sides();
    finish(cx, &found);
}

fn finish(cx: &mut ModuleContext<'_>, found: &Found<()>) {
    cx.count("functions changed", found.changed);
    write(cx.module, &found.effects);
}
