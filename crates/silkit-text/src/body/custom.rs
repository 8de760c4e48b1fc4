//! The irregular pieces of text forms: each is read and printed here, side by side.

use super::parse::BodyParser;
use super::print::BodyPrinter;
use crate::error::{Parse, err_here};
use crate::types::{parse_substitutions, parse_type};
use silkit_base::Symbol;
use silkit_ir::info::CustomPiece as C;
use silkit_ir::{Block, Inst, NONE};
use silkit_types::{GenericSig, SilType, Type, TypeKind};

impl BodyParser<'_, '_> {
    /// Reads an irregular piece whose first attribute and operand specification are given.
    pub(super) fn custom(&mut self, piece: C, attr: usize, spec: u8) -> Parse<()> {
        match piece {
            C::Var => self.inst.words[attr] = self.debug_var()?,
            C::TailElems => self.tail_elems(attr, spec)?,
            C::Formal => {
                if self.cur.peek() == b':' {
                    let before = self.cur.pos();
                    self.cur.eat(":");
                    if self.cur.peek() == b'$' {
                        self.cur.set_pos(before);
                    } else {
                        self.inst.words[attr] = parse_type(&mut self.cur, self.env, false)?.as_u32();
                    }
                }
            }
            C::Counts => {
                let mut counts = [NONE, NONE];
                while self.cur.eat("!") {
                    let word = self.cur.ident().unwrap_or_default();
                    self.text("(")?;
                    let count = self.integer_symbol()?.as_u32();
                    self.text(")")?;
                    match word {
                        "true_count" | "normal_count" => counts[0] = count,
                        "false_count" | "error_count" => counts[1] = count,
                        _ => return Err(err_here(&self.cur, "expected `!true_count` or `!false_count`")),
                    }
                }
                if counts != [NONE, NONE] {
                    self.inst.words[attr] = self.body.new_list(&counts);
                }
            }
            C::Isolation => {
                for (i, key) in ["callee_isolation", "caller_isolation"].into_iter().enumerate() {
                    let before = self.cur.pos();
                    if self.cur.eat("[") && self.cur.eat_word(key) && self.cur.eat("=") {
                        let word =
                            self.cur.ident().ok_or_else(|| err_here(&self.cur, "expected an isolation"))?;
                        self.inst.words[attr + i] = crate::symbols::symbol(word).as_u32();
                        self.text("]")?;
                    } else {
                        self.cur.set_pos(before);
                    }
                }
            }
            C::Assigned => {
                let mut assigned = Vec::new();
                loop {
                    let before = self.cur.pos();
                    if !(self.cur.eat("[") && self.cur.eat_word("assign") && self.cur.eat("=")) {
                        self.cur.set_pos(before);
                        break;
                    }
                    assigned.push(self.number()?);
                    self.text("]")?;
                }
                self.inst.words[attr] = self.body.new_list(&assigned);
            }
            C::SelfOrType => {
                if self.cur.eat_word("local") {
                    self.inst.words[attr] = self.sil_type()?.as_u32();
                } else {
                    self.text("self")?;
                    if self.cur.peek() == b'$' {
                        self.inst.words[attr] = self.sil_type()?.as_u32();
                    } else {
                        let value = self.use_value()?;
                        self.push_operand(spec, value);
                    }
                }
            }
            _ => self.custom_aggregate(piece, attr, spec)?,
        }
        Ok(())
    }

