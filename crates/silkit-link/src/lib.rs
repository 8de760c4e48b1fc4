//! Linking: libraries as passes see them, and the linker, which loads bodies and tables of a library into a module.
//!
//! A [`LibrarySource`] holds declarations and bodies of other modules. [`library`] loads one entity of it into a module,
//! [`linker`] all that the module needs. The pass manager applies it to the requests of function passes; the passes
//! `mandatory-linker` and `performance-linker` are in `silkit-opt`.

pub mod library;
pub mod linker;

pub use library::{LibrarySource, ModuleLibrary};
