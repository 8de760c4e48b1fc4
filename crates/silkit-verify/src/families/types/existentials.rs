//! Rules for existentials: each instruction requires a representation, and opens a value under its own id.

use super::facts::{at_operand, declared, formal_type, has_types, operand, resolved, same, sil_type};
use super::kinds::metatype;
use crate::context::FunctionVerifier;
use crate::finding::Place;
use crate::rule::{Check, Rule};
use silkit_base::{FxHashMap, Symbol};
use silkit_diag::{RuleId, Severity};
use silkit_ir::info::AttrKind;
use silkit_ir::instructions::{AllocExistentialBox, OpenPackElement};
use silkit_ir::opened::opened_in;
use silkit_ir::{Inst, NONE, Opcode, Value};
use silkit_types::decl::NominalKind;
use silkit_types::{SilType, Type, TypeKind};

pub(super) const RULES: &[&Rule] = &[&REPRESENTATION, &OPENED_ONCE, &OPENED_BEFORE];

static REPRESENTATION: Rule = Rule {
    id: RuleId::new("SIL0307"),
    name: "ExistentialRepresentation",
    severity: Severity::Error,
    summary: "An existential instruction matches the representation of the existential",
    details: "\
An existential of protocols that need no class is held in memory (`init_existential_addr`,
`open_existential_addr`), one of a class is a reference (`_ref`), and `any Error` a reference to a box
(`_box`). A metatype of an existential keeps the representation of the metatype that is put into it or
that it opens to.",
    failing: "\
protocol P : AnyObject {
}
sil @f : $@convention(thin) (@inout any P) -> () {
bb0(%0 : $*any P):
  deinit_existential_addr %0 : $*any P
  unreachable
}
",
    corrected: "\
protocol P {
}
sil @f : $@convention(thin) (@inout any P) -> () {
bb0(%0 : $*any P):
  deinit_existential_addr %0 : $*any P
  unreachable
}
",
    check: Check::Inst(
        &[
            Opcode::InitExistentialAddr,
            Opcode::OpenExistentialAddr,
            Opcode::DeinitExistentialAddr,
            Opcode::InitExistentialRef,
            Opcode::OpenExistentialRef,
            Opcode::AllocExistentialBox,
            Opcode::OpenExistentialBox,
            Opcode::ProjectExistentialBox,
            Opcode::DeallocExistentialBox,
            Opcode::ExistentialMetatype,
            Opcode::InitExistentialMetatype,
            Opcode::OpenExistentialMetatype,
        ],
        representation,
    ),
};

/// The representation of an existential.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Represented {
    /// A buffer in memory with the type.
    Opaque,
    /// A reference to a class instance.
    Class,
    /// A reference to a box: errors.
    Boxed,
}

fn represented(cx: &FunctionVerifier<'_>, ty: Type) -> Option<Represented> {
    let ty = resolved(cx, ty);
    let inner = match ty.kind() {
        TypeKind::Any(inner) => *inner,
        _ => ty,
    };
    let is_known = match inner.kind() {
        TypeKind::Named(n) if n.name == "Error" && n.parent.is_none() => return Some(Represented::Boxed),
        TypeKind::Named(n) if n.name == "AnyObject" => return Some(Represented::Class),
        TypeKind::Named(n) if n.name == "Any" && n.parent.is_none() => return Some(Represented::Opaque),
        TypeKind::Named(_) => {
            cx.declarations().nominal_of(inner).is_some_and(|decl| decl.kind == NominalKind::Protocol)
        }
        TypeKind::Composition(_) => true,
        _ => false,
    };
    match cx.declarations().properties(ty, cx.signature()).address_only? {
        _ if !is_known => None,
        true => Some(Represented::Opaque),
        false => Some(Represented::Class),
    }
}

