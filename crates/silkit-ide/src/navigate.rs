//! Definitions, references, renaming: answers of the lexical index.

use crate::{Document, Edit};
use silkit_base::TextRange;
use silkit_text::{Token, TokenKind, TokenRole};
use std::fmt;

/// The reason why something cannot be renamed, as a sentence for the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RenameError(String);

impl fmt::Display for RenameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for RenameError {}

impl Document {
    /// Returns where the name at an offset is defined: a value, a block, a function or variable, a declared type, a member
    /// of one.
    pub fn definition(&self, offset: usize) -> Option<TextRange> {
        let (index, token) = self.tokens().at(offset)?;
        let text = self.text();
        match token.kind {
            TokenKind::Value | TokenKind::Block | TokenKind::Symbol => {
                self.tokens().definition(text, index).map(|token| token.range())
            }
            TokenKind::Type => self.declared_type(word_at(text, offset)?),
            TokenKind::Member => self.member(token.text(text)),
            TokenKind::Instruction => None,
        }
    }

    /// Returns the places that name what is named at an offset, with their roles, in text order.
    pub fn references(&self, offset: usize) -> Vec<Token> {
        match self.tokens().at(offset) {
            Some((_, token)) if token.kind == TokenKind::Instruction => Vec::new(),
            Some((index, _)) => self.tokens().same(self.text(), index),
            None => Vec::new(),
        }
    }

    /// Returns the places that name what is named at an offset, in the entity around it.
    pub fn highlights(&self, offset: usize) -> Vec<Token> {
        let mut found = self.references(offset);
        if let Some(scope) = self.tokens().scope_at(offset).map(|scope| scope.range) {
            found.retain(|token| scope.start <= token.start && token.end <= scope.end);
        }
        found
    }

    /// Returns the range of the value or block at an offset, which [`rename`](Self::rename) renames.
    pub fn renamed(&self, offset: usize) -> Option<TextRange> {
        let (_, token) = self.tokens().at(offset)?;
        matches!(token.kind, TokenKind::Value | TokenKind::Block).then(|| token.range())
    }

    /// Returns the edits that rename the value or block at an offset, in its function, comments included.
    ///
    /// # Errors
    /// Returns an error if there is neither, or if the new name is no name, or is taken in this function.
    pub fn rename(&self, offset: usize, name: &str) -> Result<Vec<Edit>, RenameError> {
        let refuse = |message: String| Err(RenameError(message));
        let Some((index, token)) =
            self.tokens().at(offset).filter(|(_, t)| matches!(t.kind, TokenKind::Value | TokenKind::Block))
        else {
            return refuse("only values and blocks can be renamed".to_owned());
        };
        let name = match token.kind {
            TokenKind::Value if !name.starts_with('%') => format!("%{name}"),
            _ => name.to_owned(),
        };
        let bare = name.strip_prefix('%').unwrap_or(&name);
        let is_name = !bare.is_empty() && bare.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        if !is_name || (token.kind == TokenKind::Block && bare.starts_with(|c: char| c.is_ascii_digit())) {
            return refuse(format!("`{name}` is not a name: letters, digits and `_` are"));
        }
        let text = self.text();
        let is_taken = self.tokens().scope_at(offset).is_some_and(|scope| {
            let mut tokens = self.tokens().tokens_of(scope).iter();
            tokens.any(|other| other.kind == token.kind && other.text(text) == name)
        });
        if is_taken && token.text(text) != name {
            return refuse(format!("`{name}` is in use in this function"));
        }
        let same = self.tokens().same(text, index);
        Ok(same.into_iter().map(|token| Edit { range: token.range(), text: name.clone() }).collect())
    }

    /// Returns where the Swift text declares a type with this name.
    pub(crate) fn declared_type(&self, name: &str) -> Option<TextRange> {
        self.tokens().declared_types().find(|token| token.text(self.text()) == name).map(|t| t.range())
    }

    /// Returns the declaration of a member such as `#Box.value!getter`, or of its type if the member is not found in the
    /// text of the type.
    fn member(&self, member: &str) -> Option<TextRange> {
        let path = member.trim_start_matches('#').split('!').next()?;
        let mut parts = path.rsplit('.');
        let (own, owner) = (parts.next()?, parts.next());
        let Some(owner) = owner else { return self.declared_type(own) };
        let token = self.tokens().declared_types().find(|token| token.text(self.text()) == owner)?;
        let declared = token.range();
        let Some(braces) = self.braces_after(token) else { return Some(declared) };
        let inside = crate::slice(self.text(), braces);
        for (at, _) in inside.match_indices(own.trim_matches(['"', '`'])) {
            let before = inside.get(..at)?.trim_end_matches(['`', ' ']);
            let after = inside.get(at + own.len()..).unwrap_or_default();
            let is_whole = !after.starts_with(|c: char| c.is_alphanumeric() || c == '_');
            let declares = ["var", "let", "func", "case", "class", "struct", "enum", "protocol"];
            let is_declared = declares.iter().any(|word| before.ends_with(word))
                || matches!(own, "init" | "deinit" | "subscript")
                    && before.ends_with(['\n', ' ', ';', '{', ')']);
            if is_whole && (is_declared || own == "init") {
                let start = braces.start as usize + at;
                return Some(TextRange::new(start, start + own.len()));
            }
        }
        Some(declared)
    }

    /// Returns true if a token defines its name.
    pub fn is_definition(token: &Token) -> bool {
        token.role == TokenRole::Definition
    }
}

/// Returns the identifier around an offset.
pub(crate) fn word_at(text: &str, offset: usize) -> Option<&str> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let (before, after) = (text.get(..offset)?, text.get(offset..)?);
    let start = before
        .rfind(|c: char| !is_word(c))
        .map_or(0, |at| at + before.get(at..).and_then(|rest| rest.chars().next()).map_or(1, char::len_utf8));
    let end = offset + after.find(|c: char| !is_word(c)).unwrap_or(after.len());
    text.get(start..end).filter(|word| !word.is_empty())
}
