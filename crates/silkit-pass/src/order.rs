//! The order in which functions are worked on.

use silkit_analysis::calls::{BottomUp, CalleeTables, Visibility};
use silkit_ir::{FunctionId, Module};
use silkit_types::decl::Declarations;

/// The functions with bodies, callees before their callers where calls do not go around in circles: what methods may be
/// called follows from the module's tables.
pub fn bottom_up(module: &Module, declarations: &Declarations) -> Vec<FunctionId> {
    // Which other functions may be called does not matter here, so neither does what is visible.
    let tables = CalleeTables::new(module, Visibility::new(declarations, false));
    let has_blocks =
        |f: &FunctionId| module.functions[*f].body.as_ref().is_some_and(|body| body.entry_block().is_some());
    BottomUp::new(&tables).functions().filter(has_blocks).collect()
}
