//! Unicode properties, as queried by the library.

use super::{Call, Effect, NativeFn};
use crate::interp::Interp;
use crate::violation::{Run, unsupported};

pub(super) const FUNCTIONS: &[(&str, NativeFn)] = &[
    ("_swift_stdlib_getNormData", norm_data),
    ("_swift_stdlib_getGraphemeBreakProperty", grapheme_break),
    ("_swift_stdlib_isInCB_Consonant", is_consonant),
];

/// Zero stands for a scalar that normalization does not change.
fn norm_data(it: &mut Interp<'_>, call: &Call<'_>) -> Run<Effect> {
    let scalar = it.arg32(call, 0);
    if scalar < 0xC0 {
        it.set_int(call.result, 2, 0);
        return Ok(Effect::Done);
    }
    unsupported(format!("the normalization of U+{scalar:04X}"))
}

fn grapheme_break(it: &mut Interp<'_>, call: &Call<'_>) -> Run<Effect> {
    let scalar = it.arg32(call, 0);
    unsupported(format!("the grapheme break property of U+{scalar:04X}"))
}

fn is_consonant(it: &mut Interp<'_>, call: &Call<'_>) -> Run<Effect> {
    it.set_byte(call.result, 0);
    Ok(Effect::Done)
}

/// Returns the address of the table of decompositions.
pub(super) fn decompositions(it: &mut Interp<'_>) -> Run<u64> {
    it.permanent_text("")
}
