//! Escape analysis of boxes, through closures and private callees.

use silkit_base::FxHashSet;
use silkit_ir::conventions::{Addresses, ApplySite};
use silkit_ir::instructions::FunctionRef;
use silkit_ir::{Body, FunctionId, InlineStrategy, Inst, Linkage, Module, Opcode, Value};

/// The maximum depth of calls that are followed.
const MOST_CALLS: usize = 4;

/// A call or closure argument that is a box and becomes an address.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Passed {
    /// The function with the call.
    pub(super) function: FunctionId,
    /// The `apply` or `partial_apply`.
    pub(super) site: Inst,
    /// The callee.
    pub(super) callee: FunctionId,
    /// The index of the argument.
    pub(super) argument: usize,
}

/// The escape analysis of one box.
pub(super) struct Uses<'m> {
    module: &'m Module,
    addresses: Addresses,
    /// The functions that the box is passed to.
    seen: FxHashSet<FunctionId>,
    /// The arguments to specialize, callees before their callers.
    passed: Vec<Passed>,
}

impl<'m> Uses<'m> {
    /// Returns the arguments to specialize, callees before their callers; `None` if the box may escape.
    pub(super) fn of_box(
        module: &'m Module,
        addresses: Addresses,
        function: FunctionId,
        allocation: Inst,
    ) -> Option<Vec<Passed>> {
        let mut uses = Self { module, addresses, seen: FxHashSet::default(), passed: Vec::new() };
        let value = module.functions[function].body.as_ref()?.first_result(allocation)?;
        uses.stays(function, value, 0).then_some(uses.passed)
    }

    /// Returns true if a box does not escape through a value of a function.
    fn stays(&mut self, function: FunctionId, value: Value, depth: usize) -> bool {
        let module = self.module;
        let Some(body) = &module.functions[function].body else { return false };
        let mut work: Vec<Value> = vec![value];
        while let Some(value) = work.pop() {
            let uses: Vec<_> = body.uses(value).collect();
            for operand in uses {
                let user = body.operand(operand).user;
                match body.inst(user).opcode {
                    Opcode::ProjectBox
                    | Opcode::StrongRetain
                    | Opcode::StrongRelease
                    | Opcode::DestroyValue
                    | Opcode::EndBorrow => {}
                    Opcode::DeallocBox if depth == 0 => {}
                    Opcode::CopyValue | Opcode::BeginBorrow | Opcode::MarkUninitialized => {
                        work.extend(body.results(user));
                    }
                    _ => {
                        let index = body.operand_index(operand);
                        if !self.is_passed_safely(function, body, user, index, depth) {
                            return false;
                        }
                    }
                }
            }
        }
        true
    }

    /// Returns true if a box does not escape in a callee.
    fn is_passed_safely(
        &mut self,
        function: FunctionId,
        body: &Body,
        user: Inst,
        operand: usize,
        depth: usize,
    ) -> bool {
        let Some(site) = ApplySite::new(body, user, self.addresses).filter(|_| depth <= MOST_CALLS) else {
            return false;
        };
        let Some(callee) = callee(self.module, body, &site) else { return false };
        let target = &self.module.functions[callee];
        if site.is_full() {
            let is_inlined = target.attributes.inline.is_some_and(InlineStrategy::is_always);
            if !target.is_optimized() || is_inlined || target.linkage != Linkage::Private {
                return false;
            }
        }
        let Some(argument) = site.argument_of_operand(operand) else { return false };
        let Some(&value) = target.body.as_ref().and_then(|body| body.entry_arguments().get(argument)) else {
            return false;
        };
        // A function that gets it in several places would be copied in several ways.
        if !self.seen.insert(callee) || !self.stays(callee, value, depth + 1) {
            return false;
        }
        if !site.is_full() && self.closure_escapes(body, body.first_result(user), true) {
            return false;
        }
        self.passed.push(Passed { function, site: user, callee, argument });
        true
    }

    /// Returns true if a closure may escape: into memory, into another value, or through a callee.
    fn closure_escapes(&self, body: &Body, closure: Option<Value>, looks_into_calls: bool) -> bool {
        let mut work: Vec<Value> = closure.into_iter().collect();
        while let Some(value) = work.pop() {
            for operand in body.uses(value) {
                let user = body.operand(operand).user;
                match body.inst(user).opcode {
                    Opcode::CopyAddr
                    | Opcode::Load
                    | Opcode::LoadBorrow
                    | Opcode::StrongRetain
                    | Opcode::StrongRelease
                    | Opcode::DebugValue
                    | Opcode::DestroyValue
                    | Opcode::EndBorrow => {}
                    Opcode::Store | Opcode::Assign if body.operand_index(operand) == 1 => {}
                    Opcode::CopyValue | Opcode::BeginBorrow | Opcode::MoveValue => {
                        work.extend(body.results(user));
                    }
                    _ => {
                        let Some(site) = ApplySite::new(body, user, self.addresses) else { return true };
                        let operand = body.operand_index(operand);
                        if site.is_full() && operand == site.callee_operand() {
                            continue;
                        }
                        let convention = site.convention_of_operand(operand);
                        if convention.is_some_and(|convention| convention.is_indirect()) {
                            // The closure that was made is another one's context.
                            if !site.is_full() {
                                work.extend(body.results(user));
                            }
                            continue;
                        }
                        if !site.is_full() || !looks_into_calls || self.argument_escapes(body, &site, operand)
                        {
                            return true;
                        }
                    }
                }
            }
        }
        false
    }

    /// Returns true if a closure may escape in a callee.
    fn argument_escapes(&self, body: &Body, site: &ApplySite<'_>, operand: usize) -> bool {
        let target = callee(self.module, body, site).and_then(|id| self.module.functions[id].body.as_ref());
        let argument = site.argument_of_operand(operand);
        let Some((target, argument)) = target.zip(argument) else { return true };
        let Some(&value) = target.entry_arguments().get(argument) else { return true };
        self.closure_escapes(target, Some(value), false)
    }
}

/// Returns the callee of an `apply` or `partial_apply` if it has a body.
pub(super) fn callee(module: &Module, body: &Body, site: &ApplySite<'_>) -> Option<FunctionId> {
    let reference = body.def_as::<FunctionRef>(site.callee())?;
    let id = module.functions.find(&reference.function)?;
    let has_body = module.functions[id].body.as_ref().is_some_and(|body| body.entry_block().is_some());
    has_body.then_some(id)
}
