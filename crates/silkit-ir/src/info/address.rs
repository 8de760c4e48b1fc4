//! The effect of an instruction on the memory at an address.

/// The effect of an instruction on the memory at an address operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AddressUse {
    /// Unknown, or the operand is not an address.
    Unknown,
    /// No effect: the address is only referenced.
    Mention,
    /// No effect, but the value must be alive until here.
    KeepAlive,
    /// Reads the value and leaves it in memory.
    Read,
    /// Reads the case of an enum without its payload.
    ReadTag,
    /// Reads the dynamic type of the value.
    ReadType,
    /// Reads the reference count of the object that the stored reference points to.
    CheckUnique,
    /// Retains or releases the references in the value, which stays in memory.
    Count,
    /// Borrows the value until the end of the borrow scope.
    Borrow,
    /// Stores a borrowed value until the end of the scope.
    Lend,
    /// Ends the scope of a stored borrow.
    EndLend,
    /// Moves the value out; the memory is uninitialized afterwards.
    Take,
    /// Moves the value out on the first edge of a terminator and reads it on the other.
    TakeOnSuccess,
    /// Destroys the value; the memory is uninitialized afterwards.
    Destroy,
    /// Ends the lifetime of the value without destroying it.
    Forget,
    /// Frees the buffer of an existential whose value has already been destroyed or taken.
    Deinitialize,
    /// Writes a value to uninitialized memory.
    Initialize,
    /// Writes a value to uninitialized memory, on the first edge of a terminator only.
    InitializeOnSuccess,
    /// Destroys the old value and writes another one.
    Assign,
    /// Initializes or assigns, as definite initialization decides.
    InitializeOrAssign,
    /// Writes a value regardless of the old one: a trivial value, or a value whose ownership is managed separately.
    Overwrite,
    /// Writes data beside the value: the tag of an enum, the header of a block.
    WritePart,
    /// Projects an address of the same memory or of a part of it, without accessing it.
    Project,
    /// Projects the address of the payload of an enum or the value of an existential, for access.
    ProjectContent,
    /// Projects the address of the payload of an enum or the value of an existential, for initialization.
    ProjectToInitialize,
    /// Begins a formal access, of the kind that the instruction states.
    Access,
    /// Makes the stored value depend on another value.
    Depend,
    /// Makes another value depend on the stored value.
    DependOn,
    /// Deallocates the memory.
    Deallocate,
    /// Derives a value that is not tracked from the address: a pointer, or a capture before closures are created.
    Escape,
    /// Passes the address to a function; the effect depends on the parameter convention.
    Call,
    /// Captures the value or the address in a closure; the effect depends on the convention of the captured
    /// parameter.
    Capture,
    /// Passes the address to the caller of a coroutine; the effect depends on the convention of the yield.
    Yield,
}

impl AddressUse {
    /// Returns true if the use replaces the whole value: by initializing, assigning or overwriting.
    pub fn stores(self) -> bool {
        matches!(self, Self::Initialize | Self::Assign | Self::InitializeOrAssign | Self::Overwrite)
    }

    /// Returns true if the whole value is read, borrowed or moved out.
    pub fn loads(self) -> bool {
        matches!(self, Self::Read | Self::Borrow | Self::Take)
    }
}

/// The address use of an operand: fixed, or computed for each instance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AddressRule {
    /// The same use in every instance.
    Always(AddressUse),
    /// `Take` if the instruction has the flag or qualifier `take`, otherwise `Read`.
    ByTake,
    /// `Initialize` with the flag or qualifier `init`; otherwise `Assign` with a flag or the qualifier `assign`;
    /// otherwise `Overwrite`.
    ByInit,
    /// `Read` if the instruction has the flag `copy`, otherwise `Take`.
    ByCopy,
    /// `Take`, `TakeOnSuccess` or `Read`, by the `consumption` keyword of a cast.
    ByConsumption,
}
