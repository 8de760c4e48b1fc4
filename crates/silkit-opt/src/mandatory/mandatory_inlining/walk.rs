//! The backward walk through one function that inlines transparent callees. It stops at a callee that is not
//! complete, and continues at the same call later.

use super::Inlined;
use silkit_base::{EntitySet, FxHashSet, Symbol};
use silkit_ir::conventions::ApplySite;
use silkit_ir::instructions::WitnessMethod;
use silkit_ir::{Block, Body, Function, FunctionId, Inst, Opcode, Serialized, Value};
use silkit_link::{LibrarySource, linker};
use silkit_pass::{FunctionContext, Severity};
use silkit_transform::closures::{DeadCaptures, KnownCallee, delete_dead, delete_dead_box, keep_alive};
use silkit_transform::delete;
use silkit_transform::devirtualize;
use silkit_transform::inliner::{self, CannotInline, InlineStyle, Request};
use silkit_transform::merge_blocks::merge_all;
use silkit_transform::stack_nesting::fix_stack_nesting;

/// The position of a walk.
pub(super) struct Walk {
    /// The current block; `None` at the end.
    block: Option<Block>,
    /// The instruction of the block that was visited last; `None` at the end of the block.
    after: Option<Inst>,
    /// True if a coroutine was inlined, whose allocations may not be properly nested.
    breaks_nesting: bool,
}

/// The reason why a walk stops.
pub(super) enum Step {
    /// It reached the start of the function.
    Done,
    /// The callee of a call must be completed first.
    Needs(Inst, FunctionId),
    /// A witness table must be loaded from the library first, by the paths of type and protocol.
    Table(Symbol, Symbol),
    /// The body of a function must be loaded from the library first.
    Load(Symbol),
}

/// The state of the pass that a walk reads.
pub(super) struct WalkContext<'s> {
    pub(super) inlined: Inlined,
    /// The functions in which inlining is complete.
    pub(super) done: &'s EntitySet<FunctionId>,
    pub(super) library: Option<&'s dyn LibrarySource>,
    /// The functions without a body in the library.
    pub(super) missing: &'s FxHashSet<Symbol>,
    /// The conformances whose tables were requested from the library.
    pub(super) tables: &'s FxHashSet<(Symbol, Symbol)>,
    /// The maximum number of instructions of a function with inlined calls.
    pub(super) most_insts: usize,
}

impl Walk {
    pub(super) fn new(function: &Function) -> Self {
        let block = function.body.as_ref().and_then(Body::last_block);
        Self { block, after: None, breaks_nesting: false }
    }

    /// Advances to a callee that is not complete, or to the end.
    pub(super) fn advance(&mut self, cx: &mut FunctionContext<'_>, context: &WalkContext<'_>) -> Step {
        while let Some(block) = self.block {
            let body = cx.body();
            let next = match self.after {
                Some(after) => body.prev_inst(after),
                None => body.last_inst(block),
            };
            let Some(inst) = next else {
                (self.block, self.after) = (body.prev_block(block), None);
                continue;
            };
            if let Some((ty, protocol)) = devirtualized(cx, context, inst) {
                return Step::Table(ty, protocol);
            }
            if let Some(callee) = to_inline(cx, inst, context.inlined) {
                let function = &cx.program().module.functions[callee.function];
                if function.body.is_none() {
                    let may_load = context.library.is_some() && !context.missing.contains(&function.name);
                    if may_load {
                        return Step::Load(function.name);
                    }
                    self.after = Some(inst);
                    continue;
                }
                if !context.done.contains(callee.function) {
                    return Step::Needs(inst, callee.function);
                }
                let added = function.body.as_ref().map_or(0, Body::inst_count);
                if cx.body().inst_count() + added > context.most_insts {
                    let text = format!(
                        "inlining {} functions makes more than {} instructions",
                        context.inlined.name(),
                        context.most_insts
                    );
                    let problem = cx.problem(Severity::Error, Some(inst), text);
                    cx.diagnose(problem);
                    self.block = None;
                    return Step::Done;
                }
                if cx.may_change() && self.inline(cx, inst, callee, context.inlined.style()).is_ok() {
                    continue;
                }
            }
            self.after = Some(inst);
        }
        Step::Done
    }

