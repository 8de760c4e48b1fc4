//! References to declarations: `#Heap.count!getter`.

use silkit_base::{Interned, Interner, Symbol};

static DECLS: Interner<DeclRefData> = Interner::new();

/// A hash-consed reference to a declaration.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct DeclRef(Interned<DeclRefData>);

/// `#Type.member!kind.kind`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct DeclRefData {
    /// The names, outermost first, as spelled: an operator with its quotes, an escaped name with its backticks.
    pub path: Box<[Symbol]>,
    /// The parts after `!`: `getter`, `enumelt`, `foreign`, `jvp.SU.<T>`, …, as spelled.
    pub kinds: Box<[Symbol]>,
}

impl DeclRef {
    /// Returns true for the Objective-C entry point of a declaration, `#C.m!foreign`.
    pub fn is_foreign(self) -> bool {
        self.data().kinds.iter().any(|kind| *kind == "foreign")
    }

    /// Creates the reference with these parts.
    pub fn new(data: DeclRefData) -> Self {
        Self(DECLS.intern(data))
    }

    /// Creates the reference with these names and kinds.
    pub fn of_parts(path: &[Symbol], kinds: &[Symbol]) -> Self {
        let is_same = |data: &DeclRefData| *data.path == *path && *data.kinds == *kinds;
        // Hashes as the derived implementation does.
        Self(
            DECLS.intern_like(&(path, kinds), is_same, || DeclRefData {
                path: path.into(),
                kinds: kinds.into(),
            }),
        )
    }

    /// Creates the reference with these names and no kind.
    pub fn of(path: &[&str]) -> Self {
        let path: Vec<Symbol> = path.iter().map(|name| Symbol::new(name)).collect();
        Self::of_parts(&path, &[])
    }

    /// Returns the parts.
    pub fn data(self) -> &'static DeclRefData {
        DECLS.get(self.0)
    }

    /// Returns the last name of the path, without the backticks of an escaped name.
    pub fn name(self) -> Option<Symbol> {
        let name = *self.data().path.last()?;
        match name.as_str().strip_prefix('`').and_then(|n| n.strip_suffix('`')) {
            Some(bare) => Some(Symbol::new(bare)),
            None => Some(name),
        }
    }

    /// Returns the names before the last one, joined by dots: the path of the type that declares a member. `None` for a
    /// reference of one name.
    pub fn owner_path(self) -> Option<Symbol> {
        match &*self.data().path {
            [] | [_] => None,
            [owner, _] => Some(*owner),
            [owners @ .., _] => {
                let names: Vec<&str> = owners.iter().map(|name| name.as_str()).collect();
                Some(Symbol::new(&names.join(".")))
            }
        }
    }

    /// Returns this reference with another kind.
    #[must_use]
    pub fn with_kind(self, kind: &str) -> Self {
        Self::of_parts(&self.data().path, &[Symbol::new(kind)])
    }

    /// Returns the raw number, for packed tables.
    #[inline]
    pub fn as_u32(self) -> u32 {
        self.0.as_u32()
    }

    /// Creates the reference with this raw number, which must come from [`Self::as_u32`].
    #[inline]
    pub fn from_u32(raw: u32) -> Self {
        Self(Interned::from_u32(raw))
    }
}

impl std::fmt::Display for DeclRef {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let data = self.data();
        for (i, name) in data.path.iter().enumerate() {
            write!(f, "{}{name}", if i == 0 { "#" } else { "." })?;
        }
        for (i, kind) in data.kinds.iter().enumerate() {
            write!(f, "{}{kind}", if i == 0 { "!" } else { "." })?;
        }
        Ok(())
    }
}

impl std::fmt::Debug for DeclRef {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reference_is_the_same_whatever_it_is_made_of() {
        let (a, b) = (Symbol::new("A"), Symbol::new("b"));
        let data = DeclRefData { path: [a, b].into(), kinds: Box::default() };
        assert_eq!(DeclRef::new(data), DeclRef::of_parts(&[a, b], &[]));
        assert_ne!(DeclRef::of_parts(&[a, b], &[]), DeclRef::of_parts(&[a], &[b]));
    }

    #[test]
    fn the_owner_is_before_the_last_name() {
        assert_eq!(DeclRef::of(&["f"]).owner_path(), None);
        assert_eq!(DeclRef::of(&["C", "f"]).owner_path(), Some(Symbol::new("C")));
        let inner = DeclRef::of(&["A", "B", "f"]).with_kind("getter");
        assert_eq!(inner.owner_path(), Some(Symbol::new("A.B")));
        assert_eq!(inner.to_string(), "#A.B.f!getter");
    }
}
