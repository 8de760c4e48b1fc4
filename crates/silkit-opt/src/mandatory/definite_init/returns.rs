//! Whether a function returns the value that an instruction reads.

use silkit_analysis::BodyView;
use silkit_ir::conventions::Conventions;
use silkit_ir::instructions::AnyInst;
use silkit_ir::{Body, Inst, Value};

/// Returns true if an instruction reads memory only to return the value: it is returned itself, an initializer that may
/// fail wraps it in an optional and jumps to the `return`, or it is copied to the indirect result.
pub(super) fn is_returned(view: &BodyView<'_>, inst: Inst) -> bool {
    let body = view.body;
    match body.view(inst) {
        AnyInst::Load(_) | AnyInst::LoadBorrow(_) => {
            match body.first_result(inst).and_then(|v| user(body, v)) {
                Some(user) => ends(body, user) || is_wrapped_and_returned(body, user),
                None => false,
            }
        }
        AnyInst::CopyAddr(copy) => is_indirect_result(view, copy.destination),
        _ => false,
    }
}

/// Returns the only user of a value.
fn user(body: &Body, value: Value) -> Option<Inst> {
    body.single_use(value).map(|operand| body.operand(operand).user)
}

fn ends(body: &Body, inst: Inst) -> bool {
    matches!(body.view(inst), AnyInst::Return(_))
}

fn is_wrapped_and_returned(body: &Body, inst: Inst) -> bool {
    let is_wrap = matches!(body.view(inst), AnyInst::Enum(_));
    let branch = body.first_result(inst).filter(|_| is_wrap).and_then(|value| user(body, value));
    let Some(branch) = branch.filter(|&branch| matches!(body.view(branch), AnyInst::Branch(_))) else {
        return false;
    };
    let target = body.successors(branch).next();
    let argument = target.and_then(|block| body.arguments(block).first().copied());
    argument.and_then(|argument| user(body, argument)).is_some_and(|user| ends(body, user))
}

fn is_indirect_result(view: &BodyView<'_>, address: Value) -> bool {
    let conventions = view.function_type().map(|ty| Conventions::new(ty, view.addresses()));
    let results = conventions.map_or(0, |conventions| conventions.indirect_result_count());
    view.body.entry_argument_index(address).is_some_and(|index| index < results)
}
