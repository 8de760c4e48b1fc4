//! `silkit man`: writes the manual pages, generated from the same declarations as the help.

use crate::codes::UNWRITABLE;
use crate::opt;
use crate::output;
use crate::session::{Report, Session};
use clap::Command;
use clap_mangen::Man;
use clap_mangen::roff::{Roff, roman};
use silkit::diag::Diagnostic;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const EXAMPLES: &str = "\
Examples:
  silkit man ~/.local/share/man/man1
  man silkit-verify";

/// Write the manual pages: silkit.1, and one for each command
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The directory that the pages go to; it is created if it does not exist
    #[arg(value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    directory: PathBuf,
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> ExitCode {
    let mut session = Session::new(Report::Text);
    if let Err(error) = write_pages(&args.directory) {
        let message = format!("cannot write to `{}`: {}", args.directory.display(), output::reason(&error));
        session.push(Diagnostic::error(UNWRITABLE, message).note(output::hint(&error)));
    }
    session.finish()
}

fn write_pages(directory: &Path) -> io::Result<()> {
    std::fs::create_dir_all(directory)?;
    let mut command = crate::command(None)
        .disable_help_subcommand(true)
        .mut_subcommand("opt", |command| command.args(opt::manual_arguments()));
    command.build();
    write_page(&command, directory)
}

/// Returns the section with the notes of a command. Paragraphs are filled; indented lines, which are examples, keep their
/// line breaks.
fn notes_section(notes: &str) -> Roff {
    let mut section = Roff::new();
    section.control("SH", ["NOTES"]);
    let is_example = |line: &str| line.starts_with(' ');
    let lines: Vec<&str> = notes.lines().collect();
    for part in lines.chunk_by(|a, b| is_example(a) == is_example(b)) {
        if is_example(part[0]) {
            section.control("nf", []).text([roman(part.join("\n"))]).control("fi", []);
            continue;
        }
        for line in part {
            match line.trim() {
                "" => section.control("PP", []),
                text => section.text([roman(text)]),
            };
        }
    }
    section
}

/// Writes the manual pages of a command and of its subcommands.
fn write_page(command: &Command, directory: &Path) -> io::Result<()> {
    for subcommand in command.get_subcommands().filter(|subcommand| !subcommand.is_hide_set()) {
        write_page(subcommand, directory)?;
    }
    let man = Man::new(command.clone()).manual("Silkit");
    let mut page = Vec::new();
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    man.render_description_section(&mut page)?;
    man.render_options_section(&mut page)?;
    if command.has_subcommands() {
        man.render_subcommands_section(&mut page)?;
    }
    if let Some(notes) = command.get_after_help() {
        notes_section(&notes.to_string()).to_writer(&mut page)?;
    }
    output::write(&directory.join(man.get_filename()), in_ascii(&String::from_utf8_lossy(&page)).as_bytes())
}

/// Returns a page with other letters than those of ASCII as escapes, which every version of roff reads.
fn in_ascii(page: &str) -> String {
    let escaped = |c: char| if c.is_ascii() { c.to_string() } else { format!("\\[u{:04X}]", u32::from(c)) };
    page.chars().map(escaped).collect()
}
