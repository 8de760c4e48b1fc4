//! The address operands whose memory an instruction accesses.

use crate::BodyView;
use silkit_base::FxHashSet;
use silkit_ir::info::MemoryBehavior;
use silkit_ir::instructions::{AnyInst, LoadBorrow};
use silkit_ir::{AddressUse, Body, FunctionStep, Inst, Opcode, Operand, Value};
use silkit_types::FnFlags;

/// Returns the address operands whose memory an instruction accesses, in order. Reference counting and deallocation
/// are not accesses; as in the reference, neither are casts without branches.
pub fn accessed_addresses(view: &BodyView<'_>, inst: Inst) -> Vec<Operand> {
    let body = view.body;
    let mut found = Vec::new();
    if body.info(inst).apply.is_some() {
        if body.inst(inst).opcode != Opcode::PartialApply {
            of_call(view, inst, 0, &mut found);
        }
        return found;
    }
    if body.info(inst).memory == MemoryBehavior::None && !body.info(inst).memory_depends_on_instance {
        return found;
    }
    let operand = |index: usize| body.operand_id(inst, index);
    match body.view(inst) {
        // Definite initialization has not yet decided whether these call a setter.
        AnyInst::AssignByWrapper(_) | AnyInst::AssignOrInit(_) => found.push(operand(1)),
        AnyInst::PackElementSet(_) => found.extend(body.operand_ids(inst).last()),
        AnyInst::UnconditionalCheckedCastAddr(_) | AnyInst::UncheckedRefCastAddr(_) => {}
        AnyInst::Builtin(builtin) if builtin.name == "zeroInitializer" && !body.operands(inst).is_empty() => {
            found.push(operand(0));
        }
        AnyInst::EndBorrow(end) => {
            // A `store_borrow` also reads its memory when its scope ends.
            let load =
                body.defining_inst(end.operand).filter(|_| body.def_as::<LoadBorrow>(end.operand).is_some());
            found.extend(load.map(|load| body.operand_id(load, 0)));
        }
        _ => {
            let is_access = |&operand: &Operand| accesses(body.address_use(operand));
            found.extend(body.operand_ids(inst).filter(is_access));
        }
    }
    found.retain(|&operand| body.value(body.operand(operand).value).ty.is_address());
    found
}

/// Returns true if a use of an address accesses the stored value or a part of it.
fn accesses(using: AddressUse) -> bool {
    using.loads()
        || using.stores()
        || matches!(
            using,
            AddressUse::TakeOnSuccess
                | AddressUse::InitializeOnSuccess
                | AddressUse::Lend
                | AddressUse::ReadTag
                | AddressUse::WritePart
                | AddressUse::ProjectContent
                | AddressUse::ProjectToInitialize
        )
}

/// The maximum depth to which closures passed to closures are followed.
const DEPTH: u32 = 8;

fn of_call(view: &BodyView<'_>, inst: Inst, depth: u32, found: &mut Vec<Operand>) {
    let body = view.body;
    let Some(site) = view.apply_site(inst) else { return };
    for applied in 0..site.applied_count() {
        let Some(index) = site.operand_of_applied(applied) else { continue };
        let value = body.operand_value(inst, index);
        let ty = body.value(value).ty;
        if ty.is_address() {
            found.push(body.operand_id(inst, index));
        } else if depth < DEPTH && ty.ty().as_function().is_some_and(|f| f.flags.contains(FnFlags::NOESCAPE))
        {
            // The captures of a non-escaping closure are accessed where it is passed.
            for closure in closures_of(body, value) {
                of_call(view, closure, depth + 1, found);
            }
        }
    }
}

/// Returns the `partial_apply` instructions that a function value may be derived from, following local definitions.
pub fn closures_of(body: &Body, function: Value) -> Vec<Inst> {
    let mut pending = vec![function];
    let mut seen = FxHashSet::default();
    let mut found = Vec::new();
    while let Some(value) = pending.pop() {
        if !seen.insert(value) {
            continue;
        }
        if body.is_phi(value) {
            pending.extend(body.phi_values(value));
            continue;
        }
        let Some(inst) = body.defining_inst(value) else { continue };
        match body.inst(inst).opcode {
            Opcode::PartialApply => found.push(inst),
            opcode if FunctionStep::of(opcode).is_some() => pending.push(body.operand_value(inst, 0)),
            Opcode::CopyBlock
            | Opcode::CopyBlockWithoutEscaping
            | Opcode::DestroyValue
            | Opcode::DifferentiableFunctionExtract => pending.push(body.operand_value(inst, 0)),
            Opcode::Enum if !body.operands(inst).is_empty() => pending.push(body.operand_value(inst, 0)),
            _ => {}
        }
    }
    found
}
