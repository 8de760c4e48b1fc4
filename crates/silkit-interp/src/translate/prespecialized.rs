//! Calls of prespecialized functions that the library exports without SIL. The generic function is executed instead.
//!
//! The specialization passes values directly where the generic function uses addresses; temporary memory converts
//! between the two.

use super::Translator;
use super::functions::Target;
use crate::op::{Op, Slot};
use crate::program::FunctionRef;
use crate::sites::{Callee, Move};
use crate::types::TypeId;
use crate::violation::{Run, missing, unsupported};
use silkit_base::Symbol;
use silkit_ir::conventions::{Addresses, Conventions};
use silkit_ir::instructions::Values;
use silkit_ir::{Body, Value};
use silkit_layout::{Env, Ty};
use silkit_types::{FunctionType, SilType};
use std::rc::Rc;

/// A call of a generic function in place of a specialization.
pub(super) struct Adapted {
    pub(super) target: Target,
    pub(super) args: Box<[Move]>,
    pub(super) args_len: u32,
    /// Results that are written to memory, with their offsets in the result of the call.
    results: Vec<(Slot, u32, TypeId)>,
    /// The slot of the direct results of the generic function, and their size in bytes.
    pub(super) direct: (Slot, u32),
    /// The copies of the direct results to the result of the call.
    copies: Vec<Move>,
    temporaries: Vec<Slot>,
    /// For each value that a coroutine yields: the type to load if the generic function yields an address instead.
    pub(super) loads: Vec<Option<TypeId>>,
}

impl Translator<'_, '_> {
    /// Returns the generic function and the type arguments that the mangled name of a specialization encodes.
    fn generic_of(&mut self, symbol: Symbol) -> Option<(FunctionRef, Rc<[Ty]>)> {
        let name = symbol.as_str();
        let text = silkit_demangle::demangle(name, silkit_demangle::Style::Full)?;
        let rest = text.strip_prefix("generic specialization <")?;
        let (types, _) = rest.split_once("> of ")?;
        let at = (2..name.len())
            .rev()
            .filter(|&i| name.is_char_boundary(i))
            .find_map(|i| self.program.find(Symbol::new(&name[..i])))?;
        let sig = self.program.function(at).ty.ty().as_function()?.sig?;
        let spelled = format!("({types})");
        let mut cursor = silkit_text::Cursor::new(&spelled);
        let ty = silkit_text::parse_type(&mut cursor, &mut silkit_text::GenericEnv::new(), false).ok()?;
        let env = Env::top(at.module);
        let list = self.program.world.resolve(ty, &env, false).ok()?;
        let types: Vec<Ty> = match list.kind() {
            silkit_layout::TyKind::Tuple(fields) if sig.data().params.len() != 1 => {
                fields.iter().map(|f| f.ty).collect()
            }
            _ => vec![list],
        };
        (types.len() == sig.data().params.len()).then(|| (at, types.into()))
    }

    /// Returns the call of the generic function that replaces a specialization without SIL, or `None` if the callee is
    /// not such a specialization.
    pub(super) fn adapt(
        &mut self,
        body: &Body,
        callee: Value,
        ty: SilType,
        args: Values<'_>,
    ) -> Run<Option<Adapted>> {
        let Some(reference) = body.def_as::<silkit_ir::instructions::FunctionRef>(callee) else {
            return Ok(None);
        };
        let symbol = reference.function;
        if self.program.find(symbol).is_some() || crate::runtime::native(symbol.as_str()).is_some() {
            return Ok(None);
        }
        let Some((at, types)) = self.generic_of(symbol) else { return Ok(None) };
        let program = self.program.clone();
        let (Some(special), Some(generic)) =
            (ty.ty().as_function(), program.function(at).ty.ty().as_function())
        else {
            return unsupported(format!("the type of `{symbol}`"));
        };
        if special.params.len() != generic.params.len() || special.results.len() != generic.results.len() {
            return missing("specialization", symbol);
        }
        let mut adapted = Adapted {
            target: Target {
                callee: Some(Callee::Instance(self.it.instance(at, types.clone()))),
                method: None,
                value: 0,
                is_thick: false,
                name: symbol,
                types,
            },
            args: Box::default(),
            args_len: 0,
            results: Vec::new(),
            direct: (0, 0),
            copies: Vec::new(),
            temporaries: Vec::new(),
            loads: Vec::new(),
        };
        for (s, g) in special.yields.iter().zip(&generic.yields) {
            let loads = g.convention.is_indirect() && !s.convention.is_indirect();
            let ty = if loads { Some(self.resolve(s.ty)?) } else { None };
            adapted.loads.push(ty.map(|ty| self.type_id(ty)).transpose()?);
        }
        self.adapt_parts(body, special, generic, args, &mut adapted)?;
        Ok(Some(adapted))
    }

