//! Quick fixes of findings. A fix of the verifier's findings is offered only if it leaves fewer of them.

use crate::document::Diagnosed;
use crate::{Document, Edit, apply, code_at, slice};
use silkit_base::TextRange;
use silkit_ir::Block;
use silkit_text::TokenKind;
use silkit_verify::{Finding, Place};

/// A change that removes a finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    /// What it does, as a title.
    pub title: String,
    /// The edits.
    pub edits: Vec<Edit>,
    /// The index of the diagnostic in [`Document::diagnostics`] that it is about.
    pub diagnostic: usize,
    /// True if it is the likeliest one.
    pub is_preferred: bool,
}

impl Document {
    /// Returns the fixes of the diagnostics in a range.
    pub fn fixes(&self, range: TextRange) -> Vec<Fix> {
        let is_there = |d: &Diagnosed| {
            let span = d.diagnostic.primary().map(|label| label.span);
            span.is_some_and(|span| span.start <= range.end && range.start <= span.end)
        };
        let here = self.diagnostics().iter().enumerate().filter(|(_, d)| is_there(d));
        here.flat_map(|(index, d)| self.fixes_of(index, d)).collect()
    }

    fn fixes_of(&self, index: usize, diagnosed: &Diagnosed) -> Vec<Fix> {
        let fix = |title: String, edits: Vec<Edit>, is_preferred| Fix {
            title,
            edits,
            diagnostic: index,
            is_preferred,
        };
        let mut found = Vec::new();
        if let Some(suggestion) = &diagnosed.diagnostic.suggestion {
            let edits = suggestion.edits.iter().map(|edit| Edit {
                range: TextRange { start: edit.span.start, end: edit.span.end },
                text: edit.replacement.to_string(),
            });
            found.push(fix(suggestion.message.to_string(), edits.collect(), true));
        }
        if let Some((range, word)) = &diagnosed.suggestion {
            let edit = Edit { range: *range, text: word.clone() };
            found.push(fix(format!("Replace by `{word}`"), vec![edit], true));
        }
        if let Some(finding) = &diagnosed.finding {
            let candidates = match finding.rule.id.as_str() {
                "SIL0402" => self.consume(diagnosed, finding),
                "SIL0403" => self.leave_out(diagnosed),
                _ => Vec::new(),
            };
            let better = candidates.into_iter().filter(|(_, edits)| self.improves(edits));
            found.extend(better.map(|(title, edits)| fix(title, edits, true)));
        }
        found.extend(self.expectation(diagnosed).map(|(title, edits)| fix(title, edits, false)));
        found
    }

    /// Returns true if there are fewer findings after some edits.
    fn improves(&self, edits: &[Edit]) -> bool {
        let after = Document::new(apply(self.text(), edits));
        after.diagnostics().len() < self.diagnostics().len()
    }

    /// Destroys a value that is still alive: in the last block of the path that only the path reaches, or before the end.
    fn consume(&self, diagnosed: &Diagnosed, finding: &Finding) -> Vec<(String, Vec<Edit>)> {
        let Some(end) = diagnosed.diagnostic.primary().map(|label| label.span.start as usize) else {
            return Vec::new();
        };
        let Some(at) = self.body_at(end) else { return Vec::new() };
        let Some(name) = finding.related.iter().find_map(|(place, _)| self.name_at(&at, *place)) else {
            return Vec::new();
        };
        let is_own = |block: &&Block| at.body.single_predecessor(**block).is_some();
        let last_of = |block: Block| Some(at.map.inst(at.body.last_inst(block)?)? as usize);
        let own = finding.path.iter().skip(1).rev().find(is_own).and_then(|block| last_of(*block));
        let places = own.into_iter().chain([end]);
        let edits = places.map(|place| {
            let text = self.text();
            let from = text.get(..place).and_then(|before| before.rfind('\n')).map_or(0, |at| at + 1);
            let indent = slice(text, TextRange::new(from, place));
            let indent = if indent.trim().is_empty() { indent } else { "  " };
            Edit::insert(place, format!("destroy_value {name}\n{indent}"))
        });
        let mut found: Vec<_> =
            edits.map(|edit| (format!("Destroy `{name}` on this path"), vec![edit])).collect();
        found.dedup();
        found.truncate(1);
        found
    }

    /// Returns the name of the value at a place, as the text spells it.
    fn name_at(&self, at: &crate::locate::BodyAt<'_>, place: Place) -> Option<String> {
        let Place::Value(value) = place else { return None };
        let text = self.text();
        let start = match at.body.def(value) {
            silkit_ir::ValueDef::Result(inst, _) => at.map.inst(inst)?,
            silkit_ir::ValueDef::Argument(block, _) => at.map.block(block)?,
            _ => return None,
        } as usize;
        let names = self.indexed_within(start..start + code_at(text, start).len());
        let mut values = names.filter(|(_, token)| token.kind == TokenKind::Value);
        let found = values.find(|(_, token)| self.value_defined_by(*token).is_some_and(|(_, v)| v == value));
        found.map(|(_, token)| token.text(text).to_owned())
    }

    /// Removes the instruction of a finding that has no result, with its line.
    fn leave_out(&self, diagnosed: &Diagnosed) -> Vec<(String, Vec<Edit>)> {
        let text = self.text();
        let Some(start) = diagnosed.diagnostic.primary().map(|label| label.span.start as usize) else {
            return Vec::new();
        };
        let code = code_at(text, start);
        if !code.starts_with("destroy_value")
            && !code.starts_with("end_borrow")
            && !code.starts_with("end_lifetime")
        {
            return Vec::new();
        }
        let from = text.get(..start).and_then(|before| before.rfind('\n')).map_or(0, |at| at + 1);
        let rest = text.get(start..).unwrap_or_default();
        let end = start + rest.find('\n').map_or(rest.len(), |at| at + 1);
        let edit = Edit { range: TextRange::new(from, end), text: String::new() };
        vec![(format!("Remove `{code}`"), vec![edit])]
    }

    /// Adds a comment that expects a diagnostic, as tests have it.
    fn expectation(&self, diagnosed: &Diagnosed) -> Option<(String, Vec<Edit>)> {
        let text = self.text();
        let start = diagnosed.diagnostic.primary()?.span.start as usize;
        let from = text.get(..start)?.rfind('\n').map_or(0, |at| at + 1);
        let indent: String = text.get(from..)?.chars().take_while(|c| matches!(c, ' ' | '\t')).collect();
        let severity = diagnosed.diagnostic.severity;
        let message = &diagnosed.diagnostic.message;
        if message.contains("}}") {
            return None;
        }
        let comment = format!("{indent}// expected-{severity}@+1 {{{{{message}}}}}\n");
        Some((format!("Expect this {severity} in a comment"), vec![Edit::insert(from, comment)]))
    }
}
