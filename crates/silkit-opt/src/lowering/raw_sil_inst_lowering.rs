//! `raw-sil-inst-lowering`: lowers the instructions that definite initialization has resolved.
//!
//! | instruction | becomes |
//! |---|---|
//! | `assign` | `store` |
//! | `assign_by_wrapper` | a call of the wrapper's initializer and a store, or a call of the setter |
//! | `assign_or_init [init]` | a call of the `init` accessor with the addresses of the properties that it uses |
//! | `assign_or_init [set]` | a call of the setter |
//! | `mark_uninitialized` | its operand |
//! | `mark_function_escape` | nothing |
//!
//! The closure of an initializer or setter that is not called is removed if it is only destroyed afterwards.
//!
//! ```text
//! sil [ossa] @f : $@convention(thin) (Builtin.Int64) -> Builtin.Int64 {
//! bb0(%0 : $Builtin.Int64):
//!   %1 = alloc_stack $Builtin.Int64
//!   %2 = mark_uninitialized [var] %1
//!   assign %0 to [init] %2
//!   %4 = load [trivial] %2
//!   dealloc_stack %1
//!   return %4
//! }
//! ---
//! sil [ossa] @f : $@convention(thin) (Builtin.Int64) -> Builtin.Int64 {
//! bb0(%0 : $Builtin.Int64):
//!   %1 = alloc_stack $Builtin.Int64
//!   store %0 to [trivial] %1
//!   %3 = load [trivial] %1
//!   dealloc_stack %1
//!   return %3
//! }
//! ```

use silkit_ir::instructions::{
    AccessEnforcement, AccessKind, AnyInst, Apply, Assign, AssignByWrapper, AssignByWrapperMode,
    AssignOrInit, AssignOrInitMode, AssignQualifier, Load, LoadQualifier, PartialApply, Store,
    StoreQualifier,
};
use silkit_ir::{Body, Builder, Inst, Opcode, Ownership, Point, Value};
use silkit_pass::{FunctionContext, Pass};
use silkit_transform::destroy::field_ref;
use silkit_types::decl::Declarations;
use silkit_types::{GenericSig, Param, TypeKind};

pub(super) const PASS: Pass<'static> = Pass::function(
    "raw-sil-inst-lowering",
    "Lowers instructions that definite initialization has resolved",
    &run,
)
.mandatory();

fn run(cx: &mut FunctionContext<'_>) {
    let insts: Vec<Inst> = cx.body().insts().filter(|&inst| is_raw(cx.body(), inst)).collect();
    let types = Types { declarations: cx.declarations(), sig: cx.view().signature() };
    for inst in insts {
        if !cx.may_change() {
            return;
        }
        match cx.body().inst(inst).opcode {
            Opcode::MarkUninitialized => {
                let operand = cx.body().operand_value(inst, 0);
                cx.edit().replace(inst, operand);
            }
            Opcode::MarkFunctionEscape => cx.edit().remove(inst),
            Opcode::Assign => lower_assign(cx, inst, &types),
            Opcode::AssignByWrapper => lower_wrapper(cx, inst, &types),
            _ => lower_accessor(cx, inst, &types),
        }
        cx.count("instructions lowered", 1);
    }
}

/// Returns true if an instruction must be lowered.
fn is_raw(body: &Body, inst: Inst) -> bool {
    match body.inst(inst).opcode {
        Opcode::MarkUninitialized | Opcode::MarkFunctionEscape | Opcode::Assign | Opcode::AssignByWrapper => {
            true
        }
        Opcode::AssignOrInit => {
            body.view_as::<AssignOrInit<'_>>(inst).is_some_and(|assignment| assignment.mode.is_some())
        }
        _ => false,
    }
}

/// The type facts in the function.
struct Types<'d> {
    declarations: &'d Declarations,
    sig: Option<GenericSig>,
}

impl Types<'_> {
    fn is_trivial(&self, body: &Body, value: Value) -> bool {
        self.declarations.is_trivial(body.value(value).ty.ty(), self.sig) == Some(true)
    }

    /// Stores a value to memory, as an initialization or an assignment.
    fn store(&self, builder: &mut Builder<'_>, source: Value, destination: Value, is_init: bool) {
        let qualifier = match is_init {
            _ if self.is_trivial(builder, source) => StoreQualifier::Trivial,
            true => StoreQualifier::Init,
            false => StoreQualifier::Assign,
        };
        builder.build(Store { qualifier: Some(qualifier), ..Store::new(source, destination) });
    }
}

