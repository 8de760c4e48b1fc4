//! Existentials and metatypes.

use super::Translator;
use super::opened::mentions_dynamic_self;
use crate::op::{Op, Slot};
use crate::sites::{DynamicKind, DynamicTypeSite, OpenKind, OpenSite};
use crate::violation::{Run, unsupported};
use silkit_base::Symbol;
use silkit_ir::instructions::{
    ExistentialAccess, ExistentialMetatype, InitExistentialAddr, InitExistentialMetatype, InitExistentialRef,
    Metatype, OpenExistentialAddr, OpenExistentialBox, OpenExistentialMetatype, OpenExistentialRef,
    TypeValue, ValueMetatype,
};
use silkit_ir::{Body, Inst, Value};
use silkit_layout::{LayoutKind, Ty, TyKind, dynamic_self};

impl Translator<'_, '_> {
    pub(super) fn opaque_values(&mut self, body: &Body, inst: Inst) -> Run<()> {
        unsupported(format!("the instruction `{}` for opaque values", body.info(inst).name))
    }

    pub(super) fn init_existential_addr(
        &mut self,
        body: &Body,
        inst: Inst,
        i: InitExistentialAddr,
    ) -> Run<()> {
        let (existential, _) = self.type_of(body, i.operand)?;
        let concrete = self.formal(i.concrete.ty())?;
        let tables = self.program.world.witness_table_count(existential) as u8;
        let container = self.use_value(body, i.operand)?;
        let Some(value) = body.first_result(inst) else { return Ok(()) };
        let to = self.define(body, value, concrete, true)?;
        let ty = self.type_id(concrete)?;
        self.emit(Op::InitExistential { tables, to, container, ty });
        Ok(())
    }

    pub(super) fn init_existential_ref(&mut self, body: &Body, inst: Inst, i: InitExistentialRef) -> Run<()> {
        let existential = self.resolve(i.ty.ty())?;
        let concrete = self.formal(i.concrete.ty())?;
        let from = self.use_value(body, i.operand)?;
        let Some(value) = body.first_result(inst) else { return Ok(()) };
        let to = self.define(body, value, existential, false)?;
        let info = self.it.info(existential)?;
        self.copy(to, from, 8);
        self.fill_tables(to, &info.layout.kind, concrete)
    }

    /// Writes the witness tables after a reference or metatype; each is represented by a non-null pointer.
    fn fill_tables(&mut self, to: Slot, kind: &LayoutKind, concrete: Ty) -> Run<()> {
        let tables = match kind {
            LayoutKind::ClassExistential(tables) => *tables,
            _ => 0,
        };
        self.tables(to, tables, concrete)
    }

    fn tables(&mut self, to: Slot, tables: u64, concrete: Ty) -> Run<()> {
        let metadata = self.it.metadata(concrete)?;
        for i in 0..tables {
            self.constant(to + 8 + 8 * i as u32, metadata);
        }
        Ok(())
    }

    pub(super) fn init_existential_metatype(
        &mut self,
        body: &Body,
        inst: Inst,
        i: InitExistentialMetatype,
    ) -> Run<()> {
        let existential = self.resolve(i.ty.ty())?;
        let (concrete, _) = self.type_of(body, i.operand)?;
        let from = self.use_value(body, i.operand)?;
        let Some(value) = body.first_result(inst) else { return Ok(()) };
        let to = self.define(body, value, existential, false)?;
        self.copy(to, from, 8);
        let tables = match existential.kind() {
            TyKind::ExistentialMetatype(e) => self.program.world.witness_table_count(*e),
            _ => 0,
        };
        self.tables(to, tables, concrete)
    }

    fn open(&mut self, body: &Body, inst: Inst, operand: Value, kind: OpenKind, mutable: bool) -> Run<()> {
        let Some(id) = super::opened::opened_id(body, inst) else {
            return unsupported("an opened archetype without an id");
        };
        let from = self.use_value(body, operand)?;
        let Some(value) = body.first_result(inst) else { return Ok(()) };
        let to = self.place(value, 8);
        self.open_site(inst, id, kind, from, to, mutable)
    }

    /// Binds `Self` to the dynamic type of the last argument. Returns false if that argument is neither a reference nor
    /// a metatype.
    pub(super) fn bind_self(&mut self, body: &Body) -> Run<bool> {
        let Some(&receiver) = body.entry_arguments().last() else { return Ok(false) };
        let (ty, is_address) = self.type_of(body, receiver)?;
        let kind = match ty.kind() {
            TyKind::Metatype(_) if !is_address => OpenKind::Metatype,
            _ if !is_address && self.it.is_class(ty) => OpenKind::Class,
            _ => return Ok(false),
        };
        let from = self.use_value(body, receiver)?;
        self.open_site(Inst::NONE, dynamic_self(), kind, from, from, false)?;
        Ok(true)
    }

    fn open_site(
        &mut self,
        inst: Inst,
        id: Symbol,
        kind: OpenKind,
        from: Slot,
        to: Slot,
        mutable: bool,
    ) -> Run<()> {
        let (instance, bind) = (self.id, self.bind);
        self.it.sites.opens.push(OpenSite {
            instance,
            inst,
            bind,
            kind,
            id,
            from,
            to,
            mutable,
            cache: Vec::new(),
        });
        let site = self.it.sites.opens.len() as u32 - 1;
        self.emit(Op::Open { site });
        self.is_open = false;
        Ok(())
    }

    /// Emits operations that must run after a type is opened, before the instructions that follow.
    pub(super) fn after_open(&mut self, _: &Body, _: Inst) -> Run<()> {
        Ok(())
    }

