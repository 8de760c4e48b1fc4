//! Removes reference counting, lifetime and debug instructions of a static object of which only the memory is used.
//!
//! ```text
//! %0 = global_value @g : $C
//! strong_retain %0
//! %2 = ref_element_addr %0, #C.x
//! fix_lifetime %0
//! ---
//! %0 = global_value @g : $C
//! %2 = ref_element_addr %0, #C.x
//! ```

use super::optimized;
use silkit_ir::{Body, Inst, Opcode};
use silkit_transform::patterns::{Pattern, Rewriter};

pub(super) const PATTERNS: &[Pattern] =
    &[optimized(Opcode::GlobalValue, "global_value that is only kept", simplify)];

fn simplify(rw: &mut Rewriter<'_, '_>, inst: Inst) {
    let Some(keepers) = keepers(rw.body(), inst).filter(|keepers| !keepers.is_empty()) else { return };
    if rw.may_change() {
        keepers.into_iter().for_each(|keeper| rw.remove(keeper));
    }
}

/// Returns the reference counting, lifetime and debug instructions of an object; `None` if it has other uses than
/// access to its memory.
fn keepers(body: &Body, inst: Inst) -> Option<Vec<Inst>> {
    let mut found = Vec::new();
    let mut work = vec![inst];
    while let Some(inst) = work.pop() {
        for user in body.results(inst).flat_map(|object| body.users(object)) {
            match body.inst(user).opcode {
                Opcode::StrongRetain
                | Opcode::StrongRelease
                | Opcode::RetainValue
                | Opcode::ReleaseValue
                | Opcode::FixLifetime
                | Opcode::DebugValue => found.push(user),
                Opcode::Upcast => work.push(user),
                Opcode::RefElementAddr | Opcode::RefTailAddr => {}
                _ => return None,
            }
        }
    }
    Some(found)
}
