//! Escape analysis: whether a value, or an address, may reach code with unknown effects.
//!
//! The walk begins at a value and goes in both directions: down from definitions to uses, at a store up to the
//! definition of the memory, and down again to its loads. It follows one [`ProjectionPath`]. A visitor decides at
//! each use and definition whether the value escapes, so that it can restrict escapes to certain destinations or
//! record them.

mod aliases;
mod calls;
mod leaves;
mod path;
mod roots;

pub use path::EscapePath;
pub(crate) use roots::is_exclusive;

use crate::BodyView;
use crate::walk::{AtDef, AtUse, Walk, WalkPath, Walker};
use crate::{Component, ProjectionPath};
use silkit_ir::{Operand, Value};
use silkit_types::{FnFlags, SilType};
use std::ops::ControlFlow;

/// A visitor that decides at uses and definitions whether a value escapes.
pub trait EscapeVisitor {
    /// Decides how the walk continues at a use.
    fn at_use(&mut self, operand: Operand, path: EscapePath) -> AtUse {
        let _ = (operand, path);
        AtUse::Follow
    }

    /// Decides how the walk continues at a definition.
    fn at_def(&mut self, value: Value, path: EscapePath) -> AtDef {
        let _ = (value, path);
        AtDef::Follow
    }

    /// Returns true if trivial values without pointers are followed.
    fn follows_trivial(&self) -> bool {
        false
    }

    /// Returns true if values loaded from an address are followed as well. Returns false if only the address itself
    /// is of interest.
    fn follows_loads(&self) -> bool {
        true
    }
}

/// A visitor that counts every escape.
#[derive(Clone, Copy, Debug, Default)]
pub struct AnyEscape;

impl EscapeVisitor for AnyEscape {}

/// The direction in which a walk begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    /// At the definition of the value: it may have escaped before.
    Up,
    /// At the uses: earlier escapes, such as in the caller, are ignored.
    Down,
}

/// Escape analysis of one body.
#[derive(Clone, Copy, Debug)]
pub struct Escapes<'a> {
    /// The view of the body.
    pub view: BodyView<'a>,
}

impl<'a> Escapes<'a> {
    /// Creates the escape analysis of a body.
    pub(crate) fn new(view: BodyView<'a>) -> Self {
        Self { view }
    }

    /// Returns true if the part of a value at a path escapes, as the visitor defines it.
    pub fn escapes(
        &self,
        value: Value,
        path: ProjectionPath,
        direction: Direction,
        visitor: &mut impl EscapeVisitor,
    ) -> bool {
        self.escapes_within(value, path, direction, visitor, u32::MAX)
    }

    /// Like [`Self::escapes`], but returns true after this number of steps.
    pub fn escapes_within(
        &self,
        value: Value,
        path: ProjectionPath,
        direction: Direction,
        visitor: &mut impl EscapeVisitor,
        steps: u32,
    ) -> bool {
        let mut walk = Walk::new(self.view);
        match direction {
            Direction::Up => walk.up(value, EscapePath::new(path)),
            Direction::Down => walk.down(value, EscapePath::new(path)),
        }
        let mut walker = EscapeWalker { view: self.view, visitor, steps };
        walk.run(&mut walker).is_break()
    }
}

/// Escape results for several allocated objects of one body. A walk shares the visited values of earlier walks that
/// found no escape, so that values that many objects are stored to are visited once.
#[derive(Debug)]
pub(crate) struct NewObjects<'a> {
    escapes: Escapes<'a>,
    /// The union of all walks that found no escape.
    walk: EscapeWalk<'a>,
}

impl<'a> NewObjects<'a> {
    /// Creates an empty result for the objects of a body.
    pub(crate) fn new(escapes: Escapes<'a>) -> Self {
        Self { escapes, walk: Walk::new(escapes.view) }
    }

    /// Returns true if an object escapes.
    pub(crate) fn escapes(&mut self, object: Value) -> bool {
        self.walk.up(object, EscapePath::new(ProjectionPath::EMPTY));
        let mut walker = EscapeWalker { view: self.escapes.view, visitor: &mut AnyEscape, steps: u32::MAX };
        if self.walk.run(&mut walker).is_continue() {
            return false;
        }
        self.walk = Walk::new(self.escapes.view);
        // Paths of different objects are merged at shared values. A separate walk is more precise.
        self.escapes.escapes(object, ProjectionPath::EMPTY, Direction::Up, &mut AnyEscape)
    }
}

