//! Replaces a stack allocation of an existential or enum by an allocation of its only content type.
//!
//! ```text
//! %1 = alloc_stack $any P
//! %2 = init_existential_addr %1, $S
//! store %0 to [trivial] %2
//! destroy_addr %1
//! dealloc_stack %1
//! ---
//! %1 = alloc_stack $S
//! store %0 to [trivial] %1
//! destroy_addr %1
//! dealloc_stack %1
//! ```
//!
//! ```text
//! %1 = alloc_stack $Optional<C>
//! %2 = init_enum_data_addr %1, #Optional.some!enumelt
//! store %0 to [init] %2
//! inject_enum_addr %1, #Optional.some!enumelt
//! %5 = unchecked_take_enum_data_addr %1, #Optional.some!enumelt
//! ---
//! %1 = alloc_stack $C
//! store %0 to [init] %1
//! ```

use super::Rule;
use super::rewriter::Rewriter;
use silkit_ir::instructions::{
    AllocStack, DebugValue, InitEnumDataAddr, InitExistentialAddr, InjectEnumAddr, UncheckedTakeEnumDataAddr,
};
use silkit_ir::{DeclRef, Inst, Opcode, Operand, Value};
use silkit_types::{SilType, Type};

pub(super) const RULE: Rule = Rule::optimized(Opcode::AllocStack, simplify);

fn simplify(rw: &mut Rewriter<'_, '_>, inst: Inst) {
    let Some(address) = rw.body().first_result(inst) else { return };
    if let Some(payload) = Payload::of(rw, address) {
        if rw.may_change() {
            hold_payload(rw, inst, address, &payload);
        }
    } else if let Some((init, concrete)) = concrete(rw, address)
        && rw.may_change()
    {
        hold_concrete(rw, inst, address, init, concrete);
    }
}

/// The only case that an enum in memory ever has, if any.
struct Payload {
    ty: SilType,
    /// True if the payload is set once and taken in the same block: it does not exist outside.
    is_taken: bool,
}

impl Payload {
    /// Returns the only payload that is ever stored to an enum. A case without payload does not matter if the payload
    /// is taken.
    fn of(rw: &Rewriter<'_, '_>, address: Value) -> Option<Self> {
        let body = rw.body();
        let (mut element, mut ty) = (None, None);
        let (mut inits, mut takes, mut injected) = (Vec::new(), Vec::new(), Vec::new());
        let mut is_same = |of: DeclRef| *element.get_or_insert(of) == of;
        for user in body.users(address) {
            match body.inst(user).opcode {
                Opcode::DebugValue | Opcode::DestroyAddr | Opcode::DeallocStack => {}
                Opcode::InjectEnumAddr => injected.push(body.view_as::<InjectEnumAddr>(user)?.element),
                Opcode::InitEnumDataAddr => {
                    let init: InitEnumDataAddr = body.view_as(user)?;
                    ty = body.first_result(user).map(|value| rw.ty(value));
                    inits.push(is_same(init.element).then_some(user)?);
                }
                Opcode::UncheckedTakeEnumDataAddr => {
                    let take: UncheckedTakeEnumDataAddr = body.view_as(user)?;
                    takes.push(is_same(take.element).then_some(user)?);
                }
                _ => return None,
            }
        }
        let (element, ty) = element.zip(ty)?;
        let is_taken = matches!((&inits[..], &takes[..]), (&[init], &[take])
            if body.inst_block(init) == body.inst_block(take));
        let is_only_case = is_taken || injected.iter().all(|&case| case == element);
        is_only_case.then_some(Self { ty: ty.to_object(), is_taken })
    }
}

fn hold_payload(rw: &mut Rewriter<'_, '_>, inst: Inst, address: Value, payload: &Payload) {
    let Some(new) = allocate(rw, inst, payload.ty) else { return };
    let undef = rw.ty(address);
    let undef = rw.edit().undef(undef);
    if let Some(AllocStack { var: Some(var), moveable_value_debuginfo, .. }) = rw.body().view_as(inst) {
        let variable = DebugValue { var: Some(var), moveable_value_debuginfo, ..DebugValue::new(undef) };
        rw.before(inst).build(variable);
    }
    let uses: Vec<Operand> = rw.body().uses(address).collect();
    for operand in uses {
        let user = rw.body().operand(operand).user;
        match rw.body().inst(user).opcode {
            Opcode::InitEnumDataAddr | Opcode::UncheckedTakeEnumDataAddr => rw.replace(user, new),
            Opcode::InjectEnumAddr => rw.remove(user),
            Opcode::DestroyAddr if payload.is_taken => rw.remove(user),
            // The variable is an enum, which no longer exists.
            Opcode::DebugValue => rw.set_operand(operand, undef),
            _ => rw.set_operand(operand, new),
        }
    }
    rw.remove(inst);
}

/// Returns the only initialization of an existential in memory, with the concrete type, if the existential has no
/// other uses than casts.
fn concrete(rw: &Rewriter<'_, '_>, address: Value) -> Option<(Inst, Type)> {
    let body = rw.body();
    let mut found = None;
    for operand in body.uses(address) {
        let user = body.operand(operand).user;
        match body.inst(user).opcode {
            Opcode::DebugValue
            | Opcode::DestroyAddr
            | Opcode::DeallocStack
            | Opcode::DeinitExistentialAddr => {}
            Opcode::InitExistentialAddr => {
                let init: InitExistentialAddr = body.view_as(user)?;
                if found.replace((user, init.concrete.ty())).is_some() {
                    return None;
                }
            }
            Opcode::UnconditionalCheckedCastAddr if is_cast_source(rw, operand) => {}
            _ => return None,
        }
    }
    // A type that is opened after the allocation is not available there.
    found.filter(|(_, concrete)| !concrete.holds_opened())
}

fn is_cast_source(rw: &Rewriter<'_, '_>, operand: Operand) -> bool {
    let user = rw.body().operand(operand).user;
    rw.body().operand_id(user, 0) == operand
}

fn hold_concrete(rw: &mut Rewriter<'_, '_>, inst: Inst, address: Value, init: Inst, concrete: Type) {
    let Some(ty) = rw.body().first_result(init).map(|value| rw.ty(value).to_object()) else { return };
    let Some(new) = allocate(rw, inst, ty) else { return };
    let uses: Vec<Operand> = rw.body().uses(address).collect();
    for operand in uses {
        let user = rw.body().operand(operand).user;
        match rw.body().inst(user).opcode {
            Opcode::InitExistentialAddr => rw.replace(user, new),
            Opcode::DeinitExistentialAddr => rw.remove(user),
            _ => {
                rw.set_operand(operand, new);
                if let Some(source) = rw.body().info(user).attr("source_type") {
                    rw.edit().set_word(user, source, concrete.as_u32());
                }
            }
        }
    }
    rw.remove(inst);
}

/// Creates an allocation of another type with the same attributes, without its variable.
fn allocate(rw: &mut Rewriter<'_, '_>, inst: Inst, ty: SilType) -> Option<Value> {
    let old: AllocStack = rw.body().view_as(inst)?;
    Some(rw.before(inst).build(AllocStack { ty, var: None, ..old }))
}
