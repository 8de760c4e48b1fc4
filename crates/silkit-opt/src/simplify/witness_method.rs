//! Looks a method up in the concrete type of an opened existential type.
//!
//! ```text
//! %1 = metatype $@thick S.Type
//! %2 = init_existential_metatype %1, $@thick any P.Type
//! %3 = open_existential_metatype %2 to $@thick (@opened("…", any P) Self).Type
//! %4 = witness_method $@opened("…", any P) Self, #P.f, %3
//! ---
//! %4 = witness_method $S, #P.f
//! ```

use super::{opened, optimized};
use silkit_ir::instructions::WitnessMethod;
use silkit_ir::{Inst, Opcode};
use silkit_transform::patterns::{Pattern, Rewriter};
use silkit_types::{SilType, TypeKind};

pub(super) const PATTERNS: &[Pattern] =
    &[optimized(Opcode::WitnessMethod, "witness_method of opened type", simplify)];

fn simplify(rw: &mut Rewriter<'_, '_>, inst: Inst) {
    let body = rw.body();
    let Some(lookup) = body.view_as::<WitnessMethod>(inst) else { return };
    let Some(concrete) = opened::concrete_type(body, lookup.lookup.ty()) else { return };
    let opened = match concrete.kind() {
        TypeKind::Opened { id, .. } => body.opened_value(*id),
        _ => None,
    };
    if rw.may_change() {
        let new = WitnessMethod { lookup: SilType::object(concrete), opened, ..lookup };
        let value = rw.before(inst).build(new);
        rw.replace(inst, value);
    }
}
