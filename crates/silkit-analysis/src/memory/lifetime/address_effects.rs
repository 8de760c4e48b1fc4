//! The effects of instructions on the memory at their address operands.

use crate::BodyView;
use crate::memory::opaque::is_opaque;
use silkit_base::Symbol;
use silkit_ir::conventions::{ApplySite, ArgumentConvention, Conventions};
use silkit_ir::instructions::{AnyInst, StoreBorrow};
use silkit_ir::{AddressUse, Body, Inst, Opcode, Operand, Value};

/// The state of memory that an instruction requires.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum RequiredState {
    /// Any state.
    Any,
    /// Initialized, to be read.
    Initialized,
    /// All non-trivial parts initialized, to be consumed.
    Owned,
    /// No value that would be leaked.
    Empty,
}

/// The state of memory after an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ResultingState {
    /// Unchanged.
    Unchanged,
    /// Initialized.
    Initialized,
    /// Initialized with a trivial value, whatever its type.
    Trivial,
    /// Unchanged, but now known to be trivial.
    KnownTrivial,
    /// Uninitialized.
    Uninitialized,
}

/// A part of memory.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum MemoryPart {
    /// A stored property of a struct.
    Field(Symbol),
    /// An element of a tuple.
    Element(u32),
    /// The payload of an enum, for one of its cases.
    Payload(Symbol),
    /// The value in an existential.
    Content,
}

impl MemoryPart {
    /// Returns true if the part is the only content of its parent.
    pub fn is_whole(self) -> bool {
        matches!(self, Self::Payload(_) | Self::Content)
    }
}

/// How an address relates to the address that it is derived from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AddressRelation {
    /// The same memory.
    Same,
    /// A part of the memory.
    Part(MemoryPart),
}

/// The effect of a use of an address on the memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MemoryUse {
    /// The required state.
    pub needs: RequiredState,
    /// The state afterwards.
    pub leaves: ResultingState,
    /// Different states on the edges of a terminator, by successor index: the instruction, or the `await` of a
    /// continuation.
    pub on_edges: Vec<(usize, ResultingState)>,
    /// The derived address.
    pub derived: Option<(Value, AddressRelation)>,
    /// True if it changes or takes the value, which is not allowed for borrowed memory.
    pub changes: bool,
}

impl MemoryUse {
    fn new(needs: RequiredState, leaves: ResultingState) -> Self {
        Self { needs, leaves, on_edges: Vec::new(), derived: None, changes: false }
    }

    fn reads() -> Self {
        Self::new(RequiredState::Initialized, ResultingState::Unchanged)
    }

    fn ignores() -> Self {
        Self::new(RequiredState::Any, ResultingState::Unchanged)
    }

    fn takes() -> Self {
        Self { changes: true, ..Self::new(RequiredState::Initialized, ResultingState::Uninitialized) }
    }

    fn destroys() -> Self {
        Self { changes: true, ..Self::new(RequiredState::Owned, ResultingState::Uninitialized) }
    }

    fn inits() -> Self {
        Self { changes: true, ..Self::new(RequiredState::Empty, ResultingState::Initialized) }
    }

    fn assigns() -> Self {
        Self { changes: true, ..Self::new(RequiredState::Owned, ResultingState::Initialized) }
    }

    fn makes(mut self, result: Value, derived: AddressRelation) -> Self {
        self.derived = Some((result, derived));
        self
    }
}

