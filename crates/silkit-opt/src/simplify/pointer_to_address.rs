//! Folds `pointer_to_address` of a pointer whose address is known.
//!
//! ```text
//! %1 = address_to_pointer %0 to $Builtin.RawPointer
//! %2 = pointer_to_address %1 to [strict] $*Int
//! use %2
//! ---
//! use %0
//! ```
//!
//! An address of another type is cast. Pointer arithmetic by the stride of the type becomes `index_addr`:
//!
//! ```text
//! %1 = index_raw_pointer %0, %2      // %2 = stride of Int * %3
//! %4 = pointer_to_address %1 to [strict] $*Int
//! ---
//! %1 = pointer_to_address %0 to [strict] $*Int
//! %4 = index_addr %1, %3
//! ```
//!
//! An assumed alignment becomes an attribute; the natural alignment needs none:
//!
//! ```text
//! %2 = builtin "assumeAlignment"(%0, %1) : $Builtin.RawPointer      // %1 = 8
//! %3 = pointer_to_address %2 to [align=1] $*T
//! ---
//! %3 = pointer_to_address %0 to [align=8] $*T
//! ```

use super::always;
use super::builtin::builtin;
use silkit_base::Symbol;
use silkit_ir::instructions::{
    AddressToPointer, Builtin, IndexRawPointer, IntegerLiteral, PointerToAddress, TupleExtract,
};
use silkit_ir::{Body, Inst, Opcode, Value};
use silkit_transform::patterns::{Pattern, Rewriter};
use silkit_types::Type;

pub(super) const PATTERNS: &[Pattern] = &[
    always(Opcode::PointerToAddress, "pointer_to_address of assumed alignment", state_alignment),
    always(Opcode::PointerToAddress, "pointer_to_address of address", use_address),
    always(Opcode::PointerToAddress, "pointer_to_address of indexed pointer", index_by_elements),
];

/// Replaces an assumption about the alignment by an attribute.
fn state_alignment(rw: &mut Rewriter<'_, '_>, inst: Inst) {
    let Some(cast) = rw.body().view_as::<PointerToAddress>(inst) else { return };
    let Some((operand, align)) = assumed_alignment(rw, cast) else { return };
    if rw.may_change() {
        let address = rw.before(inst).build(PointerToAddress { operand, align, ..cast });
        rw.replace(inst, address);
    }
}

/// Returns the pointer whose alignment is assumed, and the alignment of the address: `None` for the natural alignment
/// of its type.
fn assumed_alignment(rw: &Rewriter<'_, '_>, cast: PointerToAddress) -> Option<(Value, Option<Symbol>)> {
    let body = rw.body();
    let (assumption, "assumeAlignment") = builtin(body, cast.operand)? else { return None };
    let (pointer, alignment) = (body.operand_value(assumption, 0), body.operand_value(assumption, 1));
    if is_alignment(body, alignment, cast.ty.ty()) {
        return Some((pointer, None));
    }
    let IntegerLiteral { value, .. } = body.def_as(alignment)?;
    let assumed: u32 = value.as_str().parse().ok()?;
    if assumed == 0 {
        return Some((pointer, None));
    }
    let known: u32 = cast.align.map_or(Some(0), |known| known.as_str().parse().ok())?;
    let align = Symbol::new(&assumed.max(known).to_string());
    assumed.is_power_of_two().then_some((pointer, Some(align)))
}

/// Returns true if a value is the alignment of a type.
fn is_alignment(body: &Body, value: Value, ty: Type) -> bool {
    match builtin(body, value) {
        Some((inst, "alignof")) => is_of_type(body, inst, ty),
        Some((inst, "zextOrBitCast" | "sextOrBitCast" | "truncOrBitCast")) => {
            is_alignment(body, body.operand_value(inst, 0), ty)
        }
        _ => false,
    }
}

/// Returns true if the first substitution of a builtin is a type.
fn is_of_type(body: &Body, inst: Inst, ty: Type) -> bool {
    body.view_as::<Builtin>(inst)
        .is_some_and(|b| b.subs.iter().next().is_some_and(|of| of.desugared() == ty.desugared()))
}

/// Replaces the result by the address that the pointer was derived from.
fn use_address(rw: &mut Rewriter<'_, '_>, inst: Inst) {
    let Some(PointerToAddress { operand, strict: true, ty, .. }) = rw.body().view_as(inst) else { return };
    let Some(AddressToPointer { operand: address, .. }) = rw.body().def_as(operand) else { return };
    if !super::address_scope::covers_uses(rw, address, inst) || !rw.may_change() {
        return;
    }
    let value = match rw.ty(address) == ty {
        true => address,
        false => rw.before(inst).unchecked_addr_cast(address, ty),
    };
    rw.replace(inst, value);
}

/// Replaces pointer arithmetic by the stride of the type by `index_addr`.
fn index_by_elements(rw: &mut Rewriter<'_, '_>, inst: Inst) {
    let Some(PointerToAddress { operand, strict: true, invariant, ty, .. }) = rw.body().view_as(inst) else {
        return;
    };
    let Some(index) = rw.body().def_as::<IndexRawPointer>(operand) else { return };
    let Some(count) = element_count(rw, index.index, ty.ty()) else { return };
    if !rw.may_change() {
        return;
    }
    let word = rw.ty(index.index);
    let mut builder = rw.before(inst);
    // What is known of the alignment of an element does not hold for the base.
    let base =
        builder.build(PointerToAddress { strict: true, invariant, ..PointerToAddress::new(index.base, ty) });
    let count = match count {
        Count::Value(value) => value,
        Count::Cast(value, name) => builder.builtin(name, &[][..], &[value][..], word),
    };
    let address = builder.index_addr(base, count);
    rw.replace(inst, address);
}

/// An element count for an offset in bytes.
enum Count {
    Value(Value),
    /// A value of another width, with the builtin that converts it.
    Cast(Value, &'static str),
}

/// Returns the element count of an offset if it is a product with the stride of the type.
fn element_count(rw: &Rewriter<'_, '_>, offset: Value, ty: Type) -> Option<Count> {
    let body = rw.body();
    if let Some((conversion, "truncOrBitCast")) = builtin(body, offset) {
        let name = body.view_as::<Builtin>(conversion)?.name.as_str();
        let count = factor(rw, body.operand_value(conversion, 0), ty)?;
        return Some(Count::Cast(count, name));
    }
    factor(rw, offset, ty).map(Count::Value)
}

/// Returns the other factor of a product with the stride of a type.
fn factor(rw: &Rewriter<'_, '_>, product: Value, ty: Type) -> Option<Value> {
    let body = rw.body();
    let product = match body.def_as::<TupleExtract>(product) {
        Some(TupleExtract { operand, field: 0 }) => operand,
        Some(_) => return None,
        None => product,
    };
    let (multiplication, name) = builtin(body, product)?;
    if name != "smul_with_overflow" {
        return None;
    }
    let (a, b) = (body.operand_value(multiplication, 0), body.operand_value(multiplication, 1));
    if is_stride(rw, b, ty) { Some(a) } else { is_stride(rw, a, ty).then_some(b) }
}

/// Returns true if a value is the stride of a type. As in the reference, a literal is not taken for one.
fn is_stride(rw: &Rewriter<'_, '_>, value: Value, ty: Type) -> bool {
    let body = rw.body();
    match builtin(body, value) {
        Some((inst, "strideof")) => is_of_type(body, inst, ty),
        Some((inst, "zextOrBitCast" | "sextOrBitCast" | "truncOrBitCast")) => {
            is_stride(rw, body.operand_value(inst, 0), ty)
        }
        _ => false,
    }
}