    /// Inlines a call, and moves the walk to the end of the inlined body.
    fn inline(
        &mut self,
        cx: &mut FunctionContext<'_>,
        call: Inst,
        mut callee: KnownCallee,
        style: InlineStyle,
    ) -> Result<(), CannotInline> {
        let body = cx.body();
        let is_coroutine = body.inst(call).opcode == Opcode::BeginApply;
        let mut dead =
            DeadValues { after: body.next_inst(call), values: Vec::new(), late: FxHashSet::default() };
        let request = |callee: &KnownCallee| Request {
            call,
            callee: callee.function,
            arguments: callee.arguments.clone(),
            substitutions: callee.substitutions.clone(),
            style,
        };
        if callee.closure.is_some() {
            inliner::check(cx, request(&callee))?;
            // Copies of captured memory are allocated around the call.
            self.breaks_nesting |= callee.heap_closure(cx.body()).is_some();
            keep_alive(cx, call, &mut callee);
        }
        dead.removing(cx.body(), call);
        let arguments: Vec<Value> = callee.arguments.clone();
        let copied = inliner::inline_blocks(cx, request(&callee))?;
        cx.count("calls inlined", 1);
        self.breaks_nesting |= is_coroutine;
        match copied.last {
            Some(last) => {
                self.block = Some(last);
                dead.after = None;
            }
            None => self.block = dead.after.map(|inst| cx.body().inst_block(inst)),
        }
        dead.remove_unused(cx, &arguments);
        dead.clean_up(cx);
        self.after = dead.after;
        Ok(())
    }

    /// Merges blocks and corrects stack nesting.
    pub(super) fn finish(&self, cx: &mut FunctionContext<'_>) {
        let context = cx.ownership_context();
        merge_all(cx.body_mut(), context);
        if self.breaks_nesting {
            let has_ossa = cx.function().has_ossa();
            // If allocations are not even deallocated on all paths, the input is invalid and is left as it is.
            _ = fix_stack_nesting(cx.body_mut(), has_ossa);
        }
    }
}

/// Devirtualizes a method call if its target is known. Returns the conformance whose table must be loaded from the
/// library first.
fn devirtualized(
    cx: &mut FunctionContext<'_>,
    context: &WalkContext<'_>,
    call: Inst,
) -> Option<(Symbol, Symbol)> {
    let site = cx.view().apply_site(call).filter(ApplySite::is_full)?;
    if let Some(lookup) = cx.body().def_as::<WitnessMethod>(site.callee())
        && let Some(library) = context.library
        && cx.callees().witness(lookup.lookup.ty(), lookup.member, lookup.formal).is_none()
        && let Some(conformance) = linker::conformance_of_lookup(cx.declarations(), lookup)
        && !context.tables.contains(&conformance)
        && library.witness_table(conformance.0, conformance.1).is_some()
    {
        return Some(conformance);
    }
    let target = devirtualize::target(cx, call)?;
    if cx.may_change() {
        let lookup = cx.body().defining_inst(cx.body().operand_value(call, 0));
        target.call(cx, call);
        delete::trivially_dead(cx, lookup);
        cx.count("calls devirtualized", 1);
    }
    None
}

/// Returns the callee of a call if it must be inlined.
fn to_inline(cx: &FunctionContext<'_>, call: Inst, inlined: Inlined) -> Option<KnownCallee> {
    cx.body().info(call).apply?;
    let callee = KnownCallee::of(cx, call)?;
    let function = &cx.program().module.functions[callee.function];
    let fits = match function.attributes.serialized {
        Serialized::Fully => true,
        Serialized::ForPackage => cx.function().attributes.serialized != Serialized::Fully,
        Serialized::No => cx.function().attributes.serialized == Serialized::No,
    };
    (inlined.contains(function) && fits && !callee.takes_memory(cx.body())).then_some(callee)
}

/// Function values that removed instructions used, and that may have become dead.
struct DeadValues {
    /// The instruction after the inlined call, updated when it is removed.
    after: Option<Inst>,
    values: Vec<Value>,
    /// The closures that were converted for a callee that does not use them.
    late: FxHashSet<Value>,
}

