//! Passes that complete or lower ownership.

mod ownership_model_eliminator;
mod sil_lexical_lifetime_eliminator;
mod sil_move_only_type_eliminator;
mod update_borrowed_from;

use silkit_pass::Pass;

/// The passes of this family.
pub(crate) const PASSES: &[Pass<'static>] = &[
    ownership_model_eliminator::NON_TRANSPARENT,
    ownership_model_eliminator::PASS,
    sil_lexical_lifetime_eliminator::PASS,
    sil_move_only_type_eliminator::PASS,
    sil_move_only_type_eliminator::TRIVIAL,
    update_borrowed_from::PASS,
];
