//! `prune-vtables`: marks vtable entries without overrides.
//!
//! ```text
//! sil_vtable C {
//!   #C.f: (C) -> () -> () : @f
//! }
//! ```
//!
//! becomes, if no class in another module can inherit from `C`:
//!
//! ```text
//! sil_vtable C {
//!   #C.f: (C) -> () -> () : @f [nonoverridden]
//! }
//! ```
//!
//! Calls of such methods need no table lookup, and the entry is not emitted to the object file.

use silkit_base::FxHashSet;
use silkit_ir::attributes::EntryKind;
use silkit_ir::{DeclRef, VTableEntry};
use silkit_pass::{ModuleContext, Pass};

pub(super) const PASS: Pass<'static> =
    Pass::module("prune-vtables", "Marks vtable methods without overrides", &run);

fn run(cx: &mut ModuleContext<'_>) {
    let program = cx.program();
    // As in the reference, which otherwise does not know whether classes are closed.
    if !program.is_whole_module() {
        return;
    }
    let visibility = program.visibility();
    let entries = || program.module.vtables.values().flat_map(|table| &table.entries);
    let overridden: FxHashSet<DeclRef> = entries()
        .filter(|entry| entry.attributes.kind == EntryKind::Override)
        .map(|entry| entry.method)
        .collect();
    let is_final = |entry: &VTableEntry| {
        entry.attributes.kind != EntryKind::Override
            && !entry.attributes.is_nonoverridden
            && !is_destructor(entry.method)
            && !overridden.contains(&entry.method)
            && visibility.is_closed(entry.method)
    };
    let found: FxHashSet<DeclRef> =
        entries().filter(|entry| is_final(entry)).map(|entry| entry.method).collect();
    if found.is_empty() {
        return;
    }
    let mut count = 0;
    for entry in cx.module_mut().vtables.values_mut().flat_map(|table| &mut table.entries) {
        if entry.attributes.kind != EntryKind::Override && found.contains(&entry.method) {
            entry.attributes.is_nonoverridden = true;
            count += 1;
        }
    }
    cx.count("entries", count);
}

/// Returns true if the runtime calls a method by its position in the table.
fn is_destructor(method: DeclRef) -> bool {
    let is_one = |kind: &str| matches!(kind, "deallocator" | "isolateddeallocator" | "ivardestroyer");
    method.data().kinds.iter().any(|kind| is_one(kind.as_str()))
}