    fn temporary(&mut self, ty: Ty, adapted: &mut Adapted) -> Run<Slot> {
        let id = self.type_id(ty)?;
        let to = self.allocate_slot(8);
        self.emit(Op::AllocTemporary { to, ty: id });
        adapted.temporaries.push(to);
        Ok(to)
    }

    fn adapt_parts(
        &mut self,
        body: &Body,
        special: &FunctionType,
        generic: &FunctionType,
        args: Values<'_>,
        adapted: &mut Adapted,
    ) -> Run<()> {
        let mut given = args.to_vec().into_iter();
        let mut passed: Vec<(Slot, u32)> = Vec::new();
        // The offsets of the direct results of the two functions.
        let (mut special_at, mut generic_at) = (0u32, 0u32);
        let mut direct_copies = Vec::new();
        for (s, g) in special.results.iter().zip(&generic.results) {
            let (s_indirect, g_indirect) = (s.convention.is_indirect(), g.convention.is_indirect());
            if s_indirect {
                let Some(address) = given.next() else { return unsupported("a call with too few arguments") };
                passed.push((self.use_value(body, address)?, 8));
                continue;
            }
            let ty = self.resolve(s.ty)?;
            let info = self.it.info(ty)?;
            special_at = special_at.next_multiple_of(info.align);
            if g_indirect {
                let memory = self.temporary(ty, adapted)?;
                passed.push((memory, 8));
                let id = self.type_id(ty)?;
                adapted.results.push((memory, special_at, id));
            } else {
                generic_at = generic_at.next_multiple_of(info.align);
                direct_copies.push(Move { from: generic_at, to: special_at, len: info.size });
                generic_at += info.size;
            }
            special_at += info.size;
        }
        for (s, g) in special.params.iter().zip(&generic.params) {
            let Some(value) = given.next() else { return unsupported("a call with too few arguments") };
            let from = self.use_value(body, value)?;
            if g.convention.is_indirect() && !s.convention.is_indirect() {
                let (ty, _) = self.type_of(body, value)?;
                let memory = self.temporary(ty, adapted)?;
                let id = self.type_id(ty)?;
                self.emit(Op::Store { from, address: memory, ty: id });
                passed.push((memory, 8));
            } else {
                let len = self.len_of(body, value)?;
                passed.push((from, len));
            }
        }
        let _ = Conventions::new(generic, Addresses::Lowered);
        let direct = self.allocate_slot(generic_at.max(8));
        adapted.direct = (direct, generic_at);
        adapted.copies = direct_copies.into_iter().map(|m| Move { from: direct + m.from, ..m }).collect();
        let mut to = 0;
        let moves = passed.into_iter().map(|(from, len)| {
            let m = Move { from, to, len };
            to += len.next_multiple_of(8);
            m
        });
        adapted.args = moves.collect();
        adapted.args_len = to;
        Ok(())
    }

    /// Copies the results of the generic function to the slots of the results of the specialization, and deallocates
    /// the temporary memory.
    pub(super) fn finish_adapted(&mut self, adapted: &Adapted, result: Slot) {
        for m in &adapted.copies {
            self.copy(result + m.to, m.from, m.len);
        }
        for &(address, at, ty) in &adapted.results {
            self.emit(Op::Load { to: result + at, address, ty });
        }
        for &address in adapted.temporaries.iter().rev() {
            self.emit(Op::DeallocStack { address });
        }
    }
}
