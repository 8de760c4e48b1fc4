//! The callers of functions, and whether all of them are known.

use crate::{BodyView, ProgramView};
use silkit_base::IdVec;
use silkit_ir::{Body, FunctionId, FunctionStep, Inst, Linkage, Opcode, Operand};
use silkit_types::Convention;

/// The uses of a function value within a body.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct LocalUses {
    /// The calls of the function, or of closures over it.
    pub calls: Vec<Inst>,
    /// The closures over the function.
    pub closures: Vec<Inst>,
    /// True if it may also be called elsewhere.
    pub escapes: bool,
}

impl LocalUses {
    /// Collects the uses of the result of a `function_ref`.
    pub fn of(view: &BodyView<'_>, reference: Inst) -> Self {
        let body = view.body;
        let mut this = Self::default();
        let mut work: Vec<Operand> = uses(body, reference).collect();
        let mut seen = silkit_base::EntitySet::default();
        while let Some(operand) = work.pop() {
            let (user, index) = (body.operand(operand).user, body.operand_index(operand));
            let site = view.apply_site(user).filter(|s| s.callee_operand() == index);
            match (site.map(|s| s.is_full()), body.inst(user).opcode) {
                (Some(true), _) => this.calls.push(user),
                (Some(false), _) => {
                    this.closures.push(user);
                    if seen.insert(user) {
                        work.extend(uses(body, user));
                    }
                }
                (None, opcode) if passes_on(opcode) => {
                    if seen.insert(user) {
                        work.extend(uses(body, user));
                    }
                }
                (
                    None,
                    Opcode::StrongRetain
                    | Opcode::StrongRelease
                    | Opcode::RetainValue
                    | Opcode::ReleaseValue
                    | Opcode::DestroyValue
                    | Opcode::DeallocStack,
                ) => {}
                _ => this.escapes = true,
            }
        }
        this
    }
}

/// Returns true for instructions through which a function value is followed. Borrows and moves are not followed.
fn passes_on(opcode: Opcode) -> bool {
    match FunctionStep::of(opcode) {
        Some(FunctionStep::Convert | FunctionStep::Depend) => true,
        Some(FunctionStep::Copy) => opcode == Opcode::CopyValue,
        Some(FunctionStep::Move | FunctionStep::Close) | None => false,
    }
}

fn uses(body: &Body, inst: Inst) -> impl Iterator<Item = Operand> + '_ {
    body.results(inst).flat_map(|value| body.uses(value))
}

/// A function that references another one.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Caller {
    function: FunctionId,
    calls: bool,
    /// The minimum number of arguments that its closures capture.
    captured: Option<usize>,
    is_complete: bool,
}

/// The callers of one function.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct CallersOf {
    callers: Vec<Caller>,
    is_called_indirectly: bool,
    is_called_elsewhere: bool,
}

impl CallersOf {
    /// Returns true if a call is known.
    pub fn has_caller(&self) -> bool {
        self.callers.iter().any(|c| c.calls)
    }

    /// Returns the minimum number of arguments that a closure captures; 0 if there are no closures.
    pub fn least_captured(&self) -> usize {
        self.callers.iter().filter_map(|c| c.captured).min().unwrap_or(0)
    }

    /// Returns true if all calls in the functions that reference it are known.
    pub fn is_complete_where_named(&self) -> bool {
        self.callers.iter().all(|c| c.is_complete)
    }

    /// Returns true if all calls are known.
    pub fn is_complete(&self) -> bool {
        !self.is_called_indirectly && !self.is_called_elsewhere && self.is_complete_where_named()
    }

    /// Returns the functions that create closures over it.
    pub fn capturers(&self) -> impl Iterator<Item = FunctionId> + '_ {
        self.callers.iter().filter(|c| c.captured.is_some()).map(|c| c.function)
    }

    /// Returns the functions that call it.
    pub fn callers(&self) -> impl Iterator<Item = FunctionId> + '_ {
        self.callers.iter().filter(|c| c.calls).map(|c| c.function)
    }
}

/// The callers of each function of a module.
#[derive(Clone, Debug, Default)]
pub struct Callers {
    of: IdVec<FunctionId, CallersOf>,
}

impl Callers {
    /// Computes the callers of all functions.
    pub fn new(program: &ProgramView<'_>) -> Self {
        let (module, is_whole_module) = (program.module, program.is_whole_module());
        let empty = |f: &silkit_ir::Function| CallersOf {
            callers: Vec::new(),
            is_called_indirectly: is_method(f) || f.attributes.dynamic_replacement_for.is_some(),
            is_called_elsewhere: is_visible_elsewhere(f, is_whole_module),
        };
        let mut this = Self { of: module.functions.values().map(empty).collect() };
        for (caller, function) in module.functions.iter() {
            let Some(body) = &function.body else { continue };
            let view = BodyView::new(program, function, body);
            for inst in body.insts() {
                let is_reference = body.inst(inst).opcode.is_function_ref();
                let name = body.word(inst, "function").filter(|_| is_reference).and_then(Body::symbol);
                if let Some(callee) = name.and_then(|name| program.function_id(name)) {
                    this.add(&view, caller, callee, inst);
                }
            }
        }
        this
    }

    fn add(&mut self, view: &BodyView<'_>, caller: FunctionId, callee: FunctionId, reference: Inst) {
        let uses = LocalUses::of(view, reference);
        let callers = &mut self.of[callee].callers;
        // The references of one caller are consecutive.
        if callers.last().is_none_or(|last| last.function != caller) {
            callers.push(Caller { function: caller, calls: false, captured: None, is_complete: true });
        }
        let Some(entry) = callers.last_mut() else { return };
        entry.is_complete &= !uses.escapes;
        entry.calls |= !uses.calls.is_empty();
        let captured = |&inst: &Inst| Some(view.apply_site(inst)?.applied_count());
        let least = uses.closures.iter().filter_map(captured).min();
        entry.captured = entry.captured.into_iter().chain(least).min();
    }

    /// Returns the callers of a function.
    pub fn of(&self, function: FunctionId) -> &CallersOf {
        &self.of[function]
    }
}

/// Returns true if a table or key path may reference the function, so that it can be called without a `function_ref`.
fn is_method(function: &silkit_ir::Function) -> bool {
    let Some(ty) = function.ty.ty().as_function() else { return true };
    matches!(
        ty.convention,
        Convention::Method
            | Convention::ObjCMethod
            | Convention::CxxMethod
            | Convention::WitnessMethod(_)
            | Convention::KeyPathGetter
            | Convention::KeyPathSetter
            | Convention::KeyPathEquals
            | Convention::KeyPathHash
    )
}

/// Returns true if other files or modules may call the function or define it.
pub(super) fn is_visible_elsewhere(function: &silkit_ir::Function, is_whole_module: bool) -> bool {
    match function.linkage {
        Linkage::Private | Linkage::Shared => false,
        Linkage::Hidden => !is_whole_module,
        _ => true,
    }
}
