//! The object that a reference refers to.

use silkit_base::FxHashSet;
use silkit_ir::instructions::AnyInst;
use silkit_ir::{Body, Inst, Opcode, Value};

/// Returns true if the first result of an instruction is the same reference as its first operand, with another type
/// or marking. As in the reference, a moved object is a root of its own.
pub fn is_identity_cast(body: &Body, inst: Inst) -> bool {
    match body.view(inst) {
        AnyInst::CopyValue(_)
        | AnyInst::BeginBorrow(_)
        | AnyInst::BorrowedFrom(_)
        | AnyInst::Upcast(_)
        | AnyInst::UncheckedRefCast(_)
        | AnyInst::RefToBridgeObject(_)
        | AnyInst::BridgeObjectToRef(_)
        | AnyInst::MarkUninitialized(_)
        | AnyInst::MarkDependence(_)
        | AnyInst::BeginDeallocRef(_)
        | AnyInst::EndCOWMutation(_)
        | AnyInst::EndInitLetRef(_) => true,
        AnyInst::UnconditionalCheckedCast(cast) => {
            // Casting a value that is not a class instance may create an object.
            let is_object = |value: Value| is_reference_like(body, value);
            is_object(cast.operand) && body.first_result(inst).is_some_and(is_object)
        }
        _ => false,
    }
}

fn is_reference_like(body: &Body, value: Value) -> bool {
    use silkit_types::TypeKind as K;
    matches!(body.value(value).ty.ty().kind(), K::Named(_))
}

/// Returns the root of a reference, looking through casts and copies. For a phi, it is the common root of all
/// incoming values.
pub fn reference_root(body: &Body, reference: Value) -> Value {
    root_through(body, reference, |inst| is_identity_cast(body, inst))
}

/// Returns the root of a reference for alias analysis, which does not look through the end of a mutation.
pub fn allocation_root(body: &Body, reference: Value) -> Value {
    root_through(body, reference, |inst| {
        body.inst(inst).opcode != Opcode::EndCOWMutation && is_identity_cast(body, inst)
    })
}

fn root_through(body: &Body, reference: Value, follows: impl Fn(Inst) -> bool) -> Value {
    let without_casts = |value| without_casts(body, value, &follows);
    let root = without_casts(reference);
    if !body.is_phi(root) {
        return root;
    }
    let mut seen = FxHashSet::from_iter([root]);
    let mut pending = vec![root];
    let mut common = None;
    while let Some(phi) = pending.pop() {
        for value in body.phi_values(phi) {
            let input = without_casts(value);
            if body.is_phi(input) {
                if seen.insert(input) {
                    pending.push(input);
                }
            } else if *common.get_or_insert(input) != input {
                return root;
            }
        }
    }
    common.unwrap_or(root)
}

fn without_casts(body: &Body, reference: Value, follows: &impl Fn(Inst) -> bool) -> Value {
    let step = |inst| follows(inst).then(|| body.operand_value(inst, 0));
    body.chain(reference, step).last().unwrap_or(reference)
}
