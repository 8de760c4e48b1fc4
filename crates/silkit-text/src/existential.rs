//! The spelling of existential types: a protocol name in type position is parsed as `any P`.
//!
//! Older compilers and hand-written files omit `any`. Whether a name is a protocol depends on the declarations of the
//! file.

use silkit_base::{FxHashMap, Symbol};
use silkit_types::decl::{DeclTable, Declarations, Lookup, NominalKind};
use silkit_types::{Convention, FunctionType, MetatypeRepr, Type, TypeKind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// The names that denote protocols or aliases in a file: its own, and those of the standard library.
#[derive(Clone, Debug)]
pub(crate) struct Protocols {
    /// The declarations of the standard library.
    stdlib: &'static Declarations,
    /// The names declared in the file.
    own: Arc<FxHashMap<Symbol, Meaning>>,
    /// A number that differs for tables with different contents.
    id: u32,
    /// A protocol whose bare name is kept: see [`Self::keep_bare`].
    bare: Option<Symbol>,
}

/// The maximum length of a chain of aliases.
const MAX_ALIASES: u32 = 16;

/// The meaning of a type name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Meaning {
    Protocol,
    /// A nominal type that is not a protocol.
    Type,
    Alias(Type),
}

static NEXT_ID: AtomicU32 = AtomicU32::new(1);

impl Protocols {
    /// Creates a table with the names of the standard library.
    pub(crate) fn new(stdlib: &'static Declarations) -> Self {
        Self { stdlib, own: Arc::default(), id: 0, bare: None }
    }

    /// Adds the declarations of a part of the file. Returns true if one of them is a protocol or an alias.
    pub(crate) fn declare(&mut self, table: &DeclTable) -> bool {
        let own = Arc::make_mut(&mut self.own);
        let mut found = false;
        for (path, entry) in table.entries() {
            let meaning = match (&entry.nominal, &entry.alias) {
                (Some(nominal), _) if nominal.kind == NominalKind::Protocol => Meaning::Protocol,
                (Some(_), _) => Meaning::Type,
                (None, Some(alias)) if alias.sig.is_none() => Meaning::Alias(alias.target),
                _ => continue,
            };
            own.insert(path, meaning);
            self.id = NEXT_ID.fetch_add(1, Ordering::Relaxed);
            found |= meaning != Meaning::Type;
        }
        found
    }

    /// Keeps the bare name of a protocol in its self-conformance witness: in `$@convention(witness_method: Error)
    /// (@in_guaranteed Error) -> …`, a function without a signature, the compiler spells the conforming existential
    /// without `any`.
    #[must_use]
    pub(crate) fn keep_bare(&self, function: &FunctionType) -> Self {
        let mut kept = self.clone();
        if let (Convention::WitnessMethod(protocol), None) = (&function.convention, function.sig)
            && let TypeKind::Named(n) = protocol.kind()
        {
            kept.bare = Some(n.name);
        }
        kept
    }

    /// Returns numbers that differ from those of all tables with other contents.
    pub(crate) fn id(&self) -> (u32, u32) {
        (self.id, self.bare.map_or(u32::MAX, Symbol::as_u32))
    }

    fn contains(&self, name: Symbol) -> bool {
        match self.own.get(&name) {
            Some(meaning) => *meaning == Meaning::Protocol,
            None => match self.stdlib.lookup_nominal(name) {
                Lookup::Known(decl) => decl.kind == NominalKind::Protocol,
                _ => false,
            },
        }
    }

    /// Returns true if neither the file nor the standard library declares a type or module with this name.
    pub(crate) fn is_unknown(&self, name: Symbol) -> bool {
        // Most types are those of the standard library.
        !matches!(self.stdlib.lookup_nominal(name), Lookup::Known(_))
            && !self.own.contains_key(&name)
            && name != "Swift"
            && self.stdlib.alias(name).is_none()
    }

    /// Returns the target of an alias. An alias of a function type is kept, since the function type would have to be
    /// lowered.
    pub(crate) fn alias(&self, name: Symbol) -> Option<Type> {
        let ty = self.without_aliases(self.aliased(name)?, MAX_ALIASES - 1)?;
        let is_itself = ty == Type::named(None, name, Box::new([]));
        (!is_itself && !holds_function(ty)).then(|| self.everywhere(ty, &[]))
    }

