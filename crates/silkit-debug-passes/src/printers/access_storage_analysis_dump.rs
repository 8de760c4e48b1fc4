//! `access-storage-analysis-dump`: the storages that each function accesses formally.

use super::storage::{Initializers, StoragePrinter};
use silkit_analysis::access::function_accesses;
use silkit_analysis::calls::{CalleeTables, Visibility};
use silkit_pass::ModuleContext;
use silkit_pass::Pass;
use std::fmt::Write;

pub(crate) const PASS: Pass<'static> = Pass::module(
    "access-storage-analysis-dump",
    "Prints the storages that functions access in accesses checked at run time",
    &run,
)
.with_options(&["wmo"]);

fn run(cx: &mut ModuleContext<'_>) {
    let initializers = Initializers::of(cx.module);
    let initializer_of = |name| initializers.get(name);
    let visibility = Visibility::new(cx.declarations, cx.options.is_on("wmo"));
    let all = function_accesses(&CalleeTables::new(cx.module, visibility), cx.declarations);
    let mut text = String::new();
    for (id, function) in cx.module.functions.iter() {
        let _ = writeln!(text, "@{}", function.name);
        if function.body.is_none() {
            text.push_str("<unknown>\n");
            continue;
        }
        for access in &all[id].known {
            let Some(body) = &cx.module.functions[access.function].body else { continue };
            let printer = StoragePrinter::new(cx, body, &initializer_of);
            let nested = if access.no_nested_conflict { " [no_nested_conflict]" } else { "" };
            let _ = write!(text, "  [{}]{nested} ", access.kind.spelling());
            let (function, base) = access.base;
            let property = cx.module.functions[function].body.as_ref().and_then(|body| {
                let printer = StoragePrinter::new(cx, body, &initializer_of);
                printer.property(&access.storage, base)
            });
            text.push_str(&printer.storage(&access.storage));
            text.push_str(&property.unwrap_or_default());
        }
        if let Some(kind) = all[id].unidentified {
            let _ = writeln!(text, "  unidentified accesses: {}", kind.spelling());
        }
    }
    cx.print(&text);
}
