//! `access-storage-analysis-dump`: prints the formal accesses to storage in each function.

use super::storage::StoragePrinter;
use silkit_analysis::access::function_accesses;
use silkit_pass::ModuleContext;
use silkit_pass::Pass;
use silkit_pass::options;
use std::fmt::Write;

pub(crate) const PASS: Pass<'static> = Pass::module(
    "access-storage-analysis-dump",
    "Prints the storage of dynamically enforced accesses in each function",
    &run,
)
.with_options(&[options::WMO]);

fn run(cx: &mut ModuleContext<'_>) {
    let program = cx.program();
    let all = function_accesses(&program);
    let mut text = String::new();
    for (id, function) in cx.module().functions.iter() {
        let _ = writeln!(text, "@{}", function.name);
        if function.body.is_none() {
            text.push_str("<unknown>\n");
            continue;
        }
        for access in &all[id].known {
            let Some(view) = program.body_view(access.function) else { continue };
            let printer = StoragePrinter::new(cx, view);
            let nested = if access.no_nested_conflict { " [no_nested_conflict]" } else { "" };
            let _ = write!(text, "  [{}]{nested} ", access.kind.spelling());
            text.push_str(&printer.storage(&access.storage));
        }
        if let Some(kind) = all[id].unidentified {
            let _ = writeln!(text, "  unidentified accesses: {}", kind.spelling());
        }
    }
    cx.print(&text);
}
