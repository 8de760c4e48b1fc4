//! The canonical spelling of attributes, as the reference prints them after reading.

use super::BodyParser;
use crate::error::{Parse, err_at};
use silkit_base::Symbol;
use silkit_ir::instructions::StringEncoding;
use silkit_ir::opened::opened_in;
use silkit_ir::{DeclRef, NONE, Opcode};
use silkit_types::{SilType, Type, TypeKind};

impl<'a, 'e> BodyParser<'a, 'e> {
    /// Replaces literals and similar attributes by their canonical spelling.
    pub(super) fn canonical_attributes(&mut self, opcode: Opcode, start: usize) -> Parse<()> {
        let words = &mut self.inst.words;
        let spelled = |word: u32| Symbol::from_u32(word).as_str();
        let canonical = match opcode {
            Opcode::IntegerLiteral => {
                let literal = spelled(words[1]);
                crate::body::literal::integer(SilType::from_u32(words[0]).ty(), literal).map_err(
                    |message| {
                        // The cursor may be on a later line by now.
                        let read = &self.cur.text()[start..self.cur.pos()];
                        let at = start + read.rfind(literal).unwrap_or(0);
                        err_at(at, at + literal.len(), message)
                    },
                )?
            }
            Opcode::FloatLiteral => crate::body::literal::float(spelled(words[1])),
            Opcode::StringLiteral => {
                if words[0] == StringEncoding::Bytes as u32 {
                    crate::body::literal::check_bytes(spelled(words[1]))
                        .map_err(|message| err_at(start, self.cur.pos(), message))?;
                }
                crate::body::literal::string(spelled(words[1]))
            }
            Opcode::WitnessMethod if self.env.protocols.is_some() => {
                self.canonical_lookup();
                return Ok(());
            }
            Opcode::ClassMethod | Opcode::SuperMethod | Opcode::ObjCMethod | Opcode::ObjCSuperMethod => {
                self.formal_of_member(opcode);
                return Ok(());
            }
            Opcode::PackLength => {
                let shape = shape(SilType::from_u32(words[0]));
                words[0] = shape.as_u32();
                return Ok(());
            }
            Opcode::AllocStack | Opcode::RefTailAddr => {
                words[0] = SilType::from_u32(words[0]).to_object().as_u32();
                return Ok(());
            }
            Opcode::SpecifyTest => {
                if let Some(symbol) = crate::body::literal::specification(spelled(words[0])) {
                    words[0] = symbol.as_u32();
                }
                self.specifications.push(Symbol::from_u32(words[0]));
                return Ok(());
            }
            // With a result, it was printed by a compiler that states the type.
            Opcode::EndApply if words[0] == NONE && !self.line_names.is_empty() => {
                words[0] = SilType::object(Type::void()).as_u32();
                return Ok(());
            }
            Opcode::CondFail if words[0] == NONE => {
                words[0] = crate::symbols::symbol("").as_u32();
                return Ok(());
            }
            _ => return Ok(()),
        };
        if let Some(symbol) = canonical {
            words[1] = symbol.as_u32();
        }
        Ok(())
    }

    /// Adds the formal type of a member if the text omits it.
    pub(super) fn formal_of_member(&mut self, opcode: Opcode) {
        let words = &mut self.inst.words;
        let (member, formal) = (opcode.info().attr("member"), opcode.info().attr("formal"));
        if let (Some(member), Some(formal), Some(formals)) = (member, formal, self.formals)
            && words[formal] == NONE
            && let Some(ty) = formals.of(DeclRef::from_u32(words[member]))
        {
            words[formal] = ty.as_u32();
        }
    }

    /// Sets the operand of a `witness_method` to the value that opened its lookup type.
    pub(super) fn canonical_lookup(&mut self) {
        self.formal_of_member(Opcode::WitnessMethod);
        let Some(lookup) = Opcode::WitnessMethod.info().attr("lookup") else { return };
        let ty = SilType::from_u32(self.inst.words[lookup]).ty();
        let opened = opened_in(ty).first().and_then(|&id| self.body.opened_value(id));
        let spec = self.inst.operands.first().map_or(0, |&(spec, _)| spec);
        if opened.is_some() || opened_in(ty).is_empty() {
            self.inst.operands.clear();
            self.inst.operands.extend(opened.map(|value| (spec, value)));
        }
    }
}

/// Returns the shape of a pack: which of its elements are expansions, without their types.
fn shape(pack: SilType) -> SilType {
    let TypeKind::Pack { direct, elements } = pack.ty().kind() else { return pack };
    let shape_of = |t: &Type| if matches!(t.kind(), TypeKind::PackExpansion(_)) { *t } else { Type::void() };
    let elements = elements.iter().map(shape_of).collect();
    pack.with_type(Type::new(TypeKind::Pack { direct: *direct, elements }))
}
