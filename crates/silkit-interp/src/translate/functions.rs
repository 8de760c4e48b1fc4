//! Resolution of callees: functions, methods, witnesses, and function values.

use super::Translator;
use crate::sites::{Callee, MethodSite};
use crate::violation::{Run, missing, unsupported};
use silkit_base::Symbol;
use silkit_ir::instructions::AnyInst;
use silkit_ir::{Body, DeclRef, FunctionStep, Opcode, Value};
use silkit_layout::{FnRepr, Nominal, Ty, TyKind};
use silkit_types::{Convention, Type, TypeKind};
use std::rc::Rc;

/// The callee of a call or a closure.
pub(super) struct Target {
    /// The callee, if it is statically known.
    pub(super) callee: Option<Callee>,
    /// The method, if it is dispatched on the class of an object.
    pub(super) method: Option<MethodSite>,
    /// The slot of the function value, if neither callee nor method is known.
    pub(super) value: u32,
    /// True if the function value has a context.
    pub(super) is_thick: bool,
    /// The name of the callee, for messages.
    pub(super) name: Symbol,
    /// The generic arguments.
    pub(super) types: Rc<[Ty]>,
}

impl Translator<'_, '_> {
    /// Returns the callee that a value refers to, with generic arguments.
    pub(super) fn callee(&mut self, body: &Body, value: Value, types: &[Ty]) -> Run<Target> {
        let types: Rc<[Ty]> = types.into();
        let known = |callee, name| Target {
            callee: Some(callee),
            method: None,
            value: 0,
            is_thick: false,
            name,
            types: types.clone(),
        };
        let root = self.function_behind(body, value);
        match body.defining_inst(root).map(|inst| body.view(inst)) {
            Some(AnyInst::FunctionRef(f)) => {
                let callee = self.function_callee(f.function, types.clone(), false)?;
                Ok(known(callee, f.function))
            }
            Some(AnyInst::DynamicFunctionRef(f)) => {
                let callee = self.function_callee(f.function, types.clone(), true)?;
                Ok(known(callee, f.function))
            }
            Some(AnyInst::PreviousDynamicFunctionRef(f)) => {
                let callee = self.function_callee(f.function, types.clone(), false)?;
                Ok(known(callee, f.function))
            }
            Some(AnyInst::WitnessMethod(m)) => {
                let ty = self.formal(m.lookup.ty())?;
                let protocol = self.protocol_of(m.member, m.ty.ty())?;
                let id = self.it.witness_instance(ty, protocol, m.member, m.formal, &types)?;
                Ok(known(Callee::Instance(id), Symbol::new(&m.member.to_string())))
            }
            Some(AnyInst::SuperMethod(m)) => {
                let (ty, _) = self.type_of(body, m.operand)?;
                let id = self.super_method(ty, m.member, m.formal, &types)?;
                Ok(known(Callee::Instance(id), Symbol::new(&m.member.to_string())))
            }
            Some(AnyInst::ClassMethod(m)) => {
                let method = self.method_site(body, m.operand, m.member, m.formal, types.clone())?;
                Ok(Target {
                    callee: None,
                    method: Some(method),
                    value: 0,
                    is_thick: false,
                    name: Symbol::new(&m.member.to_string()),
                    types,
                })
            }
            Some(AnyInst::ObjCMethod(_) | AnyInst::ObjCSuperMethod(_)) => {
                unsupported("an Objective-C method")
            }
            _ => {
                let slot = self.use_value(body, value)?;
                let (ty, _) = self.type_of(body, value)?;
                let is_thick = match ty.kind() {
                    TyKind::Lowered(FnRepr::Thick | FnRepr::NoEscape) => true,
                    TyKind::Lowered(FnRepr::Thin) => false,
                    _ => return unsupported(format!("a call of a value of type `{ty}`")),
                };
                Ok(Target {
                    callee: None,
                    method: None,
                    value: slot,
                    is_thick,
                    name: Symbol::new("a closure"),
                    types,
                })
            }
        }
    }

