//! Ownership in the instruction table: the ownership constraints of operands and the ownership of results.

/// The operand ownership of a use (Ownership.md, "Ownership Constraint").
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum OperandOwnership {
    /// Not a use of the value, as for type-dependent operands.
    NonUse,
    /// A use of a trivial value or an address.
    TrivialUse,
    /// An instantaneous use.
    InstantaneousUse,
    /// An instantaneous use that also allows unowned values.
    UnownedInstantaneousUse,
    /// Forwards an unowned value.
    ForwardingUnowned,
    /// A pointer to the value escapes.
    PointerEscape,
    /// The bits of the value escape.
    BitwiseEscape,
    /// Borrows the value for a scope.
    Borrow,
    /// Ends the lifetime of an owned value.
    DestroyingConsume,
    /// Forwards an owned value.
    ForwardingConsume,
    /// An address into a guaranteed value.
    InteriorPointer,
    /// An address into a value of any ownership.
    AnyInteriorPointer,
    /// Forwards a guaranteed value.
    GuaranteedForwarding,
    /// Ends a borrow.
    EndBorrow,
    /// Ends a borrow and begins a new one in the successor block.
    Reborrow,
}

/// The operand ownership of an operand: fixed, or computed by [`crate::semantics::ownership`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UseRule {
    /// The same in every instance.
    Always(OperandOwnership),
    /// Forwards with the forwarding ownership of the instance.
    Forwarded,
    /// Depends on the conventions of the callee.
    Called,
    /// Captured by a closure: borrowed if the closure is on the stack, otherwise consumed.
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
    /// Owned; none if the type is trivial.
    OwnedOrNone,
    /// Guaranteed; none if the type is trivial.
    GuaranteedOrNone,
    /// Unowned; none if the type is trivial.
    UnownedOrNone,
    /// The ownership of the forwarded operands.
    Forwarded,
    /// The ownership of the forwarded operand; none if the type of this part is trivial.
    ForwardedPart,
    /// Depends on the qualifier of a load.
    Loaded,
    /// The ownership that the instruction spells.
    Converted,
    /// Depends on the results and yields of the callee.
    Called,
    /// Depends on the table of builtins.
    Builtin,
    /// Owned for the buffer, none for the bit.
    CowMutation,
}
