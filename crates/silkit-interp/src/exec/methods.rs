//! Dynamic dispatch of class methods.

use crate::instance::InstanceId;
use crate::interp::{Interp, Sites};
use crate::op::Slot;
use crate::sites::{CodeTarget, MethodSite};
use crate::violation::{Run, missing, unsupported};
use silkit_base::Symbol;
use silkit_ir::{DeclRef, VTableEntry};
use silkit_layout::{Nominal, Ty, TyKind};
use silkit_types::{Type, TypeKind};

impl Interp<'_> {
    /// Returns the class that a method is dispatched on.
    pub(crate) fn receiver_class(&self, receiver: Slot, is_metatype: bool) -> Run<Ty> {
        let value = self.get(receiver);
        if is_metatype { self.type_at(value) } else { self.class_of(value) }
    }

    pub(super) fn method_of(&mut self, site: u32) -> Run<()> {
        let to = self.sites.methods[site as usize].1;
        let id = self.dispatched(|sites| sites.methods.get_mut(site as usize).map(|(method, _)| method))?;
        let code = self.code_address(CodeTarget::Instance(id))?;
        self.set(to, code);
        Ok(())
    }

    /// Returns the implementation of the method of a site for its receiver. The site keeps it for the class of the
    /// receiver.
    #[inline]
    pub(super) fn dispatched(
        &mut self,
        site: impl Fn(&mut Sites) -> Option<&mut MethodSite>,
    ) -> Run<InstanceId> {
        let Some(method) = site(&mut self.sites) else { return self.not_callable() };
        let (receiver, is_metatype) = (method.receiver, method.is_metatype);
        let class = self.receiver_class(receiver, is_metatype)?;
        let Some(method) = site(&mut self.sites) else { return self.not_callable() };
        if let Some(id) = method.cached(class) {
            return Ok(id);
        }
        let method = method.clone();
        let id = self.find_method(&method, class)?;
        if let Some(method) = site(&mut self.sites) {
            method.cache.push((class, id));
        }
        Ok(id)
    }

    /// Returns the implementation of a method for a class.
    pub(crate) fn find_method(&mut self, method: &MethodSite, class: Ty) -> Run<InstanceId> {
        let function = self.vtable_entry(class, method.member, method.formal);
        match function {
            Some(function) => self.method_instance(function, class, &method.types),
            None => unsupported(format!(
                "a call of `{}`, which is not in the vtable of `{class}`,",
                method.member
            )),
        }
    }

    /// Returns the function that implements a method in the vtable of a class.
    pub(crate) fn vtable_entry(&self, class: Ty, member: DeclRef, formal: Option<Type>) -> Option<Symbol> {
        let program = self.program.clone();
        for ancestor in program.world.ancestry(class) {
            let (nominal, _) = ancestor.as_nominal()?;
            let Some((_, table)) = program.vtable(nominal) else { continue };
            let same = |e: &&VTableEntry| e.method == member;
            let exact = table.entries.iter().filter(same).find(|e| e.formal == formal);
            let canonical = || {
                let wanted = formal.map(|t| t.canonical());
                table.entries.iter().filter(same).find(|e| e.formal.map(|t| t.canonical()) == wanted)
            };
            let alike = || table.entries.iter().filter(same).find(|e| has_parameters(e, formal));
            if let Some(entry) = exact.or_else(canonical).or_else(alike) {
                return Some(entry.function);
            }
        }
        self.overridden_entry(class, member, formal)
    }

    /// Returns the vtable entry of the superclass method that a method overrides. The overridden method has the vtable
    /// slot; the overriding method has none.
    fn overridden_entry(&self, class: Ty, member: DeclRef, formal: Option<Type>) -> Option<Symbol> {
        let program = self.program.clone();
        let (name, _) = member.data().path.split_last()?;
        let mut first = None;
        for ancestor in program.world.ancestry(class) {
            let (nominal, _) = ancestor.as_nominal()?;
            let Some((_, table)) = program.vtable(nominal) else { continue };
            let overrides = |e: &&VTableEntry| {
                let of = e.method.data();
                of.path.last() == Some(name) && of.kinds == member.data().kinds
            };
            let all = || table.entries.iter().filter(overrides);
            if let Some(entry) = all().find(|e| has_parameters(e, formal)) {
                return Some(entry.function);
            }
            let own = all().find(|e| e.method == member);
            first = first.or(own.or_else(|| all().next()).map(|e| e.function));
        }
        first
    }

    /// Returns the instance of a method's implementation for a class. `types` are the generic arguments of the call;
    /// those of the method itself come last.
    pub(crate) fn method_instance(&mut self, function: Symbol, class: Ty, types: &[Ty]) -> Run<InstanceId> {
        let program = self.program.clone();
        let Some(at) = program.find(function) else {
            return missing("method", function);
        };
        let callee = program.function(at);
        let Some(signature) = callee.ty.ty().as_function() else {
            return unsupported(format!("the type of the method `{function}`"));
        };
        let Some(sig) = signature.sig else { return Ok(self.instance(at, std::rc::Rc::from([]))) };
        let count = sig.data().params.len();
        let pattern = signature.params.last().map(|p| self_type(p.ty));
        let mut bound = vec![None; count];
        if let Some(pattern) = pattern {
            for ancestor in program.world.ancestry(class) {
                if let Some(found) = program.world.match_partly(pattern, Some(sig), at.module, ancestor) {
                    bound = found;
                    break;
                }
            }
        }
        let missing = bound.iter().filter(|b| b.is_none()).count();
        let Some(first) = types.len().checked_sub(missing) else {
            return unsupported(format!(
                "a call of `{function}` with {} generic arguments for {count} generic parameters",
                types.len()
            ));
        };
        let mut rest = types[first..].iter();
        let args: Option<Vec<Ty>> = bound.into_iter().map(|b| b.or_else(|| rest.next().copied())).collect();
        let args = args.unwrap_or_default();
        Ok(self.instance(at, args.into()))
    }

    /// Returns the instance of a deinit for a type.
    pub(crate) fn deinit_instance(&mut self, function: Symbol, ty: Ty) -> Run<InstanceId> {
        let program = self.program.clone();
        let Some(at) = program.find(function) else {
            return missing("deinit", function);
        };
        let args = match ty.kind() {
            TyKind::Nominal(_, args) => args.clone(),
            _ => Box::default(),
        };
        let sig = program.function(at).ty.ty().as_function().and_then(|f| f.sig);
        let count = sig.map_or(0, |s| s.data().params.len());
        Ok(self.instance(at, if count == 0 { std::rc::Rc::from([]) } else { args.into() }))
    }

    /// Returns the instance of the witness for a requirement and a conforming type.
    pub(crate) fn witness_instance(
        &mut self,
        ty: Ty,
        protocol: Nominal,
        member: DeclRef,
        formal: Option<Type>,
        types: &[Ty],
    ) -> Run<InstanceId> {
        let program = self.program.clone();
        let lookup = ty.formal();
        let Some(conformance) = program.world.conformance(lookup, protocol) else {
            return unsupported(format!(
                "a witness of `{member}` for `{ty}`, whose conformance to `{protocol:?}` is unknown,"
            ));
        };
        let witness = program.world.witness(&conformance, member, formal);
        let Some(function) = witness.and_then(|w| w.function) else {
            return unsupported(format!("the witness of `{member}` for `{ty}`"));
        };
        let Some(at) = program.find(function) else {
            return missing("witness", function);
        };
        let signature = program.function(at).ty.ty().as_function();
        let count = signature.and_then(|f| f.sig).map_or(0, |s| s.data().params.len());
        let own = types.get(1..).unwrap_or_default();
        let of_type = conformance.args.len();
        let mut args: Vec<Ty> = Vec::with_capacity(count);
        if count == of_type + own.len() {
            args.extend(conformance.args.iter());
            args.extend(own);
        } else if count == 1 + of_type + own.len() {
            // The witness of a class that is not final is generic over the class.
            args.push(lookup);
            args.extend(conformance.args.iter());
            args.extend(own);
        } else if count == own.len() {
            args.extend(own);
        } else if count == 1 + own.len() {
            args.push(lookup);
            args.extend(own);
        } else {
            return unsupported(format!(
                "the witness `{function}` with {count} generic parameters for {of_type} and {} generic arguments",
                own.len()
            ));
        }
        Ok(self.instance(at, args.into()))
    }
}

/// Returns the type of `self` in a parameter; for a metatype, its instance type.
fn self_type(ty: Type) -> Type {
    match ty.kind() {
        TypeKind::Metatype(_, t) | TypeKind::DynamicSelf(t) | TypeKind::Paren(t) => self_type(*t),
        _ => ty,
    }
}

/// Returns true if a vtable entry has the same parameters as a formal method type.
fn has_parameters(entry: &VTableEntry, formal: Option<Type>) -> bool {
    entry.formal.and_then(method_parameters) == formal.and_then(method_parameters)
}

/// Returns the parameters of a method, without `self`.
fn method_parameters(formal: Type) -> Option<Vec<Type>> {
    let method = formal.as_function()?.results.first()?.ty;
    Some(method.as_function()?.params.iter().map(|p| p.ty.canonical()).collect())
}
