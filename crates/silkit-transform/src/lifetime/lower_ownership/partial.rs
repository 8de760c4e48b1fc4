//! Destroys of values whose deinitializer was dropped: only the contents are released.
//!
//! ```text
//!   %1 = drop_deinit %0
//!   destroy_value %1
//! ---
//!   %1 = struct_extract %0, #File.name
//!   release_value %1
//! ```

use super::Lowering;
use crate::values::destroy::{cases, field_ref, parts};
use silkit_base::FxHashSet;
use silkit_ir::instructions::{self as inst, AnyInst};
use silkit_ir::{ArgFlags, Block, Body, DeclRef, Inst, Opcode, Ownership, Point, Value};
use silkit_types::SilType;

/// Returns the destroys of values whose deinitializer was dropped, also after moves and in the default of a switch.
pub(super) fn destroys(body: &Body) -> FxHashSet<Inst> {
    let mut found = FxHashSet::default();
    let mut seen = FxHashSet::default();
    let is_drop = |&inst: &Inst| body.inst(inst).opcode == Opcode::DropDeinit;
    let mut work: Vec<Value> = body.insts().filter(is_drop).flat_map(|inst| body.results(inst)).collect();
    while let Some(value) = work.pop() {
        if !seen.insert(value) {
            continue;
        }
        for user in body.users(value) {
            match body.view(user) {
                AnyInst::DestroyValue(_) => _ = found.insert(user),
                AnyInst::MoveValue(_) | AnyInst::UncheckedOwnershipConversion(_) => {
                    work.extend(body.results(user));
                }
                AnyInst::SwitchEnum(_) => {
                    let default = body.word(user, "default").map(Block::from_u32);
                    work.extend(default.into_iter().flat_map(|block| body.arguments(block)));
                }
                _ => {}
            }
        }
    }
    found
}

impl Lowering<'_> {
    /// Releases the stored properties of a struct, or the payload of an enum, before an instruction.
    pub(super) fn release_contents(&mut self, before: Inst, value: Value) {
        let ty = self.b.value(value).ty.ty();
        if let Some(cases) = cases(self.declarations, ty) {
            return self.release_payload(before, value, &cases);
        }
        let Some(fields) = parts(self.declarations, ty) else {
            return self.counting(value).release(&mut self.b, value);
        };
        for (field, part) in fields {
            let field = field_ref(self.declarations, ty, field);
            let types = [SilType::object(part)];
            if let Ok(part) = self.b.build_typed(inst::StructExtract::new(value, field), &types) {
                self.counting(part).release(&mut self.b, part);
            }
        }
    }

    fn release_payload(&mut self, before: Inst, value: Value, cases: &[(DeclRef, Option<SilType>)]) {
        let (switch, loc) = (self.b.inst_block(before), self.b.inst(before).loc);
        let rest = self.b.split_block(before);
        self.b.set_default_loc(loc);
        let mut targets: Vec<(DeclRef, Block)> = Vec::new();
        let mut last = switch;
        for &(case, payload) in cases {
            last = self.b.insert_block_after(last);
            targets.push((case, last));
            if let Some(ty) = payload {
                let payload = self.b.add_argument(last, ty, Ownership::None, ArgFlags::empty());
                self.b.move_to(Point::End(last));
                self.counting(payload).release(&mut self.b, payload);
            }
            self.b.insert_branch(last, rest, &[], loc);
        }
        self.b.move_to(Point::End(switch));
        self.b.switch_enum(value, &targets[..]);
        self.b.move_to(Point::Before(before));
    }
}
