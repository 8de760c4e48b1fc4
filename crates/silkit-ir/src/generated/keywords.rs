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
    /// The kind of an access: what it does to the memory.
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
    /// The kind of an assignment through a property wrapper.
    AssignByWrapperMode {
        /// `init`.
        Init = "init",
        /// `assign`.
        Assign = "assign",
        /// `assign_wrapped_value`.
        AssignWrappedValue = "assign_wrapped_value",
    }
    /// The kind of an assignment through an init accessor: initialization or set.
    AssignOrInitMode {
        /// `init`.
        Init = "init",
        /// `set`.
        Set = "set",
    }
    /// The kind of an assignment, as resolved by definite initialization.
    AssignQualifier {
        /// `init`.
        Init = "init",
        /// `reinit`.
        Reinit = "reinit",
        /// `reassign`.
        Reassign = "reassign",
    }
    /// The consumption of the source of an address cast.
    CastConsumption {
        /// `take_always`.
        TakeAlways = "take_always",
        /// `take_on_success`.
        TakeOnSuccess = "take_on_success",
        /// `copy_on_success`.
        CopyOnSuccess = "copy_on_success",
        /// `borrow_always`.
        BorrowAlways = "borrow_always",
        /// `test_only`.
        TestOnly = "test_only",
    }
    /// The kind of a dependence of one value on another.
    DependenceKind {
        /// `nonescaping`.
        Nonescaping = "nonescaping",
        /// `unresolved`.
        Unresolved = "unresolved",
    }
    /// The access to the value in an opened existential.
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
    /// The forwarding of a move-only wrapper.
    ForwardedOwnership {
        /// `owned`.
        Owned = "owned",
        /// `guaranteed`.
        Guaranteed = "guaranteed",
    }
    /// The kind of a write: initialization or assignment.
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
    /// The qualifier of a load: what happens to the value in memory.
    LoadQualifier {
        /// `take`.
        Take = "take",
        /// `copy`.
        Copy = "copy",
        /// `trivial`.
        Trivial = "trivial",
    }
    /// The operations that the move checker allows on a noncopyable value.
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
    /// An ownership kind, as spelled.
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
    /// The diagnostic that `diagnose` asks for.
    RequestedDiagnostic {
        /// `unpermitted_copy`.
        UnpermittedCopy = "unpermitted_copy",
    }
    /// The qualifier of a store: what happens to the old value.
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
    /// The kind of a thunk.
    ThunkKind {
        /// `identity`.
        Identity = "identity",
        /// `hop_to_mainactor_if_needed`.
        HopToMainactorIfNeeded = "hop_to_mainactor_if_needed",
    }
    /// The kind of memory that definite initialization checks.
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
