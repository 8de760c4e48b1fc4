//! The scan of a text for tokens: one pass, which only looks a word ahead.
//!
//! Entities begin at lines with their words, as in the parser, so a body without its closing brace ends at the next entity.

use super::type_end::{balanced, type_end};
use super::{Token, TokenIndex, TokenKind, TokenRole, TokenScope};
use crate::cursor::{Cursor, is_ident_byte};
use crate::module::ENTITIES;
use memchr::{memchr, memmem};
use silkit_base::TextRange;

/// Words that begin the declaration of a type in Swift text.
const TYPE_WORDS: &[&str] = &["class", "struct", "enum", "protocol", "actor", "typealias", "associatedtype"];

/// Returns the tokens of a text.
pub(super) fn scan(text: &str) -> TokenIndex {
    let mut scanner = Scanner::new(text);
    while scanner.cur.pos() < scanner.cur.end() {
        match entity_word(&scanner.cur) {
            Some(word) => scanner.entity(word),
            None => scanner.swift_line(),
        }
    }
    scanner.index
}

/// Returns the entities of a text; of their tokens, only the names of functions and global variables.
pub(super) fn outline(text: &str) -> TokenIndex {
    let mut scanner = Scanner::new(text);
    loop {
        let here = scanner.cur.pos();
        if let Some(word) = entity_word(&scanner.cur) {
            scanner.header(word);
        }
        let rest = text.as_bytes().get(here..).unwrap_or_default();
        match memmem::find(rest, b"\nsil") {
            Some(next) => scanner.cur.set_pos(here + next + 1),
            None => break,
        }
    }
    // An entity reaches to the one after it.
    let mut end = text.len();
    for scope in scanner.index.scopes.iter_mut().rev() {
        let start = scope.range.start as usize;
        let own = text.get(start..end).unwrap_or_default();
        // The comments before the next entity belong to it.
        let code = own.rfind("\n}\n").map_or(own, |at| &own[..at + 2]);
        scope.range = TextRange::new(start, start + code.trim_end().len());
        end = start;
    }
    scanner.index
}

