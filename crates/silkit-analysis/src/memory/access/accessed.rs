//! The addresses whose memory an instruction accesses.

use crate::BodyView;
use silkit_base::FxHashSet;
use silkit_ir::info::MemoryBehavior;
use silkit_ir::instructions::{AnyInst, LoadBorrow};
use silkit_ir::{Body, Inst, Opcode, Operand, Value};
use silkit_types::FnFlags;

/// Returns the operands that hold addresses of memory that an instruction accesses, in order. Counting references and
/// giving memory back are no accesses; nor are casts that do not branch, as the reference has it.
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
        AnyInst::Store(_)
        | AnyInst::StoreBorrow(_)
        | AnyInst::StoreWeak(_)
        | AnyInst::StoreUnowned(_)
        | AnyInst::Assign(_)
        | AnyInst::AssignByWrapper(_)
        | AnyInst::AssignOrInit(_) => found.push(operand(1)),
        AnyInst::CopyAddr(_)
        | AnyInst::ExplicitCopyAddr(_)
        | AnyInst::CheckedCastAddrBranch(_)
        | AnyInst::TupleAddrConstructor(_) => {
            found.extend(body.operand_ids(inst));
            found.truncate(body.operands(inst).len());
        }
        AnyInst::PackElementSet(_) => found.extend(body.operand_ids(inst).last()),
        AnyInst::LoadWeak(_)
        | AnyInst::LoadUnowned(_)
        | AnyInst::SelectEnumAddr(_)
        | AnyInst::InitExistentialAddr(_)
        | AnyInst::InjectEnumAddr(_)
        | AnyInst::Load(_)
        | AnyInst::LoadBorrow(_)
        | AnyInst::OpenExistentialAddr(_)
        | AnyInst::SwitchEnumAddr(_)
        | AnyInst::UncheckedTakeEnumDataAddr(_) => found.push(operand(0)),
        AnyInst::Builtin(builtin) if builtin.name == "zeroInitializer" && !body.operands(inst).is_empty() => {
            found.push(operand(0));
        }
        AnyInst::EndBorrow(end) => {
            // What is lent from memory is read until then.
            let load =
                body.defining_inst(end.operand).filter(|_| body.def_as::<LoadBorrow>(end.operand).is_some());
            found.extend(load.map(|load| body.operand_id(load, 0)));
        }
        _ => {}
    }
    found.retain(|&operand| body.value(body.operand(operand).value).ty.is_address());
    found
}

/// Closures may be passed to closures no deeper than this.
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
            // What a closure that does not escape captured is accessed where it is passed.
            for closure in closures_of(body, value) {
                of_call(view, closure, depth + 1, found);
            }
        }
    }
}

/// Returns the `partial_apply`s that a function value may come from, as far as that is in plain sight.
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
            Opcode::CopyBlock
            | Opcode::ConvertFunction
            | Opcode::ConvertEscapeToNoEscape
            | Opcode::CopyBlockWithoutEscaping
            | Opcode::MarkDependence
            | Opcode::CopyValue
            | Opcode::BeginBorrow
            | Opcode::MoveValue
            | Opcode::ThinToThickFunction
            | Opcode::DestroyValue
            | Opcode::DifferentiableFunctionExtract => pending.push(body.operand_value(inst, 0)),
            Opcode::Enum if !body.operands(inst).is_empty() => pending.push(body.operand_value(inst, 0)),
            _ => {}
        }
    }
    found
}
