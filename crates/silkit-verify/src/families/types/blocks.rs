//! Rules for Objective-C blocks and closures: invoke functions, and escaping closures.

use super::facts::{at_operand, operand, resolved, same, sil_type};
use crate::context::FunctionVerifier;
use crate::finding::Place;
use crate::rule::{Check, Rule};
use silkit_diag::{RuleId, Severity};
use silkit_ir::{Inst, Opcode};
use silkit_types::decl::{DeclFlags, NominalKind};
use silkit_types::{Convention, FnFlags, FunctionType, Param, Type, TypeKind};

pub(super) const RULES: &[&Rule] = &[&BLOCK_INVOKE, &ESCAPABLE_CLOSURE];

static BLOCK_INVOKE: Rule = Rule {
    id: RuleId::new("SIL0309"),
    name: "BlockInvoke",
    severity: Severity::Error,
    summary: "The invoke function of a block is a C function that takes the block storage and the parameters of the block",
    details: "\
`init_block_storage_header` makes a `@convention(block)` function. The function that it names has
`@convention(c)`; its first parameter is the address of the block's storage, `@inout_aliasable`, the
others and the results are those of the block.",
    failing: "\
sil @invoke : $@convention(c) (@inout_aliasable @block_storage Builtin.Int64) -> ()
sil @f : $@convention(thin) (@inout_aliasable @block_storage Builtin.Int64) -> () {
bb0(%0 : $*@block_storage Builtin.Int64):
  %1 = function_ref @invoke : $@convention(c) (@inout_aliasable @block_storage Builtin.Int64) -> ()
  %2 = init_block_storage_header %0 : $*@block_storage Builtin.Int64, invoke %1 : $@convention(c) (@inout_aliasable @block_storage Builtin.Int64) -> (), type $@convention(block) (Builtin.Int64) -> ()
  unreachable
}
",
    corrected: "\
sil @invoke : $@convention(c) (@inout_aliasable @block_storage Builtin.Int64) -> ()
sil @f : $@convention(thin) (@inout_aliasable @block_storage Builtin.Int64) -> () {
bb0(%0 : $*@block_storage Builtin.Int64):
  %1 = function_ref @invoke : $@convention(c) (@inout_aliasable @block_storage Builtin.Int64) -> ()
  %2 = init_block_storage_header %0 : $*@block_storage Builtin.Int64, invoke %1 : $@convention(c) (@inout_aliasable @block_storage Builtin.Int64) -> (), type $@convention(block) () -> ()
  unreachable
}
",
    check: Check::Inst(&[Opcode::InitBlockStorageHeader], block_invoke),
};

fn block_invoke(cx: &FunctionVerifier<'_>, inst: Inst) {
    let (storage, invoke) = (operand(cx, inst, 0), operand(cx, inst, 1));
    let (Some(invoke), Some(block)) =
        (invoke.ty().as_function(), sil_type(cx, inst, "type").and_then(|t| t.ty().as_function()))
    else {
        return;
    };
    // The substitution of a generic invoke function is not followed.
    let is_followed = invoke.sig.is_none() && block.sig.is_none();
    let is_storage = |p: &Param| {
        let of = matches!(p.ty.kind(), TypeKind::BlockStorage(_));
        of && (storage.is_unknown() || !is_followed || same(cx, p.ty, storage.ty()) != Some(false))
    };
    let message = if invoke.convention != Convention::C {
        "the function that invokes a block has `@convention(c)`"
    } else if block.convention != Convention::Block {
        "`init_block_storage_header` makes a `@convention(block)` function"
    } else if !invoke.params.first().is_some_and(is_storage) {
        "the function that invokes a block takes the storage of the block first"
    } else if invoke.params.len() != block.params.len() + 1 || invoke.results.len() != block.results.len() {
        "the block takes or returns other values than the function that invokes it"
    } else if is_followed && differs(cx, invoke, block) {
        "the types of the block are not those of the function that invokes it"
    } else {
        return;
    };
    cx.report(cx.finding(&BLOCK_INVOKE, Place::Inst(inst), message));
}

