//! A lexical index of a text: where values, blocks, symbols, members, types and instructions are named, by entity.
//!
//! Editors ask for names while a body does not parse, so the index is made from the text alone and beside the parser, which
//! stores only the starts of instructions and labels. Names of values and blocks are unique in a body: the definition of a
//! use is the defining token with its text.
//!
//! ```
//! use silkit_text::{TokenIndex, TokenKind};
//! let text = "sil @f : $() -> () {\nbb0(%x : $Int):\n  %y = wrong %x\n  br bb0(%y)\n";
//! let index = TokenIndex::of(text);
//! let (at, used) = index.at(text.find("wrong %x").unwrap() + 6).unwrap();
//! assert_eq!((used.kind, used.text(text)), (TokenKind::Value, "%x"));
//! let definition = index.definition(text, at).unwrap();
//! assert_eq!(definition.start as usize, text.find("%x").unwrap());
//! ```

mod scan;
#[cfg(test)]
mod tests;
mod type_end;

use silkit_base::TextRange;

/// The kind of a token.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum TokenKind {
    /// The name of a value: `%x`.
    Value,
    /// The name of a block: `bb1`.
    Block,
    /// A function or a global variable: `@f`, `@"f"`.
    Symbol,
    /// A Swift declaration: `#Box.value!getter`.
    Member,
    /// A type as a whole, including its `$`: a lowered type, the formal type of a member, or the generic arguments of a
    /// call. The name of a declared type in Swift text.
    Type,
    /// The name of an instruction.
    Instruction,
}

/// The role of a token.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum TokenRole {
    /// The token defines its name: a result, a block argument, a label, the name of a function, a declared type.
    Definition,
    /// The token refers to an entity.
    Use,
    /// The token stands in a comment, such as `// users: %5, %2`.
    Comment,
}

/// A token: its place in the text, its kind and its role.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Token {
    /// The offset of the first byte.
    pub start: u32,
    /// The offset after the last byte.
    pub end: u32,
    /// The kind.
    pub kind: TokenKind,
    /// The role.
    pub role: TokenRole,
}

impl Token {
    /// Returns the text of the token.
    pub fn text<'t>(&self, text: &'t str) -> &'t str {
        text.get(self.start as usize..self.end as usize).unwrap_or_default()
    }

    /// Returns the range of the token.
    pub fn range(&self) -> TextRange {
        TextRange::new(self.start as usize, self.end as usize)
    }
}

/// The name of a symbol without its `@` and quotes.
pub fn symbol_text(token: &str) -> &str {
    let name = token.strip_prefix('@').unwrap_or(token).trim_start();
    name.strip_prefix('"').and_then(|name| name.strip_suffix('"')).unwrap_or(name)
}

/// A part of the text with names of its own: an entity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenScope {
    /// The word that begins the entity, such as `sil` or `sil_vtable`. Swift text between entities has no scope.
    pub word: &'static str,
    /// The range of the entity.
    pub range: TextRange,
    /// The index of the token that names a function or a global variable.
    pub name: Option<u32>,
    /// The range from the opening brace to the end of the entity, if it has braces.
    pub body: Option<TextRange>,
    /// The indices of the tokens.
    first: u32,
    last: u32,
}

impl TokenScope {
    /// Returns true if this is a function.
    pub fn is_function(&self) -> bool {
        self.word == "sil"
    }
}

/// The tokens of a text.
#[derive(Clone, Debug, Default)]
pub struct TokenIndex {
    tokens: Vec<Token>,
    scopes: Vec<TokenScope>,
}

impl TokenIndex {
    /// Creates the index of a text. Takes time proportional to its length. The index of a text of 4 GiB or more is empty.
    pub fn of(text: &str) -> Self {
        if u32::try_from(text.len()).is_err() {
            return Self::default();
        }
        scan::scan(text)
    }

    /// Returns the entities of a text in textual order, with their names and ranges but without the tokens of bodies.
    /// Reads little but the lines that begin entities, for texts too long to be edited.
    pub fn outline(text: &str) -> Self {
        if u32::try_from(text.len()).is_err() {
            return Self::default();
        }
        scan::outline(text)
    }

    /// Returns all tokens in textual order.
    pub fn tokens(&self) -> &[Token] {
        &self.tokens
    }