    fn custom_aggregate(&mut self, piece: C, attr: usize, spec: u8) -> Parse<()> {
        match piece {
            C::Object => {
                let mut base = 0;
                let mut in_tail = false;
                while !self.cur.looking_at(")") {
                    if self.cur.eat("[") {
                        self.text("tail_elems]")?;
                        in_tail = true;
                        if self.cur.looking_at(")") {
                            break;
                        }
                    }
                    let value = self.use_value()?;
                    self.push_operand(spec, value);
                    base += u32::from(!in_tail);
                    if !self.cur.eat(",") {
                        break;
                    }
                }
                self.inst.words[attr] = if in_tail { base } else { NONE };
            }
            C::Tuple => {
                if self.cur.peek() == b'$' {
                    let ty = self.sil_type()?;
                    // Only labels need the type.
                    if matches!(ty.ty().kind(), TypeKind::Tuple(t) if t.iter().any(|e| e.label.is_some())) {
                        self.inst.words[attr] = ty.as_u32();
                    }
                }
                self.text("(")?;
                self.operand_list(spec, ")")?;
                self.text(")")?;
            }
            C::Yields => {
                if self.cur.eat("(") {
                    self.operand_list(spec, ")")?;
                    self.text(")")?;
                } else {
                    let value = self.use_value()?;
                    self.push_operand(spec, value);
                }
            }
            C::Select => {
                let mut cases = Vec::new();
                while self.cur.eat(",") {
                    if self.cur.eat_word("default") {
                        cases.push(NONE);
                    } else {
                        self.text("case")?;
                        cases.push(self.enum_case()?);
                        self.text(":")?;
                    }
                    // A type that follows is that of the result.
                    let value = self.use_bare_value()?;
                    self.push_operand(spec, value);
                }
                self.inst.words[attr] = self.body.new_list(&cases);
            }
            C::Cases => {
                let mut cases = Vec::new();
                while self.cur.looking_at(",") && self.case_follows() {
                    if self.cur.eat_word("default") {
                        self.inst.words[attr + 1] = self.block_name()?.as_u32();
                        break;
                    }
                    self.text("case")?;
                    cases.push(self.enum_case()?);
                    self.text(":")?;
                    cases.push(self.block_name()?.as_u32());
                }
                self.inst.words[attr] = self.body.new_list(&cases);
            }
            C::ValueCases => {
                let mut targets = Vec::new();
                while self.cur.looking_at(",") && self.case_follows() {
                    if self.cur.eat_word("default") {
                        self.inst.words[attr + 1] = self.block_name()?.as_u32();
                        break;
                    }
                    self.text("case")?;
                    let value = self.use_value()?;
                    self.push_operand(spec, value);
                    self.text(":")?;
                    targets.push(self.block_name()?.as_u32());
                }
                self.inst.words[attr] = self.body.new_list(&targets);
            }
            _ => self.custom_call(piece, attr, spec)?,
        }
        Ok(())
    }

    /// Consumes a `,` only where a case or the default follows it.
    fn case_follows(&mut self) -> bool {
        let before = self.cur.pos();
        self.cur.eat(",");
        let follows = matches!(self.cur.peek_word(), Some("case" | "default"));
        if !follows {
            self.cur.set_pos(before);
        }
        follows
    }

