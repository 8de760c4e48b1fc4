//! Every editing function keeps the links of a body consistent and records its changes.

use super::*;
use crate::body::{ArgFlags, BodyBuilder, NewInst, Ownership};
use crate::generated::Opcode;
use silkit_types::{SilType, Type};

fn int1() -> SilType {
    SilType::object(Type::builtin("Int1"))
}

fn copy(editor: &mut Editor<'_>, at: Point, value: Value) -> Value {
    let new = NewInst { operands: &[value], results: &[int1()], ..NewInst::new(Opcode::CopyValue) };
    let inst = editor.insert(at, &new);
    editor.first_result(inst).unwrap()
}

fn def(body: &Body, value: Value) -> Inst {
    match body.def(value) {
        crate::ValueDef::Result(inst, _) => inst,
        other => panic!("{other:?}"),
    }
}

/// bb0(%c, %d): cond_br %c, bb1(%d), bb2; bb1(%x): br bb3(%x); bb2: br bb3(%d); bb3(%p): return %p
fn diamond() -> (Body, [Block; 4], [Value; 4]) {
    let mut b = BodyBuilder::new();
    let blocks = [b.new_block(), b.new_block(), b.new_block(), b.new_block()];
    blocks.iter().for_each(|&block| b.append_block(block));
    let arg =
        |b: &mut BodyBuilder, i: usize| b.add_argument(blocks[i], int1(), Ownership::None, ArgFlags::empty());
    let values = [arg(&mut b, 0), arg(&mut b, 0), arg(&mut b, 1), arg(&mut b, 3)];
    let [c, d, x, p] = values;
    let [_, bb1, bb2, bb3] = blocks.map(|b| b.as_u32());
    let counts = b.new_list(&[]);
    let words: Vec<u32> = Opcode::CondBranch
        .info()
        .attrs
        .iter()
        .map(|a| match a.name {
            "true_target" => bb1,
            "false_target" => bb2,
            "true_args_count" => 1,
            "counts" => counts,
            _ => 0,
        })
        .collect();
    b.append_inst(
        blocks[0],
        &NewInst { operands: &[c, d], words: &words, ..NewInst::new(Opcode::CondBranch) },
    );
    for (block, value) in [(blocks[1], x), (blocks[2], d)] {
        b.append_inst(block, &NewInst { operands: &[value], words: &[bb3], ..NewInst::new(Opcode::Branch) });
    }
    b.append_inst(blocks[3], &NewInst { operands: &[p], ..NewInst::new(Opcode::Return) });
    (b.finish(), blocks, values)
}

#[test]
fn builds_edges_newest_first() {
    let (body, [bb0, bb1, bb2, bb3], [c, d, ..]) = diamond();
    assert_eq!(body.block_successors(bb0).collect::<Vec<_>>(), [bb1, bb2]);
    assert_eq!(body.predecessors(bb3).collect::<Vec<_>>(), [bb2, bb1]);
    assert_eq!(body.single_predecessor(bb1), Some(bb0));
    assert_eq!(body.single_successor(bb1), Some(bb3));
    let terminator = body.terminator(bb0).unwrap();
    assert_eq!(body.edge_args(terminator, 0).collect::<Vec<_>>(), [d]);
    assert_eq!(body.edge_args(terminator, 1).len(), 0);
    assert!(body.has_single_use(c));
}

#[test]
fn inserts_moves_and_removes_instructions() {
    let (mut body, [bb0, _, _, bb3], [c, ..]) = diamond();
    let mut e = body.edit();
    let cond_br = e.terminator(bb0).unwrap();
    let first = copy(&mut e, Point::Before(cond_br), c);
    let after = Point::After(def(&e, first));
    let second = copy(&mut e, after, first);
    let third = copy(&mut e, Point::Start(bb0), c);
    let order: Vec<Inst> = e.block_insts(bb0).collect();
    assert_eq!(order, [def(&e, third), def(&e, first), def(&e, second), cond_br]);
    assert_eq!(e.users(c).collect::<Vec<_>>(), [def(&e, third), def(&e, first), cond_br], "newest first");
    let inst = def(&e, third);
    e.move_inst(inst, Point::Start(bb3));
    assert_eq!(e.inst_block(inst), bb3);
    e.verify_integrity().unwrap();
    e.replace_all_uses(c, first);
    assert_eq!(e.users(first).collect::<Vec<_>>(), [cond_br, def(&e, first), inst, def(&e, second)]);
    e.replace_all_uses(first, c);
    for value in [second, first, third] {
        let inst = def(&e, value);
        e.remove(inst);
        assert_eq!(e.inst_block(inst), Block::NONE);
    }
    e.verify_integrity().unwrap();
}

