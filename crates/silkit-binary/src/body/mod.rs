//! The encoding of bodies. The instruction table describes the parts of an instruction.

mod read;
mod shape;
mod write;

pub(crate) use read::{Workspace, read};
pub(crate) use shape::Shape;
pub(crate) use write::write;
