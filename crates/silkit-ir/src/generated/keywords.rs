//! The closed sets of keywords. Generated from `table/keywords.toml` by `cargo xtask generate`; do not edit.

use crate::instructions::keywords;

keywords! {
    /// How the exclusivity of an access is enforced.
    AccessEnforcement {
        /// `unknown`.
        Unknown = "unknown",
        /// `static`.
        Static = "static",
        /// `dynamic`.
        Dynamic = "dynamic",
        /// `unsafe`.
        Unsafe = "unsafe",
        /// `signed`.
        Signed = "signed",
    }
    /// What an access does to the memory.
    AccessKind {
        /// `init`.
        Init = "init",
        /// `read`.
        Read = "read",
        /// `modify`.
        Modify = "modify",
        /// `deinit`.
        Deinit = "deinit",
    }
    /// What an assignment through a property wrapper does.
    AssignByWrapperMode {
        /// `init`.
        Init = "init",
        /// `assign`.
        Assign = "assign",
        /// `assign_wrapped_value`.
        AssignWrappedValue = "assign_wrapped_value",
    }
    /// Whether a property with an init accessor is initialized or set.
    AssignOrInitMode {
        /// `init`.
        Init = "init",
        /// `set`.
        Set = "set",
    }
    /// What an assignment does, once definite initialization has decided.
    AssignQualifier {
        /// `init`.
        Init = "init",
        /// `reinit`.
        Reinit = "reinit",
        /// `reassign`.
        Reassign = "reassign",
    }
    /// What a cast of an address does to its source.
    CastConsumption {
        /// `take_always`.
        TakeAlways = "take_always",
        /// `take_on_success`.
        TakeOnSuccess = "take_on_success",
        /// `copy_on_success`.
        CopyOnSuccess = "copy_on_success",
        /// `borrow_always`.
        BorrowAlways = "borrow_always",
    }
    /// The kind of a dependence of one value on another.
    DependenceKind {
        /// `nonescaping`.
        Nonescaping = "nonescaping",
        /// `unresolved`.
        Unresolved = "unresolved",
    }
    /// Whether the value in an opened existential may be changed.
    ExistentialAccess {
        /// `immutable_access`.
        ImmutableAccess = "immutable_access",
        /// `mutable_access`.
        MutableAccess = "mutable_access",
    }
    /// A part of a differentiable function.
    Extractee {
        /// `original`.
        Original = "original",
        /// `jvp`.
        Jvp = "jvp",
        /// `vjp`.
        Vjp = "vjp",
    }
    /// How a move-only wrapper passes its operand on.
    ForwardedOwnership {
        /// `owned`.
        Owned = "owned",
        /// `guaranteed`.
        Guaranteed = "guaranteed",
    }
    /// Whether memory is initialized or assigned to.
    InitQualifier {
        /// `init`.
        Init = "init",
        /// `assign`.
        Assign = "assign",
    }
    /// A part of a linear function.
    LinearExtractee {
        /// `original`.
        Original = "original",
        /// `transpose`.
        Transpose = "transpose",
    }
    /// What a load does to the value in memory.
    LoadQualifier {
        /// `take`.
        Take = "take",
        /// `copy`.
        Copy = "copy",
        /// `trivial`.
        Trivial = "trivial",
    }
    /// What may be done to a value that cannot be copied.
    MoveOnlyCheckKind {
        /// `consumable_and_assignable`.
        ConsumableAndAssignable = "consumable_and_assignable",
        /// `no_consume_or_assign`.
        NoConsumeOrAssign = "no_consume_or_assign",
        /// `assignable_but_not_consumable`.
        AssignableButNotConsumable = "assignable_but_not_consumable",
        /// `initable_but_not_consumable`.
        InitableButNotConsumable = "initable_but_not_consumable",
    }
    /// An ownership as it is spelled.
    OwnershipKeyword {
        /// `@owned`.
        Owned = "@owned",
        /// `@guaranteed`.
        Guaranteed = "@guaranteed",
        /// `@unowned`.
        Unowned = "@unowned",
        /// `@none`.
        None = "@none",
    }
    /// The kind of a binding to a place.
    ReferenceBindingKind {
        /// `inout`.
        Inout = "inout",
    }
    /// What a store does to the value that the memory held.
    StoreQualifier {
        /// `init`.
        Init = "init",
        /// `assign`.
        Assign = "assign",
        /// `trivial`.
        Trivial = "trivial",
    }
    /// The encoding of a string literal.
    StringEncoding {
        /// `bytes`.
        Bytes = "bytes",
        /// `utf8`.
        Utf8 = "utf8",
        /// `objc_selector`.
        ObjcSelector = "objc_selector",
        /// `oslog`.
        Oslog = "oslog",
    }
    /// What a thunk does around its call.
    ThunkKind {
        /// `identity`.
        Identity = "identity",
        /// `hop_to_mainactor_if_needed`.
        HopToMainactorIfNeeded = "hop_to_mainactor_if_needed",
    }
    /// What must be initialized, for definite initialization.
    UninitializedKind {
        /// `var`.
        Var = "var",
        /// `rootself`.
        Rootself = "rootself",
        /// `crossmodulerootself`.
        Crossmodulerootself = "crossmodulerootself",
        /// `derivedself`.
        Derivedself = "derivedself",
        /// `derivedselfonly`.
        Derivedselfonly = "derivedselfonly",
        /// `delegatingself`.
        Delegatingself = "delegatingself",
        /// `delegatingselfallocated`.
        Delegatingselfallocated = "delegatingselfallocated",
        /// `out`.
        Out = "out",
    }
}
