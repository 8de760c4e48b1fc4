//! Structs and tuples.

use super::Translator;
use crate::op::Op;
use crate::types::type_error;
use crate::violation::{Run, unsupported};
use silkit_base::Symbol;
use silkit_ir::instructions::{
    RefElementAddr, RefTailAddr, Struct, StructElementAddr, StructExtract, Tuple, TupleElementAddr,
    TupleExtract, Vector,
};
use silkit_ir::{Body, DeclRef, Inst, Value};
use silkit_layout::layout::ElementLayout;
use silkit_layout::{Builtin, Layout, Ty, TyKind};

impl Translator<'_, '_> {
    /// Returns the offsets and types of the fields or elements of a value.
    pub(super) fn parts_of(&self, layout: &Layout) -> Vec<(u32, Ty)> {
        layout.parts().iter().map(|p| (p.offset as u32, p.ty)).collect()
    }

    /// Returns the offsets and types of the non-tuple leaves of a tuple.
    pub(super) fn tuple_leaves(&mut self, ty: Ty) -> Run<Vec<(u32, Ty)>> {
        let TyKind::Tuple(_) = ty.kind() else { return Ok(vec![(0, ty)]) };
        let info = self.it.info(ty)?;
        let mut leaves = Vec::new();
        for (offset, part) in self.parts_of(&info.layout) {
            leaves.extend(self.tuple_leaves(part)?.into_iter().map(|(inner, ty)| (offset + inner, ty)));
        }
        Ok(leaves)
    }

    fn aggregate(&mut self, body: &Body, inst: Inst, ty: Ty, elements: Vec<Value>) -> Run<()> {
        let Some(value) = body.first_result(inst) else { return Ok(()) };
        let info = self.it.info(ty)?;
        let parts = self.parts_of(&info.layout);
        if let ([(0, _)], [one]) = (&parts[..], &elements[..])
            && info.size == self.len_of(body, *one)?
        {
            // A struct with one field has the same representation as the field.
            let slot = self.use_value(body, *one)?;
            self.alias(body, value, slot, ty, false)?;
            return Ok(());
        }
        let to = self.define(body, value, ty, false)?;
        if parts.len() != elements.len() {
            return unsupported(format!("`{ty}` with {} fields from {} values", parts.len(), elements.len()));
        }
        if !info.is_dense {
            self.emit(Op::Zero { to, len: info.size });
        }
        for (element, (offset, part)) in elements.into_iter().zip(parts) {
            let from = self.use_value(body, element)?;
            let len = self.size(part)?;
            self.copy(to + offset, from, len);
        }
        Ok(())
    }

    pub(super) fn structure(&mut self, body: &Body, inst: Inst, i: Struct<'_>) -> Run<()> {
        let ty = self.resolve(i.ty.ty())?;
        self.aggregate(body, inst, ty, i.elements.to_vec())
    }

    pub(super) fn tuple(&mut self, body: &Body, inst: Inst, i: Tuple<'_>) -> Run<()> {
        let Some(value) = body.first_result(inst) else { return Ok(()) };
        let ty = match i.ty {
            Some(ty) => self.resolve(ty.ty())?,
            None if !body.value(value).ty.is_unknown() => self.type_of(body, value)?.0,
            None => {
                let mut types = Vec::new();
                for element in i.elements.iter() {
                    types.push(self.type_of(body, element)?.0);
                }
                Ty::tuple(&types)
            }
        };
        if i.elements.len() == 1 && !matches!(ty.kind(), TyKind::Tuple(_)) {
            let only = i.elements.to_vec()[0];
            return self.forward(body, inst, only);
        }
        self.aggregate(body, inst, ty, i.elements.to_vec())
    }

    pub(super) fn vector(&mut self, body: &Body, inst: Inst, i: Vector<'_>) -> Run<()> {
        let Some(value) = body.first_result(inst) else { return Ok(()) };
        let elements = i.elements.to_vec();
        let Some(&first) = elements.first() else { return unsupported("an empty vector") };
        let (element, _) = self.type_of(body, first)?;
        let ty = Ty::builtin(Builtin::FixedArray(elements.len() as u64, element));
        let to = self.define(body, value, ty, false)?;
        let info = self.it.info(element)?;
        for (at, element) in elements.into_iter().enumerate() {
            let from = self.use_value(body, element)?;
            self.copy(to + at as u32 * info.stride, from, info.size);
        }
        Ok(())
    }

    /// Returns the field of a struct that a reference to a declaration names.
    fn field(&mut self, ty: Ty, field: DeclRef) -> Run<ElementLayout> {
        let name = field.name().unwrap_or_else(|| Symbol::new(""));
        self.program.world.struct_field(ty, name).map_err(type_error)
    }

    pub(super) fn struct_extract(&mut self, body: &Body, inst: Inst, i: StructExtract) -> Run<()> {
        let (ty, _) = self.type_of(body, i.operand)?;
        let part = self.field(ty, i.field)?;
        let base = self.use_value(body, i.operand)?;
        if let Some(value) = body.first_result(inst) {
            self.alias(body, value, base + part.offset as u32, part.ty, false)?;
        }
        Ok(())
    }