fn representation(cx: &FunctionVerifier<'_>, inst: Inst) {
    let opcode = cx.body.inst(inst).opcode;
    match opcode {
        Opcode::ExistentialMetatype | Opcode::InitExistentialMetatype | Opcode::OpenExistentialMetatype => {
            return metatypes(cx, inst, opcode);
        }
        Opcode::ProjectExistentialBox | Opcode::DeallocExistentialBox => projected(cx, inst),
        _ => {}
    }
    let of_type = matches!(opcode, Opcode::InitExistentialRef | Opcode::AllocExistentialBox);
    let ty = if of_type { sil_type(cx, inst, "type") } else { Some(operand(cx, inst, 0)) };
    let Some(ty) = ty.filter(|ty| !ty.is_unknown()) else { return };
    let wanted = match opcode {
        Opcode::InitExistentialAddr | Opcode::OpenExistentialAddr | Opcode::DeinitExistentialAddr => {
            Represented::Opaque
        }
        Opcode::InitExistentialRef | Opcode::OpenExistentialRef => Represented::Class,
        _ => Represented::Boxed,
    };
    let Some(found) = represented(cx, ty.ty()).filter(|found| *found != wanted) else { return };
    let describe = |what: Represented| match what {
        Represented::Opaque => "held in memory",
        Represented::Class => "a reference to an object",
        Represented::Boxed => "a reference to a box",
    };
    let name = cx.body.info(inst).name;
    let message = format!(
        "`{name}` expects an existential that is {}, but `{ty}` is {}",
        describe(wanted),
        describe(found)
    );
    cx.report(match of_type {
        true => cx.finding(&REPRESENTATION, Place::Inst(inst), message),
        false => at_operand(cx, &REPRESENTATION, inst, 0, message),
    });
}

/// Checks that the value in a new box has the type for which the box was allocated.
fn projected(cx: &FunctionVerifier<'_>, inst: Inst) {
    let Some(made) = cx.body.def_as::<AllocExistentialBox>(cx.body.operand_value(inst, 0)) else { return };
    let named = if cx.body.inst(inst).opcode == Opcode::DeallocExistentialBox { "concrete" } else { "type" };
    let (Some(ty), concrete) = (formal_type(cx, inst, named), made.concrete.ty()) else { return };
    // The projected type is lowered.
    let is_lowered_alike = |ty: Type| matches!(ty.kind(), TypeKind::Named(_) | TypeKind::Param { .. });
    if is_lowered_alike(ty) && is_lowered_alike(concrete) && same(cx, ty, concrete) == Some(false) {
        let name = cx.body.info(inst).name;
        let message = format!("the box was allocated for `{concrete}`, but `{name}` names `{ty}`");
        cx.report(at_operand(cx, &REPRESENTATION, inst, 0, message));
    }
}

/// Returns the existential of an existential metatype; `Some(None)` for other metatypes.
fn existential_of(cx: &FunctionVerifier<'_>, ty: Type) -> Option<Option<Type>> {
    let TypeKind::Metatype(_, instance) = ty.kind() else { return None };
    match instance.kind() {
        TypeKind::Any(_) => Some(Some(*instance)),
        // `(any P).Type` is the type of the existential itself.
        TypeKind::Paren(_) | TypeKind::Param { .. } | TypeKind::Opened { .. } | TypeKind::Builtin(..) => {
            Some(None)
        }
        TypeKind::Named(_) => {
            let decl = cx.declarations().nominal_of(*instance)?;
            (decl.kind != NominalKind::Protocol).then_some(None)
        }
        _ => None,
    }
}

