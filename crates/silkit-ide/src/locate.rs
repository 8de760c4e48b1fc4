//! From offsets to the entities of the module.

use crate::Document;
use crate::document::Analysis;
use silkit_ir::{Block, Body, Function, FunctionId, Inst, Value};
use silkit_text::{BodySourceMap, SourceEntity, Token, TokenKind, TokenRole};

/// A body with its positions.
#[derive(Clone, Copy)]
pub(crate) struct BodyAt<'a> {
    pub(crate) body: &'a Body,
    pub(crate) map: &'a BodySourceMap,
    /// The function; `None` for the initializer of a global variable.
    pub(crate) function: Option<(FunctionId, &'a Function)>,
}

impl<'a> BodyAt<'a> {
    /// Returns the instruction that begins last before an offset, and its start, unless a label stands between.
    pub(crate) fn inst_at(&self, offset: usize) -> Option<(Inst, usize)> {
        let starts = self.body.insts().filter_map(|inst| Some((inst, self.map.inst(inst)? as usize)));
        let (inst, start) = starts.filter(|(_, at)| *at <= offset).max_by_key(|(_, at)| *at)?;
        match self.block_at(offset) {
            Some((_, label)) if label > start => None,
            _ => Some((inst, start)),
        }
    }

    /// Returns the block whose label stands last before an offset, and the start of the label.
    pub(crate) fn block_at(&self, offset: usize) -> Option<(Block, usize)> {
        let labels = self.body.blocks().filter_map(|block| Some((block, self.map.block(block)? as usize)));
        labels.filter(|(_, at)| *at <= offset).max_by_key(|(_, at)| *at)
    }
}

impl Document {
    /// Returns the body that contains an offset.
    pub(crate) fn body_at(&self, offset: usize) -> Option<BodyAt<'_>> {
        let Analysis { module, map, .. } = self.analysis();
        let after = map.entities().partition_point(|placed| placed.range.start as usize <= offset);
        let placed = map.entities().get(after.checked_sub(1)?)?;
        if offset > placed.range.end as usize {
            return None;
        }
        match placed.entity {
            SourceEntity::Function(id) => {
                let function = module.functions.get(id)?;
                let body = function.body.as_ref()?;
                Some(BodyAt { body, map: map.function(id)?, function: Some((id, function)) })
            }
            SourceEntity::Global(id) => {
                let body = module.globals.get(id)?.initializer.as_ref()?;
                Some(BodyAt { body, map: map.global(id)?, function: None })
            }
            _ => None,
        }
    }

    /// Returns the value that a token defines.
    pub(crate) fn value_defined_by<'a>(&'a self, token: Token) -> Option<(BodyAt<'a>, Value)> {
        let start = token.start as usize;
        let at = self.body_at(start)?;
        let defined_before = |from: usize| {
            let tokens = self.tokens().within(from..start);
            let is_definition = |t: &&Token| {
                t.kind == TokenKind::Value
                    && t.role == TokenRole::Definition
                    && (from..start).contains(&(t.start as usize))
            };
            tokens.iter().filter(is_definition).count()
        };
        let value = match at.inst_at(start) {
            Some((inst, from)) => at.body.results(inst).nth(defined_before(from)),
            None => {
                let (block, from) = at.block_at(start)?;
                at.body.arguments(block).get(defined_before(from)).copied()
            }
        };
        Some((at, value?))
    }

    /// Returns the value that a token names, where it is defined or used.
    pub(crate) fn value_named_by(&self, index: usize, token: Token) -> Option<(BodyAt<'_>, Value)> {
        let definition = match token.role {
            TokenRole::Definition => token,
            _ => self.tokens().definition(self.text(), index)?,
        };
        self.value_defined_by(definition).filter(|_| definition.role == TokenRole::Definition)
    }
}
