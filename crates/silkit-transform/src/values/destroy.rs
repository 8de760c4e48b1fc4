//! Memberwise destruction of values.
//!
//! Destroying `%0 : $Outer`, a struct with a field of a struct type, before the `return`:
//!
//! ```text
//!   %r = tuple ()
//!   return %r
//! ---
//!   (%5, %6) = destructure_struct %0
//!   (%7, %8, %9) = destructure_struct %5
//!   destroy_value %7
//!   destroy_value %9
//!   destroy_value %6
//! ```

use super::counting::Counting;
use silkit_base::Symbol;
use silkit_ir::{Builder, DeclRef, Value};
use silkit_types::decl::{AccessLevel, DeclFlags, Declarations, EnumCase, NominalDecl, NominalKind};
use silkit_types::{GenericSig, SilType, Type, TypeFacts, TypeKind};

/// The maximum number of fields of a value that is destroyed memberwise, to limit code size.
const MOST_LEAVES: usize = 6;

/// Returns true if a value of a type should be destroyed and copied memberwise: it has few parts, and its type has no
/// deinitializer.
pub fn is_expanded(declarations: &Declarations, ty: Type, sig: Option<GenericSig>) -> bool {
    may_be_expanded(declarations, ty, sig) && leaves(declarations, ty, MOST_LEAVES + 1) <= MOST_LEAVES
}

/// Returns true if a value of a type can be destroyed and copied memberwise, regardless of the number of parts.
pub fn may_be_expanded(declarations: &Declarations, ty: Type, sig: Option<GenericSig>) -> bool {
    declarations.properties(ty, sig).address_only == Some(false) && !has_deinit(declarations, ty)
}

/// Returns true if a value type has a deinitializer.
pub fn has_deinit(declarations: &Declarations, ty: Type) -> bool {
    let decl = declarations.nominal_of(ty).filter(|decl| !decl.is_class());
    decl.is_some_and(|decl| decl.flags.contains(DeclFlags::HAS_DEINIT))
}

/// Returns true if the layout of a type is hidden from other modules (library evolution). Clients cannot destructure
/// such values, and neither can code that is visible to them.
pub fn is_hidden(declarations: &Declarations, ty: Type) -> bool {
    let is_public = |decl: &NominalDecl| {
        matches!(decl.access, AccessLevel::Public | AccessLevel::Open)
            || decl.flags.contains(DeclFlags::USABLE_FROM_INLINE)
    };
    let is_fixed = |decl: &NominalDecl| decl.flags.intersects(DeclFlags::FROZEN | DeclFlags::FIXED_LAYOUT);
    let is_value = |decl: &NominalDecl| matches!(decl.kind, NominalKind::Struct | NominalKind::Enum);
    let decl = declarations.nominal_of(ty);
    decl.is_some_and(|decl| is_value(decl) && is_public(decl) && !is_fixed(decl))
        || parts(declarations, ty).is_some_and(|all| all.iter().any(|&(_, ty)| is_hidden(declarations, ty)))
}

/// Returns the number of fields of a type, as the reference counts them; counting stops at `most`. Each field of a
/// struct counts at least once, but elements of tuples and payloads of enums only count the fields of structs in them.
fn leaves(declarations: &Declarations, ty: Type, most: usize) -> usize {
    // Nesting is finite, but the number of parts may be exponential: the budget bounds the walk.
    fn count(declarations: &Declarations, ty: Type, budget: &mut usize, depth: usize) -> usize {
        if *budget == 0 || depth > 64 {
            return MOST_LEAVES + 1;
        }
        *budget -= 1;
        let least = usize::from(!matches!(ty.kind(), TypeKind::Tuple(_)));
        let mut inner = |ty: Type| count(declarations, ty, budget, depth + 1);
        match parts(declarations, ty) {
            Some(parts) => parts.iter().map(|&(_, ty)| inner(ty).max(least)).sum(),
            None => {
                let payloads = declarations.enum_cases(ty).unwrap_or(&[]).iter().filter_map(|case| {
                    if case.indirect { None } else { TypeFacts::enum_payload(declarations, ty, case.name) }
                });
                payloads.map(inner).max().unwrap_or(0)
            }
        }
    }
    count(declarations, ty, &mut (most * 64), 0)
}

/// Returns the parts of a struct, with their names, or of a tuple; `None` for other types.
pub fn parts(declarations: &Declarations, ty: Type) -> Option<Vec<(Symbol, Type)>> {
    if let TypeKind::Tuple(elements) = ty.kind() {
        return Some(elements.iter().map(|e| (Symbol::new(""), e.ty)).collect());
    }
    let decl = declarations.nominal_of(ty).filter(|d| d.kind == NominalKind::Struct && d.lists_fields())?;
    let types = TypeFacts::stored_fields(declarations, ty)?;
    Some(decl.body.fields.iter().map(|f| f.name).zip(types).collect())
}

