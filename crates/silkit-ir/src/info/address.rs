//! The effect of an instruction on the memory at an address.

/// The effect of an instruction on the memory at an address operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AddressUse {
    /// It is not known, or the operand is not an address.
    Unknown,
    /// No effect: the address is only named.
    Mention,
    /// No effect, but the value must be alive up to here.
    KeepAlive,
    /// Reads the value, which stays.
    Read,
    /// Reads which case an enum has, without its payload.
    ReadTag,
    /// Reads the dynamic type of the value.
    ReadType,
    /// Reads the reference count of the object that the reference there leads to.
    CheckUnique,
    /// Counts the references in the value, which stays.
    Count,
    /// Borrows the value: it is read until the borrow ends.
    Borrow,
    /// Stores a borrowed value, which is lent until the scope ends.
    Lend,
    /// Ends the scope in which a value is lent to the memory.
    EndLend,
    /// Moves the value out: the memory is uninitialized afterwards.
    Take,
    /// Moves the value out on the first edge of a terminator and reads it on the other.
    TakeOnSuccess,
    /// Destroys the value: the memory is uninitialized afterwards.
    Destroy,
    /// Ends the lifetime of the value without destroying it.
    Forget,
    /// Frees the buffer of an existential whose value was destroyed or taken before.
    Deinitialize,
    /// Writes a value to uninitialized memory.
    Initialize,
    /// Writes a value to uninitialized memory, on the first edge of a terminator only.
    InitializeOnSuccess,
    /// Destroys the value and writes another one.
    Assign,
    /// Initializes or assigns: which of both is decided by definite initialization.
    InitializeOrAssign,
    /// Writes a value whatever was there: a trivial one, or one whose ownership is not in the instruction.
    Overwrite,
    /// Writes what stands beside the value: the tag of an enum, the header of a block.
    WritePart,
    /// Projects an address of the same memory or of a part of it, without access.
    Project,
    /// Projects the address of the content of an enum or an existential, which is opened for that.
    ProjectContent,
    /// Projects the address of the content of an enum or an existential, which will be initialized.
    ProjectToInitialize,
    /// Begins a formal access of a kind that the instruction states.
    Access,
    /// Makes the value there depend on another value.
    Depend,
    /// Makes another value depend on the value there.
    DependOn,
    /// Deallocates the memory.
    Deallocate,
    /// Derives a value from the address that is not followed: a pointer, or a capture before closures are created.
    Escape,
    /// Passes the address to a function, whose convention says what is done.
    Call,
    /// Captures the value or the address in a closure, by the convention of the captured parameter.
    Capture,
    /// Passes the address to the caller of a coroutine, by the convention of the yield.
    Yield,
}

impl AddressUse {
    /// Returns true if a value is written that replaces all of the memory: initialized, assigned or overwritten.
    pub fn stores(self) -> bool {
        matches!(self, Self::Initialize | Self::Assign | Self::InitializeOrAssign | Self::Overwrite)
    }

    /// Returns true if the value is read as a whole, whether it stays, is borrowed or moved out.
    pub fn loads(self) -> bool {
        matches!(self, Self::Read | Self::Borrow | Self::Take)
    }
}

/// The address use of an operand: fixed, or computed for the instance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AddressRule {
    /// In every instance.
    Always(AddressUse),
    /// `Take` where the flag or the qualifier `take` stands, otherwise `Read`.
    ByTake,
    /// `Initialize` where the flag or the qualifier `init` stands; without either `Assign` where there is a flag or the
    /// qualifier `assign` stands, otherwise `Overwrite`.
    ByInit,
    /// By the keyword `consumption` of a cast: `Take`, `TakeOnSuccess` or `Read`.
    ByConsumption,
}
