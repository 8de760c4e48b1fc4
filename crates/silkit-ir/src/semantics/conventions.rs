//! Argument conventions, and all conversions between the index spaces of call arguments.
//!
//! A call has four index spaces (SIL Programmers' Manual, "SILFunction and apply arguments"):
//!
//! | number | counts |
//! |---|---|
//! | parameter | the parameters of the function type |
//! | SIL argument | the arguments of the callee's entry block: indirect results, the indirect error, parameters |
//! | applied argument | the arguments that an apply site passes: all SIL arguments, or the captured ones, the last |
//! | operand | the operands of the apply site: the callee comes first |
//!
//! Which results and parameters are indirect depends on the representation of address-only values ([`Addresses`]). No
//! other code computes these offsets.

use crate::body::{Body, Inst, Operand, Ownership, Value};
use crate::generated::Opcode;
use crate::info::{ApplyKind, InstInfo};
use crate::module::Function;
use silkit_types::{
    CalleeConvention, FunctionType, Param, ParamConvention, ResultConvention, ResultInfo, SilType, Type,
};
use std::sync::LazyLock;

/// The representation of address-only values.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, Default)]
pub enum Addresses {
    /// In memory: lowered addresses.
    #[default]
    Lowered,
    /// As values: SIL with `-enable-sil-opaque-values`, which Swift 6.2 keeps throughout raw SIL.
    Opaque,
}

/// The role of a SIL argument.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ArgumentRole {
    /// The address of an indirect result, by its index among all results.
    IndirectResult(usize),
    /// The address of the indirect error.
    IndirectError,
    /// A parameter, by its index.
    Param(usize),
}

/// The convention by which a SIL argument is passed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ArgumentConvention {
    /// An address that the callee initializes.
    Out,
    /// An address whose value the callee takes.
    In,
    /// An address whose value the callee borrows.
    InGuaranteed,
    /// An address of a C++ value that the caller destroys.
    InCxx,
    /// An address with exclusive access for the callee.
    Inout,
    /// An address that may be accessed by others during the call.
    InoutAliasable,
    /// A value that the callee consumes.
    Owned,
    /// A value that the callee borrows.
    Guaranteed,
    /// A value without a guaranteed lifetime.
    Unowned,
    /// A pack whose elements the callee initializes.
    PackOut,
    /// A pack whose elements the callee takes.
    PackOwned,
    /// A pack whose elements the callee borrows.
    PackGuaranteed,
    /// A pack whose elements the callee changes.
    PackInout,
}

impl ArgumentConvention {
    /// Returns true if the argument is passed as an address.
    pub fn is_indirect(self) -> bool {
        !matches!(self, Self::Owned | Self::Guaranteed | Self::Unowned)
    }

    /// Returns true if the callee consumes the argument.
    pub fn is_consumed(self) -> bool {
        matches!(self, Self::In | Self::Owned | Self::PackOwned)
    }

    /// Returns true if the callee borrows the argument.
    pub fn is_guaranteed(self) -> bool {
        matches!(self, Self::InGuaranteed | Self::Guaranteed | Self::PackGuaranteed)
    }

    /// Returns true if the callee may change the memory at the address.
    pub fn is_mutating(self) -> bool {
        matches!(self, Self::Out | Self::Inout | Self::InoutAliasable | Self::PackOut | Self::PackInout)
    }

    /// Returns the convention for the context of a closure.
    pub fn of_callee(convention: CalleeConvention) -> Self {
        match convention {
            CalleeConvention::Owned => Self::Owned,
            CalleeConvention::Guaranteed => Self::Guaranteed,
            CalleeConvention::Unowned => Self::Unowned,
        }
    }
}

impl Addresses {
    /// Returns the convention of a parameter or a yielded value.
    pub fn param(self, convention: ParamConvention) -> ArgumentConvention {
        use ArgumentConvention as A;
        use ParamConvention as P;
        match (convention, self) {
            (P::In | P::InConstant | P::InCxx, Addresses::Opaque) => A::Owned,
            (P::InGuaranteed, Addresses::Opaque) => A::Guaranteed,
            (P::In | P::InConstant, Addresses::Lowered) => A::In,
            (P::InGuaranteed, Addresses::Lowered) => A::InGuaranteed,
            (P::InCxx, Addresses::Lowered) => A::InCxx,
            (P::Inout | P::FormalInout, _) => A::Inout,
            (P::InoutAliasable, _) => A::InoutAliasable,
            (P::PackOwned, _) => A::PackOwned,
            (P::PackGuaranteed, _) => A::PackGuaranteed,
            (P::PackInout, _) => A::PackInout,
            (P::Owned | P::FormalOwned | P::Consuming, _) => A::Owned,
            (P::Guaranteed | P::FormalShared | P::Borrowing, _) => A::Guaranteed,
            (P::Unowned, _) => A::Unowned,
        }
    }