type EscapeWalk<'a> = Walk<'a, EscapePath>;

struct EscapeWalker<'a, V> {
    view: BodyView<'a>,
    visitor: &'a mut V,
    /// The number of remaining steps.
    steps: u32,
}

const ESCAPES: ControlFlow<()> = ControlFlow::Break(());
const STAYS: ControlFlow<()> = ControlFlow::Continue(());

impl<V: EscapeVisitor> EscapeWalker<'_, V> {
    /// Returns true if the part of a value at a path may contain the tracked value.
    fn is_relevant(&self, view: &BodyView<'_>, value: Value, path: ProjectionPath) -> bool {
        self.visitor.follows_trivial() && !path.has_class_projection() || !view.holds_nothing(value)
    }

    /// Returns true if loads from an address are followed.
    fn follows_loads(&self, path: EscapePath) -> bool {
        self.visitor.follows_loads() || path.path.may_have_class_projection() || path.is_address_stored
    }

    /// Returns the path for the query of a callee's effects. The address of a class property cannot escape from a
    /// function that the object is passed to, but values that are stored there can.
    fn effects_path(&self, path: ProjectionPath) -> ProjectionPath {
        if self.visitor.follows_loads() { path } else { path.pop_last_class_and_values() }
    }

    fn is_exhausted(&mut self) -> bool {
        self.steps = self.steps.saturating_sub(1);
        self.steps == 0
    }

    /// Follows a reference to the address of a projected part of the object.
    fn project(
        &self,
        walk: &mut EscapeWalk<'_>,
        result: Value,
        component: Option<Component>,
        path: EscapePath,
    ) -> ControlFlow<()> {
        let inner = component.map_or(Some(path.anything()), |c| path.pop_if_matches(c));
        if let Some(path) = inner.filter(|p| self.is_relevant(&walk.view, result, p.path)) {
            walk.down(result, path.of_any_type());
        }
        STAYS
    }
}

impl<V: EscapeVisitor> Walker<EscapePath> for EscapeWalker<'_, V> {
    fn at_use(&mut self, walk: &mut EscapeWalk<'_>, operand: Operand, path: EscapePath) -> AtUse {
        if self.is_exhausted() {
            return AtUse::Abort;
        }
        if !self.is_relevant(&walk.view, walk.view.body.operand(operand).value, path.path) {
            return AtUse::Skip;
        }
        self.visitor.at_use(operand, path)
    }

    fn at_def(&mut self, walk: &mut EscapeWalk<'_>, value: Value, path: EscapePath) -> AtDef {
        if self.is_exhausted() {
            return AtDef::Abort;
        }
        if !self.is_relevant(&walk.view, value, path.path) {
            return AtDef::Skip;
        }
        match self.visitor.at_def(value, path) {
            AtDef::Down => {
                walk.down_once(value, path.of_any_type());
                AtDef::Skip
            }
            other => other,
        }
    }

    fn at_leaf(&mut self, walk: &mut EscapeWalk<'_>, operand: Operand, path: EscapePath) -> ControlFlow<()> {
        let data = walk.view.body.operand(operand);
        if walk.view.body.value(data.value).ty.is_address() {
            self.address_leaf(walk, operand, path)
        } else {
            self.value_leaf(walk, operand, path)
        }
    }

    fn at_root(&mut self, walk: &mut EscapeWalk<'_>, value: Value, path: EscapePath) -> ControlFlow<()> {
        if walk.view.body.value(value).ty.is_address() {
            self.address_root(walk, value, path)
        } else {
            self.value_root(walk, value, path)
        }
    }
}

impl BodyView<'_> {
    /// Returns true if a value, or the memory at an address, neither owns anything nor contains a pointer. The
    /// captures of a non-escaping closure count; a value that is not known may contain a pointer.
    pub fn holds_nothing(&self, value: Value) -> bool {
        let ty = self.body.value(value).ty;
        !ty.is_unknown()
            && self.declarations().is_trivial_non_pointer(ty.ty(), self.signature()) == Some(true)
    }
}

/// Returns true if a value is a non-escaping closure.
fn is_noescape(ty: SilType) -> bool {
    ty.ty().as_function().is_some_and(|f| f.flags.contains(FnFlags::NOESCAPE))
}