fn lower_assign(cx: &mut FunctionContext<'_>, inst: Inst, types: &Types<'_>) {
    let Some(Assign { source, qualifier, destination }) = cx.body().view_as(inst) else { return };
    let mut builder = cx.at(Point::Before(inst));
    types.store(&mut builder, source, destination, qualifier == Some(AssignQualifier::Init));
    builder.remove(inst);
}

fn lower_wrapper(cx: &mut FunctionContext<'_>, inst: Inst, types: &Types<'_>) {
    let Some(AssignByWrapper { source, mode, destination, initializer, setter }) = cx.body().view_as(inst)
    else {
        return;
    };
    let sets = !matches!(mode, Some(AssignByWrapperMode::Init | AssignByWrapperMode::Assign));
    let callee = if sets { setter } else { initializer };
    let callee_ty = cx.body().value(callee).ty;
    let Some(callee_fn) = callee_ty.ty().as_function() else { return };
    let is_init = mode == Some(AssignByWrapperMode::Init);
    let returns_to_memory =
        !sets && callee_fn.results.first().is_some_and(|result| result.convention.is_indirect());
    let mut builder = cx.at(Point::Before(inst));
    let mut args = Vec::new();
    if returns_to_memory {
        if !is_init {
            builder.destroy_addr(destination);
        }
        args.push(destination);
    }
    arguments(&mut builder, types, source, &callee_fn.params, &mut args);
    let result = builder.build(Apply::new(callee, &[][..], &args[..], callee_ty));
    if !sets && !returns_to_memory {
        types.store(&mut builder, result, destination, is_init);
    }
    builder.remove(inst);
    remove_closure(cx, if sets { initializer } else { setter });
    if sets {
        remove_access(cx, destination);
    }
}

/// Removes an access to memory that is not used in it.
fn remove_access(cx: &mut FunctionContext<'_>, address: Value) {
    let body = cx.body();
    let Some(access) = body.defining_inst(address) else { return };
    let ends: Vec<Inst> = body.users(address).collect();
    let is_end = |&user: &Inst| body.inst(user).opcode == Opcode::EndAccess;
    if body.inst(access).opcode != Opcode::BeginAccess || !ends.iter().all(is_end) {
        return;
    }
    let mut edit = cx.edit();
    ends.into_iter().for_each(|end| edit.remove(end));
    edit.remove(access);
}

fn lower_accessor(cx: &mut FunctionContext<'_>, inst: Inst, types: &Types<'_>) {
    let Some(AssignOrInit { mode, value, initializer, setter, .. }) = cx.body().view_as(inst) else { return };
    let unused = match mode {
        Some(AssignOrInitMode::Init) => {
            if lower_init_accessor(cx, inst, types).is_none() {
                return;
            }
            setter
        }
        _ => {
            let ty = cx.body().value(setter).ty;
            let Some(callee) = ty.ty().as_function() else { return };
            let mut builder = cx.at(Point::Before(inst));
            let mut args = Vec::new();
            arguments(&mut builder, types, value, &callee.params, &mut args);
            builder.build(Apply::new(setter, &[][..], &args[..], ty));
            initializer
        }
    };
    cx.edit().remove(inst);
    remove_closure(cx, unused);
}

/// Calls an `init` accessor before an assignment. Returns `None` if the properties that it uses are not known.
fn lower_init_accessor(cx: &mut FunctionContext<'_>, inst: Inst, types: &Types<'_>) -> Option<()> {
    let AssignOrInit { property, assigned, self_value, value, initializer, .. } = cx.body().view_as(inst)?;
    let (base, assigned) = (self_value?, assigned.iter().collect::<Vec<u32>>());
    let ty = cx.body().value(base).ty;
    let declarations = types.declarations;
    let decl = declarations.nominal_of(ty.ty()).or_else(|| declarations.own_nominal_of(ty.ty()))?;
    let storage = decl.body.init_accessor(property.name()?)?.storage.clone();
    let callee_ty = cx.body().value(initializer).ty;
    let callee = callee_ty.ty().as_function()?;
    let params = callee.params.len().checked_sub(storage.accesses.len())?;
    let is_owned = cx.ownership().value(base) == Some(Ownership::Owned);
    let mut builder = cx.at(Point::Before(inst));
    let scope = match () {
        () if ty.is_address() => builder.begin_access(AccessKind::Modify, AccessEnforcement::Dynamic, base),
        () if is_owned => builder.begin_borrow(base),
        () => base,
    };
    let project = |builder: &mut Builder<'_>, name| {
        let field = field_ref(declarations, ty.ty(), name);
        match ty.is_address() {
            true => builder.struct_element_addr(scope, field),
            false => builder.ref_element_addr(scope, field),
        }
    };
    let mut args = Vec::new();
    for (number, &name) in (0u32..).zip(&storage.initializes) {
        let address = project(&mut builder, name);
        if assigned.contains(&number) {
            builder.destroy_addr(address);
        }
        args.push(address);
    }
    arguments(&mut builder, types, value, &callee.params[..params], &mut args);
    args.extend(storage.accesses.iter().map(|&name| project(&mut builder, name)));
    builder.build(Apply::new(initializer, &[][..], &args[..], callee_ty));
    if ty.is_address() {
        builder.end_access(scope);
    } else if is_owned {
        builder.end_borrow(scope);
    }
    Some(())
}

