//! `stack-nesting`: corrects the nesting of stack allocations.
//!
//! ```text
//! sil @f : $@convention(thin) () -> () {
//! bb0:
//!   %0 = alloc_stack $Builtin.Int64
//!   %1 = alloc_stack $Builtin.Int64
//!   dealloc_stack %0
//!   dealloc_stack %1
//!   %4 = tuple ()
//!   return %4
//! }
//! ---
//! sil @f : $@convention(thin) () -> () {
//! bb0:
//!   %0 = alloc_stack $Builtin.Int64
//!   %1 = alloc_stack $Builtin.Int64
//!   dealloc_stack %1
//!   dealloc_stack %0
//!   %4 = tuple ()
//!   return %4
//! }
//! ```

use silkit_pass::FunctionContext;
use silkit_pass::Pass;
use silkit_transform::stack_nesting::{NestingError, fix_stack_nesting};

pub(super) const PASS: Pass<'static> =
    Pass::function("stack-nesting", "Corrects the nesting of stack allocations", &run).mandatory();

fn run(cx: &mut FunctionContext<'_>) {
    let is_ossa = cx.function().has_ossa();
    match fix_stack_nesting(cx.body_mut(), is_ossa) {
        Ok(fixed) => {
            cx.count("deallocations removed", fixed.removed as u64);
            cx.count("deallocations inserted", fixed.inserted as u64);
        }
        Err(NestingError::NotActive(dealloc)) => {
            cx.report(Some(dealloc), "this deallocates memory that is not allocated on every path");
        }
        Err(NestingError::AllocatedAgain(allocation)) => {
            cx.report(Some(allocation), "a path reaches this allocation again before it is deallocated");
        }
        Err(NestingError::Leak { allocation, .. }) => {
            cx.report(Some(allocation), "a path leaves the function without deallocating this allocation");
        }
        Err(NestingError::Disagreement(block)) => {
            let first = cx.body().first_inst(block);
            cx.report(first, "the paths to this block have different stack allocations");
        }
    }
}
