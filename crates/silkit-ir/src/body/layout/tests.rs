//! Blocks and instructions keep their order, numbers and parent blocks when the layout changes.

use crate::generated::Opcode;
use crate::{ArgFlags, Block, Body, Inst, Loc, NewInst, Ownership, Point};
use silkit_types::{NoFacts, SilType, Type};

/// Returns an entry block with `count` instructions and a terminator.
fn straight(count: usize) -> (Body, Block, Vec<Inst>) {
    let mut body = Body::new();
    let mut b = body.builder(&NoFacts);
    let entry = b.append_block();
    let ty = SilType::object(Type::builtin("Int64"));
    let argument = b.add_argument(entry, ty, Ownership::None, ArgFlags::empty());
    let new = NewInst { operands: &[argument], results: &[ty], ..NewInst::new(Opcode::CopyValue) };
    let mut insts: Vec<Inst> = (0..count).map(|_| b.insert(Point::End(entry), &new)).collect();
    b.move_to(Point::End(entry));
    b.return_(argument);
    insts.extend(b.last_inst(entry));
    (body, entry, insts)
}

/// Checks the blocks and their instructions in both directions, and all facts derived from their order.
fn check(body: &Body, expected: &[(Block, &[Inst])]) {
    body.verify_integrity().unwrap();
    let blocks: Vec<Block> = expected.iter().map(|&(block, _)| block).collect();
    assert!(body.blocks().eq(blocks.iter().copied()));
    assert!(body.blocks().rev().eq(blocks.iter().rev().copied()));
    assert_eq!(body.block_count(), blocks.len());
    assert_eq!((body.entry_block(), body.last_block()), (blocks.first().copied(), blocks.last().copied()));
    for pair in blocks.windows(2) {
        assert_eq!((body.next_block(pair[0]), body.prev_block(pair[1])), (Some(pair[1]), Some(pair[0])));
        assert!(body.block_precedes(pair[0], pair[1]) && !body.block_precedes(pair[1], pair[0]));
    }
    let all: Vec<Inst> = expected.iter().flat_map(|&(_, insts)| insts.iter().copied()).collect();
    assert!(body.insts().eq(all.iter().copied()));
    for (i, &first) in all.iter().enumerate() {
        assert!(!body.inst_precedes(first, first));
        for &second in &all[i + 1..] {
            assert!(body.inst_precedes(first, second) && !body.inst_precedes(second, first));
        }
    }
    for &(block, insts) in expected {
        assert!(body.block_insts(block).rev().eq(insts.iter().rev().copied()));
        assert!(insts.iter().all(|&inst| body.inst_block(inst) == block && !body.is_removed(inst)));
    }
}

#[test]
fn a_body_without_blocks() {
    let mut body = Body::new();
    check(&body, &[]);
    assert!(body.entry_arguments().is_empty());
    let block = body.edit().append_block();
    check(&body, &[(block, &[])]);
    assert!(body.is_entry_block(block));
}

#[test]
fn splits_keep_the_order_wherever_they_are() {
    // The smaller half changes its parent block: the instructions before the position, or those after it.
    for at in 0..6 {
        let (mut body, entry, insts) = straight(5);
        let new = body.edit().split_block(insts[at]);
        let (head, tail) = insts.split_at(at);
        check(&body, &[(entry, head), (new, tail)]);
        let branch = body.edit().insert_branch(entry, new, &[], Loc::NONE);
        let head = [head, &[branch]].concat();
        check(&body, &[(entry, &head), (new, tail)]);
        assert_eq!(body.edit().merge_into_predecessor(new), entry);
        check(&body, &[(entry, &insts)]);
        assert!(body.is_removed(branch) && !body.has_block(new));
    }
}

#[test]
fn merges_what_was_written_in_another_order() {
    let (mut body, entry, insts) = straight(3);
    let second = body.edit().split_block(insts[1]);
    // The last instructions get numbers before and among those of the first ones.
    body.edit().insert_branch(entry, second, &[], Loc::NONE);
    let third = body.edit().split_block_with_branch(insts[3], Loc::NONE);
    body.edit().move_block_after(third, entry);
    body.edit().move_inst(insts[1], Point::Start(entry));
    body.edit().move_inst(insts[0], Point::Start(second));
    check(
        &body,
        &[
            (entry, &[insts[1], body.terminator(entry).unwrap()]),
            (third, &[insts[3]]),
            (second, &[insts[0], insts[2], body.terminator(second).unwrap()]),
        ],
    );
    body.edit().merge_into_predecessor(second);
    body.edit().merge_into_predecessor(third);
    check(&body, &[(entry, &[insts[1], insts[0], insts[2], insts[3]])]);
}

