//! What the instruction table says of each kind of instruction.
//!
//! The rows live in `table/*.toml`; `cargo xtask generate` turns them into
//! [`crate::generated`]. Parser, printer, cloner and binary codec all work from these rows.

use crate::builtin_name::BuiltinTypes;
use crate::generated::Opcode;
pub use crate::runtime::RuntimeEffects;

/// One row of the instruction table.
#[derive(Debug)]
pub struct InstInfo {
    /// The kind of instruction.
    pub opcode: Opcode,
    /// Its name in the text form: `struct_extract`.
    pub name: &'static str,
    /// Its name as a type: `StructExtract`.
    pub class: &'static str,
    /// The file of the table that declares it.
    pub family: &'static str,
    /// The text form after the name, in order.
    pub form: &'static [Piece],
    /// The operands, in order.
    pub operands: &'static [OperandSpec],
    /// The attributes, in order; each takes one word of the instruction.
    pub attrs: &'static [AttrSpec],
    /// The names of the flags; the bit of a flag is its position.
    pub flags: &'static [&'static str],
    /// How many results it has.
    pub results: Results,
    /// True if opened types in its attributes make it use the values that opened them
    /// (SIL.md, "Values and Operands": type-dependent operands).
    pub type_dependent: bool,
    /// The part that it plays.
    pub role: Role,
    /// The kind of apply site that it is.
    pub apply: Option<ApplyKind>,
    /// How the types of its results follow from the rest.
    pub result: ResultRule,
    /// What must hold for the types of its operands and attributes.
    pub types: &'static [TypeRule],
    /// The ownership of its results.
    pub value_ownership: ValueOwnership,
    /// What it does to memory.
    pub memory: MemoryBehavior,
    /// True if the answer to `memory` depends on the instance.
    pub memory_depends_on_instance: bool,
    /// True if it may release a reference.
    pub may_release: bool,
    /// True if it may trap.
    pub may_trap: bool,
    /// What it may need the runtime for, in some instance.
    pub runtime: RuntimeEffects,
    /// The stage in which it is allowed.
    pub stage: Stage,
    /// What it does to the stack.
    pub stack: StackEffect,
    /// The scope that it begins or ends: `begins access`.
    pub scope: Option<(bool, &'static str)>,
    /// One line that says what it does.
    pub summary: &'static str,
    /// The text form in the notation of the table.
    pub syntax: &'static str,
    /// The reference text.
    pub details: &'static str,
    /// An example.
    pub example: &'static str,
    /// Related instructions.
    pub see: &'static [&'static str],
}

impl OperandSpec {
    /// Returns true if its ownership is passed on to results or successors.
    pub fn is_forwarded(&self) -> bool {
        use OperandOwnership as O;
        matches!(
            self.ownership,
            UseRule::Forwarded
                | UseRule::Passed
                | UseRule::Always(O::ForwardingConsume | O::GuaranteedForwarding | O::ForwardingUnowned)
        )
    }
}

impl InstInfo {
    /// Returns the position of an operand by its name.
    pub fn operand(&self, name: &str) -> Option<usize> {
        self.operands.iter().position(|o| o.name == name)
    }

    /// Returns the position of an attribute by its name.
    pub fn attr(&self, name: &str) -> Option<usize> {
        self.attrs.iter().position(|a| a.name == name)
    }

    /// Returns the bit of a flag by its name.
    pub fn flag(&self, name: &str) -> Option<usize> {
        self.flags.iter().position(|f| *f == name)
    }
}

