//! Ownership in the instruction table: how operands are used, and what results have.

/// How an operand uses its value (Ownership.md, "Ownership Constraint").
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum OperandOwnership {
    /// A use that is none, as of a value that is only named.
    NonUse,
    /// A use of a trivial value or an address.
    TrivialUse,
    /// A use at one point in time.
    InstantaneousUse,
    /// A use at one point in time that an unowned value allows.
    UnownedInstantaneousUse,
    /// Passes an unowned value on.
    ForwardingUnowned,
    /// A pointer to the value escapes.
    PointerEscape,
    /// The bits of the value escape.
    BitwiseEscape,
    /// Borrows the value for a scope.
    Borrow,
    /// Ends the lifetime of an owned value.
    DestroyingConsume,
    /// Passes an owned value on.
    ForwardingConsume,
    /// An address into a guaranteed value.
    InteriorPointer,
    /// An address into a value of any ownership.
    AnyInteriorPointer,
    /// Passes a guaranteed value on.
    GuaranteedForwarding,
    /// Ends a borrow.
    EndBorrow,
    /// Ends a borrow and begins another one in the block that follows.
    Reborrow,
}

/// How an instruction uses an operand: always the same, or by a function of [`crate::ownership`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UseRule {
    /// In every instance.
    Always(OperandOwnership),
    /// Passes it on with the ownership that the instance forwards.
    Forwarded,
    /// By the conventions of the callee.
    Called,
    /// Captured by a closure: borrowed on the stack, consumed elsewhere.
    Captured,
    /// By the table of builtins.
    Builtin,
    /// By the results of the function.
    Returned,
    /// By the yields of the function.
    Yielded,
    /// By the argument of the block that it is passed to.
    Passed,
    /// By the kind of the dependence on a value.
    Dependence,
    /// By the kind of the dependence of memory.
    AddressDependence,
}

/// The ownership of results (Ownership.md, "Value Ownership Kind").
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ValueOwnership {
    /// None.
    None,
    /// Owned.
    Owned,
    /// Guaranteed.
    Guaranteed,
    /// Unowned.
    Unowned,
    /// Owned, or none where the type is trivial.
    OwnedOrNone,
    /// Guaranteed, or none where the type is trivial.
    GuaranteedOrNone,
    /// Unowned, or none where the type is trivial.
    UnownedOrNone,
    /// That of the forwarded operands.
    Forwarded,
    /// That of the forwarded operand, of which it is a part: none where the type is trivial.
    ForwardedPart,
    /// By the qualifier of a load.
    Loaded,
    /// The one that is spelled.
    Converted,
    /// By the results and yields of the callee.
    Called,
    /// By the table of builtins.
    Builtin,
    /// The buffer is owned, the bit is not.
    CowMutation,
}