#[test]
fn blocks_are_inserted_and_moved() {
    let (mut body, entry, insts) = straight(0);
    let mut e = body.edit();
    let last = e.append_block();
    let before = e.insert_block_before(last);
    let after = e.insert_block_after(entry);
    let many = e.insert_blocks_after(entry, 2);
    let at = |body: &Body, order: [Block; 5]| {
        let mut expected: Vec<(Block, &[Inst])> = vec![(entry, &insts)];
        expected.extend(order.map(|block| (block, &[][..])));
        check(body, &expected);
    };
    at(&body, [many[0], many[1], after, before, last]);
    body.edit().move_block_after(many[0], last);
    at(&body, [many[1], after, before, last, many[0]]);
    body.edit().move_block_after(last, entry);
    at(&body, [last, many[1], after, before, many[0]]);
    body.edit().move_block_after(many[1], last);
    at(&body, [last, many[1], after, before, many[0]]);
    body.edit().reorder_blocks(&[entry, before, after, last, many[0], many[1]]);
    at(&body, [before, after, last, many[0], many[1]]);
}

#[test]
fn removed_blocks_leave_the_order() {
    let (mut body, entry, insts) = straight(1);
    let mut e = body.edit();
    let others = e.insert_blocks_after(entry, 4);
    e.remove_blocks(&[others[3], others[0]]);
    check(&body, &[(entry, &insts), (others[1], &[]), (others[2], &[])]);
    body.edit().remove_block(others[1]);
    body.edit().remove_block(others[2]);
    check(&body, &[(entry, &insts)]);
    assert!(others.iter().all(|&block| !body.has_block(block)));
    assert_eq!(body.block_bound(), 5, "side tables stay valid");
}

#[test]
fn removed_instructions_have_no_block() {
    let (mut body, entry, insts) = straight(3);
    for at in [1, 0, 2] {
        body.edit().remove(insts[at]);
        assert!(body.is_removed(insts[at]));
        assert_eq!(body.inst_block(insts[at]), Block::NONE);
    }
    check(&body, &[(entry, &insts[3..])]);
}

#[test]
fn instructions_are_numbered_anew_where_there_is_no_room() {
    let (mut body, entry, insts) = straight(2);
    let mut expected = insts.clone();
    let argument = body.entry_arguments()[0];
    for i in 0..300 {
        let new = NewInst { operands: &[argument], ..NewInst::new(Opcode::DestroyValue) };
        // Always next to the second instruction, on either side.
        let at = expected.iter().position(|&inst| inst == insts[1]).unwrap();
        let point = if i % 3 == 0 { Point::After(insts[1]) } else { Point::Before(insts[1]) };
        let made = body.edit().insert(point, &new);
        expected.insert(if i % 3 == 0 { at + 1 } else { at }, made);
    }
    check(&body, &[(entry, &expected)]);
}

#[test]
fn blocks_are_numbered_anew_where_there_is_no_room() {
    let (mut body, entry, insts) = straight(0);
    let mut blocks: Vec<Block> = (0..300).map(|_| body.edit().insert_block_after(entry)).collect();
    blocks.reverse();
    let mut expected: Vec<(Block, &[Inst])> = vec![(entry, &insts)];
    expected.extend(blocks.iter().map(|&block| (block, &[][..])));
    check(&body, &expected);
}

#[test]
#[should_panic(expected = "the block is part of the body")]
fn no_block_stands_after_a_removed_one() {
    let (mut body, entry, _) = straight(0);
    let block = body.edit().insert_block_after(entry);
    body.edit().remove_block(block);
    body.edit().insert_block_after(block);
}

#[test]
#[should_panic(expected = "the entry stays the first block")]
fn the_entry_does_not_move() {
    let (mut body, entry, _) = straight(0);
    let other = body.edit().append_block();
    body.edit().move_block_after(entry, other);
}

#[test]
#[should_panic(expected = "has one before it")]
fn no_block_stands_before_the_entry() {
    let (mut body, entry, _) = straight(0);
    body.edit().insert_block_before(entry);
}

#[test]
#[should_panic(expected = "the same blocks")]
fn a_new_order_has_the_same_blocks() {
    let (mut body, entry, _) = straight(0);
    body.edit().append_block();
    body.edit().reorder_blocks(&[entry]);
}
