//! Source texts that spans refer to, with line and column lookup.
//!
//! ```
//! use silkit_diag::SourceMap;
//! let mut sources = SourceMap::new();
//! let id = sources.add("a.sil", "één\n%0\n")?;
//! let file = sources.file(id).expect("just added");
//! let place = file.line_column(7);
//! assert_eq!((place.line, place.column, place.byte_column), (2, 2, 2));
//! let place = file.line_column(4);
//! assert_eq!((place.line, place.column, place.byte_column), (1, 3, 5));
//! # Ok::<(), silkit_diag::TextTooLong>(())
//! ```

use std::fmt;
use std::sync::{Arc, OnceLock};

use crate::FileId;

/// Bytes of text, which may be invalid UTF-8: borrowed, or owned with cheap clones.
#[derive(Clone, Debug)]
pub enum SourceText<'a> {
    /// Borrowed text.
    Borrowed(&'a [u8]),
    /// Owned text, shared by clones.
    Shared(Arc<Vec<u8>>),
}

impl SourceText<'_> {
    /// Returns the bytes.
    pub fn as_bytes(&self) -> &[u8] {
        match self {
            SourceText::Borrowed(bytes) => bytes,
            SourceText::Shared(bytes) => bytes,
        }
    }
}

impl<'a> From<&'a [u8]> for SourceText<'a> {
    fn from(text: &'a [u8]) -> Self {
        SourceText::Borrowed(text)
    }
}

impl<'a> From<&'a str> for SourceText<'a> {
    fn from(text: &'a str) -> Self {
        SourceText::Borrowed(text.as_bytes())
    }
}

impl From<Vec<u8>> for SourceText<'_> {
    fn from(text: Vec<u8>) -> Self {
        SourceText::Shared(Arc::new(text))
    }
}

impl From<String> for SourceText<'_> {
    fn from(text: String) -> Self {
        SourceText::Shared(Arc::new(text.into_bytes()))
    }
}

impl From<Arc<Vec<u8>>> for SourceText<'_> {
    fn from(text: Arc<Vec<u8>>) -> Self {
        SourceText::Shared(text)
    }
}

/// The error for a text of 4 GiB or more, which 32-bit offsets cannot address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextTooLong {
    /// The name of the file.
    pub name: Box<str>,
    /// The length of the text in bytes.
    pub len: usize,
}

impl fmt::Display for TextTooLong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is too long: {} bytes, at most {} are supported", self.name, self.len, u32::MAX)
    }
}

impl std::error::Error for TextTooLong {}

/// A source position as line and column; all numbers start at 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LineColumn {
    /// The line. Only `\n` ends a line, as in the diagnostics of the compiler.
    pub line: u32,
    /// The column in characters: one more than the number of bytes before the position in its line that are not UTF-8
    /// continuation bytes. Stray continuation bytes do not count.
    pub column: u32,
    /// The column in bytes, as counted by Swift and LLVM tools.
    pub byte_column: u32,
}

/// The source files of a run.
#[derive(Clone, Debug, Default)]
pub struct SourceMap<'a> {
    files: Vec<SourceFile<'a>>,
}

impl<'a> SourceMap<'a> {
    /// Creates a map without files.
    pub fn new() -> Self {
        SourceMap { files: Vec::new() }
    }

    /// Adds a file. `name` is the name of the file in diagnostics: a path, or a placeholder such as `<stdin>`.
    pub fn add(
        &mut self,
        name: impl Into<Box<str>>,
        text: impl Into<SourceText<'a>>,
    ) -> Result<FileId, TextTooLong> {
        let (name, text) = (name.into(), text.into());
        let len = text.as_bytes().len();
        if u32::try_from(len).is_err() {
            return Err(TextTooLong { name, len });
        }
        let id = u32::try_from(self.files.len()).expect("invariant: fewer than 2^32 files are opened");
        self.files.push(SourceFile { name, text, lines: OnceLock::new(), chars: OnceLock::new() });
        Ok(FileId::new(id))
    }

    /// Returns the file with this id, or `None` if the map does not contain it.
    pub fn file(&self, id: FileId) -> Option<&SourceFile<'a>> {
        self.files.get(id.index() as usize)
    }

    /// Returns all files, in insertion order.
    pub fn files(&self) -> impl Iterator<Item = (FileId, &SourceFile<'a>)> {
        (0u32..).map(FileId::new).zip(&self.files)
    }
}

/// A file: its name, its text, and lookup tables that are computed at the first lookup.
#[derive(Clone, Debug)]
pub struct SourceFile<'a> {
    name: Box<str>,
    text: SourceText<'a>,
    lines: OnceLock<Vec<u32>>,
    chars: OnceLock<Vec<u32>>,
}

/// The distance in bytes between the marks in the character table. The lookup of a column counts at most this many
/// bytes twice, however long its line is.
const CHUNK: usize = 4096;

