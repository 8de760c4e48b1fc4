//! Translation of SIL bodies to operations. Each block is translated when it is first reached.
//!
//! All types are concrete: an instance of a function has the types of its generic parameters. Types that instructions
//! open at run time are held in sets of bindings. A block is translated once for each set.

mod aggregates;
mod alloc;
mod applies;
mod builtins;
mod casts;
mod concurrency;
mod control;
mod dependences;
mod enums;
mod existentials;
mod functions;
mod init_accessors;
mod joins;
mod kept_closures;
mod key_paths;
mod lifetimes;
mod literals;
mod memory;
mod moves;
mod opened;
mod packs;
mod prespecialized;
mod table;
mod values;

pub(crate) use literals::{hexadecimal, integer};

pub(crate) use opened::for_each_type;

use crate::instance::{BindId, Binding, FunctionInfo, Instance, InstanceId};
use crate::interp::Interp;
use crate::op::{Op, Pc, Slot};
use crate::program::{FunctionRef, Program};
use crate::sites::{Branch, LazySite, Move};
use crate::types::TypeId;
use crate::violation::{Run, Stop};
use silkit_base::Symbol;
use silkit_ir::{Block, Body, Inst, SilStage};
use silkit_layout::Ty;
use std::rc::Rc;

/// The translator of one block, for an instance of a function and a set of bindings.
pub(crate) struct Translator<'a, 'h> {
    pub(crate) it: &'a mut Interp<'h>,
    pub(crate) program: Rc<Program>,
    pub(crate) function: Rc<FunctionInfo>,
    pub(crate) id: InstanceId,
    pub(crate) bind: BindId,
    pub(crate) bindings: Rc<[Binding]>,
    pub(crate) inst: Inst,
    /// False if the current instruction ends the translation of the block.
    pub(crate) is_open: bool,
}

impl<'h> Interp<'h> {
    /// Returns the instance of a function with concrete generic arguments; creates it if needed.
    pub(crate) fn instance(&mut self, at: FunctionRef, args: Rc<[Ty]>) -> InstanceId {
        if let Some(found) = self.by_function.get(&(at, args.clone())) {
            return *found;
        }
        let info = match self.functions.get(&at) {
            Some(info) => info.clone(),
            None => {
                let info = Rc::new(self.function_info(at));
                self.functions.insert(at, info.clone());
                info
            }
        };
        let values = self.program.function(at).body.as_ref().map_or(0, Body::value_bound);
        self.code_values += values as u64;
        let id = InstanceId(self.instances.len() as u32);
        self.instances.push(Instance::new(info, args.clone(), values));
        self.by_function.insert((at, args), id);
        id
    }

    fn function_info(&self, at: FunctionRef) -> FunctionInfo {
        let function = self.program.function(at);
        let ty = function.ty.ty().as_function();
        let module = &self.program.module(at.module).info.sil;
        FunctionInfo {
            at,
            name: function.name,
            module: at.module,
            sig: ty.and_then(|f| f.sig),
            is_raw: module.stage == Some(SilStage::Raw),
            has_undef: function.body.as_ref().is_some_and(uses_undef),
            is_coroutine: ty.is_some_and(silkit_types::FunctionType::is_coroutine),
            opened: function.body.as_ref().map(opened::find).unwrap_or_default(),
        }
    }

    /// Returns the id of a set of bindings; adds the set if it is new.
    pub(crate) fn bind_id(&mut self, bindings: Vec<Binding>) -> BindId {
        if bindings.is_empty() {
            return BindId(0);
        }
        let bindings: Rc<[Binding]> = bindings.into();
        if let Some(found) = self.bind_ids.get(&bindings) {
            return *found;
        }
        let id = BindId(self.binds.len() as u32);
        self.binds.push(bindings.clone());
        self.bind_ids.insert(bindings, id);
        id
    }

    /// Translates the first block of an instance.
    pub(crate) fn translate_entry(&mut self, id: InstanceId) -> Run<Pc> {
        let program = self.program.clone();
        let function = self.instances[id.0 as usize].function.clone();
        let Some(body) = &program.function(function.at).body else {
            return crate::violation::unsupported(format!(
                "the function `{}`, which has no body,",
                function.name
            ));
        };
        let Some(entry) = body.entry_block() else {
            return crate::violation::unsupported(format!("the empty function `{}`", function.name));
        };
        let binds_self = function
            .opened
            .live_in
            .get(&entry)
            .is_some_and(|ids| ids.contains(&silkit_layout::dynamic_self()));
        let bound = if binds_self { self.translate_binding_of_self(id, body)? } else { None };
        let pc = match bound {
            Some(pc) => pc,
            None => self.translate_block(id, entry, BindId(0))?,
        };
        self.instances[id.0 as usize].entry = pc;
        Ok(pc)
    }

