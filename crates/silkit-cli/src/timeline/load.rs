//! Reading of logs in pieces, from a file or standard input.

use crate::codes::UNREADABLE;
use crate::input::{announce_standard_input, name_of, read_hint};
use crate::output;
use crate::session::Session;
use silkit::diag::Diagnostic;
use silkit_timeline::{Reader, Timeline};
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// The size of the pieces.
const PIECE: usize = 1 << 20;

impl Session {
    /// Reads a log. Records errors, and returns `None` for them.
    pub(super) fn load_log(&mut self, path: &Path) -> Option<Timeline> {
        let name = name_of(path);
        self.progress.begin(&name);
        let outcome = match output::is_standard(path) {
            true => {
                announce_standard_input();
                read_pieces(io::stdin().lock())
            }
            false => File::open(path).and_then(read_pieces),
        };
        match outcome {
            Ok(Ok(timeline)) if timeline.steps().len() > 0 => return Some(timeline),
            Ok(Ok(_)) => super::no_steps(self, path),
            Ok(Err((what, hint))) => {
                let message = format!("`{name}` is {what}");
                self.push(Diagnostic::error(UNREADABLE, message).note(hint.replace("FILE", &name)));
            }
            Err(error) => {
                let message = format!("cannot read `{name}`: {}", output::reason(&error));
                self.push(Diagnostic::error(UNREADABLE, message).note(read_hint(path, &error)));
            }
        }
        None
    }
}

/// What a file in another format is, and a hint.
type Foreign = (&'static str, &'static str);

fn read_pieces(mut from: impl Read) -> io::Result<Result<Timeline, Foreign>> {
    let mut reader = Reader::new();
    let mut piece = vec![0; PIECE];
    let mut is_first = true;
    loop {
        let length = match from.read(&mut piece) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            other => other?,
        };
        if length == 0 {
            return Ok(Ok(reader.finish()));
        }
        if std::mem::take(&mut is_first)
            && let Some(foreign) = crate::foreign::of_bytes(&piece[..length])
        {
            return Ok(Err(foreign));
        }
        reader.feed(&piece[..length]);
    }
}
