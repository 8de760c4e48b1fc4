//! Uses that the generic walk does not follow.

use super::{ESCAPES, EscapePath, EscapeVisitor, EscapeWalk, EscapeWalker, STAYS};
use crate::memory::is_opaque;
use crate::{Component, ProjectionPath};
use silkit_ir::conventions::ArgumentConvention;
use silkit_ir::info::BuiltinInfo;
use silkit_ir::instructions::{AnyInst, Builtin};
use silkit_ir::{AddressUse, Inst, Opcode, Operand, Value};
use std::ops::ControlFlow;

impl<V: EscapeVisitor> EscapeWalker<'_, V> {
    /// Continues the walk at a use of a value.
    pub(super) fn value_leaf(
        &mut self,
        walk: &mut EscapeWalk<'_>,
        operand: Operand,
        path: EscapePath,
    ) -> ControlFlow<()> {
        let body = walk.view.body;
        let data = body.operand(operand);
        let (inst, value) = (data.user, data.value);
        let result = || body.first_result(inst);
        match body.view(inst) {
            AnyInst::RefTailAddr(_) => match result() {
                Some(result) => self.project(walk, result, Some(Component::TailElements), path),
                None => ESCAPES,
            },
            AnyInst::RefElementAddr(e) => match result() {
                Some(result) => self.project(walk, result, walk.view.class_field(e.operand, e.field), path),
                None => ESCAPES,
            },
            AnyInst::ProjectBox(p) => match result() {
                Some(result) => self.project(walk, result, Some(Component::ClassField(p.field)), path),
                None => ESCAPES,
            },
            AnyInst::Store(_) | AnyInst::StoreWeak(_) | AnyInst::StoreUnowned(_) => {
                let is_address_stored = path.is_address_stored || !self.follows_loads(path);
                walk.up(body.operand_value(inst, 1), EscapePath { is_address_stored, ..path });
                STAYS
            }
            AnyInst::DestroyValue(_) | AnyInst::ReleaseValue(_) | AnyInst::StrongRelease(_) => {
                self.destroy(walk, value, path)
            }
            AnyInst::Apply(_) | AnyInst::TryApply(_) | AnyInst::BeginApply(_) => {
                self.pass(walk, operand, path)
            }
            AnyInst::PartialApply(_) => {
                // It may escape in the body of the closure, with the closure, and when the context is destroyed.
                let path = path.of_any_type();
                self.pass(walk, operand, path)?;
                result().into_iter().for_each(|closure| walk.down(closure, path));
                STAYS
            }
            AnyInst::PointerToAddress(_) | AnyInst::ConvertFunction(_) => {
                result().into_iter().for_each(|to| walk.down(to, path.of_any_type()));
                STAYS
            }
            AnyInst::Builtin(builtin) => self.builtin(walk, operand, builtin, path),
            _ if stays_at(body.inst(inst).opcode) => STAYS,
            _ => ESCAPES,
        }
    }

    fn builtin(
        &mut self,
        walk: &mut EscapeWalk<'_>,
        operand: Operand,
        builtin: Builtin<'_>,
        path: EscapePath,
    ) -> ControlFlow<()> {
        let body = walk.view.body;
        let inst = body.operand(operand).user;
        let escapes_if = |escapes: bool| if escapes { ESCAPES } else { STAYS };
        match BuiltinInfo::find(builtin.name.as_str()).map(|b| b.id) {
            // The elements of the array are passed to deinitializers as `self`, which cannot escape.
            Some("DestroyArray") => {
                escapes_if(body.operand_index(operand) != 1 || path.path.may_have_class_projection())
            }
            Some("AtomicLoad") => {
                if let Some(loaded) = body.first_result(inst).filter(|_| self.follows_loads(path)) {
                    walk.down(loaded, path.of_any_type());
                }
                STAYS
            }
            Some("AtomicStore" | "AtomicRMW") => escapes_if(path.follows_stores),
            Some("CmpXChg") => escapes_if(self.follows_loads(path) || path.follows_stores),
            Some("Fence") => STAYS,
            _ => ESCAPES,
        }
    }

    /// Continues the walk at a use of an address.
    pub(super) fn address_leaf(
        &mut self,
        walk: &mut EscapeWalk<'_>,
        operand: Operand,
        path: EscapePath,
    ) -> ControlFlow<()> {
        let body = walk.view.body;
        let data = body.operand(operand);
        let (inst, address) = (data.user, data.value);
        let result = || body.first_result(inst);
        if is_opaque(body.inst(inst).opcode) {
            return ESCAPES;
        }
        let using = body.address_use(operand);
        match using {
            AddressUse::Initialize | AddressUse::Assign | AddressUse::Overwrite => {
                if let AnyInst::CopyAddr(_) = body.view(inst)
                    && !self.follows_loads(path)
                {
                    return STAYS;
                }
                // The referent of a `weak` or `unowned` reference is not destroyed.
                let is_weak = matches!(body.view(inst), AnyInst::StoreWeak(_) | AnyInst::StoreUnowned(_));
                if using == AddressUse::Assign && !is_weak {
                    self.destroy(walk, address, path.of_any_type())?;
                }
                if path.follows_stores {
                    walk.up(body.operand_value(inst, 0), path);
                }
                STAYS
            }
            AddressUse::Lend => {
                result().into_iter().for_each(|borrow| walk.down(borrow, path));
                // The reference ignores stored borrows: it assumes that the value and values loaded from here do not
                // alias.
                if path.follows_stores {
                    walk.up(body.operand_value(inst, 0), path);
                }
                STAYS
            }
            AddressUse::Read | AddressUse::Take | AddressUse::Borrow => {
                match (body.view(inst), result()) {
                    (AnyInst::CopyAddr(copy), _) if self.follows_loads(path) => {
                        walk.up(copy.destination, path);
                    }
                    (_, Some(loaded)) if self.follows_loads(path) && !walk.view.holds_nothing(loaded) => {
                        walk.down(loaded, path.of_any_type());
                    }
                    _ => {}
                }
                STAYS
            }
            AddressUse::Destroy => self.destroy(walk, address, path),
            AddressUse::Call => self.pass(walk, operand, path),
            AddressUse::Capture => {
                let path = path.of_any_type();
                self.pass(walk, operand, path)?;
                if self.follows_loads(path) || captures_address(walk, inst, operand) {
                    result().into_iter().for_each(|closure| walk.down(closure, path));
                }
                STAYS
            }
            AddressUse::Escape => match body.view(inst) {
                AnyInst::AddressToPointer(_) => {
                    result().into_iter().for_each(|pointer| walk.down(pointer, path.of_any_type()));
                    STAYS
                }
                _ => ESCAPES,
            },
            AddressUse::Project => match body.view(inst) {
                AnyInst::UncheckedAddrCast(cast) => {
                    if body.value(address).ty != cast.ty {
                        self.cast(walk, result(), path)?;
                    }
                    result().into_iter().for_each(|to| walk.down(to, path));
                    STAYS
                }
                // The walk follows the other instructions itself.
                _ => ESCAPES,
            },
            AddressUse::Deallocate
            | AddressUse::WritePart
            | AddressUse::KeepAlive
            | AddressUse::EndLend
            | AddressUse::CheckUnique
            | AddressUse::Mention => STAYS,
            AddressUse::Unknown
            | AddressUse::ReadTag
            | AddressUse::ReadType
            | AddressUse::Count
            | AddressUse::TakeOnSuccess
            | AddressUse::Forget
            | AddressUse::Deinitialize
            | AddressUse::InitializeOnSuccess
            | AddressUse::InitializeOrAssign
            | AddressUse::ProjectContent
            | AddressUse::ProjectToInitialize
            | AddressUse::Access
            | AddressUse::Depend
            | AddressUse::DependOn
            | AddressUse::Yield => ESCAPES,
        }
    }

    /// Paths change their meaning at a cast of an address, which is followed only if the path is empty.
    fn cast(&self, walk: &EscapeWalk<'_>, cast: Option<Value>, path: EscapePath) -> ControlFlow<()> {
        let body = walk.view.body;
        for user in cast.into_iter().flat_map(|cast| body.users(cast)) {
            match body.inst(user).opcode {
                Opcode::IsUnique => {}
                Opcode::Load | Opcode::LoadBorrow | Opcode::Apply | Opcode::TryApply
                    if !self.follows_loads(path) => {}
                _ => return ESCAPES,
            }
        }
        STAYS
    }

    /// Breaks the walk if a value escapes through its deinitializer.
    pub(super) fn destroy(&self, walk: &EscapeWalk<'_>, value: Value, path: EscapePath) -> ControlFlow<()> {
        // Deinitializers take references, regardless of the value that contains them.
        let inner = path.path.pop_value_fields();
        let in_object = ProjectionPath::of(Component::AnyValueFields).push(Component::AnyClassField);
        // Neither the object itself nor the address of one of its properties can escape from its deinitializer.
        if inner.is_empty() || !self.visitor.follows_loads() && inner.matches(in_object) {
            return STAYS;
        }
        if path.follows_stores {
            return ESCAPES;
        }
        let (ty, is_exact) = match path.exact_type {
            Some(exact) => (exact, true),
            None => (walk.view.body.value(value).ty, false),
        };
        let Some(destructors) = self.view.program.destructors(ty, is_exact) else { return ESCAPES };
        let at = self.effects_path(inner);
        let escapes = |&destructor: &_| self.view.effects(destructor).may_escape(0, at);
        if destructors.iter().any(escapes) { ESCAPES } else { STAYS }
    }
}

