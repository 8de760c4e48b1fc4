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
