//! Tests that compare scopes with the definition, path by path.

use super::*;
use crate::{ChosenDominators, Components, Dominators, Frontiers, PostDominators};
use silkit_ir::Opcode;

/// Returns a body from edges: block `i` ends with a branch to `edges[i]`; `r` returns, `u` is unreachable. A `+`
/// begins the scope and each `-` ends it.
fn body(blocks: &[(&str, &[usize])]) -> Body {
    let mut text = String::from("sil @f : $@convention(thin) (Builtin.Int1, Builtin.RawPointer) -> () {\n");
    for (i, (marks, to)) in blocks.iter().enumerate() {
        text += &if i == 0 {
            "bb0(%c : $Builtin.Int1, %p : $Builtin.RawPointer):\n".to_owned()
        } else {
            format!("bb{i}:\n")
        };
        for mark in marks.chars() {
            let line = match mark {
                '+' => "  %s = alloc_stack $Builtin.Int1\n".to_owned(),
                '-' => "  dealloc_stack %s\n".to_owned(),
                'r' => format!("  %r{i} = tuple ()\n  return %r{i}\n"),
                _ => "  unreachable\n".to_owned(),
            };
            text += &line;
        }
        text += &match to {
            [] => String::new(),
            [a] => format!("  br bb{a}\n"),
            [a, b] => format!("  cond_br %c, bb{a}, bb{b}\n"),
            _ => unreachable!("invariant: at most two successors"),
        };
    }
    let parsed = silkit_text::parse_module(&(text + "}\n"));
    assert!(parsed.errors.is_empty(), "{:?}", parsed.errors);
    let function = parsed.module.functions.values().next().expect("a function");
    function.body.clone().expect("a body")
}

fn insts(body: &Body, opcode: Opcode) -> Vec<Inst> {
    let all = body.insts();
    all.filter(|&i| body.inst(i).opcode == opcode).collect()
}

/// Returns the names of the violations of the only scope of a body.
fn errors(blocks: &[(&str, &[usize])]) -> Vec<String> {
    let body = body(blocks);
    let dead_ends = DeadEnds::compute(&body);
    let begin = Begin::After(insts(&body, Opcode::AllocStack)[0]);
    let found =
        Scopes::new(&body, &dead_ends).check(begin, &insts(&body, Opcode::DeallocStack), Coherence::Required);
    let name = |e: &ScopeError| {
        let text = format!("{e:?}");
        text.split([' ', '(', '{']).next().unwrap_or_default().to_owned()
    };
    let mut names: Vec<String> = found.iter().map(name).collect();
    names.sort();
    names.dedup();
    names
}

#[test]
fn scopes_in_order() {
    assert!(errors(&[("+-r", &[])]).is_empty());
    assert!(errors(&[("+", &[1, 2]), ("-", &[3]), ("-", &[3]), ("r", &[])]).is_empty());
    // Open into a dead end, whether that closes the scope or not.
    assert!(errors(&[("+", &[1, 2]), ("-r", &[]), ("u", &[])]).is_empty());
    assert!(errors(&[("+", &[1, 2]), ("-r", &[]), ("-u", &[])]).is_empty());
    // Around a loop, and once in each iteration.
    assert!(errors(&[("+", &[1]), ("", &[1, 2]), ("-r", &[])]).is_empty());
    assert!(errors(&[("", &[1]), ("+-", &[1, 2]), ("r", &[])]).is_empty());
    // An infinite loop inside.
    assert!(errors(&[("+", &[1]), ("", &[1])]).is_empty());
}

#[test]
fn scopes_out_of_order() {
    assert_eq!(errors(&[("+r", &[])]), ["Leak"]);
    assert_eq!(errors(&[("+--r", &[])]), ["EndedTwice"]);
    assert_eq!(errors(&[("+", &[1, 2]), ("-", &[2]), ("r", &[])]), ["Leak"]);
    assert_eq!(errors(&[("+", &[1, 2]), ("-", &[2]), ("-r", &[])]), ["EndedTwice"]);
    assert_eq!(errors(&[("", &[1]), ("+", &[1, 2]), ("-r", &[])]), ["BeginsAgain"]);
    assert_eq!(errors(&[("+", &[1]), ("-", &[1, 2]), ("r", &[])]), ["EndedTwice"]);
    assert_eq!(errors(&[("", &[1]), ("+", &[2, 3]), ("", &[1]), ("-r", &[])]), ["BeginsAgain"]);
    // An infinite loop that begins the scope in each iteration.
    assert_eq!(errors(&[("", &[1]), ("+", &[2]), ("", &[1])]), ["BeginsAgain"]);
    assert_eq!(errors(&[("", &[1, 2]), ("+", &[3]), ("", &[3]), ("-r", &[])]), ["Undominated"]);
}

