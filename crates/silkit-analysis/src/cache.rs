//! Analyses of one body, kept until the body changes.

use silkit_base::FxHashMap;
use silkit_ir::{Body, Changes, Epoch};
use std::any::{Any, TypeId};
use std::fmt;
use std::sync::Arc;

/// Something that follows from a body alone.
pub trait Analysis: Send + Sync + 'static {
    /// The changes that make it stale.
    const DEPENDS_ON: Changes;

    /// The analysis of a body as it is now.
    fn compute(body: &Body) -> Self;
}

macro_rules! analyses {
    ($($name:ty: $($change:ident)|+;)*) => {
        $(
            impl Analysis for $name {
                const DEPENDS_ON: Changes = Changes::empty()$(.union(Changes::$change))+;

                fn compute(body: &Body) -> Self {
                    <$name>::compute(body)
                }
            }
        )*
    };
}

analyses! {
    crate::BlockOrder: BRANCHES;
    crate::Dominators: BRANCHES;
    crate::PostDominators: BRANCHES;
    crate::DeadEnds: BRANCHES;
    crate::LoopRegions: BRANCHES;
    crate::Loops: BRANCHES;
    crate::Induction: INSTRUCTIONS | BRANCHES;
}

/// The analyses of one body that were asked for.
#[derive(Default)]
pub struct AnalysisCache {
    known: FxHashMap<TypeId, (Epoch, Arc<dyn Any + Send + Sync>)>,
}

impl AnalysisCache {
    /// An analysis of the body, which has to be the same at every call: the one that was made before, unless the body
    /// has changed since in a way that it depends on.
    pub fn get<A: Analysis>(&mut self, body: &Body) -> Fresh<A> {
        if let Some((epoch, known)) = self.known.get(&TypeId::of::<A>())
            && !body.changes_since(*epoch).intersects(A::DEPENDS_ON)
            && let Ok(analysis) = known.clone().downcast::<A>()
        {
            return Fresh { epoch: *epoch, analysis };
        }
        let (epoch, analysis) = (body.epoch(), Arc::new(A::compute(body)));
        self.known.insert(TypeId::of::<A>(), (epoch, analysis.clone()));
        Fresh { epoch, analysis }
    }
}

impl fmt::Debug for AnalysisCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "AnalysisCache({} analyses)", self.known.len())
    }
}

/// An analysis and the moment in which it was made.
#[derive(Debug)]
pub struct Fresh<A> {
    epoch: Epoch,
    analysis: Arc<A>,
}

impl<A> Clone for Fresh<A> {
    fn clone(&self) -> Self {
        Self { epoch: self.epoch, analysis: self.analysis.clone() }
    }
}

impl<A: Analysis> Fresh<A> {
    /// The analysis, which must not be stale: a debug build looks.
    ///
    /// # Panics
    /// In debug builds, where the body has changed since.
    pub fn of(&self, body: &Body) -> &A {
        debug_assert!(
            !body.changes_since(self.epoch).intersects(A::DEPENDS_ON),
            "invariant: {} is asked for again after the body changed",
            std::any::type_name::<A>()
        );
        &self.analysis
    }

    /// The analysis of the body as it was, for a pass that keeps what it needs of it right itself.
    pub fn of_then(&self) -> &A {
        &self.analysis
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Dominators;
    use silkit_ir::Point;
    use silkit_types::{NoFacts, SilType, Type};

    fn body() -> Body {
        let text =
            "sil @f : $@convention(thin) () -> () {\nbb0:\n  br bb1\nbb1:\n  %0 = tuple ()\n  return %0\n}\n";
        let mut module = silkit_text::parse_module(text).module;
        module.functions.values_mut().find_map(|f| f.body.take()).expect("a body")
    }

    #[test]
    fn kept_until_a_change_that_matters() {
        let (mut body, mut cache) = (body(), AnalysisCache::default());
        let first = cache.get::<Dominators>(&body);
        let last = body.insts().last().expect("a return");
        let mut builder = body.builder_at(Point::Before(last), &NoFacts);
        builder.integer_literal(SilType::object(Type::builtin("Int64")), "1");
        assert!(Arc::ptr_eq(&first.analysis, &cache.get::<Dominators>(&body).analysis));
        body.edit().split_block(last);
        assert!(!Arc::ptr_eq(&first.analysis, &cache.get::<Dominators>(&body).analysis));
    }

    #[test]
    #[should_panic(expected = "asked for again after the body changed")]
    #[cfg(debug_assertions)]
    fn a_stale_one_is_a_panic() {
        let (mut body, mut cache) = (body(), AnalysisCache::default());
        let first = cache.get::<Dominators>(&body);
        let last = body.insts().last().expect("a return");
        body.edit().split_block(last);
        first.of(&body);
    }
}