    /// Translates the operation that binds `Self` at the entry of a function. Returns `None` if the last argument does
    /// not determine the type.
    fn translate_binding_of_self(&mut self, id: InstanceId, body: &Body) -> Run<Option<Pc>> {
        let pc = self.code.len() as Pc;
        let mut t = self.translator(id, BindId(0));
        t.prepare(body)?;
        Ok(t.bind_self(body)?.then_some(pc))
    }

    /// Translates a block for a set of bindings. A block that is already translated for the set is reused.
    pub(crate) fn translate_block(&mut self, id: InstanceId, block: Block, bind: BindId) -> Run<Pc> {
        let bind = self.live_bindings(id, block, bind);
        if let Some(found) = self.instances[id.0 as usize].versions.get(&(block, bind)) {
            return Ok(*found);
        }
        let pc = self.code.len() as Pc;
        self.instances[id.0 as usize].versions.insert((block, bind), pc);
        let program = self.program.clone();
        let function = self.instances[id.0 as usize].function.clone();
        let Some(body) = &program.function(function.at).body else {
            return crate::violation::unsupported(format!("the function `{}`", function.name));
        };
        let Some(first) = body.first_inst(block) else {
            let what = format!("the function `{}`, in which a block has no terminator,", function.name);
            return crate::violation::unsupported(what);
        };
        let mut t = self.translator(id, bind);
        t.prepare(body)?;
        t.instructions(body, Some(first))?;
        self.frame_grew(id)?;
        Ok(pc)
    }

    fn translator(&mut self, id: InstanceId, bind: BindId) -> Translator<'_, 'h> {
        let function = self.instances[id.0 as usize].function.clone();
        let bindings = self.binds[bind.0 as usize].clone();
        let program = self.program.clone();
        Translator { it: self, program, function, id, bind, bindings, inst: Inst::NONE, is_open: true }
    }

    /// Translates the rest of a block after an instruction that opened a type, or the whole function if `inst` is
    /// `Inst::NONE`.
    pub(crate) fn translate_tail(
        &mut self,
        id: InstanceId,
        inst: Inst,
        bind: BindId,
        binding: Binding,
    ) -> Run<Pc> {
        let mut bindings: Vec<Binding> = self.binds[bind.0 as usize].iter().cloned().collect();
        bindings.retain(|b| b.id != binding.id);
        bindings.push(binding);
        let program = self.program.clone();
        let function = self.instances[id.0 as usize].function.clone();
        let Some(body) = &program.function(function.at).body else {
            return crate::violation::unsupported(format!("the function `{}`", function.name));
        };
        if inst == Inst::NONE {
            let Some(entry) = body.entry_block() else {
                return crate::violation::unsupported(format!("the empty function `{}`", function.name));
            };
            let bind = self.bind_id(bindings);
            return self.translate_block(id, entry, bind);
        }
        let block = body.inst_block(inst);
        // Keep only the bindings that are live after the instruction.
        let opened = &function.opened;
        bindings.retain(|b| {
            let is_out = opened.live_out.get(&block).is_some_and(|ids| ids.contains(&b.id));
            is_out
                || opened
                    .last_use
                    .get(&(block, b.id))
                    .is_some_and(|&last| last != inst && body.inst_precedes(inst, last))
        });
        bindings.sort_by_key(|b| b.id.as_u32());
        let bind = self.bind_id(bindings);
        if let Some(found) = self.instances[id.0 as usize].tails.get(&(inst, bind)) {
            return Ok(*found);
        }
        let pc = self.code.len() as Pc;
        self.instances[id.0 as usize].tails.insert((inst, bind), pc);
        let next = body.next_inst(inst);
        let mut t = self.translator(id, bind);
        t.after_open(body, inst)?;
        t.instructions(body, next)?;
        self.frame_grew(id)?;
        Ok(pc)
    }

    /// Returns the bindings that are live in a block.
    fn live_bindings(&mut self, id: InstanceId, block: Block, bind: BindId) -> BindId {
        if bind.0 == 0 {
            return bind;
        }
        let function = self.instances[id.0 as usize].function.clone();
        let live = function.opened.live_in.get(&block);
        let all = self.binds[bind.0 as usize].clone();
        let kept: Vec<Binding> =
            all.iter().filter(|b| live.is_some_and(|ids| ids.contains(&b.id))).cloned().collect();
        if kept.len() == all.len() { bind } else { self.bind_id(kept) }
    }

