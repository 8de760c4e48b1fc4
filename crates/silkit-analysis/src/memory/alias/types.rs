//! Type-based alias analysis (SIL.md, "Type Based Alias Analysis").

use silkit_ir::instructions::AnyInst;
use silkit_ir::{Body, Opcode, Value};
use silkit_types::decl::{Declarations, NominalKind};
use silkit_types::{GenericSig, SilType, Type, TypeKind};

/// Type-based alias rules, with the declarations that a body sees.
#[derive(Clone, Copy, Debug)]
pub struct TypeRules<'a> {
    /// The Swift declarations.
    pub declarations: &'a Declarations,
    /// The generic signature of the function.
    pub signature: Option<GenericSig>,
}

/// The depth to which types are inspected.
const DEPTH: u32 = 12;

impl TypeRules<'_> {
    /// Returns true if two references of these types may refer to the same object (Class TBAA). Unknown types may.
    pub fn references_may_alias(&self, a: Type, b: Type) -> bool {
        let (Some(a_kind), Some(b_kind)) = (self.reference_kind(a), self.reference_kind(b)) else {
            return true;
        };
        use ReferenceKind as R;
        match (a_kind, b_kind) {
            // Class instances may be native objects; boxes and closure contexts are native objects, but not class
            // instances.
            (R::Native, _) | (_, R::Native) => true,
            (R::AnyClass, R::AnyClass | R::Class) | (R::Class, R::AnyClass) => true,
            (R::Class, R::Class) => self.classes_may_alias(a, b),
            // Boxes that closures capture are compared by type.
            (R::Box, R::Box) => self.declarations.same_type(a, b, self.signature) != Some(false),
            (R::Box | R::Closure, R::Box | R::Closure) => true,
            (R::Box | R::Closure, _) | (_, R::Box | R::Closure) => false,
        }
    }

    fn reference_kind(&self, ty: Type) -> Option<ReferenceKind> {
        if is_open(ty) {
            return None;
        }
        match ty.kind() {
            TypeKind::Builtin(name, _) => match name.as_str() {
                "NativeObject" => Some(ReferenceKind::Native),
                "BridgeObject" | "UnknownObject" => Some(ReferenceKind::AnyClass),
                _ => None,
            },
            TypeKind::Box(_) => Some(ReferenceKind::Box),
            TypeKind::Function(_) => Some(ReferenceKind::Closure),
            TypeKind::Named(named) if named.name == "AnyObject" => Some(ReferenceKind::AnyClass),
            TypeKind::Named(_) => {
                (self.declarations.is_class(ty) == Some(true)).then_some(ReferenceKind::Class)
            }
            _ => None,
        }
    }

    /// Returns true if an instance of one class may be an instance of the other.
    fn classes_may_alias(&self, a: Type, b: Type) -> bool {
        self.may_inherit(a, b) || self.may_inherit(b, a)
    }

    fn may_inherit(&self, class: Type, from: Type) -> bool {
        const DEEPEST: u32 = 64;
        let mut class = class;
        for _ in 0..DEEPEST {
            if self.declarations.same_type(class, from, self.signature) != Some(false) {
                return true;
            }
            let Some(decl) = self.declarations.nominal_of(class) else { return true };
            match self.declarations.superclass(class) {
                Some(superclass) => class = superclass,
                // A class that inherits from nothing has no superclass; otherwise its superclass is not known.
                None => return decl.inherited.iter().any(|ty| self.may_be_class(*ty)),
            }
        }
        true
    }

    fn may_be_class(&self, ty: Type) -> bool {
        match ty.kind() {
            TypeKind::Inverse(_) => false,
            _ => self.declarations.nominal_of(ty).is_none_or(|decl| decl.kind != NominalKind::Protocol),
        }
    }

    /// Returns true if typed accesses with these types may overlap (Typed Access TBAA). Unknown types may.
    pub fn accesses_may_alias(&self, a: Type, b: Type) -> bool {
        if self.declarations.same_type(a, b, self.signature) != Some(false) {
            return true;
        }
        if !self.is_told_apart(a) || !self.is_told_apart(b) {
            return true;
        }
        // A variable of one class type may hold an instance of the other class.
        let is_class = |ty| self.declarations.is_class(ty) != Some(false);
        is_class(a) && is_class(b) || self.may_contain(a, b, 0) || self.may_contain(b, a, 0)
    }

    /// Returns true if memory of this type is not accessed with unrelated types. Functions, vectors and builtin
    /// references are conservatively left out.
    fn is_told_apart(&self, ty: Type) -> bool {
        if is_open(ty) {
            return false;
        }
        match ty.kind() {
            TypeKind::Tuple(_) => true,
            TypeKind::Builtin(name, _) => {
                let name = name.as_str();
                matches!(name, "Word" | "IntLiteral") || name.starts_with("Int") || name.starts_with("FPIEEE")
            }
            TypeKind::Named(named) if named.name == "AnyObject" => false,
            TypeKind::Named(_) | TypeKind::Optional(_) | TypeKind::Array(_) | TypeKind::Dictionary(..) => {
                let is_nominal = |kind| {
                    matches!(
                        kind,
                        NominalKind::Struct | NominalKind::Enum | NominalKind::Class | NominalKind::Actor
                    )
                };
                let is_known = self.declarations.nominal_of(ty).is_some_and(|decl| is_nominal(decl.kind));
                is_known && self.declarations.is_address_only(ty, self.signature) == Some(false)
            }
            _ => false,
        }
    }

    /// Returns true if a value of type `whole` may contain a value of type `part`, without a pointer in between.
    fn may_contain(&self, whole: Type, part: Type, depth: u32) -> bool {
        if depth > DEPTH || is_open(whole) {
            return true;
        }
        let is_or_contains = |ty: Type| {
            self.declarations.same_type(ty, part, self.signature) != Some(false)
                || self.may_contain(ty, part, depth + 1)
        };
        match whole.kind() {
            TypeKind::Tuple(elements) => elements.iter().any(|e| is_or_contains(e.ty)),
            TypeKind::Builtin(..) | TypeKind::Function(_) | TypeKind::Metatype(..) | TypeKind::Box(_) => {
                false
            }
            TypeKind::Named(_) | TypeKind::Optional(_) | TypeKind::Array(_) | TypeKind::Dictionary(..) => {
                self.nominal_may_contain(whole, &is_or_contains)
            }
            TypeKind::Storage(..) => false,
            _ => true,
        }
    }

    fn nominal_may_contain(&self, whole: Type, is_or_contains: &dyn Fn(Type) -> bool) -> bool {
        let Some(decl) = self.declarations.nominal_of(whole) else { return true };
        match decl.kind {
            NominalKind::Class | NominalKind::Actor => false,
            NominalKind::Enum => match self.declarations.enum_cases(whole) {
                Some(cases) => cases.iter().filter(|case| case.payload.is_some()).any(|case| {
                    let payload = self.declarations.enum_payload(whole, case.name);
                    payload.is_none_or(|payload| !payload.indirect && is_or_contains(payload.ty))
                }),
                None => true,
            },
            NominalKind::Struct => match self.declarations.stored_fields(whole) {
                Some(fields) => fields.iter().any(|(_, ty)| is_or_contains(*ty)),
                None => true,
            },
            _ => true,
        }
    }
}

