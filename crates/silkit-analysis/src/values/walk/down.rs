//! Walks down: from a use to the results that contain the used value.

use super::{Walk, WalkPath};
use crate::BodyView;
use crate::{Component, Indexed};
use silkit_ir::instructions::{AnyInst, IntegerLiteral, UncheckedRefCast};
use silkit_ir::{Body, DeclRef, Inst, Opcode, Operand, Value};
use silkit_types::{SilType, TypeKind};

impl BodyView<'_> {
    /// Returns the component for a field of a struct.
    pub fn struct_field(&self, whole: Value, field: DeclRef) -> Option<Component> {
        let index = self.declarations().field_index(self.body.value(whole).ty.ty(), field.name()?)?;
        Some(Component::StructField(index))
    }

    /// Returns the component for a field of a class.
    pub fn class_field(&self, reference: Value, field: DeclRef) -> Option<Component> {
        let index = self.declarations().field_index(self.body.value(reference).ty.ty(), field.name()?)?;
        Some(Component::ClassField(index))
    }

    /// Returns the component for the payload of a case of an enum type.
    pub fn enum_case(&self, ty: SilType, case: DeclRef) -> Option<Component> {
        Some(Component::EnumCase(self.declarations().case_index(ty.ty(), case.name()?)?))
    }

    /// Returns the constant, nonnegative offset in elements of an `index_addr`; `None` if it is not known.
    pub(crate) fn constant(&self, index: Value) -> Option<u32> {
        self.body.def_as::<IntegerLiteral>(index)?.value.as_str().parse().ok()
    }

    /// Returns how a reference cast changes the path: whether it casts from an optional and whether it casts to one;
    /// `None` if the cast is not followed.
    pub(super) fn optional_cast(&self, cast: UncheckedRefCast) -> Option<(bool, bool)> {
        let from = self.body.value(cast.operand).ty;
        let is_named =
            |ty: SilType, name: &str| self.declarations().path_of(ty.ty()).is_some_and(|p| p == name);
        let is_existential = |ty: SilType| {
            matches!(ty.ty().kind(), TypeKind::Any(_) | TypeKind::Composition(_)) || is_named(ty, "AnyObject")
        };
        if is_existential(from) || is_existential(cast.ty) {
            return None;
        }
        Some((is_named(from, "Optional"), is_named(cast.ty, "Optional")))
    }
}

/// The payload of `Optional.some`.
pub(super) const SOME: Component = Component::EnumCase(1);

