//! Rules for immutable memory: immutable addresses, and buffers with value semantics.

use super::derived::{Next, each_use};
use crate::context::FunctionVerifier;
use crate::finding::Place;
use crate::rule::{Check, Rule};
use silkit_analysis::memory::is_opaque;
use silkit_base::FxHashSet;
use silkit_diag::{RuleId, Severity};
use silkit_ir::conventions::{ApplySite, ArgumentConvention, Conventions};
use silkit_ir::instructions::RefElementAddr;
use silkit_ir::{AddressUse, Inst, Opcode, Operand, Value};
use silkit_types::decl::DeclFlags;

pub(super) const RULES: &[&Rule] = &[&IMMUTABLE_ADDRESS, &IMMUTABLE_BUFFER];

static IMMUTABLE_ADDRESS: Rule = Rule {
    id: RuleId::new("SIL0230"),
    name: "ImmutableAddress",
    severity: Severity::Error,
    summary: "Memory of an `@in_guaranteed` argument or an existential opened to read is neither modified nor consumed",
    details: "\
The caller of a function keeps the value that it passes as `@in_guaranteed` and relies on finding it
unchanged, as it does for the elements of a `@pack_guaranteed` pack; so does the owner of an
existential that is opened with `immutable_access`. Copy the value
and change the copy, take the argument as `@inout` or `@in`, or open with `mutable_access`.",
    failing: "\
sil @f : $@convention(thin) (@in_guaranteed Builtin.NativeObject) -> () {
bb0(%0 : $*Builtin.NativeObject):
  destroy_addr %0 : $*Builtin.NativeObject
  unreachable
}
",
    corrected: "\
sil @f : $@convention(thin) (@in Builtin.NativeObject) -> () {
bb0(%0 : $*Builtin.NativeObject):
  destroy_addr %0 : $*Builtin.NativeObject
  unreachable
}
",
    check: Check::Body(immutable_addresses),
};

static IMMUTABLE_BUFFER: Rule = Rule {
    id: RuleId::new("SIL0231"),
    name: "ImmutableBuffer",
    severity: Severity::Error,
    summary: "A copy-on-write buffer is modified only between `begin_cow_mutation` and `end_cow_mutation`",
    details: "\
Outside of a mutation the content of a buffer is part of the value of its reference: two loads through
`ref_element_addr [immutable]` or `ref_tail_addr [immutable]` of one reference give the same. Use the
reference that `begin_cow_mutation` gives, and addresses that are not `[immutable]`.",
    failing: "\
class Buffer {
  @_hasStorage var count: Builtin.Int64
}

sil @f : $@convention(thin) (@owned Buffer, Builtin.Int64) -> () {
bb0(%0 : $Buffer, %1 : $Builtin.Int64):
  %2 = end_cow_mutation %0 : $Buffer
  %3 = ref_element_addr %2 : $Buffer, #Buffer.count
  store %1 to %3 : $*Builtin.Int64
  unreachable
}
",
    corrected: "\
class Buffer {
  @_hasStorage var count: Builtin.Int64
}

sil @f : $@convention(thin) (@owned Buffer, Builtin.Int64) -> () {
bb0(%0 : $Buffer, %1 : $Builtin.Int64):
  %2 = ref_element_addr %0 : $Buffer, #Buffer.count
  store %1 to %2 : $*Builtin.Int64
  %4 = end_cow_mutation %0 : $Buffer
  unreachable
}
",
    check: Check::Inst(
        &[Opcode::RefElementAddr, Opcode::RefTailAddr, Opcode::EndCOWMutation],
        immutable_buffer,
    ),
};

fn immutable_addresses(cx: &FunctionVerifier<'_>) {
    let check = |root: Value, what: &str| {
        each_use(cx, root, |operand| {
            let change = changes(cx, operand);
            if change != Change::No {
                let user = cx.body.operand(operand).user;
                let name = cx.body.info(user).name;
                let message =
                    format!("`{name}` modifies or consumes the memory that `{}` borrows", cx.value(root));
                let finding = cx
                    .finding(&IMMUTABLE_ADDRESS, Place::Operand(operand), message)
                    .label("modified or consumed here")
                    .also(Place::Value(root), what);
                // The reference does not check plain stores.
                cx.report(if change == Change::Stores { finding.warning() } else { finding });
            }
            Next::Follow
        });
    };
    let conventions = Conventions::of(cx.function, cx.addresses());
    if let (Some(conventions), Some(entry)) = (conventions, cx.body.entry_block()) {
        for (index, &argument) in cx.body.arguments(entry).iter().enumerate() {
            match conventions.convention(index) {
                Some(ArgumentConvention::InGuaranteed) => check(argument, "passed as `@in_guaranteed`"),
                Some(ArgumentConvention::PackGuaranteed) => {
                    let is_get = |inst: &Inst| cx.body.inst(*inst).opcode == Opcode::PackElementGet;
                    for element in cx.body.users(argument).filter(is_get).flat_map(|get| cx.body.results(get))
                    {
                        check(element, "an element of a pack that is passed as `@pack_guaranteed`");
                    }
                }
                _ => {}
            }
        }
    }
    for inst in cx.insts_with(&[Opcode::OpenExistentialAddr]) {
        if cx.body.keyword(inst, "access") == Some("immutable_access")
            && let Some(opened) = cx.body.first_result(inst)
        {
            check(opened, "opened with `immutable_access`");
        }
    }
}

