//! The origins of the addresses behind unsafe pointers, for both stack protection passes.

use silkit_analysis::alias::{AccessBase, base_path};
use silkit_analysis::walk::{Walk, Walker};
use silkit_analysis::{BodyView, Component, ProjectionPath};
use silkit_base::FxHashSet;
use silkit_ir::conventions::{ArgumentConvention, Conventions};
use silkit_ir::instructions::{AccessKind, AnyInst, BeginAccess, Builtin};
use silkit_ir::{Body, Inst, Opcode, Operand, Value};
use std::ops::ControlFlow;

/// The origins of an address or of a reference.
#[derive(Debug)]
pub(super) struct Sources {
    /// Some of the memory is allocated on the stack of this function.
    pub(super) is_on_stack: bool,
    /// The arguments of the function that it may come from, by position.
    pub(super) arguments: Vec<usize>,
    /// False if it may come from somewhere else, so that it may be on the stack of any function.
    pub(super) are_known: bool,
}

/// Returns true if a body contains the builtin `stackAlloc`.
pub(super) fn has_stack_builtin(body: &Body) -> bool {
    body.insts().any(|inst| body.view_as::<Builtin>(inst).is_some_and(|builtin| builtin.name == "stackAlloc"))
}

/// Returns all addresses from which a body derives pointers that it may write through. As in the reference, indices of tail
/// elements are not among them.
pub(super) fn unsafe_addresses<'a>(view: &'a BodyView<'_>) -> impl Iterator<Item = Value> + 'a {
    let body = view.body;
    let address = move |inst: Inst| match body.view(inst) {
        AnyInst::AddressToPointer(cast) if cast.stack_protection => Some(cast.operand),
        AnyInst::IndexAddr(index) if index.stack_protection => {
            let is_tail = matches!(base_path(view, index.base).base, AccessBase::Tail(_));
            (!is_tail).then_some(index.base)
        }
        _ => None,
    };
    let is_written = move |&(inst, _): &(Inst, Value)| is_written_through(body, inst);
    let addresses = body.insts().filter_map(move |inst| Some((inst, address(inst)?)));
    addresses.filter(is_written).map(|(_, address)| address)
}

/// Returns the origins of an address that a pointer is derived from.
pub(super) fn sources(view: &BodyView<'_>, address: Value) -> Sources {
    let mut found = Sources { is_on_stack: false, arguments: Vec::new(), are_known: true };
    match base_path(view, address).base {
        AccessBase::Stack(_) => found.is_on_stack = true,
        AccessBase::Argument(value) => found.arguments.extend(view.body.entry_argument_index(value)),
        AccessBase::Yield(_) | AccessBase::Pointer(_) => found.are_known = false,
        base @ (AccessBase::Class(_) | AccessBase::Tail(_)) => {
            if let Some(object) = base.object(view.body) {
                found.add_objects(view, object);
            }
        }
        AccessBase::Box(_)
        | AccessBase::Global(_)
        | AccessBase::StoreBorrow(_)
        | AccessBase::Unidentified(_) => {}
    }
    found
}

/// Returns the origins of an address or an object that is passed to a callee. As in the reference, an argument that callers
/// pass in memory is followed only if it is `inout`.
pub(super) fn passed_sources(view: &BodyView<'_>, value: Value) -> Sources {
    if !view.body.value(value).ty.is_address() {
        let mut found = Sources { is_on_stack: false, arguments: Vec::new(), are_known: true };
        found.add_objects(view, value);
        return found;
    }
    let mut found = sources(view, value);
    if let AccessBase::Argument(argument) = base_path(view, value).base
        && !is_inout(view, argument)
    {
        found.arguments.clear();
    }
    found
}

