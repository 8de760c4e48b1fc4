//! `sil-deadfuncelim`, `late-deadfuncelim`: eliminate dead functions, global variables and methods in tables.
//!
//! ```text
//! sil private @unused : $@convention(thin) () -> () {
//! bb0:
//!   %0 = tuple ()
//!   return %0
//! }
//! sil @f : $@convention(thin) () -> () {
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
//! An entity is live if other modules may use it or if a live entity references it. A method in a table is live if
//! other modules may call it or if live code calls it. Table entries of dead methods are removed.

mod liveness;

use liveness::Liveness;
use silkit_base::{FxHashSet, Symbol};
use silkit_ir::{Module, WitnessEntry};
use silkit_pass::{ModuleContext, Pass};

/// The pass before functions are specialized.
pub(super) const EARLY: Pass<'static> =
    Pass::module("sil-deadfuncelim", "Eliminates dead functions and global variables", &run).mandatory();

/// The pass at the end of the pipeline.
pub(super) const LATE: Pass<'static> =
    Pass::module("late-deadfuncelim", "Eliminates dead functions and global variables", &run).mandatory();

fn run(cx: &mut ModuleContext<'_>) {
    let alive = Liveness::of(&cx.program());
    let is_dead = |name: &Symbol| !alive.contains(*name);
    let module = cx.module();
    let functions: FxHashSet<Symbol> = module.functions.values().map(|f| f.name).filter(is_dead).collect();
    let globals: FxHashSet<Symbol> = module.globals.values().map(|g| g.name).filter(is_dead).collect();
    if functions.is_empty() && globals.is_empty() {
        return;
    }
    let bodies = module.functions.values().filter(|f| f.body.is_some() && functions.contains(&f.name));
    let (bodies, variables) = (bodies.count() as u64, globals.len() as u64);
    let module = cx.module_mut();
    module.functions.retain(|function| !functions.contains(&function.name));
    module.globals.retain(|global| !globals.contains(&global.name));
    remove_entries(module, &functions);
    cx.count("functions removed", bodies);
    cx.count("variables removed", variables);
}

/// Removes dead methods from tables.
fn remove_entries(module: &mut Module, dead: &FxHashSet<Symbol>) {
    for table in module.vtables.values_mut() {
        table.entries.retain(|entry| !dead.contains(&entry.function));
    }
    let tables = module.witness_tables.values_mut().chain(module.default_witness_tables.values_mut());
    for entry in tables.filter_map(|table| table.entries.as_mut()).flatten() {
        if let WitnessEntry::Method(_, _, function) = entry
            && function.is_some_and(|name| dead.contains(&name))
        {
            *function = None;
        }
    }
}
