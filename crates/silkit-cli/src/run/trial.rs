//! Options for commands that compare runs: the inputs of the entry point, and the limits.

use super::entry::{self, Refusal};
use super::{bytes, kind};
use silkit::ir::Module;
use silkit_exec::{EntryPoint, ProgramSetup};
use silkit_interp::{ProgramModule, ViolationKind};
use std::sync::Arc;

/// The options of commands that compare runs.
#[derive(clap::Args)]
pub(crate) struct TrialArgs {
    /// Call a function that has parameters with N sets of inputs
    #[arg(long, value_name = "N", default_value_t = 8)]
    inputs: usize,
    /// Seed of the inputs, and of what else is random
    #[arg(long, value_name = "SEED", default_value_t = 0)]
    pub(crate) seed: u64,
    /// Stop a run that uses more memory than this, such as `512M`
    #[arg(long, value_name = "BYTES", default_value = "2G", value_parser = bytes)]
    memory: u64,
    /// Do not report violations of this kind, such as `misaligned`; may be repeated
    #[arg(long, value_name = "KIND", value_parser = kind)]
    no_check: Vec<ViolationKind>,
}

impl TrialArgs {
    /// Returns the entry point for the function that `--entry` names.
    pub(crate) fn entry(&self, module: &Module, name: &str) -> Result<EntryPoint, Refusal> {
        let id = entry::find(module, name)?;
        entry::check_parameters(module, id, true)?;
        Ok(EntryPoint::of(module, module.functions[id].name.as_str(), self.inputs, self.seed))
    }

    /// Returns the setup to run programs from `main`, with these libraries and a limit on the executed instructions.
    pub(crate) fn setup(&self, libraries: Vec<Arc<ProgramModule>>, limit: u64) -> ProgramSetup {
        ProgramSetup {
            libraries,
            limit,
            memory: self.memory,
            unchecked: self.no_check.clone(),
            ..ProgramSetup::new()
        }
    }
}
