//! Builtins.

use super::Translator;
use crate::builtin_names::{self as names, Name};
use crate::op::{IntOp, Op, Slot};
use crate::sites::{BuiltinSite, Move, VectorSite};
use crate::violation::{Run, unsupported};
use silkit_ir::instructions::{Builtin, IntegerLiteral};
use silkit_ir::{Body, Inst, Value};
use silkit_layout::{Ty, TyKind};

impl Translator<'_, '_> {
    pub(super) fn builtin(&mut self, body: &Body, inst: Inst, i: Builtin<'_>) -> Run<()> {
        let name = names::parse(i.name.as_str());
        if name.base != "freeze" {
            i.args.iter().for_each(|value| self.require_defined(body, value));
        }
        if name.is_vector()
            || matches!(name.base, "extractelement" | "insertelement" | "shufflevector" | "select")
        {
            return self.vector_builtin(body, inst, i, &name);
        }
        if self.arithmetic(body, inst, i, &name)?
            || self.conversion(body, inst, i, &name)?
            || self.float_builtin(body, inst, i, &name)?
            || self.constant_builtin(body, inst, i, &name)?
            || self.marker_builtin(body, inst, i, &name)?
            || self.async_builtin(body, inst, i, &name)?
        {
            return Ok(());
        }
        match crate::runtime::builtin(name.base) {
            Some(run) => self.builtin_site(body, inst, i, &name, run),
            None => unsupported(format!("the builtin `{}`", i.name)),
        }
    }

    pub(super) fn builtin_site(
        &mut self,
        body: &Body,
        inst: Inst,
        i: Builtin<'_>,
        name: &Name<'_>,
        run: crate::native::BuiltinFn,
    ) -> Run<()> {
        if i.args.len() < crate::runtime::least_operands(name.base) {
            return unsupported(format!("the builtin `{}` with too few operands", i.name));
        }
        let mut types = self.formal_all(i.subs.iter())?;
        types.extend(name.types.iter().copied());
        // The type of zeroed memory is that of its address.
        if name.base == "zeroInitializer"
            && let Some(address) = i.args.get(0)
        {
            types.insert(0, self.type_of(body, address)?.0);
        }
        let mut args = Vec::new();
        for value in i.args.iter() {
            args.push(self.use_value(body, value)?);
        }
        let to = self.result(body, inst)?;
        self.builtin_op(BuiltinSite { run, name: i.name, types: types.into(), args: args.into(), to });
        Ok(())
    }

    fn builtin_op(&mut self, site: BuiltinSite) {
        self.it.sites.builtins.push(std::rc::Rc::new(site));
        let site = self.it.sites.builtins.len() as u32 - 1;
        self.emit(Op::Builtin { site });
    }

    fn two(&mut self, body: &Body, i: Builtin<'_>) -> Run<(Slot, Slot)> {
        match i.args.to_vec()[..] {
            [a, b, ..] => Ok((self.use_value(body, a)?, self.use_value(body, b)?)),
            _ => unsupported(format!("the builtin `{}` without two operands", i.name)),
        }
    }

    fn one(&mut self, body: &Body, i: Builtin<'_>) -> Run<(Slot, Value)> {
        match i.args.get(0) {
            Some(a) => Ok((self.use_value(body, a)?, a)),
            None => unsupported(format!("the builtin `{}` without an operand", i.name)),
        }
    }

