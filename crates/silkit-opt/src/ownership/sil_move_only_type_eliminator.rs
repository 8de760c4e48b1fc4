//! `sil-move-only-type-eliminator`: eliminates move-only wrappers of copyable types, after the checks.
//! `sil-trivial-move-only-type-eliminator` eliminates those of trivial types and of boxes of trivial types.
//!
//! The attribute `@moveOnly` and the conversions are removed. For values that become trivial, moves, borrows, copies
//! and their ends are removed as well. Their debug variables are marked `[moveable_value_debuginfo]`.
//!
//! A `mark_unresolved_non_copyable_value` of a value that no checker has removed is replaced by its operand. A function
//! with such a mark of wrapped memory is left as it is: raw SIL destroys a variable at the end of its scope even where it
//! has been consumed, and only the move checker, which removes the mark, decides which of these destructions remain.
//!
//! ```text
//! sil [ossa] @f : $@convention(thin) (Builtin.Int64) -> Builtin.Int64 {
//! bb0(%0 : @noImplicitCopy $Builtin.Int64):
//!   %1 = copyable_to_moveonlywrapper [owned] %0
//!   %2 = move_value [lexical] [var_decl] %1
//!   debug_value %2, let, name "x", argno 1
//!   %4 = begin_borrow %2
//!   %5 = moveonlywrapper_to_copyable [guaranteed] %4
//!   end_borrow %4
//!   extend_lifetime %2
//!   destroy_value %2
//!   return %5
//! }
//! ---
//! sil [ossa] @f : $@convention(thin) (Builtin.Int64) -> Builtin.Int64 {
//! bb0(%0 : @noImplicitCopy $Builtin.Int64):
//!   debug_value [moveable_value_debuginfo] %0, let, name "x", argno 1
//!   return %0
//! }
//! ```

use silkit_ir::info::AttrKind;
use silkit_ir::instructions::{Load, LoadQualifier, Store, StoreQualifier};
use silkit_ir::{Body, Inst, Opcode, Ownership, Point, Value};
use silkit_pass::FunctionContext;
use silkit_pass::Pass;
use silkit_types::decl::Declarations;
use silkit_types::{GenericSig, SilType, Type, TypeKind};

pub(super) const PASS: Pass<'static> = Pass::function(
    "sil-move-only-type-eliminator",
    "Eliminates move-only wrappers of copyable types",
    &|cx: &mut FunctionContext<'_>| run(cx, Scope::All),
)
.mandatory();

pub(super) const TRIVIAL: Pass<'static> = Pass::function(
    "sil-trivial-move-only-type-eliminator",
    "Eliminates move-only wrappers of trivial types",
    &|cx: &mut FunctionContext<'_>| run(cx, Scope::Trivial),
)
.mandatory();

/// The types whose wrappers are eliminated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Scope {
    All,
    Trivial,
}

/// The wrappers that are eliminated in a function.
#[derive(Clone, Copy)]
struct Wrappers<'a> {
    declarations: &'a Declarations,
    signature: Option<GenericSig>,
    scope: Scope,
}

fn run(cx: &mut FunctionContext<'_>, scope: Scope) {
    let wrappers = Wrappers { declarations: cx.declarations(), signature: cx.view().signature(), scope };
    let body = cx.body();
    if body.insts().any(|inst| wrappers.awaits_checker(body, inst)) {
        return;
    }
    // All types are changed together, since a partial change is invalid.
    if body.insts().any(|inst| wrappers.are_named(body, inst)) || wrappers.are_around_arguments(body) {
        if !cx.may_change() {
            return;
        }
        unwrap(cx, wrappers);
    }
    let insts: Vec<Inst> = cx.body().insts().collect();
    for inst in insts {
        simplify(cx, inst);
    }
}

