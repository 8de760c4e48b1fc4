//! The typed instructions. Generated from `table/*.toml` by `cargo xtask generate`; do not edit.

use super::keywords::*;
use crate::instructions::{List, Values, any_instruction, instruction};
use crate::{Block, DebugVar, DeclRef, Inst, Value};
use silkit_base::Symbol;
use silkit_types::{GenericSig, SilType, Type};

instruction! {
    /// Reserves uninitialized stack memory for one value and yields its address.
    AllocStack [] -> Value,
    {
        flag 0 non_nested: bool,
        flag 1 dynamic_lifetime: bool,
        flag 2 lexical: bool,
        flag 3 var_decl: bool,
        flag 4 moveable_value_debuginfo: bool,
        attribute 0 ty: SilType,
        attribute 1 var: Option<DebugVar>,
    }
    new(ty: SilType) [non_nested, dynamic_lifetime, lexical, var_decl, moveable_value_debuginfo, var]
}

instruction! {
    /// Reserves uninitialized stack memory for a value pack and yields its address.
    AllocPack [] -> Value,
    {
        attribute 0 ty: SilType,
    }
    new(ty: SilType) []
}

instruction! {
    /// Marks that the next instruction may place pack metadata on the stack.
    AllocPackMetadata [] -> Value,
    {
        flag 0 non_nested: bool,
        attribute 0 ty: SilType,
    }
    new(ty: SilType) [non_nested]
}

