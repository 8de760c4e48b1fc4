//! `access-summary-dump`: prints the accesses that each function begins to its arguments.

use silkit_analysis::access::{ArgumentAccesses, argument_accesses};
use silkit_pass::ModuleContext;
use silkit_pass::Pass;
use std::fmt::Write;

pub(crate) const PASS: Pass<'static> =
    Pass::module("access-summary-dump", "Prints the accesses that functions begin to their arguments", &run);

fn run(cx: &mut ModuleContext<'_>) {
    let all = argument_accesses(&cx.program());
    let mut text = String::new();
    for (id, function) in cx.module().functions.iter() {
        let _ = writeln!(text, "@{}", function.name);
        if function.body.is_none() {
            text.push_str("<unknown>\n");
            continue;
        }
        let arguments: Vec<String> = all[id].iter().map(argument).collect();
        let _ = writeln!(text, "({})", arguments.join(",  "));
    }
    cx.print(&text);
}

fn argument(accesses: &ArgumentAccesses) -> String {
    let parts: Vec<String> = accesses
        .parts()
        .map(|(names, kind)| {
            let mut text = names.iter().fold(String::new(), |text, name| text + "." + name.as_str());
            if !text.is_empty() {
                text.push(' ');
            }
            text + kind.spelling()
        })
        .collect();
    format!("[{}]", parts.join(", "))
}
