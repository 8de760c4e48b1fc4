//! The ownership of values and the ownership constraints of operands (Ownership.md), from the instruction table.
//!
//! A [`BodyOwnership`] answers queries about the values of a body. The answer is `None` if a type is not known well
//! enough.

use crate::body::{ArgFlags, Body, Inst, Operand, Ownership, Value, ValueDef};
use crate::generated::Opcode;
use crate::info::{BuiltinInfo, OperandOwnership, UseRule, ValueOwnership};
use crate::module::Function;
use crate::semantics::conventions::{Addresses, ApplySite, ArgumentConvention, Conventions};
use silkit_base::{FxHashMap, Symbol};
use silkit_types::{FunctionType, GenericSig, NoFacts, SilType, TypeFacts};

/// The ownership constraint of an operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OwnershipConstraint {
    /// The required ownership, unless the value has none; `None` allows any.
    pub ownership: Option<Ownership>,
    /// True if the use ends the lifetime of the value.
    pub ends_lifetime: bool,
    /// True if the use allows unowned values.
    pub allows_unowned: bool,
}

impl OwnershipConstraint {
    /// Returns true if a value of this ownership satisfies the constraint.
    pub fn allows(self, ownership: Ownership) -> bool {
        match (ownership, self.ownership) {
            (Ownership::None, _) => true,
            (Ownership::Unowned, _) => self.allows_unowned,
            (_, None) => true,
            (given, Some(wanted)) => given == wanted,
        }
    }
}

impl OperandOwnership {
    /// Returns the ownership constraint of this kind of use.
    pub fn constraint(self) -> OwnershipConstraint {
        use OperandOwnership as O;
        let ownership = match self {
            O::TrivialUse => Some(Ownership::None),
            O::DestroyingConsume | O::ForwardingConsume => Some(Ownership::Owned),
            O::InteriorPointer | O::GuaranteedForwarding | O::EndBorrow | O::Reborrow => {
                Some(Ownership::Guaranteed)
            }
            O::NonUse
            | O::InstantaneousUse
            | O::UnownedInstantaneousUse
            | O::PointerEscape
            | O::BitwiseEscape
            // A value of any ownership may be used as an unowned value.
            | O::ForwardingUnowned
            | O::Borrow
            | O::AnyInteriorPointer => None,
        };
        OwnershipConstraint {
            ownership,
            ends_lifetime: matches!(
                self,
                O::DestroyingConsume | O::ForwardingConsume | O::EndBorrow | O::Reborrow
            ),
            allows_unowned: matches!(
                self,
                O::NonUse
                    | O::UnownedInstantaneousUse
                    | O::ForwardingUnowned
                    | O::PointerEscape
                    | O::BitwiseEscape
            ),
        }
    }

    /// Returns true if this kind of use ends the lifetime of the value.
    pub fn ends_lifetime(self) -> bool {
        self.constraint().ends_lifetime
    }

    /// Returns true if this kind of use forwards the value's ownership to a result.
    pub fn is_forwarding(self) -> bool {
        use OperandOwnership as O;
        matches!(self, O::ForwardingUnowned | O::ForwardingConsume | O::GuaranteedForwarding | O::Reborrow)
    }

    /// Returns the operand ownership that forwards a value of this ownership.
    fn forwarding(ownership: Ownership) -> Self {
        match ownership {
            Ownership::None => Self::TrivialUse,
            Ownership::Owned => Self::ForwardingConsume,
            Ownership::Guaranteed => Self::GuaranteedForwarding,
            Ownership::Unowned => Self::ForwardingUnowned,
        }
    }

    /// Returns the operand ownership of an argument with this convention, for a scope or for a call.
    fn passed(convention: ArgumentConvention, is_scope: bool) -> Self {
        match convention {
            ArgumentConvention::Owned => Self::ForwardingConsume,
            ArgumentConvention::Guaranteed if is_scope => Self::Borrow,
            ArgumentConvention::Guaranteed => Self::InstantaneousUse,
            ArgumentConvention::Unowned => Self::UnownedInstantaneousUse,
            _ => Self::TrivialUse,
        }
    }
}