impl Wrappers<'_> {
    /// Returns a type without the wrapper; in a box, the wrapper is around its content.
    fn unwrapped(&self, ty: Type) -> Type {
        match ty.kind() {
            TypeKind::MoveOnly(inner) => {
                let content = if let TypeKind::Paren(content) = inner.kind() { content } else { inner };
                let new = self.unwrapped(*content);
                if self.scope == Scope::Trivial && !self.is_trivial(new) { ty } else { new }
            }
            TypeKind::Box(_) => ty.map(&mut |ty| self.unwrapped(ty)),
            _ => ty,
        }
    }

    fn is_trivial(&self, ty: Type) -> bool {
        self.declarations.is_trivial(ty, self.signature) == Some(true)
    }

    fn is_around(&self, body: &Body, value: Value) -> bool {
        let ty = body.value(value).ty.ty();
        self.unwrapped(ty) != ty
    }

    /// Returns true if an instruction involves wrapped values.
    fn are_named(&self, body: &Body, inst: Inst) -> bool {
        body.results(inst).any(|value| self.is_around(body, value))
            || body.operands(inst).iter().any(|operand| self.is_around(body, operand.value))
    }

    /// Returns true if an instruction marks wrapped memory that the move checker has not checked.
    fn awaits_checker(&self, body: &Body, inst: Inst) -> bool {
        let is_mark = body.inst(inst).opcode == Opcode::MarkUnresolvedNonCopyableValue;
        is_mark && body.value(body.operand_value(inst, 0)).ty.is_address() && self.are_named(body, inst)
    }

    fn are_around_arguments(&self, body: &Body) -> bool {
        body.blocks().any(|block| body.arguments(block).iter().any(|&arg| self.is_around(body, arg)))
    }
}

/// Removes the wrappers from all types.
fn unwrap(cx: &mut FunctionContext<'_>, wrappers: Wrappers<'_>) {
    let body = cx.body();
    let insts: Vec<Inst> = body.insts().filter(|&inst| wrappers.are_named(body, inst)).collect();
    let arguments = body.blocks().flat_map(|block| body.arguments(block));
    let arguments: Vec<Value> = arguments.copied().filter(|&arg| wrappers.is_around(body, arg)).collect();
    cx.count("values unwrapped", (insts.len() + arguments.len()) as u64);
    for &inst in &insts {
        mark_variable(cx, wrappers, inst);
        let undefined: Vec<_> = cx.body().operand_ids(inst).collect();
        for operand in undefined {
            let value = cx.body().operand(operand).value;
            let is_undef = matches!(cx.body().def(value), silkit_ir::ValueDef::Undef);
            if is_undef && wrappers.is_around(cx.body(), value) {
                let ty = cx.body().value(value).ty;
                let mut editor = cx.edit();
                let undef = editor.undef(ty.with_type(wrappers.unwrapped(ty.ty())));
                editor.set_operand(operand, undef);
            }
        }
    }
    for &inst in &insts {
        if cx.body().inst(inst).opcode == Opcode::MarkUnresolvedNonCopyableValue {
            // The value can be copied now, so that there is nothing to check.
            let operand = cx.body().operand_value(inst, 0);
            cx.edit().replace(inst, operand);
            continue;
        }
        unwrap_attributes(cx, wrappers, inst);
        let results: Vec<Value> = cx.body().results(inst).collect();
        for value in results {
            let ty = cx.body().value(value).ty;
            cx.edit().set_type(value, ty.with_type(wrappers.unwrapped(ty.ty())));
        }
    }
    for arg in arguments {
        let data = cx.body().value(arg);
        let (ty, flags) = (data.ty.with_type(wrappers.unwrapped(data.ty.ty())), data.arg_flags);
        let mut editor = cx.edit();
        editor.set_type(arg, ty);
        if wrappers.is_trivial(ty.ty()) {
            editor.set_argument_ownership(arg, Ownership::None, flags);
        }
    }
}

/// Marks the variable of a wrapped value as moveable.
fn mark_variable(cx: &mut FunctionContext<'_>, wrappers: Wrappers<'_>, inst: Inst) {
    let body = cx.body();
    let holds_wrapped = match body.inst(inst).opcode {
        Opcode::DebugValue => wrappers.is_around(body, body.operand_value(inst, 0)),
        Opcode::AllocStack | Opcode::AllocBox => {
            body.results(inst).any(|value| wrappers.is_around(body, value))
        }
        _ => false,
    };
    if holds_wrapped {
        cx.edit().set_flag(inst, "moveable_value_debuginfo", true);
    }
}

