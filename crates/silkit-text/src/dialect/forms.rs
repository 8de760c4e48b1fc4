//! The forms beside instructions, flags and builtins that some releases of Swift do not have.

use super::{Form, FormKind};
use silkit_ir::attributes::*;
use silkit_ir::{Opcode, Release, Releases};
use silkit_types::{Convention, FnFlags, FunctionType, ResultConvention, TypeKind};

/// A form and a test for it.
pub(super) struct Row<T: ?Sized> {
    pub(super) spelling: &'static str,
    pub(super) since: Release,
    pub(super) is_in: fn(&T) -> bool,
}

const V6_3: Release = Release::V6_3;
const V6_4: Release = Release::V6_4;
const V6_5: Release = Release::V6_5;

const fn row<T>(spelling: &'static str, since: Release, is_in: fn(&T) -> bool) -> Row<T> {
    Row { spelling, since, is_in }
}

/// The attributes of functions.
pub(super) const FUNCTIONS: &[Row<FunctionAttributes>] = &[
    row("heuristic_always_inline", V6_3, |a| a.inline == Some(InlineStrategy::HeuristicAlways)),
    row("manual_ownership", V6_3, |a| a.performance == Some(PerformanceConstraint::ManualOwnership)),
    row("asmname", V6_3, |a| a.asmname.is_some()),
    row("export_interface", V6_4, |a| a.export == Some(ExportModel::Interface)),
    row("export_implementation", V6_4, |a| a.export == Some(ExportModel::Implementation)),
    row("distributed_proxy_adapter_thunk", V6_5, |a| a.thunk == Some(ThunkKind::DistributedProxyAdapter)),
    row("no_sanitize_address", V6_5, |a| a.flags.contains(FunctionFlags::NO_SANITIZE_ADDRESS)),
    row("no_sanitize_thread", V6_5, |a| a.flags.contains(FunctionFlags::NO_SANITIZE_THREAD)),
    row("no_sanitize_memtag", V6_5, |a| a.flags.contains(FunctionFlags::NO_SANITIZE_MEMTAG)),
    row("opaque", V6_5, |a| a.flags.contains(FunctionFlags::OPAQUE)),
    row("stage=…", V6_5, |a| a.stage.is_some()),
];

/// The attributes of global variables.
pub(super) const GLOBALS: &[Row<GlobalAttributes>] = &[
    row("used", V6_3, |a| a.is_used),
    row("section", V6_3, |a| a.section.is_some()),
    row("asmname", V6_3, |a| a.asmname.is_some()),
    row("export_interface", V6_4, |a| a.export == Some(ExportModel::Interface)),
    row("export_implementation", V6_4, |a| a.export == Some(ExportModel::Implementation)),
];

/// The parts of types.
pub(super) const TYPES: &[Row<TypeKind>] = &[
    row("-> @guaranteed", V6_3, |ty| returns(ty, ResultConvention::Guaranteed)),
    row("-> @guaranteed_address", V6_3, |ty| returns(ty, ResultConvention::GuaranteedAddress)),
    row("-> @inout", V6_3, |ty| returns(ty, ResultConvention::Inout)),
    row("@caller_isolated", V6_4, |ty| has_flag(ty, FnFlags::CALLER_ISOLATED)),
    row("() yields (…) -> ()", V6_4, |ty| function(ty).is_some_and(|f| !f.lowered && !f.yields.is_empty())),
    row("Builtin.Borrow", V6_4, |ty| matches!(ty, TypeKind::Builtin(name, _) if *name == "Borrow")),
    row("@called(…)", V6_5, |ty| {
        has_flag(ty, FnFlags::CALLED_AT_MOST_ONCE | FnFlags::CALLED_EXACTLY_ONCE | FnFlags::CALLED_ONCE)
    }),
    row("@convention(com_method)", V6_5, |ty| {
        function(ty).is_some_and(|f| f.convention == Convention::ComMethod)
    }),
];

/// The accessors in declaration references.
pub(super) const ACCESSORS: &[(&str, Release)] =
    &[("borrow", V6_3), ("mutate", V6_3), ("yielding_borrow", V6_4), ("yielding_mutate", V6_4)];

/// The keywords of instructions: the instruction, its attribute, the keyword.
pub(super) const KEYWORDS: &[(Opcode, &str, &str, Release)] =
    &[(Opcode::CheckedCastAddrBranch, "consumption", "test_only", V6_5)];

/// The form of a local variable in `assign_or_init`.
pub(super) const LOCAL: (&str, Release) = ("assign_or_init #x, local", V6_4);

/// The block that computes a debug variable.
pub(super) const TRANSFORM: (&str, Release) = ("transform {…}", V6_5);

/// The parts of tables.
pub(super) const CONFORMANCES: (&str, Release) = ("conformance in sil_vtable", V6_5);
pub(super) const SPECIALIZED_TABLE: (&str, Release) = ("sil_witness_table [specialized]", V6_3);
pub(super) const SPECIALIZED_DEINIT: (&str, Release) = ("sil_moveonlydeinit $S<T>", V6_5);

/// Returns all forms of this module.
pub(super) fn all() -> Vec<Form> {
    let new = |kind, spelling: &str, since| Form::new(kind, spelling, Releases::since(since));
    let mut all = Vec::new();
    all.extend(FUNCTIONS.iter().map(|r| new(FormKind::FunctionAttribute, r.spelling, r.since)));
    all.extend(GLOBALS.iter().map(|r| new(FormKind::GlobalAttribute, r.spelling, r.since)));
    all.extend(TYPES.iter().map(|r| new(FormKind::Type, r.spelling, r.since)));
    all.extend(ACCESSORS.iter().map(|&(name, since)| new(FormKind::Accessor, name, since)));
    all.extend(KEYWORDS.iter().map(|&(opcode, _, word, since)| keyword(opcode, word, since)));
    all.push(new(FormKind::Flag, LOCAL.0, LOCAL.1));
    all.push(new(FormKind::DebugVariable, TRANSFORM.0, TRANSFORM.1));
    for (spelling, since) in [CONFORMANCES, SPECIALIZED_TABLE, SPECIALIZED_DEINIT] {
        all.push(new(FormKind::Table, spelling, since));
    }
    all
}

/// Returns the form of a keyword of an instruction.
pub(super) fn keyword(opcode: Opcode, word: &str, since: Release) -> Form {
    Form::new(FormKind::Flag, format!("{} {word}", opcode.info().name), Releases::since(since))
}

fn function(ty: &TypeKind) -> Option<&FunctionType> {
    match ty {
        TypeKind::Function(function) => Some(function),
        _ => None,
    }
}

fn returns(ty: &TypeKind, convention: ResultConvention) -> bool {
    function(ty).is_some_and(|f| f.lowered && f.results.iter().any(|r| r.convention == convention))
}

fn has_flag(ty: &TypeKind, flags: FnFlags) -> bool {
    function(ty).is_some_and(|f| f.flags.intersects(flags))
}
