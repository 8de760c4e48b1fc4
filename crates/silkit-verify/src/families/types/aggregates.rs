//! Rules for structs, tuples, boxes and classes.

use super::facts::{
    at_operand, decl, declared, differ, expect, has_expansion, lowers_addresses, operand, resolved, sil_type,
};
use super::kinds::holds;
use crate::context::FunctionVerifier;
use crate::finding::Place;
use crate::rule::{Check, Rule};
use silkit_base::Symbol;
use silkit_diag::{RuleId, Severity};
use silkit_ir::info::TypePredicate;
use silkit_ir::{DeclRef, Inst, NONE, Opcode};
use silkit_types::decl::{Lookup, MAX_SUPERCLASSES, NominalDecl, NominalKind};
use silkit_types::{SilType, TupleElement, Type, TypeFacts, TypeKind};

pub(super) const RULES: &[&Rule] = &[&ELEMENT_COUNT, &ELEMENT_TYPE, &MEMBER_OF_TYPE];

static ELEMENT_COUNT: Rule = Rule {
    id: RuleId::new("SIL0330"),
    name: "ElementCount",
    severity: Severity::Error,
    summary: "`struct` and `tuple` take one value for each stored property or element",
    details: "\
In the order of the declaration. Every part of the aggregate must have a value; a property of type `()`
takes one too.",
    failing: "\
struct S {
  @_hasStorage var x: Builtin.Int64
}
sil @f : $@convention(thin) () -> S {
bb0:
  %0 = struct $S ()
  return %0 : $S
}
",
    corrected: "\
struct S {
  @_hasStorage var x: Builtin.Int64
}
sil @f : $@convention(thin) (Builtin.Int64) -> S {
bb0(%0 : $Builtin.Int64):
  %1 = struct $S (%0 : $Builtin.Int64)
  return %1 : $S
}
",
    check: Check::Inst(
        &[
            Opcode::Struct,
            Opcode::Tuple,
            Opcode::Enum,
            Opcode::Object,
            Opcode::Vector,
            Opcode::DestructureStruct,
            Opcode::DestructureTuple,
            Opcode::TupleAddrConstructor,
        ],
        elements,
    ),
};

static ELEMENT_TYPE: Rule = Rule {
    id: RuleId::new("SIL0331"),
    name: "ElementType",
    severity: Severity::Error,
    summary: "A value for a stored property or an element has its type",
    details: "\
The type is the declared one, lowered, with the generic arguments of the aggregate substituted. Convert
the value first.",
    failing: "\
struct S {
  @_hasStorage var x: Builtin.Int64
}
sil @f : $@convention(thin) (Builtin.Int32) -> S {
bb0(%0 : $Builtin.Int32):
  %1 = struct $S (%0 : $Builtin.Int32)
  return %1 : $S
}
",
    corrected: "\
struct S {
  @_hasStorage var x: Builtin.Int32
}
sil @f : $@convention(thin) (Builtin.Int32) -> S {
bb0(%0 : $Builtin.Int32):
  %1 = struct $S (%0 : $Builtin.Int32)
  return %1 : $S
}
",
    check: Check::With(&["SIL0330"]),
};

fn elements(cx: &FunctionVerifier<'_>, inst: Inst) {
    match cx.body.inst(inst).opcode {
        Opcode::DestructureStruct | Opcode::DestructureTuple => return results(cx, inst),
        Opcode::TupleAddrConstructor => return leaves(cx, inst),
        _ => {}
    }
    if lowers_addresses(cx) && objects(cx, inst) {
        return;
    }
    if cx.body.inst(inst).opcode == Opcode::Vector {
        return vector_elements(cx, inst);
    }
    let Some(ty) = sil_type(cx, inst, "type") else { return };
    match (cx.body.inst(inst).opcode, ty.ty().kind()) {
        (Opcode::Enum, _) => {}
        (Opcode::Object, _) => object_fields(cx, inst, ty),
        (Opcode::Struct, _) => struct_fields(cx, inst, ty),
        (_, TypeKind::Tuple(elements)) => tuple_elements(cx, inst, ty, elements),
        // A tuple of one element is the element: `(_: T)` is `T`.
        _ if cx.body.operand_range(inst, 0).len() == 1 => {
            expect(cx, &ELEMENT_TYPE, inst, 0, ty, "the only element has type");
        }
        _ => {}
    }
}

