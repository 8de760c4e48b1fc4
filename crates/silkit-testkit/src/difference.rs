//! Differences between two texts: `difference(b"a\n", b"b\n", ("old", "new"))`.

use std::time::Duration;

use similar::TextDiff;

/// The maximum number of lines of a difference.
const MAX_LINES: usize = 200;

/// Returns a unified diff of two texts, empty if they are equal. Invalid UTF-8 is shown as U+FFFD.
///
/// ```
/// let shown = silkit_testkit::difference(b"a\nb\n", b"a\nc\n", ("old", "new"));
/// assert_eq!(shown, "--- old\n+++ new\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n");
/// ```
pub fn difference(old: &[u8], new: &[u8], names: (&str, &str)) -> String {
    let (old, new) = (String::from_utf8_lossy(old), String::from_utf8_lossy(new));
    // After the timeout, the rest is shown as replaced; a minimal difference is not worth minutes.
    let diff = TextDiff::configure().timeout(Duration::from_secs(5)).diff_lines(&*old, &*new);
    let shown = diff.unified_diff().context_radius(3).header(names.0, names.1).to_string();
    let Some((cut, _)) = shown.match_indices('\n').nth(MAX_LINES) else { return shown };
    format!("{}\n... ({} more lines)\n", &shown[..cut], shown[cut + 1..].lines().count())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_and_long() {
        assert_eq!(difference(b"a\n", b"a\n", ("a", "b")), "");
        let old = "x\n".repeat(1000);
        let shown = difference(old.as_bytes(), b"", ("a", "b"));
        assert_eq!(shown.lines().count(), MAX_LINES + 2);
        assert!(shown.ends_with("more lines)\n"));
    }
}
