//! Calls that do not return to the caller.

use crate::BodyView;
use silkit_ir::instructions::Builtin;
use silkit_ir::{Inst, Opcode};
use silkit_types::decl::Declarations;
use silkit_types::{Type, TypeKind};

/// Returns true if a type is known to be uninhabited: an enum without cases, such as `Never`, or a tuple with an
/// uninhabited element.
pub fn is_uninhabited(declarations: &Declarations, ty: Type) -> bool {
    match ty.kind() {
        TypeKind::Tuple(elements) => elements.iter().any(|e| is_uninhabited(declarations, e.ty)),
        _ => declarations.enum_cases(ty).is_some_and(<[_]>::is_empty),
    }
}

/// Returns true if an instruction is a call that never returns normally: of a function with an uninhabited result
/// type, or of a builtin that terminates the program. For a `try_apply`, this refers to its normal successor.
/// Coroutine calls always return.
pub fn never_returns(view: &BodyView<'_>, inst: Inst) -> bool {
    match view.body.inst(inst).opcode {
        Opcode::Apply | Opcode::TryApply => has_uninhabited_result(view, inst).unwrap_or(false),
        Opcode::Builtin => {
            let name = view.body.view_as::<Builtin<'_>>(inst).map_or("", |builtin| builtin.name.as_str());
            let stops =
                ["unreachable", "conditionallyUnreachable", "int_trap", "errorInMain", "unexpectedError"];
            stops.contains(&name)
        }
        _ => false,
    }
}

fn has_uninhabited_result(view: &BodyView<'_>, inst: Inst) -> Option<bool> {
    view.apply_site(inst)?;
    view.body.with_callee(inst, view.declarations(), |callee, types| {
        callee.results.iter().any(|result| is_uninhabited(view.declarations(), types.of(result.ty)))
    })
}