#[test]
#[should_panic(expected = "has no uses")]
fn does_not_remove_what_is_used() {
    let (mut body, [bb0, ..], [c, ..]) = diamond();
    let mut e = body.edit();
    let first = copy(&mut e, Point::Start(bb0), c);
    let after = Point::After(def(&e, first));
    copy(&mut e, after, first);
    let inst = def(&e, first);
    e.remove(inst);
}

#[test]
#[should_panic(expected = "nothing stands after a terminator")]
fn nothing_follows_a_terminator() {
    let (mut body, [bb0, ..], [c, ..]) = diamond();
    copy(&mut body.edit(), Point::End(bb0), c);
}

#[test]
fn arguments_go_with_their_edges() {
    let (mut body, [bb0, bb1, bb2, bb3], [c, d, x, p]) = diamond();
    let mut e = body.edit();
    let q = e.add_phi(bb3, int1(), Ownership::None, ArgFlags::empty(), |e, edge| {
        if e.edge(edge).from == bb1 { c } else { d }
    });
    assert_eq!(e.arguments(bb3), [p, q]);
    let passed = |e: &Editor<'_>, block| e.edge_args(e.terminator(block).unwrap(), 0).collect::<Vec<_>>();
    assert_eq!((passed(&e, bb1), passed(&e, bb2)), (vec![x, c], vec![d, d]));
    e.verify_integrity().unwrap();
    e.replace_all_uses(p, q);
    e.remove_argument(bb3, 0);
    assert_eq!(e.arguments(bb3), [q]);
    assert_eq!((passed(&e, bb1), passed(&e, bb2)), (vec![c], vec![d]));
    let edge = e.incoming(bb3).find(|&edge| e.edge(edge).from == bb2).unwrap();
    assert_eq!(e.operand(e.edge_operand(edge, 0).unwrap()).value, d);
    assert_eq!(e.block_successors(bb0).len(), 2);
    e.verify_integrity().unwrap();
}

#[test]
fn splits_merges_and_redirects() {
    let (mut body, [bb0, bb1, bb2, bb3], [c, d, x, _]) = diamond();
    let mut e = body.edit();
    let edge = e.incoming(bb1).next().unwrap();
    let middle = e.split_edge(edge, Loc::NONE);
    assert!(e.blocks().eq([bb0, middle, bb1, bb2, bb3]));
    assert_eq!(e.single_predecessor(bb1), Some(middle));
    e.verify_integrity().unwrap();
    e.merge_into_predecessor(bb1);
    assert!(!e.is_used(x), "its uses take what was passed");
    assert!(e.blocks().eq([bb0, middle, bb2, bb3]));
    e.verify_integrity().unwrap();

    let value = copy(&mut e, Point::Start(bb2), c);
    let inst = def(&e, value);
    let rest = e.split_block_with_branch(inst, Loc::NONE);
    assert_eq!(e.single_successor(bb2), Some(rest));
    assert_eq!(e.inst_block(inst), rest);
    assert!(e.predecessors(bb3).eq([middle, rest]) || e.predecessors(bb3).eq([rest, middle]));
    e.verify_integrity().unwrap();

    e.redirect(bb2, middle);
    assert_eq!(e.block_successors(bb0).collect::<Vec<_>>(), [middle, middle]);
    e.remove_blocks(&[bb2, rest]);
    assert!(e.blocks().eq([bb0, middle, bb3]));
    assert_eq!(e.single_predecessor(bb3), Some(middle));
    e.reorder_blocks(&[bb0, bb3, middle]);
    e.move_block_after(middle, bb0);
    assert!(e.blocks().eq([bb0, middle, bb3]));
    let terminator = e.terminator(middle).unwrap();
    assert_eq!(e.edge_args(terminator, 0).collect::<Vec<_>>(), [d]);
    e.verify_integrity().unwrap();
}