fn unwrap_attributes(cx: &mut FunctionContext<'_>, wrappers: Wrappers<'_>, inst: Inst) {
    let info = cx.body().info(inst);
    for (index, attr) in info.attrs.iter().enumerate() {
        if attr.kind != AttrKind::SilType {
            continue;
        }
        let ty = SilType::from_u32(cx.body().words(inst)[index]);
        let new = ty.with_type(wrappers.unwrapped(ty.ty()));
        if new != ty {
            cx.edit().set_word(inst, index, new.as_u32());
        }
    }
}

/// Returns true if the type of a value, or the content of a box, is wrapped.
fn is_wrapped(body: &Body, value: Value) -> bool {
    let ty = body.value(value).ty.ty();
    let mut is_wrapped = matches!(ty.kind(), TypeKind::MoveOnly(_));
    if matches!(ty.kind(), TypeKind::Box(_)) {
        ty.map(&mut |content| {
            is_wrapped |= matches!(content.kind(), TypeKind::MoveOnly(_));
            content
        });
    }
    is_wrapped
}

/// Removes a conversion, and lifetime instructions of trivial values.
fn simplify(cx: &mut FunctionContext<'_>, inst: Inst) {
    let body = cx.body();
    let opcode = body.inst(inst).opcode;
    let is_conversion = matches!(
        opcode,
        Opcode::MoveOnlyWrapperToCopyableValue
            | Opcode::MoveOnlyWrapperToCopyableAddr
            | Opcode::MoveOnlyWrapperToCopyableBox
            | Opcode::CopyableToMoveOnlyWrapperValue
            | Opcode::CopyableToMoveOnlyWrapperAddr
    );
    // A conversion of a value that stays wrapped is kept.
    let is_done = || {
        body.results(inst).all(|value| !is_wrapped(body, value))
            && !is_wrapped(body, body.operand_value(inst, 0))
    };
    let is_candidate = is_conversion && is_done() || is_of_lifetime(opcode) && operates_on_trivial(cx, inst);
    if !is_candidate || !cx.may_change() {
        return;
    }
    match opcode {
        Opcode::EndBorrow | Opcode::EndLifetime | Opcode::DestroyValue | Opcode::ExtendLifetime => {
            cx.edit().remove(inst);
        }
        Opcode::Load | Opcode::LoadBorrow => {
            let address = cx.body().operand_value(inst, 0);
            let mut builder = cx.at(Point::Before(inst));
            let load = Load { qualifier: Some(LoadQualifier::Trivial), ..Load::new(address) };
            let value = builder.build(load);
            builder.replace(inst, value);
        }
        Opcode::Store | Opcode::StoreBorrow => {
            let (source, destination) = (cx.body().operand_value(inst, 0), cx.body().operand_value(inst, 1));
            let mut builder = cx.at(Point::Before(inst));
            builder
                .build(Store { qualifier: Some(StoreQualifier::Trivial), ..Store::new(source, destination) });
            match opcode {
                Opcode::StoreBorrow => builder.replace(inst, destination),
                _ => builder.remove(inst),
            }
        }
        _ => {
            let operand = cx.body().operand_value(inst, 0);
            cx.edit().replace(inst, operand);
        }
    }
    cx.count("instructions simplified", 1);
}

/// Returns true if an instruction only concerns lifetimes, which trivial values do not have.
fn is_of_lifetime(opcode: Opcode) -> bool {
    matches!(
        opcode,
        Opcode::MoveValue
            | Opcode::BeginBorrow
            | Opcode::CopyValue
            | Opcode::ExplicitCopyValue
            | Opcode::EndBorrow
            | Opcode::EndLifetime
            | Opcode::DestroyValue
            | Opcode::ExtendLifetime
            | Opcode::Load
            | Opcode::LoadBorrow
            | Opcode::Store
            | Opcode::StoreBorrow
    )
}