/// The function that a body belongs to, as far as ownership depends on it.
#[derive(Clone, Copy)]
pub struct OwnershipContext<'a> {
    facts: &'a dyn TypeFacts,
    ty: Option<&'static FunctionType>,
    has_ossa: bool,
    addresses: Addresses,
}

impl<'a> OwnershipContext<'a> {
    /// Creates the context of a function's body.
    pub fn new(function: &Function, facts: &'a dyn TypeFacts, addresses: Addresses) -> Self {
        Self { facts, ty: function.ty.ty().as_function(), has_ossa: function.has_ossa(), addresses }
    }

    /// Returns the generic signature of the function.
    pub fn signature(&self) -> Option<GenericSig> {
        self.ty.and_then(|ty| ty.sig)
    }

    /// Creates a context in which nothing is known about types.
    pub fn without_facts() -> OwnershipContext<'static> {
        OwnershipContext { facts: &NoFacts, ty: None, has_ossa: true, addresses: Addresses::Lowered }
    }

    /// Returns whether values of a type need no memory management: trivial types and all addresses.
    pub fn is_trivial(&self, ty: SilType) -> Option<bool> {
        if ty.is_address() {
            return Some(true);
        }
        if ty.is_unknown() {
            return None;
        }
        self.facts.type_properties(ty.ty(), self.signature()).trivial
    }

    fn conventions(&self) -> Option<Conventions<'static>> {
        self.ty.map(|ty| Conventions::new(ty, self.addresses))
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Slot {
    Open,
    Busy,
    Known(Option<Ownership>),
}

/// The ownership of the values of a body at one epoch.
pub struct BodyOwnership<'a> {
    body: &'a Body,
    context: OwnershipContext<'a>,
    values: Slots,
}

/// Cached ownership of all values, or of single values.
#[derive(Debug)]
enum Slots {
    Dense(Vec<Slot>),
    Sparse(FxHashMap<Value, Slot>),
    /// No cache.
    OnDemand,
}

impl Slots {
    fn get(&self, value: Value) -> Option<Slot> {
        match self {
            Self::Dense(slots) => slots.get(value.as_u32() as usize).copied(),
            Self::Sparse(slots) => Some(slots.get(&value).copied().unwrap_or(Slot::Open)),
            Self::OnDemand => None,
        }
    }

    fn set(&mut self, value: Value, slot: Slot) {
        match self {
            Self::Dense(slots) => slots[value.as_u32() as usize] = slot,
            Self::Sparse(slots) => _ = slots.insert(value, slot),
            Self::OnDemand => {}
        }
    }
}

impl std::fmt::Debug for BodyOwnership<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("BodyOwnership").field("values", &self.values).finish_non_exhaustive()
    }
}

/// Returns the ownership of one value, in time proportional to the number of values that it depends on. Use a
/// [`BodyOwnership`] for many queries.
pub fn value_ownership(body: &Body, value: Value, context: OwnershipContext<'_>) -> Option<Ownership> {
    // Do not visit the operands of a large aggregate for nothing.
    if body.defining_inst(value).is_some_and(|inst| forwards(body, inst))
        && context.is_trivial(body.value(value).ty) == Some(true)
    {
        return Some(Ownership::None);
    }
    let mut solver = BodyOwnership { body, context, values: Slots::Sparse(FxHashMap::default()) };
    solver.solve(value);
    solver.value(value)
}

/// Returns true if the results of an instruction take their ownership from its operands.
fn forwards(body: &Body, inst: Inst) -> bool {
    matches!(body.info(inst).value_ownership, ValueOwnership::Forwarded | ValueOwnership::ForwardedPart)
}

impl<'a> BodyOwnership<'a> {
    /// Computes the ownership of all values of a body.
    pub fn new(body: &'a Body, context: OwnershipContext<'a>) -> Self {
        let values = Slots::Dense(vec![Slot::Open; body.value_bound()]);
        let mut all = Self { body, context, values };
        for value in (0..body.value_bound() as u32).map(Value::from_u32) {
            // Removed instructions have no operands.
            if body.defining_inst(value).is_none_or(|inst| body.inst_block(inst).is_some()) {
                all.solve(value);
            }
        }
        all
    }

