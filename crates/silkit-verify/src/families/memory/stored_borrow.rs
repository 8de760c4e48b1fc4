//! Rule: memory with a stored borrow is only read.

use crate::context::FunctionVerifier;
use crate::families::scopes::derived::{Next, each_use};
use crate::finding::Place;
use crate::reference_message::{MemoryFault, MemoryFaultKind, ReferenceMessage};
use crate::rule::{Check, Rule};
use silkit_analysis::memory::memory_use;
use silkit_base::FxHashSet;
use silkit_diag::{RuleId, Severity};
use silkit_ir::{Inst, Opcode};

pub(super) const RULES: &[&Rule] = &[&STORED_BORROW_IS_READ];

static STORED_BORROW_IS_READ: Rule = Rule {
    id: RuleId::new("SIL0509"),
    name: "StoredBorrowIsRead",
    severity: Severity::Error,
    summary: "A borrow that is stored in memory is neither modified nor consumed there",
    details: "\
`store_borrow` lends a value to memory without copying it: the owner still destroys it. So the memory
may not be written, destroyed or taken from, nor passed as `@inout` or `@in`, until the `end_borrow`.
Store a `copy_value` with `store [init]` to get memory that may be changed.",
    failing: "\
sil [ossa] @f : $@convention(thin) (@guaranteed Builtin.NativeObject) -> () {
bb0(%0 : @guaranteed $Builtin.NativeObject):
  %1 = alloc_stack $Builtin.NativeObject
  %2 = store_borrow %0 to %1 : $*Builtin.NativeObject
  %3 = load [take] %2 : $*Builtin.NativeObject
  end_borrow %2 : $*Builtin.NativeObject
  dealloc_stack %1 : $*Builtin.NativeObject
  destroy_value %3 : $Builtin.NativeObject
  %7 = tuple ()
  return %7 : $()
}
",
    corrected: "\
sil [ossa] @f : $@convention(thin) (@guaranteed Builtin.NativeObject) -> () {
bb0(%0 : @guaranteed $Builtin.NativeObject):
  %1 = alloc_stack $Builtin.NativeObject
  %2 = store_borrow %0 to %1 : $*Builtin.NativeObject
  %3 = load [copy] %2 : $*Builtin.NativeObject
  end_borrow %2 : $*Builtin.NativeObject
  dealloc_stack %1 : $*Builtin.NativeObject
  destroy_value %3 : $Builtin.NativeObject
  %7 = tuple ()
  return %7 : $()
}
",
    check: Check::Inst(&[Opcode::StoreBorrow], check),
};

fn check(cx: &FunctionVerifier<'_>, inst: Inst) {
    let Some(stored) = cx.body.results(inst).next() else { return };
    let view = cx.view();
    let mut reported = FxHashSet::default();
    each_use(cx, stored, |operand| {
        let user = cx.body.operand(operand).user;
        if memory_use(&view, operand).is_some_and(|effect| effect.changes) && reported.insert(user) {
            let name = cx.body.info(user).name;
            let message =
                format!("`{name}` modifies or consumes the borrow that is stored in `{}`", cx.value(stored));
            let mut finding = cx
                .finding(&STORED_BORROW_IS_READ, Place::Operand(operand), message)
                .label("modified or consumed here")
                .also(Place::Inst(inst), "stored here");
            let kind = MemoryFaultKind::StoredBorrowChanged;
            finding.reference_messages.push(ReferenceMessage::Memory(MemoryFault {
                location: None,
                kind,
                inst: user,
            }));
            cx.report(finding);
        }
        Next::Follow
    });
}
