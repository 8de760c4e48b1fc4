//! What the fields of each instruction's record mean.

use crate::bodies::BodyReader;
use crate::error::{Damage, Result};
use silkit_base::Symbol;
use silkit_ir::info::AttrKind;
use silkit_ir::{NONE, Opcode};
use silkit_types::{CalleeConvention, FnFlags, SilType, Type, TypeKind};

impl BodyReader<'_, '_> {
    /// Fills the parts of an instruction from its fields, without the opcode.
    #[expect(clippy::too_many_lines, reason = "one line or arm for each field or kind of record")]
    pub(crate) fn shape(&mut self, opcode: Opcode, kind: &str, fields: &[u64]) -> Result<()> {
        let field = |at: usize| fields.get(at).copied().unwrap_or(0);
        let rest = |at: usize| fields.get(at..).unwrap_or_default();
        use Opcode as O;
        match (kind, opcode) {
            ("SIL_INST_NO_OPERAND", _) => {}
            ("SIL_INST_APPLY", O::Builtin) => {
                let types = self.decoder.substitutions(field(1), 0)?;
                let ty = self.decoder.sil_type(field(2), field(3))?;
                let name = self.decoder.symbol(field(4))?;
                let subs = self.types(&types);
                self.attrs(opcode, &[("name", name.as_u32()), ("subs", subs), ("type", ty.as_u32())])?;
                if !rest(7).len().is_multiple_of(3) {
                    return Err(Damage::new("a list of operands is cut off", 0));
                }
                for part in rest(7).chunks_exact(3) {
                    let value = self.typed(part[1], part[2], part[0])?;
                    self.parts.operands.push(value);
                }
            }
            ("SIL_INST_APPLY", _) => self.call(opcode, fields)?,
            ("SIL_ONE_OPERAND", O::IntegerLiteral) => {
                let ty = self.decoder.sil_type(field(1), field(2))?;
                let value = self.decoder.symbol(field(3))?;
                self.attrs(opcode, &[("type", ty.as_u32()), ("value", value.as_u32())])?;
            }
            ("SIL_ONE_OPERAND", O::FloatLiteral) => {
                let ty = self.decoder.sil_type(field(1), field(2))?;
                let text = self.decoder.symbol(field(3))?;
                let value = float_bits(ty.ty(), text.as_str())?;
                self.attrs(opcode, &[("type", ty.as_u32()), ("value", value.as_u32())])?;
            }
            ("SIL_ONE_OPERAND", O::StringLiteral) => {
                let encoding = match field(0) {
                    0 => 1,
                    2 => 2,
                    3 => 0,
                    _ => return Err(Damage::new("an unknown encoding", 0)),
                };
                let text = escaped(self.decoder.file.identifier(field(3))?);
                self.attrs(opcode, &[("encoding", encoding), ("value", Symbol::new(&text).as_u32())])?;
            }
            ("SIL_ONE_OPERAND", O::FunctionRef) => {
                let ty = self.decoder.sil_type(field(1), field(2))?;
                let name = self.decoder.symbol(field(3))?;
                self.attrs(opcode, &[("function", name.as_u32()), ("type", ty.as_u32())])?;
            }
            ("SIL_INST_WITNESS_METHOD", _) => {
                let lookup = self.decoder.ty(field(0), 0)?;
                let ty = self.decoder.sil_type(field(3), field(4))?;
                let member = self.method(rest(9))?;
                let lookup_word = match opcode.info().attr("lookup").map(|at| opcode.info().attrs[at].kind) {
                    Some(AttrKind::SilType) => SilType::object(lookup).as_u32(),
                    _ => lookup.as_u32(),
                };
                self.attrs(opcode, &[("lookup", lookup_word), ("member", member), ("type", ty.as_u32())])?;
                if field(7) != 0 {
                    self.operand(rest(5))?;
                }
            }
            ("SIL_INIT_EXISTENTIAL", O::InitExistentialAddr) => {
                let concrete = self.decoder.sil_type(field(5), 0)?;
                self.attrs(opcode, &[("concrete", concrete.as_u32())])?;
                self.operand(rest(2))?;
            }
            ("SIL_INIT_EXISTENTIAL", O::InitExistentialRef) => {
                let ty = self.decoder.sil_type(field(0), field(1))?;
                let concrete = self.decoder.sil_type(field(5), 0)?;
                self.attrs(opcode, &[("concrete", concrete.as_u32()), ("type", ty.as_u32())])?;
                self.operand(rest(2))?;
            }
            ("SIL_INIT_EXISTENTIAL", O::InitExistentialMetatype) => {
                let ty = self.decoder.sil_type(field(0), field(1))?;
                self.attrs(opcode, &[("type", ty.as_u32())])?;
                self.operand(rest(2))?;
            }
            ("SIL_ONE_TYPE_VALUES", O::BindMemory) => {
                let ty = self.decoder.sil_type(field(0), field(1))?;
                self.attrs(opcode, &[("type", ty.as_u32())])?;
                self.triples(rest(2))?;
            }
            ("SIL_ONE_TYPE_VALUES", O::AllocRef) => {
                let ty = self.decoder.sil_type(field(0), field(1))?;
                let bits = field(2) as u8;
                let is_new = self.decoder.file.control.format.1 >= 976;
                self.parts.flags = bits & 1 | (bits & 2) << 1 | (bits & 4) >> 1;
                if is_new && bits & 8 == 0 && bits & 2 != 0 {
                    self.parts.flags |= 8;
                }
                let mut types = Vec::new();
                for tail in rest(3).chunks_exact(3) {
                    types.push(self.decoder.sil_type(tail[0], 0)?.as_u32());
                    let count = self.typed(tail[2], 0, tail[1])?;
                    self.parts.operands.push(count);
                }
                let types = self.body.new_list(&types);
                self.attrs(opcode, &[("tail_types", types), ("type", ty.as_u32())])?;
            }
            ("SIL_ONE_TYPE_VALUES", O::SelectEnum | O::SelectEnumAddr) if field(5) == 0 => {
                let value = self.typed(field(0), field(1), field(2))?;
                self.parts.operands.push(value);
                let ty = self.decoder.sil_type(field(3), field(4))?;
                let mut cases = Vec::new();
                for case in rest(7).chunks_exact(2) {
                    cases.push(self.decl_ref(case[0], Some("enumelt"))?);
                    let value = self.value(case[1], ty)?;
                    self.parts.operands.push(value);
                }
                let cases = self.body.new_list(&cases);
                self.attrs(opcode, &[("cases", cases), ("type", ty.as_u32())])?;
            }
            ("SIL_ONE_TYPE_VALUES", O::ClassMethod) => {
                let ty = self.decoder.sil_type(field(0), field(1))?;
                let member = self.method(rest(2))?;
                self.attrs(opcode, &[("member", member), ("type", ty.as_u32())])?;
                self.operand(rest(5))?;
            }
            ("SIL_ONE_TYPE_ONE_OPERAND", O::RefTailAddr) => {
                self.flags(opcode, field(0))?;
                let ty = self.decoder.sil_type(field(1), 0)?;
                self.attrs(opcode, &[("type", ty.as_u32())])?;
                self.operand(rest(3))?;
            }
            ("SIL_ONE_TYPE_ONE_OPERAND", O::OpenExistentialAddr) => {
                let ty = self.decoder.sil_type(field(1), field(2))?;
                self.attrs(opcode, &[("access", (field(0) & 1) as u32), ("type", ty.as_u32())])?;
                self.operand(rest(3))?;
            }
            ("SIL_ONE_OPERAND_EXTRA_ATTR", O::BeginAccess) => {
                // Two bits of the kind, three of the enforcement, two flags.
                let bits = field(0) as u32;
                if bits >> 2 & 7 > 4 {
                    return Err(Damage::new("an unknown enforcement", 0));
                }
                self.parts.flags = (bits >> 5 & 3) as u8;
                self.attrs(opcode, &[("kind", bits & 3), ("enforcement", bits >> 2 & 7)])?;
                self.operand(rest(1))?;
            }
            ("SIL_ONE_OPERAND_EXTRA_ATTR", O::MarkUninitialized) => {
                const KINDS: [&str; 8] = [
                    "var",
                    "rootself",
                    "crossmodulerootself",
                    "derivedself",
                    "derivedselfonly",
                    "delegatingself",
                    "delegatingselfallocated",
                    "out",
                ];
                let name = KINDS.get(field(0) as usize).copied().unwrap_or("?");
                let kind = opcode.info().attrs.first().map(|attr| attr.kind);
                let Some(AttrKind::Choice(options, _)) = kind else {
                    return Err(Damage::new("the table has no kind", 0));
                };
                let at = options.iter().position(|option| *option == name);
                let at = at.ok_or_else(|| Damage::new(format!("the kind {}", field(0)), 0))?;
                self.attrs(opcode, &[("kind", at as u32)])?;
                self.operand(rest(1))?;
            }
            ("SIL_TWO_OPERANDS", O::RebindMemory) => self.triples(rest(1))?,
            ("SIL_TWO_OPERANDS", O::MarkDependenceAddr) => {
                let word = match field(0) {
                    0 => 1,
                    2 => 0,
                    _ => NONE,
                };
                self.attrs(opcode, &[("kind", word)])?;
                self.triples(rest(1))?;
            }
            ("SIL_ONE_OPERAND", O::DestructureStruct) => {
                self.parts.several = Some(self.decoder.stored_count(field(1))?);
                self.operand(rest(1))?;
            }
            ("SIL_ONE_OPERAND", O::DestructureTuple) => {
                let TypeKind::Tuple(elements) = self.decoder.ty(field(1), 0)?.kind() else {
                    return Err(Damage::new("not a tuple", 0));
                };
                self.parts.several = Some(elements.len());
                self.operand(rest(1))?;
            }
            ("SIL_ONE_OPERAND", O::BeginCOWMutation) => {
                self.flags(opcode, field(0))?;
                self.parts.several = Some(2);
                self.operand(rest(1))?;
            }
            ("SIL_ONE_TYPE_ONE_OPERAND", O::EndApply) => {
                let ty = self.decoder.sil_type(field(1), field(2))?;
                self.attrs(opcode, &[("type", ty.as_u32())])?;
                self.operand(rest(3))?;
            }
            ("SIL_ONE_TYPE_ONE_OPERAND", O::ProjectBox) => {
                self.attrs(opcode, &[("field", field(1) as u32)])?;
                self.operand(rest(3))?;
            }
            ("SIL_ONE_TYPE", O::AllocBox) if field(0) & 4 != 0 || field(0) == 0 => {
                // Bits: dynamic lifetime, reflection, moveable debug info, pointer escape, inferred immutable.
                self.parts.flags = match field(0) & !4 {
                    0 => 0,
                    other => return Err(Damage::new(format!("the flags {other}"), 0)),
                };
                let ty = self.decoder.sil_type(field(1), field(2))?;
                self.attrs(opcode, &[("type", ty.as_u32())])?;
            }
            ("SIL_ONE_OPERAND", O::Load) => {
                self.choice(opcode, "qualifier", field(0))?;
                self.operand(rest(1))?;
            }
            ("SIL_ONE_OPERAND", _) => {
                self.flags(opcode, field(0))?;
                self.operand(rest(1))?;
            }
            ("SIL_ONE_VALUE_ONE_OPERAND", O::StructExtract | O::StructElementAddr | O::RefElementAddr) => {
                self.flags(opcode, field(0))?;
                let decl = self.decl_ref(field(1), None)?;
                self.attrs(opcode, &[("field", decl)])?;
                self.operand(rest(2))?;
            }
            (
                "SIL_ONE_VALUE_ONE_OPERAND",
                O::InjectEnumAddr | O::UncheckedEnumData | O::InitEnumDataAddr | O::UncheckedTakeEnumDataAddr,
            ) => {
                let decl = self.decl_ref(field(1), Some("enumelt"))?;
                self.attrs(opcode, &[("element", decl)])?;
                self.operand(rest(2))?;
            }
            ("SIL_ONE_VALUE_ONE_OPERAND", O::GlobalAddr) => {
                let name = self.decoder.symbol(field(1))?;
                let ty = self.decoder.sil_type(field(2), field(3))?;
                self.attrs(opcode, &[("global", name.as_u32()), ("type", ty.as_u32())])?;
            }
            ("SIL_ONE_VALUE_ONE_OPERAND", O::Store | O::CopyAddr | O::StoreBorrow | O::ExplicitCopyAddr) => {
                match opcode {
                    O::Store => self.choice(opcode, "qualifier", field(0))?,
                    _ => self.flags(opcode, field(0))?,
                }
                let ty = self.decoder.sil_type(field(2), field(3))?;
                let is_copy = matches!(opcode, O::CopyAddr | O::ExplicitCopyAddr);
                let source = self.value(field(1), if is_copy { ty } else { ty.to_object() })?;
                self.parts.operands.push(source);
                self.operand(rest(2))?;
            }
            ("SIL_ONE_TYPE", O::AllocStack) => {
                let bits = field(0) as u8;
                let is_new = self.decoder.file.control.format.1 >= 976;
                // The fourth bit is about debug information, which the file does not have.
                self.parts.flags = (bits & 7) << 1 | u8::from(is_new && bits & 16 == 0);
                let ty = self.decoder.sil_type(field(1), field(2))?;
                self.attrs(opcode, &[("type", ty.as_u32())])?;
            }
            ("SIL_ONE_TYPE", O::Metatype) => {
                let ty = self.decoder.sil_type(field(1), field(2))?;
                self.attrs(opcode, &[("type", ty.as_u32())])?;
            }
            ("SIL_ONE_TYPE_ONE_OPERAND", O::TupleExtract | O::TupleElementAddr) => {
                self.attrs(opcode, &[("field", field(1) as u32)])?;
                self.operand(rest(3))?;
            }
            ("SIL_ONE_TYPE_ONE_OPERAND", _) if has_only_type(opcode) => {
                // The flags of a reference cast are an ownership.
                if opcode != O::UncheckedRefCast {
                    self.flags(opcode, field(0))?;
                }
                let ty = self.decoder.sil_type(field(1), field(2))?;
                self.attrs(opcode, &[("type", ty.as_u32())])?;
                self.operand(rest(3))?;
            }
            ("SIL_ONE_TYPE_ONE_OPERAND", O::AddressToPointer) => {
                self.flags(opcode, field(0))?;
                let ty = self.decoder.sil_type(field(1), field(2))?;
                self.attrs(opcode, &[("type", ty.as_u32())])?;
                self.operand(rest(3))?;
            }
            ("SIL_ONE_TYPE_ONE_OPERAND_EXTRA_ATTR", O::PointerToAddress) => {
                // The low byte is the logarithm of the alignment, plus 1.
                self.flags(opcode, field(0) >> 8)?;
                if let shift @ 1..=32 = field(0) & 0xFF {
                    let bytes = Symbol::new(&(1u64 << (shift - 1)).to_string());
                    self.attrs(opcode, &[("align", bytes.as_u32())])?;
                }
                let ty = self.decoder.sil_type(field(1), field(2))?;
                self.attrs(opcode, &[("type", ty.as_u32())])?;
                self.operand(rest(3))?;
            }
            ("SIL_TWO_OPERANDS", O::CondFail) => {
                self.operand(rest(1))?;
                let text = self.decoder.file.identifier(field(6))?;
                let text = Symbol::new(&escaped(text));
                self.attrs(opcode, &[("message", text.as_u32())])?;
            }
            ("SIL_TWO_OPERANDS", O::Enum) => {
                let ty = self.decoder.sil_type(field(1), field(2))?;
                let decl = self.decl_ref(field(3), Some("enumelt"))?;
                self.attrs(opcode, &[("type", ty.as_u32()), ("element", decl)])?;
                if field(0) == 1 {
                    self.operand(rest(4))?;
                }
            }
            ("SIL_TWO_OPERANDS", O::IndexAddr | O::IndexRawPointer) => {
                self.flags(opcode, field(0))?;
                self.triples(rest(1))?;
            }
            ("SIL_TWO_OPERANDS", O::MarkDependence) => {
                let word = match field(0) {
                    0 => 1,
                    2 => 0,
                    _ => NONE,
                };
                self.attrs(opcode, &[("kind", word)])?;
                self.triples(rest(1))?;
            }
            ("SIL_ONE_TYPE_VALUES", O::Struct) => {
                let ty = self.decoder.sil_type(field(0), field(1))?;
                self.attrs(opcode, &[("type", ty.as_u32())])?;
                self.triples(rest(2))?;
            }
            ("SIL_ONE_TYPE_VALUES", O::Tuple) => {
                let ty = self.decoder.sil_type(field(0), field(1))?;
                self.attrs(opcode, &[("type", ty.as_u32())])?;
                let TypeKind::Tuple(elements) = ty.ty().kind() else {
                    return Err(Damage::new("not a tuple", 0));
                };
                for (element, &number) in elements.iter().zip(rest(2)) {
                    let value = self.value(number, SilType::object(element.ty))?;
                    self.parts.operands.push(value);
                }
                // The types of the operands tell the type, unless it has labels.
                if !elements.iter().any(|e| e.label.is_some()) {
                    self.parts.result = Some(ty);
                    self.attrs(opcode, &[("type", NONE)])?;
                }
            }
            ("SIL_ONE_TYPE_VALUES", O::Branch) => {
                let target = self.block(field(0))?.as_u32();
                self.attrs(opcode, &[("target", target)])?;
                self.triples(rest(2))?;
            }
            ("SIL_ONE_TYPE_VALUES", O::CondBranch) => {
                let condition = self.typed(field(0), field(1), field(2))?;
                self.parts.operands.push(condition);
                let (yes, no) = (self.block(field(3))?.as_u32(), self.block(field(4))?.as_u32());
                let count = field(5) as u32;
                self.attrs(
                    opcode,
                    &[("true_target", yes), ("false_target", no), ("true_args_count", count)],
                )?;
                self.triples(rest(6))?;
                if self.parts.operands.len() <= count as usize && count > 0 {
                    return Err(Damage::new("a list of operands is cut off", 0));
                }
            }
            ("SIL_ONE_TYPE_VALUES", O::Yield) => {
                let [operands @ .., resume, unwind] = rest(2) else {
                    return Err(Damage::new("the targets are missing", 0));
                };
                let (resume, unwind) = (self.block(*resume)?.as_u32(), self.block(*unwind)?.as_u32());
                self.attrs(opcode, &[("resume", resume), ("unwind", unwind)])?;
                self.triples(operands)?;
            }
            ("SIL_ONE_TYPE_VALUES", O::SwitchEnumAddr) => self.switch(opcode, fields)?,
            ("SIL_ONE_TYPE_OWNERSHIP_VALUES", O::SwitchEnum) => self.switch(opcode, rest(1))?,
            _ => return Err(Damage::new(format!("{kind} is not supported"), 0)),
        }
        Ok(())
    }