    /// Creates a [`BodyOwnership`] that computes the ownership of single values on demand, in time proportional to
    /// the number of values that each depends on.
    pub fn on_demand(body: &'a Body, context: OwnershipContext<'a>) -> Self {
        Self { body, context, values: Slots::OnDemand }
    }

    /// Returns the representation of address-only values.
    pub fn addresses(&self) -> Addresses {
        self.context.addresses
    }

    /// Returns the ownership of a value; `None` if it is not known.
    pub fn value(&self, value: Value) -> Option<Ownership> {
        if let Slots::OnDemand = self.values {
            return value_ownership(self.body, value, self.context);
        }
        match self.values.get(value) {
            Some(Slot::Known(found)) => found,
            _ => None,
        }
    }

    /// Computes the ownership of a value and of the values that it depends on, without recursion.
    fn solve(&mut self, value: Value) {
        // Few values depend on one that is not solved yet.
        if self.values.get(value) == Some(Slot::Open)
            && !self.sources(value).any(|v| self.values.get(v) == Some(Slot::Open))
        {
            let found = Slot::Known(self.rule(value));
            self.values.set(value, found);
            return;
        }
        let mut stack = vec![value];
        while let Some(&top) = stack.last() {
            let before = self.values.get(top);
            if matches!(before, Some(Slot::Known(_))) {
                stack.pop();
                continue;
            }
            let mut open = Vec::new();
            self.values.set(top, Slot::Busy);
            if before == Some(Slot::Open) {
                open.extend(self.sources(top).filter(|&v| self.values.get(v) == Some(Slot::Open)));
            }
            if open.is_empty() {
                let found = Slot::Known(self.rule(top));
                self.values.set(top, found);
                stack.pop();
            } else {
                stack.extend(open);
            }
        }
    }

    /// Returns the values that a value takes its ownership from.
    fn sources(&self, value: Value) -> impl Iterator<Item = Value> {
        let inst = match self.body.def(value) {
            ValueDef::Result(inst, _) if self.context.has_ossa => Some(inst),
            _ => None,
        };
        let body = self.body;
        inst.filter(|&i| forwards(body, i))
            .into_iter()
            .flat_map(|i| forwarded_operands(body, i))
            .map(|o| body.operand(o).value)
    }

    fn rule(&self, value: Value) -> Option<Ownership> {
        let data = self.body.value(value);
        if !self.context.has_ossa || data.ty.is_address() {
            return Some(Ownership::None);
        }
        match self.body.def(value) {
            // A value of trivial type has no ownership, even if one is spelled.
            ValueDef::Argument(..) => match data.ownership {
                Ownership::None => Some(Ownership::None),
                _ if self.context.is_trivial(data.ty) == Some(true) => Some(Ownership::None),
                spelled => Some(spelled),
            },
            ValueDef::Undef | ValueDef::Pending => Some(Ownership::None),
            ValueDef::Result(inst, index) => {
                let rule = self.body.info(inst).value_ownership;
                self.result(inst, usize::from(index), data.ty, rule)
            }
        }
    }

    fn result(&self, inst: Inst, index: usize, ty: SilType, rule: ValueOwnership) -> Option<Ownership> {
        use ValueOwnership as V;
        let or_none = |ownership| match self.context.is_trivial(ty) {
            Some(true) => Some(Ownership::None),
            Some(false) => Some(ownership),
            None => None,
        };
        match rule {
            V::None => Some(Ownership::None),
            V::Owned => Some(Ownership::Owned),
            V::Guaranteed => Some(Ownership::Guaranteed),
            V::Unowned => Some(Ownership::Unowned),
            V::OwnedOrNone => or_none(Ownership::Owned),
            V::GuaranteedOrNone => or_none(Ownership::Guaranteed),
            V::UnownedOrNone => or_none(Ownership::Unowned),
            // An aggregate with a non-trivial part is non-trivial.
            V::Forwarded | V::ForwardedPart if self.context.is_trivial(ty) == Some(true) => {
                Some(Ownership::None)
            }
            V::Forwarded => self.forwarded(inst),
            V::ForwardedPart => match self.forwarded(inst)? {
                Ownership::None => Some(Ownership::None),
                ownership => or_none(ownership),
            },
            V::Loaded => Some(match self.body.keyword(inst, "qualifier") {
                Some("take" | "copy") => Ownership::Owned,
                _ => Ownership::None,
            }),
            V::Converted => Some(match self.body.keyword(inst, "to") {
                Some("@owned") => Ownership::Owned,
                Some("@guaranteed") => Ownership::Guaranteed,
                Some("@unowned") => Ownership::Unowned,
                _ => Ownership::None,
            }),
            V::Called => self.call_result(inst, index, ty),
            V::Builtin => match builtin(self.body, inst).map_or(V::UnownedOrNone, |b| b.result) {
                V::Builtin => None,
                rule => self.result(inst, index, ty, rule),
            },
            V::CowMutation => Some(if index == 0 { Ownership::None } else { Ownership::Owned }),
        }
    }

