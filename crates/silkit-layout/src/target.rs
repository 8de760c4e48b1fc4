//! The target properties that determine layouts.

/// The properties of a target that layouts depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target {
    /// The size of a pointer in bytes.
    pub pointer_size: u64,
    /// The spare bits of a pointer: zero in every reference to a native object, metadata or a witness table.
    pub object_spare_bits: u64,
    /// The number of low addresses that are never valid; they are the extra inhabitants of a reference.
    pub least_valid_pointer: u32,
    /// The size of the object header in bytes.
    pub object_header: u64,
    /// The size in bytes of the inline buffer of an opaque existential container.
    pub existential_buffer: u64,
    /// The maximum alignment of a vector type.
    pub max_vector_align: u64,
}

impl Target {
    /// The target x86-64 Linux.
    pub const X86_64_LINUX: Self = Self {
        pointer_size: 8,
        object_spare_bits: 0xFF00_0000_0000_0007,
        least_valid_pointer: 4096,
        object_header: 16,
        existential_buffer: 24,
        max_vector_align: 16,
    };
}

impl Default for Target {
    fn default() -> Self {
        Self::X86_64_LINUX
    }
}
