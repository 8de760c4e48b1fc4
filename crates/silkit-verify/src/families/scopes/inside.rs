//! Rule: memory is used within its scope.

use super::derived::{Next, each_use};
use super::joint::broken_scopes;
use super::kinds::{Kind, STORE_BORROW, begun, ends, may_matter};
use super::stack::{EMPTY, active_lists};
use crate::context::FunctionVerifier;
use crate::finding::Place;
use crate::rule::{Check, Rule};
use silkit_analysis::{Begin, Scopes};
use silkit_base::{Entity, FxHashSet};
use silkit_diag::{RuleId, Severity};
use silkit_ir::{Inst, Opcode, Operand, Value};

pub(super) const RULES: &[&Rule] =
    &[&ADDRESS_IS_USED_INSIDE, &STORED_BORROW_LASTS, &STORED_BORROWS_DO_NOT_NEST];

static ADDRESS_IS_USED_INSIDE: Rule = Rule {
    id: RuleId::new("SIL0209"),
    name: "AddressIsUsedInside",
    severity: Severity::Error,
    summary: "An address is used while its stack allocation lasts",
    details: "\
After `dealloc_stack` the next allocation may reuse the memory. This holds for the address itself and
for all that is derived from it by projections, casts and accesses. Move the use before the end, or the
end after the use. This is a warning: no pass of the reference rejects it, but the loaded value is
undefined.",
    failing: "\
sil @f : $@convention(thin) () -> Builtin.Int64 {
bb0:
  %0 = integer_literal $Builtin.Int64, 1
  %1 = alloc_stack $Builtin.Int64
  store %0 to %1 : $*Builtin.Int64
  dealloc_stack %1 : $*Builtin.Int64
  %4 = load %1 : $*Builtin.Int64
  return %4 : $Builtin.Int64
}
",
    corrected: "\
sil @f : $@convention(thin) () -> Builtin.Int64 {
bb0:
  %0 = integer_literal $Builtin.Int64, 1
  %1 = alloc_stack $Builtin.Int64
  store %0 to %1 : $*Builtin.Int64
  %3 = load %1 : $*Builtin.Int64
  dealloc_stack %1 : $*Builtin.Int64
  return %3 : $Builtin.Int64
}
",
    check: Check::Paths(address_is_used_inside),
};

static STORED_BORROW_LASTS: Rule = Rule {
    id: RuleId::new("SIL0213"),
    name: "StoredBorrowLasts",
    severity: Severity::Error,
    summary: "The result of a `store_borrow` is used inside its scope",
    details: "\
The borrowed value lives in the allocation until the `end_borrow` of the `store_borrow`. After that its
owner may destroy it, so neither the result nor an address derived from it may be used. Move the use
before the `end_borrow`.",
    failing: "\
sil [ossa] @f : $@convention(thin) (@guaranteed Builtin.NativeObject) -> () {
bb0(%0 : @guaranteed $Builtin.NativeObject):
  %1 = alloc_stack $Builtin.NativeObject
  %2 = store_borrow %0 to %1 : $*Builtin.NativeObject
  end_borrow %2 : $*Builtin.NativeObject
  fix_lifetime %2 : $*Builtin.NativeObject
  unreachable
}
",
    corrected: "\
sil [ossa] @f : $@convention(thin) (@guaranteed Builtin.NativeObject) -> () {
bb0(%0 : @guaranteed $Builtin.NativeObject):
  %1 = alloc_stack $Builtin.NativeObject
  %2 = store_borrow %0 to %1 : $*Builtin.NativeObject
  fix_lifetime %2 : $*Builtin.NativeObject
  end_borrow %2 : $*Builtin.NativeObject
  unreachable
}
",
    check: Check::With(&["SIL0209"]),
};

