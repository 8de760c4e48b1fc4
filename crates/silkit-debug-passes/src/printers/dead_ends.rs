//! `dump-deadendblocks`: prints the dead-end blocks.

use silkit_analysis::DeadEnds;
use silkit_pass::FunctionContext;
use silkit_pass::Pass;

pub(crate) const PASS: Pass<'static> =
    Pass::function("dump-deadendblocks", "Prints the dead-end blocks", &run);

fn run(cx: &mut FunctionContext<'_>) {
    let dead_ends = cx.get::<DeadEnds>();
    let (name, body, dump) = (cx.function().name, cx.body(), cx.dump());
    let dead_ends = dead_ends.of(body);
    let blocks: Vec<String> =
        body.blocks().filter(|&b| dead_ends.is_dead_end(b)).map(|b| dump.block(b)).collect();
    let text = format!("Function {name}\n[{}]\nend function {name}\n", blocks.join(","));
    cx.print(&text);
}

#[cfg(test)]
mod tests {
    use crate::testing::printed;
    use silkit_pass::Stream;

    #[test]
    fn endless_loops_are_dead_ends() {
        let text = "\
sil_stage canonical
import Builtin
sil @f : $@convention(thin) (Builtin.Int1) -> () {
bb0(%0 : $Builtin.Int1):
  cond_br %0, bb1, bb2
bb1:
  br bb1
bb2:
  cond_br %0, bb3, bb4
bb3:
  unreachable
bb4:
  %5 = tuple ()
  return %5
}
";
        let expected = "Function f\n[bb1,bb3]\nend function f\n";
        assert_eq!(printed("dump-deadendblocks", Stream::Out, text), expected);
    }
}
