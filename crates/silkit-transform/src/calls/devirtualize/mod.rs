//! Devirtualization: replaces method lookups with known results by direct references.
//!
//! ```text
//!   %1 = witness_method $S, #P.g : <Self where Self : P> (Self) -> () -> () : $@convention(witness_method: P) <τ_0_0 where τ_0_0 : P> (@in_guaranteed τ_0_0) -> ()
//!   %2 = apply %1<S>(%0) : $@convention(witness_method: P) <τ_0_0 where τ_0_0 : P> (@in_guaranteed τ_0_0) -> ()
//! ---
//!   %2 = function_ref @S_g : $@convention(witness_method: P) (@in_guaranteed S) -> ()
//!   %3 = apply %2(%0) : $@convention(witness_method: P) (@in_guaranteed S) -> ()
//! ```

mod class;
mod results;
mod witness;

pub use class::without_casts;

use crate::calls::abi_cast::AbiCast;
use crate::calls::callee::{self, NewCallee};
use crate::calls::closures::after_call;
use silkit_ir::attributes::Serialized;
use silkit_ir::conventions::{ApplySite, ArgumentConvention, Conventions};
use silkit_ir::{Inst, Linkage, Opcode, Ownership, Point, Value, substituted};
use silkit_pass::FunctionContext;
use silkit_types::{FunctionType, Param, ParamConvention, SilType, Type, TypeKind};

/// The known target of a method call.
#[derive(Clone, Debug)]
pub struct MethodTarget {
    function: silkit_base::Symbol,
    ty: SilType,
    substitutions: Vec<Type>,
    /// The conversions of the applied arguments to the types of the target's parameters.
    arguments: Vec<AbiCast>,
    /// The conversions of the target's results or yields to the types of the call; empty for a `partial_apply`.
    results: Vec<AbiCast>,
    is_class_method: bool,
}

/// Returns the target of a method call if it is known and its type matches the call. Requests missing tables and bodies from
/// the library; the pass runs again when they are available.
pub fn target(cx: &mut FunctionContext<'_>, call: Inst) -> Option<MethodTarget> {
    let lookup = cx.body().defining_inst(cx.view().apply_site(call)?.callee())?;
    if cx.body().inst(lookup).opcode == Opcode::WitnessMethod && witness::request(cx, lookup) {
        return None;
    }
    let site = cx.view().apply_site(call)?;
    match cx.body().inst(lookup).opcode {
        Opcode::ClassMethod | Opcode::SuperMethod => class::target(cx, &site, lookup),
        Opcode::WitnessMethod => witness::target(cx, &site, lookup),
        _ => None,
    }
}

impl MethodTarget {
    /// Creates a target if it matches the call: all types except that of `self` are the same.
    fn new(
        cx: &FunctionContext<'_>,
        site: &ApplySite<'_>,
        function: silkit_base::Symbol,
        substitutions: Vec<Type>,
    ) -> Option<Self> {
        let found = cx.program().function(function)?;
        if !may_be_called(cx, found) {
            return None;
        }
        let ty = found.type_of_reference();
        let generic = ty.ty().as_function()?;
        if generic.sig.map_or(0, |sig| sig.data().params.len()) != substitutions.len() {
            return None;
        }
        let concrete = |ty: &FunctionType, types: &[Type]| substituted(ty, types, cx.declarations());
        let new = concrete(generic, &substitutions)?;
        let old = concrete(site.callee_type().ty().as_function()?, &site.substitutions())?;
        if !is_compatible(&old, &new) {
            return None;
        }
        let declarations = cx.declarations();
        let addresses = cx.view().addresses();
        let old = Conventions::new(&old, addresses);
        let new = Conventions::new(&new, addresses);
        let argument = |applied| {
            let index = site.argument_of_applied(applied)?;
            AbiCast::between(declarations, old.argument_type(index)?, new.argument_type(index)?)
        };
        let arguments: Vec<AbiCast> = (0..site.applied_count()).map(argument).collect::<Option<_>>()?;
        let cast = |(from, to)| AbiCast::between(declarations, from, to);
        let results = match cx.body().inst(site.inst).opcode {
            Opcode::PartialApply => Vec::new(),
            Opcode::BeginApply => {
                new.yield_types().into_iter().zip(old.yield_types()).map(cast).collect::<Option<_>>()?
            }
            _ => vec![cast((new.direct_result_type(), old.direct_result_type()))?],
        };
        let lookup = cx.body().defining_inst(site.callee()).map(|inst| cx.body().inst(inst).opcode);
        let is_class_method = matches!(lookup, Some(Opcode::ClassMethod | Opcode::SuperMethod));
        let target = Self { function, ty, substitutions, arguments, results, is_class_method };
        // The closure of a `partial_apply` takes the other arguments.
        let is_same_argument = |index| old.argument_type(index) == new.argument_type(index);
        let is_same_closure = (0..site.first_applied_argument()?).all(is_same_argument)
            && old.direct_result_type() == new.direct_result_type();
        target.fits(cx, site, is_same_closure).then_some(target)
    }

