//! `basic-instruction-property-dump`: prints the memory behavior of each instruction, and whether its kind may
//! release.

use silkit_analysis::BodyView;
use silkit_ir::info::MemoryBehavior;
use silkit_pass::ModuleContext;
use silkit_pass::Pass;

pub(crate) const PASS: Pass<'static> = Pass::module(
    "basic-instruction-property-dump",
    "Prints the memory and release behavior of each instruction",
    &run,
);

fn run(cx: &mut ModuleContext<'_>) {
    let mut text = String::new();
    let program = cx.program();
    for function in cx.module().functions.values() {
        text.push_str(&format!("@{}\n", function.name));
        if let Some(body) = &function.body {
            print_body(cx, &BodyView::new(&program, function, body), &mut text);
        }
    }
    cx.print(&text);
}

fn print_body(cx: &ModuleContext<'_>, view: &BodyView<'_>, text: &mut String) {
    let (body, dump, behavior) = (view.body, cx.dump(view.body), view.behavior());
    for (number, inst) in body.insts().enumerate() {
        let releases = if body.info(inst).may_release_in(view.program.release()) {
            "MayRelease"
        } else {
            "DoesNotRelease"
        };
        text.push_str(&format!(
            "Inst #: {number}\n    {}    Mem Behavior: {}\n    Release Behavior: {releases}\n",
            dump.inst(inst, ""),
            name(behavior.memory(inst)),
        ));
    }
}

fn name(behavior: MemoryBehavior) -> &'static str {
    match behavior {
        MemoryBehavior::None => "None",
        MemoryBehavior::MayRead => "MayRead",
        MemoryBehavior::MayWrite => "MayWrite",
        MemoryBehavior::MayReadWrite => "MayReadWrite",
        MemoryBehavior::MayHaveSideEffects => "MayHaveSideEffects",
    }
}
