//! Access bases for side effects, and the projections from them.

use crate::BodyView;
use crate::walk::{AtDef, Walk, WalkPath, Walker};
use crate::{Component, ProjectionPath};
use silkit_ir::instructions::AnyInst;
use silkit_ir::{Opcode, Value, ValueDef};
use std::ops::ControlFlow;

/// The base of an address.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum AccessBase {
    /// An allocation on the stack.
    Stack,
    /// An argument of the function, by index.
    Argument(usize),
    /// The object of a reference, at which the path begins.
    Object(Value),
    /// Any other base.
    Other,
}

/// Returns the base of an address and the path from it.
pub(crate) fn access_path(
    view: BodyView<'_>,
    address: Value,
    path: ProjectionPath,
) -> (AccessBase, ProjectionPath) {
    let mut walk = Walk::new(view);
    walk.up(address, path);
    let mut finder = BaseFinder { found: (AccessBase::Other, path), was_indexed: false };
    // The walk follows a single chain and terminates.
    let _ = walk.run(&mut finder);
    finder.found
}

struct BaseFinder {
    found: (AccessBase, ProjectionPath),
    /// True if the last step was an element projection.
    was_indexed: bool,
}

impl Walker<ProjectionPath> for BaseFinder {
    fn at_def(&mut self, walk: &mut Walk<'_, ProjectionPath>, value: Value, _: ProjectionPath) -> AtDef {
        let body = walk.view.body;
        let opcode = body.defining_inst(value).map(|inst| body.inst(inst).opcode);
        let is_index = opcode == Some(Opcode::IndexAddr);
        // A part of a value has no adjacent elements.
        let has_elements = matches!(opcode, Some(Opcode::RefTailAddr | Opcode::PointerToAddress));
        if self.was_indexed && !is_index && !has_elements {
            return AtDef::Skip;
        }
        self.was_indexed = is_index;
        AtDef::Follow
    }

    fn at_root(
        &mut self,
        walk: &mut Walk<'_, ProjectionPath>,
        address: Value,
        path: ProjectionPath,
    ) -> ControlFlow<()> {
        let body = walk.view.body;
        let inst = match body.def(address) {
            ValueDef::Argument(block, index) if body.is_entry_block(block) => {
                self.found = (AccessBase::Argument(index.into()), path);
                return ControlFlow::Continue(());
            }
            ValueDef::Result(inst, _) => inst,
            _ => return ControlFlow::Continue(()),
        };
        self.found = match body.view(inst) {
            AnyInst::AllocStack(_) => (AccessBase::Stack, path),
            AnyInst::ProjectBox(p) => {
                (AccessBase::Object(p.box_value), path.push(Component::ClassField(p.field)))
            }
            AnyInst::RefElementAddr(e) => {
                let component = walk.view.class_field(e.operand, e.field);
                (AccessBase::Object(e.operand), component.map_or(path.anything(), |c| path.push(c)))
            }
            AnyInst::RefTailAddr(t) => (AccessBase::Object(t.operand), path.push(Component::TailElements)),
            AnyInst::PointerToAddress(p) => {
                match pointed_to(walk.view, p.operand).filter(|&a| body.value(a).ty == body.value(address).ty)
                {
                    Some(original) => {
                        walk.up(original, path);
                        return ControlFlow::Continue(());
                    }
                    None => (AccessBase::Other, path),
                }
            }
            _ => (AccessBase::Other, path),
        };
        ControlFlow::Continue(())
    }
}

/// Returns the address that a pointer is derived from.
fn pointed_to(view: BodyView<'_>, pointer: Value) -> Option<Value> {
    let mut walk = Walk::new(view);
    walk.up(pointer, ProjectionPath::EMPTY);
    let mut finder = PointerFinder { found: None };
    if walk.run(&mut finder).is_break() { None } else { finder.found }
}

struct PointerFinder {
    found: Option<Value>,
}

impl Walker<ProjectionPath> for PointerFinder {
    fn at_def(&mut self, walk: &mut Walk<'_, ProjectionPath>, value: Value, _: ProjectionPath) -> AtDef {
        let body = walk.view.body;
        let Some(inst) = body.defining_inst(value) else { return AtDef::Follow };
        match body.inst(inst).opcode {
            Opcode::MarkDependence
            | Opcode::CopyValue
            | Opcode::StructExtract
            | Opcode::TupleExtract
            | Opcode::Struct
            | Opcode::Tuple
            | Opcode::AddressToPointer => AtDef::Follow,
            _ => AtDef::Abort,
        }
    }

    fn at_root(
        &mut self,
        walk: &mut Walk<'_, ProjectionPath>,
        value: Value,
        path: ProjectionPath,
    ) -> ControlFlow<()> {
        let body = walk.view.body;
        let inst = body.defining_inst(value);
        let is_pointer = inst.is_some_and(|inst| body.inst(inst).opcode == Opcode::AddressToPointer);
        let address = inst.filter(|_| is_pointer && path.is_empty()).map(|inst| body.operand_value(inst, 0));
        match (address, self.found) {
            (Some(address), None) => self.found = Some(address),
            (Some(address), Some(found)) if address == found => {}
            _ => return ControlFlow::Break(()),
        }
        ControlFlow::Continue(())
    }
}
