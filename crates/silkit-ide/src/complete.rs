//! Completion: instructions and their attributes from the table, names from the text.

use crate::{Document, hover, readable};
use silkit_base::{FxHashSet, TextRange};
use silkit_ir::{Opcode, SilStage};
use silkit_text::{Token, TokenKind, TokenRole, symbol_text};

/// The kind of what is proposed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CompletionKind {
    /// An instruction.
    Instruction,
    /// An attribute in brackets.
    Attribute,
    /// A value.
    Value,
    /// A block.
    Block,
    /// A function or a global variable.
    Symbol,
    /// A type.
    Type,
    /// A member of a type.
    Member,
    /// A word that begins an entity.
    Keyword,
}

/// A proposal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completion {
    /// What is shown and what the typed text is compared with.
    pub label: String,
    /// The text that replaces `range`.
    pub insert: String,
    /// What is replaced: the part that was typed.
    pub range: TextRange,
    /// The kind.
    pub kind: CompletionKind,
    /// A short addition: the syntax of an instruction, the readable name of a symbol.
    pub detail: String,
}

/// The most proposals of names; of instructions all are proposed.
const MAX_NAMES: usize = 500;

/// The words that begin an entity.
const ENTITIES: &[&str] = &[
    "sil",
    "sil_global",
    "sil_vtable",
    "sil_witness_table",
    "sil_default_witness_table",
    "sil_property",
    "sil_scope",
    "sil_stage",
    "sil_moveonlydeinit",
    "sil_coverage_map",
    "sil_differentiability_witness",
];