    /// Translates the block of a lazy site, and patches the operation that led there.
    pub(crate) fn translate_lazy(&mut self, site: u32) -> Run<Pc> {
        let of = self.sites.lazy[site as usize].clone();
        let here = self.pc;
        let to = self.translate_block(of.instance, of.block, of.bind)?;
        self.code[here as usize] = Op::Jump { to };
        if let Some((from, branch)) = of.from {
            self.mend(from, branch, here, to);
        }
        Ok(to)
    }

    /// Redirects a branch past the jump at `stub`.
    fn mend(&mut self, from: Pc, branch: Branch, stub: Pc, target: Pc) {
        if let Branch::Table(table, at) = branch {
            let table = &mut self.sites.switches[table as usize];
            let entry = if at == usize::MAX { &mut table.default } else { &mut table.targets[at] };
            if *entry == stub {
                *entry = target;
            }
            return;
        }
        let is_first = matches!(branch, Branch::First);
        match &mut self.code[from as usize] {
            Op::JumpIf { then: first, otherwise: second, .. }
            | Op::JumpIfZero { zero: first, other: second, .. }
            | Op::JumpIfZeroByte { zero: first, other: second, .. } => {
                let way = if is_first { first } else { second };
                if *way == stub {
                    *way = target;
                }
            }
            _ => {}
        }
    }
}

impl Translator<'_, '_> {
    /// Allocates slots for the arguments of a function before its first block is translated.
    fn prepare(&mut self, body: &Body) -> Run<()> {
        if self.it.instances[self.id.0 as usize].is_prepared {
            return Ok(());
        }
        self.it.instances[self.id.0 as usize].is_prepared = true;
        for &argument in body.entry_arguments() {
            let (ty, is_address) = self.type_of(body, argument)?;
            let size = if is_address { 8 } else { self.size(ty)? };
            let slot = self.allocate_slot(size);
            self.instance_mut().slots[argument.as_u32() as usize] = slot;
        }
        self.prepare_moves(body);
        self.prepare_kept_closures(body);
        self.prepare_dependences(body);
        Ok(())
    }

    pub(crate) fn instance_mut(&mut self) -> &mut Instance {
        &mut self.it.instances[self.id.0 as usize]
    }

    /// Translates instructions to the end of their block.
    fn instructions(&mut self, body: &Body, first: Option<Inst>) -> Run<()> {
        let enter = self.it.code.len();
        self.inst = first.unwrap_or(Inst::NONE);
        self.emit(Op::Enter { count: 0 });
        if self.function.is_raw
            && let Some(block) = first.map(|inst| body.inst_block(inst))
            && body.first_inst(block) == first
        {
            body.arguments(block).iter().for_each(|&argument| self.note_defined(argument));
            if body.entry_block() == Some(block) {
                self.clear_kept_closures();
            }
        }
        let mut count = 0;
        let mut next = first;
        while let Some(inst) = next {
            self.inst = inst;
            count += 1;
            self.observe(body, inst);
            if self.function.is_raw && body.is_terminator(inst) {
                self.end_before_join(body, body.inst_block(inst))?;
                self.release_kept_closures(body, inst)?;
            }
            let translated = self.instruction(body, inst);
            match translated {
                Ok(()) if self.function.is_raw && self.is_open => {
                    body.results(inst).for_each(|value| self.note_defined(value));
                }
                Ok(()) => {}
                Err(stop @ (Stop::Unsupported(_) | Stop::Missing { .. })) => {
                    self.it.sites.stops.push(stop);
                    let what = self.it.sites.stops.len() as u32 - 1;
                    self.emit(Op::Unsupported { what });
                    self.is_open = false;
                }
                Err(other) => return Err(other),
            }
            if !self.is_open {
                break;
            }
            next = body.next_inst(inst);
        }
        self.it.code[enter] = Op::Enter { count };
        if self.function.is_coroutine && self.instance_mut().frame_size > crate::frame::SEGMENT {
            return crate::violation::unsupported("a coroutine with values of more than 64 KiB");
        }
        if self.is_open {
            let what = format!("the function `{}`, in which a block has no terminator,", self.function.name);
            return crate::violation::unsupported(what);
        }
        Ok(())
    }

    // ---- emitting ----

    pub(crate) fn emit(&mut self, op: Op) -> Pc {
        let pc = self.it.code.len() as Pc;
        self.it.code.push(op);
        self.it.origins.push((self.id, self.inst));
        pc
    }