    /// Returns true if a result is returned through an address.
    pub fn is_indirect_result(self, convention: ResultConvention) -> bool {
        match convention {
            ResultConvention::Out => self == Addresses::Lowered,
            other => other.is_indirect(),
        }
    }

    /// Returns the ownership of a direct result. `is_trivial` is `None` if its type is not known.
    ///
    /// A result without a convention is owned in OSSA; lowering OSSA inserts a retain after the call.
    pub fn direct_result(self, convention: ResultConvention, is_trivial: Option<bool>) -> Option<Ownership> {
        use ResultConvention as R;
        match (convention, is_trivial) {
            (R::GuaranteedAddress | R::Inout, _) => Some(Ownership::None),
            (_, Some(true)) => Some(Ownership::None),
            (R::Owned | R::Autoreleased, _) => Some(Ownership::Owned),
            (R::Guaranteed, _) => Some(Ownership::Guaranteed),
            (_, None) => None,
            (R::Out | R::PackOut | R::Unowned, _) => Some(Ownership::Owned),
            (R::UnownedInnerPointer, _) => Some(Ownership::Unowned),
        }
    }
}

/// The conventions of a lowered function type, which give the roles of the entry block arguments.
#[derive(Clone, Copy, Debug)]
pub struct Conventions<'t> {
    /// The function type.
    pub ty: &'t FunctionType,
    /// The representation of address-only values.
    pub addresses: Addresses,
}

impl<'t> Conventions<'t> {
    /// Creates the conventions of a function type.
    pub fn new(ty: &'t FunctionType, addresses: Addresses) -> Self {
        Self { ty, addresses }
    }

    /// Returns the conventions of a function.
    pub fn of(function: &Function, addresses: Addresses) -> Option<Conventions<'static>> {
        function.ty.ty().as_function().map(|ty| Conventions { ty, addresses })
    }

    /// Returns the indirect results with their indices.
    pub fn indirect_results(&self) -> impl Iterator<Item = (usize, &'t ResultInfo)> + use<'t> {
        let addresses = self.addresses;
        self.ty.results.iter().enumerate().filter(move |(_, r)| addresses.is_indirect_result(r.convention))
    }

    /// Returns the direct results with their indices.
    pub fn direct_results(&self) -> impl Iterator<Item = (usize, &'t ResultInfo)> + use<'t> {
        let addresses = self.addresses;
        self.ty.results.iter().enumerate().filter(move |(_, r)| !addresses.is_indirect_result(r.convention))
    }

    /// Returns true if the direct result is an address: the function projects memory of its caller (since Swift 6.3).
    pub fn returns_address(&self) -> bool {
        use ResultConvention as R;
        self.ty.results.iter().any(|r| matches!(r.convention, R::GuaranteedAddress | R::Inout))
    }

    /// Returns the number of indirect results.
    pub fn indirect_result_count(&self) -> usize {
        self.indirect_results().count()
    }

    /// Returns true if the error is returned through an address.
    pub fn has_indirect_error(&self) -> bool {
        self.ty.error.is_some_and(|e| self.addresses.is_indirect_result(e.convention))
    }

    /// Returns the index of the SIL argument for the first indirect result.
    pub fn first_indirect_result_argument(&self) -> usize {
        0
    }

    /// Returns the index of the SIL argument for the indirect error.
    pub fn error_argument(&self) -> Option<usize> {
        self.has_indirect_error().then(|| self.indirect_result_count())
    }

    /// Returns the index of the SIL argument for the first parameter.
    pub fn first_param_argument(&self) -> usize {
        self.indirect_result_count() + usize::from(self.has_indirect_error())
    }

    /// Returns the number of SIL arguments.
    pub fn argument_count(&self) -> usize {
        self.first_param_argument() + self.ty.params.len()
    }

    /// Returns the index of the SIL argument for `self`, which is the last parameter of a method.
    pub fn self_argument(&self) -> Option<usize> {
        self.argument_count().checked_sub(1).filter(|&i| i >= self.first_param_argument())
    }

    /// Returns the index of the SIL argument for a parameter.
    pub fn argument_of_param(&self, param: usize) -> Option<usize> {
        (param < self.ty.params.len()).then(|| self.first_param_argument() + param)
    }

    /// Returns the index of the SIL argument for a result, or `None` if the result is direct.
    pub fn argument_of_result(&self, result: usize) -> Option<usize> {
        self.indirect_results().position(|(i, _)| i == result)
    }

    /// Returns the index of the parameter for a SIL argument, or `None` if the argument is not a parameter.
    pub fn param_of_argument(&self, argument: usize) -> Option<usize> {
        argument.checked_sub(self.first_param_argument()).filter(|&p| p < self.ty.params.len())
    }

    /// Returns the role of a SIL argument.
    pub fn role(&self, argument: usize) -> Option<ArgumentRole> {
        if let Some((result, _)) = self.indirect_results().nth(argument) {
            return Some(ArgumentRole::IndirectResult(result));
        }
        if self.error_argument() == Some(argument) {
            return Some(ArgumentRole::IndirectError);
        }
        self.param_of_argument(argument).map(ArgumentRole::Param)
    }

    /// Returns the parameter for a SIL argument.
    pub fn param(&self, argument: usize) -> Option<&'t Param> {
        self.ty.params.get(self.param_of_argument(argument)?)
    }

    /// Returns the convention of a SIL argument.
    pub fn convention(&self, argument: usize) -> Option<ArgumentConvention> {
        let result = |r: &ResultInfo| match r.convention {
            ResultConvention::PackOut => ArgumentConvention::PackOut,
            _ => ArgumentConvention::Out,
        };
        Some(match self.role(argument)? {
            ArgumentRole::IndirectResult(i) => result(&self.ty.results[i]),
            ArgumentRole::IndirectError => result(self.ty.error.as_ref()?),
            ArgumentRole::Param(i) => self.addresses.param(self.ty.params[i].convention),
        })
    }

    /// Returns the type of a SIL argument, in terms of the function's own generic parameters.
    pub fn argument_type(&self, argument: usize) -> Option<SilType> {
        let ty = match self.role(argument)? {
            ArgumentRole::IndirectResult(i) => self.ty.results[i].ty,
            ArgumentRole::IndirectError => self.ty.error?.ty,
            ArgumentRole::Param(i) => self.ty.params[i].ty,
        };
        Some(SilType::new(ty, self.convention(argument)?.is_indirect()))
    }

    /// Returns the result type of a call: the direct results, as a tuple unless there is exactly one.
    pub fn direct_result_type(&self) -> SilType {
        let ty = Type::tuple_of(self.direct_results().map(|(_, result)| result.ty));
        SilType::new(ty, self.returns_address())
    }

    /// Returns the convention of a yielded value.
    pub fn yield_convention(&self, index: usize) -> Option<ArgumentConvention> {
        self.ty.yields.get(index).map(|y| self.addresses.param(y.convention))
    }

    /// Returns the types of the yielded values.
    pub fn yield_types(&self) -> Vec<SilType> {
        let ty = |y: &Param| SilType::new(y.ty, self.addresses.param(y.convention).is_indirect());
        self.ty.yields.iter().map(ty).collect()
    }
}