impl DeadValues {
    fn removing(&mut self, body: &Body, inst: Inst) {
        if self.after == Some(inst) {
            self.after = body.next_inst(inst);
        }
        let values = body.operands(inst).iter().map(|operand| operand.value);
        let functions = values.filter(|&value| body.value(value).ty.ty().as_function().is_some());
        self.values.extend(functions);
    }

    /// Removes arguments that the callee did not use.
    fn remove_unused(&mut self, cx: &mut FunctionContext<'_>, arguments: &[Value]) {
        let body = cx.body();
        let made_by: Vec<Inst> = arguments.iter().filter_map(|&value| body.defining_inst(value)).collect();
        let (conversions, others): (Vec<Inst>, Vec<Inst>) = made_by
            .into_iter()
            .filter(|&inst| !body.is_removed(inst))
            .partition(|&inst| body.inst(inst).opcode == Opcode::ConvertEscapeToNoEscape);
        for conversion in conversions {
            self.remove_conversion(cx, conversion);
        }
        delete::dead_with(cx, others, &mut |body, inst| self.removing(body, inst));
    }

    /// Removes the conversion of a closure if it is only borrowed and destroyed. The closure keeps its captures until its own
    /// end.
    fn remove_conversion(&mut self, cx: &mut FunctionContext<'_>, conversion: Inst) {
        let body = cx.body();
        let mut to_remove = vec![conversion];
        let mut next = 0;
        while let Some(&inst) = to_remove.get(next) {
            next += 1;
            for user in body.results(inst).flat_map(|value| body.users(value)) {
                match body.inst(user).opcode {
                    Opcode::DestroyValue | Opcode::BeginBorrow | Opcode::EndBorrow => to_remove.push(user),
                    _ => return,
                }
            }
        }
        self.late.insert(body.operand_value(conversion, 0));
        for inst in to_remove.into_iter().rev() {
            self.removing(cx.body(), inst);
            cx.edit().remove(inst);
        }
    }

    fn clean_up(&mut self, cx: &mut FunctionContext<'_>) {
        let mut next = 0;
        while let Some(&value) = self.values.get(next) {
            next += 1;
            self.remove(cx, value);
        }
    }

    /// Removes the closure that a value is derived from, and the function reference of the closure.
    fn remove(&mut self, cx: &mut FunctionContext<'_>, value: Value) {
        let body = cx.body();
        if body.defining_inst(value).is_none_or(|inst| body.is_removed(inst)) {
            return;
        }
        if let Some(copy) =
            body.defining_inst(value).filter(|&inst| body.inst(inst).opcode == Opcode::CopyValue)
        {
            delete::dead_with(cx, [copy], &mut |body, inst| self.removing(body, inst));
            if cx.body().is_removed(copy) {
                return;
            }
        }
        let body = cx.body();
        let source = body.look_through_ownership(value);
        let converted = |inst| {
            let is_conversion = matches!(
                body.inst(inst).opcode,
                Opcode::ConvertFunction | Opcode::ConvertEscapeToNoEscape | Opcode::MarkDependence
            );
            is_conversion.then(|| body.look_through_ownership(body.operand_value(inst, 0)))
        };
        let closure = body.chain(source, converted).last().unwrap_or(source);
        let Some(inst) = body.defining_inst(closure) else { return };
        match body.inst(inst).opcode {
            Opcode::PartialApply | Opcode::ThinToThickFunction => {
                let function = match ApplySite::new(body, inst, cx.view().addresses()) {
                    Some(site) => site.callee(),
                    None => body.operand_value(inst, 0),
                };
                let captures =
                    if self.late.contains(&closure) { DeadCaptures::Late } else { DeadCaptures::Early };
                if delete_dead(cx, inst, captures, &mut |body, inst| self.removing(body, inst)) {
                    cx.count("closures removed", 1);
                    self.values.push(function);
                }
            }
            Opcode::Load => {
                if let Some(function) = delete_dead_box(cx, inst, &mut |body, inst| self.removing(body, inst))
                {
                    cx.count("closures removed", 1);
                    self.values.push(function);
                }
            }
            _ => {
                let made_by = body.defining_inst(source);
                delete::dead_with(cx, made_by, &mut |body, inst| self.removing(body, inst));
            }
        }
    }
}
