//! Reduction of control flow: code after a block, edges, arguments, branches.

use super::Shrink;
use super::insts::undefine;
use super::module::Item;
use silkit_base::Symbol;
use silkit_ir::ownership::OwnershipContext;
use silkit_ir::{Block, Body, Inst, Loc, Module, NewInst, Opcode, Point, Value};
use silkit_transform::{merge_blocks, unreachable};

/// The reductions of control flow.
pub(super) const SHRINKS: &[Shrink] = &[
    Shrink { items: "ends of blocks", list: ends, drop: |module, items| each_body(module, items, drop_rest) },
    Shrink {
        items: "ways out of blocks",
        list: edges,
        drop: |module, items| each_body(module, items, drop_edges),
    },
    Shrink {
        items: "block arguments",
        list: arguments,
        drop: |module, items| each_body(module, items, drop_arguments),
    },
    Shrink { items: "branches", list: branches, drop: |module, items| each_body(module, items, merge) },
];

/// Lists the items of all bodies.
pub(super) fn of_bodies(module: &Module, mut list: impl FnMut(Symbol, &Body, &mut Vec<Item>)) -> Vec<Item> {
    let mut items = Vec::new();
    for function in module.functions.values() {
        if let Some(body) = &function.body {
            list(function.name, body, &mut items);
        }
    }
    items
}

/// Edits the bodies of the functions that contain the items. Returns true if one of them changed.
pub(super) fn each_body(
    module: &mut Module,
    items: &[Item],
    edit: impl Fn(&mut Body, &[Item]) -> bool,
) -> bool {
    let mut is_changed = false;
    for items in items.chunk_by(|a, b| owner(a) == owner(b)) {
        let function = owner(&items[0]).and_then(|name| module.functions.by_key_mut(&name));
        if let Some(body) = function.and_then(|function| function.body.as_mut())
            && edit(body, items)
        {
            unreachable::remove_unreachable_blocks(body);
            is_changed = true;
        }
    }
    is_changed
}

/// Returns the function that contains an item.
fn owner(item: &Item) -> Option<Symbol> {
    match *item {
        Item::Rest(name, _)
        | Item::OtherEdges(name, ..)
        | Item::Argument(name, ..)
        | Item::Branches(name)
        | Item::Inst(name, _)
        | Item::Operand(name, ..) => Some(name),
        _ => None,
    }
}

fn ends(module: &Module) -> Vec<Item> {
    of_bodies(module, |name, body, items| {
        let is_left = |&block: &Block| {
            body.terminator(block).is_some_and(|t| body.inst(t).opcode != Opcode::Unreachable)
        };
        items.extend(body.blocks().filter(is_left).map(|block| Item::Rest(name, block)));
    })
}

/// Returns the terminator of a block if the block still exists.
fn terminator(body: &Body, block: Block) -> Option<Inst> {
    if body.has_block(block) { body.terminator(block) } else { None }
}

/// Removes a terminator. Its results become `undef`.
fn remove_terminator(body: &mut Body, terminator: Inst) -> Option<Loc> {
    let loc = body.inst(terminator).loc;
    undefine(body, terminator).then(|| {
        body.edit().remove(terminator);
        loc
    })
}

fn drop_rest(body: &mut Body, items: &[Item]) -> bool {
    let mut is_changed = false;
    for item in items {
        let Item::Rest(_, block) = *item else { continue };
        let Some(old) = terminator(body, block) else { continue };
        if body.inst(old).opcode == Opcode::Unreachable {
            continue;
        }
        if let Some(loc) = remove_terminator(body, old) {
            body.edit().insert(Point::End(block), &NewInst { loc, ..NewInst::new(Opcode::Unreachable) });
            is_changed = true;
        }
    }
    is_changed
}

fn edges(module: &Module) -> Vec<Item> {
    of_bodies(module, |name, body, items| {
        for block in body.blocks() {
            let ways = body.block_successors(block).len() as u32;
            if ways > 1 {
                items.extend((0..ways).map(|index| Item::OtherEdges(name, block, index)));
            }
        }
    })
}

fn drop_edges(body: &mut Body, items: &[Item]) -> bool {
    let mut is_changed = false;
    for item in items {
        let Item::OtherEdges(_, block, index) = *item else { continue };
        let Some(old) = terminator(body, block) else { continue };
        let targets: Vec<Block> = body.successors(old).collect();
        let Some(&to) = targets.get(index as usize).filter(|_| targets.len() > 1) else { continue };
        let mut args: Vec<Value> = body.edge_args(old, index as usize).collect();
        let Some(loc) = remove_terminator(body, old) else { continue };
        // Arguments that the terminator itself defined become `undef`.
        for position in args.len()..body.arguments(to).len() {
            let ty = body.value(body.arguments(to)[position]).ty;
            args.push(body.edit().undef(ty));
        }
        body.edit().insert_branch(block, to, &args, loc);
        is_changed = true;
    }
    is_changed
}

fn arguments(module: &Module) -> Vec<Item> {
    of_bodies(module, |name, body, items| {
        for block in body.blocks().skip(1) {
            let count = body.arguments(block).len() as u32;
            items.extend((0..count).rev().map(|index| Item::Argument(name, block, index)));
        }
    })
}

fn drop_arguments(body: &mut Body, items: &[Item]) -> bool {
    let mut is_changed = false;
    for item in items {
        let Item::Argument(_, block, index) = *item else { continue };
        if !body.has_block(block) || body.is_entry_block(block) {
            continue;
        }
        let index = index as usize;
        let Some(&argument) = body.arguments(block).get(index) else { continue };
        let is_passed = body.incoming(block).all(|edge| body.edge_operand(edge, index).is_some());
        if is_passed && super::insts::undefine_value(body, argument) {
            body.edit().remove_argument(block, index);
            is_changed = true;
        }
    }
    is_changed
}

fn branches(module: &Module) -> Vec<Item> {
    of_bodies(module, |name, _, items| items.push(Item::Branches(name)))
}

fn merge(body: &mut Body, _: &[Item]) -> bool {
    merge_blocks::merge_all(body, OwnershipContext::without_facts()) > 0
}
