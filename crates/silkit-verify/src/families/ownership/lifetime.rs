//! The check that a lifetime ends once on each path and contains all its uses, for owned values and borrow scopes.

use super::lifetime_uses::{Lifetime, Use, UseKind};
use crate::context::FunctionVerifier;
use crate::finding::{Finding, Place};
use crate::reference_message::OwnershipError;
use crate::rule::Rule;
use silkit_analysis::{Begin, Coherence, ScopeError, Scopes};
use silkit_base::FxHashSet;
use silkit_ir::info::OperandOwnership;
use silkit_ir::{Inst, Opcode, Value, ValueDef};

/// The rules and message texts for one kind of lifetime.
#[derive(Debug)]
pub(super) struct Kind {
    /// The rule that the lifetime ends on every path.
    pub(super) ends: &'static Rule,
    /// The rule that the lifetime ends only once.
    pub(super) ends_once: &'static Rule,
    /// The rule that the value is not used afterwards.
    pub(super) holds_uses: &'static Rule,
    /// The rule that no inner borrow scope outlives the value.
    pub(super) holds_scopes: &'static Rule,
    /// Its description: "the owned value".
    pub(super) name: &'static str,
    /// The participle for its ends: "consumed".
    pub(super) ended: &'static str,
}

/// A checker for lifetimes of a body.
pub(super) struct Checker<'c, 'a> {
    cx: &'c FunctionVerifier<'a>,
    scopes: Scopes<'c>,
    /// True for bodies with many blocks.
    is_large: bool,
}

/// The number of blocks from which on lifetimes with one end are checked by dominance: to walk each of many long
/// lifetimes takes quadratic time.
const MANY_BLOCKS: usize = 256;

impl<'c, 'a> Checker<'c, 'a> {
    pub(super) fn new(cx: &'c FunctionVerifier<'a>) -> Self {
        let is_large = cx.body.block_bound() >= MANY_BLOCKS;
        Self { cx, scopes: Scopes::new(cx.body, cx.dead_ends()), is_large }
    }

    pub(super) fn check(&mut self, kind: &Kind, value: Value, lifetime: &Lifetime) {
        let cx = self.cx;
        let begin = match cx.body.def(value) {
            ValueDef::Argument(block, _) => Begin::Start(block),
            ValueDef::Result(inst, _) => Begin::After(inst),
            ValueDef::Undef | ValueDef::Pending => return,
        };
        if self.is_right_by_dominance(begin, lifetime) {
            return;
        }
        let mut was_ended_twice = false;
        for error in self.scopes.check(begin, &lifetime.ends, Coherence::NotRequired) {
            // Report one finding per value, since the others are consequences.
            let is_twice = matches!(error, ScopeError::EndedTwice { .. });
            if is_twice && std::mem::replace(&mut was_ended_twice, true) {
                continue;
            }
            if let Some(finding) = violation(cx, kind, value, lifetime, error) {
                cx.report(finding);
            }
        }
        self.check_uses(kind, value, lifetime);
    }

    /// Checks a lifetime that begins in an unreachable block: what ends or uses the value after an end in the same block is
    /// wrong wherever control comes from. No path leads there, so nothing else is known.
    pub(super) fn check_unreachable(&mut self, kind: &Kind, value: Value, lifetime: &Lifetime) {
        let cx = self.cx;
        let ends = lifetime.ends.as_slice();
        for (index, &end) in ends.iter().enumerate() {
            if let Some(&other) = ends[..index].iter().find(|&&other| is_in_block_of(cx, other, end)) {
                let is_first = other == end || cx.body.inst_precedes(other, end);
                let (first, second) = if is_first { (other, end) } else { (end, other) };
                let error = ScopeError::EndedTwice { first, second, path: Vec::new() };
                violation(cx, kind, value, lifetime, error)
                    .into_iter()
                    .for_each(|finding| cx.report(finding));
                return;
            }
        }
        for at in &lifetime.uses {
            let is_after = |&end: &Inst| {
                end != at.inst && is_in_block_of(cx, end, at.inst) && cx.body.inst_precedes(end, at.inst)
            };
            if is_taken_with(cx, at, lifetime) || ends.iter().any(is_after) {
                cx.report(outside(cx, kind, value, at, lifetime));
                return;
            }
        }
    }

