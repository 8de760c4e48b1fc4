//! `loop-region-view-text`: prints the tree of loop regions.

use silkit_analysis::{LoopRegions, RegionEdge, RegionKind};
use silkit_pass::ModuleContext;
use silkit_pass::Pass;

pub(crate) const PASS: Pass<'static> =
    Pass::module("loop-region-view-text", "Prints the loop region trees of all functions in order", &run);

fn run(cx: &mut ModuleContext<'_>) {
    let mut text = String::new();
    for function in cx.module().functions.values() {
        let body = function.body.as_ref().filter(|body| body.entry_block().is_some());
        let Some(body) = body else { continue };
        let regions = LoopRegions::compute(body);
        let name = function.name;
        text += &format!("Start @{name}@\n");
        let mut work = vec![regions.function()];
        while let Some(id) = work.pop() {
            text += &one(&regions, id);
            work.extend(&regions.get(id).children);
        }
        text += &format!("\nEnd @{name}@\n");
    }
    cx.print(&text);
}

fn one(regions: &LoopRegions, id: usize) -> String {
    let region = regions.get(id);
    let kind = match region.kind {
        RegionKind::Block(_) => "bb",
        RegionKind::Loop(_) => "loop",
        RegionKind::Function => "func",
    };
    let (head, tail) = (region.is_unknown_head, region.is_unknown_tail);
    let flags = match region.parent {
        Some(parent) => format!("ucfh:{head:<5} ucft:{tail:<5} parent:{parent}"),
        None => format!("ucfh:{head:<5} ucft:{tail:<5}"),
    };
    let mut local: Vec<usize> = Vec::new();
    let mut outer: Vec<usize> = Vec::new();
    for edge in &region.successors {
        match *edge {
            RegionEdge::Local(to) => local.push(to),
            RegionEdge::OfParent(position) => outer.push(position),
            RegionEdge::Around => {}
        }
    }
    local.sort_unstable();
    outer.sort_unstable();
    let lists = [
        list("preds", "region id", &region.predecessors),
        list("succs", "region id", &local),
        list("subregs", "region id", &region.children),
        list("non-local-succs", "parentindex", &outer),
        list("exiting-subregs", "region id", &region.exiting),
        list("backedge-regs", "region id", &region.latches),
    ];
    format!("(region id:{id} kind:{kind:<4} {flags}{})\n", lists.concat())
}

fn list(name: &str, of: &str, items: &[usize]) -> String {
    let items: String = items.iter().map(|item| format!("\n        ({of}:{item})")).collect();
    format!("\n    ({name}{items})")
}

#[cfg(test)]
mod tests {
    use crate::testing::printed;
    use silkit_pass::Stream;

    #[test]
    fn a_loop_of_one_block() {
        let text = "\
sil_stage canonical
import Builtin
sil @f : $@convention(thin) () -> () {
bb0:
  br bb1
bb1:
  br bb1
}
";
        let expected = "\
Start @f@
(region id:2 kind:func ucfh:false ucft:false
    (preds)
    (succs)
    (subregs
        (region id:0)
        (region id:3))
    (non-local-succs)
    (exiting-subregs)
    (backedge-regs))
(region id:3 kind:loop ucfh:false ucft:false parent:2
    (preds
        (region id:0))
    (succs)
    (subregs
        (region id:1))
    (non-local-succs)
    (exiting-subregs)
    (backedge-regs
        (region id:1)))
(region id:1 kind:bb   ucfh:false ucft:false parent:3
    (preds)
    (succs)
    (subregs)
    (non-local-succs)
    (exiting-subregs)
    (backedge-regs))
(region id:0 kind:bb   ucfh:false ucft:false parent:2
    (preds)
    (succs
        (region id:3))
    (subregs)
    (non-local-succs)
    (exiting-subregs)
    (backedge-regs))

End @f@
";
        assert_eq!(printed("loop-region-view-text", Stream::Out, text), expected);
    }
}
