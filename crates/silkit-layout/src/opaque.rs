//! Underlying types of opaque results (`some P`), found in the bodies of the functions that return them.

use crate::resolve::Env;
use crate::ty::Ty;
use crate::world::{ModuleId, TypeError, World};
use silkit_base::Symbol;
use silkit_ir::{Function, Opcode};
use silkit_types::{GenericSig, SilType, Type, TypeKind};

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
            let known = self.opaque.borrow().get(&decl).copied();
            match known {
                Some(found) => found,
                None => {
                    let found = self.find_underlying(decl, index);
                    self.opaque.borrow_mut().insert(decl, found);
                    found
                }
            }
        };
        let found = found.ok_or_else(unknown)?;
        let env = Env { sig: found.sig, args, ..Env::top(found.module) };
        self.resolve(found.ty, &env, false)
    }

    fn find_underlying(&self, decl: Symbol, index: u32) -> Option<Underlying> {
        // The mangled name is that of the declaration; the getter of a property adds a suffix.
        let names = [decl.to_string(), format!("{decl}g"), format!("{decl}vg")];
        let with_body = || {
            let all = self.modules().flat_map(|(id, m)| m.sil.functions.values().map(move |f| (id, f)));
            all.filter(|(_, f)| f.body.is_some())
        };
        let (module, found) = with_body().find(|(_, f)| names.iter().any(|n| n == f.name.as_str()))?;
        // A dynamic replacement determines the underlying type.
        let replaces = |f: &Function| f.attributes.dynamic_replacement_for == Some(found.name);
        let (module, function) = with_body().find(|(_, f)| replaces(f)).unwrap_or((module, found));
        let ty = function.ty.ty().as_function()?;
        Some(Underlying { module, sig: ty.sig, ty: returned(function, index)?.ty() })
    }
}

/// Returns the type of the value that a function returns as its opaque result `index`.
fn returned(function: &Function, index: u32) -> Option<SilType> {
    let body = function.body.as_ref()?;
    let ty = function.ty.ty().as_function()?;
    // In a substituted function type, a generic parameter represents the opaque type.
    let spelled = |result: Type| match result.kind() {
        TypeKind::Param { index, .. } => ty.pattern_args.get(usize::from(*index)).copied().unwrap_or(result),
        _ => result,
    };
    let is_result = |ty: Type| matches!(ty.kind(), TypeKind::OpaqueResult { index: i, .. } if *i == index);
    let indirect = ty.results.iter().filter(|r| r.convention.is_indirect());
    let value = match { indirect }.position(|r| is_result(spelled(r.ty))) {
        Some(at) => *body.entry_arguments().get(at)?,
        None => body.blocks().find_map(|block| {
            let last = body.terminator(block)?;
            (body.inst(last).opcode == Opcode::Return).then(|| body.operand_value(last, 0))
        })?,
    };
    let found = body.value(value).ty;
    if !is_result(found.ty()) {
        return Some(found);
    }
    // The body of a dynamically replaceable function uses the opaque type too: find the underlying type in a cast.
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
        return Some(body.value(to).ty);
    }
    let cast = body.defining_inst(value).filter(|&inst| is_cast(body.inst(inst).opcode))?;
    Some(body.value(body.operand_value(cast, 0)).ty)
}
