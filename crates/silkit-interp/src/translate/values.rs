//! Types and slots of values.

use super::Translator;
use crate::instance::{Bound, NO_SLOT};
use crate::op::{Op, Slot};
use crate::sites::CodeTarget;
use crate::types::{TypeId, type_error};
use crate::violation::{Run, unsupported};
use silkit_base::Symbol;
use silkit_ir::instructions::AnyInst;
use silkit_ir::{Body, Inst, Opcode, Value, ValueDef};
use silkit_layout::{Env, OpenedTypes, Ty};
use silkit_types::{GenericSig, Type};
use std::rc::Rc;

struct Bindings<'a>(&'a [crate::instance::Binding]);

impl OpenedTypes for Bindings<'_> {
    fn opened(&self, id: Symbol) -> Option<Ty> {
        self.0.iter().find(|b| b.id == id).and_then(|b| match &b.bound {
            Bound::Type(ty) => Some(*ty),
            Bound::Element { .. } => None,
        })
    }

    fn element(&self, id: Symbol) -> Option<(usize, Option<GenericSig>, Rc<[Ty]>)> {
        self.0.iter().find(|b| b.id == id).and_then(|b| match &b.bound {
            Bound::Type(_) => None,
            Bound::Element { index, sig, args } => Some((*index, *sig, args.clone())),
        })
    }
}

impl Translator<'_, '_> {
    /// Resolves a lowered type in this instance.
    pub(crate) fn resolve(&mut self, ty: Type) -> Run<Ty> {
        self.resolve_as(ty, true)
    }

    /// Resolves a formal type in this instance.
    pub(crate) fn formal(&mut self, ty: Type) -> Run<Ty> {
        self.resolve_as(ty, false)
    }

    fn resolve_as(&mut self, ty: Type, lowered: bool) -> Run<Ty> {
        let mentions = match self.it.mentions_opened.get(&ty) {
            Some(known) => *known,
            None => {
                let found = super::opened::mentions_opened(ty);
                self.it.mentions_opened.insert(ty, found);
                found
            }
        };
        if !mentions && let Some(found) = self.it.instances[self.id.0 as usize].types.get(&(ty, lowered)) {
            return Ok(*found);
        }
        let args = self.it.instances[self.id.0 as usize].args.clone();
        let bindings = Bindings(&self.bindings);
        let env = Env {
            sig: self.function.sig,
            args: &args,
            opened: Some(&bindings),
            ..Env::top(self.function.module)
        };
        let found = self.program.world.resolve(ty, &env, lowered).map_err(type_error)?;
        if !mentions {
            self.instance_mut().types.insert((ty, lowered), found);
        }
        Ok(found)
    }

    /// Resolves a list of formal types in this instance, with packs expanded.
    pub(crate) fn formal_all(&mut self, types: impl Iterator<Item = Type>) -> Run<Vec<Ty>> {
        let args = self.it.instances[self.id.0 as usize].args.clone();
        let bindings = Bindings(&self.bindings);
        let env = Env {
            sig: self.function.sig,
            args: &args,
            opened: Some(&bindings),
            ..Env::top(self.function.module)
        };
        let types: Vec<Type> = types.collect();
        self.program.world.resolve_all(&types, &env).map_err(type_error)
    }

    /// Returns the type of a value, and true if the value is an address.
    pub(crate) fn type_of(&mut self, body: &Body, value: Value) -> Run<(Ty, bool)> {
        let ty = body.value(value).ty;
        if !ty.is_unknown() {
            return Ok((self.resolve(ty.ty())?, ty.is_address()));
        }
        match self.it.instances[self.id.0 as usize].inferred.get(&value) {
            Some(found) => Ok(*found),
            None => unsupported(format!("the unknown type of a value in `{}`", self.name())),
        }
    }

    /// Returns the type id of a value that is not an address.
    pub(crate) fn object_type(&mut self, body: &Body, value: Value) -> Run<TypeId> {
        let (ty, _) = self.type_of(body, value)?;
        self.type_id(ty)
    }

