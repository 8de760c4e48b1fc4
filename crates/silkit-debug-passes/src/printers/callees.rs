//! `basic-callee-printer`: prints the possible callees of each call.

use silkit_analysis::calls::CalleeAnalysis;
use silkit_ir::info::ApplyKind;
use silkit_ir::{Body, Inst, Module};
use silkit_pass::ModuleContext;
use silkit_pass::Pass;
use silkit_pass::options;
use silkit_text::Dump;

pub(crate) const PASS: Pass<'static> =
    Pass::module("basic-callee-printer", "Prints the possible callees of each call", &run)
        .with_options(&[options::WMO]);

fn run(cx: &mut ModuleContext<'_>) {
    let mut text = String::new();
    let program = cx.program();
    let tables = program.callee_analysis();
    for body in cx.module().functions.values().filter_map(|f| f.body.as_ref()) {
        let dump = cx.dump(body);
        for call in body.insts().filter(|&i| body.info(i).apply == Some(ApplyKind::Full)) {
            text += &site(&dump, body, call);
            text += &callees(cx.module(), tables, body, call);
        }
    }
    cx.print(&text);
}

fn site(dump: &Dump<'_>, body: &Body, call: Inst) -> String {
    let mut text = "Function call site:\n".to_owned();
    if let Some(callee) = body.defining_inst(body.operand_value(call, 0)) {
        text += &dump.inst(callee, "");
    }
    text + &dump.inst(call, "")
}

fn callees(module: &Module, tables: CalleeAnalysis<'_>, body: &Body, call: Inst) -> String {
    let found = tables.of_site(body, call);
    let complete = if found.is_complete { "No" } else { "Yes" };
    let visible = if found.all_have_bodies(module) { "" } else { ", not all callees visible" };
    let mut text = format!("Incomplete callee list? : {complete}{visible}\nKnown callees:\n");
    for &function in found.known.iter() {
        text += &format!("  {}\n", module.functions[function].name);
    }
    text + "\n"
}

#[cfg(test)]
mod tests {
    use crate::testing::run;
    use silkit_pass::Stream;

    const CLASSES: &str = "\
sil_stage canonical
import Builtin
class A {
  func f()
  private func g()
}
class B : A {
  override func f()
}
sil @A_f : $@convention(method) (@guaranteed A) -> ()
sil @B_f : $@convention(method) (@guaranteed B) -> ()
sil @A_g : $@convention(method) (@guaranteed A) -> ()
sil @call : $@convention(thin) (@guaranteed A) -> () {
bb0(%0 : $A):
  %1 = class_method %0, #A.f : (A) -> () -> (), $@convention(method) (@guaranteed A) -> ()
  %2 = apply %1(%0) : $@convention(method) (@guaranteed A) -> ()
  %3 = class_method %0, #A.g : (A) -> () -> (), $@convention(method) (@guaranteed A) -> ()
  %4 = apply %3(%0) : $@convention(method) (@guaranteed A) -> ()
  %5 = super_method %0, #A.f : (A) -> () -> (), $@convention(method) (@guaranteed A) -> ()
  %6 = apply %5(%0) : $@convention(method) (@guaranteed A) -> ()
  return %6
}
sil_vtable A {
  #A.f: (A) -> () -> () : @A_f
  #A.g: (A) -> () -> () : @A_g
}
sil_vtable B {
  #A.f: (A) -> () -> () : @B_f [override]
}
";

    fn lists(switches: &[&str]) -> String {
        let text = run("basic-callee-printer", switches, CLASSES).1.output.text(Stream::Out);
        let about = |line: &&str| !line.contains('%') && !line.is_empty() && !line.ends_with("site:");
        text.lines().filter(about).map(|line| format!("{}\n", line.trim_start())).collect()
    }

    #[test]
    fn what_is_internal_may_be_overridden_in_another_file() {
        let expected = "\
Incomplete callee list? : Yes, not all callees visible
Known callees:
A_f
B_f
Incomplete callee list? : No, not all callees visible
Known callees:
A_g
Incomplete callee list? : Yes, not all callees visible
Known callees:
";
        assert_eq!(lists(&[]), expected);
        assert_eq!(lists(&["wmo"]), expected.replacen("Yes", "No", 1));
    }
}
