//! The contents of a text: entities with their readable names, blocks, folds, and what functions contain.

use crate::{Document, readable, slice};
use silkit_base::TextRange;
use silkit_ir::RuntimeEffects;
use silkit_ir::info::Role;
use silkit_text::{SourceEntity, Token, TokenKind, TokenRole, TokenScope};

/// The kind of an entry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OutlineKind {
    /// A function.
    Function,
    /// A block of a function.
    Block,
    /// A global variable.
    Global,
    /// A vtable, witness table or other table.
    Table,
    /// A type that the Swift text declares.
    Type,
}

/// An entry of the contents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outline {
    /// The name, as people read it.
    pub name: String,
    /// The name as spelled, where it differs.
    pub detail: String,
    /// The kind.
    pub kind: OutlineKind,
    /// The whole entity.
    pub range: TextRange,
    /// The name in the text.
    pub name_range: TextRange,
    /// The entries inside: the blocks of a function.
    pub children: Vec<Outline>,
}

/// What a function contains.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct FunctionSummary {
    /// The number of blocks.
    pub blocks: usize,
    /// The number of instructions.
    pub instructions: usize,
    /// The number of instructions that retain or copy.
    pub retains: usize,
    /// The number of instructions that release or destroy.
    pub releases: usize,
    /// The number of instructions that may allocate on the heap.
    pub allocations: usize,
}

impl Document {
    /// Returns the contents in text order, from the text alone.
    pub fn outline(&self) -> Vec<Outline> {
        let is_shown = |scope: &&TokenScope| !matches!(scope.word, "sil_stage" | "sil_scope");
        let entities = self.tokens().scopes().iter().filter(is_shown);
        let mut found: Vec<Outline> = entities.filter_map(|scope| self.entity(scope)).collect();
        let types = self.tokens().declared_types().map(|token| Outline {
            name: token.text(self.text()).to_owned(),
            detail: String::new(),
            kind: OutlineKind::Type,
            range: TextRange::new(
                token.start as usize,
                self.braces_after(token).map_or(token.end as usize, |b| b.end as usize),
            ),
            name_range: token.range(),
            children: Vec::new(),
        });
        found.extend(types);
        found.sort_by_key(|entry| entry.name_range.start);
        found
    }

    /// Returns the braces after the name of a declared type, with what is in them.
    pub(crate) fn braces_after(&self, name: Token) -> Option<TextRange> {
        let scopes = self.tokens().scopes();
        let next = scopes.get(scopes.partition_point(|scope| scope.range.start < name.end));
        let end = next.map_or(self.text().len(), |scope| scope.range.start as usize);
        let rest = self.text().get(name.end as usize..end)?;
        let open = rest.find('{').filter(|at| !rest.get(..*at).unwrap_or_default().contains('}'))?;
        let (mut depth, from) = (0_usize, name.end as usize + open);
        for (at, byte) in rest.get(open..)?.bytes().enumerate() {
            match byte {
                b'{' => depth += 1,
                b'}' if depth <= 1 => return Some(TextRange::new(from, from + at + 1)),
                b'}' => depth -= 1,
                _ => {}
            }
        }
        Some(TextRange::new(from, end))
    }

    fn entity(&self, scope: &TokenScope) -> Option<Outline> {
        let text = self.text();
        let first_line = |range: TextRange| {
            let line = slice(text, range).lines().next().unwrap_or_default();
            TextRange::new(range.start as usize, range.start as usize + line.len())
        };
        let kind = match scope.word {
            "sil" => OutlineKind::Function,
            "sil_global" => OutlineKind::Global,
            _ => OutlineKind::Table,
        };
        let symbol = self.tokens().name_of(text, scope);
        let name_range = scope.name.and_then(|index| self.tokens().tokens().get(index as usize));
        let name_range = name_range.map_or(first_line(scope.range), Token::range);
        let name = match symbol {
            Some(symbol) => readable(symbol),
            None => slice(text, name_range).trim_end_matches(['{', ' ']).to_owned(),
        };
        let name = if name.is_empty() { scope.word.to_owned() } else { name };
        let detail = symbol.filter(|symbol| *symbol != name).unwrap_or_default().to_owned();
        let children = if scope.is_function() { self.blocks(scope) } else { Vec::new() };
        Some(Outline { name, detail, kind, range: scope.range, name_range, children })
    }

