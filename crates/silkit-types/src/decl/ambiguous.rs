//! Type names that are declared both in a module and in its imports.
//!
//! The compiler prints types without their modules. In a module that declares `_HashTable`, the name may also mean
//! the type of the standard library, which inlining brings into the module. If the two declarations differ, queries
//! about the name answer "not known".

use super::model::NominalDecl;
use super::query::{Declarations, join};
use super::table::{DeclSource, DeclTable};
use crate::GenericSig;
use crate::kind::{Type, TypeKind};
use silkit_base::{FxHashSet, Symbol};
use std::sync::Arc;

/// A module that declares at least this many types of a library is taken to be that library.
const SAME_MODULE: usize = 16;
/// A module that shares half of its types, and at least this many, is also taken to be that library.
const SAME_SMALL_MODULE: usize = 4;

impl Declarations {
    /// Returns true if an unqualified name in the declaration of `base` may denote a type of the top level, although
    /// `base` has a parameter or a member of this name. The compiler prints types of the top level without their
    /// module, nested types with their whole path, and of aliases only those that witness an associated type.
    pub(super) fn may_mean_top_level(&self, base: Type, name: Symbol) -> bool {
        let own = self.own();
        let is_own =
            || self.path_of(base).and_then(|path| own.get(path)).is_some_and(|e| e.nominal.is_some());
        own.spells_whole_paths && self.is_type_of_top_level(name) && is_own()
    }

    /// Returns true if a parameter of a signature has the name of a type, so that the name means either of the two in
    /// what the compiler printed.
    pub(super) fn hides_type(&self, sig: GenericSig) -> bool {
        let is_hiding = |name: Symbol| !name.as_str().starts_with('τ') && self.is_type_of_top_level(name);
        self.own().spells_whole_paths && sig.data().params.iter().any(|param| is_hiding(param.name))
    }

    fn is_type_of_top_level(&self, name: Symbol) -> bool {
        self.entries(name).any(|entry| entry.nominal.is_some())
    }
}

/// Returns the paths that a module and its imports declare differently.
pub(super) fn ambiguous_paths(own: &DeclTable, sources: &[Arc<dyn DeclSource>]) -> FxHashSet<Symbol> {
    let mut found = FxHashSet::default();
    // In a text that somebody wrote, a name means the nearest declaration, as everywhere in Swift.
    if !own.is_printed_by_compiler {
        return found;
    }
    let sources: Vec<&dyn DeclSource> =
        sources.iter().map(|s| &**s).filter(|s| own.imports.iter().any(|m| s.has_module(*m))).collect();
    let (mut top_level, mut shared) = (0, Vec::new());
    for nominal in own.nominals().filter(|n| !n.path.as_str().contains('.')) {
        top_level += 1;
        let theirs = sources.iter().find_map(|s| s.entry(nominal.path)?.nominal.as_ref());
        shared.extend(theirs.map(|theirs| (nominal, theirs)));
    }
    let is_library =
        shared.len() >= SAME_MODULE || (shared.len() >= SAME_SMALL_MODULE && shared.len() * 2 >= top_level);
    if !is_library {
        for (ours, theirs) in shared {
            collect(own, &sources, ours, theirs, &mut found);
        }
    }
    found
}

/// Adds a path that is declared twice if the declarations differ, and the paths of the types nested in it.
fn collect(
    own: &DeclTable,
    sources: &[&dyn DeclSource],
    ours: &NominalDecl,
    theirs: &NominalDecl,
    found: &mut FxHashSet<Symbol>,
) {
    if !is_alike(ours, theirs) {
        found.insert(ours.path);
    }
    let prefix = format!("{}.", ours.path);
    for nested in own.nominals().filter(|n| n.path.as_str().starts_with(&prefix)) {
        let path = join(ours.path, Symbol::new(&nested.path.as_str()[prefix.len()..]));
        if let Some(theirs) = sources.iter().find_map(|s| s.entry(path)?.nominal.as_ref())
            && !is_alike(nested, theirs)
        {
            found.insert(path);
        }
    }
}

