//! Merges consecutive stores of an enum's payload and case into one store.
//!
//! ```text
//! %2 = init_enum_data_addr %0, #Optional.some!enumelt
//! store %1 to [init] %2
//! inject_enum_addr %0, #Optional.some!enumelt
//! ---
//! %2 = enum $Optional<C>, #Optional.some!enumelt, %1
//! store %2 to [init] %0
//! ```

use super::always;
use silkit_ir::instructions::{Enum, InitEnumDataAddr, InjectEnumAddr, Store, StoreQualifier};
use silkit_ir::{Inst, Opcode};
use silkit_transform::patterns::{Pattern, Rewriter};

pub(super) const PATTERNS: &[Pattern] =
    &[always(Opcode::InitEnumDataAddr, "init_enum_data_addr with store and case", simplify)];

fn simplify(rw: &mut Rewriter<'_, '_>, inst: Inst) {
    let body = rw.body();
    let Some(InitEnumDataAddr { operand, element }) = body.view_as(inst) else { return };
    let Some(address) = body.first_result(inst).filter(|&address| body.has_single_use(address)) else {
        return;
    };
    let ty = rw.ty(operand).to_object();
    let Some(store) = body.users(address).next().filter(|&store| is_quiet_between(rw, inst, store)) else {
        return;
    };
    let Some(Store { source, destination, .. }) = body.view_as(store) else { return };
    let Some(inject) = body.next_inst(store) else { return };
    let Some(injected) = body.view_as::<InjectEnumAddr>(inject) else { return };
    let signature = rw.view().signature();
    let is_loadable = rw.declarations().is_loadable(ty.ty(), signature) == Some(true);
    let is_whole = destination == address && injected.operand == operand && injected.element == element;
    if !is_whole || !is_loadable || !rw.may_change() {
        return;
    }
    let qualifier = match (rw.function().has_ossa(), rw.is_trivial(ty)) {
        (false, _) => None,
        (true, true) => Some(StoreQualifier::Trivial),
        (true, false) => Some(StoreQualifier::Init),
    };
    let mut builder = rw.before(store);
    let value = builder.build(Enum { payload: Some(source), ..Enum::new(ty, element) });
    builder.build(Store { qualifier, ..Store::new(value, operand) });
    for part in [inject, store, inst] {
        rw.remove(part);
    }
}

/// Returns true if a store follows in the block without writes to memory in between.
fn is_quiet_between(rw: &Rewriter<'_, '_>, inst: Inst, store: Inst) -> bool {
    let (body, behavior) = (rw.body(), rw.behavior());
    let mut next = body.next_inst(inst);
    while let Some(between) = next.filter(|&between| between != store) {
        if behavior.may_write(between) || rw.is(between, Opcode::DebugStep) {
            return false;
        }
        next = body.next_inst(between);
    }
    next == Some(store)
}
