//! `loop-canonicalizer`: creates a preheader and a single latch for each loop.
//!
//! ```text
//! sil @f : $@convention(thin) (Builtin.Int1) -> () {
//! bb0(%0 : $Builtin.Int1):
//!   cond_br %0, bb1, bb2
//!
//! bb1:
//!   cond_br %0, bb1, bb2
//!
//! bb2:
//!   %3 = tuple ()
//!   return %3
//! }
//! ---
//! sil @f : $@convention(thin) (Builtin.Int1) -> () {
//! bb0(%0 : $Builtin.Int1):
//!   cond_br %0, bb1, bb3
//!
//! bb1:
//!   br bb2
//!
//! bb2:
//!   cond_br %0, bb2, bb3
//!
//! bb3:
//!   %4 = tuple ()
//!   return %4
//! }
//! ```

use silkit_analysis::{LoopId, Loops};
use silkit_ir::generated::Opcode;
use silkit_ir::{Block, Edge, Loc, LocData, SourceLoc};
use silkit_pass::FunctionContext;
use silkit_pass::Pass;

pub(super) const PASS: Pass<'static> =
    Pass::function("loop-canonicalizer", "Creates a preheader and a single latch for each loop", &run);

fn run(cx: &mut FunctionContext<'_>) {
    // New blocks only merge edges to the same header, so that the loops of existing blocks do not change.
    let loops = cx.get::<Loops>().detach(cx.body());
    let mut order = Vec::with_capacity(loops.count());
    let mut work: Vec<(LoopId, bool)> = loops.outermost().iter().rev().map(|&id| (id, false)).collect();
    while let Some((id, is_done)) = work.pop() {
        if is_done {
            order.push(id);
            continue;
        }
        work.push((id, true));
        work.extend(loops.get(id).children.iter().map(|&child| (child, false)));
    }
    for id in order {
        add_preheader(cx, &loops, id);
        add_latch(cx, &loops, id);
    }
}

fn add_preheader(cx: &mut FunctionContext<'_>, loops: &Loops, id: LoopId) {
    let body = cx.body();
    let header = loops.get(id).header;
    if loops.preheader(body, id).is_some() || !cx.may_change() {
        return;
    }
    let body = cx.body();
    let is_entering = |&edge: &Edge| !loops.contains(id, body.edge(edge).from);
    let edges: Vec<Edge> = body.incoming(header).filter(is_entering).collect();
    let near = body.first_inst(header).and_then(|first| body.loc(body.inst(first).loc));
    let source = Some(SourceLoc::NOWHERE);
    let loc = near.map(|near| LocData { source, ..near });
    let loc = loc.map_or(Loc::NONE, |loc| cx.edit().new_loc(loc));
    let preheader = cx.edit().insert_block_before(header);
    bundle(cx, preheader, header, &edges, loc);
    cx.count("preheaders created", 1);
}

fn add_latch(cx: &mut FunctionContext<'_>, loops: &Loops, id: LoopId) {
    let body = cx.body();
    let header = loops.get(id).header;
    if loops.latch(body, id).is_some() {
        return;
    }
    let is_back = |&edge: &Edge| loops.contains(id, body.edge(edge).from);
    let edges: Vec<Edge> = body.incoming(header).filter(is_back).collect();
    let branches = |edge: &Edge| {
        let last = body.terminator(body.edge(*edge).from);
        last.is_some_and(|t| matches!(body.inst(t).opcode, Opcode::Branch | Opcode::CondBranch))
    };
    let Some(&oldest) = edges.last().filter(|_| edges.iter().all(branches)) else { return };
    if !cx.may_change() {
        return;
    }
    let body = cx.body();
    let from = body.edge(oldest).from;
    let loc = body.terminator(from).map_or(Loc::NONE, |t| body.inst(t).loc);
    let latch = cx.edit().insert_block_after(from);
    bundle(cx, latch, header, &edges, loc);
    cx.count("latches created", 1);
}

/// Redirects edges to a header through a new block.
fn bundle(cx: &mut FunctionContext<'_>, block: Block, header: Block, edges: &[Edge], loc: Loc) {
    let arguments = cx.body().arguments(header).to_vec();
    let mut edit = cx.edit();
    let mut passed = Vec::with_capacity(arguments.len());
    for argument in arguments {
        let data = edit.value(argument).clone();
        passed.push(edit.add_argument(block, data.ty, data.ownership, data.arg_flags));
    }
    edit.insert_branch(block, header, &passed, loc);
    for &edge in edges {
        let (from, index) = (edit.edge(edge).from, edit.edge_index(edge));
        if let Some(terminator) = edit.terminator(from) {
            edit.set_successor(terminator, index, block);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::changed;

    #[test]
    fn loops_get_one_entry_and_one_way_back() {
        let text = "\
sil_stage canonical
import Builtin
sil @f : $@convention(thin) (Builtin.Int1, Builtin.Int64) -> () {
bb0(%0 : $Builtin.Int1, %1 : $Builtin.Int64):
  cond_br %0, bb1(%1), bb3
bb1(%3 : $Builtin.Int64):
  cond_br %0, bb1(%1), bb2
bb2:
  cond_br %0, bb1(%3), bb3
bb3:
  %7 = tuple ()
  return %7
}
";
        let expected = "\
bb0(%0 : $Builtin.Int1, %1 : $Builtin.Int64):
  cond_br %0, bb1(%1), bb5
bb1(%3 : $Builtin.Int64):
  br bb2(%3)
bb2(%5 : $Builtin.Int64):
  cond_br %0, bb3(%1), bb4
bb3(%7 : $Builtin.Int64):
  br bb2(%7)
bb4:
  cond_br %0, bb3(%5), bb5
bb5:
  %10 = tuple ()
  return %10
}
";
        let found = changed("loop-canonicalizer", &[], text);
        assert!(found.ends_with(expected), "{found}");
        assert_eq!(changed("loop-canonicalizer", &[], &found), found);
    }
}
