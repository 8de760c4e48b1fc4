//! Lowering of a body from OSSA to non-OSSA (SIL.md, "Ownership SSA").
//!
//! Copies become retains, destroys become releases, and borrows and moves are replaced by their operands. On-stack
//! closures, which end with their values in OSSA, get a deallocation and dependences on their captures.
//!
//! ```text
//!   %1 = copy_value %0
//!   %2 = begin_borrow %1
//!   %3 = apply %f(%2) : $@convention(thin) (@guaranteed C) -> ()
//!   end_borrow %2
//!   destroy_value %1
//! ---
//!   strong_retain %0
//!   %1 = apply %f(%0) : $@convention(thin) (@guaranteed C) -> ()
//!   strong_release %0
//! ```

mod closures;
mod partial;

use crate::values::counting::Counting;
use crate::values::destroy::{field_ref, parts};
use crate::values::stack_nesting::fix_stack_nesting;
use silkit_base::{FxHashMap, FxHashSet, Symbol};
use silkit_ir::conventions::{Addresses, ApplySite};
use silkit_ir::instructions::{self as inst, AnyInst, LoadQualifier, StoreQualifier};
use silkit_ir::ownership::OwnershipContext;
use silkit_ir::{ArgFlags, Block, Body, Builder, DeclRef, Inst, NewInst, Opcode, Ownership, Point, Value};
use silkit_types::decl::Declarations;
use silkit_types::{GenericSig, ResultConvention, SilType, TypeKind};

/// The error that a closure on the stack is not destroyed on every path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct UnbalancedClosure;

/// How values are destroyed in the lowered body.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Destroys {
    /// By the instruction for their type: `strong_release` for references.
    ByType,
    /// By `release_value`, as in code that the reference inlines.
    AsValues,
}

/// Lowers a body in OSSA.
///
/// # Errors
/// Returns an error if closures on the stack and other allocations cannot be nested. The body is lowered in any case.
pub fn lower(
    body: &mut Body,
    context: OwnershipContext<'_>,
    declarations: &Declarations,
    destroys: Destroys,
) -> Result<(), UnbalancedClosure> {
    let blocks: Vec<Block> = body.blocks().collect();
    let ends = closures::ends(body, context);
    let partial = partial::destroys(body);
    let mut lowering = Lowering {
        b: body.builder(declarations),
        declarations,
        sig: context.signature(),
        destroys,
        has_closures: false,
        partial,
        ends,
    };
    for block in blocks {
        lowering.block(block);
    }
    // Closures end at the ends of their values, which need not be nested with other allocations.
    match lowering.has_closures && fix_stack_nesting(body, false).is_err() {
        true => Err(UnbalancedClosure),
        false => Ok(()),
    }
}

struct Lowering<'b> {
    b: Builder<'b>,
    declarations: &'b Declarations,
    sig: Option<GenericSig>,
    destroys: Destroys,
    /// True if a deallocation of an on-stack closure was inserted.
    has_closures: bool,
    /// Destroys that skip the deinit of the type and only destroy its contents.
    partial: FxHashSet<Inst>,
    /// The ends of each on-stack closure.
    ends: FxHashMap<Inst, Vec<Inst>>,
}