/// Returns true if two declarations describe the same values, so that it does not matter which one is meant.
fn is_alike(ours: &NominalDecl, theirs: &NominalDecl) -> bool {
    let (ours_body, theirs_body) = (&ours.body, &theirs.body);
    ours.kind == theirs.kind
        && ours.param_count() == theirs.param_count()
        && ours.lists_fields() == theirs.lists_fields()
        && ours_body.fields.len() == theirs_body.fields.len()
        && ours_body.cases.len() == theirs_body.cases.len()
        && ours_body
            .fields
            .iter()
            .zip(&theirs_body.fields)
            .all(|(f, g)| f.name == g.name && seen_in(f.ty, ours) == seen_in(g.ty, theirs))
        && ours_body.cases.iter().zip(&theirs_body.cases).all(|(c, d)| {
            let payload = |ty: Option<Type>, decl| ty.map(|ty| seen_in(ty, decl));
            c.name == d.name
                && c.indirect == d.indirect
                && payload(c.payload, ours) == payload(d.payload, theirs)
        })
}

/// Returns a type as spelled in `decl`, with the declaration's own parameters as `τ_d_i` and without module names.
fn seen_in(ty: Type, decl: &NominalDecl) -> Type {
    match ty.kind() {
        TypeKind::Named(n) if n.args.is_empty() => match n.parent.map(Type::kind) {
            None => match decl.param_index(n.name) {
                Some(index) => Type::param(0, u16::try_from(index).unwrap_or(u16::MAX)),
                None => ty,
            },
            Some(TypeKind::Named(p))
                if p.parent.is_none() && matches!(p.name.as_str(), "Swift" | "Builtin") =>
            {
                Type::named(None, n.name, Box::new([]))
            }
            Some(_) => ty,
        },
        TypeKind::Param { name, .. } => match decl.param_index(*name) {
            Some(index) => Type::param(0, u16::try_from(index).unwrap_or(u16::MAX)),
            None => ty,
        },
        TypeKind::Paren(inner) => seen_in(*inner, decl),
        _ => ty.without_sugar().map(&mut |part| seen_in(part, decl)),
    }
}

/// The protocols that are part of the language, without a declaration.
const WITHOUT_DECLARATION: [&str; 5] = ["Any", "AnyObject", "Copyable", "Escapable", "BitwiseCopyable"];

/// Returns true if a declaration of a printed module extends or inherits a type that no known module declares. The
/// compiler does not print imports that clients need not see (`internal import`), and none of a serialized module.
pub(super) fn inherits_from_unknown_module(own: &DeclTable, sources: &[Arc<dyn DeclSource>]) -> bool {
    let is_at = |path: Symbol| {
        let entries = own.get(path).into_iter().chain(sources.iter().filter_map(|s| s.entry(path)));
        entries.into_iter().any(|e| e.nominal.is_some() || e.alias.is_some())
    };
    let names_in = |path: Symbol, name: Symbol| {
        own.get(path).into_iter().chain(sources.iter().filter_map(|s| s.entry(path))).any(|e| {
            let bodies = e.nominal.iter().map(|n| &n.body).chain(e.extensions.iter().map(|e| &e.body));
            bodies.into_iter().any(|b| b.alias(name).is_some() || b.associated.iter().any(|t| t.name == name))
        })
    };
    let is_known = |name: Symbol, path: Symbol| {
        let mut enclosing = Some(path.as_str());
        while let Some(outer) = enclosing {
            let outer_path = Symbol::new(outer);
            if is_at(join(outer_path, name)) || names_in(outer_path, name) {
                return true;
            }
            enclosing = outer.rsplit_once('.').map(|(rest, _)| rest);
        }
        let is_module = || own.module == Some(name) || own.imports.contains(&name);
        WITHOUT_DECLARATION.contains(&name.as_str()) || is_at(name) || is_module()
    };
    own.is_printed_by_compiler
        && own.entries().any(|(path, entry)| {
            let clauses = entry.nominal.iter().map(|n| &n.inherited);
            let mut inherited = clauses.chain(entry.extensions.iter().map(|e| &e.inherited)).flatten();
            let extends_unknown = || entry.nominal.is_none() && !entry.extensions.is_empty() && !is_at(path);
            inherited.any(|&ty| !roots(ty).into_iter().all(|name| is_known(name, path))) || extends_unknown()
        })
}

/// Returns the outermost names of an inherited type.
fn roots(ty: Type) -> Vec<Symbol> {
    match ty.kind() {
        TypeKind::Named(n) => n.parent.map_or_else(|| vec![n.name], roots),
        TypeKind::Composition(parts) => parts.iter().flat_map(|&part| roots(part)).collect(),
        _ => Vec::new(),
    }
}
