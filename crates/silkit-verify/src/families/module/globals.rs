//! Global variables: their types and static initializers.

use super::place;
use crate::context::{ModuleVerifier, Owner};
use crate::finding::Place;
use crate::rule::{Check, Rule};
use silkit_diag::{RuleId, Severity};
use silkit_ir::{Body, Inst, Opcode};
use silkit_text::SourceEntity;

pub(super) const RULES: &[&Rule] = &[&GLOBAL_IS_OBJECT, &STATIC_INITIALIZER, &INITIALIZER_TYPE];

static GLOBAL_IS_OBJECT: Rule = Rule {
    id: RuleId::new("SIL0608"),
    name: "GlobalIsObject",
    severity: Severity::Error,
    summary: "The type of a global variable is that of its value, not of an address",
    details: "\
`global_addr` gives the address of the variable, whose type is the one that is declared. To hold an
address, declare a `Builtin.RawPointer`.",
    failing: "\
sil_global @v : $*Builtin.Int64
",
    corrected: "\
sil_global @v : $Builtin.Int64
",
    check: Check::Module(global_is_object),
};

fn global_is_object(cx: &ModuleVerifier<'_>) {
    for (id, global) in cx.module.globals.iter() {
        if global.ty.is_address() {
            let message = format!("the type of `@{}` is an address, `{}`", global.name, global.ty);
            let place = place::entity(cx, SourceEntity::Global(id));
            cx.report(cx.finding(&GLOBAL_IS_OBJECT, Owner::Global(id), place, message));
        }
    }
}

static STATIC_INITIALIZER: Rule = Rule {
    id: RuleId::new("SIL0607"),
    name: "StaticInitializer",
    severity: Severity::Error,
    summary: "A static initializer consists of constants, all of which are used",
    details: "\
It becomes static data, without code. It consists of literals and aggregates of them, and its last
instruction is the value. Code that must run belongs in a function that initializes the variable.",
    failing: "\
sil_global @x : $Builtin.Int64 = {
  %0 = integer_literal $Builtin.Int32, 1
  %initval = integer_literal $Builtin.Int64, 2
}
",
    corrected: "\
sil_global @x : $Builtin.Int64 = {
  %initval = integer_literal $Builtin.Int64, 2
}
",
    check: Check::Module(static_initializer),
};

fn static_initializer(cx: &ModuleVerifier<'_>) {
    for (id, global) in cx.module.globals.iter() {
        let Some(body) = &global.initializer else { continue };
        for inst in body.insts() {
            let opcode = body.inst(inst).opcode;
            let message = if body.next_inst(inst).is_none()
                && body.results(inst).len() == 0
                && may_initialize(opcode)
            {
                format!("`{}` is the last instruction, and has no value", opcode.info().name)
            } else if !may_initialize(opcode) {
                format!("`{}` is not allowed in a static initializer, which becomes data", opcode.info().name)
            } else if body.next_inst(inst).is_some() && is_dead(body, inst) {
                format!("nothing in the initializer of `@{}` uses this instruction", global.name)
            } else {
                continue;
            };
            let place = Place::Inst(inst);
            cx.report(cx.finding(&STATIC_INITIALIZER, Owner::Global(id), place, message));
        }
    }
}

fn is_dead(body: &Body, inst: Inst) -> bool {
    let mut results = body.results(inst);
    results.len() > 0 && results.all(|v| !body.is_used(v)) && body.inst(inst).opcode != Opcode::AllocGlobal
}

static INITIALIZER_TYPE: Rule = Rule {
    id: RuleId::new("SIL0642"),
    name: "InitializerType",
    severity: Severity::Error,
    summary: "The value of a static initializer has the type of the variable",
    details: "\
The last instruction of the initializer is the value. Its bytes become the memory of the variable.",
    failing: "\
sil_global @x : $Builtin.Int64 = {
  %initval = integer_literal $Builtin.Int32, 2
}
",
    corrected: "\
sil_global @x : $Builtin.Int64 = {
  %initval = integer_literal $Builtin.Int64, 2
}
",
    check: Check::Module(initializer_type),
};

fn initializer_type(cx: &ModuleVerifier<'_>) {
    for (id, global) in cx.module.globals.iter() {
        let Some(body) = &global.initializer else { continue };
        let Some(last) = body.insts().last() else { continue };
        let Some(value) = body.first_result(last) else { continue };
        let ty = body.value(value).ty;
        // The type of a `vector` does not follow from its elements.
        let is_stated =
            body.inst(last).opcode != Opcode::Vector && !ty.is_unknown() && !global.ty.is_unknown();
        if is_stated && cx.declarations.same_type(ty.ty(), global.ty.ty(), None) == Some(false) {
            let message =
                format!("`@{}` has type `{}`, but its value has type `{ty}`", global.name, global.ty);
            // The reference does not check it.
            cx.report(cx.finding(&INITIALIZER_TYPE, Owner::Global(id), Place::Inst(last), message).warning());
        }
    }
}

/// Returns true if an instruction is allowed in a static initializer: all except those that must be executed at run
/// time.
fn may_initialize(opcode: Opcode) -> bool {
    use Opcode as O;
    !opcode.is_terminator()
        && !matches!(
            opcode,
            O::AllocStack
                | O::DeallocStack
                | O::AllocBox
                | O::AllocRef
                | O::Apply
                | O::BeginApply
                | O::PartialApply
                | O::Store
                | O::CopyAddr
                | O::DestroyAddr
                | O::StrongRetain
                | O::StrongRelease
                | O::CondFail
                | O::BeginAccess
        )
}
