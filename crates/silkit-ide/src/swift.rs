//! Between instructions and lines of Swift.

use crate::Document;
use crate::locate::BodyAt;
use silkit_base::TextRange;
use silkit_ir::{InlineStacks, SwiftPosition};

/// A frame of the stack of inlined calls at an instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SwiftLine {
    /// The function, as people read it.
    pub function: Option<String>,
    /// The position.
    pub position: SwiftPosition,
}

/// The most instructions that are returned for one line of Swift.
const MAX_PLACES: usize = 1_000;

impl Document {
    /// Returns the Swift positions that the instruction at an offset was compiled from, the innermost first. At the name of
    /// a function it is the position of its first instruction that has one.
    pub fn swift_lines(&self, offset: usize) -> Vec<SwiftLine> {
        let Some(at) = self.body_at(offset) else { return Vec::new() };
        let stacks = InlineStacks::new(&self.analysis().module.scopes);
        match at.inst_at(offset) {
            Some((inst, _)) => lines(&stacks, &at, inst),
            None => {
                let from = at.block_at(offset).map_or(at.body.entry_block(), |(block, _)| Some(block));
                let insts = from.into_iter().flat_map(|block| at.body.block_insts(block));
                insts
                    .map(|inst| lines(&stacks, &at, inst))
                    .find(|found| !found.is_empty())
                    .unwrap_or_default()
            }
        }
    }

    /// Returns the instructions that a line of a Swift file was compiled to, in text order; at most 1,000. The file is
    /// compared by its last components, as far as both have them.
    pub fn sil_of_swift(&self, file: &str, line: u32) -> Vec<TextRange> {
        let analysis = self.analysis();
        let stacks = InlineStacks::new(&analysis.module.scopes);
        let mut found = Vec::new();
        for (id, function) in analysis.module.functions.iter() {
            let (Some(body), Some(map)) = (&function.body, analysis.map.function(id)) else { continue };
            for inst in body.insts() {
                let Some(loc) = body.loc(body.inst(inst).loc) else { continue };
                let is_there = |p: SwiftPosition| p.line == line && is_same_file(p.file, file);
                if let Some(start) = map.inst(inst)
                    && stacks.frames(loc).filter_map(|frame| frame.position).any(is_there)
                {
                    let code = crate::code_at(self.text(), start as usize);
                    found.push(TextRange::new(start as usize, start as usize + code.len()));
                }
            }
        }
        found.sort();
        found.truncate(MAX_PLACES);
        found
    }
}

fn lines(stacks: &InlineStacks<'_>, at: &BodyAt<'_>, inst: silkit_ir::Inst) -> Vec<SwiftLine> {
    let frames = stacks.frames_of(at.body, inst).into_iter();
    let line = |frame: silkit_ir::InlineFrame| {
        let function = frame.function.map(|name| crate::readable(name.as_str()));
        Some(SwiftLine { function, position: frame.position? })
    };
    frames.filter_map(line).collect()
}

/// Returns true if one path ends with the other.
fn is_same_file(one: &str, other: &str) -> bool {
    let parts = |path: &str| path.rsplit(['/', '\\']).map(str::to_owned).collect::<Vec<_>>();
    let (one, other) = (parts(one), parts(other));
    one.iter().zip(&other).all(|(a, b)| a == b || a == "." || b == ".")
}
