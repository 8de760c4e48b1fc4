//! Spellings of compilers before Swift 6.2 (docs/dialects.md), parsed as their equivalents in 6.2.

use super::BodyParser;
use crate::cursor::Cursor;
use crate::error::Parse;
use crate::symbols::symbol;
use silkit_base::Interned;
use silkit_ir::info::{InstInfo, Piece};
use silkit_ir::{DebugExpr, DebugVarData, NONE, Opcode};
use silkit_types::{MetatypeRepr, Type, TypeKind};

/// An older spelling that needs its own parse function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum OlderForm {
    /// `debug_value_addr %x`: a variable in memory, now spelled with `op_deref`.
    DebugValueAddr,
    /// `set_deallocating %x`, without the allocation operand.
    SetDeallocating,
    /// `unconditional_checked_cast_value A in %x : $A to B`, with the type of the source.
    CastValue,
    /// `dealloc_ref [stack] %x`.
    Stack,
    /// `assign_by_wrapper origin property_wrapper, …`.
    Origin,
}

/// Returns the current equivalent of an older instruction.
pub(super) fn opcode(name: &str, cur: &Cursor<'_>) -> Option<(Opcode, Option<OlderForm>)> {
    Some(match name {
        "debug_value_addr" => (Opcode::DebugValue, Some(OlderForm::DebugValueAddr)),
        "set_deallocating" => (Opcode::BeginDeallocRef, Some(OlderForm::SetDeallocating)),
        "unconditional_checked_cast_value" => (Opcode::UnconditionalCheckedCast, Some(OlderForm::CastValue)),
        "checked_cast_value_br" => (Opcode::CheckedCastBranch, None),
        "is_escaping_closure" => (Opcode::DestroyNotEscapedClosure, None),
        "mark_must_check" => (Opcode::MarkUnresolvedNonCopyableValue, None),
        "test_specification" => (Opcode::SpecifyTest, None),
        "copy_unowned_value" => (Opcode::StrongCopyUnownedValue, None),
        "copy_unmanaged_value" => (Opcode::StrongCopyUnmanagedValue, None),
        "dealloc_ref" if cur.is_next("[stack]") => (Opcode::DeallocStackRef, Some(OlderForm::Stack)),
        "assign_by_wrapper" if cur.clone().eat_word("origin") => {
            (Opcode::AssignByWrapper, Some(OlderForm::Origin))
        }
        _ => return None,
    })
}

/// Returns the current equivalent of an older flag or keyword.
pub(super) fn flag(name: &str) -> &str {
    match name {
        "initialization" => "init",
        "moved" => "moveable_value_debuginfo",
        "no_implicit_copy" => "consumable_and_assignable",
        "no_copy" => "no_consume_or_assign",
        _ => name,
    }
}

impl BodyParser<'_, '_> {
    /// Parses the parts of an instruction in an older spelling.
    pub(super) fn older_pieces(&mut self, older: OlderForm, info: &'static InstInfo) -> Parse<()> {
        match older {
            OlderForm::DebugValueAddr => {
                self.pieces(info)?;
                self.dereference();
            }
            OlderForm::SetDeallocating => {
                for flag in ["[nonatomic]", "[atomic]"] {
                    self.cur.eat(flag);
                }
                let reference = self.use_value()?;
                self.push_operand(0, reference);
                self.push_operand(1, reference);
            }
            OlderForm::CastValue => {
                self.formal_type()?;
                self.text("in")?;
                self.pieces(info)?;
            }
            OlderForm::Stack => {
                self.text("[stack]")?;
                self.pieces(info)?;
            }
            OlderForm::Origin => {
                self.text("origin")?;
                self.cur.ident();
                self.text(",")?;
                self.pieces(info)?;
            }
        }
        Ok(())
    }

    /// Marks the variable as stored at the address of the operand (`op_deref`).
    fn dereference(&mut self) {
        let word = &mut self.inst.words[0];
        let mut var = match *word {
            NONE => DebugVarData::default(),
            word => DebugVarData::of(Interned::from_u32(word)).clone(),
        };
        let deref = DebugExpr::Op(symbol("op_deref"));
        var.expr = std::iter::once(deref).chain(var.expr.iter().cloned()).collect();
        *word = var.intern().as_u32();
    }

    /// Returns the attribute for the source type of a cast if the text omits it: Swift 5.9 and earlier print
    /// `checked_cast_br %x : $A to B`.
    pub(super) fn left_out_source(&mut self, info: &'static InstInfo, piece: Piece) -> Option<u8> {
        match piece {
            Piece::Attr(attr)
                if info.opcode == Opcode::CheckedCastBranch
                    && info.attrs[attr as usize].name == "source_type"
                    && self.cur.peek() == b'%' =>
            {
                Some(attr)
            }
            _ => None,
        }
    }

    /// Returns the formal type of the first operand, as far as it follows from the lowered type.
    pub(super) fn formal_type_of_operand(&self) -> u32 {
        let ty = self.first_operand_type().map_or_else(Type::unknown, |ty| ty.ty());
        match ty.kind() {
            TypeKind::Metatype(_, instance) => Type::new(TypeKind::Metatype(MetatypeRepr::Formal, *instance)),
            _ => ty,
        }
        .as_u32()
    }
}
