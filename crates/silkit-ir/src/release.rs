//! Releases of Swift, as far as the forms of SIL depend on them.

use std::fmt;
use std::str::FromStr;

/// A release of Swift: `6.3`.
///
/// Forms that no release has yet are ascribed to the next one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Release {
    major: u8,
    minor: u8,
}

impl Release {
    /// Swift 6.2, the release that Silkit follows where a module does not tell.
    pub const V6_2: Release = Release::new(6, 2);
    /// Swift 6.3.
    pub const V6_3: Release = Release::new(6, 3);
    /// Swift 6.4.
    pub const V6_4: Release = Release::new(6, 4);
    /// The development branch after Swift 6.4, which calls itself 6.5.
    pub const V6_5: Release = Release::new(6, 5);
    /// The releases that can be chosen.
    pub const ALL: [Release; 4] = [Self::V6_2, Self::V6_3, Self::V6_4, Self::V6_5];

    /// Returns the release before this one; `None` for the first one.
    pub fn previous(self) -> Option<Release> {
        Self::ALL.into_iter().rev().find(|release| *release < self)
    }

    /// Returns the release with these numbers.
    pub const fn new(major: u8, minor: u8) -> Release {
        Release { major, minor }
    }
}

impl Default for Release {
    /// Returns the release that Silkit follows where a module does not tell.
    fn default() -> Self {
        Self::V6_2
    }
}

impl fmt::Display for Release {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

impl FromStr for Release {
    type Err = String;

    fn from_str(text: &str) -> Result<Release, String> {
        let unknown = || {
            let known = Self::ALL.map(|release| release.to_string()).join(", ");
            format!("`{text}` is not a release of Swift that Silkit knows; write one of {known}")
        };
        let mut numbers = text.split('.').map(str::parse);
        let (Some(Ok(major)), Some(Ok(minor))) = (numbers.next(), numbers.next()) else {
            return Err(unknown());
        };
        // A patch release has the forms of its release.
        Self::ALL.into_iter().find(|&r| r == Release::new(major, minor)).ok_or_else(unknown)
    }
}

/// A range of releases: those that have a form, or those that a module can be of.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Releases {
    /// The first release; `None` if there is no lower bound.
    pub since: Option<Release>,
    /// The last release; `None` if there is no upper bound.
    pub until: Option<Release>,
}

impl Releases {
    /// All releases.
    pub const ALL: Releases = Releases { since: None, until: None };

    /// Returns the releases from this one on.
    pub const fn since(release: Release) -> Releases {
        Releases { since: Some(release), until: None }
    }

    /// Returns the releases up to and including this one.
    pub const fn until(release: Release) -> Releases {
        Releases { since: None, until: Some(release) }
    }

    /// Returns true if the range contains a release.
    pub fn contains(self, release: Release) -> bool {
        self.since.is_none_or(|since| since <= release) && self.until.is_none_or(|until| release <= until)
    }

    /// Returns the releases that both ranges contain.
    #[must_use]
    pub fn and(self, other: Releases) -> Releases {
        let until = match (self.until, other.until) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        Releases { since: self.since.max(other.since), until }
    }

    /// Returns true if no release is in the range.
    pub fn is_empty(self) -> bool {
        matches!((self.since, self.until), (Some(since), Some(until)) if until < since)
    }
}

impl fmt::Display for Releases {
    /// Writes `6.3 and later`, `up to 6.2`, `6.2 to 6.3`, `6.3`, or `any release`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.since, self.until) {
            (None, None) => f.write_str("any release"),
            (Some(since), None) => write!(f, "{since} and later"),
            (None, Some(until)) => write!(f, "up to {until}"),
            (Some(since), Some(until)) if since == until => since.fmt(f),
            (Some(since), Some(until)) => write!(f, "{since} to {until}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_are_read_with_or_without_a_patch() {
        assert_eq!("6.3".parse(), Ok(Release::V6_3));
        assert_eq!("6.3.1".parse(), Ok(Release::V6_3));
        assert_eq!(
            "6.9".parse::<Release>().unwrap_err(),
            "`6.9` is not a release of Swift that Silkit knows; write one of 6.2, 6.3, 6.4, 6.5"
        );
        assert!("6".parse::<Release>().is_err());
        assert!("six.three".parse::<Release>().is_err());
    }

    #[test]
    fn ranges() {
        let new = Releases::since(Release::V6_3);
        let old = Releases::until(Release::V6_2);
        assert!(new.contains(Release::V6_3) && new.contains(Release::V6_4) && !new.contains(Release::V6_2));
        assert!(old.contains(Release::V6_2) && !old.contains(Release::V6_3));
        assert!(new.and(old).is_empty() && old.and(new).is_empty());
        assert!(!new.is_empty() && !Releases::ALL.is_empty());
        let range = new.and(Releases::until(Release::V6_4)).and(Releases::until(Release::V6_5));
        assert_eq!(range, Releases { since: Some(Release::V6_3), until: Some(Release::V6_4) });
        assert_eq!(new.and(Releases::since(Release::V6_4)).since, Some(Release::V6_4));
        let texts = [Releases::ALL, new, old, range, new.and(Releases::until(Release::V6_3))];
        assert_eq!(
            texts.map(|releases| releases.to_string()),
            ["any release", "6.3 and later", "up to 6.2", "6.3 to 6.4", "6.3"]
        );
    }
}
