//! Programs that end because accesses overlap. Passes may remove a dead access, and nothing else.

use silkit::ir::Module;
use silkit::pass::{PassOptions, PipelineStep};
use silkit_exec::{CheckResult, EntryPoint, PassCheck, ProgramSetup, on_large_stack};

/// Returns a program with a call, an access during another one, and a call.
fn program(before: &str, dead: &str, after: &str) -> String {
    format!(
        "
sil_stage canonical
import Builtin
sil @tell : $@convention(thin) (Builtin.Int32) -> ()
sil @run : $@convention(thin) (Builtin.Int32) -> () {{
bb0(%0 : $Builtin.Int32):
  %1 = function_ref @tell : $@convention(thin) (Builtin.Int32) -> ()
  {before}
  %3 = alloc_stack $Builtin.Int32
  store %0 to %3 : $*Builtin.Int32
  %5 = begin_access [modify] [dynamic] %3 : $*Builtin.Int32
  {dead}
  store %0 to %5 : $*Builtin.Int32
  end_access %5 : $*Builtin.Int32
  dealloc_stack %3 : $*Builtin.Int32
  {after}
  %12 = tuple ()
  return %12 : $()
}}
"
    )
}

const DEAD: &str = "%6 = begin_access [read] [dynamic] %3 : $*Builtin.Int32\n  %7 = load %6 : $*Builtin.Int32\n  end_access %6 : $*Builtin.Int32";

fn parsed(text: &str) -> Module {
    let parsed = silkit::text::parse_module(text);
    assert!(parsed.errors.is_empty(), "{:?}", parsed.errors);
    parsed.module
}

/// Compares the behavior of two programs, the second of which passes may have made of the first, if they are passes.
fn differences(before: &str, after: &str) -> [Option<String>; 2] {
    let both = [before, after].map(parsed);
    let run = || {
        let entry = EntryPoint::of(&both[0], "run", 2, 0);
        let setup = ProgramSetup { entry, ..ProgramSetup::new() };
        let [before, after] = [&both[0], &both[1]].map(|module| setup.run(module));
        [before.difference(&after), before.difference_after_passes(&after)]
    };
    on_large_stack(run).expect("programs that run")
}

#[test]
fn a_program_may_go_on_after_passes_where_accesses_overlapped() {
    let call = "%8 = apply %1(%0) : $@convention(thin) (Builtin.Int32) -> ()";
    let conflict = program("", DEAD, call);
    let [any, by_passes] = differences(&conflict, &program("", "", call));
    assert_eq!(any.as_deref(), Some("with (0): the run ended with exit code 134, now with exit code 0"));
    assert_eq!(by_passes, None);
    let [_, new] = differences(&program("", "", call), &conflict);
    assert_eq!(new.as_deref(), Some("with (0): the run ended with exit code 0, now with exit code 134"));
    assert_eq!(differences(&conflict, &conflict), [None, None]);
}

#[test]
fn what_a_program_does_before_accesses_overlap_stays() {
    let call = "%2 = apply %1(%0) : $@convention(thin) (Builtin.Int32) -> ()";
    let [_, lost] = differences(&program(call, DEAD, ""), &program("", "", ""));
    assert_eq!(lost.as_deref(), Some("with (0): the run ended with exit code 134, now with exit code 0"));
    let [_, kept] = differences(&program(call, DEAD, ""), &program(call, "", ""));
    assert_eq!(kept, None);
}

#[test]
fn dce_removes_dead_accesses() {
    let conflict = parsed(&program("", DEAD, ""));
    let result = on_large_stack(|| {
        let entry = EntryPoint::of(&conflict, "run", 2, 0);
        let setup = ProgramSetup { entry, ..ProgramSetup::new() };
        let declarations = silkit::declarations(&conflict);
        let check = PassCheck::new(&conflict, &declarations, &setup).expect("a program");
        let dce = PipelineStep::from(silkit::passes::find("dce").expect("a pass"));
        matches!(check.check(&[dce], &PassOptions::default()), CheckResult::Same { changed: 1, .. })
    });
    assert_eq!(result, Some(true));
}
