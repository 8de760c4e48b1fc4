//! The verifier: checks the rules of SIL and reports violations.
//!
//! A [`Rule`] is declared once, beside the function that checks it, in the file of its family; [`rules`] returns all
//! rules. [`verify`] runs them over a module and returns [`Finding`]s: data in source order, independent of the
//! number of threads. [`Renderer`] converts findings to diagnostics. Unknown facts, such as the type of a value whose
//! declaration is not in the file, never cause a finding: the rule records that it could not be decided
//! ([`VerifyReport::unknown`]).
//!
//! `docs/add-a-rule.md` describes how to add a rule.
//!
//! # How rules are checked
//!
//! A rule is a `static Rule`, including its page, next to the function that checks it (`docs/add-a-rule.md`);
//! `docs/rules.md` lists all rules. A check requests analyses from its context, which computes them on first use and
//! shares them. It reports findings: data that refer to entities. `Renderer` maps them to ranges of the text. Functions
//! are verified in parallel, and findings are sorted in textual order. A check that cannot be decided is recorded and is
//! not a finding.
//!
//! One implementation of joint post-dominance (`silkit_analysis::Scopes`) checks scopes of all kinds; the table in
//! `families/scopes/kinds.rs` lists what begins and ends each kind and whether it requires coherence. It walks backwards
//! from the ends, so its cost is proportional to the size of the scope. If a body has many scopes, one pass over the body
//! (`families/scopes/stack.rs`) selects the suspects: lists of open scopes are nodes of a tree, and only edges into
//! dead-end regions may disagree about them. The same lists serve stack discipline and uses of stack memory after its
//! deallocation.
//!
//! A finding is an error if the reference rejects the module, or would by its newest rules; otherwise it is a warning,
//! which `silkit opt` ignores. The checks of types also run over static initializers.
//!
//! Regular type requirements are in the instruction table (`types = 'operand: object class'`) and are checked by one
//! function, `families/types/operands.rs`. `Declarations` answers whether types are equal, trivial or loadable with yes,
//! no or unknown; only "no" is a finding. Calls are checked against the callee's substituted type, which is computed once
//! for each pair of callee type and generic arguments in a body.
//!
//! Objects of several modules are compared with the first of each set of linked objects, since linking is an equivalence
//! relation (`families/module/linked.rs`): the cost is linear in the number of objects. The source map gives the
//! positions of tables (`families/module/place.rs`).
//!
//! Ownership uses the same `Scopes`. `families/ownership/lifetime_uses.rs` collects the ends of a value's lifetime and
//! the uses that it must contain: its own uses, the ends of scopes that borrow it and, for borrowed values, the uses of
//! all forwarded values and of interior memory. Phis are not followed; their `borrowed … from` names the enclosing
//! values. The ownership of operands comes from the table (`silkit_ir::ownership`) and is queried once for each body
//! (`FunctionVerifier::ownership`).
//!
//! Tests written for the reference compare its messages. A finding contains them as data (`ReferenceMessage`): a message
//! about the place, or the value, users and ends of an ownership error. `silkit::reference` renders them in the format of
//! the reference's tools. A phi without `borrowed … from` is treated as if it had the one that its edges imply, so that
//! other errors are still found.
//!
//! Memory lifetime has two parts. `silkit_analysis::memory` determines which memory can be uniquely identified, as trees
//! of locations, and what each use of an address requires and leaves behind; a tree with an unknown use is skipped.
//! `families/memory/` turns this into a list of operations on leaves, sorted by place, and solves the dataflow for 64
//! leaves at a time, only in blocks with operations and in their iterated dominance frontier, as far as a stored value
//! reaches (`silkit_analysis::dataflow`). The state elsewhere is the state at the end of the nearest such dominator, so
//! nested allocations cost nothing extra. A state has three bits for each leaf: initialized on every path; holds a value
//! that must be destroyed on some path; paths disagree, which has been reported. An enum known to hold a case that owns
//! nothing has the first bit without the second, which implements the specification's rules about enums.

mod catalog;
mod context;
mod families;
mod finding;
mod linked;
mod names;
mod reference_message;
mod render;
mod rule;
mod run;
mod sound_types;

pub use catalog::{find_rule, rules};
pub use context::{FunctionVerifier, ModuleVerifier, Owner, Undecided};
pub use finding::{Finding, Place};
pub use linked::{LinkedFinding, LinkedModule};
pub use reference_message::{
    MemoryFault, MemoryFaultKind, OwnershipError, ReferenceFailure, ReferenceMessage,
};
pub use render::{Renderer, origin_of};
pub use rule::{Check, Rule};
pub use run::{VerifyOptions, VerifyReport, verify, verify_linked};
