//! Rules for instructions on memory that depend on how an operand was made.

use crate::context::FunctionVerifier;
use crate::finding::Place;
use crate::rule::{Check, Rule};
use silkit_base::FxHashMap;
use silkit_diag::{RuleId, Severity};
use silkit_ir::instructions::AllocGlobal;
use silkit_ir::{Inst, Opcode, Value};
use silkit_types::{SilType, Type, TypeKind};

pub(super) const RULES: &[&Rule] = &[
    &STACK_HOLDS_NO_PACK,
    &PACK_ELEMENT_IS_SET,
    &REBIND_TOKEN,
    &DEINIT_WAS_DROPPED,
    &GLOBAL_IS_UNINITIALIZED,
];

static STACK_HOLDS_NO_PACK: Rule = Rule {
    id: RuleId::new("SIL0520"),
    name: "StackHoldsNoPack",
    severity: Severity::Error,
    summary: "The type of `alloc_stack` is not a pack",
    details: "\
A pack is not a value but a list of them; `alloc_pack` allocates the list.",
    failing: "\
sil @f : $@convention(thin) () -> () {
bb0:
  %0 = alloc_stack $Pack{Int}
  dealloc_stack %0
  %2 = tuple ()
  return %2
}
",
    corrected: "\
sil @f : $@convention(thin) () -> () {
bb0:
  %0 = alloc_pack $Pack{Int}
  dealloc_pack %0
  %2 = tuple ()
  return %2
}
",
    check: Check::Inst(&[Opcode::AllocStack], stack_holds_no_pack),
};

fn stack_holds_no_pack(cx: &FunctionVerifier<'_>, inst: Inst) {
    let Some(ty) = cx.body.first_result(inst).map(|address| cx.body.value(address).ty) else { return };
    if matches!(ty.ty().kind(), TypeKind::Pack { .. }) {
        let message = format!("`alloc_stack` allocates a value, found the pack `{}`", ty.ty());
        // The reference does not check it.
        let finding = cx.finding(&STACK_HOLDS_NO_PACK, Place::Inst(inst), message).warning();
        cx.report(finding.note("`alloc_pack` allocates a pack"));
    }
}

static PACK_ELEMENT_IS_SET: Rule = Rule {
    id: RuleId::new("SIL0523"),
    name: "PackElementIsSet",
    severity: Severity::Error,
    summary: "An element of a pack is set before it is read",
    details: "\
`alloc_pack` makes a list of addresses that are not known yet; `pack_element_set` puts one there.
`pack_element_get` of an element that nothing set before gives no address. Only packs that no other
instruction uses are checked, and without ownership only reads whose result is used.",
    failing: "\
sil @f : $@convention(thin) () -> () {
bb0:
  %0 = alloc_pack $Pack{Builtin.Int64}
  %1 = scalar_pack_index 0 of $Pack{Builtin.Int64}
  %2 = pack_element_get %1 of %0 : $*Pack{Builtin.Int64} as $*Builtin.Int64
  %3 = load %2 : $*Builtin.Int64
  dealloc_pack %0 : $*Pack{Builtin.Int64}
  %5 = tuple ()
  return %5 : $()
}
",
    corrected: "\
sil @f : $@convention(thin) (@in_guaranteed Builtin.Int64) -> () {
bb0(%0 : $*Builtin.Int64):
  %1 = alloc_pack $Pack{Builtin.Int64}
  %2 = scalar_pack_index 0 of $Pack{Builtin.Int64}
  pack_element_set %0 : $*Builtin.Int64 into %2 of %1 : $*Pack{Builtin.Int64}
  %4 = pack_element_get %2 of %1 : $*Pack{Builtin.Int64} as $*Builtin.Int64
  %5 = load %4 : $*Builtin.Int64
  dealloc_pack %1 : $*Pack{Builtin.Int64}
  %7 = tuple ()
  return %7 : $()
}
",
    check: Check::Inst(&[Opcode::AllocPack], pack_element_is_set),
};

