//! Conversion of findings to diagnostics: entities become text ranges.

use crate::context::{Owner, Undecided};
use crate::finding::{Finding, Place};
use crate::names::Names;
use silkit_diag::{DiagnosedEntity, Diagnostic, EntityKind, FileId, OriginFrame, Severity, Span};
use silkit_ir::{Block, Body, FunctionId, InlineStacks, Inst, Module, SwiftPosition, ValueDef};
use silkit_text::{BodySourceMap, MappedText, ModuleSourceMap};

/// A renderer of the findings in a module as diagnostics. With debug info, these have the Swift positions of their places.
#[derive(Clone, Debug)]
pub struct Renderer<'a> {
    module: &'a Module,
    stacks: InlineStacks<'a>,
    source: Option<(FileId, MappedText<'a>)>,
}

/// The maximum number of blocks of a path that is shown in full.
const LONGEST_PATH: usize = 12;

impl<'a> Renderer<'a> {
    /// Creates a renderer for a module and its source file, if it has one.
    pub fn new(module: &'a Module, source: Option<(FileId, MappedText<'a>)>) -> Self {
        Self { module, stacks: InlineStacks::new(&module.scopes), source }
    }

    /// Returns the diagnostic of a finding.
    pub fn finding(&self, finding: &Finding) -> Diagnostic {
        let mut diagnostic = Diagnostic::new(finding.severity, finding.message.as_str());
        diagnostic.rule = Some(finding.rule.id);
        if let Some(span) = self.span(finding.owner, finding.place) {
            diagnostic = diagnostic.label(span, finding.label.as_str());
        } else if !finding.label.is_empty() {
            diagnostic = diagnostic.note(finding.label.as_str());
        }
        for (place, text) in &finding.related {
            let text = match self.swift_position(finding.owner, *place) {
                Some(position) => format!("{text} ({})", position.short()),
                None => text.clone(),
            };
            diagnostic = match self.span(finding.owner, *place) {
                Some(span) => diagnostic.secondary(span, text),
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

    /// Adds a place in this module to a diagnostic of another module.
    pub fn also(&self, diagnostic: Diagnostic, owner: Owner, place: Place, text: &str) -> Diagnostic {
        match self.span(owner, place) {
            Some(span) => diagnostic.secondary(span, text),
            None => diagnostic,
        }
    }

    /// Returns a note about a check that could not be decided.
    pub fn unknown(&self, unknown: &Undecided) -> Diagnostic {
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
        let Some(names) = self.names(finding.owner) else { return String::new() };
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

    /// Returns the names in the body that the places of an owner refer to.
    fn names(&self, owner: Owner) -> Option<Names<'a>> {
        let source = self.source.and_then(|(_, source)| Some((source.text, body_map(source.map, owner)?)));
        Some(Names::new(body(self.module, owner)?, source))
    }

    fn entity(&self, owner: Owner, place: Place) -> Option<DiagnosedEntity> {
        let (kind, name) = match owner {
            Owner::Module => return None,
            Owner::Function(id) => (EntityKind::Function, self.module.functions[id].name),
            Owner::Global(index) => (EntityKind::Global, self.module.globals.get(index)?.name),
        };
        let entity = DiagnosedEntity::new(kind, name.as_str()).origin(self.origin(owner, place));
        Some(match self.part(owner, place) {
            Some(part) => entity.value(part),
            None => entity,
        })
    }

    /// Returns the Swift positions that a place was compiled from, the innermost first.
    fn origin(&self, owner: Owner, place: Place) -> Vec<OriginFrame> {
        self.inst(owner, place).map_or_else(Vec::new, |(body, inst)| origin_of(&self.stacks, body, inst))
    }

    fn swift_position(&self, owner: Owner, place: Place) -> Option<SwiftPosition> {
        let (body, inst) = self.inst(owner, place)?;
        self.stacks.position(body, inst)
    }

    /// Returns the instruction at a place, or the first one of a block.
    fn inst(&self, owner: Owner, place: Place) -> Option<(&'a Body, Inst)> {
        let body = body(self.module, owner)?;
        let inst = match place {
            Place::Inst(inst) => inst,
            Place::Operand(operand) => body.operand(operand).user,
            Place::Block(block) => body.first_inst(block)?,
            Place::Value(value) => match body.def(value) {
                ValueDef::Result(inst, _) => inst,
                ValueDef::Argument(block, _) => body.first_inst(block)?,
                ValueDef::Undef | ValueDef::Pending => return None,
            },
            Place::Whole | Place::Function(_) | Place::Text(_) => return None,
        };
        Some((body, inst))
    }

    /// Returns the name of the entity at a place.
    fn part(&self, owner: Owner, place: Place) -> Option<String> {
        let body = body(self.module, owner)?;
        let names = self.names(owner)?;
        match place {
            Place::Whole | Place::Function(_) | Place::Text(_) => None,
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
        let (file, MappedText { text, map }) = self.source?;
        let name = match place {
            Place::Text(range) => Some(range),
            Place::Function(id) => Some(map.function_name(id)?),
            Place::Whole => match owner {
                Owner::Function(id) => Some(map.function_name(id)?),
                Owner::Module | Owner::Global(_) => None,
            },
            _ => None,
        };
        if let Some(range) = name {
            return Some(Span::new(file, range.start, range.end));
        }
        let body = body(self.module, owner)?;
        let pos = body_position(body, body_map(map, owner)?, place)?;
        let line = code(text.get(pos as usize..)?);
        let names = self.names(owner)?;
        let within = match place {
            Place::Value(value) => find_value(line, &names.value(value), 0).unwrap_or(0..line.len()),
            Place::Operand(operand) => {
                let value = body.operand(operand).value;
                let is_defined = body.results(body.operand(operand).user).len() > 0;
                let from = if is_defined { line.find('=').unwrap_or(0) } else { 0 };
                // A value may be used by several operands.
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

/// Returns the Swift positions that an instruction was compiled from, the innermost first, with the symbols of functions.
pub fn origin_of(stacks: &InlineStacks<'_>, body: &Body, inst: Inst) -> Vec<OriginFrame> {
    let frames = stacks.frames_of(body, inst).into_iter();
    let with_position = frames.filter_map(|frame| {
        let SwiftPosition { file, line, column } = frame.position?;
        let function = frame.function.map(|name| name.as_str().into());
        Some(OriginFrame { function, file: file.into(), line, column })
    });
    with_position.collect()
}

/// Returns the body that the places of an owner refer to.
fn body(module: &Module, owner: Owner) -> Option<&Body> {
    match owner {
        Owner::Module => None,
        Owner::Function(id) => module.functions[id].body.as_ref(),
        Owner::Global(index) => module.globals.get(index)?.initializer.as_ref(),
    }
}

/// Returns the source map of the body that the places of an owner refer to.
pub(crate) fn body_map(map: &ModuleSourceMap, owner: Owner) -> Option<&BodySourceMap> {
    match owner {
        Owner::Module => None,
        Owner::Function(id) => map.function(id),
        Owner::Global(index) => map.global(index),
    }
}

/// Returns the offset of a place of a function in the text.
pub(crate) fn position(map: &ModuleSourceMap, id: FunctionId, body: &Body, place: Place) -> Option<u32> {
    let name = |id| map.function_name(id).map(|range| range.start);
    match place {
        Place::Text(range) => Some(range.start),
        Place::Whole => name(id),
        Place::Function(id) => name(id),
        _ => body_position(body, map.function(id)?, place),
    }
}

/// Returns the offset of a place of a body in the text.
fn body_position(body: &Body, map: &BodySourceMap, place: Place) -> Option<u32> {
    // A block without a label begins with its first instruction.
    let block_position = |block| map.block(block).or_else(|| map.inst(body.first_inst(block)?));
    match place {
        Place::Whole | Place::Function(_) | Place::Text(_) => None,
        Place::Block(block) => block_position(block),
        Place::Inst(inst) => map.inst(inst),
        Place::Operand(operand) => map.inst(body.operand(operand).user),
        Place::Value(value) => match body.def(value) {
            ValueDef::Argument(block, _) => block_position(block),
            ValueDef::Result(inst, _) => map.inst(inst),
            ValueDef::Undef | ValueDef::Pending => None,
        },
    }
}

/// Returns the first line of a text, without its comment.
fn code(text: &str) -> &str {
    let line = text.lines().next().unwrap_or_default();
    line.split_once(" //").map_or(line, |(code, _)| code).trim_end()
}

/// Returns the range of a value's name at or after an offset.
fn find_value(line: &str, name: &str, from: usize) -> Option<std::ops::Range<usize>> {
    let is_word = |c: u8| c.is_ascii_alphanumeric() || c == b'_';
    line[from..]
        .match_indices(name)
        .map(|(at, _)| from + at..from + at + name.len())
        .find(|range| !line.as_bytes().get(range.end).copied().is_some_and(is_word))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules;

    /// Returns the note on a path through this many blocks.
    fn path_of(count: usize) -> Option<String> {
        let names: Vec<String> = (0..count).map(|i| format!("bb{i}")).collect();
        let edges = names.windows(2).map(|w| format!("{}:\n  br {}\n", w[0], w[1]));
        let last = format!("{}:\n  unreachable\n", names.last()?);
        let blocks = edges.chain([last]).collect::<String>();
        let text = format!("sil_stage canonical\nsil @f : $@convention(thin) () -> () {{\n{blocks}}}\n");
        let parsed = silkit_text::parse_module(&text);
        assert!(parsed.errors.is_empty(), "{:?}", parsed.errors);
        let (id, function) = parsed.module.functions.iter().next()?;
        let rule = rules().next()?;
        let finding = crate::context::new_finding(rule, Owner::Function(id), Place::Whole, String::new())
            .path(function.body.as_ref()?.blocks().collect());
        let diagnostic = Renderer::new(&parsed.module, None).finding(&finding);
        diagnostic.notes.first().map(|note| note.message.to_string())
    }

    #[test]
    fn swift_positions_come_from_scopes() {
        let text = "sil_stage canonical
sil_scope 1 { loc \"src/a.swift\":9:6 parent @f : $@convention(thin) () -> () }
sil_scope 2 { loc \"src/a.swift\":10:3 parent 1 }
sil_scope 3 { loc \"src/b.swift\":1:6 parent @g : $@convention(thin) () -> () inlined_at 2 }
sil @f : $@convention(thin) () -> () {
bb0:
  %0 = tuple (), loc \"src/b.swift\":2:5, scope 3
  return %0, loc * \"<compiler-generated>\":0:0, scope 3
}
";
        let parsed = silkit_text::parse_module(text);
        assert!(parsed.errors.is_empty(), "{:?}", parsed.errors);
        let (id, function) = parsed.module.functions.iter().next().unwrap();
        let insts: Vec<Inst> = function.body.as_ref().unwrap().insts().collect();
        let place = Place::Inst(insts[0]);
        let rule = rules().next().unwrap();
        let finding = crate::context::new_finding(rule, Owner::Function(id), place, "m".into())
            .also(Place::Inst(insts[1]), "returned here");
        let diagnostic = Renderer::new(&parsed.module, None).finding(&finding);
        let origin = &diagnostic.entity.as_ref().unwrap().origin;
        assert_eq!(OriginFrame::describe(origin), "b.swift:2:5 in `g`, inlined at a.swift:10:3");
        // What the compiler made in the callee has the position of the call.
        assert_eq!(&*diagnostic.notes[0].message, "return: returned here (a.swift:10:3)");
    }

    #[test]
    fn only_long_paths_are_shortened() {
        let path_of = |count| path_of(count).unwrap_or_default();
        let from =
            |range: std::ops::Range<usize>| range.map(|i| format!("bb{i}")).collect::<Vec<_>>().join(" → ");
        assert_eq!(path_of(1), "");
        assert_eq!(path_of(2), "the path is bb0 → bb1");
        assert_eq!(path_of(12), format!("the path is {}", from(0..12)));
        let shortened = format!("the path is {} → … 1 more … → {}", from(0..6), from(7..13));
        assert_eq!(path_of(13), shortened);
    }
}
