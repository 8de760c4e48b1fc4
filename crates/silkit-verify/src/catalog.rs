//! The list of all rules and their families.

use crate::families::{self, Family};
use crate::rule::Rule;
use std::sync::OnceLock;

impl Rule {
    /// Returns the name of the rule's family.
    pub fn family(&self) -> &'static str {
        catalog().iter().find(|(_, rule)| rule.id == self.id).map_or("", |(family, _)| family.name)
    }
}

/// Returns all rules with their families, ordered by id.
pub(crate) fn catalog() -> &'static [(&'static Family, &'static Rule)] {
    static ALL: OnceLock<Vec<(&'static Family, &'static Rule)>> = OnceLock::new();
    ALL.get_or_init(|| {
        let rules = |family: &'static Family| family.rules.iter().flat_map(|rules| rules.iter().copied());
        let mut all: Vec<_> =
            families::ALL.iter().flat_map(|family| rules(family).map(move |rule| (family, rule))).collect();
        all.sort_by_key(|(_, rule)| rule.id.as_str());
        all
    })
}

/// Returns all rules ordered by id, and so grouped by family.
pub fn rules() -> impl Iterator<Item = &'static Rule> {
    catalog().iter().map(|(_, rule)| *rule)
}

/// Returns the rule with this id or name, ignoring case.
pub fn find_rule(id: &str) -> Option<&'static Rule> {
    rules().find(|r| r.id.as_str().eq_ignore_ascii_case(id) || r.name.eq_ignore_ascii_case(id))
}