    fn switch(&mut self, opcode: Opcode, fields: &[u64]) -> Result<()> {
        let [ty, category, number, has_default, default, cases @ ..] = fields else {
            return Err(Damage::new("the cases are missing", 0));
        };
        let value = self.typed(*ty, *category, *number)?;
        self.parts.operands.push(value);
        let mut list = Vec::new();
        for case in cases.chunks_exact(2) {
            list.push(self.decl_ref(case[0], Some("enumelt"))?);
            list.push(self.block(case[1])?.as_u32());
        }
        let list = self.body.new_list(&list);
        let default = if *has_default == 1 { self.block(*default)?.as_u32() } else { NONE };
        self.attrs(opcode, &[("cases", list), ("default", default)])
    }

    fn call(&mut self, opcode: Opcode, fields: &[u64]) -> Result<()> {
        let [options, subs, ty, substituted, callee, caller_isolation, callee_isolation, args @ ..] = fields
        else {
            return Err(Damage::new("a call is cut off", 0));
        };
        let is_closure = opcode == Opcode::PartialApply;
        if !is_closure && *caller_isolation != 0 || *callee_isolation != 0 {
            return Err(Damage::new("isolation is not supported", 0));
        }
        if opcode == Opcode::PartialApply {
            let TypeKind::Function(closure) = self.decoder.ty(*substituted, 0)?.kind() else {
                return Err(Damage::new("a closure is not a function", 0));
            };
            let is_guaranteed = closure.callee == CalleeConvention::Guaranteed;
            let is_on_stack = closure.flags.contains(FnFlags::NOESCAPE);
            let is_isolated = closure.flags.contains(FnFlags::ISOLATED_ANY);
            self.parts.flags =
                u8::from(is_guaranteed) | u8::from(is_isolated) << 1 | u8::from(is_on_stack) << 3;
            let types = self.decoder.substitutions(*subs, 0)?;
            let subs = self.types(&types);
            let ty = self.decoder.sil_type(*ty, 0)?;
            self.attrs(opcode, &[("subs", subs), ("type", ty.as_u32())])?;
            self.parts.result = Some(SilType::object(self.decoder.ty(*substituted, 0)?));
            let value = self.value(*callee, ty)?;
            self.parts.operands.push(value);
            for &number in args {
                if number == 1 {
                    return Err(Damage::new("an undefined value in a closure", 0));
                }
                let value = self.value(number, SilType::unknown())?;
                self.parts.operands.push(value);
            }
            return Ok(());
        }
        self.flags(opcode, *options)?;
        let types = self.decoder.substitutions(*subs, 0)?;
        let subs = self.types(&types);
        let ty = self.decoder.sil_type(*ty, 0)?;
        self.attrs(opcode, &[("subs", subs), ("type", ty.as_u32())])?;
        let value = self.value(*callee, ty)?;
        self.parts.operands.push(value);
        let substituted = self.decoder.ty(*substituted, 0)?;
        let TypeKind::Function(function) = substituted.kind() else {
            return Err(Damage::new("the callee is not a function", 0));
        };
        use silkit_types::ResultConvention as R;
        let indirect =
            function.results.iter().filter(|r| r.convention.is_indirect()).map(|r| SilType::address(r.ty));
        let error = function.error.filter(|e| matches!(e.convention, R::Out)).map(|e| SilType::address(e.ty));
        let params = function.params.iter().map(|p| SilType::new(p.ty, p.convention.is_indirect()));
        let expected: Vec<SilType> = indirect.chain(error).chain(params).collect();
        let args = match (opcode, args) {
            (Opcode::TryApply, [args @ .., normal, error]) => {
                let (normal, error) = (self.block(*normal)?.as_u32(), self.block(*error)?.as_u32());
                self.attrs(opcode, &[("normal", normal), ("error", error)])?;
                args
            }
            (_, args) => args,
        };
        if opcode == Opcode::BeginApply {
            if function.flags.contains(FnFlags::YIELD_ONCE_2) {
                return Err(Damage::new("coroutines of the second kind are not supported", 0));
            }
            self.parts.several = Some(function.yields.len() + 1);
        }
        if args.len() != expected.len() {
            return Err(Damage::new("a wrong number of arguments", 0));
        }
        for (&number, &ty) in args.iter().zip(&expected) {
            let value = self.value(number, ty)?;
            self.parts.operands.push(value);
        }
        Ok(())
    }

