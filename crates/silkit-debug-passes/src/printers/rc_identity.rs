//! `rc-id-dumper`: prints the RC-identity root of each value.

use silkit_analysis::{Dominators, RcIdentity};
use silkit_base::FxHashMap;
use silkit_ir::Value;
use silkit_pass::FunctionContext;
use silkit_pass::Pass;

pub(crate) const PASS: Pass<'static> =
    Pass::function("rc-id-dumper", "Prints the RC-identity root of each value", &run);

fn run(cx: &mut FunctionContext<'_>) {
    let dominators = cx.get::<Dominators>();
    let (view, function, body) = (cx.view(), cx.function(), cx.body());
    let identity = RcIdentity::new(&view, dominators.of(body));
    let mut values: Vec<Value> = Vec::new();
    for block in body.blocks() {
        values.extend(body.arguments(block));
        values.extend(body.block_insts(block).flat_map(|inst| body.results(inst)));
    }
    let numbers: FxHashMap<Value, usize> = values.iter().enumerate().map(|(i, &v)| (v, i)).collect();
    let dump = cx.dump();
    let mut text = format!("@{}@\nValueMap:\n", function.name);
    for (number, &value) in values.iter().enumerate() {
        text += &format!("\tValueMap[{number}] = {}", dump.value(value, ""));
    }
    for (number, &value) in values.iter().enumerate() {
        // `undef` has no number; the reference prints 0.
        let root = numbers.get(&identity.root(value)).copied().unwrap_or(0);
        text += &format!("RESULT #{number}: {number} = {root}\n");
    }
    text += "\n";
    cx.print(&text);
}

#[cfg(test)]
mod tests {
    use crate::testing::printed;
    use silkit_pass::Stream;

    #[test]
    fn values_and_roots_are_numbered() {
        let text = "\
sil_stage canonical
import Builtin
sil @f : $@convention(thin) (Builtin.NativeObject) -> () {
bb0(%0 : $Builtin.NativeObject):
  br bb1(%0)
bb1(%2 : $Builtin.NativeObject):
  unreachable
}
";
        let printed = printed("rc-id-dumper", Stream::Out, text);
        let column = |line: &str| line.split("//").next().unwrap_or_default().trim_end().to_owned();
        let lines: Vec<String> = printed.lines().map(column).collect();
        let expected = [
            "@f@",
            "ValueMap:",
            "\tValueMap[0] = %0 = argument of bb0 : $Builtin.NativeObject",
            "\tValueMap[1] = %2 = argument of bb1 : $Builtin.NativeObject",
            "RESULT #0: 0 = 0",
            "RESULT #1: 1 = 0",
            "",
        ];
        assert_eq!(lines, expected);
    }
}
