//! A cache of the analyses of one body, which are valid until the body changes.

use crate::view::BodyView;
use crate::{BlockOrder, Components, DeadEnds, Dominators, Induction, LoopRegions, Loops, PostDominators};
use silkit_ir::{Body, Changes, Epoch};
use std::any::{Any, TypeId};
use std::fmt;
use std::ops::Deref;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// An analysis of a body, stored as plain data.
pub trait Analysis: Send + Sync + 'static {
    /// The kinds of changes of the body that invalidate it.
    const DEPENDS_ON: Changes;
    /// True if changes of the program outside the body invalidate it, such as of a callee's effects.
    const DEPENDS_ON_PROGRAM: bool = false;
    /// Its slot in a cache, which [`crate`] numbers; `None` for an analysis of another crate, which is found by its type.
    const SLOT: Option<usize> = None;

    /// Computes the analysis for the current state of a body.
    fn compute(view: &BodyView<'_>) -> Self;
}

/// Gives each analysis of this crate a slot, the changes that invalidate it, and the function that computes it.
macro_rules! analyses {
    ($($name:ident: $($change:ident)|+ => $compute:expr;)*) => {
        enum Slot {
            $($name,)*
        }

        /// The number of analyses that have a slot.
        const SLOTS: usize = [$(Slot::$name as usize),*].len();

        $(
            impl Analysis for $name {
                const DEPENDS_ON: Changes = Changes::empty()$(.union(Changes::$change))+;
                const SLOT: Option<usize> = Some(Slot::$name as usize);

                fn compute(view: &BodyView<'_>) -> Self {
                    let compute: fn(&BodyView<'_>) -> Self = $compute;
                    compute(view)
                }
            }
        )*
    };
}

analyses! {
    BlockOrder: BRANCHES => |view| BlockOrder::compute(view.body);
    Components: BRANCHES => |view| Components::compute(view.body);
    Dominators: BRANCHES => |view| Dominators::compute(view.body);
    PostDominators: BRANCHES => |view| PostDominators::compute(view.body);
    DeadEnds: BRANCHES => |view| DeadEnds::compute(view.body);
    LoopRegions: BRANCHES => |view| LoopRegions::compute(view.body);
    Loops: BRANCHES => |view| {
        let (dominators, order) = (view.get::<Dominators>(), view.get::<BlockOrder>());
        Loops::new(view.body, dominators.of(view.body), order.of(view.body))
    };
    Induction: INSTRUCTIONS | BRANCHES => |view| Induction::compute(view.body);
}

/// An analysis with the state of the body and the program for which it is valid.
#[derive(Debug)]
struct Entry<A> {
    /// The epoch of the body; [`PRESERVED`] while a pass preserves the analysis.
    body: AtomicU64,
    /// The epoch of the program.
    program: u64,
    analysis: A,
}

/// An epoch after all changes of a body.
const PRESERVED: u64 = u64::MAX;

impl<A: Analysis> Entry<A> {
    fn new(view: &BodyView<'_>, analysis: A) -> Self {
        let (body, program) = (view.body.epoch().number(), view.program.epoch());
        Self { body: AtomicU64::new(body), program, analysis }
    }

    /// Returns true if no change of the body invalidated the analysis.
    fn is_of(&self, body: &Body) -> bool {
        let epoch = Epoch::from_number(self.body.load(Ordering::Relaxed));
        !body.changes_since(epoch).intersects(A::DEPENDS_ON)
    }

    /// Returns true if no change of the body or the program invalidated the analysis.
    fn is_valid(&self, view: &BodyView<'_>) -> bool {
        self.is_of(view.body) && (!A::DEPENDS_ON_PROGRAM || self.program == view.program.epoch())
    }
}

/// The place of an analysis in a cache.
#[derive(Default)]
struct Place {
    /// An `Entry` of the analysis. It is replaced when it is stale and requested again.
    entry: Option<Arc<dyn Any + Send + Sync>>,
    /// True while a pass preserves the analysis.
    is_preserved: bool,
}

impl Place {
    fn entry<A: Analysis>(&self) -> Option<Arc<Entry<A>>> {
        let entry = self.entry.clone()?.downcast();
        Some(entry.expect("invariant: an analysis has a place of its own"))
    }
}

/// The cached analyses of one body, each in a place of its own.
#[derive(Default)]
pub struct AnalysisCache {
    places: Mutex<Places>,
}

#[derive(Default)]
struct Places {
    /// The places of the analyses with slots. Empty before the first request.
    slots: Vec<Place>,
    /// The places of analyses of other crates. There are few, so that they are searched linearly.
    others: Vec<(TypeId, Place)>,
}

impl Places {
    fn place<A: Analysis>(&mut self) -> &mut Place {
        if let Some(slot) = A::SLOT {
            if self.slots.is_empty() {
                self.slots.resize_with(SLOTS, Place::default);
            }
            return &mut self.slots[slot];
        }
        let id = TypeId::of::<A>();
        let at = self.others.iter().position(|(of, _)| *of == id).unwrap_or_else(|| {
            self.others.push((id, Place::default()));
            self.others.len() - 1
        });
        &mut self.others[at].1
    }
}

impl AnalysisCache {
    /// Returns an analysis of the body: the cached one if it is still valid, otherwise a new one, which replaces it. The
    /// body must be the same in every call.
    pub fn get<A: Analysis>(&self, view: &BodyView<'_>) -> Cached<A> {
        let found = self.lock().place::<A>().entry();
        if let Some(entry) = found.filter(|entry| entry.is_valid(view)) {
            return Cached { entry };
        }
        // The analysis may request others, so that the cache is not locked meanwhile.
        let new = Arc::new(Entry::new(view, A::compute(view)));
        let mut places = self.lock();
        let place = places.place::<A>();
        if place.is_preserved {
            new.body.store(PRESERVED, Ordering::Relaxed);
        }
        place.entry = Some(new.clone());
        Cached { entry: new }
    }

    /// Begins to preserve an analysis: until [`Self::end_preserving`], changes of the body do not invalidate it. Returns false
    /// if it is preserved already.
    pub fn begin_preserving<A: Analysis>(&self, view: &BodyView<'_>) -> bool {
        let mut places = self.lock();
        let place = places.place::<A>();
        if std::mem::replace(&mut place.is_preserved, true) {
            return false;
        }
        match place.entry::<A>() {
            Some(entry) if entry.is_valid(view) => entry.body.store(PRESERVED, Ordering::Relaxed),
            _ => place.entry = None,
        }
        true
    }

    /// Ends what [`Self::begin_preserving`] began: the analysis is valid for the body as it is now.
    ///
    /// # Panics
    /// Panics in debug builds if an analysis that is computed again differs.
    pub fn end_preserving<A: Analysis + PartialEq>(&self, view: &BodyView<'_>) {
        let mut places = self.lock();
        let place = places.place::<A>();
        place.is_preserved = false;
        let Some(entry) = place.entry::<A>() else { return };
        debug_assert!(
            entry.analysis == A::compute(&view.without_cache()),
            "invariant: {} is not what a pass preserved",
            std::any::type_name::<A>()
        );
        entry.body.store(view.body.epoch().number(), Ordering::Relaxed);
    }

    fn lock(&self) -> MutexGuard<'_, Places> {
        self.places.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for AnalysisCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let places = self.lock();
        let places = places.slots.iter().chain(places.others.iter().map(|(_, place)| place));
        let count = places.filter(|place| place.entry.is_some()).count();
        write!(f, "AnalysisCache({count} analyses)")
    }
}