    /// Sets attributes by name.
    fn attrs(&mut self, opcode: Opcode, words: &[(&str, u32)]) -> Result<()> {
        for (name, word) in words {
            let at = opcode.info().attr(name);
            let at = at.ok_or_else(|| Damage::new(format!("the table has no attribute {name}"), 0))?;
            self.parts.words[at] = *word;
        }
        Ok(())
    }

    /// Sets an optional keyword, which is counted from 1.
    fn choice(&mut self, opcode: Opcode, name: &str, number: u64) -> Result<()> {
        let info = opcode.info();
        let spec = info.attr(name).map(|at| info.attrs[at].kind);
        match spec {
            Some(AttrKind::Choice(options, true)) if number <= options.len() as u64 => {
                self.attrs(opcode, &[(name, if number == 0 { NONE } else { number as u32 - 1 })])
            }
            _ => Err(Damage::new(format!("the keyword {number} of {name}"), 0)),
        }
    }

    /// Sets flags that stand in the order of the table.
    fn flags(&mut self, opcode: Opcode, bits: u64) -> Result<()> {
        let info = opcode.info();
        if bits >> info.flags.len() != 0 || bits > 255 {
            return Err(Damage::new(format!("the flags {bits}"), 0));
        }
        self.parts.flags = bits as u8;
        // A keyword would be among the bits.
        let has_attrs = info.attrs.iter().any(|a| matches!(a.kind, AttrKind::Choice(_, false)));
        if has_attrs { Err(Damage::new("a keyword is not supported", 0)) } else { Ok(()) }
    }

