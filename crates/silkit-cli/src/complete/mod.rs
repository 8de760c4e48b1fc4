//! `silkit completions`: prints shell completion scripts. They call `silkit complete`, which completes the options of
//! all commands, those of `opt`, passes, rules, pipelines, instructions and the functions of the named file.

mod candidates;
mod scripts;

use crate::answer;
use crate::color;
pub(crate) use candidates::Candidate;
use candidates::{Completion, complete};
use silkit::diag::render::printable;
use std::ffi::OsString;
use std::process::ExitCode;

const EXAMPLES: &str = "\
Examples:
  silkit completions bash > ~/.local/share/bash-completion/completions/silkit
  silkit completions zsh > ~/.zfunc/_silkit
  silkit completions fish > ~/.config/fish/completions/silkit.fish
  silkit completions powershell >> $PROFILE";

/// Print the script that lets a shell complete this command
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The shell
    shell: Shell,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Shell {
    Bash,
    Zsh,
    Fish,
    Powershell,
    Elvish,
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> ExitCode {
    answer(match args.shell {
        Shell::Bash => scripts::BASH,
        Shell::Zsh => scripts::ZSH,
        Shell::Fish => scripts::FISH,
        Shell::Powershell => scripts::POWERSHELL,
        Shell::Elvish => scripts::ELVISH,
    })
}

/// Runs `silkit complete INDEX WORD...`, which the scripts call. Prints one line for each candidate, with its help
/// after a tab, or `:files` if a file is expected.
pub(crate) fn run_hidden(args: &[OsString]) -> ExitCode {
    color::choose(color::Color::Never);
    let words: Vec<String> = args.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    let Some((index, words)) = words.split_first() else { return crate::session::trouble() };
    let index = index.parse().unwrap_or(words.len());
    match complete(words, index) {
        Completion::Files => answer(":files\n"),
        Completion::Words(candidates) | Completion::WordsOrFiles(candidates) => {
            let is_plain = |candidate: &Candidate| !candidate.text.contains(char::is_control);
            let lines = candidates.into_iter().filter(is_plain).map(|candidate| {
                match candidate.help.lines().next() {
                    Some(help) => format!("{}\t{}\n", candidate.text, printable(help)),
                    None => format!("{}\n", candidate.text),
                }
            });
            answer(&lines.collect::<String>())
        }
    }
}
