//! Tests of bodies for which analyses have a path of their own: without blocks, of one block, with unreachable blocks,
//! and with more blocks than fit in a machine word.

use crate::{
    Begin, BlockOrder, ChosenDominators, Coherence, ColdBlocks, Components, DeadEnds, Dominators, Frontiers,
    PostDominators, ScopeError, Scopes,
};
use silkit_ir::{Block, Body, Inst, Opcode};

/// Parses a body without arguments.
fn parse(blocks: &str) -> Body {
    let text = format!("sil @f : $@convention(thin) () -> () {{\n{blocks}}}\n");
    let parsed = silkit_text::parse_module(&text);
    assert!(parsed.errors.is_empty(), "{:?}", parsed.errors);
    parsed.module.functions.values().find_map(|f| f.body.clone()).expect("a body")
}

const RETURN: &str = "  %r = tuple ()\n  return %r\n";

/// Checks all analyses of a body whose only reachable block is its entry.
fn only_the_entry_is_reachable(body: &Body, is_in_cycle: bool, is_dead_end: bool) {
    let entry = body.entry_block().expect("an entry");
    let others: Vec<Block> = body.blocks().filter(|&block| block != entry).chain([Block::NONE]).collect();
    assert_eq!(body.reverse_postorder(), [entry]);

    let order = BlockOrder::compute(body);
    assert_eq!((order.blocks(), order.position(entry)), (&[entry][..], Some(0)));
    assert!(others.iter().all(|&block| !order.is_reachable(block)));

    let dominators = Dominators::compute(body);
    assert_eq!((dominators.immediate(entry), dominators.dominated(entry)), (None, Some(0..1)));
    assert!(dominators.dominates(entry, entry) && dominators.is_reachable(entry));
    assert_eq!(dominators.preorder().collect::<Vec<_>>(), [entry]);
    assert!(others.iter().all(|&block| !dominators.is_reachable(block)));

    let frontiers = Frontiers::compute(body, &dominators, 0).expect("no members");
    assert!(frontiers.of(entry).is_empty() && frontiers.of(Block::NONE).is_empty());
    let mut chosen = ChosenDominators::new(&dominators);
    assert_eq!(chosen.nearest(&dominators, entry), None);
    for _ in 0..2 {
        chosen.insert(&dominators, entry);
        assert_eq!(chosen.nearest(&dominators, entry), Some(entry));
        chosen.clear();
        assert_eq!(chosen.nearest(&dominators, entry), None);
    }

    let components = Components::compute(body);
    assert_eq!((components.count(), components.component(entry)), (1, Some(0)));
    assert_eq!(components.is_in_cycle(entry), is_in_cycle);
    assert!(others.iter().all(|&b| components.component(b).is_none() && !components.is_in_cycle(b)));

    let dead_ends = DeadEnds::compute(body);
    assert_eq!(dead_ends.is_dead_end(entry), is_dead_end);
    assert!(dead_ends.is_dead_end(Block::NONE));

    let endless = PostDominators::compute_with_endless_loops(body);
    assert!(endless.post_dominated(entry).is_some());
    let post = PostDominators::compute(body);
    assert_eq!(post.post_dominated(entry).is_some(), !is_in_cycle);
}

#[test]
fn a_body_without_blocks() {
    let body = Body::new();
    assert!(body.reverse_postorder().is_empty());
    assert!(BlockOrder::compute(&body).blocks().is_empty());
    let dominators = Dominators::compute(&body);
    assert_eq!(dominators.preorder().count(), 0);
    assert_eq!(PostDominators::compute(&body).preorder().count(), 0);
    assert_eq!(PostDominators::compute_with_endless_loops(&body).preorder().count(), 0);
    assert!(Frontiers::compute(&body, &dominators, 0).is_some());
    assert_eq!(ChosenDominators::new(&dominators).nearest(&dominators, Block::NONE), None);
    assert_eq!(Components::compute(&body).count(), 0);
    let dead_ends = DeadEnds::compute(&body);
    assert!(!dead_ends.any());
    let _ = Scopes::new(&body, &dead_ends);
}

#[test]
fn a_body_of_one_block() {
    let body = parse(&format!("bb0:\n{RETURN}"));
    only_the_entry_is_reachable(&body, false, false);
    assert!(!DeadEnds::compute(&body).any());
    let body = parse("bb0:\n  unreachable\n");
    only_the_entry_is_reachable(&body, false, true);
    assert!(DeadEnds::compute(&body).any());
}

#[test]
fn a_block_that_is_its_own_successor() {
    only_the_entry_is_reachable(&parse("bb0:\n  br bb0\n"), true, true);
}

#[test]
fn unreachable_blocks_next_to_one_reachable_block() {
    let body = parse(&format!("bb0:\n{RETURN}bb1:\n  br bb2\nbb2:\n  br bb1\nbb3:\n  unreachable\n"));
    only_the_entry_is_reachable(&body, false, false);
    let dead_ends = DeadEnds::compute(&body);
    assert!(dead_ends.any() && body.blocks().skip(1).all(|block| dead_ends.is_dead_end(block)));
    // A predecessor that is unreachable.
    let body = parse("bb0:\n  br bb0\nbb1:\n  br bb0\n");
    only_the_entry_is_reachable(&body, true, true);
}

