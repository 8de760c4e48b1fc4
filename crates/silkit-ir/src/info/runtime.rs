//! Effects on the Swift runtime, a column of the instruction table.

use bitflags::bitflags;

bitflags! {
    /// Effects that may involve the Swift runtime.
    #[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
    pub struct RuntimeEffects: u16 {
        /// Memory is allocated on the heap.
        const ALLOCATE = 1;
        /// References are counted.
        const COUNT = 1 << 1;
        /// A lifetime may end, and so a deinitializer may run.
        const RELEASE = 1 << 2;
        /// The metadata of a type is needed, which may be made and kept behind a lock.
        const METADATA = 1 << 3;
        /// A type or a conformance is looked up.
        const CAST = 1 << 4;
        /// Dynamic enforcement of exclusivity.
        const EXCLUSIVITY = 1 << 5;
        /// One-time initialization.
        const ONCE = 1 << 6;
        /// A message is sent to Objective-C.
        const OBJC = 1 << 7;
        /// Tasks or executors are scheduled.
        const CONCURRENCY = 1 << 8;
        /// The program is stopped.
        const TRAP = 1 << 9;
        /// All for which the runtime may take a lock, counting references aside.
        const LOCK = Self::METADATA.bits() | Self::CAST.bits() | Self::EXCLUSIVITY.bits() | Self::ONCE.bits()
            | Self::OBJC.bits() | Self::CONCURRENCY.bits();
    }
}
