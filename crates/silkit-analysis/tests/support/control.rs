//! What analyses of control flow say.

use super::{Names, Subject, list, optional, with_view};
use silkit_analysis::{
    BlockOrder, BlockRange, ChosenDominators, ColdBlocks, Components, DeadEnds, Dominators, Frontiers,
    InstRange, Joins, LoopRegions, Loops, PostDominators, RegionEdge, RegionKind, path, value_dominates,
};
use silkit_ir::Block;
use silkit_testkit::cases::table;
use std::ops::Range;

fn positions(range: Option<Range<usize>>) -> String {
    range.map_or("-".to_owned(), |range| format!("{}..{}", range.start, range.end))
}

/// Returns a table of the blocks: dominance, frontiers, components, dead ends.
pub(crate) fn blocks(input: &str) -> String {
    let subject = Subject::parse(input);
    let (_, body) = subject.function();
    let names = Names::of(body);
    let order = BlockOrder::compute(body);
    let (dominators, post) = (Dominators::compute(body), PostDominators::compute(body));
    let endless = PostDominators::compute_with_endless_loops(body);
    let frontiers = Frontiers::compute(body, &dominators, usize::MAX).expect("no limit");
    let components = Components::compute(body);
    let dead_ends = DeadEnds::compute(body);
    let row = |block: Block| {
        assert_eq!(order.is_reachable(block), dominators.is_reachable(block));
        let mut frontier = frontiers.of(block).to_vec();
        frontier.sort_unstable();
        let dead_end = if dead_ends.is_dead_end(block) { "yes" } else { "" };
        [
            names.block(block),
            optional(order.position(block).map(|n| n.to_string())),
            optional(dominators.immediate(block).map(|b| names.block(b))),
            positions(dominators.dominated(block)),
            optional(post.immediate(block).map(|b| names.block(b))),
            positions(post.post_dominated(block)),
            optional(endless.immediate(block).map(|b| names.block(b))),
            names.blocks(frontier),
            optional(components.component(block).map(|n| n.to_string())),
            dead_end.to_owned(),
        ]
    };
    let header =
        ["block", "order", "idom", "below", "ipdom", "below", "endless", "frontier", "component", "dead end"];
    let mut text = table(header, body.blocks().map(row));
    text += &format!("preorder: {}\n", names.blocks(dominators.preorder()));
    text += &format!("postorder: {}\n", names.blocks(post.preorder()));
    text += &format!("endless: {}\n", names.blocks(endless.preorder()));
    text += &format!("components: {}, dead ends: {}\n", components.count(), dead_ends.any());
    text
}

/// Answers questions about paths and joins:
/// `path FROM… to TO… through ALLOWED…`, `joins HOME of BLOCK… without BLOCK…`, `nearest CHOSEN…`, `members MOST`,
/// `together A B`, `dominates A B`, `defines %V I`.
pub(crate) fn questions(input: &str) -> String {
    let subject = Subject::parse(input);
    let (_, body) = subject.function();
    let names = Names::of(body);
    let dominators = Dominators::compute(body);
    let components = Components::compute(body);
    let post = PostDominators::compute(body);
    let mut text = String::new();
    for question in &subject.questions {
        let words: Vec<&str> = question.iter().map(String::as_str).collect();
        let parts: Vec<Vec<Block>> = words[1..]
            .split(|w| matches!(*w, "to" | "through" | "of" | "without"))
            .map(|part| {
                part.iter()
                    .filter(|w| w.starts_with("bb") && !w.contains('.'))
                    .map(|w| names.find_block(w))
                    .collect()
            })
            .collect();
        let answer = match words[0] {
            "path" => {
                let allowed = |b: Block| parts.get(2).is_none_or(|allowed| allowed.contains(&b));
                let found = path(body, &parts[0], |b| parts[1].contains(&b), allowed);
                found.map_or("none".to_owned(), |path| names.blocks(path))
            }
            "joins" => {
                let is_wanted = |b: Block| parts.get(2).is_none_or(|without| !without.contains(&b));
                let mut joins = Joins::compute(body, &dominators);
                let first = joins.iterated(&dominators, parts[0][0], parts[1].clone(), is_wanted);
                let again = joins.iterated(&dominators, parts[0][0], parts[1].clone(), is_wanted);
                assert_eq!(first, again);
                names.blocks(first)
            }
            "nearest" => {
                let mut chosen = ChosenDominators::new(&dominators);
                parts[0].iter().for_each(|&block| chosen.insert(&dominators, block));
                let nearest = |b: Block| {
                    let nearest = chosen.nearest(&dominators, b);
                    format!("{}:{}", names.block(b), optional(nearest.map(|n| names.block(n))))
                };
                let found = list(body.blocks().map(nearest));
                chosen.clear();
                assert!(body.blocks().all(|b| chosen.nearest(&dominators, b).is_none()));
                found
            }
            "members" => {
                let most = words[1].parse().expect("a number");
                let found = Frontiers::compute(body, &dominators, most);
                if found.is_some() { "computed" } else { "too many" }.to_owned()
            }
            "together" => components.are_together(parts[0][0], parts[0][1]).to_string(),
            "dominates" => {
                let (a, b) = (parts[0][0], parts[0][1]);
                format!("{}, post: {}", dominators.dominates(a, b), post.post_dominates(a, b))
            }
            "defines" => {
                let (value, inst) = (names.find_value(words[1]), names.find_inst(words[2]));
                value_dominates(body, &dominators, value, inst).to_string()
            }
            other => panic!("unknown question `{other}`"),
        };
        text += &format!("{}: {answer}\n", words.join(" "));
    }
    text
}

