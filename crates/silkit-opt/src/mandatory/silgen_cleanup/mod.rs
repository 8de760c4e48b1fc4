//! `silgen-cleanup`: canonicalizes raw SIL before diagnostic passes.
//!
//! | file | what it does |
//! |---|---|
//! | [`loads`] | replaces a load by loads of the used parts |
//! | [`stores`] | replaces a store to the only property of a struct by a store of the struct |
//! | [`scopes`] | removes redundant borrows, copies and accesses |
//!
//! With `-enable-ossa-complete-lifetimes`, live values are ended before `unreachable`. A thin metatype is replaced by
//! an argument of the same type. Debug variables are kept with `-opt-mode=none`.
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

use silkit_ir::instructions::Metatype;
use silkit_ir::{Inst, Opcode, Value};
use silkit_pass::FunctionContext;
use silkit_pass::Pass;
use silkit_transform::dead_end_lifetimes;
use silkit_types::decl::NominalKind;
use silkit_types::{MetatypeRepr, TypeKind};

pub(super) const PASS: Pass<'static> =
    Pass::function("silgen-cleanup", "Cleans up raw SIL before the diagnostic passes", &run)
        .mandatory()
        .with_options(&["enable-ossa-complete-lifetimes", "opt-mode"]);

fn run(cx: &mut FunctionContext<'_>) {
    if !cx.function().has_ossa() {
        return;
    }
    if cx.options().is_on("enable-ossa-complete-lifetimes") {
        let ends = dead_end_lifetimes::complete(cx);
        cx.count("lifetimes ended", ends as u64);
    }
    let keeps_variables = cx.options().keeps_variables();
    let mut next = cx.body().entry_block().and_then(|block| cx.body().first_inst(block));
    let mut block = cx.body().entry_block();
    while let Some(at) = block {
        while let Some(inst) = next {
            // Preceding instructions have been visited, and only following ones are removed.
            let before = cx.body().prev_inst(inst);
            clean(cx, inst, keeps_variables);
            let first = |cx: &FunctionContext<'_>| cx.body().first_inst(at);
            next = match cx.body().is_removed(inst) {
                true => before.map_or_else(|| first(cx), |before| cx.body().next_inst(before)),
                false => cx.body().next_inst(inst),
            };
        }
        block = cx.body().next_block(at);
        next = block.and_then(|block| cx.body().first_inst(block));
    }
}

/// Canonicalizes one instruction.
fn clean(cx: &mut FunctionContext<'_>, inst: Inst, keeps_variables: bool) {
    match cx.body().inst(inst).opcode {
        Opcode::Metatype => reuse_metatype(cx, inst),
        Opcode::Load | Opcode::LoadBorrow => loads::split(cx, inst, keeps_variables),
        Opcode::Store => stores::broaden(cx, inst),
        Opcode::BeginAccess => scopes::remove_access(cx, inst, keeps_variables),
        Opcode::BeginBorrow => scopes::remove_borrow(cx, inst, keeps_variables),
        Opcode::CopyValue => scopes::remove_copy(cx, inst, keeps_variables),
        _ => {}
    }
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
