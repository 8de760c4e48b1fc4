//! From findings to diagnostics: entities become spans of the text.

use crate::context::{Owner, Unknown};
use crate::finding::{Finding, Place};
use crate::names::Names;
use silkit_diag::{Diagnostic, Entity, EntityKind, FileId, Severity, Span};
use silkit_ir::{Block, Body, Module, NONE, ValueDef};

/// Makes diagnostics of the findings in a module.
#[derive(Clone, Copy, Debug)]
pub struct Renderer<'a> {
    module: &'a Module,
    source: Option<(FileId, &'a str)>,
}

/// A path of more blocks than this is shown without its middle.
const LONGEST_PATH: usize = 12;

impl<'a> Renderer<'a> {
    /// A renderer for a module and the file that it was read from, if it was.
    pub fn new(module: &'a Module, source: Option<(FileId, &'a str)>) -> Self {
        Self { module, source }
    }

    /// The diagnostic of a finding.
    pub fn finding(&self, finding: &Finding) -> Diagnostic {
        let mut diagnostic = Diagnostic::new(finding.severity, finding.message.as_str());
        diagnostic.rule = Some(finding.rule.id);
        if let Some(span) = self.span(finding.owner, finding.place) {
            diagnostic = diagnostic.label(span, finding.label.as_str());
        } else if !finding.label.is_empty() {
            diagnostic = diagnostic.note(finding.label.as_str());
        }
        for (place, text) in &finding.related {
            diagnostic = match self.span(finding.owner, *place) {
                Some(span) => diagnostic.secondary(span, text.as_str()),
                None => diagnostic
                    .note(format!("{}: {text}", self.part(finding.owner, *place).unwrap_or_default())),
            };
        }
        if finding.path.len() > 1 {
            diagnostic = diagnostic.note(self.path(finding));
        }
        for note in &finding.notes {
            diagnostic = diagnostic.note(note.as_str());
        }
        match self.entity(finding.owner, finding.place) {
            Some(entity) => diagnostic.entity(entity),
            None => diagnostic,
        }
    }

    /// Adds a place of this module to a diagnostic of another one.
    pub fn also(&self, diagnostic: Diagnostic, owner: Owner, place: Place, text: &str) -> Diagnostic {
        match self.span(owner, place) {
            Some(span) => diagnostic.secondary(span, text),
            None => diagnostic,
        }
    }

    /// A note about something that could not be decided.
    pub fn unknown(&self, unknown: &Unknown) -> Diagnostic {
        let mut diagnostic = Diagnostic::new(Severity::Note, unknown.message.as_str());
        diagnostic.rule = Some(unknown.rule.id);
        if let Some(span) = self.span(unknown.owner, unknown.place) {
            diagnostic = diagnostic.at(span);
        }
        match self.entity(unknown.owner, unknown.place) {
            Some(entity) => diagnostic.entity(entity),
            None => diagnostic,
        }
    }

    fn path(&self, finding: &Finding) -> String {
        let Some(body) = body(self.module, finding.owner) else { return String::new() };
        let names = Names::new(body, self.text());
        let name = |b: &Block| names.block(*b);
        let path = &finding.path;
        let shown: Vec<String> = if path.len() > LONGEST_PATH {
            let half = LONGEST_PATH / 2;
            let skipped = format!("… {} more …", path.len() - 2 * half);
            let tail = path[path.len() - half..].iter().map(name);
            path[..half].iter().map(name).chain([skipped]).chain(tail).collect()
        } else {
            path.iter().map(name).collect()
        };
        format!("the path is {}", shown.join(" → "))
    }

    fn text(&self) -> Option<&'a str> {
        self.source.map(|(_, text)| text)
    }

    fn entity(&self, owner: Owner, place: Place) -> Option<Entity> {
        let (kind, name) = match owner {
            Owner::Module => return None,
            Owner::Function(id) => (EntityKind::Function, self.module.functions[id].name),
            Owner::Global(index) => (EntityKind::Global, self.module.globals.get(index)?.name),
        };
        let entity = Entity::new(kind, name.as_str());
        Some(match self.part(owner, place) {
            Some(part) => entity.value(part),
            None => entity,
        })
    }

    /// The part of a body that a place is, by name.
    fn part(&self, owner: Owner, place: Place) -> Option<String> {
        let body = body(self.module, owner)?;
        let names = Names::new(body, self.text());
        match place {
            Place::Whole | Place::Text(_) => None,
            Place::Block(block) => Some(names.block(block)),
            Place::Value(value) => Some(names.value(value)),
            Place::Operand(operand) => Some(names.value(body.operand(operand).value)),
            Place::Inst(inst) => Some(match body.first_result(inst) {
                Some(value) => names.value(value),
                None => body.info(inst).name.to_owned(),
            }),
        }
    }

    fn span(&self, owner: Owner, place: Place) -> Option<Span> {
        let (file, text) = self.source?;
        if let Place::Text(range) = place {
            return Some(Span::new(file, range.start, range.end));
        }
        if let (Place::Whole, Owner::Function(id)) = (place, owner) {
            let range = self.module.functions[id].name_range;
            return Some(Span::new(file, range.start, range.end));
        }
        let pos = position(self.module, owner, place);
        let line = code(text.get(pos as usize..)?);
        let body = body(self.module, owner)?;
        let names = Names::new(body, self.text());
        let within = match place {
            Place::Value(value) => find_value(line, &names.value(value), 0).unwrap_or(0..line.len()),
            Place::Operand(operand) => {
                let value = body.operand(operand).value;
                let is_defined = body.results(body.operand(operand).user).len() > 0;
                let from = if is_defined { line.find('=').unwrap_or(0) } else { 0 };
                // The same value may be several operands.
                let user = body.operand(operand).user;
                let same = body.operand_ids(user).take_while(|&o| o != operand);
                let nth = same.filter(|&o| body.operand(o).value == value).count();
                let mut found = None;
                let mut at = from;
                for _ in 0..=nth {
                    let Some(range) = find_value(line, &names.value(value), at) else { break };
                    at = range.end;
                    found = Some(range);
                }
                found.unwrap_or(0..line.len())
            }
            _ => 0..line.len(),
        };
        Some(Span::new(file, pos + within.start as u32, pos + within.end as u32))
    }
}