static STORED_BORROWS_DO_NOT_NEST: Rule = Rule {
    id: RuleId::new("SIL0214"),
    name: "StoredBorrowsDoNotNest",
    severity: Severity::Error,
    summary: "A borrow is stored only where no other stored borrow is active",
    details: "\
A second `store_borrow` to the same allocation would overwrite a value that the first one still lends.
End the first one before, or use an allocation of its own.",
    failing: "\
sil [ossa] @f : $@convention(thin) (@guaranteed Builtin.NativeObject) -> () {
bb0(%0 : @guaranteed $Builtin.NativeObject):
  %1 = alloc_stack $Builtin.NativeObject
  %2 = store_borrow %0 to %1 : $*Builtin.NativeObject
  %3 = store_borrow %0 to %1 : $*Builtin.NativeObject
  end_borrow %3 : $*Builtin.NativeObject
  end_borrow %2 : $*Builtin.NativeObject
  unreachable
}
",
    corrected: "\
sil [ossa] @f : $@convention(thin) (@guaranteed Builtin.NativeObject) -> () {
bb0(%0 : @guaranteed $Builtin.NativeObject):
  %1 = alloc_stack $Builtin.NativeObject
  %2 = store_borrow %0 to %1 : $*Builtin.NativeObject
  end_borrow %2 : $*Builtin.NativeObject
  %4 = store_borrow %0 to %1 : $*Builtin.NativeObject
  end_borrow %4 : $*Builtin.NativeObject
  unreachable
}
",
    check: Check::With(&["SIL0209"]),
};

/// Returns the stack allocations that are used outside of their scopes, in one pass over the body. Returns none if
/// allocations are not properly nested, which is reported first.
fn used_outside(cx: &FunctionVerifier<'_>) -> FxHashSet<Inst> {
    let mut found = FxHashSet::default();
    if cx.insts_with(&[Opcode::AllocStack]).next().is_none() {
        return found;
    }
    let lists = active_lists(cx);
    if !lists.are_sound() {
        return found;
    }
    // For each operand that uses an allocation, the list that this one makes.
    let mut roots: Vec<u32> = Vec::new();
    for alloc in cx.insts_with(&[Opcode::AllocStack]) {
        let (Some(value), Some(made)) = (cx.body.first_result(alloc), lists.made(alloc)) else { continue };
        each_use(cx, value, |operand| {
            if roots.is_empty() {
                roots.resize(cx.body.operand_bound(), EMPTY);
            }
            roots[operand.index()] = made;
            Next::Follow
        });
    }
    if roots.is_empty() {
        return found;
    }
    let membership = lists.membership();
    for &block in cx.block_order().blocks() {
        let mut list = lists.at_start(block);
        for inst in cx.body.block_insts(block) {
            for operand in cx.body.operand_ids(inst) {
                let made = roots[operand.index()];
                if made != EMPTY && !membership.may_hold(list, made) {
                    found.extend(lists.last(made));
                }
            }
            if may_matter(cx.body.inst(inst).opcode) {
                list = lists.after(cx, list, inst);
            }
        }
    }
    found
}

fn address_is_used_inside(cx: &FunctionVerifier<'_>) {
    let mut scopes = None;
    let suspects = used_outside(cx);
    if suspects.is_empty() && cx.insts_with(&[Opcode::StoreBorrow]).next().is_none() {
        return;
    }
    for begin in cx.insts() {
        if cx.body.inst(begin).opcode != Opcode::StoreBorrow && !suspects.contains(&begin) {
            continue;
        }
        let Some((kind, value)) = begun(cx, begin) else { continue };
        let is_reachable = cx.block_order().is_reachable(cx.body.inst_block(begin));
        if broken_scopes(cx).contains(&begin) || !is_reachable {
            continue;
        }
        let ends = ends(cx, kind, value);
        if ends.is_empty() {
            continue;
        }
        let scopes = scopes.get_or_insert_with(|| Scopes::new(cx.body, cx.dead_ends()));
        scopes.check(Begin::After(begin), &ends, kind.coherence);
        each_use(cx, value, |operand| {
            let user = cx.body.operand(operand).user;
            let is_fine = cx.body.inst(user).opcode == Opcode::DebugValue
                || !cx.block_order().is_reachable(cx.body.inst_block(user))
                || scopes.contains(user);
            if !is_fine {
                report_use(cx, kind, begin, &ends, operand);
            }
            if is_fine { Next::Follow } else { Next::Stop }
        });
        if cx.body.inst(begin).opcode == Opcode::StoreBorrow {
            for end in ends_of_loads(cx, value) {
                if !scopes.contains(cx.body.operand(end).user) {
                    report_use(cx, kind, begin, &ends, end);
                }
            }
        }
        if cx.body.inst(begin).opcode == Opcode::StoreBorrow {
            report_nested(cx, begin, |inst| scopes.contains(inst));
        }
    }
}

