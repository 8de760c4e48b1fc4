//! Result types, in the compiler's spelling for the enclosing function.

use super::BodyParser;
use silkit_base::FxHashMap;
use silkit_ir::info::{ResultRule, Results};
use silkit_ir::{Inst, InstInfo, Value};
use silkit_types::{GenericSig, SilType, Type, TypeKind};

/// The maximum number of operands for late propagation of types between the operands of an instruction.
const MAX_OPERANDS: usize = 32;

/// The spelling of inferred types in a function.
#[derive(Default)]
pub(in crate::body) struct Spelling {
    sig: Option<GenericSig>,
    /// Parameters without a name, such as those of `some P`, whose members are spelled `(τ_1_0).Element`.
    nameless: Vec<(u16, u16)>,
    /// Cached spellings.
    typed: FxHashMap<SilType, SilType>,
}

impl Spelling {
    /// Returns the spelling for a function with this signature and body text.
    pub(super) fn of(sig: GenericSig, body: &str) -> Self {
        let params = &sig.data().params;
        let is_nameless = |name: &str| name.starts_with("τ_");
        let has_names = params.iter().any(|p| !is_nameless(p.name.as_str()));
        let finder = |name: &str| memchr::memmem::find(body.as_bytes(), format!("({name}).").as_bytes());
        let nameless = params
            .iter()
            .filter(|p| is_nameless(p.name.as_str()))
            .filter(|p| has_names || finder(p.name.as_str()).is_some())
            .map(|p| (p.depth, p.index))
            .collect();
        Self { sig: Some(sig), nameless, typed: FxHashMap::default() }
    }

    /// Parenthesizes unnamed parameters before their members.
    fn parenthesized(&self, ty: Type) -> Type {
        match ty.kind() {
            TypeKind::Member(base, name) => {
                let is_nameless = matches!(
                    base.kind(),
                    TypeKind::Param { depth, index, .. } if self.nameless.contains(&(*depth, *index))
                );
                let base = match is_nameless {
                    true => Type::new(TypeKind::Paren(*base)),
                    false => self.parenthesized(*base),
                };
                Type::new(TypeKind::Member(base, *name))
            }
            TypeKind::Function(f) if f.sig.is_some() => ty,
            _ => ty.map(&mut |part| self.parenthesized(part)),
        }
    }
}

impl BodyParser<'_, '_> {
    /// Sets the types of the results of an instruction.
    pub(super) fn infer(&mut self, inst: Inst) {
        let info = self.body.info(inst);
        if info.results == Results::One
            && let Some(value) = self.body.first_result(inst)
        {
            let ty = silkit_ir::result_type(&self.body, inst, self.facts);
            let ty = self.respelled(info, ty);
            self.body.set_type(value, ty);
            self.late.extend(ty.is_unknown().then_some(inst));
            return;
        }
        let types = self.result_types(inst);
        for (value, ty) in self.body.results(inst).zip(types) {
            self.body.set_type(value, ty);
        }
        let is_unknown = self.body.results(inst).any(|v| self.body.value(v).ty.is_unknown());
        self.late.extend(is_unknown.then_some(inst));
    }

    /// Infers types that could not be inferred in text order, from later definitions or from uses. A definition takes
    /// precedence over uses, so that a module printed with types reads back as the same module.
    pub(super) fn infer_late(&mut self) {
        let late = std::mem::take(&mut self.late);
        let mut typed = Vec::new();
        for &inst in &late {
            self.infer_unknown(inst, &mut typed);
        }
        let mut changed = Vec::new();
        self.follow(&mut typed, &mut changed);
        for &inst in &late {
            for value in self.body.results(inst) {
                if self.body.value(value).ty.is_unknown()
                    && let Some(ty) = silkit_ir::expected_type(&self.body, value, self.facts)
                {
                    self.body.set_type(value, ty);
                    typed.push(value);
                    self.follow(&mut typed, &mut changed);
                }
            }
        }
        // Propagate newly known types to operands.
        while let Some(value) = changed.pop() {
            let definition = self.body.defining_inst(value);
            let users: Vec<Inst> = self.body.users(value).collect();
            for inst in users.into_iter().chain(definition) {
                if self.is_short(inst) {
                    self.infer_operands(inst, &mut typed);
                    self.follow(&mut typed, &mut changed);
                }
            }
        }
        for &inst in &late {
            let types = self.result_types(inst);
            for (value, ty) in self.body.results(inst).zip(types) {
                let stated = self.body.value(value).ty;
                if !ty.is_unknown() && (stated.is_unknown() || ty != stated && !is_respelled(ty, stated)) {
                    self.body.set_type(value, ty);
                }
            }
        }
    }

