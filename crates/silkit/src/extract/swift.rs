//! The Swift declarations that a part of a module needs, by the words that it mentions. Unneeded declarations may be
//! kept, but referenced ones are never dropped.

use super::members::without_unused_members;
use silkit_base::{FxHashSet, Symbol};
use silkit_ir::SwiftText;
use silkit_text::decl::{Dialect, parse_decls};
use silkit_types::decl::{Declarations, Lookup, NominalKind};
use std::ops::Range;

/// The set of mentioned words.
#[derive(Debug, Default)]
pub(super) struct MentionedWords {
    words: FxHashSet<String>,
    /// The names of members that SIL refers to: `total` of `#Canvas.total`.
    members: FxHashSet<String>,
}

impl MentionedWords {
    pub(super) fn contains(&self, word: &str) -> bool {
        self.words.contains(word)
    }

    /// Returns true if SIL refers to a member with this name.
    pub(super) fn has_member(&self, name: &str) -> bool {
        self.members.contains(name)
    }

    /// Adds the words of SIL text, except for comments.
    pub(super) fn add_sil(&mut self, text: &str) {
        for line in text.lines().filter(|line| !line.trim_start().starts_with("//")) {
            self.add(line);
            for reference in line.split('#').skip(1) {
                let end = reference.find(|c: char| c.is_whitespace() || "!,;)".contains(c));
                let path = &reference[..end.unwrap_or(reference.len())];
                // An operator is quoted, and may contain any of these characters.
                let quoted = reference.split('"').nth(1).map(str::to_owned);
                self.members
                    .extend(path.split('.').map(|name| name.trim_matches('`').to_owned()).chain(quoted));
            }
        }
    }

    /// Adds the words of a text.
    fn add(&mut self, text: &str) {
        for word in words(text) {
            if !self.words.contains(word) {
                self.words.insert(word.to_owned());
            }
        }
    }
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}

/// Keywords that introduce a declaration with a name.
const INTRODUCERS: &[&str] = &[
    "struct",
    "class",
    "enum",
    "protocol",
    "actor",
    "extension",
    "typealias",
    "let",
    "var",
    "func",
    "macro",
    "precedencegroup",
    "operator",
];

/// A top-level declaration.
pub(super) struct Item<'t> {
    text: &'t str,
    kind: ItemKind,
    /// The parts of the name: `A` and `B` of `extension A.B`.
    name: Vec<&'t str>,
    /// The range of the inheritance clause, including its colon.
    clause: Range<usize>,
    is_kept: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ItemKind {
    Import,
    Protocol,
    Class,
    Extension,
    Function,
    Other,
}

impl<'t> Item<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        let head = &text[..text.find('{').unwrap_or(text.len())];
        let (introducer, rest) = introduced(head).unwrap_or_default();
        let end = rest.find(|c: char| !c.is_alphanumeric() && !"_.".contains(c)).unwrap_or(rest.len());
        let kind = match introducer {
            _ if head.split_whitespace().any(|word| word == "import") => ItemKind::Import,
            "protocol" => ItemKind::Protocol,
            "class" => ItemKind::Class,
            "extension" => ItemKind::Extension,
            "func" | "macro" | "operator" | "precedencegroup" => ItemKind::Function,
            _ => ItemKind::Other,
        };
        let is_type = matches!(introducer, "struct" | "enum" | "actor" | "class" | "extension" | "protocol");
        let after = head.len() - rest.len() + end;
        let clause = if is_type { clause(head, after) } else { after..after };
        Self { text, kind, name: rest[..end].split('.').collect(), clause, is_kept: false }
    }

    /// Returns the inherited types, as spelled.
    fn inherited(&self) -> impl Iterator<Item = &'t str> {
        let clause = self.text[self.clause.clone()].trim_start_matches([' ', ':']);
        clause.split(',').map(str::trim).filter(|ty| !ty.is_empty())
    }

    /// Returns the needed inherited types: a superclass or a raw type, and protocols that are mentioned or implied by
    /// a mentioned protocol.
    fn needed_inherited(&self, mentioned: &MentionedWords, declarations: &Declarations) -> Vec<&'t str> {
        let stays = |(index, ty): (usize, &'t str)| {
            let may_be_superclass = index == 0 && matches!(self.kind, ItemKind::Class | ItemKind::Other);
            let is_needed = self.kind == ItemKind::Protocol
                || ty.starts_with('~')
                || may_be_superclass && !is_protocol(ty, declarations)
                || implied(ty, declarations)
                    .is_none_or(|all| all.iter().any(|name| mentioned.contains(name)));
            is_needed.then_some(ty)
        };
        self.inherited().enumerate().filter_map(stays).collect()
    }

    /// Returns true if the declaration is mentioned. SIL refers to functions only by their symbols.
    fn is_named(&self, mentioned: &MentionedWords) -> bool {
        self.kind == ItemKind::Import
            || self.kind != ItemKind::Function
                && !self.name.is_empty()
                && self.name.iter().all(|part| mentioned.contains(part))
    }

    /// Returns the text without unneeded conformances and members; `None` for an extension with nothing left.
    pub(super) fn trimmed(&self, mentioned: &MentionedWords, declarations: &Declarations) -> Option<String> {
        if self.kind == ItemKind::Import {
            return Some(self.text.to_owned());
        }
        let inherited = self.needed_inherited(mentioned, declarations);
        let clause =
            if inherited.is_empty() { String::new() } else { format!(" : {}", inherited.join(", ")) };
        let (before, after) = (&self.text[..self.clause.start], &self.text[self.clause.end..]);
        let gap = if after.is_empty() || after.starts_with([' ', '\n']) { "" } else { " " };
        let text = format!("{}{clause}{gap}{after}", before.trim_end());
        let text = without_unused_members(&text, mentioned, declarations);
        let is_empty = text.split_once('{').is_some_and(|(_, body)| body.trim() == "}");
        let adds = inherited.iter().any(|ty| !ty.starts_with('~'));
        (self.kind != ItemKind::Extension || adds || !is_empty).then_some(text)
    }
}

