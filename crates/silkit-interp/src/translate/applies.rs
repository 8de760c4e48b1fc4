//! Calls and closures.

use super::Translator;
use super::functions::Target;
use super::lifetimes::is_given_back;
use super::moves::is_local_closure;
use crate::frame::StackOrder;
use crate::op::{NO_PC, Op, Slot};
use crate::sites::{BeginSite, Branch, CallSite, Callee, Capture, CaptureKind, ClosureSite, EndSite, Move};
use crate::violation::{Run, unsupported};
use silkit_ir::conventions::{Addresses, Conventions};
use silkit_ir::instructions::{Apply, BeginApply, PartialApply, TryApply, Values};
use silkit_ir::{Body, Inst, Value};
use silkit_layout::{Ty, TyKind};
use silkit_types::SilType;
use std::rc::Rc;

impl Translator<'_, '_> {
    /// Returns the copies of arguments to the callee's frame, and the total size of the arguments in bytes.
    pub(super) fn arguments(&mut self, body: &Body, args: Values<'_>) -> Run<(Box<[Move]>, u32)> {
        let mut moves = Vec::with_capacity(args.len());
        let mut to = 0;
        for value in args.iter() {
            let from = self.use_value(body, value)?;
            let len = self.len_of(body, value)?;
            moves.push(Move { from, to, len });
            to += len.next_multiple_of(8);
        }
        Ok((moves.into(), to))
    }

    pub(super) fn call_site(
        &mut self,
        target: Target,
        (args, args_len): (Box<[Move]>, u32),
        (result, _): (Slot, u32),
    ) -> u32 {
        let is_native = matches!(target.callee, Some(Callee::Native(_)));
        let slots = if is_native { args.iter().map(|m| m.from).collect() } else { Rc::from([]) };
        self.it.sites.calls.push(CallSite {
            slots,
            callee: target.callee,
            value: target.value,
            is_thick: target.is_thick,
            method: target.method,
            args,
            args_len,
            result,
            error_to: NO_PC,
            error: 0,
            types: target.types,
            name: target.name,
        });
        self.it.sites.calls.len() as u32 - 1
    }

    pub(super) fn emit_call(&mut self, site: u32) {
        let of = &self.it.sites.calls[site as usize];
        let op = match (&of.callee, &of.method) {
            (Some(Callee::Instance(_)), _) => Op::Call { site },
            (Some(Callee::Native(_)), _) => Op::CallNative { site },
            (None, Some(_)) => Op::CallMethod { site },
            (None, None) => Op::CallValue { site },
        };
        self.emit(op);
    }

    pub(super) fn apply(&mut self, body: &Body, inst: Inst, i: Apply<'_>) -> Run<()> {
        let types = self.formal_all(i.subs.iter())?;
        let Some(value) = body.first_result(inst) else { return Ok(()) };
        if let Some(adapted) = self.adapt(body, i.callee, i.ty, i.args)? {
            let (ty, is_address) = self.result_type(body, value, i.ty, &types)?;
            let result = self.define(body, value, ty, is_address)?;
            return self.adapted_call(adapted, result);
        }
        let target = self.callee(body, i.callee, &types)?;
        let args = self.arguments(body, i.args)?;
        let (ty, is_address) = self.result_type(body, value, i.ty, &types)?;
        let result = self.define(body, value, ty, is_address)?;
        let len = if is_address { 8 } else { self.size(ty)? };
        let site = self.call_site(target, args, (result, len));
        self.emit_call(site);
        Ok(())
    }

    fn adapted_site(&mut self, adapted: &super::prespecialized::Adapted) -> u32 {
        let args = (adapted.args.clone(), adapted.args_len);
        let of = &adapted.target;
        let target = Target {
            callee: of.callee.clone(),
            method: None,
            value: 0,
            is_thick: false,
            name: of.name,
            types: of.types.clone(),
        };
        self.call_site(target, args, adapted.direct)
    }

    fn adapted_call(&mut self, adapted: super::prespecialized::Adapted, result: Slot) -> Run<()> {
        let site = self.adapted_site(&adapted);
        self.emit_call(site);
        self.finish_adapted(&adapted, result);
        Ok(())
    }

