//! The pass manager: contexts, the runner, pipelines, observers, bisection.
//!
//! A pass is a [`FunctionPass`] or a [`ModulePass`]; [`Pass`] declares its tag, which is the compiler's tag for
//! passes that the compiler has as well. A [`Registry`] looks up passes by tag. A [`Runner`] runs a sequence of
//! passes; [`Observer`]s are notified of each run.
//!
//! ```
//! use silkit_pass::{FunctionContext, Pass, Runner};
//!
//! fn remove_debug_values(cx: &mut FunctionContext<'_>) {
//!     let debug_values: Vec<_> =
//!         cx.body().insts().filter(|&i| cx.body().inst(i).opcode == silkit_ir::Opcode::DebugValue).collect();
//!     for inst in debug_values {
//!         cx.edit().remove(inst);
//!     }
//! }
//!
//! let pass = Pass::function("remove-debug-values", "Removes all debug values", &remove_debug_values);
//! let mut module = silkit_ir::Module::default();
//! let declarations = silkit_text::decl::with_stdlib(Default::default());
//! let outcome = Runner::new().run(&mut module, &declarations, &[pass.into()]);
//! assert!(outcome.problems.is_empty());
//! ```
//!
//! # How passes run
//!
//! A pass is a function of a `FunctionContext` or a `ModuleContext`. Its constant `PASS` declares Swift's tag, a summary
//! for `--list` and the options that it reads. Each family lists its passes once (`PASSES`), and `silkit::passes`
//! collects them.
//!
//! Consecutive function passes run one after the other on each function, callees before callers. The runner proceeds in
//! steps (`BottomUp::steps`): the functions of a step are taken out of the module, processed in parallel, independently
//! of each other, and put back. A pass therefore reads the bodies of callees in their final state, independently of the
//! number of threads. Functions that a pass adds are processed before the requesting function continues with its next
//! pass, to a depth of 10. A pass may restart its function with the first pass of the group (`FunctionContext::restart`),
//! at most 20 times. A pass that changed nothing is skipped on the function until the function changes or is put back,
//! after which other functions may differ (`silkit-pass/src/settled.rs`); a skipped run keeps its number and is observed.
//! New debug scopes get their final numbers at the end of the step. Output, diagnostics and runs are merged in bottom-up
//! order. Runs are numbered in that order, runs of added functions and restarts last, so limits and bisection refer to
//! the same run for any number of threads (`crates/silkit-pass/tests/runner.rs`).
//!
//! `silkit_analysis::calls` computes possible callees: functions by name, closures, methods through vtables and witness
//! tables. Whether the list of callees is complete follows from the visibility of the declaration and from `-wmo`.

mod bisect;
mod context;
mod decisions;
mod group;
pub mod observers;
mod open;
pub mod options;
mod order;
mod output;
mod pass;
mod pipeline;
mod problem;
pub mod reference_pipelines;
mod registry;
mod runner;
mod settled;
mod snapshot;
pub mod testing;

pub use bisect::{BisectResult, Bisection, FailingChange};
pub use context::{FunctionContext, ModuleContext, Printing, Take};
pub use decisions::OpenDecision;
pub use open::{OpenFunction, OpenFunctions, on_function};
pub use options::{DeclaredOptions, OptionType, PassOption, PassOptions};
pub use order::{bottom_up, call_graph};
pub use output::{Output, Stream};
pub use pass::{FunctionPass, ModulePass, Pass, Run};
pub use pipeline::{LeftOut, Pipeline, PipelineError, PipelineStep, parse_pipeline};
pub use problem::{Problem, ProblemLocation, Severity};
pub use registry::Registry;
pub use runner::{Limit, Observer, PassOutcome, PassRun, RunPosition, Runner};
