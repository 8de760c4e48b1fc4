//! The types of opaque results `some P`, found in the body of the function that returns one.

use crate::resolve::Env;
use crate::ty::Ty;
use crate::world::{ModuleId, TypeError, World};
use silkit_base::Symbol;
use silkit_types::{GenericSig, SilType, Type, TypeKind};

/// The type behind an opaque result, in terms of the function's generic parameters.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Underlying {
    module: ModuleId,
    sig: Option<GenericSig>,
    ty: Type,
}

impl World {
    /// Returns the type behind the opaque result `index` of the declaration with a mangled name.
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
        // The name is that of the declaration; a property's getter has it with a suffix.
        let names = [decl.to_string(), format!("{decl}g"), format!("{decl}vg")];
        for (module, info) in self.modules() {
            for function in info.sil.functions.values() {
                let name = function.name.as_str();
                if !names.iter().any(|n| n == name) {
                    continue;
                }
                let Some(body) = &function.body else { continue };
                let ty = function.ty.ty().as_function()?;
                // In a substituted type a parameter stands for it.
                let spelled = |result: Type| match result.kind() {
                    TypeKind::Param { index, .. } => {
                        ty.pattern_args.get(usize::from(*index)).copied().unwrap_or(result)
                    }
                    _ => result,
                };
                let position = ty.results.iter().filter(|r| r.convention.is_indirect()).position(
                    |r| matches!(spelled(r.ty).kind(), TypeKind::OpaqueResult { index: i, .. } if *i == index),
                );
                let returned: SilType = match position {
                    Some(at) => body.value(*body.entry_arguments().get(at)?).ty,
                    None => body.blocks().find_map(|block| {
                        let last = body.terminator(block)?;
                        (body.inst(last).opcode == silkit_ir::Opcode::Return)
                            .then(|| body.value(body.operand_value(last, 0)).ty)
                    })?,
                };
                return Some(Underlying { module, sig: ty.sig, ty: returned.ty() });
            }
        }
        None
    }
}