    /// Returns the entities in textual order.
    pub fn scopes(&self) -> &[TokenScope] {
        &self.scopes
    }

    /// Returns the token that contains an offset or ends there, with its index.
    pub fn at(&self, offset: usize) -> Option<(usize, Token)> {
        let after = self.tokens.partition_point(|token| token.start as usize <= offset);
        let index = after.checked_sub(1)?;
        let token = self.tokens[index];
        (offset <= token.end as usize).then_some((index, token))
    }

    /// Returns the tokens in a range of offsets.
    pub fn within(&self, range: std::ops::Range<usize>) -> &[Token] {
        let first = self.tokens.partition_point(|token| (token.end as usize) < range.start);
        let last = self.tokens.partition_point(|token| (token.start as usize) < range.end);
        self.tokens.get(first..last).unwrap_or_default()
    }

    /// Returns the entity that contains an offset.
    pub fn scope_at(&self, offset: usize) -> Option<&TokenScope> {
        let after = self.scopes.partition_point(|scope| scope.range.start as usize <= offset);
        self.scopes.get(after.checked_sub(1)?).filter(|scope| offset <= scope.range.end as usize)
    }

    /// Returns the tokens of an entity.
    pub fn tokens_of(&self, scope: &TokenScope) -> &[Token] {
        self.tokens.get(scope.first as usize..scope.last as usize).unwrap_or_default()
    }

    /// Returns the name of a function or a global variable, without `@` and quotes.
    pub fn name_of<'t>(&self, text: &'t str, scope: &TokenScope) -> Option<&'t str> {
        let token = self.tokens.get(scope.name? as usize)?;
        Some(symbol_text(token.text(text)))
    }

    /// Returns the tokens that have the name of a token, in textual order: those of the same body for values and blocks,
    /// those of the text for symbols, members and types.
    pub fn same(&self, text: &str, token: usize) -> Vec<Token> {
        let Some(&named) = self.tokens.get(token) else { return Vec::new() };
        let own = named.text(text);
        let is_same = |other: &&Token| {
            other.kind == named.kind
                && other.end - other.start == named.end - named.start
                && other.text(text) == own
        };
        match named.kind {
            TokenKind::Value | TokenKind::Block => match self.scope_at(named.start as usize) {
                Some(scope) => self.tokens_of(scope).iter().filter(is_same).copied().collect(),
                None => Vec::new(),
            },
            TokenKind::Symbol => {
                let own = symbol_text(own);
                let is_same =
                    |other: &&Token| other.kind == TokenKind::Symbol && symbol_text(other.text(text)) == own;
                self.tokens.iter().filter(is_same).copied().collect()
            }
            _ => self.tokens.iter().filter(is_same).copied().collect(),
        }
    }

    /// Returns the token that defines the name of a token. The number in a comment of an instruction without a result
    /// (`// user: %3`) leads to the comment of that instruction (`// id: %3`).
    pub fn definition(&self, text: &str, token: usize) -> Option<Token> {
        let same = self.same(text, token);
        let defining = same.iter().find(|token| token.role == TokenRole::Definition);
        defining.copied().or_else(|| {
            let names_instruction = |token: &&Token| {
                let before = text.get(..token.start as usize).unwrap_or_default();
                token.role == TokenRole::Comment && before.ends_with("// id: ")
            };
            same.iter().find(names_instruction).copied()
        })
    }

    /// Returns the token that defines the function or the global variable with this name.
    pub fn symbol(&self, text: &str, name: &str) -> Option<Token> {
        let named = self.scopes.iter().filter_map(|scope| self.tokens.get(scope.name? as usize));
        named.copied().find(|token| symbol_text(token.text(text)) == name)
    }

    /// Returns the names of types that the Swift text of the module declares: the last component of each.
    pub fn declared_types(&self) -> impl Iterator<Item = Token> {
        self.tokens.iter().filter(|t| t.kind == TokenKind::Type && t.role == TokenRole::Definition).copied()
    }

    /// Returns the number of bytes that the index has allocated.
    pub fn heap_size(&self) -> usize {
        self.tokens.capacity() * size_of::<Token>() + self.scopes.capacity() * size_of::<TokenScope>()
    }
}