    /// Emits an operation that counts the following instruction, if instruments are enabled.
    fn observe(&mut self, body: &Body, inst: Inst) {
        let id = self.id;
        let Some(instruments) = &mut self.it.instruments else { return };
        let is_first = body.entry_block().and_then(|block| body.first_inst(block)) == Some(inst);
        let site = instruments.site(id, inst, is_first);
        self.emit(Op::Observe { site });
    }

    /// Adds a string to the pool.
    pub(crate) fn text(&mut self, text: impl Into<String>) -> u32 {
        self.it.sites.texts.push(text.into());
        self.it.sites.texts.len() as u32 - 1
    }

    /// Allocates a slot in the frame.
    pub(crate) fn allocate_slot(&mut self, size: u32) -> Slot {
        // A frame that is too large is reported when the block is translated.
        let instance = self.instance_mut();
        let slot = instance.frame_size.min(crate::limits::MAX_FRAME);
        instance.frame_size = slot.saturating_add(size.min(crate::limits::MAX_FRAME).next_multiple_of(8));
        slot
    }

    /// Copies bytes within the frame.
    pub(crate) fn copy(&mut self, to: Slot, from: Slot, len: u32) {
        match len {
            0 => {}
            _ if to == from => {}
            1 => {
                self.emit(Op::Copy1 { to, from });
            }
            8 => {
                self.emit(Op::Copy8 { to, from });
            }
            16 => {
                self.emit(Op::Copy16 { to, from });
            }
            _ => {
                self.emit(Op::Copy { to, from, len });
            }
        }
    }

    /// Copies several values in parallel.
    pub(crate) fn copies(&mut self, moves: Vec<Move>) {
        let moves: Vec<Move> = moves.into_iter().filter(|m| m.len > 0 && m.from != m.to).collect();
        let overlaps = |a: &Move, b: &Move| a.to < b.from + b.len && b.from < a.to + a.len;
        let is_ordered =
            moves.iter().enumerate().all(|(i, m)| moves[i + 1..].iter().all(|later| !overlaps(m, later)));
        if is_ordered {
            for m in moves {
                self.copy(m.to, m.from, m.len);
            }
        } else {
            self.it.sites.moves.push(moves.into());
            let list = self.it.sites.moves.len() as u32 - 1;
            self.emit(Op::Move { list });
        }
    }

    /// Emits a stub that translates a block when it is first reached.
    pub(crate) fn lazy(&mut self, block: Block, from: Option<(Pc, Branch)>) -> Pc {
        let bind = self.bind;
        let live = self.it.live_bindings(self.id, block, bind);
        if let Some(&known) = self.it.instances[self.id.0 as usize].versions.get(&(block, live)) {
            return known;
        }
        self.it.sites.lazy.push(LazySite { instance: self.id, block, bind, from });
        let site = self.it.sites.lazy.len() as u32 - 1;
        self.emit(Op::Lazy { site })
    }

    /// Continues with a block: passes its arguments, then jumps.
    pub(crate) fn go_to(&mut self, block: Block, moves: Vec<Move>) {
        self.copies(moves);
        let here = self.it.code.len() as Pc;
        let to = self.lazy(block, None);
        if to != here {
            self.emit(Op::Jump { to });
        }
    }

    /// Emits the edge to a block out of line, for a branch operation. Returns the start of the emitted code.
    pub(crate) fn way_to(&mut self, block: Block, moves: Vec<Move>, from: Pc, branch: Branch) -> Pc {
        let moves: Vec<Move> = moves.into_iter().filter(|m| m.len > 0 && m.from != m.to).collect();
        if moves.is_empty() {
            return self.lazy(block, Some((from, branch)));
        }
        let here = self.it.code.len() as Pc;
        self.go_to(block, moves);
        here
    }

    pub(crate) fn type_id(&mut self, ty: Ty) -> Run<TypeId> {
        self.it.type_id(ty)
    }

    pub(crate) fn size(&mut self, ty: Ty) -> Run<u32> {
        let id = self.it.type_id(ty)?;
        Ok(self.it.types.get(id).size)
    }

    /// Returns the name of the function, for messages.
    pub(crate) fn name(&self) -> Symbol {
        self.function.name
    }
}

/// Returns true if a body uses `undef`.
fn uses_undef(body: &Body) -> bool {
    let is_undef = |value| matches!(body.def(value), silkit_ir::ValueDef::Undef);
    body.insts().any(|inst| body.operands(inst).iter().any(|operand| is_undef(operand.value)))
}
