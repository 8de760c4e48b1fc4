//! Rules for allocation and deallocation of objects: reference counting, and matching classes.

use super::casts::inherits;
use super::facts::{at_operand, operand, params_may_meet, resolved, same, sil_type};
use super::kinds::{holds, metatype};
use crate::context::FunctionVerifier;
use crate::finding::Place;
use crate::rule::{Check, Rule};
use silkit_diag::{RuleId, Severity};
use silkit_ir::info::TypePredicate;
use silkit_ir::{Inst, NONE, Opcode};
use silkit_types::{MetatypeRepr, SilType, Type, TypeKind};

pub(super) const RULES: &[&Rule] = &[&TAIL_ELEMENTS, &FITTING_CLASS];

static TAIL_ELEMENTS: Rule = Rule {
    id: RuleId::new("SIL0305"),
    name: "TailElements",
    severity: Severity::Error,
    summary: "The count of tail elements is a builtin integer, and `[objc]` allocations have none",
    details: "\
`[tail_elems $E * %n]` reserves memory for `%n` elements of type `E` after the stored properties. The
count is a `Builtin.Word` or another builtin integer. Objective-C allocation does not support tail
elements, so `[objc]` excludes them. `ref_tail_addr` of an object that the function allocates names the
type of its first elements.",
    failing: "\
class C {
}
sil @f : $@convention(thin) (Builtin.FPIEEE64) -> () {
bb0(%0 : $Builtin.FPIEEE64):
  %1 = alloc_ref [tail_elems $Builtin.Int8 * %0 : $Builtin.FPIEEE64] $C
  unreachable
}
",
    corrected: "\
class C {
}
sil @f : $@convention(thin) (Builtin.Word) -> () {
bb0(%0 : $Builtin.Word):
  %1 = alloc_ref [tail_elems $Builtin.Int8 * %0 : $Builtin.Word] $C
  unreachable
}
",
    check: Check::Inst(&[Opcode::AllocRef, Opcode::AllocRefDynamic, Opcode::RefTailAddr], tail_elements),
};

fn tail_elements(cx: &FunctionVerifier<'_>, inst: Inst) {
    if cx.body.inst(inst).opcode == Opcode::RefTailAddr {
        return first_tail_element(cx, inst);
    }
    let types = cx.body.list(cx.body.word(inst, "tail_types").unwrap_or(NONE));
    if types.is_empty() {
        return;
    }
    let name = cx.body.info(inst).name;
    if cx.body.has_flag(inst, "objc") {
        let message = format!("`{name} [objc]` reserves elements at the end of the object");
        cx.report(cx.finding(&TAIL_ELEMENTS, Place::Inst(inst), message));
        return;
    }
    let Some(spec) = cx.body.info(inst).operands.iter().position(|o| o.name == "counts") else { return };
    for index in cx.body.operand_range(inst, spec) {
        let ty = operand(cx, inst, index);
        if !ty.is_unknown() && holds(cx, ty.ty(), TypePredicate::Integer) == Some(false) {
            let message = format!("`{name}` counts its elements by a builtin integer, not by `{ty}`");
            cx.report(at_operand(cx, &TAIL_ELEMENTS, inst, index, message));
        }
    }
}

/// Checks that a tail element has the layout of the first ones that the object was allocated with.
fn first_tail_element(cx: &FunctionVerifier<'_>, inst: Inst) {
    let alloc = allocation(cx, inst).filter(|&def| cx.body.inst(def).opcode == Opcode::AllocRef);
    let (Some(alloc), Some(element)) = (alloc, sil_type(cx, inst, "type")) else { return };
    let types = cx.body.list(cx.body.word(alloc, "tail_types").unwrap_or(NONE));
    let Some(first) = types.first().map(|&word| SilType::from_u32(word).ty()) else { return };
    let element = element.ty();
    // A cast may give elements another type that is stored the same way.
    let layout = |ty| Some(cx.declarations().fixed_size(ty)?.stride());
    let (Some(of_first), Some(of_element)) = (layout(first), layout(element)) else { return };
    if of_first != of_element && same(cx, first, element) == Some(false) {
        let message =
            format!("the first tail elements of the object are `{first}`, but `{element}` is projected");
        // The reference does not check it.
        let finding = cx.finding(&TAIL_ELEMENTS, Place::Inst(inst), message).warning();
        cx.report(finding.also(Place::Inst(alloc), "allocated here"));
    }
}

