//! Canonical types: types without sugar and spelling differences.

use crate::function::FunctionType;
use crate::generics::{GenericParamDecl, GenericSig, Requirement, RequirementKind, SigData};
use crate::kind::{BoxType, Type, TypeKind};
use crate::sil_type::SilType;
use silkit_base::Symbol;

impl Type {
    /// Returns the canonical spelling: no sugar (`[T]`, `T?`), no parentheses, generic parameters as `τ_d_i`.
    ///
    /// Types with equal canonical types are the same type. Type aliases are not resolved here;
    /// [`Declarations::resolve`](crate::decl::Declarations::resolve) does that.
    pub fn canonical(self) -> Type {
        if self.is_plain() {
            return self;
        }
        self.remembered_canonical(|| match self.kind() {
            TypeKind::Param { depth, index, .. } => Type::param(*depth, *index),
            TypeKind::Paren(t) => t.canonical(),
            TypeKind::Opened { id, existential, interface } => Type::new(TypeKind::Opened {
                id: *id,
                existential: existential.canonical(),
                interface: interface.plain_member(),
            }),
            _ => self.without_sugar().map(&mut Type::canonical),
        })
    }

    /// Returns `Array<T>` for `[T]` and so on: removes the sugar at the top of this type.
    pub fn without_sugar(self) -> Type {
        let nominal = |name: &str, args: &[Type]| Type::named(None, Symbol::new(name), args.into());
        match self.kind() {
            TypeKind::Optional(t) | TypeKind::ImplicitlyUnwrapped(t) => nominal("Optional", &[*t]),
            TypeKind::Array(t) => nominal("Array", &[*t]),
            TypeKind::Dictionary(k, v) => nominal("Dictionary", &[*k, *v]),
            TypeKind::InlineArray(n, t) => nominal("InlineArray", &[*n, *t]),
            _ => self,
        }
    }

    /// Returns `Self.A.B` for `(Self).A.B`, the interface type of `(@opened("id", any P) Self).A.B`.
    pub fn plain_member(self) -> Type {
        match self.kind() {
            TypeKind::Paren(t) => t.plain_member(),
            TypeKind::Member(base, name) => Type::new(TypeKind::Member(base.plain_member(), *name)),
            _ => self,
        }
    }

    /// Returns the generic parameter `τ_depth_index`.
    pub fn param(depth: u16, index: u16) -> Type {
        Type::new(TypeKind::Param { name: Symbol::new(&format!("τ_{depth}_{index}")), depth, index })
    }
}

impl GenericSig {
    /// Returns true if the parameters have names from source code. The compiler prints names beside `τ_d_i` if the
    /// parameters of a method would clash with those of the enclosing function; such names are kept.
    fn is_spelled(self) -> bool {
        !self.is_canonical() && self.data().params.iter().all(|p| !p.name.as_str().starts_with('τ'))
    }

    /// Returns the signature as it prints inside a type: parameters are `τ_d_i`, bounds are requirements.
    pub fn canonical(self) -> GenericSig {
        let data = self.without_bounds().data();
        let params = data
            .params
            .iter()
            .map(|p| GenericParamDecl { name: Symbol::new(&format!("τ_{}_{}", p.depth, p.index)), ..*p });
        let requirements = data.requirements.iter().map(|r| Requirement {
            subject: r.subject.with_canonical_params(),
            constraint: r.constraint.with_canonical_params(),
            ..*r
        });
        GenericSig::new(SigData { params: params.collect(), requirements: requirements.collect() })
    }

    /// Returns the signature with its bounds, `<T : P>`, as requirements, `<T where T : P>`; those of a pack are repeated.
    #[must_use]
    pub fn without_bounds(self) -> GenericSig {
        let data = self.data();
        if data.params.iter().all(|p| p.bound.is_none()) {
            return self;
        }
        let bounds = data.params.iter().filter(|p| p.value_type.is_none()).filter_map(|p| {
            let param = Type::new(TypeKind::Param { name: p.name, depth: p.depth, index: p.index });
            Some(Requirement {
                kind: RequirementKind::Conforms,
                depth: p.depth,
                is_repeat: p.is_pack,
                subject: if p.is_pack { Type::new(TypeKind::PackElement(param)) } else { param },
                constraint: p.bound?,
            })
        });
        let requirements = bounds.chain(data.requirements.iter().copied()).flat_map(split).collect();
        let params = data.params.iter().map(|p| GenericParamDecl { bound: None, ..*p }).collect();
        GenericSig::new(SigData { params, requirements })
    }

