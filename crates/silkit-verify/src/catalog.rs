//! The list of all rules and their families.

use crate::families;
use crate::rule::Rule;
use std::sync::OnceLock;

impl Rule {
    /// Returns the name of the rule's family.
    pub fn family(&self) -> &'static str {
        let of = |f: &&families::Family| f.rules.iter().flat_map(|r| r.iter()).any(|r| r.id == self.id);
        families::ALL.iter().find(of).map_or("", |f| f.name)
    }
}

/// Returns all rules ordered by id, and so grouped by family.
pub fn rules() -> impl Iterator<Item = &'static Rule> {
    static ALL: OnceLock<Vec<&'static Rule>> = OnceLock::new();
    let all = ALL.get_or_init(|| {
        let mut all: Vec<_> =
            families::ALL.iter().flat_map(|f| f.rules.iter()).flat_map(|r| r.iter().copied()).collect();
        all.sort_by_key(|r| r.id.as_str());
        all
    });
    all.iter().copied()
}

/// Returns the rule with this id or name, ignoring case.
pub fn find_rule(id: &str) -> Option<&'static Rule> {
    rules().find(|r| r.id.as_str().eq_ignore_ascii_case(id) || r.name.eq_ignore_ascii_case(id))
}