    /// Returns the type that an alias is declared as.
    fn aliased(&self, name: Symbol) -> Option<Type> {
        match self.own.get(&name) {
            Some(Meaning::Alias(target)) => Some(*target),
            Some(_) => None,
            None => self.stdlib.alias(name).filter(|alias| alias.sig.is_none()).map(|alias| alias.target),
        }
    }

    fn without_aliases(&self, ty: Type, depth: u32) -> Option<Type> {
        let TypeKind::Named(named) = ty.kind() else {
            let mut complete = true;
            let mapped = ty.map(&mut |part| {
                let inner = depth.checked_sub(1).and_then(|depth| self.without_aliases(part, depth));
                complete &= inner.is_some();
                inner.unwrap_or(part)
            });
            return complete.then(|| mapped.without_sugar());
        };
        if named.parent.is_some() || !named.args.is_empty() {
            return Some(ty);
        }
        match self.aliased(named.name) {
            Some(target) => self.without_aliases(target, depth.checked_sub(1)?),
            None => Some(ty),
        }
    }

    /// Returns a type without parentheses in the compiler's spelling: a file may declare a protocol named
    /// `AnyObject`.
    pub(crate) fn spelled(&self, ty: Type) -> Type {
        match ty.kind() {
            TypeKind::Any(t) if t.is_builtin_constraint() && self.is_own(*t) => ty,
            _ => crate::existential::without_parens(ty),
        }
    }

    fn is_own(&self, ty: Type) -> bool {
        matches!(ty.kind(), TypeKind::Named(n) if self.own.get(&n.name) == Some(&Meaning::Protocol))
    }

    /// Returns true if this is the bare name of a protocol, or a composition without `any`.
    fn is_constraint(&self, ty: Type) -> bool {
        match ty.kind() {
            TypeKind::Named(n) => {
                n.parent.is_none() && n.args.is_empty() && self.bare != Some(n.name) && self.contains(n.name)
            }
            TypeKind::Composition(_) => true,
            TypeKind::Paren(t) => self.is_constraint(*t),
            _ => false,
        }
    }

    /// Returns true for `P.Type`, `P.Type.Type`, ….
    fn is_metatype_of_constraint(&self, ty: Type) -> bool {
        match ty.kind() {
            TypeKind::Metatype(_, t) => {
                self.is_constraint(*t) || t.is_builtin_constraint() || self.is_metatype_of_constraint(*t)
            }
            _ => false,
        }
    }

    /// Returns the existential type that a spelling without `any` denotes.
    pub(crate) fn existential(&self, ty: Type) -> Type {
        match ty.kind() {
            TypeKind::Paren(t) if self.is_constraint(*t) => Type::new(TypeKind::Paren(any(*t))),
            TypeKind::Metatype(_, t) if self.is_constraint(*t) || t.is_builtin_constraint() => any(ty),
            TypeKind::ProtocolMetatype(repr, t)
                if self.is_constraint(*t)
                    || t.is_builtin_constraint()
                    || self.is_metatype_of_constraint(*t) =>
            {
                metatype_of(*repr, *t)
            }
            _ if self.is_constraint(ty) => any(ty),
            _ => ty,
        }
    }

    /// Returns a type in which every part is converted to an existential: the type of a stored property or the target
    /// of an alias. Generic parameters of the enclosing types are not protocols, whatever their names.
    pub(crate) fn everywhere(&self, ty: Type, parameters: &[Symbol]) -> Type {
        let whole = self.existential(ty);
        match ty.kind() {
            TypeKind::Named(n) if n.parent.is_none() && parameters.contains(&n.name) => ty,
            _ if whole != ty => whole,
            TypeKind::Any(_) | TypeKind::Some(_) | TypeKind::Inverse(_) | TypeKind::Opened { .. } => ty,
            TypeKind::Optional(t) | TypeKind::ImplicitlyUnwrapped(t) if self.is_constraint(*t) => {
                ty.map(&mut |part| self.operand(part))
            }
            _ => ty.map(&mut |part| self.everywhere(part, parameters)),
        }
    }

