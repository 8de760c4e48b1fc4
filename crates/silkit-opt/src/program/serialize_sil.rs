//! `serialize-sil`: removes the serialized attributes of functions and tables, which marks the end of serialization
//! for clients of the module.
//!
//! ```text
//! sil [serialized] @f : $@convention(thin) () -> () {
//! bb0:
//!   %0 = tuple ()
//!   return %0
//! }
//! ---
//! sil @f : $@convention(thin) () -> () {
//! bb0:
//!   %0 = tuple ()
//!   return %0
//! }
//! ```
//!
//! The pass does not write a file. Functions that were kept for clients may be removed and specialized afterwards.
//! Functions that every client emits become shared if the whole module is visible.

use silkit_ir::{Linkage, Serialized};
use silkit_pass::{ModuleContext, Pass};

pub(super) const PASS: Pass<'static> =
    Pass::module("serialize-sil", "Removes the serialized attributes of functions and tables", &run)
        .mandatory();

fn run(cx: &mut ModuleContext<'_>) {
    let is_whole_module = cx.program().is_whole_module();
    let module = cx.module_mut();
    module.is_serialized = true;
    let mut count = 0;
    for function in module.functions.values_mut() {
        if function.attributes.serialized != Serialized::No {
            function.attributes.serialized = Serialized::No;
            count += 1;
        }
        if is_whole_module && matches!(function.linkage, Linkage::PublicNonAbi | Linkage::PackageNonAbi) {
            function.linkage = Linkage::Shared;
        }
    }
    let tables = module.vtables.values_mut().map(|table| &mut table.attributes);
    let tables = tables.chain(module.witness_tables.values_mut().map(|table| &mut table.attributes));
    let tables = tables.chain(module.deinits.iter_mut().map(|deinit| &mut deinit.attributes));
    tables.for_each(|attributes| attributes.serialized = Serialized::No);
    cx.count("functions", count);
}
