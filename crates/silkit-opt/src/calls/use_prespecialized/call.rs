//! Replacement of a call of a generic function by a call of a specialization.
//!
//! ```text
//! %3 = apply %2<String>(%0, %1) : $@convention(thin) <τ_0_0> (@in_guaranteed τ_0_0) -> @out τ_0_0
//! ---
//! %2 = function_ref @specialized : $@convention(thin) (@guaranteed String) -> @owned String
//! %3 = load %1
//! %4 = apply %2(%3) : $@convention(thin) (@guaranteed String) -> @owned String
//! store %4 to %0
//! ```

use silkit_base::Symbol;
use silkit_ir::conventions::{Addresses, ApplySite, ArgumentRole, Conventions};
use silkit_ir::instructions::{EndBorrow, Load, LoadBorrow, LoadQualifier, Store, StoreQualifier};
use silkit_ir::substituted;
use silkit_ir::{Inst, Opcode, Point, Value};
use silkit_pass::FunctionContext;
use silkit_transform::callee::{self, NewCallee};
use silkit_types::{FunctionType, ParamConvention, ResultConvention, SilType, Type, TypeKind};

/// The calling interface of a specialized function.
pub(super) struct SpecializedInterface {
    ty: SilType,
    /// The substituted type of the generic function, with unchanged indirect conventions.
    original: FunctionType,
    /// For each parameter, true if the specialization takes it directly.
    params: Vec<bool>,
    /// For each result, true if the specialization returns it directly.
    results: Vec<bool>,
}

impl SpecializedInterface {
    /// Returns the interface of the specialization for a call; `None` if the instruction is not a full apply, or if
    /// several results would become direct.
    pub(super) fn of(cx: &FunctionContext<'_>, call: Inst) -> Option<Self> {
        let site = cx.view().apply_site(call).filter(ApplySite::is_full)?;
        let callee = site.callee_type().ty().as_function()?;
        let original = substituted(callee, &site.substitutions(), cx.declarations())?;
        let mut ty = original.clone();
        let is_loadable = |ty: Type| cx.declarations().is_loadable(ty, None) == Some(true);
        let is_trivial = |ty: Type| cx.declarations().is_trivial(ty, None) == Some(true);
        let mut params = vec![false; ty.params.len()];
        for (param, is_direct) in ty.params.iter_mut().zip(&mut params) {
            let direct = match param.convention {
                ParamConvention::In => ParamConvention::Owned,
                ParamConvention::InGuaranteed => ParamConvention::Guaranteed,
                _ => continue,
            };
            if is_loadable(param.ty) {
                param.convention = if is_trivial(param.ty) { ParamConvention::Unowned } else { direct };
                *is_direct = true;
            }
        }
        let mut results = vec![false; ty.results.len()];
        for (result, is_direct) in ty.results.iter_mut().zip(&mut results) {
            if result.convention == ResultConvention::Out && is_loadable(result.ty) {
                let is_trivial = is_trivial(result.ty);
                result.convention =
                    if is_trivial { ResultConvention::Unowned } else { ResultConvention::Owned };
                *is_direct = true;
            }
        }
        let direct = results.iter().filter(|&&is_direct| is_direct).count();
        let is_only = original.results.len() == 1;
        if direct > 1
            || direct == 1 && !is_only
            || cx.body().inst(call).opcode == Opcode::TryApply && direct > 0
        {
            return None;
        }
        let ty = SilType::object(Type::new(TypeKind::Function(Box::new(ty))));
        Some(Self { ty, original, params, results })
    }

    /// Returns the type of the specialized function.
    pub(super) fn ty(&self) -> SilType {
        self.ty
    }

    /// Replaces a call of the generic function by a call of the specialized function.
    pub(super) fn apply(&self, cx: &mut FunctionContext<'_>, call: Inst, name: Symbol) {
        let Some(site) = cx.view().apply_site(call) else { return };
        let arguments: Vec<Value> = site.arguments().collect();
        let old = site.callee();
        let conventions = Conventions::new(&self.original, Addresses::Lowered);
        let mut passed = Vec::with_capacity(arguments.len());
        let (mut borrows, mut result) = (Vec::new(), None);
        let reference = cx.at(Point::Before(call)).function_ref(name, self.ty);
        for (index, &argument) in arguments.iter().enumerate() {
            match conventions.role(index) {
                Some(ArgumentRole::IndirectResult(at)) if self.results[at] => result = Some(argument),
                Some(ArgumentRole::Param(at)) if self.params[at] => {
                    let is_taken = self.original.params[at].convention == ParamConvention::In;
                    let (value, is_borrow) = load(cx, call, argument, is_taken);
                    borrows.extend(is_borrow.then_some(value));
                    passed.push(value);
                }
                _ => passed.push(argument),
            }
        }
        let new = NewCallee { callee: reference, ty: self.ty, substitutions: &[], arguments: &passed };
        callee::change(&mut cx.edit(), call, &new);
        if !cx.body().is_terminator(call) {
            let mut builder = cx.at(Point::After(call));
            for &borrow in &borrows {
                builder.build(EndBorrow::new(borrow));
            }
            if let (Some(address), Some(value)) = (result, builder.first_result(call)) {
                store_result(cx, call, value, address);
            }
        }
        if let Some(def) = cx.body().defining_inst(old).filter(|_| !cx.body().is_used(old)) {
            cx.edit().remove(def);
        }
    }
}

/// Loads an argument that is passed directly. The flag is true if it is borrowed.
fn load(cx: &mut FunctionContext<'_>, call: Inst, address: Value, is_taken: bool) -> (Value, bool) {
    let has_ossa = cx.function().has_ossa();
    let is_trivial = is_trivial(cx, address);
    let mut builder = cx.at(Point::Before(call));
    if has_ossa && !is_taken && !is_trivial {
        return (builder.build(LoadBorrow::new(address)), true);
    }
    let qualifier = match (has_ossa, is_trivial) {
        (false, _) => None,
        (true, true) => Some(LoadQualifier::Trivial),
        (true, false) => Some(LoadQualifier::Take),
    };
    (builder.build(Load { qualifier, ..Load::new(address) }), false)
}

/// Stores the result of a call to the indirect result of the generic function.
fn store_result(cx: &mut FunctionContext<'_>, call: Inst, value: Value, address: Value) {
    let qualifier = match (cx.function().has_ossa(), is_trivial(cx, address)) {
        (false, _) => None,
        (true, true) => Some(StoreQualifier::Trivial),
        (true, false) => Some(StoreQualifier::Init),
    };
    let ty = cx.body().value(address).ty.to_object();
    let is_used = cx.body().is_used(value);
    let mut builder = cx.at(Point::After(call));
    if is_used {
        // The replacement of the empty result of the generic call.
        let nothing = builder.tuple(&[][..]);
        builder.replace_all_uses(value, nothing);
    }
    builder.set_type(value, ty);
    builder.build(Store { qualifier, ..Store::new(value, address) });
}

fn is_trivial(cx: &FunctionContext<'_>, address: Value) -> bool {
    cx.declarations().is_trivial(cx.body().value(address).ty.ty(), None) == Some(true)
}