    /// Looks through conversions of a function value if they lead to a function reference or a method; otherwise,
    /// returns `value`.
    fn function_behind(&self, body: &Body, value: Value) -> Value {
        let origin = body.function_origin(value, |step, _| step != FunctionStep::Close);
        let is_known = body.defining_inst(origin).is_some_and(|inst| {
            let opcode = body.inst(inst).opcode;
            let is_method =
                matches!(opcode, Opcode::WitnessMethod | Opcode::SuperMethod | Opcode::ClassMethod);
            opcode.is_function_ref() || is_method
        });
        if is_known { origin } else { value }
    }

    /// Returns the function with a name: a SIL function or a function of the runtime.
    pub(super) fn function_callee(&mut self, symbol: Symbol, types: Rc<[Ty]>, dynamic: bool) -> Run<Callee> {
        let symbol = if dynamic { self.program.replacement(symbol).unwrap_or(symbol) } else { symbol };
        let object_name = self.program.object_name(symbol);
        if let Some(native) = crate::runtime::overriding(object_name.as_str()) {
            return Ok(Callee::Native(native));
        }
        if let Some(at) = self.program.find(symbol) {
            let sig = self.program.function(at).ty.ty().as_function().and_then(|f| f.sig);
            let count = sig.map_or(0, |s| s.data().params.len());
            if count != types.len() {
                return unsupported(format!(
                    "`{symbol}` with {} generic arguments for {count} generic parameters",
                    types.len()
                ));
            }
            return Ok(Callee::Instance(self.it.instance(at, types)));
        }
        match crate::runtime::native(object_name.as_str()) {
            Some(native) => Ok(Callee::Native(native)),
            None if self.it.options.foreign => Ok(Callee::Native(crate::runtime::FOREIGN)),
            None => missing("function", symbol),
        }
    }

    /// Returns the protocol that declares a requirement.
    pub(super) fn protocol_of(&mut self, member: DeclRef, ty: Type) -> Run<Nominal> {
        if let TypeKind::Function(f) = ty.kind()
            && let Convention::WitnessMethod(protocol) = f.convention
            && let TypeKind::Named(_) = protocol.kind()
            && let Some(found) =
                self.program.nominal_named(self.function.module, Symbol::new(&protocol.to_string()))
        {
            return Ok(found);
        }
        let path = member.data().path.split_last().map_or(&[][..], |(_, outer)| outer);
        let name: Vec<&str> = path.iter().map(|s| s.as_str()).collect();
        let name = Symbol::new(&name.join("."));
        match self.program.nominal_named(self.function.module, name) {
            Some(found) => Ok(found),
            None => unsupported(format!("the protocol of `{member}`")),
        }
    }

    pub(super) fn method_site(
        &mut self,
        body: &Body,
        operand: Value,
        member: DeclRef,
        formal: Option<Type>,
        types: Rc<[Ty]>,
    ) -> Run<MethodSite> {
        let receiver = self.use_value(body, operand)?;
        let (ty, _) = self.type_of(body, operand)?;
        let is_metatype = matches!(ty.kind(), TyKind::Metatype(_) | TyKind::ExistentialMetatype(_));
        Ok(MethodSite { receiver, is_metatype, member, formal, types, cache: Vec::new() })
    }

    fn super_method(
        &mut self,
        ty: Ty,
        member: DeclRef,
        formal: Option<Type>,
        types: &[Ty],
    ) -> Run<crate::instance::InstanceId> {
        let class = match ty.kind() {
            TyKind::Metatype(t) | TyKind::ThinMetatype(t) => *t,
            _ => ty,
        };
        let Some(superclass) = self.program.world.superclass(class) else {
            return unsupported(format!("`super` of `{class}`"));
        };
        match self.it.vtable_entry(superclass, member, formal) {
            Some(function) => self.it.method_instance(function, superclass, types),
            None => unsupported(format!("the method `{member}` of `{superclass}`")),
        }
    }
}
