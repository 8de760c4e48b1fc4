//! The uniquely identified memory locations of a body, as trees of parts.

use super::{AddressRelation, MemoryPart, MemoryUse, RequiredState, ResultingState, memory_use};
use crate::BodyView;
use silkit_base::{FxHashMap, FxHashSet};
use silkit_ir::conventions::{ApplySite, ArgumentConvention, Conventions};
use silkit_ir::instructions::AllocStack;
use silkit_ir::{Inst, NONE, Opcode, Operand, Value};
use silkit_types::{SilType, TupleElement, Type, TypeKind};
use std::ops::Range;

/// The kind of memory that a tree of locations describes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RootKind {
    /// The result of this allocation.
    Allocation(Inst),
    /// An argument of the function.
    Argument(ArgumentConvention, ArgumentRoleKind),
    /// An address that this `begin_apply` yields.
    Yielded(ArgumentConvention, Inst),
}

/// The role of an indirect argument: parameter, result or error.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ArgumentRoleKind {
    /// A parameter.
    Parameter,
    /// A result.
    Result,
    /// The error.
    Error,
}

/// A tree of locations.
#[derive(Clone, Debug)]
pub struct LocationRoot {
    /// The address of the root location.
    pub value: Value,
    /// The memory.
    pub kind: RootKind,
    /// The locations. The first is the root; each comes after its parent.
    pub locations: Range<u32>,
    /// The addresses of the locations.
    pub addresses: Range<u32>,
    /// The accesses to it.
    pub accesses: Range<u32>,
    /// True if an instruction accesses a `weak` or `unowned` reference in it.
    pub holds_weak_storage: bool,
    /// True if a continuation stores its result there.
    pub receives_result: bool,
}

/// A memory location that instructions refer to.
#[derive(Clone, Debug)]
pub struct Location {
    /// The first address of the location.
    pub value: Value,
    /// The location that contains it.
    pub parent: Option<u32>,
    /// Its position in the parent.
    part: Option<MemoryPart>,
    /// The type that determines what it owns: the enum type for a payload location, which several cases may share.
    owner: SilType,
    /// True if it is the payload of several cases.
    has_cases: bool,
    /// True if the payload of one of the cases is trivial.
    may_be_trivial: bool,
    /// True if the payload of one of the cases is empty.
    may_be_empty: bool,
    children: Vec<u32>,
    /// The leaves that it consists of.
    pub leaves: Range<u32>,
}

/// A location without sublocations, or the rest of a location beside its sublocations.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Leaf {
    /// The location that it is or belongs to.
    pub location: u32,
    /// True if its values are non-trivial, so that they must be destroyed or taken.
    pub owns: bool,
    /// True if its type is known to have bits, so that it must be stored to.
    pub is_known: bool,
}

/// The effect of one operand on a location.
#[derive(Clone, Debug)]
pub struct LocationAccess {
    /// The operand.
    pub operand: Operand,
    /// The instruction.
    pub inst: Inst,
    /// The location.
    pub location: u32,
    /// The effect on the memory.
    pub effect: MemoryUse,
    /// True if the type at this address may be non-trivial.
    pub owns: bool,
}

/// The memory locations of a body that are uniquely identified and whose uses are all understood.
#[derive(Clone, Debug, Default)]
pub struct Locations {
    /// The trees.
    pub roots: Vec<LocationRoot>,
    /// The locations of all trees.
    pub locations: Vec<Location>,
    /// The leaves; those of a location, and those of a tree, are contiguous.
    pub leaves: Vec<Leaf>,
    /// All addresses of locations.
    pub addresses: Vec<(Value, u32)>,
    /// The accesses, in no particular order.
    pub accesses: Vec<LocationAccess>,
    /// The memory that is left out, with the first use that is not understood, if any.
    pub left_out: Vec<(Value, Option<Operand>)>,
}

/// Memory that is used for one tree after the other.
#[derive(Default)]
struct Scratch {
    /// The sublocations of locations.
    children: FxHashMap<(u32, MemoryPart), u32>,
    /// The addresses whose uses are not yet visited, with their locations.
    work: Vec<(Value, u32)>,
    /// The addresses that the uses of one address make.
    made: Vec<(Value, u32)>,
}

