//! The members of a Swift declaration that a part of a module needs: stored properties and cases, which determine the
//! layout, associated types and the aliases that witness them, and other members that SIL refers to by name.

use super::swift::{Item, MentionedWords};
use silkit_types::decl::Declarations;

/// The words that introduce a member.
const INTRODUCERS: &[&str] = &[
    "func",
    "var",
    "let",
    "init",
    "subscript",
    "deinit",
    "case",
    "typealias",
    "associatedtype",
    "struct",
    "class",
    "enum",
    "actor",
    "protocol",
    "operator",
    "precedencegroup",
    "macro",
];

/// Returns the text of a declaration without the members that are not needed.
pub(super) fn without_unused_members(
    text: &str,
    mentioned: &MentionedWords,
    declarations: &Declarations,
) -> String {
    let Some((head, body)) = split_body(text) else { return text.to_owned() };
    let mut out = head.to_owned();
    let mut rest = body;
    while let Some(member) = next_member(rest) {
        rest = &rest[member.len()..];
        out += &needed_part(member, mentioned, declarations).unwrap_or_default();
    }
    out += rest;
    out
}

/// Splits a declaration after the line that opens its braces; `None` if all is on one line.
fn split_body(text: &str) -> Option<(&str, &str)> {
    let mut end = 0;
    for line in text.split_inclusive('\n') {
        end += line.len();
        if line.trim_end().ends_with('{') {
            return Some(text.split_at(end));
        }
        if line.contains('{') {
            return None;
        }
    }
    None
}

/// Returns the lines of the first member: its attributes, and all lines up to the end of its braces. `None` for the
/// closing brace of the declaration.
fn next_member(text: &str) -> Option<&str> {
    let (mut depth, mut end) = (0usize, 0);
    for line in text.split_inclusive('\n') {
        let code = without_strings(line);
        let (open, close) = (code.matches('{').count(), code.matches('}').count());
        if depth == 0 && close > open {
            return None;
        }
        depth = (depth + open).saturating_sub(close);
        end += line.len();
        let is_attribute = code.trim_start().starts_with('@') && introduced(&code).is_none();
        if depth == 0 && !is_attribute {
            return Some(&text[..end]);
        }
    }
    None
}

/// Returns a line without its string literals, which may contain braces and keywords.
fn without_strings(line: &str) -> String {
    let mut out = String::new();
    let (mut in_string, mut before) = (false, ' ');
    for c in line.chars() {
        if c == '"' && before != '\\' {
            in_string = !in_string;
        } else if !in_string {
            out.push(c);
        }
        before = c;
    }
    out
}

/// Returns the word that introduces a member, and the name after it.
fn introduced(member: &str) -> Option<(&'static str, &str)> {
    let mut found = None;
    let mut rest = member;
    loop {
        rest = rest.trim_start();
        let end = rest.find(|c: char| c.is_whitespace() || "(<?!:={".contains(c)).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        match INTRODUCERS.iter().copied().find(|known| *known == word) {
            // In `class func`, the last one counts.
            Some(word) => found = Some((word, after.trim_start())),
            None if found.is_some() => return found,
            None => {}
        }
        match after.chars().next() {
            // The arguments of an attribute.
            Some('(') => rest = &after[after.find(')').map_or(after.len(), |at| at + 1)..],
            Some(c) => rest = &after[c.len_utf8()..],
            None => return found,
        }
    }
}

/// Returns what is needed of a member; `None` if it is not needed.
fn needed_part(member: &str, mentioned: &MentionedWords, declarations: &Declarations) -> Option<String> {
    let code = without_strings(member);
    let Some((word, rest)) = introduced(&code) else { return Some(member.to_owned()) };
    let end = rest.find(|c: char| c.is_whitespace() || "(<:={".contains(c)).unwrap_or(rest.len());
    // The names of operators may have these characters too.
    let operator = rest.split([' ', '(']).next().unwrap_or_default();
    let name = rest[..end].trim_matches('`');
    let is_needed = match word {
        "func" => mentioned.has_member(name) || mentioned.has_member(operator),
        "init" | "subscript" => mentioned.has_member(word),
        "var" => {
            let is_computed = rest.contains('{') && !rest.contains('=') && !code.contains("@_hasStorage");
            !is_computed || mentioned.has_member(name)
        }
        "typealias" => code.contains("@_implements") || mentioned.contains(name),
        "struct" | "class" | "enum" | "actor" | "protocol" => {
            let indent = member.len() - member.trim_start().len();
            let (indent, text) = member.split_at(indent);
            let text = text.trim_end();
            return mentioned
                .contains(name)
                .then(|| Item::new(text).trimmed(mentioned, declarations))?
                .map(|text| format!("{indent}{text}\n"));
        }
        _ => true,
    };
    is_needed.then(|| member.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(sil: &str, swift: &str) -> String {
        let mut mentioned = MentionedWords::default();
        mentioned.add_sil(sil);
        let declarations = silkit_text::decl::declarations(&silkit_text::parse_module(swift).module);
        without_unused_members(swift, &mentioned, &declarations)
    }

    const SWIFT: &str = "\
public struct S<T> {
  @available(*, deprecated, message: \"use init {\")
  @_hasStorage public var x: Int { get set }
  let y: Int
  public static func == (a: S, b: S) -> Bool
  internal func each(_ body: () -> () = {
      print(\"}\")
    })
  @inlinable public var count: Int {
    get
  }
  @inline(never) init?(x: Int)
  typealias Element = T
  struct Inner {
    var z: Int
    func f()
  }
  deinit
}
";

    #[test]
    fn the_layout_stays() {
        let text = kept("$S<Int>", SWIFT);
        let expected = "\
public struct S<T> {
  @available(*, deprecated, message: \"use init {\")
  @_hasStorage public var x: Int { get set }
  let y: Int
  deinit
}
";
        assert_eq!(text, expected);
    }

    #[test]
    fn members_stay_where_sil_names_them() {
        let part = |sil: &str, part: &str| {
            let text = kept(sil, SWIFT);
            assert!(text.contains(part), "{sil}: {text}");
        };
        part("class_method %0, #S.\"==\"", "func ==");
        part("class_method %0, #S.each", "print(\"}\")\n    })\n");
        part("class_method %0, #S.count!getter", "count: Int {\n    get\n  }\n");
        part("class_method %0, #S.init!allocator", "init?(x: Int)");
        part("$S<Int>.Inner", "  struct Inner {\n    var z: Int\n  }\n");
        part("$T.Element", "typealias Element");
        // A type of the same name is no reference to a member.
        assert!(!kept("$each, count", SWIFT).contains("count"));
    }
}
