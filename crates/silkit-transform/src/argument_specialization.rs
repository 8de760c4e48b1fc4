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

use silkit_base::{Entity, EntitySet, FxHashMap, Symbol};
use silkit_ir::{Cloner, Function, FunctionId, Linkage, Module, ScopeMap, ScopeOverlay, Serialized};
use silkit_types::{FunctionType, SilType, Type, TypeKind};

/// Returns a copy of a function with another name, another type and a copy of the body, for callers with a serialization.
///
/// What is private stays private, unless clients may see it; all else is shared. Effects on the arguments of the original are
/// not copied. Debug scopes are copied too, since each belongs to one function.
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

/// Moves functions of a module in front of others, each the last of those that go to the same one. Ids change.
pub fn place_before(module: &mut Module, placed: &[(FunctionId, FunctionId)]) {
    if placed.is_empty() {
        return;
    }
    let mut before: FxHashMap<FunctionId, Vec<FunctionId>> = FxHashMap::default();
    let mut is_placed = EntitySet::default();
    for &(function, original) in placed {
        before.entry(original).or_default().push(function);
        is_placed.insert(function);
    }
    let ids: Vec<FunctionId> = module.functions.keys().collect();
    let mut order = Vec::with_capacity(ids.len());
    for id in ids.into_iter().filter(|&id| !is_placed.contains(id)) {
        // A copy of a copy goes in front of that.
        let mut work = vec![(id, false)];
        while let Some((id, is_ready)) = work.pop() {
            match before.get(&id).filter(|_| !is_ready) {
                None => order.push(id),
                Some(first) => {
                    work.push((id, true));
                    work.extend(first.iter().rev().map(|&first| (first, false)));
                }
            }
        }
    }
    let mut functions: Vec<Option<Function>> = module.functions.take().into_values().map(Some).collect();
    for id in order {
        if let Some(function) = functions[id.index()].take() {
            module.functions.push(function);
        }
    }
}
