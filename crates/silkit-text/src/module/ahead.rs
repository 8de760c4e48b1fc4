//! Entities that are read ahead, in parallel.
//!
//! A chunk begins at a line that begins as an entity does. Whether it is one is known only when all before it was read: it may
//! stand in a comment or in a string. The reader at the top level takes a chunk where it comes to its beginning itself, and so
//! reads nothing else than it would have read alone.

use super::body_end::begins_entity;
use super::parse::{ModuleParser, PendingBody};
use crate::existential::Protocols;
use crate::source_map::ModuleSourceMap;
use memchr::memmem;
use rayon::prelude::*;
use silkit_ir::Module;
use std::collections::VecDeque;

/// The number of bytes of text in a chunk, about.
const SIZE: usize = 256 << 10;

/// The entities that are read ahead. Others may declare what later ones mean, or depend on earlier ones.
const KINDS: &[&str] = &["sil", "sil_global", "sil_vtable", "sil_witness_table"];

/// Entities that were read without an error, of a module of their own.
pub(super) struct Chunk {
    start: usize,
    /// Where the next entity begins, or something else.
    pub(super) end: usize,
    pub(super) module: Module,
    pub(super) source_map: ModuleSourceMap,
    pub(super) bodies: Vec<PendingBody>,
}

/// The chunks of a text that were read and not taken yet, in order.
pub(super) struct Ahead {
    chunks: VecDeque<Chunk>,
    /// The protocols that they were read with.
    protocols: Option<(u32, u32)>,
}

impl Ahead {
    /// Reads the text ahead of a parser that has come to the first entity, where this is faster.
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
            chunks = ranges.par_iter().filter_map(read).collect::<Vec<_>>().into();
        }
        Self { chunks, protocols: protocols.map(Protocols::id) }
    }

    /// Returns the chunk that begins where a parser has come to.
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

/// Returns the beginnings of chunks: the first one, and lines that begin as entities do.
fn starts(text: &str, from: usize, end: usize) -> Vec<usize> {
    let mut starts = vec![from];
    let mut at = from + SIZE;
    while let Some(found) = text.as_bytes().get(at..end).and_then(|rest| memmem::find(rest, b"\nsil")) {
        starts.push(at + found + 1);
        at += found + SIZE;
    }
    starts
}

/// Reads entities up to another one at or after `limit`, or up to something else. `None` where there is an error.
fn read(around: &ModuleParser<'_>, protocols: &Protocols, start: usize, limit: usize) -> Option<Chunk> {
    let mut parser = ModuleParser::new(around.cur.clone(), protocols.clone(), around.openers);
    parser.cur.set_pos(start);
    while parser.cur.pos() < limit && begins_entity(&parser.cur) {
        let at = parser.cur.pos();
        let word = parser.cur.ident().unwrap_or_default();
        if !KINDS.contains(&word) {
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