/// Returns true if an argument of the function is `inout`, also if it may alias others.
fn is_inout(view: &BodyView<'_>, argument: Value) -> bool {
    let conventions = view.function_type().map(|ty| Conventions::new(ty, view.addresses()));
    let convention =
        conventions.zip(view.body.entry_argument_index(argument)).and_then(|(c, at)| c.convention(at));
    matches!(convention, Some(ArgumentConvention::Inout | ArgumentConvention::InoutAliasable))
}

/// A value that can be in a temporary of the function for a while: for all of an `inout` argument's lifetime, or during an
/// access that modifies it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Movable {
    /// This argument.
    Argument(Value),
    /// The memory that this `begin_access` accesses.
    Access(Inst),
}

impl Movable {
    /// Returns the value that contains the memory at an address, if it can be moved.
    pub(super) fn at(view: &BodyView<'_>, address: Value) -> Option<Self> {
        let path = base_path(view, address);
        match (path.base, path.scope) {
            (AccessBase::Argument(_) | AccessBase::Class(_) | AccessBase::Tail(_), Some(scope)) => {
                let access = view.body.view_as::<BeginAccess>(scope)?;
                (access.kind == AccessKind::Modify).then_some(Self::Access(scope))
            }
            (AccessBase::Argument(value), None) => is_inout(view, value).then_some(Self::Argument(value)),
            _ => None,
        }
    }
}

impl Sources {
    fn add_objects(&mut self, view: &BodyView<'_>, object: Value) {
        let mut walk = Walk::new(*view);
        walk.up(object, ProjectionPath::default().push(Component::AnyValueFields));
        // The walker never aborts.
        let _ = walk.run(&mut Objects(self));
    }
}

/// Collects the origins of objects.
struct Objects<'f>(&'f mut Sources);

impl Walker<ProjectionPath> for Objects<'_> {
    fn at_root(
        &mut self,
        walk: &mut Walk<'_, ProjectionPath>,
        value: Value,
        _: ProjectionPath,
    ) -> ControlFlow<()> {
        let body = walk.view.body;
        match body.defining_inst(value).map(|inst| body.view(inst)) {
            Some(AnyInst::AllocRef(object)) => self.0.is_on_stack |= object.stack,
            Some(AnyInst::AllocRefDynamic(object)) => self.0.is_on_stack |= object.stack,
            _ => match body.entry_argument_index(value) {
                Some(argument) => self.0.arguments.push(argument),
                None => self.0.are_known = false,
            },
        }
        ControlFlow::Continue(())
    }
}

/// Returns true unless the result of an instruction is only used for reading.
fn is_written_through(body: &Body, inst: Inst) -> bool {
    let mut work: Vec<Operand> = body.results(inst).flat_map(|value| body.uses(value)).collect();
    let mut seen = FxHashSet::default();
    while let Some(operand) = work.pop() {
        let (user, index) = (body.operand(operand).user, body.operand_index(operand));
        match body.inst(user).opcode {
            Opcode::Load
            | Opcode::LoadBorrow
            | Opcode::DebugValue
            | Opcode::FixLifetime
            | Opcode::EndAccess
            | Opcode::DeallocStack => {}
            Opcode::CopyAddr if index == 0 => {}
            Opcode::Builtin if index == 1 && copies_memory(body, user) => {}
            Opcode::PointerToAddress
            | Opcode::AddressToPointer
            | Opcode::BeginAccess
            | Opcode::StructElementAddr
            | Opcode::TupleElementAddr
            | Opcode::IndexAddr
            | Opcode::UncheckedAddrCast
            | Opcode::MarkDependence => {
                if seen.insert(user) {
                    work.extend(body.results(user).flat_map(|value| body.uses(value)));
                }
            }
            _ => return true,
        }
    }
    false
}

/// Returns true for the builtins that copy from their second operand to their first.
fn copies_memory(body: &Body, inst: Inst) -> bool {
    let is_copy = |name: &str| name.starts_with("int_memcpy_") || name.starts_with("int_memmove_");
    body.view_as::<Builtin>(inst).is_some_and(|builtin| is_copy(builtin.name.as_str()))
}