fn pack_element_is_set(cx: &FunctionVerifier<'_>, alloc: Inst) {
    let body = cx.body;
    let Some(pack) = body.first_result(alloc) else { return };
    // The first instruction that sets each element, in the order of its block; `None` if they are in several blocks.
    let mut first_set: FxHashMap<u32, Option<Inst>> = FxHashMap::default();
    let mut gets = Vec::new();
    for user in body.users(pack) {
        let index = |operand| {
            let index = body.defining_inst(body.operand_value(user, operand))?;
            (body.inst(index).opcode == Opcode::ScalarPackIndex).then(|| body.word(index, "index"))?
        };
        match body.inst(user).opcode {
            Opcode::PackElementGet => gets.extend(index(0).map(|index| (user, index))),
            Opcode::PackElementSet => {
                let Some(index) = index(1) else { return };
                let first = first_set.entry(index).or_insert(Some(user));
                *first = first
                    .filter(|&first| body.inst_block(first) == body.inst_block(user))
                    .map(|first| if body.inst_precedes(user, first) { user } else { first });
            }
            Opcode::DeallocPack | Opcode::DebugValue => {}
            _ => return,
        }
    }
    for (get, index) in gets {
        // Without ownership, a dead read may be left over.
        let is_used = || body.first_result(get).is_some_and(|result| body.users(result).next().is_some());
        if !cx.is_ossa() && !is_used() {
            continue;
        }
        // A set after the get is reached before it in a loop only.
        let is_unset = match first_set.get(&index) {
            None => true,
            Some(None) => false,
            Some(&Some(set)) => {
                let block = body.inst_block(get);
                body.inst_block(set) == block
                    && body.inst_precedes(get, set)
                    && (body.inst_block(alloc) == block || !cx.components().is_in_cycle(block))
            }
        };
        if is_unset {
            let message = format!("element {index} of the pack `{}` has not been set", cx.value(pack));
            // The reference does not check it.
            let finding = cx.finding(&PACK_ELEMENT_IS_SET, Place::Inst(get), message).warning();
            cx.report(finding.also(Place::Inst(alloc), "allocated here"));
        }
    }
}

static REBIND_TOKEN: Rule = Rule {
    id: RuleId::new("SIL0521"),
    name: "RebindToken",
    severity: Severity::Error,
    summary: "`rebind_memory` restores what a token says, the result of `bind_memory` or `rebind_memory`",
    details: "\
The token records the types that the memory was bound to. No other value does.",
    failing: "\
sil @f : $@convention(thin) (Builtin.RawPointer) -> () {
bb0(%0 : $Builtin.RawPointer):
  %1 = integer_literal $Builtin.Word, 1
  %2 = rebind_memory %0 to %1
  %3 = tuple ()
  return %3
}
",
    corrected: "\
sil @f : $@convention(thin) (Builtin.RawPointer, Builtin.Word) -> () {
bb0(%0 : $Builtin.RawPointer, %1 : $Builtin.Word):
  %2 = bind_memory %0, %1 to $*Builtin.Int64
  %3 = rebind_memory %0 to %2
  %4 = tuple ()
  return %4
}
",
    check: Check::Inst(&[Opcode::RebindMemory], rebind_token),
};

fn rebind_token(cx: &FunctionVerifier<'_>, inst: Inst) {
    let body = cx.body;
    let token = body.operand_value(inst, 1);
    let has_type = |value: Value, name: &str| body.value(value).ty == SilType::object(Type::builtin(name));
    if !has_type(token, "Word") || !has_type(body.operand_value(inst, 0), "RawPointer") {
        return;
    }
    let is_token = match body.defining_inst(token) {
        Some(def) => matches!(body.inst(def).opcode, Opcode::BindMemory | Opcode::RebindMemory),
        // A phi may join tokens, and closures of the library are passed one.
        None => true,
    };
    if !is_token {
        let message = format!("`{}` is not the result of `bind_memory` or `rebind_memory`", cx.value(token));
        // The reference does not check it.
        cx.report(cx.finding(&REBIND_TOKEN, Place::Operand(body.operand_id(inst, 1)), message).warning());
    }
}

