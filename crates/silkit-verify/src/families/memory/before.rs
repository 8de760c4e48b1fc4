//! What memory holds before an instruction, as far as the block of the instruction shows.

use crate::context::FunctionVerifier;
use silkit_analysis::memory::{AddressRelation, MemoryPart, ResultingState, memory_use};
use silkit_base::FxHashSet;
use silkit_ir::{AddressUse, Inst, Opcode, Operand, Ownership, Value};
use silkit_types::Type;

/// What memory holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::families) enum Content {
    /// A value that must be destroyed.
    Owned,
    /// No such value.
    Nothing,
}

/// Returns what memory that is identified by some addresses holds before an instruction, and the instruction in the
/// same block that decides this. `None` if no instruction of the block does, or if some use of the memory in the body
/// is not understood. The cost is proportional to the number of uses of the addresses.
pub(in crate::families) fn content_before(
    cx: &FunctionVerifier<'_>,
    addresses: &[Value],
    before: Inst,
) -> Option<(Content, Inst)> {
    let (body, view) = (cx.body, cx.view());
    let block = body.inst_block(before);
    let mut last: Option<(Operand, ResultingState, bool)> = None;
    let mut seen = FxHashSet::default();
    // Addresses, and whether they are those of a part.
    let mut work: Vec<(Value, bool)> = addresses.iter().map(|&value| (value, false)).collect();
    while let Some((value, is_part)) = work.pop() {
        if !seen.insert(value) {
            continue;
        }
        for operand in body.uses(value) {
            let user = body.operand(operand).user;
            if user == before || body.inst(user).opcode == Opcode::DebugValue {
                continue;
            }
            let leaves = if body.address_use(operand) == AddressUse::Deinitialize {
                ResultingState::Uninitialized
            } else {
                let effect = memory_use(&view, operand)?;
                if let Some((result, relation)) = effect.derived {
                    let is_same = matches!(
                        relation,
                        AddressRelation::Same | AddressRelation::Part(MemoryPart::Content)
                    );
                    work.push((result, is_part || !is_same));
                }
                if !effect.on_edges.is_empty() {
                    return None;
                }
                effect.leaves
            };
            let is_earlier = body.inst_block(user) == block && body.inst_precedes(user, before);
            if !is_earlier || leaves == ResultingState::Unchanged {
                continue;
            }
            let is_later =
                |&(known, ..): &(Operand, _, _)| body.inst_precedes(body.operand(known).user, user);
            if last.as_ref().is_none_or(is_later) {
                last = Some((operand, leaves, is_part));
            }
        }
    }
    let (operand, leaves, _) = last.filter(|(.., is_part)| !is_part)?;
    let user = body.operand(operand).user;
    let content = match leaves {
        ResultingState::Initialized if stores_nothing(cx, user) => Content::Nothing,
        ResultingState::Initialized => match is_owned(cx, view.ty(body.operand(operand).value).ty())? {
            true => Content::Owned,
            false => Content::Nothing,
        },
        _ => Content::Nothing,
    };
    Some((content, user))
}

/// Returns true if a store is that of a value that need not be destroyed, such as an enum of a case without payload.
fn stores_nothing(cx: &FunctionVerifier<'_>, store: Inst) -> bool {
    let body = cx.body;
    body.inst(store).opcode == Opcode::Store
        && cx.ownership().value(body.operand_value(store, 0)) != Some(Ownership::Owned)
}

/// Returns whether the values of a type must be destroyed. This is not known of types that are not copyable, whose
/// values may have no bits.
pub(super) fn is_owned(cx: &FunctionVerifier<'_>, ty: Type) -> Option<bool> {
    let known = cx.declarations().properties(ty, cx.signature());
    let is_owned = !known.trivial?;
    (!is_owned || known.move_only == Some(false)).then_some(is_owned)
}
