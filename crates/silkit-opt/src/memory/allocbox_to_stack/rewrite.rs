//! Replacement of a box by a stack allocation.

use super::Variant;
use super::addresses::{check_once, make_accesses_static, remove_references, replace_projections};
use super::releases::last_releases;
use silkit_analysis::{Components, DeadEnds};
use silkit_ir::instructions::{
    AccessKind, AllocBox, AllocStack, BeginAccess, BeginBorrow, CopyAddr, DeallocStack, DestroyAddr,
    MarkUninitialized, MoveOnlyCheckKind,
};
use silkit_ir::{Body, DebugVarData, Inst, LocData, Opcode, Point, Value};
use silkit_types::decl::Declarations;
use silkit_types::{GenericSig, SilType, TypeKind};

/// Replaces a box by a stack allocation.
pub(super) fn replace(
    body: &mut Body,
    allocation: Inst,
    declarations: &Declarations,
    sig: Option<GenericSig>,
    regions: (&DeadEnds, &Components),
    variant: Variant,
) {
    let Some(old) = body.view_as::<AllocBox>(allocation) else { return };
    let Some(value) = body.first_result(allocation) else { return };
    let TypeKind::Box(layout) = old.ty.ty().kind() else { return };
    let Some(field) = silkit_ir::box_field(layout, 0, declarations) else { return };
    let ty = SilType::object(field);
    let Borrows { is_lexical, is_var_decl } = Borrows::of(body, value);
    let var = old.var.map(|var| {
        let data = DebugVarData::of(var);
        DebugVarData { ty: data.ty.or(Some(ty)), ..data.clone() }.intern()
    });
    let marks: Vec<MarkUninitialized> =
        body.users(value).filter_map(|user| body.view_as::<MarkUninitialized>(user)).collect();
    let releases = last_releases(body, allocation, regions.0, regions.1);
    let mut builder = body.builder_at(Point::Before(allocation), declarations);
    let slot = builder.build(AllocStack {
        dynamic_lifetime: old.dynamic_lifetime,
        lexical: is_lexical,
        var_decl: is_var_decl,
        var,
        ..AllocStack::new(ty)
    });
    let address = match marks[..] {
        [mark] => builder.build(MarkUninitialized::new(mark.kind, slot)),
        _ => slot,
    };
    if variant.makes_static {
        make_accesses_static(body, value);
    }
    replace_projections(body, value, address);
    let check = check_once(body, address, MoveOnlyCheckKind::ConsumableAndAssignable, declarations);
    let source = body.loc(body.inst(allocation).loc).and_then(|loc| loc.source);
    let is_trivial = declarations.is_trivial(field, sig) == Some(true);
    for release in releases {
        let at = body.loc(body.inst(release).loc);
        let loc = at.map(|at| body.edit().new_loc(LocData { source, ..at }));
        if body.inst(release).opcode != Opcode::DeallocBox && !is_trivial {
            destroy(body, release, check.unwrap_or(address), loc, declarations, variant);
        }
        let mut builder = body.builder_at(Point::Before(release), declarations);
        if let Some(loc) = loc {
            builder.set_default_loc(loc);
        }
        builder.build(DeallocStack::new(slot));
    }
    remove_references(body, value);
    body.edit().remove(allocation);
}

/// The flags that the borrow scopes of a box pass on to its stack allocation.
struct Borrows {
    is_lexical: bool,
    is_var_decl: bool,
}

impl Borrows {
    fn of(body: &Body, value: Value) -> Self {
        let mut this = Self { is_lexical: false, is_var_decl: false };
        let mut work = vec![value];
        while let Some(value) = work.pop() {
            for user in body.users(value) {
                if let Some(borrow) = body.view_as::<BeginBorrow>(user) {
                    this.is_lexical |= borrow.lexical;
                    this.is_var_decl |= borrow.var_decl;
                }
                if matches!(body.inst(user).opcode, Opcode::BeginBorrow | Opcode::MarkUninitialized) {
                    work.extend(body.results(user));
                }
            }
        }
        this
    }
}

/// Inserts a destroy of the memory before an instruction. Up to Swift 6.2, a copy out of the memory directly before it
/// becomes a move.
fn destroy(
    body: &mut Body,
    before: Inst,
    address: Value,
    loc: Option<silkit_ir::Loc>,
    declarations: &Declarations,
    variant: Variant,
) {
    if let Some((copy, access)) = copy_before(body, before, address).filter(|_| variant.is_legacy) {
        let mut editor = body.edit();
        editor.set_flag(copy, "take", true);
        if let Some(access) = access {
            editor.set_attr(access, "kind", AccessKind::Deinit as u32);
        }
        return;
    }
    let mut builder = body.builder_at(Point::Before(before), declarations);
    if let Some(loc) = loc {
        builder.set_default_loc(loc);
    }
    builder.build(DestroyAddr::new(address));
}

/// Returns the copy out of the memory directly before an instruction, and its access scope.
fn copy_before(body: &Body, before: Inst, address: Value) -> Option<(Inst, Option<Inst>)> {
    let mut at = body.prev_inst(before);
    while let Some(inst) = at {
        at = body.prev_inst(inst);
        match body.inst(inst).opcode {
            Opcode::CopyAddr => {
                let copy = body.view_as::<CopyAddr>(inst)?;
                return (copy.source == address && !copy.take).then_some((inst, None));
            }
            Opcode::DeallocStack | Opcode::EndBorrow => {}
            Opcode::EndAccess => {
                let access = body.defining_inst(body.operand_value(inst, 0))?;
                let begin = body.view_as::<BeginAccess>(access)?;
                let copy_inst = body.prev_inst(inst)?;
                let copy = body.view_as::<CopyAddr>(copy_inst)?;
                let is_only = body.prev_inst(copy_inst) == Some(access);
                let fits = begin.kind == AccessKind::Read
                    && begin.address == address
                    && copy.source == body.first_result(access)?
                    && !copy.take
                    && is_only;
                return fits.then_some((copy_inst, Some(access)));
            }
            _ => return None,
        }
    }
    None
}
