//! Passes for compiler tests: printers of analysis results, and the runner of `specify_test` instructions.

mod printers;
mod test_runner;
#[cfg(test)]
mod testing;

use silkit_pass::Registry;

/// All passes of this crate.
pub const PASSES: Registry = Registry::new(&[printers::PASSES, &[test_runner::PASS]]);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_unique_and_summaries_are_phrases() {
        silkit_pass::testing::assert_well_named(PASSES.iter().chain(silkit_opt::PASSES.iter()));
    }
}
