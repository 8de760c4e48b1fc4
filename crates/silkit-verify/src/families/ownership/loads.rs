//! Rule: borrowed memory is not overwritten.

use crate::context::FunctionVerifier;
use crate::families::scopes::derived::{Next, each_use};
use crate::families::scopes::immutable::{Change, changes};
use crate::finding::Place;
use crate::rule::{Check, Rule};
use silkit_analysis::{Begin, Coherence, Scopes};
use silkit_base::{FxHashMap, FxHashSet};
use silkit_diag::{RuleId, Severity};
use silkit_ir::info::OperandOwnership;
use silkit_ir::{ArgFlags, Block, Inst, Opcode, Operand, Value, ValueDef};

pub(super) const RULES: &[&Rule] = &[&LOADED_BORROW_IS_KEPT];

static LOADED_BORROW_IS_KEPT: Rule = Rule {
    id: RuleId::new("SIL0418"),
    name: "LoadedBorrowIsKept",
    severity: Severity::Error,
    summary: "Memory that `load_borrow` borrows is neither overwritten nor consumed in the borrow scope",
    details: "\
The memory owns the value, and the borrow lasts until its `end_borrow`, or that of the phi which it is
passed to. A store, a `destroy_addr`, a take or a call that may change the memory (`@inout`, `@in`, `@out`)
before that destroys a value that is still in use;
`is_unique` counts as a write, because it precedes one. Move the write after the end of the borrow, or
use `load [copy]`.",
    failing: "\
sil [ossa] @f : $@convention(thin) (@inout Builtin.NativeObject, @owned Builtin.NativeObject) -> () {
bb0(%0 : $*Builtin.NativeObject, %1 : @owned $Builtin.NativeObject):
  %2 = load_borrow %0 : $*Builtin.NativeObject
  store %1 to [assign] %0 : $*Builtin.NativeObject
  end_borrow %2 : $Builtin.NativeObject
  %5 = tuple ()
  return %5 : $()
}
",
    corrected: "\
sil [ossa] @f : $@convention(thin) (@inout Builtin.NativeObject, @owned Builtin.NativeObject) -> () {
bb0(%0 : $*Builtin.NativeObject, %1 : @owned $Builtin.NativeObject):
  %2 = load_borrow %0 : $*Builtin.NativeObject
  end_borrow %2 : $Builtin.NativeObject
  store %1 to [assign] %0 : $*Builtin.NativeObject
  %5 = tuple ()
  return %5 : $()
}
",
    check: Check::Paths(check),
};

/// The instructions that write to an address, by block.
type Writes = FxHashMap<Block, Vec<Inst>>;

fn check(cx: &FunctionVerifier<'_>) {
    if !cx.is_ossa() {
        return;
    }
    let body = cx.body;
    let mut writes: FxHashMap<Value, Writes> = FxHashMap::default();
    let mut scopes = None;
    for load in cx.insts_with(&[Opcode::LoadBorrow]) {
        let (address, Some(borrow)) = (body.operand_value(load, 0), body.first_result(load)) else {
            continue;
        };
        let is_def = !matches!(body.def(address), ValueDef::Undef | ValueDef::Pending);
        let writes = &*writes.entry(address).or_insert_with(|| writes_to(cx, address));
        if writes.is_empty() || !is_def || !cx.block_order().is_reachable(body.inst_block(load)) {
            continue;
        }
        let scopes = scopes.get_or_insert_with(|| Scopes::new(body, cx.dead_ends()));
        check_load(cx, scopes, load, borrow, writes);
    }
}

/// Checks the scope that a load begins, and the scopes of the phis that it is passed to.
fn check_load(
    cx: &FunctionVerifier<'_>,
    scopes: &mut Scopes<'_>,
    load: Inst,
    borrow: Value,
    writes: &Writes,
) {
    let body = cx.body;
    let mut seen = FxHashSet::default();
    let mut work = vec![borrow];
    while let Some(value) = work.pop() {
        if !seen.insert(value) {
            continue;
        }
        let ends = ends_of(cx, value);
        let begin = match body.def(value) {
            ValueDef::Argument(block, _) => Begin::Start(block),
            _ => Begin::After(load),
        };
        // Violations of the scope itself are reported by another rule.
        let users: Vec<Inst> = ends.iter().map(|&o| body.operand(o).user).collect();
        if users.is_empty() {
            continue;
        }
        scopes.check(begin, &users, Coherence::NotRequired);
        // Restrict the check to the blocks of the scope, since there may be many writes.
        let near = scopes.blocks().filter_map(|block| writes.get(&block)).flatten();
        let near: Vec<Inst> = near.copied().collect();
        if let Some(&write) = near.iter().find(|&&write| scopes.contains(write)) {
            report(cx, load, borrow, write);
            return;
        }
        for &end in &ends {
            let user = body.operand(end).user;
            if body.inst(user).opcode == Opcode::Branch {
                let target = body.successors(user).next();
                let phi = target.and_then(|b| body.arguments(b).get(body.operand_index(end)).copied());
                work.extend(phi.filter(|&v| body.value(v).arg_flags.contains(ArgFlags::REBORROW)));
            }
        }
    }
}

/// Returns the uses that end a borrow, directly or through its `borrowed … from`.
fn ends_of(cx: &FunctionVerifier<'_>, value: Value) -> Vec<Operand> {
    let body = cx.body;
    let borrowed = body
        .users(value)
        .filter(|&i| body.inst(i).opcode == Opcode::BorrowedFrom && body.operand_value(i, 0) == value);
    let values = std::iter::once(value).chain(borrowed.flat_map(|i| body.results(i)));
    let ends = |&o: &Operand| cx.ownership().operand(o).is_some_and(OperandOwnership::ends_lifetime);
    values.flat_map(|v| body.uses(v)).filter(ends).collect()
}

/// Returns the instructions that write to an address or to a derived address.
fn writes_to(cx: &FunctionVerifier<'_>, address: Value) -> Writes {
    let mut found = Writes::default();
    each_use(cx, address, |operand| {
        let user = cx.body.operand(operand).user;
        let writes = match cx.body.inst(user).opcode {
            // Writes during accesses are not checked, nor writes by callees to parts.
            Opcode::BeginAccess => false,
            Opcode::Apply | Opcode::TryApply | Opcode::BeginApply => {
                cx.body.operand(operand).value == address && changes(cx, operand) != Change::No
            }
            Opcode::IsUnique | Opcode::BeginCOWMutation => true,
            _ => changes(cx, operand) != Change::No,
        };
        if writes {
            found.entry(cx.body.inst_block(user)).or_default().push(user);
        }
        Next::Follow
    });
    found
}

fn report(cx: &FunctionVerifier<'_>, load: Inst, borrow: Value, write: Inst) {
    let name = cx.body.info(write).name;
    let message = format!("`{name}` modifies the memory that `{}` borrows", cx.value(borrow));
    let finding = cx
        .finding(&LOADED_BORROW_IS_KEPT, Place::Inst(write), message)
        .label("changed here")
        .also(Place::Inst(load), "borrowed here");
    let opcode = cx.body.inst(write).opcode;
    // The reference does not check calls.
    cx.report(match opcode {
        Opcode::Apply | Opcode::TryApply | Opcode::BeginApply => finding.warning(),
        _ => {
            finding.swift_reference_message_at(Place::Inst(write), "Load borrow invalidated by a local write")
        }
    });
}
