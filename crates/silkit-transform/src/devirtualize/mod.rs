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
mod witness;

pub use class::without_casts;

use crate::callee::{self, NewCallee};
use crate::closures::after_call;
use silkit_ir::attributes::Serialized;
use silkit_ir::conventions::{ApplySite, ArgumentConvention};
use silkit_ir::instructions::ClassMethod;
use silkit_ir::{Inst, Linkage, Opcode, Ownership, Point, Value, substituted};
use silkit_pass::FunctionContext;
use silkit_types::{FunctionType, SilType, Type, TypeKind};

/// The known target of a method call.
#[derive(Clone, Debug)]
pub struct MethodTarget {
    function: silkit_base::Symbol,
    ty: SilType,
    substitutions: Vec<Type>,
    /// The index of an argument that must be cast to another class type, with that type.
    cast: Option<(usize, SilType)>,
    /// True if that class is a subclass of the argument's class.
    is_downcast: bool,
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
        Opcode::ClassMethod => class::target(cx, &site, lookup),
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
        // In bodies, generic parameters are unnamed.
        let named = found.ty.ty().as_function()?.clone();
        let ty = TypeKind::Function(Box::new(named.with_canonical_signature()));
        let ty = SilType::object(Type::new(ty));
        let generic = ty.ty().as_function()?;
        if generic.sig.map_or(0, |sig| sig.data().params.len()) != substitutions.len() {
            return None;
        }
        let concrete = |ty: &FunctionType, types: &[Type]| substituted(ty, types, cx.declarations());
        let new = concrete(generic, &substitutions)?;
        let old = concrete(site.callee_type().ty().as_function()?, &site.substitutions())?;
        let same = |a: Type, b: Type| a.desugared() == b.desugared();
        let params = || old.params.iter().zip(new.params.iter());
        let results = old.results.iter().zip(new.results.iter());
        let yields = old.yields.iter().zip(new.yields.iter());
        let fits = old.params.len() == new.params.len()
            && old.results.len() == new.results.len()
            && old.yields.len() == new.yields.len()
            && old.error.is_some() == new.error.is_some()
            && params().all(|(a, b)| a.convention == b.convention)
            && results.into_iter().all(|(a, b)| a.convention == b.convention && same(a.ty, b.ty))
            && yields.into_iter().all(|(a, b)| a.convention == b.convention && same(a.ty, b.ty));
        let mut other = params().enumerate().filter(|(_, (a, b))| !same(a.ty, b.ty));
        let cast = match (other.next(), other.next()) {
            (None, _) => None,
            (Some((index, (_, param))), None) if index + 1 == old.params.len() => {
                let first = site.arguments().len().checked_sub(old.params.len())?;
                Some((first + index, SilType::object(param.ty)))
            }
            _ => return None,
        };
        let is_class_method = cx.body().def_as::<ClassMethod>(site.callee()).is_some();
        fits.then_some(Self { function, ty, substitutions, cast, is_downcast: false, is_class_method })
    }

    /// Replaces the callee of a method call by the target.
    pub fn call(&self, cx: &mut FunctionContext<'_>, call: Inst) {
        let Some(site) = cx.view().apply_site(call) else { return };
        let mut arguments: Vec<Value> = site.arguments().collect();
        let callee = cx.at(Point::Before(call)).function_ref(self.function, self.ty);
        let borrows = self.borrow(cx, call, &mut arguments);
        let mut builder = cx.at(Point::Before(call));
        if let Some((index, ty)) = self.cast {
            arguments[index] = match self.is_downcast {
                true if matches!(ty.ty().kind(), TypeKind::Metatype(..)) => {
                    builder.unchecked_trivial_bit_cast(arguments[index], ty)
                }
                true => builder.unchecked_ref_cast(arguments[index], ty),
                false => builder.upcast(arguments[index], ty),
            };
        }
        let (ty, substitutions) = (self.ty, &self.substitutions[..]);
        callee::change(&mut builder, call, &NewCallee { callee, ty, substitutions, arguments: &arguments });
        for point in after_call(cx.body(), call) {
            // Each end is inserted directly after the call.
            for &borrow in borrows.iter().rev() {
                cx.at(point).end_borrow(borrow);
            }
        }
    }

    /// Borrows the arguments that the caller owns and the target takes as guaranteed. Returns the borrows.
    fn borrow(&self, cx: &mut FunctionContext<'_>, call: Inst, arguments: &mut [Value]) -> Vec<Value> {
        if !self.is_class_method || !cx.function().has_ossa() {
            return Vec::new();
        }
        let Some(site) = cx.view().apply_site(call) else { return Vec::new() };
        let ownership = cx.ownership();
        let is_lent = |index: usize, value: Value| {
            site.convention_of_applied(index) == Some(ArgumentConvention::Guaranteed)
                && ownership.value(value) == Some(Ownership::Owned)
        };
        let lent: Vec<usize> =
            (0..arguments.len()).filter(|&index| is_lent(index, arguments[index])).collect();
        let mut builder = cx.at(Point::Before(call));
        lent.into_iter()
            .map(|index| {
                arguments[index] = builder.begin_borrow(arguments[index]);
                arguments[index]
            })
            .collect()
    }
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