/// Returns the arguments of a call for an assigned value. A tuple is passed by elements, and these by theirs, except
/// where the callee takes the tuple itself.
fn arguments(
    builder: &mut Builder<'_>,
    types: &Types<'_>,
    source: Value,
    params: &[Param],
    args: &mut Vec<Value>,
) {
    // The values that are left, the next one last. An element of a tuple in memory is projected when it is reached.
    let mut work = vec![(source, None)];
    let mut params = params.iter();
    while let Some((value, element)) = work.pop() {
        let value = match element {
            Some(index) => builder.tuple_element_addr(value, index),
            None => value,
        };
        let (ty, param) = (builder.value(value).ty, params.as_slice().first());
        match ty.ty().kind() {
            TypeKind::Tuple(elements) if param.is_none_or(|param| param.ty != ty.ty()) => {
                if ty.is_address() {
                    work.extend((0..elements.len() as u32).rev().map(|index| (value, Some(index))));
                } else {
                    let parts = builder.destructure_tuple(value);
                    work.extend(parts.into_iter().rev().map(|part| (part, None)));
                }
            }
            _ => {
                args.push(argument(builder, types, value, param));
                params.next();
            }
        }
    }
}

/// Returns the argument for a parameter: the value in memory if the callee does not take memory.
fn argument(builder: &mut Builder<'_>, types: &Types<'_>, value: Value, param: Option<&Param>) -> Value {
    let takes_memory = param.is_none_or(|param| param.convention.is_indirect());
    if takes_memory || !builder.value(value).ty.is_address() {
        return value;
    }
    let qualifier = match types.is_trivial(builder, value) {
        true => LoadQualifier::Trivial,
        false => LoadQualifier::Take,
    };
    builder.build(Load { qualifier: Some(qualifier), ..Load::new(value) })
}

/// Removes a closure that is only destroyed, and destroys its captures instead.
fn remove_closure(cx: &mut FunctionContext<'_>, closure: Value) {
    let body = cx.body();
    let Some(inst) = body.defining_inst(closure) else { return };
    let Some(PartialApply { args, on_stack, .. }) = body.view_as(inst) else { return };
    let captured: Vec<Value> = args.iter().collect();
    let ends: Vec<Inst> = body.users(closure).collect();
    if !ends.iter().all(|&end| matches!(body.view(end), AnyInst::DestroyValue(_))) {
        return;
    }
    let ownership = cx.ownership();
    // A closure on the stack does not own its captures.
    let owned: Vec<Value> = captured
        .into_iter()
        .filter(|&value| !on_stack && ownership.value(value) == Some(Ownership::Owned))
        .collect();
    for end in ends {
        let mut builder = cx.at(Point::Before(end));
        owned.iter().for_each(|&value| _ = builder.destroy_value(value));
        builder.remove(end);
    }
    cx.edit().remove(inst);
}

#[cfg(test)]
mod tests {
    use crate::testing::changed;

    const HEAD: &str = "sil_stage raw\nimport Builtin\nimport Swift\nclass C {}\nstruct W { var c: C }\n\
        sil @make : $@convention(thin) (@owned C) -> @owned W\n\
        sil @make_out : $@convention(thin) (@owned C) -> @out W\n\
        sil @make_two : $@convention(thin) (Int, Int) -> Int\n\
        sil @set : $@convention(method) (@owned C, @guaranteed C) -> ()\n\
        sil @set_two : $@convention(method) (Int, Int, @guaranteed C) -> ()\n";