/// Returns the cases of an enum, each with the type of its payload; `None` for other types.
pub fn cases(declarations: &Declarations, ty: Type) -> Option<Vec<(DeclRef, Option<SilType>)>> {
    let of = |case: &EnumCase| {
        let payload = TypeFacts::enum_payload(declarations, ty, case.name);
        (field_ref(declarations, ty, case.name).with_kind("enumelt"), payload.map(SilType::object))
    };
    Some(declarations.enum_cases(ty)?.iter().map(of).collect())
}

/// Destroys a value at the builder's insertion point, memberwise if its type should be expanded.
pub fn destroy(
    builder: &mut Builder<'_>,
    value: Value,
    declarations: &Declarations,
    sig: Option<GenericSig>,
    has_ossa: bool,
    is_expanded: bool,
) {
    let ty = builder.value(value).ty.ty();
    match (is_expanded, has_ossa) {
        (true, _) => destroy_parts(builder, value, declarations, sig, has_ossa),
        _ if declarations.is_trivial(ty, sig) == Some(true) => {}
        (_, true) => _ = builder.destroy_value(value),
        _ => release(builder, value, declarations, sig),
    }
}

/// Destroys a value at the builder's insertion point, structs and tuples memberwise.
pub fn destroy_parts(
    builder: &mut Builder<'_>,
    value: Value,
    declarations: &Declarations,
    sig: Option<GenericSig>,
    has_ossa: bool,
) {
    let mut work = vec![value];
    while let Some(value) = work.pop() {
        let ty = builder.value(value).ty.ty();
        let properties = declarations.properties(ty, sig);
        if properties.trivial == Some(true) {
            continue;
        }
        let parts = parts(declarations, ty).filter(|_| !has_deinit(declarations, ty));
        match parts {
            Some(_) if has_ossa => {
                let is_tuple = matches!(ty.kind(), TypeKind::Tuple(_));
                let pieces = if is_tuple {
                    builder.destructure_tuple(value)
                } else {
                    builder.destructure_struct(value)
                };
                work.extend(pieces.into_iter().rev());
            }
            None if has_ossa => _ = builder.destroy_value(value),
            Some(parts) => {
                // Each projection is directly before the release of its result.
                for (index, &(name, part)) in parts.iter().enumerate() {
                    if declarations.properties(part, sig).trivial == Some(true) {
                        continue;
                    }
                    let piece = match ty.kind() {
                        TypeKind::Tuple(_) => builder.tuple_extract(value, index as u32),
                        _ => builder.struct_extract(value, field_ref(declarations, ty, name)),
                    };
                    destroy_parts(builder, piece, declarations, sig, has_ossa);
                }
            }
            None => release(builder, value, declarations, sig),
        }
    }
}

/// Retains a value at the builder's insertion point in a non-OSSA function, structs and tuples memberwise.
///
/// ```text
///   %1 = struct_extract %0, #Outer.object
///   strong_retain %1
///   %3 = struct_extract %0, #Outer.number
/// ```
pub fn retain_parts(
    builder: &mut Builder<'_>,
    value: Value,
    declarations: &Declarations,
    sig: Option<GenericSig>,
) {
    let ty = builder.value(value).ty;
    if declarations.is_trivial(ty.ty(), sig) == Some(true) {
        return;
    }
    let Some(parts) = parts(declarations, ty.ty()) else {
        return Counting::of(declarations, ty, sig).retain(builder, value);
    };
    for (index, &(name, _)) in parts.iter().enumerate() {
        let piece = match ty.ty().kind() {
            TypeKind::Tuple(_) => builder.tuple_extract(value, index as u32),
            _ => builder.struct_extract(value, field_ref(declarations, ty.ty(), name)),
        };
        retain_parts(builder, piece, declarations, sig);
    }
}

/// Releases a value in a non-OSSA function.
fn release(builder: &mut Builder<'_>, value: Value, declarations: &Declarations, sig: Option<GenericSig>) {
    let ty = builder.value(value).ty;
    Counting::of(declarations, ty, sig).release(builder, value);
}

/// Returns the reference to a stored property of a type.
pub fn field_ref(declarations: &Declarations, ty: Type, name: Symbol) -> DeclRef {
    let path = declarations.path_of(ty);
    let outer = path.iter().flat_map(|path| path.as_str().split('.')).map(Symbol::new);
    DeclRef::of_parts(&outer.chain([name]).collect::<Vec<_>>(), &[])
}

/// Builds an empty value of a type from empty parts, with `undef` for each part that is not a struct or tuple.
pub fn empty_value(builder: &mut Builder<'_>, ty: SilType, declarations: &Declarations) -> Value {
    let ty = ty.to_object();
    let Some(parts) = parts(declarations, ty.ty()) else { return builder.undef(ty) };
    let values: Vec<Value> =
        parts.iter().map(|&(_, part)| empty_value(builder, SilType::object(part), declarations)).collect();
    match ty.ty().kind() {
        TypeKind::Tuple(_) => {
            let tuple = silkit_ir::instructions::Tuple::new(&values[..]);
            builder.build_typed(tuple, &[ty]).expect("invariant: a tuple of these parts fits")
        }
        _ => builder.struct_(ty, &values[..]),
    }
}