/// Checks that a value is taken apart into as many results as it has parts.
fn results(cx: &FunctionVerifier<'_>, inst: Inst) {
    let base = operand(cx, inst, 0);
    let whole = match base.ty().kind() {
        TypeKind::MoveOnly(inner) => *inner,
        _ => base.ty(),
    };
    let is_struct = cx.body.inst(inst).opcode == Opcode::DestructureStruct;
    if base.is_address() {
        return;
    }
    let parts = match resolved(cx, whole).kind() {
        TypeKind::Tuple(_) if is_struct => return,
        TypeKind::Tuple(elements) => (!has_expansion(elements)).then_some(elements.len()),
        _ if !is_struct => return,
        _ => declared(cx, whole).filter(|d| is_complete(cx, d)).map(|decl| decl.body.fields.len()),
    };
    let given = cx.body.results(inst).len();
    if let Some(parts) = parts.filter(|&parts| parts != given) {
        let name = cx.body.info(inst).name;
        let message = format!("`{base}` has {parts} parts, but `{name}` has {given} results");
        cx.report(cx.finding(&ELEMENT_COUNT, Place::Inst(inst), message));
    }
}

/// Returns true if the file itself declares all stored properties of a struct. A compiler may omit some of them.
fn is_complete(cx: &FunctionVerifier<'_>, decl: &NominalDecl) -> bool {
    !cx.is_printed_by_compiler()
        && decl.kind == NominalKind::Struct
        && decl.lists_fields()
        && cx.declarations().own().get(decl.path).is_some()
}

/// Checks the values that `tuple_addr_constructor` stores: one for each leaf of the tuple.
fn leaves(cx: &FunctionVerifier<'_>, inst: Inst) {
    let tuple = operand(cx, inst, 0);
    let mut wanted = Vec::new();
    if !tuple_leaves(resolved(cx, tuple.ty()), &mut wanted) {
        return;
    }
    let given = 1..cx.body.operands(inst).len();
    if given.len() != wanted.len() {
        let message =
            format!("`{tuple}` has {} elements, but {} values are given", wanted.len(), given.len());
        // The reference does not check it.
        cx.report(cx.finding(&ELEMENT_COUNT, Place::Inst(inst), message).warning());
        return;
    }
    for (index, wanted) in given.zip(wanted) {
        let found = operand(cx, inst, index);
        if differ(cx, found.to_object(), SilType::object(wanted)) {
            let message = format!("the element has type `{wanted}`, but the value has type `{found}`");
            cx.report(at_operand(cx, &ELEMENT_TYPE, inst, index, message).warning());
        }
    }
}

/// Collects the elements of a tuple, and those of tuples in it. Returns false if they are not known.
fn tuple_leaves(ty: Type, leaves: &mut Vec<Type>) -> bool {
    match ty.kind() {
        TypeKind::Tuple(elements) => elements.iter().all(|element| tuple_leaves(element.ty, leaves)),
        TypeKind::Unknown | TypeKind::PackExpansion(_) | TypeKind::Paren(_) => false,
        _ => {
            leaves.push(ty);
            true
        }
    }
}

