//! Access bases of addresses, and the projections from them.

use super::Relation;
use super::types::TypeRules;
use crate::BodyView;
use crate::access::{GlobalInitializer, allocation_root};
use crate::escape::is_exclusive;
use crate::{Component, ProjectionPath};
use silkit_base::{FxHashSet, Symbol};
use silkit_ir::conventions::Conventions;
use silkit_ir::instructions::{AnyInst, Apply, FunctionRef, IndexAddr};
use silkit_ir::{Body, Inst, Opcode, Value, ValueDef};

/// The base of an address.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AccessBase {
    /// The field of a box, by its `project_box`.
    Box(Value),
    /// `alloc_stack`.
    Stack(Value),
    /// A global variable.
    Global(Symbol),
    /// A property of an object, by its address.
    Class(Value),
    /// The tail elements of an object, by their address.
    Tail(Value),
    /// An argument of the function.
    Argument(Value),
    /// A value that a coroutine yields.
    Yield(Value),
    /// The memory of a `store_borrow`.
    StoreBorrow(Value),
    /// The result of `pointer_to_address`.
    Pointer(Value),
    /// Any other base, by the value at which the walk ended.
    Unidentified(Value),
}

impl AccessBase {
    /// Returns true if the kind of memory is identified, so that it is distinct from memory of other kinds.
    pub fn has_known_kind(self) -> bool {
        matches!(self, Self::Box(_) | Self::Stack(_) | Self::Global(_) | Self::Class(_) | Self::Tail(_))
    }

    /// Returns the object that contains the memory.
    pub fn object(self, body: &Body) -> Option<Value> {
        match self {
            Self::Box(address) | Self::Class(address) | Self::Tail(address) => {
                Some(body.operand_value(body.defining_inst(address)?, 0))
            }
            _ => None,
        }
    }

    /// Returns the name of the kind, as the reference prints it.
    pub fn kind_name(self) -> &'static str {
        match self {
            Self::Box(_) => "box",
            Self::Stack(_) => "stack",
            Self::Global(_) => "global",
            Self::Class(_) => "class",
            Self::Tail(_) => "tail",
            Self::Argument(_) => "argument",
            Self::Yield(_) => "yield",
            Self::StoreBorrow(_) => "storeBorrow",
            Self::Pointer(_) => "pointer",
            Self::Unidentified(_) => "unidentified",
        }
    }
}

/// The base of an address and the projections from it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BasePath {
    /// The base.
    pub base: AccessBase,
    /// The projections.
    pub path: ProjectionPath,
    /// The innermost access scope around the address.
    pub scope: Option<Inst>,
    /// The last element projection with an unknown index, and the path from there.
    pub element: Option<(Value, ProjectionPath)>,
}

/// Returns the base of an address and the path from it.
pub fn base_path(view: &BodyView<'_>, address: Value) -> BasePath {
    let body = view.body;
    let mut found = BasePath {
        base: AccessBase::Unidentified(address),
        path: ProjectionPath::EMPTY,
        scope: None,
        element: None,
    };
    let mut value = address;
    let mut is_element = false;
    // Invalid SIL may define values in terms of each other.
    for _ in 0..=body.inst_bound() {
        found.base = AccessBase::Unidentified(value);
        // Only tail elements and the targets of pointers have adjacent elements.
        if is_element && !has_elements(body, value) {
            return BasePath { path: ProjectionPath::EMPTY, scope: None, element: None, ..found };
        }
        is_element = body.def_as::<IndexAddr>(value).is_some();
        let inst = match body.def(value) {
            ValueDef::Result(inst, _) => inst,
            ValueDef::Argument(block, _) if body.is_entry_block(block) => {
                found.base = AccessBase::Argument(value);
                return found;
            }
            _ => return found,
        };
        value = match step(view, inst, value) {
            Up::Same(operand) => operand,
            Up::Part(operand, component) => {
                if component == Some(Component::AnyElement) {
                    found.element = found.element.or(Some((value, found.path)));
                }
                found.path = match component {
                    Some(component) => found.path.push(component),
                    None => ProjectionPath::of(Component::Anything),
                };
                operand
            }
            Up::Scope(operand) => {
                found.scope = found.scope.or(Some(inst));
                operand
            }
            Up::Base(base) => {
                found.base = base;
                return found;
            }
        };
    }
    found
}

