//! Lowering passes: replace instructions of raw SIL, or instructions that no later pass needs, by simpler ones.

mod actor_executors;
mod let_property_lowering;
mod lower_aggregate_instrs;
mod lower_hop_to_actor;
mod lower_tuple_addr_constructor;
mod raw_sil_inst_lowering;
mod sil_thunk_lowering;

use silkit_pass::Pass;

/// The passes of this family.
pub(crate) const PASSES: &[Pass<'static>] = &[
    let_property_lowering::PASS,
    lower_aggregate_instrs::PASS,
    lower_hop_to_actor::PASS,
    lower_tuple_addr_constructor::PASS,
    raw_sil_inst_lowering::PASS,
    sil_thunk_lowering::PASS,
];
