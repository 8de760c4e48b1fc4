//! The stack of a task: frames with the bytes of values.

use crate::instance::InstanceId;
use crate::op::{Pc, Slot};

/// The program counter at which a nested run returns to native code of the interpreter.
pub(crate) const NATIVE_PC: Pc = u32::MAX - 1;

/// A call that is being executed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    /// The instance that runs.
    pub(crate) instance: InstanceId,
    /// The start of its values.
    pub(crate) base: u32,
    /// The start of callee frames.
    pub(crate) top: u32,
    /// The operation of the caller that goes on after the call.
    pub(crate) return_to: Pc,
    /// The slot of the result in the caller's frame.
    pub(crate) result: Slot,
    /// The operation of the caller that goes on after an error; [`crate::op::NO_PC`] where there is none.
    pub(crate) error_to: Pc,
    /// The slot of the error in the caller's frame.
    pub(crate) error: Slot,
    /// The number of the frame, never used again.
    pub(crate) serial: u64,
    /// True if temporary memory must be deallocated when it returns.
    pub(crate) has_temporaries: bool,
    /// The number of the coroutine that it is, plus one.
    pub(crate) coroutine: u32,
}

/// An access that is not over.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Access {
    pub(crate) address: u64,
    pub(crate) modifies: bool,
    pub(crate) by: Pc,
    pub(crate) buffer: u64,
    /// The number of the frame that must end it; 0 where another one may.
    pub(crate) frame: u64,
    /// True if others that overlap are looked for when it runs: the compiler has proved it of the rest.
    pub(crate) is_dynamic: bool,
}

/// A coroutine that yielded.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Suspended {
    /// Its frame.
    pub(crate) frame: Frame,
    /// The continuation.
    pub(crate) resume: Pc,
    /// The continuation when it is aborted.
    pub(crate) unwind: Pc,
    /// True if it is over.
    pub(crate) is_over: bool,
}

/// Memory on the stack.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StackMemory {
    /// Its address.
    pub(crate) address: u64,
    /// The frame that allocated it.
    pub(crate) frame: u64,
    /// True if it is deallocated when the frame returns.
    pub(crate) temporary: bool,
}

/// The stack of a task.
#[derive(Debug, Default)]
pub(crate) struct Stack {
    /// The bytes of all frames.
    pub(crate) bytes: Vec<u8>,
    /// The calls, the outermost first.
    pub(crate) frames: Vec<Frame>,
    /// Memory that frames allocated.
    pub(crate) memory: Vec<StackMemory>,
    /// Coroutines that began.
    pub(crate) coroutines: Vec<Suspended>,
    /// The frames of coroutines: apart from the others, because they outlive other frames.
    pub(crate) segments: Segments,
    /// The most bytes of frames.
    pub(crate) limit: u32,
    /// The start of the next frame, if it is not after the last one.
    pub(crate) next: Option<u32>,
}

/// The bytes that the frame of a coroutine may have.
pub(crate) const SEGMENT: u32 = 1 << 16;

/// The places of the frames of coroutines.
#[derive(Debug, Default)]
pub(crate) struct Segments {
    /// The start of the first one.
    pub(crate) start: u32,
    count: u32,
    free: Vec<u32>,
}

impl Segments {
    /// Creates an area that begins somewhere.
    pub(crate) fn new(start: u32) -> Self {
        Self { start, ..Self::default() }
    }

    /// Takes a place.
    pub(crate) fn take(&mut self) -> u32 {
        self.free.pop().unwrap_or_else(|| {
            self.count += 1;
            self.start + (self.count - 1) * SEGMENT
        })
    }

    /// Gives a place back.
    pub(crate) fn give_back(&mut self, base: u32) {
        self.free.push(base);
    }
}
