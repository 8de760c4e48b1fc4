//! Packs.

use super::Translator;
use crate::op::Op;
use crate::sites::OpenPackSite;
use crate::violation::{Run, unsupported};
use silkit_ir::instructions::{
    OpenPackElement, PackElementGet, PackElementSet, PackLength, PackPackIndex, ScalarPackIndex,
    TuplePackElementAddr,
};
use silkit_ir::{Body, Inst, Value};
use silkit_layout::TyKind;

impl Translator<'_, '_> {
    pub(super) fn open_pack_element(&mut self, body: &Body, inst: Inst, i: OpenPackElement<'_>) -> Run<()> {
        let args = self.formal_all(i.subs.iter())?;
        let index = self.use_value(body, i.index)?;
        let (instance, bind) = (self.id, self.bind);
        self.it.sites.packs.push(OpenPackSite {
            instance,
            inst,
            bind,
            id: i.id,
            index,
            sig: i.sig,
            args: args.into(),
            cache: Vec::new(),
        });
        let site = self.it.sites.packs.len() as u32 - 1;
        self.emit(Op::OpenPack { site });
        self.is_open = false;
        Ok(())
    }

    fn count(&mut self, ty: silkit_types::SilType) -> Run<usize> {
        let ty = self.resolve(ty.ty())?;
        match ty.as_pack() {
            Some(elements) => Ok(elements.len()),
            None => unsupported(format!("the length of `{ty}`")),
        }
    }

    pub(super) fn pack_length(&mut self, body: &Body, inst: Inst, i: PackLength) -> Run<()> {
        let count = self.count(i.ty)?;
        let to = self.result(body, inst)?;
        self.constant(to, count as u64);
        Ok(())
    }

    pub(super) fn dynamic_pack_index(&mut self, body: &Body, inst: Inst, index: Value) -> Run<()> {
        let from = self.word(body, index)?;
        let to = self.result(body, inst)?;
        self.copy(to, from, 8);
        Ok(())
    }

    /// Returns the number of concrete elements before a given element of the pack type as written.
    fn elements_before(&mut self, ty: silkit_types::SilType, count: u32) -> Run<u64> {
        let silkit_types::TypeKind::Pack { elements, .. } = ty.ty().kind() else {
            return unsupported(format!("an index into `{ty}`"));
        };
        let before = self.formal_all(elements.iter().take(count as usize).copied())?;
        Ok(before.len() as u64)
    }

    pub(super) fn pack_pack_index(&mut self, body: &Body, inst: Inst, i: PackPackIndex) -> Run<()> {
        let before = self.elements_before(i.ty, i.start)?;
        let index = self.use_value(body, i.index)?;
        let to = self.result(body, inst)?;
        self.emit(Op::AddAddress { to, from: index, offset: before as u32 });
        Ok(())
    }

    pub(super) fn scalar_pack_index(&mut self, body: &Body, inst: Inst, i: ScalarPackIndex) -> Run<()> {
        let before = self.elements_before(i.ty, i.index)?;
        let to = self.result(body, inst)?;
        self.constant(to, before);
        Ok(())
    }

    pub(super) fn pack_element_get(&mut self, body: &Body, inst: Inst, i: PackElementGet) -> Run<()> {
        let index = self.use_value(body, i.index)?;
        let pack = self.use_value(body, i.pack)?;
        let ty = self.resolve(i.ty.ty())?;
        let Some(value) = body.first_result(inst) else { return Ok(()) };
        let to = self.define(body, value, ty, true)?;
        self.emit(Op::PackElement { to, pack, index, set: false });
        Ok(())
    }

    pub(super) fn pack_element_set(&mut self, body: &Body, i: PackElementSet) -> Run<()> {
        let to = self.use_value(body, i.value)?;
        let index = self.use_value(body, i.index)?;
        let pack = self.use_value(body, i.pack)?;
        self.emit(Op::PackElement { to, pack, index, set: true });
        Ok(())
    }

    /// Computes the address of the tuple element at an index; the opened type determines the element.
    pub(super) fn tuple_pack_element_addr(
        &mut self,
        body: &Body,
        inst: Inst,
        i: TuplePackElementAddr,
    ) -> Run<()> {
        let (tuple, _) = self.type_of(body, i.tuple)?;
        let base = self.use_value(body, i.tuple)?;
        let ty = self.resolve(i.ty.ty())?;
        let Some(value) = body.first_result(inst) else { return Ok(()) };
        let TyKind::Tuple(fields) = tuple.kind() else {
            return self.forward(body, inst, i.tuple);
        };
        let to = self.define(body, value, ty, true)?;
        let info = self.it.info(tuple)?;
        let offsets: Vec<u64> = info.layout.parts().iter().map(|p| p.offset).collect();
        let index = self.use_value(body, i.index)?;
        if fields.is_empty() {
            self.copy(to, base, 8);
            return Ok(());
        }
        // The element offsets are stored in a constant table that is indexed at run time.
        let bytes: Vec<u8> = offsets.iter().flat_map(|o| o.to_le_bytes()).collect();
        let text = silkit_base::Symbol::new(&format!("{offsets:?}"));
        let table = self.it.literal(2, text, &bytes)?;
        let (address, offset) = (self.allocate_slot(8), self.allocate_slot(8));
        self.constant(address, table);
        self.emit(Op::IndexAddress { to: address, base: address, index, stride: 8 });
        self.emit(Op::Load8 { to: offset, address });
        self.emit(Op::Add64 { to, a: base, b: offset });
        Ok(())
    }
}
