//! `update-borrowed-from`: gives each guaranteed phi a `borrowed … from` that lists the values which enclose it.

use silkit_pass::Pass;
use silkit_transform::borrowed_from::renew;

pub(super) const PASS: Pass<'static> = Pass::function(
    "update-borrowed-from",
    "Makes the `borrowed … from` of guaranteed phis list the values that enclose them",
    &renew,
);
