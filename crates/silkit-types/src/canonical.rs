//! Canonical types: the meaning of a type without its spelling.

use crate::kind::{Type, TypeKind};
use silkit_base::Symbol;

impl Type {
    /// The canonical spelling: no sugar (`[T]`, `T?`), no parentheses, generic parameters as `τ_d_i`.
    ///
    /// Two types mean the same where their canonical types are equal, as far as names go: aliases
    /// are resolved by the declaration table, not here.
    pub fn canonical(self) -> Type {
        let nominal = |name: &str, args: &[Type]| {
            Type::named(None, Symbol::new(name), args.iter().map(|t| t.canonical()).collect())
        };
        match self.kind() {
            TypeKind::Param { depth, index, .. } => Type::param(*depth, *index),
            TypeKind::Optional(t) | TypeKind::ImplicitlyUnwrapped(t) => nominal("Optional", &[*t]),
            TypeKind::Array(t) => nominal("Array", &[*t]),
            TypeKind::Dictionary(k, v) => nominal("Dictionary", &[*k, *v]),
            TypeKind::InlineArray(n, t) => nominal("InlineArray", &[*n, *t]),
            TypeKind::Paren(t) => t.canonical(),
            _ => self.map(&mut Type::canonical),
        }
    }

    /// The generic parameter `τ_depth_index`.
    pub fn param(depth: u16, index: u16) -> Type {
        Type::new(TypeKind::Param { name: Symbol::new(&format!("τ_{depth}_{index}")), depth, index })
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
