//! `prove-side-effects`: proofs of the effects of functions.

use super::compute_effects::{ESCAPES, write_sides};
use silkit_analysis::proofs::{EffectRecorder, Proofs, Records};
use silkit_analysis::side_effects::side_effects;
use silkit_ir::{FunctionId, Module};
use silkit_pass::{FunctionContext, Pass, PassOptions, Runner};
use silkit_types::decl::Declarations;
use std::sync::{Mutex, PoisonError};

/// Computes the possible effects of the functions of a module, with call chains that prove them. The computed effects
/// are added to the functions, as by the passes `compute-escape-effects` and `compute-side-effects`.
pub fn prove(module: &mut Module, declarations: &Declarations, is_whole_module: bool) -> Proofs {
    let records: Mutex<Vec<(FunctionId, Records)>> = Mutex::default();
    let record = |cx: &mut FunctionContext<'_>| {
        let mut recorder = EffectRecorder::new(cx.id(), cx.view());
        let side = side_effects(cx.view(), &mut recorder);
        let found = recorder.finish();
        records.lock().unwrap_or_else(PoisonError::into_inner).push((cx.id(), found));
        write_sides(cx, side);
    };
    let sides =
        Pass::function("prove-side-effects", "Computes side effects and their proofs", &record).mandatory();
    let mut options = PassOptions::default();
    if is_whole_module {
        options.set("wmo", "");
    }
    // All escape effects are needed before side effects are computed.
    for step in [ESCAPES, sides] {
        Runner::new().options(options.clone()).run(module, declarations, &[step.into()]);
    }
    let mut records = records.into_inner().unwrap_or_else(PoisonError::into_inner);
    records.sort_unstable_by_key(|&(id, _)| id);
    Proofs::new(module, records)
}
