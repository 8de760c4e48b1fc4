//! Types in the instruction table: rules for result types and requirements on operand types.

/// The rule for the result types of an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResultRule {
    /// No results.
    None,
    /// The type of an operand.
    SameAs(u8),
    /// The type of an operand as an object.
    ObjectOf(u8),
    /// The type in an attribute.
    Type(u8),
    /// The address of the type in an attribute.
    AddressOf(u8),
    /// Always this type.
    Fixed(&'static str),
    /// Computed by a function of `infer`.
    Computed(Computed),
}

named! {
    /// Result types that need more than the type of an operand or attribute.
    Computed {
        /// The address of a field of a box.
        BoxField = "box_field",
        /// An actor's isolation as an existential.
        OpaqueIsolation = "opaque_isolation",
        /// The lowered target of a cast.
        CastTarget = "cast_target",
        /// `@sil_unowned T`.
        UnownedStorage = "unowned_storage",
        /// `@sil_weak T`.
        WeakStorage = "weak_storage",
        /// The type that a storage type refers to.
        Referent = "referent",
        /// `@moveOnly T`.
        WrapMoveOnly = "wrap_move_only",
        /// `T` of `@moveOnly T`.
        UnwrapMoveOnly = "unwrap_move_only",
        /// `Builtin.Int1` and the operand's type.
        BeginCowMutation = "begin_cow_mutation",
        /// `Builtin.FixedArray`.
        Vector = "vector",
        /// The address of the first element of a `Builtin.FixedArray` in memory.
        VectorBase = "vector_base",
        /// The borrow of a value or of an address.
        Borrow = "borrow",
        /// The object that a borrow refers to.
        BorrowReferent = "borrow_referent",
        /// The address that a borrow refers to.
        BorrowReferentAddress = "borrow_referent_address",
        /// The tuple of the operands.
        Tuple = "tuple",
        /// An element of a tuple.
        TupleElement = "tuple_element",
        /// A field of a struct.
        StructField = "struct_field",
        /// The address of a field of a class.
        ClassField = "class_field",
        /// All fields of a struct.
        DestructureStruct = "destructure_struct",
        /// All elements of a tuple.
        DestructureTuple = "destructure_tuple",
        /// The payload of an enum case.
        EnumPayload = "enum_payload",
        /// The lowered address of the value in an existential.
        ExistentialPayload = "existential_payload",
        /// The captured value in a block's storage.
        BlockStorage = "block_storage",
        /// The direct results of a call.
        Apply = "apply",
        /// The yields of a coroutine, its token, and its stack allocation if the callee allocates its frame.
        BeginApply = "begin_apply",
        /// The type of a closure.
        PartialApply = "partial_apply",
        /// The type of a thunk.
        Thunk = "thunk",
        /// A differentiable function type.
        Differentiable = "differentiable",
        /// A linear function type.
        Linear = "linear",
        /// A part of a differentiable function.
        DifferentiableExtract = "differentiable_extract",
        /// A part of a linear function.
        LinearExtract = "linear_extract",
        /// The function of a witness.
        WitnessFunction = "witness_function",
    }
}

/// A requirement on the type of an operand or an attribute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TypeRule {
    /// The operand or attribute whose type is checked.
    pub of: TypeSubject,
    /// The required property.
    pub is: TypePredicate,
}

/// The operand or attribute that a type rule refers to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TypeSubject {
    /// The type of an operand, or of all operands of a list.
    Operand(u8),
    /// The type in an attribute.
    Attr(u8),
}

/// A requirement of the table on a type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TypePredicate {
    /// `$*T`.
    Address,
    /// `$T`.
    Object,
    /// Not address-only.
    Loadable,
    /// A trivial type.
    Trivial,
    /// A reference-counted type.
    Reference,
    /// A class type, or a class-bound archetype.
    Class,
    /// A struct.
    Struct,
    /// An enum.
    Enum,
    /// A tuple.
    Tuple,
    /// A function.
    Function,
    /// A box.
    Box,
    /// A pack.
    Pack,
    /// An existential, or an existential metatype.
    Existential,
    /// An archetype that an instruction opens.
    Opened,
    /// A metatype of any kind.
    Metatype,
    /// A metatype that is `@thick`.
    ThickMetatype,
    /// A metatype that is `@objc_metatype`.
    ObjcMetatype,
    /// `@sil_weak T`.
    WeakStorage,
    /// `@sil_unowned T`.
    UnownedStorage,
    /// `@sil_unmanaged T`.
    UnmanagedStorage,
    /// `@block_storage T`.
    BlockStorage,
    /// `@moveOnly T`.
    MoveOnly,
    /// `Builtin.IntN`, `Builtin.Word` or `Builtin.IntLiteral`.
    Integer,
    /// `Builtin.FPIEEE64` or another floating-point type.
    Float,
    /// This type of module `Builtin`.
    Builtin(&'static str),
    /// The same type as another subject, in the same category.
    Same(TypeSubject),
    /// The same type as another subject, in any category.
    SameObject(TypeSubject),
    /// A reference storage type of the type of another subject.
    Referring(TypeSubject),
}
