//! Replacement of casts in memory by casts of loaded values, for types whose casts need no memory: metatypes and
//! references to objects.
//!
//! ```text
//!   checked_cast_addr_br take_always C in %1 to D in %2, bb1, bb2
//! ---
//!   %3 = load [take] %1
//!   checked_cast_br C in %3 to D, bb1, bb2
//! bb1(%5 : @owned $D):
//!   store %5 to [init] %2
//!   …
//! bb2(%8 : @owned $C):
//!   destroy_value %8
//!   …
//! ```

use crate::values::counting::Counting;
use silkit_base::Symbol;
use silkit_ir::instructions::{
    CastConsumption, CheckedCastAddrBranch, CheckedCastBranch, Load, LoadQualifier, Store, StoreQualifier,
};
use silkit_ir::{ArgFlags, Block, Body, Inst, Ownership, Point};
use silkit_types::decl::Declarations;
use silkit_types::{GenericSig, SilType, Type, TypeKind};

/// The function of a cast.
#[derive(Clone, Copy, Debug)]
pub struct CastContext<'a> {
    /// The declarations of the program.
    pub declarations: &'a Declarations,
    /// The generic signature.
    pub signature: Option<GenericSig>,
    /// True if the function is in OSSA.
    pub has_ossa: bool,
}

impl CastContext<'_> {
    /// Returns true if casts between two types need no memory.
    fn is_scalar(&self, from: Type, to: Type) -> bool {
        let is_metatype =
            |ty: Type| matches!(ty.kind(), TypeKind::Metatype(..) | TypeKind::ProtocolMetatype(..));
        // A parameter that is only constrained to objects may stand for a type that is bridged.
        let is_known = |ty: Type| match (ty.kind(), self.signature) {
            (TypeKind::Param { .. } | TypeKind::Member(..), Some(signature)) => {
                matches!(self.declarations.superclass_bound(ty, signature), Some(Some(_)))
            }
            _ => true,
        };
        let source = self.declarations.optional_payload(from).unwrap_or(from);
        is_metatype(from) && is_metatype(to)
            || self.is_reference(source) && self.is_reference(to) && is_known(to)
    }

    /// Returns true if the values of a type are references to objects.
    fn is_reference(&self, ty: Type) -> bool {
        let is_named_error = |ty: Type| matches!(ty.kind(), TypeKind::Named(named) if named.name == "Error");
        let is_error = match ty.kind() {
            TypeKind::Any(protocol) => is_named_error(*protocol),
            _ => is_named_error(ty),
        };
        !is_error
            && !matches!(ty.kind(), TypeKind::Function(_) | TypeKind::Box(_))
            && Counting::of(self.declarations, SilType::object(ty), self.signature) == Counting::Strong
            && self.declarations.is_address_only(ty, self.signature) == Some(false)
    }

    fn load(&self, is_trivial: bool) -> Option<LoadQualifier> {
        let qualifier = if is_trivial { LoadQualifier::Trivial } else { LoadQualifier::Take };
        self.has_ossa.then_some(qualifier)
    }

    fn store(&self, is_trivial: bool) -> Option<StoreQualifier> {
        let qualifier = if is_trivial { StoreQualifier::Trivial } else { StoreQualifier::Init };
        self.has_ossa.then_some(qualifier)
    }
}

/// Replaces a `checked_cast_addr_br` by a `checked_cast_br` if the types allow that.
pub fn make_scalar(body: &mut Body, inst: Inst, context: CastContext<'_>) {
    let Some(cast) = body.view_as::<CheckedCastAddrBranch<'_>>(inst) else { return };
    let CheckedCastAddrBranch { consumption, source, target, source_type, target_type, .. } = cast;
    let prohibit_isolated_conformances = cast.prohibit_isolated_conformances;
    let counts: Vec<Option<Symbol>> = cast.counts.iter().collect();
    let (from, to) = (body.value(source).ty.to_object(), body.value(target).ty.to_object());
    if consumption == CastConsumption::BorrowAlways || !context.is_scalar(from.ty(), to.ty()) {
        return;
    }
    let CastContext { declarations, signature, has_ossa } = context;
    let counting = Counting::of(declarations, from, signature);
    let is_trivial = counting == Counting::Trivial;
    let is_copy = consumption == CastConsumption::CopyOnSuccess;
    let is_borrowed = is_copy && has_ossa && !is_trivial;
    let (block, loc) = (body.inst_block(inst), body.inst(inst).loc);
    let [success, failure] = [0, 1].map(|index| own_successor(body, inst, index));
    body.edit().move_block_after(success, block);
    body.edit().move_block_after(failure, success);

    let mut builder = body.builder_at(Point::Before(inst), declarations);
    builder.set_default_loc(loc);
    let value = match is_borrowed {
        true => builder.load_borrow(source),
        false => builder.build(Load { qualifier: context.load(is_trivial), ..Load::new(source) }),
    };
    builder.remove(inst);
    builder.move_to(Point::End(block));
    builder.set_default_loc(loc);
    let new = builder.build(CheckedCastBranch {
        prohibit_isolated_conformances,
        counts: (&counts[..]).into(),
        ..CheckedCastBranch::new(source_type, value, target_type, success, failure)
    });
    if !has_ossa && !is_trivial {
        builder.set_forwarding(new, Some(Ownership::Owned));
    }
    let ownership = match has_ossa && !is_trivial {
        true if is_copy => Ownership::Guaranteed,
        true => Ownership::Owned,
        false => Ownership::None,
    };
    let mut result = builder.add_argument(success, to, ownership, ArgFlags::empty());
    let failed = match has_ossa {
        true => builder.add_argument(failure, from, ownership, ArgFlags::empty()),
        false => value,
    };

    builder.move_to(Point::Start(success));
    builder.set_default_loc(loc);
    if is_borrowed {
        result = builder.copy_value(result);
        builder.end_borrow(value);
    } else if is_copy {
        Counting::of(declarations, to, signature).retain(&mut builder, result);
    }
    builder.build(Store { qualifier: context.store(is_trivial), ..Store::new(result, target) });

    builder.move_to(Point::Start(failure));
    builder.set_default_loc(loc);
    match consumption {
        _ if is_borrowed => _ = builder.end_borrow(value),
        CastConsumption::TakeAlways if has_ossa && !is_trivial => _ = builder.destroy_value(failed),
        CastConsumption::TakeAlways => counting.release(&mut builder, failed),
        CastConsumption::TakeOnSuccess if !is_trivial => {
            builder.build(Store { qualifier: context.store(is_trivial), ..Store::new(failed, source) });
        }
        _ => {}
    }
}

/// Returns the block that a terminator branches to, split from it if it has other predecessors.
fn own_successor(body: &mut Body, terminator: Inst, index: usize) -> Block {
    let from = body.inst_block(terminator);
    let to = body.block_successors(from).nth(index).expect("invariant: a cast has two successors");
    if body.single_predecessor(to).is_some() {
        return to;
    }
    let loc = body.inst(terminator).loc;
    let mut editor = body.edit();
    let new = editor.insert_block_after(from);
    editor.set_successor(terminator, index, new);
    editor.insert_branch(new, to, &[], loc);
    new
}