    /// Returns the type of the result of a call. If the module does not give the type, it is derived from the type of
    /// the callee.
    fn result_type(&mut self, body: &Body, value: Value, callee: SilType, types: &[Ty]) -> Run<(Ty, bool)> {
        if !body.value(value).ty.is_unknown() {
            return self.type_of(body, value);
        }
        let Some(f) = callee.ty().as_function() else {
            return unsupported("a call of a value that is not a function");
        };
        let Conventions { .. } = Conventions::new(f, Addresses::Lowered);
        let results = Conventions::new(f, Addresses::Lowered).direct_result_type();
        let env = silkit_layout::Env {
            sig: f.sig.or(self.function.sig),
            args: types,
            ..silkit_layout::Env::top(self.function.module)
        };
        let ty = self.program.world.resolve(results.ty(), &env, true).map_err(crate::types::type_error)?;
        Ok((ty, false))
    }

    pub(super) fn try_apply(&mut self, body: &Body, inst: Inst, i: TryApply<'_>) -> Run<()> {
        let _ = inst;
        let types = self.formal_all(i.subs.iter())?;
        let (result, len) = self.argument_place(body, i.normal)?;
        let (error, _) = self.argument_place(body, i.error)?;
        let site = match self.adapt(body, i.callee, i.ty, i.args)? {
            Some(adapted) => {
                let site = self.adapted_site(&adapted);
                self.it.sites.calls[site as usize].error = error;
                self.emit_call(site);
                self.finish_adapted(&adapted, result);
                site
            }
            None => {
                let target = self.callee(body, i.callee, &types)?;
                let args = self.arguments(body, i.args)?;
                let site = self.call_site(target, args, (result, len));
                self.it.sites.calls[site as usize].error = error;
                self.emit_call(site);
                site
            }
        };
        self.is_open = false;
        self.go_to(i.normal, Vec::new());
        let here = self.it.code.len() as u32;
        let error_to = self.way_to(i.error, Vec::new(), here, Branch::First);
        self.it.sites.calls[site as usize].error_to = error_to;
        Ok(())
    }

    /// Returns the slot of the first argument of a block, and its size in bytes. If there is no argument, allocates a
    /// new slot.
    pub(super) fn argument_place(&mut self, body: &Body, block: silkit_ir::Block) -> Run<(Slot, u32)> {
        match body.arguments(block).first() {
            Some(&argument) => {
                let (ty, is_address) = self.type_of(body, argument)?;
                let len = if is_address { 8 } else { self.size(ty)? };
                Ok((self.define(body, argument, ty, is_address)?, len))
            }
            None => Ok((self.allocate_slot(16), 0)),
        }
    }

    pub(super) fn begin_apply(&mut self, body: &Body, inst: Inst, i: BeginApply<'_>) -> Run<()> {
        let types = self.formal_all(i.subs.iter())?;
        let adapted = self.adapt(body, i.callee, i.ty, i.args)?;
        let call = match &adapted {
            Some(adapted) => self.adapted_site(adapted),
            None => {
                let target = self.callee(body, i.callee, &types)?;
                let args = self.arguments(body, i.args)?;
                self.call_site(target, args, (0, 0))
            }
        };
        let results: Vec<Value> = body.results(inst).collect();
        let f = i.ty.ty().as_function();
        let count = f.map_or(0, |f| f.yields.len());
        let (mut yields, mut loads) = (Vec::new(), Vec::new());
        for (number, &value) in results.iter().take(count).enumerate() {
            let (ty, is_address) = self.type_of(body, value)?;
            let len = if is_address { 8 } else { self.size(ty)? };
            let to = self.define(body, value, ty, is_address)?;
            match adapted.as_ref().and_then(|a| a.loads.get(number).copied().flatten()) {
                Some(ty) => {
                    let address = self.allocate_slot(8);
                    yields.push((address, 8));
                    loads.push(Op::Load { to, address, ty });
                }
                None => yields.push((to, len)),
            }
        }
        let token = match results.get(count) {
            Some(&value) => {
                self.note_type(body, value, Ty::builtin(silkit_layout::Builtin::Token), false);
                self.place(value, 8)
            }
            None => self.allocate_slot(8),
        };
        if let Some(&allocation) = results.get(count + 1) {
            let to = self.define(body, allocation, Ty::raw_pointer(), true)?;
            self.constant(to, 0);
        }
        self.it.sites.begins.push(BeginSite { call, yields: yields.into(), token });
        let site = self.it.sites.begins.len() as u32 - 1;
        self.emit(Op::BeginCoroutine { site });
        for load in loads {
            self.emit(load);
        }
        Ok(())
    }

    pub(super) fn end_apply(&mut self, body: &Body, inst: Inst, token: Value) -> Run<()> {
        let token = self.use_value(body, token)?;
        let result = match body.first_result(inst) {
            Some(value) => {
                let (ty, is_address) = self.type_of(body, value).unwrap_or((Ty::void(), false));
                self.define(body, value, ty, is_address)?
            }
            None => 0,
        };
        self.end_site(token, result, false)
    }