/// Returns the word of the entity that begins at the cursor, at the start of a line.
fn entity_word(cur: &Cursor<'_>) -> Option<&'static str> {
    if cur.here() != b's' {
        return None;
    }
    let word = cur.text().get(cur.pos()..cur.ident_end(cur.pos()))?;
    ENTITIES.iter().find(|known| **known == word).copied()
}

/// A block name that may turn out to be a label.
#[derive(Clone, Copy)]
struct Label {
    token: usize,
    state: LabelState,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum LabelState {
    /// After the name.
    Named,
    /// In the arguments, which began at this depth of parentheses.
    Open(usize),
    /// After the arguments.
    Closed,
}

/// The state within an entity.
#[derive(Default)]
struct Inside {
    /// The number of open braces.
    braces: usize,
    /// The number of open parentheses and brackets.
    parens: usize,
    /// True in bodies of functions and global variables.
    has_values: bool,
    /// True until the first token of a line.
    is_line_start: bool,
    /// True if the name of an instruction is expected.
    expects_instruction: bool,
    /// The number of tokens at the last opening parenthesis.
    opened_at: usize,
    /// The offset after the last token, for `%x =` and `(%x, %y) =`.
    last_end: usize,
    /// True if the last token is the parenthesis that closes a list.
    is_list_closed: bool,
    label: Option<Label>,
    /// True in an instruction whose string names values.
    is_test: bool,
    /// True after `case`: what follows the member is a block or a value.
    is_case: bool,
    /// True after `to`: what follows is an ownership kind.
    is_target: bool,
}

struct Scanner<'a> {
    cur: Cursor<'a>,
    index: TokenIndex,
}

impl<'a> Scanner<'a> {
    fn new(text: &'a str) -> Self {
        let mut cur = Cursor::new(text);
        if text.starts_with('\u{feff}') {
            cur.set_pos('\u{feff}'.len_utf8());
        }
        Self { cur, index: TokenIndex::default() }
    }

    fn push(&mut self, start: usize, end: usize, kind: TokenKind, role: TokenRole) {
        let offset = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        self.index.tokens.push(Token { start: offset(start), end: offset(end), kind, role });
    }

    fn count(&self) -> u32 {
        u32::try_from(self.index.tokens.len()).unwrap_or(u32::MAX)
    }

    /// Moves on by a byte, or over a comment or a string. Returns true for the latter.
    fn step(&mut self) -> bool {
        let at = self.cur.pos();
        match self.cur.here() {
            b'/' if self.cur.is_here("//") => self.cur.set_pos(self.cur.line_end()),
            b'/' if self.cur.is_here("/*") => {
                let end = self.cur.block_comment_end().unwrap_or(self.cur.end());
                self.cur.set_pos(end);
            }
            b'"' if self.cur.string().is_some() => {}
            _ => {
                self.cur.set_pos(at + 1);
                return false;
            }
        }
        true
    }

    /// Reads a line outside SIL entities, for the names of the types that it declares.
    fn swift_line(&mut self) {
        let mut declares = false;
        while self.cur.pos() < self.cur.end() {
            let at = self.cur.pos();
            let byte = self.cur.here();
            if byte == b'\n' {
                self.cur.set_pos(at + 1);
                return;
            }
            if byte == b'`' || is_ident_byte(byte) {
                let word = match self.cur.ident() {
                    Some(word) => word,
                    None => {
                        // A number, or a quote that is not closed.
                        self.cur.set_pos(self.cur.ident_end(at).max(at + 1));
                        continue;
                    }
                };
                if declares {
                    self.push(at, at + word.len(), TokenKind::Type, TokenRole::Definition);
                    declares = false;
                } else {
                    declares = TYPE_WORDS.contains(&word);
                }
                continue;
            }
            declares &= byte == b' ';
            self.step();
        }
    }

    /// Reads the header of an entity up to its name, for the outline.
    fn header(&mut self, word: &'static str) {
        let (start, first) = (self.cur.pos(), self.count());
        self.cur.set_pos(start + word.len());
        let line_end = self.cur.line_end();
        let mut name = None;
        while matches!(word, "sil" | "sil_global") && name.is_none() && self.cur.pos() < line_end {
            match self.cur.here() {
                b'@' => {
                    name = Some(self.count());
                    self.symbol(TokenRole::Definition);
                }
                b'[' => {
                    if !balanced(&mut self.cur) {
                        break;
                    }
                }
                b'{' | b'\n' => break,
                _ => {
                    self.step();
                }
            }
        }
        let line = self.cur.text().get(start..line_end).unwrap_or_default();
        let body = line.trim_end().ends_with('{').then(|| TextRange::new(line_end, line_end));
        let range = TextRange::new(start, line_end);
        let last = self.count();
        self.index.scopes.push(TokenScope { word, range, name, body, first, last });
    }

    /// Reads an entity.
    fn entity(&mut self, word: &'static str) {
        let (start, first) = (self.cur.pos(), self.count());
        self.cur.set_pos(start + word.len());
        let mut inside = Inside { last_end: self.cur.pos(), ..Inside::default() };
        let is_named = matches!(word, "sil" | "sil_global");
        let (mut name, mut body) = (None, None);
        // The end of the last token.
        let mut end = self.cur.pos();
        while self.cur.pos() < self.cur.end() {
            let at = self.cur.pos();
            match self.cur.here() {
                b'\n' => {
                    self.cur.set_pos(at + 1);
                    inside.is_line_start = true;
                    inside.is_target = false;
                    // A line at the margin after a header is another entity; so is one with the word of an entity.
                    let is_outside = inside.braces == 0 && !matches!(self.cur.here(), b' ' | b'\t' | b'{');
                    if is_outside || entity_word(&self.cur).is_some() {
                        break;
                    }
                    continue;
                }
                b' ' | b'\t' | b'\r' => {
                    self.cur.set_pos(at + 1);
                    continue;
                }
                b'{' => {
                    inside.braces += 1;
                    body = body.or(Some(at));
                    inside.has_values = is_named;
                    self.cur.set_pos(at + 1);
                }
                b'}' => {
                    inside.braces = inside.braces.saturating_sub(1);
                    self.cur.set_pos(at + 1);
                    if inside.braces == 0 {
                        end = self.cur.pos();
                        break;
                    }
                }
                b'@' if is_named && name.is_none() && inside.parens == 0 => {
                    name = Some(self.count());
                    if !self.symbol(TokenRole::Definition) {
                        name = None;
                        self.cur.set_pos(at + 1);
                    }
                }
                _ => self.token(&mut inside),
            }
            if self.cur.pos() <= at {
                self.cur.set_pos(at + 1);
            }
            end = self.cur.pos();
        }
        let range = TextRange::new(start, end);
        let body = body.map(|at| TextRange::new(at, end));
        let last = self.count();
        self.index.scopes.push(TokenScope { word, range, name, body, first, last });
    }

    /// Reads a token within an entity.
    fn token(&mut self, inside: &mut Inside) {
        let at = self.cur.pos();
        let byte = self.cur.here();
        let is_line_start = std::mem::take(&mut inside.is_line_start);
        let is_list_closed = std::mem::take(&mut inside.is_list_closed);
        let was_target = std::mem::take(&mut inside.is_target);
        match byte {
            b'/' if self.cur.is_here("//") => {
                inside.is_line_start = is_line_start;
                inside.is_list_closed = is_list_closed;
                if inside.has_values {
                    self.comment();
                }
                self.cur.set_pos(self.cur.line_end());
                return;
            }
            b'/' if self.cur.is_here("/*") => {
                inside.is_line_start = is_line_start;
                self.step();
                return;
            }
            _ => {}
        }
        let follows = |inside: &Inside| inside.last_end;
        let mut label = inside.label.take();
        match byte {
            b'%' if inside.has_values => {
                let end = self.cur.ident_end(at + 1);
                if end > at + 1 {
                    self.push(at, end, TokenKind::Value, TokenRole::Use);
                }
                self.cur.set_pos(end);
                inside.expects_instruction = false;
                if self.cur.here() == b'<' {
                    self.generic_arguments();
                }
            }
            b'@' => {
                if was_target || !self.is_symbol() {
                    self.attribute();
                } else {
                    self.symbol(TokenRole::Use);
                }
            }
            b'#' => self.member(inside),
            b'$' => self.lowered_type(at),
            b'(' | b'[' => {
                inside.parens += 1;
                if byte == b'(' {
                    inside.opened_at = self.index.tokens.len();
                    if let Some(named) = label.as_mut().filter(|label| label.state == LabelState::Named) {
                        named.state = LabelState::Open(inside.parens);
                    }
                }
                self.cur.set_pos(at + 1);
            }
            b')' | b']' => {
                if let Some(open) =
                    label.as_mut().filter(|label| label.state == LabelState::Open(inside.parens))
                {
                    open.state = LabelState::Closed;
                }
                inside.parens = inside.parens.saturating_sub(1);
                inside.is_list_closed = byte == b')';
                self.cur.set_pos(at + 1);
            }
            b':' => {
                if let Some(label) = label.take_if(|label| !matches!(label.state, LabelState::Open(_))) {
                    self.define_label(label);
                    inside.expects_instruction = true;
                    inside.parens = 0;
                }
                self.cur.set_pos(at + 1);
            }
            b'=' => {
                self.cur.set_pos(at + 1);
                if self.define_results(inside, is_list_closed, follows(inside)) {
                    inside.expects_instruction = true;
                    inside.parens = 0;
                }
            }
            b'"' => self.string(inside),
            b'`' => {
                if self.cur.ident().is_none() {
                    self.cur.set_pos(at + 1);
                }
            }
            _ if is_ident_byte(byte) => self.word(inside, &mut label, is_line_start),
            _ => self.cur.set_pos(at + 1),
        }
        // Within the arguments of a label everything may stand; after its name and its arguments, only the colon.
        let is_new = inside.label.is_some();
        if !is_new {
            let stays = |label: &Label| match label.state {
                LabelState::Open(_) => true,
                LabelState::Named => false,
                LabelState::Closed => byte == b')',
            };
            inside.label = label.filter(stays);
        }
        inside.last_end = self.cur.pos();
    }

    /// Reads a word of an instruction.
    fn word(&mut self, inside: &mut Inside, label: &mut Option<Label>, is_line_start: bool) {
        let at = self.cur.pos();
        let end = self.cur.ident_end(at);
        self.cur.set_pos(end);
        let expects = std::mem::take(&mut inside.expects_instruction);
        let word = self.cur.text().get(at..end).unwrap_or_default();
        inside.is_case = word == "case";
        inside.is_target = word == "to";
        if !inside.has_values || word.starts_with(|c: char| c.is_ascii_digit()) {
            return;
        }
        if word.starts_with("bb") && !expects {
            *label = None;
            inside.label = Some(Label { token: self.index.tokens.len(), state: LabelState::Named });
            self.push(at, end, TokenKind::Block, TokenRole::Use);
        } else if expects || (is_line_start && inside.parens == 0) {
            self.push(at, end, TokenKind::Instruction, TokenRole::Use);
            inside.is_test = word == "specify_test";
        }
    }

    /// Marks the names of a label and of its arguments as definitions.
    fn define_label(&mut self, label: Label) {
        let names = self.index.tokens.get_mut(label.token..).unwrap_or_default();
        for (index, token) in names.iter_mut().enumerate() {
            if index == 0 || token.kind == TokenKind::Value {
                token.role = TokenRole::Definition;
            }
        }
    }

    /// Marks the values before `=` as definitions. Returns false if there are none.
    fn define_results(&mut self, inside: &Inside, is_list_closed: bool, last_end: usize) -> bool {
        let tokens = &mut self.index.tokens;
        if is_list_closed {
            let list = tokens.get_mut(inside.opened_at..).unwrap_or_default();
            let is_list = list.iter().all(|token| token.kind == TokenKind::Value) && inside.has_values;
            if is_list {
                list.iter_mut().for_each(|token| token.role = TokenRole::Definition);
            }
            return is_list;
        }
        match tokens.last_mut() {
            Some(last) if last.kind == TokenKind::Value && last.end as usize == last_end => {
                last.role = TokenRole::Definition;
                true
            }
            _ => false,
        }
    }

    /// Returns true if the `@` at the cursor begins a symbol, and not an attribute: no type and no word follows.
    fn is_symbol(&self) -> bool {
        let mut after = self.cur.clone();
        after.set_pos(self.cur.pos() + 1);
        if after.here() == b'"' {
            return true;
        }
        let end = symbol_end(&after);
        if end == after.pos() {
            return false;
        }
        after.set_pos(end);
        while matches!(after.here(), b' ' | b'\t') {
            after.set_pos(after.pos() + 1);
        }
        let is_last = after.pos() >= after.end();
        is_last
            || matches!(after.here(), b':' | b',' | b')' | b']' | b'}' | b'[' | b'{' | b'\n' | b'\r')
            || after.is_here("//")
    }

    /// Reads a symbol. Returns false if there is none.
    fn symbol(&mut self, role: TokenRole) -> bool {
        let at = self.cur.pos();
        self.cur.set_pos(at + 1);
        let is_named = match self.cur.here() {
            b'"' => self.cur.string().is_some(),
            _ => {
                let end = symbol_end(&self.cur);
                self.cur.set_pos(end);
                end > at + 1
            }
        };
        if is_named {
            self.push(at, self.cur.pos(), TokenKind::Symbol, role);
        }
        is_named
    }

    /// Skips an attribute of a type, with its arguments.
    fn attribute(&mut self) {
        self.cur.set_pos(self.cur.ident_end(self.cur.pos() + 1));
        if self.cur.here() == b'(' {
            balanced(&mut self.cur);
        }
    }

    /// Reads the reference to a Swift declaration, and its formal type.
    fn member(&mut self, inside: &Inside) {
        let at = self.cur.pos();
        let is_case = inside.is_case;
        self.cur.set_pos(at + 1);
        loop {
            let start = self.cur.pos();
            match self.cur.here() {
                b'"' if self.cur.string().is_some() => {}
                b'`' if self.cur.ident().is_some() => {}
                b'.' | b'!' => self.cur.set_pos(start + 1),
                byte if is_ident_byte(byte) => self.cur.set_pos(self.cur.ident_end(start)),
                _ => break,
            }
        }
        if self.cur.pos() == at + 1 {
            return;
        }
        self.push(at, self.cur.pos(), TokenKind::Member, TokenRole::Use);
        let mut after = self.cur.clone();
        while after.here() == b' ' {
            after.set_pos(after.pos() + 1);
        }
        if is_case || after.here() != b':' {
            return;
        }
        after.set_pos(after.pos() + 1);
        while after.here() == b' ' {
            after.set_pos(after.pos() + 1);
        }
        let start = after.pos();
        self.cur.set_pos(start);
        if after.here() == b'@' && self.is_symbol() {
            return;
        }
        let end = type_end(&after, start);
        if end > start {
            self.push(start, end, TokenKind::Type, TokenRole::Use);
            self.cur.set_pos(end);
        }
    }

    /// Reads a lowered type.
    fn lowered_type(&mut self, at: usize) {
        let end = type_end(&self.cur, at + 1);
        self.cur.set_pos(end);
        if end > at + 1 {
            self.push(at, end, TokenKind::Type, TokenRole::Use);
        }
    }

    /// Reads the generic arguments of a call, directly after the called value.
    fn generic_arguments(&mut self) {
        let at = self.cur.pos();
        if balanced(&mut self.cur) {
            self.push(at, self.cur.pos(), TokenKind::Type, TokenRole::Use);
        }
    }

    /// Reads a string; that of a test names values.
    fn string(&mut self, inside: &Inside) {
        let at = self.cur.pos();
        if self.cur.string().is_none() {
            self.cur.set_pos(at + 1);
        } else if inside.is_test && inside.has_values {
            self.names(at, self.cur.pos(), TokenRole::Use);
        }
    }

    /// Reads the names in a comment to the end of the line.
    fn comment(&mut self) {
        self.names(self.cur.pos(), self.cur.line_end(), TokenRole::Comment);
    }

    /// Reads names of values, and in comments of blocks, in a range without code.
    fn names(&mut self, start: usize, end: usize, role: TokenRole) {
        let bytes = &self.cur.text().as_bytes()[..end];
        let mut at = start;
        if role == TokenRole::Comment && memmem::find(&bytes[start..], b"Preds: ").is_none() {
            // Only values.
            while let Some(next) = memchr(b'%', &bytes[at..]) {
                at = self.name(at + next, end, role);
            }
            return;
        }
        while at < end {
            let is_name = bytes[at] == b'%' || role == TokenRole::Comment && bytes[at..].starts_with(b"bb");
            let is_whole = at == start || !is_ident_byte(bytes[at - 1]);
            at = if is_name && is_whole { self.name(at, end, role) } else { at + 1 };
        }
    }

    /// Reads a name at an offset, and returns the offset after it.
    fn name(&mut self, at: usize, end: usize, role: TokenRole) -> usize {
        let bytes = self.cur.text().as_bytes();
        let kind = if bytes[at] == b'%' { TokenKind::Value } else { TokenKind::Block };
        let name_end = self.cur.ident_end(at + 1).min(end);
        if name_end > at + 1 {
            self.push(at, name_end, kind, role);
        }
        name_end.max(at + 1)
    }
}

/// Returns the end of the symbol at the cursor: identifiers separated by dots, as the parser reads them.
fn symbol_end(cur: &Cursor<'_>) -> usize {
    let mut end = cur.ident_end(cur.pos());
    while cur.text().as_bytes().get(end) == Some(&b'.') {
        end = cur.ident_end(end + 1);
    }
    end
}
