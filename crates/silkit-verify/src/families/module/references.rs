//! References in bodies: the entity exists and is visible to all modules that may copy the body.

use super::functions::is_serialized;
use crate::context::FunctionVerifier;
use crate::finding::Place;
use crate::rule::{Check, Rule};
use silkit_base::Symbol;
use silkit_diag::{RuleId, Severity};
use silkit_ir::{Function, FunctionFlags, Inst, Linkage, Opcode, Serialized, references};

pub(super) const RULES: &[&Rule] = &[&SERIALIZED_REFERENCE, &DECLARED, &DYNAMIC_REFERENCE];

/// Opcodes that reference functions or global variables.
const NAMING: &[Opcode] = &[
    Opcode::FunctionRef,
    Opcode::DynamicFunctionRef,
    Opcode::PreviousDynamicFunctionRef,
    Opcode::GlobalAddr,
    Opcode::GlobalValue,
    Opcode::AllocGlobal,
    Opcode::KeyPath,
];

static SERIALIZED_REFERENCE: Rule = Rule {
    id: RuleId::new("SIL0604"),
    name: "SerializedReference",
    severity: Severity::Error,
    summary: "A serialized function refers only to entities that are visible to other modules or serialized",
    details: "\
Its body may be copied into other modules, which cannot refer to `private` or `hidden` entities, nor to
`shared` functions that are not serialized. Make the function that it refers to public or serialized.",
    failing: "\
sil private @g : $@convention(thin) () -> () {
bb0:
  %0 = tuple ()
  return %0 : $()
}
sil [serialized] @f : $@convention(thin) () -> () {
bb0:
  %0 = function_ref @g : $@convention(thin) () -> ()
  %1 = apply %0() : $@convention(thin) () -> ()
  return %1 : $()
}
",
    corrected: "\
sil shared [serialized] @g : $@convention(thin) () -> () {
bb0:
  %0 = tuple ()
  return %0 : $()
}
sil [serialized] @f : $@convention(thin) () -> () {
bb0:
  %0 = function_ref @g : $@convention(thin) () -> ()
  %1 = apply %0() : $@convention(thin) () -> ()
  return %1 : $()
}
",
    check: Check::Inst(
        &[
            Opcode::FunctionRef,
            Opcode::DynamicFunctionRef,
            Opcode::PreviousDynamicFunctionRef,
            Opcode::GlobalAddr,
            Opcode::GlobalValue,
        ],
        serialized_reference,
    ),
};

fn serialized_reference(cx: &FunctionVerifier<'_>, inst: Inst) {
    if !is_serialized(cx.function) {
        return;
    }
    let is_whole = cx.function.attributes.serialized == Serialized::Fully;
    let mut other = None;
    let (name, linkage) = if let Some(name) = cx.body.word(inst, "function").map(Symbol::from_u32) {
        let Some(function) = cx.callee(name).filter(|f| !may_be_copied(f, is_whole)) else { return };
        other = cx.callee_id(name);
        (name, function.linkage)
    } else if let Some(name) = cx.body.word(inst, "global").map(Symbol::from_u32) {
        let Some(global) = cx.global(name) else { return };
        if global.attributes.serialized != Serialized::No || is_seen(global.linkage) {
            return;
        }
        (name, global.linkage)
    } else {
        return;
    };
    let message = format!(
        "a serialized function refers to `@{name}`, which is `{}` and not serialized",
        linkage.spelling()
    );
    let mut finding = cx.finding(&SERIALIZED_REFERENCE, Place::Inst(inst), message);
    if let Some(other) = other {
        finding = finding.also(Place::Function(other), "it is not visible to other modules");
    }
    cx.report(finding.also(Place::Whole, "this function is serialized"));
}

/// Returns true if an entity with this linkage is visible to other modules.
fn is_seen(linkage: Linkage) -> bool {
    use Linkage as L;
    !matches!(linkage, L::Private | L::Hidden | L::HiddenExternal | L::Shared)
}

/// Returns true if a function may be referenced in a body that all modules, or those of the package, may copy.
fn may_be_copied(function: &Function, by_all: bool) -> bool {
    let serialized = function.attributes.serialized;
    is_seen(function.linkage)
        || serialized == Serialized::Fully
        || !by_all && serialized == Serialized::ForPackage
        || function.linkage == Linkage::Shared && function.body.is_none()
}