    fn element(&mut self, ty: Ty, index: u32) -> Run<ElementLayout> {
        let info = self.it.info(ty)?;
        match info.layout.parts().get(index as usize) {
            Some(part) => Ok(*part),
            None => unsupported(format!("element {index} of `{ty}`")),
        }
    }

    pub(super) fn tuple_extract(&mut self, body: &Body, inst: Inst, i: TupleExtract) -> Run<()> {
        let (ty, _) = self.type_of(body, i.operand)?;
        let part = self.element(ty, i.field)?;
        let base = self.use_value(body, i.operand)?;
        if let Some(value) = body.first_result(inst) {
            self.alias(body, value, base + part.offset as u32, part.ty, false)?;
        }
        Ok(())
    }

    pub(super) fn destructure(&mut self, body: &Body, inst: Inst, operand: Value) -> Run<()> {
        let (ty, _) = self.type_of(body, operand)?;
        let info = self.it.info(ty)?;
        let base = self.use_value(body, operand)?;
        for (value, (offset, part)) in body.results(inst).zip(self.parts_of(&info.layout)) {
            self.alias(body, value, base + offset, part, false)?;
        }
        Ok(())
    }

    fn part_addr(&mut self, body: &Body, inst: Inst, base: Value, part: ElementLayout) -> Run<()> {
        let from = self.use_value(body, base)?;
        let Some(value) = body.first_result(inst) else { return Ok(()) };
        if part.offset == 0 {
            self.alias(body, value, from, part.ty, true)?;
            return Ok(());
        }
        let to = self.define(body, value, part.ty, true)?;
        self.emit(Op::AddAddress { to, from, offset: part.offset as u32 });
        Ok(())
    }

    pub(super) fn struct_element_addr(&mut self, body: &Body, inst: Inst, i: StructElementAddr) -> Run<()> {
        let (ty, _) = self.type_of(body, i.operand)?;
        let part = self.field(ty, i.field)?;
        self.part_addr(body, inst, i.operand, part)
    }

    pub(super) fn tuple_element_addr(&mut self, body: &Body, inst: Inst, i: TupleElementAddr) -> Run<()> {
        let (ty, _) = self.type_of(body, i.operand)?;
        if !matches!(ty.kind(), TyKind::Tuple(_)) {
            // A tuple that contains only a pack with one element is that element.
            return self.forward(body, inst, i.operand);
        }
        let part = self.element(ty, i.field)?;
        self.part_addr(body, inst, i.operand, part)
    }

    pub(super) fn ref_element_addr(&mut self, body: &Body, inst: Inst, i: RefElementAddr) -> Run<()> {
        let (ty, _) = self.type_of(body, i.operand)?;
        let name = i.field.name().unwrap_or_else(|| Symbol::new(""));
        let class = self.class_of(ty);
        let layout = self.program.world.class_layout(class).map_err(type_error)?;
        let owner = i.field.data().path.len().checked_sub(2).map(|at| i.field.data().path[at]);
        // A subclass can have a property of the same name.
        let named = |f: &&silkit_layout::layout::ClassField| f.name == name;
        let is_owner = |f: &&silkit_layout::layout::ClassField| {
            f.class.as_nominal().is_some_and(|(n, _)| owner.is_some_and(|o| o == *n.base_name()))
        };
        let found =
            layout.fields.iter().filter(named).find(is_owner).or(layout.fields.iter().rev().find(named));
        let Some(field) = found.copied() else { return unsupported(format!("the property `{}`", i.field)) };
        let from = self.use_value(body, i.operand)?;
        let Some(value) = body.first_result(inst) else { return Ok(()) };
        let to = self.define(body, value, field.ty, true)?;
        self.emit(Op::AddAddress { to, from, offset: field.offset as u32 });
        Ok(())
    }

    /// Returns the class of a reference type.
    pub(super) fn class_of(&self, ty: Ty) -> Ty {
        match ty.kind() {
            TyKind::Existential(e) => e.superclass.unwrap_or(ty),
            _ => ty,
        }
    }

    pub(super) fn ref_tail_addr(&mut self, body: &Body, inst: Inst, i: RefTailAddr) -> Run<()> {
        let (class, _) = self.type_of(body, i.operand)?;
        let ty = self.resolve(i.ty.ty())?;
        let (size, _) = self.it.class_size(class)?;
        let align = self.it.info(ty)?.align;
        let from = self.use_value(body, i.operand)?;
        let Some(value) = body.first_result(inst) else { return Ok(()) };
        let to = self.define(body, value, ty, true)?;
        self.emit(Op::AddAddress { to, from, offset: size.next_multiple_of(align) });
        Ok(())
    }

    pub(super) fn static_object(&mut self) -> Run<()> {
        unsupported("an `object` instruction outside of a global initializer")
    }
}