/// Returns the effect of a use of an address on the memory; `None` if it is not known or the address escapes.
pub fn memory_use(view: &BodyView<'_>, operand: Operand) -> Option<MemoryUse> {
    let body = view.body;
    let inst = body.operand(operand).user;
    let opcode = body.inst(inst).opcode;
    if is_opaque(opcode) && !is_cast(opcode) && body.operand_spec(operand).is_some() {
        return None;
    }
    if opcode == Opcode::GetAsyncContinuationAddr {
        // The memory is indefinite until the `await`, on whose first edge it is initialized.
        return Some(MemoryUse {
            on_edges: vec![(0, ResultingState::Initialized)],
            ..MemoryUse::new(RequiredState::Any, ResultingState::Trivial)
        });
    }
    Some(match body.address_use(operand) {
        AddressUse::Mention => MemoryUse::ignores(),
        AddressUse::Project | AddressUse::Access => {
            MemoryUse::ignores().makes(body.first_result(inst)?, derived(body, inst)?)
        }
        AddressUse::ProjectContent | AddressUse::ProjectToInitialize => projected(view, operand)?,
        AddressUse::Lend => MemoryUse::new(RequiredState::Any, ResultingState::Initialized)
            .makes(body.first_result(inst)?, AddressRelation::Same),
        // The scope rules check the uses of a `store_borrow`.
        AddressUse::EndLend if body.def_as::<StoreBorrow>(body.operand(operand).value).is_some() => {
            MemoryUse::new(RequiredState::Any, ResultingState::Uninitialized)
        }
        // A borrow that continues as a phi is not followed.
        AddressUse::Borrow if body.users(body.first_result(inst)?).any(|i| passes(body, i)) => return None,
        AddressUse::Borrow => MemoryUse::ignores(),
        AddressUse::Read
        | AddressUse::KeepAlive
        | AddressUse::CheckUnique
        | AddressUse::ReadType
        | AddressUse::DependOn => MemoryUse::reads(),
        AddressUse::Take => MemoryUse::takes(),
        AddressUse::TakeOnSuccess => MemoryUse {
            on_edges: vec![(0, ResultingState::Uninitialized)],
            changes: true,
            ..MemoryUse::reads()
        },
        AddressUse::Destroy => MemoryUse::destroys(),
        AddressUse::Initialize => MemoryUse::inits(),
        AddressUse::InitializeOnSuccess => MemoryUse {
            on_edges: vec![(0, ResultingState::Initialized)],
            leaves: ResultingState::Unchanged,
            ..MemoryUse::inits()
        },
        AddressUse::Assign => MemoryUse::assigns(),
        // Without ownership, a store does not state how it treats the old value.
        AddressUse::Overwrite if body.keyword(inst, "qualifier").is_none() => return None,
        AddressUse::Overwrite => {
            MemoryUse { changes: true, ..MemoryUse::new(RequiredState::Any, ResultingState::Trivial) }
        }
        AddressUse::Deallocate => MemoryUse::new(RequiredState::Empty, ResultingState::Uninitialized),
        AddressUse::WritePart => tagged(view, inst)?,
        AddressUse::ReadTag => read_tag(view, inst)?,
        AddressUse::Call | AddressUse::Capture => passed(view, inst, body.operand_index(operand))?,
        AddressUse::Yield => yielded(view, operand)?,
        AddressUse::Unknown
        | AddressUse::EndLend
        | AddressUse::Count
        | AddressUse::Forget
        | AddressUse::Deinitialize
        | AddressUse::InitializeOrAssign
        | AddressUse::Depend
        | AddressUse::Escape => return None,
    })
}

/// Returns true for casts in memory, which other analyses do not inspect.
fn is_cast(opcode: Opcode) -> bool {
    matches!(
        opcode,
        Opcode::UnconditionalCheckedCastAddr | Opcode::UncheckedRefCastAddr | Opcode::CheckedCastAddrBranch
    )
}

/// Returns the result of a projection without access; `None` for projections that are not tracked.
fn derived(body: &Body, inst: Inst) -> Option<AddressRelation> {
    match body.view(inst) {
        AnyInst::StructElementAddr(p) => Some(AddressRelation::Part(MemoryPart::Field(p.field.name()?))),
        AnyInst::TupleElementAddr(p) => Some(AddressRelation::Part(MemoryPart::Element(p.field))),
        AnyInst::BeginAccess(_) | AnyInst::MarkDependence(_) => Some(AddressRelation::Same),
        _ => None,
    }
}

/// Returns the effect of projecting the content of an enum or an existential.
fn projected(view: &BodyView<'_>, operand: Operand) -> Option<MemoryUse> {
    let body = view.body;
    let inst = body.operand(operand).user;
    let (part, needs) = match body.view(inst) {
        AnyInst::UncheckedTakeEnumDataAddr(p) => (MemoryPart::Payload(p.element.name()?), RequiredState::Any),
        AnyInst::InitEnumDataAddr(p) => (MemoryPart::Payload(p.element.name()?), RequiredState::Empty),
        AnyInst::InitExistentialAddr(_) => (MemoryPart::Content, RequiredState::Empty),
        AnyInst::OpenExistentialAddr(_) => (MemoryPart::Content, RequiredState::Initialized),
        _ => return None,
    };
    let changes = body.address_use(operand) == AddressUse::ProjectToInitialize;
    let using = MemoryUse { needs, changes, ..MemoryUse::ignores() };
    Some(using.makes(body.first_result(inst)?, AddressRelation::Part(part)))
}

/// Returns the effect of reading the case of an enum in memory.
fn read_tag(view: &BodyView<'_>, inst: Inst) -> Option<MemoryUse> {
    match view.body.view(inst) {
        AnyInst::SwitchEnumAddr(_) => {
            Some(MemoryUse { on_edges: switched(view, inst)?, ..MemoryUse::ignores() })
        }
        _ => Some(MemoryUse::reads()),
    }
}

