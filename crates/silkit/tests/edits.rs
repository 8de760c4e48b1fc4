//! Random changes to bodies keep use lists and predecessor lists as they would be made from scratch.

mod inputs;

use silkit::ir::info::{AttrKind, Results};
use silkit::ir::instructions::{BorrowedFrom, CopyValue, Tuple};
use silkit::ir::{
    ArgFlags, Block, Body, Changes, Cloner, Edge, Editor, Inst, Loc, NONE, Opcode, Operand, Ownership, Point,
    Value,
};
use silkit::text::parse_module;
use silkit::types::{NoFacts, SilType, Type};
use silkit_testkit::random::Random;
use std::collections::{BTreeMap, BTreeSet};

/// Returns the successors of an instruction as its attributes have them.
fn targets(body: &Body, inst: Inst) -> Vec<Block> {
    let mut blocks = Vec::new();
    for (attr, &word) in body.info(inst).attrs.iter().zip(body.words(inst)) {
        let list = |step: usize| body.list(word).iter().skip(step - 1).step_by(step).copied();
        match attr.kind {
            AttrKind::Block => blocks.push(word),
            AttrKind::OptBlock if word != NONE => blocks.push(word),
            AttrKind::ListBlock => blocks.extend(list(1)),
            AttrKind::ListDeclBlock => blocks.extend(list(2)),
            _ => {}
        }
    }
    blocks.into_iter().map(Block::from_u32).collect()
}

/// Compares the lists that the body keeps with ones made from scratch.
fn check(body: &Body) {
    let mut uses: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
    let mut preds: BTreeMap<u32, Vec<Block>> = BTreeMap::new();
    for block in body.blocks() {
        for inst in body.block_insts(block) {
            assert_eq!(body.inst_block(inst), block);
            for operand in body.operand_ids(inst) {
                let value = body.operand(operand).value;
                assert!(uses.entry(value.as_u32()).or_default().insert(operand.as_u32()));
            }
        }
        let last = body.last_inst(block).map(|last| targets(body, last)).unwrap_or_default();
        assert!(body.block_successors(block).eq(last.iter().copied()), "successors of {block}");
        last.iter().for_each(|to| preds.entry(to.as_u32()).or_default().push(block));
    }
    for value in (0..body.value_bound() as u32).map(Value::from_u32) {
        let listed: Vec<u32> = body.uses(value).map(Operand::as_u32).collect();
        let set: BTreeSet<u32> = listed.iter().copied().collect();
        assert_eq!(set.len(), listed.len(), "{value} lists a use twice");
        assert_eq!(set, uses.remove(&value.as_u32()).unwrap_or_default(), "uses of {value}");
    }
    for block in (0..body.block_bound() as u32).map(Block::from_u32) {
        let mut listed: Vec<Block> = body.predecessors(block).collect();
        let mut made = preds.remove(&block.as_u32()).unwrap_or_default();
        listed.sort_unstable();
        made.sort_unstable();
        assert_eq!(listed, made, "predecessors of {block}");
        for edge in body.incoming(block) {
            let from = body.edge(edge).from;
            assert_eq!(body.block_successors(from).nth(body.edge_index(edge)), Some(block));
        }
    }
    body.verify_integrity().unwrap_or_else(|e| panic!("{e}"));
}

/// Changes a body at random places, each time only as its editor allows.
struct Fuzz<'b> {
    e: Editor<'b>,
    random: Random,
}

