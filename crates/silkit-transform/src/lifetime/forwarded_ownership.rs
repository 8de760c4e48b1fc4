//! Keeping the ownership that instructions forward when a value without ownership replaces their operand.
//!
//! An owned or guaranteed type has values without ownership: an enum case without payload or with a trivial one, and
//! `undef`. An instruction that forwards only such values forwards no ownership, unless it spells another one.
//!
//! ```text
//!   %1 = copy_value %0               // an enum without ownership
//!   switch_enum %1, case #E.a!enumelt: bb1, default bb2
//! bb2(%3 : @owned $E):
//! ---
//!   switch_enum %0, case #E.a!enumelt: bb1, default bb2, forwarding: @owned
//! bb2(%3 : @owned $E):
//! ```

use silkit_base::FxHashSet;
use silkit_ir::ownership::{BodyOwnership, OwnershipContext, value_ownership};
use silkit_ir::{Body, Editor, Inst, Opcode, Ownership, Value};

/// Instructions that forward a value, with their ownership before it is replaced.
#[derive(Debug, Default)]
pub struct ForwardedOwnership(Vec<(Inst, Ownership)>);

impl ForwardedOwnership {
    /// Adds the instructions that forward a value, if the value that is about to replace it has no ownership. A new
    /// struct or tuple cannot spell what it forwards, but the instructions that forward the aggregate can.
    pub fn add(&mut self, body: &Body, context: OwnershipContext<'_>, replaced: Value, by: Value) {
        let forwards = |&user: &Inst| body.is_forwarding(user) && body.inst(user).forwarding.is_none();
        let mut work: Vec<Inst> = body.users(replaced).filter(forwards).collect();
        if work.is_empty() || value_ownership(body, by, context) != Some(Ownership::None) {
            return;
        }
        let ownership = BodyOwnership::on_demand(body, context);
        let mut seen: FxHashSet<Inst> = work.iter().copied().collect();
        while let Some(user) = work.pop() {
            match body.inst(user).opcode {
                Opcode::Struct | Opcode::Tuple => {
                    let users = body.results(user).flat_map(|value| body.users(value)).filter(forwards);
                    work.extend(users.filter(|&user| seen.insert(user)));
                }
                _ if !may_spell(body, user) => {}
                _ => {
                    let forwarded = ownership.forwarded(user).filter(|&of| of != Ownership::None);
                    self.0.extend(forwarded.map(|of| (user, of)));
                }
            }
        }
    }

    /// Spells the ownership of instructions that no longer forward any since the value was replaced.
    pub fn keep(self, editor: &mut Editor<'_>, context: OwnershipContext<'_>) {
        for (inst, before) in self.0 {
            let body = editor.body();
            if !body.is_removed(inst)
                && BodyOwnership::on_demand(body, context).forwarded(inst) == Some(Ownership::None)
            {
                editor.set_forwarding(inst, Some(before));
            }
        }
    }
}

/// Replaces all uses of a value. Instructions that forward it keep their ownership.
pub fn replace_all_uses(editor: &mut Editor<'_>, context: OwnershipContext<'_>, replaced: Value, by: Value) {
    let mut forwarded = ForwardedOwnership::default();
    forwarded.add(editor.body(), context, replaced, by);
    editor.replace_all_uses(replaced, by);
    forwarded.keep(editor, context);
}

/// Returns true if a forwarding instruction has an ownership of its own.
fn may_spell(body: &Body, inst: Inst) -> bool {
    let is_apart = matches!(body.inst(inst).opcode, Opcode::SwitchEnum | Opcode::CheckedCastBranch);
    is_apart || body.results(inst).len() > 0
}
