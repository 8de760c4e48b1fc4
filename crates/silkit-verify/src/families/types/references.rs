//! Instructions that name functions and global variables, against what they name.

use super::facts::{differ, sil_type};
use crate::context::FunctionContext;
use crate::finding::Place;
use crate::rule::{Check, Rule};
use silkit_base::Symbol;
use silkit_diag::RuleId;
use silkit_ir::{Inst, Opcode};
use silkit_types::SilType;

pub(super) const RULES: &[&Rule] = &[&REFERENCE_TYPE];

static REFERENCE_TYPE: Rule = Rule {
    id: RuleId::new("SIL0340"),
    name: "ReferenceType",
    summary: "A reference to a function or a global variable has the type of what it names",
    details: "\
It is declared once, with one type. Write this type after the reference, or name another function or variable.",
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
        ],
        reference_type,
    ),
};

fn reference_type(cx: &FunctionContext<'_>, inst: Inst) {
    let Some(ty) = sil_type(cx, inst, "type") else { return };
    let (name, declared) = match cx.body.inst(inst).opcode {
        Opcode::GlobalAddr | Opcode::GlobalValue => {
            let Some(name) = cx.body.word(inst, "global").map(Symbol::from_u32) else { return };
            let Some(global) = cx.global(name) else { return };
            let is_address = cx.body.inst(inst).opcode == Opcode::GlobalAddr;
            (name, SilType::new(global.ty.ty(), is_address))
        }
        _ => {
            let Some(name) = cx.body.word(inst, "function").map(Symbol::from_u32) else { return };
            let Some(function) = cx.callee(name) else { return };
            (name, function.ty)
        }
    };
    if differ(cx, ty, declared) {
        let op = cx.body.info(inst).name;
        let message = format!("`{op}` gives `@{name}` the type `{ty}`");
        cx.report(
            cx.finding(&REFERENCE_TYPE, Place::Inst(inst), message)
                .note(format!("`@{name}` is declared so that its type here is `{declared}`")),
        );
    }
}
