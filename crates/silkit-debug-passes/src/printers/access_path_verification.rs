//! `access-path-verification`: checks that the use-def and def-use walks agree: each accessed address with a known
//! path must be among the overlapping uses of its storage.

use super::storage::StoragePrinter;
use silkit_analysis::BodyView;
use silkit_analysis::access::{
    AccessPath, AccessPathWithBase, AccessScopes, AccessStorage, accessed_addresses, find, uses,
};
use silkit_base::{FxHashMap, FxHashSet};
use silkit_ir::Operand;
use silkit_pass::ModuleContext;
use silkit_pass::Pass;

pub(crate) const PASS: Pass<'static> = Pass::module(
    "access-path-verification",
    "Checks that each accessed address is found as a use of its storage",
    &run,
);

fn run(cx: &mut ModuleContext<'_>) {
    let program = cx.program();
    let mut text = String::new();
    for function in cx.module().functions.values() {
        let Some(body) = &function.body else { continue };
        let printer = StoragePrinter::new(cx, BodyView::new(&program, function, body));
        let mut by_path: FxHashMap<(AccessStorage, AccessPath), FxHashSet<Operand>> = FxHashMap::default();
        for operand in body.insts().flat_map(|inst| accessed_addresses(&printer.view, inst)) {
            let found = find(&printer.view, body.operand(operand).value, AccessScopes::Through);
            let Some(AccessPathWithBase { storage, path: Some(path), .. }) = found else { continue };
            let known = by_path.entry((storage, path.clone())).or_insert_with(|| {
                let found = uses(&printer.view, storage, &path);
                found.into_iter().map(|found| found.operand).collect()
            });
            if !known.contains(&operand) {
                text.push_str("error: a use of this storage was not found: ");
                text.push_str(&printer.storage(&storage));
                text.push_str(&printer.dump.inst(body.operand(operand).user, ""));
            }
        }
    }
    cx.complain(&text);
}
