//! Rules for boxes and existentials that are allocated in a body: when they hold a value.

use super::before::{Content, content_before, is_owned};
use crate::context::FunctionVerifier;
use crate::finding::Place;
use crate::rule::{Check, Rule};
use silkit_analysis::memory::{ResultingState, memory_use};
use silkit_diag::{RuleId, Severity};
use silkit_ir::{Inst, Opcode, Value};
use silkit_types::TypeKind;

pub(super) const RULES: &[&Rule] = &[&DEALLOCATED_BOX_IS_EMPTY, &RELEASED_BOX_IS_FULL];

static DEALLOCATED_BOX_IS_EMPTY: Rule = Rule {
    id: RuleId::new("SIL0510"),
    name: "DeallocatedBoxIsEmpty",
    severity: Severity::Error,
    summary: "A box or an existential is deallocated without its value only if it holds none that must be destroyed",
    details: "\
`dealloc_box`, `dealloc_existential_box` and `deinit_existential_addr` free the memory and leave a value
in it alone, which leaks. They are for memory that was not initialized, or whose value was taken.
Destroy the box or the existential with its value: `destroy_value`, `destroy_addr`.",
    failing: "\
sil [ossa] @f : $@convention(thin) (@owned Builtin.NativeObject) -> () {
bb0(%0 : @owned $Builtin.NativeObject):
  %1 = alloc_box ${ var Builtin.NativeObject }
  %2 = project_box %1 : ${ var Builtin.NativeObject }, 0
  store %0 to [init] %2 : $*Builtin.NativeObject
  dealloc_box %1 : ${ var Builtin.NativeObject }
  %5 = tuple ()
  return %5 : $()
}
",
    corrected: "\
sil [ossa] @f : $@convention(thin) (@owned Builtin.NativeObject) -> () {
bb0(%0 : @owned $Builtin.NativeObject):
  %1 = alloc_box ${ var Builtin.NativeObject }
  %2 = project_box %1 : ${ var Builtin.NativeObject }, 0
  store %0 to [init] %2 : $*Builtin.NativeObject
  destroy_value %1 : ${ var Builtin.NativeObject }
  %5 = tuple ()
  return %5 : $()
}
",
    check: Check::Inst(
        &[Opcode::DeallocBox, Opcode::DeallocExistentialBox, Opcode::DeinitExistentialAddr],
        deallocated_box_is_empty,
    ),
};

static RELEASED_BOX_IS_FULL: Rule = Rule {
    id: RuleId::new("SIL0511"),
    name: "ReleasedBoxIsFull",
    severity: Severity::Error,
    summary: "A box that is destroyed with its value holds one",
    details: "\
The last `destroy_value` of a box destroys the value in it, which is undefined if there is none. Only
boxes that are never initialized in a body, and that nothing else can initialize, are reported. Free
such a box by `dealloc_box`, or store a value.",
    failing: "\
sil [ossa] @f : $@convention(thin) () -> () {
bb0:
  %0 = alloc_box ${ var Builtin.NativeObject }
  destroy_value %0 : ${ var Builtin.NativeObject }
  %2 = tuple ()
  return %2 : $()
}
",
    corrected: "\
sil [ossa] @f : $@convention(thin) () -> () {
bb0:
  %0 = alloc_box ${ var Builtin.NativeObject }
  dealloc_box %0 : ${ var Builtin.NativeObject }
  %2 = tuple ()
  return %2 : $()
}
",
    check: Check::Inst(&[Opcode::AllocBox], released_box_is_full),
};

fn deallocated_box_is_empty(cx: &FunctionVerifier<'_>, inst: Inst) {
    if !cx.is_ossa() {
        return;
    }
    let value = cx.body.operand_value(inst, 0);
    let addresses = match cx.body.inst(inst).opcode {
        Opcode::DeinitExistentialAddr => Some(vec![value]),
        _ => local_box(cx, value).map(|users| users.addresses),
    };
    if let Some(addresses) = addresses
        && let Some((Content::Owned, stored)) = content_before(cx, &addresses, inst)
    {
        let name = cx.body.info(inst).name;
        let message = format!("`{name}` leaks the value in `{}`", cx.value(value));
        cx.report(
            cx.finding(&DEALLOCATED_BOX_IS_EMPTY, Place::Inst(inst), message)
                .warning()
                .label("deallocated here")
                .also(Place::Inst(stored), "initialized here"),
        );
    }
}

fn released_box_is_full(cx: &FunctionVerifier<'_>, inst: Inst) {
    let Some(value) = cx.body.first_result(inst).filter(|_| cx.is_ossa()) else { return };
    let Some(LocalBox { addresses, destroy: Some(destroy) }) = local_box(cx, value) else { return };
    let TypeKind::Box(layout) = cx.body.value(value).ty.ty().kind() else { return };
    // The fields of a generic layout are those of other types.
    if layout.sig.is_some() || !layout.fields.iter().any(|field| is_owned(cx, field.ty) == Some(true)) {
        return;
    }
    let view = cx.view();
    let leaves_empty = |address: Value| {
        cx.body.uses(address).all(|operand| {
            memory_use(&view, operand).is_some_and(|e| {
                e.leaves == ResultingState::Unchanged && e.derived.is_none() && e.on_edges.is_empty()
            })
        })
    };
    if addresses.iter().all(|&address| leaves_empty(address)) {
        let message = format!("`{}` is destroyed, but never initialized", cx.value(value));
        cx.report(
            cx.finding(&RELEASED_BOX_IS_FULL, Place::Inst(destroy), message)
                .warning()
                .label("destroyed here")
                .also(Place::Inst(inst), "allocated here"),
        );
    }
}

/// The uses of a box that is used only by its allocating body.
struct LocalBox {
    /// The addresses of its content.
    addresses: Vec<Value>,
    /// An instruction that destroys the box with its value.
    destroy: Option<Inst>,
}

/// Returns the uses of a box; `None` if it is not allocated here, is borrowed, or if other code may see it. Tests of
/// the reference deallocate borrowed boxes with a value.
fn local_box(cx: &FunctionVerifier<'_>, value: Value) -> Option<LocalBox> {
    let alloc = cx.body.defining_inst(value)?;
    if !matches!(cx.body.inst(alloc).opcode, Opcode::AllocBox | Opcode::AllocExistentialBox) {
        return None;
    }
    let mut found = LocalBox { addresses: Vec::new(), destroy: None };
    for user in cx.body.users(value) {
        match cx.body.inst(user).opcode {
            Opcode::ProjectBox | Opcode::ProjectExistentialBox => {
                found.addresses.extend(cx.body.first_result(user));
            }
            Opcode::DestroyValue => found.destroy = Some(user),
            Opcode::DebugValue | Opcode::DeallocBox | Opcode::DeallocExistentialBox => {}
            _ => return None,
        }
    }
    Some(found)
}
