//! Escape effects of a function's arguments, computed from its body and the effects of its callees.

use crate::BodyView;
use crate::escape::{Direction, EscapePath, EscapeVisitor, Escapes};
use crate::memory::is_opaque;
use crate::walk::{AtDef, AtUse};
use crate::{Component, ProjectionPath};
use silkit_base::Symbol;
use silkit_ir::effects::{ArgumentEscape, Escape};
use silkit_ir::info::ApplyKind;
use silkit_ir::{AddressUse, Body, Inst, Opcode, Operand, Value};

/// Returns the escapes of a function's arguments: those that are declared in the source, and the computed ones for
/// all other arguments.
pub fn escape_effects(view: BodyView<'_>, known: &[ArgumentEscape]) -> Vec<ArgumentEscape> {
    let (body, escapes, name) = (view.body, &view.escapes(), view.function.name);
    let mut found: Vec<ArgumentEscape> = known.iter().copied().filter(|e| !e.is_derived).collect();
    let written: Vec<usize> = found
        .iter()
        .flat_map(|e| match e.to {
            Escape::Argument { argument, .. } => [e.argument, argument],
            _ => [e.argument; 2],
        })
        .collect();
    let Some(entry) = body.entry_block() else { return found };
    let returned = body.blocks().find_map(|block| {
        let last = body.last_inst(block)?;
        (body.inst(last).opcode == Opcode::Return).then_some(last)
    });
    for (index, &argument) in body.arguments(entry).iter().enumerate() {
        if escapes.view.holds_nothing(argument) || written.contains(&index) {
            continue;
        }
        let finder = Finder { escapes, name, returned, index, argument };
        let anything = ProjectionPath::of(Component::Anything);
        let mut visitor = Ignoring { view, name };
        if !escapes.escapes(argument, anything, Direction::Down, &mut visitor) {
            found.push(finder.effect(anything, Escape::Nowhere));
            continue;
        }
        // First the argument and the values that it contains, then the contents of the objects that it refers to.
        let is_class = escapes.view.declarations().is_class(body.value(argument).ty.ty()) == Some(true);
        let itself =
            if is_class { ProjectionPath::EMPTY } else { ProjectionPath::of(Component::AnyValueFields) };
        let in_objects = ProjectionPath::of(Component::AnyValueFields).push(Component::AnyClassField);
        let in_objects = if is_class { in_objects } else { in_objects.push(Component::AnyValueFields) };
        let Some(first) = finder.find(itself) else { continue };
        found.push(first);
        found.extend(finder.find(in_objects));
    }
    found
}

struct Finder<'a> {
    escapes: &'a Escapes<'a>,
    name: Symbol,
    returned: Option<Inst>,
    index: usize,
    argument: Value,
}

impl Finder<'_> {
    fn effect(&self, path: ProjectionPath, to: Escape) -> ArgumentEscape {
        ArgumentEscape { argument: self.index, path, to, is_derived: true }
    }

    /// Returns the single escape destination of a part of the argument; `None` if it escapes to several destinations.
    fn find(&self, path: ProjectionPath) -> Option<ArgumentEscape> {
        let mut visitor = Destination { view: self.escapes.view, name: self.name, to: Escape::Nowhere };
        if self.escapes.escapes(self.argument, path, Direction::Down, &mut visitor) {
            return None;
        }
        // A function that never returns has no returned value.
        let returned = self.returned?;
        let to = match visitor.to {
            Escape::Return { path: to, .. } => {
                Escape::Return { path: to, is_exclusive: self.is_exclusive(returned, path, to) }
            }
            other => other,
        };
        Some(self.effect(path, to))
    }

    /// Returns true if only the part of the argument escapes to the part of the returned value.
    fn is_exclusive(&self, returned: Inst, path: ProjectionPath, to: ProjectionPath) -> bool {
        let body = self.escapes.view.body;
        let mut visitor = Exclusive { body, argument: self.argument, path, to, is_found: false };
        let value = body.operand_value(returned, 0);
        !self.escapes.escapes(value, to, Direction::Up, &mut visitor) && visitor.is_found
    }
}