#[test]
fn dead_ends_may_disagree() {
    let leaks: &[(&str, &[usize])] = &[("+", &[1, 2]), ("-", &[3, 4]), ("", &[3, 4]), ("u", &[]), ("r", &[])];
    assert_eq!(errors(leaks), ["Leak"]);
    let incoherent: &[(&str, &[usize])] =
        &[("+", &[1, 2]), ("-", &[3, 4]), ("", &[3]), ("u", &[]), ("r", &[])];
    assert_eq!(errors(incoherent), ["Incoherent"]);
}

#[test]
fn contains_what_no_end_was_passed_before() {
    let body = body(&[("+", &[1, 2]), ("-r", &[]), ("", &[3]), ("u", &[])]);
    let dead_ends = DeadEnds::compute(&body);
    let mut scopes = Scopes::new(&body, &dead_ends);
    let begin = insts(&body, Opcode::AllocStack)[0];
    let end = insts(&body, Opcode::DeallocStack)[0];
    assert!(scopes.check(Begin::After(begin), &[end], Coherence::NotRequired).is_empty());
    assert!(!scopes.contains(begin) && scopes.contains(end));
    assert!(!scopes.contains(insts(&body, Opcode::Return)[0]));
    assert!(scopes.contains(insts(&body, Opcode::Unreachable)[0]));
}

/// Returns all blocks that `a` does not dominate: those that are reachable from the entry without passing `a`.
fn reached_without(body: &Body, a: Block) -> Vec<Block> {
    let mut work = silkit_base::Worklist::new();
    let mut found = Vec::new();
    if !body.is_entry_block(a) {
        work.push(body.entry_block().unwrap());
    }
    while let Some(block) = work.pop() {
        found.push(block);
        body.block_successors(block).filter(|&b| b != a).for_each(|b| {
            work.push(b);
        });
    }
    found
}

#[test]
fn dominance_by_definition() {
    let mut random = silkit_testkit::random::Random::new(7);
    for _ in 0..400 {
        let count = 2 + random.below(8);
        let targets: Vec<Vec<usize>> =
            (0..count).map(|_| (0..random.below(3)).map(|_| 1 + random.below(count - 1)).collect()).collect();
        let blocks: Vec<(&str, &[usize])> =
            targets.iter().map(|t| (if t.is_empty() { "u" } else { "" }, t.as_slice())).collect();
        let body = body(&blocks);
        let dominators = Dominators::compute(&body);
        let post = PostDominators::compute(&body);
        let components = Components::compute(&body);
        let reached = reached_without(&body, Block::NONE);
        frontiers_by_definition(&body, &dominators, &reached);
        for a in body.blocks() {
            let without = reached_without(&body, a);
            for &b in &reached {
                assert_eq!(dominators.dominates(a, b), !without.contains(&b), "{a} {b} in {blocks:?}");
                let avoids = reaches(&body, b, |n| n != a, |n| body.block_successors(n).len() == 0);
                assert_eq!(post.post_dominates(a, b), !avoids, "{a} after {b} in {blocks:?}");
                if reached.contains(&a) {
                    let there = reaches(&body, a, |_| true, |n| n == b);
                    let together = there && reaches(&body, b, |_| true, |n| n == a);
                    assert_eq!(components.are_together(a, b), together, "{a} {b} in {blocks:?}");
                }
            }
        }
    }
}

