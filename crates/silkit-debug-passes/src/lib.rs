//! Passes for tests of the compiler: printers of what analyses found, and the runner of `specify_test` instructions.

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
        let all = PASSES.sorted();
        assert!(all.windows(2).all(|pair| pair[0].tag < pair[1].tag));
        assert!(all.iter().all(|pass| !pass.summary.is_empty() && !pass.summary.ends_with('.')));
    }
}