/// One piece of a text form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Piece {
    /// Fixed text, spaces included.
    Text(&'static str),
    /// An optional `[name] `; the number is the bit.
    Flag(u8),
    /// A keyword of a closed set; the number is the attribute.
    Choice {
        /// The attribute that holds the index of the keyword.
        attr: u8,
        /// True if it stands in brackets and is followed by a space.
        bracketed: bool,
    },
    /// One operand.
    Operand(u8),
    /// One operand whose type is always printed.
    TypedOperand(u8),
    /// One operand whose type is never printed.
    BareOperand(u8),
    /// A comma-separated list of operands.
    Operands(u8),
    /// An attribute in the form of its kind.
    Attr(u8),
    /// A block with the arguments that are passed to it; the second is the operand list or 255.
    Target(u8, u8),
    /// Text before an operand that may be missing, and when its type is printed.
    OptOperand(&'static str, u8, Typed),
    /// Text before a block that may be missing.
    OptTarget(&'static str, u8),
    /// An irregular piece, read and printed by a function of its own; then its first attribute
    /// and its first operand.
    Custom(CustomPiece, u8, u8),
}

/// How many operands a specification stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arity {
    /// Exactly one.
    One,
    /// None or one.
    Optional,
    /// Any number.
    Many,
}

/// One operand, or one list of operands.
#[derive(Debug)]
pub struct OperandSpec {
    /// Its name.
    pub name: &'static str,
    /// How many there are.
    pub arity: Arity,
    /// The attribute that counts them, where it is not the last and its number varies.
    pub count: Option<u8>,
    /// How the instruction uses it.
    pub ownership: UseRule,
}

/// One attribute.
#[derive(Debug)]
pub struct AttrSpec {
    /// Its name.
    pub name: &'static str,
    /// What its word means.
    pub kind: AttrKind,
}

/// What the word of an attribute means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AttrKind {
    /// A number.
    U32,
    /// A number, or [`crate::NONE`].
    OptU32,
    /// The number of operands in a list.
    Count,
    /// The index of a keyword; [`crate::NONE`] where it may be missing.
    Choice(&'static [&'static str], bool),
    /// A symbol.
    Sym,
    /// The text of a string literal, escapes untouched.
    Str,
    /// A string, or [`crate::NONE`].
    OptStr,
    /// A lowered type with its category.
    SilType,
    /// A lowered type, or [`crate::NONE`].
    OptSilType,
    /// A formal type.
    Type,
    /// A formal type, or [`crate::NONE`].
    OptType,
    /// A reference to a declaration.
    Decl,
    /// The name of a function.
    Function,
    /// The name of a global variable.
    Global,
    /// A block.
    Block,
    /// A block, or [`crate::NONE`].
    OptBlock,
    /// A list of numbers in the body's pool, or [`crate::NONE`].
    ListU32,
    /// A list of symbols or [`crate::NONE`]s in the body's pool, or [`crate::NONE`].
    ListOptSym,
    /// A list of types in the body's pool, or [`crate::NONE`].
    ListType,
    /// A list of lowered types in the body's pool.
    ListSilType,
    /// A list of blocks in the body's pool.
    ListBlock,
    /// A list of declarations in the body's pool.
    ListDecl,
    /// A list that alternates declarations and blocks, in the body's pool.
    ListDeclBlock,
    /// A debug variable, or [`crate::NONE`].
    DebugVar,
    /// The pattern of a key path.
    KeyPath,
    /// A generic signature, or [`crate::NONE`].
    OptSig,
}

/// The part that an instruction plays in the life of a value or of memory. The number is that of the
/// operand that it is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Role {
    /// None of these.
    None,
    /// Its result is new memory.
    Allocation,
    /// It gives memory back.
    Deallocation(u8),
    /// Its results are parts of the operand, or the places of parts.
    Projection(u8),
    /// Its result is the operand seen as another type.
    Cast(u8),
    /// A cast of which is known at run time only whether it is possible.
    CheckedCast(u8),
    /// Its result is the operand itself, under another name for some purpose.
    Marker(u8),
    /// Its result is a copy of the operand.
    Copy(u8),
    /// It retains a reference, outside of ownership SSA.
    Retain(u8),
    /// It releases a reference, outside of ownership SSA.
    Release(u8),
    /// It ends the life of a value, or of the one in memory.
    Destruction(u8),
}