    /// Returns true if a lifetime with one end is right because dominance says so: the beginning dominates the end, the end
    /// post-dominates the beginning, and neither is in a loop. What the beginning dominates and the end does not is then
    /// inside, but for dead ends. If this is false, the lifetime is not necessarily wrong.
    fn is_right_by_dominance(&self, begin: Begin, lifetime: &Lifetime) -> bool {
        let (true, [end]) = (self.is_large, lifetime.ends.as_slice()) else { return false };
        let (cx, dominators) = (self.cx, self.cx.dominators());
        let first = match begin {
            Begin::After(inst) => cx.body.inst_block(inst),
            Begin::Start(block) => block,
        };
        let last = cx.body.inst_block(*end);
        let is_around = first != last
            && cx.block_order().is_reachable(first)
            && cx.block_order().is_reachable(last)
            && !cx.dead_ends().is_dead_end(first)
            && dominators.dominates(first, last)
            && cx.post_dominators().post_dominates(last, first)
            && !cx.components().is_in_cycle(first)
            && !cx.components().is_in_cycle(last);
        is_around
            && lifetime.uses.iter().all(|at| {
                let block = cx.body.inst_block(at.inst);
                if !cx.block_order().is_reachable(block) {
                    return true;
                }
                let is_inside = match begin {
                    Begin::After(inst) if block == first => cx.body.inst_precedes(inst, at.inst),
                    _ if block == first => true,
                    _ if block == last => at.inst == *end || cx.body.inst_precedes(at.inst, *end),
                    _ => {
                        dominators.dominates(first, block)
                            && !dominators.dominates(last, block)
                            && !cx.dead_ends().is_dead_end(block)
                    }
                };
                is_inside && !is_taken_with(cx, at, lifetime)
            })
    }

    /// Reports uses outside of the lifetime, one for each instruction.
    fn check_uses(&mut self, kind: &Kind, value: Value, lifetime: &Lifetime) {
        let cx = self.cx;
        let mut reported = FxHashSet::default();
        for at in &lifetime.uses {
            let block = cx.body.inst_block(at.inst);
            if !cx.block_order().is_reachable(block) {
                continue;
            }
            let is_wrong = if is_taken_with(cx, at, lifetime) {
                true
            } else {
                !self.scopes.contains(at.inst) && self.must_be_inside(at.inst, lifetime)
            };
            if is_wrong && reported.insert(at.inst) {
                cx.report(outside(cx, kind, value, at, lifetime));
            }
        }
    }

    /// Returns true if a use is definitely required to be inside: in a dead-end block, a use is only known to be
    /// outside if it follows an end in its block.
    fn must_be_inside(&self, inst: Inst, lifetime: &Lifetime) -> bool {
        let (cx, block) = (self.cx, self.cx.body.inst_block(inst));
        !cx.dead_ends().is_dead_end(block)
            || lifetime
                .ends
                .iter()
                .any(|&end| cx.body.inst_block(end) == block && cx.body.inst_precedes(end, inst))
    }
}

/// Returns true if an instruction uses a value by one operand and ends its lifetime by another. A branch may pass
/// both a scope and a value inside it.
fn is_taken_with(cx: &FunctionVerifier<'_>, at: &Use, lifetime: &Lifetime) -> bool {
    if at.how == UseKind::Memory || !lifetime.ends.contains(&at.inst) {
        return false;
    }
    at.operand.is_some_and(|o| cx.ownership().operand(o) != Some(OperandOwnership::GuaranteedForwarding))
}

/// Returns true if two instructions are in one block.
fn is_in_block_of(cx: &FunctionVerifier<'_>, one: Inst, other: Inst) -> bool {
    cx.body.inst_block(one) == cx.body.inst_block(other)
}

fn violation(
    cx: &FunctionVerifier<'_>,
    kind: &Kind,
    value: Value,
    lifetime: &Lifetime,
    error: ScopeError,
) -> Option<Finding> {
    let leaked = || OwnershipError::Leaked { ends: lifetime.ends.clone() };
    let name = cx.value(value);
    let (what, ended) = (kind.name, kind.ended);
    Some(match error {
        // Another rule checks that the definition dominates its uses.
        ScopeError::Undominated(_) | ScopeError::Incoherent { .. } => return None,
        ScopeError::Leak { path } => {
            let exit = path.last().and_then(|&b| cx.body.last_inst(b))?;
            let message =
                format!("{what} `{name}` is not {ended} on a path to `{}`", cx.body.info(exit).name);
            let finding = cx.finding(kind.ends, Place::Inst(exit), message).label("still alive here");
            let finding =
                made(cx, kind, value, finding).path(path).ownership_reference_message(value, leaked());
            if is_ended_in_the_unreachable(cx, lifetime) { finding.warning() } else { finding }
        }
        ScopeError::BeginsAgain { path } => {
            // No path to an exit leaks the value.
            if path.first().is_none_or(|&b| cx.dead_ends().is_dead_end(b)) {
                return None;
            }
            let message = format!("{what} `{name}` is not {ended} before control returns to its definition");
            let finding =
                cx.finding(kind.ends, Place::Value(value), message).label("created here in each iteration");
            match path.iter().rev().nth(1).and_then(|&b| cx.body.last_inst(b)) {
                Some(back) => {
                    finding.also(Place::Inst(back), "the back edge is taken with the value alive").path(path)
                }
                None => finding.path(path),
            }
            .ownership_reference_message(value, leaked())
        }
        ScopeError::EndedTwice { first, second, path } => {
            let message = format!("{what} `{name}` is {ended} twice");
            let second = second.some()?;
            let finding = cx.finding(kind.ends_once, Place::Inst(second), message);
            let finding = if first != second {
                finding.label(format!("{ended} again here")).also(Place::Inst(first), format!("{ended} here"))
            } else if path.len() > 1 {
                finding.label(format!("{ended} here, and again after the back edge"))
            } else {
                finding.label(format!("{ended} here by two operands"))
            };
            let error =
                OwnershipError::EndedTwice { first, second, path: path.clone(), ends: lifetime.ends.clone() };
            made(cx, kind, value, finding).path(path).ownership_reference_message(value, error)
        }
    })
}

