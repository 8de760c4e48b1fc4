//! The accessors of properties and subscripts in a SIL file: it states which there are, without bodies.
//!
//! ```swift
//! var x: Int { get set }
//! ```

/// The words before an accessor.
const MODIFIERS: &[&str] = &[
    "mutating",
    "nonmutating",
    "__consuming",
    "consuming",
    "borrowing",
    "async",
    "throws",
    "nonisolated",
    "yielding",
];

/// The accessors that a SIL file may state. `read` and `modify` are those of an experimental feature; `borrow` and
/// `mutate` are those of Swift 6.4.
const ACCESSORS: &[&str] = &["get", "set", "init", "read", "modify", "borrow", "mutate"];

/// Returns what is wrong with the accessors that end a declaration. Swift reads those of a SIL file as those of a protocol.
pub(super) fn problem(declaration: &str) -> Option<&'static str> {
    let (_, braces) = declaration.split_once('{')?;
    if braces.contains(['"', '/', '@', '#']) {
        return None;
    }
    let inside = braces.trim_end().strip_suffix('}')?;
    if inside.contains('{') {
        return Some("an accessor has a body");
    }
    if inside.contains('(') {
        return None;
    }
    let mut words = inside.split_whitespace().filter(|word| !MODIFIERS.contains(word));
    words.any(|word| !ACCESSORS.contains(&word)).then_some("the accessors are not `get` and `set`")
}

#[cfg(test)]
mod tests {
    use super::problem;

    #[test]
    fn accessors_are_those_of_protocols() {
        for good in [
            "",
            " { get }",
            ": Int { mutating get nonmutating set }",
            " { get async throws }",
            " { borrow mutate }",
            " { yielding borrow set }",
        ] {
            assert_eq!(problem(good), None, "{good}");
        }
        for bad in [" { nope }", " { get { } }", " { get _modify }", " { 1 }", " { willSet }"] {
            assert!(problem(bad).is_some(), "{bad}");
        }
    }
}
