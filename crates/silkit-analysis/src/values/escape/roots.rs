//! Definitions that the generic walk does not follow.

use super::{ESCAPES, EscapePath, EscapeVisitor, EscapeWalk, EscapeWalker, STAYS};
use crate::Component;
use crate::walk::WalkPath;
use silkit_ir::conventions::{ArgumentConvention, Conventions};
use silkit_ir::instructions::AnyInst;
use silkit_ir::{Body, Opcode, Value, ValueDef};
use std::ops::ControlFlow;

impl<V: EscapeVisitor> EscapeWalker<'_, V> {
    /// Continues the walk at the definition of a value.
    pub(super) fn value_root(
        &mut self,
        walk: &mut EscapeWalk<'_>,
        value: Value,
        path: EscapePath,
    ) -> ControlFlow<()> {
        let body = walk.view.body;
        let inst = match body.def(value) {
            ValueDef::Result(inst, _) => inst,
            ValueDef::Argument(block, _) => {
                let Some(call) = normal_result_of(body, block) else { return ESCAPES };
                return self.call_root(walk, call, path.of_any_type());
            }
            ValueDef::Undef | ValueDef::Pending => return ESCAPES,
        };
        match body.view(inst) {
            AnyInst::AllocRef(_) | AnyInst::AllocRefDynamic(_) => {
                let exact_type = Some(body.value(value).ty);
                walk.down_once(value, EscapePath { exact_type, ..path });
                STAYS
            }
            AnyInst::AllocBox(_) => {
                walk.down_once(value, path.of_any_type());
                STAYS
            }
            AnyInst::Apply(_) => self.call_root(walk, inst, path.of_any_type()),
            AnyInst::Load(_) | AnyInst::LoadWeak(_) | AnyInst::LoadUnowned(_) | AnyInst::LoadBorrow(_) => {
                // If the address itself is tracked, only a raw pointer can be loaded.
                if !self.follows_loads(path) {
                    return ESCAPES;
                }
                let from = EscapePath { follows_stores: true, ..path.of_any_type() };
                walk.up(body.operand_value(inst, 0), from);
                STAYS
            }
            AnyInst::AddressToPointer(pointer) => {
                walk.up(pointer.operand, path.of_any_type());
                STAYS
            }
            _ => ESCAPES,
        }
    }

    /// Continues the walk at the definition of an address.
    pub(super) fn address_root(
        &mut self,
        walk: &mut EscapeWalk<'_>,
        address: Value,
        path: EscapePath,
    ) -> ControlFlow<()> {
        let body = walk.view.body;
        let inst = match body.def(address) {
            ValueDef::Result(inst, _) => inst,
            ValueDef::Argument(block, index) => {
                let is_entry = body.is_entry_block(block);
                let conventions =
                    walk.view.function_type().map(|ty| Conventions::new(ty, walk.view.addresses()));
                let convention = conventions.and_then(|c| c.convention(index.into()));
                let is_exclusive = is_entry && convention.is_some_and(is_exclusive);
                if self.follows_loads(path) || path.follows_stores || !is_exclusive {
                    return ESCAPES;
                }
                walk.down_once(address, path.of_any_type());
                return STAYS;
            }
            ValueDef::Undef | ValueDef::Pending => return ESCAPES,
        };
        let path = path.of_any_type();
        let (from, path) = match body.view(inst) {
            AnyInst::AllocStack(_) => {
                walk.down_once(address, path);
                return STAYS;
            }
            AnyInst::PointerToAddress(_) => (0, path),
            AnyInst::RefTailAddr(_) => (0, path.push(Component::TailElements)),
            AnyInst::RefElementAddr(e) => {
                let component = walk.view.class_field(e.operand, e.field);
                (0, component.map_or(path.anything(), |c| path.push(c)))
            }
            AnyInst::ProjectBox(p) => (0, path.push(Component::ClassField(p.field))),
            AnyInst::StoreBorrow(_) => (1, path),
            _ => return ESCAPES,
        };
        walk.up(body.operand_value(inst, from), path);
        STAYS
    }
}

/// Returns true if a convention gives the function exclusive access to the memory of an argument.
pub(crate) fn is_exclusive(convention: ArgumentConvention) -> bool {
    use ArgumentConvention as A;
    matches!(
        convention,
        A::In
            | A::InGuaranteed
            | A::InCxx
            | A::Out
            | A::Inout
            | A::PackOut
            | A::PackOwned
            | A::PackGuaranteed
            | A::PackInout
    )
}

/// Returns the `try_apply` whose result is the block's argument.
fn normal_result_of(body: &Body, block: silkit_ir::Block) -> Option<silkit_ir::Inst> {
    let mut edges = body.incoming(block);
    let (Some(edge), None) = (edges.next(), edges.next()) else { return None };
    let call = body.terminator(body.edge(edge).from)?;
    let is_normal = body.edge_index(edge) == 0;
    (body.inst(call).opcode == Opcode::TryApply && is_normal).then_some(call)
}