/// Checks that an aggregate consists of objects and is one itself. Returns true if it does not.
fn objects(cx: &FunctionVerifier<'_>, inst: Inst) -> bool {
    for index in cx.body.operand_range(inst, 0) {
        let ty = operand(cx, inst, index);
        if ty.is_address() {
            let name = cx.body.info(inst).name;
            let message = format!("`{name}` expects objects, found the address type `{ty}`");
            cx.report(at_operand(cx, &ELEMENT_TYPE, inst, index, message));
            return true;
        }
    }
    let made = cx.body.first_result(inst).map(|result| cx.body.value(result).ty);
    let Some(made) = made.filter(|ty| !ty.is_unknown()) else { return false };
    let is_in_memory = holds(cx, made.ty(), TypePredicate::Loadable) == Some(false);
    if is_in_memory {
        let message = format!("`{}` is address-only, so it has no object values", made.ty());
        cx.report(cx.finding(&ELEMENT_TYPE, Place::Inst(inst), message));
    }
    is_in_memory
}

/// Checks the operands of `struct` against the stored properties of the type.
fn struct_fields(cx: &FunctionVerifier<'_>, inst: Inst, ty: SilType) {
    let facts = cx.declarations();
    let Some(decl) = declared(cx, ty.ty()).filter(|d| d.lists_fields()) else {
        cx.unknown(&ELEMENT_COUNT, Place::Inst(inst), || format!("the properties of `{ty}` are unknown"));
        return;
    };
    let given = cx.body.operand_range(inst, 0);
    let fields = &decl.body.fields;
    // A declaration may list only some of the properties.
    if given.len() < fields.len() {
        let message =
            format!("`{ty}` has {} stored properties, but {} values are given", fields.len(), given.len());
        cx.report(cx.finding(&ELEMENT_COUNT, Place::Inst(inst), message));
        return;
    }
    for (index, field) in given.zip(fields) {
        if let Some(wanted) = TypeFacts::stored_field(facts, ty.ty(), field.name) {
            let what = format!("the property `{}` has type", field.name);
            expect(cx, &ELEMENT_TYPE, inst, index, SilType::object(wanted), &what);
        }
    }
}

/// Checks the operands of `object` against the stored properties of a class that inherits none.
fn object_fields(cx: &FunctionVerifier<'_>, inst: Inst, ty: SilType) {
    let facts = cx.declarations();
    tail_elements(cx, inst);
    let Some(decl) = declared(cx, ty.ty()).filter(|decl| decl.lists_fields()) else { return };
    // The reference checks neither the type nor the number of values.
    if !decl.is_class() {
        let message = format!("expected a class as the type of `object`, found `{ty}`");
        cx.report(cx.finding(&ELEMENT_TYPE, Place::Inst(inst), message).warning());
        return;
    }
    let base_count = cx.body.word(inst, "base_count").filter(|&count| count != NONE);
    let given = cx.body.operand_range(inst, 0);
    let given =
        given.start..base_count.map_or(given.end, |count| given.end.min(given.start + count as usize));
    let fields = &decl.body.fields;
    if facts.known_superclass(ty.ty()) != Some(None) || facts.own().get(decl.path).is_none() {
        return;
    }
    if given.len() != fields.len() {
        let message = format!("`{ty}` has {} stored properties, found {} values", fields.len(), given.len());
        cx.report(cx.finding(&ELEMENT_COUNT, Place::Inst(inst), message).warning());
        return;
    }
    for (index, field) in given.zip(fields) {
        if let Some(wanted) = TypeFacts::stored_field(facts, ty.ty(), field.name)
            && differ(cx, operand(cx, inst, index), SilType::object(wanted))
        {
            let actual = operand(cx, inst, index);
            let message = format!("the property `{}` has type `${wanted}`, found `{actual}`", field.name);
            // The reference does not check it.
            cx.report(at_operand(cx, &ELEMENT_TYPE, inst, index, message).warning());
        }
    }
}

/// Checks that the tail elements of an `object` have one type.
fn tail_elements(cx: &FunctionVerifier<'_>, inst: Inst) {
    let Some(count) = cx.body.word(inst, "base_count").filter(|&count| count != NONE) else { return };
    let mut tail = cx.body.operand_range(inst, 0).skip(count as usize);
    let Some(first) = tail.next().map(|index| operand(cx, inst, index)) else { return };
    for index in tail.filter(|&index| differ(cx, operand(cx, inst, index), first)) {
        let message = format!("the tail elements have type `{first}`, found `{}`", operand(cx, inst, index));
        // The reference does not check it.
        cx.report(at_operand(cx, &ELEMENT_TYPE, inst, index, message).warning());
    }
}

