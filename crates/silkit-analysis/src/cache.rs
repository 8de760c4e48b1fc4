//! A cache of the analyses of one body, which are valid until the body changes.

use crate::view::BodyView;
use silkit_ir::{Body, Changes, Epoch};
use std::any::{Any, TypeId};
use std::fmt;
use std::sync::{Arc, OnceLock};

/// An analysis of a body, stored as plain data.
pub trait Analysis: Send + Sync + 'static {
    /// The kinds of changes of the body that invalidate it.
    const DEPENDS_ON: Changes;
    /// True if changes of the program outside the body invalidate it, such as of a callee's effects.
    const DEPENDS_ON_PROGRAM: bool = false;

    /// Computes the analysis for the current state of a body.
    fn compute(view: &BodyView<'_>) -> Self;
}

macro_rules! analyses {
    ($($name:ty: $($change:ident)|+;)*) => {
        $(
            impl Analysis for $name {
                const DEPENDS_ON: Changes = Changes::empty()$(.union(Changes::$change))+;

                fn compute(view: &BodyView<'_>) -> Self {
                    <$name>::compute(view.body)
                }
            }
        )*
    };
}

analyses! {
    crate::BlockOrder: BRANCHES;
    crate::Components: BRANCHES;
    crate::Dominators: BRANCHES;
    crate::PostDominators: BRANCHES;
    crate::DeadEnds: BRANCHES;
    crate::LoopRegions: BRANCHES;
    crate::Loops: BRANCHES;
    crate::Induction: INSTRUCTIONS | BRANCHES;
}

/// The versions of a body and its program for which an analysis was computed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Version {
    body: Epoch,
    program: u64,
}

impl Version {
    fn of(view: &BodyView<'_>) -> Self {
        Self { body: view.body.epoch(), program: view.program.epoch() }
    }

    /// Returns true if an analysis that was computed for this version is still valid.
    fn is_valid<A: Analysis>(self, view: &BodyView<'_>) -> bool {
        !view.body.changes_since(self.body).intersects(A::DEPENDS_ON)
            && (!A::DEPENDS_ON_PROGRAM || self.program == view.program.epoch())
    }
}

/// The cached analyses of one body: a list that grows at its end, so that references to analyses stay valid. There are
/// few, so that they are searched linearly.
#[derive(Default)]
pub struct AnalysisCache {
    first: OnceLock<Box<Entry>>,
}

struct Entry {
    of: TypeId,
    moment: Version,
    analysis: Arc<dyn Any + Send + Sync>,
    next: OnceLock<Box<Entry>>,
}

impl AnalysisCache {
    /// Returns an analysis of the body: the cached one if it is still valid, otherwise a new one. The body must be
    /// the same in every call.
    pub fn get<A: Analysis>(&self, view: &BodyView<'_>) -> Cached<A> {
        let entry = self.entry::<A>(view);
        let analysis = entry.analysis.clone().downcast().expect("invariant: an entry holds what its id says");
        Cached { moment: entry.moment, analysis }
    }

    /// Returns a reference to an analysis of a body that does not change while the analysis is used.
    pub fn get_ref<A: Analysis>(&self, view: &BodyView<'_>) -> &A {
        let entry = self.entry::<A>(view);
        entry.analysis.downcast_ref().expect("invariant: an entry holds what its id says")
    }

    fn entry<A: Analysis>(&self, view: &BodyView<'_>) -> &Entry {
        let of = TypeId::of::<A>();
        let found = self.entries().find(|e| e.of == of && e.moment.is_valid::<A>(view));
        if let Some(entry) = found {
            return entry;
        }
        // Compute the analysis before adding it, since it may request other analyses.
        let analysis: Arc<dyn Any + Send + Sync> = Arc::new(A::compute(view));
        self.push(Entry { of, moment: Version::of(view), analysis, next: OnceLock::new() })
    }

    fn entries(&self) -> impl Iterator<Item = &Entry> {
        std::iter::successors(self.first.get(), |entry| entry.next.get()).map(|entry| &**entry)
    }

    fn push(&self, entry: Entry) -> &Entry {
        let mut new = Some(Box::new(entry));
        let mut end = &self.first;
        loop {
            // Another thread may add an entry at the same time.
            let at = end.get_or_init(|| new.take().expect("invariant: an entry is added once"));
            if new.is_none() {
                return at;
            }
            end = &at.next;
        }
    }

    /// Drops all analyses if many stale ones have accumulated. Call it before the body changes.
    pub fn prune(&mut self) {
        const MANY: usize = 32;
        if self.entries().nth(MANY).is_some() {
            *self = Self::default();
        }
    }
}

impl Drop for AnalysisCache {
    /// Drops the entries one after the other, since a long list would need a deep stack.
    fn drop(&mut self) {
        let mut next = self.first.take();
        while let Some(mut entry) = next {
            next = entry.next.take();
        }
    }
}

impl fmt::Debug for AnalysisCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "AnalysisCache({} analyses)", self.entries().count())
    }
}