    /// Returns the size in bytes of a value in the frame.
    pub(crate) fn len_of(&mut self, body: &Body, value: Value) -> Run<u32> {
        let (ty, is_address) = self.type_of(body, value)?;
        if is_address { Ok(8) } else { self.size(ty) }
    }

    /// Returns the slot of a used value.
    pub(crate) fn use_value(&mut self, body: &Body, value: Value) -> Run<Slot> {
        let slot = self.it.instances[self.id.0 as usize].slots[value.as_u32() as usize];
        if slot != NO_SLOT {
            return Ok(slot);
        }
        match body.def(value) {
            ValueDef::Undef => {
                let len = self.len_of(body, value)?;
                if len > 0 && !self.passes_on(body) {
                    self.emit(Op::Undef);
                }
                let slot = self.allocate_slot(len);
                self.emit(Op::Zero { to: slot, len });
                Ok(slot)
            }
            ValueDef::Result(inst, _) => self.make_function(body, inst, value),
            _ => unsupported(format!("a value of `{}` without a definition", self.name())),
        }
    }

    /// Emits the report of an undefined value that is used, where the value is `undef` or a part of it.
    pub(super) fn require_defined(&mut self, body: &Body, value: Value) {
        if self.function.has_undef && is_undef(body, value) {
            self.emit(Op::Undef);
        }
    }

    /// Returns true if the current instruction only forwards its operands.
    fn passes_on(&self, body: &Body) -> bool {
        use silkit_ir::Opcode as O;
        if let AnyInst::Builtin(i) = body.view(self.inst)
            && i.name.as_str().starts_with("freeze_")
        {
            return true;
        }
        matches!(
            body.inst(self.inst).opcode,
            O::Struct
                | O::StructExtract
                | O::Tuple
                | O::TupleExtract
                | O::Enum
                | O::Return
                | O::Branch
                | O::CondBranch
                | O::Store
                | O::DebugValue
                | O::MarkDependence
        )
    }

    /// Materializes a function reference as a value.
    fn make_function(&mut self, body: &Body, inst: Inst, value: Value) -> Run<Slot> {
        let address = match body.view(inst) {
            AnyInst::FunctionRef(f) => self.function_address(f.function, false)?,
            AnyInst::DynamicFunctionRef(f) => self.function_address(f.function, true)?,
            AnyInst::PreviousDynamicFunctionRef(f) => self.function_address(f.function, false)?,
            AnyInst::ClassMethod(m) => {
                let method = self.method_site(body, m.operand, m.member, m.formal, Rc::from([]))?;
                let to = self.allocate_slot(8);
                self.it.sites.methods.push((method, to));
                let site = self.it.sites.methods.len() as u32 - 1;
                self.emit(Op::MethodOf { site });
                return Ok(to);
            }
            AnyInst::WitnessMethod(_) | AnyInst::SuperMethod(_) => {
                let callee = self.callee(body, value, &[])?;
                match callee.callee {
                    Some(crate::sites::Callee::Instance(id)) => {
                        self.it.code_address(CodeTarget::Instance(id))?
                    }
                    _ => return unsupported("a method as a value"),
                }
            }
            _ => {
                let name = body.info(inst).name;
                return unsupported(format!("a value of `{name}` that was not translated"));
            }
        };
        let slot = self.allocate_slot(8);
        self.constant(slot, address);
        Ok(slot)
    }

    fn function_address(&mut self, symbol: Symbol, dynamic: bool) -> Run<u64> {
        match self.function_callee(symbol, Rc::from([]), dynamic)? {
            crate::sites::Callee::Instance(id) => self.it.code_address(CodeTarget::Instance(id)),
            crate::sites::Callee::Native(function) => {
                self.it.code_address(CodeTarget::Native(function, symbol, Rc::from([])))
            }
        }
    }

    /// Writes a word into the frame.
    pub(crate) fn constant(&mut self, to: Slot, value: u64) {
        self.emit(Op::Const8 { to, low: value as u32, high: (value >> 32) as u32 });
    }

