//! Passes of SIL, and the manager that runs them.
//!
//! A pass is a [`FunctionPass`] or a [`ModulePass`]; [`Pass`] gives it its tag, Swift's where Swift has it.
//! [`passes::ALL`] lists those that are built in. A [`Runner`] runs any sequence of them; [`Observer`]s see each run.
//!
//! ```
//! use silkit_opt::{FunctionContext, Pass, Runner};
//!
//! fn remove_debug_values(cx: &mut FunctionContext<'_>) {
//!     let doomed: Vec<_> =
//!         cx.body().insts().filter(|&i| cx.body().inst(i).opcode == silkit_ir::Opcode::DebugValue).collect();
//!     for inst in doomed {
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
mod context;
mod effects;
mod interprocedural;
pub mod observers;
mod order;
mod output;
mod pass;
pub mod passes;
mod pipeline;
mod printers;
pub mod reference_pipelines;
mod runner;
mod test_runner;
#[cfg(test)]
mod testing;
pub mod utils;

pub use bisect::{Bisection, Culprit, Verdict};
pub use context::{FunctionContext, FunctionsByName, ModuleContext, Options, Printing, Problem, World};
pub use effects::prove;
pub use order::bottom_up;
pub use output::{Output, Stream};
pub use pass::{FunctionPass, ModulePass, Pass, Run};
pub use pipeline::{PipelineError, Step, parse_pipeline};
pub use printers::alias_info::with_aliases;
pub use runner::{At, Limit, Observer, Outcome, PassRun, Runner};
