//! The stack of a task. Its frames contain the bytes of values.

use crate::instance::InstanceId;
use crate::op::{Pc, Slot};

/// The program counter at which a nested run returns to native code of the interpreter.
pub(crate) const NATIVE_PC: Pc = u32::MAX - 1;

/// The frame of an active call.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    /// The called instance.
    pub(crate) instance: InstanceId,
    /// The stack offset of the values of this frame.
    pub(crate) base: u32,
    /// The stack offset at which callee frames begin.
    pub(crate) top: u32,
    /// The operation at which the caller continues after a normal return.
    pub(crate) return_to: Pc,
    /// The slot of the result in the caller's frame.
    pub(crate) result: Slot,
    /// The operation at which the caller continues after an error, or [`crate::op::NO_PC`] if the call cannot throw.
    pub(crate) error_to: Pc,
    /// The slot of the error in the caller's frame.
    pub(crate) error: Slot,
    /// The unique serial number of the frame. It is never reused.
    pub(crate) serial: u64,
    /// True if temporary memory must be deallocated when the frame returns.
    pub(crate) has_temporaries: bool,
    /// The index of the coroutine of this frame plus one; 0 if the frame is not a coroutine.
    pub(crate) coroutine: u32,
}

/// An active memory access.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Access {
    pub(crate) address: u64,
    pub(crate) modifies: bool,
    pub(crate) by: Pc,
    pub(crate) buffer: u64,
    /// The serial number of the frame that must end the access, or 0 if any frame may end it.
    pub(crate) frame: u64,
    /// True if exclusivity is enforced at run time.
    pub(crate) is_dynamic: bool,
    /// The number of accessed bytes if the access must not overlap others of its function, which the compiler has
    /// proved.
    pub(crate) exclusive: u32,
}

/// A coroutine that is suspended at a yield.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Suspended {
    /// The frame of the coroutine.
    pub(crate) frame: Frame,
    /// The continuation when the coroutine is resumed.
    pub(crate) resume: Pc,
    /// The continuation when the coroutine is aborted.
    pub(crate) unwind: Pc,
    /// True if the coroutine has ended.
    pub(crate) is_over: bool,
}

/// An allocation on the stack.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StackMemory {
    /// The address of the memory.
    pub(crate) address: u64,
    /// The serial number of the frame that allocated the memory.
    pub(crate) frame: u64,
    /// The order of its deallocation among those of the frame.
    pub(crate) order: StackOrder,
}

/// The time at which memory on the stack is deallocated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum StackOrder {
    /// Before memory that was allocated earlier.
    Nested,
    /// At any time before the frame returns. In OSSA, this holds for closures: their destroy is no stack deallocation, and
    /// the lowering of ownership establishes the order.
    Any,
    /// When the frame returns, if not before.
    Temporary,
}

/// The stack of a task.
#[derive(Debug, Default)]
pub(crate) struct Stack {
    /// The bytes of all frames.
    pub(crate) bytes: Vec<u8>,
    /// The frames of the active calls, the outermost first.
    pub(crate) frames: Vec<Frame>,
    /// The stack allocations of the frames.
    pub(crate) memory: Vec<StackMemory>,
    /// The coroutines that were started.
    pub(crate) coroutines: Vec<Suspended>,
    /// The segments for the frames of coroutines. These are separate because they outlive other frames.
    pub(crate) segments: Segments,
    /// The maximum number of bytes of frames.
    pub(crate) limit: u32,
    /// The number of bytes of frames that are counted as memory of the run.
    pub(crate) counted_to: u32,
    /// The number of bytes that are counted for the stack.
    pub(crate) counted: u64,
    /// The start of the next frame, if it does not follow the last frame.
    pub(crate) next: Option<u32>,
}

/// The maximum number of bytes in the frame of a coroutine.
pub(crate) const SEGMENT: u32 = 1 << 16;

/// An allocator of stack segments for the frames of coroutines.
#[derive(Debug, Default)]
pub(crate) struct Segments {
    /// The start of the first segment.
    pub(crate) start: u32,
    count: u32,
    free: Vec<u32>,
}

impl Segments {
    /// Creates an allocator whose first segment begins at `start`.
    pub(crate) fn new(start: u32) -> Self {
        Self { start, ..Self::default() }
    }

    /// Allocates a segment and returns its start.
    ///
    /// Returns `None` if no segments are left.
    pub(crate) fn take(&mut self) -> Option<u32> {
        if let Some(free) = self.free.pop() {
            return Some(free);
        }
        let start = self.count.checked_mul(SEGMENT).and_then(|offset| self.start.checked_add(offset))?;
        // The end of the segment and the space after it are offsets too.
        start.checked_add(2 * SEGMENT)?;
        self.count += 1;
        Some(start)
    }

    /// Returns the number of bytes of all segments.
    pub(crate) fn bytes(&self) -> u64 {
        u64::from(self.count) * u64::from(SEGMENT)
    }

    /// Frees the segment that begins at `base`.
    pub(crate) fn give_back(&mut self, base: u32) {
        self.free.push(base);
    }
}
