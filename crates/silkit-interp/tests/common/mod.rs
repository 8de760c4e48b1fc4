//! Running small programs.

#![allow(dead_code, reason = "each test file uses a part of it")]

use silkit_interp::{Interp, Program, ProgramModule, RecordingHost, RunOptions, RunOutcome, Stop};
use std::rc::Rc;
use std::sync::Arc;

const DECLARATIONS: &str = "
import Builtin
struct Int32 { @_hasStorage var _value: Builtin.Int32 { get set } }
";

const MAIN: &str = "
sil @main : $@convention(c) () -> Int32 {
bb0:
  %0 = function_ref @value : $@convention(thin) () -> Builtin.Int32
  %1 = apply %0() : $@convention(thin) () -> Builtin.Int32
  %2 = struct $Int32 (%1 : $Builtin.Int32)
  return %2 : $Int32
}
";

/// Runs a program whose `main` returns a value of `Builtin.Int32` from `value`.
pub(crate) fn run(text: &str) -> Stop {
    run_as("canonical", &format!("{text}{MAIN}"), RunOptions::default())
}

/// Runs such a program of raw SIL.
pub(crate) fn run_raw(text: &str) -> Stop {
    run_as("raw", &format!("{text}{MAIN}"), RunOptions::default())
}

/// Runs raw SIL with the global `@sum`, and returns its value, 0 at first, after these statements.
pub(crate) fn sum_after(declared: &str, statements: &str) -> Stop {
    run_raw(&format!(
        "{declared}
sil [ossa] @statements : $@convention(thin) () -> () {{
bb0:
{statements}
  %99 = tuple ()
  return %99 : $()
}}
sil [ossa] @value : $@convention(thin) () -> Builtin.Int32 {{
bb0:
  %0 = global_addr @sum : $*Builtin.Int32
  %1 = integer_literal $Builtin.Int32, 0
  store %1 to [trivial] %0 : $*Builtin.Int32
  %3 = function_ref @statements : $@convention(thin) () -> ()
  %4 = apply %3() : $@convention(thin) () -> ()
  %5 = load [trivial] %0 : $*Builtin.Int32
  return %5 : $Builtin.Int32
}}
"
    ))
}

/// Runs a program with its own `main`.
pub(crate) fn run_as(stage: &str, text: &str, options: RunOptions) -> Stop {
    outcome_as(stage, text, options).stop
}

/// Runs a program of raw SIL whose `main` returns a value of `Builtin.Int32` from `value`.
pub(crate) fn outcome_of_raw(text: &str, options: RunOptions) -> RunOutcome {
    outcome_as("raw", &format!("{text}{MAIN}"), options)
}

/// Runs a program with its own `main`, and returns what became of it.
pub(crate) fn outcome_as(stage: &str, text: &str, options: RunOptions) -> RunOutcome {
    let parsed = silkit_text::parse_module(&format!("sil_stage {stage}\n{DECLARATIONS}{text}"));
    assert!(parsed.errors.is_empty(), "{:?}", parsed.errors);
    let program = Program::link(vec![Arc::new(ProgramModule::new("Swift", parsed.module))]);
    let mut host = RecordingHost::default();
    Interp::new(Rc::new(program), options, &mut host).run_program("main")
}
