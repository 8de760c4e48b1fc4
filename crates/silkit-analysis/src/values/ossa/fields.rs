//! Field-sensitive liveness: the liveness of each leaf (indivisible part) of a value. Leaves are numbered in the
//! order of a depth-first walk through the type.

use super::liveness::{BlockLiveness, Boundary, Def, Liveness, UseKind};
use silkit_base::{FxHashMap, FxHashSet};
use silkit_ir::{Block, Body, Inst, Value};
use silkit_types::decl::{Declarations, NominalKind};
use silkit_types::{SilType, Type, TypeFacts, TypeKind};
use std::hash::Hash;
use std::ops::Range;

/// A limit above the number of leaves of any hand-written type; a type with more counts as one leaf.
const MOST_LEAVES: usize = 100_000;

/// Returns the number of leaves of a type: the sum over its stored properties, elements and payloads, plus one for
/// the case of an enum, and one for any other type.
pub fn leaf_count(ty: SilType, declarations: &Declarations) -> usize {
    let mut count = 0;
    let mut steps = 0;
    let mut work: Vec<Type> = vec![ty.ty()];
    while let Some(ty) = work.pop() {
        steps += 1;
        if steps > MOST_LEAVES {
            return 1;
        }
        if let TypeKind::Tuple(elements) = ty.kind() {
            work.extend(elements.iter().map(|e| e.ty));
        } else if let Some(fields) = struct_fields(ty, declarations) {
            work.extend(fields);
        } else if let Some(cases) = declarations.enum_cases(ty) {
            count += 1;
            work.extend(cases.iter().filter_map(|case| TypeFacts::enum_payload(declarations, ty, case.name)));
        } else {
            count += 1;
        }
    }
    count.max(1)
}

/// Returns the types of the stored properties of a struct.
fn struct_fields(ty: Type, declarations: &Declarations) -> Option<Vec<Type>> {
    let decl = declarations.nominal_of(ty)?;
    (decl.kind == NominalKind::Struct).then(|| TypeFacts::stored_fields(declarations, ty)).flatten()
}

/// The liveness of each leaf of a value.
#[derive(Clone, Debug)]
pub struct FieldLiveness {
    leaves: Vec<Liveness>,
    /// The blocks in which a leaf is live, in discovery order.
    found: Vec<Block>,
    is_found: FxHashSet<Block>,
    users: Vec<Inst>,
    is_user: FxHashSet<Inst>,
}

/// The lifetime boundaries of the leaves.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct FieldBoundary {
    /// The last users on their paths, with the leaves that they end.
    pub last_users: Vec<(Inst, Vec<usize>)>,
    /// Boundary blocks: leaves are live on entry and not live inside.
    pub edges: Vec<(Block, Vec<usize>)>,
    /// Definitions without uses, with their leaves.
    pub dead_defs: Vec<(Def, Vec<usize>)>,
}

impl FieldLiveness {
    /// Creates the liveness of a value with `count` leaves, which defines `leaves` and dominates their uses.
    pub fn of_value(body: &Body, value: Value, count: usize, leaves: Range<usize>) -> Self {
        let mut all = Self::with((0..count).map(|_| Liveness::of_dominating()).collect());
        if let Some(def) = Def::of(body, value) {
            all.define(body, def, leaves);
        }
        all
    }

    /// Creates the liveness of a value with `count` leaves and several definitions, to be added later.
    pub fn of_several(count: usize) -> Self {
        Self::with(vec![Liveness::of_several(); count])
    }

    fn with(leaves: Vec<Liveness>) -> Self {
        let (is_found, is_user) = (FxHashSet::default(), FxHashSet::default());
        Self { leaves, found: Vec::new(), is_found, users: Vec::new(), is_user }
    }

    /// Returns the liveness of each leaf.
    pub fn leaves(&self) -> &[Liveness] {
        &self.leaves
    }

    /// Adds a definition of some leaves.
    pub fn define(&mut self, body: &Body, def: Def, leaves: Range<usize>) {
        self.each(leaves, |leaf| leaf.define(body, def));
    }

    /// Adds a use of some leaves.
    pub fn use_at(&mut self, body: &Body, user: Inst, kind: UseKind, leaves: Range<usize>) {
        if self.is_user.insert(user) {
            self.users.push(user);
        }
        self.each(leaves, |leaf| leaf.use_at(body, user, kind));
    }

    fn each(&mut self, leaves: Range<usize>, mut f: impl FnMut(&mut Liveness)) {
        let end = leaves.end.min(self.leaves.len());
        for leaf in &mut self.leaves[leaves.start.min(end)..end] {
            let before = leaf.blocks().len();
            f(leaf);
            let new = leaf.blocks()[before..].iter().copied();
            self.found.extend(new.filter(|&block| self.is_found.insert(block)));
        }
    }

    /// Returns the blocks in which a leaf is live, in discovery order.
    pub fn blocks(&self) -> &[Block] {
        &self.found
    }

    /// Returns the liveness of each leaf in a block.
    pub fn block(&self, block: Block) -> impl Iterator<Item = BlockLiveness> + '_ {
        self.leaves.iter().map(move |leaf| leaf.block(block))
    }

    /// Returns the users of leaves in insertion order.
    pub fn users(&self) -> &[Inst] {
        &self.users
    }

    /// Returns the lifetime boundaries.
    pub fn boundary(&self, body: &Body) -> FieldBoundary {
        let (mut users, mut edges, mut defs) = (Places::default(), Places::default(), Places::default());
        for &block in &self.found {
            for (index, leaf) in self.leaves.iter().enumerate() {
                let mut boundary = Boundary::default();
                leaf.boundary_at(body, block, &mut boundary);
                boundary.last_users.into_iter().for_each(|inst| users.add(inst, index));
                boundary.edges.into_iter().for_each(|block| edges.add(block, index));
                boundary.dead_defs.into_iter().for_each(|def| defs.add(def, index));
            }
        }
        FieldBoundary { last_users: users.list, edges: edges.list, dead_defs: defs.list }
    }
}

/// Boundary points with their leaves, in discovery order.
struct Places<K> {
    list: Vec<(K, Vec<usize>)>,
    positions: FxHashMap<K, usize>,
}

impl<K> Default for Places<K> {
    fn default() -> Self {
        Self { list: Vec::new(), positions: FxHashMap::default() }
    }
}

impl<K: Copy + Eq + Hash> Places<K> {
    fn add(&mut self, place: K, leaf: usize) {
        let at = *self.positions.entry(place).or_insert_with(|| {
            self.list.push((place, Vec::new()));
            self.list.len() - 1
        });
        if self.list[at].1.last() != Some(&leaf) {
            self.list[at].1.push(leaf);
        }
    }
}
