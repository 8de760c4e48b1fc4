//! `mem2reg`: promotes stack allocations with only loads and stores to SSA values.
//!
//! | file | what it does |
//! |---|---|
//! | [`uses`] | checks whether an allocation can be promoted, and collects its uses |
//! | [`rewrite`] | replaces single loads, destroys and variables |
//! | [`single_block`] | promotes allocations that are used in one block, in one walk |
//! | [`several_blocks`] | promotes all others, with one walk for each block, and phis where values meet |
//!
//! The cost for an allocation is proportional to the number of its uses and the size of the dominance frontiers of
//! its stores within its lifetime.
//!
//! ```text
//! sil [ossa] @f : $@convention(thin) (Builtin.Int64) -> Builtin.Int64 {
//! bb0(%0 : $Builtin.Int64):
//!   %1 = alloc_stack $Builtin.Int64
//!   store %0 to [trivial] %1
//!   %3 = load [trivial] %1
//!   dealloc_stack %1
//!   return %3
//! }
//! ---
//! sil [ossa] @f : $@convention(thin) (Builtin.Int64) -> Builtin.Int64 {
//! bb0(%0 : $Builtin.Int64):
//!   return %0
//! }
//! ```

mod rewrite;
mod several_blocks;
mod single_block;
mod uses;

use rewrite::Slot;
use silkit_analysis::dataflow::ReachingBlocks;
use silkit_analysis::{DeadEnds, Dominators, Joins};
use silkit_base::{FxHashMap, FxHashSet};
use silkit_ir::instructions::{Store, StoreBorrow};
use silkit_ir::{Block, Body, Inst, Opcode, Ownership, ScopeKind, Value, ValueDef};
use silkit_pass::FunctionContext;
use silkit_pass::Pass;
use silkit_pass::options;
use silkit_transform::borrowed_copies::CopyPlace;
use silkit_transform::canonical_lifetime::{LexicalValues, LifetimeFacts};
use silkit_transform::lifetime_completion::complete_at_last_uses;
use silkit_transform::{borrowed_copies, borrowed_from, canonical_lifetime, delete, variables};
use silkit_types::Type;
use silkit_types::decl::{Declarations, NominalKind};

pub(super) const PASS: Pass<'static> =
    Pass::function("mem2reg", "Promotes stack allocations with only loads and stores to SSA values", &run)
        .with_options(&[options::LIBRARY_EVOLUTION, options::KEEP_LIFETIMES]);

/// The maximum number of updates of the lifetime of one value, or of the borrows of the function, during promotion. One value
/// may be copied to many allocations; after that, the update is made once at the end.
const MOST_UPDATES: u32 = 16;

/// Cached facts about the function, which the changes of this pass do not invalidate.
struct AllocationFacts {
    lifetimes: LifetimeFacts,
    joins: Joins,
    reaching: ReachingBlocks,
    /// Unused address projections of each block, in order.
    dead_projections: FxHashMap<Block, Vec<Inst>>,
    /// True if there are guaranteed phis.
    has_borrowed_phis: bool,
    /// The number of updates of borrows, and of the lifetime of each value.
    borrow_updates: u32,
    updates: FxHashMap<Value, u32>,
    /// The values whose lifetimes are updated at the end, in order.
    late: Vec<Value>,
    has_changed: bool,
}

fn run(cx: &mut FunctionContext<'_>) {
    let allocations = allocations(cx);
    if allocations.is_empty() {
        return;
    }
    // Phis are added and passed on edges, but no edge is added or removed.
    cx.preserving::<Dominators, _>(|cx| cx.preserving::<DeadEnds, _>(|cx| promote_all(cx, allocations)));
}

fn promote_all(cx: &mut FunctionContext<'_>, allocations: Vec<Inst>) {
    let dominators = cx.get::<Dominators>();
    let dead_ends = cx.get::<DeadEnds>();
    let body = cx.body();
    let mut facts = AllocationFacts {
        joins: Joins::compute(body, dominators.of(body)),
        reaching: ReachingBlocks::new(dominators.of(body)),
        dead_projections: dead_projections(body),
        lifetimes: LifetimeFacts {
            dominators,
            dead_ends,
            has_accesses: body.insts().any(|inst| body.ends_scope(inst) == Some(ScopeKind::Access)),
            lexical: LexicalValues::of(body),
        },
        has_borrowed_phis: body.insts().any(|inst| body.inst(inst).opcode == Opcode::BorrowedFrom),
        borrow_updates: 0,
        updates: FxHashMap::default(),
        late: Vec::new(),
        has_changed: false,
    };
    for allocation in allocations {
        promote(cx, &mut facts, allocation);
    }
    let late = std::mem::take(&mut facts.late);
    (facts.borrow_updates, facts.updates) = (0, FxHashMap::default());
    if !late.is_empty() {
        canonicalize(cx, &mut facts, late);
    }
    if facts.has_changed && cx.function().has_ossa() {
        borrowed_from::complete(cx);
    }
}

