//! The live range of the memory at an address: as long as its owner keeps it initialized.

use super::borrows::Borrows;
use super::interior::{Extent, Interior};
use super::variables::Variable;
use crate::InstRange;
use crate::alias::AccessBase;
use silkit_base::Symbol;
use silkit_ir::conventions::{ApplySite, ArgumentConvention, Conventions};
use silkit_ir::instructions::StoreBorrow;
use silkit_ir::{Inst, Ownership, Value, ValueDef};

/// The range in which the memory at an address is initialized with the same value. Uses of derived addresses may be
/// moved within the range.
#[derive(Clone, Debug)]
pub enum AddressLiveRange<'a> {
    /// The caller keeps the memory of this argument initialized: the whole function.
    Caller(Value),
    /// This global variable, which is always initialized.
    Global(Symbol),
    /// The memory of a local variable, from the assignment that reaches the address to where the value is taken,
    /// destroyed or replaced; or memory that a coroutine yields.
    Local(Value, InstRange<'a>),
    /// An owned value, from its definition.
    Owned(Value, InstRange<'a>),
    /// The borrow introducers. The value is live where all of their scopes are open.
    Borrowed(Vec<(Value, InstRange<'a>)>),
}

impl<'a> AddressLiveRange<'a> {
    /// Computes the range for an address with an access base at an instruction; `None` if it is not known.
    ///
    /// `conventions` are the conventions of the function; without them, arguments are not known.
    pub fn of(
        borrows: &Borrows<'a>,
        conventions: Option<&Conventions<'_>>,
        base: AccessBase,
        at: Inst,
    ) -> Option<Self> {
        use ArgumentConvention as C;
        let body = borrows.body;
        match base {
            AccessBase::Box(_) | AccessBase::Class(_) | AccessBase::Tail(_) => {
                Self::of_value(borrows, base.object(body)?)
            }
            AccessBase::StoreBorrow(address) => {
                Self::of_value(borrows, body.def_as::<StoreBorrow>(address)?.source)
            }
            AccessBase::Stack(value) => Self::of_variable(borrows, conventions, value, at),
            AccessBase::Global(name) => Some(Self::Global(name)),
            AccessBase::Argument(value) => {
                let ValueDef::Argument(_, index) = body.def(value) else { return None };
                match conventions?.convention(index.into())? {
                    C::InGuaranteed | C::Out | C::PackGuaranteed => Some(Self::Caller(value)),
                    C::In | C::Inout | C::InoutAliasable => {
                        Self::of_variable(borrows, conventions, value, at)
                    }
                    _ => None,
                }
            }
            AccessBase::Yield(value) => Self::of_yielded(borrows, value),
            AccessBase::Pointer(_) | AccessBase::Unidentified(_) => None,
        }
    }

    /// Returns true if an instruction after the queried one is in the range or ends it.
    pub fn covers(&self, inst: Inst) -> bool {
        match self {
            Self::Caller(_) | Self::Global(_) => true,
            Self::Local(_, range) | Self::Owned(_, range) => range.contains_or_ends(inst),
            Self::Borrowed(ranges) => ranges.iter().all(|(_, range)| range.contains_or_ends(inst)),
        }
    }

    fn of_value(borrows: &Borrows<'a>, value: Value) -> Option<Self> {
        match borrows.ownership.value(value)? {
            Ownership::Owned => Some(Self::Owned(value, borrows.interior_range(value)?)),
            Ownership::Guaranteed => {
                let introducers = borrows.introducers(value).into_iter();
                let ranges = introducers.map(|v| Some((v, borrows.interior_range(v)?)));
                Some(Self::Borrowed(ranges.collect::<Option<_>>()?))
            }
            Ownership::None | Ownership::Unowned => None,
        }
    }

    fn of_variable(
        borrows: &Borrows<'a>,
        conventions: Option<&Conventions<'_>>,
        allocation: Value,
        at: Inst,
    ) -> Option<Self> {
        let body = borrows.body;
        let variable = Variable::of(borrows, conventions, allocation)?;
        // All assignments that reach the same instruction have the same ends after it, so that one of them suffices.
        let assignment = *variable.assignments_before(body, at).ok()?.first()?;
        let begin = assignment.inst.or_else(|| body.first_inst(body.entry_block()?))?;
        let mut range = InstRange::new(body, begin);
        for inst in variable.lifetime_uses(body, assignment.inst) {
            let mut ends = body.scope_ends(inst).peekable();
            if ends.peek().is_none() {
                range.insert(inst);
            }
            ends.for_each(|end| range.insert(end));
        }
        Some(Self::Local(allocation, range))
    }

    fn of_yielded(borrows: &Borrows<'a>, value: Value) -> Option<Self> {
        let body = borrows.body;
        let ValueDef::Result(begin, index) = body.def(value) else { return None };
        let conventions = ApplySite::new(body, begin, borrows.ownership.addresses())?.callee_conventions()?;
        if conventions.yield_convention(index.into()) != Some(ArgumentConvention::InGuaranteed) {
            return None;
        }
        let mut range = InstRange::new(body, begin);
        borrows.coroutine_ends(begin).for_each(|end| range.insert(body.operand(end).user));
        Some(Self::Local(value, range))
    }
}

impl<'a> Borrows<'a> {
    /// Returns the instructions from the definition of a value to all its interior uses, including the ends of inner
    /// scopes. Escapes count as uses. Returns `None` for `undef`.
    pub fn interior_range(&self, value: Value) -> Option<InstRange<'a>> {
        let begin = match self.body.def(value) {
            ValueDef::Result(inst, _) => inst,
            ValueDef::Argument(block, _) if self.is_phi_or_unreachable(value) => {
                self.body.first_inst(block)?
            }
            ValueDef::Argument(block, _) => match self.body.single_predecessor(block) {
                Some(before) => self.body.terminator(before)?,
                None => self.body.first_inst(block)?,
            },
            ValueDef::Undef | ValueDef::Pending => return None,
        };
        let mut range = InstRange::new(self.body, begin);
        let extent = Extent { follows_dependences: true, ..Extent::default() };
        for found in self.interior_uses(value, extent) {
            match found {
                Interior::Use(inst, _) | Interior::Endless(inst) | Interior::Escape(inst) => {
                    range.insert(inst)
                }
                Interior::Scope(scope) => range.insert(scope.begin),
                Interior::PassedOn(_) => {}
            }
        }
        Some(range)
    }
}
