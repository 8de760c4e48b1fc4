//! What an instruction does to the memory at an address that it uses.

use crate::BodyView;
use silkit_base::Symbol;
use silkit_ir::conventions::{ApplySite, ArgumentConvention, Conventions};
use silkit_ir::instructions::{AnyInst, CastConsumption, Load, LoadQualifier, StoreBorrow, StoreQualifier};
use silkit_ir::{Body, Inst, Opcode, Operand, Value};

/// What an instruction must find in memory.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Needs {
    /// It does not matter.
    Nothing,
    /// A whole value, to read it.
    Value,
    /// All that a whole value owns, to give it up: bits may be missing.
    Owned,
    /// Nothing that would be lost.
    Empty,
}

/// What an instruction leaves in memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Leaves {
    /// What was there.
    Same,
    /// A value, which owns something if its type does.
    Value,
    /// A value that owns nothing, whatever its type.
    Trivial,
    /// What was there, which is now known to own nothing.
    KnownTrivial,
    /// Nothing.
    Nothing,
}

/// A part of memory.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Part {
    /// A stored property of a struct.
    Field(Symbol),
    /// An element of a tuple.
    Element(u32),
    /// The payload of an enum, for one of its cases.
    Payload(Symbol),
    /// The value in an existential.
    Content,
}

impl Part {
    /// Returns true if it is all that there is.
    pub fn is_whole(self) -> bool {
        matches!(self, Self::Payload(_) | Self::Content)
    }
}

/// What an address that an instruction makes of another one stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Derived {
    /// The same memory.
    Same,
    /// A part of it.
    Part(Part),
}

/// What one use of an address does to the memory there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AddressUse {
    /// What it must find.
    pub needs: Needs,
    /// What it leaves.
    pub leaves: Leaves,
    /// What is different behind the edges of a terminator, by the positions of its successors.
    pub on_edges: Vec<(usize, Leaves)>,
    /// The address that it makes.
    pub derived: Option<(Value, Derived)>,
    /// True if it changes or takes the value, which may not be done to one that is lent.
    pub changes: bool,
}

impl AddressUse {
    fn new(needs: Needs, leaves: Leaves) -> Self {
        Self { needs, leaves, on_edges: Vec::new(), derived: None, changes: false }
    }

    fn reads() -> Self {
        Self::new(Needs::Value, Leaves::Same)
    }

    fn ignores() -> Self {
        Self::new(Needs::Nothing, Leaves::Same)
    }

    fn takes() -> Self {
        Self { changes: true, ..Self::new(Needs::Value, Leaves::Nothing) }
    }

    fn destroys() -> Self {
        Self { changes: true, ..Self::new(Needs::Owned, Leaves::Nothing) }
    }

    fn inits() -> Self {
        Self { changes: true, ..Self::new(Needs::Empty, Leaves::Value) }
    }

    fn assigns() -> Self {
        Self { changes: true, ..Self::new(Needs::Owned, Leaves::Value) }
    }

    fn makes(mut self, result: Value, derived: Derived) -> Self {
        self.derived = Some((result, derived));
        self
    }
}

