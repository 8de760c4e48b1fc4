//! `silkit lsp`: the language server, on standard input and output.

use crate::session::{Report, Session};
use crate::version;
use silkit_lsp::{Connection, Ended, Files, Identity, serve};
use std::io;
use std::path::Path;
use std::process::ExitCode;

const EXAMPLES: &str = "\
Editors start it; docs/editors.md says how. It reads messages of the language server protocol from
standard input and answers on standard output: findings while one types, hover, definitions,
references, renaming, completion, folding, hints, quick fixes, formatting, and the Swift line of
an instruction.

The exit status is 0 after `shutdown` and `exit`, and 1 if the editor left without them.

Examples:
  silkit lsp
  silkit lsp -j 2";

/// Serve editors: the language server of SIL, on standard input and output
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Use standard input and output, which is the default; some editors pass it
    #[arg(long)]
    stdio: bool,
}

/// The file system.
struct Disk;

impl Files for Disk {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        std::fs::read(path)
    }

    fn exists(&self, path: &Path) -> bool {
        path.is_file()
    }
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> ExitCode {
    let Args { stdio: _ } = args;
    let (connection, threads) = Connection::stdio();
    let version = version::short();
    let outcome = serve(&connection, &Disk, Identity { name: "silkit", version: &version });
    // The writing thread ends when nobody can send any more.
    drop(connection);
    match outcome {
        Ok(Ended::Orderly) => match threads.join() {
            Ok(()) => ExitCode::SUCCESS,
            Err(_) => ExitCode::FAILURE,
        },
        // Reading may still wait for an editor that is silent.
        Ok(Ended::Abruptly) => ExitCode::FAILURE,
        Err(error) => {
            let mut session = Session::new(Report::Text);
            let message = format!("the editor and the server do not understand each other: {error}");
            session.refuse(message, "`silkit lsp` is started by editors; docs/editors.md says how");
            session.finish()
        }
    }
}