fn differs(cx: &FunctionVerifier<'_>, invoke: &FunctionType, block: &FunctionType) -> bool {
    let is_different = |a: Type, b: Type| a != b && same(cx, a, b) == Some(false);
    let mut params = invoke.params.iter().skip(1).zip(&block.params);
    let mut results = invoke.results.iter().zip(&block.results);
    params.any(|(p, q)| is_different(p.ty, q.ty) || p.convention != q.convention)
        || results.any(|(r, s)| is_different(r.ty, s.ty) || r.convention != s.convention)
}

static ESCAPABLE_CLOSURE: Rule = Rule {
    id: RuleId::new("SIL0349"),
    name: "EscapableClosure",
    severity: Severity::Error,
    summary: "Only escaping closures are checked for escapes, and only blocks are copied as blocks",
    details: "\
`destroy_not_escaped_closure` looks at the reference count of a closure's context: its operand is a
function with a context that may escape, or an optional of one. `copy_block` copies a
`@convention(block)` function or another Objective-C object; the reference count of a function without a
context does not exist.",
    failing: "\
sil @f : $@convention(thin) (@convention(thin) () -> ()) -> () {
bb0(%0 : $@convention(thin) () -> ()):
  %1 = destroy_not_escaped_closure %0 : $@convention(thin) () -> ()
  unreachable
}
",
    corrected: "\
sil @f : $@convention(thin) (@owned @callee_guaranteed () -> ()) -> () {
bb0(%0 : $@callee_guaranteed () -> ()):
  %1 = destroy_not_escaped_closure %0 : $@callee_guaranteed () -> ()
  unreachable
}
",
    check: Check::Inst(
        &[
            Opcode::DestroyNotEscapedClosure,
            Opcode::CopyBlock,
            Opcode::CopyBlockWithoutEscaping,
            Opcode::StrongRetain,
            Opcode::StrongRelease,
        ],
        escapable_closure,
    ),
};

fn escapable_closure(cx: &FunctionVerifier<'_>, inst: Inst) {
    let ty = operand(cx, inst, 0);
    if ty.is_unknown() {
        return;
    }
    let mut object = resolved(cx, ty.ty());
    if let TypeKind::Named(n) = object.kind()
        && n.name == "Optional"
        && n.args.len() == 1
    {
        object = resolved(cx, n.args[0]);
    }
    let function = object.as_function();
    // Whether a class is an Objective-C class is not known here.
    let is_other_kind = match object.kind() {
        TypeKind::Builtin(name, _) => {
            !matches!(name.as_str(), "UnknownObject" | "BridgeObject" | "AnyObject" | "NativeObject")
        }
        TypeKind::Tuple(_) | TypeKind::Metatype(..) | TypeKind::Box(_) => true,
        TypeKind::Named(_) => {
            super::facts::declared(cx, object).is_some_and(|decl| decl.kind != NominalKind::Protocol)
        }
        _ => false,
    };
    let name = cx.body.info(inst).name;
    let (fits, wanted) = match cx.body.inst(inst).opcode {
        Opcode::DestroyNotEscapedClosure => (
            function.map_or(!is_other_kind, |f| has_context(f) && !f.flags.contains(FnFlags::NOESCAPE)),
            "a closure that may escape",
        ),
        Opcode::CopyBlock | Opcode::CopyBlockWithoutEscaping => (
            function
                .map_or_else(|| !is_other_kind || is_objc(cx, object), |f| f.convention == Convention::Block),
            "a block",
        ),
        _ => (function.is_none_or(has_context), "a function with a context"),
    };
    if !fits {
        let message = format!("`{name}` expects {wanted}, found `{ty}`");
        let finding = at_operand(cx, &ESCAPABLE_CLOSURE, inst, 0, message);
        // The reference does not check it.
        let is_unchecked = cx.body.inst(inst).opcode == Opcode::CopyBlockWithoutEscaping;
        cx.report(if is_unchecked { finding.warning() } else { finding });
    }
}

fn has_context(f: &FunctionType) -> bool {
    matches!(
        f.convention,
        Convention::Thick | Convention::ExplicitThick | Convention::Swift | Convention::Block
    )
}

fn is_objc(cx: &FunctionVerifier<'_>, ty: Type) -> bool {
    super::facts::declared(cx, ty).is_none_or(|decl| decl.flags.contains(DeclFlags::OBJC))
}