static DEINIT_WAS_DROPPED: Rule = Rule {
    id: RuleId::new("SIL0522"),
    name: "DeinitWasDropped",
    severity: Severity::Error,
    summary: "Memory whose deinit was dropped is destroyed by its parts",
    details: "\
After `drop_deinit` of an address the deinit must not run, but `destroy_addr` would run it: of the result
as of the operand. Destroy the stored properties instead.",
    failing: "\
struct S : ~Copyable {
  @_hasStorage var x: Builtin.NativeObject
  deinit
}
sil [ossa] @f : $@convention(thin) (@in S) -> () {
bb0(%0 : $*S):
  %1 = drop_deinit %0
  destroy_addr %1
  %3 = tuple ()
  return %3
}
",
    corrected: "\
struct S : ~Copyable {
  @_hasStorage var x: Builtin.NativeObject
  deinit
}
sil [ossa] @f : $@convention(thin) (@in S) -> () {
bb0(%0 : $*S):
  %1 = drop_deinit %0
  %2 = struct_element_addr %1, #S.x
  destroy_addr %2
  %4 = tuple ()
  return %4
}
",
    check: Check::Inst(&[Opcode::DropDeinit], deinit_was_dropped),
};

fn deinit_was_dropped(cx: &FunctionVerifier<'_>, inst: Inst) {
    let body = cx.body;
    let operand = body.operand_value(inst, 0);
    if !body.value(operand).ty.is_address() {
        return;
    }
    // The next change of the operand may initialize it again.
    let block = body.inst_block(inst);
    let of_operand = body
        .users(operand)
        .filter(|&user| user != inst && body.inst_block(user) == block && body.inst_precedes(inst, user));
    let next = of_operand.reduce(|first, user| if body.inst_precedes(user, first) { user } else { first });
    let of_result = body.results(inst).flat_map(|result| body.users(result));
    for user in of_result.chain(next) {
        if body.inst(user).opcode == Opcode::DestroyAddr {
            let message = "memory whose deinit was dropped is destroyed as a whole, which runs the deinit";
            // The reference does not check it.
            let finding = cx.finding(&DEINIT_WAS_DROPPED, Place::Inst(user), message).warning();
            cx.report(finding.also(Place::Inst(inst), "its deinit is dropped here"));
        }
    }
}

static GLOBAL_IS_UNINITIALIZED: Rule = Rule {
    id: RuleId::new("SIL0525"),
    name: "GlobalIsUninitialized",
    severity: Severity::Error,
    summary: "`alloc_global` names a global variable without static initializer",
    details: "\
`alloc_global` initializes the storage of a variable that code will store to. A variable with a static
initializer is initialized already. Remove the instruction or the initializer.",
    failing: "\
sil_global @g : $Builtin.Int64 = {
  %initval = integer_literal $Builtin.Int64, 1
}
sil @f : $@convention(thin) () -> () {
bb0:
  alloc_global @g
  %1 = tuple ()
  return %1 : $()
}
",
    corrected: "\
sil_global @g : $Builtin.Int64
sil @f : $@convention(thin) () -> () {
bb0:
  alloc_global @g
  %1 = tuple ()
  return %1 : $()
}
",
    check: Check::Inst(&[Opcode::AllocGlobal], global_is_uninitialized),
};

fn global_is_uninitialized(cx: &FunctionVerifier<'_>, inst: Inst) {
    let Some(alloc) = cx.body.view_as::<AllocGlobal>(inst) else { return };
    if cx.global(alloc.global).is_some_and(|global| global.initializer.is_some()) {
        let message = format!("`{}` has a static initializer", alloc.global);
        // The reference does not check it.
        cx.report(cx.finding(&GLOBAL_IS_UNINITIALIZED, Place::Inst(inst), message).warning());
    }
}