/// Ends the lifetimes of values of an allocation after their last use, since memory kept them alive until they were
/// destroyed, and replaces copies of borrowed arguments that were stored.
fn canonicalize(cx: &mut FunctionContext<'_>, facts: &mut AllocationFacts, values: Vec<Value>) {
    if !cx.function().has_ossa() || cx.options().is_on(options::KEEP_LIFETIMES) {
        return;
    }
    if facts.has_borrowed_phis && facts.borrow_updates < MOST_UPDATES {
        facts.borrow_updates += 1;
        borrowed_from::complete(cx);
    }
    let mut seen = FxHashSet::default();
    for value in values {
        let is_present = match cx.body().def(value) {
            ValueDef::Result(inst, _) => cx.body().inst_block(inst).is_some(),
            ValueDef::Argument(..) => true,
            ValueDef::Undef | ValueDef::Pending => false,
        };
        if !is_present {
            continue;
        }
        if let Some(argument) = borrowed_copies::borrowed_argument(cx, value) {
            if facts.updates_now(argument) {
                borrowed_copies::canonicalize_argument(cx, argument, CopyPlace::InPlace);
            }
        } else {
            let owner = canonical_lifetime::copied(cx, value).filter(|&owner| seen.insert(owner));
            if let Some(owner) = owner.filter(|&owner| facts.updates_now(owner)) {
                canonical_lifetime::canonicalize(cx, owner, &mut facts.lifetimes);
            }
        }
    }
}

impl AllocationFacts {
    /// Returns true if the lifetime of a value that was stored is updated now. Otherwise it is updated at the end.
    fn updates_now(&mut self, owner: Value) -> bool {
        let count = self.updates.entry(owner).or_default();
        *count += 1;
        if *count == MOST_UPDATES + 1 {
            self.late.push(owner);
        }
        *count <= MOST_UPDATES
    }
}

/// Returns the stack allocations in reachable blocks, last first in each block.
fn allocations(cx: &mut FunctionContext<'_>) -> Vec<Inst> {
    let body = cx.body();
    let is_allocation = |&inst: &Inst| body.inst(inst).opcode == Opcode::AllocStack;
    let all: Vec<Inst> = body.insts().filter(is_allocation).collect();
    if all.is_empty() {
        return all;
    }
    let dominators = cx.get::<Dominators>();
    let body = cx.body();
    let mut found = Vec::with_capacity(all.len());
    for of_block in all.chunk_by(|&a, &b| body.inst_block(a) == body.inst_block(b)) {
        if dominators.of(body).is_reachable(body.inst_block(of_block[0])) {
            found.extend(of_block.iter().rev());
        }
    }
    found
}

fn dead_projections(body: &Body) -> FxHashMap<Block, Vec<Inst>> {
    let mut found: FxHashMap<Block, Vec<Inst>> = FxHashMap::default();
    for inst in body.insts() {
        if uses::is_projection(body, inst) && !body.results(inst).any(|v| body.is_used(v)) {
            found.entry(body.inst_block(inst)).or_default().push(inst);
        }
    }
    found
}

/// Promotes an allocation to values, if possible.
fn promote(cx: &mut FunctionContext<'_>, facts: &mut AllocationFacts, allocation: Inst) {
    let slot = Slot::new(cx, allocation);
    if !slot.may_be_promoted(cx) {
        return;
    }
    let mut values = stored_values(cx, &slot);
    let Some(is_in_one_block) = uses::single_block(cx, &slot) else { return };
    if uses::is_only_written(cx.body(), slot.address) {
        if !slot.has_lifetime && cx.may_change() {
            facts.has_changed = true;
            erase(cx.body_mut_with_declarations(), allocation);
            canonicalize(cx, facts, values);
            cx.count("allocations removed", 1);
            return;
        }
    } else if slot.is_address_only(cx) {
        return;
    }
    if !cx.may_change() {
        return;
    }
    let contents = match is_in_one_block {
        true => single_block::promote(cx, facts, &slot),
        false => match several_blocks::promote(cx, facts, &slot) {
            Some(contents) => contents,
            None => return,
        },
    };
    erase(cx.body_mut_with_declarations(), allocation);
    for &value in values.iter().chain(&contents) {
        facts.lifetimes.lexical.spread(cx.body(), value);
    }
    if !is_in_one_block {
        values.extend(contents.iter().filter(|&&value| cx.body().is_phi(value)));
        // Memory with an enum case without payload needs no destroy, but a value does.
        if slot.has_ossa && holds_enum(cx.declarations(), slot.ty.ty()) {
            for value in contents {
                complete_at_last_uses(cx, value, &facts.lifetimes.dead_ends);
            }
        }
    }
    canonicalize(cx, facts, values);
    facts.has_changed = true;
    cx.count("allocations promoted", 1);
}