/// Checks that a frontier contains the blocks that a block does not strictly dominate though it dominates a
/// predecessor.
fn frontiers_by_definition(body: &Body, dominators: &Dominators, reached: &[Block]) {
    let Some(frontiers) = Frontiers::compute(body, dominators, usize::MAX) else {
        panic!("there is no limit");
    };
    let mut chosen = ChosenDominators::new(dominators);
    for &a in reached {
        let is_member = |b: &Block| {
            let dominates_pred =
                body.predecessors(*b).any(|p| reached.contains(&p) && dominators.dominates(a, p));
            *b != body.entry_block().unwrap() && dominates_pred && (a == *b || !dominators.dominates(a, *b))
        };
        let mut expected: Vec<Block> = reached.iter().copied().filter(is_member).collect();
        let mut found = frontiers.of(a).to_vec();
        expected.sort_unstable();
        found.sort_unstable();
        assert_eq!(found, expected, "{a}");
    }
    let all: usize = reached.iter().map(|&a| frontiers.of(a).len()).sum();
    assert!(all == 0 || Frontiers::compute(body, dominators, all - 1).is_none());
    // Blocks in any order, some twice.
    for round in 0..2 {
        let mut known = Vec::new();
        for &a in reached.iter().chain(&reached[..1]).filter(|a| (a.as_u32() + round) % 3 != 0) {
            chosen.insert(dominators, a);
            known.push(a);
            for &b in reached {
                let nearest = known.iter().copied().find(|&k| {
                    let is_nearer = |&other: &Block| {
                        other == k || !dominators.dominates(other, b) || dominators.dominates(other, k)
                    };
                    dominators.dominates(k, b) && known.iter().all(is_nearer)
                });
                assert_eq!(chosen.nearest(dominators, b), nearest, "{b} below {known:?}");
            }
        }
        chosen.clear();
        assert!(reached.iter().all(|&b| chosen.nearest(dominators, b).is_none()));
    }
}

fn reaches(
    body: &Body,
    from: Block,
    allowed: impl Fn(Block) -> bool,
    wanted: impl Fn(Block) -> bool,
) -> bool {
    let mut work = silkit_base::Worklist::new();
    if allowed(from) {
        work.push(from);
    }
    while let Some(block) = work.pop() {
        if wanted(block) {
            return true;
        }
        body.block_successors(block).filter(|&b| allowed(b)).for_each(|b| {
            work.push(b);
        });
    }
    false
}

/// Computes the violations of a scope by brute force: explores all pairs of a block and a scope state.
fn by_definition(blocks: &[(String, Vec<usize>)]) -> Vec<&'static str> {
    let mut found = Vec::new();
    let mut seen = vec![[false; 3]; blocks.len()];
    // Not begun, open, closed.
    let mut work = vec![(0, 0)];
    let mut states = vec![[false; 3]; blocks.len()];
    while let Some((block, state)) = work.pop() {
        if std::mem::replace(&mut seen[block][state], true) {
            continue;
        }
        states[block][state] = true;
        let mut state = state;
        for mark in blocks[block].0.chars() {
            state = match (mark, state) {
                ('+', 1) => {
                    found.push("BeginsAgain");
                    1
                }
                ('+', _) => 1,
                ('-', 2) => {
                    found.push("EndedTwice");
                    2
                }
                ('-', 0) => {
                    found.push("Undominated");
                    2
                }
                ('-', _) => 2,
                ('r', 1) => {
                    found.push("Leak");
                    1
                }
                (_, state) => state,
            };
        }
        work.extend(blocks[block].1.iter().map(|&to| (to, state)));
    }
    if (0..blocks.len()).any(|b| states[b][1] && states[b][2]) && found.is_empty() {
        found.push("Incoherent");
    }
    found.sort_unstable();
    found.dedup();
    found
}

#[test]
fn scopes_by_definition() {
    let mut random = silkit_testkit::random::Random::new(11);
    let (mut good, mut bad) = (0, 0);
    for _ in 0..6000 {
        let count = 3 + random.below(6);
        let begin = random.below(count);
        let blocks: Vec<(String, Vec<usize>)> = (0..count)
            .map(|b| {
                let mut marks = String::new();
                let ends = random.below(3) == 0;
                if b == begin {
                    marks.push('+');
                }
                if ends {
                    marks.push('-');
                }
                let to: Vec<usize> = (0..random.below(3)).map(|_| 1 + random.below(count - 1)).collect();
                if to.is_empty() {
                    marks.push(if random.below(3) == 0 { 'u' } else { 'r' });
                }
                (marks, to)
            })
            .collect();
        let shown: Vec<(&str, &[usize])> = blocks.iter().map(|(m, t)| (m.as_str(), t.as_slice())).collect();
        // Unreachable begins are not checked.
        let body = body(&shown);
        if !reached_without(&body, Block::NONE).contains(&body.blocks().nth(begin).unwrap()) {
            continue;
        }
        let ours = errors(&shown);
        let wanted = by_definition(&blocks);
        assert_eq!(ours.is_empty(), wanted.is_empty(), "{ours:?} {wanted:?} {shown:?}");
        // The first violation on a path may hide later ones.
        let named = |error: &String| wanted.contains(&error.as_str());
        assert!(ours.iter().any(named) || ours.is_empty(), "{ours:?} {wanted:?} {shown:?}");
        if wanted.is_empty() { good += 1 } else { bad += 1 }
    }
    assert!(good > 100 && bad > 100, "{good} good, {bad} bad");
}