/// A cached analysis, which is readable as long as it is valid.
#[derive(Debug)]
pub struct Cached<A> {
    entry: Arc<Entry<A>>,
}

impl<A> Clone for Cached<A> {
    fn clone(&self) -> Self {
        Self { entry: self.entry.clone() }
    }
}

impl<A: Analysis> Cached<A> {
    pub(crate) fn new(view: &BodyView<'_>, analysis: A) -> Self {
        Self { entry: Arc::new(Entry::new(view, analysis)) }
    }

    /// Returns the analysis, which must be valid, until the body changes.
    ///
    /// # Panics
    /// Panics in debug builds if the body has changed since.
    pub fn of<'a>(&'a self, body: &'a Body) -> &'a A {
        debug_assert!(
            self.entry.is_of(body),
            "invariant: {} is requested from a changed body",
            std::any::type_name::<A>()
        );
        &self.entry.analysis
    }

    /// Returns the analysis, which must be valid, for a pass that keeps reading it while it changes the body: the pass ensures
    /// that what it reads is still true, or wants the state before its changes.
    ///
    /// # Panics
    /// Panics in debug builds if the body has changed since.
    pub fn detach(self, body: &Body) -> Detached<A> {
        self.of(body);
        Detached { entry: self.entry }
    }
}

/// An analysis of a state of a body, whether or not the body has changed since: see [`Cached::detach`].
#[derive(Debug)]
pub struct Detached<A> {
    entry: Arc<Entry<A>>,
}

