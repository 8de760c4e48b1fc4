//! A pass of your own: counts the calls of a function and removes those whose result nobody uses.

use silkit::ir::Inst;
use silkit::pass::{FunctionContext, FunctionPass, Pass, Runner};
use std::{env, error::Error, fs};

/// The configuration of the pass. Several functions are processed at once, so it is read-only.
struct RemoveCalls {
    callee: String,
}

impl FunctionPass for RemoveCalls {
    fn run(&self, cx: &mut FunctionContext<'_>) {
        let body = cx.body();
        let is_candidate = |&inst: &Inst| {
            body.info(inst).name == "apply"
                && body.called_function(inst).is_some_and(|name| name == self.callee.as_str())
        };
        let calls: Vec<Inst> = body.insts().filter(is_candidate).collect();
        cx.count("calls", calls.len() as u64);
        for call in calls {
            let is_used = cx.body().results(call).any(|result| cx.body().is_used(result));
            // Asked before each change, so that `-sil-opt-pass-count` and bisection can stop in between.
            if !is_used && cx.may_change() {
                cx.edit().remove(call);
                cx.count("calls removed", 1);
            }
        }
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let (path, callee) = (env::args().nth(1).ok_or("a file")?, env::args().nth(2).ok_or("a function")?);
    let mut module = silkit::read(&path, &fs::read(&path)?)?;
    let declarations = silkit::declarations(&module);
    let remove = RemoveCalls { callee };
    let pass = Pass::function("remove-calls", "Removes calls whose result is unused", &remove);
    let dce = silkit::passes::find("dce").ok_or("a pass")?;
    let outcome = Runner::new().run(&mut module, &declarations, &[pass.into(), dce.into()]);
    for ((tag, what), number) in &outcome.counts {
        eprintln!("{number:6}  {tag}: {what}");
    }
    print!("{}", silkit::print(&module));
    Ok(())
}