/// The body that places of an owner speak of.
fn body(module: &Module, owner: Owner) -> Option<&Body> {
    match owner {
        Owner::Module => None,
        Owner::Function(id) => module.functions[id].body.as_ref(),
        Owner::Global(index) => module.globals.get(index)?.initializer.as_ref(),
    }
}

/// Where a place begins in the text, or [`NONE`].
pub(crate) fn position(module: &Module, owner: Owner, place: Place) -> u32 {
    let of_function = match owner {
        Owner::Function(id) => module.functions[id].name_range.start,
        _ => NONE,
    };
    let Some(body) = body(module, owner) else {
        return if let Place::Text(range) = place { range.start } else { of_function };
    };
    match place {
        Place::Text(range) => range.start,
        Place::Whole => of_function,
        Place::Block(block) => block_position(body, block),
        Place::Inst(inst) => body.inst(inst).pos,
        Place::Operand(operand) => body.inst(body.operand(operand).user).pos,
        Place::Value(value) => match body.def(value) {
            ValueDef::Argument(block, _) => block_position(body, block),
            ValueDef::Result(inst, _) => body.inst(inst).pos,
            ValueDef::Undef | ValueDef::Pending => NONE,
        },
    }
}

/// The place of a block's label, or of its first instruction where it has none.
fn block_position(body: &Body, block: Block) -> u32 {
    match body.block_pos(block) {
        NONE => body.first_inst(block).map_or(NONE, |inst| body.inst(inst).pos),
        pos => pos,
    }
}

/// The first line of a text, without its comment.
fn code(text: &str) -> &str {
    let line = text.lines().next().unwrap_or_default();
    line.split_once(" //").map_or(line, |(code, _)| code).trim_end()
}

/// Where a value is named, at or behind an offset.
fn find_value(line: &str, name: &str, from: usize) -> Option<std::ops::Range<usize>> {
    let is_word = |c: u8| c.is_ascii_alphanumeric() || c == b'_';
    line[from..]
        .match_indices(name)
        .map(|(at, _)| from + at..from + at + name.len())
        .find(|range| !line.as_bytes().get(range.end).copied().is_some_and(is_word))
}