/// The kind of object that a reference refers to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ReferenceKind {
    /// Any object that Swift allocates.
    Native,
    /// An instance of any class.
    AnyClass,
    Class,
    Box,
    Closure,
}

/// Returns true if a type is or contains an archetype, which may be bound to other types.
pub(super) fn is_open(ty: Type) -> bool {
    match ty.kind() {
        TypeKind::Unknown
        | TypeKind::Param { .. }
        | TypeKind::Member(..)
        | TypeKind::Opened { .. }
        | TypeKind::OpenedElement { .. }
        | TypeKind::OpaqueResult { .. }
        | TypeKind::PackElement(_)
        | TypeKind::PackExpansion(_)
        | TypeKind::Some(_)
        | TypeKind::DynamicSelf(_) => true,
        // A function type binds the parameters of its own signature.
        TypeKind::Function(_) => false,
        TypeKind::Box(layout) => {
            layout.args.iter().any(|ty| is_open(*ty))
                || layout.sig.is_none() && layout.fields.iter().any(|f| is_open(f.ty))
        }
        _ => {
            let mut found = false;
            ty.kind().for_each_part(&mut |part| found |= is_open(part));
            found
        }
    }
}

/// Returns the type of the access to the memory at an address if typed access rules apply: the address is projected
/// from a safe root (SIL.md, "Typed Access TBAA").
pub(super) fn typed_access(body: &Body, address: Value) -> Option<SilType> {
    let ty = body.value(address).ty;
    if !ty.is_address() || ty.is_unknown() || !has_safe_root(body, address) {
        return None;
    }
    Some(ty)
}

/// Returns true if the root of an address introduces no alias with another type.
fn has_safe_root(body: &Body, address: Value) -> bool {
    let projects = |opcode| {
        matches!(
            opcode,
            Opcode::StructElementAddr
                | Opcode::TupleElementAddr
                | Opcode::IndexAddr
                | Opcode::InitEnumDataAddr
                | Opcode::UncheckedTakeEnumDataAddr
                | Opcode::BeginAccess
                | Opcode::MarkDependence
        )
    };
    let root = body.look_through(address, projects);
    body.defining_inst(root).is_some_and(|inst| match body.view(inst) {
        AnyInst::GlobalAddr(_) | AnyInst::RefElementAddr(_) | AnyInst::RefTailAddr(_) => true,
        AnyInst::PointerToAddress(cast) => cast.strict,
        // Stack and box memory may be rebound to other types and accessed through pointers.
        _ => false,
    })
}
