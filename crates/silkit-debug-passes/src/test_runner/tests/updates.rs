//! Tests of SSA update.

use super::{Test, TestFn};
use crate::test_runner::arguments::Argument;
use silkit_analysis::{Dominators, Joins};
use silkit_ir::{Operand, Value};
use silkit_transform::ssa_updater::{CannotPass, SsaUpdater};

pub(super) const TESTS: &[(&str, TestFn)] = &[("update_ssa", update_ssa)];

/// Rewrites operands to the reaching definition of a variable. The definitions come first, then the operands; what
/// follows them is ignored.
fn update_ssa(test: &mut Test<'_, '_>) -> Result<(), String> {
    let mut definitions: Vec<Value> = vec![test.value()?];
    let mut uses: Vec<Operand> = Vec::new();
    let is_value = |argument: &Argument| {
        matches!(argument, Argument::Value(..) | Argument::Passed(..) | Argument::Instruction(..))
    };
    while test.arguments.next_is(is_value) {
        definitions.push(test.value()?);
    }
    while test.arguments.next_is(|argument| matches!(argument, Argument::Operand(..))) {
        uses.push(test.arguments.operand()?);
    }
    test.arguments.skip_rest();
    let of = test.body().value(definitions[0]).ty;
    let ownership = test.ownership().value(definitions[0]).unwrap_or_default();
    let outcome = test.with_context(|cx| {
        let dominators = cx.get::<Dominators>().detach(cx.body());
        let mut updater = SsaUpdater::new(of, ownership).defining_at_ends();
        for &value in &definitions {
            if let Some(block) = cx.body().defining_block(value) {
                updater.define(block, value);
            }
        }
        let mut joins = Joins::compute(cx.body(), &dominators);
        updater.rewrite(cx.body_mut(), &dominators, &mut joins, &uses)
    });
    match outcome {
        Ok(_) => Ok(()),
        Err(CannotPass(block)) => {
            let name = test.dump().block(block);
            Err(format!("no value can be passed to `{name}`: split the critical edges into it first"))
        }
    }
}
