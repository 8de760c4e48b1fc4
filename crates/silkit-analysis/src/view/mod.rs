//! The view of a body in its program, from which every analysis is computed.
//!
//! [`ProgramView`] is the shared part: the module, its Swift declarations, how address-only values are held, and facts
//! about the whole program ([`ProgramFacts`]), each computed when first asked for. [`BodyView`] adds one function with
//! its body, and hands out the analyses of that body, cached in an [`crate::AnalysisCache`] where there is one.
//!
//! A function whose body is being changed at the moment is *busy*: its header can be read, its body is not known.

mod body;
mod program;

pub use body::BodyView;
pub use program::{Definition, ProgramFacts, ProgramView};
