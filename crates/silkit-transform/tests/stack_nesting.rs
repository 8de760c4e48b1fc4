//! Stack nesting is checked by following the same random paths in input and output.

use silkit_analysis::DeadEnds;
use silkit_base::FxHashSet;
use silkit_ir::{Block, Body, Inst};
use silkit_transform::stack_nesting::{NestingChanges, NestingError, fix_stack_nesting};
use std::fmt::Write;

/// A small generator of random numbers.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    fn is(&mut self, one_in: usize) -> bool {
        self.below(one_in) == 0
    }
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Step {
    Alloc(usize),
    Dealloc(usize),
    Other,
}

/// A function in the making: the steps of each block and the blocks that follow it. Without any, it returns, or does not.
#[derive(Default)]
struct Graph {
    steps: Vec<Vec<Step>>,
    successors: Vec<Vec<usize>>,
    returns: Option<usize>,
    allocations: usize,
}

impl Graph {
    fn block(&mut self) -> usize {
        self.steps.push(Vec::new());
        self.successors.push(Vec::new());
        self.steps.len() - 1
    }

    /// Creates a function whose allocations nest.
    fn nested(random: &mut Random, size: usize) -> Self {
        let mut graph = Self::default();
        let entry = graph.block();
        let last = graph.fill(random, entry, size, 4);
        graph.returns = Some(last);
        graph
    }

    /// Appends random code to a block and returns the block in which it ends.
    fn fill(&mut self, random: &mut Random, mut block: usize, size: usize, depth: usize) -> usize {
        for _ in 0..=random.below(size) {
            match random.below(if depth == 0 { 2 } else { 7 }) {
                0 => self.steps[block].push(Step::Other),
                1 | 2 => {
                    let number = self.allocations;
                    self.allocations += 1;
                    self.steps[block].push(Step::Alloc(number));
                    if depth > 0 {
                        block = self.fill(random, block, size, depth - 1);
                    }
                    self.steps[block].push(Step::Dealloc(number));
                }
                3 | 4 => {
                    let (left, right, join) = (self.block(), self.block(), self.block());
                    self.successors[block] = vec![left, right];
                    for side in [left, right] {
                        let end = self.fill(random, side, size, depth - 1);
                        self.successors[end] = vec![join];
                    }
                    block = join;
                }
                5 => {
                    let (head, inside, behind) = (self.block(), self.block(), self.block());
                    self.successors[block] = vec![head];
                    self.successors[head] = vec![inside, behind];
                    let end = self.fill(random, inside, size, depth - 1);
                    self.successors[end] = vec![head];
                    block = behind;
                }
                _ => {
                    // A dead end: a trap, or a loop that never ends; perhaps one that others go to as well.
                    let (on, dead) = (self.block(), self.block());
                    self.successors[block] = vec![dead, on];
                    let end = self.fill(random, dead, size, depth - 1);
                    if self.successors[end].is_empty() && random.is(2) {
                        let (number, endless) = (self.allocations, self.block());
                        self.allocations += 1;
                        self.steps[endless] = vec![Step::Alloc(number), Step::Dealloc(number)];
                        self.successors[end] = vec![endless];
                        self.successors[endless] = vec![endless];
                    }
                    block = on;
                }
            }
        }
        block
    }

    fn predecessors(&self) -> Vec<Vec<usize>> {
        let mut all = vec![Vec::new(); self.steps.len()];
        for (from, successors) in self.successors.iter().enumerate() {
            successors.iter().for_each(|&to| all[to].push(from));
        }
        all
    }

    fn is_dead_end(&self) -> Vec<bool> {
        let predecessors = self.predecessors();
        let mut dead = vec![true; self.steps.len()];
        let mut work: Vec<usize> = self.returns.into_iter().collect();
        while let Some(block) = work.pop() {
            if std::mem::replace(&mut dead[block], false) {
                work.extend(&predecessors[block]);
            }
        }
        dead
    }

