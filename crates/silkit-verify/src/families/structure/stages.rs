//! Rules for stages: instructions that are allowed only in raw SIL, or only in functions with or without ownership.

use crate::context::FunctionVerifier;
use crate::finding::Place;
use crate::rule::{Check, Rule};
use silkit_diag::{RuleId, Severity};
use silkit_ir::conventions::Addresses;
use silkit_ir::info::Stage;
use silkit_ir::{Block, Inst, NONE, Opcode, SilStage};

pub(super) const RULES: &[&Rule] = &[
    &DEAD_END_IS_DEAD,
    &RAW_SIL_ONLY,
    &OWNERSHIP_ONLY,
    &NO_OWNERSHIP_ONLY,
    &ACCESS_IS_ENFORCED,
    &LOWERED_SIL_ONLY,
    &OPAQUE_VALUES_ONLY,
    &INITIALIZER_ONLY,
];

static RAW_SIL_ONLY: Rule = Rule {
    id: RuleId::new("SIL0130"),
    name: "RawSilOnly",
    severity: Severity::Error,
    summary: "Instructions that mandatory passes resolve are allowed only in raw SIL",
    details: "\
Instructions such as `mark_uninitialized` and `assign` have a meaning only for the mandatory passes,
which remove them. Canonical SIL gives them no meaning. Run the mandatory passes, or begin the file with
`sil_stage raw`.",
    failing: "\
sil @f : $@convention(thin) (@inout Builtin.Int64) -> () {
bb0(%0 : $*Builtin.Int64):
  %1 = mark_uninitialized [var] %0 : $*Builtin.Int64
  unreachable
}
",
    corrected: "\
sil_stage raw

import Builtin

sil @f : $@convention(thin) (@inout Builtin.Int64) -> () {
bb0(%0 : $*Builtin.Int64):
  %1 = mark_uninitialized [var] %0 : $*Builtin.Int64
  unreachable
}
",
    check: Check::Inst(&[], raw_sil_only),
};

fn raw_sil_only(cx: &FunctionVerifier<'_>, inst: Inst) {
    if is_raw(cx) {
        return;
    }
    let name = cx.body.info(inst).name;
    let opcode = cx.body.inst(inst).opcode;
    let what = if cx.body.info(inst).stage == Stage::Raw {
        format!("`{name}`")
    } else if opcode == Opcode::ConvertEscapeToNoEscape && cx.body.has_flag(inst, "not_guaranteed") {
        format!("`{name} [not_guaranteed]`")
    } else if opcode == Opcode::IgnoredUse {
        let message = format!("`{name}` is allowed only in raw SIL");
        // The reference does not check it.
        cx.report(cx.finding(&RAW_SIL_ONLY, Place::Inst(inst), message).warning());
        return;
    } else {
        return;
    };
    let message = format!("{what} is allowed only in raw SIL");
    cx.report(cx.finding(&RAW_SIL_ONLY, Place::Inst(inst), message));
}

/// Returns true if the mandatory passes have not run yet.
pub(crate) fn is_raw(cx: &FunctionVerifier<'_>) -> bool {
    cx.module().is_raw()
}

static OWNERSHIP_ONLY: Rule = Rule {
    id: RuleId::new("SIL0131"),
    name: "OwnershipOnly",
    severity: Severity::Error,
    summary: "Copies, borrows and their ends are allowed only in `[ossa]` functions",
    details: "\
In a function without ownership, copies, borrows and moves of values do not exist: `strong_retain` and
similar instructions count references, and loads and stores have no qualifier. Mark the function
`[ossa]`, or use the instruction without ownership.",
    failing: "\
sil @f : $@convention(thin) (@guaranteed Builtin.NativeObject) -> () {
bb0(%0 : $Builtin.NativeObject):
  %1 = copy_value %0 : $Builtin.NativeObject
  unreachable
}
",
    corrected: "\
sil @f : $@convention(thin) (@guaranteed Builtin.NativeObject) -> () {
bb0(%0 : $Builtin.NativeObject):
  strong_retain %0 : $Builtin.NativeObject
  unreachable
}
",
    check: Check::Inst(
        &[
            Opcode::BeginBorrow,
            Opcode::EndBorrow,
            Opcode::LoadBorrow,
            Opcode::BorrowedFrom,
            Opcode::CopyValue,
            Opcode::ExplicitCopyValue,
            Opcode::MoveValue,
            Opcode::DestroyValue,
            Opcode::DropDeinit,
            Opcode::EndLifetime,
            Opcode::ExtendLifetime,
            Opcode::UnmanagedRetainValue,
            Opcode::UnmanagedReleaseValue,
            Opcode::UncheckedOwnershipConversion,
            Opcode::MergeIsolationRegion,
            Opcode::UncheckedValueCast,
            Opcode::MarkUnresolvedMoveAddr,
            Opcode::Load,
            Opcode::Store,
        ],
        ownership_only,
    ),
};

