//! Irregular pieces of differentiable functions: indices, derivatives and witnesses.

use crate::body::parse::BodyParser;
use crate::body::print::BodyPrinter;
use crate::error::{Parse, err_here};
use silkit_base::Symbol;
use silkit_ir::info::CustomPiece as C;
use silkit_ir::{Inst, NONE};
use silkit_types::GenericSig;

impl BodyParser<'_, '_> {
    /// Parses `[keyword 0 1]`.
    pub(super) fn indices(&mut self, keyword: &'static str) -> Parse<u32> {
        let at = self.cur.clone();
        if !(self.cur.eat("[") && self.cur.eat_word(keyword)) {
            return Err(err_here(&at, format!("expected `[{keyword} …]` with a list of indices")));
        }
        let mut indices = Vec::new();
        while !self.cur.eat("]") {
            indices.push(self.number()?);
        }
        Ok(self.body.new_list(&indices))
    }

    pub(super) fn custom_differentiable(&mut self, piece: C, attr: usize, spec: u8) -> Parse<()> {
        match piece {
            C::Indices => {
                self.inst.words[attr] = self.indices("parameters")?;
                self.inst.words[attr + 1] = self.indices("results")?;
            }
            C::Parameters => self.inst.words[attr] = self.indices("parameters")?,
            C::Derivatives => {
                if self.cur.eat_word("with_derivative") {
                    self.text("{")?;
                    let jvp = self.use_value()?;
                    self.push_operand(spec, jvp);
                    self.text(",")?;
                    let vjp = self.use_value()?;
                    self.push_operand(spec + 1, vjp);
                    self.text("}")?;
                }
            }
            C::Transpose => {
                if self.cur.eat_word("with_transpose") {
                    let transpose = self.use_value()?;
                    self.push_operand(spec, transpose);
                }
            }
            C::Witness => {
                for i in 0..2 {
                    self.text("[")?;
                    let word =
                        self.cur.ident().ok_or_else(|| err_here(&self.cur, "expected a kind in brackets"))?;
                    self.inst.words[attr + i] = Symbol::new(word).as_u32();
                    self.text("]")?;
                }
                self.inst.words[attr + 2] = self.indices("parameters")?;
                self.inst.words[attr + 3] = self.indices("results")?;
                let sig = if self.cur.peek() == b'<' {
                    Some(crate::types::signature::parse_generic_sig(&mut self.cur, self.env)?)
                } else {
                    None
                };
                let function = self.global_name()?;
                // The compiler names the parameters as their declarations do.
                self.keeps_names = sig.is_some() && crate::decl::is_mangled(function);
                let spelled = |sig: GenericSig| if self.keeps_names { sig } else { sig.canonical() };
                self.inst.words[attr + 4] = sig.map_or(NONE, |sig| spelled(sig).as_u32());
                self.inst.words[attr + 5] = function.as_u32();
            }
            other => return Err(err_here(&self.cur, format!("`{}` is not allowed here", other.name()))),
        }
        Ok(())
    }
}

impl BodyPrinter<'_, '_> {
    pub(super) fn indices(&mut self, keyword: &str, word: u32) {
        self.out.push("[");
        self.out.push(keyword);
        for &index in self.body.list(word) {
            self.out.push(" ");
            self.out.number(index);
        }
        self.out.push("] ");
    }

    pub(super) fn custom_differentiable(&mut self, inst: Inst, piece: C, attr: usize, spec: usize) {
        let words = self.body.words(inst);
        match piece {
            C::Indices => {
                self.indices("parameters", words[attr]);
                self.indices("results", words[attr + 1]);
            }
            C::Parameters => self.indices("parameters", words[attr]),
            C::Derivatives | C::Transpose if self.body.operand_range(inst, spec).is_empty() => {}
            C::Derivatives => {
                self.out.push(" with_derivative {");
                self.operand_of(inst, spec, false);
                self.out.push(", ");
                self.operand_of(inst, spec + 1, false);
                self.out.push("}");
            }
            C::Transpose => {
                self.out.push(" with_transpose ");
                self.operand_of(inst, spec, false);
            }
            C::Witness => {
                for &kind in &words[attr..attr + 2] {
                    self.out.push("[");
                    self.out.push(Symbol::from_u32(kind).as_str());
                    self.out.push("] ");
                }
                self.indices("parameters", words[attr + 2]);
                self.indices("results", words[attr + 3]);
                if words[attr + 4] != NONE {
                    self.out.display(GenericSig::from_u32(words[attr + 4]));
                    self.out.push(" ");
                }
                self.out.global_name(Symbol::from_u32(words[attr + 5]));
            }
            _ => {}
        }
    }
}
