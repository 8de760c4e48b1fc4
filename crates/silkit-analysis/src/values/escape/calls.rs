//! Calls in escape analysis: the effects of callees.

use super::{ESCAPES, EscapePath, EscapeVisitor, EscapeWalk, EscapeWalker, STAYS, is_noescape};
use silkit_ir::conventions::ApplySite;
use silkit_ir::effects::{Escape, FunctionEffects};
use silkit_ir::{Body, Inst, Opcode, Operand, Value};
use std::ops::ControlFlow;

impl<V: EscapeVisitor> EscapeWalker<'_, V> {
    /// Follows a value that is passed to a call or captured by a closure.
    pub(super) fn pass(
        &mut self,
        walk: &mut EscapeWalk<'_>,
        operand: Operand,
        path: EscapePath,
    ) -> ControlFlow<()> {
        let body = walk.view.body;
        let (inst, index) = (body.operand(operand).user, body.operand_index(operand));
        let Some(site) = walk.view.apply_site(inst) else { return ESCAPES };
        if site.applied_of_operand(index).is_none() {
            // The callee operand, or a type-dependent operand.
            return STAYS;
        }
        let Some(argument) = site.argument_of_operand(index) else { return ESCAPES };
        let callees = self.view.program.callees(body, site.callee());
        let effects_path = self.effects_path(path.path);
        let lets_escape = |&callee: &_| self.view.effects(callee).may_escape(argument, effects_path);
        let may_escape =
            path.follows_stores || callees.as_ref().is_none_or(|callees| callees.iter().any(lets_escape));
        let is_address = body.value(body.operand(operand).value).ty.is_address();
        if is_address && !self.follows_loads(path) {
            // An address cannot escape from the function that it is passed to, but a coroutine may yield it.
            if body.inst(inst).opcode == Opcode::BeginApply {
                for yielded in body.results(inst).filter(|&v| body.value(v).ty.is_address()) {
                    if may_escape {
                        walk.down(yielded, path);
                    }
                }
                return STAYS;
            }
            if !depends_on_address(&site, argument) {
                return STAYS;
            }
        }
        if is_noescape(body.value(body.operand(operand).value).ty) {
            // Captures are followed at the creation of the closure.
            return STAYS;
        }
        // Effects do not describe values that are stored to an argument.
        if path.follows_stores {
            return ESCAPES;
        }
        let Some(callees) = callees else { return ESCAPES };
        for &callee in callees.iter() {
            let effects = &self.view.effects(callee);
            if effects.may_escape(argument, effects_path) {
                self.through_call(walk, &site, argument, effects, path)?;
            }
        }
        STAYS
    }

    /// Follows an argument to the destinations to which the callee lets it escape.
    fn through_call(
        &self,
        walk: &mut EscapeWalk<'_>,
        site: &ApplySite<'_>,
        argument: usize,
        effects: &FunctionEffects,
        from: EscapePath,
    ) -> ControlFlow<()> {
        let mut is_known = false;
        for escape in &effects.escapes {
            if escape.argument != argument || !from.path.matches(escape.path) {
                continue;
            }
            let next = EscapePath { follows_stores: false, exact_type: None, ..from };
            match escape.to {
                Escape::Nowhere => continue,
                Escape::Argument { argument, path, .. } => {
                    let body = walk.view.body;
                    let Some(index) = site.operand_of_argument(argument) else { return ESCAPES };
                    walk.up(body.operand_value(site.inst, index), EscapePath { path, ..next });
                }
                Escape::Return { path, is_exclusive } => {
                    let Some(result) = direct_result(walk.view.body, site.inst) else { return ESCAPES };
                    let exact_type = from.exact_type.filter(|_| is_exclusive);
                    walk.down(result, EscapePath { path, exact_type, ..next });
                }
            }
            is_known = true;
        }
        if is_known { STAYS } else { ESCAPES }
    }

    /// Follows the result of a call to the arguments that exclusively escape to it.
    pub(super) fn call_root(&self, walk: &mut EscapeWalk<'_>, inst: Inst, to: EscapePath) -> ControlFlow<()> {
        let body = walk.view.body;
        let Some(site) = walk.view.apply_site(inst) else { return ESCAPES };
        let Some(callees) = self.view.program.callees(body, site.callee()) else { return ESCAPES };
        for &callee in callees.iter() {
            let effects = &self.view.effects(callee);
            let mut is_known = false;
            for escape in &effects.escapes {
                let Escape::Return { path, is_exclusive: true } = escape.to else { continue };
                if to.path.matches(path) {
                    let Some(index) = site.operand_of_argument(escape.argument) else { return ESCAPES };
                    let from = EscapePath { path: escape.path, exact_type: None, ..to };
                    walk.up(body.operand_value(inst, index), from);
                    is_known = true;
                }
            }
            if !is_known {
                return ESCAPES;
            }
        }
        STAYS
    }
}

/// Returns the direct result of a call.
fn direct_result(body: &Body, inst: Inst) -> Option<Value> {
    match body.inst(inst).opcode {
        Opcode::Apply => body.first_result(inst),
        Opcode::TryApply => {
            let normal = body.successors(inst).next()?;
            body.arguments(normal).first().copied()
        }
        _ => None,
    }
}

/// Returns true if the result of a call depends on the address of an argument, and not only on the value there.
fn depends_on_address(site: &ApplySite<'_>, argument: usize) -> bool {
    let Some(conventions) = site.callee_conventions() else { return true };
    let Some(param) = conventions.param_of_argument(argument) else { return false };
    let results = conventions.ty.results.iter().filter_map(|r| r.lifetime);
    // In `@lifetime(borrow 1, borrow address_for_deps 0)`, parameters follow a word for the kind of dependence.
    let by_address = |text: silkit_base::Symbol| {
        text.as_str().split(',').any(|dependence| {
            let mut words = dependence.split_whitespace().rev();
            let is_param = words.next().and_then(|w| w.parse::<usize>().ok()) == Some(param);
            is_param && words.any(|word| matches!(word, "address" | "address_for_deps"))
        })
    };
    results.chain(conventions.ty.result_lifetime).any(by_address)
}
