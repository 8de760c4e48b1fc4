//! The origins of the addresses behind unsafe pointers, for both stack protection passes.

use silkit_analysis::walk::{Walk, Walker};
use silkit_analysis::{BodyView, Component, ProjectionPath};
use silkit_base::FxHashSet;
use silkit_ir::instructions::{AnyInst, Builtin};
use silkit_ir::{Body, Inst, Opcode, Operand, Value};
use std::ops::ControlFlow;

/// The origins of an address or of a reference.
#[derive(Debug, Default)]
pub(super) struct Sources {
    /// Some of the memory is allocated on the stack of this function.
    pub(super) is_on_stack: bool,
    /// The arguments of the function that it may come from, by position.
    pub(super) arguments: Vec<usize>,
}

/// Returns true if a body contains the builtin `stackAlloc`.
pub(super) fn has_stack_builtin(body: &Body) -> bool {
    body.insts().any(|inst| body.view_as::<Builtin>(inst).is_some_and(|builtin| builtin.name == "stackAlloc"))
}

/// Returns the origins of all addresses from which a body derives pointers that it may write through.
pub(super) fn unsafe_addresses<'a>(view: &'a BodyView<'_>) -> impl Iterator<Item = Sources> + 'a {
    let address = |inst: Inst| match view.body.view(inst) {
        AnyInst::AddressToPointer(cast) if cast.stack_protection => Some(cast.operand),
        AnyInst::IndexAddr(index) if index.stack_protection => Some(index.base),
        _ => None,
    };
    let is_written = |&(inst, _): &(Inst, Value)| is_written_through(view.body, inst);
    let addresses = view.body.insts().filter_map(move |inst| Some((inst, address(inst)?)));
    addresses.filter(is_written).map(|(_, address)| sources(view, address))
}

/// Returns the origins of an address or of an object reference. As in the reference, the derivation is not followed through
/// indices and casts of addresses.
pub(super) fn sources(view: &BodyView<'_>, value: Value) -> Sources {
    let body = view.body;
    let mut found = Sources::default();
    let mut at = value;
    // Invalid SIL may define values in terms of each other.
    for _ in 0..body.inst_bound() {
        if !body.value(at).ty.is_address() {
            let mut walk = Walk::new(*view);
            walk.up(at, ProjectionPath::default().push(Component::AnyValueFields));
            // The walker never aborts.
            let _ = walk.run(&mut Objects(&mut found));
            break;
        }
        let Some(inst) = body.defining_inst(at) else {
            found.arguments.extend(body.entry_argument_index(at));
            break;
        };
        at = match body.view(inst) {
            AnyInst::AllocStack(_) => {
                found.is_on_stack = true;
                break;
            }
            AnyInst::BeginAccess(access) => access.address,
            AnyInst::StructElementAddr(part) => part.operand,
            AnyInst::TupleElementAddr(part) => part.operand,
            AnyInst::RefElementAddr(part) => part.operand,
            AnyInst::RefTailAddr(part) => part.operand,
            AnyInst::MarkDependence(mark) => mark.value,
            AnyInst::PointerToAddress(cast) => match body.defining_inst(cast.operand).map(|i| body.view(i)) {
                Some(AnyInst::AddressToPointer(cast)) => cast.operand,
                _ => break,
            },
            _ => break,
        };
    }
    found
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
        self.0.is_on_stack |= match body.defining_inst(value).map(|inst| body.view(inst)) {
            Some(AnyInst::AllocRef(object)) => object.stack,
            Some(AnyInst::AllocRefDynamic(object)) => object.stack,
            _ => false,
        };
        self.0.arguments.extend(body.entry_argument_index(value));
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
