//! Explanations: why an instruction with costs exists.
//!
//! `counts.rs` explains retains, copies, releases and destroys, `other.rs` allocations, calls and checks; `names.rs` describes memory, callees and
//! values.

mod counts;
mod names;
mod other;

use crate::kind::CostKinds;
use crate::place::BodyPlaces;
use crate::report::Operation;
use names::Names;
use silkit::analysis::{BodyView, Dominators, ProgramFacts, ProgramView};
use silkit::ir::{InlineStacks, Inst, Module, SwiftPosition};
use silkit::types::decl::Declarations;

/// The reason for a cost, as a class of reasons.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Reason {
    /// A second owner: the reference is stored.
    Stored,
    /// The reference is passed to a parameter that consumes it.
    PassedOwned,
    /// The reference is returned or thrown.
    Returned,
    /// An escaping closure captures it.
    Captured,
    /// It is loaded from a property, a global variable, an element or a captured variable, which may change while it is used.
    Loaded,
    /// An existential value or a generic value is copied.
    CopiedInMemory,
    /// It is kept alive while it is used.
    KeptAlive,
    /// The last owner of an allocation of this function ends.
    EndsAllocation,
    /// The result of a call is no longer needed.
    EndsResult,
    /// A consumed argument is no longer needed.
    EndsArgument,
    /// A copy that was retained before is no longer needed.
    EndsCopy,
    /// An old value is replaced.
    Replaced,
    /// A value of several paths, or of memory, is no longer needed.
    EndsLifetime,
    /// Memory is allocated.
    Allocated,
    /// A call is dispatched at run time.
    Dispatched,
    /// The runtime has to check or to look up something.
    Checked,
}

impl Reason {
    /// Returns its name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Stored => "stored",
            Self::PassedOwned => "passed_owned",
            Self::Returned => "returned",
            Self::Captured => "captured",
            Self::Loaded => "loaded",
            Self::CopiedInMemory => "copied_in_memory",
            Self::KeptAlive => "kept_alive",
            Self::EndsAllocation => "ends_allocation",
            Self::EndsResult => "ends_result",
            Self::EndsArgument => "ends_argument",
            Self::EndsCopy => "ends_copy",
            Self::Replaced => "replaced",
            Self::EndsLifetime => "ends_lifetime",
            Self::Allocated => "allocated",
            Self::Dispatched => "dispatched",
            Self::Checked => "checked",
        }
    }
}

/// Why an instruction has a cost.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cause {
    /// The costs that it explains.
    pub kinds: CostKinds,
    /// The class of the reason.
    pub reason: Reason,
    /// The reason as a phrase: "stored to property `Node.next`".
    pub text: String,
    /// The position of the instruction that is the reason, such as the store.
    pub position: Option<SwiftPosition>,
}

/// An instruction that is the reason for a cost, and the phrase about it.
struct Found {
    reason: Reason,
    text: String,
    evidence: Option<Inst>,
}

impl Found {
    fn new(reason: Reason, text: impl Into<String>, evidence: impl Into<Option<Inst>>) -> Self {
        Self { reason, text: text.into(), evidence: evidence.into() }
    }
}

/// The context of explanations in one body.
struct Explainer<'a> {
    view: BodyView<'a>,
    dominators: &'a Dominators,
    places: BodyPlaces<'a>,
    names: Names<'a>,
}

/// A function that makes a symbol readable.
pub type Demangle<'a> = &'a dyn Fn(&str) -> String;

/// Explains operations of a module. They must be in the order of the module.
pub fn explain(
    module: &Module,
    declarations: &Declarations,
    operations: &[Operation],
    demangle: Demangle<'_>,
) -> Vec<Vec<Cause>> {
    let facts = ProgramFacts::new(false);
    let program = ProgramView::new(module, declarations, &facts);
    let stacks = InlineStacks::new(&module.scopes);
    let mut causes = Vec::with_capacity(operations.len());
    for of_function in operations.chunk_by(|a, b| a.function == b.function) {
        let view = of_function.first().and_then(|first| program.body_view(first.function));
        let Some(view) = view else {
            causes.extend(of_function.iter().map(|_| Vec::new()));
            continue;
        };
        let dominators = Dominators::compute(view.body);
        let places = BodyPlaces::new(&view, &stacks, &dominators);
        let names = Names { body: view.body, demangle };
        let explainer = Explainer { view, dominators: &dominators, places, names };
        causes.extend(of_function.iter().map(|operation| explainer.explain(operation)));
    }
    causes
}

impl Explainer<'_> {
    fn explain(&self, operation: &Operation) -> Vec<Cause> {
        use CostKinds as K;
        let inst = operation.inst;
        let groups = [
            (K::RETAIN | K::COPY, Self::retained as fn(&Self, Inst) -> Found),
            (K::RELEASE | K::DESTROY, Self::released),
            (K::ALLOCATION, Self::allocated),
            (K::CLASS_CALL | K::WITNESS_CALL | K::VALUE_CALL, Self::dispatched),
            (K::EXCLUSIVITY | K::CAST | K::ONCE | K::METADATA | K::LOCK, Self::checked),
        ];
        let causes = groups.into_iter().filter_map(|(group, find)| {
            let kinds = operation.kinds & group;
            if kinds.is_empty() {
                return None;
            }
            let found = find(self, inst);
            let position =
                found.evidence.and_then(|evidence| self.places.direct(evidence)).map(|p| p.position);
            Some(Cause { kinds, reason: found.reason, text: found.text, position })
        });
        causes.collect()
    }
}
