//! Calls of the host for functions that neither SIL nor the runtime defines.

use crate::interp::Interp;
use crate::native::{Call, Effect};
use crate::violation::{Run, Stop, unsupported};
use silkit_types::{Type, TypeKind};

/// Calls a function of the host with the arguments that are builtin integers. A function that returns `Never` ends the
/// program.
pub(super) fn call(it: &mut Interp<'_>, call: &Call<'_>) -> Run<Effect> {
    let program = it.program.clone();
    let declared = program.declaration(call.name).and_then(|f| f.ty.ty().as_function());
    let Some(ty) = declared else { return unsupported(format!("the undeclared function `{}`", call.name)) };
    let widths = ty.params.iter().map(|p| width(p.ty));
    let arguments: Vec<u64> = widths
        .zip(call.args)
        .filter_map(|(bits, &slot)| Some(it.get_int(slot, bits?.div_ceil(8)) & (u64::MAX >> (64 - bits?))))
        .collect();
    let result = it.host.call(call.name.as_str(), &arguments);
    match &ty.results[..] {
        [] => Ok(Effect::Done),
        [only] if only.ty.to_string() == "Never" => Err(Stop::Exit(0)),
        [only] => match width(only.ty) {
            Some(bits) => {
                it.set_int(call.result, bits.div_ceil(8), result & (u64::MAX >> (64 - bits)));
                Ok(Effect::Done)
            }
            None => unsupported(format!(
                "the unknown function `{}` with a result of type `{}`",
                call.name, only.ty
            )),
        },
        _ => unsupported(format!("the unknown function `{}` with several results", call.name)),
    }
}

/// Returns the width in bits of a builtin integer type, or `None` for other types and widths above 64.
pub(crate) fn width(ty: Type) -> Option<u32> {
    let TypeKind::Builtin(name, _) = ty.kind() else { return None };
    name.as_str().strip_prefix("Int")?.parse().ok().filter(|bits| (1..=64).contains(bits))
}