/// Everything about the loops of a body.
pub(crate) fn loops(input: &str) -> String {
    let subject = Subject::parse(input);
    let (_, body) = subject.function();
    let names = Names::of(body);
    let loops = Loops::compute(body);
    let header = |id| names.block(loops.get(id).header);
    let mut text = String::new();
    for id in loops.inner_first() {
        let one = loops.get(id);
        text += &format!("loop {}: depth {}\n", header(id), one.depth);
        let inside = loops.inner_first().filter(|&outer| loops.is_inside(id, outer));
        let rows = [
            ("around", optional(one.parent.map(header))),
            ("in", list(inside.map(header))),
            ("children", list(one.children.iter().map(|&c| header(c)))),
            ("own blocks", names.blocks(one.own_blocks.iter().copied())),
            ("blocks", names.blocks(loops.blocks(id))),
            ("latches", names.blocks(loops.latches(body, id))),
            ("latch", optional(loops.latch(body, id).map(|b| names.block(b)))),
            ("entering", names.blocks(loops.entering(body, id))),
            ("preheader", optional(loops.preheader(body, id).map(|b| names.block(b)))),
            ("exiting", names.blocks(loops.exiting(body, id))),
            ("exits", names.blocks(loops.exits(body, id))),
            ("dedicated exits", loops.has_dedicated_exits(body, id).to_string()),
            ("canonical", loops.is_canonical(body, id).to_string()),
        ];
        rows.into_iter().for_each(|(what, answer)| text += &format!("  {what}: {answer}\n"));
    }
    text += &format!(
        "{} loops, outermost: {}\n",
        loops.count(),
        list(loops.outermost().iter().map(|&id| header(id)))
    );
    text + &format!("depths: {}\n", list(body.blocks().map(|b| loops.depth(b).to_string())))
}

/// Returns the tree of regions, with their edges.
pub(crate) fn regions(input: &str) -> String {
    let subject = Subject::parse(input);
    let (_, body) = subject.function();
    let names = Names::of(body);
    let (regions, loops) = (LoopRegions::compute(body), Loops::compute(body));
    let name = |region: usize| match regions.get(region).kind {
        RegionKind::Block(block) => names.block(block),
        RegionKind::Loop(id) => format!("loop({})", names.block(loops.get(id).header)),
        RegionKind::Function => "function".to_owned(),
    };
    let all = |regions: &[usize]| list(regions.iter().map(|&r| name(r)));
    let edge = |edge: &RegionEdge| match *edge {
        RegionEdge::Local(region) => name(region),
        RegionEdge::OfParent(position) => format!("parent[{position}]"),
        RegionEdge::Around => "around".to_owned(),
    };
    let count = regions.function() + 1 + loops.count();
    let row = |number: usize| {
        let region = regions.get(number);
        let marks = match (region.is_unknown_head, region.is_unknown_tail) {
            (false, false) => "",
            (true, false) => "head",
            (false, true) => "tail",
            (true, true) => "head, tail",
        };
        [
            name(number),
            optional(region.parent.map(name)),
            all(&region.predecessors),
            list(region.successors.iter().map(edge)),
            all(&region.children),
            all(&region.exiting),
            all(&region.latches),
            marks.to_owned(),
        ]
    };
    let header = ["region", "in", "from", "to", "children", "exiting", "latches", "unknown"];
    table(header, (0..count).map(row))
}

/// Ranges: the first block or instruction of a question, then the inserted ones.
pub(crate) fn ranges(input: &str) -> String {
    let subject = Subject::parse(input);
    let (_, body) = subject.function();
    let names = Names::of(body);
    let mut text = String::new();
    for words in &subject.questions {
        text += &format!("from {}\n", words.join(" "));
        let rows = if words[0].contains('.') {
            let mut range = InstRange::new(body, names.find_inst(&words[0]));
            words[1..].iter().for_each(|word| range.insert(names.find_inst(word)));
            assert_eq!(range.begin(), names.find_inst(&words[0]));
            vec![
                ("valid", range.is_valid().to_string()),
                ("contains", names.insts(body.insts().filter(|&i| range.contains(i)))),
                ("with ends", names.insts(body.insts().filter(|&i| range.contains_or_ends(i)))),
                ("ends", names.insts(range.ends())),
                ("exits", names.insts(range.exits())),
                ("interiors", names.insts(range.interiors())),
                ("blocks", names.blocks(range.blocks().blocks())),
            ]
        } else {
            let mut range = BlockRange::new(body, names.find_block(&words[0]));
            words[1..].iter().for_each(|word| range.insert(names.find_block(word)));
            assert_eq!(range.begin(), names.find_block(&words[0]));
            vec![
                ("valid", range.is_valid().to_string()),
                ("contains", names.blocks(body.blocks().filter(|&b| range.contains(b)))),
                ("with ends", names.blocks(body.blocks().filter(|&b| range.contains_or_ends(b)))),
                ("inclusive", names.blocks(range.inclusive().iter().copied())),
                ("blocks", names.blocks(range.blocks())),
                ("inserted", names.blocks(range.inserted().iter().copied())),
                ("ends", names.blocks(range.ends())),
                ("interiors", names.blocks(range.interiors())),
                ("exits", names.blocks(range.exits())),
            ]
        };
        rows.into_iter().for_each(|(what, answer)| text += &format!("  {what}: {answer}\n"));
    }
    text
}

/// Returns the blocks that hardly ever run.
pub(crate) fn cold_blocks(input: &str) -> String {
    let subject = Subject::parse(input);
    with_view(&subject, |view| {
        let cold = ColdBlocks::compute(view);
        Names::of(view.body).blocks(view.body.blocks().filter(|&b| cold.is_cold(b)))
    })
}
