//! Ownership in the instruction table: how operands are used, and what results have.

/// The operand ownership of a use (Ownership.md, "Ownership Constraint").
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

/// The operand ownership of an operand: fixed, or computed by a function of [`crate::ownership`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UseRule {
    /// In every instance.
    Always(OperandOwnership),
    /// Passes it on with the ownership that the instance forwards.
    Forwarded,
    /// Depends on the conventions of the callee.
    Called,
    /// Captured by a closure: borrowed on the stack, consumed elsewhere.
    Captured,
    /// Depends on the table of builtins.
    Builtin,
    /// Depends on the results of the function.
    Returned,
    /// Depends on the yields of the function.
    Yielded,
    /// Depends on the block argument that it is passed to.
    Passed,
    /// Depends on the kind of the value dependence.
    Dependence,
    /// Depends on the kind of the memory dependence.
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
    /// The ownership of the forwarded operands.
    Forwarded,
    /// The ownership of the forwarded operand, of which it is a part; none if the type is trivial.
    ForwardedPart,
    /// Depends on the qualifier of a load.
    Loaded,
    /// The one that is spelled.
    Converted,
    /// Depends on the results and yields of the callee.
    Called,
    /// Depends on the table of builtins.
    Builtin,
    /// The buffer is owned, the bit is not.
    CowMutation,
}
