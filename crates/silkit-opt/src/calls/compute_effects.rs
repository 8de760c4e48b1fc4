//! `compute-escape-effects` and `compute-side-effects`: compute the effects of functions from their bodies and the
//! effects of their callees. The effects become attributes of the functions.
//!
//! ```text
//! sil @f : $@convention(thin) (@guaranteed C) -> () {
//! bb0(%0 : $C):
//!   %1 = ref_element_addr %0, #C.x
//!   %2 = load %1
//! ```
//! becomes
//! ```text
//! sil @f : $@convention(thin) (@guaranteed C) -> () {
//! [%0: noescape **, read c*.v**]
//! [global: ]
//! bb0(%0 : $C):
//! ```

use silkit_analysis::escape_effects::escape_effects;
use silkit_analysis::side_effects::{
    NoWitness, declared_effects, declares_effects, has_computed_effects, side_effects,
};
use silkit_ir::effects::{FunctionEffects, SideEffects};
use silkit_pass::{FunctionContext, Pass, options};

pub(super) const ESCAPES: Pass<'static> = Pass::function(
    "compute-escape-effects",
    "Computes the escape effects of function arguments",
    &compute_escapes,
)
.with_options(&[options::WMO]);

pub(super) const SIDES: Pass<'static> =
    Pass::function("compute-side-effects", "Computes the side effects of functions", &compute_sides)
        .with_options(&[options::WMO]);

fn compute_escapes(cx: &mut FunctionContext<'_>) {
    let known = &cx.function().effects;
    let effects = FunctionEffects { escapes: escape_effects(cx.view(), &known.escapes), ..known.clone() };
    write(cx, effects);
}

fn compute_sides(cx: &mut FunctionContext<'_>) {
    let side = side_effects(cx.view(), &mut NoWitness);
    write_sides(cx, side);
}

/// Sets the side effects of a function, without those that its attributes exclude.
pub(super) fn write_sides(cx: &mut FunctionContext<'_>, mut side: SideEffects) {
    let function = cx.function();
    if has_computed_effects(function, cx.program().release()) {
        if declares_effects(function) {
            side.retain(declared_effects(function));
        }
        let effects = FunctionEffects { side: Some(side), ..cx.function().effects.clone() };
        write(cx, effects);
    }
}

/// Adds effects to the function's attributes.
fn write(cx: &mut FunctionContext<'_>, effects: FunctionEffects) {
    if effects != cx.function().effects {
        cx.function_mut().effects = effects;
        cx.count("functions changed", 1);
    }
}
