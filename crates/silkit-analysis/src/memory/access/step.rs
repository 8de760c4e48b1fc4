//! Steps from an address or pointer to the value that one instruction derives it from.

use crate::view::{BodyView, Definition};
use silkit_base::Symbol;
use silkit_ir::instructions::{AnyInst, FunctionRef, IntegerLiteral, Load, UncheckedTakeEnumDataAddr};
use silkit_ir::{Body, DeclRef, Function, Inst, Opcode, SpecialPurpose, Value, ValueDef};
use silkit_types::decl::NominalDecl;
use silkit_types::{Type, TypeKind};

/// The role of a function as the addressor of a global variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GlobalInitializer {
    /// Not an addressor.
    No,
    /// The addressor of this variable.
    Of(Symbol),
    /// Defined in another module, so that the variable is not known.
    Unknown,
}

/// Returns the role of a function as the addressor of a global variable.
pub(crate) fn global_initializer(function: &Function, definition: Definition<'_>) -> GlobalInitializer {
    if function.attributes.purpose != Some(SpecialPurpose::GlobalInit) {
        return GlobalInitializer::No;
    }
    let Some(body) = definition.body() else { return GlobalInitializer::Unknown };
    let returned = (|| {
        let exit = body.insts().find(|&i| body.inst(i).opcode == Opcode::Return)?;
        let pointer = body.defining_inst(body.operand_value(exit, 0))?;
        let AnyInst::AddressToPointer(cast) = body.view(pointer) else { return None };
        match body.view(body.defining_inst(cast.operand)?) {
            AnyInst::GlobalAddr(address) => Some(address.global),
            _ => None,
        }
    })();
    returned.map_or(GlobalInitializer::No, GlobalInitializer::Of)
}

/// A part of memory that one instruction selects.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AccessPart {
    /// The stored property of a struct or the element of a tuple with this index.
    Member(u32),
    /// A member whose index is not known.
    UnknownMember,
    /// An offset in array elements; `None` if it is not known.
    Index(Option<i64>),
    /// The whole content: the payload of an enum, the value of an existential, the content of a block or a box.
    Whole,
}

/// A value that is not derived from another address.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AccessRoot {
    /// `alloc_stack`.
    Stack,
    /// `project_box` of this box.
    Box(Value),
    /// The address of a global variable.
    Global(Symbol),
    /// A property of this object, by its index among all stored properties.
    Class(Value, Option<u32>),
    /// The tail elements of this object.
    Tail(Value),
    /// An argument of the function.
    Argument,
    /// A value that a coroutine yields.
    Yield,
    /// Memory whose other aliases are not known.
    Unidentified,
    /// Not an address of memory that may be accessed formally.
    None,
}

/// The value that another value is derived from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AccessStep {
    /// The same address, possibly with another type or as a pointer.
    Same(Value),
    /// A part of the memory at this address.
    Part(Value, AccessPart),
    /// The address of an access that begins here.
    Scope(Value, Inst),
    /// A phi.
    Phi,
    /// A root: not derived from another value.
    Root(AccessRoot),
}

/// Returns the derivation step of a value.
pub fn step(view: &BodyView<'_>, value: Value) -> AccessStep {
    let body = view.body;
    match body.def(value) {
        ValueDef::Result(inst, _) => step_of_result(view, value, inst),
        ValueDef::Argument(block, _) if body.is_entry_block(block) => AccessStep::Root(AccessRoot::Argument),
        ValueDef::Argument(..) if body.is_phi(value) => AccessStep::Phi,
        ValueDef::Argument(..) | ValueDef::Undef => AccessStep::Root(AccessRoot::Unidentified),
        ValueDef::Pending => AccessStep::Root(AccessRoot::None),
    }
}