/// An instruction that calls a function or creates a closure.
#[derive(Clone, Copy, Debug)]
pub struct ApplySite<'b> {
    body: &'b Body,
    /// The instruction.
    pub inst: Inst,
    /// The kind of apply site.
    pub kind: ApplyKind,
    parts: Parts,
    addresses: Addresses,
}

/// The indices of the parts of an apply site in the tables of its kind of instruction.
#[derive(Clone, Copy, Debug)]
struct Parts {
    /// The operand specification of the callee.
    callee: usize,
    /// The operand specification of the arguments.
    args: usize,
    /// The attribute with the type of the callee.
    ty: usize,
}

impl Parts {
    /// Returns the parts of an instruction with this opcode, or `None` if it is not an apply site.
    fn of(opcode: Opcode) -> Option<Self> {
        static PARTS: LazyLock<Vec<Option<Parts>>> = LazyLock::new(|| {
            let find = |info: &InstInfo| {
                let (callee, args) = (info.operand("callee")?, info.operand("args")?);
                Some(Parts { callee, args, ty: info.attr("type")? })
            };
            Opcode::ALL
                .iter()
                .map(|opcode| find(opcode.info()).filter(|_| opcode.info().apply.is_some()))
                .collect()
        });
        PARTS[opcode as usize]
    }
}

impl<'b> ApplySite<'b> {
    /// Returns an instruction as an apply site, or `None` if it is not one.
    pub fn new(body: &'b Body, inst: Inst, addresses: Addresses) -> Option<Self> {
        let kind = body.info(inst).apply?;
        let parts = Parts::of(body.inst(inst).opcode)
            .expect("invariant: an apply site has a callee, arguments and a type");
        Some(Self { body, inst, kind, parts, addresses })
    }

    /// Returns the apply site that an operand belongs to.
    pub fn of_operand(body: &'b Body, operand: Operand, addresses: Addresses) -> Option<Self> {
        Self::new(body, body.operand(operand).user, addresses)
    }

    /// Returns true if it is a full apply site: it calls the function.
    pub fn is_full(&self) -> bool {
        self.kind == ApplyKind::Full
    }