impl Lowering<'_> {
    fn block(&mut self, block: Block) {
        for arg in self.b.arguments(block).to_vec() {
            let data = self.b.value(arg);
            let flags = data.arg_flags - ArgFlags::REBORROW;
            if data.ownership != Ownership::None || data.arg_flags != flags {
                self.b.set_argument_ownership(arg, Ownership::None, flags);
            }
        }
        // Lowering an instruction may remove the ones after it.
        let insts: Vec<Inst> = self.b.block_insts(block).collect();
        for inst in insts {
            if !self.b.is_removed(inst) {
                self.inst(inst);
            }
        }
    }

    fn counting(&self, value: Value) -> Counting {
        match self.b.value(value).ty {
            // These are not reference counted.
            ty if closures::is_noescape(ty) => Counting::Trivial,
            ty => Counting::of(self.declarations, ty, self.sig),
        }
    }

    fn inst(&mut self, inst: Inst) {
        self.b.move_to(Point::Before(inst));
        match self.b.view(inst) {
            AnyInst::Load(load) => self.load(inst, load.address, load.qualifier),
            AnyInst::LoadBorrow(load) => self.load(inst, load.address, Some(LoadQualifier::Take)),
            AnyInst::Store(store) => self.store(inst, store.source, store.destination, store.qualifier),
            AnyInst::StoreBorrow(store) => {
                let (source, destination) = (store.source, store.destination);
                if self.b.try_build(inst::Store::new(source, destination)).is_ok() {
                    self.b.replace(inst, destination);
                }
            }
            AnyInst::CopyValue(copy) => self.copy(inst, copy.operand),
            AnyInst::ExplicitCopyValue(copy) => self.copy(inst, copy.operand),
            AnyInst::ExplicitCopyAddr(copy) => {
                let copy = inst::CopyAddr {
                    take: copy.take,
                    source: copy.source,
                    init: copy.init,
                    destination: copy.destination,
                };
                let built = self.b.try_build(copy);
                self.remove_where(built.is_ok(), inst);
            }
            // An undecided move copies.
            AnyInst::MarkUnresolvedMoveAddr(unresolved) => {
                let (source, destination) = (unresolved.source, unresolved.destination);
                let copy = inst::CopyAddr { init: true, ..inst::CopyAddr::new(source, destination) };
                let built = self.b.try_build(copy);
                self.remove_where(built.is_ok(), inst);
            }
            AnyInst::DestroyValue(destroy) => self.destroy(inst, destroy),
            AnyInst::UnmanagedRetainValue(retain) => {
                let value = retain.operand;
                self.explicit_counting(value).retain(&mut self.b, value);
                self.b.remove(inst);
            }
            AnyInst::UnmanagedReleaseValue(release) => {
                let value = release.operand;
                self.explicit_counting(value).release(&mut self.b, value);
                self.b.remove(inst);
            }
            AnyInst::UnmanagedAutoreleaseValue(autorelease) => {
                let built = self.b.try_build(inst::AutoreleaseValue::new(autorelease.operand));
                self.remove_where(built.is_ok(), inst);
            }
            AnyInst::BeginBorrow(_)
            | AnyInst::DropDeinit(_)
            | AnyInst::MoveValue(_)
            | AnyInst::BorrowedFrom(_)
            | AnyInst::UncheckedOwnershipConversion(_) => {
                let value = self.b.operand_value(inst, 0);
                self.b.replace(inst, value);
            }
            AnyInst::EndBorrow(_)
            | AnyInst::EndLifetime(_)
            | AnyInst::ExtendLifetime(_)
            | AnyInst::IgnoredUse(_) => self.b.remove(inst),
            AnyInst::DeallocBox(dealloc) if dealloc.dead_end => self.b.remove(inst),
            AnyInst::UncheckedValueCast(cast) => self.value_cast(inst, cast.operand),
            AnyInst::DestructureStruct(_) | AnyInst::DestructureTuple(_) => self.destructure(inst),
            AnyInst::PartialApply(apply) if apply.on_stack => self.closure(inst),
            AnyInst::Apply(_) => self.results_of_call(inst),
            AnyInst::SwitchEnum(_) => {
                let default = self.b.word(inst, "default").map(Block::from_u32);
                self.drop_argument(inst, default);
            }
            AnyInst::CheckedCastBranch(cast) => self.drop_argument(inst, Some(cast.failure)),
            _ if self.b.inst(inst).forwarding.is_some() => self.b.set_forwarding(inst, None),
            _ => {}
        }
    }

    /// Retains the unowned results of a call, which are owned in OSSA. Several results are all extracted first, as in
    /// the reference.
    ///
    /// ```text
    ///   %1 = apply %0() : $@convention(thin) () -> (C, Builtin.Int64)
    /// ---
    ///   %1 = apply %0() : $@convention(thin) () -> (C, Builtin.Int64)
    ///   %2 = tuple_extract %1, 0
    ///   %3 = tuple_extract %1, 1
    ///   strong_retain %2
    /// ```
    fn results_of_call(&mut self, call: Inst) {
        let Some(site) = ApplySite::new(&self.b, call, Addresses::Lowered) else { return };
        let Some(conventions) = site.callee_conventions() else { return };
        let is_unowned: Vec<bool> =
            conventions.direct_results().map(|(_, r)| r.convention == ResultConvention::Unowned).collect();
        let Some(result) = self.b.first_result(call) else { return };
        self.b.move_to(Point::After(call));
        let mut parts = vec![result];
        if is_unowned.len() > 1 {
            let ty = self.b.value(result).ty;
            let TypeKind::Tuple(elements) = ty.ty().kind() else { return };
            parts.clear();
            for (index, element) in elements.iter().enumerate() {
                let part = inst::TupleExtract::new(result, index as u32);
                let Ok(part) = self.b.build_typed(part, &[ty.with_type(element.ty)]) else { return };
                parts.push(part);
            }
        }
        for (part, is_unowned) in parts.into_iter().zip(is_unowned) {
            if is_unowned {
                self.counting(part).retain(&mut self.b, part);
            }
        }
    }

    /// Removes an instruction if its replacement was built.
    fn remove_where(&mut self, has_other: bool, inst: Inst) {
        if has_other {
            self.b.remove(inst);
        }
    }

    fn load(&mut self, inst: Inst, address: Value, qualifier: Option<LoadQualifier>) {
        let Some(qualifier) = qualifier else { return };
        let types = self.result_types(inst);
        let Ok(value) = self.b.build_typed(inst::Load::new(address), &types) else { return };
        if qualifier == LoadQualifier::Copy {
            self.counting(value).retain(&mut self.b, value);
        }
        self.b.replace(inst, value);
    }

    fn store(&mut self, inst: Inst, source: Value, destination: Value, qualifier: Option<StoreQualifier>) {
        let counting = self.counting(source);
        let old = match qualifier {
            None => return,
            Some(StoreQualifier::Assign) if counting != Counting::Trivial => {
                let ty = self.b.value(source).ty;
                self.b.build_typed(inst::Load::new(destination), &[ty]).ok()
            }
            Some(_) => None,
        };
        if self.b.try_build(inst::Store::new(source, destination)).is_ok() {
            if let Some(old) = old {
                counting.release(&mut self.b, old);
            }
            self.b.remove(inst);
        }
    }

    fn copy(&mut self, inst: Inst, value: Value) {
        self.counting(value).retain(&mut self.b, value);
        self.b.replace(inst, value);
    }

    /// Returns how a value is retained or released by an instruction that does only that.
    fn explicit_counting(&self, value: Value) -> Counting {
        match (self.counting(value), self.destroys) {
            (Counting::Strong, Destroys::AsValues) => Counting::Value,
            (counting, _) => counting,
        }
    }

    fn destroy(&mut self, inst: Inst, destroy: inst::DestroyValue) {
        let value = destroy.operand;
        if destroy.dead_end {
        } else if self.partial.remove(&inst) {
            self.release_contents(inst, value);
        } else {
            self.explicit_counting(value).release(&mut self.b, value);
        }
        if destroy.poison {
            self.poison(value);
        }
        self.b.remove(inst);
    }

    /// Marks the debug variables of a destroyed value as poisoned.
    fn poison(&mut self, value: Value) {
        let variables: Vec<Inst> = self
            .b
            .users(value)
            .filter(|&user| {
                self.b.inst(user).opcode == Opcode::DebugValue && self.b.word(user, "var").is_some()
            })
            .filter(|&user| !self.b.has_flag(user, "poison"))
            .collect();
        for variable in variables {
            let words = self.b.words(variable).to_vec();
            let new = NewInst { operands: &[value], words: &words, ..NewInst::new(Opcode::DebugValue) };
            let point = self.b.point();
            let poison = self.b.insert(point, &new);
            self.b.set_flag(poison, "poison", true);
        }
    }

    fn value_cast(&mut self, inst: Inst, value: Value) {
        let types = self.result_types(inst);
        if types.first() == Some(&self.b.value(value).ty) {
            self.b.replace(inst, value);
        } else if let [ty] = types[..]
            && let Ok(cast) = self.b.build_typed(inst::UncheckedBitwiseCast::new(value, ty), &types)
        {
            self.b.replace(inst, cast);
        }
    }

    /// Replaces a destructure by extracts of the used parts.
    fn destructure(&mut self, inst: Inst) {
        let whole = self.b.operand_value(inst, 0);
        let ty = self.b.value(whole).ty.ty();
        let is_struct = self.b.inst(inst).opcode == Opcode::DestructureStruct;
        // A struct with unknown fields is kept.
        let Some(fields) = parts(self.declarations, ty).or_else(|| (!is_struct).then(Vec::new)) else {
            return;
        };
        let results: Vec<Value> = self.b.results(inst).collect();
        if let Some(rebuilt) = self.rebuilt(inst, &results) {
            self.b.replace(rebuilt, whole);
            self.b.remove(inst);
            return;
        }
        // A value that is built from its parts here need not be destructured.
        let made = self.b.defining_inst(whole).filter(|&def| {
            matches!(self.b.inst(def).opcode, Opcode::Struct | Opcode::Tuple)
                && self.b.operands(def).len() == results.len()
        });
        for (index, result) in results.into_iter().enumerate() {
            if !self.b.is_used(result) {
                continue;
            }
            let types = [self.b.value(result).ty];
            let part = match (made, fields.get(index)) {
                (Some(made), _) => Ok(self.b.operand_value(made, index)),
                (_, Some(&(field, _))) if is_struct => {
                    let field = field_ref(self.declarations, ty, field);
                    self.b.build_typed(inst::StructExtract::new(whole, field), &types)
                }
                _ if is_struct => return,
                _ => self.b.build_typed(inst::TupleExtract::new(whole, index as u32), &types),
            };
            match part {
                Ok(part) => {
                    let part = self.b.replacement(result, part);
                    self.b.replace_all_uses(result, part);
                }
                Err(_) => return,
            }
        }
        self.b.remove(inst);
    }

    /// Returns the `tuple` that is the only user of the elements of a taken apart tuple and has the same value.
    fn rebuilt(&self, inst: Inst, elements: &[Value]) -> Option<Inst> {
        let &element = elements.first()?;
        let tuple = self.b.users(element).next()?;
        let ty = |value: Value| self.b.value(value).ty;
        let is_same_type = || self.b.first_result(tuple).map(ty) == Some(ty(self.b.operand_value(inst, 0)));
        let is_tuple = |inst: Inst, opcode| self.b.inst(inst).opcode == opcode;
        let operands = self.b.operands(tuple).iter().map(|operand| operand.value);
        let is_rebuilt = is_tuple(inst, Opcode::DestructureTuple)
            && is_tuple(tuple, Opcode::Tuple)
            && is_same_type()
            && operands.eq(elements.iter().copied())
            && elements.iter().all(|&element| self.b.users(element).count() == 1);
        is_rebuilt.then_some(tuple)
    }

    /// Replaces a block argument that a terminator defines by the whole value.
    fn drop_argument(&mut self, terminator: Inst, block: Option<Block>) {
        let forwarding = self.forwarding(terminator);
        if self.b.inst(terminator).forwarding != forwarding {
            self.b.set_forwarding(terminator, forwarding);
        }
        let Some(block) = block else { return };
        if let [arg] = *self.b.arguments(block) {
            let value = self.b.operand_value(terminator, 0);
            // A default that covers a single case receives its payload. The reference still passes the whole value,
            // which only destroys may use.
            let ty = self.b.value(arg).ty;
            let is_destroy = |user: Inst| self.b.inst(user).opcode == Opcode::DestroyValue;
            let is_payload = ty != self.b.value(value).ty && !self.b.users(arg).all(is_destroy);
            let value = match self.case_of_default(terminator).filter(|_| is_payload) {
                Some(element) => {
                    self.b.move_to(Point::Start(block));
                    let data = inst::UncheckedEnumData::new(value, element);
                    self.b.build_typed(data, &[ty]).unwrap_or(value)
                }
                None => value,
            };
            self.b.replace_all_uses(arg, value);
            self.b.remove_argument(block, 0);
        }
    }

    /// Returns the forwarding ownership that a terminator keeps: in inlined code, that of a checked cast.
    fn forwarding(&self, terminator: Inst) -> Option<Ownership> {
        let is_kept = self.destroys == Destroys::AsValues
            && self.b.inst(terminator).opcode == Opcode::CheckedCastBranch;
        let success = self.b.block_successors(self.b.inst_block(terminator)).next().filter(|_| is_kept)?;
        let &argument = self.b.arguments(success).first()?;
        Some(self.b.value(argument).ownership).filter(|&ownership| ownership != Ownership::None)
    }

    /// Returns the only case that the default of a `switch_enum` covers.
    fn case_of_default(&self, terminator: Inst) -> Option<DeclRef> {
        let AnyInst::SwitchEnum(switch) = self.b.view(terminator) else { return None };
        let listed: Vec<Symbol> = switch.cases.iter().filter_map(|(case, _)| case.name()).collect();
        let ty = self.b.value(switch.operand).ty.ty();
        let only = self.declarations.only_other_case(ty, &listed)?;
        let mut data = switch.cases.iter().next()?.0.data().clone();
        *data.path.last_mut()? = only;
        Some(DeclRef::new(data))
    }

    fn result_types(&self, inst: Inst) -> Vec<SilType> {
        self.b.results(inst).map(|r| self.b.value(r).ty).collect()
    }
}