fn metatypes(cx: &FunctionVerifier<'_>, inst: Inst, opcode: Opcode) {
    let (from, Some(to)) = (operand(cx, inst, 0), sil_type(cx, inst, "type")) else { return };
    if from.is_unknown() {
        return;
    }
    let name = cx.body.info(inst).name;
    let existential = if opcode == Opcode::OpenExistentialMetatype { from } else { to };
    let is_of_operand = opcode == Opcode::OpenExistentialMetatype;
    let found = existential_of(cx, existential.ty());
    let message = match found {
        Some(None) => {
            format!("`{name}` expects the metatype of an existential, found `{existential}`")
        }
        _ if opcode == Opcode::ExistentialMetatype => match found.flatten() {
            Some(wanted) if same(cx, wanted, from.ty()) == Some(false) => {
                format!("the type of `{from}` is not `{to}`")
            }
            _ => return,
        },
        _ => match (metatype(cx, from.ty()).flatten(), metatype(cx, to.ty()).flatten()) {
            (Some(a), Some(b)) if a != b => {
                format!("`{name}` converts `{from}` to `{to}`, which has another representation")
            }
            _ => return,
        },
    };
    cx.report(match is_of_operand {
        true => at_operand(cx, &REPRESENTATION, inst, 0, message),
        false => cx.finding(&REPRESENTATION, Place::Inst(inst), message),
    });
}

