//! `access-enforcement-selection`: selects static or dynamic enforcement of accesses to variables.
//!
//! Accesses to globals, properties and captured boxes are checked at run time (`dynamic`). Accesses to stack
//! allocations and arguments are checked by later diagnostics (`static`), and so are accesses to a box of this
//! function before it escapes.
//!
//! | file | what it does |
//! |---|---|
//! | [`boxes`] | where the box of a variable may have escaped |
//! | [`order`] | functions before the closures that they create |
//!
//! ```text
//! sil @keep : $@convention(thin) (@owned { var Builtin.Int64 }) -> ()
//! sil [ossa] @f : $@convention(thin) (Builtin.Int64) -> () {
//! bb0(%0 : $Builtin.Int64):
//!   %1 = alloc_box ${ var Builtin.Int64 }
//!   %2 = project_box %1, 0
//!   %3 = begin_access [modify] [unknown] %2
//!   assign %0 to %3
//!   end_access %3
//!   %6 = function_ref @keep : $@convention(thin) (@owned { var Builtin.Int64 }) -> ()
//!   %7 = copy_value %1
//!   %8 = apply %6(%7) : $@convention(thin) (@owned { var Builtin.Int64 }) -> ()
//!   %9 = begin_access [modify] [unknown] %2
//!   assign %0 to %9
//!   end_access %9
//!   destroy_value %1
//!   %13 = tuple ()
//!   return %13
//! }
//! ---
//! sil @keep : $@convention(thin) (@owned { var Builtin.Int64 }) -> ()
//! sil [ossa] @f : $@convention(thin) (Builtin.Int64) -> () {
//! bb0(%0 : $Builtin.Int64):
//!   %1 = alloc_box ${ var Builtin.Int64 }
//!   %2 = project_box %1, 0
//!   %3 = begin_access [modify] [static] %2
//!   assign %0 to %3
//!   end_access %3
//!   %6 = function_ref @keep : $@convention(thin) (@owned { var Builtin.Int64 }) -> ()
//!   %7 = copy_value %1
//!   %8 = apply %6(%7) : $@convention(thin) (@owned { var Builtin.Int64 }) -> ()
//!   %9 = begin_access [modify] [dynamic] %2
//!   assign %0 to %9
//!   end_access %9
//!   destroy_value %1
//!   %13 = tuple ()
//!   return %13
//! }
//! ```

mod boxes;
mod order;

use boxes::BoxUses;
use silkit_base::{FxHashMap, FxHashSet, Symbol};
use silkit_ir::conventions::{Addresses, ApplySite, ArgumentConvention, Conventions};
use silkit_ir::instructions::{AccessEnforcement, AnyInst, BeginAccess, FunctionRef};
use silkit_ir::{Body, Function, FunctionId, Inst, Opcode, Value, ValueDef};
use silkit_pass::ModuleContext;
use silkit_pass::Pass;

pub(crate) const PASS: Pass<'static> =
    Pass::module("access-enforcement-selection", "Selects static or dynamic enforcement of accesses", &run)
        .mandatory();

/// Captures of closures that other code may modify during the closure, by function: argument indices.
type DynamicCaptures = FxHashMap<Symbol, FxHashSet<usize>>;

/// The memory of an access.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Source {
    /// The box of an `alloc_box` of this function.
    Box(Inst),
    /// Memory that only this function can access during the access.
    Own,
    /// Memory that other code may access.
    Shared,
}

fn run(cx: &mut ModuleContext<'_>) {
    let addresses = cx.program().addresses();
    let order = order::parents_first(cx.module());
    let mut captures = DynamicCaptures::default();
    for (id, is_in_circle) in order {
        let chosen = choose(&cx.module().functions[id], is_in_circle, addresses, &mut captures);
        apply(cx, id, chosen);
    }
}

fn apply(cx: &mut ModuleContext<'_>, id: FunctionId, chosen: Vec<(Inst, AccessEnforcement)>) {
    for (access, enforcement) in chosen {
        if !cx.may_change() {
            return;
        }
        cx.count("accesses selected", 1);
        let Some(body) = cx.module_mut().functions[id].body.as_mut() else { return };
        let word = body.info(access).attrs.iter().position(|attr| attr.name == "enforcement");
        if let Some(word) = word {
            body.edit().set_word(access, word, enforcement as u32);
        }
    }
}

