//! The editor of bodies, the only way to change them.
//!
//! An [`Editor`] keeps use lists, edges and the numbers of arguments right and records what kind of
//! change was made and when ([`Changes`], [`Epoch`]), so that a stale analysis can be known. Lists keep
//! the reference's order: what is made or redirected comes first.

mod blocks;
mod build;
mod insts;
#[cfg(test)]
mod tests;

pub use build::{BuildError, Builder};

use crate::body::{Block, Body, Changes, Epoch, Inst, LocData, ValueKind};
use crate::{Loc, Value};
use silkit_types::SilType;

/// A place where an instruction can be put.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Point {
    /// Before an instruction.
    Before(Inst),
    /// After an instruction that is no terminator.
    After(Inst),
    /// Before the first instruction of a block.
    Start(Block),
    /// After the last instruction of a block.
    End(Block),
}

/// Changes a body. It reads like the body.
#[derive(Debug)]
pub struct Editor<'b> {
    body: &'b mut Body,
}

impl std::ops::Deref for Editor<'_> {
    type Target = Body;

    fn deref(&self) -> &Body {
        self.body
    }
}

impl Body {
    /// Returns an editor of this body.
    pub fn edit(&mut self) -> Editor<'_> {
        Editor { body: self }
    }

    /// Returns the present moment in the history of this body. An analysis remembers it.
    pub fn epoch(&self) -> Epoch {
        self.history.now()
    }

    /// Returns the kinds of changes that were made after a moment.
    pub fn changes_since(&self, epoch: Epoch) -> Changes {
        self.history.since(epoch)
    }

    /// Returns the block in which something put at a point will be.
    pub fn point_block(&self, point: Point) -> Block {
        match point {
            Point::Before(inst) | Point::After(inst) => self.inst_block(inst),
            Point::Start(block) | Point::End(block) => block,
        }
    }
}

impl<'b> Editor<'b> {
    /// Creates an editor of a body.
    pub fn new(body: &'b mut Body) -> Self {
        Self { body }
    }

    /// Returns the body, to read it while the editor lives.
    pub fn body(&self) -> &Body {
        self.body
    }

    /// Records changes that this editor does not see, such as of the function's attributes.
    pub fn record(&mut self, changes: Changes) {
        self.body.history.record(changes);
    }

    /// Replaces this body by another one and returns the old one.
    pub fn replace_body(&mut self, mut new: Body) -> Body {
        new.history = self.body.history.replaced(&new.history);
        std::mem::replace(self.body, new)
    }

    /// Stores a list for an attribute and returns its word.
    pub fn new_list(&mut self, items: &[u32]) -> u32 {
        self.body.make_list(items)
    }

    /// `undef` of a type.
    pub fn undef(&mut self, ty: SilType) -> Value {
        self.body.make_undef(ty)
    }

    /// Returns a block that is no part of the order.
    pub(crate) fn make_block(&mut self) -> Block {
        self.body.make_block()
    }

    /// Returns a value whose definition is still to come.
    pub(crate) fn pending(&mut self, ty: SilType) -> Value {
        self.body.make_detached(ty, ValueKind::Pending)
    }

    /// Replaces a placeholder that was used before its definition by this definition.
    pub(crate) fn resolve(&mut self, pending: Value, definition: Value) {
        self.body.relink_uses(pending, definition);
    }

    /// Stores a location.
    pub fn new_loc(&mut self, data: LocData) -> Loc {
        self.body.make_loc(data)
    }
}