/// Returns the instruction that allocates the object of an operand, the first one, in the same function.
fn allocation(cx: &FunctionVerifier<'_>, inst: Inst) -> Option<Inst> {
    let body = cx.body;
    let mut def = body.defining_inst(body.operands(inst).first()?.value)?;
    // The defining instructions cannot be cyclic in a sound body.
    for _ in 0..MOST_STEPS {
        match body.inst(def).opcode {
            Opcode::AllocRef | Opcode::AllocRefDynamic => return Some(def),
            Opcode::Upcast
            | Opcode::UncheckedRefCast
            | Opcode::BeginBorrow
            | Opcode::CopyValue
            | Opcode::MoveValue
            | Opcode::EndInitLetRef
            | Opcode::EndCOWMutation => {}
            _ => return None,
        }
        def = body.defining_inst(body.operands(def).first()?.value)?;
    }
    None
}

/// The maximum number of casts and borrows between an allocation and a use of it.
const MOST_STEPS: usize = 16;

static FITTING_CLASS: Rule = Rule {
    id: RuleId::new("SIL0306"),
    name: "FittingClass",
    severity: Severity::Error,
    summary: "An allocated or deallocated class matches the metatype or the allocation operand",
    details: "\
`dealloc_partial_ref` names by a metatype the superclass up to which the object was initialized.
`alloc_ref` makes an instance of a class, not of an existential or a generic parameter; so does
`alloc_ref_dynamic`, which takes a `@thick` metatype, with `[objc]` an `@objc_metatype`. `begin_dealloc_ref`
names the allocation in the same function whose result it ends, and whose class or superclass its reference has.
The operand of `dealloc_ref` has exactly the type that was allocated.",
    failing: "\
class C {
}
class D {
}
sil @f : $@convention(thin) (@owned C, @thick D.Type) -> () {
bb0(%0 : $C, %1 : $@thick D.Type):
  dealloc_partial_ref %0 : $C, %1 : $@thick D.Type
  unreachable
}
",
    corrected: "\
class D {
}
class C : D {
}
sil @f : $@convention(thin) (@owned C, @thick D.Type) -> () {
bb0(%0 : $C, %1 : $@thick D.Type):
  dealloc_partial_ref %0 : $C, %1 : $@thick D.Type
  unreachable
}
",
    check: Check::Inst(
        &[
            Opcode::AllocRef,
            Opcode::AllocRefDynamic,
            Opcode::DeallocRef,
            Opcode::DeallocStackRef,
            Opcode::DeallocPartialRef,
            Opcode::BeginDeallocRef,
        ],
        fitting_class,
    ),
};