    pub(super) fn open_existential_addr(
        &mut self,
        body: &Body,
        inst: Inst,
        i: OpenExistentialAddr,
    ) -> Run<()> {
        let mutable = i.access == ExistentialAccess::MutableAccess;
        let (ty, _) = self.type_of(body, i.operand)?;
        if matches!(ty.kind(), TyKind::Existential(e) if e.is_class) {
            return unsupported("an opened address of a class existential");
        }
        self.open(body, inst, i.operand, OpenKind::Opaque, mutable)
    }

    pub(super) fn open_existential_ref(&mut self, body: &Body, inst: Inst, i: OpenExistentialRef) -> Run<()> {
        self.open(body, inst, i.operand, OpenKind::Class, false)
    }

    pub(super) fn open_existential_metatype(
        &mut self,
        body: &Body,
        inst: Inst,
        i: OpenExistentialMetatype,
    ) -> Run<()> {
        self.open(body, inst, i.operand, OpenKind::Metatype, false)
    }

    pub(super) fn open_existential_box(&mut self, body: &Body, inst: Inst, i: OpenExistentialBox) -> Run<()> {
        self.open(body, inst, i.operand, OpenKind::Error, false)
    }

    pub(super) fn deinit_existential_addr(&mut self, body: &Body, operand: Value) -> Run<()> {
        let container = self.use_value(body, operand)?;
        self.emit(Op::DeinitExistential { container });
        Ok(())
    }

    // ---- metatypes ----

    pub(super) fn metatype(&mut self, body: &Body, inst: Inst, i: Metatype) -> Run<()> {
        let ty = self.resolve(i.ty.ty())?;
        let Some(value) = body.first_result(inst) else { return Ok(()) };
        let to = self.define(body, value, ty, false)?;
        if let TyKind::Metatype(of) = ty.kind() {
            let id = dynamic_self();
            if mentions_dynamic_self(i.ty.ty()) && !self.bindings.iter().any(|b| b.id == id) {
                return unsupported(format!(
                    "`Self` in `{}`, without a metatype or an instance as the last argument,",
                    self.name()
                ));
            }
            let metadata = self.it.metadata(*of)?;
            self.constant(to, metadata);
        }
        Ok(())
    }

    fn dynamic_type(&mut self, kind: DynamicKind, from: Slot, to: Slot, len: u32) {
        self.it.sites.dynamic.push(DynamicTypeSite { kind, from, to, len });
        let site = self.it.sites.dynamic.len() as u32 - 1;
        self.emit(Op::DynamicType { site });
    }

    pub(super) fn value_metatype(&mut self, body: &Body, inst: Inst, i: ValueMetatype) -> Run<()> {
        let ty = self.resolve(i.ty.ty())?;
        let Some(value) = body.first_result(inst) else { return Ok(()) };
        let to = self.define(body, value, ty, false)?;
        let TyKind::Metatype(of) = ty.kind() else { return Ok(()) };
        let (operand, is_address) = self.type_of(body, i.operand)?;
        let from = self.use_value(body, i.operand)?;
        if !is_address && self.it.is_reference(operand) {
            self.dynamic_type(DynamicKind::Object, from, to, 8);
            return Ok(());
        }
        if let (TyKind::Metatype(_) | TyKind::ExistentialMetatype(_), false) = (operand.kind(), is_address) {
            let metadata = self.it.metadata(*of)?;
            self.constant(to, metadata);
            return Ok(());
        }
        if is_address && self.it.is_class(operand) {
            let object = self.allocate_slot(8);
            self.emit(Op::Load8 { to: object, address: from });
            self.dynamic_type(DynamicKind::Object, object, to, 8);
            return Ok(());
        }
        let metadata = self.it.metadata(*of)?;
        self.constant(to, metadata);
        Ok(())
    }

    pub(super) fn existential_metatype(
        &mut self,
        body: &Body,
        inst: Inst,
        i: ExistentialMetatype,
    ) -> Run<()> {
        let ty = self.resolve(i.ty.ty())?;
        let Some(value) = body.first_result(inst) else { return Ok(()) };
        let to = self.define(body, value, ty, false)?;
        let len = self.size(ty)?;
        let (operand, is_address) = self.type_of(body, i.operand)?;
        let from = self.use_value(body, i.operand)?;
        let info = self.it.info(operand)?;
        let kind = match (&info.layout.kind, is_address, operand.kind()) {
            (LayoutKind::Existential(_), true, _) => DynamicKind::Container,
            (LayoutKind::ClassExistential(_), false, _) => DynamicKind::Object,
            (LayoutKind::ErrorExistential, false, _) => DynamicKind::Error,
            (_, false, TyKind::ExistentialMetatype(_) | TyKind::Metatype(_)) => {
                DynamicKind::MetatypeContainer
            }
            (LayoutKind::ClassExistential(_) | LayoutKind::ErrorExistential, true, _) => {
                let loaded = self.allocate_slot(8);
                self.emit(Op::Load8 { to: loaded, address: from });
                let kind = if matches!(info.layout.kind, LayoutKind::ErrorExistential) {
                    DynamicKind::Error
                } else {
                    DynamicKind::Object
                };
                self.dynamic_type(kind, loaded, to, len);
                return Ok(());
            }
            _ => return unsupported(format!("the existential metatype of `{operand}`")),
        };
        self.dynamic_type(kind, from, to, len);
        Ok(())
    }

    /// Translates `type_value`: returns the integer that a value generic parameter is bound to.
    pub(super) fn type_value(&mut self, body: &Body, inst: Inst, i: TypeValue) -> Run<()> {
        let parameter = self.formal(i.parameter)?;
        let to = self.result(body, inst)?;
        match parameter.kind() {
            TyKind::Integer(n) => self.constant(to, *n as u64),
            _ => return unsupported(format!("the value of the type `{parameter}`")),
        }
        Ok(())
    }
}
