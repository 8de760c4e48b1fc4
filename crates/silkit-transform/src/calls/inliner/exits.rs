//! Exits of a callee, and their replacements in the caller.

use super::CannotInline;
use silkit_ir::{Block, Body, Cloner, Editor, Inst, Loc, Opcode, Point, Value};

/// The exits and suspension points of a function.
#[derive(Default)]
pub(super) struct Exits {
    pub(super) returns: Option<Inst>,
    pub(super) throws: Option<Inst>,
    pub(super) unwinds: Option<Inst>,
    pub(super) yields: Option<Inst>,
}

impl Exits {
    pub(super) fn of(body: &Body) -> Result<Self, CannotInline> {
        let mut exits = Self::default();
        for inst in body.insts() {
            let exit = match body.inst(inst).opcode {
                Opcode::Return => &mut exits.returns,
                Opcode::Throw | Opcode::ThrowAddr => &mut exits.throws,
                Opcode::Unwind => &mut exits.unwinds,
                Opcode::Yield => &mut exits.yields,
                _ if body.is_function_exit(inst) => return Err(CannotInline::Exits),
                _ => continue,
            };
            if exit.replace(inst).is_some() {
                return Err(CannotInline::Exits);
            }
        }
        Ok(exits)
    }

    /// Returns the copies of the exits.
    pub(super) fn copied(&self, cloner: &Cloner<'_>) -> Self {
        let copy = |inst: Option<Inst>| inst.and_then(|inst| cloner.inst(inst));
        Self {
            returns: copy(self.returns),
            throws: copy(self.throws),
            unwinds: copy(self.unwinds),
            yields: copy(self.yields),
        }
    }
}

/// Returns the operand of an exit, or `undef` if there is no exit, to replace a value.
pub(super) fn operand_or_undef(editor: &mut Editor<'_>, exit: Option<Inst>, instead_of: Value) -> Value {
    let given = exit.and_then(|exit| editor.operands(exit).first().map(|operand| operand.value));
    given.unwrap_or_else(|| editor.undef(editor.value(instead_of).ty))
}

/// Replaces an exit by a branch, which passes the exit's operand if `passes` is set.
pub(super) fn leave(editor: &mut Editor<'_>, exit: Option<Inst>, target: Block, loc: Loc, passes: bool) {
    let Some(exit) = exit else { return };
    let block = editor.inst_block(exit);
    let mut given: Vec<Value> = editor.operands(exit).iter().map(|operand| operand.value).collect();
    given.truncate(if passes { editor.arguments(target).len() } else { 0 });
    editor.remove(exit);
    editor.insert_branch(block, target, &given, loc);
}

/// Replaces an exit that cannot be reached by `unreachable`.
pub(super) fn stop(editor: &mut Editor<'_>, exit: Option<Inst>, loc: Loc) {
    let Some(exit) = exit else { return };
    let block = editor.inst_block(exit);
    editor.remove(exit);
    let unreachable = silkit_ir::NewInst { loc, ..silkit_ir::NewInst::new(Opcode::Unreachable) };
    editor.insert(Point::End(block), &unreachable);
}