    fn arithmetic(&mut self, body: &Body, inst: Inst, i: Builtin<'_>, name: &Name<'_>) -> Run<bool> {
        let op = match name.base {
            "is_same_metatype" => Some(IntOp::Eq),
            base => names::int_op(base),
        };
        if let Some(op) = op
            && let Some(bits) = name.int(0).or((name.base == "is_same_metatype").then_some(64))
        {
            let (a, b) = self.two(body, i)?;
            let to = self.result(body, inst)?;
            self.emit(match (op, bits) {
                (IntOp::SAddO, 64) => Op::AddO64 { to, a, b },
                (IntOp::SSubO, 64) => Op::SubO64 { to, a, b },
                (IntOp::Add, 64) => Op::Add64 { to, a, b },
                (IntOp::And, 64) => Op::And64 { to, a, b },
                (IntOp::Eq, 64) => Op::Eq64 { to, a, b },
                (IntOp::Slt, 64) => Op::Slt64 { to, a, b },
                (IntOp::Ult, 64) => Op::Ult64 { to, a, b },
                (op, bits) => Op::Int { op, bits, to, a, b },
            });
            return Ok(true);
        }
        if let (Some(op), Some(bits)) = (names::int_unary(name.base), name.int(0)) {
            let (a, _) = self.one(body, i)?;
            let to = self.result(body, inst)?;
            self.check_counted(body, i, name)?;
            self.emit(Op::Unary { op, bits, to, a });
            return Ok(true);
        }
        Ok(false)
    }

    /// Emits the check of an operation that counts zeros, whose second operand tells whether zero is excluded.
    fn check_counted(&mut self, body: &Body, i: Builtin<'_>, name: &Name<'_>) -> Run<()> {
        let (Some(value), Some(excluded)) = (i.args.get(0), i.args.get(1)) else { return Ok(()) };
        let is_false = body.def_as::<IntegerLiteral>(excluded).is_some_and(|literal| literal.value == "0");
        if is_false || !matches!(name.base, "int_ctlz" | "int_cttz") {
            return Ok(());
        }
        let args = [self.use_value(body, value)?, self.use_value(body, excluded)?];
        let run = crate::runtime::nonzero_if;
        let types = name.types.clone().into();
        self.builtin_op(BuiltinSite { run, name: i.name, types, args: args.into(), to: 0 });
        Ok(())
    }

    fn conversion(&mut self, body: &Body, inst: Inst, i: Builtin<'_>, name: &Name<'_>) -> Run<bool> {
        let signed = match name.base {
            "sext" | "sextOrBitCast" => true,
            "trunc" | "truncOrBitCast" | "zext" | "zextOrBitCast" => false,
            "ptrtoint" | "inttoptr" => {
                let bits = name.int(0).unwrap_or(64);
                let (from, operand) = self.one(body, i)?;
                if bits == 64 {
                    self.forward(body, inst, operand)?;
                } else {
                    let to = self.result(body, inst)?;
                    let (from_bits, to_bits) = if name.base == "ptrtoint" { (64, bits) } else { (bits, 64) };
                    self.emit(Op::Resize { signed: false, from_bits, to_bits, to, from });
                }
                return Ok(true);
            }
            "bitcast" => {
                let (from, operand) = self.one(body, i)?;
                let len = self.len_of(body, operand)?;
                let to = self.result(body, inst)?;
                self.copy(to, from, len);
                return Ok(true);
            }
            base => {
                let (source, rest) = match base.split_once("_to_") {
                    Some(("s", rest)) => (true, rest),
                    Some(("u", rest)) => (false, rest),
                    _ => return Ok(false),
                };
                let target = match rest {
                    "s_checked_trunc" => true,
                    "u_checked_trunc" => false,
                    _ => return Ok(false),
                };
                let (Some(from_bits), Some(to_bits)) = (name.int(0), name.int(1)) else { return Ok(false) };
                let (from, _) = self.one(body, i)?;
                let to = self.result(body, inst)?;
                self.emit(Op::CheckedTrunc {
                    from_signed: source,
                    to_signed: target,
                    from_bits,
                    to_bits,
                    to,
                    from,
                });
                return Ok(true);
            }
        };
        let (Some(from_bits), Some(to_bits)) = (name.int(0), name.int(1)) else { return Ok(false) };
        let (from, operand) = self.one(body, i)?;
        if from_bits == to_bits {
            self.forward(body, inst, operand)?;
            return Ok(true);
        }
        let to = self.result(body, inst)?;
        self.emit(Op::Resize { signed, from_bits, to_bits, to, from });
        Ok(true)
    }

