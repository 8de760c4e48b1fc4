//! The pattern engine: applies named local rewrites to a function until none applies.
//!
//! A pass declares [`Pattern`]s, each for one kind of instruction, and an [`Engine`] with a [`PatternList`] of them:
//!
//! ```
//! use silkit_ir::{Inst, Opcode};
//! use silkit_pass::FunctionContext;
//! use silkit_transform::patterns::{Engine, Pattern, PatternList, Pipelines, Rewriter};
//! use std::sync::LazyLock;
//!
//! const FULL: Pipelines = Pipelines::nth(0);
//!
//! const PATTERNS: &[Pattern] =
//!     &[Pattern { opcode: Opcode::DebugStep, name: "debug_step", pipelines: FULL, apply: debug_step }];
//!
//! fn debug_step(rw: &mut Rewriter<'_, '_>, inst: Inst) {
//!     if rw.may_change() {
//!         rw.remove(inst);
//!     }
//! }
//!
//! fn run(cx: &mut FunctionContext<'_>) {
//!     static LIST: LazyLock<PatternList> = LazyLock::new(|| PatternList::of(PATTERNS, FULL));
//!     Engine::new(&LIST).run(cx);
//! }
//! ```
//!
//! **Order.** The engine visits all instructions in layout order. The patterns for an instruction are tried as the list
//! orders them, up to the first that transforms something. Then the instructions that it created or changed are
//! visited, the last one first, before the engine continues. An instruction that only moved or lost uses is not visited
//! again, unless the engine is told so ([`Engine::visits_definitions()`]).
//!
//! **A pattern** tests everything first, then calls [`Rewriter::may_change`], and edits only if that returns true: the
//! transformation is counted under the pattern's name, and bisection stops between two transformations and states the
//! name. A pattern may ask again before a further transformation. All edits are logged ([`silkit_ir::EditLog`]), however
//! they are made, so there is no list of instructions to keep: [`Rewriter::edit`], builders and helpers that take a
//! body do as well as the methods of the rewriter. [`Rewriter::revisit`] is for an instruction that a pattern does not
//! touch, but whose surroundings it changed.
//!
//! **Dead code** need not be removed by patterns. When nothing is left to visit, the engine removes the unused
//! instructions without effects, the last one first, and unreachable blocks; the latter may let blocks merge, so all
//! `br` are visited then. Only instructions that were never used or lost a use are considered.
//!
//! Debug variables and steps are kept with [`Engine::keeps_debug_info()`]; otherwise a debug variable does not count as a
//! use ([`Rewriter::counted_uses`]).

mod dead;
mod rewriter;
mod worklist;

pub use rewriter::Rewriter;
pub use worklist::Worklist;

use silkit_ir::{Inst, Opcode};
use silkit_pass::FunctionContext;

/// A set of pipelines. Their meaning is up to the list of patterns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pipelines(u8);

impl Pipelines {
    /// Returns the set of one pipeline, with a number below 8.
    pub const fn nth(number: u8) -> Self {
        Self(1 << number)
    }

    /// Returns the union of two sets.
    pub const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Returns true if two sets have a pipeline in common.
    pub const fn intersects(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
}

/// A named rewrite of one kind of instruction.
#[derive(Clone, Copy, Debug)]
pub struct Pattern {
    /// The kind of instruction.
    pub opcode: Opcode,
    /// What is rewritten, in SIL's terms, unique in its list: statistics and bisection state it.
    pub name: &'static str,
    /// The pipelines that apply it.
    pub pipelines: Pipelines,
    /// Transforms an instruction of this kind, if possible.
    pub apply: fn(&mut Rewriter<'_, '_>, Inst),
}

/// The patterns of a pipeline, in order for each kind of instruction.
#[derive(Debug)]
pub struct PatternList {
    by_opcode: Vec<Vec<Pattern>>,
}

impl PatternList {
    /// Creates the list of the patterns of a pipeline.
    pub fn of<'p>(patterns: impl IntoIterator<Item = &'p Pattern>, pipeline: Pipelines) -> Self {
        let mut by_opcode = vec![Vec::new(); Opcode::ALL.len()];
        for pattern in patterns.into_iter().filter(|pattern| pattern.pipelines.intersects(pipeline)) {
            by_opcode[pattern.opcode as usize].push(*pattern);
        }
        Self { by_opcode }
    }

    /// Returns the patterns for a kind of instruction.
    fn get(&self, opcode: Opcode) -> &[Pattern] {
        &self.by_opcode[opcode as usize]
    }
}

/// The engine, with the patterns of a pipeline.
#[derive(Debug)]
pub struct Engine<'p> {
    patterns: &'p PatternList,
    keeps_debug_info: bool,
    visits_definitions: bool,
}

impl<'p> Engine<'p> {
    /// Creates an engine that does not keep debug info.
    pub fn new(patterns: &'p PatternList) -> Self {
        Self { patterns, keeps_debug_info: false, visits_definitions: false }
    }

    /// Sets whether debug variables and steps are kept for the debugger.
    pub fn keeps_debug_info(self, keeps_debug_info: bool) -> Self {
        Self { keeps_debug_info, ..self }
    }

    /// Sets whether instructions with results that lost a use are visited again: they may have a single use now.
    pub fn visits_definitions(self, visits_definitions: bool) -> Self {
        Self { visits_definitions, ..self }
    }

    /// Applies the patterns to a function until none applies.
    pub fn run(&self, cx: &mut FunctionContext<'_>) {
        let mut rw = Rewriter::new(cx, self.keeps_debug_info, self.visits_definitions);
        self.start(&mut rw);
        loop {
            while let Some(inst) = rw.pop() {
                self.visit(&mut rw, inst);
            }
            dead::remove_instructions(&mut rw);
            dead::remove_blocks(&mut rw);
            if rw.is_done() {
                break;
            }
        }
        rw.finish();
    }

    /// Adds the instructions that have patterns, so that the first one is visited first, and the dead ones of the others.
    fn start(&self, rw: &mut Rewriter<'_, '_>) {
        let has_patterns = |&inst: &Inst| !self.patterns.get(rw.body().inst(inst).opcode).is_empty();
        let (visited, others): (Vec<Inst>, Vec<Inst>) = rw.body().insts().partition(has_patterns);
        visited.into_iter().rev().for_each(|inst| rw.push(inst));
        others.into_iter().for_each(|inst| rw.consider(inst));
    }

    /// Applies the first pattern that transforms something.
    fn visit(&self, rw: &mut Rewriter<'_, '_>, inst: Inst) {
        for pattern in self.patterns.get(rw.body().inst(inst).opcode) {
            if rw.apply(pattern, inst) {
                break;
            }
        }
        rw.consider(inst);
    }
}
