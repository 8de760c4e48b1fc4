//! Simplifies builtins: constants, type comparisons, layouts, lazy initializers, array operations.
//!
//! ```text
//! %0 = string_literal utf8 "a"
//! %1 = builtin "ptrtoint_Word"(%0) : $Builtin.Word
//! %2 = integer_literal $Builtin.Word, 0
//! %3 = builtin "cmp_eq_Word"(%1, %2) : $Builtin.Int1
//! %4 = builtin "assert_configuration"() : $Builtin.Int32
//! %5 = metatype $@thick C.Type
//! %6 = builtin "destroyArray"<C>(%5, %7, %8) : $()
//! ---
//! %3 = integer_literal $Builtin.Int1, 0
//! %4 = integer_literal $Builtin.Int32, 0
//! %5 = metatype $@thin C.Type
//! %6 = builtin "destroyArray"<C>(%5, %7, %8) : $()
//! ```

mod float;
mod fold;
mod integer;
mod once;
mod types;

use super::Rule;
use super::rewriter::Rewriter;
use silkit_ir::instructions::{Builtin, InitExistentialMetatype, IntegerLiteral, StringLiteral};
use silkit_ir::{Body, Inst, Opcode, Value};
use silkit_types::{MetatypeRepr, SilType, Type, TypeKind};

pub(super) const RULE: Rule = Rule::always(Opcode::Builtin, simplify);

/// The LLVM intrinsics that are folded, without type suffixes.
const INTRINSICS: &[&str] = &[
    "int_expect",
    "int_ctlz",
    "int_cttz",
    "int_rint",
    "int_sadd_with_overflow",
    "int_uadd_with_overflow",
    "int_ssub_with_overflow",
    "int_usub_with_overflow",
    "int_smul_with_overflow",
    "int_umul_with_overflow",
];

/// Returns the builtin that computes a value, with its name without type suffixes.
pub(super) fn builtin(body: &Body, value: Value) -> Option<(Inst, &'static str)> {
    let inst = body.defining_inst(value)?;
    Some((inst, silkit_ir::ownership::builtin(body, inst)?.name))
}

fn simplify(rw: &mut Rewriter<'_, '_>, inst: Inst) {
    let Some(Builtin { name, .. }) = rw.body().view_as(inst) else { return };
    let is_of_type =
        |base: &&&str| name.as_str().strip_prefix(**base).is_some_and(|rest| rest.starts_with('_'));
    let base = silkit_ir::ownership::builtin(rw.body(), inst).map(|builtin| builtin.name);
    let Some(base) = base.or_else(|| INTRINSICS.iter().find(is_of_type).copied()) else { return };
    match base {
        "isConcrete" => types::fold_is_concrete(rw, inst),
        "is_same_metatype" => types::fold_is_same(rw, inst),
        "canBeClass" => types::fold_can_be_class(rw, inst),
        "sizeof" | "strideof" | "alignof" => types::fold_layout(rw, inst, base),
        "once" => once::remove(rw, inst),
        "assert_configuration" => fold_assert_configuration(rw, inst),
        "destroyArray" => destroy_array(rw, inst),
        "copyArray"
        | "takeArrayNoAlias"
        | "takeArrayFrontToBack"
        | "takeArrayBackToFront"
        | "assignCopyArrayNoAlias"
        | "assignCopyArrayFrontToBack"
        | "assignCopyArrayBackToFront"
        | "assignTakeArray" => make_metatype_thin(rw, inst),
        "cmp_eq" | "cmp_ne" if compares_string_with_null(rw.body(), inst) => {
            replace_with_literal(rw, inst, if base == "cmp_eq" { 0 } else { -1 });
        }
        _ => {
            if !float::fold(rw, inst, base) {
                fold::fold(rw, inst, base);
            }
        }
    }
}

/// Replaces a builtin by an integer literal.
fn replace_with_literal(rw: &mut Rewriter<'_, '_>, inst: Inst, value: i128) {
    let Some(result) = rw.body().first_result(inst) else { return };
    let ty = rw.ty(result);
    if rw.may_change() {
        let literal = rw.before(inst).integer_literal(ty, &*value.to_string());
        rw.replace(inst, literal);
    }
}

/// Folds the build configuration query. The default is a debug build.
fn fold_assert_configuration(rw: &mut Rewriter<'_, '_>, inst: Inst) {
    /// The value of the option with which the query is kept, for code that is built for several configurations.
    const KEPT: u32 = u32::MAX;
    let given = rw.options().get("assert-conf-id").and_then(|id| id.parse().ok());
    let configuration: u32 = given.unwrap_or(0);
    if configuration != KEPT {
        replace_with_literal(rw, inst, configuration.into());
    }
}

/// Returns true if the address of a string literal is compared with null.
fn compares_string_with_null(body: &Body, inst: Inst) -> bool {
    let is_null = body.def_as::<IntegerLiteral>(body.operand_value(inst, 1)).is_some_and(|l| l.value == "0");
    let mut number = body.operand_value(inst, 0);
    while let Some(cast) = cast_operand(body, number) {
        number = cast;
    }
    is_null && body.def_as::<StringLiteral>(number).is_some()
}

/// Returns the operand of a cast between numbers and pointers.
fn cast_operand(body: &Body, value: Value) -> Option<Value> {
    let (inst, name) = builtin(body, value)?;
    let is_cast = matches!(
        name,
        "ptrtoint"
            | "inttoptr"
            | "zextOrBitCast"
            | "sextOrBitCast"
            | "truncOrBitCast"
            | "zext"
            | "sext"
            | "trunc"
            | "bitcast"
    );
    is_cast.then(|| body.operand_value(inst, 0))
}

/// Returns the only type argument of a builtin.
fn type_argument(body: &Body, inst: Inst) -> Option<Type> {
    let builtin = body.view_as::<Builtin>(inst)?;
    let mut types = builtin.subs.iter();
    types.next().filter(|_| types.next().is_none())
}

/// Removes the destruction of an array with trivial elements.
fn destroy_array(rw: &mut Rewriter<'_, '_>, inst: Inst) {
    let element = type_argument(rw.body(), inst);
    let is_used = rw.body().results(inst).any(|result| rw.body().is_used(result));
    if element.is_some_and(|ty| rw.is_trivial(SilType::object(ty))) && !is_used {
        if rw.may_change() {
            rw.remove(inst);
        }
    } else {
        make_metatype_thin(rw, inst);
    }
}

/// Passes a thin metatype to a builtin that needs only the type, so that no metadata is instantiated.
fn make_metatype_thin(rw: &mut Rewriter<'_, '_>, inst: Inst) {
    let body = rw.body();
    let operand = body.operand_id(inst, 0);
    let mut metatype = body.operand(operand).value;
    let is_metatype = body.defining_inst(metatype).is_some_and(|def| rw.is(def, Opcode::Metatype));
    if let Some(existential) = body.def_as::<InitExistentialMetatype>(metatype) {
        metatype = existential.operand;
    } else if !is_metatype {
        return;
    }
    let TypeKind::Metatype(MetatypeRepr::Thick, instance) = rw.ty(metatype).ty().kind() else { return };
    let thin = SilType::object(Type::new(TypeKind::Metatype(MetatypeRepr::Thin, *instance)));
    if rw.may_change() {
        let metatype = rw.before(inst).metatype(thin);
        rw.set_operand(operand, metatype);
    }
}