/// Returns the effect of writing the case of an enum in memory.
fn tagged(view: &BodyView<'_>, inst: Inst) -> Option<MemoryUse> {
    let AnyInst::InjectEnumAddr(inject) = view.body.view(inst) else { return None };
    let (ty, case) = (view.ty(inject.operand), inject.element.name()?);
    let has_payload = view.declarations().enum_case(ty.ty(), case)?.payload.is_some();
    let leaves = match view.is_trivial_case(ty, case) {
        Some(false) => ResultingState::Unchanged,
        _ if has_payload => ResultingState::KnownTrivial,
        _ => ResultingState::Trivial,
    };
    Some(MemoryUse::new(if has_payload { RequiredState::Initialized } else { RequiredState::Any }, leaves))
}

/// Returns true if a terminator passes values to block arguments.
fn passes(body: &Body, inst: Inst) -> bool {
    matches!(body.inst(inst).opcode, Opcode::Branch | Opcode::CondBranch)
}

/// Returns the effect of passing an address to a function.
fn passed(view: &BodyView<'_>, inst: Inst, index: usize) -> Option<MemoryUse> {
    use ArgumentConvention as C;
    let site = ApplySite::new(view.body, inst, view.addresses())?;
    let convention = site.convention_of_operand(index)?;
    let opcode = view.body.inst(inst).opcode;
    if opcode == Opcode::PartialApply {
        let is_on_stack = view.body.has_flag(inst, "on_stack");
        return match convention {
            C::Inout | C::InoutAliasable => Some(MemoryUse::ignores()),
            C::InGuaranteed if is_on_stack => Some(MemoryUse::ignores()),
            // An escaping closure consumes its captures.
            C::In | C::InGuaranteed if !is_on_stack => {
                Some(MemoryUse { needs: RequiredState::Any, ..MemoryUse::takes() })
            }
            _ => None,
        };
    }
    match convention {
        C::In => Some(MemoryUse::takes()),
        C::InGuaranteed => Some(MemoryUse::reads()),
        C::Inout => Some(MemoryUse {
            changes: true,
            ..MemoryUse::new(RequiredState::Initialized, ResultingState::Initialized)
        }),
        C::InoutAliasable => Some(MemoryUse { changes: true, ..MemoryUse::reads() }),
        C::Out => match opcode {
            Opcode::Apply => Some(MemoryUse::inits()),
            Opcode::TryApply => {
                let argument = site.argument_of_operand(index)?;
                let is_error = site.callee_conventions()?.error_argument() == Some(argument);
                let on_edges = vec![(usize::from(is_error), ResultingState::Initialized)];
                Some(MemoryUse { on_edges, leaves: ResultingState::Unchanged, ..MemoryUse::inits() })
            }
            _ => None,
        },
        _ => None,
    }
}

/// Returns the effect of yielding an address to the caller.
fn yielded(view: &BodyView<'_>, operand: Operand) -> Option<MemoryUse> {
    let own = view.function_type()?;
    match Conventions::new(own, view.addresses()).yield_convention(view.body.operand_index(operand))? {
        ArgumentConvention::In => Some(MemoryUse::takes()),
        ArgumentConvention::InGuaranteed => Some(MemoryUse::reads()),
        ArgumentConvention::Inout | ArgumentConvention::InoutAliasable => {
            Some(MemoryUse { changes: true, ..MemoryUse::reads() })
        }
        _ => None,
    }
}

/// Returns the edges of a switch after which an enum is known to be trivial.
pub(super) fn switched(view: &BodyView<'_>, inst: Inst) -> Option<Vec<(usize, ResultingState)>> {
    let body = view.body;
    let ty = view.ty(body.operands(inst).first()?.value);
    let (cases, default) = match body.view(inst) {
        AnyInst::SwitchEnumAddr(s) => (s.cases, s.default_target),
        AnyInst::SwitchEnum(s) => (s.cases, s.default_target),
        _ => return None,
    };
    // The target of an unknown case may be reached with a trivial one.
    let is_trivial = |case: Symbol| view.is_trivial_case(ty, case) != Some(false);
    let listed: Vec<Symbol> = cases.iter().filter_map(|(case, _)| case.name()).collect();
    let mut edges: Vec<usize> =
        listed.iter().enumerate().filter(|(_, case)| is_trivial(**case)).map(|(edge, _)| edge).collect();
    if default.is_some()
        && view.other_cases(ty, &listed).is_none_or(|cases| cases.into_iter().all(is_trivial))
    {
        edges.push(listed.len());
    }
    Some(edges.into_iter().map(|edge| (edge, ResultingState::KnownTrivial)).collect())
}