/// Returns the range of the inheritance clause in a header, after the name that ends at `from`.
fn clause(head: &str, from: usize) -> Range<usize> {
    let rest = &head[from..];
    let mut depth = 0;
    let mut start = None;
    for (at, c) in rest.char_indices() {
        match c {
            '<' | '(' => depth += 1,
            '>' | ')' => depth -= 1,
            ':' if depth == 0 && start.is_none() => start = Some(at),
            _ if depth == 0 && rest[at..].starts_with(" where ") => {
                return start.map_or(from + at..from + at, |start| from + start..from + at);
            }
            _ => {}
        }
    }
    start.map_or(head.len()..head.len(), |start| from + start..head.len())
}

/// Returns the names of a protocol and of all protocols that it inherits from; `None` if it is not known or not a
/// protocol.
fn implied(ty: &str, declarations: &Declarations) -> Option<Vec<String>> {
    let mut names = Vec::new();
    let mut work = vec![ty.to_owned()];
    while let Some(name) = work.pop() {
        let path = name.strip_prefix("Swift.").unwrap_or(&name);
        if names.iter().any(|known| known == path) {
            continue;
        }
        let Lookup::Known(nominal) = declarations.lookup_nominal(Symbol::new(path)) else { return None };
        if nominal.kind != NominalKind::Protocol {
            return None;
        }
        work.extend(nominal.inherited.iter().map(ToString::to_string));
        names.push(path.to_owned());
    }
    Some(names)
}

fn is_protocol(ty: &str, declarations: &Declarations) -> bool {
    implied(ty, declarations).is_some()
}

/// Returns the word that introduces the declaration, and the following text.
fn introduced(head: &str) -> Option<(&str, &str)> {
    let mut at = 0;
    for word in head.split([' ', '\n', '\t']) {
        if INTRODUCERS.contains(&word) {
            let rest = head[at + word.len()..].trim_start();
            // In `class func` and `final class`, the last introducer before the name counts.
            return introduced_again(rest).or(Some((word, rest)));
        }
        at += word.len() + 1;
    }
    None
}

fn introduced_again(rest: &str) -> Option<(&str, &str)> {
    let word = rest.split(' ').next()?;
    INTRODUCERS.contains(&word).then(|| (word, rest[word.len()..].trim_start()))
}

/// Keeps the declarations that are needed, directly or by other kept declarations.
pub(super) fn keep(
    declared: Vec<SwiftText>,
    mentioned: &mut MentionedWords,
    declarations: &Declarations,
) -> Vec<SwiftText> {
    let mut items: Vec<Vec<Item<'_>>> = declared.iter().map(|swift| split(&swift.text)).collect();
    loop {
        let before = mentioned.words.len();
        for item in items.iter_mut().flatten().filter(|item| item.kind != ItemKind::Import) {
            item.is_kept = item.is_named(mentioned);
            // Later mentions may require dropped members or conformances again.
            if item.is_kept
                && let Some(text) = item.trimmed(mentioned, declarations)
            {
                mentioned.add(&text);
            }
        }
        if mentioned.words.len() == before {
            break;
        }
    }
    let mut kept = Vec::new();
    for (swift, items) in declared.iter().zip(&items) {
        let named = items.iter().filter(|item| item.is_named(mentioned));
        let parts: Vec<String> = named.filter_map(|item| item.trimmed(mentioned, declarations)).collect();
        let text = joined(&parts);
        if !text.is_empty() {
            kept.push(SwiftText { text: text.into(), ..swift.clone() });
        }
    }
    kept
}

/// Splits a text into its declarations.
fn split(text: &str) -> Vec<Item<'_>> {
    declarations_in(text).map(Item::new).collect()
}

/// Returns the texts of the top-level declarations in a text.
fn declarations_in(text: &str) -> impl Iterator<Item = &str> {
    let parsed = parse_decls(text, 0..text.len(), Dialect::Sil);
    let ranges = parsed.ranges.into_iter().map(|range| range.as_usize());
    ranges.filter_map(|range| text.get(range)).map(str::trim)
}