/// Checks that the elements of a `vector` have one type.
fn vector_elements(cx: &FunctionVerifier<'_>, inst: Inst) {
    let mut given = cx.body.operand_range(inst, 0);
    let Some(first) = given.next().map(|index| operand(cx, inst, index)) else { return };
    for index in given {
        expect(cx, &ELEMENT_TYPE, inst, index, first, "the elements of the vector have type");
    }
}

/// Checks the operands of `tuple` against the written type.
fn tuple_elements(cx: &FunctionVerifier<'_>, inst: Inst, ty: SilType, elements: &[TupleElement]) {
    if has_expansion(elements) {
        return;
    }
    let given = cx.body.operand_range(inst, 0);
    if given.len() != elements.len() {
        let message = format!("`{ty}` has {} elements, but {} values are given", elements.len(), given.len());
        cx.report(cx.finding(&ELEMENT_COUNT, Place::Inst(inst), message));
        return;
    }
    for (number, (index, element)) in given.zip(elements).enumerate() {
        let what = format!("element {number} of the tuple has type");
        expect(cx, &ELEMENT_TYPE, inst, index, SilType::object(element.ty), &what);
    }
}

pub(super) static MEMBER_OF_TYPE: Rule = Rule {
    id: RuleId::new("SIL0332"),
    name: "MemberOfType",
    severity: Severity::Error,
    summary: "A named property or element belongs to the type",
    details: "\
A property is named by its type, `#S.x`; of a class it may be one of a superclass. Elements of tuples
and fields of boxes are counted from 0; those of a tuple with a pack expansion are reached by a pack index.",
    failing: "\
struct S {
  @_hasStorage var x: Builtin.Int64
}
sil @f : $@convention(thin) (S) -> () {
bb0(%0 : $S):
  %1 = struct_extract %0 : $S, #S.y
  %2 = tuple ()
  return %2 : $()
}
",
    corrected: "\
struct S {
  @_hasStorage var x: Builtin.Int64
}
sil @f : $@convention(thin) (S) -> () {
bb0(%0 : $S):
  %1 = struct_extract %0 : $S, #S.x
  %2 = tuple ()
  return %2 : $()
}
",
    check: Check::Inst(
        &[
            Opcode::StructExtract,
            Opcode::StructElementAddr,
            Opcode::RefElementAddr,
            Opcode::TupleExtract,
            Opcode::TupleElementAddr,
            Opcode::ProjectBox,
        ],
        member_of_type,
    ),
};

fn member_of_type(cx: &FunctionVerifier<'_>, inst: Inst) {
    let base = operand(cx, inst, 0);
    if base.is_unknown() {
        return;
    }
    let is_expansion = matches!(base.ty().kind(), TypeKind::Paren(part) if matches!(part.kind(), TypeKind::PackExpansion(_)));
    let (kind, count) = match base.ty().kind() {
        TypeKind::Tuple(elements) => ("element", elements.len()),
        _ if is_expansion => ("element", 1),
        TypeKind::Box(layout) => ("field", layout.fields.len()),
        _ => return property(cx, inst, base),
    };
    let of_position = !matches!(
        cx.body.inst(inst).opcode,
        Opcode::StructExtract | Opcode::StructElementAddr | Opcode::RefElementAddr
    );
    let Some(index) = cx.body.word(inst, "field").filter(|_| of_position) else { return };
    let has_expansion = match base.ty().kind() {
        TypeKind::Tuple(elements) => has_expansion(elements),
        // A tuple of one expansion is spelled in parentheses.
        _ => is_expansion,
    };
    if has_expansion {
        let message =
            format!("the elements of `{base}`, which contains a pack expansion, have no fixed numbers");
        let finding = at_operand(cx, &MEMBER_OF_TYPE, inst, 0, message);
        cx.report(finding.note("use `tuple_pack_element_addr` with a pack index"));
        return;
    }
    if index as usize >= count {
        let message = format!("`{base}` has {count} {kind}s, and no {kind} {index}");
        cx.report(at_operand(cx, &MEMBER_OF_TYPE, inst, 0, message));
    }
}