/// Selects the enforcement of the accesses in a function, and records the captures of its closures.
fn choose(
    function: &Function,
    is_in_circle: bool,
    addresses: Addresses,
    captures: &mut DynamicCaptures,
) -> Vec<(Inst, AccessEnforcement)> {
    let Some(body) = &function.body else { return Vec::new() };
    let conventions = Conventions::of(function, addresses);
    let shared = captures.get(&function.name).cloned().unwrap_or_default();
    let is_shared = |argument: usize| is_in_circle || shared.contains(&argument);
    let source = |address| source(body, conventions.as_ref(), &is_shared, address);
    let mut boxes: FxHashMap<Inst, BoxUses> = FxHashMap::default();
    let mut chosen = Vec::new();
    for inst in body.insts() {
        if let Some(access) = body.view_as::<BeginAccess>(inst) {
            if access.enforcement != AccessEnforcement::Unknown {
                continue;
            }
            let is_dynamic = match source(access.address) {
                Source::Box(allocation) => {
                    let uses = boxes.entry(allocation).or_insert_with(|| BoxUses::new(body, allocation));
                    let ends = body.results(inst).flat_map(|value| body.users(value));
                    let ends = ends.filter(|&user| body.inst(user).opcode == Opcode::EndAccess);
                    std::iter::once(inst).chain(ends).any(|point| uses.may_have_escaped_at(body, point))
                }
                Source::Own => false,
                Source::Shared => true,
            };
            let how = if is_dynamic { AccessEnforcement::Dynamic } else { AccessEnforcement::Static };
            chosen.push((inst, how));
        } else if let Some(site) = ApplySite::new(body, inst, addresses) {
            let Some(callee) = callee(body, &site) else { continue };
            for (applied, value) in site.arguments().enumerate() {
                if site.convention_of_applied(applied) != Some(ArgumentConvention::InoutAliasable) {
                    continue;
                }
                let is_dynamic = match source(value) {
                    Source::Box(allocation) => {
                        let uses = boxes.entry(allocation).or_insert_with(|| BoxUses::new(body, allocation));
                        let points = boxes::calls_of(body, inst);
                        points.into_iter().any(|point| uses.may_have_escaped_at(body, point))
                    }
                    Source::Own => false,
                    Source::Shared => true,
                };
                if let Some(argument) = site.argument_of_applied(applied).filter(|_| is_dynamic) {
                    captures.entry(callee).or_default().insert(argument);
                }
            }
        }
    }
    chosen
}

/// Returns the known callee of a call or closure creation.
fn callee(body: &Body, site: &ApplySite<'_>) -> Option<Symbol> {
    body.def_as::<FunctionRef>(site.callee()).map(|callee| callee.function)
}

/// Returns the memory that an address is derived from.
fn source(
    body: &Body,
    conventions: Option<&Conventions<'_>>,
    is_shared: &dyn Fn(usize) -> bool,
    address: Value,
) -> Source {
    use Opcode as O;
    let is_mark = |opcode| {
        matches!(
            opcode,
            O::MarkUninitialized
                | O::MarkUnresolvedNonCopyableValue
                | O::MoveOnlyWrapperToCopyableAddr
                | O::CopyableToMoveOnlyWrapperAddr
                | O::DropDeinit
        )
    };
    let inst = match body.def(body.look_through(address, is_mark)) {
        ValueDef::Result(inst, _) => inst,
        ValueDef::Argument(block, index) if body.is_entry_block(block) => {
            let convention = conventions.and_then(|c| c.convention(index as usize));
            let is_captured = convention == Some(ArgumentConvention::InoutAliasable);
            return if is_captured && is_shared(index as usize) { Source::Shared } else { Source::Own };
        }
        ValueDef::Argument(..) => return Source::Shared,
        ValueDef::Undef | ValueDef::Pending => return Source::Own,
    };
    match body.view(inst) {
        AnyInst::AllocStack(_) => Source::Own,
        AnyInst::ProjectBox(project) => {
            let of = boxes::origin(body, project.box_value);
            let allocation = body.defining_inst(of).filter(|&i| body.inst(i).opcode == O::AllocBox);
            allocation.map_or(Source::Shared, Source::Box)
        }
        _ => Source::Shared,
    }
}

#[cfg(test)]
mod tests;
