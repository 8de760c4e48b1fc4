//! What raw SIL leaves undecided: `consume` of copyable values, copies of noncopyable values, assignments to wrapped properties.

use silkit::ir::{Module, Opcode};
use silkit::pass::{FunctionContext, FunctionPass, Pass, PassOptions, PipelineStep};
use silkit_exec::{CheckResult, EntryPoint, PassCheck, ProgramSetup, on_large_stack, optimizing_steps};

/// Consumes a value and a variable. The deinit of their class calls `tell`.
const PROGRAM: &str = "
sil_stage raw
import Builtin
class Object { deinit }
sil @tell : $@convention(thin) (Builtin.Int32) -> ()
sil @object_deinit : $@convention(method) (@owned Object) -> () {
bb0(%0 : $Object):
  %1 = integer_literal $Builtin.Int32, -1
  %2 = function_ref @tell : $@convention(thin) (Builtin.Int32) -> ()
  %3 = apply %2(%1) : $@convention(thin) (Builtin.Int32) -> ()
  dealloc_ref %0 : $Object
  %5 = tuple ()
  return %5 : $()
}
sil_vtable Object { #Object.deinit!deallocator: @object_deinit }
sil [ossa] @value : $@convention(thin) (Builtin.Int32) -> () {
bb0(%0 : $Builtin.Int32):
  %1 = function_ref @tell : $@convention(thin) (Builtin.Int32) -> ()
  %2 = alloc_ref $Object
  %3 = move_value [lexical] [var_decl] %2 : $Object
  %4 = begin_borrow %3 : $Object
  %5 = copy_value %4 : $Object
  %6 = move_value [allows_diagnostics] %5 : $Object
  ignored_use %6 : $Object
  destroy_value %6 : $Object
  end_borrow %4 : $Object
  %10 = apply %1(%0) : $@convention(thin) (Builtin.Int32) -> ()
  destroy_value %3 : $Object
  %12 = tuple ()
  return %12 : $()
}
sil [ossa] @memory : $@convention(thin) (Builtin.Int32) -> () {
bb0(%0 : $Builtin.Int32):
  %1 = function_ref @tell : $@convention(thin) (Builtin.Int32) -> ()
  %2 = alloc_box ${ var Object }, var, name \"x\"
  %3 = begin_borrow [lexical] [var_decl] %2 : ${ var Object }
  %4 = project_box %3 : ${ var Object }, 0
  %5 = alloc_ref $Object
  store %5 to [init] %4 : $*Object
  %7 = begin_access [modify] [unknown] %4 : $*Object
  %8 = alloc_stack $Object
  mark_unresolved_move_addr %7 to %8 : $*Object
  %10 = load [take] %8 : $*Object
  end_access %7 : $*Object
  ignored_use %10 : $Object
  destroy_value %10 : $Object
  dealloc_stack %8 : $*Object
  %15 = apply %1(%0) : $@convention(thin) (Builtin.Int32) -> ()
  %16 = alloc_ref $Object
  %17 = begin_access [modify] [unknown] %4 : $*Object
  assign %16 to %17 : $*Object
  end_access %17 : $*Object
  end_borrow %3 : ${ var Object }
  destroy_value %2 : ${ var Object }
  %22 = tuple ()
  return %22 : $()
}
";

/// Runs `work` on the program that begins with a function.
fn with_entry(name: &str, work: impl FnOnce(&Module, &ProgramSetup) + Send) {
    let done = on_large_stack(|| {
        let parsed = silkit::text::parse_module(PROGRAM);
        assert!(parsed.errors.is_empty(), "{:?}", parsed.errors);
        let entry = EntryPoint::of(&parsed.module, name, 2, 0);
        work(&parsed.module, &ProgramSetup { entry, ..ProgramSetup::new() });
    });
    done.expect("no check fails");
}

#[test]
fn consume_moves_or_copies() {
    for name in ["value", "memory"] {
        with_entry(name, |module, setup| {
            let copies = ProgramSetup { consume_copies: true, ..setup.clone() };
            let (moved, copied) = (setup.run(module), copies.run(module));
            assert_eq!((moved.violation(), copied.violation()), (None, None));
            let difference = moved.difference(&copied).expect("a difference");
            assert!(
                difference.contains("call 1 of an external function was @tell(4294967295)"),
                "{difference}"
            );
        });
    }
}

#[test]
fn passes_preserve_what_consume_does() {
    for name in ["value", "memory"] {
        with_entry(name, |module, setup| {
            let declarations = silkit::declarations(module);
            let check = PassCheck::new(module, &declarations, setup).expect("a program");
            for step in optimizing_steps() {
                let result = check.check(&[step], &PassOptions::default());
                assert!(
                    matches!(result, CheckResult::Same { .. }),
                    "{} on {name}: {result:?}",
                    step.pass.tag
                );
            }
        });
    }
}

/// Removes calls.
struct Wrong;

impl FunctionPass for Wrong {
    fn run(&self, cx: &mut FunctionContext<'_>) {
        let body = cx.body();
        let calls: Vec<_> = body
            .insts()
            .filter(|&inst| body.inst(inst).opcode == Opcode::Apply)
            .filter(|&inst| body.results(inst).all(|result| body.users(result).next().is_none()))
            .collect();
        for call in calls {
            cx.edit().remove(call);
        }
    }
}

#[test]
fn mistakes_of_passes_that_copy_are_found() {
    with_entry("value", |module, setup| {
        let declarations = silkit::declarations(module);
        let check = PassCheck::new(module, &declarations, setup).expect("a program");
        let wrong = Pass::function("dce", "", &Wrong);
        let result = check.check(&[PipelineStep::from(wrong)], &PassOptions::default());
        assert!(matches!(result, CheckResult::Different(_)), "{result:?}");
    });
}

/// Copies of noncopyable values, and an assignment to a wrapped property.
const UNDECIDED: &str = "
sil_stage raw
import Builtin
struct Token : ~Copyable { @_hasStorage let value: Builtin.Int32 { get } }
sil [ossa] @copy : $@convention(thin) (Builtin.Int32) -> () {
bb0(%0 : $Builtin.Int32):
  %1 = struct $Token (%0 : $Builtin.Int32)
  %2 = mark_unresolved_non_copyable_value [consumable_and_assignable] %1 : $Token
  destroy_value %2 : $Token
  %4 = tuple ()
  return %4 : $()
}
";

const WRAPPED: &str = "
sil_stage raw
import Builtin
sil [ossa] @initial : $@convention(thin) (Builtin.Int32) -> Builtin.Int32 {
bb0(%0 : $Builtin.Int32):
  return %0 : $Builtin.Int32
}
sil @tell : $@convention(thin) (Builtin.Int32) -> ()
sil [ossa] @assign : $@convention(thin) (Builtin.Int32) -> () {
bb0(%0 : $Builtin.Int32):
  %1 = alloc_stack $Builtin.Int32
  %2 = mark_uninitialized [var] %1 : $*Builtin.Int32
  %3 = function_ref @initial : $@convention(thin) (Builtin.Int32) -> Builtin.Int32
  %4 = thin_to_thick_function %3 : $@convention(thin) (Builtin.Int32) -> Builtin.Int32 to $@callee_guaranteed (Builtin.Int32) -> Builtin.Int32
  %5 = function_ref @tell : $@convention(thin) (Builtin.Int32) -> ()
  %6 = thin_to_thick_function %5 : $@convention(thin) (Builtin.Int32) -> () to $@callee_guaranteed (Builtin.Int32) -> ()
  assign_by_wrapper %0 : $Builtin.Int32 to %2 : $*Builtin.Int32, init %4 : $@callee_guaranteed (Builtin.Int32) -> Builtin.Int32, set %6 : $@callee_guaranteed (Builtin.Int32) -> ()
  %8 = load [trivial] %2 : $*Builtin.Int32
  %9 = apply %5(%8) : $@convention(thin) (Builtin.Int32) -> ()
  dealloc_stack %1 : $*Builtin.Int32
  %11 = tuple ()
  return %11 : $()
}
";

/// Returns the result of passes on a program that begins with a function.
fn result(text: &str, name: &str, tags: &[&str]) -> CheckResult {
    let result = on_large_stack(|| {
        let module = silkit::text::parse_module(text).module;
        let setup = ProgramSetup { entry: EntryPoint::of(&module, name, 2, 0), ..ProgramSetup::new() };
        let declarations = silkit::declarations(&module);
        let check = PassCheck::new(&module, &declarations, &setup).expect("a program");
        let steps: Vec<PipelineStep<'_>> = tags
            .iter()
            .map(|tag| silkit::passes::find(tag).unwrap_or_else(|| panic!("no pass `{tag}`")).into())
            .collect();
        check.check(&steps, &PassOptions::default())
    });
    result.expect("no check fails")
}

#[test]
fn passes_that_need_a_decision_are_not_run_before_it() {
    for tag in ["deinit-devirtualizer", "ownership-model-eliminator"] {
        let CheckResult::NotRun(reason) = result(UNDECIDED, "copy", &["dce", tag]) else { panic!("{tag}") };
        let expected = "is valid only after `sil-move-only-checker`, which decides about `mark_unresolved_non_copyable_value` in @copy";
        assert_eq!(reason, format!("`{tag}` {expected}"));
    }
    assert!(matches!(result(UNDECIDED, "copy", &["dce"]), CheckResult::Same { .. }));
    let lowering = "raw-sil-inst-lowering";
    let early = result(WRAPPED, "assign", &[lowering]);
    assert!(matches!(&early, CheckResult::NotRun(reason) if reason.contains("`definite-init`")), "{early:?}");
    let in_order = result(WRAPPED, "assign", &["definite-init", lowering]);
    assert!(!matches!(in_order, CheckResult::NotRun(_)), "{in_order:?}");
}
