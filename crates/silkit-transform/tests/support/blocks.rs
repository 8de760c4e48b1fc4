//! Transformations of blocks: edges, merging, calls, stack allocations.

use super::changed;
use silkit_analysis::testing::list;
use silkit_ir::conventions::ApplySite;
use silkit_ir::instructions::FunctionRef;
use silkit_transform::critical_edges::{is_critical, split_all};
use silkit_transform::inliner::{self, CannotInline};
use silkit_transform::merge_blocks::{merge_all, merge_into_predecessor};
use silkit_transform::stack_nesting::{NestingError, fix_stack_nesting};
use silkit_transform::unreachable::{end_block_before, remove_unreachable_blocks};

/// Splits critical edges: `most N` allows so many.
pub(crate) fn critical_edges(input: &str) -> String {
    changed(input, &|cx, names, questions| {
        let body = cx.body();
        let edges = body.blocks().flat_map(|block| body.outgoing(block));
        let critical = edges.filter(|&edge| is_critical(body, edge)).map(|edge| {
            let data = body.edge(edge);
            format!("{}-{}", names.block(data.from), names.block(data.to))
        });
        let said = format!("critical: {}\n", list(critical));
        cx.print(&said);
        let mut left = questions.iter().flatten().find_map(|word| word.parse().ok()).unwrap_or(usize::MAX);
        let mut may_split = || {
            let is_left = left > 0;
            left = left.saturating_sub(1);
            is_left
        };
        let count = split_all(cx.body_mut(), &mut may_split);
        cx.print(&format!("{count} split\n"));
    })
}

/// Merges `all` blocks, or the ones named.
pub(crate) fn merge_blocks(input: &str) -> String {
    changed(input, &|cx, names, questions| {
        let context = cx.ownership_context();
        for word in questions.iter().flatten() {
            let said = match word.as_str() {
                "all" => format!("{} merged\n", merge_all(cx.body_mut(), context)),
                name => {
                    let is_merged = merge_into_predecessor(cx.body_mut(), context, names.find_block(name));
                    format!("{name}: {is_merged}\n")
                }
            };
            cx.print(&said);
        }
    })
}

/// Removes blocks that cannot be reached; before that, `end bb1.0` ends a block before an instruction.
pub(crate) fn unreachable(input: &str) -> String {
    changed(input, &|cx, names, questions| {
        for words in questions {
            let (body, declarations) = cx.body_mut_with_declarations();
            end_block_before(body, declarations, names.find_inst(&words[1]));
        }
        let count = remove_unreachable_blocks(cx.body_mut());
        cx.print(&format!("{count} removed\n"));
    })
}

/// Inlines the calls that the questions name, one after the other.
pub(crate) fn inliner(input: &str) -> String {
    changed(input, &|cx, names, questions| {
        for word in questions.iter().flatten() {
            let call = names.find_inst(word);
            let site = ApplySite::new(cx.body(), call, cx.program().addresses());
            let callee = site.and_then(|site| cx.body().def_as::<FunctionRef>(site.callee()));
            let callee = callee.and_then(|reference| cx.program().function_id(reference.function));
            let result = callee.map_or(Err(CannotInline::NoCall), |callee| inliner::inline(cx, call, callee));
            cx.print(&format!("{word}: {result:?}\n"));
        }
    })
}

/// Corrects the nesting of stack allocations.
pub(crate) fn stack_nesting(input: &str) -> String {
    changed(input, &|cx, names, _| {
        let is_ossa = cx.function().has_ossa();
        let said = match fix_stack_nesting(cx.body_mut(), is_ossa) {
            Ok(fixed) => format!("{} removed, {} inserted\n", fixed.removed, fixed.inserted),
            Err(NestingError::NotActive(inst)) => format!("{} is not active\n", names.inst(inst)),
            Err(NestingError::AllocatedAgain(inst)) => format!("{} is allocated again\n", names.inst(inst)),
            Err(NestingError::Leak { exit, allocation }) => {
                format!("{} leaks {}\n", names.inst(exit), names.inst(allocation))
            }
            Err(NestingError::Disagreement(block)) => format!("paths to {} disagree\n", names.block(block)),
        };
        cx.print(&said);
    })
}
