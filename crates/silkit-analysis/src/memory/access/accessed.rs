//! The address operands whose memory an instruction accesses.

use crate::BodyView;
use silkit_base::FxHashSet;
use silkit_ir::info::MemoryBehavior;
use silkit_ir::instructions::AnyInst;
use silkit_ir::{AddressUse, Body, FunctionStep, Inst, Opcode, Operand, ThunkKind, Value};
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
        AnyInst::AssignByWrapper(_) => found.push(operand(1)),
        // The assigned value, even if it is not an address.
        AnyInst::AssignOrInit(_) => return vec![operand(1)],
        AnyInst::CopyAddr(_) | AnyInst::ExplicitCopyAddr(_) => found.extend([operand(0), operand(1)]),
        AnyInst::PackElementSet(_) => found.extend(body.operand_ids(inst).last()),
        AnyInst::UnconditionalCheckedCastAddr(_) | AnyInst::UncheckedRefCastAddr(_) => {}
        AnyInst::Builtin(builtin) if builtin.name == "zeroInitializer" && !body.operands(inst).is_empty() => {
            found.push(operand(0));
        }
        // The operands of `generic_add` and other generic operations, as in the reference without the result.
        AnyInst::Builtin(builtin) if builtin.name.as_str().starts_with("generic_") => {
            found.extend(body.operand_ids(inst).skip(1));
        }
        AnyInst::EndBorrow(end) => {
            found.extend(borrowed_load(body, end.operand).map(|load| body.operand_id(load, 0)));
        }
        _ => {
            let is_access = |&operand: &Operand| accesses(body.address_use(operand));
            found.extend(body.operand_ids(inst).filter(is_access));
        }
    }
    found.retain(|&operand| body.value(body.operand(operand).value).ty.is_address());
    found
}

/// The maximum number of nested borrows and parts that are looked through.
const MOST_NESTED: u32 = 64;

/// Returns the `load_borrow` that a borrowed value is or is part of, looking through nested borrows.
fn borrowed_load(body: &Body, borrowed: Value) -> Option<Inst> {
    let mut value = borrowed;
    // Looking through all of many nested borrows would cost quadratic time.
    for _ in 0..MOST_NESTED {
        let inst = body.defining_inst(value)?;
        match body.inst(inst).opcode {
            Opcode::LoadBorrow => return Some(inst),
            Opcode::BeginBorrow => {}
            _ if body.is_forwarding(inst) && body.operands(inst).len() == 1 => {}
            _ => return None,
        }
        value = body.operand_value(inst, 0);
    }
    None
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
            for closure in closures_of(view, value) {
                of_call(view, closure, depth + 1, found);
            }
        }
    }
}

/// Returns the `partial_apply` instructions that a function value may be derived from, following local definitions.
/// A closure of a reabstraction thunk is looked through.
pub fn closures_of(view: &BodyView<'_>, function: Value) -> Vec<Inst> {
    let body = view.body;
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
            Opcode::PartialApply => match reabstracted(view, inst) {
                Some(closure) => pending.push(closure),
                None => found.push(inst),
            },
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

/// Returns the function that a closure of a reabstraction thunk converts.
fn reabstracted(view: &BodyView<'_>, closure: Inst) -> Option<Value> {
    let site = view.apply_site(closure)?;
    let thunk = view.program.function_id(view.body.called_function(closure)?)?;
    let is_thunk = view.program.module.functions[thunk].attributes.thunk == Some(ThunkKind::Reabstraction);
    let mut captured = site.arguments();
    let only = captured.next().filter(|_| is_thunk && captured.next().is_none())?;
    view.body.value(only).ty.ty().as_function().map(|_| only)
}
