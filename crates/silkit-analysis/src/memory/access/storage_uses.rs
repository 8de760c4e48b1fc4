//! The uses of a storage.

use super::path::{AccessPath, AccessPathWithBase, AccessScopes, Offset, find};
use super::reference::{is_identity_cast, reference_root};
use super::step::{AccessPart, AccessRoot, AccessStep, GlobalInitializer, step};
use super::storage::{AccessStorage, StorageKind};
use crate::BodyView;
use silkit_base::FxHashSet;
use silkit_ir::instructions::{AnyInst, FunctionRef};
use silkit_ir::{Edge, Inst, Opcode, Operand, Value};

/// The overlap of the memory of a use with the memory of a path.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Overlap {
    /// The same memory.
    Exact,
    /// A part of the memory of the path.
    Inner,
    /// A possible or partial overlap.
    Partial,
}

/// A use of a storage.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AccessUse {
    /// The operand.
    pub operand: Operand,
    /// The overlap of its memory with that of the queried path.
    pub overlap: Overlap,
}

/// Returns all uses whose memory may overlap the memory of a path, or that refer to the object that contains it.
pub fn uses(view: &BodyView<'_>, storage: AccessStorage, path: &AccessPath) -> Vec<AccessUse> {
    let mut walk = Walk {
        view,
        storage,
        path,
        stack: Vec::new(),
        seen: FxHashSet::default(),
        phis: FxHashSet::default(),
        found: Vec::new(),
    };
    match storage.value {
        Some(root) => walk.begin(root),
        None => global_roots(view, storage).into_iter().for_each(|root| walk.begin(root)),
    }
    while let Some(entry) = walk.stack.pop() {
        walk.visit(entry);
    }
    walk.found
}

/// Returns the addresses of a global variable in a body.
fn global_roots(view: &BodyView<'_>, storage: AccessStorage) -> Vec<Value> {
    let StorageKind::Global(name) = storage.kind else { return Vec::new() };
    let body = view.body;
    let is_address = |inst: &Inst| match body.view(*inst) {
        AnyInst::GlobalAddr(address) => address.global == name,
        AnyInst::Apply(apply) => body
            .def_as::<FunctionRef>(apply.callee)
            .is_some_and(|callee| view.global_initializer(callee.function) == GlobalInitializer::Of(name)),
        _ => false,
    };
    body.insts().filter(is_address).filter_map(|inst| body.first_result(inst)).collect()
}

/// The state of the walk to a use.
#[derive(Clone, Copy)]
struct State {
    /// True if the value is a reference to the object, not yet an address in it.
    is_reference: bool,
    /// The number of path components that were matched.
    matched: usize,
    /// True if more members were passed than the path has.
    is_inner: bool,
    /// True if the position relative to the path is no longer known.
    is_lost: bool,
    offset: Offset,
}

struct Walk<'w, 'a> {
    view: &'w BodyView<'a>,
    storage: AccessStorage,
    path: &'w AccessPath,
    stack: Vec<(Operand, State)>,
    /// The values whose uses were pushed. In unreachable blocks, a value may be derived from itself.
    seen: FxHashSet<Value>,
    phis: FxHashSet<Value>,
    found: Vec<AccessUse>,
}

impl Walk<'_, '_> {
    fn begin(&mut self, root: Value) {
        if self.view.body.is_phi(root) {
            self.phis.insert(root);
        }
        let state = State {
            is_reference: self.storage.is_reference(),
            matched: 0,
            is_inner: false,
            is_lost: false,
            offset: Offset::Known(0),
        };
        self.push(root, state);
    }

    /// Pushes the uses of a value. The newest use is first in the list and so is visited last.
    fn push(&mut self, value: Value, state: State) {
        let body = self.view.body;
        if !self.seen.insert(value) {
            return;
        }
        for operand in body.uses(value) {
            match body.inst(body.operand(operand).user).opcode {
                Opcode::Branch | Opcode::CondBranch if self.follow_phi(operand, state) => {}
                _ => self.stack.push((operand, state)),
            }
        }
    }

    /// Continues with the phi that an operand is passed to. Returns false if there is none.
    fn follow_phi(&mut self, operand: Operand, mut state: State) -> bool {
        let body = self.view.body;
        let user = body.operand(operand).user;
        let is_passed = |edge: Edge| {
            let arguments = body.arguments(body.edge(edge).to).iter().enumerate();
            let mut passed = arguments.filter(|(i, _)| body.edge_operand(edge, *i) == Some(operand));
            passed.next().map(|(_, &argument)| argument)
        };
        let Some(phi) = body.outgoing(body.inst_block(user)).find_map(is_passed) else { return false };
        if !self.phis.insert(phi) {
            return true;
        }
        if state.is_reference {
            let is_same = Some(reference_root(body, phi)) == self.storage.value;
            if is_same {
                self.push(phi, state);
            }
            return is_same;
        }
        match find(self.view, phi, AccessScopes::Through) {
            Some(AccessPathWithBase { path: Some(path), .. }) => {
                if path.offset == Offset::Unknown {
                    state.offset = Offset::Unknown;
                }
                self.push(phi, state);
                true
            }
            _ => false,
        }
    }

