//! Output of passes and observers, in an order that does not depend on the number of threads.

/// The destination of output.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stream {
    /// Standard output: used by printers that the reference implements in Swift.
    Out,
    /// Standard error: everything else.
    Err,
}

/// Buffered text for the two standard streams, in order, and the contents of files.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Output {
    pieces: Vec<(Stream, String)>,
    files: Vec<(String, String)>,
}

impl Output {
    /// Adds text for a stream.
    pub fn print(&mut self, stream: Stream, text: &str) {
        match self.pieces.last_mut() {
            Some((last, piece)) if *last == stream => piece.push_str(text),
            _ => self.pieces.push((stream, text.to_owned())),
        }
    }

    /// Appends the text of another buffer.
    pub fn append(&mut self, other: Output) {
        self.pieces.extend(other.pieces);
        self.files.extend(other.files);
    }

    /// Returns the pieces in order.
    pub fn pieces(&self) -> impl Iterator<Item = (Stream, &str)> {
        self.pieces.iter().map(|(stream, text)| (*stream, text.as_str()))
    }

    /// Adds a file with its content.
    pub fn write_file(&mut self, path: String, content: String) {
        self.files.push((path, content));
    }

    /// Returns the paths and contents of the files.
    pub fn files(&self) -> impl Iterator<Item = (&str, &str)> {
        self.files.iter().map(|(path, content)| (path.as_str(), content.as_str()))
    }

    /// Returns the number of bytes and files, which grows with everything that is added.
    pub(crate) fn size(&self) -> usize {
        self.pieces.iter().map(|(_, text)| text.len()).sum::<usize>() + self.files.len()
    }

    /// Returns the text for one stream.
    pub fn text(&self, wanted: Stream) -> String {
        self.pieces().filter(|(stream, _)| *stream == wanted).map(|(_, text)| text).collect()
    }
}