static DECLARED: Rule = Rule {
    id: RuleId::new("SIL0605"),
    name: "Declared",
    severity: Severity::Error,
    summary: "Functions and global variables that are referred to are declared",
    details: "\
Without a declaration their type and linkage are unknown. A declaration is a definition without its
body: `sil @g : $…`, and for a variable `sil_global public_external @v : $…`.",
    failing: "\
sil @f : $@convention(thin) () -> () {
bb0:
  %0 = function_ref @g : $@convention(thin) () -> ()
  %1 = apply %0() : $@convention(thin) () -> ()
  return %1 : $()
}
",
    corrected: "\
sil @g : $@convention(thin) () -> ()
sil @f : $@convention(thin) () -> () {
bb0:
  %0 = function_ref @g : $@convention(thin) () -> ()
  %1 = apply %0() : $@convention(thin) () -> ()
  return %1 : $()
}
",
    check: Check::Inst(NAMING, declared),
};

fn declared(cx: &FunctionVerifier<'_>, inst: Inst) {
    references::of_inst(cx.body, inst, &mut |name| {
        let is_declared = match cx.body.inst(inst).opcode {
            Opcode::GlobalAddr | Opcode::GlobalValue | Opcode::AllocGlobal => cx.global(name).is_some(),
            Opcode::KeyPath => cx.callee(name).is_some() || cx.global(name).is_some(),
            _ => cx.callee(name).is_some(),
        };
        if !is_declared {
            let other = cx.callee(name).map(|_| ("variable", "function"));
            let other = other.or_else(|| cx.global(name).map(|_| ("function", "variable")));
            let message = match other {
                Some((wanted, found)) => format!("expected a {wanted}, and `@{name}` is a {found}"),
                None => format!("`@{name}` is not declared"),
            };
            cx.report(cx.finding(&DECLARED, Place::Inst(inst), message));
        }
    });
}

static DYNAMIC_REFERENCE: Rule = Rule {
    id: RuleId::new("SIL0609"),
    name: "DynamicReference",
    severity: Severity::Error,
    summary: "The kind of a function reference matches whether the function is dynamically replaceable",
    details: "\
`dynamic_function_ref` finds the current implementation of a `[dynamically_replacable]` function, which
`function_ref` does not; other functions have no such entry. `prev_dynamic_function_ref` finds the
implementation that a function with `[dynamic_replacement_for …]` replaces.",
    failing: "\
sil [dynamically_replacable] @g : $@convention(thin) () -> ()
sil @f : $@convention(thin) () -> () {
bb0:
  %0 = function_ref @g : $@convention(thin) () -> ()
  %1 = apply %0() : $@convention(thin) () -> ()
  return %1 : $()
}
",
    corrected: "\
sil [dynamically_replacable] @g : $@convention(thin) () -> ()
sil @f : $@convention(thin) () -> () {
bb0:
  %0 = dynamic_function_ref @g : $@convention(thin) () -> ()
  %1 = apply %0() : $@convention(thin) () -> ()
  return %1 : $()
}
",
    check: Check::Inst(
        &[Opcode::FunctionRef, Opcode::DynamicFunctionRef, Opcode::PreviousDynamicFunctionRef],
        dynamic_reference,
    ),
};

fn dynamic_reference(cx: &FunctionVerifier<'_>, inst: Inst) {
    let Some(name) = cx.body.word(inst, "function").map(Symbol::from_u32) else { return };
    let Some(id) = cx.callee_id(name) else { return };
    let function = &cx.module().functions[id];
    let is_replaceable = function.has(FunctionFlags::DYNAMICALLY_REPLACEABLE);
    let why = match cx.body.inst(inst).opcode {
        Opcode::FunctionRef if is_replaceable => "may be replaced while the program runs",
        Opcode::DynamicFunctionRef if !is_replaceable => "cannot be replaced while the program runs",
        Opcode::PreviousDynamicFunctionRef if function.attributes.dynamic_replacement_for.is_none() => {
            "replaces no other function"
        }
        _ => return,
    };
    let message = format!("`{}` refers to `@{name}`, which {why}", cx.body.info(inst).name);
    cx.report(
        cx.finding(&DYNAMIC_REFERENCE, Place::Inst(inst), message).also(Place::Function(id), "declared here"),
    );
}