/// Returns true if a closure captures the address itself; for some conventions it copies the value.
fn captures_address(walk: &EscapeWalk<'_>, inst: Inst, operand: Operand) -> bool {
    let body = walk.view.body;
    let site = walk.view.apply_site(inst);
    let convention = site.and_then(|site| site.convention_of_operand(body.operand_index(operand)));
    !matches!(convention, Some(ArgumentConvention::In | ArgumentConvention::InGuaranteed))
}

/// Returns true if a use by this instruction cannot let a value escape.
fn stays_at(opcode: Opcode) -> bool {
    matches!(
        opcode,
        Opcode::StrongRetain
            | Opcode::RetainValue
            | Opcode::DebugValue
            | Opcode::ValueMetatype
            | Opcode::InitExistentialMetatype
            | Opcode::OpenExistentialMetatype
            | Opcode::ExistentialMetatype
            | Opcode::DeallocRef
            | Opcode::FixLifetime
            | Opcode::ClassifyBridgeObject
            | Opcode::BridgeObjectToWord
            | Opcode::EndBorrow
            | Opcode::ClassMethod
            | Opcode::SuperMethod
            | Opcode::ObjCMethod
            | Opcode::ObjCSuperMethod
            | Opcode::WitnessMethod
            | Opcode::DeallocStackRef
            | Opcode::DeallocStack
    )
}
