//! `devirtualizer`: replaces method lookups with known results by direct references.
//!
//! ```text
//!   %1 = class_method %0, #Final.method : (Final) -> () -> (), $@convention(method) (@guaranteed Final) -> ()
//!   %2 = apply %1(%0) : $@convention(method) (@guaranteed Final) -> ()
//! ---
//!   %1 = function_ref @method : $@convention(method) (@guaranteed Final) -> ()
//!   %2 = apply %1(%0) : $@convention(method) (@guaranteed Final) -> ()
//! ```

use silkit_ir::Inst;
use silkit_pass::{FunctionContext, Pass};
use silkit_transform::{delete, devirtualize};

pub(super) const PASS: Pass<'static> =
    Pass::function("devirtualizer", "Devirtualizes method calls whose implementation is known", &run);

fn run(cx: &mut FunctionContext<'_>) {
    let calls: Vec<Inst> = cx.body().insts().filter(|&inst| cx.body().info(inst).apply.is_some()).collect();
    for call in calls {
        let Some(target) = devirtualize::target(cx, call) else { continue };
        if !cx.may_change() {
            return;
        }
        let lookup = cx.body().defining_inst(cx.body().operand_value(call, 0));
        target.call(cx, call);
        delete::trivially_dead(cx, lookup);
        cx.count("calls devirtualized", 1);
    }
}