static OPENED_ONCE: Rule = Rule {
    id: RuleId::new("SIL0308"),
    name: "OpenedOnce",
    severity: Severity::Error,
    summary: "Each instruction that opens an existential has a unique type id",
    details: "\
The id ties the opened type to the value in the existential. If two instructions had the same id, values
of two types would count as values of one. Change one of the ids.",
    failing: "\
protocol P {
}
sil @f : $@convention(thin) (@in_guaranteed any P, @in_guaranteed any P) -> () {
bb0(%0 : $*any P, %1 : $*any P):
  %2 = open_existential_addr immutable_access %0 : $*any P to $*@opened(\"01234567-89AB-CDEF-0123-000000000000\", any P) Self
  %3 = open_existential_addr immutable_access %1 : $*any P to $*@opened(\"01234567-89AB-CDEF-0123-000000000000\", any P) Self
  unreachable
}
",
    corrected: "\
protocol P {
}
sil @f : $@convention(thin) (@in_guaranteed any P, @in_guaranteed any P) -> () {
bb0(%0 : $*any P, %1 : $*any P):
  %2 = open_existential_addr immutable_access %0 : $*any P to $*@opened(\"01234567-89AB-CDEF-0123-000000000000\", any P) Self
  %3 = open_existential_addr immutable_access %1 : $*any P to $*@opened(\"01234567-89AB-CDEF-0123-000000000001\", any P) Self
  unreachable
}
",
    check: Check::Body(opened_once),
};

fn opened_once(cx: &FunctionVerifier<'_>) {
    let mut openings = FxHashMap::default();
    let opens = [
        Opcode::OpenExistentialAddr,
        Opcode::OpenExistentialRef,
        Opcode::OpenExistentialBox,
        Opcode::OpenExistentialBoxValue,
        Opcode::OpenExistentialValue,
        Opcode::OpenExistentialMetatype,
        Opcode::OpenPackElement,
    ];
    for inst in cx.insts_with(&opens) {
        let Some(id) = opened_id(cx, inst) else { continue };
        if let Some(first) = openings.insert(id, inst) {
            let message = format!("the id \"{id}\" is given to two opened types");
            let finding = cx.finding(&OPENED_ONCE, Place::Inst(inst), message).label("opened again here");
            cx.report(finding.also(Place::Inst(first), "opened here"));
        }
    }
}

/// Returns the id of the types that an instruction opens.
fn opened_id(cx: &FunctionVerifier<'_>, inst: Inst) -> Option<Symbol> {
    if let Some(open) = cx.body.view_as::<OpenPackElement<'_>>(inst) {
        return Some(open.id);
    }
    let mut ty = sil_type(cx, inst, "type")?.ty();
    while let TypeKind::Metatype(_, inner) | TypeKind::Paren(inner) = ty.kind() {
        ty = *inner;
    }
    match ty.kind() {
        TypeKind::Opened { id, .. } => Some(*id),
        _ => None,
    }
}

static OPENED_BEFORE: Rule = Rule {
    id: RuleId::new("SIL0367"),
    name: "OpenedBefore",
    severity: Severity::Error,
    summary: "An instruction that dominates the use opens each opened type that is named",
    details: "\
`@opened(…, any P) Self` is the type of the value in one existential. The instruction that opens the
existential introduces the type. Use the id of an `open_existential_…` that dominates this use.",
    failing: "\
protocol P {
}
sil @f : $@convention(thin) () -> () {
bb0:
  %0 = metatype $@thick (@opened(\"01234567-89AB-CDEF-0123-000000000000\", any P) Self).Type
  %1 = tuple ()
  return %1 : $()
}
",
    corrected: "\
protocol P {
}
sil @f : $@convention(thin) (@in_guaranteed any P) -> () {
bb0(%0 : $*any P):
  %1 = open_existential_addr immutable_access %0 : $*any P to $*@opened(\"01234567-89AB-CDEF-0123-000000000000\", any P) Self
  %2 = metatype $@thick (@opened(\"01234567-89AB-CDEF-0123-000000000000\", any P) Self).Type
  %3 = tuple ()
  return %3 : $()
}
",
    check: Check::Body(opened_before),
};

fn opened_before(cx: &FunctionVerifier<'_>) {
    let body = cx.body;
    for &block in cx.block_order().blocks() {
        for &argument in body.arguments(block) {
            for id in opened_in(body.value(argument).ty.ty()) {
                if body.opened_value(id).is_none() {
                    report_closed(cx, Place::Value(argument), id);
                }
            }
        }
    }
    for inst in cx.insts().filter(|&inst| has_types(cx, inst)) {
        let ids = named_ids(cx, inst);
        if ids.is_empty() || !cx.block_order().is_reachable(body.inst_block(inst)) {
            continue;
        }
        let own = body.opened_id(inst);
        for id in ids.into_iter().filter(|id| Some(*id) != own) {
            let is_open =
                body.opened_value(id).filter(|&value| may_open(cx, id, value)).is_some_and(|value| {
                    body.operands(inst).iter().any(|o| o.value == value) || cx.value_dominates(value, inst)
                });
            if !is_open {
                report_closed(cx, Place::Inst(inst), id);
            }
        }
    }
}

/// Returns false for a last argument that is no instance of a class, nor its metatype, and so has no `@dynamic_self` type.
fn may_open(cx: &FunctionVerifier<'_>, id: Symbol, value: Value) -> bool {
    if id != "@dynamic_self" || cx.is_printed_by_compiler() {
        return true;
    }
    let ty = cx.body.value(value).ty;
    let mut this = ty.ty();
    while let TypeKind::Metatype(_, instance) | TypeKind::DynamicSelf(instance) = this.kind() {
        this = *instance;
    }
    let is_any_object = matches!(this.kind(), TypeKind::Named(named) if named.name == "AnyObject");
    let is_value =
        matches!(this.kind(), TypeKind::Param { .. } | TypeKind::Optional(_) | TypeKind::Builtin(..))
            || is_any_object
            || declared(cx, this).is_some_and(|decl| !decl.is_class());
    !ty.is_address() && !is_value
}

fn report_closed(cx: &FunctionVerifier<'_>, place: Place, id: Symbol) {
    let message = format!("no instruction before this one opens the type with the id \"{id}\"");
    let finding = cx.finding(&OPENED_BEFORE, place, message);
    cx.report(match cx.body.opened_value(id) {
        Some(value) => finding.also(Place::Value(value), "opened here"),
        None => finding,
    });
}

/// Returns the ids of the opened types in the attributes of an instruction.
fn named_ids(cx: &FunctionVerifier<'_>, inst: Inst) -> Vec<Symbol> {
    let mut ids = Vec::new();
    for (attr, &word) in cx.body.info(inst).attrs.iter().zip(cx.body.words(inst)) {
        match attr.kind {
            _ if word == NONE => {}
            AttrKind::SilType | AttrKind::OptSilType => ids.extend(opened_in(SilType::from_u32(word).ty())),
            AttrKind::Type | AttrKind::OptType => ids.extend(opened_in(Type::from_u32(word))),
            AttrKind::ListType => {
                ids.extend(cx.body.list(word).iter().flat_map(|&word| opened_in(Type::from_u32(word))));
            }
            _ => {}
        }
    }
    ids
}