fn immutable_buffer(cx: &FunctionVerifier<'_>, inst: Inst) {
    let Some(result) = cx.body.first_result(inst) else { return };
    if cx.body.inst(inst).opcode != Opcode::EndCOWMutation {
        // An initializer may set a `let` property through such an address.
        if cx.body.has_flag(inst, "immutable") && !is_let(cx, inst) {
            check_stores(cx, result, inst, "is `[immutable]`");
        }
        return;
    }
    // Follow the buffer under its other names, except for the result of a `begin_cow_mutation`.
    let mut seen = FxHashSet::default();
    let mut work = vec![result];
    while let Some(value) = work.pop() {
        if !seen.insert(value) {
            continue;
        }
        for user in cx.body.users(value) {
            let result = cx.body.first_result(user);
            match cx.body.inst(user).opcode {
                Opcode::RefElementAddr | Opcode::RefTailAddr if !cx.body.has_flag(user, "immutable") => {
                    if let Some(address) = result {
                        check_stores(cx, address, inst, "ends the mutation of the buffer");
                    }
                }
                Opcode::Upcast
                | Opcode::UncheckedRefCast
                | Opcode::CopyValue
                | Opcode::MoveValue
                | Opcode::BeginBorrow => work.extend(result),
                _ => {}
            }
        }
    }
}

/// Returns true if an address is that of a `let` property.
fn is_let(cx: &FunctionVerifier<'_>, inst: Inst) -> bool {
    let Some(address) = cx.body.view_as::<RefElementAddr>(inst) else { return false };
    let ty = cx.body.value(address.operand).ty.ty();
    let property = cx.view().class_property(ty, address.field).map(|(_, field)| field.flags);
    property.is_some_and(|flags| flags.contains(DeclFlags::LET))
}

fn check_stores(cx: &FunctionVerifier<'_>, address: Value, origin: Inst, why: &str) {
    each_use(cx, address, |operand| {
        if matches!(changes(cx, operand), Change::Stores | Change::Writes) {
            let name = cx.body.info(cx.body.operand(operand).user).name;
            let message = format!("`{name}` modifies a buffer outside of a mutation");
            cx.report(
                cx.finding(&IMMUTABLE_BUFFER, Place::Operand(operand), message)
                    .label("changed here")
                    .also(Place::Inst(origin), why),
            );
        }
        // Memory with another type, such as the raw storage of an atomic, may change inside a constant, and arrays of
        // the standard library change elements through such an address.
        match cx.body.inst(cx.body.operand(operand).user).opcode {
            Opcode::UncheckedAddrCast | Opcode::IndexAddr => Next::Skip,
            _ => Next::Follow,
        }
    });
}

/// How a use modifies memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::families) enum Change {
    /// No modification, or none that is known.
    No,
    /// Stores a value.
    Stores,
    /// Copies a value to the memory, or lets other code write.
    Writes,
    /// Takes the value, as when an object is destroyed with its contents.
    Takes,
}

/// Returns how an operand modifies memory.
pub(in crate::families) fn changes(cx: &FunctionVerifier<'_>, operand: Operand) -> Change {
    let body = cx.body;
    let user = body.operand(operand).user;
    let index = body.operand_index(operand);
    let opcode = body.inst(user).opcode;
    if is_opaque(opcode) {
        return Change::No;
    }
    match body.address_use(operand) {
        using if using.stores() && opcode == Opcode::CopyAddr => Change::Writes,
        using if using.stores() => Change::Stores,
        AddressUse::Destroy => Change::Takes,
        AddressUse::Take => Change::Takes,
        AddressUse::Access => match body.keyword(user, "kind") {
            Some("modify" | "init") => Change::Writes,
            Some("deinit") => Change::Takes,
            _ => Change::No,
        },
        AddressUse::Call => {
            let site = ApplySite::of_operand(body, operand, cx.addresses());
            match site.and_then(|site| site.convention_of_operand(index)) {
                Some(ArgumentConvention::Inout | ArgumentConvention::Out) => Change::Writes,
                Some(ArgumentConvention::In) => Change::Takes,
                _ => Change::No,
            }
        }
        _ => Change::No,
    }
}