    /// Moves deallocations so that the allocations are only jointly post-dominated: earlier in their blocks, or into
    /// successors, some of which are dead ends and do without.
    fn disturb(&mut self, random: &mut Random) {
        let (predecessors, dead) = (self.predecessors(), self.is_dead_end());
        for _ in 0..4 * self.steps.len() {
            let block = random.below(self.steps.len());
            let deallocs: Vec<usize> = (0..self.steps[block].len())
                .filter(|&i| matches!(self.steps[block][i], Step::Dealloc(_)))
                .collect();
            if deallocs.is_empty() {
                continue;
            }
            let at = deallocs[random.below(deallocs.len())];
            let Step::Dealloc(number) = self.steps[block][at] else { continue };
            if random.is(2) {
                let earliest = self.steps[block]
                    .iter()
                    .position(|s| *s == Step::Alloc(number))
                    .map_or(0, |position| position + 1);
                let to = earliest + random.below(at - earliest + 1);
                let step = self.steps[block].remove(at);
                self.steps[block].insert(to, step);
            } else if !self.successors[block].is_empty()
                && self.successors[block].iter().all(|&s| s != block && predecessors[s].len() == 1)
            {
                let step = self.steps[block].remove(at);
                for next in self.successors[block].clone() {
                    // Only on the way into a dead-end region from outside it may be dropped.
                    if dead[block] || !dead[next] || random.is(2) {
                        let to = random.below(self.steps[next].len() + 1);
                        self.steps[next].insert(to, step);
                    }
                }
            }
        }
    }

    /// Merges the tails of dead ends.
    fn join_dead_ends(&mut self, random: &mut Random) {
        let ends: Vec<usize> = (0..self.steps.len())
            .filter(|&b| self.successors[b].is_empty() && self.returns != Some(b))
            .collect();
        if ends.len() > 1 && random.is(2) {
            let shared = self.block();
            let number = self.allocations;
            self.allocations += 1;
            self.steps[shared] = vec![Step::Alloc(number), Step::Other, Step::Dealloc(number)];
            for end in ends {
                self.successors[end] = vec![shared];
            }
        }
    }

    fn text(&self) -> String {
        let mut text = "import Builtin\nsil @f : $@convention(thin) (Builtin.Int1) -> () {\n".to_owned();
        for (block, steps) in self.steps.iter().enumerate() {
            text += if block == 0 { "bb0(%c : $Builtin.Int1):\n" } else { "" };
            let _ = if block > 0 { writeln!(text, "bb{block}:") } else { Ok(()) };
            for step in steps {
                let _ = match step {
                    Step::Alloc(n) => writeln!(text, "  %a{n} = alloc_stack $Builtin.Int1"),
                    Step::Dealloc(n) => writeln!(text, "  dealloc_stack %a{n}"),
                    Step::Other => writeln!(text, "  cond_fail %c, \"x\""),
                };
            }
            let _ = match self.successors[block][..] {
                [] if self.returns == Some(block) => writeln!(text, "  %r = tuple ()\n  return %r"),
                [] => writeln!(text, "  unreachable"),
                [to] => writeln!(text, "  br bb{to}"),
                [yes, no, ..] => writeln!(text, "  cond_br %c, bb{yes}, bb{no}"),
            };
        }
        text + "}\n"
    }
}

fn body(text: &str) -> Body {
    let parsed = silkit_text::parse_module(text);
    assert!(parsed.errors.is_empty(), "{:?}\n{text}", parsed.errors.first());
    let mut module = parsed.module;
    module.functions.values_mut().find_map(|f| f.body.take()).expect("a body")
}

/// Returns what happens to the stack in a block: deallocations in groups, each before an instruction of another kind.
fn groups(body: &Body, block: Block) -> Vec<(Vec<Inst>, Inst)> {
    let mut groups = Vec::new();
    let mut group = Vec::new();
    for inst in body.block_insts(block) {
        match body.paired_allocation(inst, false) {
            Some(allocation) => group.push(allocation),
            None => groups.push((std::mem::take(&mut group), inst)),
        }
    }
    groups
}