impl Locations {
    /// Computes the locations of a body.
    pub fn compute(view: &BodyView<'_>) -> Self {
        let mut all = Self::default();
        let scratch = &mut Scratch::default();
        let body = view.body;
        let conventions = view.function_type().map(|own| Conventions::new(own, view.addresses()));
        if let (Some(conventions), Some(entry)) = (conventions, body.entry_block()) {
            let (results, error) = (conventions.indirect_result_count(), conventions.error_argument());
            for (index, &value) in body.arguments(entry).iter().enumerate() {
                let role = match index {
                    _ if Some(index) == error => ArgumentRoleKind::Error,
                    _ if index < results => ArgumentRoleKind::Result,
                    _ => ArgumentRoleKind::Parameter,
                };
                if let Some(convention) = conventions.convention(index).filter(|c| is_identified(*c)) {
                    all.add(view, scratch, value, RootKind::Argument(convention, role));
                }
            }
        }
        for inst in body.insts() {
            match body.inst(inst).opcode {
                Opcode::AllocStack => {
                    let is_dynamic = body.view_as::<AllocStack>(inst).is_some_and(|a| a.dynamic_lifetime);
                    if let Some(value) = body.first_result(inst).filter(|_| !is_dynamic) {
                        all.add(view, scratch, value, RootKind::Allocation(inst));
                    }
                }
                Opcode::BeginApply => all.add_yields(view, scratch, inst),
                _ => {}
            }
        }
        all.number(view);
        all
    }

    fn add_yields(&mut self, view: &BodyView<'_>, scratch: &mut Scratch, inst: Inst) {
        let site = ApplySite::new(view.body, inst, view.addresses());
        let Some(conventions) = site.and_then(|site| site.callee_conventions()) else { return };
        for (index, value) in view.body.results(inst).enumerate() {
            let convention = conventions.yield_convention(index);
            if let Some(convention) = convention
                && (is_identified(convention) || convention == ArgumentConvention::InoutAliasable)
            {
                self.add(view, scratch, value, RootKind::Yielded(convention, inst));
            }
        }
    }