/// Returns true if all ends are in unreachable blocks. The reference walks backwards from them and does not report a
/// leak then.
fn is_ended_in_the_unreachable(cx: &FunctionVerifier<'_>, lifetime: &Lifetime) -> bool {
    let is_reachable = |&end: &Inst| cx.block_order().is_reachable(cx.body.inst_block(end));
    !lifetime.ends.is_empty() && !lifetime.ends.iter().any(is_reachable)
}

fn made(cx: &FunctionVerifier<'_>, kind: &Kind, value: Value, finding: Finding) -> Finding {
    let _ = cx;
    let begins = if kind.name.contains("borrow") { "begins here" } else { "created here" };
    finding.also(Place::Value(value), begins)
}

/// Returns the finding for a use outside of a lifetime.
fn outside(cx: &FunctionVerifier<'_>, kind: &Kind, value: Value, at: &Use, lifetime: &Lifetime) -> Finding {
    let (name, ended) = (cx.value(value), kind.ended);
    let user = cx.body.info(at.inst).name;
    let place = at.operand.map_or(Place::Inst(at.inst), Place::Operand);
    let finding = match at.how {
        UseKind::EndOf(operand) => {
            let begin = cx.body.operand(operand).user;
            let lent = match cx.body.inst(begin).opcode {
                Opcode::BeginApply => "coroutine",
                Opcode::PartialApply => "closure",
                Opcode::MarkDependence => "dependence",
                _ => "borrow",
            };
            let message = format!("a {lent} of `{name}` outlives it");
            cx.finding(kind.holds_scopes, place, message)
                .label(format!("the {lent} ends here"))
                .also(Place::Inst(begin), format!("the {lent} begins here"))
        }
        UseKind::Memory => {
            let message = format!("`{user}` uses memory inside of `{name}` after it was {ended}");
            cx.finding(kind.holds_uses, place, message).label("used here")
        }
        UseKind::Value => {
            let used = at.operand.map_or(value, |o| cx.body.operand(o).value);
            let message = if lifetime.ends.contains(&at.inst) {
                format!("`{user}` uses `{name}`, which another of its operands consumes")
            } else if used == value {
                format!("`{user}` uses `{name}` after it was {ended}")
            } else {
                format!("`{user}` uses `{}`, a part of `{name}`, after that was {ended}", cx.value(used))
            };
            cx.finding(kind.holds_uses, place, message).label("used here")
        }
    };
    let finding = made(cx, kind, value, finding);
    let before = end_before(cx, at.inst, lifetime);
    let end = before.as_ref().filter(|(_, path)| path.is_empty()).map(|(end, _)| *end);
    let finding =
        finding.ownership_reference_message(value, OwnershipError::UsedOutside { user: at.inst, end });
    match before {
        Some((end, path)) => finding.also(Place::Inst(end), format!("{ended} here")).path(path),
        None => finding,
    }
}

/// Returns the end from which an instruction is reached, and the path.
fn end_before(
    cx: &FunctionVerifier<'_>,
    inst: Inst,
    lifetime: &Lifetime,
) -> Option<(Inst, Vec<silkit_ir::Block>)> {
    let to = cx.body.inst_block(inst);
    for &end in lifetime.ends.iter().filter(|&&end| end != inst) {
        let from = cx.body.inst_block(end);
        if from == to && cx.body.inst_precedes(end, inst) {
            return Some((end, Vec::new()));
        }
        let path = silkit_analysis::path(cx.body, &[from], |b| b == to, |_| true);
        if let Some(path) = path.filter(|p| p.len() > 1) {
            return Some((end, path));
        }
    }
    None
}
