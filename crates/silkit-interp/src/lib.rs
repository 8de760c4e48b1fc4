//! A checked interpreter of SIL.
//!
//! A [`Program`] is linked from modules: the module of the program itself and libraries. [`Interp`] translates a
//! function with concrete types when it is first called, and executes it. The memory tracks for every byte whether it
//! may be accessed. A failed check is reported as a [`Violation`]. An unsupported operation stops the run and is
//! reported by name.
//!
//! ```
//! use silkit_interp::{Interp, ProgramModule, RunOptions, Program, RecordingHost, Stop};
//! use std::rc::Rc;
//! use std::sync::Arc;
//!
//! let sil = "
//! sil_stage canonical
//! import Builtin
//! struct Int32 { @_hasStorage var _value: Builtin.Int32 { get set } }
//! sil @main : $@convention(c) () -> Int32 {
//! bb0:
//!   %0 = integer_literal $Builtin.Int32, 42
//!   %1 = struct $Int32 (%0 : $Builtin.Int32)
//!   return %1 : $Int32
//! }
//! ";
//! let parsed = silkit_text::parse_module(sil);
//! let program = Program::link(vec![Arc::new(ProgramModule::new("main", parsed.module))]);
//! let mut host = RecordingHost::default();
//! let outcome = Interp::new(Rc::new(program), RunOptions::default(), &mut host).run_program("main");
//! assert_eq!(outcome.stop, Stop::Exit(42));
//! ```

mod buffer;
mod builtin_names;
mod exec;
mod frame;
mod host;
mod instance;
mod instruments;
mod interp;
mod limits;
mod local_contexts;
mod local_names;
mod local_types;
mod memory;
mod native;
mod needs;
mod number_op;
mod op;
mod options;
mod program;
mod run;
mod runtime;
mod sites;
mod tasks;
mod translate;
mod types;
mod violation;

pub use host::{Host, RecordingHost};
pub use instruments::{Coverage, ProfileNode, Runs};
pub use interp::{Interp, RunOutcome};
pub use needs::{mentions, module_of_symbol, undeclared_types};
pub use options::{RunOptions, Trace};
pub use program::{FunctionRef, Program, ProgramModule, ReadFunction};
pub use violation::{CodePlace, Stop, Violation, ViolationKind};
