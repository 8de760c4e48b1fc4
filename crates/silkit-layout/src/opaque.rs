//! Underlying types of opaque results (`some P`), found in the bodies of the functions that return them.

use crate::resolve::Env;
use crate::ty::Ty;
use crate::world::{ModuleId, TypeError, World};
use silkit_base::Symbol;
use silkit_ir::{Body, Function, Opcode, Value};
use silkit_types::{GenericSig, ResultInfo, Type, TypeKind};

/// The underlying type of an opaque result, in terms of the generic parameters of the function.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Underlying {
    module: ModuleId,
    sig: Option<GenericSig>,
    ty: Type,
}

impl World {
    /// Returns the underlying type of the opaque result `index` of the declaration with a mangled name.
    pub(crate) fn opaque_result(&self, decl: Symbol, index: u32, args: &[Ty]) -> Result<Ty, TypeError> {
        let unknown = || TypeError::Unresolved(format!("@_opaqueReturnTypeOf(\"{decl}\", {index}) __"));
        let found = {
            let known = self.opaque.borrow().get(&(decl, index)).copied();
            match known {
                Some(found) => found,
                None => {
                    let found = self.find_underlying(decl, index);
                    self.opaque.borrow_mut().insert((decl, index), found);
                    found
                }
            }
        };
        let found = found.ok_or_else(unknown)?;
        let env = Env { sig: found.sig, args, ..Env::top(found.module) };
        self.resolve(found.ty, &env, false)
    }

    fn find_underlying(&self, decl: Symbol, index: u32) -> Option<Underlying> {
        // The mangled name is that of the declaration. A property or subscript ends with `p`, its getter with `g`.
        let getter = decl.as_str().strip_suffix('p').map(|storage| format!("{storage}g"));
        let is_it = |name: Symbol| name == decl || getter.as_deref() == Some(name.as_str());
        let with_body = || {
            let all = self.modules().flat_map(|(id, m)| m.sil.functions.values().map(move |f| (id, f)));
            all.filter(|(_, f)| f.body.is_some())
        };
        let declared = || with_body().find(|(_, f)| is_it(f.name));
        // The mangled name of a declaration spells associated types with their protocols, unlike that of its function.
        // Only the function that declares the result returns another type as the result.
        let returns_other = || {
            with_body()
                .find(|(_, f)| has_result(f, decl) && returned(f, index).is_some_and(|ty| !is_of(ty, decl)))
        };
        let (module, found) = declared().or_else(returns_other)?;
        // A dynamic replacement determines the underlying type.
        let replaces = |f: &Function| f.attributes.dynamic_replacement_for == Some(found.name);
        let (module, function) = with_body().find(|(_, f)| replaces(f)).unwrap_or((module, found));
        let ty = function.ty.ty().as_function()?;
        Some(Underlying { module, sig: ty.sig, ty: returned(function, index)? })
    }
}

/// Returns the type that a function returns as its opaque result `index`.
fn returned(function: &Function, index: u32) -> Option<Type> {
    let body = function.body.as_ref()?;
    let ty = function.ty.ty().as_function()?;
    let (indirect, direct): (Vec<&ResultInfo>, Vec<&ResultInfo>) =
        ty.results.iter().partition(|r| r.convention.is_indirect());
    let returned = || {
        body.blocks().find_map(|block| {
            let last = body.terminator(block)?;
            (body.inst(last).opcode == Opcode::Return).then(|| body.operand_value(last, 0))
        })
    };
    let addresses = indirect.iter().zip(body.entry_arguments()).map(|(r, &value)| (r.ty, value));
    let values = match direct[..] {
        [] => None,
        [one] => returned().map(|value| (one.ty, value)),
        ref all => {
            let types: Vec<Type> = all.iter().map(|r| r.ty).collect();
            returned().map(|value| (Type::tuple(&types), value))
        }
    };
    let part = |spelled, actual| part(spelled, actual, index, &ty.pattern_args);
    addresses.chain(values).find_map(|(spelled, value)| {
        let found = part(spelled, body.value(value).ty.ty())?;
        if !is_result(found, index) {
            return Some(found);
        }
        part(spelled, cast(body, value)?)
    })
}

/// Returns true if an opaque result of the declaration with a mangled name is a part of the function's results.
fn has_result(function: &Function, decl: Symbol) -> bool {
    let Some(ty) = function.ty.ty().as_function() else { return false };
    ty.results
        .iter()
        .map(|r| r.ty)
        .chain(ty.pattern_args.iter().copied())
        .any(|ty| ty.any_part(&|part| is_of(part, decl)))
}

/// Returns true if a type is an opaque result of the declaration with a mangled name.
fn is_of(ty: Type, decl: Symbol) -> bool {
    matches!(ty.kind(), TypeKind::OpaqueResult { decl: of, .. } if *of == decl)
}

/// Returns true if a type is the opaque result `index`.
fn is_result(ty: Type, index: u32) -> bool {
    matches!(ty.kind(), TypeKind::OpaqueResult { index: i, .. } if *i == index)
}

/// Returns the part of `actual` that has the position of the opaque result `index` in `spelled`. In a substituted
/// function type, generic parameters stand for the types `args`.
fn part(spelled: Type, actual: Type, index: u32, args: &[Type]) -> Option<Type> {
    let (spelled, actual) = (spelled.desugared(), actual.desugared());
    if let TypeKind::Param { index: at, .. } = spelled.kind()
        && let Some(&arg) = args.get(usize::from(*at))
    {
        return part(arg, actual, index, &[]);
    }
    if is_result(spelled, index) {
        return Some(actual);
    }
    let parts = |ty: Type| {
        let mut parts = Vec::new();
        ty.kind().for_each_part(&mut |part| parts.push(part));
        parts
    };
    let pairs = parts(spelled).into_iter().zip(parts(actual));
    { pairs }.find_map(|(spelled, actual)| part(spelled, actual, index, args))
}

/// Returns the underlying type of a value of opaque type. The body of a dynamically replaceable function uses the
/// opaque type too, and casts the underlying type to it.
fn cast(body: &Body, value: Value) -> Option<Type> {
    let is_cast = |opcode: Opcode| {
        matches!(
            opcode,
            Opcode::UncheckedAddrCast
                | Opcode::UncheckedBitwiseCast
                | Opcode::UncheckedRefCast
                | Opcode::UncheckedValueCast
        )
    };
    let mut casts = body.users(value).filter(|&user| is_cast(body.inst(user).opcode));
    if let Some(to) = casts.find_map(|user| body.first_result(user)) {
        return Some(body.value(to).ty.ty());
    }
    let cast = body.defining_inst(value).filter(|&inst| is_cast(body.inst(inst).opcode))?;
    Some(body.value(body.operand_value(cast, 0)).ty.ty())
}