    pub(super) fn abort_apply(&mut self, body: &Body, token: Value) -> Run<()> {
        let token = self.use_value(body, token)?;
        self.end_site(token, 0, true)
    }

    fn end_site(&mut self, token: Slot, result: Slot, abort: bool) -> Run<()> {
        self.it.sites.ends.push(EndSite { token, result });
        let site = self.it.sites.ends.len() as u32 - 1;
        self.emit(Op::EndApply { site, abort });
        Ok(())
    }

    pub(super) fn partial_apply(&mut self, body: &Body, inst: Inst, i: PartialApply<'_>) -> Run<()> {
        let types = self.formal_all(i.subs.iter())?;
        let target = self.callee(body, i.callee, &types)?;
        let Some(f) = i.ty.ty().as_function() else {
            return unsupported("a closure of a value that is not a function");
        };
        let conventions = Conventions::new(f, Addresses::Lowered);
        let count = conventions.argument_count();
        let is_local = self.function.is_raw
            && body.first_result(inst).is_some_and(|value| is_local_closure(body, value));
        let first = count.saturating_sub(i.args.len());
        let (mut captures, mut from, mut offset, mut align) = (Vec::new(), Vec::new(), 16u32, 16u32);
        for (number, value) in i.args.iter().enumerate() {
            let Some(param) = conventions.param(first + number) else {
                return unsupported("a captured result");
            };
            let borrows = is_local && self.is_movable(body, value);
            let how = CaptureKind::of(param.convention, i.on_stack || borrows);
            let (mut ty, is_address) = self.type_of(body, value)?;
            if borrows && !is_address {
                // The context holds the bits of the borrowed value, and does not destroy it.
                let bytes = silkit_layout::Builtin::FixedArray(u64::from(self.size(ty)?), Ty::int(8));
                ty = Ty::builtin(bytes);
            }
            let info = if how == CaptureKind::Address && !self.has_layout(ty) {
                self.it.info(Ty::raw_pointer())?
            } else {
                self.it.info(ty)?
            };
            let (size, its_align) =
                if how == CaptureKind::Address { (8, 8) } else { (info.size, info.align) };
            offset = offset.next_multiple_of(its_align);
            align = align.max(its_align);
            let ty = self.type_id(info.ty)?;
            captures.push(Capture { offset, ty, how });
            from.push(self.use_value(body, value)?);
            offset += size;
        }
        let to = self.result(body, inst)?;
        let is_nested = body.first_result(inst).is_some_and(|closure| is_given_back(body, closure));
        let order = if is_nested { StackOrder::Nested } else { StackOrder::Any };
        self.it.sites.closures.push(Rc::new(ClosureSite {
            callee: target.callee,
            value: target.value,
            is_thick: target.is_thick,
            method: target.method,
            captures: Rc::from(captures),
            from: from.into(),
            size: offset,
            align,
            on_stack: i.on_stack.then_some(order),
            to,
            name: target.name,
        }));
        let site = self.it.sites.closures.len() as u32 - 1;
        self.emit(Op::Closure { site });
        Ok(())
    }

    fn has_layout(&mut self, ty: Ty) -> bool {
        !matches!(ty.kind(), TyKind::Pack(_)) && self.it.info(ty).is_ok()
    }

    pub(super) fn thin_to_thick(&mut self, body: &Body, inst: Inst, operand: Value) -> Run<()> {
        let from = self.use_value(body, operand)?;
        let to = self.result(body, inst)?;
        self.copy(to, from, 8);
        self.constant(to + 8, 0);
        Ok(())
    }

    pub(super) fn thunk(&mut self, body: &Body, inst: Inst) -> Run<()> {
        unsupported(format!("`{}`", body.info(inst).name))
    }

    // ---- assignments in raw SIL that are calls ----

