//! Numbers in messages.

/// Formats a number with commas between groups of three digits.
///
/// ```
/// assert_eq!(silkit_diag::grouped(1_234_567), "1,234,567");
/// ```
pub fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let groups = digits.as_bytes().rchunks(3).rev().map(String::from_utf8_lossy);
    groups.collect::<Vec<_>>().join(",")
}
