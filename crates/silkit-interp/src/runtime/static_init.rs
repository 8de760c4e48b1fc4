//! Static initializers of global variables.

use crate::exec::{compute_int, int_size};
use crate::interp::Interp;
use crate::memory::Kind;
use crate::sites::CodeTarget;
use crate::types::type_error;
use crate::violation::{Run, unsupported};
use silkit_base::Symbol;
use silkit_ir::instructions::AnyInst;
use silkit_ir::{Body, Inst, Value, ValueDef};
use silkit_layout::{Env, ModuleId, Ty, TyKind};
use silkit_types::SilType;
use std::rc::Rc;

/// The static initializer to be evaluated, and its module.
struct Evaluation<'a> {
    body: &'a Body,
    module: ModuleId,
}

impl Interp<'_> {
    /// Creates a global variable with its initial value.
    pub(super) fn initialized_global(&mut self, module: ModuleId, ty: Ty, body: &Body) -> Run<u64> {
        let evaluation = Evaluation { body, module };
        let last = body.entry_block().and_then(|b| body.block_insts(b).last());
        let Some(inst) = last else { return unsupported("an empty initializer") };
        if let AnyInst::Object(object) = body.view(inst) {
            let elements = object.elements.to_vec();
            return self.static_object(&evaluation, object.ty, object.base_count, &elements);
        }
        let Some(value) = body.first_result(inst) else {
            return unsupported("an initializer without a value");
        };
        let info = self.info(ty)?;
        let address =
            self.allocate(Kind::Global, u64::from(info.size), u64::from(info.align), ty.as_u32())?;
        let bytes = self.evaluate(&evaluation, value)?;
        self.c_write(address, &bytes[..info.size as usize])?;
        Ok(address)
    }

    fn static_type(&self, e: &Evaluation<'_>, ty: SilType) -> Run<Ty> {
        self.world().resolve(ty.ty(), &Env::top(e.module), true).map_err(type_error)
    }

    fn static_object(
        &mut self,
        e: &Evaluation<'_>,
        ty: SilType,
        base_count: Option<u32>,
        elements: &[Value],
    ) -> Run<u64> {
        let class = self.static_type(e, ty)?;
        let layout = self.world().class_layout(class).map_err(type_error)?;
        let base = base_count.map_or(elements.len(), |n| n as usize);
        let (fields, tail) = elements.split_at(base.min(elements.len()));
        let mut parts: Vec<(u64, Vec<u8>)> = Vec::new();
        for (field, &value) in layout.fields.iter().zip(fields) {
            parts.push((field.offset, self.evaluate(e, value)?));
        }
        let mut end = layout.size;
        for &value in tail {
            let ty = self.value_type(e, value)?;
            let info = self.info(ty)?;
            end = end.next_multiple_of(u64::from(info.align));
            let bytes = self.evaluate(e, value)?;
            parts.push((end, bytes));
            end += u64::from(info.stride);
        }
        let object = self.new_object(class, end, layout.align)?;
        for (offset, bytes) in parts {
            self.c_write(object + offset, &bytes)?;
        }
        self.make_immortal(object);
        Ok(object)
    }

    fn value_type(&self, e: &Evaluation<'_>, value: Value) -> Run<Ty> {
        let ty = e.body.value(value).ty;
        if ty.is_unknown() {
            return unsupported("an initializer with a value of unknown type");
        }
        self.static_type(e, ty)
    }

    /// Evaluates a value and returns its bytes.
    fn evaluate(&mut self, e: &Evaluation<'_>, value: Value) -> Run<Vec<u8>> {
        let ValueDef::Result(inst, index) = e.body.def(value) else {
            return unsupported("an initializer that uses an undefined value");
        };
        match e.body.view(inst) {
            AnyInst::IntegerLiteral(i) => {
                let ty = self.static_type(e, i.ty)?;
                let size = self.info(ty)?.size as usize;
                let value = crate::translate::integer(i.value.as_str()).unwrap_or(0);
                let value = match ty.kind() {
                    TyKind::Builtin(silkit_layout::Builtin::Int(bits)) => {
                        crate::exec::truncate(value, *bits as u8)
                    }
                    _ => value,
                };
                Ok(value.to_le_bytes()[..size].to_vec())
            }
            AnyInst::FloatLiteral(i) => {
                let ty = self.static_type(e, i.ty)?;
                let size = self.info(ty)?.size as usize;
                let digits = i.value.as_str().trim_start_matches("0x");
                let bits = u128::from_str_radix(digits, 16).unwrap_or(0);
                Ok(bits.to_le_bytes()[..size].to_vec())
            }
            AnyInst::StringLiteral(i) => {
                use silkit_ir::instructions::StringEncoding as E;
                let (kind, bytes) = match i.encoding {
                    E::Bytes => (1, crate::translate::hexadecimal(i.value.as_str())),
                    _ => (0, silkit_ir::unescape(i.value.as_str())),
                };
                self.literal(kind, i.value, &bytes).map(|a| a.to_le_bytes().to_vec())
            }
            AnyInst::Struct(i) => {
                let ty = self.static_type(e, i.ty)?;
                self.static_aggregate(e, ty, &i.elements.to_vec())
            }
            AnyInst::Tuple(i) => {
                let ty = match i.ty {
                    Some(ty) => self.static_type(e, ty)?,
                    None => self.value_type(e, value)?,
                };
                self.static_aggregate(e, ty, &i.elements.to_vec())
            }
            AnyInst::Vector(i) => {
                let mut bytes = Vec::new();
                for element in i.elements.to_vec() {
                    let ty = self.value_type(e, element)?;
                    let stride = self.info(ty)?.stride as usize;
                    let mut part = self.evaluate(e, element)?;
                    part.resize(stride, 0);
                    bytes.extend(part);
                }
                Ok(bytes)
            }
            AnyInst::Enum(i) => self.static_enum(e, i),
            other => self.evaluate_more(e, inst, index, &other),
        }
    }

    fn static_aggregate(&mut self, e: &Evaluation<'_>, ty: Ty, elements: &[Value]) -> Run<Vec<u8>> {
        let info = self.info(ty)?;
        let mut bytes = vec![0; info.size as usize];
        if info.layout.parts().is_empty()
            && let [one] = elements
        {
            return self.evaluate(e, *one);
        }
        for (part, &element) in info.layout.parts().iter().zip(elements) {
            let value = self.evaluate(e, element)?;
            let size = self.info(part.ty)?.size as usize;
            let at = part.offset as usize;
            bytes[at..at + size].copy_from_slice(&value[..size]);
        }
        Ok(bytes)
    }

    fn static_enum(&mut self, e: &Evaluation<'_>, i: silkit_ir::instructions::Enum) -> Run<Vec<u8>> {
        let ty = self.static_type(e, i.ty)?;
        let info = self.info(ty)?;
        let mut bytes = vec![0; info.size as usize];
        if let Some(payload) = i.payload {
            let value = self.evaluate(e, payload)?;
            let len = value.len().min(bytes.len());
            bytes[..len].copy_from_slice(&value[..len]);
        }
        let name = i.element.name().unwrap_or_else(|| Symbol::new(""));
        let Some(layout) = info.layout.as_enum() else { return unsupported(format!("`{ty}` as an enum")) };
        let Some(case) = layout.case_named(name) else {
            return unsupported(format!("the case `{}`", i.element));
        };
        layout.inject(case, &mut bytes);
        Ok(bytes)
    }

    fn evaluate_more(
        &mut self,
        e: &Evaluation<'_>,
        inst: Inst,
        index: u16,
        view: &AnyInst<'_>,
    ) -> Run<Vec<u8>> {
        match view {
            AnyInst::GlobalAddr(i) => self.global_named(i.global).map(|a| a.to_le_bytes().to_vec()),
            AnyInst::GlobalValue(i) => self.global_named(i.global).map(|a| a.to_le_bytes().to_vec()),
            AnyInst::FunctionRef(i) => {
                let program = self.program.clone();
                let Some(at) = program.find(i.function) else {
                    return unsupported(format!("the function `{}` in an initializer", i.function));
                };
                let id = self.instance(at, Rc::from([]));
                self.code_address(CodeTarget::Instance(id)).map(|a| a.to_le_bytes().to_vec())
            }
            AnyInst::ThinToThickFunction(i) => {
                let mut bytes = self.evaluate(e, i.operand)?;
                bytes.resize(16, 0);
                Ok(bytes)
            }
            AnyInst::Metatype(i) => match self.static_type(e, i.ty)?.kind() {
                TyKind::Metatype(ty) => self.metadata(*ty).map(|a| a.to_le_bytes().to_vec()),
                _ => Ok(Vec::new()),
            },
            AnyInst::ValueToBridgeObject(i) => self.evaluate(e, i.operand),
            AnyInst::AddressToPointer(i) => self.evaluate(e, i.operand),
            AnyInst::PointerToAddress(i) => self.evaluate(e, i.operand),
            AnyInst::Upcast(i) => self.evaluate(e, i.operand),
            AnyInst::UncheckedRefCast(i) => self.evaluate(e, i.operand),
            AnyInst::UncheckedTrivialBitCast(i) => self.evaluate(e, i.operand),
            AnyInst::UncheckedBitwiseCast(i) => self.evaluate(e, i.operand),
            AnyInst::ConvertFunction(i) => self.evaluate(e, i.operand),
            AnyInst::RawPointerToRef(i) => self.evaluate(e, i.operand),
            AnyInst::RefToRawPointer(i) => self.evaluate(e, i.operand),
            AnyInst::StructExtract(i) => {
                let ty = self.value_type(e, i.operand)?;
                let name = i.field.name().unwrap_or_else(|| Symbol::new(""));
                let part = self.world().struct_field(ty, name).map_err(type_error)?;
                let size = self.info(part.ty)?.size as usize;
                let bytes = self.evaluate(e, i.operand)?;
                Ok(bytes[part.offset as usize..part.offset as usize + size].to_vec())
            }
            AnyInst::TupleExtract(i) => {
                let bytes = self.evaluate(e, i.operand)?;
                let len = bytes.len();
                Ok(if i.field == 0 { bytes } else { bytes[len - 1..].to_vec() })
            }
            AnyInst::Builtin(i) => self.static_builtin(e, i),
            _ => {
                let _ = index;
                unsupported(format!("`{}` in the initializer of a global variable", e.body.info(inst).name))
            }
        }
    }

    fn static_builtin(
        &mut self,
        e: &Evaluation<'_>,
        i: &silkit_ir::instructions::Builtin<'_>,
    ) -> Run<Vec<u8>> {
        let name = i.name.as_str();
        let args = i.args.to_vec();
        let operand = |bytes: &[u8]| {
            let mut word = [0; 16];
            word[..bytes.len().min(16)].copy_from_slice(&bytes[..bytes.len().min(16)]);
            u128::from_le_bytes(word)
        };
        let base = name.rsplit_once('_').map_or(name, |(base, _)| base);
        if name == "zeroInitializer" {
            return Ok(vec![0; 64]);
        }
        if let (Some(op), [a, b, ..]) = (crate::builtin_names::int_op(base), &args[..]) {
            let (a, b) = (self.evaluate(e, *a)?, self.evaluate(e, *b)?);
            let bits = (a.len() * 8) as u8;
            let Some((value, _)) = compute_int(op, bits, operand(&a), operand(&b)) else {
                return unsupported(format!("the builtin `{name}` in an initializer"));
            };
            return Ok(value.to_le_bytes()[..int_size(bits) as usize].to_vec());
        }
        let keeps = ["ptrtoint", "inttoptr", "zextOrBitCast", "truncOrBitCast", "zext", "trunc", "bitcast"];
        if let ([a], true) = (&args[..], keeps.iter().any(|k| name.starts_with(k))) {
            let mut bytes = self.evaluate(e, *a)?;
            let ty = i.ty;
            let wanted = self.static_type(e, ty)?;
            bytes.resize(self.info(wanted)?.size as usize, 0);
            return Ok(bytes);
        }
        unsupported(format!("the builtin `{name}` in the initializer of a global variable"))
    }
}
