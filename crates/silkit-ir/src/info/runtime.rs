//! Effects on the Swift runtime: a column of the instruction table.

use bitflags::bitflags;

bitflags! {
    /// Effects that may involve the Swift runtime.
    #[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
    pub struct RuntimeEffects: u16 {
        /// Allocates heap memory.
        const ALLOCATE = 1;
        /// Reference counting.
        const COUNT = 1 << 1;
        /// May end a lifetime, and so run a deinitializer.
        const RELEASE = 1 << 2;
        /// Needs type metadata, which may be instantiated and cached under a lock.
        const METADATA = 1 << 3;
        /// Looks up a type or a conformance at run time.
        const CAST = 1 << 4;
        /// Dynamic enforcement of exclusivity.
        const EXCLUSIVITY = 1 << 5;
        /// One-time initialization.
        const ONCE = 1 << 6;
        /// Sends a message to Objective-C.
        const OBJC = 1 << 7;
        /// Schedules tasks or executors.
        const CONCURRENCY = 1 << 8;
        /// Terminates the program.
        const TRAP = 1 << 9;
        /// All effects for which the runtime may take a lock, except for reference counting. Accesses are recorded in a
        /// list of the thread, without a lock.
        const LOCK = Self::METADATA.bits() | Self::CAST.bits() | Self::ONCE.bits() | Self::OBJC.bits()
            | Self::CONCURRENCY.bits();
    }
}
