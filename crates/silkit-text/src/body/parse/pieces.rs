//! Parsing of an instruction, piece by piece as the instruction table declares its text form.

use super::BodyParser;
use super::older;
use crate::error::{Parse, SyntaxError, err_here, err_unknown};
use silkit_ir::info::{AttrKind, CustomPiece, Piece};
use silkit_ir::{InstInfo, Opcode};

impl<'a, 'e> BodyParser<'a, 'e> {
    pub(in crate::body) fn pieces(&mut self, info: &'static InstInfo) -> Parse<()> {
        let form = info.form;
        let mut i = 0;
        while let Some(&piece) = form.get(i) {
            i += 1;
            if let Some(source) = self.left_out_source(info, piece) {
                let value = self.use_value()?;
                self.push_operand(0, value);
                self.inst.words[source as usize] = self.formal_type_of_operand();
                // Skip the `in` and the operand, which are already parsed.
                i += 2;
                continue;
            }
            match piece {
                Piece::Flag(_)
                | Piece::Choice { bracketed: true, .. }
                | Piece::Custom(CustomPiece::Align, ..) => {
                    let run = form[i - 1..].iter().take_while(|p| is_bracket(p)).count();
                    self.brackets(&form[i - 1..i - 1 + run], info);
                    i += run - 1;
                }
                Piece::Choice { attr, bracketed: false } => self.keyword(info, attr)?,
                Piece::Text(text) => self.text(text)?,
                Piece::BareOperand(spec) => {
                    let value =
                        self.use_value_or_undef().map_err(|error| self.or_unknown_bracket(error, info))?;
                    self.push_operand(spec, value);
                }
                Piece::Operand(spec) | Piece::TypedOperand(spec) => {
                    let value = self.use_value().map_err(|error| self.or_unknown_bracket(error, info))?;
                    self.push_operand(spec, value);
                }
                Piece::Operands(spec) => self.operand_list(spec, ")")?,
                Piece::Attr(attr) => self.attribute(info, attr)?,
                Piece::Target(attr, args) => {
                    self.inst.words[attr as usize] = self.block_name()?.as_u32();
                    if args != 255 && self.cur.eat("(") {
                        self.operand_list(args, ")")?;
                        self.text(")")?;
                    }
                }
                Piece::OptOperand(text, spec, _) => {
                    let before = self.cur.pos();
                    if self.missing_token(text).is_none()
                        && (self.cur.peek() == b'%' || self.cur.peek_word() == Some("undef"))
                    {
                        let value = self.use_value()?;
                        self.push_operand(spec, value);
                    } else {
                        self.cur.set_pos(before);
                    }
                }
                Piece::OptTarget(text, attr) => {
                    let before = self.cur.pos();
                    if self.missing_token(text).is_none() {
                        self.inst.words[attr as usize] = self.block_name()?.as_u32();
                    } else {
                        self.cur.set_pos(before);
                    }
                }
                Piece::Custom(custom, attr, spec) => self.custom(custom, attr as usize, spec)?,
            }
        }
        Ok(())
    }

    /// Parses `[flag]`s and bracketed keywords in any order. Where several are possible a flag may be repeated, a keyword
    /// never; before a keyword that stands alone with a flag, as in `[strict] [no_consume_or_assign]`, the order is fixed.
    pub(super) fn brackets(&mut self, run: &[Piece], info: &'static InstInfo) {
        if self.cur.peek() != b'[' {
            return;
        }
        let is_ordered = matches!(run, [_] | [Piece::Flag(_), Piece::Choice { .. }]);
        // The pieces before `first` cannot come any more, nor the keywords in `used`, one bit for each.
        let (mut first, mut used) = (0, 0u64);
        'next: while self.cur.peek() == b'[' {
            let before = self.cur.pos();
            self.cur.eat("[");
            let word = self.cur.ident().unwrap_or_default();
            if let Some(attr) = alignment(&run[first..]).filter(|_| word == "align" && self.cur.eat("="))
                && let Some(bytes) = self.cur.integer()
                && self.cur.eat("]")
            {
                self.inst.words[attr] = crate::symbols::symbol(bytes).as_u32();
                continue;
            }
            if self.cur.eat("]") {
                let word = older::flag(word);
                for (at, piece) in run.iter().enumerate().skip(first) {
                    match *piece {
                        Piece::Flag(bit) if info.flags[bit as usize] == word => {
                            self.inst.flags |= 1 << bit;
                            first = if is_ordered { at + 1 } else { first };
                            continue 'next;
                        }
                        _ if used >> at & 1 == 1 => {}
                        Piece::Choice { attr, .. } => {
                            if let AttrKind::Choice(options, _) = info.attrs[attr as usize].kind
                                && let Some(index) = options.iter().position(|o| *o == word)
                            {
                                self.inst.words[attr as usize] = index as u32;
                                first = if is_ordered { at + 1 } else { first };
                                used |= 1 << at;
                                continue 'next;
                            }
                        }
                        _ => {}
                    }
                }
            }
            self.cur.set_pos(before);
            return;
        }
    }

