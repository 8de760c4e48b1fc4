//! `function-order-printer`: prints functions in bottom-up order.

use silkit_analysis::calls::BottomUp;
use silkit_demangle::demangle_unsugared;
use silkit_pass::{ModuleContext, Pass, call_graph, options};

pub(crate) const PASS: Pass<'static> =
    Pass::module("function-order-printer", "Prints functions, callees before their callers", &run)
        .with_options(&[options::WMO]);

fn run(cx: &mut ModuleContext<'_>) {
    let order = BottomUp::new(&call_graph(&cx.program()));
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
            let name = cx.module().functions[function].name.as_str();
            let readable = demangle_unsugared(name);
            text += &format!("{indent}{}\n", readable.as_deref().unwrap_or(name));
        }
    }
    text += "\n";
    cx.print(&text);
}

#[cfg(test)]
mod tests {
    use crate::testing::printed;
    use silkit_pass::Stream;

    #[test]
    fn functions_that_call_each_other_stand_together() {
        let function = |name: &str, callees: &[&str]| {
            let call = |(i, callee): (usize, &&str)| {
                format!(
                    "  %r{i} = function_ref @{callee} : $@convention(thin) () -> ()\n  \
                     %c{i} = apply %r{i}() : $@convention(thin) () -> ()\n"
                )
            };
            let calls: String = callees.iter().enumerate().map(call).collect();
            format!("sil @{name} : $@convention(thin) () -> () {{\nbb0:\n{calls}  unreachable\n}}\n")
        };
        let text = [
            "sil_stage canonical\n".to_owned(),
            function("a", &["b", "d"]),
            function("b", &["c"]),
            function("c", &["b", "$s4main1eyyF"]),
            function("d", &["d"]),
            function("$s4main1eyyF", &[]),
        ];
        let expected = "Bottom up function order:\nmain.e() -> ()\nNon-trivial SCC:\n  c\n  b\nd\na\n\n";
        assert_eq!(printed("function-order-printer", Stream::Out, &text.concat()), expected);
    }
}