#[test]
fn more_blocks_than_bits_of_a_word() {
    // Each block branches to the next one and to a common end, except for an infinite loop at the end.
    let count = 150;
    let mut text = String::from("bb0:\n  br bb1\n");
    for at in 1..count {
        let next = at + 1;
        text += &format!("bb{at}:\n  %c{at} = integer_literal $Builtin.Int1, 0\n");
        text += &format!("  cond_br %c{at}, bb{next}, bb{}\n", count + 1);
    }
    text +=
        &format!("bb{count}:\n  br bb{count}\nbb{}:\n{RETURN}bb{}:\n  unreachable\n", count + 1, count + 2);
    let body = parse(&text);
    let blocks: Vec<Block> = body.blocks().collect();
    let (order, dominators) = (BlockOrder::compute(&body), Dominators::compute(&body));
    let (components, dead_ends) = (Components::compute(&body), DeadEnds::compute(&body));
    let frontiers = Frontiers::compute(&body, &dominators, usize::MAX).expect("no limit");
    assert_eq!((order.blocks().len(), components.count()), (count + 2, count + 2));
    for (at, &block) in blocks.iter().enumerate() {
        assert_eq!(order.is_reachable(block), at <= count + 1, "{at}");
        assert_eq!(components.is_in_cycle(block), at == count, "{at}");
        assert_eq!(dead_ends.is_dead_end(block), at == count || at == count + 2, "{at}");
        let above = if at == count + 1 { Some(1) } else { at.checked_sub(1).filter(|_| at <= count) };
        assert_eq!(dominators.immediate(block), above.map(|above| blocks[above]), "{at}");
        let expected: &[Block] = match at {
            _ if at == count => &blocks[count..=count],
            _ if at > 1 && at < count => &blocks[count + 1..count + 2],
            _ => &[],
        };
        assert_eq!(frontiers.of(block), expected, "{at}");
    }
    let endless = PostDominators::compute_with_endless_loops(&body);
    assert!(endless.post_dominated(blocks[count]).is_some());
    crate::testing::each_view(&format!("sil @f : $@convention(thin) () -> () {{\n{text}}}\n"), |view| {
        let cold = ColdBlocks::compute(view);
        let found: Vec<bool> = view.body.blocks().map(|block| cold.is_cold(block)).collect();
        assert_eq!(found.iter().position(|&is_cold| is_cold), Some(count + 2));
    });
}

/// Returns the instructions of a kind.
fn insts(body: &Body, opcode: Opcode) -> Vec<Inst> {
    body.insts().filter(|&inst| body.inst(inst).opcode == opcode).collect()
}

#[test]
fn a_scope_with_many_ends_in_a_block() {
    let ends = "  dealloc_stack %s\n";
    let begin = "  %s = alloc_stack $Builtin.Int1\n";
    let text = format!(
        "bb0:\n  br bb1\nbb1:\n{ends}{begin}{}{RETURN}bb2:\n{ends}  br bb3\nbb3:\n  unreachable\n",
        ends.repeat(5)
    );
    let body = parse(&text);
    let dead_ends = DeadEnds::compute(&body);
    let (begin, ends) = (insts(&body, Opcode::AllocStack)[0], insts(&body, Opcode::DeallocStack));
    let block = body.inst_block(begin);
    let mut scopes = Scopes::new(&body, &dead_ends);
    // The order of the ends does not matter; the one in an unreachable block is ignored.
    let mut given = ends.clone();
    given.reverse();
    given.rotate_left(3);
    for _ in 0..2 {
        let twice =
            |pair: &[Inst]| ScopeError::EndedTwice { first: pair[0], second: pair[1], path: vec![block] };
        let mut expected = vec![ScopeError::Undominated(ends[0])];
        expected.extend(ends[1..6].windows(2).map(twice));
        assert_eq!(scopes.check(Begin::After(begin), &given, Coherence::Required), expected);
        let inside: Vec<Inst> = body.insts().filter(|&inst| scopes.contains(inst)).collect();
        assert_eq!(inside, ends[1..2]);
        assert_eq!(scopes.blocks().collect::<Vec<_>>(), [block]);
        // The next check does not know the ends of this one.
        let leak = scopes.check(Begin::After(begin), &[ends[6]], Coherence::Required);
        assert_eq!(leak, [ScopeError::Leak { path: vec![block] }]);
    }
}

#[test]
fn a_scope_with_many_ends_in_later_blocks() {
    let ends = "  dealloc_stack %s\n";
    let text = format!(
        "bb0:\n  %c = integer_literal $Builtin.Int1, 0\n  %s = alloc_stack $Builtin.Int1\n  \
         cond_br %c, bb1, bb2\nbb1:\n{}  br bb3\nbb2:\n{ends}  br bb3\nbb3:\n{ends}{RETURN}",
        ends.repeat(2)
    );
    let body = parse(&text);
    let blocks: Vec<Block> = body.blocks().collect();
    let dead_ends = DeadEnds::compute(&body);
    let (begin, ends) = (insts(&body, Opcode::AllocStack)[0], insts(&body, Opcode::DeallocStack));
    let mut scopes = Scopes::new(&body, &dead_ends);
    let twice = |first: usize, second: usize, path: &[usize]| ScopeError::EndedTwice {
        first: ends[first],
        second: ends[second],
        path: path.iter().map(|&at| blocks[at]).collect(),
    };
    let found = scopes.check(Begin::After(begin), &ends, Coherence::Required);
    // The last end of a block is the one from which later blocks are reached, and their first end is reached.
    let mut expected = vec![twice(0, 1, &[1])];
    let mut preds: Vec<ScopeError> = body
        .predecessors(blocks[3])
        .map(|pred| if pred == blocks[1] { twice(1, 3, &[1, 3]) } else { twice(2, 3, &[2, 3]) })
        .collect();
    expected.append(&mut preds);
    assert_eq!(found, expected);
    assert!(scopes.contains(ends[0]) && !scopes.contains(ends[1]));
    assert!(scopes.contains(ends[2]) && scopes.contains(ends[3]));
    let mut open: Vec<Block> = scopes.blocks().collect();
    open.sort_unstable();
    assert_eq!(open, blocks);
}