instruction! {
    /// Allocates an uninitialized class instance with a reference count of one.
    AllocRef ['a] -> Value,
    {
        flag 0 objc: bool,
        flag 1 bare: bool,
        flag 2 stack: bool,
        flag 3 non_nested: bool,
        attribute 0 tail_types: List<'a, SilType>,
        operand 0 counts: Values<'a>,
        attribute 1 ty: SilType,
    }
    new(ty: SilType) [objc, bare, stack, non_nested, tail_types, counts]
}

instruction! {
    /// Allocates an uninitialized instance of the class named by a metatype value.
    AllocRefDynamic ['a] -> Value,
    {
        flag 0 objc: bool,
        flag 1 bare: bool,
        flag 2 stack: bool,
        flag 3 non_nested: bool,
        attribute 0 tail_types: List<'a, SilType>,
        operand 0 counts: Values<'a>,
        operand 1 metatype: Value,
        attribute 1 ty: SilType,
    }
    new(metatype: Value, ty: SilType) [objc, bare, stack, non_nested, tail_types, counts]
}

instruction! {
    /// Allocates a reference-counted heap box with uninitialized storage for captured variables.
    AllocBox [] -> Value,
    {
        flag 0 dynamic_lifetime: bool,
        flag 1 reflection: bool,
        flag 2 pointer_escape: bool,
        flag 3 inferred_immutable: bool,
        flag 4 moveable_value_debuginfo: bool,
        attribute 0 ty: SilType,
        attribute 1 var: Option<DebugVar>,
    }
    new(ty: SilType) [dynamic_lifetime, reflection, pointer_escape, inferred_immutable, moveable_value_debuginfo, var]
}

instruction! {
    /// Allocates a boxed existential (an error box) with room for a concrete value.
    AllocExistentialBox [] -> Value,
    {
        attribute 0 ty: SilType,
        attribute 1 concrete: SilType,
    }
    new(ty: SilType, concrete: SilType) []
}

instruction! {
    /// Frees the memory of an alloc_stack, ending its stack scope.
    DeallocStack [] -> Inst,
    {
        operand 0 operand: Value,
    }
    new(operand: Value) []
}

instruction! {
    /// Frees the memory of an alloc_pack.
    DeallocPack [] -> Inst,
    {
        operand 0 operand: Value,
    }
    new(operand: Value) []
}

instruction! {
    /// Ends the on-stack pack metadata announced by alloc_pack_metadata.
    DeallocPackMetadata [] -> Inst,
    {
        operand 0 operand: Value,
    }
    new(operand: Value) []
}

instruction! {
    /// Ends the stack lifetime of an object from alloc_ref \[stack\].
    DeallocStackRef [] -> Inst,
    {
        operand 0 operand: Value,
    }
    new(operand: Value) []
}

instruction! {
    /// Frees the memory of a class instance without running any destruction.
    DeallocRef [] -> Inst,
    {
        operand 0 operand: Value,
    }
    new(operand: Value) []
}

instruction! {
    /// Destroys and frees a class instance whose initialization stopped part-way.
    DeallocPartialRef [] -> Inst,
    {
        operand 0 operand: Value,
        operand 1 metatype: Value,
    }
    new(operand: Value, metatype: Value) []
}

instruction! {
    /// Frees a box whose contents are uninitialized, bypassing reference counting.
    DeallocBox [] -> Inst,
    {
        flag 0 dead_end: bool,
        operand 0 operand: Value,
    }
    new(operand: Value) [dead_end]
}

instruction! {
    /// Frees a boxed existential without destroying the value inside.
    DeallocExistentialBox [] -> Inst,
    {
        operand 0 operand: Value,
        attribute 0 concrete: SilType,
    }
    new(operand: Value, concrete: SilType) []
}

instruction! {
    /// Prepares the storage of a global variable before its first initialization.
    AllocGlobal [] -> Inst,
    {
        attribute 0 global: Symbol,
    }
    new(global: impl Into<Symbol>) []
}

instruction! {
    /// Marks the start of a devirtualized deallocation of an object.
    BeginDeallocRef [] -> Value,
    {
        operand 0 reference: Value,
        operand 1 allocation: Value,
    }
    new(reference: Value, allocation: Value) []
}

instruction! {
    /// Marks the point from which the let properties of an object are immutable.
    EndInitLetRef [] -> Value,
    {
        operand 0 operand: Value,
    }
    new(operand: Value) []
}

instruction! {
    /// Declares which type a region of raw memory holds from here on.
    BindMemory [] -> Value,
    {
        operand 0 base: Value,
        operand 1 count: Value,
        attribute 0 ty: SilType,
    }
    new(base: Value, count: Value, ty: SilType) []
}

instruction! {
    /// Restores a memory binding recorded in a token.
    RebindMemory [] -> Value,
    {
        operand 0 base: Value,
        operand 1 token: Value,
    }
    new(base: Value, token: Value) []
}

instruction! {
    /// Gives the address of a field inside a box.
    ProjectBox [] -> Value,
    {
        operand 0 box_value: Value,
        attribute 0 field: u32,
    }
    new(box_value: Value, field: u32) []
}

instruction! {
    /// Gives the address of the concrete value inside a boxed existential.
    ProjectExistentialBox [] -> Value,
    {
        attribute 0 ty: SilType,
        operand 0 box_value: Value,
    }
    new(ty: SilType, box_value: Value) []
}

instruction! {
    /// Offsets an element address by a number of elements.
    IndexAddr [] -> Value,
    {
        flag 0 stack_protection: bool,
        flag 1 projection: bool,
        operand 0 base: Value,
        operand 1 index: Value,
    }
    new(base: Value, index: Value) [stack_protection, projection]
}

instruction! {
    /// Gives the address of the first element of a vector in memory.
    VectorBaseAddr [] -> Value,
    {
        operand 0 vector: Value,
    }
    new(vector: Value) []
}

instruction! {
    /// Makes a borrow of a value in memory.
    MakeAddrBorrow [] -> Value,
    {
        operand 0 operand: Value,
    }
    new(operand: Value) []
}

instruction! {
    /// Gives the address of the value that a borrow refers to.
    DereferenceAddrBorrow [] -> Value,
    {
        operand 0 operand: Value,
    }
    new(operand: Value) []
}

instruction! {
    /// Initializes memory with a borrow of a value in memory.
    InitBorrowAddr [] -> Inst,
    {
        operand 0 destination: Value,
        operand 1 referent: Value,
    }
    new(destination: Value, referent: Value) []
}

instruction! {
    /// Gives the address of the value that a borrow in memory refers to.
    DereferenceBorrowAddr [] -> Value,
    {
        operand 0 operand: Value,
    }
    new(operand: Value) []
}

instruction! {
    /// Moves from one tail-allocated array to the next one.
    TailAddr [] -> Value,
    {
        operand 0 base: Value,
        operand 1 count: Value,
        attribute 0 ty: SilType,
    }
    new(base: Value, count: Value, ty: SilType) []
}

instruction! {
    /// Adds a byte offset to a raw pointer.
    IndexRawPointer [] -> Value,
    {
        operand 0 base: Value,
        operand 1 index: Value,
    }
    new(base: Value, index: Value) []
}

instruction! {
    /// Turns an address into a raw pointer.
    AddressToPointer [] -> Value,
    {
        flag 0 stack_protection: bool,
        operand 0 operand: Value,
        attribute 0 ty: SilType,
    }
    new(operand: Value, ty: SilType) [stack_protection]
}

instruction! {
    /// Turns a raw pointer into a typed address.
    PointerToAddress [] -> Value,
    {
        operand 0 operand: Value,
        flag 0 strict: bool,
        flag 1 invariant: bool,
        attribute 0 align: Option<Symbol>,
        attribute 1 ty: SilType,
    }
    new(operand: Value, ty: SilType) [strict, invariant, align]
}

instruction! {
    /// Reinterprets an address as an address of another type.
    UncheckedAddrCast [] -> Value,
    {
        operand 0 operand: Value,
        attribute 0 ty: SilType,
    }
    new(operand: Value, ty: SilType) []
}

instruction! {
    /// Makes a base address from which field offsets are computed.
    BaseAddrForOffset [] -> Value,
    {
        attribute 0 ty: SilType,
    }
    new(ty: SilType) []
}

instruction! {
    /// References a SIL function.
    FunctionRef [] -> Value,
    {
        attribute 0 function: Symbol,
        attribute 1 ty: SilType,
    }
    new(function: impl Into<Symbol>, ty: SilType) []
}

instruction! {
    /// References the current implementation of a dynamically replaceable function.
    DynamicFunctionRef [] -> Value,
    {
        attribute 0 function: Symbol,
        attribute 1 ty: SilType,
    }
    new(function: impl Into<Symbol>, ty: SilType) []
}

instruction! {
    /// References the implementation that a replacement function has replaced.
    PreviousDynamicFunctionRef [] -> Value,
    {
        attribute 0 function: Symbol,
        attribute 1 ty: SilType,
    }
    new(function: impl Into<Symbol>, ty: SilType) []
}

instruction! {
    /// Gives the address of a global variable.
    GlobalAddr [] -> Value,
    {
        attribute 0 global: Symbol,
        attribute 1 ty: SilType,
        operand 0 token: Option<Value>,
    }
    new(global: impl Into<Symbol>, ty: SilType) [token]
}

instruction! {
    /// Gives the reference of a statically initialized global object.
    GlobalValue [] -> Value,
    {
        flag 0 bare: bool,
        attribute 0 global: Symbol,
        attribute 1 ty: SilType,
    }
    new(global: impl Into<Symbol>, ty: SilType) [bare]
}

instruction! {
    /// Produces a constant of a builtin integer type.
    IntegerLiteral [] -> Value,
    {
        attribute 0 ty: SilType,
        attribute 1 value: Symbol,
    }
    new(ty: SilType, value: impl Into<Symbol>) []
}

instruction! {
    /// Produces a floating-point constant from its bit pattern.
    FloatLiteral [] -> Value,
    {
        attribute 0 ty: SilType,
        attribute 1 value: Symbol,
    }
    new(ty: SilType, value: impl Into<Symbol>) []
}

instruction! {
    /// Produces a raw pointer to constant, null-terminated string data.
    StringLiteral [] -> Value,
    {
        attribute 0 encoding: StringEncoding,
        attribute 1 value: Symbol,
    }
    new(encoding: StringEncoding, value: impl Into<Symbol>) []
}

instruction! {
    /// Tests at run time whether a weakly linked declaration is present.
    HasSymbol [] -> Value,
    {
        attribute 0 declaration: DeclRef,
    }
    new(declaration: DeclRef) []
}

instruction! {
    /// Produces the metatype of a statically known type.
    Metatype [] -> Value,
    {
        attribute 0 ty: SilType,
    }
    new(ty: SilType) []
}

instruction! {
    /// Reads the dynamic metatype of a value.
    ValueMetatype [] -> Value,
    {
        attribute 0 ty: SilType,
        operand 0 operand: Value,
    }
    new(ty: SilType, operand: Value) []
}

instruction! {
    /// Reads the metatype of the concrete value in an existential.
    ExistentialMetatype [] -> Value,
    {
        attribute 0 ty: SilType,
        operand 0 operand: Value,
    }
    new(ty: SilType, operand: Value) []
}

instruction! {
    /// Produces the Objective-C runtime object of an @objc protocol.
    ObjCProtocol [] -> Value,
    {
        attribute 0 protocol: DeclRef,
        attribute 1 ty: SilType,
    }
    new(protocol: DeclRef, ty: SilType) []
}

instruction! {
    /// Reads the value of an integer generic parameter.
    TypeValue [] -> Value,
    {
        attribute 0 ty: SilType,
        attribute 1 parameter: Type,
    }
    new(ty: SilType, parameter: Type) []
}

instruction! {
    /// Builds a key path object from a constant pattern.
    KeyPath ['a] -> Value,
    {
        attribute 0 ty: SilType,
        attribute 1 pattern: crate::KeyPath,
        attribute 2 subs: List<'a, Type>,
        operand 0 operands: Values<'a>,
    }
    new(ty: SilType, pattern: crate::KeyPath, subs: impl Into<List<'a, Type>>, operands: impl Into<Values<'a>>) []
}

instruction! {
    /// Looks up a native Swift method in the vtable of a class instance or metatype.
    ClassMethod [] -> Value,
    {
        operand 0 operand: Value,
        attribute 0 member: DeclRef,
        attribute 1 formal: Option<Type>,
        attribute 2 ty: SilType,
    }
    new(operand: Value, member: DeclRef, ty: SilType) [formal]
}

instruction! {
    /// Looks up a native Swift method in the superclass of a class.
    SuperMethod [] -> Value,
    {
        operand 0 operand: Value,
        attribute 0 member: DeclRef,
        attribute 1 formal: Option<Type>,
        attribute 2 ty: SilType,
    }
    new(operand: Value, member: DeclRef, ty: SilType) [formal]
}

instruction! {
    /// Looks up a method by Objective-C message dispatch.
    ObjCMethod [] -> Value,
    {
        operand 0 operand: Value,
        attribute 0 member: DeclRef,
        attribute 1 formal: Option<Type>,
        attribute 2 ty: SilType,
    }
    new(operand: Value, member: DeclRef, ty: SilType) [formal]
}

instruction! {
    /// Looks up a method of a COM protocol.
    ComMethod [] -> Value,
    {
        operand 0 operand: Value,
        attribute 0 member: DeclRef,
        attribute 1 ty: SilType,
    }
    new(operand: Value, member: DeclRef, ty: SilType) []
}

instruction! {
    /// Looks up a superclass method by Objective-C message dispatch.
    ObjCSuperMethod [] -> Value,
    {
        operand 0 operand: Value,
        attribute 0 member: DeclRef,
        attribute 1 formal: Option<Type>,
        attribute 2 ty: SilType,
    }
    new(operand: Value, member: DeclRef, ty: SilType) [formal]
}

instruction! {
    /// Looks up the implementation of a protocol requirement for a conforming type.
    WitnessMethod [] -> Value,
    {
        attribute 0 lookup: SilType,
        attribute 1 member: DeclRef,
        attribute 2 formal: Option<Type>,
        operand 0 opened: Option<Value>,
        attribute 3 ty: SilType,
    }
    new(lookup: SilType, member: DeclRef, ty: SilType) [formal, opened]
}

instruction! {
    /// Branches on whether an object responds to an Objective-C method.
    DynamicMethodBranch [] -> Inst,
    {
        operand 0 operand: Value,
        attribute 0 member: DeclRef,
        attribute 1 found: Block,
        attribute 2 missing: Block,
    }
    new(operand: Value, member: DeclRef, found: Block, missing: Block) []
}

instruction! {
    /// Converts a class reference or metatype to a superclass type.
    Upcast [] -> Value,
    {
        operand 0 operand: Value,
        attribute 0 ty: SilType,
    }
    new(operand: Value, ty: SilType) []
}

instruction! {
    /// Reinterprets an object reference as another reference type without a check.
    UncheckedRefCast [] -> Value,
    {
        operand 0 operand: Value,
        attribute 0 ty: SilType,
    }
    new(operand: Value, ty: SilType) []
}

instruction! {
    /// Reinterprets the bits of a value as a trivial type.
    UncheckedTrivialBitCast [] -> Value,
    {
        operand 0 operand: Value,
        attribute 0 ty: SilType,
    }
    new(operand: Value, ty: SilType) []
}

instruction! {
    /// Reinterprets the bits of a value as another type of the same or smaller size.
    UncheckedBitwiseCast [] -> Value,
    {
        operand 0 operand: Value,
        attribute 0 ty: SilType,
    }
    new(operand: Value, ty: SilType) []
}

instruction! {
    /// Reinterprets a value as a layout-compatible type, forwarding ownership.
    UncheckedValueCast [] -> Value,
    {
        operand 0 operand: Value,
        attribute 0 ty: SilType,
    }
    new(operand: Value, ty: SilType) []
}

instruction! {
    /// Converts an object reference to a raw pointer.
    RefToRawPointer [] -> Value,
    {
        operand 0 operand: Value,
        attribute 0 ty: SilType,
    }
    new(operand: Value, ty: SilType) []
}

instruction! {
    /// Converts a raw pointer back to an object reference.
    RawPointerToRef [] -> Value,
    {
        flag 0 immortal: bool,
        operand 0 operand: Value,
        attribute 0 ty: SilType,
    }
    new(operand: Value, ty: SilType) [immortal]
}

instruction! {
    /// Converts a strong reference to an unowned reference type.
    RefToUnowned [] -> Value,
    {
        operand 0 operand: Value,
        attribute 0 ty: SilType,
    }
    new(operand: Value, ty: SilType) []
}

instruction! {
    /// Strips the unowned qualifier from a reference.
    UnownedToRef [] -> Value,
    {
        operand 0 operand: Value,
        attribute 0 ty: SilType,
    }
    new(operand: Value, ty: SilType) []
}

instruction! {
    /// Converts a strong reference to an unmanaged (unowned(unsafe)) one.
    RefToUnmanaged [] -> Value,
    {
        operand 0 operand: Value,
        attribute 0 ty: SilType,
    }
    new(operand: Value, ty: SilType) []
}

instruction! {
    /// Converts an unmanaged reference to a plain one without retaining.
    UnmanagedToRef [] -> Value,
    {
        operand 0 operand: Value,
        attribute 0 ty: SilType,
    }
    new(operand: Value, ty: SilType) []
}

instruction! {
    /// Converts a function value to an ABI-compatible function type.
    ConvertFunction [] -> Value,
    {
        operand 0 operand: Value,
        flag 0 without_actually_escaping: bool,
        attribute 0 ty: SilType,
    }
    new(operand: Value, ty: SilType) [without_actually_escaping]
}

instruction! {
    /// Converts an escaping closure to a non-escaping function type.
    ConvertEscapeToNoEscape [] -> Value,
    {
        flag 0 not_guaranteed: bool,
        operand 0 operand: Value,
        attribute 0 ty: SilType,
    }
    new(operand: Value, ty: SilType) [not_guaranteed]
}

instruction! {
    /// Packs an object reference and spare bits into a bridge object.
    RefToBridgeObject [] -> Value,
    {
        operand 0 reference: Value,
        operand 1 bits: Value,
    }
    new(reference: Value, bits: Value) []
}

instruction! {
    /// Extracts the object reference from a bridge object.
    BridgeObjectToRef [] -> Value,
    {
        operand 0 operand: Value,
        attribute 0 ty: SilType,
    }
    new(operand: Value, ty: SilType) []
}

instruction! {
    /// Gives the raw bits of a bridge object as an integer.
    BridgeObjectToWord [] -> Value,
    {
        operand 0 operand: Value,
        attribute 0 ty: SilType,
    }
    new(operand: Value, ty: SilType) []
}

instruction! {
    /// Gives a context-free function value an empty context.
    ThinToThickFunction [] -> Value,
    {
        operand 0 operand: Value,
        attribute 0 ty: SilType,
    }
    new(operand: Value, ty: SilType) []
}

instruction! {
    /// Converts a thick class metatype to an Objective-C class object.
    ThickToObjCMetatype [] -> Value,
    {
        operand 0 operand: Value,
        attribute 0 ty: SilType,
    }
    new(operand: Value, ty: SilType) []
}

instruction! {
    /// Converts an Objective-C class object to a thick class metatype.
    ObjCToThickMetatype [] -> Value,
    {
        operand 0 operand: Value,
        attribute 0 ty: SilType,
    }
    new(operand: Value, ty: SilType) []
}

instruction! {
    /// Treats an Objective-C class object as an ordinary object reference.
    ObjCMetatypeToObject [] -> Value,
    {
        operand 0 operand: Value,
        attribute 0 ty: SilType,
    }
    new(operand: Value, ty: SilType) []
}

instruction! {
    /// Treats an Objective-C existential metatype as an ordinary object reference.
    ObjCExistentialMetatypeToObject [] -> Value,
    {
        operand 0 operand: Value,
        attribute 0 ty: SilType,
    }
    new(operand: Value, ty: SilType) []
}

instruction! {
    /// Turns an implicit actor parameter into an optional actor reference.
    ImplicitActorToOpaqueIsolationCast [] -> Value,
    {
        operand 0 operand: Value,
    }
    new(operand: Value) []
}

instruction! {
    /// Casts a value with a run-time check that fails the program.
    UnconditionalCheckedCast [] -> Value,
    {
        flag 0 prohibit_isolated_conformances: bool,
        operand 0 operand: Value,
        attribute 0 target: Type,
    }
    new(operand: Value, target: Type) [prohibit_isolated_conformances]
}

instruction! {
    /// Casts a value in memory with a run-time check that fails the program.
    UnconditionalCheckedCastAddr [] -> Inst,
    {
        flag 0 prohibit_isolated_conformances: bool,
        flag 1 copy: bool,
        attribute 0 source_type: Type,
        operand 0 source: Value,
        attribute 1 target_type: Type,
        operand 1 target: Value,
    }
    new(source_type: Type, source: Value, target_type: Type, target: Value) [prohibit_isolated_conformances, copy]
}

instruction! {
    /// Moves an object reference between addresses under another type, unchecked.
    UncheckedRefCastAddr [] -> Inst,
    {
        attribute 0 source_type: Type,
        operand 0 source: Value,
        attribute 1 target_type: Type,
        operand 1 target: Value,
    }
    new(source_type: Type, source: Value, target_type: Type, target: Value) []
}

instruction! {
    /// Branches on the outcome of a checked cast of a value.
    CheckedCastBranch ['a] -> Inst,
    {
        flag 0 prohibit_isolated_conformances: bool,
        flag 1 exact: bool,
        attribute 0 source_type: Type,
        operand 0 operand: Value,
        attribute 1 target_type: Type,
        attribute 2 success: Block,
        attribute 3 failure: Block,
        attribute 4 counts: List<'a, Option<Symbol>>,
    }
    new(source_type: Type, operand: Value, target_type: Type, success: Block, failure: Block) [prohibit_isolated_conformances, exact, counts]
}

instruction! {
    /// Branches on the outcome of a checked cast between memory locations.
    CheckedCastAddrBranch ['a] -> Inst,
    {
        flag 0 prohibit_isolated_conformances: bool,
        attribute 0 consumption: CastConsumption,
        attribute 1 source_type: Type,
        operand 0 source: Value,
        attribute 2 target_type: Type,
        operand 1 target: Value,
        attribute 3 success: Block,
        attribute 4 failure: Block,
        attribute 5 counts: List<'a, Option<Symbol>>,
    }
    new(consumption: CastConsumption, source_type: Type, source: Value, target_type: Type, target: Value, success: Block, failure: Block) [prohibit_isolated_conformances, counts]
}

instruction! {
    /// Decodes what kind of value a bridge object holds.
    ClassifyBridgeObject [] -> Value,
    {
        operand 0 operand: Value,
    }
    new(operand: Value) []
}

instruction! {
    /// Stores an integer in a bridge object as a tagged pointer.
    ValueToBridgeObject [] -> Value,
    {
        operand 0 operand: Value,
    }
    new(operand: Value) []
}

instruction! {
    /// Copies an Objective-C block, moving it to the heap if necessary.
    CopyBlock [] -> Value,
    {
        operand 0 operand: Value,
    }
    new(operand: Value) []
}

instruction! {
    /// Copies a block that must not outlive a guarded closure.
    CopyBlockWithoutEscaping [] -> Value,
    {
        operand 0 block: Value,
        operand 1 closure: Value,
    }
    new(block: Value, closure: Value) []
}

instruction! {
    /// Changes the ownership of a value without any operation.
    UncheckedOwnershipConversion [] -> Value,
    {
        operand 0 operand: Value,
        attribute 0 from: OwnershipKeyword,
        attribute 1 to: OwnershipKeyword,
    }
    new(operand: Value, from: OwnershipKeyword, to: OwnershipKeyword) []
}

instruction! {
    /// Makes an independent owned copy of a value.
    CopyValue [] -> Value,
    {
        operand 0 operand: Value,
    }
    new(operand: Value) []
}

instruction! {
    /// Makes a copy that the move checkers accept as intended.
    ExplicitCopyValue [] -> Value,
    {
        operand 0 operand: Value,
    }
    new(operand: Value) []
}

instruction! {
    /// Makes an unowned value from a strong reference.
    UnownedCopyValue [] -> Value,
    {
        operand 0 operand: Value,
    }
    new(operand: Value) []
}

instruction! {
    /// Makes a weak value from an optional reference.
    WeakCopyValue [] -> Value,
    {
        operand 0 operand: Value,
    }
    new(operand: Value) []
}

instruction! {
    /// Makes an optional strong reference from a weak value.
    StrongCopyWeakValue [] -> Value,
    {
        operand 0 operand: Value,
    }
    new(operand: Value) []
}

instruction! {
    /// Makes a strong reference from an unowned one, trapping if the object is gone.
    StrongCopyUnownedValue [] -> Value,
    {
        operand 0 operand: Value,
    }
    new(operand: Value) []
}

instruction! {
    /// Makes a strong owned reference from an unmanaged one.
    StrongCopyUnmanagedValue [] -> Value,
    {
        operand 0 operand: Value,
    }
    new(operand: Value) []
}

instruction! {
    /// Ends the lifetime of an owned value and starts a new one with the same bits.
    MoveValue [] -> Value,
    {
        flag 0 allows_diagnostics: bool,
        flag 1 lexical: bool,
        flag 2 pointer_escape: bool,
        flag 3 var_decl: bool,
        operand 0 operand: Value,
    }
    new(operand: Value) [allows_diagnostics, lexical, pointer_escape, var_decl]
}

instruction! {
    /// Suppresses the deinitializer of a noncopyable value that is taken apart.
    DropDeinit [] -> Value,
    {
        operand 0 operand: Value,
    }
    new(operand: Value) []
}

instruction! {
    /// Destroys an owned value.
    DestroyValue [] -> Inst,
    {
        flag 0 poison: bool,
        flag 1 dead_end: bool,
        operand 0 operand: Value,
    }
    new(operand: Value) [poison, dead_end]
}

instruction! {
    /// Ends the lifetime of a value or memory location without destroying it.
    EndLifetime [] -> Inst,
    {
        operand 0 operand: Value,
    }
    new(operand: Value) []
}

instruction! {
    /// Keeps a value alive up to this point without consuming it.
    ExtendLifetime [] -> Inst,
    {
        operand 0 operand: Value,
    }
    new(operand: Value) []
}

instruction! {
    /// Opens a borrow scope on an owned or guaranteed value.
    BeginBorrow [] -> Value,
    {
        flag 0 lexical: bool,
        flag 1 pointer_escape: bool,
        flag 2 var_decl: bool,
        flag 3 fixed: bool,
        operand 0 operand: Value,
    }
    new(operand: Value) [lexical, pointer_escape, var_decl, fixed]
}

instruction! {
    /// Closes a borrow scope.
    EndBorrow [] -> Inst,
    {
        operand 0 operand: Value,
    }
    new(operand: Value) []
}

instruction! {
    /// Marks the end of the scope of a value in the source.
    EndFormalScope [] -> Inst,
    {
        operand 0 operand: Value,
    }
    new(operand: Value) []
}

instruction! {
    /// Marks a value whose ownership is not checked in raw SIL.
    UncheckedOwnership [] -> Value,
    {
        operand 0 operand: Value,
    }
    new(operand: Value) []
}

instruction! {
    /// Names the values that enclose a reborrow or a forwarded guaranteed block argument.
    BorrowedFrom ['a] -> Value,
    {
        operand 0 value: Value,
        operand 1 enclosing: Values<'a>,
    }
    new(value: Value, enclosing: impl Into<Values<'a>>) []
}

instruction! {
    /// Makes a borrow of a value that is itself a value.
    MakeBorrow [] -> Value,
    {
        operand 0 operand: Value,
    }
    new(operand: Value) []
}

instruction! {
    /// Gives the value that a borrow refers to.
    DereferenceBorrow [] -> Value,
    {
        operand 0 operand: Value,
    }
    new(operand: Value) []
}

instruction! {
    /// Requests move checking of a noncopyable (or no-implicit-copy) value.
    MarkUnresolvedNonCopyableValue [] -> Value,
    {
        flag 0 strict: bool,
        attribute 0 kind: MoveOnlyCheckKind,
        operand 0 operand: Value,
    }
    new(kind: MoveOnlyCheckKind, operand: Value) [strict]
}

instruction! {
    /// Requests the checking of a reference binding such as `inout x = y`.
    MarkUnresolvedReferenceBinding [] -> Value,
    {
        attribute 0 kind: ReferenceBindingKind,
        operand 0 operand: Value,
    }
    new(kind: ReferenceBindingKind, operand: Value) []
}

instruction! {
    /// Represents an explicit `consume` of a variable in memory before it is checked.
    MarkUnresolvedMoveAddr [] -> Inst,
    {
        operand 0 source: Value,
        operand 1 destination: Value,
    }
    new(source: Value, destination: Value) []
}

instruction! {
    /// Wraps a copyable value so that it may not be copied implicitly.
    CopyableToMoveOnlyWrapperValue [] -> Value,
    {
        attribute 0 ownership: ForwardedOwnership,
        operand 0 operand: Value,
    }
    new(ownership: ForwardedOwnership, operand: Value) []
}

instruction! {
    /// Unwraps a move-only wrapped value to its copyable type.
    MoveOnlyWrapperToCopyableValue [] -> Value,
    {
        attribute 0 ownership: ForwardedOwnership,
        operand 0 operand: Value,
    }
    new(ownership: ForwardedOwnership, operand: Value) []
}

instruction! {
    /// Unwraps the content type of a box from its move-only wrapper.
    MoveOnlyWrapperToCopyableBox [] -> Value,
    {
        operand 0 operand: Value,
    }
    new(operand: Value) []
}

instruction! {
    /// Casts an address of a wrapped value to an address of the plain value.
    MoveOnlyWrapperToCopyableAddr [] -> Value,
    {
        operand 0 operand: Value,
    }
    new(operand: Value) []
}

instruction! {
    /// Casts an address of a plain value to an address of a wrapped one.
    CopyableToMoveOnlyWrapperAddr [] -> Value,
    {
        operand 0 operand: Value,
    }
    new(operand: Value) []
}

instruction! {
    /// Makes a value depend on another value that must outlive it.
    MarkDependence [] -> Value,
    {
        attribute 0 kind: Option<DependenceKind>,
        operand 0 value: Value,
        operand 1 base: Value,
    }
    new(value: Value, base: Value) [kind]
}

instruction! {
    /// Makes the value in memory at an address depend on a base.
    MarkDependenceAddr [] -> Inst,
    {
        attribute 0 kind: Option<DependenceKind>,
        operand 0 address: Value,
        operand 1 base: Value,
    }
    new(address: Value, base: Value) [kind]
}

instruction! {
    /// Uses a value so that it cannot be destroyed earlier.
    FixLifetime [] -> Inst,
    {
        operand 0 operand: Value,
    }
    new(operand: Value) []
}

instruction! {
    /// Stands for a deliberately ignored value such as `_ = x`.
    IgnoredUse [] -> Inst,
    {
        operand 0 operand: Value,
    }
    new(operand: Value) []
}

instruction! {
    /// Tells region isolation that several values belong to one region.
    MergeIsolationRegion ['a] -> Inst,
    {
        operand 0 operands: Values<'a>,
    }
    new(operands: impl Into<Values<'a>>) []
}

instruction! {
    /// Increments the strong reference count of an object.
    StrongRetain [] -> Inst,
    {
        flag 0 nonatomic: bool,
        operand 0 operand: Value,
    }
    new(operand: Value) [nonatomic]
}

instruction! {
    /// Decrements the strong reference count and destroys the object at zero.
    StrongRelease [] -> Inst,
    {
        flag 0 nonatomic: bool,
        operand 0 operand: Value,
    }
    new(operand: Value) [nonatomic]
}

instruction! {
    /// Retains a value on purpose, without a balancing release in view.
    UnmanagedRetainValue [] -> Inst,
    {
        flag 0 nonatomic: bool,
        operand 0 operand: Value,
    }
    new(operand: Value) [nonatomic]
}

instruction! {
    /// Releases a value on purpose, without consuming the operand.
    UnmanagedReleaseValue [] -> Inst,
    {
        flag 0 nonatomic: bool,
        operand 0 operand: Value,
    }
    new(operand: Value) [nonatomic]
}

instruction! {
    /// Hands a value to the Objective-C autorelease pool without consuming the operand.
    UnmanagedAutoreleaseValue [] -> Inst,
    {
        flag 0 nonatomic: bool,
        operand 0 operand: Value,
    }
    new(operand: Value) [nonatomic]
}

instruction! {
    /// Retains the object behind an unowned reference, trapping if it is gone.
    StrongRetainUnowned [] -> Inst,
    {
        flag 0 nonatomic: bool,
        operand 0 operand: Value,
    }
    new(operand: Value) [nonatomic]
}

instruction! {
    /// Increments the unowned reference count of an object.
    UnownedRetain [] -> Inst,
    {
        flag 0 nonatomic: bool,
        operand 0 operand: Value,
    }
    new(operand: Value) [nonatomic]
}

instruction! {
    /// Decrements the unowned reference count of an object.
    UnownedRelease [] -> Inst,
    {
        flag 0 nonatomic: bool,
        operand 0 operand: Value,
    }
    new(operand: Value) [nonatomic]
}

instruction! {
    /// Retains every reference inside a loadable value.
    RetainValue [] -> Inst,
    {
        flag 0 nonatomic: bool,
        operand 0 operand: Value,
    }
    new(operand: Value) [nonatomic]
}

instruction! {
    /// Retains every reference inside the value stored at an address.
    RetainValueAddr [] -> Inst,
    {
        flag 0 nonatomic: bool,
        operand 0 operand: Value,
    }
    new(operand: Value) [nonatomic]
}

instruction! {
    /// Releases every reference inside a loadable value.
    ReleaseValue [] -> Inst,
    {
        flag 0 nonatomic: bool,
        operand 0 operand: Value,
    }
    new(operand: Value) [nonatomic]
}

instruction! {
    /// Releases every reference inside the value stored at an address.
    ReleaseValueAddr [] -> Inst,
    {
        flag 0 nonatomic: bool,
        operand 0 operand: Value,
    }
    new(operand: Value) [nonatomic]
}

instruction! {
    /// Hands one owned reference to the Objective-C autorelease pool.
    AutoreleaseValue [] -> Inst,
    {
        flag 0 nonatomic: bool,
        operand 0 operand: Value,
    }
    new(operand: Value) [nonatomic]
}

instruction! {
    /// Tests whether memory holds the only strong reference to an object.
    IsUnique [] -> Value,
    {
        operand 0 operand: Value,
    }
    new(operand: Value) []
}

instruction! {
    /// Checks uniqueness of a copy-on-write buffer and opens it for mutation.
    BeginCOWMutation [] -> Vec<Value>,
    {
        flag 0 native: bool,
        operand 0 operand: Value,
    }
    new(operand: Value) [native]
}

instruction! {
    /// Closes the mutation of a copy-on-write buffer.
    EndCOWMutation [] -> Value,
    {
        flag 0 keep_unique: bool,
        operand 0 operand: Value,
    }
    new(operand: Value) [keep_unique]
}

instruction! {
    /// Closes possible copy-on-write mutations of all buffers stored in memory.
    EndCOWMutationAddr [] -> Inst,
    {
        operand 0 operand: Value,
    }
    new(operand: Value) []
}

instruction! {
    /// Destroys a closure and reports whether it had escaped.
    DestroyNotEscapedClosure [] -> Value,
    {
        flag 0 objc: bool,
        operand 0 operand: Value,
    }
    new(operand: Value) [objc]
}

instruction! {
    /// Reads a loadable value from memory.
    Load [] -> Value,
    {
        attribute 0 qualifier: Option<LoadQualifier>,
        operand 0 address: Value,
    }
    new(address: Value) [qualifier]
}

instruction! {
    /// Borrows a value in memory without copying it.
    LoadBorrow [] -> Value,
    {
        flag 0 unchecked: bool,
        operand 0 address: Value,
    }
    new(address: Value) [unchecked]
}

instruction! {
    /// Writes a loadable value to memory.
    Store [] -> Inst,
    {
        operand 0 source: Value,
        attribute 0 qualifier: Option<StoreQualifier>,
        operand 1 destination: Value,
    }
    new(source: Value, destination: Value) [qualifier]
}

instruction! {
    /// Lends a guaranteed value to a stack slot so that it can be used by address.
    StoreBorrow [] -> Value,
    {
        operand 0 source: Value,
        operand 1 destination: Value,
    }
    new(source: Value, destination: Value) []
}

instruction! {
    /// Reads a weak reference as an optional strong one.
    LoadWeak [] -> Value,
    {
        flag 0 take: bool,
        operand 0 address: Value,
    }
    new(address: Value) [take]
}

instruction! {
    /// Reads an unowned reference as a strong one, trapping if the object is gone.
    LoadUnowned [] -> Value,
    {
        flag 0 take: bool,
        operand 0 address: Value,
    }
    new(address: Value) [take]
}

instruction! {
    /// Sets a weak reference in memory.
    StoreWeak [] -> Inst,
    {
        operand 0 source: Value,
        flag 0 init: bool,
        operand 1 destination: Value,
    }
    new(source: Value, destination: Value) [init]
}

instruction! {
    /// Sets an unowned reference in memory.
    StoreUnowned [] -> Inst,
    {
        operand 0 source: Value,
        flag 0 init: bool,
        operand 1 destination: Value,
    }
    new(source: Value, destination: Value) [init]
}

instruction! {
    /// Copies or moves a value from one address to another.
    CopyAddr [] -> Inst,
    {
        flag 0 take: bool,
        operand 0 source: Value,
        flag 1 init: bool,
        operand 1 destination: Value,
    }
    new(source: Value, destination: Value) [take, init]
}

instruction! {
    /// Copies a value between addresses where a copy is explicitly allowed.
    ExplicitCopyAddr [] -> Inst,
    {
        flag 0 take: bool,
        operand 0 source: Value,
        flag 1 init: bool,
        operand 1 destination: Value,
    }
    new(source: Value, destination: Value) [take, init]
}

instruction! {
    /// Destroys the value in memory and leaves the memory uninitialized.
    DestroyAddr [] -> Inst,
    {
        operand 0 operand: Value,
    }
    new(operand: Value) []
}

instruction! {
    /// Initializes or assigns a tuple in memory from its exploded leaf elements.
    TupleAddrConstructor ['a] -> Inst,
    {
        attribute 0 qualifier: InitQualifier,
        operand 0 destination: Value,
        operand 1 elements: Values<'a>,
    }
    new(qualifier: InitQualifier, destination: Value, elements: impl Into<Values<'a>>) []
}

instruction! {
    /// Stores a value, leaving open whether this initializes or replaces.
    Assign [] -> Inst,
    {
        operand 0 source: Value,
        attribute 0 qualifier: Option<AssignQualifier>,
        operand 1 destination: Value,
    }
    new(source: Value, destination: Value) [qualifier]
}

instruction! {
    /// Assigns to a wrapped property by its wrapper's initializer or setter.
    AssignByWrapper [] -> Inst,
    {
        operand 0 source: Value,
        attribute 0 mode: Option<AssignByWrapperMode>,
        operand 1 destination: Value,
        operand 2 initializer: Value,
        operand 3 setter: Value,
    }
    new(source: Value, destination: Value, initializer: Value, setter: Value) [mode]
}

instruction! {
    /// Assigns to a computed property by its init accessor or its setter.
    AssignOrInit ['a] -> Inst,
    {
        attribute 0 mode: Option<AssignOrInitMode>,
        attribute 1 assigned: List<'a, u32>,
        attribute 2 property: DeclRef,
        attribute 3 self_type: Option<SilType>,
        operand 0 self_value: Option<Value>,
        operand 1 value: Value,
        operand 2 initializer: Value,
        operand 3 setter: Value,
    }
    new(property: DeclRef, value: Value, initializer: Value, setter: Value) [mode, assigned, self_type, self_value]
}

instruction! {
    /// Marks storage that definitive initialization has to check.
    MarkUninitialized [] -> Value,
    {
        attribute 0 kind: UninitializedKind,
        operand 0 operand: Value,
    }
    new(kind: UninitializedKind, operand: Value) []
}

instruction! {
    /// Tells definitive initialization that a local function captures storage.
    MarkFunctionEscape ['a] -> Inst,
    {
        operand 0 operands: Values<'a>,
    }
    new(operands: impl Into<Values<'a>>) []
}

instruction! {
    /// Opens a formal access to memory for exclusivity checking.
    BeginAccess [] -> Value,
    {
        attribute 0 kind: AccessKind,
        attribute 1 enforcement: AccessEnforcement,
        flag 0 no_nested_conflict: bool,
        flag 1 builtin: bool,
        operand 0 address: Value,
    }
    new(kind: AccessKind, enforcement: AccessEnforcement, address: Value) [no_nested_conflict, builtin]
}

instruction! {
    /// Closes a formal access opened by begin_access.
    EndAccess [] -> Inst,
    {
        flag 0 abort: bool,
        operand 0 operand: Value,
    }
    new(operand: Value) [abort]
}

instruction! {
    /// Opens an access whose end cannot be found statically.
    BeginUnpairedAccess [] -> Inst,
    {
        attribute 0 kind: AccessKind,
        attribute 1 enforcement: AccessEnforcement,
        flag 0 no_nested_conflict: bool,
        flag 1 builtin: bool,
        operand 0 address: Value,
        operand 1 buffer: Value,
    }
    new(kind: AccessKind, enforcement: AccessEnforcement, address: Value, buffer: Value) [no_nested_conflict, builtin]
}

instruction! {
    /// Closes an access identified by its scratch buffer.
    EndUnpairedAccess [] -> Inst,
    {
        flag 0 abort: bool,
        attribute 0 enforcement: AccessEnforcement,
        flag 1 builtin: bool,
        operand 0 buffer: Value,
    }
    new(enforcement: AccessEnforcement, buffer: Value) [abort, builtin]
}

instruction! {
    /// Describes a statically initialized class instance in a global's initializer.
    Object ['a] -> Value,
    {
        attribute 0 ty: SilType,
        attribute 1 base_count: Option<u32>,
        operand 0 elements: Values<'a>,
    }
    new(ty: SilType, elements: impl Into<Values<'a>>) [base_count]
}

instruction! {
    /// Describes a statically initialized fixed-size run of elements in a global's initializer.
    Vector ['a] -> Value,
    {
        operand 0 elements: Values<'a>,
    }
    new(elements: impl Into<Values<'a>>) []
}

instruction! {
    /// Builds a tuple value from its elements.
    Tuple ['a] -> Value,
    {
        attribute 0 ty: Option<SilType>,
        operand 0 elements: Values<'a>,
    }
    new(elements: impl Into<Values<'a>>) [ty]
}

instruction! {
    /// Extracts one element of a tuple value.
    TupleExtract [] -> Value,
    {
        operand 0 operand: Value,
        attribute 0 field: u32,
    }
    new(operand: Value, field: u32) []
}

instruction! {
    /// Projects the address of a tuple element.
    TupleElementAddr [] -> Value,
    {
        operand 0 operand: Value,
        attribute 0 field: u32,
    }
    new(operand: Value, field: u32) []
}

instruction! {
    /// Builds a struct value from its stored properties.
    Struct ['a] -> Value,
    {
        attribute 0 ty: SilType,
        operand 0 elements: Values<'a>,
    }
    new(ty: SilType, elements: impl Into<Values<'a>>) []
}

instruction! {
    /// Extracts one stored property of a loadable struct value.
    StructExtract [] -> Value,
    {
        operand 0 operand: Value,
        attribute 0 field: DeclRef,
    }
    new(operand: Value, field: DeclRef) []
}

instruction! {
    /// Projects the address of a stored property of a struct in memory.
    StructElementAddr [] -> Value,
    {
        operand 0 operand: Value,
        attribute 0 field: DeclRef,
    }
    new(operand: Value, field: DeclRef) []
}

instruction! {
    /// Projects the address of a stored property of a class instance.
    RefElementAddr [] -> Value,
    {
        flag 0 immutable: bool,
        operand 0 operand: Value,
        attribute 0 field: DeclRef,
    }
    new(operand: Value, field: DeclRef) [immutable]
}

instruction! {
    /// Projects the address of the first tail-allocated element of an object.
    RefTailAddr [] -> Value,
    {
        flag 0 immutable: bool,
        operand 0 operand: Value,
        attribute 0 ty: SilType,
    }
    new(operand: Value, ty: SilType) [immutable]
}

instruction! {
    /// Splits a struct value into all its stored properties.
    DestructureStruct [] -> Vec<Value>,
    {
        operand 0 operand: Value,
    }
    new(operand: Value) []
}

instruction! {
    /// Splits a tuple value into all its elements.
    DestructureTuple [] -> Vec<Value>,
    {
        operand 0 operand: Value,
    }
    new(operand: Value) []
}

instruction! {
    /// Builds a loadable enum value of a given case.
    Enum [] -> Value,
    {
        attribute 0 ty: SilType,
        attribute 1 element: DeclRef,
        operand 0 payload: Option<Value>,
    }
    new(ty: SilType, element: DeclRef) [payload]
}

instruction! {
    /// Extracts the payload of a case without checking the case.
    UncheckedEnumData [] -> Value,
    {
        operand 0 operand: Value,
        attribute 0 element: DeclRef,
    }
    new(operand: Value, element: DeclRef) []
}

instruction! {
    /// Projects the payload address of an enum that is being initialized.
    InitEnumDataAddr [] -> Value,
    {
        operand 0 operand: Value,
        attribute 0 element: DeclRef,
    }
    new(operand: Value, element: DeclRef) []
}

instruction! {
    /// Gives the payload address of an enum in memory, possibly invalidating the enum.
    UncheckedTakeEnumDataAddr [] -> Value,
    {
        operand 0 operand: Value,
        attribute 0 element: DeclRef,
    }
    new(operand: Value, element: DeclRef) []
}

instruction! {
    /// Gives the address of an enum's payload for reading, with scratch memory.
    UncheckedBorrowEnumDataAddr [] -> Value,
    {
        operand 0 operand: Value,
        attribute 0 element: DeclRef,
        operand 1 scratch: Value,
    }
    new(operand: Value, element: DeclRef, scratch: Value) []
}

instruction! {
    /// Gives the address of an enum's payload, which is stored in place.
    UncheckedInPlaceEnumDataAddr [] -> Value,
    {
        operand 0 operand: Value,
        attribute 0 element: DeclRef,
    }
    new(operand: Value, element: DeclRef) []
}

instruction! {
    /// Sets the case of an enum in memory, completing its initialization.
    InjectEnumAddr [] -> Inst,
    {
        operand 0 operand: Value,
        attribute 0 element: DeclRef,
    }
    new(operand: Value, element: DeclRef) []
}

instruction! {
    /// Selects one of several values by the case of an enum value.
    SelectEnum ['a] -> Value,
    {
        operand 0 operand: Value,
        attribute 0 cases: List<'a, Option<DeclRef>>,
        operand 1 values: Values<'a>,
        attribute 1 ty: SilType,
    }
    new(operand: Value, cases: impl Into<List<'a, Option<DeclRef>>>, values: impl Into<Values<'a>>, ty: SilType) []
}

instruction! {
    /// Selects one of several values by the case of an enum in memory.
    SelectEnumAddr ['a] -> Value,
    {
        operand 0 operand: Value,
        attribute 0 cases: List<'a, Option<DeclRef>>,
        operand 1 values: Values<'a>,
        attribute 1 ty: SilType,
    }
    new(operand: Value, cases: impl Into<List<'a, Option<DeclRef>>>, values: impl Into<Values<'a>>, ty: SilType) []
}

instruction! {
    /// Prepares an opaque existential container in memory for a concrete value.
    InitExistentialAddr [] -> Value,
    {
        operand 0 operand: Value,
        attribute 0 concrete: SilType,
    }
    new(operand: Value, concrete: SilType) []
}

instruction! {
    /// Wraps a concrete value in an opaque existential value.
    InitExistentialValue [] -> Value,
    {
        operand 0 operand: Value,
        attribute 0 concrete: SilType,
        attribute 1 ty: SilType,
    }
    new(operand: Value, concrete: SilType, ty: SilType) []
}

instruction! {
    /// Wraps a class instance in a class existential.
    InitExistentialRef [] -> Value,
    {
        operand 0 operand: Value,
        attribute 0 concrete: SilType,
        attribute 1 ty: SilType,
    }
    new(operand: Value, concrete: SilType, ty: SilType) []
}

instruction! {
    /// Wraps a metatype in an existential metatype.
    InitExistentialMetatype [] -> Value,
    {
        operand 0 operand: Value,
        attribute 0 ty: SilType,
    }
    new(operand: Value, ty: SilType) []
}

instruction! {
    /// Gives the address of the concrete value in an opaque existential container.
    OpenExistentialAddr [] -> Value,
    {
        attribute 0 access: ExistentialAccess,
        operand 0 operand: Value,
        attribute 1 ty: SilType,
    }
    new(access: ExistentialAccess, operand: Value, ty: SilType) []
}

instruction! {
    /// Extracts the class instance from a class existential.
    OpenExistentialRef [] -> Value,
    {
        operand 0 operand: Value,
        attribute 0 ty: SilType,
    }
    new(operand: Value, ty: SilType) []
}

instruction! {
    /// Opens an existential of a COM protocol.
    OpenComExistential [] -> Value,
    {
        operand 0 operand: Value,
        attribute 0 ty: SilType,
    }
    new(operand: Value, ty: SilType) []
}

instruction! {
    /// Extracts the concrete metatype from an existential metatype.
    OpenExistentialMetatype [] -> Value,
    {
        operand 0 operand: Value,
        attribute 0 ty: SilType,
    }
    new(operand: Value, ty: SilType) []
}

instruction! {
    /// Gives the address of the concrete value inside a boxed existential.
    OpenExistentialBox [] -> Value,
    {
        operand 0 operand: Value,
        attribute 0 ty: SilType,
    }
    new(operand: Value, ty: SilType) []
}

instruction! {
    /// Gives the concrete value of an opaque existential value.
    OpenExistentialValue [] -> Value,
    {
        operand 0 operand: Value,
        attribute 0 ty: SilType,
    }
    new(operand: Value, ty: SilType) []
}

instruction! {
    /// Gives the concrete value inside a boxed existential.
    OpenExistentialBoxValue [] -> Value,
    {
        operand 0 operand: Value,
        attribute 0 ty: SilType,
    }
    new(operand: Value, ty: SilType) []
}

instruction! {
    /// Undoes init_existential_addr when no value was stored.
    DeinitExistentialAddr [] -> Inst,
    {
        operand 0 operand: Value,
    }
    new(operand: Value) []
}

instruction! {
    /// Undoes init_existential_value when no value was stored.
    DeinitExistentialValue [] -> Inst,
    {
        operand 0 operand: Value,
    }
    new(operand: Value) []
}

instruction! {
    /// Introduces archetypes for the element of packs at one index.
    OpenPackElement ['a] -> Value,
    {
        operand 0 index: Value,
        attribute 0 sig: Option<GenericSig>,
        attribute 1 subs: List<'a, Type>,
        attribute 2 shape: Type,
        attribute 3 id: Symbol,
    }
    new(index: Value, sig: Option<GenericSig>, subs: impl Into<List<'a, Type>>, shape: Type, id: impl Into<Symbol>) []
}

instruction! {
    /// Produces the number of elements of a pack type.
    PackLength [] -> Value,
    {
        attribute 0 ty: SilType,
    }
    new(ty: SilType) []
}

instruction! {
    /// Produces a pack index from a run-time position.
    DynamicPackIndex [] -> Value,
    {
        operand 0 index: Value,
        attribute 0 ty: SilType,
    }
    new(index: Value, ty: SilType) []
}

instruction! {
    /// Produces a pack index from an index into a slice of the pack.
    PackPackIndex [] -> Value,
    {
        attribute 0 start: u32,
        operand 0 index: Value,
        attribute 1 ty: SilType,
    }
    new(start: u32, index: Value, ty: SilType) []
}

instruction! {
    /// Produces the index of a non-expansion component of a pack.
    ScalarPackIndex [] -> Value,
    {
        attribute 0 index: u32,
        attribute 1 ty: SilType,
    }
    new(index: u32, ty: SilType) []
}

instruction! {
    /// Reads the entry of a pack at an index.
    PackElementGet [] -> Value,
    {
        operand 0 index: Value,
        operand 1 pack: Value,
        attribute 0 ty: SilType,
    }
    new(index: Value, pack: Value, ty: SilType) []
}

instruction! {
    /// Stores an entry of a pack at an index.
    PackElementSet [] -> Inst,
    {
        operand 0 value: Value,
        operand 1 index: Value,
        operand 2 pack: Value,
    }
    new(value: Value, index: Value, pack: Value) []
}

instruction! {
    /// Projects the address of a tuple element at a pack index.
    TuplePackElementAddr [] -> Value,
    {
        operand 0 index: Value,
        operand 1 tuple: Value,
        attribute 0 ty: SilType,
    }
    new(index: Value, tuple: Value, ty: SilType) []
}

instruction! {
    /// Extracts a tuple element at a pack index.
    TuplePackExtract [] -> Value,
    {
        operand 0 index: Value,
        operand 1 tuple: Value,
        attribute 0 ty: SilType,
    }
    new(index: Value, tuple: Value, ty: SilType) []
}

instruction! {
    /// Gives the address of the capture inside a block's storage.
    ProjectBlockStorage [] -> Value,
    {
        operand 0 operand: Value,
    }
    new(operand: Value) []
}

instruction! {
    /// Builds an Objective-C block in prepared storage.
    InitBlockStorageHeader ['a] -> Value,
    {
        operand 0 storage: Value,
        operand 1 invoke: Value,
        attribute 0 subs: List<'a, Type>,
        attribute 1 ty: SilType,
    }
    new(storage: Value, invoke: Value, subs: impl Into<List<'a, Type>>, ty: SilType) []
}

instruction! {
    /// Calls a function and yields its direct result.
    Apply ['a] -> Value,
    {
        flag 0 nothrow: bool,
        flag 1 noasync: bool,
        attribute 0 callee_isolation: Option<Symbol>,
        attribute 1 caller_isolation: Option<Symbol>,
        operand 0 callee: Value,
        attribute 2 subs: List<'a, Type>,
        operand 1 args: Values<'a>,
        attribute 3 ty: SilType,
    }
    new(callee: Value, subs: impl Into<List<'a, Type>>, args: impl Into<Values<'a>>, ty: SilType) [nothrow, noasync, callee_isolation, caller_isolation]
}

instruction! {
    /// Starts a yield-once coroutine and runs it up to its yield.
    BeginApply ['a] -> Vec<Value>,
    {
        flag 0 nothrow: bool,
        flag 1 noasync: bool,
        attribute 0 callee_isolation: Option<Symbol>,
        attribute 1 caller_isolation: Option<Symbol>,
        operand 0 callee: Value,
        attribute 2 subs: List<'a, Type>,
        operand 1 args: Values<'a>,
        attribute 3 ty: SilType,
    }
    new(callee: Value, subs: impl Into<List<'a, Type>>, args: impl Into<Values<'a>>, ty: SilType) [nothrow, noasync, callee_isolation, caller_isolation]
}

instruction! {
    /// Calls a function that can throw and branches on the outcome.
    TryApply ['a] -> Inst,
    {
        flag 0 nothrow: bool,
        flag 1 noasync: bool,
        attribute 0 callee_isolation: Option<Symbol>,
        attribute 1 caller_isolation: Option<Symbol>,
        operand 0 callee: Value,
        attribute 2 subs: List<'a, Type>,
        operand 1 args: Values<'a>,
        attribute 3 ty: SilType,
        attribute 4 normal: Block,
        attribute 5 error: Block,
        attribute 6 counts: List<'a, Option<Symbol>>,
    }
    new(callee: Value, subs: impl Into<List<'a, Type>>, args: impl Into<Values<'a>>, ty: SilType, normal: Block, error: Block) [nothrow, noasync, callee_isolation, caller_isolation, counts]
}

instruction! {
    /// Builds a closure that binds the last arguments of a function.
    PartialApply ['a] -> Value,
    {
        flag 0 callee_guaranteed: bool,
        flag 1 isolated_any: bool,
        flag 2 nonisolated_nonsending: bool,
        flag 3 on_stack: bool,
        flag 4 non_nested: bool,
        flag 5 called_once: bool,
        operand 0 callee: Value,
        attribute 0 subs: List<'a, Type>,
        operand 1 args: Values<'a>,
        attribute 1 ty: SilType,
    }
    new(callee: Value, subs: impl Into<List<'a, Type>>, args: impl Into<Values<'a>>, ty: SilType) [callee_guaranteed, isolated_any, nonisolated_nonsending, on_stack, non_nested, called_once]
}

instruction! {
    /// Requests a thunk of a given kind around a function value.
    Thunk ['a] -> Value,
    {
        attribute 0 kind: ThunkKind,
        operand 0 callee: Value,
        attribute 1 subs: List<'a, Type>,
        operand 1 args: Values<'a>,
        attribute 2 ty: SilType,
    }
    new(kind: ThunkKind, callee: Value, subs: impl Into<List<'a, Type>>, args: impl Into<Values<'a>>, ty: SilType) []
}

instruction! {
    /// Performs a primitive operation of the Builtin module or an LLVM intrinsic.
    Builtin ['a] -> Value,
    {
        attribute 0 name: Symbol,
        attribute 1 subs: List<'a, Type>,
        operand 0 args: Values<'a>,
        attribute 2 ty: SilType,
    }
    new(name: impl Into<Symbol>, subs: impl Into<List<'a, Type>>, args: impl Into<Values<'a>>, ty: SilType) []
}

instruction! {
    /// Resumes a suspended coroutine to its normal end.
    EndApply [] -> Value,
    {
        operand 0 token: Value,
        attribute 0 ty: Option<SilType>,
    }
    new(token: Value) [ty]
}

instruction! {
    /// Abandons a suspended coroutine through its unwind path.
    AbortApply [] -> Inst,
    {
        operand 0 token: Value,
    }
    new(token: Value) []
}

instruction! {
    /// Reads the isolation stored in an @isolated(any) function value.
    FunctionExtractIsolation [] -> Value,
    {
        operand 0 operand: Value,
    }
    new(operand: Value) []
}

instruction! {
    /// Bundles a function with its derivative functions.
    DifferentiableFunction ['a] -> Value,
    {
        attribute 0 parameters: List<'a, u32>,
        attribute 1 results: List<'a, u32>,
        operand 0 original: Value,
        operand 1 jvp: Option<Value>,
        operand 2 vjp: Option<Value>,
    }
    new(original: Value) [parameters, results, jvp, vjp]
}

instruction! {
    /// Bundles a linear function with its transpose.
    LinearFunction ['a] -> Value,
    {
        attribute 0 parameters: List<'a, u32>,
        operand 0 original: Value,
        operand 1 transpose: Option<Value>,
    }
    new(original: Value) [parameters, transpose]
}

instruction! {
    /// Extracts the original or a derivative from a differentiable function.
    DifferentiableFunctionExtract [] -> Value,
    {
        attribute 0 extractee: Extractee,
        operand 0 operand: Value,
        attribute 1 ty: Option<SilType>,
    }
    new(extractee: Extractee, operand: Value) [ty]
}

instruction! {
    /// Extracts the original or the transpose from a linear function.
    LinearFunctionExtract [] -> Value,
    {
        attribute 0 extractee: LinearExtractee,
        operand 0 operand: Value,
    }
    new(extractee: LinearExtractee, operand: Value) []
}

instruction! {
    /// Looks up a derivative or transpose through a differentiability witness.
    DifferentiabilityWitnessFunction ['a] -> Value,
    {
        attribute 0 kind: Symbol,
        attribute 1 diff_kind: Symbol,
        attribute 2 parameters: List<'a, u32>,
        attribute 3 results: List<'a, u32>,
        attribute 4 sig: Option<GenericSig>,
        attribute 5 function: Symbol,
        attribute 6 original_type: SilType,
        attribute 7 ty: Option<SilType>,
    }
    new(kind: impl Into<Symbol>, diff_kind: impl Into<Symbol>, sig: Option<GenericSig>, function: impl Into<Symbol>, original_type: SilType) [parameters, results, ty]
}

instruction! {
    /// Begins suspending an async function and creates its continuation.
    GetAsyncContinuation [] -> Value,
    {
        flag 0 throws: bool,
        attribute 0 resume: Type,
    }
    new(resume: Type) [throws]
}

instruction! {
    /// Like get_async_continuation, receiving the resume value in memory.
    GetAsyncContinuationAddr [] -> Value,
    {
        flag 0 throws: bool,
        attribute 0 resume: Type,
        operand 0 address: Value,
    }
    new(resume: Type, address: Value) [throws]
}

instruction! {
    /// Suspends an async function until its continuation is resumed.
    AwaitAsyncContinuation [] -> Inst,
    {
        operand 0 operand: Value,
        attribute 0 resume: Block,
        attribute 1 error: Option<Block>,
    }
    new(operand: Value, resume: Block) [error]
}

instruction! {
    /// Suspends the task until a detached continuation is resumed.
    AwaitDetachedContinuation [] -> Inst,
    {
        operand 0 operand: Value,
        operand 1 result: Value,
        attribute 0 resume: Block,
        attribute 1 error: Option<Block>,
    }
    new(operand: Value, result: Value, resume: Block) [error]
}

instruction! {
    /// Gets the executor of an actor as a value.
    ExtractExecutor [] -> Value,
    {
        operand 0 operand: Value,
    }
    new(operand: Value) []
}

instruction! {
    /// Switches to the executor of an actor, suspending if necessary.
    HopToExecutor [] -> Inst,
    {
        flag 0 mandatory: bool,
        operand 0 operand: Value,
    }
    new(operand: Value) [mandatory]
}

instruction! {
    /// Records that a source variable has the given value from here on.
    DebugValue [] -> Inst,
    {
        flag 0 poison: bool,
        flag 1 moveable_value_debuginfo: bool,
        flag 2 trace: bool,
        operand 0 operand: Value,
        attribute 0 var: Option<DebugVar>,
    }
    new(operand: Value) [poison, moveable_value_debuginfo, trace, var]
}

instruction! {
    /// Tells debug info that several values, or none, hold a variable's value.
    DebugValues ['a] -> Inst,
    {
        flag 0 poison: bool,
        flag 1 moveable_value_debuginfo: bool,
        flag 2 trace: bool,
        operand 0 operands: Values<'a>,
        attribute 0 var: Option<DebugVar>,
    }
    new(operands: impl Into<Values<'a>>) [poison, moveable_value_debuginfo, trace, var]
}

instruction! {
    /// Asks a later pass for a diagnostic about a value.
    Diagnose [] -> Inst,
    {
        attribute 0 kind: RequestedDiagnostic,
        operand 0 operand: Value,
    }
    new(kind: RequestedDiagnostic, operand: Value) []
}

instruction! {
    /// Keeps a source line on which the debugger can stop.
    DebugStep [] -> Inst,
    {
    }
    new() []
}

instruction! {
    /// Gives the arguments of a compiler unit test.
    SpecifyTest [] -> Inst,
    {
        attribute 0 test: Symbol,
    }
    new(test: impl Into<Symbol>) []
}

instruction! {
    /// Counts one execution for coverage and profile-guided optimization.
    IncrementProfilerCounter [] -> Inst,
    {
        attribute 0 counter: u32,
        attribute 1 function: Symbol,
        attribute 2 count: u32,
        attribute 3 hash: Symbol,
    }
    new(counter: u32, function: impl Into<Symbol>, count: u32, hash: impl Into<Symbol>) []
}

instruction! {
    /// Stops the program if a condition is true.
    CondFail [] -> Inst,
    {
        operand 0 condition: Value,
        attribute 0 message: Option<Symbol>,
    }
    new(condition: Value) [message]
}

instruction! {
    /// States that control never reaches this point.
    Unreachable [] -> Inst,
    {
    }
    new() []
}

instruction! {
    /// Leaves the function with its direct result.
    Return [] -> Inst,
    {
        operand 0 operand: Value,
    }
    new(operand: Value) []
}

instruction! {
    /// Leaves a borrow accessor with a guaranteed result and ends the borrow scopes that it comes from.
    ReturnBorrow ['a] -> Inst,
    {
        operand 0 operand: Value,
        operand 1 scope: Values<'a>,
    }
    new(operand: Value, scope: impl Into<Values<'a>>) []
}

instruction! {
    /// Leaves the function with an error.
    Throw [] -> Inst,
    {
        operand 0 operand: Value,
    }
    new(operand: Value) []
}

instruction! {
    /// Leaves the function with an error that is already in the indirect error result.
    ThrowAddr [] -> Inst,
    {
    }
    new() []
}

instruction! {
    /// Suspends a coroutine and hands values to its caller.
    Yield ['a] -> Inst,
    {
        operand 0 operands: Values<'a>,
        attribute 0 resume: Block,
        attribute 1 unwind: Block,
    }
    new(operands: impl Into<Values<'a>>, resume: Block, unwind: Block) []
}

instruction! {
    /// Completes the abandoned path of a coroutine.
    Unwind [] -> Inst,
    {
    }
    new() []
}

instruction! {
    /// Jumps to a block, passing its arguments.
    Branch ['a] -> Inst,
    {
        attribute 0 target: Block,
        operand 0 args: Values<'a>,
    }
    new(target: Block, args: impl Into<Values<'a>>) []
}

instruction! {
    /// Jumps to one of two blocks depending on a bit.
    CondBranch ['a] -> Inst,
    {
        operand 0 condition: Value,
        attribute 0 true_target: Block,
        operand 1 true_args: Values<'a>,
        attribute 1 false_target: Block,
        operand 2 false_args: Values<'a>,
        attribute 2 counts: List<'a, Option<Symbol>>,
    }
    new(condition: Value, true_target: Block, true_args: impl Into<Values<'a>>, false_target: Block, false_args: impl Into<Values<'a>>) [counts]
}

instruction! {
    /// Jumps to a block chosen by an integer value.
    SwitchValue ['a] -> Inst,
    {
        operand 0 operand: Value,
        operand 1 values: Values<'a>,
        attribute 0 targets: List<'a, Block>,
        attribute 1 default_target: Option<Block>,
    }
    new(operand: Value, values: impl Into<Values<'a>>, targets: impl Into<List<'a, Block>>) [default_target]
}

instruction! {
    /// Branches on the case of an enum value and passes on its payload.
    SwitchEnum ['a] -> Inst,
    {
        operand 0 operand: Value,
        attribute 0 cases: List<'a, (DeclRef, Block)>,
        attribute 1 default_target: Option<Block>,
    }
    new(operand: Value, cases: impl Into<List<'a, (DeclRef, Block)>>) [default_target]
}

instruction! {
    /// Branches on the case of an enum in memory.
    SwitchEnumAddr ['a] -> Inst,
    {
        operand 0 operand: Value,
        attribute 0 cases: List<'a, (DeclRef, Block)>,
        attribute 1 default_target: Option<Block>,
    }
    new(operand: Value, cases: impl Into<List<'a, (DeclRef, Block)>>) [default_target]
}

any_instruction! {
    AllocStack [],
    AllocPack [],
    AllocPackMetadata [],
    AllocRef ['a],
    AllocRefDynamic ['a],
    AllocBox [],
    AllocExistentialBox [],
    DeallocStack [],
    DeallocPack [],
    DeallocPackMetadata [],
    DeallocStackRef [],
    DeallocRef [],
    DeallocPartialRef [],
    DeallocBox [],
    DeallocExistentialBox [],
    AllocGlobal [],
    BeginDeallocRef [],
    EndInitLetRef [],
    BindMemory [],
    RebindMemory [],
    ProjectBox [],
    ProjectExistentialBox [],
    IndexAddr [],
    VectorBaseAddr [],
    MakeAddrBorrow [],
    DereferenceAddrBorrow [],
    InitBorrowAddr [],
    DereferenceBorrowAddr [],
    TailAddr [],
    IndexRawPointer [],
    AddressToPointer [],
    PointerToAddress [],
    UncheckedAddrCast [],
    BaseAddrForOffset [],
    FunctionRef [],
    DynamicFunctionRef [],
    PreviousDynamicFunctionRef [],
    GlobalAddr [],
    GlobalValue [],
    IntegerLiteral [],
    FloatLiteral [],
    StringLiteral [],
    HasSymbol [],
    Metatype [],
    ValueMetatype [],
    ExistentialMetatype [],
    ObjCProtocol [],
    TypeValue [],
    KeyPath ['a],
    ClassMethod [],
    SuperMethod [],
    ObjCMethod [],
    ComMethod [],
    ObjCSuperMethod [],
    WitnessMethod [],
    DynamicMethodBranch [],
    Upcast [],
    UncheckedRefCast [],
    UncheckedTrivialBitCast [],
    UncheckedBitwiseCast [],
    UncheckedValueCast [],
    RefToRawPointer [],
    RawPointerToRef [],
    RefToUnowned [],
    UnownedToRef [],
    RefToUnmanaged [],
    UnmanagedToRef [],
    ConvertFunction [],
    ConvertEscapeToNoEscape [],
    RefToBridgeObject [],
    BridgeObjectToRef [],
    BridgeObjectToWord [],
    ThinToThickFunction [],
    ThickToObjCMetatype [],
    ObjCToThickMetatype [],
    ObjCMetatypeToObject [],
    ObjCExistentialMetatypeToObject [],
    ImplicitActorToOpaqueIsolationCast [],
    UnconditionalCheckedCast [],
    UnconditionalCheckedCastAddr [],
    UncheckedRefCastAddr [],
    CheckedCastBranch ['a],
    CheckedCastAddrBranch ['a],
    ClassifyBridgeObject [],
    ValueToBridgeObject [],
    CopyBlock [],
    CopyBlockWithoutEscaping [],
    UncheckedOwnershipConversion [],
    CopyValue [],
    ExplicitCopyValue [],
    UnownedCopyValue [],
    WeakCopyValue [],
    StrongCopyWeakValue [],
    StrongCopyUnownedValue [],
    StrongCopyUnmanagedValue [],
    MoveValue [],
    DropDeinit [],
    DestroyValue [],
    EndLifetime [],
    ExtendLifetime [],
    BeginBorrow [],
    EndBorrow [],
    EndFormalScope [],
    UncheckedOwnership [],
    BorrowedFrom ['a],
    MakeBorrow [],
    DereferenceBorrow [],
    MarkUnresolvedNonCopyableValue [],
    MarkUnresolvedReferenceBinding [],
    MarkUnresolvedMoveAddr [],
    CopyableToMoveOnlyWrapperValue [],
    MoveOnlyWrapperToCopyableValue [],
    MoveOnlyWrapperToCopyableBox [],
    MoveOnlyWrapperToCopyableAddr [],
    CopyableToMoveOnlyWrapperAddr [],
    MarkDependence [],
    MarkDependenceAddr [],
    FixLifetime [],
    IgnoredUse [],
    MergeIsolationRegion ['a],
    StrongRetain [],
    StrongRelease [],
    UnmanagedRetainValue [],
    UnmanagedReleaseValue [],
    UnmanagedAutoreleaseValue [],
    StrongRetainUnowned [],
    UnownedRetain [],
    UnownedRelease [],
    RetainValue [],
    RetainValueAddr [],
    ReleaseValue [],
    ReleaseValueAddr [],
    AutoreleaseValue [],
    IsUnique [],
    BeginCOWMutation [],
    EndCOWMutation [],
    EndCOWMutationAddr [],
    DestroyNotEscapedClosure [],
    Load [],
    LoadBorrow [],
    Store [],
    StoreBorrow [],
    LoadWeak [],
    LoadUnowned [],
    StoreWeak [],
    StoreUnowned [],
    CopyAddr [],
    ExplicitCopyAddr [],
    DestroyAddr [],
    TupleAddrConstructor ['a],
    Assign [],
    AssignByWrapper [],
    AssignOrInit ['a],
    MarkUninitialized [],
    MarkFunctionEscape ['a],
    BeginAccess [],
    EndAccess [],
    BeginUnpairedAccess [],
    EndUnpairedAccess [],
    Object ['a],
    Vector ['a],
    Tuple ['a],
    TupleExtract [],
    TupleElementAddr [],
    Struct ['a],
    StructExtract [],
    StructElementAddr [],
    RefElementAddr [],
    RefTailAddr [],
    DestructureStruct [],
    DestructureTuple [],
    Enum [],
    UncheckedEnumData [],
    InitEnumDataAddr [],
    UncheckedTakeEnumDataAddr [],
    UncheckedBorrowEnumDataAddr [],
    UncheckedInPlaceEnumDataAddr [],
    InjectEnumAddr [],
    SelectEnum ['a],
    SelectEnumAddr ['a],
    InitExistentialAddr [],
    InitExistentialValue [],
    InitExistentialRef [],
    InitExistentialMetatype [],
    OpenExistentialAddr [],
    OpenExistentialRef [],
    OpenComExistential [],
    OpenExistentialMetatype [],
    OpenExistentialBox [],
    OpenExistentialValue [],
    OpenExistentialBoxValue [],
    DeinitExistentialAddr [],
    DeinitExistentialValue [],
    OpenPackElement ['a],
    PackLength [],
    DynamicPackIndex [],
    PackPackIndex [],
    ScalarPackIndex [],
    PackElementGet [],
    PackElementSet [],
    TuplePackElementAddr [],
    TuplePackExtract [],
    ProjectBlockStorage [],
    InitBlockStorageHeader ['a],
    Apply ['a],
    BeginApply ['a],
    TryApply ['a],
    PartialApply ['a],
    Thunk ['a],
    Builtin ['a],
    EndApply [],
    AbortApply [],
    FunctionExtractIsolation [],
    DifferentiableFunction ['a],
    LinearFunction ['a],
    DifferentiableFunctionExtract [],
    LinearFunctionExtract [],
    DifferentiabilityWitnessFunction ['a],
    GetAsyncContinuation [],
    GetAsyncContinuationAddr [],
    AwaitAsyncContinuation [],
    AwaitDetachedContinuation [],
    ExtractExecutor [],
    HopToExecutor [],
    DebugValue [],
    DebugValues ['a],
    Diagnose [],
    DebugStep [],
    SpecifyTest [],
    IncrementProfilerCounter [],
    CondFail [],
    Unreachable [],
    Return [],
    ReturnBorrow ['a],
    Throw [],
    ThrowAddr [],
    Yield ['a],
    Unwind [],
    Branch ['a],
    CondBranch ['a],
    SwitchValue ['a],
    SwitchEnum ['a],
    SwitchEnumAddr ['a],
}
