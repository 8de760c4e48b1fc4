//! The class hierarchy of a module.

use super::access::Visibility;
use silkit_base::{FxHashMap, FxHashSet, Symbol};
use silkit_types::decl::{AccessLevel, DeclFlags};

/// The classes that a module declares, each with its direct subclasses in the module.
#[derive(Clone, Debug, Default)]
pub struct ClassHierarchy {
    superclasses: FxHashMap<Symbol, Symbol>,
    subclasses: FxHashMap<Symbol, Vec<Symbol>>,
    /// The classes that cannot have subclasses elsewhere.
    closed: FxHashSet<Symbol>,
}

impl ClassHierarchy {
    /// Computes the class hierarchy of a module, by class path.
    pub fn new(visibility: Visibility<'_>) -> Self {
        let mut this = Self::default();
        let declarations = visibility.declarations();
        for decl in declarations.own().nominals().filter(|d| d.is_class()) {
            let superclass = decl
                .inherited
                .first()
                .filter(|&&first| declarations.is_class(first) == Some(true))
                .and_then(|&first| Some(declarations.nominal_of(first)?.path));
            if let Some(superclass) = superclass.filter(|&s| s != decl.path) {
                this.superclasses.insert(decl.path, superclass);
                this.subclasses.entry(superclass).or_default().push(decl.path);
            }
            let is_closed = decl.flags.contains(DeclFlags::FINAL)
                || match visibility.access_of_type(decl.path) {
                    None | Some(AccessLevel::Open) => false,
                    Some(AccessLevel::Public | AccessLevel::Package | AccessLevel::Internal) => {
                        visibility.is_whole_module
                    }
                    Some(AccessLevel::FilePrivate | AccessLevel::Private) => true,
                };
            if is_closed {
                this.closed.insert(decl.path);
            }
        }
        this
    }

    /// Returns the superclass of a class, in any module.
    pub fn superclass(&self, class: Symbol) -> Option<Symbol> {
        self.superclasses.get(&class).copied()
    }

    /// Returns the classes that a class inherits from, nearest first.
    pub fn superclasses(&self, class: Symbol) -> impl Iterator<Item = Symbol> + '_ {
        // An invalid module may contain inheritance cycles.
        let most = self.superclasses.len();
        std::iter::successors(self.superclass(class), |&c| self.superclass(c)).take(most)
    }

    /// Returns the direct subclasses of a class in the module, in order.
    pub fn direct_subclasses(&self, class: Symbol) -> &[Symbol] {
        self.subclasses.get(&class).map_or(&[], Vec::as_slice)
    }

    /// Returns all subclasses of a class in the module, each after its direct superclass.
    pub fn subclasses(&self, class: Symbol) -> Vec<Symbol> {
        let mut all = self.direct_subclasses(class).to_vec();
        let mut seen: FxHashSet<Symbol> = all.iter().copied().chain([class]).collect();
        let mut at = 0;
        while let Some(&next) = all.get(at) {
            all.extend(self.direct_subclasses(next).iter().filter(|&&c| seen.insert(c)));
            at += 1;
        }
        all
    }

    /// Returns true if no subclass of a class, direct or indirect, can be in another file or module.
    pub fn is_closed(&self, class: Symbol) -> bool {
        self.closed.contains(&class)
            && self.subclasses(class).iter().all(|subclass| self.closed.contains(subclass))
    }

    /// Returns true if a class is another class or inherits from it.
    pub fn inherits(&self, class: Symbol, from: Symbol) -> bool {
        class == from || self.superclasses(class).any(|c| c == from)
    }
}