    fn custom_call(&mut self, piece: C, attr: usize, spec: u8) -> Parse<()> {
        match piece {
            C::Apply => {
                let callee = self.use_bare_value()?;
                self.push_operand(spec, callee);
                self.inst.words[attr] = self.substitutions()?;
                self.text("(")?;
                self.operand_list(spec + 1, ")")?;
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
                let sig = crate::generics::parse_generic_sig(&mut self.cur, self.env)?;
                self.inst.words[attr] = sig.as_u32();
                self.text("at")?;
                // The arguments are in terms of the function, the shape in terms of this signature.
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

    /// Gives the value that was read last its type, which follows later in the text.
    fn set_unknown_type(&mut self, value: silkit_ir::Value, ty: SilType) {
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

    fn open_pack_rest(&mut self, attr: usize) -> Parse<()> {
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

    /// Reads `<A, B>`, or nothing.
    pub(super) fn substitutions(&mut self) -> Parse<u32> {
        if self.cur.peek() != b'<' {
            return Ok(NONE);
        }
        let types = parse_substitutions(&mut self.cur, self.env)?;
        let words: Vec<u32> = types.iter().map(|t| t.as_u32()).collect();
        Ok(self.body.new_list(&words))
    }

    fn tail_elems(&mut self, attr: usize, spec: u8) -> Parse<()> {
        let mut types = Vec::new();
        loop {
            let before = self.cur.pos();
            if !(self.cur.eat("[") && self.cur.eat_word("tail_elems")) {
                self.cur.set_pos(before);
                break;
            }
            types.push(self.sil_type()?.as_u32());
            self.text("*")?;
            let count = self.use_value()?;
            self.push_operand(spec, count);
            self.text("]")?;
        }
        self.inst.words[attr] = if types.is_empty() { NONE } else { self.body.new_list(&types) };
        Ok(())
    }

    /// Reads `[keyword 0 1]`.
    fn indices(&mut self, keyword: &'static str) -> Parse<u32> {
        let at = self.cur.clone();
        if !(self.cur.eat("[") && self.cur.eat_word(keyword)) {
            return Err(err_here(
                &at,
                format!("expected `[{keyword} …]` with the numbers of those that count"),
            ));
        }
        let mut indices = Vec::new();
        while !self.cur.eat("]") {
            indices.push(self.number()?);
        }
        Ok(self.body.new_list(&indices))
    }

    fn custom_differentiable(&mut self, piece: C, attr: usize, spec: u8) -> Parse<()> {
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
                if self.cur.peek() == b'<' {
                    let sig = crate::generics::parse_generic_sig(&mut self.cur, self.env)?;
                    self.inst.words[attr + 4] = sig.canonical().as_u32();
                }
                self.inst.words[attr + 5] = self.global_name()?.as_u32();
            }
            other => return Err(err_here(&self.cur, format!("`{}` is not supported here", other.name()))),
        }
        Ok(())
    }
}

impl BodyPrinter<'_, '_> {
    /// Prints an irregular piece whose first attribute and operand specification are given.
    pub(super) fn custom(&mut self, inst: Inst, piece: C, attr: usize, spec: usize) {
        let body = self.body;
        let word = body.words(inst).get(attr).copied().unwrap_or(NONE);
        match piece {
            C::Var => self.debug_var(word),
            C::TailElems => {
                let range = body.operand_range(inst, spec);
                for (&ty, index) in body.list(word).iter().zip(range) {
                    self.out.push("[tail_elems ");
                    self.sil_type(SilType::from_u32(ty));
                    self.out.push(" * ");
                    self.operand(body.operand_value(inst, index), false);
                    self.out.push("] ");
                }
            }
            C::Formal => {
                if word != NONE {
                    self.out.push(" : ");
                    self.out.ty(Type::from_u32(word));
                }
            }
            C::Counts => {
                let names = if body.inst(inst).opcode == silkit_ir::Opcode::TryApply {
                    [", !normal_count(", ", !error_count("]
                } else {
                    [" !true_count(", " !false_count("]
                };
                for (&count, name) in body.list(word).iter().zip(names) {
                    if count != NONE {
                        self.out.push(name);
                        self.out.push(Symbol::from_u32(count).as_str());
                        self.out.push(")");
                    }
                }
            }
            C::Align => {
                if let Some(bytes) = silkit_ir::Body::symbol(word) {
                    self.out.push("[align=");
                    self.out.push(bytes.as_str());
                    self.out.push("] ");
                }
            }
            C::Isolation => {
                for (i, key) in ["[callee_isolation=", "[caller_isolation="].into_iter().enumerate() {
                    if let Some(isolation) = silkit_ir::Body::symbol(body.words(inst)[attr + i]) {
                        self.out.push(key);
                        self.out.push(isolation.as_str());
                        self.out.push("] ");
                    }
                }
            }
            C::Assigned => {
                for &index in body.list(word) {
                    self.out.push("[assign=");
                    self.out.number(index);
                    self.out.push("] ");
                }
            }
            C::SelfOrType => {
                if word == NONE {
                    self.out.push("self ");
                    self.operand_of(inst, spec, false);
                } else {
                    self.out.push("self ");
                    self.sil_type(SilType::from_u32(word));
                }
            }
            _ => self.custom_aggregate(inst, piece, attr, spec),
        }
    }

    fn custom_aggregate(&mut self, inst: Inst, piece: C, attr: usize, spec: usize) {
        let body = self.body;
        let word = body.words(inst).get(attr).copied().unwrap_or(NONE);
        match piece {
            C::Object => {
                let range = body.operand_range(inst, spec);
                for (i, index) in range.clone().enumerate() {
                    self.out.push(if i > 0 { ", " } else { "" });
                    self.out.push(if i as u32 == word { "[tail_elems] " } else { "" });
                    self.operand(body.operand_value(inst, index), false);
                }
                if range.len() as u32 == word {
                    self.out.push(if range.is_empty() { "[tail_elems] " } else { ", [tail_elems] " });
                }
            }
            C::Tuple => {
                if word != NONE {
                    self.sil_type(SilType::from_u32(word));
                    self.out.push(" ");
                }
                self.out.push("(");
                if word == NONE {
                    self.operand_list(inst, spec);
                } else {
                    self.bare_operands(inst, spec);
                }
                self.out.push(")");
            }
            C::Yields => {
                let parens = body.operand_range(inst, spec).len() != 1;
                self.out.push(if parens { "(" } else { "" });
                self.operand_list(inst, spec);
                self.out.push(if parens { ")" } else { "" });
            }
            C::Select => {
                let range = body.operand_range(inst, spec);
                for (&case, index) in body.list(word).iter().zip(range) {
                    if case == NONE {
                        self.out.push(", default ");
                    } else {
                        self.out.push(", case ");
                        self.decl(case);
                        self.out.push(": ");
                    }
                    self.value_name(body.operand_value(inst, index));
                }
            }
            C::Cases => {
                for case in body.list(word).chunks_exact(2) {
                    self.out.push(", case ");
                    self.decl(case[0]);
                    self.out.push(": ");
                    self.block_name(Block::from_u32(case[1]));
                }
                self.default_block(body.words(inst)[attr + 1]);
            }
            C::ValueCases => {
                let range = body.operand_range(inst, spec);
                for (&target, index) in body.list(word).iter().zip(range) {
                    self.out.push(", case ");
                    self.bare_operand(body.operand_value(inst, index));
                    self.out.push(": ");
                    self.block_name(Block::from_u32(target));
                }
                self.default_block(body.words(inst)[attr + 1]);
            }
            _ => self.custom_call(inst, piece, attr, spec),
        }
    }

    fn default_block(&mut self, word: u32) {
        if word != NONE {
            self.out.push(", default ");
            self.block_name(Block::from_u32(word));
        }
    }

    fn custom_call(&mut self, inst: Inst, piece: C, attr: usize, spec: usize) {
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

    fn bare_operands(&mut self, inst: Inst, spec: usize) {
        for (i, index) in self.body.operand_range(inst, spec).enumerate() {
            self.out.push(if i > 0 { ", " } else { "" });
            self.bare_operand(self.body.operand_value(inst, index));
        }
    }

    /// Prints a use without its type, even where it is `undef`.
    pub(super) fn bare_operand(&mut self, value: silkit_ir::Value) {
        self.value_name(value);
    }

    pub(super) fn substitutions(&mut self, word: u32) {
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

    fn indices(&mut self, keyword: &str, word: u32) {
        self.out.push("[");
        self.out.push(keyword);
        for &index in self.body.list(word) {
            self.out.push(" ");
            self.out.number(index);
        }
        self.out.push("] ");
    }

    fn custom_differentiable(&mut self, inst: Inst, piece: C, attr: usize, spec: usize) {
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