    /// Returns the operand index of the callee.
    pub fn callee_operand(&self) -> usize {
        self.body.operand_range(self.inst, self.parts.callee).start
    }

    /// Returns the function that is called or captured.
    pub fn callee(&self) -> Value {
        self.body.operand_value(self.inst, self.callee_operand())
    }

    /// Returns the callee's type as spelled, before substitution.
    pub fn callee_type(&self) -> SilType {
        SilType::from_u32(self.body.words(self.inst)[self.parts.ty])
    }

    /// Returns the formal types that replace the callee's generic parameters.
    pub fn substitutions(&self) -> Vec<Type> {
        self.body.word(self.inst, "subs").map_or_else(Vec::new, |list| self.body.type_list(list))
    }

    /// Returns the conventions of the callee. They do not depend on the substitutions; types do.
    pub fn callee_conventions(&self) -> Option<Conventions<'static>> {
        let ty = self.callee_type().ty().as_function()?;
        Some(Conventions::new(ty, self.addresses))
    }

    fn applied(&self) -> std::ops::Range<usize> {
        self.body.operand_range(self.inst, self.parts.args)
    }

    /// Returns the number of applied arguments.
    pub fn applied_count(&self) -> usize {
        self.applied().len()
    }

    /// Returns the applied arguments.
    pub fn arguments(&self) -> impl ExactSizeIterator<Item = Value> + Clone + use<'b> {
        self.body.operands(self.inst)[self.applied()].iter().map(|o| o.value)
    }

    /// Returns the operand index of an applied argument.
    pub fn operand_of_applied(&self, applied: usize) -> Option<usize> {
        let range = self.applied();
        (applied < range.len()).then(|| range.start + applied)
    }

    /// Returns the index of the applied argument for an operand index.
    pub fn applied_of_operand(&self, operand: usize) -> Option<usize> {
        let range = self.applied();
        range.contains(&operand).then(|| operand - range.start)
    }

    /// Returns the callee's SIL argument for the first applied argument; `None` if more arguments are applied than
    /// the callee takes.
    pub fn first_applied_argument(&self) -> Option<usize> {
        match self.kind {
            ApplyKind::Full => Some(0),
            ApplyKind::Partial => self.first_argument(&self.callee_conventions()?, self.applied_count()),
        }
    }

    /// Returns the SIL argument of this callee for the first of `count` applied arguments.
    fn first_argument(&self, callee: &Conventions<'_>, count: usize) -> Option<usize> {
        match self.kind {
            ApplyKind::Full => Some(0),
            ApplyKind::Partial => callee.argument_count().checked_sub(count),
        }
    }

    /// Returns the callee's SIL argument for an applied argument.
    pub fn argument_of_applied(&self, applied: usize) -> Option<usize> {
        let argument = self.first_applied_argument()? + applied;
        (applied < self.applied_count() && argument < self.callee_conventions()?.argument_count())
            .then_some(argument)
    }

    /// Returns the applied argument for a SIL argument of the callee, or `None` if this site does not apply it.
    pub fn applied_of_argument(&self, argument: usize) -> Option<usize> {
        argument.checked_sub(self.first_applied_argument()?).filter(|&a| a < self.applied_count())
    }

    /// Returns the callee's SIL argument for an operand index.
    pub fn argument_of_operand(&self, operand: usize) -> Option<usize> {
        self.argument_of_applied(self.applied_of_operand(operand)?)
    }

    /// Returns the operand index for a SIL argument of the callee.
    pub fn operand_of_argument(&self, argument: usize) -> Option<usize> {
        self.operand_of_applied(self.applied_of_argument(argument)?)
    }

    /// Returns the convention of an applied argument.
    pub fn convention_of_applied(&self, applied: usize) -> Option<ArgumentConvention> {
        self.callee_conventions()?.convention(self.argument_of_applied(applied)?)
    }

    /// Returns the convention of an operand. The convention of the callee operand is that of its context.
    pub fn convention_of_operand(&self, operand: usize) -> Option<ArgumentConvention> {
        let callee = self.callee_conventions()?;
        if operand == self.callee_operand() {
            return Some(ArgumentConvention::of_callee(callee.ty.callee));
        }
        let applied = self.applied();
        let argument = self.first_argument(&callee, applied.len())?
            + applied.contains(&operand).then(|| operand - applied.start)?;
        if argument < callee.argument_count() { callee.convention(argument) } else { None }
    }

    /// Returns the value that is applied as `self`, the last argument of a method.
    pub fn self_value(&self) -> Option<Value> {
        let argument = self.callee_conventions()?.self_argument()?;
        Some(self.body.operand_value(self.inst, self.operand_of_argument(argument)?))
    }
}
