//! Specialization of the arguments of functions: a copy of a function to whose parameters other things are passed.
//!
//! The copy of `@f : $@convention(thin) (@guaranteed { var Builtin.Int64 }) -> ()` with the type of its parameter changed by the caller;
//! what the body does with the argument is changed by the caller as well:
//!
//! ```text
//! sil private [ossa] @f : $@convention(thin) (@guaranteed { var Builtin.Int64 }) -> ()
//! ---
//! sil private [ossa] @$s1fTf0s_n : $@convention(thin) (@inout_aliasable Builtin.Int64) -> ()
//! ```

use silkit_base::Symbol;
use silkit_ir::{Cloner, Function, Linkage, ScopeMap, ScopeOverlay, Serialized};
use silkit_types::{FunctionType, SilType, Type, TypeKind};

/// Returns a copy of a function with another name, another type and a copy of the body, for callers with a serialization.
///
/// The copy of a private function is private, unless clients may see it; other copies are shared. Effects on the arguments of
/// the original are not copied. Debug scopes are copied too, since each belongs to one function.
pub fn copy(
    function: &Function,
    name: Symbol,
    ty: FunctionType,
    serialized: Serialized,
    scopes: &mut ScopeOverlay<'_>,
) -> Function {
    let is_private = function.linkage == Linkage::Private && function.attributes.serialized == Serialized::No;
    let mut copy = Function::new(name, SilType::object(Type::new(TypeKind::Function(Box::new(ty)))));
    copy.linkage = if is_private { Linkage::Private } else { Linkage::Shared };
    copy.attributes = function.attributes.clone();
    copy.attributes.serialized = serialized;
    copy.body = function.body.as_ref().map(|body| {
        let map = ScopeMap::copied_function(scopes, body.used_scopes(), function.name, (name, copy.ty));
        Cloner::of(body).with_scopes(&map).body()
    });
    copy
}