/// Returns true if an operand passes an argument of a function to the same argument in a recursive call.
fn is_recursion(view: &BodyView<'_>, name: Symbol, operand: Operand) -> bool {
    let body = view.body;
    let data = body.operand(operand);
    if body.info(data.user).apply != Some(ApplyKind::Full) || body.called_function(data.user) != Some(name) {
        return false;
    }
    let site = view.apply_site(data.user);
    let argument = site.and_then(|site| site.argument_of_operand(body.operand_index(operand)));
    let arguments = body.entry_block().map(|entry| body.arguments(entry));
    argument.zip(arguments).is_some_and(|(index, arguments)| arguments.get(index) == Some(&data.value))
}

/// A walk that ignores recursive calls that pass an argument to itself.
struct Ignoring<'a> {
    view: BodyView<'a>,
    name: Symbol,
}

impl EscapeVisitor for Ignoring<'_> {
    fn at_use(&mut self, operand: Operand, _: EscapePath) -> AtUse {
        if is_recursion(&self.view, self.name, operand) { AtUse::Skip } else { AtUse::Follow }
    }
}

/// A walk that records the single destination of an escape.
struct Destination<'a> {
    view: BodyView<'a>,
    name: Symbol,
    to: Escape,
}

impl EscapeVisitor for Destination<'_> {
    fn at_use(&mut self, operand: Operand, at: EscapePath) -> AtUse {
        let user = self.view.body.operand(operand).user;
        if self.view.body.inst(user).opcode != Opcode::Return {
            return if is_recursion(&self.view, self.name, operand) { AtUse::Skip } else { AtUse::Follow };
        }
        let path = match self.to {
            // A path cannot describe values that were stored to returned memory.
            _ if at.follows_stores => return AtUse::Abort,
            Escape::Nowhere => at.path,
            Escape::Return { path, .. } => path.merge(at.path),
            Escape::Argument { .. } => return AtUse::Abort,
        };
        self.to = Escape::Return { path, is_exclusive: false };
        AtUse::Skip
    }

    fn at_def(&mut self, value: Value, at: EscapePath) -> AtDef {
        let Some(index) = self.view.body.entry_argument_index(value) else { return AtDef::Follow };
        let path = match self.to {
            _ if at.follows_stores => return AtDef::Abort,
            Escape::Nowhere => at.path,
            Escape::Argument { argument, path, .. } if argument == index => path.merge(at.path),
            _ => return AtDef::Abort,
        };
        self.to = Escape::Argument { argument: index, path };
        AtDef::Down
    }
}

/// A walk from the returned value that searches for the single argument that reaches it.
struct Exclusive<'a> {
    body: &'a Body,
    argument: Value,
    path: ProjectionPath,
    to: ProjectionPath,
    is_found: bool,
}

impl EscapeVisitor for Exclusive<'_> {
    fn at_use(&mut self, operand: Operand, at: EscapePath) -> AtUse {
        let opcode = self.body.inst(self.body.operand(operand).user).opcode;
        match self.body.address_use(operand) {
            _ if opcode == Opcode::Return => match at.follows_stores || !at.path.matches(self.to) {
                true => AtUse::Abort,
                false => AtUse::Skip,
            },
            _ if is_opaque(opcode) => AtUse::Follow,
            // Other values may be stored to the same memory.
            AddressUse::Initialize | AddressUse::Assign | AddressUse::Overwrite | AddressUse::Lend => {
                AtUse::Abort
            }
            _ => AtUse::Follow,
        }
    }

    fn at_def(&mut self, value: Value, at: EscapePath) -> AtDef {
        if self.body.entry_argument_index(value).is_none() {
            return AtDef::Follow;
        }
        if at.follows_stores || value != self.argument || !at.path.matches(self.path) {
            return AtDef::Abort;
        }
        self.is_found = true;
        AtDef::Down
    }
}
