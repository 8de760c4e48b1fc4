//! Arguments of an inlined copy: values that the callee borrows and the caller owns are borrowed around the copy;
//! lexical values of the callee stay lexical in the copy.
//!
//! ```text
//!   %2 = apply %f(%1) : $@convention(thin) (@guaranteed C) -> ()   // %1 is owned
//! ---
//!   %2 = begin_borrow [lexical] %1
//!   …                                                              // the copy uses %2
//!   end_borrow %2
//! ```

use super::{CannotInline, Inliner};
use crate::lexical::is_lexical;
use silkit_analysis::access::{Scopes, StorageKind, find};
use silkit_ir::conventions::{ArgumentConvention, Conventions};
use silkit_ir::instructions::{BeginBorrow, MoveValue};
use silkit_ir::{Block, Body, Function, Inst, Loc, Opcode, Ownership, Point, Value};
use silkit_pass::FunctionContext;

/// The way in which an argument is passed to the copy.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Passing {
    /// As it is.
    Itself,
    /// Borrowed up to the end of the copy.
    Borrowed {
        /// True for `[lexical]`.
        is_lexical: bool,
    },
    /// As a new owned value with a lexical lifetime.
    Moved,
}

/// The arguments as the copy uses them, and the borrows among them.
pub(super) struct Borrowed {
    pub(super) passed: Vec<Value>,
    pub(super) made: Vec<Value>,
}

impl Passing {
    /// Returns the way in which the arguments of a call are passed to the body of a callee.
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
                (_, Ownership::None) => Self::Itself,
                (Some(ArgumentConvention::Unowned), _) => return Err(CannotInline::Unowned),
                (Some(ArgumentConvention::Guaranteed), Ownership::Owned) => {
                    Self::Borrowed { is_lexical: becomes_lexical() }
                }
                (Some(ArgumentConvention::Guaranteed), _) if becomes_lexical() => {
                    Self::Borrowed { is_lexical: true }
                }
                (Some(ArgumentConvention::Owned), Ownership::Owned) if becomes_lexical() => Self::Moved,
                _ => Self::Itself,
            });
        }
        Ok(passing)
    }
}

impl Inliner<'_> {
    /// Makes stack allocations lexical that the callee reads or takes.
    pub(super) fn make_storage_lexical(&self, cx: &mut FunctionContext<'_>) {
        let Some(conventions) = Conventions::of(self.callee.function, self.addresses) else { return };
        let view = cx.view();
        let is_read = |&(index, _): &(usize, &Value)| {
            conventions
                .convention(index)
                .is_some_and(|convention| convention.is_indirect() && !convention.is_mutating())
        };
        let storage = |(_, &address): (usize, &Value)| {
            let storage = find(&view, address, Scopes::Through)?.storage;
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

    /// Borrows what the callee borrows and the caller owns, and moves what lives longer in the callee.
    pub(super) fn pass(&self, body: &mut Body) -> Borrowed {
        let mut borrows = Borrowed { passed: Vec::new(), made: Vec::new() };
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
