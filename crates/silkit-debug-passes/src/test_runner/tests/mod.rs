//! The tests, one file for each utility.

mod access;
mod barriers;
mod basics;
mod borrows;
mod fields;
mod forwarding;
mod interior;
mod introducers;
mod lifetimes;
mod live_range;
mod liveness;
mod names;
mod paths;
mod updates;
mod values;
mod variables;

use super::{Test, TestFn};

/// All tests by name.
const ALL: &[&[(&str, TestFn)]] = &[
    access::TESTS,
    barriers::TESTS,
    basics::TESTS,
    borrows::TESTS,
    fields::TESTS,
    forwarding::TESTS,
    interior::TESTS,
    introducers::TESTS,
    lifetimes::TESTS,
    live_range::TESTS,
    liveness::TESTS,
    names::TESTS,
    paths::TESTS,
    updates::TESTS,
    values::TESTS,
    variables::TESTS,
];

/// Returns the test with this name.
pub(super) fn find(name: &str) -> Option<TestFn> {
    ALL.iter().copied().flatten().find(|(known, _)| *known == name).map(|&(_, test)| test)
}