impl Fuzz<'_> {
    fn block(&mut self) -> Block {
        *self.random.pick(&self.e.blocks().collect::<Vec<_>>()).expect("a block")
    }

    fn inst(&mut self) -> Option<Inst> {
        let block = self.block();
        let insts: Vec<Inst> = self.e.block_insts(block).collect();
        self.random.pick(&insts).copied()
    }

    /// Any value that is part of the body.
    fn value(&mut self) -> Option<Value> {
        let block = self.block();
        let mut values = self.e.arguments(block).to_vec();
        values.extend(self.e.block_insts(block).flat_map(|i| self.e.results(i)));
        self.random.pick(&values).copied()
    }

    fn edge(&mut self) -> Option<Edge> {
        let block = self.block();
        let edges: Vec<Edge> = self.e.incoming(block).collect();
        self.random.pick(&edges).copied()
    }

    fn is_terminator(&self, inst: Inst) -> bool {
        self.e.inst(inst).opcode.is_terminator()
    }

    /// Returns a point before a terminator.
    fn point(&mut self) -> Option<Point> {
        let inst = self.inst()?;
        Some(match self.random.below(3) {
            0 if !self.is_terminator(inst) => Point::After(inst),
            1 => Point::Start(self.e.inst_block(inst)),
            _ => Point::Before(inst),
        })
    }

    /// Makes one change; `None` where the place that chance chose does not allow it.
    fn change(&mut self, kind: usize) -> Option<()> {
        match kind {
            0..=3 => self.make(kind),
            4 => {
                let (inst, point) = (self.inst()?, self.point()?);
                let stays = point == Point::Before(inst) || point == Point::After(inst);
                (!stays && !self.is_terminator(inst)).then(|| self.e.move_inst(inst, point))
            }
            5 => {
                let inst = self.inst()?;
                let is_used = self.e.results(inst).any(|v| self.e.is_used(v));
                (!is_used && !self.is_terminator(inst)).then(|| self.e.remove(inst))
            }
            6 => {
                let (old, new) = (self.value()?, self.value()?);
                self.e.replace_all_uses(old, new);
                Some(())
            }
            7 => {
                let (inst, value) = (self.inst()?, self.value()?);
                let operands: Vec<Operand> = self.e.operand_ids(inst).collect();
                let operand = *self.random.pick(&operands)?;
                self.e.set_operand(operand, value);
                Some(())
            }
            8 => {
                let (inst, value) = (self.inst()?, self.value()?);
                let mut lists = self.e.operand_lists(inst);
                if self.e.info(inst).name == "tuple" {
                    lists[0].push(value);
                }
                lists.iter_mut().flatten().for_each(|v| *v = value);
                let lists: Vec<&[Value]> = lists.iter().map(Vec::as_slice).collect();
                self.e.set_operands(inst, &lists);
                Some(())
            }
            9..=13 => self.change_blocks(kind),
            14..=17 => self.change_arguments(kind),
            _ => self.copy(),
        }
    }

    fn make(&mut self, kind: usize) -> Option<()> {
        let (value, other, point) = (self.value()?, self.value()?, self.point()?);
        let ty = self.e.value(value).ty;
        let mut b = self.e.builder_at(point, &NoFacts);
        match kind {
            0 => _ = b.build(Tuple::new(&[value, other])),
            1 => _ = b.build_typed(CopyValue::new(value), &[ty]).ok()?,
            2 => _ = b.build_typed(BorrowedFrom::new(value, &[other, value]), &[ty]).ok()?,
            _ => _ = b.integer_literal(SilType::object(Type::builtin("Int8")), "1"),
        }
        Some(())
    }

    fn change_blocks(&mut self, kind: usize) -> Option<()> {
        match kind {
            9 => {
                let inst = self.inst()?;
                _ = self.e.split_block_with_branch(inst, Loc::NONE);
            }
            10 => {
                let edge = self.edge()?;
                let data = self.e.edge(edge).clone();
                let terminator = self.e.terminator(data.from)?;
                let passed = self.e.edge_args(terminator, self.e.edge_index(edge)).len();
                if passed != self.e.arguments(data.to).len() {
                    return None;
                }
                _ = self.e.split_edge(edge, Loc::NONE);
            }
            11 => {
                let block = self.block();
                let pred = self.e.single_predecessor(block).filter(|&p| p != block)?;
                let is_entry = self.e.is_entry_block(block);
                if is_entry || self.e.inst(self.e.terminator(pred)?).opcode != Opcode::Branch {
                    return None;
                }
                _ = self.e.merge_into_predecessor(block);
            }
            12 => {
                let mut order: Vec<Block> = self.e.blocks().collect();
                self.random.shuffle(&mut order[1..]);
                self.e.reorder_blocks(&order);
            }
            _ => {
                let block = self.block();
                let is_free = self.e.predecessors(block).all(|p| p == block) && !self.e.is_entry_block(block);
                let is_outside = |&user: &Inst| self.e.inst_block(user) != block;
                let mut values: Vec<Value> = self.e.arguments(block).to_vec();
                values.extend(self.e.block_insts(block).flat_map(|i| self.e.results(i)));
                let is_used = values.iter().flat_map(|&v| self.e.users(v)).any(|user| is_outside(&user));
                (is_free && !is_used).then(|| self.e.remove_block(block))?;
            }
        }
        Some(())
    }

    fn change_arguments(&mut self, kind: usize) -> Option<()> {
        let block = self.block();
        let is_entry = self.e.is_entry_block(block);
        let passes = |e: &Editor<'_>, edge: Edge| {
            let opcode = e.terminator(e.edge(edge).from).map(|t| e.inst(t).opcode);
            matches!(opcode, Some(Opcode::Branch | Opcode::CondBranch))
        };
        match kind {
            14 => {
                let value = self.value()?;
                if is_entry || !self.e.incoming(block).all(|edge| passes(&self.e, edge)) {
                    return None;
                }
                let ty = self.e.value(value).ty;
                _ = self.e.add_phi(block, ty, Ownership::None, ArgFlags::empty(), |_, _| value);
            }
            15 => {
                let unused: Vec<usize> = (0..self.e.arguments(block).len())
                    .filter(|&i| !self.e.is_used(self.e.arguments(block)[i]))
                    .collect();
                let index = *self.random.pick(&unused)?;
                self.e.remove_argument(block, index);
            }
            16 => {
                let target = self.block();
                let edge = self.edge()?;
                let terminator = self.e.terminator(self.e.edge(edge).from)?;
                self.e.set_successor(terminator, self.e.edge_index(edge), target);
            }
            _ => {
                let target = self.block();
                self.e.redirect(block, target);
            }
        }
        Some(())
    }

    fn copy(&mut self) -> Option<()> {
        if self.e.inst_bound() > 3000 {
            return None;
        }
        let mut region = vec![self.block(), self.block()];
        region.dedup();
        let after = self.block();
        let copies = Cloner::within().blocks(&mut self.e, &region, after);
        assert_eq!(copies.len(), region.len());
        Some(())
    }
}

#[test]
fn lists_stay_as_if_made_from_scratch() {
    let mut done = vec![0; 20];
    for (name, text) in inputs::all(0) {
        let module = parse_module(&text).module;
        let functions = module.functions.values().filter(|f| f.body.is_some());
        for (number, function) in functions.enumerate() {
            let mut body = function.body.clone().expect("a body");
            let mut fuzz = Fuzz { e: body.edit(), random: Random::new(number as u64) };
            for _ in 0..150 {
                let kind = fuzz.random.below(19);
                let epoch = fuzz.e.epoch();
                if fuzz.change(kind).is_some() {
                    done[kind] += 1;
                    check(&fuzz.e);
                } else {
                    assert_eq!(fuzz.e.changes_since(epoch), Changes::empty(), "{name} @{}", function.name);
                }
            }
            let copy = Cloner::of(&body).body();
            check(&copy);
            let ends =
                |body: &Body| body.insts().filter(|&i| body.info(i).results == Results::Terminator).count();
            assert_eq!(ends(&copy), ends(&body));
        }
    }
    eprintln!("{done:?}");
    assert!(done[..19].iter().all(|&n| n > 20), "{done:?}");
}
