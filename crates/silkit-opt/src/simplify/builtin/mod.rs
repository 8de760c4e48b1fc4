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
mod negation;
mod once;
mod types;

use super::always;
use super::pipelines::LATE_ONONE;
use silkit_base::Symbol;
use silkit_ir::instructions::{Builtin, InitExistentialMetatype, IntegerLiteral, StringLiteral};
use silkit_ir::{Body, Inst, Opcode, Value, chain};
use silkit_pass::options;
use silkit_transform::patterns::{Pattern, Rewriter};
use silkit_types::{MetatypeRepr, SilType, Type, TypeKind};

pub(super) const PATTERNS: &[Pattern] = &[
    always(Opcode::Builtin, "isConcrete of concrete type", types::fold_is_concrete),
    Pattern {
        opcode: Opcode::Builtin,
        name: "isConcrete of generic type",
        pipelines: LATE_ONONE,
        apply: types::decide_is_concrete,
    },
    always(Opcode::Builtin, "is_same_metatype of known types", types::fold_is_same),
    always(Opcode::Builtin, "canBeClass of known type", types::fold_can_be_class),
    always(Opcode::Builtin, "size or alignment of known layout", types::fold_layout),
    always(Opcode::Builtin, "once without effects", once::remove),
    always(Opcode::Builtin, "assert_configuration", fold_assert_configuration),
    always(Opcode::Builtin, "destroyArray of trivial elements", destroy_array),
    always(Opcode::Builtin, "array builtin with thick metatype", make_metatype_thin),
    always(Opcode::Builtin, "negation of comparison", negation::invert_comparison),
    always(Opcode::Builtin, "null check of string literal", compare_string_with_null),
    always(Opcode::Builtin, "builtin on floating-point literals", float::fold),
    always(Opcode::Builtin, "builtin on integer literals", fold::fold),
];

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

/// Returns the name of a builtin, with its type suffixes.
fn full_name(body: &Body, inst: Inst) -> &'static str {
    body.words(inst).first().map_or("", |&name| Symbol::from_u32(name).as_str())
}

/// Returns the name of a builtin that may be folded, without its type suffixes.
fn base_name(body: &Body, inst: Inst) -> Option<&'static str> {
    let name = full_name(body, inst);
    let is_of_type = |base: &&&str| name.strip_prefix(**base).is_some_and(|rest| rest.starts_with('_'));
    let known = silkit_ir::ownership::builtin(body, inst).map(|builtin| builtin.name);
    known.or_else(|| INTRINSICS.iter().find(is_of_type).copied())
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

/// Folds the build configuration query.
fn fold_assert_configuration(rw: &mut Rewriter<'_, '_>, inst: Inst) {
    if full_name(rw.body(), inst) != "assert_configuration" {
        return;
    }
    /// The value of the option with which the query is kept, for code that is built for several configurations.
    const KEPT: u32 = u32::MAX;
    let configuration: u32 = rw.options().number(options::ASSERT_CONF_ID);
    if configuration != KEPT {
        replace_with_literal(rw, inst, configuration.into());
    }
}

/// Folds the comparison of the address of a string literal with null.
fn compare_string_with_null(rw: &mut Rewriter<'_, '_>, inst: Inst) {
    let body = rw.body();
    let is_comparison = full_name(body, inst).starts_with("cmp_")
        && body.operands(inst).len() == 2
        && compares_string_with_null(body, inst);
    if !is_comparison {
        return;
    }
    match base_name(body, inst) {
        Some("cmp_eq") => replace_with_literal(rw, inst, 0),
        Some("cmp_ne") => replace_with_literal(rw, inst, -1),
        _ => {}
    }
}

/// Returns true if the address of a string literal is compared with null.
fn compares_string_with_null(body: &Body, inst: Inst) -> bool {
    let is_null = body.def_as::<IntegerLiteral>(body.operand_value(inst, 1)).is_some_and(|l| l.value == "0");
    let number = chain(body.operand_value(inst, 0), |number| cast_operand(body, number)).last();
    is_null && number.and_then(|number| body.def_as::<StringLiteral>(number)).is_some()
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
    if full_name(rw.body(), inst) != "destroyArray" {
        return;
    }
    let element = type_argument(rw.body(), inst);
    let is_used = rw.body().results(inst).any(|result| rw.body().is_used(result));
    if element.is_some_and(|ty| rw.is_trivial(SilType::object(ty))) && !is_used && rw.may_change() {
        rw.remove(inst);
    }
}

/// The builtins that need the type of elements, but not its metadata.
const ON_ARRAYS: &[&str] = &[
    "destroyArray",
    "copyArray",
    "takeArrayNoAlias",
    "takeArrayFrontToBack",
    "takeArrayBackToFront",
    "assignCopyArrayNoAlias",
    "assignCopyArrayFrontToBack",
    "assignCopyArrayBackToFront",
    "assignTakeArray",
];

/// Passes a thin metatype to a builtin that needs only the type, so that no metadata is instantiated.
fn make_metatype_thin(rw: &mut Rewriter<'_, '_>, inst: Inst) {
    let body = rw.body();
    if !ON_ARRAYS.contains(&full_name(body, inst)) {
        return;
    }
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