/// Follows a path of at most so many blocks in both bodies.
fn follow(input: &Body, output: &Body, random: &mut Random, length: usize) {
    let dead_ends = DeadEnds::compute(input);
    let (mut active, mut stack): (FxHashSet<Inst>, Vec<Inst>) = Default::default();
    let mut block = input.entry_block().expect("an entry");
    for _ in 0..length {
        let (before, after) = (groups(input, block), groups(output, block));
        assert_eq!(before.len(), after.len(), "other instructions stay");
        for ((gone, inst), (popped, same)) in before.into_iter().zip(after) {
            assert_eq!(inst, same, "other instructions stay in their order");
            gone.iter().for_each(|allocation| assert!(active.remove(allocation), "the input is well-formed"));
            for allocation in popped {
                assert_eq!(stack.pop(), Some(allocation), "a deallocation is of the last allocation");
            }
            assert!(active.iter().all(|a| stack.contains(a)), "what is active stays allocated");
            // In a dead end, paths may disagree about what is pending.
            if !dead_ends.is_dead_end(block) {
                assert!(stack.last().is_none_or(|top| active.contains(top)), "nothing is deallocated late");
            }
            if input.stack_allocated(inst, false).is_some() {
                active.insert(inst);
                stack.push(inst);
            }
            assert!(!input.is_function_exit(inst) || stack.is_empty(), "nothing is left");
        }
        let successors: Vec<Block> = input.block_successors(block).collect();
        if successors.is_empty() {
            return;
        }
        block = successors[random.below(successors.len())];
    }
}

#[test]
fn random_functions_nest_on_every_path() {
    let mut changed = 0;
    for seed in 0..150 {
        let mut random = Random(seed);
        let mut graph = Graph::nested(&mut random, 2 + seed as usize % 4);
        graph.join_dead_ends(&mut random);
        graph.disturb(&mut random);
        let text = graph.text();
        let input = body(&text);
        let mut output = input.clone();
        let fixed =
            fix_stack_nesting(&mut output, false).unwrap_or_else(|error| panic!("{seed}: {error:?}\n{text}"));
        changed += usize::from(fixed != NestingChanges::default());
        for _ in 0..20 {
            follow(&input, &output, &mut random, 40);
        }
        assert_eq!(fix_stack_nesting(&mut output, false), Ok(NestingChanges::default()), "twice is once");
    }
    assert!(changed > 50, "only {changed}");
}

#[test]
fn what_nests_stays() {
    for seed in 0..50 {
        let mut random = Random(seed);
        let mut input = body(&Graph::nested(&mut random, 4).text());
        assert_eq!(fix_stack_nesting(&mut input, false), Ok(NestingChanges::default()));
    }
}

/// Returns the steps of the first block that deallocate, as the names of what they deallocate.
fn fixed(steps: &str) -> Result<Vec<String>, NestingError> {
    let text = format!(
        "import Builtin\nsil @f : $@convention(thin) (Builtin.Int1) -> () {{\nbb0(%c : $Builtin.Int1):\n{steps}\n}}\n"
    );
    let mut body = body(&text);
    fix_stack_nesting(&mut body, false)?;
    let allocations: Vec<Inst> = body.insts().filter(|&i| body.stack_allocated(i, false).is_some()).collect();
    let name = |inst: Inst| {
        // Allocations are numbered as they stand.
        let number = allocations.binary_search(&body.paired_allocation(inst, false)?).ok()?;
        Some(format!("bb{} {number}", body.blocks().position(|b| b == body.inst_block(inst))?))
    };
    Ok(body.insts().filter_map(name).collect())
}

