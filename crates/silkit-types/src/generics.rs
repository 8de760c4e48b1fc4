//! Generic signatures.

use crate::kind::{Type, TypeKind};
use silkit_base::{Interned, Interner, Symbol};

static SIGS: Interner<SigData> = Interner::new();

/// A hash-consed generic signature, as spelled.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct GenericSig(Interned<SigData>);

/// `<T, each U, let N : Int><V where T : P, V == T.Element>`.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct SigData {
    /// The parameters; the parameters of one list have the same depth.
    pub params: Box<[GenericParamDecl]>,
    /// The requirements of the `where` clauses.
    pub requirements: Box<[Requirement]>,
}

/// One declared generic parameter.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct GenericParamDecl {
    /// The name.
    pub name: Symbol,
    /// The depth of its parameter list, counted from the outside.
    pub depth: u16,
    /// The position in its list.
    pub index: u16,
    /// True if it is a pack: `each T`.
    pub is_pack: bool,
    /// The type of its values if it is a value parameter: `let N : Int`.
    pub value_type: Option<Type>,
    /// The bound that is spelled in the parameter list: `T : P`.
    pub bound: Option<Type>,
    /// A declaration attribute before the parameter, such as `@_spi(x)`.
    pub attribute: Option<Symbol>,
}

/// One requirement of a `where` clause.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Requirement {
    /// The kind of requirement.
    pub kind: RequirementKind,
    /// The depth of the parameter list whose `where` clause contains it, counted from the outside.
    pub depth: u16,
    /// True if it is spelled `repeat …`.
    pub is_repeat: bool,
    /// The constrained type.
    pub subject: Type,
    /// The protocol, superclass, layout or equal type.
    pub constraint: Type,
}

/// The kind of a requirement.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum RequirementKind {
    /// `T : P`, where the right side is a protocol, a composition, a class, a layout or an inverse.
    Conforms,
    /// `T == U`.
    SameType,
    /// A layout requirement of `@_specialize`, such as `T : _Trivial(32)`; the constraint is the layout with its
    /// arguments.
    Layout,
}

impl GenericSig {
    /// Creates the signature with these parts.
    pub fn new(data: SigData) -> Self {
        Self(SIGS.intern(data))
    }

    /// Returns the parts of this signature.
    #[inline]
    pub fn data(self) -> &'static SigData {
        SIGS.get(self.0)
    }

    /// Returns the raw number, for packed tables.
    pub fn as_u32(self) -> u32 {
        self.0.as_u32()
    }

    /// Creates the signature with this raw number, which must come from [`Self::as_u32`].
    pub fn from_u32(raw: u32) -> Self {
        Self(Interned::from_u32(raw))
    }

    /// Returns true if a requirement may equate two different parameters.
    pub fn params_may_meet(self) -> bool {
        self.data().requirements.iter().any(|r| r.kind == RequirementKind::SameType)
    }

    /// Returns true if one parameter hides another, so that both have the same spelling in bodies.
    pub fn params_hide(self) -> bool {
        self.data().params.iter().any(|p| self.hiding(p.name).is_some())
    }

    /// Returns the parameter that hides an outer parameter with this name. If the compiler distinguishes the two, it
    /// calls the inner one `T1` and the outer one `T`; otherwise it calls both `T`.
    fn hiding(self, name: Symbol) -> Option<&'static GenericParamDecl> {
        let params = &self.data().params;
        let outer = params.iter().find(|p| p.name == name && !name.as_str().starts_with('τ'))?;
        params.iter().filter(|p| p.depth > outer.depth).find(|p| {
            let number = p.name.as_str().strip_prefix(name.as_str());
            number.is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
        })
    }

    /// Returns the type that a parameter or dependent member denotes if its spelling refers to a hidden parameter.
    pub(crate) fn hidden_by(self, ty: Type) -> Option<Type> {
        match ty.kind() {
            TypeKind::Param { name, .. } => {
                let p = self.hiding(*name)?;
                Some(Type::new(TypeKind::Param { name: p.name, depth: p.depth, index: p.index }))
            }
            TypeKind::Member(base, name) => Some(Type::new(TypeKind::Member(self.hidden_by(*base)?, *name))),
            _ => None,
        }
    }

    /// Returns the parameter with this name, the innermost if there are several.
    pub fn param(self, name: Symbol) -> Option<&'static GenericParamDecl> {
        self.data().params.iter().rev().find(|p| p.name == name)
    }
}
