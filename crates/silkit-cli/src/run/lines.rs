//! Lines of reports about instructions of a program: in its Swift source, and in the file that was read.

use crate::findings::readable;
use crate::swift;
use serde_json::{Value, json};
use silkit::diag::OriginFrame;
use silkit::ir::{Body, FunctionId, InlineStacks, Inst};
use silkit::text::ModuleSourceMap;
use silkit_interp::{CodePlace, ProgramModule};
use std::sync::Arc;

/// The text of a program with the positions of its instructions.
pub(super) struct ProgramText {
    pub(super) file: String,
    pub(super) text: String,
    pub(super) map: ModuleSourceMap,
}

/// The modules of a program, the program itself first, and its text.
pub(super) struct ProgramSources {
    pub(super) modules: Vec<Arc<ProgramModule>>,
    pub(super) text: Option<ProgramText>,
}

/// A lookup of lines for the places in one report.
pub(super) struct ProgramLines<'a> {
    sources: &'a ProgramSources,
    /// The debug scopes of each module.
    stacks: Vec<InlineStacks<'a>>,
}

impl<'a> ProgramLines<'a> {
    pub(super) fn new(sources: &'a ProgramSources) -> Self {
        let stacks = sources.modules.iter().map(|module| InlineStacks::new(&module.info.sil.scopes));
        Self { sources, stacks: stacks.collect() }
    }

    /// Returns the module of a place by its number, its function, and its instruction.
    fn find(&self, place: &CodePlace) -> Option<(usize, FunctionId, &'a Body, Inst)> {
        let modules = self.sources.modules.iter().enumerate();
        let mut found = modules.filter_map(|(number, module)| {
            let functions = &module.info.sil.functions;
            let id = functions.find(&place.function)?;
            let body = functions[id].body.as_ref()?;
            Some((number, id, body, body.insts().nth(place.index as usize)?))
        });
        found.next().filter(|&(_, _, body, inst)| body.info(inst).name == place.instruction)
    }

    /// Returns the file and the line of an instruction, from 1; `None` if it is not in the program's own file.
    fn sil_line(&self, place: &CodePlace) -> Option<(&'a str, usize)> {
        let ProgramText { file, text, map } = self.sources.text.as_ref()?;
        let (number, id, _, inst) = self.find(place)?;
        let at = map.function(id).filter(|_| number == 0)?.inst(inst)?;
        Some((file, 1 + text.get(..at as usize)?.matches('\n').count()))
    }

    /// Returns the Swift positions that an instruction was compiled from, the innermost first.
    fn origin(&self, place: &CodePlace) -> Vec<OriginFrame> {
        let found = self.find(place);
        found.map_or_else(Vec::new, |(number, _, body, inst)| swift::origin(&self.stacks[number], body, inst))
    }

    /// Describes a place: its instruction, its function, its Swift positions, and its line in the SIL.
    pub(super) fn describe(&self, place: &CodePlace) -> String {
        let origin = self.origin(place);
        let swift = (!origin.is_empty()).then(|| OriginFrame::describe(&origin));
        let sil = self.sil_line(place).map(|(file, line)| format!("{file}:{line}"));
        let places = match (swift, sil) {
            (None, None) => format!("instruction {}", place.index),
            (Some(swift), Some(sil)) => format!("{swift}; {sil}"),
            (place, other) => place.or(other).unwrap_or_default(),
        };
        format!("`{}` in {} ({places})", place.instruction, readable(place.function.as_str()))
    }

    /// Returns a place as JSON.
    pub(super) fn json(&self, place: &CodePlace) -> Value {
        let origin = self.origin(place);
        let first = origin.first();
        json!({
            "function": place.function.as_str(),
            "demangled": readable(place.function.as_str()),
            "instruction": place.instruction,
            "index": place.index,
            "sil_line": self.sil_line(place).map(|(_, line)| line),
            "file": first.map(|frame| &*frame.file),
            "line": first.map(|frame| frame.line),
            "column": first.map(|frame| frame.column),
            "stack": swift::stack_json(&origin),
        })
    }
}
