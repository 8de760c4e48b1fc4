//! Memory that is immutable within a scope.

use super::Aliases;
use super::base::{AccessBase, argument_is_exclusive};
use silkit_base::FxHashSet;
use silkit_ir::conventions::{ArgumentConvention, Conventions};
use silkit_ir::instructions::{AccessKind, AnyInst, BeginAccess};
use silkit_ir::{Inst, Opcode, SpecialPurpose, Value, ValueDef};
use std::fmt;

/// The reason why the memory at an address is immutable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Immutable {
    /// Not written during the function.
    Always,
    /// Not written within this access, or this borrow of the object that contains it.
    Within(Inst),
    /// Not accessed by others within this access.
    Exclusive(Inst),
}

impl fmt::Display for Immutable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Always => "not written while the function runs",
            Self::Within(_) => "not written within its access or borrow scope",
            Self::Exclusive(_) => "not read or written by others within its access scope",
        })
    }
}

impl Aliases<'_> {
    /// Returns the reason why the memory at an address is immutable.
    pub fn immutability(&self, address: Value) -> Option<Immutable> {
        let body = self.body();
        let found = self.base_path(address);
        if let Some(scope) = found.scope
            && let Some(access) = body.view_as::<BeginAccess>(scope)
        {
            return match access.kind {
                _ if access.enforcement == silkit_ir::instructions::AccessEnforcement::Unsafe => None,
                AccessKind::Read => Some(Immutable::Within(scope)),
                AccessKind::Modify => Some(Immutable::Exclusive(scope)),
                AccessKind::Init | AccessKind::Deinit => None,
            };
        }
        match found.base {
            AccessBase::Class(base) | AccessBase::Tail(base) => self.object_immutability(base),
            AccessBase::Global(name) => {
                let global = self.escapes.view.program.module.globals.by_key(&name)?;
                let is_initializer = matches!(
                    self.escapes.view.function.attributes.purpose,
                    Some(SpecialPurpose::GlobalInit | SpecialPurpose::GlobalInitOnce)
                );
                (global.attributes.is_let && !is_initializer).then_some(Immutable::Always)
            }
            AccessBase::Argument(argument) => {
                let ValueDef::Argument(_, index) = body.def(argument) else { return None };
                let view = &self.escapes.view;
                let convention =
                    Conventions::new(view.function_type()?, view.addresses()).convention(index.into())?;
                let is_lent = convention == ArgumentConvention::InGuaranteed;
                (is_lent && argument_is_exclusive(view, argument)).then_some(Immutable::Always)
            }
            _ => None,
        }
    }

    /// Returns the reason why a part of an object is immutable.
    fn object_immutability(&self, base: Value) -> Option<Immutable> {
        let body = self.body();
        let (object, is_immutable) = match body.view(body.defining_inst(base)?) {
            AnyInst::RefElementAddr(r) => (r.operand, r.immutable),
            AnyInst::RefTailAddr(r) => (r.operand, r.immutable),
            _ => return None,
        };
        if !is_immutable {
            return None;
        }
        use Opcode as O;
        let is_cast = |opcode| {
            matches!(opcode, O::Upcast | O::UncheckedRefCast | O::BridgeObjectToRef | O::RefToBridgeObject)
        };
        let root = body.look_through(object, is_cast);
        match body.def(root) {
            ValueDef::Argument(block, _) if body.is_entry_block(block) => {
                self.is_lent_argument(root).then_some(Immutable::Always)
            }
            ValueDef::Result(inst, _) if matches!(body.inst(inst).opcode, O::BeginBorrow | O::LoadBorrow) => {
                Some(Immutable::Within(inst))
            }
            _ => None,
        }
    }

    /// Returns true if the caller keeps an argument alive.
    fn is_lent_argument(&self, argument: Value) -> bool {
        let ValueDef::Argument(_, index) = self.body().def(argument) else { return false };
        let view = &self.escapes.view;
        let conventions = view.function_type().map(|own| Conventions::new(own, view.addresses()));
        conventions.and_then(|c| c.convention(index.into())) == Some(ArgumentConvention::Guaranteed)
    }

    /// Returns true if an instruction is within a scope: the begin of the scope dominates it and no end of the scope
    /// can come before it. Returns false if this is not known.
    pub(super) fn is_within(&self, inst: Inst, scope: Inst) -> bool {
        let body = self.body();
        let is_end = |user: Inst| body.ends_scope(user) == body.begins_scope(scope);
        let ends: FxHashSet<Inst> =
            body.results(scope).flat_map(|value| body.users(value)).filter(|&user| is_end(user)).collect();
        if inst == scope || ends.contains(&inst) {
            return false;
        }
        // Walking backwards from the instruction, every path must meet the begin of the scope before an end.
        let mut pending = vec![(body.inst_block(inst), body.prev_inst(inst))];
        let mut seen = FxHashSet::default();
        while let Some((block, last)) = pending.pop() {
            let mut cursor = last;
            loop {
                match cursor {
                    Some(at) if at == scope => break,
                    Some(at) if ends.contains(&at) => return false,
                    Some(at) => cursor = body.prev_inst(at),
                    None => {
                        if body.is_entry_block(block) {
                            return false;
                        }
                        for predecessor in body.predecessors(block) {
                            if seen.insert(predecessor) {
                                pending.push((predecessor, body.last_inst(predecessor)));
                            }
                        }
                        break;
                    }
                }
            }
        }
        true
    }
}
