//! The editor of bodies, which makes all changes to a body in use.
//!
//! An [`Editor`] keeps use lists, edges and argument indices consistent and records the kind and time of each change
//! ([`Changes`], [`Epoch`]), so that stale analyses are detected. Lists are in the order of the reference: new and
//! redirected entries come first. On request, it also logs the instructions that it touches ([`crate::EditLog`]).

mod blocks;
mod build;
mod insts;
#[cfg(test)]
mod tests;

pub use build::{BuildError, Builder};

use crate::body::{Block, Body, Changes, Epoch, Inst, LocData, ValueDef, ValueKind};
use crate::{Loc, Value};
use silkit_types::SilType;

/// An insertion point for instructions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Point {
    /// Before an instruction.
    Before(Inst),
    /// After an instruction that is not a terminator.
    After(Inst),
    /// Before the first instruction of a block.
    Start(Block),
    /// After the last instruction of a block.
    End(Block),
}

/// An editor of a body, which also gives read access to it.
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

    /// Returns the current epoch of this body.
    pub fn epoch(&self) -> Epoch {
        self.history.now()
    }

    /// Returns the kinds of changes since an epoch.
    pub fn changes_since(&self, epoch: Epoch) -> Changes {
        self.history.since(epoch)
    }

    /// Returns the point directly after the definition of a value; `None` for `undef`.
    pub fn point_after(&self, value: Value) -> Option<Point> {
        match self.def(value) {
            ValueDef::Argument(block, _) => Some(Point::Start(block)),
            _ => self.defining_inst(value).map(Point::After),
        }
    }

    /// Returns the block of an insertion point.
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

    /// Returns the body.
    pub fn body(&self) -> &Body {
        self.body
    }

    /// Records changes that are not made through this editor, such as changes of the function's attributes.
    pub fn record(&mut self, changes: Changes) {
        self.body.history.record(changes);
    }

    /// Replaces this body by another one and returns the old one.
    pub fn replace_body(&mut self, mut new: Body) -> Body {
        new.history = self.body.history.replaced(&new.history);
        new.log = self.body.log.take().map(|_| Box::default());
        std::mem::replace(self.body, new)
    }

    /// Stores a list for an attribute and returns its attribute word.
    pub fn new_list(&mut self, items: &[u32]) -> u32 {
        self.body.make_list(items)
    }

    /// Returns `undef` of a type.
    pub fn undef(&mut self, ty: SilType) -> Value {
        self.body.make_undef(ty)
    }

    /// Returns a new block that is not in the layout.
    pub(crate) fn make_block(&mut self) -> Block {
        self.body.make_block()
    }

    /// Returns a placeholder for a value that is defined later.
    pub(crate) fn pending(&mut self, ty: SilType) -> Value {
        self.body.make_detached(ty, ValueKind::Pending)
    }

    /// Replaces a placeholder by the definition.
    pub(crate) fn resolve(&mut self, pending: Value, definition: Value) {
        self.body.relink_uses(pending, definition);
    }

    /// Stores a location.
    pub fn new_loc(&mut self, data: LocData) -> Loc {
        self.body.make_loc(data)
    }
}