fn ownership_only(cx: &FunctionVerifier<'_>, inst: Inst) {
    let name = cx.body.info(inst).name;
    let opcode = cx.body.inst(inst).opcode;
    if opcode == Opcode::MergeIsolationRegion && cx.body.operands(inst).len() < 2 {
        let message = format!("`{name}` merges the regions of two values or more");
        cx.report(cx.finding(&OWNERSHIP_ONLY, Place::Inst(inst), message));
    }
    if !matches!(opcode, Opcode::Load | Opcode::Store) {
        if !cx.is_ossa() {
            let message = format!("`{name}` is allowed only in an `[ossa]` function");
            let finding = cx.finding(&OWNERSHIP_ONLY, Place::Inst(inst), message);
            cx.report(
                finding
                    .reference_message("Inst with qualified ownership in a function that is not qualified"),
            );
        }
        return;
    }
    let at = cx.body.info(inst).attrs.iter().position(|a| a.name == "qualifier");
    let is_qualified = at.is_some_and(|at| cx.body.words(inst)[at] != NONE);
    let violation = match (cx.is_ossa(), is_qualified) {
        (false, true) => {
            (&OWNERSHIP_ONLY, format!("`{name}` with a qualifier is allowed only in an `[ossa]` function"))
        }
        (true, false) => (&NO_OWNERSHIP_ONLY, format!("`{name}` needs a qualifier in an `[ossa]` function")),
        _ => return,
    };
    cx.report(cx.finding(violation.0, Place::Inst(inst), violation.1));
}

static NO_OWNERSHIP_ONLY: Rule = Rule {
    id: RuleId::new("SIL0132"),
    name: "NoOwnershipOnly",
    severity: Severity::Error,
    summary: "Reference counting and unqualified loads and stores are not allowed in `[ossa]` functions",
    details: "\
In an `[ossa]` function every value has an ownership kind. Retains and releases beside its copies and
destroys are not part of that system, and an unqualified load does not tell whether its result is copied
or taken.",
    failing: "\
sil [ossa] @f : $@convention(thin) (@in_guaranteed Builtin.Int64) -> () {
bb0(%0 : $*Builtin.Int64):
  %1 = load %0 : $*Builtin.Int64
  unreachable
}
",
    corrected: "\
sil [ossa] @f : $@convention(thin) (@in_guaranteed Builtin.Int64) -> () {
bb0(%0 : $*Builtin.Int64):
  %1 = load [trivial] %0 : $*Builtin.Int64
  unreachable
}
",
    check: Check::Inst(
        &[
            Opcode::StrongRetain,
            Opcode::StrongRelease,
            Opcode::RetainValue,
            Opcode::ReleaseValue,
            Opcode::RetainValueAddr,
            Opcode::ReleaseValueAddr,
            Opcode::StrongRetainUnowned,
            Opcode::UnownedRetain,
            Opcode::UnownedRelease,
        ],
        no_ownership_only,
    ),
};

fn no_ownership_only(cx: &FunctionVerifier<'_>, inst: Inst) {
    if cx.is_ossa() {
        let message = format!("`{}` is not allowed in an `[ossa]` function", cx.body.info(inst).name);
        cx.report(cx.finding(&NO_OWNERSHIP_ONLY, Place::Inst(inst), message));
    }
}

static ACCESS_IS_ENFORCED: Rule = Rule {
    id: RuleId::new("SIL0133"),
    name: "AccessIsEnforced",
    severity: Severity::Error,
    summary: "Outside raw SIL an access states its enforcement, and an initializing access is static",
    details: "\
A pass decides early whether exclusivity is proven (`static`), checked at run time (`dynamic`) or
assumed (`unsafe`). `unknown` is for raw SIL. Memory that an access initializes cannot be accessed by
others yet, so there is nothing to check at run time.",
    failing: "\
sil @f : $@convention(thin) (@inout Builtin.Int64) -> () {
bb0(%0 : $*Builtin.Int64):
  %1 = begin_access [read] [unknown] %0 : $*Builtin.Int64
  end_access %1 : $*Builtin.Int64
  unreachable
}
",
    corrected: "\
sil @f : $@convention(thin) (@inout Builtin.Int64) -> () {
bb0(%0 : $*Builtin.Int64):
  %1 = begin_access [read] [static] %0 : $*Builtin.Int64
  end_access %1 : $*Builtin.Int64
  unreachable
}
",
    check: Check::Inst(
        &[Opcode::BeginAccess, Opcode::BeginUnpairedAccess, Opcode::EndUnpairedAccess],
        access_is_enforced,
    ),
};

