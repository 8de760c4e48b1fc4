//! Conversion of the results of a devirtualized call to the types of the call before.

use crate::calls::abi_cast::AbiCast;
use silkit_ir::{ArgFlags, Inst, Opcode, Operand, Point, Value, inferred_types};
use silkit_pass::FunctionContext;

/// Corrects the types of the results of a call after its callee was replaced, and redirects their uses to values of the
/// types before.
pub(super) fn convert(cx: &mut FunctionContext<'_>, call: Inst, casts: &[AbiCast]) {
    if let Opcode::TryApply = cx.body().inst(call).opcode {
        if let Some(cast) = casts.first().filter(|cast| !cast.is_same()) {
            convert_on_edge(cx, call, cast);
        }
        return;
    }
    let Some(types) = inferred_types(cx.body(), call, cx.declarations()) else { return };
    let Some(next) = cx.body().next_inst(call) else { return };
    let results: Vec<Value> = cx.body().results(call).collect();
    for (index, (result, ty)) in results.into_iter().zip(types).enumerate() {
        let old = cx.body().value(result).ty;
        let cast = match casts.get(index) {
            Some(cast) => Some(cast.clone()),
            // The result of a `partial_apply`, or the token of a `begin_apply`.
            None => AbiCast::between(cx.declarations(), ty, old),
        };
        let Some(cast) = cast.filter(|cast| !cast.is_same()) else { continue };
        cx.edit().set_type(result, ty);
        let uses: Vec<Operand> = cx.body().uses(result).collect();
        let value = cast.convert(cx, result, next);
        for operand in uses {
            cx.edit().set_operand(operand, value);
        }
    }
}

/// Converts the result of a `try_apply` in a new block on the edge to the normal block.
fn convert_on_edge(cx: &mut FunctionContext<'_>, call: Inst, cast: &AbiCast) {
    let from = cx.body().inst_block(call);
    let Some(normal) = cx.body().block_successors(from).next() else { return };
    let Some(&argument) = cx.body().arguments(normal).first() else { return };
    let Some(ty) = cx.view().apply_site(call).and_then(|site| {
        let function = silkit_ir::substituted(
            site.callee_type().ty().as_function()?,
            &site.substitutions(),
            cx.declarations(),
        )?;
        Some(silkit_ir::conventions::Conventions::new(&function, cx.view().addresses()).direct_result_type())
    }) else {
        return;
    };
    let ownership = cx.body().value(argument).ownership;
    let loc = cx.body().inst(call).loc;
    let block = cx.edit().insert_block_after(from);
    cx.edit().set_successor(call, 0, block);
    let mut builder = cx.at(Point::End(block));
    builder.set_default_loc(loc);
    let result = builder.add_argument(block, ty, ownership, ArgFlags::empty());
    let branch = builder.br(normal, &[result][..]);
    let value = cast.convert(cx, result, branch);
    let operand = cx.body().operand_ids(branch).next();
    operand.into_iter().for_each(|operand| cx.edit().set_operand(operand, value));
}
