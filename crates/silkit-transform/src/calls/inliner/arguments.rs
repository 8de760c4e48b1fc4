//! Arguments of an inlined body: owned values that the callee takes as guaranteed are borrowed around the inlined
//! body, and lexical values of the callee stay lexical.
//!
//! ```text
//!   %2 = apply %f(%1) : $@convention(thin) (@guaranteed C) -> ()   // %1 is owned
//! ---
//!   %2 = begin_borrow [lexical] %1
//!   …                                                              // the copy uses %2
//!   end_borrow %2
//! ```

use super::{CannotInline, Inliner};
use crate::lifetime::lexical::is_lexical;
use silkit_analysis::access::{AccessScopes, StorageKind, find};
use silkit_ir::conventions::{ArgumentConvention, Conventions};
use silkit_ir::instructions::{BeginBorrow, MoveValue};
use silkit_ir::{Block, Body, Function, Inst, Loc, Opcode, Ownership, Point, Value};
use silkit_pass::FunctionContext;

/// How an argument is passed to the inlined body.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Passing {
    /// Unchanged.
    Itself,
    /// Borrowed until the end of the inlined body.
    Borrowed {
        /// True for `[lexical]`.
        is_lexical: bool,
    },
    /// Moved to a new owned value with a lexical lifetime.
    Moved,
}

/// The arguments as used by the inlined body, and the borrows among them.
pub(super) struct PassedArguments {
    pub(super) passed: Vec<Value>,
    pub(super) made: Vec<Value>,
}

impl Passing {
    /// Decides how the arguments of a call are passed to the inlined body.
    pub(super) fn of_arguments(
        cx: &FunctionContext<'_>,
        callee: &Function,
        source: &Body,
        arguments: &[Value],
    ) -> Result<Vec<Self>, CannotInline> {
        if !cx.function().has_ossa() {
            return Ok(vec![Self::Itself; arguments.len()]);
        }
        let conventions = Conventions::of(callee, cx.program().addresses()).ok_or(CannotInline::NoCall)?;
        let (ownership, declarations) = (cx.ownership(), cx.declarations());
        let mut passing = Vec::with_capacity(arguments.len());
        for (index, (&argument, &inner)) in arguments.iter().zip(source.entry_arguments()).enumerate() {
            let ownership = ownership.value(argument).unwrap_or(Ownership::None);
            let becomes_lexical = || {
                is_lexical(callee, source, declarations, inner)
                    && !is_lexical(cx.function(), cx.body(), declarations, argument)
            };
            passing.push(match (conventions.convention(index), ownership) {
                (Some(ArgumentConvention::Guaranteed), Ownership::Owned) => {
                    Self::Borrowed { is_lexical: becomes_lexical() }
                }
                (Some(ArgumentConvention::Guaranteed), _) if becomes_lexical() => {
                    Self::Borrowed { is_lexical: true }
                }
                (Some(ArgumentConvention::Owned), Ownership::Owned | Ownership::None)
                    if becomes_lexical() =>
                {
                    Self::Moved
                }
                (Some(ArgumentConvention::Unowned), ownership) if ownership != Ownership::None => {
                    return Err(CannotInline::Unowned);
                }
                _ => Self::Itself,
            });
        }
        Ok(passing)
    }
}

impl Inliner<'_> {
    /// Makes stack allocations lexical that the callee reads, takes or accesses together with others. Without OSSA, no
    /// lifetimes are lexical.
    pub(super) fn make_storage_lexical(&self, cx: &mut FunctionContext<'_>) {
        if !self.has_ossa {
            return;
        }
        let Some(conventions) = Conventions::of(self.callee.function, self.addresses) else { return };
        let view = cx.view();
        let is_read = |&(index, _): &(usize, &Value)| {
            conventions.convention(index).is_some_and(|convention| {
                convention == ArgumentConvention::InoutAliasable
                    || convention.is_indirect() && !convention.is_mutating()
            })
        };
        let storage = |(_, &address): (usize, &Value)| {
            let storage = find(&view, address, AccessScopes::Through)?.storage;
            let base = storage.value.filter(|_| storage.kind == StorageKind::Stack)?;
            view.body.defining_inst(base)
        };
        let all: Vec<Inst> = self.arguments.iter().enumerate().filter(is_read).filter_map(storage).collect();
        for alloc in all {
            if cx.body().inst(alloc).opcode == Opcode::AllocStack && !cx.body().has_flag(alloc, "lexical") {
                cx.edit().set_flag(alloc, "lexical", true);
            }
        }
    }

    /// Borrows owned values that the callee takes as guaranteed, and moves values with a lexical lifetime in the
    /// callee.
    pub(super) fn pass(&self, body: &mut Body) -> PassedArguments {
        let mut borrows = PassedArguments { passed: Vec::new(), made: Vec::new() };
        let mut builder = body.builder_at(Point::Before(self.call), self.declarations);
        for (&argument, &passing) in self.arguments.iter().zip(&self.passing) {
            let passed = match passing {
                Passing::Itself => argument,
                Passing::Borrowed { is_lexical } => {
                    let new = BeginBorrow { lexical: is_lexical, ..BeginBorrow::new(argument) };
                    let borrow = builder.build(new);
                    borrows.made.push(borrow);
                    borrow
                }
                Passing::Moved => builder.build(MoveValue { lexical: true, ..MoveValue::new(argument) }),
            };
            borrows.passed.push(passed);
        }
        borrows
    }

    /// Ends borrows at the start of blocks.
    pub(super) fn end_borrows(&self, body: &mut Body, borrows: &[Value], ended: &[Block], loc: Loc) {
        let mut builder = body.builder(self.declarations);
        for &block in ended {
            builder.move_to(Point::Start(block));
            builder.set_default_loc(loc);
            for &borrow in borrows.iter().rev() {
                builder.end_borrow(borrow);
            }
        }
    }
}