fn access_is_enforced(cx: &FunctionVerifier<'_>, inst: Inst) {
    if cx.body.inst(inst).opcode == Opcode::EndUnpairedAccess {
        return ends_as_it_began(cx, inst);
    }
    let (kind, enforcement) = (cx.body.keyword(inst, "kind"), cx.body.keyword(inst, "enforcement"));
    let message = match (kind, enforcement) {
        (_, Some("unknown")) if cx.body.inst(inst).opcode == Opcode::BeginUnpairedAccess => {
            "an unpaired access must state its enforcement, also in raw SIL"
        }
        (_, Some("unknown")) if !is_raw(cx) => "the access does not state its enforcement",
        (Some("init"), Some("dynamic" | "unsafe" | "unknown")) => "an initializing access must be static",
        // The move checker has not yet seen what the compiler printed.
        (Some("deinit"), Some("dynamic")) if is_raw(cx) && cx.is_printed_by_compiler() => return,
        (Some("deinit"), Some("dynamic" | "unsafe")) => {
            let message = "an access that ends the lifetime of memory must be static";
            // The reference does not check it.
            cx.report(cx.finding(&ACCESS_IS_ENFORCED, Place::Inst(inst), message).warning());
            return;
        }
        _ => return,
    };
    cx.report(cx.finding(&ACCESS_IS_ENFORCED, Place::Inst(inst), message));
}

/// Checks that an unpaired access ends with the enforcement of its beginning, if the buffer has a single one.
fn ends_as_it_began(cx: &FunctionVerifier<'_>, end: Inst) {
    let users = cx.body.users(cx.body.operand_value(end, 0));
    let mut begins = users.filter(|&user| cx.body.inst(user).opcode == Opcode::BeginUnpairedAccess);
    let (Some(begin), None) = (begins.next(), begins.next()) else { return };
    let enforcement = |inst| cx.body.keyword(inst, "enforcement");
    if let (Some(began), Some(ended)) = (enforcement(begin), enforcement(end))
        && began != ended
    {
        let message = format!("the access began as `[{began}]`, but ends as `[{ended}]`");
        let finding = cx.finding(&ACCESS_IS_ENFORCED, Place::Inst(end), message).warning();
        cx.report(finding.also(Place::Inst(begin), "it begins here"));
    }
}

static DEAD_END_IS_DEAD: Rule = Rule {
    id: RuleId::new("SIL0107"),
    name: "DeadEndIsDead",
    severity: Severity::Error,
    summary: "An instruction marked `[dead_end]` is in a dead-end block",
    details: "\
`[dead_end]` says that the end of a lifetime may be left out, because the program stops; outside of raw
SIL `extend_lifetime` says the same. From where it stands no path may reach a `return`, `throw` or
`unwind`. Remove the mark.",
    failing: "\
sil [ossa] @f : $@convention(thin) (@owned Builtin.NativeObject) -> () {
bb0(%0 : @owned $Builtin.NativeObject):
  destroy_value [dead_end] %0 : $Builtin.NativeObject
  %2 = tuple ()
  return %2 : $()
}
",
    corrected: "\
sil [ossa] @f : $@convention(thin) (@owned Builtin.NativeObject) -> () {
bb0(%0 : @owned $Builtin.NativeObject):
  destroy_value %0 : $Builtin.NativeObject
  %2 = tuple ()
  return %2 : $()
}
",
    check: Check::Inst(&[Opcode::DestroyValue, Opcode::DeallocBox, Opcode::ExtendLifetime], dead_end_is_dead),
};

fn dead_end_is_dead(cx: &FunctionVerifier<'_>, inst: Inst) {
    let block = cx.body.inst_block(inst);
    let name = cx.body.info(inst).name;
    let reference_message = match cx.body.inst(inst).opcode {
        Opcode::DestroyValue => "a dead_end destroy_value must be in a dead-end block",
        Opcode::DeallocBox => "a dead_end dealloc_box must be in a dead-end block",
        _ => "extend_lifetime in canonical SIL must be in a dead-end block",
    };
    let what = if cx.body.inst(inst).opcode != Opcode::ExtendLifetime {
        if !cx.body.has_flag(inst, "dead_end") {
            return;
        }
        format!("`{name} [dead_end]`")
    } else if is_raw(cx) {
        return;
    } else {
        format!("`{name}`")
    };
    if !cx.dead_ends().is_dead_end(block) {
        let leaves =
            |b: Block| cx.body.last_inst(b).is_some_and(|i| cx.body.inst(i).opcode.leaves_function());
        let path = silkit_analysis::path(cx.body, &[block], leaves, |_| true).unwrap_or_default();
        let message = format!("{what} is on a path out of the function");
        let mut finding =
            cx.finding(&DEAD_END_IS_DEAD, Place::Inst(inst), message).reference_message(reference_message);
        if let Some(exit) = path.last().and_then(|&b| cx.body.last_inst(b)) {
            finding = finding.also(Place::Inst(exit), "leaves the function");
        }
        cx.report(finding.path(path));
    }
}