/// Returns the top-level declarations in a text other than imports.
pub(crate) fn declarations_besides_imports(text: &str) -> impl Iterator<Item = &str> {
    declarations_in(text).filter(|text| Item::new(text).kind != ItemKind::Import)
}

/// Returns a text with each of its top-level declarations replaced; those for which `map` returns `None` are dropped.
pub(crate) fn map_declarations(text: &str, map: impl Fn(&str) -> Option<String>) -> String {
    joined(&declarations_in(text).filter_map(map).collect::<Vec<_>>())
}

/// Returns a declaration without its inheritance clause; `None` if it has none.
pub(crate) fn without_inherited_types(declaration: &str) -> Option<String> {
    let Item { text, clause, .. } = Item::new(declaration);
    let (before, after) = (text[..clause.start].trim_end(), text[clause.end..].trim_start());
    (!clause.is_empty()).then(|| format!("{before} {after}"))
}

/// Returns the text of several declarations: imports on consecutive lines, others with an empty line between them.
fn joined<T: AsRef<str>>(declarations: &[T]) -> String {
    let mut text = String::new();
    for declaration in declarations.iter().map(AsRef::as_ref) {
        if !text.is_empty() {
            text += if Item::new(declaration).kind == ItemKind::Import { "\n" } else { "\n\n" };
        }
        text += declaration;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(sil: &str, swift: &str) -> String {
        let mut mentioned = MentionedWords::default();
        mentioned.add_sil(sil);
        let text = SwiftText { text: swift.into(), synthesized: false };
        let declarations = silkit_text::decl::declarations(&silkit_text::parse_module(swift).module);
        keep(vec![text], &mut mentioned, &declarations).iter().map(|swift| swift.text.to_string()).collect()
    }

    const SWIFT: &str = "\
import Swift
import Builtin

struct Point {
  @_hasStorage var x: Scalar { get set }
  func length() -> Length
  var angle: Angle { get }
}

struct Scalar {
  @_hasStorage var bits: Int { get set }
}

struct Length {}

protocol Shape {
  func area() -> Length
}

extension Point : Shape {
  func area() -> Length
}

@_hasStorage let origin: Point { get }
";

    #[test]
    fn types_follow_from_one_another() {
        let text = kept("// Shape\nbb0(%0 : $Point):", SWIFT);
        assert!(text.starts_with("import Swift\nimport Builtin\n\nstruct Point {"), "{text}");
        assert!(
            text.contains("struct Scalar") && !text.contains("Length") && !text.contains("origin"),
            "{text}"
        );
        assert!(!text.contains("func length") && !text.contains("angle"), "{text}");
    }

    #[test]
    fn conformances_stay_where_their_protocol_is_mentioned() {
        let text = kept("witness_method $Point, #Shape.area", SWIFT);
        assert!(text.contains("extension Point : Shape {\n  func area() -> Length\n}"), "{text}");
        assert!(text.contains("protocol Shape") && text.contains("struct Length"), "{text}");
        let text = kept("$Point, $any Shape", SWIFT);
        assert!(text.contains("extension Point : Shape {\n}") && !text.contains("Length"), "{text}");
    }

    #[test]
    fn a_clause_goes_and_its_constraints_stay() {
        let cut = |text| without_inherited_types(text);
        assert_eq!(
            cut("struct S<T : P> : Q, R where T : A {\n}").as_deref(),
            Some("struct S<T : P> where T : A {\n}")
        );
        assert_eq!(cut("extension A.B : C {}").as_deref(), Some("extension A.B {}"));
        assert_eq!(cut("struct S<T : P> {}"), None);
        assert_eq!(cut("let x: Int { get }"), None);
    }

    #[test]
    fn clauses_are_found_behind_parameters() {
        let item = |text| {
            let item = Item::new(text);
            item.inherited().map(str::to_owned).collect::<Vec<_>>().join("|")
        };
        assert_eq!(item("struct S<T : P> : Q, R where T : A {\n}"), "Q|R");
        assert_eq!(item("final class C : D {\n}"), "D");
        assert_eq!(item("extension A.B where T : P {\n}"), "");
        assert_eq!(item("let x: Int { get }"), "");
        assert_eq!(Item::new("extension A.B : C {}").name, ["A", "B"]);
    }

    #[test]
    fn attributes_go_with_their_member() {
        let swift = "struct S {\n  @available(*, deprecated)\n  func old() -> Gone\n  @objc\n  var x: Int\n}\nstruct Gone {}\n";
        assert_eq!(kept("$S", swift), "struct S {\n  @objc\n  var x: Int\n}");
    }

    #[test]
    fn members_stay_where_they_are_mentioned() {
        assert!(kept("class_method %0, #Point.length", SWIFT).contains("  func length() -> Length"));
        assert!(!kept("// comment Point", SWIFT).contains("Point"));
    }
}
