//! The live ranges of opened types, and of `Self`, which is bound at the entry of a function.

use crate::instance::Opened;
use silkit_base::{FxHashMap, FxHashSet, Symbol};
use silkit_ir::{Block, Body, Inst, Opcode, Value};
use silkit_layout::dynamic_self;
use silkit_types::{Type, TypeKind};

/// Computes the live range of each opened type.
pub(super) fn find(body: &Body) -> Opened {
    let mut uses: FxHashMap<Symbol, Vec<Inst>> = FxHashMap::default();
    let mut opens: FxHashMap<Symbol, Block> = FxHashMap::default();
    let mentions_self = |value: Value| mentions_dynamic_self(body.value(value).ty.ty());
    let is_bound = |i: Inst| {
        let mut mentions = body.results(i).any(mentions_self);
        for_each_type(body, i, &mut |ty| mentions |= mentions_dynamic_self(ty));
        mentions || is_open(body.inst(i).opcode)
    };
    if !body.entry_arguments().iter().any(|&a| mentions_self(a)) && !body.insts().any(is_bound) {
        return Opened::default();
    }
    let mut ids_by_type: FxHashMap<Type, Vec<Symbol>> = FxHashMap::default();
    for inst in body.insts() {
        let mut ids = Vec::new();
        for value in body.operands(inst).iter().map(|o| o.value).chain(body.results(inst)) {
            add(body.value(value).ty.ty(), &mut ids_by_type, &mut ids);
        }
        for_each_type(body, inst, &mut |ty| add(ty, &mut ids_by_type, &mut ids));
        // A method is looked up at its use.
        for operand in body.operands(inst) {
            if let Some(method) = body.defining_inst(operand.value)
                && body.inst(method).opcode == Opcode::WitnessMethod
            {
                for_each_type(body, method, &mut |ty| add(ty, &mut ids_by_type, &mut ids));
            }
        }
        if is_open(body.inst(inst).opcode)
            && let Some(id) = opened_id(body, inst)
        {
            opens.insert(id, body.inst_block(inst));
        }
        for id in ids {
            uses.entry(id).or_default().push(inst);
        }
    }
    for block in body.blocks() {
        for &argument in body.arguments(block) {
            let mut ids = Vec::new();
            add(body.value(argument).ty.ty(), &mut ids_by_type, &mut ids);
            if let Some(first) = body.first_inst(block) {
                ids.into_iter().for_each(|id| uses.entry(id).or_default().push(first));
            }
        }
    }
    let mut found = Opened::default();
    for (id, users) in uses {
        let defined = opens.get(&id).copied();
        let mut live: FxHashSet<Block> = FxHashSet::default();
        let mut work: Vec<Block> = Vec::new();
        for user in users {
            let block = body.inst_block(user);
            let last = found.last_use.entry((block, id)).or_insert(user);
            if body.inst_precedes(*last, user) {
                *last = user;
            }
            if Some(block) != defined && live.insert(block) {
                work.push(block);
            }
        }
        while let Some(block) = work.pop() {
            found.live_in.entry(block).or_default().push(id);
            for before in body.predecessors(block) {
                let out = found.live_out.entry(before).or_default();
                if !out.contains(&id) {
                    out.push(id);
                }
                if Some(before) != defined && live.insert(before) {
                    work.push(before);
                }
            }
        }
    }
    found
}

fn is_open(opcode: Opcode) -> bool {
    matches!(
        opcode,
        Opcode::OpenExistentialAddr
            | Opcode::OpenExistentialRef
            | Opcode::OpenExistentialMetatype
            | Opcode::OpenExistentialBox
            | Opcode::OpenExistentialValue
            | Opcode::OpenExistentialBoxValue
            | Opcode::OpenPackElement
    )
}

/// Returns the id of the type that an instruction opens.
pub(crate) fn opened_id(body: &Body, inst: Inst) -> Option<Symbol> {
    if let Some(open) = body.view_as::<silkit_ir::instructions::OpenPackElement<'_>>(inst) {
        return Some(open.id);
    }
    let result = body.results(inst).next()?;
    id_in(body.value(result).ty.ty())
}

fn id_in(ty: Type) -> Option<Symbol> {
    match ty.kind() {
        TypeKind::Opened { id, .. } => Some(*id),
        kind => {
            let mut found = None;
            kind.for_each_part(&mut |part| found = found.or_else(|| id_in(part)));
            found
        }
    }
}

fn add(ty: Type, ids_by_type: &mut FxHashMap<Type, Vec<Symbol>>, into: &mut Vec<Symbol>) {
    if let Some(ids) = ids_by_type.get(&ty) {
        into.extend(ids.iter().filter(|id| !into.contains(id)).copied().collect::<Vec<_>>());
        return;
    }
    let mut ids = Vec::new();
    collect(ty, &mut ids);
    for id in &ids {
        if !into.contains(id) {
            into.push(*id);
        }
    }
    ids_by_type.insert(ty, ids);
}

fn collect(ty: Type, into: &mut Vec<Symbol>) {
    match ty.kind() {
        TypeKind::Opened { id, .. } | TypeKind::OpenedElement { id, .. } => {
            if !into.contains(id) {
                into.push(*id);
            }
        }
        TypeKind::DynamicSelf(class) => {
            let id = dynamic_self();
            if !into.contains(&id) {
                into.push(id);
            }
            collect(*class, into);
        }
        kind => kind.for_each_part(&mut |part| collect(part, into)),
    }
}

/// Returns true if a type mentions the dynamic `Self` of a class.
pub(super) fn mentions_dynamic_self(ty: Type) -> bool {
    let mut ids = Vec::new();
    collect(ty, &mut ids);
    ids.contains(&dynamic_self())
}

/// Returns true if a type mentions an opened type.
pub(crate) fn mentions_opened(ty: Type) -> bool {
    let mut ids = Vec::new();
    collect(ty, &mut ids);
    !ids.is_empty()
}

/// Calls `each` with the types in the attributes of an instruction.
pub(crate) fn for_each_type(body: &Body, inst: Inst, each: &mut dyn FnMut(Type)) {
    use silkit_ir::info::AttrKind as K;
    for (spec, &word) in body.info(inst).attrs.iter().zip(body.words(inst)) {
        if word == silkit_ir::NONE {
            continue;
        }
        match spec.kind {
            K::Type => each(Type::from_u32(word)),
            K::SilType => each(silkit_types::SilType::from_u32(word).ty()),
            K::ListType => body.list(word).iter().for_each(|&w| each(Type::from_u32(w))),
            K::ListSilType => {
                body.list(word).iter().for_each(|&w| each(silkit_types::SilType::from_u32(w).ty()));
            }
            _ => {}
        }
    }
}
