//! `silkit completions`: scripts that let a shell complete the command.

use crate::{Cli, output};
use clap::CommandFactory;
use clap_complete::Shell;
use std::process::ExitCode;

const EXAMPLES: &str = "\
Examples:
  silkit completions bash > ~/.local/share/bash-completion/completions/silkit
  silkit completions zsh > ~/.zfunc/_silkit
  silkit completions fish > ~/.config/fish/completions/silkit.fish";

/// Prints the script that lets a shell complete this command
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The shell
    shell: Shell,
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> ExitCode {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "silkit", &mut script);
    output::say(&String::from_utf8_lossy(&script));
    ExitCode::SUCCESS
}
