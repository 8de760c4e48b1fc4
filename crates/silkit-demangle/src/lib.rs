//! A demangler of Swift symbols, without dependencies.
//!
//! ```
//! use silkit_demangle::{Style, demangle};
//!
//! let symbol = "$s4main5greet4nameS2S_tF";
//! assert_eq!(demangle(symbol, Style::Full).unwrap(), "main.greet(name: Swift.String) -> Swift.String");
//! assert_eq!(demangle(symbol, Style::Simplified).unwrap(), "greet(name:)");
//! ```
//!
//! The grammar is that of Swift's ABI documentation (Mangling.rst), as Swift 6.2 demangles it, with the additions of
//! Swift 6.3: `$s`, `$S`, `$e` and `_T0` names, optionally after an underscore, and `_T` names of compilers before
//! Swift 4. [`parse()`] returns the tree of nodes, [`demangle_text`] replaces every symbol in running text. No input
//! causes a panic or unbounded work.

mod node;
mod parse;
mod print;
mod punycode;
mod scratch;

pub use node::{Kind, NodeId, Tree};
pub use print::Style;

use scratch::Scratch;

/// Parses a mangled name to a tree. Returns `None` if it is not a valid mangled name.
pub fn parse(symbol: &str) -> Option<Tree> {
    let mut tree = Tree::default();
    Scratch::with(|scratch| parse::symbol(symbol, &mut tree, &mut scratch.lists))?;
    Some(tree)
}

/// Demangles a name. Returns `None` if it is not a valid mangled name.
pub fn demangle(symbol: &str, style: Style) -> Option<String> {
    printed(symbol, style, true)
}

/// Demangles a name with all details and without sugar: `Swift.Optional<Swift.Int>` instead of `Swift.Int?`. Returns
/// `None` if it is not a valid mangled name.
///
/// ```
/// let symbol = "$s4main1fyySiSgF";
/// assert_eq!(silkit_demangle::demangle_unsugared(symbol).unwrap(), "main.f(Swift.Optional<Swift.Int>) -> ()");
/// ```
pub fn demangle_unsugared(symbol: &str) -> Option<String> {
    printed(symbol, Style::Full, false)
}

fn printed(symbol: &str, style: Style, sugar: bool) -> Option<String> {
    Scratch::with(|scratch| {
        let text = scratch.demangle(symbol, style, sugar)?;
        (!text.is_empty()).then(|| text.to_owned())
    })
}

/// Returns true if a name has a prefix of Swift's mangled names.
pub fn is_mangled(name: &str) -> bool {
    parse::prefix(name).is_some()
}

/// Replaces every mangled name in running text. Names that do not demangle are kept.
///
/// ```
/// let text = "crash in $s4main1fyyF at 3";
/// assert_eq!(silkit_demangle::demangle_text(text, silkit_demangle::Style::Full), "crash in main.f() -> () at 3");
/// ```
pub fn demangle_text(text: &str, style: Style) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['$', '_', '@']) {
        let (before, from) = rest.split_at(at);
        out.push_str(before);
        let starts_word = !out.ends_with(|c: char| c.is_ascii_alphanumeric());
        if !is_mangled(from) || !starts_word {
            let next = from.chars().next().map_or(0, char::len_utf8);
            out.push_str(&from[..next]);
            rest = &from[next..];
            continue;
        }
        let symbol_char = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '$' || c == '.';
        let skipped = usize::from(from.starts_with('@'));
        let end = from[skipped..].find(|c| !symbol_char(c)).map_or(from.len(), |n| n + skipped);
        // A period at the end belongs to the sentence.
        let symbol = from[..end].trim_end_matches('.');
        match demangle(symbol, style) {
            Some(name) => out.push_str(&name),
            None => out.push_str(symbol),
        }
        rest = &from[symbol.len()..];
    }
    out.push_str(rest);
    out
}
