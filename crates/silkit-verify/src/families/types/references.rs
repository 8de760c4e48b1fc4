//! Rules for references to functions and global variables, compared with their declarations.

use super::facts::{declared, differ, sil_type};
use crate::context::FunctionVerifier;
use crate::finding::Place;
use crate::rule::{Check, Rule};
use silkit_base::Symbol;
use silkit_diag::{RuleId, Severity};
use silkit_ir::{Inst, KeyPath, KeyPathComponent, KeyPathData, KeyPathId, NONE, Opcode};
use silkit_types::decl::{DeclFlags, NominalDecl, NominalKind};
use silkit_types::{GenericSig, RequirementKind, SigData, SilType, Type, TypeKind};

pub(super) const RULES: &[&Rule] = &[&REFERENCE_TYPE];

static REFERENCE_TYPE: Rule = Rule {
    id: RuleId::new("SIL0340"),
    name: "ReferenceType",
    severity: Severity::Error,
    summary: "A reference to a function or a global variable has the type of what it names",
    details: "\
It is declared once, with one type. Write this type after the reference, or name another function or
variable.",
    failing: "\
sil_global @v : $Builtin.Int64
sil @f : $@convention(thin) () -> () {
bb0:
  %0 = global_addr @v : $*Builtin.Int32
  %1 = tuple ()
  return %1 : $()
}
",
    corrected: "\
sil_global @v : $Builtin.Int64
sil @f : $@convention(thin) () -> () {
bb0:
  %0 = global_addr @v : $*Builtin.Int64
  %1 = tuple ()
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
            Opcode::KeyPath,
        ],
        reference_type,
    ),
};

/// Returns the functions that a key path names, with the types that it gives them.
fn functions_of_key_path(cx: &FunctionVerifier<'_>, inst: Inst) -> Vec<(Symbol, SilType)> {
    let Some(word) = cx.body.word(inst, "pattern").filter(|&word| word != NONE) else { return Vec::new() };
    let mut found = Vec::new();
    for component in &KeyPathData::of(KeyPath::from_u32(word)).components {
        if let KeyPathComponent::Computed { id, getter, setter, equals, hash, .. } = component {
            found.extend(getter.iter().chain(setter).chain(equals).chain(hash).copied());
            if let KeyPathId::Function(name, ty) = id {
                found.push((*name, *ty));
            }
        }
    }
    found
}

fn reference_type(cx: &FunctionVerifier<'_>, inst: Inst) {
    if cx.body.inst(inst).opcode == Opcode::KeyPath {
        for (name, ty) in functions_of_key_path(cx, inst) {
            if let Some(function) = cx.callee(name) {
                compare(cx, inst, name, ty, function.ty);
            }
        }
        return;
    }
    let Some(ty) = sil_type(cx, inst, "type") else { return };
    let (name, declared) = match cx.body.inst(inst).opcode {
        Opcode::GlobalAddr | Opcode::GlobalValue => {
            let Some(name) = cx.body.word(inst, "global").map(Symbol::from_u32) else { return };
            let Some(global) = cx.global(name) else { return };
            let is_address = cx.body.inst(inst).opcode == Opcode::GlobalAddr;
            let value = global.initializer.as_ref().and_then(|body| body.last_inst(body.entry_block()?));
            let is_object = value
                .zip(global.initializer.as_ref())
                .is_some_and(|(inst, body)| body.inst(inst).opcode == Opcode::Object);
            if is_address && is_object {
                let message =
                    format!("`@{name}` is statically initialized as an object, which has no address");
                let finding = cx.finding(&REFERENCE_TYPE, Place::Inst(inst), message);
                cx.report(finding.note("use `global_value`"));
            }
            (name, SilType::new(global.ty.ty(), is_address))
        }
        _ => {
            let Some(name) = cx.body.word(inst, "function").map(Symbol::from_u32) else { return };
            let Some(function) = cx.callee(name) else { return };
            (name, function.ty)
        }
    };
    compare(cx, inst, name, ty, declared);
}

/// Returns true if two function types have as many generic parameters, and one requires a conformance that the other
/// does not.
fn has_other_requirements(cx: &FunctionVerifier<'_>, a: SilType, b: SilType) -> bool {
    let sig = |ty: SilType| ty.ty().as_function().and_then(|f| f.sig);
    let (Some(a), Some(b)) = (sig(a), sig(b)) else { return false };
    if a == b || a.data().params.len() != b.data().params.len() || cx.sound_types().alike.contains((a, b)) {
        return false;
    }
    let both = conformances(cx, a).zip(conformances(cx, b));
    let differ = both.is_some_and(|(of_a, of_b)| lacks(&of_a, &of_b) || lacks(&of_b, &of_a));
    if !differ {
        cx.sound_types().alike.extend([(a, b)]);
    }
    differ
}

/// A parameter, by its position, with a protocol that it conforms to.
type Conformance<'a> = (usize, &'a NominalDecl);

/// Returns true if a parameter of a signature conforms to a known protocol that the same parameter of another signature
/// surely does not conform to.
fn lacks(wanted: &[Conformance<'_>], given: &[Conformance<'_>]) -> bool {
    wanted.iter().any(|(param, protocol)| {
        // Others may inherit from the protocol.
        let may_imply = |other: &NominalDecl| {
            other.path == protocol.path || !other.inherited.is_empty() || !other.requirements.is_empty()
        };
        !protocol.flags.contains(DeclFlags::MARKER)
            && !given.iter().any(|(of, other)| of == param && may_imply(other))
    })
}

/// Returns the protocols that a signature requires of its parameters, by position; `None` if it requires something else.
fn conformances<'a>(cx: &FunctionVerifier<'a>, sig: GenericSig) -> Option<Vec<Conformance<'a>>> {
    let protocol = |ty: Type| declared(cx, ty).filter(|decl| decl.kind == NominalKind::Protocol);
    let SigData { params, requirements } = sig.data();
    let mut found = Vec::with_capacity(params.len() + requirements.len());
    for (at, param) in params.iter().enumerate() {
        if param.is_pack || param.value_type.is_some() {
            return None;
        }
        if let Some(bound) = param.bound {
            found.push((at, protocol(bound)?));
        }
    }
    for requirement in requirements {
        let TypeKind::Param { depth, index, .. } = requirement.subject.kind() else { return None };
        let at = params.iter().position(|p| p.depth == *depth && p.index == *index)?;
        if requirement.kind != RequirementKind::Conforms {
            return None;
        }
        found.push((at, protocol(requirement.constraint)?));
    }
    Some(found)
}

/// Reports that an instruction gives an entity another type than its declaration.
fn compare(cx: &FunctionVerifier<'_>, inst: Inst, name: Symbol, ty: SilType, declared: SilType) {
    if differ(cx, ty, declared) || has_other_requirements(cx, ty, declared) {
        let op = cx.body.info(inst).name;
        let message = format!("`{op}` gives `@{name}` the type `{ty}`");
        cx.report(
            cx.finding(&REFERENCE_TYPE, Place::Inst(inst), message)
                .note(format!("`@{name}` is declared with the type `{declared}`")),
        );
    }
}
