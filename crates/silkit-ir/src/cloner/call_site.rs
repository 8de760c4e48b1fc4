//! Cloning with the location of a call site: mandatory inlining hides the callee from debuggers.
//!
//! ```text
//! sil [transparent] [ossa] @twice : $@convention(thin) (Builtin.Int64) -> Builtin.Int64 {
//! bb0(%0 : $Builtin.Int64):
//!   debug_value %0, let, name "x", argno 1, loc "a.swift":1:5, scope 1
//!   %2 = alloc_stack $Builtin.Int64, var, name "y", loc "a.swift":2:6, scope 1
//!   store %0 to [trivial] %2, loc "a.swift":2:7, scope 1
//! ```
//!
//! cloned into a call at `loc "a.swift":6:10, scope 3`:
//!
//! ```text
//!   %1 = alloc_stack $Builtin.Int64, loc * "<compiler-generated>":0:0, scope 3
//!   store %0 to [trivial] %1, loc "a.swift":6:10, scope 3
//! ```

use crate::body::{Loc, LocData};
use crate::debug::SourceLoc;
use crate::edit::Editor;
use crate::generated::Opcode;
use silkit_base::Symbol;

/// The call site whose location all copies get.
#[derive(Clone, Copy, Debug)]
pub struct CallSite {
    /// The location of the copies.
    pub(super) loc: Loc,
    /// True if the caller is async: `hop_to_executor` is only needed there.
    pub(super) is_async: bool,
}

impl CallSite {
    /// Creates the call site of a call with a location, in an async function or not.
    pub fn new(editor: &mut Editor<'_>, call: Loc, is_async: bool) -> Self {
        let loc = editor.loc(call).map_or(call, |data| {
            let source = data.source.map(|source| SourceLoc { is_inlined: true, ..source });
            editor.new_loc(LocData { source, ..data })
        });
        Self { loc, is_async }
    }

    /// Returns true if the copy is an allocation, which gets a compiler-generated location.
    pub(super) fn is_allocation(self, opcode: Opcode) -> bool {
        matches!(opcode, Opcode::AllocStack | Opcode::AllocBox)
    }

    /// Returns a compiler-generated location in the debug scope of the call.
    pub(super) fn of_compiler(self, editor: &mut Editor<'_>) -> Loc {
        let Some(LocData { scope, .. }) = editor.loc(self.loc) else { return Loc::NONE };
        let file = Some(Symbol::new("<compiler-generated>"));
        let source = Some(SourceLoc { file, line: 0, column: 0, is_auto: true, is_inlined: true });
        editor.new_loc(LocData { source, scope })
    }
}
