//! A worklist of instructions that learns from the edit log of a body what to visit.
//!
//! ```text
//! %1 = struct $S (%0)              // has lost a use
//! %3 = upcast %2 to $B             // used %1 before: visited next
//! ```

use silkit_base::EntitySet;
use silkit_ir::{Body, EditLog, Inst};

/// The instructions to visit, the one that was added last first, without duplicates.
///
/// ```
/// # use silkit_ir::Point;
/// use silkit_transform::patterns::Worklist;
/// # let text = "sil @f : $@convention(thin) (Builtin.Int1) -> () {\nbb0(%0 : $Builtin.Int1):\n  \
/// #             cond_fail %0, \"x\"\n  %2 = tuple ()\n  return %2\n}\n";
/// # let mut module = silkit_text::parse_module(text).module;
/// # let id = module.functions.keys().next().unwrap();
/// # let body = module.functions[id].body.as_mut().unwrap();
/// let [check, empty, end] = body.insts().collect::<Vec<_>>()[..] else { panic!() };
/// let mut worklist = Worklist::of_edits(body);
/// worklist.push(check);
/// body.edit().set_loc(empty, silkit_ir::Loc::NONE);
/// let value = body.first_result(empty).unwrap();
/// let undef = body.value(value).ty;
/// let undef = body.edit().undef(undef);
/// let operand = body.operand_id(end, 0);
/// body.edit().set_operand(operand, undef);
/// assert_eq!(worklist.drain(body), [empty], "it lost its use");
/// assert_eq!(worklist.pop(), Some(end), "its operand changed");
/// assert_eq!(worklist.pop(), Some(check));
/// assert!(worklist.is_empty());
/// body.stop_edit_log();
/// ```
#[derive(Debug, Default)]
pub struct Worklist {
    stack: Vec<Inst>,
    members: EntitySet<Inst>,
    log: EditLog,
}

impl Worklist {
    /// Creates an empty worklist, and starts the edit log of the body that it is for.
    pub fn of_edits(body: &mut Body) -> Self {
        body.start_edit_log();
        Self::default()
    }

    /// Adds an instruction unless it is present.
    pub fn push(&mut self, inst: Inst) {
        if self.members.insert(inst) {
            self.stack.push(inst);
        }
    }

    /// Removes and returns the instruction that was added last. It may have been removed from the body.
    pub fn pop(&mut self) -> Option<Inst> {
        let inst = self.stack.pop()?;
        self.members.remove(inst);
        Some(inst)
    }

    /// Returns true if there is nothing to visit.
    pub fn is_empty(&self) -> bool {
        self.stack.is_empty()
    }

    /// Adds the instructions that were created or changed since the last call, in this order. Returns those with results
    /// that lost a use.
    pub fn drain(&mut self, body: &mut Body) -> &[Inst] {
        body.take_edits(&mut self.log);
        for &inst in self.log.changed() {
            if self.members.insert(inst) {
                self.stack.push(inst);
            }
        }
        self.log.fewer_uses()
    }

    /// Returns the edits since the last call without adding instructions.
    pub fn skip(&mut self, body: &mut Body) -> &EditLog {
        body.take_edits(&mut self.log);
        &self.log
    }
}