    /// Returns the operand type of a suffix such as `?`.
    pub(crate) fn operand(&self, ty: Type) -> Type {
        if self.is_constraint(ty) { Type::new(TypeKind::Paren(any(strip_paren(ty)))) } else { ty }
    }
}

fn holds_function(ty: Type) -> bool {
    let mut found = matches!(ty.kind(), TypeKind::Function(_));
    ty.kind().for_each_part(&mut |part| found |= holds_function(part));
    found
}

fn any(ty: Type) -> Type {
    Type::new(TypeKind::Any(ty))
}

/// Returns the type of `P.Protocol`, the metatype of the existential: `(any P).Type`.
fn metatype_of(repr: MetatypeRepr, protocol: Type) -> Type {
    Type::metatype_of(repr, any(strip_paren(protocol)))
}

fn strip_paren(ty: Type) -> Type {
    match ty.kind() {
        TypeKind::Paren(t) => *t,
        _ => ty,
    }
}

/// Returns a type as a constraint, without `any`: no existential type is meant after `:` and in compositions.
pub(crate) fn constraint(ty: Type) -> Type {
    match ty.kind() {
        TypeKind::Any(t) => *t,
        TypeKind::Paren(t) => match t.kind() {
            TypeKind::Any(inner) => Type::new(TypeKind::Paren(*inner)),
            _ => ty,
        },
        _ => ty,
    }
}

/// Sorts a composition in the compiler's order: the class, the protocols by name, `AnyObject`.
pub(crate) fn ordered(parts: &mut [Type], protocols: &Protocols) {
    parts.sort_by_key(|part| match part.kind() {
        TypeKind::Named(n) if n.name == "AnyObject" => (2, n.name.as_str()),
        TypeKind::Named(n) if protocols.contains(n.name) => (1, n.name.as_str()),
        TypeKind::Named(n) => (0, n.name.as_str()),
        _ => (3, ""),
    });
}

/// Sorts a composition after `any` as far as its order is known: the class is first, the protocols of the file are in
/// the order of their names, `AnyObject` follows the protocols, and no part is repeated. The place of the protocols of
/// other modules among them depends on the names of the modules.
pub(crate) fn order_spelled(parts: &mut Vec<Type>, protocols: &Protocols) {
    let mut seen = Vec::with_capacity(parts.len());
    parts.retain(|part| {
        let is_new = !seen.contains(part);
        seen.push(*part);
        is_new
    });
    let rank = |part: &Type| match part.kind() {
        TypeKind::Named(n) if n.name == "AnyObject" => 2,
        TypeKind::Named(n) if protocols.own.get(&n.name) == Some(&Meaning::Type) => 0,
        TypeKind::Inverse(_) => 3,
        _ => 1,
    };
    parts.sort_by_key(rank);
    let own: Vec<usize> = (0..parts.len()).filter(|&i| protocols.is_own(parts[i])).collect();
    let mut sorted: Vec<Type> = own.iter().map(|&i| parts[i]).collect();
    sorted.sort_by_key(|part| match part.kind() {
        TypeKind::Named(n) => n.name.as_str(),
        _ => "",
    });
    for (place, part) in own.into_iter().zip(sorted) {
        parts[place] = part;
    }
}

/// Returns true for the names of C types in Swift: `CInt`, `CChar`, ….
pub(crate) fn is_c_type(name: &str) -> bool {
    name.strip_prefix('C').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_uppercase()))
}

/// Removes redundant parentheses around a whole type, and `any` before `AnyObject`.
pub(crate) fn without_parens(mut ty: Type) -> Type {
    while let TypeKind::Paren(t) = ty.kind() {
        // A tuple of a single expansion remains a tuple.
        if matches!(t.kind(), TypeKind::PackExpansion(_)) {
            break;
        }
        ty = *t;
    }
    match ty.kind() {
        TypeKind::Any(t) if t.is_builtin_constraint() => *t,
        _ => ty,
    }
}