    /// Returns the body, after the pass, of a function with an owned `C`, a guaranteed one and memory, without its
    /// end.
    fn lowered(insts: &str) -> String {
        let text = changed(
            "raw-sil-inst-lowering",
            &[],
            &format!(
                "{HEAD}sil [ossa] @f : $@convention(thin) (@owned C, @guaranteed C, @inout W, @inout C) -> () {{\n\
                 bb0(%0 : @owned $C, %1 : @guaranteed $C, %2 : $*W, %3 : $*C):\n{insts}\n\
                 %r = tuple ()\nreturn %r\n}}\n"
            ),
        );
        let body = &text[text.find("bb0(").expect("a body")..];
        body.lines()
            .skip(1)
            .map(str::trim)
            .take_while(|line| !line.ends_with("= tuple ()"))
            .collect::<Vec<_>>()
            .join("\n")
    }

    const CLOSURE: &str = "%4 = function_ref @set : $@convention(method) (@owned C, @guaranteed C) -> ()\n\
        %5 = copy_value %1\n\
        %6 = partial_apply [callee_guaranteed] %4(%5) : $@convention(method) (@owned C, @guaranteed C) -> ()\n";

    fn wrapper(function: &str, ty: &str, mode: &str) -> String {
        lowered(&format!(
            "{CLOSURE}%7 = function_ref @{function} : $@convention(thin) {ty}\n\
             assign_by_wrapper %0 to {mode} %2, init %7 : $@convention(thin) {ty}, set %6 : $@callee_guaranteed (@owned C) -> ()\n\
             destroy_value %6"
        ))
    }

    #[test]
    fn assignments_become_stores() {
        assert_eq!(lowered("assign %0 to [init] %3"), "store %0 to [init] %3");
        assert_eq!(lowered("assign %0 to [reassign] %3"), "store %0 to [assign] %3");
        assert_eq!(lowered("assign %0 to %3"), "store %0 to [assign] %3");
    }

    #[test]
    fn marks_go() {
        let text =
            lowered("%4 = mark_uninitialized [var] %3\nmark_function_escape %4\nassign %0 to [init] %4");
        assert_eq!(text, "store %0 to [init] %3");
    }

    #[test]
    fn wrappers_are_initialized() {
        let ty = "(@owned C) -> @owned W";
        let text = wrapper("make", ty, "[init]");
        assert!(text.contains("store %7 to [init] %2\ndestroy_value %5"), "{text}");
        assert!(!text.contains("partial_apply"), "{text}");
        let text = wrapper("make", ty, "[assign]");
        assert!(text.contains("to [assign] %2"), "{text}");
    }

    #[test]
    fn wrappers_are_initialized_in_memory() {
        let ty = "(@owned C) -> @out W";
        assert!(!wrapper("make_out", ty, "[init]").contains("destroy_addr"));
        let text = wrapper("make_out", ty, "[assign]");
        assert!(text.contains("destroy_addr %2\n") && text.contains("(%2, %0)"), "{text}");
    }

    #[test]
    fn wrapped_values_are_set() {
        let text = wrapper("make", "(@owned C) -> @owned W", "[assign_wrapped_value]");
        assert!(
            text.contains("apply %6(%0) : $@callee_guaranteed (@owned C) -> ()\ndestroy_value %6"),
            "{text}"
        );
    }

    #[test]
    fn tuples_are_passed_by_elements() {
        let insts = "%4 = alloc_stack $(Int, Int)\n%5 = alloc_stack $Int\n\
            %6 = function_ref @make_two : $@convention(thin) (Int, Int) -> Int\n\
            %7 = function_ref @set_two : $@convention(method) (Int, Int, @guaranteed C) -> ()\n\
            %8 = copy_value %1\n\
            %9 = partial_apply [callee_guaranteed] %7(%8) : $@convention(method) (Int, Int, @guaranteed C) -> ()\n\
            assign_by_wrapper %4 to [init] %5, init %6 : $@convention(thin) (Int, Int) -> Int, set %9 : $@callee_guaranteed (Int, Int) -> ()\n\
            destroy_value %9\ndealloc_stack %5\ndealloc_stack %4\ndestroy_value %0";
        let text = lowered(insts);
        assert!(text.contains("load [trivial]") && text.contains("tuple_element_addr %4, 1"), "{text}");
    }

    #[test]
    fn accessors_are_set() {
        let text = lowered(&format!(
            "{CLOSURE}%7 = function_ref @make_out : $@convention(thin) (@owned C) -> @out W\n\
             assign_or_init [set] #W.c, self %2 : $*W, value %0 : $C, init %7 : $@convention(thin) (@owned C) -> @out W, set %6 : $@callee_guaranteed (@owned C) -> ()\n\
             destroy_value %6"
        ));
        assert!(text.contains("apply %6(%0) : $@callee_guaranteed (@owned C) -> ()"), "{text}");
    }
}
