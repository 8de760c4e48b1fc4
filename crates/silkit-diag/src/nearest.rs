//! Suggestions for misspelled names: `nearest("stract", ["struct", "tuple"])` is `struct`.

use strsim::osa_distance;

/// The maximum length in bytes of a name that gets a suggestion. The cost of the edit distance is the product of both
/// lengths, and a very long name is unlikely to be a typing error.
pub const MAX_NAME_LEN: usize = 128;

/// Returns the candidate closest to `name`, or `None` if no candidate is close enough to suggest.
///
/// A candidate that differs only in letter case is always preferred. Otherwise the distance is the number of inserted,
/// deleted, replaced and swapped characters; up to a third of the longer name can differ (at least one character).
/// Among equally close candidates, the first is returned, so the result depends only on the arguments. `name` itself is
/// never suggested.
///
/// ```
/// use silkit_diag::nearest;
/// assert_eq!(nearest("retian_value", ["retain_value", "release_value"]), Some("retain_value"));
/// assert_eq!(nearest("frobnicate", ["retain_value", "release_value"]), None);
/// ```
pub fn nearest<'a, I>(name: &str, candidates: I) -> Option<&'a str>
where
    I: IntoIterator<Item = &'a str>,
{
    if name.is_empty() || name.len() > MAX_NAME_LEN {
        return None;
    }
    let name_chars = name.chars().count();
    let mut best: Option<(usize, &'a str)> = None;
    for candidate in candidates {
        if candidate.len() > MAX_NAME_LEN || candidate == name || candidate.is_empty() {
            continue;
        }
        if candidate.eq_ignore_ascii_case(name) {
            return Some(candidate);
        }
        let chars = candidate.chars().count();
        let allowed = (name_chars.max(chars) / 3).max(1);
        // A one-letter name is one replacement away from every other one-letter name: they are not similar.
        if chars.abs_diff(name_chars) > allowed || name_chars.max(chars) < 2 {
            continue;
        }
        let distance = osa_distance(name, candidate);
        if distance <= allowed && best.is_none_or(|(d, _)| distance < d) {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn picks_the_closest() {
        let names = ["struct_extract", "struct_element_addr", "tuple_extract"];
        assert_eq!(nearest("stuct_extract", names), Some("struct_extract"));
        assert_eq!(nearest("tupel_extract", names), Some("tuple_extract"));
        assert_eq!(nearest("Struct_Extract", names), Some("struct_extract"));
        assert_eq!(nearest("load", names), None);
    }

    #[test]
    fn first_of_equals_and_never_itself() {
        assert_eq!(nearest("copa", ["copy", "cope"]), Some("copy"));
        assert_eq!(nearest("copa", ["cope", "copy"]), Some("cope"));
        assert_eq!(nearest("copy", ["copy", "cop"]), Some("cop"));
        assert_eq!(nearest("x", ["y", "z"]), None);
        assert_eq!(nearest("", ["y"]), None);
    }

    #[test]
    fn huge_names_cost_nothing() {
        let huge = "x".repeat(1 << 24);
        assert_eq!(nearest(&huge, ["x"]), None);
        assert_eq!(nearest("struct", [huge.as_str()]), None);
    }
}