    fn call_result(&self, inst: Inst, index: usize, ty: SilType) -> Option<Ownership> {
        let site = ApplySite::new(self.body, inst, self.context.addresses)?;
        let conventions = site.callee_conventions()?;
        if self.body.inst(inst).opcode == Opcode::BeginApply {
            // The token and, if present, the callee's stack allocation follow the yields.
            let Some(convention) = conventions.yield_convention(index) else { return Some(Ownership::None) };
            return match convention {
                ArgumentConvention::Owned => Some(Ownership::Owned),
                ArgumentConvention::Guaranteed => match self.context.is_trivial(ty)? {
                    true => Some(Ownership::None),
                    false => Some(Ownership::Guaranteed),
                },
                ArgumentConvention::Unowned => match self.context.is_trivial(ty)? {
                    true => Some(Ownership::None),
                    false => Some(Ownership::Unowned),
                },
                _ => Some(Ownership::None),
            };
        }
        if self.context.is_trivial(ty) == Some(true) {
            return Some(Ownership::None);
        }
        self.returned(conventions, self.context.is_trivial(ty))
    }

    /// Returns the combined ownership of all direct results of a function.
    fn returned(&self, conventions: Conventions<'_>, is_trivial: Option<bool>) -> Option<Ownership> {
        let mut direct = conventions.direct_results();
        let (first, rest) = (direct.next(), direct.next());
        match (first, rest) {
            (None, _) => Some(Ownership::None),
            // A single result has the type of the value; the callee's type is not substituted.
            (Some((_, result)), None) => conventions.addresses.direct_result(result.convention, is_trivial),
            _ => merge(conventions.direct_results().map(|(_, r)| {
                let is_trivial = self.context.is_trivial(SilType::object(r.ty));
                conventions.addresses.direct_result(r.convention, is_trivial)
            })),
        }
    }

    /// Returns the ownership that an instruction forwards: as spelled, or that of its operands.
    pub fn forwarded(&self, inst: Inst) -> Option<Ownership> {
        if let Some(spelled) = self.body.inst(inst).forwarding {
            return Some(spelled);
        }
        match self.body.keyword(inst, "ownership") {
            Some("owned") => return Some(Ownership::Owned),
            Some("guaranteed") => return Some(Ownership::Guaranteed),
            _ => {}
        }
        merge(forwarded_operands(self.body, inst).map(|o| self.value(self.body.operand(o).value)))
    }

    /// Returns the instructions that spell the same forwarding ownership that their operands imply.
    pub fn needless_forwarding(&self) -> Vec<Inst> {
        let needless = |&inst: &Inst| {
            let values = forwarded_operands(self.body, inst).map(|o| self.value(self.body.operand(o).value));
            let spelled = self.body.inst(inst).forwarding;
            spelled.is_some() && merge(values) == spelled
        };
        self.body.insts().filter(needless).collect()
    }

    /// Returns whether values of a type need no memory management.
    pub fn is_trivial(&self, ty: SilType) -> Option<bool> {
        self.context.is_trivial(ty)
    }

    /// Returns whether a type is non-escapable: its values must not outlive what they depend on.
    pub fn is_non_escapable(&self, ty: SilType) -> Option<bool> {
        self.context.facts.type_properties(ty.ty(), self.context.signature()).non_escapable
    }

