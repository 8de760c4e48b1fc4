//! Debug locations that are positions in the SIL file itself.

use crate::source_map::{BodySourceMap, ModuleSourceMap};
use crate::symbols::symbol;
use memchr::{memchr, memmem};
use silkit_base::{FxHashMap, Symbol};
use silkit_diag::SourceFile;
use silkit_ir::{Body, Inst, LocData, Module, NONE, SourceLoc};

/// The first mention of each function in the file of a module, which is the location of its debug scope.
#[derive(Debug)]
pub struct FileLocations {
    file: Symbol,
    mentions: FxHashMap<Symbol, SourceLoc>,
}

impl FileLocations {
    /// Sets the location of each instruction without a spelled `loc` to its position in the file, as the reference's
    /// parser does, and collects the first mentions of functions. Call it after parsing and before changing a module
    /// whose debug info is to be printed.
    pub fn assign(module: &mut Module, map: &ModuleSourceMap, file: &SourceFile<'_>) -> Self {
        let mut mentions = Mentions { file, first: FxHashMap::default() };
        mentions.in_scopes();
        for (id, function) in module.functions.iter_mut() {
            // The position of a definition is its name, that of a reference is its `@`.
            if let Some(name) = map.function_name(id) {
                mentions.add(function.name, name.start + 1);
            }
            if let (Some(body), Some(map)) = (&mut function.body, map.function(id)) {
                mentions.in_body(body, map);
                locate(body, map, file);
            }
        }
        let name = symbol(file.name());
        let first = mentions.first.into_iter();
        Self {
            file: name,
            mentions: first.map(|(function, at)| (function, location(file, name, at))).collect(),
        }
    }

    /// Returns the name of the file.
    pub(crate) fn file(&self) -> Symbol {
        self.file
    }

    /// Returns the location of the first mention of a function.
    pub(crate) fn mention(&self, function: Symbol) -> Option<SourceLoc> {
        self.mentions.get(&function).copied()
    }
}

/// The offsets of first mentions.
struct Mentions<'a> {
    file: &'a SourceFile<'a>,
    first: FxHashMap<Symbol, u32>,
}

impl Mentions<'_> {
    fn add(&mut self, function: Symbol, at: u32) {
        let first = self.first.entry(function).or_insert(at);
        *first = at.min(*first);
    }

    /// Adds mentions as parents of debug scopes.
    fn in_scopes(&mut self) {
        let text = self.file.text();
        for at in memmem::find_iter(text, b"sil_scope ") {
            let line = &text[at..];
            let line = &line[..memchr(b'\n', line).unwrap_or(line.len())];
            if let Some(name) = memmem::find(line, b"parent @") {
                let sigil = name + b"parent ".len();
                let after = &line[sigil + 1..];
                let end = after.iter().position(|b| b.is_ascii_whitespace()).unwrap_or_default();
                if let Ok(found) = std::str::from_utf8(&after[..end]) {
                    self.add(symbol(found.trim_matches('"')), (at + sigil) as u32);
                }
            }
        }
    }

    /// Adds mentions by instructions that reference functions.
    fn in_body(&mut self, body: &Body, map: &BodySourceMap) {
        for inst in body.insts().filter(|&inst| body.inst(inst).opcode.is_function_ref()) {
            let start = map.inst(inst).unwrap_or(NONE);
            let text = self.file.text().get(start as usize..);
            if let Some(at) = text.and_then(|text| memchr(b'@', text)) {
                self.add(Symbol::from_u32(body.words(inst)[0]), start + at as u32);
            }
        }
    }
}

/// Sets the locations of instructions without `loc` in a body.
fn locate(body: &mut Body, map: &BodySourceMap, file: &SourceFile<'_>) {
    let name = symbol(file.name());
    let all: Vec<Inst> = body.insts().collect();
    let mut editor = body.edit();
    for inst in all {
        let spelled = editor.loc(editor.inst(inst).loc).unwrap_or(LocData { source: None, scope: NONE });
        if spelled.source.is_none()
            && let Some(at) = map.inst(inst).and_then(|start| name_offset(file.text(), start))
        {
            let loc = editor.new_loc(LocData { source: Some(location(file, name, at)), ..spelled });
            editor.set_loc(inst, loc);
        }
    }
}

/// Returns the offset of an instruction's name, after the names of its results.
fn name_offset(text: &[u8], start: u32) -> Option<u32> {
    let text = text.get(start as usize..)?;
    let is_named = matches!(text.first(), Some(b'%' | b'('));
    let mut at = if is_named { memchr(b'=', text)? + 1 } else { 0 };
    at += text.get(at..)?.iter().take_while(|b| b.is_ascii_whitespace()).count();
    Some(start + at as u32)
}

fn location(file: &SourceFile<'_>, name: Symbol, at: u32) -> SourceLoc {
    let place = file.line_column(at);
    SourceLoc {
        file: Some(name),
        line: place.line,
        column: place.byte_column,
        is_auto: false,
        is_inlined: false,
    }
}