    fn visit(&mut self, (operand, state): (Operand, State)) {
        let body = self.view.body;
        let user = body.operand(operand).user;
        let index = body.operand_index(operand);
        if body.inst(user).opcode == Opcode::EndBorrow {
            return;
        }
        let is_through = index == 0 || body.inst(user).opcode == Opcode::StoreBorrow;
        let follows = if !is_through {
            Follows::Nothing
        } else if state.is_reference {
            self.of_reference(user)
        } else {
            self.of_address(operand, user)
        };
        match follows {
            Follows::Nothing => self.leaf(operand, state),
            Follows::No => {}
            Follows::PayloadBox(value) => {
                self.leaf(operand, state);
                let is_content = |operand: &Operand| {
                    let address = body.first_result(body.operand(*operand).user);
                    address.is_some_and(|address| {
                        matches!(step(self.view, address), AccessStep::Part(_, AccessPart::Whole))
                    })
                };
                let projections = body.uses(value).filter(is_content);
                self.stack.extend(projections.map(|operand| (operand, state)));
            }
            Follows::Value { value, part, is_use, is_address } => {
                if is_use {
                    self.leaf(operand, state);
                }
                if let Some(state) = self.pass(state, part) {
                    self.push(value, State { is_reference: state.is_reference && !is_address, ..state });
                }
            }
        }
    }

    /// Returns how the walk continues at a user of the object.
    fn of_reference(&self, user: Inst) -> Follows {
        let body = self.view.body;
        let Some(result) = body.first_result(user) else { return Follows::Nothing };
        if is_identity_cast(body, user) {
            return Follows::value(result, AccessPart::Whole);
        }
        match step(self.view, result) {
            AccessStep::Root(root @ (AccessRoot::Class(..) | AccessRoot::Tail(_))) => {
                match AccessStorage::of_root(body, result, root) {
                    Some(storage) if storage == self.storage => Follows::Value {
                        value: result,
                        part: AccessPart::Whole,
                        is_use: false,
                        is_address: true,
                    },
                    _ => Follows::No,
                }
            }
            _ => Follows::Nothing,
        }
    }

    /// Returns how the walk continues at a user of an address, a pointer or a box.
    fn of_address(&self, operand: Operand, user: Inst) -> Follows {
        let body = self.view.body;
        let Some(result) = body.first_result(user) else { return Follows::Nothing };
        match body.view(user) {
            AnyInst::Load(_) => return Follows::PayloadBox(result),
            AnyInst::ProjectBox(_) => return Follows::value(result, AccessPart::Whole),
            AnyInst::StructExtract(extract)
                if self.view.is_unsafe_pointer(body.value(extract.operand).ty.ty()) =>
            {
                return Follows::value(result, AccessPart::Whole);
            }
            _ => {}
        }
        let value = body.operand(operand).value;
        match step(self.view, result) {
            AccessStep::Same(of) | AccessStep::Scope(of, _) if of == value => match body.inst(user).opcode {
                Opcode::StoreBorrow => Follows::use_and(result, AccessPart::Whole),
                _ => Follows::value(result, AccessPart::Whole),
            },
            AccessStep::Part(of, part) if of == value => match body.inst(user).opcode {
                // These change memory as well.
                Opcode::OpenExistentialAddr | Opcode::UncheckedTakeEnumDataAddr => {
                    Follows::use_and(result, part)
                }
                _ => Follows::value(result, part),
            },
            _ => Follows::Nothing,
        }
    }

    /// Returns the state after a projection; `None` if the part does not overlap the path.
    fn pass(&self, mut state: State, part: AccessPart) -> Option<State> {
        match part {
            AccessPart::Whole => {}
            AccessPart::Index(index) if state.matched == 0 && !state.is_inner => {
                state.offset = state.offset.plus(Offset::of(index));
            }
            AccessPart::Index(_) | AccessPart::UnknownMember => state.is_lost = true,
            AccessPart::Member(_) if state.is_lost => {}
            AccessPart::Member(index) => {
                if !self.may_be_same_element(state.offset) {
                    return None;
                }
                match self.path.members.get(state.matched) {
                    Some(&wanted) if wanted == index => state.matched += 1,
                    Some(_) => return None,
                    None => state.is_inner = true,
                }
            }
        }
        Some(state)
    }

    fn may_be_same_element(&self, offset: Offset) -> bool {
        offset == self.path.offset || offset == Offset::Unknown || self.path.offset == Offset::Unknown
    }

    fn leaf(&mut self, operand: Operand, state: State) {
        if !self.may_be_same_element(state.offset) {
            return;
        }
        let is_known = state.offset != Offset::Unknown && self.path.offset != Offset::Unknown;
        let overlap =
            if state.is_reference || state.is_lost || !is_known || state.matched < self.path.members.len() {
                Overlap::Partial
            } else if state.is_inner {
                Overlap::Inner
            } else {
                Overlap::Exact
            };
        self.found.push(AccessUse { operand, overlap });
    }
}

/// How the walk continues after a use.
enum Follows {
    /// The use accesses the memory; the walk ends.
    Nothing,
    /// The use is irrelevant.
    No,
    /// Continue with the loaded value, which may be the box of an indirect payload.
    PayloadBox(Value),
    /// Continue with a derived value.
    Value {
        value: Value,
        part: AccessPart,
        /// True if it is also a use of the memory.
        is_use: bool,
        /// True if it is an address projected from a reference.
        is_address: bool,
    },
}

impl Follows {
    fn value(value: Value, part: AccessPart) -> Self {
        Self::Value { value, part, is_use: false, is_address: false }
    }

    fn use_and(value: Value, part: AccessPart) -> Self {
        Self::Value { value, part, is_use: true, is_address: false }
    }
}