impl Role {
    /// Returns the operand of the table that it is about.
    pub fn operand(self) -> Option<usize> {
        match self {
            Self::None | Self::Allocation => None,
            Self::Deallocation(i) | Self::Projection(i) | Self::Cast(i) | Self::CheckedCast(i) => {
                Some(i.into())
            }
            Self::Marker(i) | Self::Copy(i) | Self::Retain(i) | Self::Release(i) | Self::Destruction(i) => {
                Some(i.into())
            }
        }
    }
}

impl AttrKind {
    /// Returns true if a word stands for a list in the body's pool.
    pub fn is_list(self) -> bool {
        use AttrKind as K;
        matches!(
            self,
            K::ListU32
                | K::ListOptSym
                | K::ListType
                | K::ListSilType
                | K::ListBlock
                | K::ListDecl
                | K::ListDeclBlock
        )
    }
}

/// Kinds of apply sites (SIL Programmers' Manual, "SILFunction and apply arguments").
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ApplyKind {
    /// It calls: its arguments are all of the callee's.
    Full,
    /// It makes a closure: its arguments are the last of the callee's.
    Partial,
}

/// The number of results.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Results {
    /// No value.
    None,
    /// One value.
    One,
    /// Any number of values.
    Several,
    /// No value: it ends a block.
    Terminator,
}

/// How the types of the results follow from the rest of the instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResultRule {
    /// There are no results.
    None,
    /// The type of an operand.
    SameAs(u8),
    /// The type of an operand as an object.
    ObjectOf(u8),
    /// The type that an attribute holds.
    Type(u8),
    /// The address of the type that an attribute holds.
    AddressOf(u8),
    /// Always this type.
    Fixed(&'static str),
    /// A function of `infer`.
    Computed(Computed),
}

/// One thing that must hold for the type of an operand or an attribute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TypeRule {
    /// Whose type it is.
    pub of: TypeSubject,
    /// What it must be.
    pub is: TypePredicate,
}

/// Whose type a rule of the table speaks of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TypeSubject {
    /// That of an operand, or of all operands of a list.
    Operand(u8),
    /// The one that an attribute holds.
    Attr(u8),
}

/// What the table asks of a type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TypePredicate {
    /// `$*T`.
    Address,
    /// `$T`.
    Object,
    /// Not address-only.
    Loadable,
    /// Copying it does nothing.
    Trivial,
    /// A reference to something that is counted.
    Reference,
    /// An instance of a class, or of an archetype that is bound to one.
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
    /// `Builtin.FPIEEE64` and its like.
    Float,
    /// This type of module `Builtin`.
    Builtin(&'static str),
    /// The type of another subject, in the same category.
    Same(TypeSubject),
    /// The type of another subject, whatever their categories.
    SameObject(TypeSubject),
    /// Storage for a reference of the type of another subject.
    Referring(TypeSubject),
}

/// The memory behaviour of an instruction (instruction table of the reference; seed 003).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MemoryBehavior {
    /// Touches no memory.
    None,
    /// May read.
    MayRead,
    /// May write.
    MayWrite,
    /// May read and write.
    MayReadWrite,
    /// May have side effects beyond memory.
    MayHaveSideEffects,
}

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

/// One row of the table of builtins.
#[derive(Debug)]
pub struct BuiltinInfo {
    /// Its name, without the types that end an overloaded one.
    pub name: &'static str,
    /// Its name in the reference.
    pub id: &'static str,
    /// The types that may end its name.
    pub types: BuiltinTypes,
    /// True if it may touch memory.
    pub reads_and_writes: bool,
    /// How it uses its operands.
    pub operands: OperandOwnership,
    /// How it uses the last one.
    pub last: OperandOwnership,
    /// How it uses those at a position, where that differs from the others.
    pub at: &'static [(usize, OperandOwnership)],
    /// The ownership of its result.
    pub result: ValueOwnership,
    /// What it may need the runtime for.
    pub runtime: RuntimeEffects,
}