fn step_of_result(view: &BodyView<'_>, value: Value, inst: Inst) -> AccessStep {
    let body = view.body;
    let ty = |value: Value| body.value(value).ty.ty();
    match body.view(inst) {
        AnyInst::AllocStack(_) => AccessStep::Root(AccessRoot::Stack),
        AnyInst::GlobalAddr(global) => AccessStep::Root(AccessRoot::Global(global.global)),
        AnyInst::RefElementAddr(r) => AccessStep::Root(AccessRoot::Class(
            r.operand,
            view.class_property(ty(r.operand), r.field).map(|(index, _)| index),
        )),
        AnyInst::RefTailAddr(r) => AccessStep::Root(AccessRoot::Tail(r.operand)),
        AnyInst::ProjectBox(project) => match payload_box(body, project.box_value) {
            // The box of an indirect payload belongs to the enum.
            Some(address) => AccessStep::Part(address, AccessPart::Whole),
            None => AccessStep::Root(AccessRoot::Box(project.box_value)),
        },
        AnyInst::BeginApply(_) => AccessStep::Root(AccessRoot::Yield),
        AnyInst::Apply(apply) => match body.def_as::<FunctionRef>(apply.callee) {
            Some(callee) => match view.global_initializer(callee.function) {
                GlobalInitializer::No => AccessStep::Root(AccessRoot::None),
                GlobalInitializer::Of(global) => AccessStep::Root(AccessRoot::Global(global)),
                GlobalInitializer::Unknown => AccessStep::Root(AccessRoot::Unidentified),
            },
            None => AccessStep::Root(AccessRoot::None),
        },
        AnyInst::BeginAccess(access) => AccessStep::Scope(access.address, inst),
        AnyInst::StoreBorrow(store) => AccessStep::Same(store.destination),
        AnyInst::StructElementAddr(p) => AccessStep::Part(p.operand, view.member(ty(p.operand), p.field)),
        AnyInst::TupleElementAddr(p) => AccessStep::Part(p.operand, AccessPart::Member(p.field)),
        AnyInst::IndexAddr(p) => AccessStep::Part(p.base, AccessPart::Index(constant(body, p.index))),
        AnyInst::TailAddr(p) => AccessStep::Part(p.base, AccessPart::Index(None)),
        AnyInst::InitEnumDataAddr(p) => AccessStep::Part(p.operand, AccessPart::Whole),
        AnyInst::UncheckedTakeEnumDataAddr(p) => AccessStep::Part(p.operand, AccessPart::Whole),
        AnyInst::UncheckedInPlaceEnumDataAddr(p) => AccessStep::Part(p.operand, AccessPart::Whole),
        AnyInst::UncheckedBorrowEnumDataAddr(p) => AccessStep::Part(p.operand, AccessPart::Whole),
        AnyInst::VectorBaseAddr(p) => AccessStep::Part(p.vector, AccessPart::Whole),
        AnyInst::OpenExistentialAddr(p) => AccessStep::Part(p.operand, AccessPart::Whole),
        AnyInst::ProjectBlockStorage(_)
        | AnyInst::MarkUninitialized(_)
        | AnyInst::MarkUnresolvedNonCopyableValue(_)
        | AnyInst::MarkUnresolvedReferenceBinding(_)
        | AnyInst::DropDeinit(_)
        | AnyInst::MarkDependence(_)
        | AnyInst::CopyValue(_)
        | AnyInst::BeginBorrow(_)
        | AnyInst::UncheckedAddrCast(_)
        | AnyInst::AddressToPointer(_)
        | AnyInst::PointerToAddress(_)
        | AnyInst::CopyableToMoveOnlyWrapperAddr(_)
        | AnyInst::MoveOnlyWrapperToCopyableAddr(_) => AccessStep::Same(body.operand_value(inst, 0)),
        AnyInst::StructExtract(extract) if view.is_unsafe_pointer(ty(extract.operand)) => {
            AccessStep::Root(AccessRoot::Unidentified)
        }
        AnyInst::AllocPack(_) | AnyInst::PackElementGet(_) | AnyInst::TuplePackElementAddr(_) => {
            AccessStep::Root(AccessRoot::None)
        }
        _ if body.value(value).ty.is_address() => AccessStep::Root(AccessRoot::Unidentified),
        _ => AccessStep::Root(AccessRoot::None),
    }
}

/// Returns the address of the enum whose indirect payload is in a box.
fn payload_box(body: &Body, value: Value) -> Option<Value> {
    let load = body.def_as::<Load>(value)?;
    body.def_as::<UncheckedTakeEnumDataAddr>(load.address).map(|_| load.address)
}

/// Returns the constant value of an integer.
pub(super) fn constant(body: &Body, value: Value) -> Option<i64> {
    body.def_as::<IntegerLiteral>(value)?.value.as_str().parse().ok()
}

impl BodyView<'_> {
    /// Returns true if a type is one of the standard library's unsafe pointer types, and not another type with the
    /// same name.
    pub(super) fn is_unsafe_pointer(&self, ty: Type) -> bool {
        let TypeKind::Named(named) = ty.kind() else { return false };
        let is_pointer = matches!(
            named.name.as_str(),
            "UnsafeMutablePointer" | "UnsafePointer" | "UnsafeMutableRawPointer" | "UnsafeRawPointer"
        );
        let own = self.declarations().own();
        let is_own = || own.get(named.name).is_some_and(|entry| entry.nominal.is_some());
        is_pointer && (own.module.is_some_and(|module| module == "Swift") || !is_own())
    }

    /// Returns the part of a struct that a property occupies.
    fn member(&self, ty: Type, field: DeclRef) -> AccessPart {
        let index = || {
            let name = field.name()?;
            let fields = &self.declarations().nominal_of(ty)?.body.fields;
            u32::try_from(fields.iter().position(|f| f.name == name)?).ok()
        };
        index().map_or(AccessPart::UnknownMember, AccessPart::Member)
    }

    /// Returns a stored property with its index in a class. The properties of superclasses come first.
    pub fn class_property(
        &self,
        ty: Type,
        field: DeclRef,
    ) -> Option<(u32, &silkit_types::decl::StoredProperty)> {
        const DEEPEST: usize = 64;
        let name = field.name()?;
        let mut class = Some(ty);
        let mut found = None;
        let mut before = 0;
        for _ in 0..DEEPEST {
            let Some(ty) = class else { return found.map(|(index, field)| (before + index, field)) };
            let fields = &self.declarations().nominal_of(ty)?.body.fields;
            match found {
                None => {
                    let index = fields.iter().position(|f| f.name == name);
                    found = index.and_then(|i| Some((u32::try_from(i).ok()?, &fields[i])));
                }
                Some(_) => before += u32::try_from(fields.len()).ok()?,
            }
            class = self.declarations().superclass(ty);
        }
        None
    }

    /// Returns the stored property at an index in a class, with the class that declares it. The properties of
    /// superclasses come first.
    pub fn class_property_at(
        &self,
        class: Type,
        index: u32,
    ) -> Option<(&NominalDecl, &silkit_types::decl::StoredProperty)> {
        let declarations = self.declarations();
        let class = Some(class).filter(|&ty| declarations.is_class(ty) == Some(true));
        let above = class.into_iter().flat_map(|ty| declarations.superclasses(ty));
        let chain = class.into_iter().chain(above).map(|ty| declarations.nominal_of(ty));
        let mut chain: Vec<&NominalDecl> = chain.collect::<Option<_>>()?;
        chain.reverse();
        let mut all = chain.into_iter().flat_map(|decl| decl.body.fields.iter().map(move |f| (decl, f)));
        all.nth(index as usize)
    }
}
