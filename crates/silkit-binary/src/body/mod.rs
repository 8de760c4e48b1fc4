//! Bodies in bytes. What the parts of an instruction are is said by the instruction table.

mod read;
mod shape;
mod write;

pub(crate) use read::{Workspace, read};
pub(crate) use shape::Shape;
pub(crate) use write::write;