impl Document {
    /// Returns what can stand at an offset, of which a part may be typed already.
    pub fn completions(&self, offset: usize) -> Vec<Completion> {
        let text = self.text();
        let Some(before) = text.get(..offset) else { return Vec::new() };
        let line = &before[before.rfind('\n').map_or(0, |at| at + 1)..];
        if line.contains("//") {
            return Vec::new();
        }
        let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '.' | '!');
        let start =
            offset - line.chars().rev().take_while(|&c| is_word(c)).map(char::len_utf8).sum::<usize>();
        let lead = text.get(..start).and_then(|before| before.chars().next_back());
        let typed = text.get(start..offset).unwrap_or_default();
        let range = |from: usize| TextRange::new(from, offset);
        match lead {
            Some('%') => self.names(offset, TokenKind::Value, range(start - 1)),
            Some('@') => self.names(offset, TokenKind::Symbol, range(start - 1)),
            Some('"') if before[..start - 1].ends_with('@') => {
                self.names(offset, TokenKind::Symbol, range(start - 2))
            }
            Some('#') => self.names(offset, TokenKind::Member, range(start - 1)),
            Some('[') => self.attributes(line, range(start)),
            _ if typed.starts_with('$') || matches!(lead, Some('*')) => {
                let from = if typed.starts_with('$') { start + 1 } else { start };
                self.types(range(from))
            }
            _ => self.words(offset, line, typed, range(start)),
        }
    }

    /// Returns the names of a kind: values and blocks of the function, all other names of the text.
    fn names(&self, offset: usize, kind: TokenKind, range: TextRange) -> Vec<Completion> {
        let text = self.text();
        let of_function = matches!(kind, TokenKind::Value | TokenKind::Block);
        let tokens: &[Token] = match self.tokens().scope_at(offset) {
            Some(scope) if of_function => self.tokens().tokens_of(scope),
            _ if of_function => &[],
            _ => self.tokens().tokens(),
        };
        let is_other = |t: &&Token| t.kind == kind && !(t.start <= range.start && range.end <= t.end);
        let is_name = |t: &&Token| is_other(t) && (!of_function || t.role == TokenRole::Definition);
        let mut seen = FxHashSet::default();
        let names = tokens.iter().filter(is_name).map(|t| t.text(text)).filter(|name| seen.insert(*name));
        let names: Vec<&str> = names.collect();
        // The last values are the likeliest operands.
        let names: Vec<&str> = if of_function { names.into_iter().rev().collect() } else { names };
        let kind = match kind {
            TokenKind::Value => CompletionKind::Value,
            TokenKind::Block => CompletionKind::Block,
            TokenKind::Symbol => CompletionKind::Symbol,
            _ => CompletionKind::Member,
        };
        let entry = |name: &str| Completion {
            label: name.to_owned(),
            insert: name.to_owned(),
            range,
            kind,
            detail: match kind {
                CompletionKind::Symbol => readable(symbol_text(name)),
                _ => String::new(),
            },
        };
        names.into_iter().take(MAX_NAMES).map(entry).collect()
    }

    fn types(&self, range: TextRange) -> Vec<Completion> {
        let text = self.text();
        let mut seen = FxHashSet::default();
        let declared = self.tokens().declared_types().map(|token| token.text(text));
        let is_used =
            |t: &&Token| t.kind == TokenKind::Type && t.role == TokenRole::Use && t.end - t.start < 80;
        let used = self
            .tokens()
            .tokens()
            .iter()
            .filter(is_used)
            .map(|t| t.text(text).trim_start_matches(['$', '*']));
        let names = declared.chain(used).filter(|name| seen.insert(*name)).take(MAX_NAMES);
        let entry = |name: &str| Completion {
            label: name.to_owned(),
            insert: name.to_owned(),
            range,
            kind: CompletionKind::Type,
            detail: String::new(),
        };
        names.map(entry).collect()
    }

    /// Returns the attributes in brackets of the instruction on a line.
    fn attributes(&self, line: &str, range: TextRange) -> Vec<Completion> {
        let words = line.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
        let Some(opcode) = words.filter_map(Opcode::from_name).next() else { return Vec::new() };
        let entry = |name: &&str| Completion {
            label: (*name).to_owned(),
            insert: format!("{name}]"),
            range,
            kind: CompletionKind::Attribute,
            detail: format!("of `{}`", opcode.info().name),
        };
        opcode.info().flags.iter().map(entry).collect()
    }

    fn words(&self, offset: usize, line: &str, typed: &str, range: TextRange) -> Vec<Completion> {
        let is_in_body = self
            .tokens()
            .scope_at(offset)
            .and_then(|scope| scope.body)
            .is_some_and(|body| (body.start as usize) < offset);
        let entry = |word: &str| Completion {
            label: word.to_owned(),
            insert: format!("{word} "),
            range,
            kind: CompletionKind::Keyword,
            detail: String::new(),
        };
        let lead = line.strip_suffix(typed).unwrap_or(line).trim_end();
        if !is_in_body {
            if lead == "sil_stage" {
                return SilStage::ALL.iter().map(|stage| entry(stage.spelling())).collect();
            }
            return if lead.is_empty() {
                ENTITIES.iter().map(|word| entry(word)).collect()
            } else {
                Vec::new()
            };
        }
        if typed.starts_with("bb") && !lead.is_empty() || lead.ends_with([',', ':']) || is_branch(lead) {
            return self.names(offset, TokenKind::Block, range);
        }
        if lead.is_empty() || lead.ends_with('=') {
            return Opcode::ALL.iter().map(|opcode| instruction(*opcode, range)).collect();
        }
        Vec::new()
    }

    /// Returns the page of an instruction by its name, for the details of a proposal.
    pub fn instruction_page(name: &str) -> Option<String> {
        Some(hover::page(Opcode::from_name(name)?.info()))
    }
}

/// Returns true if a line ends with an instruction that a block follows.
fn is_branch(lead: &str) -> bool {
    lead.split_whitespace().next_back().is_some_and(|word| word == "br")
}

fn instruction(opcode: Opcode, range: TextRange) -> Completion {
    let info = opcode.info();
    let space = if info.syntax.is_empty() { "" } else { " " };
    Completion {
        label: info.name.to_owned(),
        insert: format!("{}{space}", info.spelling),
        range,
        kind: CompletionKind::Instruction,
        detail: info.syntax.to_owned(),
    }
}