    /// Returns the arguments for an assigned value; for a function with several parameters, these are the elements of a
    /// tuple.
    pub(super) fn assigned(
        &mut self,
        body: &Body,
        value: Value,
        function: Value,
        others: usize,
    ) -> Run<Vec<Move>> {
        let ty = body.value(function).ty.ty().as_function();
        let mut params: Vec<bool> =
            ty.map_or_else(Vec::new, |f| f.params.iter().map(|p| p.convention.is_indirect()).collect());
        params.truncate(params.len().saturating_sub(others));
        let (ty, is_address) = self.type_of(body, value)?;
        let from = self.use_value(body, value)?;
        let leaves = match params.len() {
            0 | 1 => vec![(0, ty)],
            _ => self.tuple_leaves(ty)?,
        };
        let (mut moves, mut to) = (Vec::new(), 0);
        for (number, (offset, part)) in leaves.into_iter().enumerate() {
            let by_address = params.get(number).copied().unwrap_or(is_address);
            let size = self.size(part)?;
            let (from, len) = match (is_address, by_address) {
                (false, false) => (from + offset, size),
                (true, true) => {
                    let address = self.allocate_slot(8);
                    self.emit(Op::AddAddress { to: address, from, offset });
                    (address, 8)
                }
                (true, false) => {
                    let (address, value) = (self.allocate_slot(8), self.allocate_slot(size));
                    self.emit(Op::AddAddress { to: address, from, offset });
                    let ty = self.type_id(part)?;
                    self.emit(Op::LoadTake { to: value, address, ty });
                    (value, size)
                }
                (false, true) => {
                    let address = self.allocate_slot(8);
                    let ty = self.type_id(part)?;
                    self.emit(Op::AllocTemporary { to: address, ty });
                    self.emit(Op::Store { from: from + offset, address, ty });
                    (address, 8)
                }
            };
            moves.push(Move { from, to, len });
            to += len.next_multiple_of(8);
        }
        Ok(moves)
    }

    pub(super) fn call_setter(&mut self, body: &Body, setter: Value, value: Value) -> Run<()> {
        let target = self.callee(body, setter, &[])?;
        let args = self.assigned(body, value, setter, 0)?;
        let len = args.iter().map(|m| m.len.next_multiple_of(8)).sum();
        let result = self.allocate_slot(16);
        let site = self.call_site(target, (args.into(), len), (result, 0));
        self.emit_call(site);
        Ok(())
    }

    pub(super) fn call_initializer(
        &mut self,
        body: &Body,
        initializer: Value,
        value: Value,
        destination: Value,
    ) -> Run<()> {
        let target = self.callee(body, initializer, &[])?;
        let address = self.use_value(body, destination)?;
        let (ty, _) = self.type_of(body, destination)?;
        let function = body.value(initializer).ty.ty().as_function();
        let is_indirect = function.is_some_and(|f| f.results.iter().any(|r| r.convention.is_indirect()));
        let mut args = self.assigned(body, value, initializer, 0)?;
        if is_indirect {
            args.iter_mut().for_each(|m| m.to += 8);
            args.insert(0, Move { from: address, to: 0, len: 8 });
        }
        let len = args.iter().map(|m| m.len.next_multiple_of(8)).sum();
        let size = if is_indirect { 0 } else { self.size(ty)? };
        let result = self.allocate_slot(size.max(16));
        let site = self.call_site(target, (args.into(), len), (result, size));
        self.emit_call(site);
        if !is_indirect {
            let ty = self.type_id(ty)?;
            let write = crate::op::Write::Either;
            self.emit(Op::StoreAssign { write, from: result, address, ty });
        }
        Ok(())
    }

    /// Translates an `assign_by_wrapper` whose mode is not yet chosen by definite initialization: the first assignment
    /// initializes the property, all later ones set it.
    pub(super) fn wrapper_by_state(
        &mut self,
        body: &Body,
        i: silkit_ir::instructions::AssignByWrapper,
    ) -> Run<()> {
        let address = self.use_value(body, i.destination)?;
        let (ty, _) = self.type_of(body, i.destination)?;
        let ty = self.type_id(ty)?;
        let condition = self.allocate_slot(8);
        self.emit(Op::HoldsValue { to: condition, address, ty });
        let branch = self.emit(Op::Nop);
        self.call_initializer(body, i.initializer, i.source, i.destination)?;
        let over = self.emit(Op::Nop);
        let then = self.it.code.len() as u32;
        self.set_wrapped(body, i)?;
        self.it.code[branch as usize] = Op::JumpIf { condition, then, otherwise: branch + 1 };
        let end = self.it.code.len() as u32;
        self.it.code[over as usize] = Op::Jump { to: end };
        Ok(())
    }

    /// Calls the setter of a wrapped property. The setter accesses the property itself, so the access of the instruction
    /// ends before the call.
    pub(super) fn set_wrapped(
        &mut self,
        body: &Body,
        i: silkit_ir::instructions::AssignByWrapper,
    ) -> Run<()> {
        let access = body.def_as::<silkit_ir::instructions::BeginAccess>(i.destination);
        let place = match access {
            Some(access) => Some(self.use_value(body, access.address)?),
            None => None,
        };
        if let Some(address) = place {
            self.emit(Op::EndAccess { address });
        }
        self.call_setter(body, i.setter, i.source)?;
        if let Some(access) = access {
            self.begin_access_to(body, access)?;
        }
        Ok(())
    }
}