/// Returns true if an address is the address of an element in an array.
fn has_elements(body: &Body, address: Value) -> bool {
    let opcode = body.defining_inst(address).map(|inst| body.inst(inst).opcode);
    matches!(opcode, Some(Opcode::IndexAddr | Opcode::RefTailAddr | Opcode::PointerToAddress))
}

enum Up {
    Same(Value),
    Part(Value, Option<Component>),
    Scope(Value),
    Base(AccessBase),
}

fn step(view: &BodyView<'_>, inst: Inst, value: Value) -> Up {
    let body = view.body;
    match body.view(inst) {
        AnyInst::AllocStack(_) => Up::Base(AccessBase::Stack(value)),
        AnyInst::GlobalAddr(global) => Up::Base(AccessBase::Global(global.global)),
        AnyInst::RefElementAddr(_) => Up::Base(AccessBase::Class(value)),
        AnyInst::RefTailAddr(_) => Up::Base(AccessBase::Tail(value)),
        AnyInst::ProjectBox(_) => Up::Base(AccessBase::Box(value)),
        AnyInst::BeginApply(_) => Up::Base(AccessBase::Yield(value)),
        AnyInst::StoreBorrow(_) => Up::Base(AccessBase::StoreBorrow(value)),
        AnyInst::PointerToAddress(cast) => {
            let callee =
                body.def_as::<Apply>(cast.operand).and_then(|call| body.def_as::<FunctionRef>(call.callee));
            if cast.strict
                && let Some(callee) = callee
                && let GlobalInitializer::Of(global) = view.global_initializer(callee.function)
            {
                return Up::Base(AccessBase::Global(global));
            }
            match originating_address(body, cast.operand, value) {
                Some(address) => Up::Same(address),
                None => Up::Base(AccessBase::Pointer(value)),
            }
        }
        AnyInst::BeginAccess(access) => Up::Scope(access.address),
        AnyInst::StructElementAddr(e) => Up::Part(e.operand, view.struct_field(e.operand, e.field)),
        AnyInst::TupleElementAddr(e) => Up::Part(e.operand, Some(Component::TupleElement(e.field))),
        AnyInst::InitEnumDataAddr(e) => {
            Up::Part(e.operand, view.enum_case(body.value(e.operand).ty, e.element))
        }
        AnyInst::UncheckedTakeEnumDataAddr(e) => {
            Up::Part(e.operand, view.enum_case(body.value(e.operand).ty, e.element))
        }
        AnyInst::UncheckedInPlaceEnumDataAddr(e) => {
            Up::Part(e.operand, view.enum_case(body.value(e.operand).ty, e.element))
        }
        AnyInst::VectorBaseAddr(base) => Up::Part(base.vector, Some(Component::VectorElements)),
        AnyInst::InitExistentialAddr(_) | AnyInst::OpenExistentialAddr(_) => {
            Up::Part(body.operand_value(inst, 0), Some(Component::Existential))
        }
        AnyInst::IndexAddr(e) => {
            let component = view.constant(e.index).map_or(Component::AnyElement, Component::Element);
            Up::Part(e.base, Some(component))
        }
        AnyInst::MarkDependence(_)
        | AnyInst::MarkUninitialized(_)
        | AnyInst::MarkUnresolvedNonCopyableValue(_)
        | AnyInst::MoveOnlyWrapperToCopyableAddr(_)
        | AnyInst::CopyableToMoveOnlyWrapperAddr(_) => Up::Same(body.operand_value(inst, 0)),
        _ => Up::Base(AccessBase::Unidentified(value)),
    }
}

/// Returns the single address of the same type that a pointer is derived from, looking through phis.
fn originating_address(body: &Body, pointer: Value, address: Value) -> Option<Value> {
    let ty = body.value(address).ty;
    let mut pending = vec![pointer];
    let mut seen = FxHashSet::default();
    let mut found = None;
    while let Some(value) = pending.pop() {
        if !seen.insert(value) {
            continue;
        }
        if body.is_phi(value) {
            pending.extend(body.phi_values(value));
            continue;
        }
        let inst = body.defining_inst(value)?;
        let AnyInst::AddressToPointer(cast) = body.view(inst) else { return None };
        if body.value(cast.operand).ty != ty || *found.get_or_insert(cast.operand) != cast.operand {
            return None;
        }
    }
    found
}

