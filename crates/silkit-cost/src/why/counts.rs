//! Why references are retained, copied, released and destroyed.

use super::names::Memory;
use super::{Explainer, Found, Reason};
use crate::consumers::{Consumer, MAX_USES};
use crate::place::concerned;
use silkit::ir::info::Role;
use silkit::ir::{Inst, Opcode, Operand, Value, ValueDef};

impl Explainer<'_> {
    /// Explains a retain or a copy.
    pub(super) fn retained(&self, inst: Inst) -> Found {
        let body = self.view.body;
        let Some(value) = concerned(body, inst) else {
            return Found::new(Reason::KeptAlive, "a second owner", None);
        };
        if body.value(value).ty.is_address() {
            return self.copied_in_memory(inst, value);
        }
        let copied = match body.role(inst) {
            Role::Copy(_) => body.first_result(inst).unwrap_or(value),
            _ => value,
        };
        let source = self.loaded_from(value);
        match self.places.consumers().of(inst, copied) {
            Some(Consumer::Operand(operand)) => self.consumed(operand),
            _ => match source {
                Some((load, memory)) => Found::new(
                    Reason::Loaded,
                    format!("loaded from {memory}, which may change while the reference is used"),
                    load,
                ),
                None => self.kept_alive(copied, inst),
            },
        }
    }

    fn copied_in_memory(&self, inst: Inst, value: Value) -> Found {
        let body = self.view.body;
        let ty = self.names.type_of(value);
        if body.inst(inst).opcode == Opcode::Load {
            let (_, memory) = self.names.memory(value);
            return Found::new(Reason::Loaded, format!("a copy of `{ty}` is loaded from {memory}"), None);
        }
        let source = body.operands(inst).first().map_or(value, |o| o.value);
        let (_, from) = self.names.memory(source);
        let what = if is_existential(&ty) { format!("existential `{ty}`") } else { format!("`{ty}`") };
        let to = match body.operands(inst).len() > 1 {
            true => format!(" to {}", self.names.memory(value).1),
            false => String::new(),
        };
        Found::new(Reason::CopiedInMemory, format!("{what} is copied from {from}{to}"), None)
    }

    fn kept_alive(&self, value: Value, inst: Inst) -> Found {
        let body = self.view.body;
        let calls = body.users(value).take(MAX_USES).filter(|&user| {
            body.info(user).apply.is_some()
                && body.inst_block(user) == body.inst_block(inst)
                && body.inst_precedes(inst, user)
        });
        match calls.min_by_key(|&user| body.layout_key(user)) {
            Some(call) => Found::new(
                Reason::KeptAlive,
                format!("kept alive during the call of {}", self.names.called(call)),
                call,
            ),
            None => Found::new(Reason::KeptAlive, "kept alive while it is used", None),
        }
    }

    /// Returns the load from shared memory that a reference comes from.
    fn loaded_from(&self, value: Value) -> Option<(Inst, String)> {
        let body = self.view.body;
        let load = body.defining_inst(self.places.consumers().identity.root(value))?;
        if !matches!(body.inst(load).opcode, Opcode::Load | Opcode::LoadBorrow) {
            return None;
        }
        let (memory, text) = self.names.memory(body.operand_value(load, 0));
        (memory == Memory::Shared).then_some((load, text))
    }

    /// Returns what becomes of a reference at a use that takes over its count.
    fn consumed(&self, operand: Operand) -> Found {
        let body = self.view.body;
        let at = body.operand(operand).user;
        match body.inst(at).opcode {
            Opcode::Store => {
                let (memory, text) = self.names.memory(body.operand_value(at, 1));
                let owner = if memory == Memory::Stack { "stored to" } else { "second owner: stored to" };
                Found::new(Reason::Stored, format!("{owner} {text}"), at)
            }
            Opcode::Return => Found::new(Reason::Returned, "returned to the caller, which owns it", at),
            Opcode::Throw => Found::new(Reason::Returned, "thrown", at),
            Opcode::PartialApply => Found::new(
                Reason::Captured,
                format!("captured by escaping closure {}", self.names.called(at)),
                at,
            ),
            _ => {
                Found::new(Reason::PassedOwned, format!("passed as @owned to {}", self.names.called(at)), at)
            }
        }
    }

    /// Explains a release or a destroy.
    pub(super) fn released(&self, inst: Inst) -> Found {
        let body = self.view.body;
        let Some(value) = concerned(body, inst) else {
            return Found::new(Reason::EndsLifetime, "the lifetime of a value ends", None);
        };
        if body.value(value).ty.is_address() {
            return self.destroyed_in_memory(inst, value);
        }
        let root = self.places.creation(value);
        let ty = self.names.type_of(root);
        let variable = self.names.variable(value).or_else(|| self.names.variable(root));
        let what = variable.map_or(format!("a `{ty}`"), |name| format!("`{name}` (`{ty}`)"));
        if let Some(retain) = self.retain_of(root, inst) {
            return Found::new(Reason::EndsCopy, format!("the copy of {what} is no longer used"), retain);
        }
        let definition = match body.def(root) {
            ValueDef::Result(definition, _) => definition,
            ValueDef::Argument(block, _) if body.is_entry_block(block) => {
                return Found::new(Reason::EndsArgument, format!("argument {what} is no longer used"), None);
            }
            _ => return Found::new(Reason::EndsLifetime, format!("the lifetime of {what} ends"), None),
        };
        match body.inst(definition).opcode {
            Opcode::AllocRef | Opcode::AllocRefDynamic | Opcode::AllocBox | Opcode::AllocExistentialBox => {
                Found::new(
                    Reason::EndsAllocation,
                    format!("the last use of {what}, allocated here"),
                    definition,
                )
            }
            Opcode::PartialApply => {
                let closure = self.names.called(definition);
                Found::new(Reason::EndsAllocation, format!("the last use of closure {closure}"), definition)
            }
            Opcode::Load => {
                let address = body.operand_value(definition, 0);
                let (_, memory) = self.names.memory(address);
                match self.replacing_store(address, definition) {
                    Some(store) => {
                        Found::new(Reason::Replaced, format!("the old value of {memory} is replaced"), store)
                    }
                    None => Found::new(
                        Reason::EndsLifetime,
                        format!("{what}, loaded from {memory}, is no longer used"),
                        definition,
                    ),
                }
            }
            _ if body.info(definition).apply.is_some() => {
                let callee = self.names.called(definition);
                Found::new(
                    Reason::EndsResult,
                    format!("the result of {callee} is no longer used"),
                    definition,
                )
            }
            _ => Found::new(Reason::EndsLifetime, format!("the lifetime of {what} ends"), definition),
        }
    }

    fn destroyed_in_memory(&self, inst: Inst, address: Value) -> Found {
        let body = self.view.body;
        let ty = self.names.type_of(address);
        let (_, memory) = self.names.memory(address);
        match body.operands(inst).len() > 1 {
            true => Found::new(Reason::Replaced, format!("the old `{ty}` in {memory} is replaced"), None),
            false => {
                Found::new(Reason::EndsLifetime, format!("the lifetime of the `{ty}` in {memory} ends"), None)
            }
        }
    }

    /// Returns a retain of the same reference that dominates an instruction, the nearest one.
    fn retain_of(&self, root: Value, inst: Inst) -> Option<Inst> {
        let body = self.view.body;
        let home = body.inst_block(inst);
        let retains = body.users(root).take(MAX_USES).filter(|&user| {
            let block = body.inst_block(user);
            matches!(body.role(user), Role::Retain(_))
                && match block == home {
                    true => body.inst_precedes(user, inst),
                    false => self.dominators.dominates(block, home),
                }
        });
        retains.max_by_key(|&user| (body.inst_block(user) == home, body.layout_key(user)))
    }

    /// Returns the store to an address that follows a load of it in its block: the load is of the old value then.
    fn replacing_store(&self, address: Value, load: Inst) -> Option<Inst> {
        let body = self.view.body;
        let block = body.inst_block(load);
        body.users(address).take(MAX_USES).find(|&user| {
            body.inst(user).opcode == Opcode::Store
                && body.operand_value(user, 1) == address
                && body.inst_block(user) == block
                && body.inst_precedes(load, user)
        })
    }
}

/// Returns true if a type is printed as an existential type.
fn is_existential(ty: &str) -> bool {
    ty.starts_with("any ") || ty == "Any" || ty.starts_with("@opened")
}
