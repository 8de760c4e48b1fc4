//! Rule: the addresses of an access or of a coroutine are not used after its end.

use super::derived::{Next, each_use, is_passed, touches_memory};
use super::kinds::{begun, ends};
use crate::context::FunctionVerifier;
use crate::finding::Place;
use crate::rule::{Check, Rule};
use silkit_diag::{RuleId, Severity};
use silkit_ir::{Inst, Opcode};

pub(super) const RULES: &[&Rule] = &[&ADDRESS_AFTER_END];

static ADDRESS_AFTER_END: Rule = Rule {
    id: RuleId::new("SIL0240"),
    name: "AddressAfterEnd",
    severity: Severity::Error,
    summary: "Memory is not accessed through the address of an access or a coroutine after its end",
    details: "\
After `end_access` other code may access the memory, and after `end_apply` or `abort_apply` the
coroutine has finished with the memory that it yielded, for example by writing it back. A use that an
end dominates is reported, of the address itself and of all that is derived from it. Move the use before
the end.",
    failing: "\
sil @f : $@convention(thin) (@inout Builtin.Int64) -> Builtin.Int64 {
bb0(%0 : $*Builtin.Int64):
  %1 = begin_access [read] [static] %0 : $*Builtin.Int64
  end_access %1 : $*Builtin.Int64
  %3 = load %1 : $*Builtin.Int64
  return %3 : $Builtin.Int64
}
",
    corrected: "\
sil @f : $@convention(thin) (@inout Builtin.Int64) -> Builtin.Int64 {
bb0(%0 : $*Builtin.Int64):
  %1 = begin_access [read] [static] %0 : $*Builtin.Int64
  %2 = load %1 : $*Builtin.Int64
  end_access %1 : $*Builtin.Int64
  return %2 : $Builtin.Int64
}
",
    check: Check::Paths(address_after_end),
};

/// The maximum number of ends of a scope whose uses are checked, since each use is compared with each end.
const MOST_ENDS: usize = 8;

fn address_after_end(cx: &FunctionVerifier<'_>) {
    for begin in cx.insts_with(&[Opcode::BeginAccess, Opcode::BeginApply]) {
        let opcode = cx.body.inst(begin).opcode;
        if !cx.block_order().is_reachable(cx.body.inst_block(begin)) {
            continue;
        }
        let Some((kind, scope)) = begun(cx, begin) else { continue };
        let ends = ends(cx, kind, scope);
        if ends.is_empty() || ends.len() > MOST_ENDS {
            continue;
        }
        // A token and the allocation in the callee follow the yielded addresses.
        let yielded =
            cx.body.results(begin).take_while(|&value| opcode == Opcode::BeginAccess || value != scope);
        for address in yielded.filter(|&value| cx.body.value(value).ty.is_address()) {
            each_use(cx, address, |operand| {
                let user = cx.body.operand(operand).user;
                // The compiler writes the fields of C unions through an address that it casts after the access.
                if cx.body.inst(user).opcode == Opcode::UncheckedAddrCast {
                    return Next::Stop;
                }
                if is_nested_access(cx, user, &ends) {
                    return Next::Skip;
                }
                // The reference passes the address of an access that has ended to functions, in its own tests.
                let is_used =
                    touches_memory(cx, operand) && (opcode == Opcode::BeginApply || !is_passed(cx, operand));
                if !is_used {
                    return Next::Follow;
                }
                let end = ends.iter().copied().find(|&end| is_after(cx, end, user));
                let Some(end) = end else { return Next::Follow };
                let name = cx.body.info(user).name;
                let message = format!(
                    "`{name}` uses the address `{}` after the end of the {}",
                    cx.value(address),
                    kind.name
                );
                cx.report(
                    cx.finding(&ADDRESS_AFTER_END, Place::Operand(operand), message)
                        .warning()
                        .label("used here")
                        .also(Place::Inst(begin), format!("the {} begins here", kind.name))
                        .also(Place::Inst(end), "and ends here"),
                );
                Next::Stop
            });
        }
    }
}

/// Returns true if an instruction begins an access that ends before the ends of the scope around it. What is used after those
/// is also used after the end of this access, for which it is reported; to follow each access into all accesses in it
/// would take quadratic time.
fn is_nested_access(cx: &FunctionVerifier<'_>, user: Inst, around: &[Inst]) -> bool {
    let is_access = cx.body.inst(user).opcode == Opcode::BeginAccess;
    let Some((kind, scope)) = is_access.then(|| begun(cx, user)).flatten() else { return false };
    let inner = ends(cx, kind, scope);
    let is_inside = |&inner: &Inst| !around.iter().any(|&end| is_after(cx, end, inner));
    !inner.is_empty() && inner.len() <= MOST_ENDS && inner.iter().all(is_inside)
}

/// Returns true if an end of a scope dominates a use, which is then outside of the scope on every path: the begin
/// dominates its ends.
pub(super) fn is_after(cx: &FunctionVerifier<'_>, end: Inst, user: Inst) -> bool {
    let (from, to) = (cx.body.inst_block(end), cx.body.inst_block(user));
    if from == to {
        return cx.body.inst_precedes(end, user);
    }
    cx.block_order().is_reachable(to) && cx.dominators().dominates(from, to)
}
