//! Speculative parallel parsing of entity headers and tables.
//!
//! A chunk begins at a line that starts with the keyword of an entity. The line may still be part of a comment or a string, which
//! only sequential parsing can tell. The sequential parser therefore takes a chunk only when it arrives at exactly its first
//! byte, so the result equals that of sequential parsing.

use super::body_end::begins_entity;
use super::parse::{ModuleParser, PendingBody};
use crate::existential::Protocols;
use crate::source_map::ModuleSourceMap;
use memchr::memmem;
use rayon::prelude::*;
use silkit_ir::Module;
use std::collections::VecDeque;

/// The approximate number of bytes per chunk.
const SIZE: usize = 256 << 10;

/// The keywords of the entities that are parsed ahead. Other entities may declare names for later ones, or depend on
/// earlier ones.
const KINDS: &[&str] = &["sil", "sil_global", "sil_vtable", "sil_witness_table"];

/// Returns true if entities with this keyword are parsed ahead.
pub(super) fn is_ahead(keyword: &str) -> bool {
    KINDS.contains(&keyword)
}

/// Entities that were parsed without errors, in a module of their own.
pub(super) struct Chunk {
    start: usize,
    /// The offset after the last entity and the trivia that follows it.
    pub(super) end: usize,
    pub(super) module: Module,
    pub(super) source_map: ModuleSourceMap,
    pub(super) bodies: Vec<PendingBody>,
}

/// The parsed chunks that were not taken yet, in text order.
pub(super) struct Ahead {
    chunks: VecDeque<Chunk>,
    /// The version of the protocol table that they were parsed with.
    protocols: Option<(u32, u32)>,
}

impl Ahead {
    /// Parses the text after the position of a parser, if there are several threads and enough text.
    pub(super) fn of(parser: &ModuleParser<'_>) -> Self {
        let (from, end) = (parser.cur.pos(), parser.cur.end());
        let protocols = parser.env.protocols.as_ref();
        let mut chunks = VecDeque::new();
        if let Some(protocols) = protocols
            && rayon::current_num_threads() > 1
            && end - from >= 2 * SIZE
        {
            let starts = starts(parser.cur.text(), from, end);
            let limits = starts.iter().skip(1).copied().chain([end]);
            let ranges: Vec<(usize, usize)> = starts.iter().copied().zip(limits).collect();
            let read = |&(start, limit): &(usize, usize)| read(parser, protocols, start, limit);
            chunks = ranges.par_iter().with_max_len(1).filter_map(read).collect::<Vec<_>>().into();
        }
        Self { chunks, protocols: protocols.map(Protocols::id) }
    }

    /// Returns the number of functions in all chunks.
    pub(super) fn function_count(&self) -> usize {
        self.chunks.iter().map(|chunk| chunk.module.functions.len()).sum()
    }

    /// Returns the chunk that begins at the position of a parser.
    pub(super) fn take(&mut self, parser: &ModuleParser<'_>) -> Option<Chunk> {
        let at = parser.cur.pos();
        while self.chunks.front().is_some_and(|chunk| chunk.start < at) {
            self.chunks.pop_front();
        }
        let is_same = self.protocols == parser.env.protocols.as_ref().map(Protocols::id);
        let is_next = |chunk: &mut Chunk| chunk.start == at && is_same;
        self.chunks.pop_front_if(is_next)
    }
}

/// Returns the start offsets of the chunks: `from`, and lines that start with `sil`.
fn starts(text: &str, from: usize, end: usize) -> Vec<usize> {
    let mut starts = vec![from];
    let mut at = from + SIZE;
    while let Some(found) = text.as_bytes().get(at..end).and_then(|rest| memmem::find(rest, b"\nsil")) {
        starts.push(at + found + 1);
        at += found + SIZE;
    }
    starts
}

/// Parses entities until one begins at or after `limit`, or until anything else follows. `None` on an error.
fn read(outer: &ModuleParser<'_>, protocols: &Protocols, start: usize, limit: usize) -> Option<Chunk> {
    let mut parser = ModuleParser::new(outer.cur.clone(), protocols.clone(), outer.openers);
    parser.cur.set_pos(start);
    while parser.cur.pos() < limit && begins_entity(&parser.cur) {
        let at = parser.cur.pos();
        let word = parser.cur.ident().unwrap_or_default();
        if !is_ahead(word) {
            parser.cur.set_pos(at);
            break;
        }
        parser.entity(word, at).ok()?;
        parser.place(word, at);
        parser.cur.skip_trivia();
    }
    let ModuleParser { cur, module, errors, source_map, bodies, .. } = parser;
    let is_good = errors.is_empty() && cur.pos() > start;
    is_good.then(|| Chunk { start, end: cur.pos(), module, source_map, bodies })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decl;
    use crate::module::body_end::Openers;

    #[test]
    fn chunks_follow_the_stage_and_the_declarations() {
        let function = "sil @f : $@convention(thin) (any P) -> () {\n} // end sil function 'f'\n\n";
        let text =
            format!("sil_stage raw\n\nprotocol P {{}}\n\n{}", function.repeat(8 * SIZE / function.len()));
        let openers = Openers::of(&text);
        let cur = crate::cursor::Cursor::new(&text);
        let mut parser = ModuleParser::new(cur, Protocols::new(decl::stdlib_alone()), &openers);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().expect("threads");
        assert!(pool.install(|| parser.top_level()) >= 7);
        assert!(parser.errors.is_empty());
    }
}
