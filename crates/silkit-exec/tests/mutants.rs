//! Outcomes of mutants whose instruction has no effect that the output shows.

use silkit::base::Symbol;
use silkit_exec::mutate::{MutantStatus, MutationReport, MutationTest, Operator, Test};
use silkit_exec::{EntryPoint, ProgramSetup};

/// Stores two numbers; `chosen` is the one that the program loads. At the end it traps inside of an access.
const PROGRAM: &str = "sil_stage canonical
import Builtin

sil @pick : $@convention(thin) (@in_guaranteed Builtin.Int64, @in_guaranteed Builtin.Int64) -> Builtin.Int64 {
bb0(%0 : $*Builtin.Int64, %1 : $*Builtin.Int64):
  %2 = load %1
  return %2
}

sil @main : $@convention(c) (Builtin.Int32, Builtin.RawPointer) -> Builtin.Int32 {
bb0(%0 : $Builtin.Int32, %1 : $Builtin.RawPointer):
  %2 = integer_literal $Builtin.Int64, 7
  %3 = alloc_stack $Builtin.Int64
  store %2 to %3
  %5 = alloc_stack $Builtin.Int64
  store %2 to %5
  %7 = function_ref @pick : $@convention(thin) (@in_guaranteed Builtin.Int64, @in_guaranteed Builtin.Int64) -> Builtin.Int64
  %8 = apply %7(%3, %5) : $@convention(thin) (@in_guaranteed Builtin.Int64, @in_guaranteed Builtin.Int64) -> Builtin.Int64
  dealloc_stack %5
  %10 = begin_access [read] [dynamic] %3
  end_access %10
  dealloc_stack %3
  %13 = integer_literal $Builtin.Int1, -1
  cond_fail %13, \"the end\"
  %15 = integer_literal $Builtin.Int32, 0
  return %15
}
";

fn report(operators: &[Operator], sample: Option<usize>) -> MutationReport {
    let module = silkit::text::parse_module(PROGRAM).module;
    let setup = ProgramSetup::new();
    let tests = [Test { entry: EntryPoint::Program("main".to_owned()), output: None, exit_code: Some(132) }];
    let functions = [module.functions.find(&Symbol::new("main")).expect("a main function")];
    let test = MutationTest {
        changes_generated: true,
        module: &module,
        setup: &setup,
        tests: &tests,
        operators,
        functions: &functions,
        sample,
        seed: 3,
    };
    test.run().expect("the original program passes its test")
}

#[test]
fn a_store_changes_nothing_if_the_program_never_loads_its_value() {
    let report = report(&[Operator::Removed], None);
    let statuses: Vec<&MutantStatus> = report.mutants.iter().map(|mutant| &mutant.status).collect();
    assert_eq!(*statuses[0], MutantStatus::ChangesNothing, "the callee ignores the first number");
    assert!(
        matches!(statuses[1], MutantStatus::Reported(why) if why.contains("uninitialized")),
        "{:?}",
        statuses[1]
    );
}

#[test]
fn scopes_that_stay_open_when_the_program_traps_are_reported() {
    let report = report(&[Operator::Removed], None);
    let statuses: Vec<&MutantStatus> = report.mutants.iter().map(|mutant| &mutant.status).collect();
    assert_eq!(statuses.len(), 5);
    // The deallocations and the end of the access.
    for status in &statuses[3..] {
        let open = "lifetimes that are open at the end: 0, now 1";
        assert!(matches!(status, MutantStatus::Reported(why) if why == open), "{status:?}");
    }
}

#[test]
fn a_sample_contains_only_mutants_that_run() {
    let all = report(Operator::ALL, None);
    let ran = |report: &MutationReport| {
        let idle = report.count("not executed") + report.count("changes nothing");
        report.mutants.len() - idle
    };
    let sampled = report(Operator::ALL, Some(3));
    assert!(ran(&all) > 3);
    assert!(ran(&sampled) <= 3 && sampled.mutants.len() < all.mutants.len());
    let statuses = |report: &MutationReport| -> Vec<String> {
        report.mutants.iter().map(|mutant| format!("{:?} {:?}", mutant.change, mutant.status)).collect()
    };
    assert_eq!(
        statuses(&sampled),
        statuses(&report(Operator::ALL, Some(3))),
        "the seed determines the sample"
    );
    assert!(statuses(&sampled).iter().all(|status| statuses(&all).contains(status)));
}