static LOWERED_SIL_ONLY: Rule = Rule {
    id: RuleId::new("SIL0134"),
    name: "LoweredSilOnly",
    severity: Severity::Error,
    summary: "Markers of pack metadata and stated types of extracted derivatives are allowed only in lowered SIL",
    details: "\
`alloc_pack_metadata` marks where code generation may put metadata of packs on the stack. The pass that
inserts these markers runs last; earlier, nothing keeps them next to the instructions that they mark.
The type of a derivative follows from the function, until passes that rewrite large types state it after
`as`. Remove it.",
    failing: "\
sil @f : $@convention(thin) () -> () {
bb0:
  %0 = alloc_pack_metadata $()
  dealloc_pack_metadata %0 : $*()
  %2 = tuple ()
  return %2 : $()
}
",
    corrected: "\
sil @f : $@convention(thin) () -> () {
bb0:
  %0 = tuple ()
  return %0 : $()
}
",
    check: Check::Inst(&[Opcode::AllocPackMetadata, Opcode::DifferentiableFunctionExtract], lowered_sil_only),
};

fn lowered_sil_only(cx: &FunctionVerifier<'_>, inst: Inst) {
    if cx.module().stage == Some(SilStage::Lowered) {
        return;
    }
    if cx.body.inst(inst).opcode != Opcode::AllocPackMetadata {
        // Optimized modules of the compiler state it too, of functions that were converted.
        if !cx.is_printed_by_compiler() && cx.body.word(inst, "type").is_some_and(|word| word != NONE) {
            let message = format!(
                "`{}` states the type of its result, which only lowered SIL does",
                cx.body.info(inst).name
            );
            // The reference does not check it.
            cx.report(cx.finding(&LOWERED_SIL_ONLY, Place::Inst(inst), message).warning());
        }
    } else {
        let message = "`alloc_pack_metadata` is allowed only in lowered SIL";
        cx.report(cx.finding(&LOWERED_SIL_ONLY, Place::Inst(inst), message));
    }
}

static OPAQUE_VALUES_ONLY: Rule = Rule {
    id: RuleId::new("SIL0137"),
    name: "OpaqueValuesOnly",
    severity: Severity::Error,
    summary: "Weak and unowned references and packs are values only with opaque values",
    details: "\
The storage of a weak or unowned reference is in memory, as is a tuple with a pack expansion, unless the file is read with
`-enable-sil-opaque-values`. Store the reference there with `store_weak` or `store_unowned`.",
    failing: "\
class C {
}
sil [ossa] @f : $@convention(thin) (@guaranteed Optional<C>) -> () {
bb0(%0 : @guaranteed $Optional<C>):
  %1 = weak_copy_value %0 : $Optional<C>
  unreachable
}
",
    corrected: "\
class C {
}
sil [ossa] @f : $@convention(thin) (@guaranteed Optional<C>) -> () {
bb0(%0 : @guaranteed $Optional<C>):
  %1 = alloc_stack $@sil_weak Optional<C>
  store_weak %0 to [init] %1 : $*@sil_weak Optional<C>
  unreachable
}
",
    check: Check::Inst(
        &[
            Opcode::WeakCopyValue,
            Opcode::UnownedCopyValue,
            Opcode::StrongCopyWeakValue,
            Opcode::TuplePackExtract,
        ],
        opaque_values_only,
    ),
};

fn opaque_values_only(cx: &FunctionVerifier<'_>, inst: Inst) {
    if cx.addresses() == Addresses::Lowered {
        let message = format!("`{}` is allowed only with opaque values", cx.body.info(inst).name);
        cx.report(cx.finding(&OPAQUE_VALUES_ONLY, Place::Inst(inst), message));
    }
}

static INITIALIZER_ONLY: Rule = Rule {
    id: RuleId::new("SIL0138"),
    name: "InitializerOnly",
    severity: Severity::Error,
    summary: "`object` and `vector` are allowed only in static initializers",
    details: "\
They describe data that is laid out at compile time: an object with its tail elements, and the elements
of an array. A function allocates an object with `alloc_ref`.",
    failing: "\
class C {
}
sil @f : $@convention(thin) () -> () {
bb0:
  %0 = object $C ()
  unreachable
}
",
    corrected: "\
class C {
}
sil @f : $@convention(thin) () -> () {
bb0:
  %0 = alloc_ref $C
  unreachable
}
",
    check: Check::Inst(&[Opcode::Object, Opcode::Vector], initializer_only),
};

fn initializer_only(cx: &FunctionVerifier<'_>, inst: Inst) {
    let message = format!("`{}` is not allowed in a function", cx.body.info(inst).name);
    cx.report(cx.finding(&INITIALIZER_ONLY, Place::Inst(inst), message));
}
