//! What holds of passes for every program: it does the same before and after them. Tests check it on generated functions; the
//! fuzz target `behavior` includes this file and does the same with seeds of its own.

use silkit::ir::Module;
use silkit::pass::{PassOptions, PipelineStep};
use silkit_exec::{CheckResult, EntryPoint, PassCheck, ProgramSetup, optimizing_steps};
use silkit_interp::ProgramModule;
use silkit_testkit::generate::{Profile, generate, shuffle};
use std::sync::Arc;

/// The declarations that generated programs take from the library.
const SWIFT: &str = "sil_stage canonical\n\npublic protocol Error {\n}\n\npublic enum Never {\n}\n";

/// The calls of the function.
const INPUTS: usize = 4;

/// Returns the program of a seed, and how it runs.
pub(crate) fn program(seed: u64) -> (Module, ProgramSetup) {
    let module = silkit::text::parse_module(&generate(seed, &Profile::of_seed(seed))).module;
    let swift = ProgramModule::new("Swift", silkit::text::parse_module(SWIFT).module);
    let entry = EntryPoint::of(&module, "run", INPUTS, seed);
    (
        module,
        ProgramSetup { libraries: vec![Arc::new(swift)], entry, limit: 10_000_000, ..ProgramSetup::new() },
    )
}

/// Runs the program of a seed after each pass alone, and after all in an order that the seed picks. Returns the number of
/// checks in which passes changed something.
pub(crate) fn check_seed(seed: u64) -> usize {
    let (module, setup) = program(seed);
    let declarations = silkit::declarations(&module);
    let check = match PassCheck::new(&module, &declarations, &setup) {
        Ok(check) => check,
        Err(reason) => panic!("seed {seed} cannot be run: {reason}"),
    };
    assert_eq!(check.before().violation(), None, "seed {seed}");
    let mut order = optimizing_steps();
    let mut sequences: Vec<Vec<PipelineStep<'_>>> = order.iter().map(|step| vec![*step]).collect();
    shuffle(&mut order, seed);
    sequences.push(order);
    let mut changing = 0;
    for steps in sequences {
        match check.check(&steps, &PassOptions::default()) {
            CheckResult::Same { changed, .. } => changing += usize::from(changed > 0),
            CheckResult::NotRun(reason) => panic!("seed {seed}: {reason}"),
            CheckResult::Different(unlike) => {
                panic!("seed {seed}: {}\n{}\n{:?}", unlike.steps.join(","), unlike.behavior, unlike.culprit)
            }
        }
    }
    changing
}
