//! Tasks.

use super::{BuiltinFn, NativeFn};
use crate::exec::Next;
use crate::frame::Frame;
use crate::interp::Interp;
use crate::op::Slot;
use crate::violation::{Run, unsupported};

pub(super) const FUNCTIONS: &[(&str, NativeFn)] = &[];
pub(super) const OVERRIDES: &[(&str, NativeFn)] = &[];
pub(super) const BUILTINS: &[(&str, BuiltinFn)] = &[];

impl Interp<'_> {
    pub(crate) fn finish_task<T>(&mut self, _: Frame, _: Slot, _: u32) -> Run<T> {
        unsupported("the end of a task")
    }

    pub(crate) fn finish_task_with_error(&mut self, _: Frame, _: Slot, _: u32) -> Run<Next> {
        unsupported("an error in a task")
    }
}
