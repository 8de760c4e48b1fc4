//! Irregular pieces of calls: applications, builtins, substitutions and opened packs.

use crate::body::parse::BodyParser;
use crate::body::print::BodyPrinter;
use crate::error::Parse;
use crate::types::substitutions;
use silkit_ir::info::CustomPiece as C;
use silkit_ir::{Inst, NONE};
use silkit_types::{GenericSig, SilType, Type, TypeKind};
use std::ops::Range;

impl BodyParser<'_, '_> {
    pub(super) fn custom_call(&mut self, piece: C, attr: usize, spec: u8) -> Parse<()> {
        match piece {
            C::Apply => {
                let callee = self.use_bare_value()?;
                self.push_operand(spec, callee);
                let start = self.cur.pos();
                self.inst.words[attr] = self.substitutions()?;
                let spelled = start..self.cur.pos();
                self.text("(")?;
                self.operands_until(spec + 1, ")", true)?;
                self.keep_bare_protocols(attr, spec, spelled);
                self.text(") :")?;
                let ty = self.sil_type()?;
                self.inst.words[attr + 1] = ty.as_u32();
                self.set_unknown_type(callee, ty);
            }
            C::Builtin => {
                self.inst.words[attr] = self.string_symbol()?.as_u32();
                self.inst.words[attr + 1] = self.substitutions()?;
                self.text("(")?;
                self.operand_list(spec, ")")?;
                // As the reference, only here.
                self.cur.eat(",");
                self.text(")")?;
            }
            C::Invoke => {
                let invoke = self.use_bare_value()?;
                self.push_operand(spec, invoke);
                self.inst.words[attr] = self.substitutions()?;
                self.text(":")?;
                let ty = self.sil_type()?;
                self.set_unknown_type(invoke, ty);
            }
            C::Message => {
                let before = self.cur.pos();
                if self.cur.eat(",") && self.cur.peek() == b'"' {
                    self.inst.words[attr] = self.string_symbol()?.as_u32();
                } else {
                    self.cur.set_pos(before);
                }
            }
            C::AsType => {
                if self.cur.eat_word("as") {
                    self.inst.words[attr] = self.sil_type()?.as_u32();
                }
            }
            C::OpenPack => {
                let index = self.use_value()?;
                self.push_operand(spec, index);
                self.text("of")?;
                let sig = crate::types::signature::parse_generic_sig(&mut self.cur, self.env)?;
                self.inst.words[attr] = sig.as_u32();
                self.text("at")?;
                // The arguments refer to the parameters of the function, the shape to those of this signature.
                self.inst.words[attr + 1] = self.substitutions()?;
                self.env.push(sig);
                let rest = self.open_pack_rest(attr);
                self.env.pop();
                rest?;
            }
            C::KeyPath => self.keypath(attr, spec)?,
            _ => self.custom_differentiable(piece, attr, spec)?,
        }
        Ok(())
    }

    /// Keeps the bare name of a protocol in the substitutions if an argument is a bare metatype of it, as in the calls
    /// of distributed actors: `metatype $@thick Error.Type`, `apply %1<Error>(%0)`.
    fn keep_bare_protocols(&mut self, attr: usize, spec: u8, spelled: Range<usize>) {
        let word = self.inst.words[attr];
        if word == NONE || self.cur.text()[spelled].contains("any ") {
            return;
        }
        let arguments = self.inst.operands.iter().filter(|(s, _)| *s > spec);
        let is_passed = |protocol: Type| {
            arguments.clone().any(|&(_, value)| {
                let ty = self.body.value(value).ty.ty();
                matches!(ty.kind(), TypeKind::Metatype(_, instance) if *instance == protocol)
            })
        };
        let kept = |&ty: &u32| match Type::from_u32(ty).kind() {
            TypeKind::Any(protocol) if is_passed(*protocol) => Some(*protocol),
            _ => None,
        };
        // Almost no call has such a type.
        let types = self.body.list(word);
        if !types.iter().any(|ty| kept(ty).is_some()) {
            return;
        }
        let types: Vec<Type> = types.iter().map(|ty| kept(ty).unwrap_or(Type::from_u32(*ty))).collect();
        self.inst.words[attr] = self.body.new_type_list(&types);
    }