    /// Returns the operand ownership of an operand; `None` if it is not known.
    pub fn operand(&self, operand: Operand) -> Option<OperandOwnership> {
        use OperandOwnership as O;
        let body = self.body;
        let data = body.operand(operand);
        let inst = data.user;
        let index = body.operand_index(operand);
        // A type-dependent operand only requires dominance.
        let Some(spec) = body.operand_spec(operand) else { return Some(O::NonUse) };
        match body.info(inst).operands[spec].ownership {
            UseRule::Always(ownership) => Some(ownership),
            UseRule::Forwarded => self.forwarded(inst).map(O::forwarding),
            UseRule::Called => {
                let site = ApplySite::new(body, inst, self.context.addresses)?;
                let is_scope = body.inst(inst).opcode == Opcode::BeginApply;
                Some(O::passed(site.convention_of_operand(index)?, is_scope))
            }
            UseRule::Captured => {
                let is_on_stack = body.has_flag(inst, "on_stack");
                Some(match self.value(data.value)? {
                    Ownership::None => O::TrivialUse,
                    _ if is_on_stack => O::Borrow,
                    _ => O::ForwardingConsume,
                })
            }
            UseRule::Builtin => {
                let count = body.operands(inst).len() - body.type_operands(inst).len();
                Some(builtin(body, inst).map_or(O::InstantaneousUse, |b| b.operand(index, count)))
            }
            UseRule::Returned => {
                let is_trivial = self.context.is_trivial(body.value(data.value).ty);
                Some(match self.returned(self.context.conventions()?, is_trivial)? {
                    Ownership::Unowned => O::UnownedInstantaneousUse,
                    ownership => O::forwarding(ownership),
                })
            }
            UseRule::Yielded => Some(O::passed(self.context.conventions()?.yield_convention(index)?, true)),
            UseRule::Passed => {
                let argument = body.value(*body.arguments(body.successors(inst).next()?).get(index)?);
                Some(match argument.ownership {
                    Ownership::Guaranteed if argument.arg_flags.contains(ArgFlags::REBORROW) => O::Reborrow,
                    ownership => O::forwarding(ownership),
                })
            }
            UseRule::Dependence => Some(match self.body.keyword(inst, "kind") {
                Some("nonescaping") if body.value(data.value).ty.is_address() => O::TrivialUse,
                Some("nonescaping") if self.is_address_dependence(inst) => O::AnyInteriorPointer,
                Some("nonescaping") => O::Borrow,
                _ => O::PointerEscape,
            }),
            UseRule::AddressDependence => Some(match self.body.keyword(inst, "kind") {
                Some("nonescaping") => O::AnyInteriorPointer,
                _ => O::PointerEscape,
            }),
        }
    }

    fn is_address_dependence(&self, inst: Inst) -> bool {
        self.body.results(inst).any(|v| self.body.value(v).ty.is_address())
    }
}

/// Returns the operands whose ownership an instruction forwards to its results or successors.
pub fn forwarded_operands(body: &Body, inst: Inst) -> impl Iterator<Item = Operand> + '_ {
    let specs = body.info(inst).operands;
    (0..specs.len())
        .filter(move |&spec| specs[spec].is_forwarded())
        .flat_map(move |spec| body.operand_range(inst, spec))
        .map(move |index| body.operand_id(inst, index))
}

/// Returns the builtin table row of a `builtin` instruction.
pub fn builtin(body: &Body, inst: Inst) -> Option<&'static BuiltinInfo> {
    if body.inst(inst).opcode != Opcode::Builtin {
        return None;
    }
    BuiltinInfo::find(Symbol::from_u32(*body.words(inst).first()?).as_str())
}

/// Returns the ownership of an aggregate of several values, ignoring values without ownership. Returns `None` if one
/// is not known or if they conflict.
fn merge(mut all: impl Iterator<Item = Option<Ownership>>) -> Option<Ownership> {
    all.try_fold(Ownership::None, |merged, next| match (merged, next?) {
        (Ownership::None, other) | (other, Ownership::None) => Some(other),
        (a, b) => (a == b).then_some(a),
    })
}
