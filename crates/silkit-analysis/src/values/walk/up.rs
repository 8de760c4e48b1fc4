//! Walks up: from a definition to its operands.

use super::down::{SOME, passes_on};
use super::{Walk, WalkPath};
use crate::{Component, Indexed};
use silkit_ir::instructions::AnyInst;
use silkit_ir::{Block, Inst, Value, ValueDef};

impl<P: WalkPath> Walk<'_, P> {
    /// Continues the walk at the operands of a definition. Returns false if the instruction is not handled.
    pub(super) fn through_def(&mut self, value: Value, path: P) -> bool {
        let body = self.view.body;
        match body.def(value) {
            ValueDef::Result(inst, index) if body.value(value).ty.is_address() => {
                index == 0 && self.through_address_def(inst, path)
            }
            ValueDef::Result(inst, index) => self.through_value_def(inst, index.into(), path),
            ValueDef::Argument(block, index) if !body.value(value).ty.is_address() => {
                self.through_argument(value, block, index.into(), path)
            }
            _ => false,
        }
    }

    fn whole(&mut self, value: Value, component: Option<Component>, path: P) -> bool {
        self.up(value, component.map_or(path.anything(), |c| path.push(c)));
        true
    }

    /// Follows the operand for a component, if the path matches it.
    fn part(&mut self, value: Value, component: Option<Component>, path: P) -> bool {
        if let Some(path) = component.map_or(Some(path.anything()), |c| path.pop_if_matches(c)) {
            self.up(value, path);
        }
        true
    }

    fn through_value_def(&mut self, inst: Inst, index: usize, path: P) -> bool {
        let body = self.view.body;
        match body.view(inst) {
            AnyInst::Struct(_) => self.fields(inst, Indexed::StructField, path),
            AnyInst::Tuple(_) => self.fields(inst, Indexed::TupleElement, path),
            AnyInst::Enum(e) => {
                let component = self.view.enum_case(e.ty, e.element);
                let is_any = path.pop_if_matches(Component::AnyValueFields).is_some();
                match e.payload {
                    Some(payload) if component.is_some_and(|c| path.pop_if_matches(c).is_some()) => {
                        self.part(payload, component, path)
                    }
                    Some(payload) if component.is_none() || is_any => {
                        self.up(payload, if component.is_none() { path.anything() } else { path });
                        true
                    }
                    // A case without payload is a root of the walk.
                    None => !is_any,
                    Some(_) => true,
                }
            }
            AnyInst::StructExtract(e) => {
                self.whole(e.operand, self.view.struct_field(e.operand, e.field), path)
            }
            AnyInst::TupleExtract(e) => self.whole(e.operand, Some(Component::TupleElement(e.field)), path),
            AnyInst::UncheckedEnumData(e) => {
                self.whole(e.operand, self.view.enum_case(body.value(e.operand).ty, e.element), path)
            }
            AnyInst::DestructureStruct(d) => {
                self.whole(d.operand, Some(Component::StructField(index as u32)), path)
            }
            AnyInst::DestructureTuple(d) => {
                self.whole(d.operand, Some(Component::TupleElement(index as u32)), path)
            }
            AnyInst::BeginCOWMutation(b) => {
                self.up(b.operand, path);
                true
            }
            AnyInst::InitExistentialRef(e) => self.part(e.operand, Some(Component::Existential), path),
            AnyInst::OpenExistentialRef(e) => self.whole(e.operand, Some(Component::Existential), path),
            AnyInst::UncheckedRefCast(cast) => match self.view.optional_cast(cast) {
                None => false,
                Some((false, true)) => self.part(cast.operand, Some(SOME), path),
                Some((true, false)) => self.whole(cast.operand, Some(SOME), path),
                Some(_) => {
                    self.up(cast.operand, path);
                    true
                }
            },
            AnyInst::BeginDeallocRef(_) | AnyInst::MarkDependence(_) => {
                self.up(body.operand_value(inst, 0), path);
                true
            }
            _ if passes_on(body, inst) => {
                self.up(body.operand_value(inst, 0), path);
                true
            }
            _ => false,
        }
    }

    /// Follows the field that the path selects, or all fields.
    fn fields(&mut self, inst: Inst, kind: Indexed, path: P) -> bool {
        let fields = self.view.body.operands(inst);
        if let Some((index, path)) = path.pop_exactly(kind) {
            if let Some(field) = fields.get(index as usize) {
                self.up(field.value, path);
            }
        } else if path.pop_if_matches(Component::AnyValueFields).is_some() {
            fields.iter().for_each(|field| self.up_once(field.value, path));
        }
        true
    }

    fn through_argument(&mut self, value: Value, block: Block, index: usize, path: P) -> bool {
        let body = self.view.body;
        if body.is_phi(value) {
            for incoming in body.phi_values(value) {
                self.up_once(incoming, path);
            }
            return true;
        }
        let mut edges = body.incoming(block);
        let (Some(edge), None) = (edges.next(), edges.next()) else { return false };
        let Some(terminator) = body.terminator(body.edge(edge).from) else { return false };
        let AnyInst::SwitchEnum(switch) = body.view(terminator) else { return false };
        match switch.cases.get(body.edge_index(edge)) {
            Some((case, _)) if index == 0 => {
                self.whole(switch.operand, self.view.enum_case(body.value(switch.operand).ty, case), path)
            }
            _ => false,
        }
    }

    fn through_address_def(&mut self, inst: Inst, path: P) -> bool {
        let body = self.view.body;
        match body.view(inst) {
            AnyInst::StructElementAddr(e) => {
                self.whole(e.operand, self.view.struct_field(e.operand, e.field), path)
            }
            AnyInst::TupleElementAddr(e) => {
                self.whole(e.operand, Some(Component::TupleElement(e.field)), path)
            }
            AnyInst::InitEnumDataAddr(e) => {
                self.whole(e.operand, self.view.enum_case(body.value(e.operand).ty, e.element), path)
            }
            AnyInst::UncheckedTakeEnumDataAddr(e) => {
                self.whole(e.operand, self.view.enum_case(body.value(e.operand).ty, e.element), path)
            }
            AnyInst::UncheckedInPlaceEnumDataAddr(e) => {
                self.whole(e.operand, self.view.enum_case(body.value(e.operand).ty, e.element), path)
            }
            AnyInst::VectorBaseAddr(base) => self.whole(base.vector, Some(Component::VectorElements), path),
            AnyInst::InitExistentialAddr(_) | AnyInst::OpenExistentialAddr(_) => {
                self.whole(body.operand_value(inst, 0), Some(Component::Existential), path)
            }
            AnyInst::IndexAddr(step) => {
                let component =
                    self.view.constant(step.index).map_or(Component::AnyElement, Component::Element);
                self.whole(step.base, Some(component), path)
            }
            AnyInst::BeginAccess(_)
            | AnyInst::MarkDependence(_)
            | AnyInst::MarkUninitialized(_)
            | AnyInst::MoveOnlyWrapperToCopyableAddr(_)
            | AnyInst::CopyableToMoveOnlyWrapperAddr(_)
            | AnyInst::MarkUnresolvedNonCopyableValue(_)
            | AnyInst::DropDeinit(_) => {
                self.up(body.operand_value(inst, 0), path);
                true
            }
            _ => false,
        }
    }
}