    /// Returns the error for a bracketed word where an operand is expected, if it resembles an attribute of the
    /// instruction; otherwise `error`.
    fn or_unknown_bracket(&self, error: SyntaxError, info: &'static InstInfo) -> SyntaxError {
        let mut at = self.cur.clone();
        at.skip_trivia();
        let start = at.pos();
        let Some(word) = at.eat("[").then(|| at.ident()).flatten().filter(|_| at.eat("]")) else {
            return error;
        };
        let choices = info.attrs.iter().flat_map(|attr| match attr.kind {
            AttrKind::Choice(options, _) => options,
            _ => &[],
        });
        let known: Vec<String> = info.flags.iter().chain(choices).map(|word| format!("[{word}]")).collect();
        let unknown = err_unknown(
            start,
            &format!("[{word}]"),
            format!("unknown attribute `[{word}]` of `{}`", info.name),
            known.iter().map(String::as_str),
        );
        if unknown.help.is_some() { unknown } else { error }
    }

    pub(super) fn keyword(&mut self, info: &'static InstInfo, attr: u8) -> Parse<()> {
        let AttrKind::Choice(options, _) = info.attrs[attr as usize].kind else { return Ok(()) };
        for (index, option) in options.iter().enumerate() {
            let before = self.cur.pos();
            let found = match option.strip_prefix('@') {
                Some(word) => self.cur.eat("@") && self.cur.eat_word(word),
                None => self.cur.eat_word(option),
            };
            if found {
                self.inst.words[attr as usize] = index as u32;
                return Ok(());
            }
            self.cur.set_pos(before);
        }
        Err(err_here(&self.cur, format!("expected one of `{}`", options.join("`, `"))))
    }

    /// Parses fixed text, ignoring differences in white space.
    pub(in crate::body) fn text(&mut self, text: &'static str) -> Parse<()> {
        match self.missing_token(text) {
            None => Ok(()),
            Some(token) => Err(err_here(&self.cur, format!("expected `{token}`"))),
        }
    }

    /// Parses fixed text, ignoring differences in white space, and returns the first missing token.
    fn missing_token(&mut self, text: &'static str) -> Option<&'static str> {
        let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
        let mut rest = text.trim_ascii_start();
        while let Some(first) = rest.as_bytes().first() {
            let word = rest.bytes().take_while(|byte| is_word(byte)).count();
            // The text of forms is ASCII.
            let (token, after) = rest.split_at(word.max(1));
            let found =
                if first.is_ascii_alphanumeric() { self.cur.eat_word(token) } else { self.cur.eat(token) };
            if !found {
                return Some(token);
            }
            rest = after.trim_ascii_start();
        }
        None
    }

    pub(super) fn attribute(&mut self, info: &'static InstInfo, attr: u8) -> Parse<()> {
        let kind = info.attrs[attr as usize].kind;
        self.inst.words[attr as usize] = match kind {
            AttrKind::U32 => self.number()?,
            AttrKind::Sym => self.integer_symbol()?.as_u32(),
            AttrKind::Str => self.string_symbol()?.as_u32(),
            AttrKind::SilType => match info.opcode {
                Opcode::Metatype => self.metatype_type()?,
                Opcode::DynamicPackIndex
                | Opcode::PackPackIndex
                | Opcode::ScalarPackIndex
                | Opcode::PackLength => self.formal_pack()?,
                _ if info.is_formal(&info.attrs[attr as usize]) => self.contents_type()?,
                _ => self.sil_type()?,
            }
            .as_u32(),
            AttrKind::Type => self.formal_type()?.as_u32(),
            AttrKind::Decl if info.attrs[attr as usize].name == "element" => self.enum_case()?,
            AttrKind::Decl => crate::decl_ref::parse(&mut self.cur, self.env)?.as_u32(),
            AttrKind::Function | AttrKind::Global => self.global_name()?.as_u32(),
            other => unreachable!("invariant: {other:?} is never a piece of its own"),
        };
        Ok(())
    }
}

/// Returns the attribute that holds the alignment, if the run of brackets has one.
fn alignment(run: &[Piece]) -> Option<usize> {
    run.iter().find_map(|piece| match piece {
        Piece::Custom(CustomPiece::Align, attr, _) => Some(*attr as usize),
        _ => None,
    })
}

fn is_bracket(piece: &Piece) -> bool {
    matches!(
        piece,
        Piece::Flag(_) | Piece::Choice { bracketed: true, .. } | Piece::Custom(CustomPiece::Align, ..)
    )
}