    /// Returns the slot for a defined value of the given type.
    pub(crate) fn define(&mut self, body: &Body, value: Value, ty: Ty, is_address: bool) -> Run<Slot> {
        self.note_type(body, value, ty, is_address);
        let known = self.instance_mut().slots[value.as_u32() as usize];
        if known != NO_SLOT {
            return Ok(known);
        }
        let size = if is_address { 8 } else { self.size(ty)? };
        Ok(self.place(value, size))
    }

    /// Returns the slot of a value; if it has none, allocates one.
    pub(crate) fn place(&mut self, value: Value, size: u32) -> Slot {
        let known = self.instance_mut().slots[value.as_u32() as usize];
        if known != NO_SLOT {
            return known;
        }
        let slot = self.allocate_slot(size);
        self.instance_mut().slots[value.as_u32() as usize] = slot;
        slot
    }

    /// Returns the slot for the only result of an instruction, whose type is given by the module.
    pub(crate) fn result(&mut self, body: &Body, inst: Inst) -> Run<Slot> {
        let Some(value) = body.first_result(inst) else {
            return unsupported("an instruction without a result");
        };
        let (ty, is_address) = self.type_of(body, value)?;
        self.define(body, value, ty, is_address)
    }

    /// Binds a value to the slot of another one. A value that is bound to a different slot is copied there: its block is
    /// translated again for other bindings, and the blocks after it may not be.
    pub(crate) fn alias(
        &mut self,
        body: &Body,
        value: Value,
        slot: Slot,
        ty: Ty,
        is_address: bool,
    ) -> Run<()> {
        self.note_type(body, value, ty, is_address);
        let known = std::mem::replace(&mut self.instance_mut().slots[value.as_u32() as usize], slot);
        if known != NO_SLOT && known != slot {
            self.instance_mut().slots[value.as_u32() as usize] = known;
            let len = if is_address { 8 } else { self.size(ty)? };
            self.copy(known, slot, len);
        }
        Ok(())
    }

    /// Binds the only result of an instruction to the slot of one of its operands, with another type.
    pub(crate) fn forward(&mut self, body: &Body, inst: Inst, operand: Value) -> Run<()> {
        let slot = self.use_value(body, operand)?;
        let Some(value) = body.first_result(inst) else { return Ok(()) };
        let (ty, is_address) = match self.type_of(body, value) {
            Ok(found) => found,
            Err(_) => self.type_of(body, operand)?,
        };
        self.alias(body, value, slot, ty, is_address)
    }

    /// Records the type of a value whose type the module does not contain.
    pub(crate) fn note_type(&mut self, body: &Body, value: Value, ty: Ty, is_address: bool) {
        if body.value(value).ty.is_unknown() {
            self.instance_mut().inferred.insert(value, (ty, is_address));
        }
    }
}

/// Returns true if a value is `undef`, or a part or a copy of it. Values that a block takes may be defined.
fn is_undef(body: &Body, value: Value) -> bool {
    let step = |inst| match body.view(inst) {
        AnyInst::StructExtract(i) => Some(member(body, inst, i.operand)),
        AnyInst::TupleExtract(i) => Some(member(body, inst, i.operand)),
        AnyInst::CopyValue(i) => Some(i.operand),
        AnyInst::BeginBorrow(i) => Some(i.operand),
        AnyInst::MoveValue(i) => Some(i.operand),
        AnyInst::MarkDependence(i) => Some(i.value),
        _ => None,
    };
    body.chain(value, step).any(|value| matches!(body.def(value), ValueDef::Undef))
}

/// Returns the operand of a `struct` or `tuple` instruction that an instruction extracts again, or the aggregate.
fn member(body: &Body, extract: Inst, aggregate: Value) -> Value {
    let index = match body.view(extract) {
        AnyInst::TupleExtract(i) => Some(i.field as usize),
        // The only property is known without the declaration.
        _ => body.defining_inst(aggregate).filter(|&inst| body.operands(inst).len() == 1).map(|_| 0),
    };
    let Some(inst) = body.defining_inst(aggregate) else { return aggregate };
    match (body.inst(inst).opcode, index) {
        (Opcode::Struct | Opcode::Tuple, Some(index)) if index < body.operands(inst).len() => {
            body.operand_value(inst, index)
        }
        _ => aggregate,
    }
}