impl<A> Deref for Detached<A> {
    type Target = A;

    fn deref(&self) -> &A {
        &self.entry.analysis
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::{ProgramFacts, ProgramView};
    use crate::{Dominators, testing};
    use silkit_ir::{ArgFlags, Loc, Ownership, Point};
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
        assert!(Arc::ptr_eq(&first.entry, &get(&body).entry));
        body.edit().split_block(last);
        assert!(!Arc::ptr_eq(&first.entry, &get(&body).entry));
    }

    #[test]
    fn a_stale_analysis_is_replaced_and_a_valid_one_kept() {
        let (module, declarations) = testing::module(TEXT);
        let facts = ProgramFacts::new(false);
        let program = ProgramView::new(&module, &declarations, &facts);
        let function = module.functions.values().next().expect("a function").clone();
        let mut body = function.body.clone().expect("a body");
        let cache = AnalysisCache::default();
        let count = cache.get::<FunctionCount>(&BodyView::new(&program, &function, &body));
        for _ in 0..100 {
            let last = body.insts().last().expect("a return");
            body.edit().split_block(last);
            let view = BodyView::new(&program, &function, &body);
            cache.get::<Dominators>(&view);
            assert!(Arc::ptr_eq(&count.entry, &cache.get::<FunctionCount>(&view).entry));
        }
        assert_eq!(format!("{cache:?}"), "AnalysisCache(2 analyses)");
    }

    /// Returns the dominator tree before, during and after `change`, which preserves it, and after another change.
    fn preserving(change: impl Fn(&mut Body)) -> [Cached<Dominators>; 4] {
        type A = Dominators;
        let (module, declarations) = testing::module(TEXT);
        let facts = ProgramFacts::new(false);
        let program = ProgramView::new(&module, &declarations, &facts);
        let function = module.functions.values().next().expect("a function").clone();
        let mut body = function.body.clone().expect("a body");
        let cache = AnalysisCache::default();
        let before = cache.get::<A>(&BodyView::new(&program, &function, &body));
        assert!(cache.begin_preserving::<A>(&BodyView::new(&program, &function, &body)));
        assert!(!cache.begin_preserving::<A>(&BodyView::new(&program, &function, &body)));
        change(&mut body);
        let during = cache.get::<A>(&BodyView::new(&program, &function, &body));
        before.of(&body);
        cache.end_preserving::<A>(&BodyView::new(&program, &function, &body));
        let after = cache.get::<A>(&BodyView::new(&program, &function, &body));
        before.of(&body);
        split(&mut body);
        let later = cache.get::<A>(&BodyView::new(&program, &function, &body));
        [before, during, after, later]
    }

    fn split(body: &mut Body) {
        let last = body.insts().last().expect("a return");
        body.edit().split_block_with_branch(last, Loc::NONE);
    }

    /// Adds a phi to the last block.
    fn add_phi(body: &mut Body) {
        let (block, ty) = (body.blocks().last().expect("a block"), SilType::object(Type::builtin("Int64")));
        let value = body.edit().undef(ty);
        body.edit().add_phi(block, ty, Ownership::None, ArgFlags::empty(), |_, _| value);
    }

    #[test]
    fn a_preserved_analysis_stays_valid_until_the_next_change() {
        let [before, during, after, later] = preserving(add_phi);
        assert!(Arc::ptr_eq(&before.entry, &during.entry));
        assert!(Arc::ptr_eq(&before.entry, &after.entry));
        assert!(!Arc::ptr_eq(&before.entry, &later.entry));
    }

    #[test]
    #[should_panic(expected = "Dominators is not what a pass preserved")]
    #[cfg(debug_assertions)]
    fn preserving_an_analysis_that_changes_is_a_panic() {
        preserving(split);
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
    #[should_panic(expected = "Dominators is requested from a changed body")]
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