    /// Adds the tree of an address, unless one of its uses is not understood.
    fn add(&mut self, view: &BodyView<'_>, scratch: &mut Scratch, root: Value, kind: RootKind) {
        let ty = view.ty(root);
        if !ty.is_address() {
            return;
        }
        if self.locations.is_empty() {
            self.make_room();
        }
        let (first, first_access) = (self.locations.len() as u32, self.accesses.len() as u32);
        let first_address = self.addresses.len() as u32;
        self.locations.push(Location::new(root, None, None, ty));
        let mut left_out = None;
        let (mut holds_weak_storage, mut receives_result) = (false, false);
        let Scratch { children, work, made } = scratch;
        children.clear();
        work.clear();
        made.clear();
        work.push((root, first));
        'values: while let Some((value, location)) = work.pop() {
            self.addresses.push((value, location));
            let mut owns = None;
            for operand in view.body.uses(value) {
                let user = view.body.inst(view.body.operand(operand).user).opcode;
                holds_weak_storage |= is_of_weak_storage(user);
                receives_result |= user == Opcode::GetAsyncContinuationAddr;
                let Some(effect) = memory_use(view, operand) else {
                    left_out = Some((root, Some(operand)));
                    break 'values;
                };
                match effect.derived {
                    Some((result, AddressRelation::Same)) => made.push((result, location)),
                    Some((result, AddressRelation::Part(part))) => {
                        made.push((result, self.part(view, children, location, part, result)));
                    }
                    None => {}
                }
                let is_nothing = effect.needs == RequiredState::Any
                    && effect.leaves == ResultingState::Unchanged
                    && effect.on_edges.is_empty()
                    && !effect.changes;
                if !is_nothing {
                    let is_non_trivial = || view.is_trivial(view.ty(value)) == Some(false);
                    let owns = *owns.get_or_insert_with(is_non_trivial);
                    let inst = view.body.operand(operand).user;
                    self.accesses.push(LocationAccess { operand, inst, location, effect, owns });
                }
            }
            work.extend(made.drain(..).rev());
        }
        if left_out.is_none() && self.locations[first as usize..].iter().any(Location::is_ambiguous) {
            left_out = Some((root, None));
        }
        if let Some(left_out) = left_out {
            self.locations.truncate(first as usize);
            self.accesses.truncate(first_access as usize);
            self.addresses.truncate(first_address as usize);
            self.left_out.push(left_out);
            return;
        }
        let locations = first..self.locations.len() as u32;
        let accesses = first_access..self.accesses.len() as u32;
        let addresses = first_address..self.addresses.len() as u32;
        self.roots.push(LocationRoot {
            value: root,
            kind,
            locations,
            addresses,
            accesses,
            holds_weak_storage,
            receives_result,
        });
    }

    /// Makes room for the locations that most bodies have.
    fn make_room(&mut self) {
        self.roots.reserve(8);
        self.locations.reserve(16);
        self.addresses.reserve(16);
        self.accesses.reserve(32);
    }

    /// Returns a sublocation, creating it if necessary.
    fn part(
        &mut self,
        view: &BodyView<'_>,
        children: &mut FxHashMap<(u32, MemoryPart), u32>,
        parent: u32,
        part: MemoryPart,
        value: Value,
    ) -> u32 {
        // The cases of an enum share one payload location.
        let key = if part.is_whole() { MemoryPart::Content } else { part };
        let projected = view.ty(value);
        let is_trivial = part.is_whole() && view.is_trivial(projected) == Some(true);
        let is_empty = part.is_whole()
            && match view.declarations().is_empty(projected.ty()) {
                None => is_trivial,
                Some(is_empty) => is_empty,
            };
        if let Some(&child) = children.get(&(parent, key)) {
            let child_of = &mut self.locations[child as usize];
            child_of.has_cases |= child_of.part != Some(part);
            child_of.may_be_trivial |= is_trivial;
            child_of.may_be_empty |= is_empty;
            return child;
        }
        let owner = if part.is_whole() { self.locations[parent as usize].owner } else { projected };
        let child = self.locations.len() as u32;
        children.insert((parent, key), child);
        let location = Location::new(value, Some(parent), Some(part), owner);
        self.locations.push(Location { may_be_trivial: is_trivial, may_be_empty: is_empty, ..location });
        self.locations[parent as usize].children.push(child);
        child
    }

    /// Numbers the leaves.
    fn number(&mut self, view: &BodyView<'_>) {
        if self.locations.len() == self.roots.len() {
            return self.number_whole(view);
        }
        // Children come after their parents, so that counts are accumulated upwards and numbers assigned downwards.
        let rests: Vec<Option<Leaf>> =
            (0..self.locations.len() as u32).map(|location| self.rest(view, location)).collect();
        let mut counts: Vec<u32> = rests.iter().map(|rest| u32::from(rest.is_some())).collect();
        for location in (0..self.locations.len()).rev() {
            if let Some(parent) = self.locations[location].parent {
                counts[parent as usize] += counts[location];
            }
        }
        let total: u32 = self.roots.iter().map(|root| counts[root.locations.start as usize]).sum();
        let none = Leaf { location: NONE, owns: false, is_known: false };
        self.leaves = vec![none; total as usize];
        let mut next = 0;
        for location in 0..self.locations.len() {
            if self.locations[location].parent.is_none() {
                self.locations[location].leaves = next..next + counts[location];
                next += counts[location];
            }
            let mut start = self.locations[location].leaves.start;
            if let Some(rest) = rests[location] {
                self.leaves[start as usize] = rest;
                start += 1;
            }
            for at in 0..self.locations[location].children.len() {
                let child = self.locations[location].children[at] as usize;
                self.locations[child].leaves = start..start + counts[child];
                start += counts[child];
            }
        }
    }

    /// Numbers the leaves where no location has parts, as in most bodies: each is a leaf.
    fn number_whole(&mut self, view: &BodyView<'_>) {
        let mut leaves = Vec::with_capacity(self.locations.len());
        for location in 0..self.locations.len() as u32 {
            let start = leaves.len() as u32;
            leaves.extend(self.rest(view, location));
            self.locations[location as usize].leaves = start..leaves.len() as u32;
        }
        self.leaves = leaves;
    }

    /// Returns the leaf that a location is, or the rest of it.
    fn rest(&self, view: &BodyView<'_>, location: u32) -> Option<Leaf> {
        let is_empty = |ty: Type| view.declarations().is_empty(ty);
        let of = &self.locations[location as usize];
        let leaf = |owns, is_known| Some(Leaf { location, owns, is_known });
        if of.children.is_empty() {
            // In the payload of an enum or existential nothing is destroyed, if it is one without a destroy.
            let is_trivial = if of.may_be_trivial { Some(true) } else { view.is_trivial(of.owner) };
            let is_empty = match (of.may_be_empty, of.may_be_trivial) {
                (true, _) => Some(true),
                (_, true) => Some(false),
                _ => is_empty(of.owner.ty()),
            };
            // Values without bits are not stored, even if they are not trivial because they are not copyable.
            let is_known = match is_trivial {
                Some(true) => is_empty == Some(false),
                is_trivial => is_trivial.is_some() && is_empty != Some(true),
            };
            return leaf(is_trivial == Some(false) && is_empty != Some(true), is_known);
        }
        let named: FxHashSet<MemoryPart> =
            of.children.iter().filter_map(|child| self.locations[*child as usize].part).collect();
        if named.iter().any(|part| part.is_whole()) {
            return None;
        }
        let Some(parts) = parts(view, view.ty(of.value).ty()) else { return leaf(false, false) };
        let is_left = |part: &MemoryPart, ty| !named.contains(part) && is_empty(ty) != Some(true);
        let left: Vec<Type> =
            parts.into_iter().filter(|(part, ty)| is_left(part, *ty)).map(|(_, ty)| ty).collect();
        if left.is_empty() {
            return None;
        }
        let trivial: Vec<Option<bool>> =
            left.iter().map(|&ty| view.is_trivial(SilType::object(ty))).collect();
        let owns = trivial.contains(&Some(false));
        let is_known = owns || left.iter().any(|&ty| is_empty(ty) == Some(false));
        leaf(owns, is_known && !trivial.contains(&None))
    }

    /// Returns a sublocation if an instruction refers to it.
    pub fn named_part(&self, location: u32, part: MemoryPart) -> Option<u32> {
        let children = &self.locations[location as usize].children;
        children.iter().copied().find(|child| self.locations[*child as usize].part == Some(part))
    }

    /// Returns true if a location has sublocations.
    pub fn has_parts(&self, location: u32) -> bool {
        !self.locations[location as usize].children.is_empty()
    }

    /// Returns the tree that contains a location.
    pub fn root_of(&self, location: u32) -> &LocationRoot {
        &self.roots[self.roots.partition_point(|root| root.locations.end <= location)]
    }
}

