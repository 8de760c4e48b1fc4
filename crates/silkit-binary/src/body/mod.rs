//! The encoding of bodies, driven by the instruction table.

mod read;
mod shape;
mod write;

pub(crate) use read::{Workspace, read};
pub(crate) use shape::Shape;
pub(crate) use write::write;