#[test]
fn removes_a_cycle_of_blocks() {
    let (mut body, [bb0, bb1, bb2, bb3], [_, d, ..]) = diamond();
    let mut e = body.edit();
    let branch = e.terminator(bb1).unwrap();
    e.remove(branch);
    e.insert_branch(bb1, bb1, &[d], Loc::NONE);
    let cond_br = e.terminator(bb0).unwrap();
    e.remove(cond_br);
    e.insert_branch(bb0, bb2, &[], Loc::NONE);
    e.remove_block(bb1);
    assert!(e.blocks().eq([bb0, bb2, bb3]));
    e.verify_integrity().unwrap();
}

#[test]
fn remembers_what_changed_and_when() {
    let (mut body, [bb0, bb1, _, _], [c, ..]) = diamond();
    let start = body.epoch();
    assert_eq!(body.changes_since(start), Changes::empty());
    let mut e = body.edit();
    let value = copy(&mut e, Point::Start(bb0), c);
    assert_eq!(e.changes_since(start), Changes::INSTRUCTIONS);
    let after = e.epoch();
    let inst = def(&e, value);
    e.split_block_with_branch(inst, Loc::NONE);
    assert_eq!(e.changes_since(after), Changes::INSTRUCTIONS | Changes::BRANCHES);
    assert_eq!(e.changes_since(e.epoch()), Changes::empty());
    let before = e.epoch();
    let (other, ..) = diamond();
    e.replace_body(other);
    assert_eq!(e.changes_since(before), Changes::all());
    assert_eq!(e.arguments(bb1).len(), 1);
}