impl BuiltinInfo {
    /// Returns the builtin with this name, which may end with types: `add_Int64`.
    pub fn find(name: &str) -> Option<&'static BuiltinInfo> {
        let table = crate::generated::BUILTINS;
        let mut name = name;
        loop {
            if let Ok(at) = table.binary_search_by(|b| b.name.cmp(name)) {
                return Some(&table[at]);
            }
            name = name.rsplit_once('_')?.0;
        }
    }

    /// Returns how it uses an operand, of so many.
    pub fn operand(&self, index: usize, count: usize) -> OperandOwnership {
        match self.at.iter().find(|(at, _)| *at == index) {
            Some((_, ownership)) => *ownership,
            None if index + 1 == count => self.last,
            None => self.operands,
        }
    }
}

/// The stages that allow an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// All stages.
    Any,
    /// Raw SIL only.
    Raw,
}

/// What an instruction does to the stack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StackEffect {
    /// Nothing.
    None,
    /// Allocates.
    Allocates,
    /// Deallocates.
    Deallocates,
    /// Allocates in some instances (`alloc_ref [stack]`).
    MayAllocate,
    /// Deallocates in some instances.
    MayDeallocate,
}

macro_rules! named {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $text:literal,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum $name { $($(#[$vdoc])* $variant,)* }
        impl $name {
            /// Returns the name in the instruction table.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $text,)* }
            }
        }
    };
}

/// When the type of an operand is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Typed {
    /// Where types are asked for, or where its definition has not told the type yet.
    Asked,
    /// Always.
    Always,
    /// Never.
    Never,
}

named! {
    /// The irregular pieces of text forms.
    CustomPiece {
        /// `, var, name "x", argno 1, …` of `debug_value` and allocations.
        Var = "var",
        /// `[tail_elems $T * %n : $Builtin.Word] `.
        TailElems = "tail_elems",
        /// `, type parameter` of `witness_method` and its like: ` : <Self> (Self) -> ()`.
        Formal = "formal",
        /// `!true_count(1) !false_count(2)`.
        Counts = "counts",
        /// `[align=8] `.
        Align = "align",
        /// `[callee_isolation=nonisolated] [caller_isolation=global_actor] ` of calls.
        Isolation = "isolation",
        /// `[assign=0] ` of `assign_or_init`.
        Assigned = "assigned",
        /// `self %x` or `self $T` of `assign_or_init`.
        SelfOrType = "self_or_type",
        /// The fields of `object`, with `[tail_elems]` before the tail.
        Object = "object",
        /// The optional type and the elements of `tuple`.
        Tuple = "tuple",
        /// The cases of `select_enum`.
        Select = "select",
        /// `open_pack_element`.
        OpenPack = "open_pack",
        /// The function of `init_block_storage_header`.
        Invoke = "invoke",
        /// Callee, substitutions, arguments and type.
        Apply = "apply",
        /// Name, substitutions and arguments of `builtin`.
        Builtin = "builtin",
        /// `[parameters 0] [results 0] `.
        Indices = "indices",
        /// ` with_derivative {%jvp, %vjp}`.
        Derivatives = "derivatives",
        /// ` with_transpose %t`.
        Transpose = "transpose",
        /// `[parameters 0] `.
        Parameters = "parameters",
        /// ` as $T`.
        AsType = "as_type",
        /// `differentiability_witness_function`.
        Witness = "witness",
        /// `, "message"` of `cond_fail`.
        Message = "message",
        /// The operands of `yield`, in parentheses unless there is one.
        Yields = "yields",
        /// The cases of `switch_value`.
        ValueCases = "value_cases",
        /// The cases of `switch_enum`.
        Cases = "cases",
        /// `keypath`.
        KeyPath = "keypath",
    }
}

named! {
    /// The result types that need more than an operand's or an attribute's type.
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
        /// The payload of an enum's case.
        EnumPayload = "enum_payload",
        /// The lowered address of the value in an existential.
        ExistentialPayload = "existential_payload",
        /// The captured value in a block's storage.
        BlockStorage = "block_storage",
        /// The direct results of a call.
        Apply = "apply",
        /// The yields of a coroutine, its token, and its stack where the callee allocates it.
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