/// Returns the ends of the borrows loaded from the result of a `store_borrow`, since they borrow the same value.
fn ends_of_loads(cx: &FunctionVerifier<'_>, stored: Value) -> Vec<Operand> {
    let body = cx.body;
    let loads = body.users(stored).filter(|&i| body.inst(i).opcode == Opcode::LoadBorrow);
    let borrows = loads.flat_map(|load| body.results(load));
    let is_end = |&o: &Operand| body.inst(body.operand(o).user).opcode == Opcode::EndBorrow;
    borrows.flat_map(|borrow| body.uses(borrow)).filter(is_end).collect()
}

/// The message of the reference.
const NESTED: &str = "A store_borrow cannot be nested within another store_borrow to its destination";

/// Reports nested `store_borrow`s to the same address.
fn report_nested(cx: &FunctionVerifier<'_>, outer: Inst, mut is_inside: impl FnMut(Inst) -> bool) {
    let Some(place) = cx.body.operands(outer).get(1).map(|o| o.value) else { return };
    for inner in cx.body.users(place) {
        if inner != outer && cx.body.inst(inner).opcode == Opcode::StoreBorrow && is_inside(inner) {
            let message =
                format!("a borrow is stored to `{}` while another one is active there", cx.value(place));
            cx.report(
                cx.finding(&STORED_BORROWS_DO_NOT_NEST, Place::Inst(inner), message)
                    .label("stored too early")
                    .also(Place::Inst(outer), "the other one is stored here")
                    .reference_message_at(Place::Inst(outer), NESTED),
            );
        }
    }
}

fn report_use(cx: &FunctionVerifier<'_>, kind: &Kind, begin: Inst, ends: &[Inst], operand: Operand) {
    let user = cx.body.operand(operand).user;
    let value = cx.body.first_result(begin).map_or_else(String::new, |v| cx.value(v));
    let (name, user_name) = (kind.name, cx.body.info(user).name);
    let finding = if std::ptr::eq(kind, &STORE_BORROW) {
        let message = if cx.body.inst(user).opcode == Opcode::EndBorrow {
            format!("a borrow loaded from `{value}` outlives the stored borrow")
        } else {
            format!("`{user_name}` uses the stored borrow `{value}` after its end")
        };
        let shown = vec![("User found outside scope: ", user)];
        cx.finding(&STORED_BORROW_LASTS, Place::Operand(operand), message).reference_message_showing(
            Place::Inst(begin),
            "Ill formed store_borrow scope",
            shown,
        )
    } else {
        let message = format!("`{user_name}` uses memory of `{value}` after its end");
        cx.finding(&ADDRESS_IS_USED_INSIDE, Place::Operand(operand), message).warning()
    };
    let finding = finding.label("used here").also(Place::Inst(begin), format!("the {name} begins here"));
    // The end from which the use is reached.
    let to = cx.body.inst_block(user);
    for &end in ends {
        let from = cx.body.inst_block(end);
        if from == to && cx.body.inst_precedes(end, user) {
            cx.report(finding.also(Place::Inst(end), "and ends here"));
            return;
        }
        if let Some(path) = silkit_analysis::path(cx.body, &[from], |b| b == to, |_| true)
            && path.len() > 1
        {
            cx.report(finding.also(Place::Inst(end), "and ends here").path(path));
            return;
        }
    }
    cx.report(finding);
}