fn operates_on_trivial(cx: &FunctionContext<'_>, inst: Inst) -> bool {
    let body = cx.body();
    let is_plain = match body.inst(inst).opcode {
        Opcode::Load => {
            body.view_as::<Load>(inst).is_some_and(|load| load.qualifier != Some(LoadQualifier::Trivial))
        }
        Opcode::Store => {
            body.view_as::<Store>(inst).is_some_and(|s| s.qualifier != Some(StoreQualifier::Trivial))
        }
        _ => true,
    };
    let ty = body.value(body.operand_value(inst, 0)).ty.ty();
    is_plain
        && cx.function().has_ossa()
        && cx.declarations().is_trivial(ty, cx.view().signature()) == Some(true)
}

#[cfg(test)]
mod tests {
    use crate::testing::changed;

    /// Returns the body, after the pass, of a function with a number, a reference and conditions.
    fn eliminated(insts: &str) -> String {
        let text = changed(
            "sil-move-only-type-eliminator",
            &[],
            &format!(
                "sil_stage raw\nimport Builtin\nimport Swift\nclass C {{}}\nstruct N : ~Copyable {{}}\n\
                 sil [ossa] @f : $@convention(thin) (Int, @owned C) -> () {{\n\
                 bb0(%0 : $Int, %1 : @owned $C):\n{insts}\n%r = tuple ()\nreturn %r\n}}\n"
            ),
        );
        text[text.find("bb0(").expect("a body")..].to_owned()
    }

    #[test]
    fn values_with_lifetimes_keep_them() {
        let text = eliminated(
            "%2 = copyable_to_moveonlywrapper [owned] %1\n%3 = move_value [lexical] [var_decl] %2\n\
             debug_value %3, let, name \"x\"\n%5 = begin_borrow %3\n%6 = moveonlywrapper_to_copyable [guaranteed] %5\n\
             fix_lifetime %6\nend_borrow %5\nextend_lifetime %3\ndestroy_value %3",
        );
        let expected = "  %2 = move_value [lexical] [var_decl] %1\n  \
            debug_value [moveable_value_debuginfo] %2, let, name \"x\"\n  %4 = begin_borrow %2\n  \
            fix_lifetime %4\n  end_borrow %4\n  extend_lifetime %2\n  destroy_value %2\n";
        assert!(text.contains(expected), "{text}");
    }

    /// The reference aborts at a mark, which its checker always removes before.
    #[test]
    fn marks_are_removed() {
        let text = eliminated(
            "%2 = copyable_to_moveonlywrapper [owned] %1\n\
             %3 = mark_unresolved_non_copyable_value [consumable_and_assignable] %2\ndestroy_value %3",
        );
        assert!(text.contains("  destroy_value %1\n") && !text.contains("mark_unresolved"), "{text}");
    }

    /// Only the move checker decides that the variable is not destroyed again. The reference aborts at such a mark.
    #[test]
    fn variables_that_await_the_move_checker_stay_wrapped() {
        let insts = "%2 = alloc_stack [var_decl] $@moveOnly C, var, name \"x\"\n\
             %3 = mark_unresolved_non_copyable_value [consumable_and_assignable] %2\n\
             %4 = moveonlywrapper_to_copyable_addr %3\nstore %1 to [init] %4\n\
             %6 = begin_access [deinit] [unknown] %3\n%7 = load [take] %6\n\
             %8 = moveonlywrapper_to_copyable [owned] %7\nend_access %6\ndestroy_value %8\n\
             destroy_addr %3\ndealloc_stack %2";
        let text = eliminated(insts);
        for line in insts.lines() {
            assert!(text.contains(line), "{line}\n{text}");
        }
    }

