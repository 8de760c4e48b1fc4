//! The effects of destroying a value.

use silkit_base::Symbol;
use silkit_types::decl::{Declarations, NominalKind};
use silkit_types::{Substitution, Type, TypeFacts, TypeKind};

/// The depth to which types are inspected.
const MOST_LEVELS: u32 = 32;

/// Returns true if destroying a value of this type may store to memory that is visible elsewhere. It cannot if the
/// type consists of numbers, boxes, and containers that are known to destroy only their elements. As in the reference,
/// it may for all other types, such as enums, pointers and metatypes, even for trivial ones.
pub fn destruction_may_store(declarations: &Declarations, ty: Type) -> bool {
    !is_safe(declarations, ty, 0)
}

fn is_safe(declarations: &Declarations, ty: Type, level: u32) -> bool {
    let below = |ty: Type| is_safe(declarations, ty, level + 1);
    if level >= MOST_LEVELS {
        return false;
    }
    match ty.kind() {
        TypeKind::Builtin(name, _) => {
            let name = name.as_str();
            name == "Word"
                || name == "IntLiteral"
                || ["Int", "FPIEEE"].iter().any(|kind| name.starts_with(kind))
        }
        TypeKind::Tuple(elements) => elements.iter().all(|e| below(e.ty)),
        TypeKind::Array(element) => below(*element),
        TypeKind::Box(layout) => layout.fields.iter().all(|field| {
            let ty = layout.sig.map_or(field.ty, |sig| {
                let subst = Substitution { sig, args: &layout.args };
                field.ty.substitute(subst, &|base, name| TypeFacts::member_type(declarations, base, name))
            });
            below(ty)
        }),
        TypeKind::Named(named) => {
            let container = Symbol::new("_DestructorSafeContainer");
            if declarations.conforms(ty, container) == Some(true) {
                return named.args.iter().all(|&arg| below(arg));
            }
            let is_struct = declarations.nominal_of(ty).is_some_and(|d| d.kind == NominalKind::Struct);
            let fields = TypeFacts::stored_fields(declarations, ty).filter(|_| is_struct);
            fields.is_some_and(|fields| fields.into_iter().all(below))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use silkit_text::decl::{Dialect, parse_decls, with_stdlib};

    #[test]
    fn only_deinitializers_store() {
        let text = "class C {}\nstruct Safe {\n  var a: Array<Int>\n  var b: Bool\n}\nstruct Other {\n  var c: C\n}\n";
        let declarations = with_stdlib(parse_decls(text, 0..text.len(), Dialect::Sil).table);
        let stores = |name: &str| destruction_may_store(&declarations, Type::nominal(name));
        let found: Vec<bool> = ["Int", "Safe", "Other", "C", "Missing"].into_iter().map(stores).collect();
        assert_eq!(found, [false, false, true, true, true]);
    }
}