    /// Sets the type of the value that was parsed last, which follows later in the text.
    pub(super) fn set_unknown_type(&mut self, value: silkit_ir::Value, ty: SilType) {
        if !self.body.value(value).ty.is_unknown() {
            return;
        }
        if self.body.def(value) != silkit_ir::ValueDef::Undef {
            self.body.set_type(value, ty);
            return;
        }
        // Each use of `undef` has its own type.
        let typed = self.body.undef(ty);
        if let Some((_, operand)) = self.inst.operands.iter_mut().find(|(_, v)| *v == value) {
            *operand = typed;
        }
    }

    pub(super) fn open_pack_rest(&mut self, attr: usize) -> Parse<()> {
        self.text(", shape $")?;
        let shape = self.formal_type()?;
        let shape = match shape.kind() {
            TypeKind::Param { .. } => Type::new(TypeKind::PackElement(shape)),
            _ => shape,
        };
        self.inst.words[attr + 2] = shape.as_u32();
        self.text(", uuid")?;
        self.inst.words[attr + 3] = crate::types::uuid(&mut self.cur)?.as_u32();
        Ok(())
    }

    /// Parses an optional `<A, B>`.
    pub(in crate::body) fn substitutions(&mut self) -> Parse<u32> {
        if self.cur.peek() != b'<' {
            return Ok(NONE);
        }
        let types = substitutions(&mut self.cur, self.env)?;
        Ok(self.body.new_type_list(&types))
    }
}

impl BodyPrinter<'_, '_> {
    pub(super) fn custom_call(&mut self, inst: Inst, piece: C, attr: usize, spec: usize) {
        let body = self.body;
        let words = body.words(inst);
        let word = words.get(attr).copied().unwrap_or(NONE);
        match piece {
            C::Apply => {
                self.value_name(body.operand_value(inst, body.operand_range(inst, spec).start));
                self.substitutions(word);
                self.out.push("(");
                self.bare_operands(inst, spec + 1);
                self.out.push(") : ");
                self.sil_type(SilType::from_u32(words[attr + 1]));
            }
            C::Builtin => {
                self.quoted(word);
                self.substitutions(words[attr + 1]);
                self.out.push("(");
                self.operand_list(inst, spec);
                self.out.push(")");
            }
            C::Invoke => {
                let value = body.operand_value(inst, body.operand_range(inst, spec).start);
                self.value_name(value);
                self.substitutions(word);
                self.out.push(" : ");
                self.sil_type(body.value(value).ty);
            }
            C::Message => {
                if word != NONE {
                    self.out.push(", ");
                    self.quoted(word);
                }
            }
            C::AsType => {
                if word != NONE {
                    self.out.push(" as ");
                    self.sil_type(SilType::from_u32(word));
                }
            }
            C::OpenPack => {
                let range = self.body.operand_range(inst, spec);
                self.bare_operand(self.body.operand_value(inst, range.start));
                self.out.push(" of ");
                self.out.display(GenericSig::from_u32(word));
                self.out.push(" at ");
                self.substitutions(words[attr + 1]);
                self.out.push(", shape $");
                self.out.ty(Type::from_u32(words[attr + 2]));
                self.out.push(", uuid ");
                self.quoted(words[attr + 3]);
            }
            C::KeyPath => self.keypath(inst, attr, spec),
            _ => self.custom_differentiable(inst, piece, attr, spec),
        }
    }

    pub(super) fn bare_operands(&mut self, inst: Inst, spec: usize) {
        for (i, index) in self.body.operand_range(inst, spec).enumerate() {
            self.out.push(if i > 0 { ", " } else { "" });
            self.bare_operand(self.body.operand_value(inst, index));
        }
    }

    /// Prints a use without its type, even for `undef`.
    pub(in crate::body) fn bare_operand(&mut self, value: silkit_ir::Value) {
        self.value_name(value);
    }

    pub(in crate::body) fn substitutions(&mut self, word: u32) {
        if word == NONE {
            return;
        }
        self.out.push("<");
        for (i, &ty) in self.body.list(word).iter().enumerate() {
            self.out.push(if i > 0 { ", " } else { "" });
            self.out.ty(Type::from_u32(ty));
        }
        self.out.push(">");
    }
}
