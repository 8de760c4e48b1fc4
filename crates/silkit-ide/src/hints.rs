//! Hints that an editor shows inside lines: types of results, predecessors, the ends of blocks.

use crate::Document;
use silkit_base::TextRange;
use silkit_ir::ValueDef;
use silkit_text::{Token, TokenKind, TokenRole};

/// The kind of a hint; editors can switch each kind off.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum HintKind {
    /// The type of a result, after its name.
    Type,
    /// The predecessors of a block, after its label.
    Predecessors,
    /// The block that ends, after its last instruction.
    Ending,
}

/// A hint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hint {
    /// The offset that it stands at.
    pub at: u32,
    /// The kind.
    pub kind: HintKind,
    /// The text.
    pub text: String,
}

/// The longest type that is shown whole, in characters.
const MAX_TYPE: usize = 60;
/// A block with fewer instructions is seen whole, and its end needs no name.
const SHORT_BLOCK: usize = 12;
/// The most predecessors that are named.
const MAX_NAMES: usize = 6;

impl Document {
    /// Returns the hints in a range, in text order.
    pub fn hints(&self, range: TextRange) -> Vec<Hint> {
        if !self.is_analyzed() {
            return Vec::new();
        }
        let mut found = Vec::new();
        let is_there = |token: &Token| range.start <= token.start && token.start < range.end;
        for token in self.tokens().within(range.as_usize()) {
            if token.role != TokenRole::Definition || !is_there(token) {
                continue;
            }
            match token.kind {
                TokenKind::Value => found.extend(self.type_hint(*token)),
                TokenKind::Block => self.block_hints(*token, &mut found),
                _ => {}
            }
        }
        found.sort_by_key(|hint| hint.at);
        found
    }

    fn type_hint(&self, token: Token) -> Option<Hint> {
        let (at, value) = self.value_defined_by(token)?;
        // The types of arguments stand in the text.
        if !matches!(at.body.def(value), ValueDef::Result(..)) {
            return None;
        }
        let ty = at.body.value(value).ty.to_string();
        let short = match ty.chars().count() {
            n if n > MAX_TYPE => ty.chars().take(MAX_TYPE - 1).chain(['…']).collect(),
            _ => ty,
        };
        Some(Hint { at: token.end, kind: HintKind::Type, text: format!(": {short}") })
    }

    fn block_hints(&self, label: Token, found: &mut Vec<Hint>) {
        let start = label.start as usize;
        let Some(at) = self.body_at(start) else { return };
        let Some((block, _)) = at.block_at(start).filter(|(_, at)| *at == start) else { return };
        let line = self.text().get(start..).and_then(|rest| rest.lines().next()).unwrap_or_default();
        if !line.contains("//") && !at.body.is_entry_block(block) {
            let before: Vec<_> = at.body.predecessors(block).collect();
            let names: Vec<String> =
                before.iter().take(MAX_NAMES).map(|block| self.block_name(&at, *block)).collect();
            let more = if before.len() > MAX_NAMES { ", …" } else { "" };
            let text = match before.is_empty() {
                true => "// no predecessors".to_owned(),
                false => format!("// Preds: {}{more}", names.join(", ")),
            };
            let at = (start + line.trim_end().len()) as u32;
            found.push(Hint { at, kind: HintKind::Predecessors, text });
        }
        if at.body.block_insts(block).count() >= SHORT_BLOCK
            && let Some(last) = at.body.last_inst(block).and_then(|inst| at.map.inst(inst))
        {
            let line = self.text().get(last as usize..).and_then(|rest| rest.lines().next());
            let end = last as usize + line.unwrap_or_default().trim_end().len();
            let text = format!("// end of {}", label.text(self.text()));
            found.push(Hint { at: end as u32, kind: HintKind::Ending, text });
        }
    }
}
