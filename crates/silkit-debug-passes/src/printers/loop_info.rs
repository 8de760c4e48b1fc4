//! `loop-info-printer`: prints the natural loops of functions.
//!
//! The reference stops at the first function without loops, and prints nothing for the functions after it. This pass
//! continues.

use silkit_analysis::{LoopId, Loops};
use silkit_ir::Body;
use silkit_pass::ModuleContext;
use silkit_pass::Pass;
use silkit_text::Dump;

pub(crate) const PASS: Pass<'static> =
    Pass::module("loop-info-printer", "Prints the natural loops of all functions in order", &run);

fn run(cx: &mut ModuleContext<'_>) {
    let mut text = String::new();
    for function in cx.module().functions.values() {
        let Some(body) = &function.body else { continue };
        let loops = Loops::compute(body);
        text += if loops.count() == 0 { "No loops in " } else { "Loops in " };
        text += function.name.as_str();
        text += "\n";
        let dump = cx.dump(body);
        // Outermost loops are printed last first, and nested loops in order.
        let mut work: Vec<LoopId> = loops.outermost().to_vec();
        while let Some(id) = work.pop() {
            text += &line(body, &loops, id, &dump);
            work.extend(loops.get(id).children.iter().rev());
        }
    }
    cx.complain(&text);
}

fn line(body: &Body, loops: &Loops, id: LoopId, dump: &Dump<'_>) -> String {
    let one = loops.get(id);
    let block = |&block| {
        let mut text = dump.block(block);
        let mut note = |holds: bool, what: &str| text += if holds { what } else { "" };
        note(block == one.header, "<header>");
        note(body.block_successors(block).any(|s| s == one.header), "<latch>");
        note(loops.is_exiting(body, id, block), "<exiting>");
        text
    };
    let blocks: Vec<String> = loops.blocks(id).iter().map(block).collect();
    let indent = "    ".repeat(one.depth as usize - 1);
    format!("{indent}Loop at depth {} containing: {}\n", one.depth, blocks.join(","))
}

#[cfg(test)]
mod tests {
    use crate::testing::printed;
    use silkit_pass::Stream;

    #[test]
    fn loops_are_printed_as_the_reference_does() {
        let text = "\
sil_stage canonical
import Builtin
sil @f : $@convention(thin) (Builtin.Int1) -> () {
bb0(%0 : $Builtin.Int1):
  br bb1
bb1:
  cond_br %0, bb2, bb3
bb2:
  cond_br %0, bb2, bb1
bb3:
  cond_br %0, bb3, bb4
bb4:
  unreachable
}
sil @g : $@convention(thin) () -> () {
bb0:
  unreachable
}
";
        let expected = "\
Loops in f
Loop at depth 1 containing: bb3<header><latch><exiting>
Loop at depth 1 containing: bb1<header><exiting>,bb2<latch>
    Loop at depth 2 containing: bb2<header><latch><exiting>
No loops in g
";
        assert_eq!(printed("loop-info-printer", Stream::Err, text), expected);
    }
}
