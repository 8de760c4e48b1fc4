//! Lines of the program's file, for reports about its instructions.

use silkit::text::ModuleSourceMap;
use silkit_interp::{CodePlace, ProgramModule};
use std::sync::Arc;

/// The text of a program with the positions of its instructions.
pub(super) struct ProgramLines {
    pub(super) file: String,
    pub(super) text: String,
    pub(super) map: ModuleSourceMap,
    pub(super) program: Arc<ProgramModule>,
}

impl ProgramLines {
    /// Returns the line of an instruction, from 1; `None` if it is in another module.
    pub(super) fn line(&self, place: &CodePlace) -> Option<usize> {
        let functions = &self.program.info.sil.functions;
        let id = functions.find(&place.function)?;
        let inst = functions[id].body.as_ref()?.insts().nth(place.index as usize)?;
        let at = self.map.function(id)?.inst(inst)?;
        Some(1 + self.text.get(..at as usize)?.matches('\n').count())
    }

    /// Describes a place, with its line instead of its number if it has no place in Swift source.
    pub(super) fn describe(lines: Option<&Self>, place: &CodePlace) -> String {
        let text = place.to_string();
        let has_source = place.source.is_some_and(|source| source.file.is_some());
        let line = lines.filter(|_| !has_source).and_then(|lines| Some((&lines.file, lines.line(place)?)));
        match line {
            Some((file, line)) => {
                text.replace(&format!("(instruction {})", place.index), &format!("({file}:{line})"))
            }
            None => text,
        }
    }
}