impl Location {
    fn new(value: Value, parent: Option<u32>, part: Option<MemoryPart>, owner: SilType) -> Self {
        Self {
            value,
            parent,
            part,
            owner,
            has_cases: false,
            may_be_trivial: false,
            may_be_empty: false,
            children: Vec::new(),
            leaves: 0..0,
        }
    }

    /// Returns true if its cases have different payload types, which makes it ambiguous.
    fn is_ambiguous(&self) -> bool {
        self.has_cases && !self.children.is_empty()
    }
}

/// Returns the parts of a struct or tuple.
fn parts(view: &BodyView<'_>, ty: Type) -> Option<Vec<(MemoryPart, Type)>> {
    if let TypeKind::Tuple(elements) = ty.kind() {
        let element = |(i, e): (usize, &TupleElement)| (MemoryPart::Element(i as u32), e.ty);
        return Some(elements.iter().enumerate().map(element).collect());
    }
    let fields = view.declarations().stored_fields(ty)?;
    Some(fields.into_iter().map(|(field, ty)| (MemoryPart::Field(field.name), ty)).collect())
}

/// Returns true if the convention guarantees that no other address refers to the memory.
fn is_identified(convention: ArgumentConvention) -> bool {
    use ArgumentConvention as C;
    matches!(convention, C::In | C::InGuaranteed | C::Inout | C::Out)
}

/// Returns the successors of a switch on a loaded value that belong to trivial cases of the enum.
pub fn switched_edges(view: &BodyView<'_>, inst: Inst) -> Vec<usize> {
    super::address_effects::switched(view, inst)
        .unwrap_or_default()
        .into_iter()
        .map(|(edge, _)| edge)
        .collect()
}

/// Returns true if the instruction accesses a `weak` or `unowned` reference.
fn is_of_weak_storage(opcode: Opcode) -> bool {
    use Opcode as O;
    matches!(opcode, O::LoadWeak | O::LoadUnowned | O::StoreWeak | O::StoreUnowned)
}
