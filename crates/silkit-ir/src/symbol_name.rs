//! Names of functions and globals as symbols.

/// Returns a mangled name without its prefix: `$s` of Swift, or `$e` of Embedded Swift. Returns `None` for a name that is
/// not mangled.
///
/// ```
/// assert_eq!(silkit_ir::without_mangling_prefix("$s4main1fyyF"), Some("4main1fyyF"));
/// assert_eq!(silkit_ir::without_mangling_prefix("$e4main1fyyF"), Some("4main1fyyF"));
/// assert_eq!(silkit_ir::without_mangling_prefix("main"), None);
/// ```
pub fn without_mangling_prefix(symbol: &str) -> Option<&str> {
    symbol.strip_prefix("$s").or_else(|| symbol.strip_prefix("$e"))
}
