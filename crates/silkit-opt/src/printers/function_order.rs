//! `function-order-printer`: functions, callees before their callers.

use crate::context::ModuleContext;
use crate::pass::Pass;
use silkit_analysis::calls::{BottomUp, CalleeTables, Visibility};

pub(crate) const PASS: Pass<'static> =
    Pass::module("function-order-printer", "Prints functions, callees before their callers", &run)
        .with_options(&["wmo"]);

fn run(cx: &mut ModuleContext<'_>) {
    let visibility = Visibility::new(cx.declarations, cx.options.is_on("wmo"));
    let order = BottomUp::new(&CalleeTables::new(cx.module, visibility));
    let mut text = "Bottom up function order:\n".to_owned();
    for group in order.groups() {
        let indent = match group.len() {
            1 => "",
            _ => {
                text += "Non-trivial SCC:\n";
                "  "
            }
        };
        for &function in group {
            text += &format!("{indent}{}\n", cx.module.functions[function].name);
        }
    }
    text += "\n";
    cx.print(&text);
}

#[cfg(test)]
mod tests {
    use crate::Stream;
    use crate::testing::printed;

    #[test]
    fn functions_that_call_each_other_stand_together() {
        let function = |name: &str, callees: &[&str]| {
            let call = |callee: &&str| {
                format!(
                    "  %r{callee} = function_ref @{callee} : $@convention(thin) () -> ()\n  \
                     %c{callee} = apply %r{callee}() : $@convention(thin) () -> ()\n"
                )
            };
            let calls: String = callees.iter().map(call).collect();
            format!("sil @{name} : $@convention(thin) () -> () {{\nbb0:\n{calls}  unreachable\n}}\n")
        };
        let text = [
            "sil_stage canonical\n".to_owned(),
            function("a", &["b", "d"]),
            function("b", &["c"]),
            function("c", &["b", "e"]),
            function("d", &["d"]),
            function("e", &[]),
        ];
        let expected = "Bottom up function order:\ne\nNon-trivial SCC:\n  c\n  b\nd\na\n\n";
        assert_eq!(printed("function-order-printer", Stream::Out, &text.concat()), expected);
    }
}