/// Checks that the property belongs to the type of the operand.
fn property(cx: &FunctionVerifier<'_>, inst: Inst, base: SilType) {
    let is_class = match cx.body.inst(inst).opcode {
        Opcode::RefElementAddr => true,
        Opcode::StructExtract | Opcode::StructElementAddr => false,
        _ => return,
    };
    let Some(named) = decl(cx, inst, "field") else { return };
    let Some(name) = named.name() else { return };
    // `#<abstract function>C.x` is not a member with a name.
    if named.data().path.iter().any(|p| p.as_str().contains('<')) {
        return;
    }
    match has_field(cx, base.ty(), name, is_class) {
        Some(false) => {
            let message = format!("`{base}` has no stored property `{name}`");
            cx.report(at_operand(cx, &MEMBER_OF_TYPE, inst, 0, message));
        }
        Some(true) if is_class && is_of_superclass(cx, named, base.ty()) => {
            let message = format!("`{named}` belongs to a superclass of `{base}`");
            let finding = at_operand(cx, &MEMBER_OF_TYPE, inst, 0, message);
            cx.report(finding.note("cast the reference with `upcast` first"));
        }
        Some(true) if names_member(cx, named, base.ty()) == Some(false) => {
            let message = format!("`{named}` is not a member of `{base}`");
            cx.report(at_operand(cx, &MEMBER_OF_TYPE, inst, 0, message));
        }
        Some(true) => {}
        None => cx.unknown(&MEMBER_OF_TYPE, Place::Inst(inst), || {
            format!("the properties of `{base}` are unknown")
        }),
    }
}

fn has_field(cx: &FunctionVerifier<'_>, ty: Type, name: Symbol, is_class: bool) -> Option<bool> {
    let mut ty = resolved(cx, ty);
    for _ in 0..MAX_SUPERCLASSES {
        let decl = declared(cx, ty)?;
        if decl.body.fields.position(name).is_some() {
            return Some(true);
        }
        if !decl.lists_fields() || cx.declarations().may_be_another(decl) {
            return None;
        }
        if !is_class || decl.inherited.is_empty() {
            return Some(false);
        }
        ty = cx.declarations().superclass(ty)?;
    }
    None
}

/// Returns true if a referenced property belongs to a superclass of a reference's class.
fn is_of_superclass(cx: &FunctionVerifier<'_>, named: DeclRef, ty: Type) -> bool {
    let (Some(owner), Some(class)) = (owner_of(cx, named), declared(cx, resolved(cx, ty))) else {
        return false;
    };
    owner.path != class.path && names_member(cx, named, ty) == Some(true)
}

/// Returns the type that a referenced declaration belongs to.
pub(super) fn owner_of<'a>(cx: &FunctionVerifier<'a>, named: DeclRef) -> Option<&'a NominalDecl> {
    match cx.declarations().lookup_nominal(named.owner_path()?) {
        Lookup::Known(decl) => Some(decl),
        _ => None,
    }
}

/// Returns whether a referenced declaration belongs to a type or one of its superclasses.
pub(super) fn names_member(cx: &FunctionVerifier<'_>, named: DeclRef, ty: Type) -> Option<bool> {
    let named = owner_of(cx, named)?;
    let mut base = resolved(cx, ty);
    for _ in 0..MAX_SUPERCLASSES {
        let found = declared(cx, base)?;
        if std::ptr::eq::<NominalDecl>(found, named) || found.path == named.path {
            return Some(true);
        }
        match cx.declarations().superclass(base) {
            Some(superclass) => base = superclass,
            None if found.is_class() && !found.inherited.is_empty() => return None,
            None => return Some(false),
        }
    }
    None
}