impl SourceFile<'_> {
    /// Returns the name of the file in diagnostics.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the text.
    pub fn text(&self) -> &[u8] {
        self.text.as_bytes()
    }

    /// Returns the number of lines; the text after the last `\n` counts as a line even if it is empty.
    pub fn line_count(&self) -> u32 {
        to_u32(self.line_starts().len())
    }

    /// Returns the line and column of a byte offset. An offset after the end is treated as the end.
    pub fn line_column(&self, offset: u32) -> LineColumn {
        let offset = (offset as usize).min(self.text().len());
        let starts = self.line_starts();
        let index = starts.partition_point(|&start| start as usize <= offset) - 1;
        let start = starts[index] as usize;
        LineColumn {
            line: to_u32(index + 1),
            column: to_u32(self.chars_between(start, offset) + 1),
            byte_column: to_u32(offset - start + 1),
        }
    }

    /// Returns the byte range of a line (the first line is 1), excluding its line end (`\n` or `\r\n`).
    pub fn line_range(&self, line: u32) -> Option<std::ops::Range<u32>> {
        let starts = self.line_starts();
        let index = (line as usize).checked_sub(1)?;
        let start = *starts.get(index)?;
        let text = self.text();
        let Some(&next) = starts.get(index + 1) else {
            return Some(start..to_u32(text.len()));
        };
        let end = next - 1;
        let has_cr = end > start && text[end as usize - 1] == b'\r';
        Some(start..end - u32::from(has_cr))
    }

    /// Returns the byte offset of a line and byte column, both starting at 1, or `None` if the position does not exist.
    pub fn offset(&self, line: u32, byte_column: u32) -> Option<u32> {
        let range = self.line_range(line)?;
        let offset = range.start.checked_add(byte_column.checked_sub(1)?)?;
        (offset <= range.end).then_some(offset)
    }

    fn line_starts(&self) -> &[u32] {
        self.lines.get_or_init(|| {
            let after = memchr::memchr_iter(b'\n', self.text()).map(|at| to_u32(at + 1));
            std::iter::once(0).chain(after).collect()
        })
    }

    /// Returns the number of characters from `start` to `end`, in time independent of their distance.
    fn chars_between(&self, start: usize, end: usize) -> usize {
        let text = self.text();
        if end - start <= 2 * CHUNK {
            return count_chars(&text[start..end]);
        }
        let marks = self.chars.get_or_init(|| {
            let mut sum = 0;
            let chunks = text.chunks(CHUNK).map(|chunk| {
                let before = sum;
                sum += to_u32(count_chars(chunk));
                before
            });
            chunks.collect()
        });
        let before = |offset: usize| {
            // The end of the text can be the end of a full last chunk, which has no mark after it.
            let chunk = (offset / CHUNK).min(marks.len() - 1);
            marks[chunk] as usize + count_chars(&text[chunk * CHUNK..offset])
        };
        before(end) - before(start)
    }
}

/// Returns the number of bytes that begin a character.
fn count_chars(bytes: &[u8]) -> usize {
    bytes.iter().filter(|&&b| b & 0xc0 != 0x80).count()
}

fn to_u32(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(text: &[u8], offset: u32) -> (u32, u32, u32) {
        let mut sources = SourceMap::new();
        let id = sources.add("f", text).unwrap();
        let at = sources.file(id).unwrap().line_column(offset);
        (at.line, at.column, at.byte_column)
    }

    #[test]
    fn lines_and_columns() {
        assert_eq!(place(b"", 0), (1, 1, 1));
        assert_eq!(place(b"", 99), (1, 1, 1));
        assert_eq!(place(b"ab\ncd", 2), (1, 3, 3));
        assert_eq!(place(b"ab\ncd", 3), (2, 1, 1));
        assert_eq!(place(b"ab\n", 3), (2, 1, 1));
        assert_eq!(place("aé%".as_bytes(), 3), (1, 3, 4));
        assert_eq!(place(b"\x80\xff%", 2), (1, 2, 3));
    }

    #[test]
    fn ranges_of_lines() {
        let mut sources = SourceMap::new();
        let id = sources.add("f", "ab\r\n\ncd").unwrap();
        let file = sources.file(id).unwrap();
        assert_eq!(file.line_count(), 3);
        assert_eq!(file.line_range(0), None);
        assert_eq!(file.line_range(1), Some(0..2));
        assert_eq!(file.line_range(2), Some(4..4));
        assert_eq!(file.line_range(3), Some(5..7));
        assert_eq!(file.line_range(4), None);
        assert_eq!(file.offset(3, 2), Some(6));
        assert_eq!(file.offset(3, 4), None);
        assert_eq!(file.offset(3, 0), None);
    }

    #[test]
    fn column_of_a_long_line_is_exact() {
        let text = "aé".repeat(10 * CHUNK / 3 + 7);
        let mut sources = SourceMap::new();
        let id = sources.add("f", format!("x\n{text}")).unwrap();
        let file = sources.file(id).unwrap();
        for offset in [0, 1, 2, 3, CHUNK, 3 * CHUNK - 1, 3 * CHUNK, 5 * CHUNK + 2, 2 + text.len()] {
            let at = file.line_column(to_u32(offset));
            let start = if offset < 2 { 0 } else { 2 };
            assert_eq!(at.column as usize, count_chars(&file.text()[start..offset]) + 1, "{offset}");
        }
        let id = sources.add("g", "x".repeat(8 * CHUNK)).unwrap();
        let end = to_u32(8 * CHUNK);
        assert_eq!(sources.file(id).unwrap().line_column(end).column, end + 1);
    }

    #[test]
    fn a_map_is_shared_by_threads() {
        fn plain<T: Send + Sync + Clone>() {}
        plain::<SourceMap<'_>>();
    }
}