#[test]
fn one_deallocation_may_come_back_on_each_path() {
    let steps = "  %0 = alloc_stack $Builtin.Int1\n  %1 = alloc_stack $Builtin.Int1\n  dealloc_stack %0\n  cond_br %c, bb1, bb2
bb1:\n  dealloc_stack %1\n  br bb3\nbb2:\n  dealloc_stack %1\n  br bb3\nbb3:\n  %r = tuple ()\n  return %r";
    assert_eq!(fixed(steps).expect("nested"), ["bb1 1", "bb1 0", "bb2 1", "bb2 0"]);
}

#[test]
fn a_region_that_is_entered_with_different_lists_begins_with_the_common_part() {
    // One path to the dead end has deallocated the second allocation, the other has not.
    let steps = "  %0 = alloc_stack $Builtin.Int1\n  cond_br %c, bb1, bb2
bb1:\n  %1 = alloc_stack $Builtin.Int1\n  br bb3\nbb2:\n  br bb3
bb3:\n  %2 = alloc_stack $Builtin.Int1\n  dealloc_stack %0\n  dealloc_stack %2\n  unreachable";
    assert_eq!(fixed(steps).expect("nested"), ["bb2 1", "bb4 2", "bb4 0"]);
    // What one path has deallocated is not deallocated in the region.
    let steps = "  %0 = alloc_stack $Builtin.Int1\n  %1 = alloc_stack $Builtin.Int1\n  cond_br %c, bb1, bb2
bb1:\n  dealloc_stack %1\n  br bb3\nbb2:\n  br bb3\nbb3:\n  dealloc_stack %1\n  dealloc_stack %0\n  unreachable";
    assert_eq!(fixed(steps).expect("nested"), ["bb1 1", "bb3 1", "bb4 0"]);
    // They agree: what was pending on both stays so.
    let steps = "  %0 = alloc_stack $Builtin.Int1\n  %1 = alloc_stack $Builtin.Int1\n  dealloc_stack %0\n  cond_br %c, bb1, bb2
bb1:\n  br bb3\nbb2:\n  br bb3\nbb3:\n  dealloc_stack %1\n  unreachable";
    assert_eq!(fixed(steps).expect("nested"), ["bb3 1", "bb3 0"]);
}

#[test]
fn what_is_not_jointly_post_dominated_is_an_error() {
    let alloc = "  %0 = alloc_stack $Builtin.Int1\n";
    let exit = "  %r = tuple ()\n  return %r";
    let error = |steps: &str| fixed(steps).expect_err("an error");
    assert!(matches!(error(&format!("{alloc}{exit}")), NestingError::Leak { .. }));
    let twice = "  dealloc_stack %0\n  dealloc_stack %0\n";
    assert!(matches!(error(&format!("{alloc}{twice}{exit}")), NestingError::NotActive(_)));
    let second = "  %1 = alloc_stack $Builtin.Int1\n";
    assert!(matches!(error(&format!("{alloc}{second}{twice}{exit}")), NestingError::NotActive(_)));
    let again = "  br bb1\nbb1:\n  %0 = alloc_stack $Builtin.Int1\n  br bb2\nbb2:\n  cond_br %c, bb1, bb3\nbb3:\n  dealloc_stack %0\n";
    assert!(matches!(
        error(&format!("{again}{exit}")),
        NestingError::Disagreement(_) | NestingError::AllocatedAgain(_)
    ));
    let one_side = format!("{alloc}  cond_br %c, bb1, bb2\nbb1:\n  dealloc_stack %0\n  br bb2\nbb2:\n{exit}");
    assert!(matches!(error(&one_side), NestingError::Disagreement(_) | NestingError::Leak { .. }));
}

#[test]
fn first_in_first_out_is_turned_around() {
    let count = 20_000;
    let mut steps = String::new();
    (0..count).for_each(|n| _ = writeln!(steps, "  %a{n} = alloc_stack $Builtin.Int1"));
    (0..count).for_each(|n| _ = writeln!(steps, "  dealloc_stack %a{n}"));
    let order = fixed(&(steps + "  %r = tuple ()\n  return %r")).expect("nested");
    assert!(order.into_iter().eq((0..count).rev().map(|n| format!("bb0 {n}"))));
}