/// Returns what the use of an address does to its memory; `None` where that is not known, or the address escapes.
pub fn address_use(facts: &BodyView<'_>, operand: Operand) -> Option<AddressUse> {
    let body = facts.body;
    let inst = body.operand(operand).user;
    let (index, value) = (body.operand_index(operand), body.operand(operand).value);
    // For an opened type alone.
    if body.operand_spec(operand).is_none() {
        return Some(AddressUse::ignores());
    }
    let result = || body.first_result(inst);
    let part = |part| Some(AddressUse::ignores().makes(result()?, Derived::Part(part)));
    if body.info(inst).apply.is_some() {
        return passed(facts, inst, index);
    }
    Some(match body.view(inst) {
        AnyInst::StructElementAddr(p) => return part(Part::Field(p.field.name()?)),
        AnyInst::TupleElementAddr(p) => return part(Part::Element(p.field)),
        AnyInst::UncheckedTakeEnumDataAddr(p) => return part(Part::Payload(p.element.name()?)),
        AnyInst::InitEnumDataAddr(p) => {
            AddressUse { needs: Needs::Empty, changes: true, ..part(Part::Payload(p.element.name()?))? }
        }
        AnyInst::InitExistentialAddr(_) => {
            AddressUse { needs: Needs::Empty, changes: true, ..part(Part::Content)? }
        }
        AnyInst::OpenExistentialAddr(_) => AddressUse { needs: Needs::Value, ..part(Part::Content)? },
        AnyInst::BeginAccess(_) => AddressUse::ignores().makes(result()?, Derived::Same),
        AnyInst::MarkDependence(_) if index == 0 => AddressUse::ignores().makes(result()?, Derived::Same),
        AnyInst::MarkDependenceAddr(_) if index == 0 => return None,
        AnyInst::StoreBorrow(_) => {
            AddressUse::new(Needs::Nothing, Leaves::Value).makes(result()?, Derived::Same)
        }
        // Of what is lent, scopes tell whether it is used in time.
        AnyInst::EndBorrow(_) if facts.body.def_as::<StoreBorrow>(value).is_some() => {
            AddressUse::new(Needs::Nothing, Leaves::Nothing)
        }
        // A borrow that goes on as a phi is not followed.
        AnyInst::LoadBorrow(_) if body.users(result()?).any(|i| body.is_terminator(i) && passes(body, i)) => {
            return None;
        }
        AnyInst::EndAccess(_) | AnyInst::DebugValue(_) | AnyInst::LoadBorrow(_) => AddressUse::ignores(),
        AnyInst::Load(Load { qualifier: Some(LoadQualifier::Take), .. }) => AddressUse::takes(),
        AnyInst::Load(_)
        | AnyInst::FixLifetime(_)
        | AnyInst::IsUnique(_)
        | AnyInst::ValueMetatype(_)
        | AnyInst::ExistentialMetatype(_)
        | AnyInst::SelectEnumAddr(_)
        | AnyInst::MarkDependence(_)
        | AnyInst::MarkDependenceAddr(_) => AddressUse::reads(),
        AnyInst::Store(store) => match store.qualifier? {
            StoreQualifier::Init => AddressUse::inits(),
            StoreQualifier::Assign => AddressUse::assigns(),
            StoreQualifier::Trivial => {
                AddressUse { changes: true, ..AddressUse::new(Needs::Nothing, Leaves::Trivial) }
            }
        },
        AnyInst::CopyAddr(copy) => match (index, copy.take, copy.init) {
            (0, true, _) => AddressUse::takes(),
            (0, false, _) => AddressUse::reads(),
            (_, _, true) => AddressUse::inits(),
            _ => AddressUse::assigns(),
        },
        AnyInst::DestroyAddr(_) => AddressUse::destroys(),
        AnyInst::DeallocStack(_) => AddressUse::new(Needs::Empty, Leaves::Nothing),
        AnyInst::InjectEnumAddr(inject) => {
            let (ty, case) = (facts.ty(inject.operand), inject.element.name()?);
            let has_payload = facts.declarations().enum_case(ty.ty(), case)?.payload.is_some();
            let leaves = match facts.is_trivial_case(ty, case) {
                Some(false) => Leaves::Same,
                _ if has_payload => Leaves::KnownTrivial,
                _ => Leaves::Trivial,
            };
            AddressUse::new(if has_payload { Needs::Value } else { Needs::Nothing }, leaves)
        }
        AnyInst::SwitchEnumAddr(_) => {
            AddressUse { on_edges: switched(facts, inst)?, ..AddressUse::ignores() }
        }
        AnyInst::UnconditionalCheckedCastAddr(_) | AnyInst::UncheckedRefCastAddr(_) => {
            if index == 0 {
                AddressUse::takes()
            } else {
                AddressUse::inits()
            }
        }
        AnyInst::CheckedCastAddrBranch(cast) => match (index, cast.consumption) {
            (0, CastConsumption::TakeAlways) => AddressUse::takes(),
            (0, CastConsumption::TakeOnSuccess) => {
                AddressUse { on_edges: vec![(0, Leaves::Nothing)], changes: true, ..AddressUse::reads() }
            }
            (0, _) => AddressUse::reads(),
            _ => {
                AddressUse { on_edges: vec![(0, Leaves::Value)], leaves: Leaves::Same, ..AddressUse::inits() }
            }
        },
        AnyInst::Yield(_) => yielded(facts, operand)?,
        _ => return None,
    })
}

