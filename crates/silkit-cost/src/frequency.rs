//! Estimates of how often code is executed, without running it: each branch is equally likely, except for rarely executed blocks; each loop
//! and each recursive call is repeated ten times.

use rustc_hash::FxHashMap;
use silkit::analysis::{BodyView, ColdBlocks, Loops};
use silkit::base::{Entity, Symbol, strong_components};
use silkit::ir::info::ApplyKind;
use silkit::ir::{Block, Body, FunctionId, Module, references};

/// The estimated number of times that a loop is repeated.
const REPEATED: f64 = 10.0;

/// The probability of rarely executed blocks.
const RARE: f64 = 0.001;

/// The maximum estimate, so that recursion and deep nesting stay comparable.
const MOST: f64 = 1e9;

/// Returns the estimated number of executions of each block for one call of its function.
pub(crate) fn of_blocks(view: &BodyView<'_>, loops: &Loops) -> Vec<f64> {
    let body = view.body;
    let cold = ColdBlocks::compute(view);
    let order = body.reverse_postorder();
    let mut position = vec![usize::MAX; body.block_bound()];
    order.iter().enumerate().for_each(|(at, block)| position[block.index()] = at);
    // The probability that a block is reached, without the repetitions of loops.
    let mut reached = vec![0.0_f64; body.block_bound()];
    if let Some(&entry) = order.first() {
        reached[entry.index()] = 1.0;
    }
    // The number of edges that leave each loop, by its header.
    let mut exits: FxHashMap<Block, usize> = FxHashMap::default();
    for &block in &order {
        for to in body.block_successors(block).filter(|&to| !cold.is_cold(to)) {
            if let Some(header) = left(loops, block, to) {
                *exits.entry(header).or_default() += 1;
            }
        }
    }
    for &block in &order {
        let probability = reached[block.index()].min(1.0);
        reached[block.index()] = probability;
        let next: Vec<Block> = body.block_successors(block).collect();
        let is_back = |to: Block| position[to.index()] <= position[block.index()];
        let is_exit = |to: Block| left(loops, block, to).is_some();
        let is_rare = |to: Block| cold.is_cold(to) && !cold.is_cold(block);
        // A loop is left at some time, so its exits do not compete with the blocks in it.
        let shared = next.iter().filter(|&&to| !is_back(to) && !is_exit(to) && !is_rare(to)).count().max(1);
        for &to in next.iter().filter(|&&to| !is_back(to)) {
            reached[to.index()] += match (is_rare(to), left(loops, block, to)) {
                (true, _) => probability * RARE,
                (_, Some(header)) => {
                    reached[header.index()] / exits.get(&header).copied().unwrap_or(1).max(1) as f64
                }
                _ => probability / shared as f64,
            };
        }
    }
    for &block in &order {
        let depth = i32::try_from(loops.depth(block)).unwrap_or(i32::MAX).min(9);
        reached[block.index()] = (reached[block.index()] * REPEATED.powi(depth)).min(MOST);
    }
    reached
}

/// Returns the header of the outermost loop that an edge leaves.
fn left(loops: &Loops, from: Block, to: Block) -> Option<Block> {
    let around = std::iter::successors(loops.of_block(from), |&id| loops.get(id).parent);
    around.take_while(|&id| !loops.contains(id, to)).last().map(|id| loops.get(id).header)
}

/// The functions that a body uses, with the estimated number of uses for one call.
pub(crate) type Uses = Vec<(Symbol, f64)>;

/// Returns the functions that a body calls or references, once each, in the order of their names.
pub(crate) fn uses(view: &BodyView<'_>, blocks: &[f64]) -> Uses {
    let body: &Body = view.body;
    let program = view.program;
    let mut all: FxHashMap<Symbol, f64> = FxHashMap::default();
    for inst in body.insts() {
        let often = blocks[body.inst_block(inst).index()];
        // A function that is only called here is counted where it is called.
        let is_call = |user| body.info(user).apply == Some(ApplyKind::Full);
        let is_only_called = body.inst(inst).opcode.is_function_ref()
            && body.results(inst).all(|value| body.users(value).all(is_call));
        references::of_inst(body, inst, &mut |name| {
            let sum = all.entry(name).or_default();
            *sum = (*sum + if is_only_called { 0.0 } else { often }).min(MOST);
        });
        if !is_call(inst) {
            continue;
        }
        if let Some(callee) = body.called_function(inst) {
            let sum = all.entry(callee).or_default();
            *sum = (*sum + often).min(MOST);
        } else {
            let callees = program.callee_analysis().of_site(body, inst);
            // A dynamic call reaches one of them.
            let share = often / callees.known.len().max(1) as f64;
            for &callee in callees.known.iter() {
                let sum = all.entry(program.module.functions[callee].name).or_default();
                *sum = (*sum + share).min(MOST);
            }
        }
    }
    let mut all: Uses = all.into_iter().collect();
    all.sort_unstable_by_key(|(name, _)| name.as_str());
    all
}

/// Returns the estimated number of calls of each function: one call of `main`, or of each function that no other one calls if there is no
/// `main`.
pub(crate) fn of_functions(module: &Module, uses: &[Uses]) -> Vec<f64> {
    let ids: Vec<FunctionId> = module.functions.keys().collect();
    let targets: Vec<Vec<(FunctionId, f64)>> = uses
        .iter()
        .map(|uses| {
            uses.iter().filter_map(|&(name, often)| Some((module.functions.find(&name)?, often))).collect()
        })
        .collect();
    let mut components: Vec<Vec<FunctionId>> = Vec::new();
    let successors =
        |id: FunctionId| targets[id.index()].iter().map(|(to, _)| *to).collect::<Vec<_>>().into_iter();
    strong_components(ids.len(), ids.iter().copied(), successors, |component| {
        components.push(component.to_vec())
    });
    let main = module.functions.find(&Symbol::new("main")).filter(|&id| module.functions[id].body.is_some());
    let mut calls = vec![0.0_f64; ids.len()];
    // Callers come before their callees.
    for component in components.iter().rev() {
        let mut component = component.clone();
        component.sort_unstable();
        let is_member = |id: &FunctionId| component.binary_search(id).is_ok();
        let inflow: f64 = component.iter().map(|id| calls[id.index()]).sum();
        let is_recursive = component.iter().any(|id| targets[id.index()].iter().any(|(to, _)| is_member(to)));
        let inflow = match main {
            Some(main) if is_member(&main) => inflow + 1.0,
            // What nothing is known to call is called by code elsewhere, if at all.
            Some(_) if inflow == 0.0 => RARE,
            None if inflow == 0.0 => 1.0,
            _ => inflow,
        };
        let times = (inflow * if is_recursive { REPEATED } else { 1.0 }).min(MOST);
        for &id in &component {
            calls[id.index()] = times;
            for &(to, often) in targets[id.index()].iter().filter(|(to, _)| !is_member(to)) {
                calls[to.index()] = (calls[to.index()] + times * often).min(MOST);
            }
        }
    }
    calls
}