    /// Replaces the callee of a method call by the target, and converts the arguments and the results to its types.
    pub fn call(&self, cx: &mut FunctionContext<'_>, call: Inst) {
        let reference =
            |cx: &mut FunctionContext<'_>| cx.at(Point::Before(call)).function_ref(self.function, self.ty);
        // As in the reference, the arguments of a witness are converted first.
        let first = self.is_class_method.then(|| reference(cx));
        let (arguments, borrows) = self.convert_arguments(cx, call);
        let callee = first.unwrap_or_else(|| reference(cx));
        let ends = after_call(cx.body(), call);
        let (ty, substitutions) = (self.ty, &self.substitutions[..]);
        let mut builder = cx.at(Point::Before(call));
        callee::change(&mut builder, call, &NewCallee { callee, ty, substitutions, arguments: &arguments });
        results::convert(cx, call, &self.results);
        for point in ends {
            // Each end is inserted directly after the call.
            for &borrow in borrows.iter().rev() {
                cx.at(point).end_borrow(borrow);
            }
        }
    }

    /// Converts the arguments to the types of the target's parameters. Arguments that the caller owns and the target takes as
    /// guaranteed are borrowed; for a witness, only if they are converted. Returns the arguments and the borrows.
    fn convert_arguments(&self, cx: &mut FunctionContext<'_>, call: Inst) -> (Vec<Value>, Vec<Value>) {
        let Some(site) = cx.view().apply_site(call) else { return (Vec::new(), Vec::new()) };
        let mut arguments: Vec<Value> = site.arguments().collect();
        let is_lent = |index: usize| {
            cx.function().has_ossa()
                && site.is_full()
                && (self.is_class_method || !self.arguments[index].is_same())
                && site.convention_of_applied(index) == Some(ArgumentConvention::Guaranteed)
                && cx.ownership().value(arguments[index]) == Some(Ownership::Owned)
        };
        let lent: Vec<bool> = (0..arguments.len()).map(is_lent).collect();
        let mut borrows = Vec::new();
        for (index, is_lent) in lent.into_iter().enumerate() {
            if is_lent {
                arguments[index] = cx.at(Point::Before(call)).begin_borrow(arguments[index]);
                borrows.push(arguments[index]);
            }
            arguments[index] = self.arguments[index].convert(cx, arguments[index], call);
        }
        (arguments, borrows)
    }

    /// Returns true if the conversions can be made at a call.
    fn fits(&self, cx: &FunctionContext<'_>, site: &ApplySite<'_>, is_same_closure: bool) -> bool {
        // The deallocation of a closure on the stack refers to the `partial_apply`.
        if cx.body().has_flag(site.inst, "on_stack") && !is_same_closure {
            return false;
        }
        // A guaranteed value is not forwarded through a phi.
        let ownership = cx.ownership();
        let is_joined = |(index, value): (usize, Value)| {
            self.arguments[index].branches() && ownership.value(value) == Some(Ownership::Guaranteed)
        };
        !cx.function().has_ossa() || !site.arguments().enumerate().any(is_joined)
    }
}

/// Returns true if two function types take and return values in the same way. Only the types of the values may differ.
fn is_compatible(old: &FunctionType, new: &FunctionType) -> bool {
    let is_same = |a: ParamConvention, b: ParamConvention| {
        let is_in = |convention| matches!(convention, ParamConvention::In | ParamConvention::InGuaranteed);
        a == b || is_in(a) && is_in(b)
    };
    let is_same_param = |(a, b): (&Param, &Param)| is_same(a.convention, b.convention);
    old.params.len() == new.params.len()
        && old.results.len() == new.results.len()
        && old.yields.len() == new.yields.len()
        && old.error.is_some() == new.error.is_some()
        && old.params.iter().zip(&new.params).all(is_same_param)
        && old.results.iter().zip(&new.results).all(|(a, b)| a.convention == b.convention)
        && old.yields.iter().zip(&new.yields).all(|(a, b)| a.convention == b.convention)
}

/// Appends the generic arguments of a nominal type, those of enclosing types first.
pub fn generic_arguments(ty: Type, types: &mut Vec<Type>) {
    if let TypeKind::Named(named) = ty.kind() {
        if let Some(parent) = named.parent {
            generic_arguments(parent, types);
        }
        types.extend(named.args.iter().copied());
    }
}

/// Returns true if the current function may reference a target: a function that other modules may inline can
/// reference only functions visible to them.
fn may_be_called(cx: &FunctionContext<'_>, function: &silkit_ir::Function) -> bool {
    let is_seen = matches!(
        function.linkage,
        Linkage::Default
            | Linkage::Public
            | Linkage::PublicExternal
            | Linkage::PublicNonAbi
            | Linkage::Shared
            | Linkage::SharedExternal
    );
    cx.function().attributes.serialized == Serialized::No || is_seen
}
