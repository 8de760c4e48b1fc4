//! Rules for allocation and deallocation of objects: reference counting, and matching classes.

use super::casts::inherits;
use super::facts::{at_operand, operand, resolved, sil_type};
use super::kinds::{holds, metatype};
use crate::context::FunctionVerifier;
use crate::finding::Place;
use crate::rule::{Check, Rule};
use silkit_diag::RuleId;
use silkit_ir::info::TypePredicate;
use silkit_ir::{Inst, NONE, Opcode};
use silkit_types::{MetatypeRepr, TypeKind};

pub(super) const RULES: &[&Rule] = &[&TAIL_ELEMENTS, &FITTING_CLASS];

static TAIL_ELEMENTS: Rule = Rule {
    id: RuleId::new("SIL0305"),
    name: "TailElements",
    summary: "The count of tail elements is a builtin integer, and `[objc]` allocations have none",
    details: "\
`[tail_elems $E * %n]` reserves memory for `%n` elements of type `E` after the stored properties. The
count is a `Builtin.Word` or another builtin integer. Objective-C allocation does not support tail
elements, so `[objc]` excludes them.",
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
    check: Check::Inst(&[Opcode::AllocRef, Opcode::AllocRefDynamic], tail_elements),
};

fn tail_elements(cx: &FunctionVerifier<'_>, inst: Inst) {
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

static FITTING_CLASS: Rule = Rule {
    id: RuleId::new("SIL0306"),
    name: "FittingClass",
    summary: "An allocated or deallocated class matches the metatype or the allocation operand",
    details: "\
`dealloc_partial_ref` names by a metatype the superclass up to which the object was initialized.
`alloc_ref` makes an instance of a class, not of an existential; `alloc_ref_dynamic` takes a `@thick`
metatype, with `[objc]` an `@objc_metatype`. `begin_dealloc_ref` names the allocation in the same
function whose result it ends.",
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
        &[Opcode::AllocRef, Opcode::AllocRefDynamic, Opcode::DeallocPartialRef, Opcode::BeginDeallocRef],
        fitting_class,
    ),
};

fn fitting_class(cx: &FunctionVerifier<'_>, inst: Inst) {
    let name = cx.body.info(inst).name;
    match cx.body.inst(inst).opcode {
        Opcode::AllocRef => {
            let Some(ty) = sil_type(cx, inst, "type") else { return };
            if matches!(ty.ty().kind(), TypeKind::Any(_) | TypeKind::Composition(_)) {
                let message =
                    format!("`{name}` allocates an instance of a class, but `{ty}` is an existential");
                cx.report(cx.finding(&FITTING_CLASS, Place::Inst(inst), message));
            }
        }
        Opcode::AllocRefDynamic => allocated_dynamically(cx, inst),
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
    let is_unrelated =
        inherits(cx, instance, class) == Some(false) && inherits(cx, class, instance) == Some(false);
    if is_unrelated {
        let message = format!("`{ty}` is not the metatype of a subclass of `{class}`");
        cx.report(at_operand(cx, &FITTING_CLASS, inst, index, message));
    }
}
