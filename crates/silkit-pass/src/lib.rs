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

mod bisect;
pub mod compare;
mod context;
mod group;
pub mod library;
pub mod linker;
pub mod observers;
mod open;
mod order;
mod output;
mod pass;
mod pipeline;
mod problem;
pub mod reference_pipelines;
mod registry;
mod runner;
mod snapshot;
pub mod testing;

pub use bisect::{BisectResult, Bisection, FailingChange};
pub use context::{FunctionContext, ModuleContext, PassOptions, Printing, Take};
pub use library::LibrarySource;
pub use open::{OpenFunction, OpenFunctions, on_function};
pub use order::{bottom_up, call_graph};
pub use output::{Output, Stream};
pub use pass::{FunctionPass, ModulePass, Pass, Run};
pub use pipeline::{LeftOut, Pipeline, PipelineError, PipelineStep, parse_pipeline};
pub use problem::{Problem, ProblemLocation, Severity};
pub use registry::Registry;
pub use runner::{Limit, Observer, PassOutcome, PassRun, RunPosition, Runner};
