//! The target of layouts, as data.

/// The properties of a target that layouts depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target {
    /// The bytes of a pointer.
    pub pointer_size: u64,
    /// The bits that are zero in every reference to a native object, to metadata or to a witness table.
    pub object_spare_bits: u64,
    /// The number of lowest addresses that are never valid: the extra inhabitants of a reference.
    pub least_valid_pointer: u32,
    /// The bytes before the first field of an object.
    pub object_header: u64,
    /// The bytes of the inline buffer in an opaque existential container.
    pub existential_buffer: u64,
    /// The largest alignment of a value of a vector type.
    pub max_vector_align: u64,
}

impl Target {
    /// x86-64 Linux.
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
