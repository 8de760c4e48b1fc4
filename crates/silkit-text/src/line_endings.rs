//! Line endings: lines of a text may end with line feeds, carriage returns or both; printed lines end with line
//! feeds.

use std::borrow::Cow;

/// The byte order mark at the start of some files, which is skipped.
pub(crate) const BYTE_ORDER_MARK: char = '\u{feff}';

/// Returns a text whose lines end with line feeds.
pub(crate) fn with_line_feeds(text: &str) -> Cow<'_, str> {
    if memchr::memchr(b'\r', text.as_bytes()).is_none() {
        return text.into();
    }
    text.replace("\r\n", "\n").replace('\r', "\n").into()
}
