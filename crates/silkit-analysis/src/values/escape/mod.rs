//! Escape analysis: whether a value, or an address, may reach code with unknown effects.
//!
//! The walk begins at a value and goes in both directions: from allocations down to uses ("where does it go?"), from
//! stores up to the memory ("what may read it there?") and down again. It follows one [`ProjectionPath`]. A visitor is
//! asked at each use and definition, and so can count an escape to some places only, or note where the value goes.

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
    /// Decides how the walk goes on at a use.
    fn at_use(&mut self, operand: Operand, path: EscapePath) -> AtUse {
        let _ = (operand, path);
        AtUse::Follow
    }

    /// Decides how the walk goes on at a definition.
    fn at_def(&mut self, value: Value, path: EscapePath) -> AtDef {
        let _ = (value, path);
        AtDef::Follow
    }

    /// Returns true if values are followed that cannot refer to anything.
    fn follows_trivial(&self) -> bool {
        false
    }

    /// Returns true if what is loaded from an address counts as the address does. It does not where the question is
    /// about the address itself.
    fn follows_loads(&self) -> bool {
        true
    }
}

/// Counts every escape.
#[derive(Clone, Copy, Debug, Default)]
pub struct AnyEscape;

impl EscapeVisitor for AnyEscape {}

/// In which direction a walk begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    /// At the definition of the value: it may have escaped before.
    Up,
    /// At its uses: earlier events, such as in the caller, are ignored.
    Down,
}

/// Escape analysis of one body.
#[derive(Clone, Copy, Debug)]
pub struct Escapes<'a> {
    /// The body in its program.
    pub view: BodyView<'a>,
}

impl<'a> Escapes<'a> {
    /// Creates escape analysis of a body.
    pub(crate) fn new(view: BodyView<'a>) -> Self {
        Self { view }
    }

    /// Returns true if the part of a value that a path leads to escapes, as a visitor understands it.
    pub fn escapes(
        &self,
        value: Value,
        path: ProjectionPath,
        direction: Direction,
        visitor: &mut impl EscapeVisitor,
    ) -> bool {
        self.escapes_within(value, path, direction, visitor, u32::MAX)
    }

    /// Like [`Self::escapes`]; beyond this number of steps the value counts as escaping.
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

/// Escape results for several new objects of one body. Walks share the visited values of earlier walks that found no
/// escape, so values that many objects are stored to are visited once.
#[derive(Debug)]
pub(crate) struct NewObjects<'a> {
    escapes: Escapes<'a>,
    /// The union of all walks that found no escape.
    walk: EscapeWalk<'a>,
}

impl<'a> NewObjects<'a> {
    /// Creates an empty result for objects of this body.
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
        // Paths to one value are merged, with those of other objects too: asked alone, this one may stay.
        self.escapes.escapes(object, ProjectionPath::EMPTY, Direction::Up, &mut AnyEscape)
    }
}

type EscapeWalk<'a> = Walk<'a, EscapePath>;

struct EscapeWalker<'a, V> {
    view: BodyView<'a>,
    visitor: &'a mut V,
    /// The number of steps that are left.
    steps: u32,
}

const ESCAPES: ControlFlow<()> = ControlFlow::Break(());
const STAYS: ControlFlow<()> = ControlFlow::Continue(());

impl<V: EscapeVisitor> EscapeWalker<'_, V> {
    /// Returns true if a value may hold what the walk is about.
    fn is_relevant(&self, view: &BodyView<'_>, value: Value, path: ProjectionPath) -> bool {
        self.visitor.follows_trivial() && !path.has_class_projection() || !view.holds_nothing(value)
    }

    /// Returns true if loads from an address are followed.
    fn follows_loads(&self, path: EscapePath) -> bool {
        self.visitor.follows_loads() || path.path.may_have_class_projection() || path.is_address_stored
    }

    /// Returns the path at which the effects of a callee are asked for. An address of a class property cannot escape
    /// from a function that the object is passed to; what is stored there could.
    fn effects_path(&self, path: ProjectionPath) -> ProjectionPath {
        if self.visitor.follows_loads() { path } else { path.pop_last_class_and_values() }
    }

    fn is_exhausted(&mut self) -> bool {
        self.steps = self.steps.saturating_sub(1);
        self.steps == 0
    }

    /// Follows a reference to the address of a part of the object.
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
    /// Returns true if a value, or what is at an address, neither owns anything nor can point to anything. What a
    /// closure holds counts although it does not escape; what is not known may.
    pub fn holds_nothing(&self, value: Value) -> bool {
        let ty = self.body.value(value).ty;
        !ty.is_unknown()
            && self.declarations().is_trivial_non_pointer(ty.ty(), self.signature()) == Some(true)
    }
}

/// Returns true if a value is a closure that does not escape.
fn is_noescape(ty: SilType) -> bool {
    ty.ty().as_function().is_some_and(|f| f.flags.contains(FnFlags::NOESCAPE))
}
