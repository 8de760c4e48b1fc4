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
//! The concrete type of an allocation of an opened type may be known as well:
//!
//! ```text
//! %1 = metatype $@thick S.Type
//! %2 = init_existential_metatype %1, $@thick any P.Type
//! %3 = open_existential_metatype %2 to $@thick (@opened("…", any P) Self).Type
//! %4 = alloc_stack $@opened("…", any P) Self
//! %5 = unchecked_addr_cast %4 to $*S
//! ---
//! %4 = alloc_stack $S
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

use super::{opened, optimized};
use silkit_analysis::{Dominators, value_dominates};
use silkit_ir::instructions::{
    AllocStack, DebugValue, InitEnumDataAddr, InitExistentialAddr, InjectEnumAddr, UncheckedTakeEnumDataAddr,
};
use silkit_ir::opened::opened_in;
use silkit_ir::{DeclRef, Inst, Opcode, Operand, Value};
use silkit_transform::patterns::{Pattern, Rewriter};
use silkit_types::{SilType, Type, TypeKind};

pub(super) const PATTERNS: &[Pattern] = &[
    optimized(Opcode::AllocStack, "alloc_stack of enum with one payload", use_payload),
    optimized(Opcode::AllocStack, "alloc_stack of existential with one content", use_content),
    optimized(Opcode::AllocStack, "alloc_stack of opened type", use_concrete),
];

fn use_payload(rw: &mut Rewriter<'_, '_>, inst: Inst) {
    let Some(address) = rw.body().first_result(inst) else { return };
    if let Some(payload) = Payload::of(rw, address).filter(|_| rw.may_change()) {
        hold_payload(rw, inst, address, &payload);
    }
}

fn use_content(rw: &mut Rewriter<'_, '_>, inst: Inst) {
    let Some(address) = rw.body().first_result(inst) else { return };
    if let Some(content) = Content::of(rw, inst, address).filter(|_| rw.may_change()) {
        hold_content(rw, inst, address, &content);
    }
}

fn use_concrete(rw: &mut Rewriter<'_, '_>, inst: Inst) {
    let Some(address) = rw.body().first_result(inst) else { return };
    if let Some(concrete) = concrete(rw, address).filter(|_| rw.may_change()) {
        hold_concrete(rw, inst, address, concrete);
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

/// The content of an existential in memory: its only initialization.
struct Content {
    init: Inst,
    /// The type of the initialized address.
    initialized: Type,
    /// The formal type of the content.
    concrete: Type,
    /// The type to allocate.
    lowered: SilType,
}

impl Content {
    /// Returns the content of an existential that is only opened to be destroyed, and is otherwise only the source of
    /// casts.
    fn of(rw: &Rewriter<'_, '_>, inst: Inst, address: Value) -> Option<Self> {
        let body = rw.body();
        let mut found = None;
        for operand in body.uses(address) {
            let user = body.operand(operand).user;
            match body.inst(user).opcode {
                Opcode::DeinitExistentialAddr => {}
                Opcode::InitExistentialAddr if found.is_none() => {
                    found = Some((user, body.view_as::<InitExistentialAddr>(user)?.concrete.ty()));
                }
                Opcode::OpenExistentialAddr => {
                    let opened = body.first_result(user)?;
                    if !body.users(opened).all(|user| rw.is(user, Opcode::DestroyAddr)) {
                        return None;
                    }
                }
                _ if keeps_type(rw, operand) => {}
                _ => return None,
            }
        }
        let (init, initialized) = found?;
        let concrete = match initialized.kind() {
            // The class is enough for memory.
            TypeKind::DynamicSelf(class) => *class,
            _ => opened::concrete_type(body, initialized).unwrap_or(initialized),
        };
        let lowered = match concrete == initialized {
            true => rw.ty(body.first_result(init)?).to_object(),
            false => SilType::object(concrete),
        };
        is_available(rw, concrete, inst).then_some(Self { init, initialized, concrete, lowered })
    }
}

/// Returns true if the values that opened the parts of a type dominate an instruction.
fn is_available(rw: &Rewriter<'_, '_>, ty: Type, inst: Inst) -> bool {
    if !ty.holds_opened() {
        return true;
    }
    let body = rw.body();
    let dominators = rw.get::<Dominators>();
    opened_in(ty).into_iter().all(|id| {
        body.opened_value(id).is_some_and(|value| value_dominates(body, dominators.of(body), value, inst))
    })
}

/// Returns true if the user of an address needs no other type when the type of the memory changes, or states it itself.
fn keeps_type(rw: &Rewriter<'_, '_>, operand: Operand) -> bool {
    let body = rw.body();
    let user = body.operand(operand).user;
    match body.inst(user).opcode {
        Opcode::DebugValue | Opcode::DestroyAddr | Opcode::DeallocStack => true,
        Opcode::UnconditionalCheckedCastAddr | Opcode::CheckedCastAddrBranch => {
            body.operand_id(user, 0) == operand && body.operand_value(user, 1) != body.operand(operand).value
        }
        _ => false,
    }
}

fn hold_content(rw: &mut Rewriter<'_, '_>, inst: Inst, address: Value, content: &Content) {
    let Some(new) = allocate(rw, inst, content.lowered) else { return };
    let uses: Vec<Operand> = rw.body().uses(address).collect();
    for operand in uses {
        let user = rw.body().operand(operand).user;
        match rw.body().inst(user).opcode {
            Opcode::InitExistentialAddr => {
                let is_cast = matches!(content.initialized.kind(), TypeKind::Opened { .. })
                    && content.initialized != content.concrete;
                let value = match is_cast {
                    true => rw
                        .before(content.init)
                        .unchecked_addr_cast(new, SilType::address(content.initialized)),
                    false => new,
                };
                rw.replace(user, value);
            }
            Opcode::OpenExistentialAddr => rw.replace(user, new),
            Opcode::DeinitExistentialAddr => rw.remove(user),
            _ => retarget(rw, operand, new, content.concrete),
        }
    }
    rw.remove(inst);
}

/// Makes an instruction use memory of another type.
fn retarget(rw: &mut Rewriter<'_, '_>, operand: Operand, new: Value, concrete: Type) {
    rw.set_operand(operand, new);
    let user = rw.body().operand(operand).user;
    if let Some(source) = rw.body().info(user).attr("source_type") {
        rw.edit().set_word(user, source, concrete.as_u32());
    }
}

/// Returns the known concrete type of an allocation of an opened type that is only used through casts.
fn concrete(rw: &Rewriter<'_, '_>, address: Value) -> Option<Type> {
    let body = rw.body();
    let concrete = opened::concrete_type(body, rw.ty(address).ty())?;
    let is_cast = |operand| rw.is(body.operand(operand).user, Opcode::UncheckedAddrCast);
    body.uses(address).all(|operand| is_cast(operand) || keeps_type(rw, operand)).then_some(concrete)
}

fn hold_concrete(rw: &mut Rewriter<'_, '_>, inst: Inst, address: Value, concrete: Type) {
    let Some(new) = allocate(rw, inst, SilType::object(concrete)) else { return };
    let uses: Vec<Operand> = rw.body().uses(address).collect();
    uses.into_iter().for_each(|operand| retarget(rw, operand, new, concrete));
    rw.remove(inst);
}

/// Creates an allocation of another type with the same attributes, without its variable.
fn allocate(rw: &mut Rewriter<'_, '_>, inst: Inst, ty: SilType) -> Option<Value> {
    let old: AllocStack = rw.body().view_as(inst)?;
    Some(rw.before(inst).build(AllocStack { ty, var: None, ..old }))
}