    /// The mark of a noncopyable type is not about a wrapper.
    #[test]
    fn marks_of_noncopyable_memory_do_not_keep_wrappers() {
        let text = eliminated(
            "%2 = alloc_stack $N\n%3 = mark_unresolved_non_copyable_value [consumable_and_assignable] %2\n\
             dealloc_stack %2\n%5 = copyable_to_moveonlywrapper [owned] %1\ndestroy_value %5",
        );
        assert!(text.contains("mark_unresolved") && text.contains("  destroy_value %1\n"), "{text}");
    }

    #[test]
    fn memory_is_unwrapped() {
        let text = eliminated(
            "%2 = alloc_stack [lexical] $@moveOnly Int, var, name \"x\"\n%3 = moveonlywrapper_to_copyable_addr %2\n\
             store %0 to [trivial] %3\n%5 = load [copy] %2\n%6 = load_borrow %2\nend_borrow %6\n\
             store %5 to [assign] %2\ndealloc_stack %2\n\
             %9 = alloc_box ${ var @moveOnly C }\n%10 = moveonlywrapper_to_copyable_box %9\ndestroy_value %10\n\
             destroy_value %1",
        );
        assert!(text.contains("alloc_stack [lexical] [moveable_value_debuginfo] $Int"), "{text}");
        assert!(
            text.contains("%4 = load [trivial] %2\n  %5 = load [trivial] %2\n  store %4 to [trivial]"),
            "{text}"
        );
        assert!(
            text.contains("%8 = alloc_box [moveable_value_debuginfo] ${ var C }\n  destroy_value %8"),
            "{text}"
        );
    }

    #[test]
    fn arguments_of_blocks_lose_ownership_with_the_wrapper() {
        let text = eliminated(
            "%2 = copyable_to_moveonlywrapper [owned] %0\nbr bb1(%2)\nbb1(%4 : @owned $@moveOnly Int):\n\
             destroy_value %4\ndestroy_value %1",
        );
        assert!(text.contains("br bb1(%0)\nbb1(%3 : $Int):\n  destroy_value %1"), "{text}");
    }

    #[test]
    fn undefined_variables_are_unwrapped() {
        let text = eliminated("debug_value undef : $*@moveOnly C, let, name \"x\"\ndestroy_value %1");
        assert!(text.contains("debug_value [moveable_value_debuginfo] undef : $*C"), "{text}");
    }

    #[test]
    fn only_wrappers_of_trivial_types_go() {
        let text = changed(
            "sil-trivial-move-only-type-eliminator",
            &[],
            "sil_stage raw\nimport Builtin\nimport Swift\nclass C {}\n\
             sil [ossa] @f : $@convention(thin) (Int, @owned C) -> () {\n\
             bb0(%0 : @noImplicitCopy $Int, %1 : @noImplicitCopy @owned $C):\n\
             %2 = copyable_to_moveonlywrapper [owned] %0\n%3 = alloc_box ${ var @moveOnly Int }\n\
             %4 = project_box %3, 0\nstore %2 to [init] %4\n%6 = moveonlywrapper_to_copyable_box %3\n\
             destroy_value %6\n%8 = copyable_to_moveonlywrapper [owned] %1\n%9 = begin_borrow %8\n\
             end_borrow %9\n%11 = moveonlywrapper_to_copyable [owned] %8\ndestroy_value %11\n\
             %13 = tuple ()\nreturn %13\n}\n",
        );
        let expected = "  %2 = alloc_box [moveable_value_debuginfo] ${ var Int }\n  %3 = project_box %2, 0\n  \
            store %0 to [trivial] %3\n  destroy_value %2\n  %6 = copyable_to_moveonlywrapper [owned] %1\n  \
            %7 = begin_borrow %6\n  end_borrow %7\n  %9 = moveonlywrapper_to_copyable [owned] %6\n";
        assert!(text.contains(expected), "{text}");
    }

    #[test]
    fn moves_of_trivial_values_go() {
        let text = eliminated(
            "%2 = move_value [var_decl] %0\nextend_lifetime %2\nfix_lifetime %2\ndestroy_value %1",
        );
        assert!(text.contains("bb0(%0 : $Int, %1 : @owned $C):\n  fix_lifetime %0\n"), "{text}");
    }
}
