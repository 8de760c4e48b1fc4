//! Writes that initialize or reassign.

use super::plan::Write;
use silkit_ir::instructions::{
    AccessEnforcement, AccessKind, AnyInst, AssignByWrapperMode, AssignQualifier, CopyAddr, ExplicitCopyAddr,
    InitQualifier, MoveOnlyCheckKind, StoreQualifier, StoreUnowned, StoreWeak, TupleAddrConstructor,
};
use silkit_ir::{Inst, Value};
use silkit_pass::FunctionContext;

/// Rewrites a write as an initialization or as an assignment.
pub(super) fn rewrite(cx: &mut FunctionContext<'_>, inst: Inst, write: Write) {
    let initializes = write.initializes();
    let destination = match cx.body().view(inst) {
        AnyInst::Assign(assign) => {
            let qualifier = if initializes { AssignQualifier::Init } else { AssignQualifier::Reassign };
            cx.edit().set_attr(inst, "qualifier", qualifier as u32);
            assign.destination
        }
        AnyInst::AssignByWrapper(_) => {
            let mode = match write {
                Write::Initialize | Write::Replace => AssignByWrapperMode::Init,
                Write::Reassign => AssignByWrapperMode::Assign,
                Write::SetWrapped => AssignByWrapperMode::AssignWrappedValue,
            };
            return cx.edit().set_attr(inst, "mode", mode as u32);
        }
        _ if !initializes => return,
        AnyInst::CopyAddr(CopyAddr { destination, init: false, .. })
        | AnyInst::ExplicitCopyAddr(ExplicitCopyAddr { destination, init: false, .. })
        | AnyInst::StoreWeak(StoreWeak { destination, init: false, .. })
        | AnyInst::StoreUnowned(StoreUnowned { destination, init: false, .. }) => {
            cx.edit().set_flag(inst, "init", true);
            destination
        }
        AnyInst::TupleAddrConstructor(TupleAddrConstructor { destination, .. }) => {
            cx.edit().set_attr(inst, "qualifier", InitQualifier::Init as u32);
            destination
        }
        AnyInst::Store(store) if store.qualifier == Some(StoreQualifier::Assign) => {
            cx.edit().set_attr(inst, "qualifier", StoreQualifier::Init as u32);
            store.destination
        }
        _ => return,
    };
    if initializes {
        initialize_access(cx, destination);
    }
}

/// Turns the access or the check directly around an initialization into that of an initialization.
fn initialize_access(cx: &mut FunctionContext<'_>, destination: Value) {
    let Some(inst) = cx.body().defining_inst(destination) else { return };
    match cx.body().view(inst) {
        AnyInst::MarkUnresolvedNonCopyableValue(mark)
            if mark.kind == MoveOnlyCheckKind::AssignableButNotConsumable =>
        {
            cx.edit().set_attr(inst, "kind", MoveOnlyCheckKind::InitableButNotConsumable as u32);
        }
        AnyInst::BeginAccess(access)
            if access.kind == AccessKind::Modify && access.enforcement == AccessEnforcement::Dynamic =>
        {
            cx.edit().set_attr(inst, "kind", AccessKind::Init as u32);
            cx.edit().set_attr(inst, "enforcement", AccessEnforcement::Static as u32);
        }
        _ => {}
    }
}