fn fitting_class(cx: &FunctionVerifier<'_>, inst: Inst) {
    let name = cx.body.info(inst).name;
    match cx.body.inst(inst).opcode {
        Opcode::AllocRef => {
            let Some(ty) = sil_type(cx, inst, "type") else { return };
            if let Some(what) = no_class(cx, ty.ty()).filter(|_| !cx.body.has_flag(inst, "objc")) {
                let message = format!("`{name}` allocates an instance of a class, but `{ty}` is {what}");
                cx.report(cx.finding(&FITTING_CLASS, Place::Inst(inst), message));
            }
        }
        Opcode::AllocRefDynamic => allocated_dynamically(cx, inst),
        Opcode::DeallocRef | Opcode::DeallocStackRef => {
            let alloc = allocation(cx, inst).filter(|&def| cx.body.inst(def).opcode == Opcode::AllocRef);
            let Some((alloc, ty)) = alloc.and_then(|alloc| Some((alloc, sil_type(cx, alloc, "type")?)))
            else {
                return;
            };
            let found = operand(cx, inst, 0);
            if !found.is_unknown() && same(cx, found.ty(), ty.ty()) == Some(false) {
                let message = format!("`{name}` of a `{}`, which was allocated as `{}`", found.ty(), ty.ty());
                // The reference does not check it.
                let finding = at_operand(cx, &FITTING_CLASS, inst, 0, message).warning();
                cx.report(finding.also(Place::Inst(alloc), "allocated here"));
            }
        }
        Opcode::BeginDeallocRef => {
            let allocation = cx.body.operand_value(inst, 1);
            let is_allocation = cx.body.defining_inst(allocation).is_some_and(|def| {
                matches!(cx.body.inst(def).opcode, Opcode::AllocRef | Opcode::AllocRefDynamic)
            });
            if !is_allocation {
                let message = format!(
                    "`{name}` names `{}`, which is not the result of an `alloc_ref`",
                    cx.value(allocation)
                );
                cx.report(at_operand(cx, &FITTING_CLASS, inst, 1, message));
                return;
            }
            let [reference, allocated] = [0, 1].map(|index| resolved(cx, operand(cx, inst, index).ty()));
            if are_unrelated(cx, allocated, reference) {
                let message = format!("the allocated class `{allocated}` is not `{reference}` or a subclass");
                // The reference does not check it.
                cx.report(at_operand(cx, &FITTING_CLASS, inst, 1, message).warning());
            }
        }
        _ => {
            let (object, ty) = (operand(cx, inst, 0), operand(cx, inst, 1));
            let TypeKind::Metatype(_, instance) = ty.ty().kind() else { return };
            let (class, superclass) = (resolved(cx, object.ty()), resolved(cx, *instance));
            if !object.is_unknown() && inherits(cx, class, superclass) == Some(false) {
                let message =
                    format!("`{object}` is not an instance of the class of `{ty}` or of a subclass");
                cx.report(at_operand(cx, &FITTING_CLASS, inst, 1, message));
            }
        }
    }
}

fn allocated_dynamically(cx: &FunctionVerifier<'_>, inst: Inst) {
    let Some(spec) = cx.body.info(inst).operands.iter().position(|o| o.name == "metatype") else { return };
    let index = cx.body.operand_range(inst, spec).start;
    let ty = operand(cx, inst, index);
    let is_objc = cx.body.has_flag(inst, "objc");
    let wanted = if is_objc { MetatypeRepr::ObjC } else { MetatypeRepr::Thick };
    let found = metatype(cx, ty.ty()).flatten();
    if found.is_some_and(|found| found != wanted && found != MetatypeRepr::Formal) {
        let (name, what) = match is_objc {
            true => ("alloc_ref_dynamic [objc]", "an `@objc_metatype`"),
            false => ("alloc_ref_dynamic", "a `@thick` metatype"),
        };
        let message = format!("`{name}` takes {what}, not `{ty}`");
        cx.report(at_operand(cx, &FITTING_CLASS, inst, index, message));
        return;
    }
    let (TypeKind::Metatype(_, instance), Some(class)) = (ty.ty().kind(), sil_type(cx, inst, "type")) else {
        return;
    };
    let (instance, class) = (resolved(cx, *instance), resolved(cx, class.ty()));
    if are_unrelated(cx, instance, class) {
        let message = format!("`{ty}` is not the metatype of a subclass of `{class}`");
        cx.report(at_operand(cx, &FITTING_CLASS, inst, index, message));
    } else if let Some(what) = no_class(cx, class) {
        let message =
            format!("`alloc_ref_dynamic` allocates an instance of a class, but `{class}` is {what}");
        // The reference does not check it.
        cx.report(cx.finding(&FITTING_CLASS, Place::Inst(inst), message).warning());
    }
}

/// Returns true if neither of two classes inherits from the other.
fn are_unrelated(cx: &FunctionVerifier<'_>, a: Type, b: Type) -> bool {
    inherits(cx, a, b) == Some(false) && inherits(cx, b, a) == Some(false)
}

/// Describes a type of references that is surely not a class.
fn no_class(cx: &FunctionVerifier<'_>, ty: Type) -> Option<&'static str> {
    match ty.kind() {
        TypeKind::Any(_) | TypeKind::Composition(_) => Some("an existential"),
        TypeKind::Named(_) => match holds(cx, ty, TypePredicate::Existential) {
            Some(true) => Some("an existential"),
            _ => None,
        },
        TypeKind::Param { .. } => {
            let bound = cx.declarations().superclass_bound(ty, cx.signature()?);
            (bound == Some(None) && !params_may_meet(cx)).then_some("a generic parameter")
        }
        _ => None,
    }
}
