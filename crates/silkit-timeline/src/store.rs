//! The distinct texts of functions and of what is outside of them, compressed, with counts of their contents.

use rayon::prelude::*;
use silkit::base::{FxHashMap, IdVec, entity};
use silkit::ir::info::ApplyKind;
use silkit::ir::{Behavior, Body, Module, RuntimeEffects};
use silkit::text::{SyntaxError, parse_module, without_printed_comment};
use std::collections::hash_map::Entry;
use std::ops::{AddAssign, Sub};
use xxhash_rust::xxh3::{Xxh3, xxh3_128};

entity!(
    /// A distinct text in a [`Timeline`](crate::Timeline).
    BodyId,
    "body"
);

/// Counts of the contents of a function, or differences of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// Blocks.
    pub blocks: i64,
    /// Instructions.
    pub insts: i64,
    /// Instructions that count references up only.
    pub retains: i64,
    /// Instructions that may count references down.
    pub releases: i64,
    /// Instructions that may allocate memory on the heap.
    pub allocations: i64,
    /// Full applications of functions.
    pub calls: i64,
}

impl Counts {
    /// Counts the contents of a body.
    pub fn of(body: &Body, module: &Module) -> Self {
        let mut counts = Self { blocks: body.block_count() as i64, ..Self::default() };
        let behavior = Behavior::new(body, module);
        for inst in body.insts() {
            counts.insts += 1;
            let info = body.info(inst);
            counts.calls += i64::from(info.apply == Some(ApplyKind::Full));
            if !info.runtime.intersects(RuntimeEffects::COUNT | RuntimeEffects::ALLOCATE) {
                continue;
            }
            let runtime = behavior.runtime(inst);
            counts.allocations += i64::from(runtime.contains(RuntimeEffects::ALLOCATE));
            if runtime.contains(RuntimeEffects::COUNT) {
                let releases = runtime.contains(RuntimeEffects::RELEASE);
                *if releases { &mut counts.releases } else { &mut counts.retains } += 1;
            }
        }
        counts
    }

    /// Returns the number of operations of reference counting.
    pub fn arc(&self) -> i64 {
        self.retains + self.releases
    }
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        self.blocks += other.blocks;
        self.insts += other.insts;
        self.retains += other.retains;
        self.releases += other.releases;
        self.allocations += other.allocations;
        self.calls += other.calls;
    }
}

impl Sub for Counts {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self {
            blocks: self.blocks - other.blocks,
            insts: self.insts - other.insts,
            retains: self.retains - other.retains,
            releases: self.releases - other.releases,
            allocations: self.allocations - other.allocations,
            calls: self.calls - other.calls,
        }
    }
}

/// A text that cannot be read as SIL.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unread {
    /// The line in the text, starting at 0.
    pub line: u64,
    /// The message of the parser.
    pub message: String,
}

/// A distinct text.
#[derive(Debug)]
struct Entity {
    packed: Box<[u8]>,
    length: u32,
    /// The hash of the code, without the comments that the printer adds.
    code: u64,
    counts: Counts,
    unread: Option<Box<Unread>>,
}

/// The distinct texts. Texts are packed in batches, in parallel.
#[derive(Debug, Default)]
pub(crate) struct Store {
    known: FxHashMap<u128, BodyId>,
    bodies: IdVec<BodyId, Entity>,
    /// The texts that are not packed yet: the last ones.
    waiting: Vec<Box<str>>,
    waiting_bytes: usize,
}

/// The size of the texts that are packed together.
const BATCH: usize = 4 << 20;

impl Store {
    /// Adds a text, and returns its id, which is the same for the same text.
    pub(crate) fn add(&mut self, text: &str) -> BodyId {
        let next = BodyId::from_u32((self.bodies.len() + self.waiting.len()) as u32);
        match self.known.entry(xxh3_128(text.as_bytes())) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(place) => {
                place.insert(next);
                self.waiting.push(text.into());
                self.waiting_bytes += text.len();
                if self.waiting_bytes >= BATCH {
                    self.pack();
                }
                next
            }
        }
    }

    /// Packs the texts that wait. To be called before a text is used.
    pub(crate) fn pack(&mut self) {
        let packed: Vec<Entity> = self.waiting.par_iter().map(|text| Entity::new(text)).collect();
        for entity in packed {
            self.bodies.push(entity);
        }
        self.waiting.clear();
        self.waiting_bytes = 0;
    }

    pub(crate) fn ids(&self) -> impl ExactSizeIterator<Item = BodyId> + use<> {
        self.bodies.keys()
    }

    /// Returns the size of all texts in bytes, and their size as stored.
    pub(crate) fn sizes(&self) -> (u64, u64) {
        let sizes = self.bodies.values().map(|body| (u64::from(body.length), body.packed.len() as u64));
        sizes.fold((0, 0), |all, one| (all.0 + one.0, all.1 + one.1))
    }

    pub(crate) fn text(&self, id: BodyId) -> String {
        let body = &self.bodies[id];
        let bytes = lz4_flex::block::decompress(&body.packed, body.length as usize).unwrap_or_default();
        String::from_utf8(bytes).unwrap_or_default()
    }

    pub(crate) fn counts(&self, id: BodyId) -> Counts {
        self.bodies[id].counts
    }

    pub(crate) fn code(&self, id: BodyId) -> u64 {
        self.bodies[id].code
    }

    pub(crate) fn unread(&self, id: BodyId) -> Option<&Unread> {
        self.bodies[id].unread.as_deref()
    }
}

impl Entity {
    fn new(text: &str) -> Self {
        let parsed = parse_module(text);
        let bodies = parsed.module.functions.values().filter_map(|function| function.body.as_ref());
        let mut counts = Counts::default();
        for body in bodies {
            counts += Counts::of(body, &parsed.module);
        }
        Self {
            packed: lz4_flex::block::compress(text.as_bytes()).into(),
            // Texts are parts of a log that the reader limits.
            length: u32::try_from(text.len()).unwrap_or(u32::MAX),
            code: code_hash(text),
            counts,
            unread: parsed.errors.first().map(|error| Box::new(unread(text, error))),
        }
    }
}

fn unread(text: &str, error: &SyntaxError) -> Unread {
    let before = text.as_bytes().get(..error.range.start as usize).unwrap_or_default();
    Unread { line: memchr::memchr_iter(b'\n', before).count() as u64, message: error.message.to_string() }
}

/// Returns a line without the comments that the printer adds; the empty string for a line that is a comment.
pub(crate) fn code_of(line: &str) -> &str {
    if memchr::memmem::find(line.as_bytes(), b"//").is_none() {
        line
    } else if line.trim_start().starts_with("//") {
        ""
    } else {
        without_printed_comment(line)
    }
}

/// Returns a hash of the code of a text.
fn code_hash(text: &str) -> u64 {
    let mut hash = Xxh3::new();
    for line in text.lines() {
        let code = code_of(line);
        if !code.is_empty() {
            hash.update(code.as_bytes());
            hash.update(b"\n");
        }
    }
    hash.digest()
}
