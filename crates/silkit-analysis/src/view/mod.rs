//! Views of a program and its bodies, from which every analysis is computed.
//!
//! [`ProgramView`] is the shared part: the module, its Swift declarations, the representation of address-only values,
//! and facts about the whole program ([`ProgramFacts`]), which are computed on demand. [`BodyView`] adds one function
//! with its body and provides the analyses of that body, cached in an optional [`crate::AnalysisCache`].
//!
//! A function whose body is currently being changed is *busy*: its header is readable, but its body is not known.

mod body;
mod program;
mod runtime;

pub use body::BodyView;
pub use program::{Definition, ProgramFacts, ProgramView};
