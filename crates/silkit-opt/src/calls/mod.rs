//! Passes that change calls or compute the effects of functions.

mod always_inline;
mod compute_effects;
mod deinit_devirtualizer;
mod devirtualizer;
mod proofs;
mod use_prespecialized;

pub use proofs::prove;

use silkit_pass::Pass;

/// The passes of this family.
pub(crate) const PASSES: &[Pass<'static>] = &[
    always_inline::PASS,
    compute_effects::ESCAPES,
    compute_effects::SIDES,
    deinit_devirtualizer::PASS,
    devirtualizer::PASS,
    use_prespecialized::PASS,
];
