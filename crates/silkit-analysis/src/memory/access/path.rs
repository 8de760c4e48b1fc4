//! The path from a storage to an address.

use super::step::{AccessPart, AccessStep, step};
use super::storage::{AccessStorage, StorageKind};
use crate::BodyView;
use silkit_base::FxHashMap;
use silkit_ir::{Value, chain};
use std::fmt;

/// The distance in elements between the base of the storage and an address.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Offset {
    /// A known distance.
    Known(i64),
    /// An unknown distance.
    Unknown,
}

impl Offset {
    /// Returns the sum of two offsets.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        match (self, other) {
            (Self::Known(a), Self::Known(b)) => a.checked_add(b).map_or(Self::Unknown, Self::Known),
            _ => Self::Unknown,
        }
    }

    pub(super) fn of(index: Option<i64>) -> Self {
        index.map_or(Self::Unknown, Self::Known)
    }
}

/// The access path from the base of a storage to an address: an element offset, then nested members.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct AccessPath {
    /// The offset of the element.
    pub offset: Offset,
    /// The members, outermost first.
    pub members: Vec<u32>,
}

impl fmt::Display for AccessPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let offset = match self.offset {
            Offset::Known(0) => None,
            Offset::Known(n) => Some(format!("@{n}")),
            Offset::Unknown => Some("@Unknown".to_owned()),
        };
        let parts: Vec<String> =
            offset.into_iter().chain(self.members.iter().map(|member| format!("#{member}"))).collect();
        write!(f, "({})", parts.join(","))
    }
}

/// The storage and access path of an address.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AccessPathWithBase {
    /// The memory.
    pub storage: AccessStorage,
    /// The address or pointer at which the path begins; `None` if a phi merges several of the same memory.
    pub base: Option<Value>,
    /// The path to the address; `None` if it cannot be represented, as for an element of a member.
    pub path: Option<AccessPath>,
}

/// How a walk treats access scopes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AccessScopes {
    /// Looks through access scopes.
    Through,
    /// Stops at the innermost access scope, which becomes the storage.
    StopAt,
}

/// The state of a walk to the storage.
#[derive(Clone, PartialEq, Eq)]
struct WalkState {
    /// The members, innermost first.
    members: Vec<u32>,
    offset: Offset,
    is_valid: bool,
}

impl WalkState {
    fn pass(&mut self, part: AccessPart) {
        match part {
            AccessPart::Index(index) => self.offset = self.offset.plus(Offset::of(index)),
            // A path cannot represent elements of a member.
            AccessPart::Member(_) | AccessPart::UnknownMember if self.offset != Offset::Known(0) => {
                self.is_valid = false
            }
            AccessPart::Member(index) => self.members.push(index),
            AccessPart::UnknownMember => self.is_valid = false,
            AccessPart::Whole => {}
        }
    }

    /// Merges another path to the same phi. Returns false if they lead to different members.
    fn join(&mut self, other: &Self) -> bool {
        if self.members != other.members {
            return false;
        }
        self.is_valid &= other.is_valid;
        if self.offset != other.offset {
            self.offset = Offset::Unknown;
        }
        true
    }
}

/// Returns the storage of an address and the access path from it. Returns `None` if the walk does not end at known
/// storage, or if it leads to different storage on different edges of a phi.
pub fn find(view: &BodyView<'_>, address: Value, scopes: AccessScopes) -> Option<AccessPathWithBase> {
    let start = WalkState { members: Vec::new(), offset: Offset::Known(0), is_valid: true };
    let mut pending = vec![(address, start)];
    let mut phis: FxHashMap<Value, WalkState> = FxHashMap::default();
    let mut found: Option<(AccessStorage, Option<Value>, WalkState)> = None;
    let mut has_cycle_with_offset = false;
    while let Some((value, mut state)) = pending.pop() {
        let end = walk(view, value, &mut state, scopes)?;
        match end {
            End::Phi(phi) => match phis.get(&phi) {
                Some(before) if before.members != state.members => return None,
                Some(before) => has_cycle_with_offset |= before.offset != state.offset,
                None => {
                    phis.insert(phi, state.clone());
                    pending.extend(view.body.phi_values(phi).into_iter().map(|input| (input, state.clone())));
                }
            },
            End::Storage(storage, base) => match &mut found {
                None => found = Some((storage, Some(base), state)),
                Some((first, known, joined)) => {
                    if *first != storage || !joined.join(&state) {
                        return None;
                    }
                    *known = known.filter(|&known| known == base);
                }
            },
        }
    }
    let (storage, base, mut state) = found?;
    if has_cycle_with_offset {
        state.offset = Offset::Unknown;
    }
    state.members.reverse();
    let path = state.is_valid.then_some(AccessPath { offset: state.offset, members: state.members });
    Some(AccessPathWithBase { storage, base, path })
}

enum End {
    Phi(Value),
    Storage(AccessStorage, Value),
}

/// Walks up to a storage or a phi.
fn walk(view: &BodyView<'_>, from: Value, state: &mut WalkState, scopes: AccessScopes) -> Option<End> {
    let mut end = None;
    let up = |value| {
        end = match step(view, value) {
            AccessStep::Same(address) => return Some(address),
            AccessStep::Part(address, part) => {
                state.pass(part);
                return Some(address);
            }
            AccessStep::Scope(address, _) if scopes == AccessScopes::Through => return Some(address),
            AccessStep::Scope(..) => {
                let storage = AccessStorage { kind: StorageKind::Nested, value: Some(value) };
                Some(End::Storage(storage, value))
            }
            AccessStep::Phi => Some(End::Phi(value)),
            AccessStep::Root(root) => {
                AccessStorage::of_root(view.body, value, root).map(|storage| End::Storage(storage, value))
            }
        };
        None
    };
    chain(from, up).for_each(drop);
    end
}