    /// Reads an operand of the form (type, category, number).
    fn operand(&mut self, fields: &[u64]) -> Result<()> {
        let [ty, category, number, ..] = *fields else {
            return Err(Damage::new("an operand is missing", 0));
        };
        let value = self.typed(ty, category, number)?;
        self.parts.operands.push(value);
        Ok(())
    }
}

/// Returns true for an instruction whose only attribute is its type.
fn has_only_type(opcode: Opcode) -> bool {
    matches!(opcode.info().attrs, [only] if only.name == "type")
        && opcode.info().operands.len() == 1
        && !matches!(opcode, Opcode::EndApply | Opcode::RefTailAddr)
}

/// Returns the bits of a float literal, which is written as a signed hexadecimal number.
fn float_bits(ty: Type, text: &str) -> Result<Symbol> {
    let Some(digits) = text.strip_prefix('-') else {
        return Ok(Symbol::new(&format!("0x{}", text.to_ascii_uppercase())));
    };
    let width = match ty.kind() {
        TypeKind::Builtin(name, _) => name.as_str().trim_start_matches("FPIEEE").parse::<u32>().ok(),
        _ => None,
    };
    let magnitude = u128::from_str_radix(digits, 16).ok();
    let (Some(width), Some(magnitude)) = (width.filter(|w| *w <= 128), magnitude) else {
        return Err(Damage::new("a float literal", 0));
    };
    let bits = magnitude.wrapping_neg() & (u128::MAX >> (128 - width.max(1)));
    Ok(Symbol::new(&format!("0x{bits:X}")))
}

/// Returns a text as it is spelled between quotes.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\0' => out.push_str("\\0"),
            c if c.is_control() => out.push_str(&format!("\\u{{{:X}}}", u32::from(c))),
            c => out.push(c),
        }
    }
    out
}
