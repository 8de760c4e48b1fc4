//! `silgen-cleanup`: canonicalizes raw SIL before diagnostic passes.
//!
//! | file | what it does |
//! |---|---|
//! | [`loads`] | replaces a load by loads of the used parts |
//! | [`stores`] | replaces a store to the only property of a struct by a store of the struct |
//! | [`scopes`] | removes redundant borrows, copies and accesses |
//! | [`unused`] | removes what is no longer used, and unused forwarding instructions of canonical SIL |
//!
//! With `-enable-ossa-complete-lifetimes`, live values are ended before `unreachable`. A thin metatype is replaced by
//! an argument of the same type, and an instruction by an existing value that is equal to its result. Debug variables are
//! kept with `-opt-mode=none`.
//!
//! ```text
//! sil [ossa] @f : $@convention(thin) (@inout (Builtin.Int64, Builtin.Int1)) -> Builtin.Int64 {
//! bb0(%0 : $*(Builtin.Int64, Builtin.Int1)):
//!   %1 = load [trivial] %0
//!   %2 = tuple_extract %1, 0
//!   return %2
//! }
//! ---
//! sil [ossa] @f : $@convention(thin) (@inout (Builtin.Int64, Builtin.Int1)) -> Builtin.Int64 {
//! bb0(%0 : $*(Builtin.Int64, Builtin.Int1)):
//!   %1 = tuple_element_addr %0, 0
//!   %2 = load [trivial] %1
//!   return %2
//! }
//! ```

mod loads;
mod scopes;
mod stores;
mod unused;

use silkit_ir::instructions::Metatype;
use silkit_ir::{Block, Inst, Opcode, Value};
use silkit_pass::FunctionContext;
use silkit_pass::Pass;
use silkit_pass::options;
use silkit_transform::dead_end_lifetimes;
use silkit_transform::inst_simplify::Simplified;
use silkit_types::decl::NominalKind;
use silkit_types::{MetatypeRepr, TypeKind};

pub(super) const PASS: Pass<'static> =
    Pass::function("silgen-cleanup", "Cleans up raw SIL before the diagnostic passes", &run)
        .mandatory()
        .with_options(&[options::COMPLETE_LIFETIMES, options::OPT_MODE]);

fn run(cx: &mut FunctionContext<'_>) {
    if cx.function().has_ossa() && cx.options().is_on(options::COMPLETE_LIFETIMES) {
        let ends = dead_end_lifetimes::complete(cx);
        cx.count("lifetimes ended", ends as u64);
    }
    let keeps_variables = cx.options().keeps_variables();
    let blocks: Vec<Block> = cx.body().blocks().collect();
    for block in blocks {
        let mut work: Vec<Inst> = cx.body().block_insts(block).collect();
        work.reverse();
        while let Some(inst) = work.pop() {
            if !cx.body().is_removed(inst) {
                clean(cx, inst, keeps_variables, &mut work);
            }
        }
    }
}

/// Canonicalizes one instruction. Instructions that replace it and may be canonicalized in turn are added to the work.
fn clean(cx: &mut FunctionContext<'_>, inst: Inst, keeps_variables: bool, work: &mut Vec<Inst>) {
    if simplify(cx, inst, keeps_variables) {
        return;
    }
    match cx.body().inst(inst).opcode {
        Opcode::Metatype => reuse_metatype(cx, inst),
        Opcode::Load | Opcode::LoadBorrow => {
            work.extend(loads::split(cx, inst, keeps_variables).into_iter().rev())
        }
        Opcode::Store => stores::broaden(cx, inst),
        Opcode::BeginAccess => scopes::remove_access(cx, inst, keeps_variables),
        Opcode::BeginBorrow => scopes::remove_borrow(cx, inst, keeps_variables),
        Opcode::CopyValue => scopes::remove_copy(cx, inst, keeps_variables),
        _ if !keeps_variables => unused::remove_forwarding(cx, inst),
        _ => {}
    }
}

/// Replaces an instruction by an equal value. Returns true if it was replaced.
fn simplify(cx: &mut FunctionContext<'_>, inst: Inst, keeps_variables: bool) -> bool {
    let Some(simplified) = Simplified::of(&cx.view(), inst).filter(|_| cx.may_change()) else { return false };
    let operands = cx.body().operands(inst).iter().map(|operand| operand.value);
    let sources: Vec<Inst> = operands.filter_map(|value| cx.body().defining_inst(value)).collect();
    simplified.replace(cx, inst);
    sources.into_iter().for_each(|source| unused::remove_source(cx, Some(source), keeps_variables));
    cx.count("instructions simplified", 1);
    true
}

/// Replaces the metatype of a struct, an enum or a tuple, which has a single value, by an argument of the same type.
fn reuse_metatype(cx: &mut FunctionContext<'_>, inst: Inst) {
    let Some(Metatype { ty }) = cx.body().view_as(inst) else { return };
    let TypeKind::Metatype(MetatypeRepr::Thin, instance) = ty.ty().kind() else { return };
    let is_tuple = matches!(instance.kind(), TypeKind::Tuple(_));
    let kind = cx.declarations().nominal_of(*instance).map(|decl| decl.kind);
    if !is_tuple && !matches!(kind, Some(NominalKind::Struct | NominalKind::Enum)) {
        return;
    }
    let mut arguments = cx.body().entry_arguments().iter();
    let same: Option<Value> = arguments.find(|&&arg| cx.body().value(arg).ty == ty).copied();
    if let Some(argument) = same.filter(|_| cx.may_change()) {
        cx.edit().replace(inst, argument);
        cx.count("metatypes reused", 1);
    }
}

#[cfg(test)]
mod tests;
