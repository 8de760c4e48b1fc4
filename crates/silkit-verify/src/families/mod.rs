//! The families of rules. Each is a folder; each rule is declared beside the function that checks it.
//!
//! | ids | family |
//! |---|---|
//! | `SIL01xx` | structure and SSA |
//! | `SIL02xx` | scopes and stack |
//! | `SIL03xx` | types |
//! | `SIL04xx` | ownership |
//! | `SIL05xx` | memory lifetime |
//! | `SIL06xx` | module |

mod memory;
mod module;
mod ownership;
mod scopes;
mod structure;
mod types;

use crate::rule::Rule;

/// A group of related rules.
#[derive(Debug)]
pub(crate) struct Family {
    /// Its name.
    pub(crate) name: &'static str,
    /// Its rules, file by file.
    pub(crate) rules: &'static [&'static [&'static Rule]],
    /// True if its checks of single instructions also run over the instructions of static initializers.
    pub(crate) checks_initializers: bool,
}

/// All families, in the order in which they are checked.
pub(crate) const ALL: &[Family] =
    &[structure::FAMILY, scopes::FAMILY, types::FAMILY, ownership::FAMILY, memory::FAMILY, module::FAMILY];
