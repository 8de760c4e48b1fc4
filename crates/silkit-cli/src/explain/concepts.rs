//! Pages of concepts, and the sentences of the compiler with the pages that explain them. Both are data of this folder.

use crate::wrap::{self, prose};
use serde_json::{Value, json};
use std::sync::LazyLock;

/// A concept of SIL and its page.
pub(super) struct Concept {
    /// The name of the page.
    pub(super) name: &'static str,
    /// Other names, in lower case.
    also: Vec<&'static str>,
    /// A description in one line.
    pub(super) summary: &'static str,
    /// The explanation.
    details: &'static str,
    /// Pages and documents to read next.
    pub(super) see: Vec<&'static str>,
}

static CONCEPTS: LazyLock<Vec<Concept>> = LazyLock::new(|| {
    let sections = include_str!("concepts.md").split("\n## ").skip(1);
    sections.filter_map(concept).collect()
});

/// Returns the page of a section: name, other names, summary, empty line, text, `See:`.
fn concept(section: &'static str) -> Option<Concept> {
    let (name, rest) = section.split_once("\nalso: ")?;
    let (also, rest) = rest.split_once('\n')?;
    let (summary, rest) = rest.split_once("\n\n")?;
    let (details, see) = rest.rsplit_once("\n\nSee: ")?;
    let see = see.trim_end().split(", ").collect();
    Some(Concept { name, also: also.split(", ").collect(), summary, details, see })
}

/// Returns all concepts, in the order of the data.
pub(super) fn all() -> &'static [Concept] {
    &CONCEPTS
}

/// Returns the concept with this name or other name; case, hyphens and the plural do not matter.
pub(super) fn find(name: &str) -> Option<&'static Concept> {
    let plain = |name: &str| name.to_lowercase().replace(['-', '_'], " ");
    let wanted = plain(name.trim());
    let is_it = |concept: &&Concept, name: &str| {
        plain(concept.name) == name || concept.also.iter().any(|other| plain(other) == name)
    };
    let by = |name: &str| CONCEPTS.iter().find(|concept| is_it(concept, name));
    by(&wanted).or_else(|| by(wanted.strip_suffix('s')?))
}

/// Returns the names of all concepts, also the other ones, to suggest one.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    CONCEPTS.iter().flat_map(|concept| std::iter::once(concept.name).chain(concept.also.iter().copied()))
}

impl Concept {
    /// Returns the page.
    pub(super) fn page(&self, bold: bool) -> String {
        let (on, off) = if bold { ("\x1b[1m", "\x1b[0m") } else { ("", "") };
        let head = prose(&format!("{on}{}{off} – {}", self.name, self.summary));
        let see = wrap::fitted(&format!("\nSee also: {}\n", self.see.join(", ")), wrap::terminal_width());
        format!("{head}\n\n{}\n{see}", prose(self.details))
    }

    /// Returns the page as JSON.
    pub(super) fn as_json(&self) -> Value {
        json!({
            "concept": self.name, "names": self.also, "summary": self.summary, "details": self.details, "see": self.see,
        })
    }
}

/// Returns the sentences of the compiler, with the names of the pages that explain them.
fn sentences() -> impl Iterator<Item = (&'static str, &'static str)> {
    include_str!("sentences.txt").lines().filter_map(|line| line.split_once(" => "))
}

/// Returns the names of the pages that explain a pasted sentence of the compiler, the most fitting first.
pub(super) fn pages_of_sentence(text: &str) -> Vec<&'static str> {
    let text = text.to_lowercase();
    let fitting = sentences().filter(|(pattern, _)| has(&text, &pattern.to_lowercase()));
    let length = |pattern: &str| pattern.chars().filter(|&c| c != '*').count();
    let best = fitting.max_by_key(|(pattern, _)| length(pattern));
    best.map_or_else(Vec::new, |(_, pages)| pages.split(' ').collect())
}

/// Returns true if the parts of a pattern between its `*` are in a text, in this order.
fn has(text: &str, pattern: &str) -> bool {
    let mut rest = text;
    pattern.split('*').all(|part| match rest.find(part) {
        Some(at) => {
            rest = &rest[at + part.len()..];
            true
        }
        None => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn each_section_is_a_page_and_leads_to_pages() {
        let sections = include_str!("concepts.md").matches("\n## ").count();
        assert_eq!((all().len(), sections > 30), (sections, true));
        let mut seen = HashSet::new();
        for concept in all() {
            assert!(!concept.summary.contains('\n') && concept.summary.ends_with('.'), "{}", concept.name);
            for name in std::iter::once(&concept.name).chain(&concept.also) {
                assert!(seen.insert(*name), "{name} names two pages");
                assert!(find(name).is_some_and(|found| found.name == concept.name), "{name}");
            }
            for see in &concept.see {
                let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
                let is_there = if see.starts_with("docs/") {
                    root.join(see).exists()
                } else {
                    super::super::find(see).is_some()
                };
                assert!(is_there, "{}: {see}", concept.name);
            }
        }
    }

    #[test]
    fn sentences_lead_to_pages() {
        let mut number = 0;
        for (pattern, pages) in sentences() {
            number += 1;
            assert!(pattern.replace('*', "").trim().len() > 11, "{pattern}");
            for page in pages.split(' ') {
                assert!(super::super::find(page).is_some(), "{pattern}: {page}");
            }
            // No longer sentence hides it.
            assert_eq!(pages_of_sentence(&pattern.replace('*', "'x'")), pages.split(' ').collect::<Vec<_>>());
        }
        assert!(number > 150, "{number}");
    }
}
