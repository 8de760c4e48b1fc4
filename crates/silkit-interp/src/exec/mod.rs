//! Execution of operations.

mod access;
mod calls;
mod closures;
mod coroutines;
mod counts;
mod empties;
mod enums;
mod existentials;
mod faults;
mod floats;
mod ints;
mod memory;
mod methods;
mod objects;
mod tasks;

pub(crate) use counts::word;
pub(crate) use floats::Number;
pub(crate) use ints::{compute as compute_int, int_size, sign_extend, truncate};

use crate::frame::StackOrder;
use crate::interp::Interp;
use crate::op::{IntOp, Op, Pc};
use crate::violation::{Run, Stop};

/// The continuation after an operation.
pub(crate) enum Next {
    /// Continue with the next operation.
    Continue,
    /// Continue at another operation.
    Goto(Pc),
    /// Return to the interpreter's own code.
    Leave,
}

impl Interp<'_> {
    /// Executes operations until the call that the interpreter started returns.
    pub(crate) fn run(&mut self, entry: Pc) -> Run<()> {
        let mut pc = entry;
        loop {
            self.pc = pc;
            let op = self.code[pc as usize];
            pc += 1;
            match op {
                Op::Enter { count } => {
                    self.steps += u64::from(count);
                    if self.steps > self.options.limit {
                        return Err(Stop::Limit);
                    }
                }
                Op::Jump { to } => pc = to,
                Op::JumpIf { condition, then, otherwise } => {
                    pc = if self.get_byte(condition) & 1 != 0 { then } else { otherwise };
                }
                Op::JumpIfZero { word, zero, other } => pc = if self.get(word) == 0 { zero } else { other },
                Op::JumpIfZeroByte { byte, zero, other } => {
                    pc = if self.get_byte(byte) == 0 { zero } else { other };
                }
                Op::Const8 { to, low, high } => self.set(to, u64::from(low) | u64::from(high) << 32),
                Op::Const1 { to, value } => self.set_byte(to, value),
                Op::Copy8 { to, from } => {
                    let value = self.get(from);
                    self.set(to, value);
                }
                Op::Copy16 { to, from } => {
                    let (low, high) = (self.get(from), self.get(from + 8));
                    self.set(to, low);
                    self.set(to + 8, high);
                }
                Op::Copy1 { to, from } => {
                    let value = self.get_byte(from);
                    self.set_byte(to, value);
                }
                Op::AddO64 { to, a, b } => {
                    let (sum, overflow) = (self.get(a) as i64).overflowing_add(self.get(b) as i64);
                    self.set(to, sum as u64);
                    self.set_byte(to + 8, u8::from(overflow));
                }
                Op::SubO64 { to, a, b } => {
                    let (sum, overflow) = (self.get(a) as i64).overflowing_sub(self.get(b) as i64);
                    self.set(to, sum as u64);
                    self.set_byte(to + 8, u8::from(overflow));
                }
                Op::Add64 { to, a, b } => {
                    let sum = self.get(a).wrapping_add(self.get(b));
                    self.set(to, sum);
                }
                Op::And64 { to, a, b } => {
                    let both = self.get(a) & self.get(b);
                    self.set(to, both);
                }
                Op::Eq64 { to, a, b } => {
                    let is_equal = self.get(a) == self.get(b);
                    self.set_byte(to, u8::from(is_equal));
                }
                Op::Slt64 { to, a, b } => {
                    let is_less = (self.get(a) as i64) < self.get(b) as i64;
                    self.set_byte(to, u8::from(is_less));
                }
                Op::Ult64 { to, a, b } => {
                    let is_less = self.get(a) < self.get(b);
                    self.set_byte(to, u8::from(is_less));
                }
                Op::CondFail { condition, message } => {
                    if self.get_byte(condition) & 1 != 0 {
                        return Err(self.trap(message));
                    }
                }
                Op::AddAddress { to, from, offset } => {
                    let address = self.get(from).wrapping_add(u64::from(offset));
                    self.set(to, address);
                }
                Op::IndexAddress { to, base, index, stride } => {
                    let offset = self.get(index).wrapping_mul(u64::from(stride));
                    let address = self.get(base).wrapping_add(offset);
                    self.set(to, address);
                }
                Op::Load8 { to, address } => self.load8(to, address)?,
                Op::Store8 { from, address } => self.store8(from, address)?,
                Op::Load1 { to, address } => self.load1(to, address)?,
                Op::Store1 { from, address } => self.store1(from, address)?,
                Op::Retain { object } => self.retain(object)?,
                Op::Call { site } => pc = self.call(site, pc)?,
                Op::Return { from, len } => match self.return_from(from, len)? {
                    Some(to) => pc = to,
                    None => return Ok(()),
                },
                other => match self.step(other, pc)? {
                    Next::Continue => {}
                    Next::Goto(to) => pc = to,
                    Next::Leave => return Ok(()),
                },
            }
        }
    }

    /// Executes a less frequent operation.
    fn step(&mut self, op: Op, pc: Pc) -> Run<Next> {
        match op {
            Op::Observe { site } => self.observe(site),
            Op::ObserveStore { from, address, ty } => self.observe_store(from, address, ty),
            Op::Const { to, bytes } => {
                let at = self.base + to as usize;
                let from = &self.sites.bytes[bytes as usize];
                self.stack.bytes[at..at + from.len()].copy_from_slice(from);
            }
            Op::Zero { to, len } => self.bytes_mut(to, len).fill(0),
            Op::Copy { to, from, len } => {
                let at = self.base + from as usize;
                self.stack.bytes.copy_within(at..at + len as usize, self.base + to as usize);
            }
            Op::Move { list } => self.move_all(list),
            Op::Int { op, bits, to, a, b } => self.int(op, bits, to, a, b)?,
            Op::Unary { op, bits, to, a } => self.int_unary(op, bits, to, a),
            Op::Resize { signed, from_bits, to_bits, to, from } => {
                self.resize(signed, from_bits, to_bits, to, from);
            }
            Op::CheckedTrunc { from_signed, to_signed, from_bits, to_bits, to, from } => {
                self.checked_trunc((from_signed, from_bits), (to_signed, to_bits), to, from);
            }
            Op::Load { to, address, ty } => self.load(to, address, ty)?,
            Op::Store { from, address, ty } => self.store(from, address, ty)?,
            Op::LoadCopy { to, address, ty } => self.load_copy(to, address, ty)?,
            Op::LoadTake { to, address, ty } => self.load_take(to, address, ty)?,
            Op::CopyAddr { take, write, from, to, ty } => self.copy_addr(take, write, from, to, ty)?,
            Op::StoreAssign { write, from, address, ty } => self.store_assign(write, from, address, ty)?,
            Op::DestroyAddr { address, ty } => self.destroy_addr_op(address, ty)?,
            Op::DestroyIfAny { address, ty } => self.destroy_if_any(address, ty)?,
            Op::Release { object } => return self.release_op(object, pc),
            Op::RetainValue { value, ty } => self.retain_value_op(value, ty)?,
            Op::ReleaseValue { value, ty } => return self.release_value_op(value, ty, pc),
            Op::AllocStack { to, ty } => self.alloc_stack(to, ty, StackOrder::Nested)?,
            Op::AllocTemporary { to, ty } => self.alloc_stack(to, ty, StackOrder::Temporary)?,
            Op::DeallocStack { address } => self.dealloc_stack(address)?,
            Op::CallValue { site } => return self.call_value(site, pc).map(Next::Goto),
            Op::CallMethod { site } => return self.call_method(site, pc).map(Next::Goto),
            Op::CallNative { site } => return self.call_native(site, pc),
            Op::SwitchEnum { table, value } => return self.switch_enum(table, value).map(Next::Goto),
            Op::SwitchEnumAddr { table, address } => {
                return self.switch_enum_addr(table, address).map(Next::Goto);
            }
            Op::Inject { value, ty, case } => self.inject(value, ty, case),
            Op::Project { value, ty, case } => self.project(value, ty, case)?,
            Op::BeginAccess { site } => self.begin_access(site)?,
            Op::EndAccess { address } => self.end_access(address)?,
            Op::Open { site } => return self.open(site).map(Next::Goto),
            Op::Float { op, bits, to, a, b } => self.float(op, bits, to, a, b)?,
            Op::FloatCmp { op, bits, to, a, b } => self.float_cmp(op, bits, to, a, b),
            Op::Builtin { site } => return self.builtin(site, pc),
            other => return self.step_object(other, pc),
        }
        Ok(Next::Continue)
    }

    /// Executes an operation on objects or existentials.
    fn step_object(&mut self, op: Op, pc: Pc) -> Run<Next> {
        match op {
            Op::AllocRef { site } => self.alloc_ref(site)?,
            Op::AllocBox { to, site } => self.alloc_box(to, site)?,
            Op::AllocBytes { to, size, align } => self.alloc_bytes(to, size, align)?,
            Op::DeallocRef { object, stack } => self.dealloc_ref(object, stack)?,
            Op::DeallocPartial { object, metatype } => self.dealloc_partial(object, metatype)?,
            Op::DeallocBox { object } => self.dealloc_box(object)?,
            Op::AllocErrorBox { to, ty } => self.alloc_error_box(to, ty)?,
            Op::ProjectErrorBox { to, from } => self.project_error_box(to, from)?,
            Op::AllocGlobal { global } | Op::GlobalAddr { global, .. } => {
                let address = self.global_address(global)?;
                if let Op::GlobalAddr { to, .. } = op {
                    self.set(to, address);
                }
            }
            Op::UnownedRetain { object, change } => self.change_unowned(object, change)?,
            Op::StrongFromUnowned { to, from, ty } => self.strong_from_unowned(to, from, ty)?,
            Op::IsUnique { to, address } => self.is_unique(to, address)?,
            Op::IsUniqueValue { to, value } => self.is_unique_value(to, value)?,
            Op::LoadWeak { take, to, address, ty } => self.load_weak(take, to, address, ty)?,
            Op::StoreWeak { init, from, address, ty } => self.store_weak(init, from, address, ty)?,
            Op::LoadUnowned { take, to, address, ty } => self.load_unowned(take, to, address, ty)?,
            Op::StoreUnowned { init, from, address, ty } => self.store_unowned(init, from, address, ty)?,
            Op::InjectAddr { address, ty, case } => self.inject_addr(address, ty, case)?,
            Op::ProjectAddr { address, ty, case } => self.project_addr(address, ty, case)?,
            Op::SelectEnum { site, to } => self.select_enum(site, to)?,
            Op::InitExistential { tables, to, container, ty } => {
                self.init_existential(tables, to, container, ty)?
            }
            Op::DeinitExistential { container } => self.deinit_existential(container)?,
            Op::OpenPack { site } => return self.open_pack(site).map(Next::Goto),
            Op::DynamicType { site } => self.dynamic_type(site)?,
            Op::Cast { site } => return self.cast(site),
            Op::Closure { site } => self.make_closure(site)?,
            Op::MethodOf { site } => self.method_of(site)?,
            Op::TailAddress { site } => self.tail_address(site),
            Op::BindMemory { to } => self.set(to, 0),
            Op::PackElement { to, pack, index, set } => self.pack_element(to, pack, index, set)?,
            Op::Switch { table, value } => return self.switch_value(table, value).map(Next::Goto),
            Op::CheckCase { value, ty, case } => self.check_case(value, ty, case)?,
            Op::CheckCaseAddr { address, ty, case } => self.check_case_addr(address, ty, case)?,
            Op::WriteToReadOnly { message, is_access } => self.write_to_read_only(message, is_access)?,
            other => return self.step_rare(other, pc),
        }
        Ok(Next::Continue)
    }

    fn step_rare(&mut self, op: Op, pc: Pc) -> Run<Next> {
        match op {
            Op::Lazy { site } => return self.translate_lazy(site).map(Next::Goto),
            Op::Throw { from, len } => return self.throw(from, len),
            Op::Yield { site } => return self.yield_values(site),
            Op::BeginCoroutine { site } => return self.begin_coroutine(site, pc).map(Next::Goto),
            Op::EndApply { site, abort } => return self.end_apply(site, abort, pc).map(Next::Goto),
            Op::Unwind => return self.unwind(),
            Op::Trap { message } => return Err(self.trap(message)),
            Op::Unreachable => return Err(self.unreachable()),
            Op::Unsupported { what } => {
                return Err(self.sites.stops[what as usize].clone());
            }
            Op::Undef => self.undef()?,
            Op::FloatUnary { op, bits, to, a } => self.float_unary(op, bits, to, a)?,
            Op::FloatFma { bits, args, to } => self.float_fma(bits, args, to)?,
            Op::FloatResize { from_bits, to_bits, to, from } => {
                self.float_resize(from_bits, to_bits, to, from)
            }
            Op::FloatToInt { signed, from_bits, to_bits, to, from } => {
                self.float_to_int(signed, from_bits, to_bits, to, from)?;
            }
            Op::IntToFloat { signed, from_bits, to_bits, to, from } => {
                self.int_to_float(signed, from_bits, to_bits, to, from);
            }
            Op::Vector { site } => self.vector(site)?,
            Op::HoldsValue { to, address, ty } => {
                let address = self.get(address);
                let answer = self.holds_value(address, ty)?;
                self.set_byte(to, u8::from(answer));
            }
            Op::BeginUnpaired { site } => self.begin_unpaired(site)?,
            Op::EndUnpaired { buffer } => self.end_unpaired(buffer)?,
            Op::KeyPath { site } => self.key_path(site)?,
            Op::GetContinuation { site } => self.get_continuation(site)?,
            Op::AwaitContinuation { site } => return self.await_continuation(site),
            Op::Hop { executor } => return self.hop(executor, pc),
            Op::Nop => {}
            other => return Err(Stop::Unsupported(format!("operation {other:?}"))),
        }
        Ok(Next::Continue)
    }

    /// Copies several values in parallel: all sources are read before any destination is written.
    fn move_all(&mut self, list: u32) {
        let moves = &self.sites.moves[list as usize];
        let total: usize = moves.iter().map(|m| m.len as usize).sum();
        let mut buffer = [0u8; 256];
        if total <= buffer.len() {
            let mut at = 0;
            for m in moves {
                let from = self.base + m.from as usize;
                let len = m.len as usize;
                buffer[at..at + len].copy_from_slice(&self.stack.bytes[from..from + len]);
                at += len;
            }
            at = 0;
            for m in moves {
                let to = self.base + m.to as usize;
                let len = m.len as usize;
                self.stack.bytes[to..to + len].copy_from_slice(&buffer[at..at + len]);
                at += len;
            }
            return;
        }
        let copies: Vec<(Vec<u8>, u32)> = moves
            .iter()
            .map(|m| {
                let from = self.base + m.from as usize;
                (self.stack.bytes[from..from + m.len as usize].to_vec(), m.to)
            })
            .collect();
        for (bytes, to) in copies {
            let to = self.base + to as usize;
            self.stack.bytes[to..to + bytes.len()].copy_from_slice(&bytes);
        }
    }

    /// Returns true if an integer operation also returns an overflow flag.
    pub(crate) fn has_overflow(op: IntOp) -> bool {
        use IntOp as I;
        matches!(op, I::SAddO | I::UAddO | I::SSubO | I::USubO | I::SMulO | I::UMulO)
    }
}

/// Evaluates a floating-point comparison by its builtin name. Returns `None` if the name is not a comparison.
pub(crate) fn float_holds(name: &str, bits: u8, a: u128, b: u128) -> Option<bool> {
    let op = crate::builtin_names::float_cmp(name)?;
    Some(floats::holds(op, Number::from_bits(bits, a).compare(Number::from_bits(bits, b))))
}

/// Evaluates a floating-point operation by its builtin name. Returns `None` if the name is not an operation.
pub(crate) fn compute_float(name: &str, bits: u8, a: u128, b: u128) -> Option<u128> {
    let (a, b) = (Number::from_bits(bits, a), Number::from_bits(bits, b));
    let value = match crate::builtin_names::float_op(name) {
        Some(op) => floats::compute(op, a, b)?,
        None => floats::compute_unary(crate::builtin_names::float_unary(name)?, a)?,
    };
    Some(value.to_bits())
}
