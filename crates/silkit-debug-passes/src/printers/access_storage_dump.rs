//! `access-storage-dump`: prints the storage and access path of each accessed address and, with
//! `-enable-access-storage-dump-uses`, all overlapping uses.

use super::storage::StoragePrinter;
use silkit_analysis::BodyView;
use silkit_analysis::access::{
    AccessPath, AccessPathWithBase, AccessScopes, Overlap, accessed_addresses, find, uses,
};
use silkit_ir::{Operand, Value};
use silkit_pass::ModuleContext;
use silkit_pass::Pass;
use std::fmt::Write;

const SHOW_USES: &str = "enable-access-storage-dump-uses";

pub(crate) const PASS: Pass<'static> =
    Pass::module("access-storage-dump", "Prints the storage of each accessed address", &run)
        .with_options(&[SHOW_USES]);

fn run(cx: &mut ModuleContext<'_>) {
    let program = cx.program();
    let shows_uses = cx.options().is_on(SHOW_USES);
    let mut text = String::new();
    for function in cx.module().functions.values() {
        let _ = writeln!(text, "@{}", function.name);
        let Some(body) = &function.body else {
            text.push_str("<unknown>\n");
            continue;
        };
        let printer = StoragePrinter::new(cx, BodyView::new(&program, function, body));
        let behavior = printer.view.behavior();
        for inst in body.insts().filter(|&i| behavior.may_read_or_write(i)) {
            text.push_str("###For MemOp: ");
            text.push_str(&printer.dump.inst(inst, ""));
            for operand in accessed_addresses(&printer.view, inst) {
                address(&printer, body.operand(operand).value, shows_uses, &mut text);
            }
        }
    }
    cx.print(&text);
}

fn address(printer: &StoragePrinter<'_>, address: Value, shows_uses: bool, text: &mut String) {
    let found = find(&printer.view, address, AccessScopes::Through);
    let Some(AccessPathWithBase { storage, base, path }) = found else {
        text.push_str("INVALID\nBase: unidentified\nINVALID\n");
        return;
    };
    let shown = printer.storage(&storage) + &printer.property(&storage, base).unwrap_or_default();
    text.push_str(&shown);
    let Some(path) = path else {
        text.push_str("Base: unidentified\nINVALID\n");
        return;
    };
    let _ = writeln!(text, "Base: {}Storage: {shown}Path: {path}", printer.value(base));
    if !shows_uses {
        return;
    }
    let all = uses(&printer.view, storage, base, &path);
    let lists = [("Exact", Overlap::Exact), ("Inner", Overlap::Inner), ("Overlapping", Overlap::Partial)];
    for (title, widest) in lists {
        let _ = writeln!(text, "{title} Uses {{");
        for found in all.iter().filter(|found| found.overlap <= widest) {
            use_of(printer, found.operand, text);
        }
        text.push_str("}\n");
    }
}

fn use_of(printer: &StoragePrinter<'_>, operand: Operand, text: &mut String) {
    let operand = printer.view.body.operand(operand);
    text.push_str(&printer.dump.inst(operand.user, ""));
    let path: Option<AccessPath> =
        find(&printer.view, operand.value, AccessScopes::Through).and_then(|found| found.path);
    match path {
        Some(path) => _ = writeln!(text, "  Path: {path}"),
        None => text.push_str("  Path: INVALID\n"),
    }
}