/// Returns the rule by which the memory of two different bases is distinct; `None` if it may be the same.
pub(super) fn why_distinct(
    view: &BodyView<'_>,
    rules: &TypeRules<'_>,
    a: AccessBase,
    b: AccessBase,
) -> Option<Relation> {
    use AccessBase as B;
    let body = view.body;
    let are_exclusive = |x| argument_is_exclusive(view, x).then_some(Relation::ExclusiveArgument);
    match (a, b) {
        (B::Box(x), B::Box(y)) | (B::Class(x), B::Class(y)) => match (field(view, x), field(view, y)) {
            (Some(x), Some(y)) if x != y => Some(Relation::Fields),
            _ => why_objects_are_distinct(body, rules, a, b),
        },
        (B::Tail(_), B::Tail(_)) => why_objects_are_distinct(body, rules, a, b),
        (B::Stack(x), B::Stack(y)) => (x != y).then_some(Relation::Allocations),
        (B::Global(x), B::Global(y)) => (x != y).then_some(Relation::Globals(x, y)),
        (B::Argument(x), B::Argument(y)) if x == y => None,
        (B::Argument(x), B::Argument(y)) => are_exclusive(x).or_else(|| are_exclusive(y)),
        (B::Argument(argument), other) | (other, B::Argument(argument)) => match other {
            _ if argument_is_exclusive(view, argument) => {
                other.has_known_kind().then_some(Relation::ExclusiveArgument)
            }
            B::Stack(_) => Some(Relation::OlderArgument),
            B::Box(_) | B::Class(_) | B::Tail(_) => other
                .object(body)
                .is_some_and(|object| is_allocation(body, allocation_root(body, object)))
                .then_some(Relation::OlderArgument),
            _ => None,
        },
        _ => (a.has_known_kind() && b.has_known_kind()).then_some(Relation::Kinds(a, b)),
    }
}

/// Returns the index of the field that an address is the address of.
fn field(view: &BodyView<'_>, address: Value) -> Option<u32> {
    let body = view.body;
    match body.view(body.defining_inst(address)?) {
        AnyInst::ProjectBox(project) => Some(project.field),
        AnyInst::RefElementAddr(project) => match view.class_field(project.operand, project.field)? {
            Component::ClassField(index) => Some(index),
            _ => None,
        },
        _ => None,
    }
}

fn why_objects_are_distinct(
    body: &Body,
    rules: &TypeRules<'_>,
    a: AccessBase,
    b: AccessBase,
) -> Option<Relation> {
    let (a, b) = (a.object(body)?, b.object(body)?);
    if are_different_allocations(body, allocation_root(body, a), allocation_root(body, b)) {
        Some(Relation::Allocations)
    } else if rules.references_may_alias(body.value(a).ty.ty(), body.value(b).ty.ty()) {
        None
    } else {
        Some(Relation::Classes)
    }
}

/// Returns true if two references are to objects of different allocation instructions.
pub(super) fn are_different_allocations(body: &Body, a: Value, b: Value) -> bool {
    let is_argument = |value| body.entry_argument_index(value).is_some();
    match (is_allocation(body, a), is_allocation(body, b)) {
        (true, true) => a != b,
        (true, false) => is_argument(b),
        (false, true) => is_argument(a),
        _ => false,
    }
}

fn is_allocation(body: &Body, value: Value) -> bool {
    body.defining_inst(value).is_some_and(|inst| {
        matches!(
            body.inst(inst).opcode,
            Opcode::AllocRef | Opcode::AllocRefDynamic | Opcode::AllocBox | Opcode::AllocStack
        )
    })
}

/// Returns true if only the function may access the memory of an argument while it runs.
pub(super) fn argument_is_exclusive(view: &BodyView<'_>, argument: Value) -> bool {
    let ValueDef::Argument(_, index) = view.body.def(argument) else { return false };
    let conventions = view.function_type().map(|ty| Conventions::new(ty, view.addresses()));
    conventions.and_then(|c| c.convention(index.into())).is_some_and(is_exclusive)
}
