//! Folds the load of a character of a string literal.
//!
//! ```text
//! %0 = string_literal utf8 "abc"
//! %1 = pointer_to_address %0 to [strict] $*UInt8
//! %2 = integer_literal $Builtin.Word, 1
//! %3 = index_addr %1, %2
//! %4 = struct_element_addr %3, #UInt8._value
//! %5 = load %4
//! ---
//! %5 = integer_literal $Builtin.Int8, 98
//! ```

use silkit_ir::instructions::{
    IndexAddr, IntegerLiteral, Load, PointerToAddress, StringEncoding, StringLiteral, StructElementAddr,
};
use silkit_ir::{Inst, unescape};
use silkit_transform::patterns::Rewriter;
use silkit_types::Type;

/// Folds a load of a byte of a UTF-8 string literal.
pub(super) fn fold(rw: &mut Rewriter<'_, '_>, inst: Inst) {
    let Some(byte) = byte(rw, inst).filter(|_| rw.may_change()) else { return };
    let Some(ty) = rw.body().first_result(inst).map(|value| rw.ty(value)) else { return };
    // Literals are signed.
    let literal = rw.before(inst).integer_literal(ty, &*(byte as i8).to_string());
    rw.replace(inst, literal);
}

fn byte(rw: &Rewriter<'_, '_>, inst: Inst) -> Option<u8> {
    let body = rw.body();
    let Load { address, .. } = body.view_as(inst)?;
    let StructElementAddr { operand: character, .. } = body.def_as(address)?;
    let is_byte = rw.ty(address).ty() == Type::builtin("Int8")
        && rw.declarations().stored_fields(rw.ty(character).ty()).is_some_and(|fields| fields.len() == 1);
    let (base, index) = match body.def_as::<IndexAddr>(character) {
        Some(IndexAddr { base, index, .. }) => {
            let IntegerLiteral { value, .. } = body.def_as(index)?;
            (base, value.as_str().parse::<usize>().ok()?)
        }
        None => (character, 0),
    };
    let pointer = body.def_as::<PointerToAddress>(base)?.operand;
    let StringLiteral { encoding: StringEncoding::Utf8, value } = body.def_as(pointer)? else { return None };
    unescape(value.as_str()).get(index).copied().filter(|_| is_byte)
}
