//! The output of `silkit --version`.

/// Returns the version number and the commit.
pub(crate) fn short() -> String {
    match option_env!("SILKIT_COMMIT") {
        Some(commit) => format!("{} ({commit})", env!("CARGO_PKG_VERSION")),
        None => env!("CARGO_PKG_VERSION").to_owned(),
    }
}

/// The description of the supported input: the text form, and the built-in facts about the standard library.
const READS: &str = "\
reads the SIL that swiftc 6.2 and 6.1 print, and that of 6.0 with the types of operands
knows the declarations of the standard library of Swift 6.2.3";

/// Returns the version number, the commit, and the Swift versions whose SIL is supported.
pub(crate) fn long() -> String {
    format!("silkit {}\n{READS}\n", short())
}