    /// Returns the signature with the depth of every parameter list increased by one, as for a member of a generic
    /// type.
    #[must_use]
    pub fn deeper(self) -> GenericSig {
        let data = self.data();
        fn deeper(ty: Type) -> Type {
            match ty.kind() {
                TypeKind::Param { name, depth, index } => {
                    Type::new(TypeKind::Param { name: *name, depth: depth.saturating_add(1), index: *index })
                }
                _ => ty.map(&mut deeper),
            }
        }
        let params = data.params.iter().map(|p| GenericParamDecl {
            depth: p.depth.saturating_add(1),
            bound: p.bound.map(deeper),
            ..*p
        });
        let requirements = data.requirements.iter().map(|r| Requirement {
            depth: r.depth.saturating_add(1),
            subject: deeper(r.subject),
            constraint: deeper(r.constraint),
            ..*r
        });
        GenericSig::new(SigData { params: params.collect(), requirements: requirements.collect() })
    }

    /// Returns the parameter lists of this signature followed by those of `inner`.
    #[must_use]
    pub fn followed_by(self, inner: GenericSig) -> GenericSig {
        let (a, b) = (self.data(), inner.data());
        let params = a.params.iter().chain(&b.params).copied().collect();
        let requirements = a.requirements.iter().chain(&b.requirements).copied().collect();
        GenericSig::new(SigData { params, requirements })
    }

    /// Returns true if the parameters are already spelled `τ_d_i`, without bounds.
    fn is_canonical(self) -> bool {
        self.data().params.iter().all(|p| p.name.as_str().starts_with("τ_") && p.bound.is_none())
    }
}

/// Splits `T : P & Q` into two requirements.
fn split(requirement: Requirement) -> Vec<Requirement> {
    match requirement.constraint.kind() {
        TypeKind::Composition(parts) if requirement.kind == RequirementKind::Conforms => {
            parts.iter().map(|&constraint| Requirement { constraint, ..requirement }).collect()
        }
        _ => vec![requirement],
    }
}

impl Type {
    fn with_canonical_params(self) -> Type {
        match self.kind() {
            TypeKind::Param { depth, index, .. } => Type::param(*depth, *index),
            _ => self.map(&mut Type::with_canonical_params),
        }
    }
}

impl SilType {
    /// Returns a function type with the parameters of its signatures spelled `τ_d_i`; other types as they are.
    #[must_use]
    pub fn with_canonical_signature(self) -> Self {
        match self.ty().as_function() {
            Some(f) => {
                self.with_type(Type::new(TypeKind::Function(Box::new(f.clone().with_canonical_signature()))))
            }
            None => self,
        }
    }
}

impl FunctionType {
    /// Returns the type with the parameters of its generic signature and of its `@substituted` signature spelled
    /// `τ_d_i`.
    #[must_use]
    pub fn with_canonical_signature(mut self) -> Self {
        if let Some(sig) = self.sig.filter(|s| s.is_spelled()) {
            self.sig = Some(sig.canonical());
            self = self.map(&mut Type::with_canonical_params);
            self.pattern_args.iter_mut().for_each(|t| *t = t.with_canonical_params());
        }
        self.with_canonical_pattern()
    }

    /// Returns the type with the parameters of its `@substituted` signature spelled `τ_d_i`.
    #[must_use]
    pub fn with_canonical_pattern(mut self) -> Self {
        let Some(pattern) = self.pattern_sig.filter(|s| !s.is_canonical()) else { return self };
        self.pattern_sig = None;
        let mut renamed = self.map(&mut Type::with_canonical_params);
        renamed.pattern_sig = Some(pattern.canonical());
        renamed
    }
}

impl BoxType {
    /// Returns the layout with its parameters spelled `τ_d_i`.
    #[must_use]
    pub fn with_canonical_signature(mut self) -> Self {
        if let Some(sig) = self.sig.filter(|s| !s.is_canonical()) {
            self.sig = Some(sig.canonical());
            self.fields.iter_mut().for_each(|f| f.ty = f.ty.with_canonical_params());
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sugar_and_names_do_not_matter() {
        let t = Type::new(TypeKind::Param { name: Symbol::new("Element"), depth: 0, index: 0 });
        let sugared = Type::new(TypeKind::Optional(Type::new(TypeKind::Array(t))));
        assert_eq!(sugared.to_string(), "[Element]?");
        assert_eq!(sugared.canonical().to_string(), "Optional<Array<τ_0_0>>");
    }
}
