//! A pass that reads its callees: inlines every call of a function whose body is one block.

use silkit::ir::conventions::ApplySite;
use silkit::ir::instructions::FunctionRef;
use silkit::ir::{FunctionId, Inst};
use silkit::pass::{FunctionContext, Pass, Runner};
use silkit::transform::inliner;
use std::{env, error::Error, fs};

/// Returns the callee of a call, if its body is known and is one block.
fn leaf(cx: &FunctionContext<'_>, call: Inst) -> Option<FunctionId> {
    let site = cx.view().apply_site(call).filter(ApplySite::is_full)?;
    let name = cx.body().def_as::<FunctionRef>(site.callee())?.function;
    let callee = cx.program().function_id(name)?;
    let body = cx.program().definition(callee).body()?;
    (body.blocks().count() == 1).then_some(callee)
}

fn inline_leaves(cx: &mut FunctionContext<'_>) {
    let calls: Vec<(Inst, FunctionId)> =
        cx.body().insts().filter_map(|inst| Some((inst, leaf(cx, inst)?))).collect();
    for (call, callee) in calls {
        if cx.may_change() && inliner::inline(cx, call, callee).is_ok() {
            cx.count("calls inlined", 1);
        }
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = env::args().nth(1).ok_or("usage: inline_leaves FILE.sil")?;
    let mut module = silkit::read(&path, &fs::read(&path)?)?;
    let declarations = silkit::declarations(&module);
    let pass = Pass::function("inline-leaves", "Inlines calls of functions of one block", &inline_leaves);
    let outcome = Runner::new().run(&mut module, &declarations, &[pass.into()]);
    for ((tag, what), number) in &outcome.counts {
        eprintln!("{number:6}  {tag}: {what}");
    }
    print!("{}", silkit::print(&module));
    Ok(())
}
