//! A method of the builder for each instruction. Generated from `table/*.toml` by `cargo xtask generate`; do not edit.

use super::instructions as i;
use super::keywords::*;
use crate::edit::Builder;
use crate::instructions::{List, Values};
use crate::{Block, DeclRef, Inst, Value};
use silkit_base::Symbol;
use silkit_types::{GenericSig, SilType, Type};

impl Builder<'_> {
    /// Makes `alloc_stack`. Reserves uninitialized stack memory for one value and yields its address.
    ///
    /// For `non_nested`, `dynamic_lifetime`, `lexical`, `var_decl`, `moveable_value_debuginfo` or `var`, [`build`](Builder::build) an [`i::AllocStack`].
    pub fn alloc_stack(&mut self, ty: SilType) -> Value {
        self.build(i::AllocStack::new(ty))
    }

    /// Makes `alloc_pack`. Reserves uninitialized stack memory for a value pack and yields its address.
    pub fn alloc_pack(&mut self, ty: SilType) -> Value {
        self.build(i::AllocPack::new(ty))
    }

    /// Makes `alloc_pack_metadata`. Marks that the next instruction may place pack metadata on the stack.
    ///
    /// For `non_nested`, [`build`](Builder::build) an [`i::AllocPackMetadata`].
    pub fn alloc_pack_metadata(&mut self, ty: SilType) -> Value {
        self.build(i::AllocPackMetadata::new(ty))
    }

    /// Makes `alloc_ref`. Allocates an uninitialized class instance with a reference count of one.
    ///
    /// For `objc`, `bare`, `stack`, `non_nested`, `tail_types` or `counts`, [`build`](Builder::build) an [`i::AllocRef`].
    pub fn alloc_ref(&mut self, ty: SilType) -> Value {
        self.build(i::AllocRef::new(ty))
    }

    /// Makes `alloc_ref_dynamic`. Allocates an uninitialized instance of the class named by a metatype value.
    ///
    /// For `objc`, `bare`, `stack`, `non_nested`, `tail_types` or `counts`, [`build`](Builder::build) an [`i::AllocRefDynamic`].
    pub fn alloc_ref_dynamic(&mut self, metatype: Value, ty: SilType) -> Value {
        self.build(i::AllocRefDynamic::new(metatype, ty))
    }

    /// Makes `alloc_box`. Allocates a reference-counted heap box with uninitialized storage for captured variables.
    ///
    /// For `dynamic_lifetime`, `reflection`, `pointer_escape`, `inferred_immutable`, `moveable_value_debuginfo` or `var`, [`build`](Builder::build) an [`i::AllocBox`].
    pub fn alloc_box(&mut self, ty: SilType) -> Value {
        self.build(i::AllocBox::new(ty))
    }

    /// Makes `alloc_existential_box`. Allocates a boxed existential (an error box) with room for a concrete value.
    pub fn alloc_existential_box(&mut self, ty: SilType, concrete: SilType) -> Value {
        self.build(i::AllocExistentialBox::new(ty, concrete))
    }

    /// Makes `dealloc_stack`. Frees the memory of an alloc_stack, ending its stack scope.
    pub fn dealloc_stack(&mut self, operand: Value) -> Inst {
        self.build(i::DeallocStack::new(operand))
    }

    /// Makes `dealloc_pack`. Frees the memory of an alloc_pack.
    pub fn dealloc_pack(&mut self, operand: Value) -> Inst {
        self.build(i::DeallocPack::new(operand))
    }

    /// Makes `dealloc_pack_metadata`. Ends the on-stack pack metadata announced by alloc_pack_metadata.
    pub fn dealloc_pack_metadata(&mut self, operand: Value) -> Inst {
        self.build(i::DeallocPackMetadata::new(operand))
    }

    /// Makes `dealloc_stack_ref`. Ends the stack lifetime of an object from alloc_ref \[stack\].
    pub fn dealloc_stack_ref(&mut self, operand: Value) -> Inst {
        self.build(i::DeallocStackRef::new(operand))
    }

    /// Makes `dealloc_ref`. Frees the memory of a class instance without running any destruction.
    pub fn dealloc_ref(&mut self, operand: Value) -> Inst {
        self.build(i::DeallocRef::new(operand))
    }

    /// Makes `dealloc_partial_ref`. Destroys and frees a class instance whose initialization stopped part-way.
    pub fn dealloc_partial_ref(&mut self, operand: Value, metatype: Value) -> Inst {
        self.build(i::DeallocPartialRef::new(operand, metatype))
    }

    /// Makes `dealloc_box`. Frees a box whose contents are uninitialized, bypassing reference counting.
    ///
    /// For `dead_end`, [`build`](Builder::build) an [`i::DeallocBox`].
    pub fn dealloc_box(&mut self, operand: Value) -> Inst {
        self.build(i::DeallocBox::new(operand))
    }

    /// Makes `dealloc_existential_box`. Frees a boxed existential without destroying the value inside.
    pub fn dealloc_existential_box(&mut self, operand: Value, concrete: SilType) -> Inst {
        self.build(i::DeallocExistentialBox::new(operand, concrete))
    }

    /// Makes `alloc_global`. Prepares the storage of a global variable before its first initialization.
    pub fn alloc_global(&mut self, global: impl Into<Symbol>) -> Inst {
        self.build(i::AllocGlobal::new(global))
    }

    /// Makes `begin_dealloc_ref`. Marks the start of a devirtualized deallocation of an object.
    pub fn begin_dealloc_ref(&mut self, reference: Value, allocation: Value) -> Value {
        self.build(i::BeginDeallocRef::new(reference, allocation))
    }

    /// Makes `end_init_let_ref`. Marks the point from which the let properties of an object are immutable.
    pub fn end_init_let_ref(&mut self, operand: Value) -> Value {
        self.build(i::EndInitLetRef::new(operand))
    }

    /// Makes `bind_memory`. Declares which type a region of raw memory holds from here on.
    pub fn bind_memory(&mut self, base: Value, count: Value, ty: SilType) -> Value {
        self.build(i::BindMemory::new(base, count, ty))
    }

    /// Makes `rebind_memory`. Restores a memory binding recorded in a token.
    pub fn rebind_memory(&mut self, base: Value, token: Value) -> Value {
        self.build(i::RebindMemory::new(base, token))
    }

    /// Makes `project_box`. Gives the address of a field inside a box.
    pub fn project_box(&mut self, box_value: Value, field: u32) -> Value {
        self.build(i::ProjectBox::new(box_value, field))
    }

    /// Makes `project_existential_box`. Gives the address of the concrete value inside a boxed existential.
    pub fn project_existential_box(&mut self, ty: SilType, box_value: Value) -> Value {
        self.build(i::ProjectExistentialBox::new(ty, box_value))
    }

    /// Makes `index_addr`. Offsets an element address by a number of elements.
    ///
    /// For `stack_protection` or `projection`, [`build`](Builder::build) an [`i::IndexAddr`].
    pub fn index_addr(&mut self, base: Value, index: Value) -> Value {
        self.build(i::IndexAddr::new(base, index))
    }

    /// Makes `vector_base_addr`. Gives the address of the first element of a vector in memory.
    pub fn vector_base_addr(&mut self, vector: Value) -> Value {
        self.build(i::VectorBaseAddr::new(vector))
    }

    /// Makes `make_addr_borrow`. Makes a borrow of a value in memory.
    pub fn make_addr_borrow(&mut self, operand: Value) -> Value {
        self.build(i::MakeAddrBorrow::new(operand))
    }

    /// Makes `dereference_addr_borrow`. Gives the address of the value that a borrow refers to.
    pub fn dereference_addr_borrow(&mut self, operand: Value) -> Value {
        self.build(i::DereferenceAddrBorrow::new(operand))
    }

    /// Makes `init_borrow_addr`. Initializes memory with a borrow of a value in memory.
    pub fn init_borrow_addr(&mut self, destination: Value, referent: Value) -> Inst {
        self.build(i::InitBorrowAddr::new(destination, referent))
    }

    /// Makes `dereference_borrow_addr`. Gives the address of the value that a borrow in memory refers to.
    pub fn dereference_borrow_addr(&mut self, operand: Value) -> Value {
        self.build(i::DereferenceBorrowAddr::new(operand))
    }

    /// Makes `tail_addr`. Moves from one tail-allocated array to the next one.
    pub fn tail_addr(&mut self, base: Value, count: Value, ty: SilType) -> Value {
        self.build(i::TailAddr::new(base, count, ty))
    }

    /// Makes `index_raw_pointer`. Adds a byte offset to a raw pointer.
    pub fn index_raw_pointer(&mut self, base: Value, index: Value) -> Value {
        self.build(i::IndexRawPointer::new(base, index))
    }

    /// Makes `address_to_pointer`. Turns an address into a raw pointer.
    ///
    /// For `stack_protection`, [`build`](Builder::build) an [`i::AddressToPointer`].
    pub fn address_to_pointer(&mut self, operand: Value, ty: SilType) -> Value {
        self.build(i::AddressToPointer::new(operand, ty))
    }

    /// Makes `pointer_to_address`. Turns a raw pointer into a typed address.
    ///
    /// For `strict`, `invariant` or `align`, [`build`](Builder::build) an [`i::PointerToAddress`].
    pub fn pointer_to_address(&mut self, operand: Value, ty: SilType) -> Value {
        self.build(i::PointerToAddress::new(operand, ty))
    }

    /// Makes `unchecked_addr_cast`. Reinterprets an address as an address of another type.
    pub fn unchecked_addr_cast(&mut self, operand: Value, ty: SilType) -> Value {
        self.build(i::UncheckedAddrCast::new(operand, ty))
    }

    /// Makes `base_addr_for_offset`. Makes a base address from which field offsets are computed.
    pub fn base_addr_for_offset(&mut self, ty: SilType) -> Value {
        self.build(i::BaseAddrForOffset::new(ty))
    }

    /// Makes `function_ref`. References a SIL function.
    pub fn function_ref(&mut self, function: impl Into<Symbol>, ty: SilType) -> Value {
        self.build(i::FunctionRef::new(function, ty))
    }

    /// Makes `dynamic_function_ref`. References the current implementation of a dynamically replaceable function.
    pub fn dynamic_function_ref(&mut self, function: impl Into<Symbol>, ty: SilType) -> Value {
        self.build(i::DynamicFunctionRef::new(function, ty))
    }

    /// Makes `prev_dynamic_function_ref`. References the implementation that a replacement function has replaced.
    pub fn prev_dynamic_function_ref(&mut self, function: impl Into<Symbol>, ty: SilType) -> Value {
        self.build(i::PreviousDynamicFunctionRef::new(function, ty))
    }

    /// Makes `global_addr`. Gives the address of a global variable.
    ///
    /// For `token`, [`build`](Builder::build) an [`i::GlobalAddr`].
    pub fn global_addr(&mut self, global: impl Into<Symbol>, ty: SilType) -> Value {
        self.build(i::GlobalAddr::new(global, ty))
    }

    /// Makes `global_value`. Gives the reference of a statically initialized global object.
    ///
    /// For `bare`, [`build`](Builder::build) an [`i::GlobalValue`].
    pub fn global_value(&mut self, global: impl Into<Symbol>, ty: SilType) -> Value {
        self.build(i::GlobalValue::new(global, ty))
    }

    /// Makes `integer_literal`. Produces a constant of a builtin integer type.
    pub fn integer_literal(&mut self, ty: SilType, value: impl Into<Symbol>) -> Value {
        self.build(i::IntegerLiteral::new(ty, value))
    }

    /// Makes `float_literal`. Produces a floating-point constant from its bit pattern.
    pub fn float_literal(&mut self, ty: SilType, value: impl Into<Symbol>) -> Value {
        self.build(i::FloatLiteral::new(ty, value))
    }

    /// Makes `string_literal`. Produces a raw pointer to constant, null-terminated string data.
    pub fn string_literal(&mut self, encoding: StringEncoding, value: impl Into<Symbol>) -> Value {
        self.build(i::StringLiteral::new(encoding, value))
    }

    /// Makes `has_symbol`. Tests at run time whether a weakly linked declaration is present.
    pub fn has_symbol(&mut self, declaration: DeclRef) -> Value {
        self.build(i::HasSymbol::new(declaration))
    }

    /// Makes `metatype`. Produces the metatype of a statically known type.
    pub fn metatype(&mut self, ty: SilType) -> Value {
        self.build(i::Metatype::new(ty))
    }

    /// Makes `value_metatype`. Reads the dynamic metatype of a value.
    pub fn value_metatype(&mut self, ty: SilType, operand: Value) -> Value {
        self.build(i::ValueMetatype::new(ty, operand))
    }

    /// Makes `existential_metatype`. Reads the metatype of the concrete value in an existential.
    pub fn existential_metatype(&mut self, ty: SilType, operand: Value) -> Value {
        self.build(i::ExistentialMetatype::new(ty, operand))
    }

    /// Makes `objc_protocol`. Produces the Objective-C runtime object of an @objc protocol.
    pub fn objc_protocol(&mut self, protocol: DeclRef, ty: SilType) -> Value {
        self.build(i::ObjCProtocol::new(protocol, ty))
    }

    /// Makes `type_value`. Reads the value of an integer generic parameter.
    pub fn type_value(&mut self, ty: SilType, parameter: Type) -> Value {
        self.build(i::TypeValue::new(ty, parameter))
    }

    /// Makes `keypath`. Builds a key path object from a constant pattern.
    pub fn keypath<'a>(
        &mut self,
        ty: SilType,
        pattern: crate::KeyPath,
        subs: impl Into<List<'a, Type>>,
        operands: impl Into<Values<'a>>,
    ) -> Value {
        self.build(i::KeyPath::new(ty, pattern, subs, operands))
    }

    /// Makes `class_method`. Looks up a native Swift method in the vtable of a class instance or metatype.
    ///
    /// For `formal`, [`build`](Builder::build) an [`i::ClassMethod`].
    pub fn class_method(&mut self, operand: Value, member: DeclRef, ty: SilType) -> Value {
        self.build(i::ClassMethod::new(operand, member, ty))
    }

    /// Makes `super_method`. Looks up a native Swift method in the superclass of a class.
    ///
    /// For `formal`, [`build`](Builder::build) an [`i::SuperMethod`].
    pub fn super_method(&mut self, operand: Value, member: DeclRef, ty: SilType) -> Value {
        self.build(i::SuperMethod::new(operand, member, ty))
    }

    /// Makes `objc_method`. Looks up a method by Objective-C message dispatch.
    ///
    /// For `formal`, [`build`](Builder::build) an [`i::ObjCMethod`].
    pub fn objc_method(&mut self, operand: Value, member: DeclRef, ty: SilType) -> Value {
        self.build(i::ObjCMethod::new(operand, member, ty))
    }

    /// Makes `com_method`. Looks up a method of a COM protocol.
    pub fn com_method(&mut self, operand: Value, member: DeclRef, ty: SilType) -> Value {
        self.build(i::ComMethod::new(operand, member, ty))
    }

    /// Makes `objc_super_method`. Looks up a superclass method by Objective-C message dispatch.
    ///
    /// For `formal`, [`build`](Builder::build) an [`i::ObjCSuperMethod`].
    pub fn objc_super_method(&mut self, operand: Value, member: DeclRef, ty: SilType) -> Value {
        self.build(i::ObjCSuperMethod::new(operand, member, ty))
    }

    /// Makes `witness_method`. Looks up the implementation of a protocol requirement for a conforming type.
    ///
    /// For `formal` or `opened`, [`build`](Builder::build) an [`i::WitnessMethod`].
    pub fn witness_method(&mut self, lookup: SilType, member: DeclRef, ty: SilType) -> Value {
        self.build(i::WitnessMethod::new(lookup, member, ty))
    }

    /// Makes `dynamic_method_br`. Branches on whether an object responds to an Objective-C method.
    pub fn dynamic_method_br(
        &mut self,
        operand: Value,
        member: DeclRef,
        found: Block,
        missing: Block,
    ) -> Inst {
        self.build(i::DynamicMethodBranch::new(operand, member, found, missing))
    }

    /// Makes `upcast`. Converts a class reference or metatype to a superclass type.
    pub fn upcast(&mut self, operand: Value, ty: SilType) -> Value {
        self.build(i::Upcast::new(operand, ty))
    }

    /// Makes `unchecked_ref_cast`. Reinterprets an object reference as another reference type without a check.
    pub fn unchecked_ref_cast(&mut self, operand: Value, ty: SilType) -> Value {
        self.build(i::UncheckedRefCast::new(operand, ty))
    }

    /// Makes `unchecked_trivial_bit_cast`. Reinterprets the bits of a value as a trivial type.
    pub fn unchecked_trivial_bit_cast(&mut self, operand: Value, ty: SilType) -> Value {
        self.build(i::UncheckedTrivialBitCast::new(operand, ty))
    }

    /// Makes `unchecked_bitwise_cast`. Reinterprets the bits of a value as another type of the same or smaller size.
    pub fn unchecked_bitwise_cast(&mut self, operand: Value, ty: SilType) -> Value {
        self.build(i::UncheckedBitwiseCast::new(operand, ty))
    }

    /// Makes `unchecked_value_cast`. Reinterprets a value as a layout-compatible type, forwarding ownership.
    pub fn unchecked_value_cast(&mut self, operand: Value, ty: SilType) -> Value {
        self.build(i::UncheckedValueCast::new(operand, ty))
    }

    /// Makes `ref_to_raw_pointer`. Converts an object reference to a raw pointer.
    pub fn ref_to_raw_pointer(&mut self, operand: Value, ty: SilType) -> Value {
        self.build(i::RefToRawPointer::new(operand, ty))
    }

    /// Makes `raw_pointer_to_ref`. Converts a raw pointer back to an object reference.
    ///
    /// For `immortal`, [`build`](Builder::build) an [`i::RawPointerToRef`].
    pub fn raw_pointer_to_ref(&mut self, operand: Value, ty: SilType) -> Value {
        self.build(i::RawPointerToRef::new(operand, ty))
    }

    /// Makes `ref_to_unowned`. Converts a strong reference to an unowned reference type.
    pub fn ref_to_unowned(&mut self, operand: Value, ty: SilType) -> Value {
        self.build(i::RefToUnowned::new(operand, ty))
    }

    /// Makes `unowned_to_ref`. Strips the unowned qualifier from a reference.
    pub fn unowned_to_ref(&mut self, operand: Value, ty: SilType) -> Value {
        self.build(i::UnownedToRef::new(operand, ty))
    }

    /// Makes `ref_to_unmanaged`. Converts a strong reference to an unmanaged (unowned(unsafe)) one.
    pub fn ref_to_unmanaged(&mut self, operand: Value, ty: SilType) -> Value {
        self.build(i::RefToUnmanaged::new(operand, ty))
    }

    /// Makes `unmanaged_to_ref`. Converts an unmanaged reference to a plain one without retaining.
    pub fn unmanaged_to_ref(&mut self, operand: Value, ty: SilType) -> Value {
        self.build(i::UnmanagedToRef::new(operand, ty))
    }

    /// Makes `convert_function`. Converts a function value to an ABI-compatible function type.
    ///
    /// For `without_actually_escaping`, [`build`](Builder::build) an [`i::ConvertFunction`].
    pub fn convert_function(&mut self, operand: Value, ty: SilType) -> Value {
        self.build(i::ConvertFunction::new(operand, ty))
    }

    /// Makes `convert_escape_to_noescape`. Converts an escaping closure to a non-escaping function type.
    ///
    /// For `not_guaranteed`, [`build`](Builder::build) an [`i::ConvertEscapeToNoEscape`].
    pub fn convert_escape_to_noescape(&mut self, operand: Value, ty: SilType) -> Value {
        self.build(i::ConvertEscapeToNoEscape::new(operand, ty))
    }

    /// Makes `ref_to_bridge_object`. Packs an object reference and spare bits into a bridge object.
    pub fn ref_to_bridge_object(&mut self, reference: Value, bits: Value) -> Value {
        self.build(i::RefToBridgeObject::new(reference, bits))
    }

    /// Makes `bridge_object_to_ref`. Extracts the object reference from a bridge object.
    pub fn bridge_object_to_ref(&mut self, operand: Value, ty: SilType) -> Value {
        self.build(i::BridgeObjectToRef::new(operand, ty))
    }

    /// Makes `bridge_object_to_word`. Gives the raw bits of a bridge object as an integer.
    pub fn bridge_object_to_word(&mut self, operand: Value, ty: SilType) -> Value {
        self.build(i::BridgeObjectToWord::new(operand, ty))
    }

    /// Makes `thin_to_thick_function`. Gives a context-free function value an empty context.
    pub fn thin_to_thick_function(&mut self, operand: Value, ty: SilType) -> Value {
        self.build(i::ThinToThickFunction::new(operand, ty))
    }

    /// Makes `thick_to_objc_metatype`. Converts a thick class metatype to an Objective-C class object.
    pub fn thick_to_objc_metatype(&mut self, operand: Value, ty: SilType) -> Value {
        self.build(i::ThickToObjCMetatype::new(operand, ty))
    }

    /// Makes `objc_to_thick_metatype`. Converts an Objective-C class object to a thick class metatype.
    pub fn objc_to_thick_metatype(&mut self, operand: Value, ty: SilType) -> Value {
        self.build(i::ObjCToThickMetatype::new(operand, ty))
    }

    /// Makes `objc_metatype_to_object`. Treats an Objective-C class object as an ordinary object reference.
    pub fn objc_metatype_to_object(&mut self, operand: Value, ty: SilType) -> Value {
        self.build(i::ObjCMetatypeToObject::new(operand, ty))
    }

    /// Makes `objc_existential_metatype_to_object`. Treats an Objective-C existential metatype as an ordinary object reference.
    pub fn objc_existential_metatype_to_object(&mut self, operand: Value, ty: SilType) -> Value {
        self.build(i::ObjCExistentialMetatypeToObject::new(operand, ty))
    }

    /// Makes `implicitactor_to_opaqueisolation_cast`. Turns an implicit actor parameter into an optional actor reference.
    pub fn implicitactor_to_opaqueisolation_cast(&mut self, operand: Value) -> Value {
        self.build(i::ImplicitActorToOpaqueIsolationCast::new(operand))
    }

    /// Makes `unconditional_checked_cast`. Casts a value with a run-time check that fails the program.
    ///
    /// For `prohibit_isolated_conformances`, [`build`](Builder::build) an [`i::UnconditionalCheckedCast`].
    pub fn unconditional_checked_cast(&mut self, operand: Value, target: Type) -> Value {
        self.build(i::UnconditionalCheckedCast::new(operand, target))
    }

    /// Makes `unconditional_checked_cast_addr`. Casts a value in memory with a run-time check that fails the program.
    ///
    /// For `prohibit_isolated_conformances` or `copy`, [`build`](Builder::build) an [`i::UnconditionalCheckedCastAddr`].
    pub fn unconditional_checked_cast_addr(
        &mut self,
        source_type: Type,
        source: Value,
        target_type: Type,
        target: Value,
    ) -> Inst {
        self.build(i::UnconditionalCheckedCastAddr::new(source_type, source, target_type, target))
    }

    /// Makes `unchecked_ref_cast_addr`. Moves an object reference between addresses under another type, unchecked.
    pub fn unchecked_ref_cast_addr(
        &mut self,
        source_type: Type,
        source: Value,
        target_type: Type,
        target: Value,
    ) -> Inst {
        self.build(i::UncheckedRefCastAddr::new(source_type, source, target_type, target))
    }

    /// Makes `checked_cast_br`. Branches on the outcome of a checked cast of a value.
    ///
    /// For `prohibit_isolated_conformances`, `exact` or `counts`, [`build`](Builder::build) an [`i::CheckedCastBranch`].
    pub fn checked_cast_br(
        &mut self,
        source_type: Type,
        operand: Value,
        target_type: Type,
        success: Block,
        failure: Block,
    ) -> Inst {
        self.build(i::CheckedCastBranch::new(source_type, operand, target_type, success, failure))
    }

    /// Makes `checked_cast_addr_br`. Branches on the outcome of a checked cast between memory locations.
    ///
    /// For `prohibit_isolated_conformances` or `counts`, [`build`](Builder::build) an [`i::CheckedCastAddrBranch`].
    #[expect(clippy::too_many_arguments, reason = "one for each part")]
    pub fn checked_cast_addr_br(
        &mut self,
        consumption: CastConsumption,
        source_type: Type,
        source: Value,
        target_type: Type,
        target: Value,
        success: Block,
        failure: Block,
    ) -> Inst {
        self.build(i::CheckedCastAddrBranch::new(
            consumption,
            source_type,
            source,
            target_type,
            target,
            success,
            failure,
        ))
    }

    /// Makes `classify_bridge_object`. Decodes what kind of value a bridge object holds.
    pub fn classify_bridge_object(&mut self, operand: Value) -> Value {
        self.build(i::ClassifyBridgeObject::new(operand))
    }

    /// Makes `value_to_bridge_object`. Stores an integer in a bridge object as a tagged pointer.
    pub fn value_to_bridge_object(&mut self, operand: Value) -> Value {
        self.build(i::ValueToBridgeObject::new(operand))
    }

    /// Makes `copy_block`. Copies an Objective-C block, moving it to the heap if necessary.
    pub fn copy_block(&mut self, operand: Value) -> Value {
        self.build(i::CopyBlock::new(operand))
    }

    /// Makes `copy_block_without_escaping`. Copies a block that must not outlive a guarded closure.
    pub fn copy_block_without_escaping(&mut self, block: Value, closure: Value) -> Value {
        self.build(i::CopyBlockWithoutEscaping::new(block, closure))
    }

    /// Makes `unchecked_ownership_conversion`. Changes the ownership of a value without any operation.
    pub fn unchecked_ownership_conversion(
        &mut self,
        operand: Value,
        from: OwnershipKeyword,
        to: OwnershipKeyword,
    ) -> Value {
        self.build(i::UncheckedOwnershipConversion::new(operand, from, to))
    }

    /// Makes `copy_value`. Makes an independent owned copy of a value.
    pub fn copy_value(&mut self, operand: Value) -> Value {
        self.build(i::CopyValue::new(operand))
    }

    /// Makes `explicit_copy_value`. Makes a copy that the move checkers accept as intended.
    pub fn explicit_copy_value(&mut self, operand: Value) -> Value {
        self.build(i::ExplicitCopyValue::new(operand))
    }

    /// Makes `unowned_copy_value`. Makes an unowned value from a strong reference.
    pub fn unowned_copy_value(&mut self, operand: Value) -> Value {
        self.build(i::UnownedCopyValue::new(operand))
    }

    /// Makes `weak_copy_value`. Makes a weak value from an optional reference.
    pub fn weak_copy_value(&mut self, operand: Value) -> Value {
        self.build(i::WeakCopyValue::new(operand))
    }

    /// Makes `strong_copy_weak_value`. Makes an optional strong reference from a weak value.
    pub fn strong_copy_weak_value(&mut self, operand: Value) -> Value {
        self.build(i::StrongCopyWeakValue::new(operand))
    }

    /// Makes `strong_copy_unowned_value`. Makes a strong reference from an unowned one, trapping if the object is gone.
    pub fn strong_copy_unowned_value(&mut self, operand: Value) -> Value {
        self.build(i::StrongCopyUnownedValue::new(operand))
    }

    /// Makes `strong_copy_unmanaged_value`. Makes a strong owned reference from an unmanaged one.
    pub fn strong_copy_unmanaged_value(&mut self, operand: Value) -> Value {
        self.build(i::StrongCopyUnmanagedValue::new(operand))
    }

    /// Makes `move_value`. Ends the lifetime of an owned value and starts a new one with the same bits.
    ///
    /// For `allows_diagnostics`, `lexical`, `pointer_escape` or `var_decl`, [`build`](Builder::build) an [`i::MoveValue`].
    pub fn move_value(&mut self, operand: Value) -> Value {
        self.build(i::MoveValue::new(operand))
    }

    /// Makes `drop_deinit`. Suppresses the deinitializer of a noncopyable value that is taken apart.
    pub fn drop_deinit(&mut self, operand: Value) -> Value {
        self.build(i::DropDeinit::new(operand))
    }

    /// Makes `destroy_value`. Destroys an owned value.
    ///
    /// For `poison` or `dead_end`, [`build`](Builder::build) an [`i::DestroyValue`].
    pub fn destroy_value(&mut self, operand: Value) -> Inst {
        self.build(i::DestroyValue::new(operand))
    }

    /// Makes `end_lifetime`. Ends the lifetime of a value or memory location without destroying it.
    pub fn end_lifetime(&mut self, operand: Value) -> Inst {
        self.build(i::EndLifetime::new(operand))
    }

    /// Makes `extend_lifetime`. Keeps a value alive up to this point without consuming it.
    pub fn extend_lifetime(&mut self, operand: Value) -> Inst {
        self.build(i::ExtendLifetime::new(operand))
    }

    /// Makes `begin_borrow`. Opens a borrow scope on an owned or guaranteed value.
    ///
    /// For `lexical`, `pointer_escape`, `var_decl` or `fixed`, [`build`](Builder::build) an [`i::BeginBorrow`].
    pub fn begin_borrow(&mut self, operand: Value) -> Value {
        self.build(i::BeginBorrow::new(operand))
    }

    /// Makes `end_borrow`. Closes a borrow scope.
    pub fn end_borrow(&mut self, operand: Value) -> Inst {
        self.build(i::EndBorrow::new(operand))
    }

    /// Makes `end_formal_scope`. Marks the end of the scope of a value in the source.
    pub fn end_formal_scope(&mut self, operand: Value) -> Inst {
        self.build(i::EndFormalScope::new(operand))
    }

    /// Makes `unchecked_ownership`. Marks a value whose ownership is not checked in raw SIL.
    pub fn unchecked_ownership(&mut self, operand: Value) -> Value {
        self.build(i::UncheckedOwnership::new(operand))
    }

    /// Makes `borrowed`. Names the values that enclose a reborrow or a forwarded guaranteed block argument.
    pub fn borrowed<'a>(&mut self, value: Value, enclosing: impl Into<Values<'a>>) -> Value {
        self.build(i::BorrowedFrom::new(value, enclosing))
    }

    /// Makes `make_borrow`. Makes a borrow of a value that is itself a value.
    pub fn make_borrow(&mut self, operand: Value) -> Value {
        self.build(i::MakeBorrow::new(operand))
    }

    /// Makes `dereference_borrow`. Gives the value that a borrow refers to.
    pub fn dereference_borrow(&mut self, operand: Value) -> Value {
        self.build(i::DereferenceBorrow::new(operand))
    }

    /// Makes `mark_unresolved_non_copyable_value`. Requests move checking of a noncopyable (or no-implicit-copy) value.
    ///
    /// For `strict`, [`build`](Builder::build) an [`i::MarkUnresolvedNonCopyableValue`].
    pub fn mark_unresolved_non_copyable_value(&mut self, kind: MoveOnlyCheckKind, operand: Value) -> Value {
        self.build(i::MarkUnresolvedNonCopyableValue::new(kind, operand))
    }

    /// Makes `mark_unresolved_reference_binding`. Requests the checking of a reference binding such as `inout x = y`.
    pub fn mark_unresolved_reference_binding(&mut self, kind: ReferenceBindingKind, operand: Value) -> Value {
        self.build(i::MarkUnresolvedReferenceBinding::new(kind, operand))
    }

    /// Makes `mark_unresolved_move_addr`. Represents an explicit `consume` of a variable in memory before it is checked.
    pub fn mark_unresolved_move_addr(&mut self, source: Value, destination: Value) -> Inst {
        self.build(i::MarkUnresolvedMoveAddr::new(source, destination))
    }

    /// Makes `copyable_to_moveonlywrapper`. Wraps a copyable value so that it may not be copied implicitly.
    pub fn copyable_to_moveonlywrapper(&mut self, ownership: ForwardedOwnership, operand: Value) -> Value {
        self.build(i::CopyableToMoveOnlyWrapperValue::new(ownership, operand))
    }

    /// Makes `moveonlywrapper_to_copyable`. Unwraps a move-only wrapped value to its copyable type.
    pub fn moveonlywrapper_to_copyable(&mut self, ownership: ForwardedOwnership, operand: Value) -> Value {
        self.build(i::MoveOnlyWrapperToCopyableValue::new(ownership, operand))
    }

    /// Makes `moveonlywrapper_to_copyable_box`. Unwraps the content type of a box from its move-only wrapper.
    pub fn moveonlywrapper_to_copyable_box(&mut self, operand: Value) -> Value {
        self.build(i::MoveOnlyWrapperToCopyableBox::new(operand))
    }

    /// Makes `moveonlywrapper_to_copyable_addr`. Casts an address of a wrapped value to an address of the plain value.
    pub fn moveonlywrapper_to_copyable_addr(&mut self, operand: Value) -> Value {
        self.build(i::MoveOnlyWrapperToCopyableAddr::new(operand))
    }

    /// Makes `copyable_to_moveonlywrapper_addr`. Casts an address of a plain value to an address of a wrapped one.
    pub fn copyable_to_moveonlywrapper_addr(&mut self, operand: Value) -> Value {
        self.build(i::CopyableToMoveOnlyWrapperAddr::new(operand))
    }

    /// Makes `mark_dependence`. Makes a value depend on another value that must outlive it.
    ///
    /// For `kind`, [`build`](Builder::build) an [`i::MarkDependence`].
    pub fn mark_dependence(&mut self, value: Value, base: Value) -> Value {
        self.build(i::MarkDependence::new(value, base))
    }

    /// Makes `mark_dependence_addr`. Makes the value in memory at an address depend on a base.
    ///
    /// For `kind`, [`build`](Builder::build) an [`i::MarkDependenceAddr`].
    pub fn mark_dependence_addr(&mut self, address: Value, base: Value) -> Inst {
        self.build(i::MarkDependenceAddr::new(address, base))
    }

    /// Makes `fix_lifetime`. Uses a value so that it cannot be destroyed earlier.
    pub fn fix_lifetime(&mut self, operand: Value) -> Inst {
        self.build(i::FixLifetime::new(operand))
    }

    /// Makes `ignored_use`. Stands for a deliberately ignored value such as `_ = x`.
    pub fn ignored_use(&mut self, operand: Value) -> Inst {
        self.build(i::IgnoredUse::new(operand))
    }

    /// Makes `merge_isolation_region`. Tells region isolation that several values belong to one region.
    pub fn merge_isolation_region<'a>(&mut self, operands: impl Into<Values<'a>>) -> Inst {
        self.build(i::MergeIsolationRegion::new(operands))
    }

    /// Makes `strong_retain`. Increments the strong reference count of an object.
    ///
    /// For `nonatomic`, [`build`](Builder::build) an [`i::StrongRetain`].
    pub fn strong_retain(&mut self, operand: Value) -> Inst {
        self.build(i::StrongRetain::new(operand))
    }

    /// Makes `strong_release`. Decrements the strong reference count and destroys the object at zero.
    ///
    /// For `nonatomic`, [`build`](Builder::build) an [`i::StrongRelease`].
    pub fn strong_release(&mut self, operand: Value) -> Inst {
        self.build(i::StrongRelease::new(operand))
    }

    /// Makes `unmanaged_retain_value`. Retains a value on purpose, without a balancing release in view.
    ///
    /// For `nonatomic`, [`build`](Builder::build) an [`i::UnmanagedRetainValue`].
    pub fn unmanaged_retain_value(&mut self, operand: Value) -> Inst {
        self.build(i::UnmanagedRetainValue::new(operand))
    }

    /// Makes `unmanaged_release_value`. Releases a value on purpose, without consuming the operand.
    ///
    /// For `nonatomic`, [`build`](Builder::build) an [`i::UnmanagedReleaseValue`].
    pub fn unmanaged_release_value(&mut self, operand: Value) -> Inst {
        self.build(i::UnmanagedReleaseValue::new(operand))
    }

    /// Makes `unmanaged_autorelease_value`. Hands a value to the Objective-C autorelease pool without consuming the operand.
    ///
    /// For `nonatomic`, [`build`](Builder::build) an [`i::UnmanagedAutoreleaseValue`].
    pub fn unmanaged_autorelease_value(&mut self, operand: Value) -> Inst {
        self.build(i::UnmanagedAutoreleaseValue::new(operand))
    }

    /// Makes `strong_retain_unowned`. Retains the object behind an unowned reference, trapping if it is gone.
    ///
    /// For `nonatomic`, [`build`](Builder::build) an [`i::StrongRetainUnowned`].
    pub fn strong_retain_unowned(&mut self, operand: Value) -> Inst {
        self.build(i::StrongRetainUnowned::new(operand))
    }

    /// Makes `unowned_retain`. Increments the unowned reference count of an object.
    ///
    /// For `nonatomic`, [`build`](Builder::build) an [`i::UnownedRetain`].
    pub fn unowned_retain(&mut self, operand: Value) -> Inst {
        self.build(i::UnownedRetain::new(operand))
    }

    /// Makes `unowned_release`. Decrements the unowned reference count of an object.
    ///
    /// For `nonatomic`, [`build`](Builder::build) an [`i::UnownedRelease`].
    pub fn unowned_release(&mut self, operand: Value) -> Inst {
        self.build(i::UnownedRelease::new(operand))
    }

    /// Makes `retain_value`. Retains every reference inside a loadable value.
    ///
    /// For `nonatomic`, [`build`](Builder::build) an [`i::RetainValue`].
    pub fn retain_value(&mut self, operand: Value) -> Inst {
        self.build(i::RetainValue::new(operand))
    }

    /// Makes `retain_value_addr`. Retains every reference inside the value stored at an address.
    ///
    /// For `nonatomic`, [`build`](Builder::build) an [`i::RetainValueAddr`].
    pub fn retain_value_addr(&mut self, operand: Value) -> Inst {
        self.build(i::RetainValueAddr::new(operand))
    }

    /// Makes `release_value`. Releases every reference inside a loadable value.
    ///
    /// For `nonatomic`, [`build`](Builder::build) an [`i::ReleaseValue`].
    pub fn release_value(&mut self, operand: Value) -> Inst {
        self.build(i::ReleaseValue::new(operand))
    }

    /// Makes `release_value_addr`. Releases every reference inside the value stored at an address.
    ///
    /// For `nonatomic`, [`build`](Builder::build) an [`i::ReleaseValueAddr`].
    pub fn release_value_addr(&mut self, operand: Value) -> Inst {
        self.build(i::ReleaseValueAddr::new(operand))
    }

    /// Makes `autorelease_value`. Hands one owned reference to the Objective-C autorelease pool.
    ///
    /// For `nonatomic`, [`build`](Builder::build) an [`i::AutoreleaseValue`].
    pub fn autorelease_value(&mut self, operand: Value) -> Inst {
        self.build(i::AutoreleaseValue::new(operand))
    }

    /// Makes `is_unique`. Tests whether memory holds the only strong reference to an object.
    pub fn is_unique(&mut self, operand: Value) -> Value {
        self.build(i::IsUnique::new(operand))
    }

    /// Makes `begin_cow_mutation`. Checks uniqueness of a copy-on-write buffer and opens it for mutation.
    ///
    /// For `native`, [`build`](Builder::build) an [`i::BeginCOWMutation`].
    pub fn begin_cow_mutation(&mut self, operand: Value) -> Vec<Value> {
        self.build(i::BeginCOWMutation::new(operand))
    }

    /// Makes `end_cow_mutation`. Closes the mutation of a copy-on-write buffer.
    ///
    /// For `keep_unique`, [`build`](Builder::build) an [`i::EndCOWMutation`].
    pub fn end_cow_mutation(&mut self, operand: Value) -> Value {
        self.build(i::EndCOWMutation::new(operand))
    }

    /// Makes `end_cow_mutation_addr`. Closes possible copy-on-write mutations of all buffers stored in memory.
    pub fn end_cow_mutation_addr(&mut self, operand: Value) -> Inst {
        self.build(i::EndCOWMutationAddr::new(operand))
    }

    /// Makes `destroy_not_escaped_closure`. Destroys a closure and reports whether it had escaped.
    ///
    /// For `objc`, [`build`](Builder::build) an [`i::DestroyNotEscapedClosure`].
    pub fn destroy_not_escaped_closure(&mut self, operand: Value) -> Value {
        self.build(i::DestroyNotEscapedClosure::new(operand))
    }

    /// Makes `load`. Reads a loadable value from memory.
    ///
    /// For `qualifier`, [`build`](Builder::build) an [`i::Load`].
    pub fn load(&mut self, address: Value) -> Value {
        self.build(i::Load::new(address))
    }

    /// Makes `load_borrow`. Borrows a value in memory without copying it.
    ///
    /// For `unchecked`, [`build`](Builder::build) an [`i::LoadBorrow`].
    pub fn load_borrow(&mut self, address: Value) -> Value {
        self.build(i::LoadBorrow::new(address))
    }

    /// Makes `store`. Writes a loadable value to memory.
    ///
    /// For `qualifier`, [`build`](Builder::build) an [`i::Store`].
    pub fn store(&mut self, source: Value, destination: Value) -> Inst {
        self.build(i::Store::new(source, destination))
    }

    /// Makes `store_borrow`. Lends a guaranteed value to a stack slot so that it can be used by address.
    pub fn store_borrow(&mut self, source: Value, destination: Value) -> Value {
        self.build(i::StoreBorrow::new(source, destination))
    }

    /// Makes `load_weak`. Reads a weak reference as an optional strong one.
    ///
    /// For `take`, [`build`](Builder::build) an [`i::LoadWeak`].
    pub fn load_weak(&mut self, address: Value) -> Value {
        self.build(i::LoadWeak::new(address))
    }

    /// Makes `load_unowned`. Reads an unowned reference as a strong one, trapping if the object is gone.
    ///
    /// For `take`, [`build`](Builder::build) an [`i::LoadUnowned`].
    pub fn load_unowned(&mut self, address: Value) -> Value {
        self.build(i::LoadUnowned::new(address))
    }

    /// Makes `store_weak`. Sets a weak reference in memory.
    ///
    /// For `init`, [`build`](Builder::build) an [`i::StoreWeak`].
    pub fn store_weak(&mut self, source: Value, destination: Value) -> Inst {
        self.build(i::StoreWeak::new(source, destination))
    }

    /// Makes `store_unowned`. Sets an unowned reference in memory.
    ///
    /// For `init`, [`build`](Builder::build) an [`i::StoreUnowned`].
    pub fn store_unowned(&mut self, source: Value, destination: Value) -> Inst {
        self.build(i::StoreUnowned::new(source, destination))
    }

    /// Makes `copy_addr`. Copies or moves a value from one address to another.
    ///
    /// For `take` or `init`, [`build`](Builder::build) an [`i::CopyAddr`].
    pub fn copy_addr(&mut self, source: Value, destination: Value) -> Inst {
        self.build(i::CopyAddr::new(source, destination))
    }

    /// Makes `explicit_copy_addr`. Copies a value between addresses where a copy is explicitly allowed.
    ///
    /// For `take` or `init`, [`build`](Builder::build) an [`i::ExplicitCopyAddr`].
    pub fn explicit_copy_addr(&mut self, source: Value, destination: Value) -> Inst {
        self.build(i::ExplicitCopyAddr::new(source, destination))
    }

    /// Makes `destroy_addr`. Destroys the value in memory and leaves the memory uninitialized.
    pub fn destroy_addr(&mut self, operand: Value) -> Inst {
        self.build(i::DestroyAddr::new(operand))
    }

    /// Makes `tuple_addr_constructor`. Initializes or assigns a tuple in memory from its exploded leaf elements.
    pub fn tuple_addr_constructor<'a>(
        &mut self,
        qualifier: InitQualifier,
        destination: Value,
        elements: impl Into<Values<'a>>,
    ) -> Inst {
        self.build(i::TupleAddrConstructor::new(qualifier, destination, elements))
    }

    /// Makes `assign`. Stores a value, leaving open whether this initializes or replaces.
    ///
    /// For `qualifier`, [`build`](Builder::build) an [`i::Assign`].
    pub fn assign(&mut self, source: Value, destination: Value) -> Inst {
        self.build(i::Assign::new(source, destination))
    }

    /// Makes `assign_by_wrapper`. Assigns to a wrapped property by its wrapper's initializer or setter.
    ///
    /// For `mode`, [`build`](Builder::build) an [`i::AssignByWrapper`].
    pub fn assign_by_wrapper(
        &mut self,
        source: Value,
        destination: Value,
        initializer: Value,
        setter: Value,
    ) -> Inst {
        self.build(i::AssignByWrapper::new(source, destination, initializer, setter))
    }

    /// Makes `assign_or_init`. Assigns to a computed property by its init accessor or its setter.
    ///
    /// For `mode`, `assigned`, `self_type` or `self_value`, [`build`](Builder::build) an [`i::AssignOrInit`].
    pub fn assign_or_init(
        &mut self,
        property: DeclRef,
        value: Value,
        initializer: Value,
        setter: Value,
    ) -> Inst {
        self.build(i::AssignOrInit::new(property, value, initializer, setter))
    }

    /// Makes `mark_uninitialized`. Marks storage that definitive initialization has to check.
    pub fn mark_uninitialized(&mut self, kind: UninitializedKind, operand: Value) -> Value {
        self.build(i::MarkUninitialized::new(kind, operand))
    }

    /// Makes `mark_function_escape`. Tells definitive initialization that a local function captures storage.
    pub fn mark_function_escape<'a>(&mut self, operands: impl Into<Values<'a>>) -> Inst {
        self.build(i::MarkFunctionEscape::new(operands))
    }

    /// Makes `begin_access`. Opens a formal access to memory for exclusivity checking.
    ///
    /// For `no_nested_conflict` or `builtin`, [`build`](Builder::build) an [`i::BeginAccess`].
    pub fn begin_access(
        &mut self,
        kind: AccessKind,
        enforcement: AccessEnforcement,
        address: Value,
    ) -> Value {
        self.build(i::BeginAccess::new(kind, enforcement, address))
    }

    /// Makes `end_access`. Closes a formal access opened by begin_access.
    ///
    /// For `abort`, [`build`](Builder::build) an [`i::EndAccess`].
    pub fn end_access(&mut self, operand: Value) -> Inst {
        self.build(i::EndAccess::new(operand))
    }

    /// Makes `begin_unpaired_access`. Opens an access whose end cannot be found statically.
    ///
    /// For `no_nested_conflict` or `builtin`, [`build`](Builder::build) an [`i::BeginUnpairedAccess`].
    pub fn begin_unpaired_access(
        &mut self,
        kind: AccessKind,
        enforcement: AccessEnforcement,
        address: Value,
        buffer: Value,
    ) -> Inst {
        self.build(i::BeginUnpairedAccess::new(kind, enforcement, address, buffer))
    }

    /// Makes `end_unpaired_access`. Closes an access identified by its scratch buffer.
    ///
    /// For `abort` or `builtin`, [`build`](Builder::build) an [`i::EndUnpairedAccess`].
    pub fn end_unpaired_access(&mut self, enforcement: AccessEnforcement, buffer: Value) -> Inst {
        self.build(i::EndUnpairedAccess::new(enforcement, buffer))
    }

    /// Makes `object`. Describes a statically initialized class instance in a global's initializer.
    ///
    /// For `base_count`, [`build`](Builder::build) an [`i::Object`].
    pub fn object<'a>(&mut self, ty: SilType, elements: impl Into<Values<'a>>) -> Value {
        self.build(i::Object::new(ty, elements))
    }

    /// Makes `vector`. Describes a statically initialized fixed-size run of elements in a global's initializer.
    pub fn vector<'a>(&mut self, elements: impl Into<Values<'a>>) -> Value {
        self.build(i::Vector::new(elements))
    }

    /// Makes `tuple`. Builds a tuple value from its elements.
    ///
    /// For `ty`, [`build`](Builder::build) an [`i::Tuple`].
    pub fn tuple<'a>(&mut self, elements: impl Into<Values<'a>>) -> Value {
        self.build(i::Tuple::new(elements))
    }

    /// Makes `tuple_extract`. Extracts one element of a tuple value.
    pub fn tuple_extract(&mut self, operand: Value, field: u32) -> Value {
        self.build(i::TupleExtract::new(operand, field))
    }

    /// Makes `tuple_element_addr`. Projects the address of a tuple element.
    pub fn tuple_element_addr(&mut self, operand: Value, field: u32) -> Value {
        self.build(i::TupleElementAddr::new(operand, field))
    }

    /// Makes `struct`. Builds a struct value from its stored properties.
    pub fn struct_<'a>(&mut self, ty: SilType, elements: impl Into<Values<'a>>) -> Value {
        self.build(i::Struct::new(ty, elements))
    }

    /// Makes `struct_extract`. Extracts one stored property of a loadable struct value.
    pub fn struct_extract(&mut self, operand: Value, field: DeclRef) -> Value {
        self.build(i::StructExtract::new(operand, field))
    }

    /// Makes `struct_element_addr`. Projects the address of a stored property of a struct in memory.
    pub fn struct_element_addr(&mut self, operand: Value, field: DeclRef) -> Value {
        self.build(i::StructElementAddr::new(operand, field))
    }

    /// Makes `ref_element_addr`. Projects the address of a stored property of a class instance.
    ///
    /// For `immutable`, [`build`](Builder::build) an [`i::RefElementAddr`].
    pub fn ref_element_addr(&mut self, operand: Value, field: DeclRef) -> Value {
        self.build(i::RefElementAddr::new(operand, field))
    }

    /// Makes `ref_tail_addr`. Projects the address of the first tail-allocated element of an object.
    ///
    /// For `immutable`, [`build`](Builder::build) an [`i::RefTailAddr`].
    pub fn ref_tail_addr(&mut self, operand: Value, ty: SilType) -> Value {
        self.build(i::RefTailAddr::new(operand, ty))
    }

    /// Makes `destructure_struct`. Splits a struct value into all its stored properties.
    pub fn destructure_struct(&mut self, operand: Value) -> Vec<Value> {
        self.build(i::DestructureStruct::new(operand))
    }

    /// Makes `destructure_tuple`. Splits a tuple value into all its elements.
    pub fn destructure_tuple(&mut self, operand: Value) -> Vec<Value> {
        self.build(i::DestructureTuple::new(operand))
    }

    /// Makes `enum`. Builds a loadable enum value of a given case.
    ///
    /// For `payload`, [`build`](Builder::build) an [`i::Enum`].
    pub fn enum_(&mut self, ty: SilType, element: DeclRef) -> Value {
        self.build(i::Enum::new(ty, element))
    }

    /// Makes `unchecked_enum_data`. Extracts the payload of a case without checking the case.
    pub fn unchecked_enum_data(&mut self, operand: Value, element: DeclRef) -> Value {
        self.build(i::UncheckedEnumData::new(operand, element))
    }

    /// Makes `init_enum_data_addr`. Projects the payload address of an enum that is being initialized.
    pub fn init_enum_data_addr(&mut self, operand: Value, element: DeclRef) -> Value {
        self.build(i::InitEnumDataAddr::new(operand, element))
    }

    /// Makes `unchecked_take_enum_data_addr`. Gives the payload address of an enum in memory, possibly invalidating the enum.
    pub fn unchecked_take_enum_data_addr(&mut self, operand: Value, element: DeclRef) -> Value {
        self.build(i::UncheckedTakeEnumDataAddr::new(operand, element))
    }

    /// Makes `unchecked_borrow_enum_data_addr`. Gives the address of an enum's payload for reading, with scratch memory.
    pub fn unchecked_borrow_enum_data_addr(
        &mut self,
        operand: Value,
        element: DeclRef,
        scratch: Value,
    ) -> Value {
        self.build(i::UncheckedBorrowEnumDataAddr::new(operand, element, scratch))
    }

    /// Makes `unchecked_inplace_enum_data_addr`. Gives the address of an enum's payload, which is stored in place.
    pub fn unchecked_inplace_enum_data_addr(&mut self, operand: Value, element: DeclRef) -> Value {
        self.build(i::UncheckedInPlaceEnumDataAddr::new(operand, element))
    }

    /// Makes `inject_enum_addr`. Sets the case of an enum in memory, completing its initialization.
    pub fn inject_enum_addr(&mut self, operand: Value, element: DeclRef) -> Inst {
        self.build(i::InjectEnumAddr::new(operand, element))
    }

    /// Makes `select_enum`. Selects one of several values by the case of an enum value.
    pub fn select_enum<'a>(
        &mut self,
        operand: Value,
        cases: impl Into<List<'a, Option<DeclRef>>>,
        values: impl Into<Values<'a>>,
        ty: SilType,
    ) -> Value {
        self.build(i::SelectEnum::new(operand, cases, values, ty))
    }

    /// Makes `select_enum_addr`. Selects one of several values by the case of an enum in memory.
    pub fn select_enum_addr<'a>(
        &mut self,
        operand: Value,
        cases: impl Into<List<'a, Option<DeclRef>>>,
        values: impl Into<Values<'a>>,
        ty: SilType,
    ) -> Value {
        self.build(i::SelectEnumAddr::new(operand, cases, values, ty))
    }

    /// Makes `init_existential_addr`. Prepares an opaque existential container in memory for a concrete value.
    pub fn init_existential_addr(&mut self, operand: Value, concrete: SilType) -> Value {
        self.build(i::InitExistentialAddr::new(operand, concrete))
    }

    /// Makes `init_existential_value`. Wraps a concrete value in an opaque existential value.
    pub fn init_existential_value(&mut self, operand: Value, concrete: SilType, ty: SilType) -> Value {
        self.build(i::InitExistentialValue::new(operand, concrete, ty))
    }

    /// Makes `init_existential_ref`. Wraps a class instance in a class existential.
    pub fn init_existential_ref(&mut self, operand: Value, concrete: SilType, ty: SilType) -> Value {
        self.build(i::InitExistentialRef::new(operand, concrete, ty))
    }

    /// Makes `init_existential_metatype`. Wraps a metatype in an existential metatype.
    pub fn init_existential_metatype(&mut self, operand: Value, ty: SilType) -> Value {
        self.build(i::InitExistentialMetatype::new(operand, ty))
    }

    /// Makes `open_existential_addr`. Gives the address of the concrete value in an opaque existential container.
    pub fn open_existential_addr(&mut self, access: ExistentialAccess, operand: Value, ty: SilType) -> Value {
        self.build(i::OpenExistentialAddr::new(access, operand, ty))
    }

    /// Makes `open_existential_ref`. Extracts the class instance from a class existential.
    pub fn open_existential_ref(&mut self, operand: Value, ty: SilType) -> Value {
        self.build(i::OpenExistentialRef::new(operand, ty))
    }

    /// Makes `open_com_existential`. Opens an existential of a COM protocol.
    pub fn open_com_existential(&mut self, operand: Value, ty: SilType) -> Value {
        self.build(i::OpenComExistential::new(operand, ty))
    }

    /// Makes `open_existential_metatype`. Extracts the concrete metatype from an existential metatype.
    pub fn open_existential_metatype(&mut self, operand: Value, ty: SilType) -> Value {
        self.build(i::OpenExistentialMetatype::new(operand, ty))
    }

    /// Makes `open_existential_box`. Gives the address of the concrete value inside a boxed existential.
    pub fn open_existential_box(&mut self, operand: Value, ty: SilType) -> Value {
        self.build(i::OpenExistentialBox::new(operand, ty))
    }

    /// Makes `open_existential_value`. Gives the concrete value of an opaque existential value.
    pub fn open_existential_value(&mut self, operand: Value, ty: SilType) -> Value {
        self.build(i::OpenExistentialValue::new(operand, ty))
    }

    /// Makes `open_existential_box_value`. Gives the concrete value inside a boxed existential.
    pub fn open_existential_box_value(&mut self, operand: Value, ty: SilType) -> Value {
        self.build(i::OpenExistentialBoxValue::new(operand, ty))
    }

    /// Makes `deinit_existential_addr`. Undoes init_existential_addr when no value was stored.
    pub fn deinit_existential_addr(&mut self, operand: Value) -> Inst {
        self.build(i::DeinitExistentialAddr::new(operand))
    }

    /// Makes `deinit_existential_value`. Undoes init_existential_value when no value was stored.
    pub fn deinit_existential_value(&mut self, operand: Value) -> Inst {
        self.build(i::DeinitExistentialValue::new(operand))
    }

    /// Makes `open_pack_element`. Introduces archetypes for the element of packs at one index.
    pub fn open_pack_element<'a>(
        &mut self,
        index: Value,
        sig: Option<GenericSig>,
        subs: impl Into<List<'a, Type>>,
        shape: Type,
        id: impl Into<Symbol>,
    ) -> Value {
        self.build(i::OpenPackElement::new(index, sig, subs, shape, id))
    }

    /// Makes `pack_length`. Produces the number of elements of a pack type.
    pub fn pack_length(&mut self, ty: SilType) -> Value {
        self.build(i::PackLength::new(ty))
    }

    /// Makes `dynamic_pack_index`. Produces a pack index from a run-time position.
    pub fn dynamic_pack_index(&mut self, index: Value, ty: SilType) -> Value {
        self.build(i::DynamicPackIndex::new(index, ty))
    }

    /// Makes `pack_pack_index`. Produces a pack index from an index into a slice of the pack.
    pub fn pack_pack_index(&mut self, start: u32, index: Value, ty: SilType) -> Value {
        self.build(i::PackPackIndex::new(start, index, ty))
    }

    /// Makes `scalar_pack_index`. Produces the index of a non-expansion component of a pack.
    pub fn scalar_pack_index(&mut self, index: u32, ty: SilType) -> Value {
        self.build(i::ScalarPackIndex::new(index, ty))
    }

    /// Makes `pack_element_get`. Reads the entry of a pack at an index.
    pub fn pack_element_get(&mut self, index: Value, pack: Value, ty: SilType) -> Value {
        self.build(i::PackElementGet::new(index, pack, ty))
    }

    /// Makes `pack_element_set`. Stores an entry of a pack at an index.
    pub fn pack_element_set(&mut self, value: Value, index: Value, pack: Value) -> Inst {
        self.build(i::PackElementSet::new(value, index, pack))
    }

    /// Makes `tuple_pack_element_addr`. Projects the address of a tuple element at a pack index.
    pub fn tuple_pack_element_addr(&mut self, index: Value, tuple: Value, ty: SilType) -> Value {
        self.build(i::TuplePackElementAddr::new(index, tuple, ty))
    }

    /// Makes `tuple_pack_extract`. Extracts a tuple element at a pack index.
    pub fn tuple_pack_extract(&mut self, index: Value, tuple: Value, ty: SilType) -> Value {
        self.build(i::TuplePackExtract::new(index, tuple, ty))
    }

    /// Makes `project_block_storage`. Gives the address of the capture inside a block's storage.
    pub fn project_block_storage(&mut self, operand: Value) -> Value {
        self.build(i::ProjectBlockStorage::new(operand))
    }

    /// Makes `init_block_storage_header`. Builds an Objective-C block in prepared storage.
    pub fn init_block_storage_header<'a>(
        &mut self,
        storage: Value,
        invoke: Value,
        subs: impl Into<List<'a, Type>>,
        ty: SilType,
    ) -> Value {
        self.build(i::InitBlockStorageHeader::new(storage, invoke, subs, ty))
    }

    /// Makes `apply`. Calls a function and yields its direct result.
    ///
    /// For `nothrow`, `noasync`, `callee_isolation` or `caller_isolation`, [`build`](Builder::build) an [`i::Apply`].
    pub fn apply<'a>(
        &mut self,
        callee: Value,
        subs: impl Into<List<'a, Type>>,
        args: impl Into<Values<'a>>,
        ty: SilType,
    ) -> Value {
        self.build(i::Apply::new(callee, subs, args, ty))
    }

    /// Makes `begin_apply`. Starts a yield-once coroutine and runs it up to its yield.
    ///
    /// For `nothrow`, `noasync`, `callee_isolation` or `caller_isolation`, [`build`](Builder::build) an [`i::BeginApply`].
    pub fn begin_apply<'a>(
        &mut self,
        callee: Value,
        subs: impl Into<List<'a, Type>>,
        args: impl Into<Values<'a>>,
        ty: SilType,
    ) -> Vec<Value> {
        self.build(i::BeginApply::new(callee, subs, args, ty))
    }

    /// Makes `try_apply`. Calls a function that can throw and branches on the outcome.
    ///
    /// For `nothrow`, `noasync`, `callee_isolation`, `caller_isolation` or `counts`, [`build`](Builder::build) an [`i::TryApply`].
    pub fn try_apply<'a>(
        &mut self,
        callee: Value,
        subs: impl Into<List<'a, Type>>,
        args: impl Into<Values<'a>>,
        ty: SilType,
        normal: Block,
        error: Block,
    ) -> Inst {
        self.build(i::TryApply::new(callee, subs, args, ty, normal, error))
    }

    /// Makes `partial_apply`. Builds a closure that binds the last arguments of a function.
    ///
    /// For `callee_guaranteed`, `isolated_any`, `nonisolated_nonsending`, `on_stack`, `non_nested` or `called_once`, [`build`](Builder::build) an [`i::PartialApply`].
    pub fn partial_apply<'a>(
        &mut self,
        callee: Value,
        subs: impl Into<List<'a, Type>>,
        args: impl Into<Values<'a>>,
        ty: SilType,
    ) -> Value {
        self.build(i::PartialApply::new(callee, subs, args, ty))
    }

    /// Makes `thunk`. Requests a thunk of a given kind around a function value.
    pub fn thunk<'a>(
        &mut self,
        kind: ThunkKind,
        callee: Value,
        subs: impl Into<List<'a, Type>>,
        args: impl Into<Values<'a>>,
        ty: SilType,
    ) -> Value {
        self.build(i::Thunk::new(kind, callee, subs, args, ty))
    }

    /// Makes `builtin`. Performs a primitive operation of the Builtin module or an LLVM intrinsic.
    pub fn builtin<'a>(
        &mut self,
        name: impl Into<Symbol>,
        subs: impl Into<List<'a, Type>>,
        args: impl Into<Values<'a>>,
        ty: SilType,
    ) -> Value {
        self.build(i::Builtin::new(name, subs, args, ty))
    }

    /// Makes `end_apply`. Resumes a suspended coroutine to its normal end.
    ///
    /// For `ty`, [`build`](Builder::build) an [`i::EndApply`].
    pub fn end_apply(&mut self, token: Value) -> Value {
        self.build(i::EndApply::new(token))
    }

    /// Makes `abort_apply`. Abandons a suspended coroutine through its unwind path.
    pub fn abort_apply(&mut self, token: Value) -> Inst {
        self.build(i::AbortApply::new(token))
    }

    /// Makes `function_extract_isolation`. Reads the isolation stored in an @isolated(any) function value.
    pub fn function_extract_isolation(&mut self, operand: Value) -> Value {
        self.build(i::FunctionExtractIsolation::new(operand))
    }

    /// Makes `differentiable_function`. Bundles a function with its derivative functions.
    ///
    /// For `parameters`, `results`, `jvp` or `vjp`, [`build`](Builder::build) an [`i::DifferentiableFunction`].
    pub fn differentiable_function(&mut self, original: Value) -> Value {
        self.build(i::DifferentiableFunction::new(original))
    }

    /// Makes `linear_function`. Bundles a linear function with its transpose.
    ///
    /// For `parameters` or `transpose`, [`build`](Builder::build) an [`i::LinearFunction`].
    pub fn linear_function(&mut self, original: Value) -> Value {
        self.build(i::LinearFunction::new(original))
    }

    /// Makes `differentiable_function_extract`. Extracts the original or a derivative from a differentiable function.
    ///
    /// For `ty`, [`build`](Builder::build) an [`i::DifferentiableFunctionExtract`].
    pub fn differentiable_function_extract(&mut self, extractee: Extractee, operand: Value) -> Value {
        self.build(i::DifferentiableFunctionExtract::new(extractee, operand))
    }

    /// Makes `linear_function_extract`. Extracts the original or the transpose from a linear function.
    pub fn linear_function_extract(&mut self, extractee: LinearExtractee, operand: Value) -> Value {
        self.build(i::LinearFunctionExtract::new(extractee, operand))
    }

    /// Makes `differentiability_witness_function`. Looks up a derivative or transpose through a differentiability witness.
    ///
    /// For `parameters`, `results` or `ty`, [`build`](Builder::build) an [`i::DifferentiabilityWitnessFunction`].
    pub fn differentiability_witness_function(
        &mut self,
        kind: impl Into<Symbol>,
        diff_kind: impl Into<Symbol>,
        sig: Option<GenericSig>,
        function: impl Into<Symbol>,
        original_type: SilType,
    ) -> Value {
        self.build(i::DifferentiabilityWitnessFunction::new(kind, diff_kind, sig, function, original_type))
    }

    /// Makes `get_async_continuation`. Begins suspending an async function and creates its continuation.
    ///
    /// For `throws`, [`build`](Builder::build) an [`i::GetAsyncContinuation`].
    pub fn get_async_continuation(&mut self, resume: Type) -> Value {
        self.build(i::GetAsyncContinuation::new(resume))
    }

    /// Makes `get_async_continuation_addr`. Like get_async_continuation, receiving the resume value in memory.
    ///
    /// For `throws`, [`build`](Builder::build) an [`i::GetAsyncContinuationAddr`].
    pub fn get_async_continuation_addr(&mut self, resume: Type, address: Value) -> Value {
        self.build(i::GetAsyncContinuationAddr::new(resume, address))
    }

    /// Makes `await_async_continuation`. Suspends an async function until its continuation is resumed.
    ///
    /// For `error`, [`build`](Builder::build) an [`i::AwaitAsyncContinuation`].
    pub fn await_async_continuation(&mut self, operand: Value, resume: Block) -> Inst {
        self.build(i::AwaitAsyncContinuation::new(operand, resume))
    }

    /// Makes `await_detached_continuation`. Suspends the task until a detached continuation is resumed.
    ///
    /// For `error`, [`build`](Builder::build) an [`i::AwaitDetachedContinuation`].
    pub fn await_detached_continuation(&mut self, operand: Value, result: Value, resume: Block) -> Inst {
        self.build(i::AwaitDetachedContinuation::new(operand, result, resume))
    }

    /// Makes `extract_executor`. Gets the executor of an actor as a value.
    pub fn extract_executor(&mut self, operand: Value) -> Value {
        self.build(i::ExtractExecutor::new(operand))
    }

    /// Makes `hop_to_executor`. Switches to the executor of an actor, suspending if necessary.
    ///
    /// For `mandatory`, [`build`](Builder::build) an [`i::HopToExecutor`].
    pub fn hop_to_executor(&mut self, operand: Value) -> Inst {
        self.build(i::HopToExecutor::new(operand))
    }

    /// Makes `debug_value`. Records that a source variable has the given value from here on.
    ///
    /// For `poison`, `moveable_value_debuginfo`, `trace` or `var`, [`build`](Builder::build) an [`i::DebugValue`].
    pub fn debug_value(&mut self, operand: Value) -> Inst {
        self.build(i::DebugValue::new(operand))
    }

    /// Makes `debug_values`. Tells debug info that several values, or none, hold a variable's value.
    ///
    /// For `poison`, `moveable_value_debuginfo`, `trace` or `var`, [`build`](Builder::build) an [`i::DebugValues`].
    pub fn debug_values<'a>(&mut self, operands: impl Into<Values<'a>>) -> Inst {
        self.build(i::DebugValues::new(operands))
    }

    /// Makes `diagnose`. Asks a later pass for a diagnostic about a value.
    pub fn diagnose(&mut self, kind: RequestedDiagnostic, operand: Value) -> Inst {
        self.build(i::Diagnose::new(kind, operand))
    }

    /// Makes `debug_step`. Keeps a source line on which the debugger can stop.
    pub fn debug_step(&mut self) -> Inst {
        self.build(i::DebugStep::new())
    }

    /// Makes `specify_test`. Gives the arguments of a compiler unit test.
    pub fn specify_test(&mut self, test: impl Into<Symbol>) -> Inst {
        self.build(i::SpecifyTest::new(test))
    }

    /// Makes `increment_profiler_counter`. Counts one execution for coverage and profile-guided optimization.
    pub fn increment_profiler_counter(
        &mut self,
        counter: u32,
        function: impl Into<Symbol>,
        count: u32,
        hash: impl Into<Symbol>,
    ) -> Inst {
        self.build(i::IncrementProfilerCounter::new(counter, function, count, hash))
    }

    /// Makes `cond_fail`. Stops the program if a condition is true.
    ///
    /// For `message`, [`build`](Builder::build) an [`i::CondFail`].
    pub fn cond_fail(&mut self, condition: Value) -> Inst {
        self.build(i::CondFail::new(condition))
    }

    /// Makes `unreachable`. States that control never reaches this point.
    pub fn unreachable(&mut self) -> Inst {
        self.build(i::Unreachable::new())
    }

    /// Makes `return`. Leaves the function with its direct result.
    pub fn return_(&mut self, operand: Value) -> Inst {
        self.build(i::Return::new(operand))
    }

    /// Makes `return_borrow`. Leaves a borrow accessor with a guaranteed result and ends the borrow scopes that it comes from.
    pub fn return_borrow<'a>(&mut self, operand: Value, scope: impl Into<Values<'a>>) -> Inst {
        self.build(i::ReturnBorrow::new(operand, scope))
    }

    /// Makes `throw`. Leaves the function with an error.
    pub fn throw(&mut self, operand: Value) -> Inst {
        self.build(i::Throw::new(operand))
    }

    /// Makes `throw_addr`. Leaves the function with an error that is already in the indirect error result.
    pub fn throw_addr(&mut self) -> Inst {
        self.build(i::ThrowAddr::new())
    }

    /// Makes `yield`. Suspends a coroutine and hands values to its caller.
    pub fn yield_<'a>(&mut self, operands: impl Into<Values<'a>>, resume: Block, unwind: Block) -> Inst {
        self.build(i::Yield::new(operands, resume, unwind))
    }

    /// Makes `unwind`. Completes the abandoned path of a coroutine.
    pub fn unwind(&mut self) -> Inst {
        self.build(i::Unwind::new())
    }

    /// Makes `br`. Jumps to a block, passing its arguments.
    pub fn br<'a>(&mut self, target: Block, args: impl Into<Values<'a>>) -> Inst {
        self.build(i::Branch::new(target, args))
    }

    /// Makes `cond_br`. Jumps to one of two blocks depending on a bit.
    ///
    /// For `counts`, [`build`](Builder::build) an [`i::CondBranch`].
    pub fn cond_br<'a>(
        &mut self,
        condition: Value,
        true_target: Block,
        true_args: impl Into<Values<'a>>,
        false_target: Block,
        false_args: impl Into<Values<'a>>,
    ) -> Inst {
        self.build(i::CondBranch::new(condition, true_target, true_args, false_target, false_args))
    }

    /// Makes `switch_value`. Jumps to a block chosen by an integer value.
    ///
    /// For `default_target`, [`build`](Builder::build) an [`i::SwitchValue`].
    pub fn switch_value<'a>(
        &mut self,
        operand: Value,
        values: impl Into<Values<'a>>,
        targets: impl Into<List<'a, Block>>,
    ) -> Inst {
        self.build(i::SwitchValue::new(operand, values, targets))
    }

    /// Makes `switch_enum`. Branches on the case of an enum value and passes on its payload.
    ///
    /// For `default_target`, [`build`](Builder::build) an [`i::SwitchEnum`].
    pub fn switch_enum<'a>(&mut self, operand: Value, cases: impl Into<List<'a, (DeclRef, Block)>>) -> Inst {
        self.build(i::SwitchEnum::new(operand, cases))
    }

    /// Makes `switch_enum_addr`. Branches on the case of an enum in memory.
    ///
    /// For `default_target`, [`build`](Builder::build) an [`i::SwitchEnumAddr`].
    pub fn switch_enum_addr<'a>(
        &mut self,
        operand: Value,
        cases: impl Into<List<'a, (DeclRef, Block)>>,
    ) -> Inst {
        self.build(i::SwitchEnumAddr::new(operand, cases))
    }
}
