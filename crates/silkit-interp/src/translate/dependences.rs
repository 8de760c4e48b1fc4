//! Temporary values of raw SIL that a result depends on, such as the array of `[1, 2].span`. SILGen destroys the temporary
//! before the result is used; lifetime dependence fixup moves its destruction after that of the result.

use super::Translator;
use crate::violation::Run;
use silkit_base::Symbol;
use silkit_ir::instructions::{AnyInst, Apply};
use silkit_ir::{Body, Inst, Opcode, Value};

impl Translator<'_, '_> {
    /// Finds the destructions to move.
    pub(super) fn prepare_dependences(&mut self, body: &Body) {
        if !self.function.is_raw {
            return;
        }
        for inst in body.insts() {
            let AnyInst::Apply(i) = body.view(inst) else { continue };
            let Some(result) = body.first_result(inst) else { continue };
            for owner in dependences(body, i, &["borrow"]) {
                let end = destroys(body, last_dependent(body, result)).last();
                for early in destroys(body, owner) {
                    if let Some(end) = end
                        && body.inst_block(early) == body.inst_block(end)
                        && body.inst_precedes(inst, early)
                        && body.inst_precedes(early, end)
                    {
                        self.instance_mut().postponed.push((early, end, owner));
                    }
                }
            }
        }
    }

    /// Returns true if a destruction happens later.
    pub(super) fn is_postponed(&self, destroy: Inst) -> bool {
        self.it.instances[self.id.0 as usize].postponed.iter().any(|(early, ..)| *early == destroy)
    }

    /// Destroys the values whose destruction was moved after that of a dependent value.
    pub(super) fn destroy_postponed(&mut self, body: &Body, destroy: Inst) -> Run<()> {
        let postponed = &self.it.instances[self.id.0 as usize].postponed;
        let owners: Vec<Value> =
            postponed.iter().filter(|(_, end, _)| *end == destroy).map(|(.., owner)| *owner).collect();
        owners.into_iter().try_for_each(|owner| self.release_value(body, owner))
    }
}

/// Returns the owners of the arguments that the result of a call depends on in one of these ways.
fn dependences(body: &Body, i: Apply<'_>, ways: &[&str]) -> Vec<Value> {
    let Some(f) = i.ty.ty().as_function() else { return Vec::new() };
    let texts = f.results.iter().filter_map(|r| r.lifetime).chain(f.result_lifetime);
    let first = i.args.len().saturating_sub(f.params.len());
    let indices = texts.flat_map(|text| indices(text, ways));
    let arguments = indices.filter_map(|index| i.args.get(first + index));
    arguments.map(|value| super::moves::owner(body, value)).collect()
}

/// Returns the parameters in the text of a `@lifetime` attribute, such as `borrow 0, copy 1`.
fn indices(text: Symbol, ways: &[&str]) -> Vec<usize> {
    let parts = text.as_str().split(',').filter_map(|part| part.trim().split_once(' '));
    parts.filter(|(way, _)| ways.contains(way)).filter_map(|(_, index)| index.trim().parse().ok()).collect()
}

/// Returns the value at the end of a chain of values that depend on each other: the bytes of a span of an array.
fn last_dependent(body: &Body, value: Value) -> Value {
    let borrows = body.users(value).filter(|&user| body.inst(user).opcode == Opcode::BeginBorrow);
    let values = borrows.filter_map(|user| body.first_result(user)).chain([value]);
    let next = values.flat_map(|value| body.users(value)).find_map(|user| match body.view(user) {
        AnyInst::MoveValue(_) => body.first_result(user),
        AnyInst::Apply(i) if dependences(body, i, &["copy", "borrow"]).contains(&value) => {
            body.first_result(user)
        }
        _ => None,
    });
    next.map_or(value, |next| last_dependent(body, next))
}

fn destroys(body: &Body, value: Value) -> impl Iterator<Item = Inst> {
    body.users(value).filter(|&user| body.inst(user).opcode == Opcode::DestroyValue)
}
