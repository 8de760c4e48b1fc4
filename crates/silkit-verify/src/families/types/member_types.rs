//! Types that are named as members of others: `Array<Int>.Index`.

use silkit_base::{FxHashSet, Symbol};
use silkit_types::decl::{DeclFlags, Declarations, Lookup, NominalDecl, NominalKind, join};
use silkit_types::{Type, TypeKind};

/// The maximum number of types that a type inherits names from.
const MOST_TYPES: usize = 128;

/// Returns true if a type surely has no member type with a name, neither of its own nor from what it inherits.
pub(crate) fn lacks_type(declarations: &Declarations, decl: &NominalDecl, name: Symbol) -> bool {
    let is_own = |path: Symbol| declarations.own().get(path).is_some_and(|entry| entry.nominal.is_some());
    let is_hidden = |name: &str| name.split('.').any(|part| part.starts_with('_'));
    // Types of the library whose names begin with an underscore may be internal.
    if !is_own(decl.path) && (is_hidden(name.as_str()) || is_hidden(decl.path.as_str())) {
        return false;
    }
    let is_metatype = matches!(name.as_str(), "Type" | "Protocol");
    !is_metatype
        && !declarations.may_be_another(decl)
        && has_type(declarations, decl.path, name) == Some(false)
}

/// Returns whether the type at a path has a member type with a name; nothing if it inherits from a type that is not known.
pub(crate) fn has_type(declarations: &Declarations, path: Symbol, name: Symbol) -> Option<bool> {
    let mut seen = FxHashSet::default();
    let mut work = vec![path];
    while let Some(path) = work.pop() {
        if !seen.insert(path) {
            continue;
        }
        let Lookup::Known(decl) = declarations.lookup_nominal(path) else { return None };
        if seen.len() > MOST_TYPES || decl.flags.contains(DeclFlags::AMBIGUOUS) {
            return None;
        }
        let is_nested = !matches!(declarations.lookup_nominal(join(path, name)), Lookup::Absent);
        if is_nested || declarations.names_type_in(path, name) {
            return Some(true);
        }
        let base = Type::nominal(path.as_str());
        for ty in declarations.inherited_types(path) {
            // The compiler derives these for enums with a raw type, and for types that can be coded.
            let is_coded = matches!(ty.kind(), TypeKind::Named(n) if n.name.as_str().ends_with("codable") || n.name == "Codable");
            if is_coded && name == "CodingKeys" || decl.kind == NominalKind::Enum && name == "RawValue" {
                return None;
            }
            push(declarations, declarations.resolve_in_clause(ty, base), &mut work)?;
        }
    }
    Some(false)
}

/// Adds the path of an inherited type, or the paths of the parts of a composition.
fn push(declarations: &Declarations, ty: Type, work: &mut Vec<Symbol>) -> Option<()> {
    match ty.kind() {
        TypeKind::Inverse(_) => Some(()),
        TypeKind::Composition(parts) => parts.iter().try_for_each(|&part| push(declarations, part, work)),
        TypeKind::Any(inner) | TypeKind::Paren(inner) => push(declarations, *inner, work),
        TypeKind::Named(named) if named.parent.is_none() && named.name == "AnyObject" => Some(()),
        TypeKind::Named(_) => {
            work.push(declarations.path_of(ty)?);
            Some(())
        }
        _ => None,
    }
}