/// Returns the instructions that a change lists as changed and as having fewer uses.
fn logged(body: &mut Body, change: impl FnOnce(&mut Editor<'_>)) -> (Vec<Inst>, Vec<Inst>) {
    change(&mut body.edit());
    let mut log = crate::EditLog::default();
    body.take_edits(&mut log);
    (log.changed().to_vec(), log.fewer_uses().to_vec())
}

#[test]
fn edits_are_logged_on_request() {
    let (mut body, blocks, [c, d, ..]) = diamond();
    let first = Point::Start(blocks[0]);
    assert_eq!(logged(&mut body, |e| _ = copy(e, first, c)), (vec![], vec![]));
    body.start_edit_log();
    let mut made = None;
    let (changed, fewer) = logged(&mut body, |e| {
        let one = copy(e, first, c);
        let two = copy(e, Point::After(def(e, one)), one);
        made = Some((one, two));
    });
    let (one, two) = made.unwrap();
    let (first_copy, second_copy) = (def(&body, one), def(&body, two));
    assert_eq!((changed, fewer), (vec![first_copy, second_copy], vec![]));
    // A changed operand: the user changed, and the definition of the old operand has fewer uses.
    let operand = body.operand_id(second_copy, 0);
    assert_eq!(logged(&mut body, |e| e.set_operand(operand, d)), (vec![second_copy], vec![first_copy]));
    assert_eq!(logged(&mut body, |e| e.replace_all_uses(d, one)).1, vec![], "an argument has no instruction");
    // A removed instruction is not changed; its operands have fewer uses.
    assert_eq!(logged(&mut body, |e| e.remove(second_copy)), (vec![], vec![first_copy]));
    // A moved instruction is not changed.
    let end = body.terminator(blocks[0]).unwrap();
    assert_eq!(logged(&mut body, |e| e.move_inst(first_copy, Point::Before(end))), (vec![], vec![]));
    let branch = body.terminator(blocks[1]).unwrap();
    assert_eq!(logged(&mut body, |e| e.set_edge_args(branch, 0, &[one])), (vec![branch], vec![]));
    assert_eq!(logged(&mut body, |e| e.set_edge_args(branch, 0, &[c])), (vec![branch], vec![first_copy]));
    body.stop_edit_log();
    assert_eq!(logged(&mut body, |e| _ = copy(e, first, c)), (vec![], vec![]));
}

#[test]
fn changed_attributes_and_successors_are_logged() {
    let (mut body, [bb0, bb1, ..], [c, d, ..]) = diamond();
    let value = copy(&mut body.edit(), Point::Start(bb0), c);
    let inst = def(&body, value);
    let cast = NewInst {
        operands: &[value],
        results: &[int1()],
        words: &[int1().as_u32()],
        ..NewInst::new(Opcode::UncheckedTrivialBitCast)
    };
    let cast = body.edit().insert(Point::After(inst), &cast);
    let end = body.terminator(bb0).unwrap();
    let no_operand = vec![];
    body.start_edit_log();
    assert_eq!(logged(&mut body, |e| e.set_flags(inst, 0)), (vec![inst], no_operand.clone()));
    let owned = Some(Ownership::Owned);
    assert_eq!(logged(&mut body, |e| e.set_forwarding(cast, owned)), (vec![cast], no_operand.clone()));
    assert_eq!(logged(&mut body, |e| e.set_word(cast, 0, int1().as_u32())), (vec![cast], no_operand.clone()));
    let words = [int1().as_u32()];
    let renamed = logged(&mut body, |e| e.set_opcode(cast, Opcode::UncheckedBitwiseCast, 0, &words));
    assert_eq!(renamed, (vec![cast], no_operand.clone()));
    assert_eq!(logged(&mut body, |e| e.set_successor(end, 1, bb1)), (vec![end], no_operand.clone()));
    // Lists of operands are replaced as a whole: all of the old ones lose a use.
    assert_eq!(logged(&mut body, |e| e.set_operands(cast, &[&[d]])), (vec![cast], vec![inst]));
    // Locations and the types of values are neither.
    let quiet = logged(&mut body, |e| {
        e.set_loc(inst, Loc::NONE);
        e.set_type(value, int1());
        e.split_block(end);
    });
    assert_eq!(quiet, (vec![], no_operand));
}

#[test]
fn edits_are_logged_in_their_order_and_taken_once() {
    let (mut body, [bb0, ..], [c, d, ..]) = diamond();
    let one = copy(&mut body.edit(), Point::Start(bb0), c);
    let two = copy(&mut body.edit(), Point::Start(bb0), c);
    let [first, second] = [one, two].map(|value| def(&body, value));
    let [of_first, of_second] = [first, second].map(|inst| body.operand_id(inst, 0));
    body.start_edit_log();
    let (changed, _) = logged(&mut body, |e| {
        e.set_operand(of_second, d);
        e.set_operand(of_second, one);
        e.set_operand(of_first, d);
        e.set_operand(of_second, d);
    });
    assert_eq!(changed, [second, first, second], "once for edits in a row");
    let mut log = crate::EditLog::default();
    body.take_edits(&mut log);
    assert!(log.changed().is_empty() && log.fewer_uses().is_empty());
    // What is left in the buffer of a worklist is discarded.
    body.edit().set_operand(of_first, one);
    body.take_edits(&mut log);
    body.edit().set_operand(of_second, one);
    body.take_edits(&mut log);
    assert_eq!(log.changed(), [second]);
    body.edit().set_operand(of_second, c);
    body.start_edit_log();
    body.take_edits(&mut log);
    assert!(log.changed().is_empty(), "the log starts empty");
    body.stop_edit_log();
    body.edit().set_operand(of_second, d);
    body.take_edits(&mut log);
    assert!(log.changed().is_empty() && log.fewer_uses().is_empty(), "nothing is logged");
}

#[test]
fn removed_blocks_log_the_operands_that_they_used() {
    let (mut body, blocks, [c, ..]) = diamond();
    let value = copy(&mut body.edit(), Point::Start(blocks[0]), c);
    let user = copy(&mut body.edit(), Point::Start(blocks[1]), value);
    let end = body.terminator(blocks[0]).unwrap();
    body.start_edit_log();
    let (changed, fewer) = logged(&mut body, |e| {
        e.remove(end);
        e.insert_branch(blocks[0], blocks[2], &[], Loc::NONE);
        e.remove_block(blocks[1]);
    });
    assert_eq!(changed, vec![body.terminator(blocks[0]).unwrap()]);
    assert_eq!(fewer, vec![def(&body, value)]);
    assert!(body.is_removed(def(&body, user)));
    assert!(body.layout_key(fewer[0]) < body.layout_key(changed[0]));
}