impl<P: WalkPath> Walk<'_, P> {
    /// Continues the walk after a use. Returns false if the instruction is not handled.
    pub(super) fn through_use(&mut self, operand: Operand, path: P) -> bool {
        let body = self.view.body;
        let data = body.operand(operand);
        let (inst, index) = (data.user, body.operand_index(operand));
        if body.value(data.value).ty.is_address() {
            self.through_address_use(inst, index, path)
        } else {
            self.through_value_use(operand, inst, index, path)
        }
    }

    /// Follows the single result.
    fn forward(&mut self, inst: Inst, path: P) -> bool {
        if let Some(result) = self.view.body.first_result(inst) {
            self.down(result, path);
        }
        true
    }

    /// Follows the result of projecting a component, if the path matches it.
    fn project(&mut self, inst: Inst, component: Option<Component>, path: P) -> bool {
        match component.map_or(Some(path.anything()), |c| path.pop_if_matches(c)) {
            Some(path) => self.forward(inst, path),
            None => true,
        }
    }

    /// Follows the aggregate that contains the operand.
    fn aggregate(&mut self, inst: Inst, component: Option<Component>, path: P) -> bool {
        self.forward(inst, component.map_or(path.anything(), |c| path.push(c)))
    }

    fn through_value_use(&mut self, operand: Operand, inst: Inst, index: usize, path: P) -> bool {
        let body = self.view.body;
        match body.view(inst) {
            AnyInst::Struct(_) => self.aggregate(inst, Some(Component::StructField(index as u32)), path),
            AnyInst::Tuple(_) => self.aggregate(inst, Some(Component::TupleElement(index as u32)), path),
            AnyInst::Enum(e) => self.aggregate(inst, self.view.enum_case(e.ty, e.element), path),
            AnyInst::InitExistentialRef(_) => self.aggregate(inst, Some(Component::Existential), path),
            AnyInst::StructExtract(e) => self.project(inst, self.view.struct_field(e.operand, e.field), path),
            AnyInst::TupleExtract(e) => self.project(inst, Some(Component::TupleElement(e.field)), path),
            AnyInst::UncheckedEnumData(e) => {
                let component = self.view.enum_case(body.value(e.operand).ty, e.element);
                self.project(inst, component, path)
            }
            AnyInst::OpenExistentialRef(_) => self.project(inst, Some(Component::Existential), path),
            AnyInst::DestructureStruct(_) => self.destructure(inst, Indexed::StructField, path),
            AnyInst::DestructureTuple(_) => self.destructure(inst, Indexed::TupleElement, path),
            AnyInst::BeginCOWMutation(_) => {
                if let Some(buffer) = body.results(inst).nth(1) {
                    self.down(buffer, path);
                }
                true
            }
            AnyInst::UncheckedRefCast(cast) => match self.view.optional_cast(cast) {
                None => false,
                Some((false, true)) => self.aggregate(inst, Some(SOME), path),
                Some((true, false)) => self.project(inst, Some(SOME), path),
                Some(_) => self.forward(inst, path),
            },
            AnyInst::BeginDeallocRef(_) | AnyInst::MarkDependence(_) => {
                index != 0 || self.forward(inst, path)
            }
            AnyInst::Branch(_) | AnyInst::CondBranch(_) => self.pass(operand, path),
            AnyInst::SwitchEnum(_) => self.switch(inst, path),
            _ if passes_on(body, inst) => self.forward(inst, path),
            _ => false,
        }
    }

    fn destructure(&mut self, inst: Inst, kind: Indexed, path: P) -> bool {
        if let Some((index, path)) = path.pop_exactly(kind) {
            if let Some(part) = self.view.body.results(inst).nth(index as usize) {
                self.down(part, path);
            }
        } else if path.pop_if_matches(Component::AnyValueFields).is_some() {
            for part in self.view.body.results(inst) {
                self.down_once(part, path);
            }
        }
        true
    }

    /// Follows the block argument that an operand of a branch is passed to.
    fn pass(&mut self, operand: Operand, path: P) -> bool {
        let body = self.view.body;
        let inst = body.operand(operand).user;
        for edge in body.outgoing(body.inst_block(inst)) {
            let to = body.edge(edge).to;
            for (index, &argument) in body.arguments(to).iter().enumerate() {
                if body.edge_operand(edge, index) == Some(operand) {
                    self.down_once(argument, path);
                    return true;
                }
            }
        }
        false
    }

    fn switch(&mut self, inst: Inst, path: P) -> bool {
        let body = self.view.body;
        let AnyInst::SwitchEnum(switch) = body.view(inst) else { return false };
        let ty = body.value(switch.operand).ty;
        let payload = |block| body.arguments(block).first().copied();
        if let Some((case, path)) = path.pop_exactly(Indexed::EnumCase) {
            let is_case =
                |c: DeclRef| self.view.enum_case(ty, c).is_none_or(|c| c == Component::EnumCase(case));
            let target = switch.cases.iter().find(|(c, _)| is_case(*c)).map(|(_, block)| block);
            if let Some(payload) = target.and_then(payload) {
                self.down(payload, path);
            }
        } else if path.pop_if_matches(Component::AnyValueFields).is_some() {
            for block in body.successors(inst) {
                if let Some(payload) = payload(block) {
                    self.down(payload, path);
                }
            }
        }
        true
    }

    fn through_address_use(&mut self, inst: Inst, index: usize, path: P) -> bool {
        let body = self.view.body;
        match body.view(inst) {
            AnyInst::StructElementAddr(e) => {
                self.project(inst, self.view.struct_field(e.operand, e.field), path)
            }
            AnyInst::TupleElementAddr(e) => self.project(inst, Some(Component::TupleElement(e.field)), path),
            AnyInst::InitEnumDataAddr(e) => {
                self.project(inst, self.view.enum_case(body.value(e.operand).ty, e.element), path)
            }
            AnyInst::UncheckedTakeEnumDataAddr(e) => {
                self.project(inst, self.view.enum_case(body.value(e.operand).ty, e.element), path)
            }
            AnyInst::UncheckedInPlaceEnumDataAddr(e) => {
                self.project(inst, self.view.enum_case(body.value(e.operand).ty, e.element), path)
            }
            AnyInst::VectorBaseAddr(_) => self.project(inst, Some(Component::VectorElements), path),
            AnyInst::InitExistentialAddr(_) | AnyInst::OpenExistentialAddr(_) => {
                self.project(inst, Some(Component::Existential), path)
            }
            AnyInst::IndexAddr(step) => {
                let behind = match path.pop_exactly(Indexed::Element) {
                    Some((element, rest)) if self.view.constant(step.index) == Some(element) => rest,
                    Some((_, rest)) => rest.push(Component::AnyElement),
                    None => path,
                };
                self.forward(inst, behind)
            }
            AnyInst::BeginAccess(_) => {
                if let Some(result) = body.first_result(inst) {
                    self.uses(result, path, |user| body.inst(user).opcode != Opcode::EndAccess);
                }
                true
            }
            AnyInst::MarkDependence(_) => index != 0 || self.forward(inst, path),
            AnyInst::MarkDependenceAddr(_) => index != 0,
            AnyInst::MarkUnresolvedNonCopyableValue(_) => self.forward(inst, path),
            _ => false,
        }
    }
}

/// Returns true if the result of an instruction is the operand itself or a copy of it.
pub(super) fn passes_on(body: &Body, inst: Inst) -> bool {
    matches!(
        body.inst(inst).opcode,
        Opcode::BeginBorrow
            | Opcode::CopyValue
            | Opcode::MoveValue
            | Opcode::Upcast
            | Opcode::EndCOWMutation
            | Opcode::EndInitLetRef
            | Opcode::RefToBridgeObject
            | Opcode::BridgeObjectToRef
            | Opcode::MarkUnresolvedNonCopyableValue
    )
}
