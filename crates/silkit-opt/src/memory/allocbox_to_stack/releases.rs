//! The final releases of a box.

use silkit_analysis::{Components, DeadEnds};
use silkit_base::FxHashSet;
use silkit_ir::{Block, Body, Inst, Opcode, Value};

/// Returns the final release of a box on each path, in block order. Releases in dead-end regions, where a box may leak,
/// are left out unless the region loops back to the allocation or the release certainly ends the lifetime.
pub(super) fn last_releases(
    body: &Body,
    allocation: Inst,
    dead_ends: &DeadEnds,
    components: &Components,
) -> Vec<Inst> {
    let defining = body.inst_block(allocation);
    let (mut live, mut blocks): (FxHashSet<Block>, Vec<Block>) = (FxHashSet::default(), Vec::new());
    let mut used: FxHashSet<Block> = FxHashSet::default();
    let mut releases: FxHashSet<Inst> = FxHashSet::default();
    let mut work: Vec<Value> = body.results(allocation).collect();
    while let Some(value) = work.pop() {
        for user in body.users(value) {
            let opcode = body.inst(user).opcode;
            if opcode == Opcode::ProjectBox {
                continue;
            }
            let block = body.inst_block(user);
            if used.insert(block) {
                blocks.push(block);
            }
            if block != defining {
                live.insert(block);
            }
            match opcode {
                Opcode::CopyValue | Opcode::BeginBorrow | Opcode::MarkUninitialized => {
                    work.extend(body.results(user));
                }
                Opcode::StrongRelease | Opcode::DestroyValue | Opcode::DeallocBox => {
                    releases.insert(user);
                }
                _ => {}
            }
        }
    }
    if releases.len() != 1 {
        spread(body, &mut live, defining);
        let is_last = |&block: &Block| !body.block_successors(block).any(|next| live.contains(&next));
        let last = |block: Block| body.block_insts(block).rev().find(|inst| releases.contains(inst));
        let last: FxHashSet<Inst> = blocks.into_iter().filter(is_last).filter_map(last).collect();
        releases = last;
    }
    let mut releases: Vec<Inst> = releases.into_iter().collect();
    releases.retain(|&release| {
        let block = body.inst_block(release);
        let ends_box = body.inst(release).opcode == Opcode::DeallocBox && !body.has_flag(release, "dead_end");
        ends_box || !dead_ends.is_dead_end(block) || comes_back(block, defining, components)
    });
    releases.sort_unstable();
    releases
}

/// Returns true if a path from the allocation to an exit of the function has no final release. Without ownership, boxes may
/// leak. `taken` are the blocks in which the calls and closures end that take the box.
pub(super) fn leaks(
    body: &Body,
    allocation: Inst,
    taken: Vec<Block>,
    dead_ends: &DeadEnds,
    components: &Components,
) -> bool {
    let releases = last_releases(body, allocation, dead_ends, components);
    let mut seen: FxHashSet<Block> = releases.iter().map(|&release| body.inst_block(release)).collect();
    seen.extend(taken);
    let mut work = vec![body.inst_block(allocation)];
    while let Some(block) = work.pop() {
        if seen.insert(block) {
            if body.terminator(block).is_some_and(|exit| body.is_function_exit(exit)) {
                return true;
            }
            work.extend(body.block_successors(block));
        }
    }
    false
}

/// Propagates liveness to predecessors, up to the block of the allocation.
fn spread(body: &Body, live: &mut FxHashSet<Block>, defining: Block) {
    let mut work: Vec<Block> = live.iter().copied().collect();
    while let Some(block) = work.pop() {
        for pred in body.predecessors(block) {
            if pred != defining && live.insert(pred) {
                work.push(pred);
            }
        }
    }
}

/// Returns true if the dominating block of the allocation is reachable from the end of a block.
fn comes_back(block: Block, defining: Block, components: &Components) -> bool {
    components.is_in_cycle(block) && components.are_together(block, defining)
}