    fn float_builtin(&mut self, body: &Body, inst: Inst, i: Builtin<'_>, name: &Name<'_>) -> Run<bool> {
        if let (Some(op), Some(bits)) = (names::float_op(name.base), name.float(0)) {
            let (a, b) = self.two(body, i)?;
            let to = self.result(body, inst)?;
            self.emit(Op::Float { op, bits, to, a, b });
            return Ok(true);
        }
        if let (Some(op), Some(bits)) = (names::float_unary(name.base), name.float(0)) {
            let (a, _) = self.one(body, i)?;
            let to = self.result(body, inst)?;
            self.emit(Op::FloatUnary { op, bits, to, a });
            return Ok(true);
        }
        if let (Some(op), Some(bits)) = (names::float_cmp(name.base), name.float(0)) {
            let (a, b) = self.two(body, i)?;
            let to = self.result(body, inst)?;
            self.emit(Op::FloatCmp { op, bits, to, a, b });
            return Ok(true);
        }
        let op = match name.base {
            "fptrunc" | "fpext" => match (name.float(0), name.float(1)) {
                (Some(from_bits), Some(to_bits)) => Op::FloatResize { from_bits, to_bits, to: 0, from: 0 },
                _ => return Ok(false),
            },
            "fptosi" | "fptoui" => match (name.float(0), name.int(1)) {
                (Some(from_bits), Some(to_bits)) => {
                    Op::FloatToInt { signed: name.base == "fptosi", from_bits, to_bits, to: 0, from: 0 }
                }
                _ => return Ok(false),
            },
            "sitofp" | "uitofp" | "itofp_with_overflow" => match (name.int(0), name.float(1)) {
                (Some(from_bits), Some(to_bits)) => {
                    Op::IntToFloat { signed: name.base != "uitofp", from_bits, to_bits, to: 0, from: 0 }
                }
                _ => return Ok(false),
            },
            "int_fma" | "int_fmuladd" => return self.fma(body, inst, i, name),
            _ => return Ok(false),
        };
        let (operand, _) = self.one(body, i)?;
        let result = self.result(body, inst)?;
        self.emit(match op {
            Op::FloatResize { from_bits, to_bits, .. } => {
                Op::FloatResize { from_bits, to_bits, to: result, from: operand }
            }
            Op::FloatToInt { signed, from_bits, to_bits, .. } => {
                Op::FloatToInt { signed, from_bits, to_bits, to: result, from: operand }
            }
            Op::IntToFloat { signed, from_bits, to_bits, .. } => {
                Op::IntToFloat { signed, from_bits, to_bits, to: result, from: operand }
            }
            other => other,
        });
        Ok(true)
    }

    fn fma(&mut self, body: &Body, inst: Inst, i: Builtin<'_>, name: &Name<'_>) -> Run<bool> {
        let Some(bits) = name.float(0) else { return Ok(false) };
        let mut operands = Vec::new();
        for value in i.args.iter() {
            operands.push(Move { from: self.use_value(body, value)?, to: 0, len: 0 });
        }
        let to = self.result(body, inst)?;
        self.it.sites.moves.push(operands.into());
        let args = self.it.sites.moves.len() as u32 - 1;
        self.emit(Op::FloatFma { bits, args, to });
        Ok(true)
    }