    /// Returns the blocks of a function, each from its label to the line before the next one.
    fn blocks(&self, scope: &TokenScope) -> Vec<Outline> {
        let is_label = |t: &&Token| t.kind == TokenKind::Block && t.role == TokenRole::Definition;
        let labels: Vec<Token> = self.tokens().tokens_of(scope).iter().filter(is_label).copied().collect();
        let end = |index: usize| {
            let next = labels.get(index + 1).map_or(scope.range.end.saturating_sub(1), |next| next.start);
            let start = labels[index].start;
            let block = slice(self.text(), TextRange { start, end: next.max(start) });
            start as usize + block.trim_end().len()
        };
        let entry = |(index, label): (usize, &Token)| Outline {
            name: label.text(self.text()).to_owned(),
            detail: String::new(),
            kind: OutlineKind::Block,
            range: TextRange::new(label.start as usize, end(index).max(label.end as usize)),
            name_range: label.range(),
            children: Vec::new(),
        };
        labels.iter().enumerate().map(entry).collect()
    }

    /// Returns the ranges that can be folded, each from the end of the line that stays visible: entities with braces and
    /// blocks.
    pub fn folds(&self) -> Vec<TextRange> {
        let text = self.text();
        let mut found = Vec::new();
        let mut add = |range: TextRange| {
            let first = slice(text, range).find('\n');
            let is_long = first.is_some_and(|at| at + 1 < range.len());
            if is_long {
                found.push(range);
            }
        };
        for scope in self.tokens().scopes() {
            if let Some(body) = scope.body {
                add(TextRange { start: body.start.max(scope.range.start), end: scope.range.end });
            }
            if scope.is_function() {
                self.blocks(scope).into_iter().for_each(|block| add(block.range));
            }
        }
        self.tokens().declared_types().filter_map(|name| self.braces_after(name)).for_each(add);
        found.sort();
        found
    }

    /// Returns the functions with bodies: the ranges of their names.
    pub fn functions(&self) -> Vec<TextRange> {
        let scopes = self.tokens().scopes().iter().filter(|s| s.is_function() && s.body.is_some());
        let names = scopes.filter_map(|scope| self.tokens().tokens().get(scope.name? as usize));
        names.map(Token::range).collect()
    }

    /// Returns what the function around an offset contains; `None` if it was not read.
    pub fn function_summary(&self, offset: usize) -> Option<FunctionSummary> {
        let at = self.body_at(offset)?;
        at.function?;
        let mut summary = FunctionSummary {
            blocks: at.body.block_count(),
            instructions: at.body.inst_count(),
            ..FunctionSummary::default()
        };
        for inst in at.body.insts() {
            let info = at.body.info(inst);
            match info.role {
                Role::Retain(_) | Role::Copy(_) => summary.retains += 1,
                Role::Release(_) | Role::Destruction(_) => summary.releases += 1,
                Role::Allocation if info.runtime.contains(RuntimeEffects::ALLOCATE) => {
                    summary.allocations += 1;
                }
                _ => {}
            }
        }
        Some(summary)
    }

    /// Returns the name of the function around an offset as spelled, without `@` and quotes.
    pub fn function_at(&self, offset: usize) -> Option<&str> {
        let scope = self.tokens().scope_at(offset).filter(|scope| scope.is_function())?;
        self.tokens().name_of(self.text(), scope)
    }

    /// Returns the number of entities of the module that were read, for tests and logs.
    pub fn entity_count(&self) -> usize {
        let entities = self.analysis().map.entities().iter();
        entities.filter(|placed| !matches!(placed.entity, SourceEntity::Swift(_))).count()
    }
}