/// Returns true if a terminator passes values on to blocks.
fn passes(body: &Body, inst: Inst) -> bool {
    matches!(body.inst(inst).opcode, Opcode::Branch | Opcode::CondBranch)
}

/// Returns what it does to memory to be passed to a function.
fn passed(facts: &BodyView<'_>, inst: Inst, index: usize) -> Option<AddressUse> {
    use ArgumentConvention as C;
    let site = ApplySite::new(facts.body, inst, facts.addresses())?;
    let convention = site.convention_of_operand(index)?;
    let opcode = facts.body.inst(inst).opcode;
    if opcode == Opcode::PartialApply {
        let is_on_stack = facts.body.has_flag(inst, "on_stack");
        return match convention {
            C::Inout | C::InoutAliasable => Some(AddressUse::ignores()),
            C::InGuaranteed if is_on_stack => Some(AddressUse::ignores()),
            // A closure that lasts longer takes its captures along.
            C::In | C::InGuaranteed if !is_on_stack => {
                Some(AddressUse { needs: Needs::Nothing, ..AddressUse::takes() })
            }
            _ => None,
        };
    }
    match convention {
        C::In => Some(AddressUse::takes()),
        C::InGuaranteed => Some(AddressUse::reads()),
        C::Inout => Some(AddressUse { changes: true, ..AddressUse::new(Needs::Value, Leaves::Value) }),
        C::InoutAliasable => Some(AddressUse { changes: true, ..AddressUse::reads() }),
        C::Out => match opcode {
            Opcode::Apply => Some(AddressUse::inits()),
            Opcode::TryApply => {
                let argument = site.argument_of_operand(index)?;
                let is_error = site.callee_conventions()?.error_argument() == Some(argument);
                let on_edges = vec![(usize::from(is_error), Leaves::Value)];
                Some(AddressUse { on_edges, leaves: Leaves::Same, ..AddressUse::inits() })
            }
            _ => None,
        },
        _ => None,
    }
}

/// Returns what it does to memory to be yielded to the caller.
fn yielded(facts: &BodyView<'_>, operand: Operand) -> Option<AddressUse> {
    let own = facts.function_type()?;
    match Conventions::new(own, facts.addresses()).yield_convention(facts.body.operand_index(operand))? {
        ArgumentConvention::In => Some(AddressUse::takes()),
        ArgumentConvention::InGuaranteed => Some(AddressUse::reads()),
        ArgumentConvention::Inout | ArgumentConvention::InoutAliasable => {
            Some(AddressUse { changes: true, ..AddressUse::reads() })
        }
        _ => None,
    }
}

/// Returns the edges of a switch behind which an enum is known to own nothing.
pub(super) fn switched(facts: &BodyView<'_>, inst: Inst) -> Option<Vec<(usize, Leaves)>> {
    let body = facts.body;
    let ty = facts.ty(body.operands(inst).first()?.value);
    let (cases, default) = match body.view(inst) {
        AnyInst::SwitchEnumAddr(s) => (s.cases, s.default_target),
        AnyInst::SwitchEnum(s) => (s.cases, s.default_target),
        _ => return None,
    };
    // An edge whose case is not known may lead to a trivial one.
    let is_trivial = |case: Symbol| facts.is_trivial_case(ty, case) != Some(false);
    let listed: Vec<Symbol> = cases.iter().filter_map(|(case, _)| case.name()).collect();
    let mut edges: Vec<usize> =
        listed.iter().enumerate().filter(|(_, case)| is_trivial(**case)).map(|(edge, _)| edge).collect();
    if default.is_some()
        && facts.other_cases(ty, &listed).is_none_or(|cases| cases.into_iter().all(is_trivial))
    {
        edges.push(listed.len());
    }
    Some(edges.into_iter().map(|edge| (edge, Leaves::KnownTrivial)).collect())
}