    /// Translates builtins whose result depends only on types.
    fn constant_builtin(&mut self, body: &Body, inst: Inst, i: Builtin<'_>, name: &Name<'_>) -> Run<bool> {
        if name.base == "zeroInitializer" {
            let to = self.result(body, inst)?;
            let Some(value) = body.first_result(inst) else { return Ok(true) };
            let len = self.len_of(body, value)?;
            if i.args.is_empty() {
                self.emit(Op::Zero { to, len });
                return Ok(true);
            }
            return Ok(false);
        }
        let value = match name.base {
            "sizeof" | "strideof" | "alignof" | "ispod" | "isbitwisetakable" | "canBeClass"
            | "isOptional" | "isConcrete" => {
                let types = self.formal_all(i.subs.iter())?;
                let ty = match (types.first(), i.args.get(0)) {
                    (Some(ty), _) => *ty,
                    (None, Some(metatype)) => match self.type_of(body, metatype)?.0.kind() {
                        TyKind::ThinMetatype(ty) | TyKind::Metatype(ty) => *ty,
                        _ => return Ok(false),
                    },
                    _ => return Ok(false),
                };
                self.type_fact(name.base, ty)?
            }
            "assert_configuration" => u64::from(!self.program_is_raw()),
            "int_is_constant" => 0,
            "typePtrAuthDiscriminator" => 0,
            "targetOSVersionAtLeast" | "targetVariantOSVersionAtLeast" => 1,
            _ => return Ok(false),
        };
        let to = self.result(body, inst)?;
        let Some(result) = body.first_result(inst) else { return Ok(true) };
        let len = self.len_of(body, result)?;
        self.bytes_constant(to, &value.to_le_bytes()[..len.min(8) as usize]);
        Ok(true)
    }

    /// Returns true if the main module is raw SIL, in which `assert_configuration` is not replaced yet.
    fn program_is_raw(&self) -> bool {
        use silkit_layout::ModuleId;
        self.program.module(ModuleId(0)).info.sil.stage == Some(silkit_ir::SilStage::Raw)
    }

    fn type_fact(&mut self, name: &str, ty: Ty) -> Run<u64> {
        let info = self.it.info(ty)?;
        Ok(match name {
            "sizeof" => u64::from(info.size),
            "strideof" => u64::from(info.stride),
            "alignof" => u64::from(info.align),
            "ispod" => u64::from(info.layout.trivial),
            "isbitwisetakable" => u64::from(info.layout.takable),
            "isOptional" => u64::from(ty.optional_payload().is_some()),
            "canBeClass" => u64::from(self.it.is_single_reference(ty)),
            _ => 1,
        })
    }

    /// Translates builtins that forward an operand or have no effect.
    fn marker_builtin(&mut self, body: &Body, inst: Inst, i: Builtin<'_>, name: &Name<'_>) -> Run<bool> {
        match name.base {
            "int_expect"
            | "freeze"
            | "COWBufferForReading"
            | "globalStringTablePointer"
            | "unsafeGuaranteed" => {
                let (_, operand) = self.one(body, i)?;
                self.forward(body, inst, operand)?;
            }
            "onFastPath"
            | "conditionallyUnreachable"
            | "staticReport"
            | "willThrow"
            | "fence"
            | "unsafeGuaranteedEnd"
            | "ifdef"
            | "poundAssert"
            | "int_donothing" => {
                self.result(body, inst)?;
            }
            "condfail_message" => {
                let (condition, _) = self.one(body, i)?;
                let message = self.text("a condition failed");
                self.result(body, inst)?;
                self.emit(Op::CondFail { condition, message });
            }
            "int_trap" => {
                self.result(body, inst)?;
                let message = self.text("a trap was executed");
                self.emit(Op::Trap { message });
            }
            "unreachable" => {
                self.result(body, inst)?;
                self.emit(Op::Unreachable);
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn vector_builtin(&mut self, body: &Body, inst: Inst, i: Builtin<'_>, name: &Name<'_>) -> Run<()> {
        let mut args = Vec::new();
        for value in i.args.iter() {
            let slot = self.use_value(body, value)?;
            args.push((slot, self.len_of(body, value)?));
        }
        let to = self.result(body, inst)?;
        let Some(value) = body.first_result(inst) else { return Ok(()) };
        let len = self.len_of(body, value)?;
        let base = silkit_base::Symbol::new(name.base);
        self.it.sites.vectors.push(VectorSite {
            name: base,
            types: name.types.clone().into(),
            args: args.into(),
            to,
            len,
        });
        let site = self.it.sites.vectors.len() as u32 - 1;
        self.emit(Op::Vector { site });
        Ok(())
    }
}
