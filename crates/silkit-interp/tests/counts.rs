//! Coverage and profiles: what is counted of a run.

use silkit_interp::{Interp, ProfileNode, Program, ProgramModule, RecordingHost, RunOptions, Stop};
use std::rc::Rc;
use std::sync::Arc;

const TEXT: &str = "
sil_stage canonical
import Builtin
class C { @_hasStorage var x: Builtin.Int64 { get set } }
sil @C_deinit : $@convention(method) (@owned C) -> () {
bb0(%0 : $C):
  dealloc_ref %0
  %1 = tuple ()
  return %1
}
sil_vtable C {
  #C.deinit!deallocator: @C_deinit
}
sil @work : $@convention(thin) () -> () {
bb0:
  %0 = alloc_ref $C
  strong_retain %0
  strong_release %0
  %3 = alloc_stack $Builtin.Int64
  %4 = integer_literal $Builtin.Int64, 0
  store %4 to %3
  store %4 to %3
  dealloc_stack %3
  strong_release %0
  %9 = tuple ()
  return %9
}
sil @main : $@convention(c) () -> () {
bb0:
  %0 = integer_literal $Builtin.Int1, -1
  %1 = function_ref @work : $@convention(thin) () -> ()
  %2 = apply %1() : $@convention(thin) () -> ()
  cond_br %0, bb1, bb2
bb1:
  %4 = apply %1() : $@convention(thin) () -> ()
  br bb3
bb2:
  %6 = apply %1() : $@convention(thin) () -> ()
  br bb3
bb3:
  %8 = tuple ()
  return %8
}
";

fn program() -> Rc<Program> {
    let parsed = silkit_text::parse_module(TEXT);
    assert!(parsed.errors.is_empty(), "{:?}", parsed.errors);
    Rc::new(Program::link(vec![Arc::new(ProgramModule::new("main", parsed.module))]))
}

#[test]
fn each_instruction_is_counted() {
    let program = program();
    let mut host = RecordingHost::default();
    let options = RunOptions { coverage: true, ..RunOptions::default() };
    let mut interp = Interp::new(program.clone(), options, &mut host);
    assert_eq!(interp.run_program("main").stop, Stop::Exit(0));
    let coverage = interp.coverage();
    let of = |name: &str| -> Vec<(&'static str, u64, u64)> {
        let at = program.find(silkit_base::Symbol::new(name)).expect("a function");
        let body = program.function(at).body.as_ref().expect("a body");
        let runs = body
            .insts()
            .map(|i| (body.info(i).name, coverage.runs.get(&(at, i)).copied().unwrap_or_default()));
        runs.map(|(name, runs)| (name, runs.count, runs.effects)).collect()
    };
    let counts: Vec<u64> = of("main").iter().map(|i| i.1).collect();
    assert_eq!(counts, [1, 1, 1, 1, 1, 1, 0, 0, 1, 1]);
    // The last release gives the object back, where the deinit does it.
    let expected = [
        ("alloc_ref", 2, 2),
        ("strong_retain", 2, 2),
        ("strong_release", 2, 2),
        ("alloc_stack", 2, 2),
        ("integer_literal", 2, 0),
        ("store", 2, 2),
        ("store", 2, 0),
        ("dealloc_stack", 2, 2),
        ("strong_release", 2, 2),
        ("tuple", 2, 0),
        ("return", 2, 0),
    ];
    assert_eq!(of("work"), expected);
    assert_eq!(of("C_deinit")[0], ("dealloc_ref", 2, 2));
}

/// Returns the names of a node and of those that it was called by.
fn path(profile: &[ProfileNode], node: &ProfileNode) -> Vec<String> {
    let callers = node.parent.map(|parent| path(profile, &profile[parent as usize]));
    std::iter::once(node.name.clone()).chain(callers.into_iter().flatten()).collect()
}

#[test]
fn costs_are_counted_by_calls() {
    let mut host = RecordingHost::default();
    let options = RunOptions { profile: true, ..RunOptions::default() };
    let mut interp = Interp::new(program(), options, &mut host);
    let outcome = interp.run_program("main");
    let profile = interp.profile();
    let node = |name: &str| profile.iter().find(|n| n.name == name).expect("a node");
    assert_eq!(path(&profile, node("C_deinit")), ["C_deinit", "work", "main"]);
    let work = node("work");
    assert_eq!((work.calls, work.instructions), (2, 22));
    // Memory on the stack is not counted.
    assert_eq!((work.allocations, work.bytes), (2, 2 * 24));
    assert_eq!((work.retains, work.releases), (2, 4));
    assert_eq!(profile.iter().map(|n| n.instructions).sum::<u64>(), outcome.steps);
}

#[test]
fn objects_on_the_stack_are_no_allocations() {
    let text = TEXT
        .replace("%0 = alloc_ref $C", "%0 = alloc_ref [stack] $C")
        .replace("  strong_release %0\n  %9", "  strong_release %0\n  dealloc_stack_ref %0\n  %9")
        .replace("  dealloc_ref %0\n  %1", "  %1");
    let parsed = silkit_text::parse_module(&text);
    assert!(parsed.errors.is_empty(), "{:?}", parsed.errors);
    let program = Rc::new(Program::link(vec![Arc::new(ProgramModule::new("main", parsed.module))]));
    let mut host = RecordingHost::default();
    let mut interp = Interp::new(program, RunOptions { profile: true, ..RunOptions::default() }, &mut host);
    assert_eq!(interp.run_program("main").stop, Stop::Exit(0));
    let profile = interp.profile();
    assert_eq!(profile.iter().map(|node| (node.allocations, node.bytes)).max(), Some((0, 0)));
}

#[test]
fn nothing_is_counted_unasked() {
    let mut host = RecordingHost::default();
    let mut interp = Interp::new(program(), RunOptions::default(), &mut host);
    interp.run_program("main");
    assert!(interp.coverage().runs.is_empty());
    assert!(interp.profile().is_empty());
}