    /// Propagates newly known types to the results of users, and moves all newly known values to `changed`.
    fn follow(&mut self, typed: &mut Vec<Value>, changed: &mut Vec<Value>) {
        while let Some(value) = typed.pop() {
            changed.push(value);
            let users: Vec<Inst> = self.body.users(value).collect();
            for inst in users {
                if self.is_short(inst) {
                    self.infer_unknown(inst, typed);
                }
            }
        }
    }

    /// Returns true if an instruction has few operands. One with many would be visited once for each of them.
    fn is_short(&self, inst: Inst) -> bool {
        self.body.operands(inst).len() <= MAX_OPERANDS
    }

    /// Infers the result types that are not yet known.
    fn infer_unknown(&mut self, inst: Inst, changed: &mut Vec<Value>) {
        if !self.body.results(inst).any(|v| self.body.value(v).ty.is_unknown()) {
            return;
        }
        let types = self.result_types(inst);
        for (value, ty) in self.body.results(inst).zip(types) {
            if self.body.value(value).ty.is_unknown() && !ty.is_unknown() {
                self.body.set_type(value, ty);
                changed.push(value);
            }
        }
    }

    /// Infers the operand types that are not yet known.
    fn infer_operands(&mut self, inst: Inst, changed: &mut Vec<Value>) {
        for operand in self.body.operand_ids(inst) {
            let value = self.body.operand(operand).value;
            if self.body.value(value).ty.is_unknown()
                && let Some(ty) = silkit_ir::expected_operand_type(&self.body, operand, self.facts)
            {
                self.body.set_type(value, ty);
                changed.push(value);
            }
        }
    }

    fn result_types(&mut self, inst: Inst) -> Vec<SilType> {
        let mut types = silkit_ir::result_types(&self.body, inst, self.facts);
        let info = self.body.info(inst);
        types.iter_mut().for_each(|ty| *ty = self.respelled(info, *ty));
        types
    }

    /// Returns the spelling of a type that was inferred for an instruction.
    fn respelled(&mut self, info: &InstInfo, ty: SilType) -> SilType {
        // Other types are the types of operands or are spelled, and types without parameters are the same in every signature.
        let is_new = matches!(info.result, ResultRule::Computed(_)) && ty.ty().holds_parameter();
        match self.spelling.sig.filter(|_| is_new) {
            Some(sig) => self.spelled(ty, sig),
            None => ty,
        }
    }

    /// Returns the spelling of an inferred type in a function with a signature.
    fn spelled(&mut self, ty: SilType, sig: GenericSig) -> SilType {
        if let Some(&typed) = self.spelling.typed.get(&ty) {
            return typed;
        }
        let mut reduced = self.facts.reduced(ty.ty(), sig);
        if !self.spelling.nameless.is_empty() {
            reduced = self.spelling.parenthesized(reduced);
        }
        let spelled = ty.with_type(reduced);
        self.spelling.typed.insert(ty, spelled);
        spelled
    }
}

/// Returns true if the type stated at a use is the inferred one in another spelling, or more specific than an
/// inferred dependent member.
pub(super) fn is_respelled(inferred: SilType, stated: SilType) -> bool {
    inferred.is_address() == stated.is_address()
        && (holds_member(inferred.ty()) || inferred.ty().canonical() == stated.ty().canonical())
}

fn holds_member(ty: Type) -> bool {
    match ty.kind() {
        TypeKind::Member(..) => true,
        TypeKind::Function(f) if f.sig.is_some() => false,
        _ => {
            let mut found = false;
            ty.map(&mut |part| {
                found = found || holds_member(part);
                part
            });
            found
        }
    }
}