/// An analysis and the version for which it was computed.
#[derive(Debug)]
pub struct Cached<A> {
    moment: Version,
    analysis: Arc<A>,
}

impl<A> Clone for Cached<A> {
    fn clone(&self) -> Self {
        Self { moment: self.moment, analysis: self.analysis.clone() }
    }
}

impl<A: Analysis> Cached<A> {
    pub(crate) fn new(view: &BodyView<'_>, analysis: A) -> Self {
        Self { moment: Version::of(view), analysis: Arc::new(analysis) }
    }

    /// Returns the analysis, which must still be valid.
    ///
    /// # Panics
    /// Panics in debug builds if the body has changed since.
    pub fn of(&self, body: &Body) -> &A {
        debug_assert!(
            !body.changes_since(self.moment.body).intersects(A::DEPENDS_ON),
            "invariant: {} is asked for again after the body changed",
            std::any::type_name::<A>()
        );
        &self.analysis
    }

    /// Returns the analysis of the body as it was, for a pass that keeps the parts that it uses up to date itself.
    pub fn snapshot(&self) -> &A {
        &self.analysis
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::{ProgramFacts, ProgramView};
    use crate::{Dominators, testing};
    use silkit_ir::Point;
    use silkit_types::{NoFacts, SilType, Type};

    const TEXT: &str =
        "sil @f : $@convention(thin) () -> () {\nbb0:\n  br bb1\nbb1:\n  %0 = tuple ()\n  return %0\n}\n";

    /// A test analysis that depends on the program: its number of functions.
    struct FunctionCount(usize);

    impl Analysis for FunctionCount {
        const DEPENDS_ON: Changes = Changes::empty();
        const DEPENDS_ON_PROGRAM: bool = true;

        fn compute(view: &BodyView<'_>) -> Self {
            Self(view.program.module.functions.len())
        }
    }

    #[test]
    fn analyses_are_kept_until_a_change_that_matters() {
        let (mut module, declarations) = testing::module(TEXT);
        let mut function = module.functions.values_mut().next().expect("a function").clone();
        let facts = ProgramFacts::new(false);
        let program = ProgramView::new(&module, &declarations, &facts);
        let cache = AnalysisCache::default();
        let mut body = function.body.take().expect("a body");
        let get = |body: &Body| cache.get::<Dominators>(&BodyView::new(&program, &function, body));
        let first = get(&body);
        let last = body.insts().last().expect("a return");
        let mut builder = body.builder_at(Point::Before(last), &NoFacts);
        builder.integer_literal(SilType::object(Type::builtin("Int64")), "1");
        assert!(Arc::ptr_eq(&first.analysis, &get(&body).analysis));
        body.edit().split_block(last);
        assert!(!Arc::ptr_eq(&first.analysis, &get(&body).analysis));
    }

    #[test]
    fn many_analyses_are_dropped_before_the_body_changes() {
        let (module, declarations) = testing::module(TEXT);
        let facts = ProgramFacts::new(false);
        let program = ProgramView::new(&module, &declarations, &facts);
        let function = module.functions.values().next().expect("a function").clone();
        let mut body = function.body.clone().expect("a body");
        let mut cache = AnalysisCache::default();
        let mut counts = Vec::new();
        for _ in 0..40 {
            cache.prune();
            let last = body.insts().last().expect("a return");
            body.edit().split_block(last);
            let view = BodyView::new(&program, &function, &body);
            assert!(std::ptr::eq(cache.get_ref::<Dominators>(&view), cache.get_ref::<Dominators>(&view)));
            counts.push(cache.entries().count());
        }
        assert_eq!((counts[32], counts[33], counts[39]), (33, 1, 7));
    }

    #[test]
    fn what_depends_on_the_program_is_computed_again_when_that_changes() {
        let (mut module, declarations) = testing::module(TEXT);
        let function = module.functions.values().next().expect("a function").clone();
        let body = function.body.as_ref().expect("a body");
        let cache = AnalysisCache::default();
        let mut facts = ProgramFacts::new(false);
        let count = |module: &silkit_ir::Module, facts: &ProgramFacts| {
            let program = ProgramView::new(module, &declarations, facts);
            cache.get::<FunctionCount>(&BodyView::new(&program, &function, body)).of(body).0
        };
        assert_eq!(count(&module, &facts), 1);
        module.functions.push(function.clone());
        assert_eq!(count(&module, &facts), 1, "nobody said that the program changed");
        facts.functions_changed();
        assert_eq!(count(&module, &facts), 2);
    }

    #[test]
    #[should_panic(expected = "asked for again after the body changed")]
    #[cfg(debug_assertions)]
    fn a_stale_analysis_is_a_panic() {
        let (module, declarations) = testing::module(TEXT);
        let facts = ProgramFacts::new(false);
        let function = module.functions.values().next().expect("a function").clone();
        let mut body = function.body.clone().expect("a body");
        let program = ProgramView::new(&module, &declarations, &facts);
        let first = BodyView::new(&program, &function, &body).get::<Dominators>();
        let last = body.insts().last().expect("a return");
        body.edit().split_block(last);
        first.of(&body);
    }
}