/// Returns the non-trivial values that an allocation owned, and the borrowed values that were stored to it, newest use
/// first.
fn stored_values(cx: &FunctionContext<'_>, slot: &Slot) -> Vec<Value> {
    let body = cx.body();
    if !slot.has_ossa || slot.is_trivial == Some(true) {
        return Vec::new();
    }
    let ownership = cx.ownership();
    let source = |user| {
        let borrowed = body.view_as::<StoreBorrow>(user).map(|store| store.source);
        let borrowed = borrowed.filter(|&value| ownership.value(value) == Some(Ownership::Guaranteed));
        body.view_as::<Store>(user).map(|store| store.source).or(borrowed)
    };
    body.users(slot.address).filter_map(source).collect()
}

/// Returns true if a type is an enum or contains one in its spelling, such as a tuple.
fn holds_enum(declarations: &Declarations, ty: Type) -> bool {
    ty.any_part(&|part| declarations.nominal_of(part).is_some_and(|decl| decl.kind == NominalKind::Enum))
}

/// Removes an allocation and its remaining uses. Debug variables of stores are kept.
fn erase((body, declarations): (&mut Body, &Declarations), allocation: Inst) {
    let users: Vec<Inst> = body.results(allocation).flat_map(|address| body.users(address)).collect();
    let stored = variables::StoredVariables::of(body, allocation);
    for user in users {
        let source = match body.inst(user).opcode {
            Opcode::Store => body.view_as::<Store>(user).map(|store| store.source),
            Opcode::StoreBorrow => body.view_as::<StoreBorrow>(user).map(|store| store.source),
            _ => None,
        };
        if let Some(source) = source {
            variables::keep_stored(body, declarations, user, source, &stored);
        }
    }
    delete::with_users(body, allocation);
}

#[cfg(test)]
mod tests {
    use crate::PASSES;
    use silkit_pass::testing;
    use silkit_text::{PrintOptions, print_module};

    /// Returns the `debug_value`s that replace stores at these locations to a variable with this location.
    fn variables(variable: &str, stores: &[&str]) -> Vec<String> {
        let mut text = format!(
            "sil_stage canonical\nimport Builtin\n\
             sil_scope 1 {{ loc \"a.swift\":1:1 parent @f : $@convention(thin) (Builtin.Int64) -> Builtin.Int64 }}\n\
             sil_scope 2 {{ loc \"a.swift\":2:1 parent 1 }}\n\
             sil @f : $@convention(thin) (Builtin.Int64) -> Builtin.Int64 {{\nbb0(%0 : $Builtin.Int64):\n  \
             %1 = alloc_stack $Builtin.Int64, var, {variable}, loc \"a.swift\":8:9, scope 2\n"
        );
        for store in stores {
            text += &format!("  store %0 to %1, loc {store}, scope 1\n");
        }
        text += "  %3 = load %1\n  dealloc_stack %1\n  return %3\n}\n";
        let module = testing::run(|tag| PASSES.find(tag), "mem2reg", &[], &text).0;
        let options = PrintOptions { debug_info: true, ..PrintOptions::default() };
        let printed = print_module(&module, &options, &|_| None);
        let code = |line: &str| line.split("//").next().unwrap_or_default().trim().to_owned();
        printed.lines().map(code).filter(|line| line.starts_with("debug_value")).collect()
    }

    #[test]
    fn variables_keep_their_locations_at_stores() {
        let found = variables("name \"x\"", &["\"a.swift\":9:1", "* \"a.swift\":9:2", "\"a.swift\":8:9"]);
        let expected = [
            "debug_value %0, var, (name \"x\", loc \"a.swift\":8:9), loc \"a.swift\":9:1, scope 2",
            "debug_value %0, var, (name \"x\", loc \"a.swift\":8:9), loc * \"a.swift\":9:2, scope 2",
            "debug_value %0, var, name \"x\", loc \"a.swift\":8:9, scope 2",
        ];
        assert_eq!(found, expected);
        let found = variables("(name \"x\", loc \"a.swift\":3:3, scope 1), argno 1", &["\"a.swift\":9:1"]);
        let expected = "debug_value %0, var, (name \"x\", loc \"a.swift\":3:3, scope 1), argno 1, loc \"a.swift\":9:1, scope 2";
        assert_eq!(found, [expected]);
    }
}
